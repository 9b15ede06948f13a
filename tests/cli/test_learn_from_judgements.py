"""`tertium learn train --from`: examples from a campaign, and from a test set with judgements."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.core.errors import InputError
from tertium.human.campaign.collection import open_collection
from tertium.io.lexical import read_lexical
from tertium.training.judged import judged_examples, read_judged

from .running import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_mean_of_what_people_said_of_each_output() -> None:
    testset = tt.TestSet(
        segments=2,
        sources=tt.Lines.of(["eins", "zwei"]),
        references=tt.References((tt.Lines.of(["one", None]), tt.Lines.of(["1", "two"])), 2),
    )

    def said(system: str, segment: int, rater: str, value: float) -> tt.Judgement:
        return tt.Judgement(system=system, segment=segment, rater=rater, scale="mqm", value=value)

    evaluation = tt.Evaluation(
        testset=testset,
        systems=tuple(tt.System(name=name, outputs=tt.Lines.of([f"{name} 1", f"{name} 2"])) for name in "ab"),
        judgements=(said("a", 0, "x", 1), said("a", 0, "y", 6), said("b", 1, "x", 5)),
    )
    found = judged_examples(evaluation, "here")
    assert list(found.outputs) == ["a 1", "b 2"]
    assert found.scores.tolist() == [-3.5, -5]  # penalties: a higher score is better
    assert list(found.sources or ()) == ["eins", "zwei"]
    assert list(found.references or ()) == ["one", "two"]
    assert found.systems == ("a", "b")


def test_a_test_set_with_judgements(tertium: Command) -> None:
    done = tertium("learn", "train", "--from", str(EXAMPLES / "testset.toml"), "-o", "mine.json")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("384 examples in 1 group, ")
    assert read_lexical("mine.json").features


def test_a_campaign_with_what_raters_have_said(tertium: Command) -> None:
    assert tertium("human", "new", str(EXAMPLES / "testset.toml"))[0] == 0
    nobody = tertium("learn", "train", "--from", "campaign.toml", "-o", "mine.json")
    assert (nobody.status, nobody.err) == (
        2, "tertium: campaign.sqlite: nobody has begun yet; make links first: tertium human links campaign.toml\n"
    )  # fmt: skip
    with open_collection("campaign.toml") as collection:
        [first, *_] = collection.batches_of("rater1")
        for place in range(len(first.items)):
            body = {"values": {"da100": place % 100}, "seconds": 5.0}
            collection.submit("rater1", first.number, place, f"{place:0>8}-uuid", 1, body).result()
    genuine = {(item.segment, item.shown[0].system) for item in first.items if item.kind == "genuine"}
    assert len(read_judged("campaign.toml")) == len(genuine)
    done = tertium("learn", "train", "--from", "campaign.toml", "-o", "mine.json")
    assert (done.status, done.err) == (0, "")


def test_nothing_that_was_judged() -> None:
    Path("s.de").write_text("eins\n")
    Path("a.en").write_text("one\n")
    Path("j.tsv").write_text("system\tsegment\trater\tscale\tvalue\na\t1\tx\tda100\t50\n")
    Path("testset.toml").write_text('source = "s.de"\nsystems = "a.en"\njudgements = "j.tsv"\n')
    with pytest.raises(InputError, match="not every judged segment has a reference, and this recipe reads it"):
        read_judged("testset.toml", ["ref"])
