"""Published curves against the authors' program, mt-thresholds 1.0.4, and against the paper's table 2."""

import math
import warnings

import pytest

import tertium as tt
from tertium.meta.meaning import PublishedCurve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # an escape sequence in its source
    mt_thresholds = pytest.importorskip("mt_thresholds")

CURVES = {curve.name: curve for curve in tt.published_curves()}

# Kocmi et al. (2024), table 2, on the authors' scale: differences at 50, 75 and 85 %.
TABLE = {
    "bleu": (0.27, 1.79, 3.35),
    "chrf": (0.14, 1.28, 2.12),
    "spbleu200": (0.25, 1.91, 3.28),
    "bleurt-20": (0.02, 0.85, 1.35),
    "wmt20-comet-da": (0.08, 1.67, 2.66),
    "wmt22-comet-da": (0.03, 0.45, 0.71),
    "wmt22-cometkiwi-da": (0.01, 0.42, 0.67),
    "xcomet-xxl": (0.02, 0.98, 1.55),
}


def test_there_is_a_curve_for_each_of_theirs() -> None:
    assert {curve.judge for curve in CURVES.values()} == mt_thresholds.METRICS


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_curves_are_those_of_the_authors(curve: PublishedCurve) -> None:
    for theirs in (0.0, 0.01, 0.3, 1.0, 4.0):
        expected = mt_thresholds.accuracy(theirs, curve.judge) / 100
        assert curve.accuracy(theirs / curve.points) == pytest.approx(expected, rel=1e-12)
    for accuracy in (0.5, 0.65, 0.8):
        expected = mt_thresholds.delta(accuracy, curve.judge) / curve.points
        assert curve.difference(accuracy) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", TABLE)
def test_curves_give_the_table_of_the_paper(name: str) -> None:
    curve = CURVES[name]
    found = [curve.difference(accuracy) * curve.points for accuracy in (0.5, 0.75, 0.85)]
    assert found == pytest.approx(TABLE[name], abs=0.00501)


def test_bleu_never_reaches_90_percent() -> None:
    assert math.isnan(tt.meaning("bleu", accuracy=0.9).difference)
