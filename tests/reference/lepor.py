"""LEPOR's counts and formulas (Han et al. 2012, 2013), step by step; and what the authors' Perl programs do instead."""

import math
from collections import Counter

from . import ngrams

Words = list[str]


def context(words: Words, at: int, window: int) -> set[str]:
    """The words up to `window` positions to either side, not the one in the middle."""
    return set(words[max(0, at - window) : at] + words[at + 1 : at + 1 + window])


def align(output: Words, reference: Words, window: int) -> list[int | None]:
    """For every output word its place in the reference, counted from 0."""
    free = [True] * len(reference)
    places: list[int | None] = []
    for j, word in enumerate(output):
        candidates = [i for i, other in enumerate(reference) if other == word and free[i]]
        around = context(output, j, window)
        supported = [i for i in candidates if around & context(reference, i, window)]
        place = min(supported or candidates, key=lambda i: (abs(i - j), i), default=None)
        if place is not None:
            free[place] = False
        places.append(place)
    return places


def common(output: Words, reference: Words) -> int:
    return (Counter(output) & Counter(reference)).total()


def displacement(places: list[int | None], reference_length: int) -> int:
    """Sum of |j r - pos c|, which is c r times the sum of |j/c - pos/r|: a whole number."""
    c, r = len(places), reference_length
    return sum(abs((j + 1) * r - (i + 1) * c) for j, i in enumerate(places) if i is not None)


def counts(output: Words, reference: Words, window: int = 2, order: int = 1) -> list[int]:
    """What the kernel counts: c, r, displacement, matches of n-grams."""
    matches, _ = ngrams.clipped(output, [reference], order)
    assert matches[0] == common(output, reference)
    moved = displacement(align(output, reference, window), len(reference))
    return [len(output), len(reference), moved, *matches]


# The Perl programs


def perl_common(output: Words, reference: Words) -> int:
    """A reference position is taken if a position on record begins with its digits."""
    record: list[str] = []
    for word in output:
        for k, other in enumerate(reference):
            if word == other and not any(position.startswith(str(k)) for position in record):
                record.append(str(k))
                break
    return len(record)


def perl_get(words: Words, at: int) -> str:
    """A negative index counts from the end; outside there is nothing, which equals nothing."""
    return words[at] if -len(words) <= at < len(words) else ""


def perl_supported(output: Words, reference: Words, j: int, k: int) -> bool:
    last = len(output) - 1
    if j == 0:
        here, there = [1, 2], [1, 2]
    elif j in (last, last - 1):
        here, there = [-1, -2], [-1, -2]
    else:  # among them the word itself
        here, there = [-2, -1, 0, 1], [-2, -1, 0, 1, 2]
    return any(perl_get(output, j + a) == perl_get(reference, k + b) for a in here for b in there)


def perl_align(output: Words, reference: Words) -> list[int | None]:
    places: list[int | None] = [None] * len(output)
    waiting = []
    confirmed = [False] * len(reference)
    for j, word in enumerate(output):
        for k, other in enumerate(reference):
            confirmed[k] = False  # forgets what earlier words did
            if word == other:
                if perl_supported(output, reference, j, k):
                    confirmed[k], places[j] = True, k
                    break
                if j not in waiting:
                    waiting.append(j)
        if places[j] is not None and j in waiting:
            waiting.remove(j)
    for j in waiting:
        nearest, distance = 0, 10000 + j  # where every place is confirmed, the first word
        for k, other in enumerate(reference):
            if other == output[j] and not confirmed[k] and abs(k - j) < distance:
                nearest, distance = k, abs(k - j)
        places[j] = nearest
    return places


def perl_counts(output: Words, reference: Words) -> list[int]:
    c, r, matches = len(output), len(reference), perl_common(output, reference)
    moved = 0 if c == r == matches else displacement(perl_align(output, reference), r)
    return [c, r, moved, matches]


# Formulas


def length_penalty(c: int, r: int) -> float:
    if c == 0 or r == 0:
        return 0.0
    return math.exp(1 - max(c, r) / min(c, r))


def position_penalty(c: int, r: int, moved: int) -> float:
    """exp(-NPD); without words there is nothing in its place."""
    if c == 0:
        return 0.0
    return math.exp(-(moved / (c * r)) / c) if moved else 1.0


def harmonic_mean(matches: int, c: int, r: int, alpha: float, beta: float) -> float:
    """Of recall, weighted by alpha, and precision, weighted by beta."""
    if matches == 0:
        return 0.0
    return (alpha + beta) / (alpha / (matches / r) + beta / (matches / c))


def lepor(row: list[int], alpha: float = 9, beta: float = 1) -> float:
    c, r, moved, matches = row[:4]
    return length_penalty(c, r) * position_penalty(c, r, moved) * harmonic_mean(matches, c, r, alpha, beta)


def hlepor(row: list[int], weights: tuple[float, float, float] = (2, 1, 7), alpha: float = 9, beta: float = 1) -> float:
    c, r, moved, matches = row[:4]
    factors = (length_penalty(c, r), position_penalty(c, r, moved), harmonic_mean(matches, c, r, alpha, beta))
    if min(factors) == 0:
        return 0.0
    return sum(weights) / sum(weight / factor for weight, factor in zip(weights, factors, strict=True))


def nlepor(row: list[int], alpha: float = 9, beta: float = 1) -> float:
    c, r, moved, *matches = row
    means = [harmonic_mean(m, c - n, r - n, alpha, beta) for n, m in enumerate(matches)]
    if min(means) == 0:
        return 0.0
    product = math.exp(sum(math.log(mean) for mean in means) / len(means))
    return length_penalty(c, r) * position_penalty(c, r, moved) * product
