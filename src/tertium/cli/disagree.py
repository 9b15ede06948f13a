"""`tertium disagree`: the segments on which metrics judge two systems differently."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from tertium.analysis.diagnose import Diagnosis
from tertium.analysis.diagnose import diagnose as find_errors
from tertium.analysis.favouritism import ORDERS, Disagreement, rank_segments
from tertium.cli.inputs import Inputs, Read, check_standard_input, system_options
from tertium.cli.options import threads_option, trust_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.system import System
from tertium.core.table import Rows, Table, numbers
from tertium.core.wording import counted, describe, visible
from tertium.engines.evaluate import add_metrics
from tertium.io.tables import tsv, wrapped
from tertium.io.texts import split_spec
from tertium.metrics import parse_list
from tertium.report.json_values import disagreements_object

SHOWN = 10  # segments as text, unless another number is asked for


@click.command()
@click.argument("arguments", nargs=-1, metavar="[TESTSET] [A B]")
@system_options
@click.option("-m", "--metrics", multiple=True, metavar="METRIC",
              help="Two metrics; repeat or use commas. [default: bleu,macrof]")  # fmt: skip
@click.option("--by", type=click.Choice(list(ORDERS)), default="opposite", show_default=True,
              help="Which segments come first.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), metavar="N", help=f"The first N. [default: {SHOWN} as text, else all]")
@click.option("--diagnose", is_flag=True, help="Say which errors a program can see in these segments.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "tsv", "json", "xlsx"]), default="text",
              show_default=True, help="How the list is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals as text.")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the list to a file instead of the screen.")
@trust_option
def disagree(
    arguments: tuple[str, ...],
    inputs: Inputs,
    metrics: tuple[str, ...],
    by: str,
    top: int | None,
    diagnose: bool,
    form: str,
    width: int,
    threads: int | None,
    output: str | None,
    trust_join: bool,
) -> None:
    """Show where metrics favour different systems.

    A and B are systems of TESTSET or of --hyp, or files with their outputs; they may be left out where there are two.
    With --ref there is no TESTSET: tertium disagree --metrics bleu,macrof1 --ref ref.en a.en b.en
    """
    form = form_of(form, output)
    given = read_pair(arguments, inputs)
    chosen = parse_list(metrics or ("bleu,macrof",))
    with working(threads, size=size_of(given, chosen), cache=inputs.cache) as run:
        evaluation = add_metrics(given, *chosen, run=run, trust_join=trust_join)
    first, second = (system.name for system in evaluation.systems)
    found = rank_segments(evaluation, first, second, by=by)
    shown = found.items(top if top is not None or form != "text" else SHOWN)
    errors = find_errors(evaluation, segments=[item.index + 1 for item in shown]) if diagnose else None
    text: str | Sheets
    if form == "tsv":
        text = tsv(segment_rows(evaluation, shown, errors))
    elif form == "xlsx":
        rows = replace(segment_rows(evaluation, shown, errors), title=f"Segments of {first} and {second}")
        text = Sheets([rows], [describe(evaluation.testset)])
    elif form == "json":
        values = disagreements_object(evaluation, (first, second), shown, by, len(found), errors)
        text = json.dumps(values, ensure_ascii=False, indent=1)
    else:
        text = text_list(evaluation, shown, by, len(found), width, errors, room(output))
    write(text, output)
    write_notes((*evaluation.warnings, *(errors.notes if errors is not None else ())))


def read_pair(arguments: Sequence[str], inputs: Inputs) -> Evaluation:
    """The test set and the two systems that the command line names."""
    if inputs.refs or inputs.src:
        testset, names = None, arguments
    elif not arguments:
        raise OptionError("nothing to compare with: pass a testset.toml, or --ref FILE (see tertium disagree --help)")
    else:
        testset, names = arguments[0], arguments[1:]
    if testset is not None and inputs.doc:
        raise OptionError(f"{testset} already names its documents; --doc goes without it")
    check_standard_input((inputs.src, inputs.doc, *inputs.refs, *inputs.hyps, *names))
    return replace(inputs, testset=testset).read(partial(choose_pair, names))


def choose_pair(names: Sequence[str], systems: Sequence[System], read: Read) -> Sequence[System]:
    """The two systems that are named, each a known one or a file; or the only two that are known."""
    known = {system.name: system for system in systems}
    files = [name for name in names if name not in known]
    for name in files:
        if known and "=" not in name and not Path(split_spec(name)[0]).exists():
            raise OptionError(f"{name} is neither a file nor a system; systems: {', '.join(known)}")
    added = dict(zip(files, read(files), strict=True))
    if names:
        systems = [(known | added)[name] for name in names]
    if len(systems) == 2 and systems[0] is systems[1]:
        raise OptionError(f"system {names[0]} is compared with itself; name two systems")
    if len(systems) != 2:
        there = f" among {', '.join(known)}" if known else ""
        raise OptionError(f"{counted(len(systems), 'system')}: name two of them{there}, or two files with outputs")
    return systems


def text_list(
    evaluation: Evaluation,
    shown: Sequence[Disagreement],
    by: str,
    count: int,
    width: int,
    errors: Diagnosis | None = None,
    room: int | None = None,
) -> str:
    """A paragraph for every segment: numbers, then texts."""
    first, second = (system.name for system in evaluation.systems)
    metrics = [str(metric) for metric in evaluation.metrics]
    said = {
        "opposite": f"{counted(count, 'segment')} on which {' and '.join(metrics)} favour different systems",
        "rank": f"{counted(count, 'segment')} by how far apart {' and '.join(metrics)} rank them",
        "size": f"{counted(count, 'segment')} by how much {metrics[0]} favours one of the systems",
    }[by]
    labels = [*metrics, "source", "reference", first, second, *(["found"] if errors is not None else [])]
    wide = max(len(visible(label)) for label in labels)

    def line(label: str, text: str) -> str:
        return f"   {visible(label).ljust(wide)}  {text}"

    paragraphs = []
    for place, item in enumerate(shown, 1):
        where = "" if item.document is None else f" ({visible(item.document)})"
        lines = [f"{place}. segment {visible(item.segment)}{where}"]
        for metric in metrics:
            value = item.favouritism[metric]
            side = f"for {visible(first if value > 0 else second)}" if value else "for neither"
            figures = f"{value:+.{width}f}  z {item.standardised[metric]:+.2f}  rank {item.ranks[metric]}"
            lines.append(line(metric, f"{figures}  {side}"))
        texts = [("source", item.source), *(("reference", text) for text in item.references), *item.outputs.items()]
        lines += [line(label, visible(text)) for label, text in texts if text is not None]
        lines += [line("found", f"{finding}: {visible(text)}") for finding, text in seen(errors, item)]
        paragraphs.append("\n".join(lines))
    heads = f"{describe(evaluation.testset)}\n{visible(first)} against {visible(second)}: {said}"
    if errors is not None:
        heads += "".join(f"\n{sentence}" for sentence in summary(errors, len(shown)))
    return "\n\n".join(
        [heads if room is None else wrapped(heads, room), *paragraphs, "\n".join(evaluation.signatures.values())]
    )


def summary(errors: Diagnosis, shown: int) -> list[str]:
    """How many of the segments have an error of each kind, the most frequent first."""
    found = {kind: len({finding.segment for finding in errors if finding.kind == kind}) for kind in errors.detectors}
    hits = errors.among({finding.segment for finding in errors})
    return [
        f"{count} of {counted(shown, 'segment')} shown: {kind} ({shares})"
        for kind, count in sorted(found.items(), key=lambda item: -item[1])
        if count
        for shares in [", ".join(f"{visible(system)} {hits[system][kind]}" for system in errors.systems)]
    ] or [f"No detector finds an error in {counted(shown, 'segment')} shown"]


def seen(errors: Diagnosis | None, item: Disagreement) -> list[tuple[str, str]]:
    """What was found in a segment: system and kind, and the evidence."""
    return [
        (f"{visible(finding.system)} {finding.kind}", finding.evidence)
        for finding in (errors if errors is not None else ())
        if finding.segment == item.index + 1
    ]


def segment_rows(evaluation: Evaluation, shown: Sequence[Disagreement], errors: Diagnosis | None = None) -> Table:
    """A row for every segment, for programs."""
    metrics = [str(metric) for metric in evaluation.metrics]
    names = [system.name for system in evaluation.systems]
    heads = ["segment", "document", "size", *(f"{what}:{m}" for m in metrics for what in ("favouritism", "z", "rank")),
             "source", "reference", *(f"output:{name}" for name in names),
             *(["found"] if errors is not None else [])]  # fmt: skip
    rows: Rows = []
    for item in shown:
        values = [value for m in metrics for value in (item.favouritism[m], item.standardised[m], item.ranks[m])]
        texts = [item.source, " ||| ".join(item.references), *(item.outputs[name] for name in names)]
        found = [" ||| ".join(": ".join(pair) for pair in seen(errors, item))] if errors is not None else []
        rows.append([item.segment, item.document, item.size, *values, *texts, *found])
    return Table(columns=numbers(*heads), rows=rows)
