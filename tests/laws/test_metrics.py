"""Every registered metric obeys the laws; and each exemption is real."""

import math
import re

import numpy as np
import pytest

from tertium.core.errors import InputError
from tertium.core.metric import find_exemption
from tertium.metrics import parse
from tertium.testing import LAWS, laws_of
from tertium.testing.formulas import PERFECT
from tertium.testing.rows import count
from tertium.testing.texts import HARD, LawSegment

from .variants import CLASSES, NAMES, WORDS

test_laws = laws_of(*NAMES, words=WORDS)


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-9, nan_ok=False)


COUNTEREXAMPLES = [
    ("bleu", "the cat sat", None, 0.0),  # no 4-gram
    ("bleu", "", None, 0.0),
    ('bleu(brevity="average")', "a b c d", "a b c d e f g h", 100 * math.exp(1 - 6 / 4)),
    ("chrf", " ", None, 0.0),
    ("chrf(eps=True)", "abc", None, 50.0),  # three of six orders
    ("lepor", "", None, 0.0),
    ("hlepor", " ", None, 0.0),
    ("nlepor", "the cat sat", None, 0.0),
    ("macrof", " ", None, 0.0),
    ("microf", "", None, 0.0),
    ("macrof", "the cat", "a cat", 200 / 3),  # `a` has a recall of 0
    ("microf(k=0)", "the cat", "a cat", 200 / 3),
    ("meteor", "", None, 0.0),
    ("precision", "", None, 0.0),
    ("recall", " ", None, 0.0),
    ("f1", "", None, 0.0),
    ("meteor(no_punct=True)", "?!", None, 0.0),
    ("gleu", "", None, 0.0),
    ("ribes", "cat", None, 0.0),  # one word has no order
    ("rouge", "中文", None, 0.0),  # no word that it reads
    ('rouge(variant="2")', "cat", None, 0.0),
    ("ter(normalized=True)", "the cat's.", None, 50.0),  # the reference: the cat 's . - the output: the cat's .
]


@pytest.mark.parametrize(("name", "text", "second", "score"), COUNTEREXAMPLES)
def test_perfect_output_that_is_not_best(name: str, text: str, second: str | None, score: float) -> None:
    metric = parse(name)
    stats = count(metric, [LawSegment(text, [text, second])])
    exemption = find_exemption(metric, PERFECT)
    assert exemption is not None
    assert exemption.holds is not None
    assert not exemption.holds(metric, stats.sums())
    assert float(metric.score(stats.total())) == close(score)


LACKING = "an output that lacks everything is worse than a perfect one"
TOO_HARD = "no text is too hard"


def test_an_output_that_lacks_everything_and_is_not_worse() -> None:
    """Precision has nothing to say of words that are not said."""
    metric = parse("precision")
    assert find_exemption(metric, LACKING) is not None
    stats = count(metric, [LawSegment("the cat", ["the cat"]), LawSegment("", ["sat on the mat"])])
    assert float(metric.score(stats.total())) == close(100.0)


def test_a_perfect_output_of_which_a_place_is_not_visited() -> None:
    """The text " cat " has five characters and a place before them."""
    metric = parse("eed")
    assert find_exemption(metric, PERFECT) is not None
    assert float(metric.score(count(metric, [LawSegment("cat", ["cat"])]).total())) == close(100 * 0.3 / 5.3)


def test_a_line_with_too_many_shifts_is_refused_and_shorter_ones_are_scored() -> None:
    metric = parse("character")
    assert find_exemption(metric, TOO_HARD) is not None
    hard = [LawSegment(output, ["the cat", output[::-1]]) for output in HARD]
    hard += [LawSegment(output, [other]) for output in HARD for other in HARD]
    with pytest.raises(InputError, match=r"character: .* too many phrases to shift"):
        count(metric, hard)
    short = [line for line in HARD if len(line) < 4000]
    assert len(short) > len(HARD) / 2
    rows = count(metric, [LawSegment(output, [other]) for output in short for other in short])
    assert np.isfinite(metric.score(rows.segments())).all()


WHOLLY_EXEMPT = {  # each has a counterexample above
    ("precision", LACKING): "an empty output has no word that is wrong",
    ("character", TOO_HARD): "a long line of few words has too many shifts to try",
    ("eed", PERFECT): "the place before the first character",
}


def test_every_exemption_has_a_counterexample() -> None:
    exempt = {(name, law) for name, cls in CLASSES.items() for law in getattr(cls, "exempt", {})}
    assert exempt == {*WHOLLY_EXEMPT, *((parse(name).name, PERFECT) for name, *_ in COUNTEREXAMPLES)}


def test_every_law_is_run_on_every_metric() -> None:
    """But for what does not apply: NIST and lexical have no best score, and some read texts in one way. Laws that
    a metric is exempt from, as a whole or in part, are skipped, and told."""
    [mark] = test_laws.pytestmark  # type: ignore[attr-defined]
    skipped = {case.id: case.marks[0].kwargs["reason"] for case in mark.args[1] if case.marks}
    run = {case.id for case in mark.args[1] if not case.marks}
    expected = {f"{name}-{law}" for name in NAMES for law in LAWS}
    fixed = [
        f"{name}-a function tokenises before anything is counted"
        for name in ("cer", "chrf", "eed", "lexical", "meteor", "ter")
    ]
    endless = [f"{name}-perfect output is best" for name in ("lexical", "nist")]
    assert run == expected - {*endless, *fixed, *(f"{name}-{law}" for name, law in WHOLLY_EXEMPT)}
    for (name, law), reason in WHOLLY_EXEMPT.items():
        assert skipped.pop(f"{name}-{law}").startswith(f"exempt: {reason}")
    assert {skipped.pop(name) for name in endless} == {"its range has no end, so there is no best score"}
    assert {skipped.pop(name) for name in fixed} == {"it has no option 'tokenize'"}
    assert set(skipped) == {
        f"{name}-{PERFECT}, in part"
        for name, cls in CLASSES.items()
        if PERFECT in getattr(cls, "exempt", {}) and (name, PERFECT) not in WHOLLY_EXEMPT
    }
    assert all(re.fullmatch("exempt: .+", reason) for reason in skipped.values())


def test_a_metric_without_a_best_score_may_prefer_another_output() -> None:
    """To leave out a common word costs little length and raises the information of the words that are left."""
    metric = parse("nist(order=1)")
    assert metric.range[1] == math.inf
    texts = ["a " * 19 + "x", "a " * 19 + "y"]
    perfect = float(metric.score(count(metric, [LawSegment(text, [text]) for text in texts]).total()))
    shorter = float(metric.score(count(metric, [LawSegment(text[2:], [text]) for text in texts]).total()))
    common, rare = math.log2(40 / 38), math.log2(40)
    penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(19 / 20) ** 2)
    assert perfect == close((38 * common + 2 * rare) / 40)
    assert shorter == close((36 * common + 2 * rare) / 38 * penalty)
    assert shorter > perfect
