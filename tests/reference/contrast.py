"""Two systems' types in buckets, n-grams and permutation tests, as a textbook says them."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce

from reference.macrof import Segment, counts, f_scores


def bucket_of(references: int, bounds: Sequence[int]) -> int:
    """0, 1, ... for reference counts up to each bound; then those above all; last those that no reference has."""
    if references == 0:
        return len(bounds) + 1
    return sum(references > bound for bound in bounds)


def bucket_f(segments: list[Segment], bounds: Sequence[int]) -> list[float | None]:
    """The mean F of the types of every bucket; None where there are none."""
    _, refs, _ = counts(segments)
    found: list[list[float]] = [[] for _ in range(len(bounds) + 2)]
    for word, f in f_scores(segments).items():
        found[bucket_of(refs[word], bounds)].append(f)
    return [100 * sum(values) / len(values) if values else None for values in found]


def swap(a: list[Segment], b: list[Segment], keep: Sequence[float]) -> tuple[list[Segment], list[Segment]]:
    """Two systems' segments, exchanged where the coin says 0."""
    one = [x if kept else y for x, y, kept in zip(a, b, keep, strict=True)]
    other = [y if kept else x for x, y, kept in zip(a, b, keep, strict=True)]
    return one, other


def permutation_p(
    a: list[Segment], b: list[Segment], coins: Sequence[Sequence[float]], measure: Callable[[list[Segment]], float]
) -> float:
    """The share of swaps that set the systems at least as far apart as they are, the systems counted as one."""
    observed = abs(measure(b) - measure(a))
    more = 1
    for keep in coins:
        one, other = swap(a, b, keep)
        more += abs(measure(other) - measure(one)) >= observed - 1e-9
    return more / (len(coins) + 1)


def ngram_counts(segments: list[Segment], order: int) -> dict[str, tuple[int, int, int]]:
    """How often references, outputs and both have every n-gram; of several references the one that has it most."""

    def count(words: list[str]) -> Counter[str]:
        return Counter(" ".join(words[k : k + order]) for k in range(len(words) - order + 1))

    refs, preds, match = Counter[str](), Counter[str](), Counter[str]()
    for output, references in segments:
        wanted = reduce(lambda x, y: x | y, map(count, references), Counter[str]())
        found = count(output)
        refs, preds, match = refs + wanted, preds + found, match + (found & wanted)
    return {text: (refs[text], preds[text], match[text]) for text in refs | preds}
