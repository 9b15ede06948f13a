"""One score, step by step: of a sentence that somebody types, against references that somebody types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tertium.analysis.explanation import explain
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.marks import Marks
from tertium.core.metric import Metric, is_counted
from tertium.core.run import PLAIN, Run
from tertium.core.steps import Step
from tertium.core.table import Table, numbers, texts
from tertium.core.testset import References, TestSet
from tertium.engines import door
from tertium.engines.signature import signature
from tertium.metrics import parse

LONGEST = 5000  # characters of a text: a page for reading, and alignments cost the product of two lengths


@dataclass(frozen=True, kw_only=True)
class Walkthrough:
    """How a metric comes to its score of one segment."""

    metric: str
    title: str
    better: str
    summary: str
    formula: tuple[str, ...]
    signature: str
    output: str
    references: tuple[str, ...]
    source: str | None
    value: float  # the segment's score
    corpus: float  # that of a corpus of this one segment
    row: dict[str, float]
    steps: tuple[Step, ...]
    marks: Marks | None


def walk_through(
    output: str,
    references: str | Sequence[str] = (),
    metric: str | Metric = "bleu",
    *,
    source: str | None = None,
    run: Run = PLAIN,
) -> Walkthrough:
    """How a metric comes to its score of one output, step by step. Every count is of the metric's own row."""
    chosen = parse(metric)
    wanted = (references,) if isinstance(references, str) else tuple(references)
    check_texts(chosen, output, wanted, source)
    streams = tuple(Lines.of([text], "references") for text in wanted)
    sources = None if source is None else Lines.of([source], "source")
    testset = TestSet(segments=1, references=References(streams, 1), sources=sources)
    outputs, prepared = Lines.of([output], "output"), door.prepare(chosen, testset, run)
    stats = door.count(chosen, outputs, prepared, run)
    row: list[float] = stats.segments()[0].tolist()
    about, single = explain(type(chosen)), getattr(chosen, "segment_score", chosen.score)
    found = door.steps(chosen, outputs, prepared, run) or _plain_steps(row, list(map(str, stats.columns)))
    marks = next(iter(door.marks(chosen, outputs, prepared, run))) if door.gives_marks(chosen, run) else None
    return Walkthrough(
        metric=str(chosen),
        title=chosen.title,
        better=chosen.better,
        summary=about.summary,
        formula=about.formula,
        signature=signature(chosen, testset, run),
        output=output,
        references=wanted,
        source=source,
        value=float(single(row)),
        corpus=float(chosen.score(row)),
        row={name: value for name, value in zip(map(str, stats.columns), row, strict=True) if value or len(row) < 99},
        steps=tuple(found),
        marks=marks,
    )


def check_texts(metric: Metric, output: str, references: Sequence[str], source: str | None) -> None:
    """Refuse what cannot be explained: nothing to compare with, more than a reader can follow."""
    if not is_counted(metric):
        raise InputError(f"{metric}: its rows are given, not counted from texts, so there is nothing to explain")
    if "references" in metric.needs and not references:
        raise InputError(f"{metric} needs a reference, got none (--ref TEXT)")
    if "source" in metric.needs and source is None:
        raise InputError(f"{metric} needs the source, got none (--src TEXT)")
    for name, text in [("output", output), *(("reference", text) for text in references), ("source", source or "")]:
        if len(text) > LONGEST:
            raise InputError(
                f"{name}: {len(text)} characters, and an explanation is of one sentence, of {LONGEST} characters at "
                f"most; score longer texts with tertium score"
            )
        if "\n" in text:
            raise InputError(f"{name}: more than one line, and an explanation is of one segment; give them one by one")


def _plain_steps(row: list[float], columns: list[str]) -> list[Step]:
    """Of a metric that has no steps of its own: its row, and the parts of the score."""
    table = Table(
        title="Statistics of the segment",
        columns=[*texts("column"), *numbers("value", decimals=4)],
        rows=[[name, value] for name, value in zip(columns, row, strict=True)],
        shown=60,
    )
    return [
        Step("Row", ("The metric turns the segment into these numbers; the score is its formula of them.",), (table,))
    ]
