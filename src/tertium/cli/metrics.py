"""`tertium metrics`: what there is, with options and direction."""

from __future__ import annotations

import inspect
import math
import shutil
import textwrap
from typing import Any

import click

from tertium.core.metric import describe_options
from tertium.metrics import known, parse


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or explain one: tertium metrics chrf"""
    if name is None:
        for cls in known().values():
            click.echo(summary(cls) + "\n")
        click.echo("Write options as in chrf(words=2). One metric in full: tertium metrics NAME")
        return
    cls = type(parse(name))
    click.echo(summary(cls))
    click.echo(wrapped(f"needs: {', '.join(sorted(cls.needs))}"))
    click.echo(wrapped(f"formula: {inspect.getdoc(cls.score)}"))
    click.echo(wrapped(f"definition: {inspect.getdoc(inspect.getmodule(cls))}"))


def summary(cls: type[Any]) -> str:
    """Name, direction, what it measures and its options."""
    head = f"{cls.name}: {cls.title}, {cls.better} is better, {range_text(cls.range)}"
    return "\n".join([head, wrapped(first_sentence(cls)), wrapped(f"options: {describe_options(cls)}")])


def wrapped(text: str) -> str:
    """Indented, and broken at the terminal's width."""
    width = min(100, shutil.get_terminal_size().columns)
    return textwrap.fill(text, width, initial_indent="    ", subsequent_indent="        ")


def range_text(bounds: tuple[float, float]) -> str:
    """`0-100`, `0 and up`."""
    low, high = bounds
    return f"{low:g} and up" if math.isinf(high) else f"{low:g}-{high:g}"


def first_sentence(cls: type) -> str:
    """The first line of a class's docstring."""
    return (inspect.getdoc(cls) or "").splitlines()[0]
