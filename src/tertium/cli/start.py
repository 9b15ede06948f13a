"""What the `tertium` script calls: so little is imported here that Ctrl-C finds somebody who answers it."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line at any time, also while it is being loaded."""
    try:
        from tertium.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("tertium: stopped\n")
        sys.exit(130)
