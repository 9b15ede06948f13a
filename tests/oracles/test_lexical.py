"""lexical against people: WMT22 to English, which it was not fitted to; and the file of weights made anew.

chrF's figures (.2331, .5760, .817) are those of an independent program, given with the task; they hold the protocol.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from tertium.io.lexical import embedded_bytes, lexical_text
from tertium.metrics import parse
from tertium.training.lexical import mlqe_examples, train

from .files import ORACLES, needs_oracles
from .wmt22 import PAIRS, figures, judged, ordered_as_people_do, system_pairs

pytestmark = [needs_oracles, pytest.mark.slow]

MLQE = ORACLES.parent / "data" / "mlqe-pe"
CARD = Path(__file__).parents[2] / "tools" / "lexical-card.json"


@cache
def values(metric: str) -> dict[str, np.ndarray]:
    return {pair: judged(pair).values(parse(metric)) for pair in PAIRS}


def test_the_protocol_is_the_published_one() -> None:
    assert sum(len(judged(pair).z) for pair in PAIRS) == 90_870
    assert sum(len(system_pairs(judged(pair), values("chrf")[pair])) for pair in PAIRS) == 273
    found = figures(values("chrf"))
    assert [round(found.tau, 4), round(found.accuracy, 4), round(found.systems, 3)] == [0.2331, 0.5760, 0.817]


def test_agreement_with_people() -> None:
    found, chrf = figures(values("lexical")), figures(values("chrf"))
    assert found.tau >= 0.247
    assert found.accuracy >= 0.579
    assert found.systems >= chrf.systems


def test_the_gain_over_chrf_is_no_accident() -> None:
    """Paired bootstrap over segments, both figures: the 95 % interval of the difference is above 0."""
    rng = np.random.default_rng(14)
    drawn = {pair: [_differences(pair, rng) for _ in range(200)] for pair in PAIRS}
    means = np.mean([drawn[pair] for pair in PAIRS], axis=0)  # (trials, 2)
    low = np.quantile(means, 0.025, axis=0)
    assert (low > 0).all(), low


def _differences(pair: str, rng: np.random.Generator) -> tuple[float, float]:
    """lexical less chrF in tau-b and accuracy, of as many segments as there are, drawn with replacement."""
    data, one, other = judged(pair), values("lexical")[pair], values("chrf")[pair]
    times = np.bincount(
        rng.choice(np.unique(data.segment), len(np.unique(data.segment))), minlength=len(data.references)
    )
    rows = np.repeat(np.arange(len(data.z)), times[data.segment])
    tau = kendalltau(data.z[rows], one[rows]).statistic - kendalltau(data.z[rows], other[rows]).statistic
    weights = times[data.segment[data.one]]
    right = [ordered_as_people_do(data.z, found, data.one, data.other) for found in (one, other)]
    return tau, float(np.average(right[0], weights=weights) - np.average(right[1], weights=weights))


def test_retraining_gives_the_same_file() -> None:
    groups, _ = mlqe_examples(str(MLQE))
    assert (
        lexical_text(train(groups, cautious=True, card=json.loads(CARD.read_text())).weights).encode()
        == embedded_bytes()
    )
