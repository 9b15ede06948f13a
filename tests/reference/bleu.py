"""BLEU (Papineni et al. 2002) from summed rows, smoothed (Chen and Cherry 2014) as in sacreBLEU."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from . import ngrams

_DEFAULT_VALUE = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


class Row(NamedTuple):
    """What a segment, or a sum of segments, contributes."""

    matches: list[int]
    totals: list[int]
    output_length: int
    reference_length: int


def row(output: list[str], references: list[list[str]], order: int = 4) -> Row:
    """The statistics of one tokenised segment."""
    matches, totals = ngrams.clipped(output, references, order)
    return Row(matches, totals, len(output), ngrams.closest_length(output, references))


def pool(rows: Iterable[Row]) -> Row:
    """Counts are summed over segments before anything is divided."""
    matches, totals, outputs, references = zip(*rows, strict=True)
    return Row(_add(matches), _add(totals), sum(outputs), sum(references))


def _add(counts: tuple[list[int], ...]) -> list[int]:
    return [sum(column) for column in zip(*counts, strict=True)]


def brevity(output_length: int, reference_length: int) -> float:
    """1 if the output is not shorter, else exp(1 - r/c)."""
    if output_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / output_length) if output_length else 0.0


def precisions(sums: Row, smooth: str = "exp", smooth_value: float | None = None) -> list[float]:
    """Smoothed precisions of the orders up to the first one for which the output has no n-gram.

    floor: no match counts as a small one. add-k: k more matches and n-grams for n > 1. exp: the i-th order
    without a match counts 1 / 2^i (the rule of mteval-v13a).
    """
    value = _DEFAULT_VALUE[smooth] if smooth_value is None else smooth_value
    result: list[float] = []
    unmatched = 0
    for n, (matches, total) in enumerate(zip(sums.matches, sums.totals, strict=True), start=1):
        added = value if smooth == "add-k" and n > 1 else 0.0
        hits = matches + added
        if total + added == 0:
            break
        if hits == 0 and smooth == "floor":
            hits = value
        elif hits == 0 and smooth == "exp":
            unmatched += 1
            hits = 0.5**unmatched
        result.append(hits / (total + added))
    return result


def score(sums: Row, smooth: str = "exp", smooth_value: float | None = None, effective_order: bool = False) -> float:
    """Brevity penalty times the geometric mean of the precisions, on 0-100.

    Without a single match the score is 0 whatever the smoothing. An order without n-grams makes it 0 too,
    unless `effective_order` leaves such orders out.
    """
    if not any(sums.matches):
        return 0.0
    terms = precisions(sums, smooth, smooth_value)
    if min(terms) == 0 or (len(terms) < len(sums.totals) and not effective_order):
        return 0.0
    mean = math.exp(sum(math.log(term) for term in terms) / len(terms))
    return 100 * brevity(sums.output_length, sums.reference_length) * mean


def corpus(
    outputs: list[list[str]],
    references: list[list[list[str]]],
    order: int = 4,
    smooth: str = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
) -> float:
    """BLEU of tokenised segments; `references[i]` are the references of segment i."""
    rows = (row(output, refs, order) for output, refs in zip(outputs, references, strict=True))
    return score(pool(rows), smooth, smooth_value, effective_order)


def sentence(
    output: list[str],
    references: list[list[str]],
    order: int = 4,
    smooth: str = "exp",
    smooth_value: float | None = None,
    effective_order: bool = True,
) -> float:
    """BLEU of one segment, by convention with the effective order."""
    return corpus([output], [references], order, smooth, smooth_value, effective_order)
