"""`tertium learn inspect`: what a model is."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from tertium.cli.output import write
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.wording import bounds_text
from tertium.io.models import find_model
from tertium.learned.comet import READ
from tertium.learned.inspection import Inspection, inspect
from tertium.metrics import parse

WIDTH = 16  # of what stands before a fact
EXTRA = 'pip install "tertium[neural]"'


@click.command("inspect")
@click.argument("path")
@click.option("--encoder", metavar="DIR",
              help="The folder with a COMET encoder's config.json and tokenizer, or MetricX's tokenizer.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def inspect_command(path: str, encoder: str | None, as_json: bool, output: str | None) -> None:
    """Show what a model is, what it needs, and how the metric is written.

    PATH is the folder of a COMET checkpoint, of BLEURT, MetricX or an encoder, or of a converted model. Nothing is
    computed with it, and nothing in it is run.
    """
    found, name = inspect(path, encoder), find_model(path)
    metric = parse(found.write[0])
    if as_json:
        facts = {"name": name.text, "sha256": name.digest, **asdict(found)}
        facts |= {"better": metric.better, "bounds": bounds_text(metric.range), "extra": "neural"}
        write(json.dumps(facts, ensure_ascii=False, indent=1, default=str), output)
        return
    wide = room(output) or 100
    said = f"{bounds_text(metric.range)}, {metric.better} is better"
    told = lines(found, name.text, said)
    write("\n".join(line for label, text in told for line in beside(label, text, wide)), output)


def lines(found: Inspection, name: str, scores: str) -> Iterator[tuple[str, str]]:
    """What is known, with what it is called; what nothing says is left out."""
    yield "model", f"{name}, {found.kind}"
    if found.origin:
        yield "converted from", found.origin
    yield "size", f"{found.parameters:,} parameters in {found.precision}, {megabytes(found.bytes)} on the disk"
    parts = {"layers": found.layers, "wide": found.width, "heads": found.heads, "tokens known": found.vocabulary}
    told = ", ".join(f"{value:,} {what}" for what, value in parts.items() if value is not None)
    yield "network", ", ".join(filter(None, [found.encoder, told]))
    if found.longest is not None:
        yield "longest input", f"{found.longest:,} tokens, those around texts among them"
    if found.inputs:
        yield "reads", f"the output beside {', or '.join(each.replace('+', ' and ') for each in found.inputs)}"
    yield "scores", scores
    if found.languages:
        yield "languages", found.languages
    if found.licence:
        yield "licence", found.licence
    settings = {key: value for key, value in sorted(found.hyper_parameters.items()) if key in READ}
    if settings:
        yield "settings", ", ".join(f"{key}={short(value)}" for key, value in settings.items())
    if found.unknown:
        yield "not known here", ", ".join(found.unknown)
    yield "needs", "; ".join([*found.needs, f"torch and packages around it: {EXTRA}"])
    yield "write", found.write[0]
    for text in found.write[1:]:
        yield "or", text


def short(value: Any) -> str:
    """A setting, not longer than a reader wants it."""
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def megabytes(size: int) -> str:
    """`1.2 GB`, `0.4 MB`."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def beside(label: str, text: str, wide: int) -> list[str]:
    """A fact beside its name, broken where the terminal ends."""
    left = f"{label:<{WIDTH}}"
    return textwrap.wrap(text, max(wide, 2 * WIDTH), initial_indent=left, subsequent_indent=" " * WIDTH,
                         break_on_hyphens=False, break_long_words=False)  # fmt: skip
