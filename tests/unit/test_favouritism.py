"""Favouritism by hand, and the lists of segments on which metrics disagree."""

import numpy as np
import pytest

import tertium as tt
from tertium.analysis import favouritism as module
from tertium.core.errors import OptionError
from tertium.core.sparse import SparseRows
from tertium.inference import jackknife

# The worked example of docs/explanation/favouritism.md.
REFERENCES = ["the bridge is open", "the bridge is closed", "no ferry"]
OUTPUTS = {"plain": ["the bridge is open", "the bridge is open", "no boat"],
           "rare": ["a bridge opened", "the bridge is closed", "no ferry"]}  # fmt: skip


def evaluation(metrics: str = "macrof,per,wer", **facts: object) -> tt.Evaluation:
    references = tt.References((tt.Lines.of(REFERENCES),), 3)
    testset = tt.TestSet(segments=3, references=references, **facts)  # type: ignore[arg-type]
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in OUTPUTS.items()]
    return tt.evaluate(testset, systems, metrics)


def test_benefits_by_hand() -> None:
    """MacroF of "plain". All: the, bridge, is 1, open 2/3 (1 of 2 outputs), no 1; closed, ferry, boat 0: 4.667/8.

    Without the first: the, bridge, is, no 1; open, closed, ferry, boat 0: 4/8. Without the second: the, bridge, is,
    open, no 1; ferry, boat 0: 5/7. Without the third: the, bridge, is 1, open 2/3, closed 0: 3.667/5.
    """
    whole = (4 + 2 / 3) / 8
    expected = [whole - 4 / 8, whole - 5 / 7, whole - (3 + 2 / 3) / 5]
    assert tt.benefits(evaluation(), "plain", "macrof1") == pytest.approx([100 * x for x in expected], abs=1e-12)


def test_where_lower_is_better_the_sign_is_turned() -> None:
    """WER of "rare": 3 edits of 10 words, all in the first segment; without it 0 of 6."""
    found = tt.benefits(evaluation(), "rare", "wer")
    assert found == pytest.approx([-100 * 3 / 10, 100 * (3 / 6 - 3 / 10), 100 * (3 / 8 - 3 / 10)], abs=1e-12)


def test_favouritism_is_the_difference_and_turns_with_the_systems() -> None:
    given = evaluation()
    for metric in given.metrics:
        one, other = tt.benefits(given, "plain", metric), tt.benefits(given, "rare", metric)
        assert (tt.favouritism(given, "plain", "rare", metric) == one - other).all()
        assert (tt.favouritism(given, "rare", "plain", metric) == other - one).all()


def test_a_corpus_of_one_segment_has_no_benefits() -> None:
    testset = tt.TestSet(segments=1, references=tt.References((tt.Lines.of(["a b"]),), 1))
    given = tt.evaluate(testset, [tt.System(name="s", outputs=tt.Lines.of(["a"]))], "bleu,macrof")
    for metric in given.metrics:
        assert np.isnan(tt.benefits(given, "s", metric)).all()


def test_small_blocks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    given = evaluation()
    wanted = [tt.benefits(given, "plain", metric) for metric in given.metrics]
    monkeypatch.setattr(jackknife, "BLOCK", 1)
    for metric, whole in zip(given.metrics, wanted, strict=True):
        assert tt.benefits(given, "plain", metric) == pytest.approx(whole, abs=1e-12)


def test_types_need_no_dense_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 segments x 40,010 types x 3 numbers would be 19 GB."""
    n = 20_000
    references = tt.References((tt.Lines.of([f"a b{k} c{k} d{k % 9}" for k in range(n)]),), n)
    outputs = tt.Lines.of([f"a b{k} d{k % 7}" for k in range(n)])
    testset, system = tt.TestSet(segments=n, references=references), tt.System(name="s", outputs=outputs)
    given = tt.evaluate(testset, [system], "macrof,microf")
    monkeypatch.setattr(SparseRows, "dense", None)
    for metric in given.metrics:
        assert np.isfinite(tt.benefits(given, "s", metric)).all()


# Lists


def planted(monkeypatch: pytest.MonkeyPatch, **values: list[float]) -> None:
    """Favouritisms as given, by metric."""
    monkeypatch.setattr(module, "favouritism", lambda e, a, b, metric: np.array(values[metric.name]))  # noqa: ARG005


def test_opposite_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, macrof=[4.0, -1.0, 2.0], wer=[-0.1, 0.3, 0.2])
    found = tt.disagreements(evaluation(), "plain", "rare", "macrof,wer")
    assert [item.index for item in found] == [0, 1]  # the third favours the same system
    spread = np.std([4, -1, 2]), np.std([-0.1, 0.3, 0.2])
    assert found[0].standardised == pytest.approx({"macrof": 4 / spread[0], "wer": -0.1 / spread[1]})
    assert [item.size for item in found] == pytest.approx([0.1 / spread[1], 1 / spread[0]])
    assert found[0].favouritism == {"macrof": 4.0, "wer": -0.1}


def test_rank_difference_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, macrof=[4.0, -1.0, -1.0], wer=[-0.1, 0.3, 0.2])
    found = tt.disagreements(evaluation(), "plain", "rare", "macrof,wer", by="rank")
    assert [(item.index, item.size) for item in found] == [(0, 2), (1, 1), (2, 0)]
    assert [item.ranks for item in found] == [{"macrof": 1, "wer": 3}, {"macrof": 2, "wer": 1}, {"macrof": 2, "wer": 2}]
    found = tt.disagreements(evaluation(), "plain", "rare", "wer", by="size", top=2)
    assert [(item.index, item.size) for item in found] == [(1, 0.3), (2, 0.2)]


def test_what_was_said_is_in_the_list() -> None:
    given = evaluation(
        "macrof,wer", ids=("x", "y", "z"), documents=("d", "d", "e"), sources=tt.Lines.of(["1", "2", "3"])
    )
    [one] = tt.disagreements(given, "plain", "rare", by="size", top=1)
    assert (one.segment, one.index, one.document, one.source) == ("x", 0, "d", "1")
    assert one.references == ("the bridge is open",)
    assert one.outputs == {"plain": "the bridge is open", "rare": "a bridge opened"}
    [one] = tt.disagreements(evaluation("wer"), "plain", "rare", by="size", top=1)
    assert (one.segment, one.document, one.source) == ("1", None, None)


def test_unscored_segments_are_in_no_list() -> None:
    testset = tt.TestSet(segments=3, references=tt.References((tt.Lines.of(["a b", None, "c d"]),), 3))
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in OUTPUTS.items()]
    found = tt.disagreements(tt.evaluate(testset, systems, "macrof,wer"), "plain", "rare", by="rank")
    assert sorted(item.index for item in found) == [0, 2]


def test_equal_systems_do_not_differ() -> None:
    testset = tt.TestSet(segments=3, references=tt.References((tt.Lines.of(REFERENCES),), 3))
    systems = [tt.System(name=name, outputs=tt.Lines.of(OUTPUTS["plain"])) for name in ("a", "b")]
    given = tt.evaluate(testset, systems, "macrof,wer")
    assert tt.disagreements(given, "a", "b") == []
    assert [item.standardised["wer"] for item in tt.disagreements(given, "a", "b", by="size")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"metrics": "", "by": "size"}, "no metric to look with; name at least one, such as bleu"),
        ({"by": "luck"}, "by='luck' is unknown; choose from opposite, rank, size"),
        ({}, "by='opposite' compares two metrics, not 3 (macrof, per, wer); name two, or use by='size'"),
        ({"second": "plain", "by": "size"}, "system plain is compared with itself; name two systems"),
        ({"metrics": "bleu", "by": "size"}, "no statistics of system 'plain' under bleu; there are: (plain, macrof), "),
    ],
)
def test_mistakes(arguments: dict[str, str], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        tt.disagreements(evaluation(), "plain", **{"second": "rare", **arguments})  # type: ignore[arg-type]
    assert str(error.value).startswith(sentence)
