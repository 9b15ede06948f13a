"""`tertium serve`: the local workbench."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from tertium.core.errors import MissingPackageError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="NAME",
              help="Where to listen; anything but this computer needs the token in the address.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: any port that is free.")
@click.option("--address", metavar="URL",
              help="Where a proxy before it is reached (https://mt.example.org); needs the token, too.")  # fmt: skip
@click.option("--workspace", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="The folder that keeps evaluations. [default: ~/.tertium/workspace]")  # fmt: skip
@click.option("--allow", "allowed", multiple=True, metavar="METRIC",
              help="A metric whose options name files of this computer, with them; may be repeated.")  # fmt: skip
@click.option("--model", "models", multiple=True, metavar="NAME=MODEL",
              help="A model that others may then name: a path, or a language model; may be repeated.")  # fmt: skip
@click.option("--open/--no-open", "show", default=True, show_default=True, help="Open it in a browser.")
def serve(
    host: str,
    port: int,
    address: str | None,
    workspace: Path | None,
    allowed: tuple[str, ...],
    models: tuple[str, ...],
    show: bool,
) -> None:
    """Open the workbench: drop files on a page, look at reports.

    It serves this computer alone, loads nothing from anywhere, and keeps evaluations in a folder. Ctrl-C ends it; jobs
    that were running go on at the next start.
    """
    folder = workspace or Path.home() / ".tertium" / "workspace"
    try:
        from tertium.web.server import serve as run
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] == "tertium":
            raise
        raise MissingPackageError(
            f'tertium serve needs the package {error.name}; install it with: pip install "tertium[web]"'
        ) from None

    def ready(link: str, other: str | None = None) -> None:
        click.echo(f"tertium workbench: {link}")
        if other is not None:
            click.echo(f"{'from other computers' if address is None else 'the proxy finds it at'}: {other}")
        click.echo(f"workspace: {folder}\nCtrl-C ends it.")
        if show:
            import webbrowser

            webbrowser.open(link)

    with suppress(KeyboardInterrupt):  # which nobody raises where the shell made us deaf to it, as it does behind `&`
        run(folder, host, port, address, ready, allowed, models)
    click.echo("stopped")
