"""Steps of BLEU, NIST and chrF: n-grams that count, precision by length, the penalty, the score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.run import Run
from tertium.core.steps import Step
from tertium.core.table import Row, Table, numbers, texts
from tertium.core.wording import counted
from tertium.metrics._steps.words import (
    chosen_reference,
    chosen_sentence,
    listed_ngrams,
    marks_of,
    ngram_table,
    reading_step,
    row_of,
    share,
    shown,
    words_step,
)
from tertium.text.normalise import normalise

if TYPE_CHECKING:
    from tertium.metrics.bleu import Bleu
    from tertium.metrics.chrf import Chrf
    from tertium.metrics.nist import Nist


def bleu_steps(metric: Bleu, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Clipped counts against totals, precisions, the brevity penalty, the geometric mean."""
    from tertium.metrics.bleu import BleuCounts, brevity_penalty

    row = row_of(metric, outputs, prepared, run)
    every, parts = BleuCounts.of(row), metric.parts(row)
    counts = every._replace(matches=every.matches[: metric.order], totals=every.totals[: metric.order])
    reading = metric._reading
    lines = reading.outputs(outputs)
    found = listed_ngrams(lines, prepared.streams, (reading.kernel_name, prepared.tokenizer), metric.order)
    tables = [
        ngram_table(ngrams, f"{n}-grams: {share(m, t, p)}")
        for n, (ngrams, m, t, p) in enumerate(zip(found, counts.matches, counts.totals, counts.p, strict=True), 1)
        if float(t) > 0
    ]
    by_order: list[Row] = [
        [n, int(m), int(t), float(p), s / 100]
        for n, (m, t, p, s) in enumerate(
            zip(counts.matches, counts.totals, counts.p, parts["precisions"], strict=True), 1
        )
    ]
    smoothed = any(p != s for *_, p, s in by_order)
    heads = ("n", "matches", "n-grams", "p_n", "smoothed")
    precision = Table(title="Precisions", columns=numbers(*heads, decimals=4), rows=by_order)
    BP = brevity_penalty(counts.c, counts.r)
    penalty = f"c = {shown(counts.c)} >= r = {shown(counts.r)}: BP = 1"
    if counts.c < counts.r:
        inner = f"1 - {shown(counts.r)}/{shown(counts.c)}" if counts.c else "minus infinity"
        penalty = f"c = {shown(counts.c)} < r = {shown(counts.r)}: BP = exp({inner}) = {shown(BP)}"
    value = metric.segment_score(row)
    lengths = len(prepared.streams)
    return [
        reading_step(lines, prepared, reading.kernel_name),
        Step(
            "N-grams that count",
            (
                "Each n-gram of the output counts as often as the output has it, but at most as often as the reference "
                "that has it most (clipping).",
            ),
            tuple(tables),
        ),
        Step(
            "Precision of each length",
            (f"Lengths without a match are smoothed ({metric.smooth}).",) if smoothed else (),
            (precision,),
        ),
        Step(
            "Brevity penalty",
            (f"r is the length of one reference of {lengths} ({metric.brevity}).",) if lengths > 1 else (),
            lines=(penalty,),
        ),
        Step("Score", *_geometric(metric, by_order, float(BP), float(value), bool(counts.matched))),
    ]


def _geometric(
    metric: Bleu, by_order: list[Row], BP: float, value: float, matched: bool
) -> tuple[tuple[str, ...], tuple[Table, ...], tuple[str, ...]]:
    added = metric.smooth == "add-k" and (metric.smooth_value is None or metric.smooth_value > 0)  # to totals, too
    whole = metric.compat == "nltk" and not metric.effective_order
    used = [row for row in by_order if row[2] or whole or (added and row[0] != 1)]
    said = []
    if len(used) < len(by_order):
        said.append(
            f"The output is too short for n-grams of {len(used) + 1} words and more: in a segment's score they have no "
            "weight (effective order)."
        )
    if not matched:
        return (*said, "No word matches, so BLEU is 0."), (), (f"BLEU = {shown(value)}",)
    weights = metric.weights or (1.0,) * metric.order
    terms = " + ".join(
        f"{'' if w == 1 else shown(w) + ' '}ln {shown(row[4])}" for w, row in zip(weights, used, strict=False)
    )
    sum_of = "/" + shown(sum(weights[: len(used)]))
    formula = (
        f"BLEU = 100 BP exp((sum over n of w_n ln p_n){sum_of})",
        f"     = 100 x {shown(BP)} x exp(({terms}){sum_of})",
        f"     = {shown(value)}",
    )
    return tuple(said), (), formula


def nist_steps(metric: Nist, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Information of the n-grams that count, by length; the length penalty."""
    from tertium.metrics.nist import NistCounts, length_penalty

    row = row_of(metric, outputs, prepared, run)
    counts = NistCounts.of(row)
    lines, tokenizer = metric._read(outputs)
    found = listed_ngrams(lines, prepared.streams, (tokenizer, prepared.tokenizer), metric.order)
    tables = []
    for n, (ngrams, I_n, totals, value) in enumerate(
        zip(found, counts.information, counts.totals, counts.by_order, strict=True), 1
    ):
        if float(totals) > 0:
            table = ngram_table(ngrams, f"{n}-grams: {share(I_n, totals, value)}", extra=("info", "counts x info"))
            infos = _information(metric, [str(each[0]) for each in table.rows], n, prepared, run)
            rows = [[*each, info, float(each[-1]) * info] for each, info in zip(table.rows, infos, strict=True)]  # type: ignore[arg-type]
            tables.append(replace(table, rows=rows))
    penalty = length_penalty(counts.c, counts.r)
    terms = " + ".join(shown(value) for value in counts.by_order)
    return [
        reading_step(lines, prepared, tokenizer),
        Step(
            "Information of the n-grams that count",
            (
                "info = log2(count of the first n-1 words / count of the n-gram) in all references of the test set, "
                "which here are those of this one segment; of a single word, all words / its count.",
            ),
            tuple(tables),
        ),
        Step(
            "Length penalty",
            lines=(
                f"c = {shown(counts.c)}, r = {shown(counts.r)} (mean of the references): "
                f"exp(b ln^2 min(1, c/r)) = {shown(penalty)}",
            ),
        ),
        Step("Score", lines=(f"NIST = ({terms}) x {shown(penalty)}", f"     = {shown(metric.score(row))}")),
    ]


def _information(metric: Nist, ngrams: list[str], n: int, prepared: Prepared, run: Run) -> list[float]:
    """What the metric's own rows say of each n-gram as an output of its own."""
    import numpy as np

    alone = replace(metric, tokenize="none", lowercase=False, unicode="none")
    several = prepared.take(np.zeros(len(ngrams), dtype=np.int64))
    found: list[float] = alone.stats(Lines.of(ngrams), several, run).segments()[:, n - 1].tolist()
    return found


def chrf_steps(metric: Chrf, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """N-grams of characters (and words) on both sides, precision and recall by length, their means, F."""
    from tertium.metrics.chrf import orders_of

    row = row_of(metric, outputs, prepared, run)
    marks = marks_of(metric, outputs, prepared, run)
    lines, reference = normalise(outputs, metric.unicode), chosen_reference(marks, prepared)
    word = f"chrf-words{'+lower' if metric.lowercase else ''}"
    flags = metric.lowercase, metric.whitespace
    found = _kernel.list_characters(lines.view, reference.view, metric.chars, *flags)[0] or []
    found = [*found, *listed_ngrams(lines, [reference], (word, word), metric.words)[: metric.words]]
    names = [
        *(counted(n, "character") for n in range(1, metric.chars + 1)),
        *(counted(n, "word") for n in range(1, metric.words + 1)),
    ]
    tables, by_order = [], []
    for name, ngrams, said, wanted, both, order in zip(
        names, found, row[0::3], row[1::3], row[2::3], orders_of(row), strict=True
    ):
        used = bool(order.defined)
        by_order.append(
            [
                name,
                int(said),
                int(wanted),
                int(both),
                float(order.p) if used else None,
                float(order.r) if used else None,
            ]
        )
        if used:
            title = f"{name}: {shown(both)} of {shown(said)} in the output, of {shown(wanted)} in the reference"
            tables.append(replace(ngram_table(ngrams, title, missing=True), shown=12))
    heads = ("output", "reference", "both", "precision", "recall")
    table = Table(title="By length", columns=[*texts("n-grams of"), *numbers(*heads, decimals=4)], rows=by_order)
    beta, value = shown(metric.beta), metric.score(row)
    defined = [each for each in by_order if each[4] is not None]
    P, R = (sum(float(each[k] or 0) for each in defined) / max(1, len(defined)) for k in (4, 5))
    final = (f"P = mean of precision = {shown(P)}, R = mean of recall = {shown(R)}",
             f"chrF = 100 (1 + {beta}^2) P R / ({beta}^2 P + R)", f"     = {shown(value)}")  # fmt: skip
    if metric.eps:
        final = ("chrF = mean over all lengths of F, 1e-16 where one is undefined", "", f"     = {shown(value)}")
    read = [str(lines[0]), str(reference[0])]
    return [
        words_step(read)._replace(title="Texts", text=chosen_sentence(marks, prepared, "it scores best")),
        Step("N-grams on both sides", ("An n-gram counts as often as both sides have it.",), tuple(tables)),
        Step("Precision and recall of each length", (), (table,)),
        Step("Score", lines=tuple(filter(None, final))),
    ]
