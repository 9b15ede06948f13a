"""Leaving out, and the intervals that need it."""

import math

import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.stats import Stats
from tertium.inference.bootstrap import bca_interval, percentile_interval
from tertium.inference.jackknife import leave_one_out

WER = tt.parse("wer")


def rates(values: list[float]) -> Stats:
    """Rows of WER whose score is the mean of the values: hits, substitutions, deletions, insertions."""
    edits = np.array(values, dtype=float)
    return Stats(("hits", "substitutions", "deletions", "insertions"),
                 np.column_stack([100 - edits, edits, 0 * edits, 0 * edits]))  # fmt: skip


def test_leave_one_out_by_hand() -> None:
    whole, without = leave_one_out(rates([10, 20, 60]), WER)
    assert whole == pytest.approx(30)
    assert without.tolist() == pytest.approx([40, 35, 15])


def test_bca_of_a_mean_is_scipys() -> None:
    """Of the same quantity, drawn otherwise: the two agree up to the chance of 20,000 resamples."""
    rng = np.random.default_rng(1)
    values = rng.exponential(10, 80).clip(0, 100).tolist()
    ours = bca_interval(rates(values), WER, trials=20_000)
    theirs = scipy_bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.03 * width)
    plain = percentile_interval(rates(values), WER, trials=20_000)
    assert ours.low > plain.low  # a long tail to the right moves both ends
    assert ours.high > plain.high


def test_bca_without_anything_to_correct() -> None:
    same = bca_interval(rates([20, 20, 20]), WER, trials=50)
    assert (same.low, same.high) == (20, 20)
    perfect = bca_interval(rates([0, 0, 0]), WER, trials=50)
    assert (perfect.low, perfect.high) == (0, 0)


@pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")
def test_bca_is_named_in_the_signature() -> None:
    text = ["the cat sat on the mat", "it rained all night", "nobody came"]
    [score] = tt.score(text, references=["the cat sat here", "it rained all day", "nobody came"], metrics="chrf",
                       confidence=0.9, method="bca", trials=50)  # fmt: skip
    assert score.signature.endswith("|bs:50|seed:12345|bca:0.9")
    assert score.interval is not None
    assert score.interval.low < score.value < score.interval.high
    with pytest.raises(OptionError, match='method="t" is unknown; choose from percentile, bca'):
        tt.score(text, references=text, confidence=0.9, method="t")


def test_bca_is_refused_for_type_averages() -> None:
    evaluation = tt.evaluate(
        tt.TestSet(segments=1, references=tt.References((tt.Lines.of(["a"]),), 1)),
        [tt.System(name="a", outputs=tt.Lines.of(["a"]))],
        "macrof",
    )
    with pytest.raises(OptionError, match="not valid for a type average"):
        bca_interval(evaluation.stats("a", "macrof"), evaluation.metrics[0])


def test_segments_that_are_not_scored_do_not_count() -> None:
    scored = np.array([True, False, True, True])
    rows = np.array([[90.0, 10, 0, 0], [0, 0, 0, 0], [80, 20, 0, 0], [40, 60, 0, 0]])
    names = ("hits", "substitutions", "deletions", "insertions")
    with_gap = bca_interval(Stats(names, rows, scored), WER, trials=500)
    without = bca_interval(rates([10, 20, 60]), WER, trials=500)
    assert math.isclose(with_gap.low, without.low)
    assert math.isclose(with_gap.high, without.high)
