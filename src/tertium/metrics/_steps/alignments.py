"""Steps of METEOR and of LEPOR with its relatives: who stands for whom, chunks, positions, penalties, the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.run import Run
from tertium.core.steps import Step
from tertium.core.table import Row, Table, numbers, texts
from tertium.core.wording import counted
from tertium.metrics._steps.words import (
    chosen_sentence,
    listed_ngrams,
    marks_of,
    ngram_table,
    reading_step,
    row_of,
    share,
    shown,
    word_links,
    words_step,
)

if TYPE_CHECKING:
    from tertium.metrics._lepor import Lepors
    from tertium.metrics.meteor import Alignment, Match, Meteor


def meteor_steps(metric: Meteor, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """The alignment and the one rejected, chunks, weighted precision and recall, the penalty for disorder."""
    from tertium.metrics.meteor import COLUMNS, STAGES, MeteorCounts, f_mean, penalty

    row = row_of(metric, outputs, prepared, run)
    [found] = [each for each in metric.alignments(outputs, prepared) if each is not None]
    counts, parameters = MeteorCounts.of(row), metric.parameters
    a, b, g, d = (shown(value) for value in parameters[:4])
    P, R = (side.matched_share(parameters) for side in (counts.output, counts.reference))
    F = f_mean(P, R, parameters.alpha)
    words = Table(
        title=f"{len(found.matches)} matched, {counted(_chunks(found.matches), 'chunk')}",
        columns=[
            *numbers("chunk", spare=0),
            *texts("reference", "output", "stage"),
            *numbers("place in reference", "in output"),
        ],
        rows=_aligned_rows(found),
        shown=60,
    )
    value = metric.score(row)
    stages: list[Row] = []
    for stage in STAGES:
        four = [int(row[COLUMNS.index(f"{stage}_{side}")]) for side in
                ("output_content", "output_function", "reference_content", "reference_function")]  # fmt: skip
        if any(four) or stage == "exact":
            stages.append([stage, parameters.weight(stage), *four])
    stages.append(["all words", None, int(row[0] - row[2]), int(row[2]), int(row[1] - row[3]), int(row[3])])
    heads = ("weight", "content, output", "function, output", "content, reference", "function, reference")
    mean = (float(counts.output.matches) + float(counts.reference.matches)) / 2
    whole = (
        "The whole sentence matches in one chunk, which counts as none: there is no penalty."
        if _chunks(found.matches) and not counts.chunks
        else "A chunk is a run of matches that stand in the same order on both sides."
    )
    marks = marks_of(metric, outputs, prepared, run)
    return [
        words_step([" ".join(found.output), " ".join(found.reference)])._replace(
            text=chosen_sentence(marks, prepared, "it scores best")
        ),
        Step("Alignment", ("One to one; most matches first, then fewest chunks.",), (words,)),
        *_rejected(metric, row, found),
        Step(
            "Precision and recall",
            (f"delta = {d} weighs content words, 1 - delta function words; each stage has its weight.",),
            (Table(title="Words matched", columns=[*texts("stage"), *numbers(*heads)], rows=stages),),
            (f"P = {shown(P)}, R = {shown(R)}", f"Fmean = P R / (alpha P + (1 - alpha) R), alpha = {a}: {shown(F)}"),
        ),
        Step(
            "Penalty",
            (whole,),
            lines=(
                f"frag = chunks / mean of matched words = {shown(counts.chunks)}/{shown(mean)}",
                f"Pen = gamma frag^beta = {g} frag^{b} = {shown(penalty(counts, parameters))}",
            ),
        ),
        Step(
            "Score",
            lines=(
                f"METEOR = 100 Fmean (1 - Pen) = 100 x {shown(F)} x (1 - {shown(penalty(counts, parameters))})",
                f"       = {shown(value)}",
            ),
        ),
    ]


def _chunks(matches: list[Match]) -> int:
    """Runs of matches in the same order on both sides."""
    count, before = 0, None
    for match in sorted(matches, key=lambda each: each.reference):
        count += before is None or (match.output[0], match.reference[0]) != before
        before = match.output[1], match.reference[1]
    return count


def _aligned_rows(found: Alignment) -> list[Row]:
    rows: list[Row] = []
    chunk, before = 0, None
    for stage, own, other in sorted(found.matches, key=lambda each: each.reference):
        chunk += before is None or (own[0], other[0]) != before
        before = own[1], other[1]
        rows.append(
            [
                chunk,
                " ".join(found.reference[slice(*other)]),
                " ".join(found.output[slice(*own)]),
                stage,
                other[0] + 1,
                own[0] + 1,
            ]
        )
    return rows


def _rejected(metric: Meteor, row: list[float], found: Alignment) -> list[Step]:
    """What would have come out with two equal words the other way round."""
    from tertium.metrics.meteor import COLUMNS

    if not found.rejected:
        return []
    away = {match.output for match in found.rejected}
    matches = [match for match in found.matches if match.output not in away] + list(found.rejected)
    chunks, place = _chunks(matches), COLUMNS.index("chunks")
    other = [*row[:place], float(chunks), *row[place + 1 :]]
    one, two = (
        f"{' '.join(found.output[slice(*m.output)])!r} {m.output[0] + 1} with {m.reference[0] + 1}"
        for m in found.rejected
    )
    said = (
        f"With the same words matched otherwise (output word {one}, {two}) there are more crossings and "
        f"{counted(chunks, 'chunk')}; the score would be {shown(metric.score(other))}."
    )
    return [Step("An alignment that is rejected", (said,))]


def lepor_steps(metric: Lepors, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Length penalty, positions of the aligned words, precision and recall, the score."""
    row = row_of(metric, outputs, prepared, run)
    names = metric._columns()
    value = dict(zip(names, row, strict=True))
    marks = marks_of(metric, outputs, prepared, run)
    reading = metric._reading
    lines = reading.outputs(outputs)
    reference = prepared.streams[marks.reference or 0]
    found = listed_ngrams(lines, [reference], (reading.kernel_name, prepared.tokenizer), metric._order)
    c, r = sum(said for _, said, _ in found[0]), sum(wanted[0] for *_, wanted in found[0])
    LP, penal = value["length_penalty"], value["position_penalty"]
    steps = [reading_step(lines, prepared, reading.kernel_name)]
    said = chosen_sentence(marks, prepared, "it scores best")
    steps[0] = steps[0]._replace(text=(*steps[0].text, *said))
    longer, shorter = max(c, r), min(c, r)
    inner = f"exp(1 - {longer}/{shorter}) = " if shorter else ""
    steps.append(Step("Length penalty", lines=(f"c = {c}, r = {r}: LP = {inner}{shown(LP)}",)))
    if metric._perl:
        steps.append(Step("Positions", ("The authors' program has no alignment that could be shown.",),
                          lines=(f"NPosPenal = {shown(penal)}",)))  # fmt: skip
    else:
        words, _, links = word_links(marks)
        steps.append(_positions(words, links, (c, r), penal))
    several = metric._order > 1
    shares = []
    for n, ngrams in enumerate(found, 1):
        end = f"_{n}" if several else ""
        m = sum(min(said, wanted[0]) for _, said, wanted in ngrams)
        if metric._perl:  # which counts words in common in a way of its own
            m = round(value["precision"] * c)
        P, R, H = (value[f"{what}{end}"] for what in ("precision", "recall", "harmonic_mean"))
        shares.append(
            f"P{end} = {share(m, max(0, c - n + 1), P)}, R{end} = {share(m, max(0, r - n + 1), R)}, "
            f"H{end} = ({shown(metric.alpha)} + {shown(metric.beta)}) / ({shown(metric.alpha)}/R{end} + "
            f"{shown(metric.beta)}/P{end}) = {shown(H)}"
        )
    tables = tuple(
        ngram_table(each, f"{n}-grams" if several else "Words", missing=True) for n, each in enumerate(found, 1)
    )
    steps.append(Step("Precision and recall", (), tables, tuple(shares)))
    formula = {
        "lepor": "LEPOR = 100 LP x NPosPenal x H",
        "hlepor": "hLEPOR = 100 (w1 + w2 + w3) / (w1/LP + w2/NPosPenal + w3/H)",
        "nlepor": "nLEPOR = 100 LP x NPosPenal x exp(sum over n of ln(H_n) / N)",
    }[metric.name]
    if metric.name == "hlepor":
        formula += f", w = {', '.join(shown(w) for w in metric.weights)}"  # type: ignore[attr-defined]
    steps.append(Step("Score", lines=(formula, f"    = {shown(metric.score(row))}")))  # type: ignore[attr-defined]
    return steps


def _positions(words: list[str], links: list[tuple[str, int, int]], lengths: tuple[int, int], penal: float) -> Step:
    c, r = lengths
    rows: list[Row] = []
    total = 0.0
    for _, i, j in sorted(links, key=lambda link: link[1]):
        moved = abs((i + 1) / c - (j + 1) / r)
        total += moved
        rows.append([words[i], i + 1, j + 1, (i + 1) / c, (j + 1) / r, moved])
    heads = ("j, output", "i, reference", "j/c", "i/r", "|j/c - i/r|")
    table = Table(
        title="Places of aligned words", columns=[*texts("word"), *numbers(*heads, decimals=4)], rows=rows, shown=60
    )
    if not rows:
        return Step("Positions", ("No word is aligned.",), lines=(f"NPosPenal = {shown(penal)}",))
    return Step(
        "Positions",
        (
            "Each word of the output is aligned with the nearest free one of the reference, first of all one that "
            "shares a neighbour.",
        ),
        (table,),
        (f"NPD = (1/c) x sum = {shown(total)}/{c} = {shown(total / c)}", f"NPosPenal = exp(-NPD) = {shown(penal)}"),
    )
