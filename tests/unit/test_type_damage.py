"""What is left when one type at a time is damaged."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.analysis.damage import BOUNDS, damage_curve
from tertium.core.errors import OptionError

EXAMPLE = Path(__file__).parents[2] / "examples" / "testset.toml"


def test_by_hand() -> None:
    """Three types; a masked one has F 0 and so has the mask: 2 of 4 types are left. WER counts words."""
    references = tt.References((tt.Lines.of(["the cat the", "the dog"]),), 2)
    testset = tt.TestSet(segments=2, references=references)
    found = tt.type_damage(testset, None, "macrof,wer", on="references")
    assert [(item.type, item.count, item.segments) for item in found] == [("the", 3, 2), ("cat", 1, 1), ("dog", 1, 1)]
    assert [item.left["macrof"] for item in found] == pytest.approx([50, 50, 50])
    assert [item.left["wer"] for item in found] == pytest.approx([40, 80, 80])
    assert [item.scores["wer"] for item in found] == pytest.approx([60, 20, 20])
    deleted = tt.type_damage(testset, None, "macrof", on="references", noise="delete")
    assert [item.left["macrof"] for item in deleted] == pytest.approx([200 / 3] * 3)  # there is no mask


@pytest.mark.parametrize("metric", ["bleu", "chrf", "macrof", "nist", "ter"])
def test_against_whole_outputs(metric: str) -> None:
    example = tt.read_testset(EXAMPLE)
    system = example.systems[2]
    found = tt.type_damage(example.testset, system, metric, noise='mask(token="X")', min_count=2)
    assert len(found) > 100
    words = [word for text in system.outputs for word in (text or "").split()]
    for item in [*found[:3], *found[-3:]]:
        masked = [
            None if text is None else " ".join("X" if word == item.type else word for word in text.split())
            for text in system.outputs
        ]
        damaged = tt.System(name="damaged", outputs=tt.Lines.of(masked))
        [score] = tt.evaluate(example.testset, [damaged], metric).scores()
        assert item.scores[metric] == pytest.approx(score.value, abs=1e-9)
        assert item.count == words.count(item.type)


def test_the_curve_of_frequency() -> None:
    """In the example BLEU loses more by a frequent type, MacroF about as much by any."""
    example = tt.read_testset(EXAMPLE)
    found = tt.type_damage(example.testset, None, "bleu,macrof", on="references", tokenize="13a")
    curve = damage_curve(found)
    assert [bucket.name for bucket in curve] == ["1", "2", "3-5", "6-10", "11-50", "51-200"]
    assert sum(bucket.types for bucket in curve) == len(found)
    assert sum(bucket.count for bucket in curve) == sum(item.count for item in found)
    bleu = [bucket.left["bleu"] for bucket in curve]
    assert bleu == sorted(bleu, reverse=True)
    assert bleu[0] - bleu[-1] > 5
    macrof = [bucket.left["macrof"] for bucket in curve]
    assert max(macrof) - min(macrof) < 0.2
    assert damage_curve(found, [10])[1].name == "11+"
    assert tuple(BOUNDS) == (1, 2, 5, 10, 50, 200)


def test_the_most_frequent_only() -> None:
    example = tt.read_testset(EXAMPLE)
    found = tt.type_damage(example.testset, example.systems[0], "bleu", top=5)
    assert len(found) == 5
    assert [item.count for item in found] == sorted((item.count for item in found), reverse=True)


def test_mistakes() -> None:
    example = tt.read_testset(EXAMPLE)
    testset, system = example.testset, example.systems[0]
    with pytest.raises(
        OptionError, match=r"^truncate touches more than one word at a time; name a noise of words, such"
    ):
        tt.type_damage(testset, system, "bleu", noise="truncate")
    with pytest.raises(OptionError, match=r"^min_count=0, top=None: both count from 1$"):
        tt.type_damage(testset, system, "bleu", min_count=0)
    with pytest.raises(OptionError, match=r"^no metric to score with; name at least one, such as bleu$"):
        tt.type_damage(testset, system, [])
    with pytest.raises(OptionError, match=r"^bounds 5, 2: must rise from 1 or more$"):
        damage_curve([], [5, 2])
