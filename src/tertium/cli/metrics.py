"""`tertium metrics`: what there is, or everything about one."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator

import click

from tertium.analysis.explanation import Explanation, explain
from tertium.core.wording import bounds_text
from tertium.metrics import known, parse
from tertium.report.json_values import metric_object

INTERVALS = {
    "percentile": "percentile bootstrap intervals are valid",
    "paired only": "a percentile interval is not valid; compare systems by a paired test",
}
WIDEST, NARROWEST = 24, 40  # an option beside its meaning, and the meaning


@click.command()
@click.argument("name", required=False)
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How it is printed.")  # fmt: skip
@click.option("--bibtex", "cite", is_flag=True, help="Print the papers to cite instead, as BibTeX.")
def metrics(name: str | None, form: str, cite: bool) -> None:
    """List the metrics, or explain one: tertium metrics chrf"""
    found = [explain(cls) for cls in (known().values() if name is None else [type(parse(name))])]
    if cite:
        from tertium.io.papers import bibtex

        click.echo(bibtex(metric.paper for metric in found))
    elif form == "json":
        import json

        objects = [metric_object(metric) for metric in found]
        click.echo(json.dumps(objects if name is None else objects[0], ensure_ascii=False, indent=1, default=str))
    elif name is None:
        for metric in found:
            click.echo(
                "\n".join([*heading(metric), *wrapped(f"options: {', '.join(map(str, metric.options)) or 'none'}")])
                + "\n"
            )
        click.echo("Write options as in chrf(words=2). One metric in full: tertium metrics NAME")
    else:
        click.echo("\n".join(in_full(found[0])))


def heading(metric: Explanation) -> list[str]:
    """Name, direction, range and what it measures."""
    return [
        f"{metric.name}: {metric.title}, {metric.better} is better, {bounds_text(metric.range)}",
        *wrapped(metric.summary),
    ]


def in_full(metric: Explanation) -> Iterator[str]:
    """All that is known of a metric; what it does not say is left out."""
    yield from heading(metric)
    if metric.formula:
        yield "\nformula"
        for line in metric.formula:
            yield from wrapped(line)
    if metric.options:
        yield "\noptions"
        width = 2 + max((len(str(option)) for option in metric.options if len(str(option)) <= WIDEST), default=0)
        for option in metric.options:
            yield from beside(str(option), option.meaning, width)
    for label, text in {
        "needs": ", ".join(metric.needs),
        "intervals": INTERVALS.get(metric.resampling, ""),
        "also called": ", ".join(metric.aliases),
        "blind to": metric.blind_to,
        "paper": metric.paper,
    }.items():
        if text:
            yield f"\n{label}"
            yield from wrapped(text)


def columns() -> int:
    """How wide lines may be."""
    return min(100, shutil.get_terminal_size().columns)


def wrapped(text: str, first: str = "    ", rest: str = "        ") -> list[str]:
    """Indented, and broken at the terminal's width."""
    return textwrap.wrap(text, columns(), initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def beside(left: str, text: str, width: int) -> list[str]:
    """An option and its meaning, in two columns; a long option, or one on a narrow terminal, has its own line."""
    indent = " " * (4 + width)
    if columns() - len(indent) < NARROWEST:
        return [*wrapped(left), *wrapped(text, "        ")]
    if len(left) > WIDEST or not text:
        return [*wrapped(left), *wrapped(text, indent, indent)]
    return wrapped(text, f"    {left:<{width}}", indent)
