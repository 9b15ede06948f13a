"""`tertium diagnose`: errors that a program can see, counted, compared and shown."""

from __future__ import annotations

import json

import click

from tertium.analysis.diagnose import DETECTORS, Diagnosis, Finding, Tally
from tertium.analysis.diagnose import diagnose as find
from tertium.cli.listings import ESCAPED
from tertium.cli.score import input_options, read_input, write, write_notes
from tertium.cli.tables import text_table
from tertium.cli.working import size_of, working
from tertium.core.errors import OptionError
from tertium.core.shown import ABSENT, counted, describe, number, stars, visible
from tertium.report.objects import FINDING, diagnosis_object, finding_values


@click.command()
@input_options
@click.option("--detectors", metavar="NAMES", help=f"With commas, of: {', '.join(DETECTORS)}. [default: all]")
@click.option("--baseline", metavar="SYSTEM", help="Who the stars compare with. [default: the first system]")
@click.option("--list", "whole", is_flag=True, help="Show every finding with its evidence.")
@click.option("--show", type=click.IntRange(1), metavar="N",
              help="Show the first N findings of each system and detector.")  # fmt: skip
@click.option("--among", metavar="NUMBERS", help="Count hits among these segments: 12,31,1180 (from 1).")
@click.option("-f", "--format", "form", type=click.Choice(["text", "tsv", "json"]), default="text", show_default=True,
              help="A table, the findings line by line, or both as an object.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of the screen.")
def diagnose(
    testset: str | None,
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
    detectors: str | None,
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
    given = read_input(testset, src, refs, hyps, doc, missing)
    keep = show if show is not None else None if whole or form != "text" else 0
    with working(size=size_of(given, 1)) as run:
        diagnosis = find(given.testset, given.systems, detectors=detectors, keep=keep, run=run)
    first = baseline if baseline is not None else diagnosis.systems[0]
    chosen = None if among is None else numbers(among)
    if form == "tsv":
        text = tsv_table(diagnosis)
    elif form == "json":
        text = json_object(diagnosis, chosen)
    else:
        text = text_page(diagnosis, first, chosen)
    write(text, output)
    write_notes(diagnosis.notes if form != "json" else ())


def numbers(among: str) -> list[int]:
    """Segment numbers from a text with commas."""
    try:
        return [int(word) for word in among.split(",")]
    except ValueError:
        raise OptionError(f"--among {among}: not numbers; write segment numbers with commas: 12,31,1180") from None


def text_page(diagnosis: Diagnosis, baseline: str, among: list[int] | None) -> str:
    """The table, what its marks mean, hits among segments, and the findings that were kept."""
    p = diagnosis.against(baseline)
    rows = []
    for kind in diagnosis.detectors:
        cells = [
            rate(diagnosis.tallies[name, kind]) + aligned_stars(p.get((name, kind), 1.0)) for name in diagnosis.systems
        ]
        rows.append([kind, rate(diagnosis.floor.get(kind)), *cells])
    heads = ["detector", "reference", *(name + aligned_stars(1.0) for name in diagnosis.systems)]
    parts = [describe(diagnosis.testset), text_table(heads, rows, 1)]
    said = "Segments with a finding. Reference: the first one as if it were a system, judged without itself."
    if len(diagnosis.systems) > 1:
        said += f"\n* p <= 0.05, ** p <= 0.01, *** p <= 0.001 against {baseline} (McNemar, exact; Holm)."
    parts.append(said)
    if among is not None:
        counts = diagnosis.among(among)
        rows = [[kind, *(str(counts[name][kind]) for name in diagnosis.systems)] for kind in diagnosis.detectors]
        title = f"Hits among {counted(len(set(among)), 'segment')}:"
        parts.append(f"{title}\n\n{text_table(['detector', *diagnosis.systems], rows, 1)}")
    if diagnosis.findings:
        parts.append("\n".join(line(finding) for finding in diagnosis))
    return "\n\n".join(parts)


def rate(tally: Tally | None) -> str:
    """Segments hit, and their share in percent."""
    if tally is None or not tally.judged:
        return ABSENT
    return f"{tally.hits} ({number(100 * tally.rate, 1)} %)"


def aligned_stars(p: float) -> str:
    """The marks of a small p; as wide with fewer stars, so that numbers stand below each other."""
    return stars(p).ljust(3)


def line(finding: Finding) -> str:
    """A finding for people."""
    return (
        f"{finding.segment} {finding.system} {finding.kind} {number(finding.severity, 2)}: {visible(finding.evidence)}"
    )


def tsv_table(diagnosis: Diagnosis) -> str:
    """One line for each finding; a place that does not exist is empty."""
    rows = [["" if value is None else str(value).translate(ESCAPED) for value in finding_values(f)] for f in diagnosis]
    return "\n".join("\t".join(row) for row in [list(FINDING), *rows])


def json_object(diagnosis: Diagnosis, among: list[int] | None) -> str:
    """One object: counts by detector, tests of all pairs of systems, findings."""
    return json.dumps(diagnosis_object(diagnosis, among), ensure_ascii=False, indent=1)
