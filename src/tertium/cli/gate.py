"""`tertium gate`: rules in a file, an exit status, and what a pull request is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import click

from tertium.cli.inputs import Inputs, Read, output_options
from tertium.cli.options import threads_option, trust_option
from tertium.cli.output import FAILED, stop_at, write, write_notes
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.system import System
from tertium.core.table import Table
from tertium.core.wording import describe
from tertium.io import tables as printers
from tertium.metrics import parse
from tertium.report.gate import GateOutcome, judge
from tertium.report.gate_pages import comment, junit
from tertium.report.gate_rules import Gate, read_gate
from tertium.report.tables.gate import check_table


@click.command("gate")
@click.argument("file", metavar="GATE")
@output_options
@click.option("--comment", "comment_file", type=RESULT, metavar="FILE", help="Write Markdown for a pull request.")
@click.option("--junit", "junit_file", type=RESULT, metavar="FILE", help="Write the checks as JUnit's XML.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text",
              show_default=True, help="How the outcome is printed.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
@threads_option
@trust_option
def gate_command(
    file: str,
    inputs: Inputs,
    comment_file: str | None,
    junit_file: str | None,
    form: str,
    output: str | None,
    threads: int | None,
    trust_join: bool,
) -> None:
    """Let a system through, or not, by rules in a file.

    GATE is a TOML file that names test set, system and baseline, and says of each metric what is too low, too much of
    a loss, or that a significant loss is too much. The exit status is 0 where every check passes, and 1 else.
    """
    gate = read_gate(file)
    given = replace(inputs, testset=str(gate.testset)).read(named_ones)
    with working(threads, size=size_of(given, [parse(text) for text in gate.metrics]), cache=inputs.cache) as run:
        judged = judge(gate, given, run, trust_join=trust_join)
    name = given.testset.name
    for path, text in ((comment_file, comment), (junit_file, junit)):
        if path is not None:
            write(text(judged, name), path)
    if form == "json":
        write(json.dumps(found(gate, judged), ensure_ascii=False, indent=1), output)
    elif form == "markdown":
        write(comment(judged, name), output)
    else:
        write(text_of(judged, room(output)), output)
        write_notes(judged.evaluation.warnings)
    if not judged.passed:
        stop_at([judged.sentence] if output else [])
        sys.exit(FAILED)  # the screen has said why


def named_ones(systems: Sequence[System], read: Read) -> Sequence[System]:  # noqa: ARG001
    """Nothing is read from standard input: a gate names its systems."""
    return systems


def text_of(judged: GateOutcome, wide: int | None) -> str:
    """For people at a terminal: verdict first."""
    shown = partial(printers.text, room=wide, whole="-f json")
    tables: list[Table] = [check_table(judged.checks), judged.scores]
    if judged.regressions is not None:
        tables.append(judged.regressions)
    said = [describe(judged.evaluation.testset), " ".join([judged.sentence, judged.more]).strip()]
    return "\n\n".join([*(printers.wrapped(line, wide) for line in said), shown(tables)])


def found(gate: Gate, judged: GateOutcome) -> dict[str, object]:
    """For programs."""
    return {
        "passed": judged.passed,
        "system": judged.system,
        "baseline": judged.baseline,
        "verdict": judged.sentence,
        "difference": judged.more or None,
        "checks": [check._asdict() for check in judged.checks],
        "scores": printers.objects(judged.scores),
        "regressions": None if judged.regressions is None else printers.objects(judged.regressions),
        "seed": gate.seed,
        "warnings": list(judged.evaluation.warnings),
    }
