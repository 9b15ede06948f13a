"""Texts that all tests of adapters score, and what tt.score says of them."""

from pathlib import Path
from typing import Any

import tertium as tt

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = ("source.de", "reference.a.en", "reference.b.en", "systems/atlas.en", "systems/brook.en")
SOURCES, FIRST, SECOND, OUTPUTS, OTHERS = ((EXAMPLES / name).read_text().splitlines() for name in HERE)
PAIRS = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]


METRICS = "chrf,wer"


def scored(metrics: str, references: Any = FIRST, outputs: Any = OUTPUTS, **options: Any) -> list[tt.Score]:
    return tt.score(outputs, references=references, layout="segments", metrics=metrics, **options)


def value(metric: str, references: Any = FIRST, outputs: Any = OUTPUTS) -> float:
    [score] = scored(metric, references, outputs)
    return score.value


def expected(outputs: list[str], references: Any, metrics: Any = METRICS, **options: Any) -> dict[str, float]:
    found = tt.score(outputs, references=references, metrics=metrics, layout="segments", **options)
    return {score.metric: score.value for score in found}


def by_length(outputs: list[str], sources: list[str]) -> list[float]:
    return [len(output) / len(source) for output, source in zip(outputs, sources, strict=True)]


LENGTHS = tt.metric_from(by_length, name="length", reads="source")  # a metric that reads the source
