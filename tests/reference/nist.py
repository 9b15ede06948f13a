"""NIST (Doddington 2002): information from all references, clipped matches, a penalty for short outputs."""

import math
from collections import Counter
from functools import reduce

from . import ngrams

Words = list[str]
Segment = tuple[Words, list[Words]]  # output, references


def counts(segments: list[Segment], order: int) -> Counter[tuple[str, ...]]:
    """How often all references together have every n-gram; the empty n-gram as often as there are words."""
    found: Counter[tuple[str, ...]] = Counter()
    for _, references in segments:
        for reference in references:
            found[()] += len(reference)
            for n in range(1, order + 1):
                found.update(ngrams.count(reference, n))
    return found


def information(ngram: tuple[str, ...], known: Counter[tuple[str, ...]], *, mteval: bool = False) -> float:
    """log2(count(history) / count(n-gram)); to mteval a history "0" is no history."""
    history = ngram[:-1]
    return math.log2(known[() if mteval and history == ("0",) else history] / known[ngram])


def rows(segments: list[Segment], order: int, *, mteval: bool = False) -> list[list[float]]:
    """By order: information of the matches; n-grams of the output; then output length, average reference length."""
    known = counts(segments, order)
    found = []
    for output, references in segments:
        if not references:
            found.append([0.0] * (2 * order + 2))
            continue
        sums = []
        for n in range(1, order + 1):
            allowed = reduce(lambda a, b: a | b, (ngrams.count(reference, n) for reference in references))
            matched = ngrams.count(output, n) & allowed
            sums.append(math.fsum(k * information(ngram, known, mteval=mteval) for ngram, k in matched.items()))
        totals = [max(0, len(output) - n) for n in range(order)]
        found.append([*sums, *totals, len(output), sum(map(len, references)) / len(references)])
    return found


def score(sums: list[float]) -> float:
    """The sum over orders times the penalty."""
    order = len(sums) // 2 - 1
    value = sum(sums[n] / sums[order + n] for n in range(order) if sums[order + n] > 0)
    output, reference = sums[-2:]
    if output == 0:
        return 0.0
    if output >= reference:
        return value
    return value * math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(output / reference) ** 2)
