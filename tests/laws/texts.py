"""Texts for tests: those of the kit, as pairs of output and references; and words drawn from a seed."""

import random
from collections.abc import Sequence

from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet
from tertium.testing.texts import ANY, MESSES, PIECES, SENTENCES, TEXTS, VOCABULARY, corpora

__all__ = ["ANY", "CORPORA", "MESSES", "PIECES", "SENTENCES", "TEXTS", "VOCABULARY", "Corpus", "disturb",
           "make_testset", "random_text", "random_words"]  # fmt: skip

Corpus = list[tuple[str | None, list[str | None]]]

CORPORA = corpora(frozenset({"references"})).map(
    lambda corpus: [(segment.output, list(segment.references)) for segment in corpus]
)


def random_text(rng: random.Random, pieces: int = 30) -> str:
    """Pieces side by side."""
    return "".join(rng.choices(PIECES, k=rng.randint(0, pieces)))


def random_words(rng: random.Random, longest: int, types: int, shortest: int = 0) -> list[str]:
    """Words of so many types."""
    return [f"w{rng.randrange(types)}" for _ in range(rng.randint(shortest, longest))]


def disturb(rng: random.Random, words: Sequence[str], types: int) -> list[str]:
    """Move blocks, then drop and change words: what a translation does to a reference."""
    words = list(words)
    for _ in range(rng.randint(0, 4)):
        start, length = rng.randrange(len(words) + 1), rng.randint(1, 12)
        block, words = words[start : start + length], words[:start] + words[start + length :]
        target = rng.randrange(len(words) + 1)
        words[target:target] = block
    kept = [word for word in words if rng.random() > 0.1]
    return [f"w{rng.randrange(types)}" if rng.random() < 0.1 else word for word in kept]


def make_testset(references: Sequence[Sequence[str | None]]) -> TestSet:
    """References by segment, padded to streams; the sources are there for metrics that need them."""
    n = len(references)
    width = max(map(len, references), default=0)
    padded = [[*segment, *[None] * (width - len(segment))] for segment in references]
    streams = tuple(Lines.of([segment[k] for segment in padded]) for k in range(width))
    sources = Lines.of([f"source {i}" for i in range(n)])
    return TestSet(segments=n, sources=sources, references=References(streams, n))
