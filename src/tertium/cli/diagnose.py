"""`tertium diagnose`: errors that a program can see, counted, compared and shown."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import click

from tertium.analysis.detect.choice import DETECTORS
from tertium.analysis.diagnose import Diagnosis, Finding
from tertium.analysis.diagnose import diagnose as find
from tertium.cli.inputs import Inputs, counting_options
from tertium.cli.options import House, house_options
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.progress import working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.wording import describe, number, visible
from tertium.io.tables import text as as_text
from tertium.io.tables import tsv, wrapped
from tertium.report.json_values import diagnosis_object
from tertium.report.tables.diagnosis import error_table, finding_rows, hit_table


@click.command()
@counting_options
@click.option("--detectors", metavar="NAMES", help=f"With commas, of: {', '.join(DETECTORS)}. [default: all]")
@house_options
@click.option("--baseline", metavar="SYSTEM", help="Who the stars compare with. [default: the first system]")
@click.option("--list", "whole", is_flag=True, help="Show every finding with its evidence.")
@click.option("--show", type=click.IntRange(1), metavar="N",
              help="Show the first N findings of each system and detector.")  # fmt: skip
@click.option("--among", metavar="NUMBERS", help="Count hits among these segments: 12,31,1180 (from 1).")
@click.option("-f", "--format", "form", type=click.Choice(["text", "tsv", "json", "xlsx"]), default="text",
              show_default=True, help="A table, the findings line by line, or both as an object.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def diagnose(
    inputs: Inputs,
    detectors: str | None,
    house: House,
    baseline: str | None,
    whole: bool,
    show: int | None,
    among: str | None,
    form: str,
    output: str | None,
) -> None:
    """Find untranslated words, lost numbers, truncation and more.

    The reference is judged too, as if it were a system: what is found there shows what detectors dislike in good text.
    tertium diagnose --src src.de --ref ref.en --hyp a.en --hyp b.en --show 3
    """
    form = form_of(form, output)
    given = inputs.read()
    keep = show if show is not None else None if whole or form != "text" else 0
    with working(size=len(given.testset) * len(given.systems)) as run:
        diagnosis = find(given.testset, given.systems, detectors=detectors, keep=keep, run=run, **asdict(house))
    first = baseline if baseline is not None else diagnosis.systems[0]
    chosen = None if among is None else numbers(among)
    text: str | Sheets
    if form == "tsv":
        text = tsv(finding_rows(diagnosis))
    elif form == "xlsx":
        hits = [] if chosen is None else [hit_table(diagnosis, chosen)]
        every = replace(finding_rows(diagnosis), title="What was found, one in each row")
        text = Sheets([error_table(diagnosis, diagnosis.systems, first), *hits, every], [describe(diagnosis.testset)])
    elif form == "json":
        text = json.dumps(diagnosis_object(diagnosis, chosen), ensure_ascii=False, indent=1)
    else:
        text = text_page(diagnosis, first, chosen, room(output))
    write(text, output)
    write_notes(diagnosis.notes if form != "json" else ())


def numbers(among: str) -> list[int]:
    """Segment numbers from a text with commas."""
    try:
        return [int(word) for word in among.split(",")]
    except ValueError:
        raise OptionError(f"--among {among}: not numbers; write segment numbers with commas: 12,31,1180") from None


def text_page(diagnosis: Diagnosis, baseline: str, among: list[int] | None, room: int | None) -> str:
    """The table, what its marks mean, hits among segments, and the findings that were kept."""
    tables = [replace(error_table(diagnosis, diagnosis.systems, baseline), title="")]
    if among is not None:
        tables.append(hit_table(diagnosis, among))
    parts = [wrapped(describe(diagnosis.testset), room), as_text(tables, room=room)]
    if diagnosis.findings:
        parts.append("\n".join(line(finding) for finding in diagnosis))
    return "\n\n".join(parts)


def line(finding: Finding) -> str:
    """A finding for people."""
    return (
        f"{finding.segment} {finding.system} {finding.kind} {number(finding.severity, 2)}: {visible(finding.evidence)}"
    )
