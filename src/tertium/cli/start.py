"""What the `tertium` script calls: so little is imported here that Ctrl-C finds somebody who answers it."""

import gc
import sys

YOUNG = 50_000  # objects that are made before the collector looks for cycles; loading a command makes fewer


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line at any time, also while it is being loaded."""
    gc.set_threshold(YOUNG)  # at Python's 700 it looks some forty times through modules, which are here to stay
    try:
        from tertium.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("tertium: stopped\n")
        sys.exit(130)
