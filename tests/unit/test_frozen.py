"""Where a score lies among frozen ones: mid-ranks by hand, and what is refused."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.meta.frozen import FORMAT, Distribution, distribution, frozen_object
from tertium.report.tables.frozen import percent, places_beside, places_objects

REFERENCE = ["one two three four five", "a b c d e", "v w x y z", "red green blue grey pink"]


def evaluation(
    *outputs: list[str], metrics: str = "wer", references: int = 1, lines: list[str] | None = None, name: str = "small"
) -> tt.Evaluation:
    reference = lines or REFERENCE
    streams = tuple(tt.Lines.of([f"{line}{' again' * k}" for line in reference]) for k in range(references))
    testset = tt.TestSet(segments=len(reference), name=name, references=tt.References(streams, len(reference)))
    systems = [tt.System(name=f"s{k}", outputs=tt.Lines.of(texts)) for k, texts in enumerate(outputs)]
    return tt.evaluate(testset, systems, metrics.split(","))


def lost(*counts: int) -> list[str]:
    """The reference, with so many words of each segment (of five) replaced: its WER is 20 times as much."""
    return [" ".join([*["q"] * k, *line.split()[k:]]) for line, k in zip(REFERENCE, counts, strict=True)]


@pytest.mark.parametrize(
    ("value", "counted"),  # those below, and half of those equal
    [(0.5, 0), (1.0, 2 / 2), (1.5, 2), (2.0, 2.5), (3.0, 3), (4.0, 3.5), (8.0, 4.5), (9.0, 5)],
)
def test_the_share_is_the_mid_rank(value: float, counted: float) -> None:
    """Of 1, 1, 2, 4 and 8."""
    found = distribution([4.0, 1.0, math.nan, 2.0, 1.0, 8.0])
    assert found.n == 5
    assert found.share(value) == pytest.approx(counted / 5)


def test_no_score_has_no_place() -> None:
    assert math.isnan(distribution([1.0]).share(math.nan))
    assert math.isnan(distribution([]).share(1.0))


def test_many_values_are_kept_to_a_thousandth() -> None:
    rng = np.random.default_rng(4)
    scores = np.concatenate([rng.normal(size=30_000), np.zeros(5_000), np.full(40, 9.0)])
    found = distribution(scores.tolist())
    assert len(found.values) < 1100
    assert found.share(0.0) == ((scores < 0).sum() + 2500) / len(scores)  # what many share is exact
    for value in rng.normal(size=300):
        exact = ((scores < value).sum() + (scores == value).sum() / 2) / len(scores)
        assert found.share(float(value)) == pytest.approx(exact, abs=1e-3)


def test_systems_are_set_beside_systems_and_segments_beside_segments() -> None:
    """WER of the systems: 5, 20 and 50; of their segments 0, 0, 0, 20; 20, 20, 20, 20; 20, 40, 60, 80."""
    frozen = tt.freeze(evaluation(lost(0, 0, 0, 1), lost(1, 1, 1, 1), lost(1, 2, 3, 4)), "three")
    given = evaluation(lost(1, 1, 1, 1), lost(0, 0, 0, 5))  # 20; 25
    corpus = frozen.places(given)
    # Lower is better: of three systems one is worse and one equal, 1.5 / 3; then one is worse, 1 / 3.
    assert [(place.system, place.of, place.n, place.share) for place in corpus] == [
        ("s0", "systems", 3, pytest.approx(1.5 / 3)),
        ("s1", "systems", 3, pytest.approx(1 / 3)),
    ]
    assert [place.value for place in corpus] == [score.value for score in given.scores()]  # the score as it is
    segments = frozen.places(given, "segment")
    # Of twelve: 20 has 3 worse (40, 60, 80) and 6 equal: 6 / 12. 0 has 9 worse and 3 equal: 10.5 / 12. 100 has none.
    shares = [6 / 12] * 4 + [10.5 / 12] * 3 + [0.0]
    assert [place.share for place in segments] == pytest.approx(shares)
    assert {(place.of, place.n) for place in segments} == {("segments", 12)}


def test_higher_is_better_where_it_is() -> None:
    frozen = tt.freeze(evaluation(lost(0, 0, 0, 0), lost(1, 1, 1, 1), metrics="bleu"))
    [place] = frozen.places(evaluation(lost(2, 2, 2, 2), metrics="bleu"))
    assert place.share == 0.0
    [place] = frozen.places(evaluation(lost(0, 0, 0, 1), metrics="bleu"))
    assert place.share == 0.5


def test_a_file_gives_the_same(tmp_path: Path) -> None:
    frozen = tt.freeze(evaluation(lost(0, 1, 2, 3), lost(1, 1, 1, 1), metrics="wer,chrf"), "möwe")
    frozen.save(tmp_path / "a.json")
    assert tt.read_frozen(tmp_path / "a.json") == frozen
    told = json.loads((tmp_path / "a.json").read_text())
    assert told["metrics"]["wer"]["segments"] == {
        "n": 8,
        "values": [0.0, 20.0, 40.0, 60.0],
        "below": [0, 1, 6, 7],
        "equal": [1, 5, 1, 1],
    }
    assert told["testset"]["digest"] == evaluation(lost(0, 0, 0, 0)).testset.digest
    assert told["metrics"]["wer"]["signature"].startswith("wer|refs:1|n:4|data:")


@pytest.mark.parametrize(
    ("metrics", "references", "said"),
    [
        ("cer", 1, "small has no scores of cer, with these options and models; it has: wer, chrf"),
        (
            "chrf(words=2)",
            1,
            "small has no scores of chrf(words=2), with these options and models; it has: wer, chrf",
        ),
        ("wer", 2, "scores of wer in small are of 1 references per segment; here there are 2"),
    ],
)
def test_other_metrics_options_and_references_are_refused(metrics: str, references: int, said: str) -> None:
    frozen = tt.freeze(evaluation(lost(0, 1, 2, 3), metrics="wer,chrf"))
    with pytest.raises(InputError) as error:
        frozen.places(evaluation(lost(0, 1, 2, 3), metrics=metrics, references=references))
    assert str(error.value) == said


def test_another_model_is_another_metric(tmp_path: Path) -> None:
    """A model is in the metric's text by name and content."""
    told = frozen_object(tt.freeze(evaluation(lost(0, 1, 2, 3))))
    told["metrics"] = {'comet(model="wmt22@01234567")': told["metrics"]["wer"]}
    with pytest.raises(InputError, match=r"has no scores of wer.*it has: comet\(model=\"wmt22@01234567\"\)$"):
        read(told, tmp_path).places(evaluation(lost(0, 1, 2, 3)))


def read(told: Any, folder: Path) -> Any:
    path = folder / "a.json"
    path.write_text(json.dumps(told))
    return tt.read_frozen(path)


def test_documents_are_not_frozen() -> None:
    given = evaluation(lost(0, 1, 2, 3))
    with pytest.raises(OptionError) as error:
        tt.freeze(given).places(given, "document")
    assert str(error.value) == (
        "frozen scores are of systems and of segments, not of documents; choose one of those levels"
    )


def test_what_was_not_counted_from_texts_is_not_frozen() -> None:
    given = evaluation(lost(0, 1, 2, 3), metrics="wer")
    judged = [tt.Judgement(system="s0", segment=k, rater="r", scale="da100", value=10.0 * k) for k in range(4)]
    bare = tt.evaluate(given.testset, given.systems, ["human"], judgements=judged, trust_join=True)
    with pytest.raises(OptionError, match=r"^there are no scores to freeze; count metrics that read texts, "):
        tt.freeze(bare)
    both = tt.evaluate(given.testset, given.systems, ["wer", "human"], judgements=judged, trust_join=True)
    assert list(tt.freeze(both).metrics) == ["wer"]


def test_sentences_and_notes() -> None:
    frozen = tt.freeze(evaluation(lost(0, 0, 0, 1), lost(1, 1, 1, 1), lost(1, 2, 3, 4)), "three")
    given = evaluation(lost(1, 1, 1, 1), lost(0, 0, 0, 0), metrics="wer,cer")
    [found] = places_beside(given, [frozen])
    assert found.sentences(given) == [
        "WER: lower than this share of the 3 scores of systems in three (ties count half): s0 50 %, s1 100 %."
    ]
    assert found.notes == ["three has no scores of cer, with these options and models; it has: wer"]
    [segments] = places_beside(given, [frozen], "segment")
    assert segments.sentences(given, "wer") == [
        "WER: lower than this share of the 12 scores of segments in three (ties count half), the middle one of each "
        "system's segments: s0 50 %, s1 88 %."
    ]
    assert segments.sentences(given, "cer") == []
    [told] = json.loads(json.dumps(places_objects([found]), allow_nan=False))
    assert (told["name"], told["places"][0]["share"], told["places"][0]["n"]) == ("three", 0.5, 3)


def test_another_test_set_is_said_to_be_another() -> None:
    frozen = tt.freeze(evaluation(lost(0, 0, 0, 1), name="here"))
    other = evaluation(lost(0, 0, 0, 1), lines=[line.upper() for line in REFERENCE], name="elsewhere")
    [found] = places_beside(other, [frozen])
    assert found.notes == [
        "here is of another test set than elsewhere: where a score lies among its scores also depends on the texts, "
        "not on the systems alone"
    ]
    renamed = evaluation(lost(0, 0, 1, 1), name="copy")  # the same texts under another name
    assert places_beside(renamed, [frozen])[0].notes == []


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0 %"), (0.001, "under 1 %"), (0.73, "73 %"), (0.9999, "over 99 %"), (1, "100 %")]
)
def test_nearly_all_is_not_all(share: float, said: str) -> None:
    assert percent(share) == said


# Files


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": "other"}', "[" * 100_000])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        tt.read_frozen(path)
    assert str(error.value) == f"{path}: no frozen scores; make them with: tertium freeze EVALUATION.zip -o FILE"


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"version 2 of frozen scores; this tertium reads 1$"):
        read({"format": FORMAT, "version": 2}, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"values": [0.0, 20.0, 40.0]},
        {"values": [0.0, 40.0, 20.0, 60.0]},
        {"values": [0.0, 20.0, 40.0, float("inf")]},
        {"values": "abcd"},
        {"below": [0, 1, 6, 8]},
        {"below": [1, 2, 6, 7]},
        {"equal": [1, 5, 1, 0]},
        {"equal": [1, 6, 1, 1]},
        {"n": 9},
        {"n": -1, "values": [], "below": [], "equal": []},
        {"n": None},
        {"n": 3, "values": [], "below": [], "equal": []},
    ],
)
def test_damaged_files_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    told = frozen_object(tt.freeze(evaluation(lost(0, 1, 2, 3), lost(1, 1, 1, 1))))
    told["metrics"]["wer"]["segments"] |= change
    with pytest.raises(InputError, match=r"a\.json: damaged \(.*\); make it again with tertium freeze$"):
        read(told, tmp_path)


@pytest.mark.parametrize(
    ("place", "value"), [("name", 1), ("systems", None), ("metrics", []), ("metrics", {"wer": {}}), ("testset", 3)]
)
def test_files_of_other_shapes_are_refused(place: str, value: Any, tmp_path: Path) -> None:
    told = frozen_object(tt.freeze(evaluation(lost(0, 1, 2, 3))))
    with pytest.raises(InputError, match="damaged"):
        read(told | {place: value}, tmp_path)


def test_nothing_scored_is_an_empty_distribution(tmp_path: Path) -> None:
    assert distribution([math.nan]) == Distribution(n=0, values=(), below=(), equal=())
    told = frozen_object(tt.freeze(evaluation(lost(0, 1, 2, 3))))
    told["metrics"]["wer"]["systems"] = {"n": 0, "values": [], "below": [], "equal": []}
    [place] = read(told, tmp_path).places(evaluation(lost(0, 1, 2, 3)))
    assert math.isnan(place.share)
