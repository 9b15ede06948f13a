"""Sentences that were checked and found to say more than their numbers: they do not come back."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")),
          *sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".html", ".js"))]  # fmt: skip
REFUTED = {
    "upper bound on the noise": "detectors find things in systems that no reference has",
    "far more often than in the reference": "three hits against one are neither far more nor tested",
    "resamples is sound": "paired resamples of type averages are less biased, not sound",
    "It is exact where scores are normal": "Williams' test is an approximation",
    "p is one-sided, for the metric that is ahead": "the direction is chosen after looking",
    "* not significant": "a star means significant everywhere",
    "Metrics that cannot be told apart have the same cluster": "two metrics of one cluster may differ significantly",
    "document where one system failed": "some cell is always the darkest",
    "is a question for a [test](intervals.md)": "intervals are no test",
    "It makes noises comparable that touch few words": "slopes depend on the rate",
}


@pytest.mark.parametrize("sentence", REFUTED)
def test_a_refuted_sentence_is_gone(sentence: str) -> None:
    found = [str(path.relative_to(ROOT)) for path in PLACES if sentence in " ".join(path.read_text().split())]
    assert found == [], REFUTED[sentence]
