"""Levenshtein alignment and the error rates built on it: WER, CER, MER, WIL, WIP (Morris et al. 2004), PER.

A reference word missing from the output is a deletion, an output word too many an insertion.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Words = Sequence[str]
Operation = tuple[str, int, int]  # kind, position in the reference, position in the output


class Counts(NamedTuple):
    """How the words of a segment, or of a sum of segments, were aligned."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def edits(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference_length(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def output_length(self) -> int:
        return self.hits + self.substitutions + self.insertions


def table(reference: Words, output: Words) -> list[list[int]]:
    """D[i][j]: the fewest edits between the first i reference words and the first j output words."""
    d = [[i + j for j in range(len(output) + 1)] for i in range(len(reference) + 1)]
    for i, wanted in enumerate(reference, start=1):
        for j, found in enumerate(output, start=1):
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (wanted != found))
    return d


def distance(reference: Words, output: Words) -> int:
    """The Levenshtein distance."""
    return table(reference, output)[-1][-1]


def operations(reference: Words, output: Words) -> list[Operation]:
    """The shortest edit script that RapidFuzz finds and jiwer counts, from left to right."""
    start = _common(reference, output)
    end = _common(reference[start:][::-1], output[start:][::-1])
    r, c = len(reference) - end, len(output) - end
    before = [("equal", k, k) for k in range(start)]
    after = [("equal", r + k, c + k) for k in range(end)]
    middle = _trace(reference[start:r], output[start:c])
    return before + [(kind, start + i, start + j) for kind, i, j in middle] + after


def _common(a: Words, b: Words) -> int:
    """The length of the common prefix."""
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _trace(reference: Words, output: Words) -> list[Operation]:
    """Walk the table back from its end: a deletion if possible, then an insertion, else the diagonal."""
    d = table(reference, output)
    i, j = len(reference), len(output)
    steps: list[Operation] = []
    while i or j:
        if i and d[i][j] == d[i - 1][j] + 1:
            kind, i = "delete", i - 1
        elif not i or (j and d[i][j - 1] == d[i - 1][j - 1] - 1):
            kind, j = "insert", j - 1
        else:
            i, j = i - 1, j - 1
            kind = "equal" if reference[i] == output[j] else "substitute"
        steps.append((kind, i, j))
    return steps[::-1]


def align(reference: Words, output: Words) -> Counts:
    """Hits, substitutions, deletions and insertions of that script."""
    kinds = Counter(kind for kind, _, _ in operations(reference, output))
    return Counts(kinds["equal"], kinds["substitute"], kinds["delete"], kinds["insert"])


def closest(references: Sequence[Words], output: Words) -> Counts:
    """Several references: the one with the fewest edits; of equals, the first."""
    return min((align(reference, output) for reference in references), key=lambda counts: counts.edits)


def pool(segments: Iterable[Counts]) -> Counts:
    """Counts are summed over segments; texts are never joined."""
    return Counts(*map(sum, zip(*segments, strict=True)))


def wer(counts: Counts) -> float:
    """Edits per reference word, in percent; without any reference word, 100 per insertion (jiwer)."""
    return 100 * counts.edits / (counts.reference_length or 1)


def cer(counts: Counts) -> float:
    """WER of characters."""
    return wer(counts)


def mer(counts: Counts) -> float:
    """The share of edits among all operations, in percent; 0 if there are none."""
    operations = counts.hits + counts.edits
    return 100 * counts.edits / operations if operations else 0.0


def wip(counts: Counts) -> float:
    """Hits per reference word times hits per output word; 100 if both sides are empty, 0 if one is."""
    r, c = counts.reference_length, counts.output_length
    if r and c:
        return 100 * (counts.hits / r) * (counts.hits / c)
    return 0.0 if r or c else 100.0


def wil(counts: Counts) -> float:
    """The information that is not preserved."""
    return 100 - wip(counts)


def per_edits(reference: Words, output: Words) -> int:
    """Edits when order does not matter: max(c, r) less the bag matches (Tillmann et al. 1997)."""
    matches = (Counter(reference) & Counter(output)).total()
    return max(len(reference), len(output)) - matches


def per(references: Sequence[Words], outputs: Sequence[Words]) -> float:
    """Position-independent error rate, pooled, in percent; empty references are treated as in `wer`."""
    edits = sum(per_edits(reference, output) for reference, output in zip(references, outputs, strict=True))
    return 100 * edits / (sum(map(len, references)) or 1)
