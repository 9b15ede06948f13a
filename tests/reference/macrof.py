"""MacroF and MicroF (Gowda et al. 2021): classifier evaluation with types as classes."""

from collections import Counter
from functools import reduce

Segment = tuple[list[str], list[list[str]]]  # output, references


def counts(segments: list[Segment]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How often outputs, references and both have each type; of several references the one that has most."""
    preds, refs, match = Counter[str](), Counter[str](), Counter[str]()
    for output, references in segments:
        found = Counter(output)
        wanted = reduce(lambda a, b: a | b, (Counter(reference) for reference in references), Counter[str]())
        preds += found
        refs += wanted
        match += found & wanted
    return preds, refs, match


def f_scores(segments: list[Segment], beta: float = 1) -> dict[str, float]:
    """F of every type."""
    preds, refs, match = counts(segments)
    scores = {}
    for word in preds | refs:
        p = match[word] / preds[word] if preds[word] else 1.0
        r = match[word] / refs[word] if refs[word] else 1.0
        below = beta**2 * p + r
        scores[word] = (1 + beta**2) * p * r / below if below else 0.0
    return scores


def macrof(segments: list[Segment], beta: float = 1) -> float:
    """The mean over types."""
    scores = f_scores(segments, beta)
    return 100 * sum(scores.values()) / len(scores) if scores else 0.0


def microf(segments: list[Segment], beta: float = 1, k: float = 1) -> float:
    """The mean over types, weighted by reference count + k."""
    scores, (_, refs, _) = f_scores(segments, beta), counts(segments)
    weights = {word: refs[word] + k for word in scores}
    total = sum(weights.values())
    return 100 * sum(weights[word] * score for word, score in scores.items()) / total if total else 0.0
