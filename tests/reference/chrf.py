"""chrF (Popovic 2015) and chrF++ (Popovic 2017) as sacreBLEU computes them."""

from collections.abc import Sequence

from . import ngrams, tokenizers

Statistics = list[tuple[int, int, int]]  # per order: n-grams of the output, of the reference, in both

_EPSILON = 1e-16


def statistics(
    output: str,
    reference: str,
    chars: int = 6,
    words: int = 0,
    whitespace: bool = False,
    lowercase: bool = False,
) -> Statistics:
    """Counts for the character orders 1..chars, then the word orders 1..words."""
    if lowercase:
        output, reference = output.lower(), reference.lower()
    ours, theirs = (list(text) if whitespace else list("".join(text.split())) for text in (output, reference))
    result = [_compare(ours, theirs, n) for n in range(1, chars + 1)]
    ours, theirs = tokenizers.chrf_words(output), tokenizers.chrf_words(reference)
    return result + [_compare(ours, theirs, n) for n in range(1, words + 1)]


def _compare(output: list[str], reference: list[str], n: int) -> tuple[int, int, int]:
    """An order for which the reference has no n-gram does not count the output's either."""
    ours, theirs = ngrams.count(output, n), ngrams.count(reference, n)
    return ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()


def _f(precision: float, recall: float, beta: float) -> float:
    denominator = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / denominator if denominator else 0.0


def f_score(statistics: Statistics, beta: float = 2, eps: bool = False) -> float:
    """F of the average precision and recall over the orders that both sides have, on 0-100.

    With `eps`, as in chrF++.py: the average of F over all orders, where an undefined ratio or F is 1e-16.
    """
    if eps:
        return 100 * sum(_f_epsilon(order, beta) for order in statistics) / len(statistics)
    shared = [(ours, theirs, both) for ours, theirs, both in statistics if ours and theirs]
    if not shared:
        return 0.0
    precision = sum(both / ours for ours, _, both in shared) / len(shared)
    recall = sum(both / theirs for _, theirs, both in shared) / len(shared)
    return 100 * _f(precision, recall, beta)


def _f_epsilon(order: tuple[int, int, int], beta: float) -> float:
    ours, theirs, both = order
    precision = both / ours if ours else _EPSILON
    recall = both / theirs if theirs else _EPSILON
    return _f(precision, recall, beta) if precision or recall else _EPSILON


def best(
    output: str,
    references: Sequence[str],
    chars: int = 6,
    words: int = 0,
    beta: float = 2,
    whitespace: bool = False,
    lowercase: bool = False,
    eps: bool = False,
) -> Statistics:
    """The statistics against the reference with the highest segment score; of equals, the first."""
    candidates = [statistics(output, text, chars, words, whitespace, lowercase) for text in references]
    return max(candidates, key=lambda candidate: f_score(candidate, beta, eps))


def corpus(
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    chars: int = 6,
    words: int = 0,
    beta: float = 2,
    whitespace: bool = False,
    lowercase: bool = False,
    eps: bool = False,
) -> float:
    """F of the summed statistics of the best references; `references[i]` are the references of segment i."""
    rows = [
        best(output, refs, chars, words, beta, whitespace, lowercase, eps)
        for output, refs in zip(outputs, references, strict=True)
    ]
    sums = [tuple(map(sum, zip(*order, strict=True))) for order in zip(*rows, strict=True)]
    return f_score([(ours, theirs, both) for ours, theirs, both in sums], beta, eps)
