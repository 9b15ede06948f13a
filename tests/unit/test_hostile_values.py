"""Values that were once taken and did harm: each is refused, or handled, for good."""

from typing import Any, ClassVar

import numpy as np
import pytest

from tertium import Lines, References, TestSet, _kernel, metric, parse
from tertium.core.errors import OptionError
from tertium.core.metric import REGISTRY, make_metric
from tertium.inference.bootstrap import bootstrap, percentile_interval

WORDS = Lines.of(["a b c", "a b"])


@pytest.mark.parametrize("rows", [np.zeros((2, 4), np.float32), np.zeros((2, 4), np.int64), np.zeros((4, 2)).T])
def test_rows_that_the_kernel_would_have_to_copy_are_refused(rows: Any) -> None:
    """A copy would be filled and thrown away: counts lost in silence."""
    with pytest.raises(TypeError):
        _kernel.count_edits(WORDS.view, WORDS.view, "none", "none", rows)
    assert not rows.any()


def test_offsets_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError):
        _kernel.View(b"abc", np.array([0], np.int32), np.array([1], np.int32))


@pytest.mark.parametrize("text", [b"\xf4\xbf\xbf\xbf a", b"\xf4\xbf", b"\xff\xfe", b"\x80", b"\xed\xa0\x80"])
@pytest.mark.parametrize("tokenizer", ["codepoints", "char", "13a", "intl+lower", "zh", "chrf-words", "tercom+lower"])
def test_invalid_utf8_counts_without_leaving_its_tables(text: bytes, tokenizer: str) -> None:
    """Lines refuse it; a View made by hand must still be harmless, and equal texts must be equal."""
    bounds = np.array([0]), np.array([len(text)])
    view = _kernel.View(text, *bounds)
    rows = np.zeros((1, 4))
    _kernel.count_edits(view, view, tokenizer, tokenizer, rows)
    assert rows[0, 0] > 0
    assert rows[0, 1:].tolist() == [0, 0, 0]
    chrf = np.zeros((1, 18))
    _kernel.count_chrf(view, view, 6, 0, True, False, chrf)
    assert chrf[0, 2] == chrf[0, 0]


def test_only_scored_segments_are_drawn() -> None:
    """One perfect output among missing ones: every resample is that output, not a corpus without any."""
    reference = "one two three four five six"
    bleu = parse("bleu")
    testset = TestSet(segments=10, references=References((Lines.of([reference] * 10),), 10))
    stats = bleu.stats(Lines.of([reference] + [None] * 9), bleu.prepare(testset))
    assert stats.n == 1
    assert bootstrap(stats, bleu, trials=50).tolist() == pytest.approx([100.0] * 50)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bleu(tokenize={[]:1})", "option 'tokenize' must be a plain value"),
        ("chrf(beta=1e400)", "chrf: beta=inf must be float"),
        ("bleu(order=101)", "bleu: order=101; the longest n-gram must have 1 to 100 words"),
        ('bleu(smooth="floor", smooth_value=5)', "bleu: smooth_value=5 must not be negative, nor a floor above 1"),
        ("(" * 5000, "is not a metric"),
        ("-" * 100_000 + "1", "is not a metric"),
    ],
)
def test_options_are_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(OptionError) as refusal:
        parse(text)
    assert said in str(refusal.value)


def test_a_negative_seed_is_refused() -> None:
    bleu = parse("bleu")
    testset = TestSet(segments=2, references=References((WORDS,), 2))
    stats = bleu.stats(WORDS, bleu.prepare(testset))
    with pytest.raises(OptionError, match=r"^seed -1: must not be negative$"):
        percentile_interval(stats, bleu, seed=-1)


def test_weights_for_orders_that_a_segment_lacks_score_nothing() -> None:
    bleu = parse("bleu(weights=(0, 0, 0, 1))")
    testset = TestSet(segments=2, references=References((WORDS,), 2))
    rows = bleu.stats(WORDS, bleu.prepare(testset)).segments()
    assert bleu.segment_score(rows).tolist() == [0.0, 0.0]


def test_annotations_need_not_be_postponed() -> None:
    """A metric in somebody's own file, without `from __future__ import annotations` (as in this one)."""

    @metric
    class Counted:
        """Nothing, twice."""

        name: ClassVar[str] = "counted"
        times: int = 1
        share: float | None = None

    try:
        assert str(make_metric(Counted, {"times": 2, "share": 1})) == "counted(times=2, share=1)"
        with pytest.raises(OptionError, match=r"^counted: times=2\.5 must be int; the default is 1$"):
            make_metric(Counted, {"times": 2.5})
    finally:
        del REGISTRY["counted"]
