"""Steps of precision, recall, F1, PER, MacroF and MicroF: words that both sides have, whatever their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.run import Run
from tertium.core.steps import Step
from tertium.core.table import Row, Table, numbers, texts
from tertium.metrics._steps.words import (
    SHOWN,
    chosen_reference,
    chosen_sentence,
    listed_ngrams,
    marks_of,
    ngram_table,
    reading_step,
    row_of,
    share,
    shown,
)

if TYPE_CHECKING:
    from tertium.metrics._overlap import WordOverlap
    from tertium.metrics.per import Per


def overlap_steps(metric: WordOverlap, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Words that count, word by word; then the shares."""
    from tertium.metrics._overlap import Overlap

    row = row_of(metric, outputs, prepared, run)
    counts, marks = Overlap.of(row), marks_of(metric, outputs, prepared, run)
    streams = prepared.streams if metric.name == "precision" else [chosen_reference(marks, prepared)]
    words = _words(metric, outputs, streams, prepared)
    table = ngram_table(words, "Words", missing=metric.name != "precision")
    clipped = "A word counts as often as both sides have it (clipped)."
    if not metric.clip:
        table = _unclipped(words, missing=metric.name != "precision")
        clipped = "A word counts as often as it is said, if the other side has it at all (not clipped)."
    P = f"P = {share(counts.output_matches, counts.output_length, counts.p)}"
    R = f"R = {share(counts.reference_matches, counts.reference_length, counts.r)}"
    value = shown(metric.score(row))  # type: ignore[attr-defined]
    lines = {
        "precision": (P, f"precision = 100 P = {value}"),
        "recall": (R, f"recall = 100 R = {value}"),
        "f1": (P, R, f"F1 = 100 x 2 P R / (P + R) = {value}"),
    }[metric.name]
    said = () if metric.name == "precision" else chosen_sentence(marks, prepared, "it has the best F1")
    return [
        reading_step(metric._reading.outputs(outputs), prepared, metric._reading.kernel_name),
        Step("Words that count", (clipped, *said), (table,)),
        Step("Score", lines=lines),
    ]


def _words(metric: Any, outputs: Lines, streams: Any, prepared: Prepared) -> list[tuple[str, int, list[int]]]:
    reading = metric._reading
    return listed_ngrams(reading.outputs(outputs), streams, (reading.kernel_name, prepared.tokenizer), 1)[0]


def _unclipped(words: list[tuple[str, int, list[int]]], missing: bool) -> Table:
    rows: list[Row] = []
    for text, said, wanted in words:
        most = max(wanted)
        if said or missing:
            rows.append([text, said, most, said if most else 0, most if said else 0])
    heads = ("output", "reference", "counts in the output", "counts in the reference")
    return Table(title="Words", columns=[*texts("n-gram"), *numbers(*heads)], rows=rows, shown=SHOWN)


def per_steps(metric: Per, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Words in common, and what is left on the longer side."""
    row = row_of(metric, outputs, prepared, run)
    errors, matches, c, r = row
    marks = marks_of(metric, outputs, prepared, run)
    words = _words(metric, outputs, [chosen_reference(marks, prepared)], prepared)
    return [
        reading_step(metric._reading.outputs(outputs), prepared, metric._reading.kernel_name),
        Step(
            "Words in common, order ignored",
            chosen_sentence(marks, prepared, "it has the fewest errors"),
            (ngram_table(words, "Words", missing=True),),
        ),
        Step(
            "Score",
            lines=(
                f"errors = max(c, r) - matches = max({shown(c)}, {shown(r)}) - {shown(matches)} = {shown(errors)}",
                f"PER = 100 x errors / r = 100 x {shown(errors)}/{shown(r)}",
                f"    = {shown(metric.score(row))}",
            ),
        ),
    ]


def type_steps(metric: Any, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Precision, recall and F of every type, their weights, and the mean."""
    from tertium.metrics._types import TypeSums

    stats = metric.stats(outputs, prepared, run)
    sums = stats.segments()[0]
    types = TypeSums.of(sums)
    F, weights = types.f(metric.beta), metric.type_weights(sums)
    rows: list[Row] = []
    for k, text in enumerate(stats.types):
        c, r, m = (int(plane[k]) for plane in types)
        rows.append([str(text), c, r, m, m / c if c else None, m / r if r else None, float(F[k]), float(weights[k])])
    heads = ("output", "reference", "both", "P", "R", "F", "weight")
    table = Table(title="Types", columns=[*texts("type"), *numbers(*heads, decimals=4)], rows=rows, shown=SHOWN)
    above, below = float((F * weights).sum()), float(weights.sum())
    said = ["A type that only one side has counts, with F = 0."]
    if len(prepared.streams) > 1:
        said.append("Of several references, the one that has a type most often counts.")
    return [
        reading_step(metric._reading.outputs(outputs), prepared, metric._reading.kernel_name),
        Step("F of every type", tuple(said), (table,)),
        Step(
            "Score",
            (f"A {metric.title} of one segment cannot be compared with that of a test set: it has other types.",),
            lines=(
                f"{metric.title} = 100 (sum of weight x F) / (sum of weights) = 100 x {shown(above)}/{shown(below)}",
                f"    = {shown(metric.score(sums))}",
            ),
        ),
    ]
