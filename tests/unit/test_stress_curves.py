"""Curves, areas, selectivity, blind spots: by hand on small texts, and against scores of whole outputs."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.analysis.noise.kinds import USUAL, Material, parse_noises
from tertium.analysis.noise.selection import plan
from tertium.analysis.noise.words import Words
from tertium.analysis.rescoring import Rescoring
from tertium.analysis.stress import Curve
from tertium.core.errors import InputError, OptionError
from tertium.metrics import known

EXAMPLE = Path(__file__).parents[2] / "examples" / "testset.toml"


@pytest.fixture(scope="module")
def example() -> tt.Evaluation:
    return tt.read_testset(EXAMPLE)


def one_reference(*texts: str | None) -> tt.TestSet:
    return tt.TestSet(segments=len(texts), references=tt.References((tt.Lines.of(texts),), len(texts)))


def curves(result: object) -> dict[tuple[str, str, str], Curve]:
    return {(curve.metric, curve.noise, curve.aim): curve for curve in result.curves}  # type: ignore[attr-defined]


TEN = one_reference("one two three four five six", "seven eight nine ten")


def test_by_hand() -> None:
    """Ten different words: WER loses a tenth for each of them, whether it is deleted, masked or followed by another."""
    result = tt.stress(TEN, None, "wer", noises="delete,mask,insert", rates=(0.1, 0.3), on="references", seeds=3)
    assert (result.system, result.words, result.segments, result.seeds) == ("reference", 10, 2, (12345, 12346, 12347))
    assert (result.scores, result.nothing) == ({"wer": 0.0}, {"wer": 100.0})
    for curve in result.curves:
        assert curve.left == pytest.approx((90, 70))
        assert curve.touched == (1, 3)
        assert curve.able == curve.words == 10
        assert curve.area == pytest.approx(85)  # a straight line from 100 to 70
        assert curve.spread == pytest.approx((0, 0), abs=1e-9)
        assert curve.sensitivity == pytest.approx(1)


def test_the_area_is_that_of_trapezoids() -> None:
    """From (0, 100) to (.1, 90) and (.5, 50): .1 x 95 + .4 x 70 over .5."""
    result = tt.stress(TEN, None, "wer", noises="delete", rates=(0.1, 0.5), on="references", seeds=1)
    assert result.curves[0].area == pytest.approx((0.1 * 95 + 0.4 * 70) / 0.5)
    assert math.isnan(result.curves[0].spread[0])


def test_rarest_and_most_frequent_by_hand() -> None:
    """Types a (8 of 10), b and c, all right. Without b and c: F 1, 0, 0. Without two of the eight: 2 x 6/14, 1, 1."""
    testset = one_reference("a a a a a b", "a a a c")
    result = tt.stress(testset, None, "macrof", noises="delete", aims="rarest,frequent", rates=[0.2], on="references")
    found = curves(result)
    assert found["macrof", "delete", "rarest"].left == pytest.approx((100 / 3,))
    assert found["macrof", "delete", "frequent"].left == pytest.approx((100 * (12 / 14 + 2) / 3,))
    [item] = result.selectivity
    assert item.value == pytest.approx((100 * (12 / 14 + 2) / 3 - 100 / 3) / 2)  # areas are half-way to 100


@pytest.mark.parametrize("metric", known())
def test_only_touched_rows_are_counted_again(example: tt.Evaluation, metric: str) -> None:
    """The same scores as those of whole outputs, by every metric, with missing texts and several references."""
    testset, outputs = example.testset, list(example.systems[0].outputs)
    outputs[3] = None
    lines = tt.Lines.of(outputs)
    chosen = tt.parse(metric)
    if chosen.needs & {"judgements", "scores", "model", "function", "rankings", "glossary"}:
        pytest.skip("counts no texts of itself")
    count = Rescoring(chosen, testset, lines)
    made = [plan(noise, Material(Words.of(lines), testset.sources, "en")) for noise in parse_noises(USUAL)]
    noised = [item.noised(0.2) for item in made]
    texts = tt.Lines.of([text for item in noised for text in item.texts])
    segments = np.concatenate([item.segments for item in noised])
    variant = np.repeat(np.arange(len(noised)), [len(item.texts) for item in noised])
    ours = count.scores(texts, segments, variant, len(noised))
    for value, item in zip(ours.tolist(), noised, strict=True):
        whole = chosen.stats(item.outputs(lines), chosen.prepare(testset))
        assert value == pytest.approx(float(chosen.score(whole.total())), abs=1e-9, nan_ok=True)


def test_the_example(example: tt.Evaluation) -> None:
    """BLEU does not care which words go; MacroF cares for the rare ones alone, and not at all for their order."""
    noises = 'delete,permute,permute(how="swap"),permute(how="shuffle")'
    for system in example.systems:
        result = tt.stress(
            example.testset, system, "bleu,macrof,ter", noises=noises, aims="rarest,frequent", rates=[0.3], seeds=2
        )
        found = curves(result)
        left = {
            (metric, aim): found[metric, "delete", aim].left[0]
            for metric in ("bleu", "macrof")
            for aim in ("rarest", "frequent")
        }
        assert 30 < left["bleu", "rarest"] < 50
        assert 30 < left["bleu", "frequent"] < 50
        assert left["macrof", "frequent"] > 95
        assert left["macrof", "rarest"] < 60
        for curve in result.curves:
            if curve.metric == "macrof" and curve.noise.startswith("permute"):
                assert curve.left == (100.0,)  # exactly
                assert {value for values in curve.values for value in values} == {result.scores["macrof"]}
        selectivity = {item.metric: item.value for item in result.selectivity if item.noise == "delete"}
        assert selectivity["macrof"] > 15 > 5 > abs(selectivity["bleu"])


def test_blind_spots(example: tt.Evaluation) -> None:
    system = example.systems[0]
    result = tt.stress(example.testset, system, "ter,macrof,bleu(lowercase=True),chrf", noises="permute,case,delete",
                       aims="random,frequent", seeds=2)  # fmt: skip
    texts = {spot.text for spot in result.blind_spots}
    assert texts == {
        "TER does not notice letter case",
        "TER does not notice letter case among the most frequent",
        "MacroF does not notice word order",
        "MacroF does not notice word order among the most frequent",
        "MacroF hardly notices missing words among the most frequent",
        "bleu(lowercase=True) does not notice letter case",
        "bleu(lowercase=True) does not notice letter case among the most frequent",
    }
    [spot] = [spot for spot in result.blind_spots if spot.text == "TER does not notice letter case"]
    assert (spot.left, spot.rate) == (100.0, 0.3)
    assert 20 < spot.share < 30


def test_what_a_metric_rewards() -> None:
    """Two words too many stand at the end: without them WER falls from 50 to 0, and 200 % of the score is left."""
    result = tt.stress(one_reference("a b c d"), ["a b c d x y"], "wer", noises="delete", aims="end", rates=[1 / 3])
    assert result.curves[0].left == pytest.approx((200,))
    assert [spot.text for spot in result.blind_spots] == ["WER rewards missing words at the end"]


def test_scores_no_better_than_those_of_nothing() -> None:
    """Nothing can be said of what is left of nothing."""
    result = tt.stress(one_reference("a b"), ["x y"], "wer,bleu", noises="delete", rates=[0.5])
    assert all(math.isnan(curve.left[0]) and math.isnan(curve.area) for curve in result.curves)
    assert result.blind_spots == ()


def test_threads_and_seeds(example: tt.Evaluation) -> None:
    def run(**options: object) -> str:
        result = tt.stress(
            example.testset, example.systems[1], "bleu,meteor", noises="replace,typo", seeds=3, **options
        )  # type: ignore[arg-type]
        return json.dumps(asdict(result)["curves"])

    assert run(run=tt.Run(threads=1)) == run(run=tt.Run(threads=4)) == run()
    assert run() != run(seed=7)


def test_everything_is_tried_for_which_there_is_something(example: tt.Evaluation) -> None:
    result = tt.stress(example.testset, example.systems[0], "wer", seeds=1, rates=[0.3])
    assert [curve.noise for curve in result.curves] == [str(noise) for noise in parse_noises(USUAL)]
    bare = tt.stress(replace(TEN, sources=None), ["a b", "c d"], "wer", seeds=1)
    left_out = [warning.partition(":")[0] for warning in bare.warnings if "left out" in warning]
    assert left_out == [f"{noise} is left out" for noise in ("untranslate", "typo", "number", "negation")]


def test_rates_that_touch_nothing() -> None:
    """Of four words, 10 % are none."""
    result = tt.stress(one_reference("a b c d"), ["a b c x"], "wer", noises="delete", rates=(0.1, 0.5))
    assert result.curves[0].touched == (0, 2)
    assert result.curves[0].left[0] == 100
    assert result.warnings[-1] == "delete touches no word at 10 %: the text is too short"
    low = tt.stress(one_reference("a b c d"), ["a b c x"], "macrof", noises="delete", rates=[0.1])
    assert math.isnan(low.curves[0].sensitivity)
    assert low.blind_spots == ()


def test_tokenised_texts() -> None:
    """The stop is a word of its own, on both sides."""
    testset = one_reference("one two.", "three four.")
    result = tt.stress(testset, None, "wer", noises="delete", on="references", tokenize="13a", aims="frequent",
                       rates=[1 / 3])  # fmt: skip
    assert result.words == 6
    assert result.curves[0].left == pytest.approx((100 * 4 / 6,))
    assert tt.stress(testset, None, "wer", noises="delete", on="references").words == 4


def test_words_that_spaces_do_not_separate() -> None:
    text = "这座老桥在冬天的早晨总是被浓雾笼罩着。"
    testset = one_reference(text)
    whole = tt.stress(testset, None, "bleu", noises="delete", on="references")
    assert (
        "words are very long: where spaces do not separate them, tokenise first (such as --tokenize zh)"
        in whole.warnings
    )
    split = tt.stress(testset, None, 'bleu(tokenize="zh")', noises="delete,permute", on="references", tokenize="zh")
    assert split.words == len(text)
    assert not any("very long" in warning for warning in split.warnings)
    assert split.curves[0].left[-1] < 60


def test_pairs(example: tt.Evaluation) -> None:
    options = {"noises": "delete,repeat", "aims": ("random", "end"), "rates": (0.1, 0.3), "seeds": 2}
    pairs = list(tt.noised_pairs(example.testset, example.systems[0], **options))  # type: ignore[arg-type]
    outputs = list(example.systems[0].outputs)
    for pair in pairs:
        number = int(pair.segment) - 1
        assert pair.output == outputs[number]
        assert pair.source == example.testset.sources[number]  # type: ignore[index]
        assert pair.references == example.testset.references[number]
        change = -pair.touched if pair.noise == "delete" else pair.touched
        assert len(pair.noised.split()) - pair.words == change
        assert pair.words == len(pair.output.split())
        assert pair.severity == pair.touched / pair.words
    keys = [(p.segment, p.noise, p.aim, p.seed, p.touched) for p in pairs]
    assert len(keys) == len(set(keys))  # a higher rate that does no more to a segment does not repeat it
    result = tt.stress(example.testset, example.systems[0], "wer", **options)  # type: ignore[arg-type]
    for curve in result.curves:
        most: dict[tuple[str, int], int] = {}
        for pair in pairs:
            if (pair.noise, pair.aim) == (curve.noise, curve.aim):
                most[pair.segment, pair.seed] = max(pair.touched, most.get((pair.segment, pair.seed), 0))
        assert sum(most.values()) / 2 == curve.touched[-1]


def test_mistakes(example: tt.Evaluation) -> None:
    testset, system = example.testset, example.systems[0]
    for options, message in [
        ({"rates": []}, "rates none: must rise, above 0 and up to 1, such as 0.05, 0.1, 0.2, 0.3"),
        ({"rates": [0.2, 0.1]}, "rates 0.2, 0.1: must rise, above 0 and up to 1, such as 0.05, 0.1, 0.2, 0.3"),
        ({"rates": [math.nan]}, "rates nan: must rise, above 0 and up to 1, such as 0.05, 0.1, 0.2, 0.3"),
        ({"seeds": 0}, "seeds=0, seed=12345: at least one seed, from 0 on"),
        ({"aims": []}, "no aim; choose from random, rarest, frequent, content, function, begin, middle, end"),
        ({"noises": []}, "no noise; name at least one, such as delete"),
        ({"on": "source"}, 'stress: on="source" is unknown; choose from outputs, references'),
    ]:
        with pytest.raises(OptionError) as error:
            tt.stress(testset, system, "bleu", **options)  # type: ignore[arg-type]
        assert str(error.value) == message
    with pytest.raises(OptionError, match=r"^no system to noise; name one$"):
        tt.stress(testset, None, "bleu")
    with pytest.raises(InputError, match=r"^system system has only empty outputs: there is no word to noise$"):
        tt.stress(TEN, ["", " "], "bleu")
    with pytest.raises(InputError, match=r"^system system: 1 line, but test set testset has 2 segments"):
        tt.stress(TEN, ["a"], "bleu")
    with pytest.raises(InputError, match=r"^test set testset has no references to noise \(--ref FILE\)$"):
        tt.stress(tt.TestSet(segments=1), ["a"], "bleu", on="references")
    with pytest.raises(OptionError, match=r"^permute is left out: there is no word that it can touch$"):
        tt.stress(one_reference("a a"), ["b b"], "bleu", noises="permute")
