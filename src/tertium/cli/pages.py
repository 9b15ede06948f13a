"""`--page FILE`: the result as one web page, beside what is printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tertium.cli.results import RESULT
from tertium.core.errors import OptionError

if TYPE_CHECKING:
    from tertium.report.page import Page


def _file(_context: click.Context, _option: click.Parameter, path: str | None) -> str | None:
    """A name that a page can have, before anything is worked out."""
    if path is not None and (path in ("", "-") or Path(path).is_dir()):
        raise OptionError(f"--page {path}: name a file, such as page.html")
    return path


page_option = click.option(
    "--page", type=RESULT, metavar="FILE", callback=_file, help="Also write charts and tables as one web page."
)

names_option = click.option(
    "--rater-names", is_flag=True, help="On the page, show raters by name. [default: rater 1, rater 2, ...]"
)


def write_page(path: str | None, make: Callable[[], Page]) -> None:
    """Write a page where one is asked for, whole or not at all, and say so beside what is printed."""
    if path is None:
        return
    make().save(path)
    click.echo(f"tertium: {path}: {Path(path).stat().st_size / 1e6:.1f} MB; open it in a browser", err=True)
