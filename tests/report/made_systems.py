"""Systems of a known quality, made of sentences that say nothing: for tests of what a report says about them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import tertium as tt
from tertium.inference.compare import Comparison
from tertium.metrics import parse
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.standing import Standing, standings

WORDS = [
    f"{a}{b}{c}"
    for a in ("ka", "lo", "mi", "ru", "te")
    for b in ("ban", "der", "fil", "gos")
    for c in ("a", "en", "it")
]


def references(segments: int = 160, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(8, 14))) + f" {k}" for k in range(segments)]


def replaced(lines: Sequence[str], share: float, seed: int) -> list[str]:
    """Some words are others: bad by every metric."""
    rng = random.Random(seed)
    return [" ".join("zuzuzu" if rng.random() < share else word for word in line.split()) for line in lines]


def inflected(lines: Sequence[str], share: float, seed: int) -> list[str]:
    """Some words have another ending: much worse by words than by characters."""
    rng = random.Random(seed)
    return [" ".join(word + "x" if rng.random() < share else word for word in line.split()) for line in lines]


def rated(values: Mapping[str, float], segments: Iterable[int], scale: str = "da100") -> list[tt.Judgement]:
    """Two raters, who differ by a constant; scores vary by segment."""
    rng = random.Random(1)
    return [
        tt.Judgement(
            system=name,
            segment=k,
            rater=rater,
            scale=scale,
            value=max(0.0, min(100.0, value + shift + rng.gauss(0, 6))),
        )
        for k in segments
        for name, value in values.items()
        for rater, shift in (("r1", 0.0), ("r2", 4.0))
    ]


def evaluated(outputs: Mapping[str, Any], lines: Sequence[str], metrics: Any, judgements: Any = ()) -> tt.Evaluation:
    n = len(lines)
    testset = tt.TestSet(segments=n, references=tt.References((tt.Lines.of(lines),), n), name="made")
    systems = [
        tt.System(name=name, outputs=tt.Lines.of(texts), run=name.partition("@")[2] or None)
        for name, texts in outputs.items()
    ]
    return tt.evaluate(testset, systems, metrics, judgements=judgements)


def stood(evaluation: tt.Evaluation, baseline: str | None = None, trials: int = 400) -> tuple[Results, list[Standing]]:
    results = Results(evaluation=evaluation, trials=trials)
    return results, standings(results, People(evaluation=evaluation), baseline)


def comparison(baseline: str, system: str, found: str, difference: float) -> Comparison:
    return Comparison(
        metric="bleu", baseline=baseline, system=system, n=500, baseline_score=30.0, system_score=30.0 + difference,
        difference=difference, interval=None, p=0.01, effect=0.1, wins=1, losses=1, ties=1, detectable=0.5,
        test="permutation", trials=1000, seed=1, correction="max-t", alpha=0.05, unit="segment", units=500,
        adjusted=0.01, verdict=found,  # type: ignore[arg-type]
    )  # fmt: skip


def standing(metric: str, ranked: str, worse: set[str]) -> Standing:
    """Systems of one letter from best to worst, a point apart, and the pairs that are told apart."""
    scores = {name: 40.0 - k for k, name in enumerate(ranked)}
    items = [
        comparison(a, b, "worse" if f"{a}{b}" in worse else "undecided", scores[b] - scores[a])
        for a, b in combinations(ranked, 2)
    ]
    return Standing(metric=parse(metric), title=parse(metric).title, scores=scores, items=items)
