"""Published curves are used where metric, options and references are those they were fitted for, and nowhere else."""

import json

import pytest

import tertium as tt
from tertium.core.errors import OptionError
from tertium.inference.compare import compare
from tertium.meta.meaning import PublishedCurve, curve_for, meaning, sentence
from tertium.report.json_values import comparisons_object
from tertium.report.tables.meaning import comparison_sentence

BLEU = (
    "sacreBLEU 2.3.1 with its default options (13a; the tokenizers zh and ja-mecab for Chinese and Japanese), "
    "one reference"
)
REFERENCE = [f"the river rose {k} times by the old mill and {k + 1} by the new one" for k in range(40)]


def evaluation(references: int = 1, target: str | None = None, metric: str = "bleu") -> tt.Evaluation:
    lines = tuple(tt.Lines.of([f"{line}{' again' * k}" for line in REFERENCE]) for k in range(references))
    testset = tt.TestSet(segments=40, name="mills", references=tt.References(lines, 40), target_language=target)
    good = [line.replace("old", "older") for line in REFERENCE]
    bad = [line.replace("river rose", "stream fell") for line in REFERENCE]
    systems = [tt.System(name="good", outputs=tt.Lines.of(good)), tt.System(name="bad", outputs=tt.Lines.of(bad))]
    return tt.evaluate(testset, systems, [metric])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bleu", "bleu"),
        ('bleu(tokenize="zh")', "bleu"),
        ('bleu(tokenize="spm:/models/flores200sacrebleuspm")', "spbleu200"),
        ("chrf", "chrf"),
        ('comet(model="wmt22-comet-da@01234567")', "wmt22-comet-da"),
        ('comet(model="models/wmt22-cometkiwi-da", inputs="source")', "wmt22-cometkiwi-da"),
        ('bleurt(model="BLEURT-20")', "bleurt-20"),
        ('metricx(model="metricx-23-qe-large-v2p0", format="23-qe")', "metricx-23-qe-large"),
    ],
)
def test_a_curve_is_found_for_what_it_was_fitted_for(text: str, name: str) -> None:
    found = curve_for(tt.parse(text))
    assert isinstance(found, PublishedCurve)
    assert found.name == name


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bleu(lowercase=True)", f"the published curve of BLEU is for {BLEU}; bleu(lowercase=True) has lowercase=True"),
        (
            "chrf(words=2)",
            "the published curve of chrF is for sacreBLEU 2.3.1 with its default options (chrF2, no word n-grams), "
            "one reference; chrf(words=2) has words=2",
        ),
        (
            'comet(model="wmt22-comet-da", precision="float16")',
            "the published curve of COMET-22 is for the checkpoint wmt22-comet-da (COMET 2.1.0), one reference; "
            "differences here are of the model's own scores, in the paper of 100 times them; "
            'comet(model="wmt22-comet-da", precision="float16") has precision="float16"',
        ),
        (
            'bleurt(model="mine")',
            'bleurt(model="mine") has no published curve: those of BLEURT are for the models BLEURT-20',
        ),
    ],
)
def test_another_setting_has_no_curve_and_says_why(text: str, reason: str) -> None:
    assert curve_for(tt.parse(text)) == reason
    with pytest.raises(OptionError) as error:
        meaning(text, 1.0)
    assert str(error.value) == reason


def test_a_metric_without_a_curve_names_those_that_have_one() -> None:
    with pytest.raises(OptionError, match=r"^there is no published curve for ter; there are curves for: bleu, chrf, "):
        meaning("ter", 1.0)


def test_curves_hold_for_one_reference_and_their_tokenizers() -> None:
    assert isinstance(curve_for(tt.parse("bleu"), evaluation().testset), PublishedCurve)
    several = curve_for(tt.parse("bleu"), evaluation(references=2).testset)
    assert several == f"the published curve of BLEU is for {BLEU}; mills has 2 references"
    japanese = curve_for(tt.parse("bleu"), evaluation(target="ja").testset)
    assert japanese == (
        'the published curve of BLEU is for tokenize="ja-mecab" where the target language is ja; bleu has another'
    )


def test_what_lies_outside_the_table_is_said() -> None:
    assert sentence(meaning("bleu", 0.1)) == (
        "0.10 BLEU is below 0.27, where the curve is at 50 %: no better than tossing a coin (Kocmi et al. 2024)."
    )
    assert sentence(meaning("bleu", 6)).endswith(
        "That is beyond 3.35, the largest difference in their table; the curve levels off at 88.3 %."
    )
    assert sentence(meaning("bleu", accuracy=0.9)) == (
        "No difference of BLEU reaches 90 %: the curve levels off at 88.3 % (Kocmi et al. 2024)."
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"difference": -1.0}, "difference -1: must be a number from 0 on; leave the sign out"),
        ({"difference": float("nan")}, "difference nan: must be a number from 0 on; leave the sign out"),
        ({"accuracy": 0.3}, "accuracy 0.3: must be at least 0.5 and below 1, such as 0.9"),
        ({}, "say either a difference, such as 1.0, or an accuracy, such as accuracy=0.9"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, float], said: str) -> None:
    with pytest.raises(OptionError) as error:
        meaning("bleu", **options)
    assert str(error.value) == said


def test_comparisons_say_it_of_significant_differences_only() -> None:
    given = evaluation()
    items = compare(given, "bleu", trials=200)
    assert items[0].verdict != "undecided"
    said = comparison_sentence(given, items)
    assert said.startswith("The significant difference is ")
    assert "(Kocmi et al. 2024)" in said
    assert said.endswith("and nothing about significance.")
    undecided = compare(given, "bleu", trials=200, alpha=1e-6)
    assert comparison_sentence(given, undecided) == ""
    several = evaluation(references=2)
    assert comparison_sentence(several, compare(several, "bleu", trials=200)) == ""


def test_the_json_of_comparisons_has_the_curve_or_the_reason() -> None:
    given = evaluation()
    found = comparisons_object(given, {"bleu": compare(given, "bleu", trials=200)}, None)["meaning"]["bleu"]
    [pair] = json.loads(json.dumps(found))["pairs"]
    size = abs(pair["difference"])
    assert pair["accuracy"] == tt.meaning("bleu", size).accuracy
    assert found["curve"]["name"] == "bleu"
    other = evaluation(metric="ter")
    found = comparisons_object(other, {"ter": compare(other, "ter", trials=200)}, None)["meaning"]["ter"]
    assert found["curve"] is None
    assert found["reason"].startswith("there is no published curve for ter; ")
