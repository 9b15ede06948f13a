"""Examples that cost nothing: references damaged by a known share of their words (Sellam et al. 2020)."""

from __future__ import annotations

import random
from collections.abc import Iterable

from tertium.analysis.noise.outputs import NoisedPair, noised_pairs
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet
from tertium.io.examples import Examples

NOISES = "mask,delete,replace,permute"
RATES = (0.1, 0.3, 0.5, 0.8)
AT_ONCE = len(RATES) * 4  # about so many pairs come from a reference with one seed


def noise_examples(data: Examples, pairs: int, seed: int) -> Examples:
    """So many damaged references, or as many as there are; their score is the share of words that is left."""
    import numpy as np

    if data.references is None:
        raise InputError(f"{data.where}: has no column 'ref', and pre-training damages references; leave it out")
    sources = [None] * len(data) if data.sources is None else list(data.sources)
    texts = dict.fromkeys(zip(sources, list(data.references), strict=True))  # several systems share a reference
    left, right = ([pair[side] for pair in texts] for side in (0, 1))
    testset = TestSet(
        name=data.where,
        segments=len(texts),
        sources=None if data.sources is None else Lines.of(left),
        references=References((Lines.of(right),), len(texts)),
    )
    seeds = 1 + pairs // (AT_ONCE * len(texts))
    found = _draw(noised_pairs(testset, None, noises=NOISES, rates=RATES, seeds=seeds, seed=seed, on="references"),
                  pairs, seed)  # fmt: skip
    return Examples(
        outputs=Lines.of([pair.noised for pair in found]),
        scores=np.array([1 - pair.severity for pair in found]),
        sources=None if data.sources is None else Lines.of([pair.source for pair in found]),
        references=Lines.of([pair.output for pair in found]),
        where=f"{data.where}, damaged",
    )


def _draw(pairs: Iterable[NoisedPair], wanted: int, seed: int) -> list[NoisedPair]:
    """So many of them at random, each as likely as any other, in one pass (Vitter 1985, algorithm R)."""
    draw, kept = random.Random(seed), []
    for number, pair in enumerate(pairs):
        if number < wanted:
            kept.append(pair)
        elif (place := draw.randrange(number + 1)) < wanted:
            kept[place] = pair
    return kept
