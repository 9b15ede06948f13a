"""Answer search and mapping, beam search and choices among samples, checked by hand."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from tests.prompt.models import END, SayingModel, TableModel

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.models.language_model import Abilities, Decoding, ForcedScore, Gap
from tertium.prompt.answers import answer, log_sum_exp, write_answers
from tertium.prompt.beam import Hypothesis, beam_search
from tertium.prompt.choice import Rule, parse_rule
from tertium.prompt.template import Demonstration, Template

# After `sun` films are likelier good, after `rain` likelier bad; `bad` is likely whatever comes before.
TABLE = {
    "^": {"good": 0.1, "fine": 0.1, "bad": 0.7, "": 0.1},
    "sun": {"good": 0.3, "fine": 0.15, "bad": 0.4, "": 0.15},
    "rain": {"good": 0.05, "fine": 0.05, "bad": 0.8, "": 0.1},
    "good": {".": 0.5, "": 0.5},
    "fine": {".": 1.0},
    "bad": {".": 0.25, "": 0.75},
}
ANSWERS = {"good": "+", "fine": "+", "bad": "-"}
CLOZE, PREFIX = Template(text="[X] [Z] ."), Template(text="[X] [Z]")


def test_raw_scores_are_the_models() -> None:
    model = TableModel(TABLE)
    sun, rain = answer(["sun", "rain"], model, CLOZE, answers=ANSWERS)
    assert model.asked[0] == ("sun", " good .")
    by_hand = {"good": 0.3 * 0.5, "fine": 0.15 * 1.0, "bad": 0.4 * 0.25}
    for one in sun.answers:
        assert one.log_probability == one.score == pytest.approx(math.log(by_hand[one.answer]), rel=1e-12)
        assert one.tokens == 2
    assert sun.labels == pytest.approx({"+": math.log(0.3), "-": math.log(0.1)}, rel=1e-12)
    assert (sun.label, sun.best.answer) == ("+", "good")  # fine is just as likely: the first of equals
    assert sun.share == pytest.approx(0.75, rel=1e-12)
    assert rain.label == "-"
    assert sun.answered == "sun good ."


def test_labels_add_up_their_answers() -> None:
    """good and fine together beat bad, which is the likeliest answer of all."""
    [sun] = answer(["sun"], TableModel(TABLE), PREFIX, answers=ANSWERS)
    assert sun.best.answer == "bad"
    assert sun.label == "+"
    assert sun.labels["+"] == pytest.approx(math.log(0.45), rel=1e-12)
    assert sun.answered == "sun good"


def test_length_divides_by_tokens() -> None:
    [found] = answer(["sun"], TableModel(TABLE), PREFIX, answers=["good .", "bad"], scoring="length")
    assert [one.score for one in found.answers] == pytest.approx([math.log(0.15) / 2, math.log(0.4)], rel=1e-12)
    assert [one.label for one in found.answers] == ["good .", "bad"]
    assert found.label == "bad"
    assert found.best.log_probability == pytest.approx(math.log(0.4))


def test_pmi_takes_off_what_is_likely_anyway() -> None:
    model = TableModel(TABLE)
    raw = answer(["sun", "rain"], model, PREFIX, answers=["good", "bad"])
    assert [one.label for one in raw] == ["bad", "bad"]
    model.asked.clear()
    pmi = answer(["sun", "rain"], model, PREFIX, answers=["good", "bad"], scoring="pmi")
    assert [one.label for one in pmi] == ["good", "bad"]
    expected = [math.log(0.3 / 0.1), math.log(0.4 / 0.7), math.log(0.05 / 0.1), math.log(0.8 / 0.7)]
    assert [one.score for found in pmi for one in found.answers] == pytest.approx(expected, rel=1e-12)
    assert model.asked == [(text, f" {z}") for text in ("sun", "rain", "") for z in ("good", "bad")]


def test_pmi_after_demonstrations_keeps_them() -> None:
    model = TableModel(TABLE)
    shown = [Demonstration(("snow",), "fine")]
    answer(["sun"], model, Template(text="[X]: [Z]", joiner="|"), answers=["good"], scoring="pmi", demonstrations=shown)
    assert model.asked == [("snow: fine|sun:", " good"), ("snow: fine|:", " good")]


def test_demonstrations_with_labels_are_shown_with_answers() -> None:
    model = TableModel(TABLE)
    shown = [("snow", "-"), ("wind", "fine"), ("hail", "+"), ("fog", "odd")]
    answer(["sun"], model, Template(text="[X]: [Z]", joiner="|"), answers=ANSWERS, demonstrations=shown)
    assert model.asked[0][0] == "snow: bad|wind: fine|hail: good|fog: odd|sun:"


def test_what_cannot_be_is_minus_infinity_and_not_nan() -> None:
    found = answer(["sun"], TableModel(TABLE), PREFIX, answers=["purple", "good"], scoring="pmi")[0]
    assert [one.score for one in found.answers] == [-math.inf, pytest.approx(math.log(3))]
    assert (found.label, found.share) == ("good", 1.0)
    [nothing] = answer(["sun"], TableModel(TABLE), PREFIX, answers=["purple", "green"])
    assert math.isnan(nothing.share)


def test_answers_of_the_template_itself() -> None:
    model = TableModel({"^": {"great": 0.2, "fantastic": 0.2, "bad": 0.3, "horrible": 0.2, "": 0.1},
                        "great": {"movie": 1.0}, "fantastic": {"movie": 1.0}, "bad": {"movie": 0.5, "": 0.5},
                        "horrible": {"movie": 1.0}, "movie": {".": 1.0}})  # fmt: skip
    [found] = answer(["I liked it."], model)
    assert found.prompt.before == "I liked it. Overall, it was a"
    assert found.labels == pytest.approx({"+": math.log(0.4), "-": math.log(0.35)})
    assert found.answered == "I liked it. Overall, it was a great movie."


def test_log_sum_exp() -> None:
    assert log_sum_exp([-1000.0, -1000.0]) == pytest.approx(-1000 + math.log(2), rel=1e-15)
    assert log_sum_exp([-math.inf, -math.inf]) == -math.inf
    assert log_sum_exp([math.log(3), -math.inf]) == pytest.approx(math.log(3))


class Unsure(TableModel):
    def force(self, pairs, run):  # type: ignore[no-untyped-def]  # noqa: ARG002
        yield ForcedScore(tokens=("a",), log_probabilities=(math.nan,))


def test_what_a_model_cannot_do_is_said() -> None:
    with pytest.raises(OptionError, match=r"^saying gives no log-probabilities, so it cannot choose among answers; "):
        answer(["a"], SayingModel(str), PREFIX, answers=["b"])
    with pytest.raises(InputError, match=r"^table gave no log-probability for the answer 'b'$"):
        answer(["a"], Unsure(TABLE), PREFIX, answers=["b"])
    with pytest.raises(InputError, match=r"^table scored 1 of 2 answers; it must score all$"):
        answer(["a"], Unsure(TABLE), PREFIX, answers=["b", "c"])


@pytest.mark.parametrize(
    ("answers", "scoring", "message"),
    [
        ([], "raw", "has no answers of its own; say which are permissible"),
        (["a", "a"], "raw", "the answer 'a' is given twice; an answer has one label"),
        (["a", " "], "raw", "an answer is empty; every permissible answer is a word or more"),
        (["a"], "best", "unknown scoring 'best'; choose from raw, length, pmi"),
    ],
)
def test_wrong_answers_are_explained(answers: list[str], scoring: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        answer(["x"], TableModel(TABLE), PREFIX, answers=answers, scoring=scoring)  # type: ignore[arg-type]


# Writing


def test_greedy_and_samples() -> None:
    model = TableModel(TABLE)
    prompts = [PREFIX.fill("sun"), PREFIX.fill("rain")]
    greedy = list(write_answers(prompts, model, Decoding()))
    assert [[one.text for one in several] for several in greedy] == [[" bad"], [" bad"]]
    assert greedy[0][0].log_probability == pytest.approx(math.log(0.4 * 0.75))
    drawn = Decoding(temperature=1.0, seed=1)
    [sun, _] = write_answers(prompts, model, drawn, samples=400)
    counts = Counter((one.text.split() or [""])[0] for one in sun)
    assert counts["bad"] / 400 == pytest.approx(0.4, abs=0.1)  # four standard deviations
    assert counts["good"] / 400 == pytest.approx(0.3, abs=0.1)
    again = next(iter(write_answers(prompts, model, drawn, samples=400)))
    assert [one.text for one in again] == [one.text for one in sun]


def test_chat_models_get_messages() -> None:
    model = SayingModel(str.upper, chats=True)
    prompt = PREFIX.fill("b", demonstrations=[Demonstration(("a",), "A")])
    [[said]] = write_answers([prompt], model, Decoding())
    assert said.text == "B"
    assert model.requests[0].prompt == (("user", "a"), ("assistant", "A"), ("user", "b"))


def test_samples_that_would_all_be_the_same() -> None:
    with pytest.raises(OptionError, match=r"^3 samples at temperature 0 are all the same; set a temperature"):
        list(write_answers([], TableModel(TABLE), Decoding(), samples=3))
    model = TableModel(TABLE)
    model.abilities = Abilities()
    with pytest.raises(OptionError, match=r"^table does not sample; leave the temperature at 0$"):
        list(write_answers([], model, Decoding(temperature=1)))


# Beam search

GARDEN = {  # the likeliest first word leads to unlikely texts
    "^": {"a": 0.5, "b": 0.3, "c": 0.2},
    "a": {"x": 0.4, "y": 0.35, "": 0.25},
    "b": {"": 0.9, "x": 0.1},
    "c": {"": 1.0},
    "x": {"": 0.5, "y": 0.5},
    "y": {"": 1.0},
}


def all_texts(table: dict[str, dict[str, float]], longest: int) -> dict[str, float]:
    """Every text that ends, and its probability: by trying all."""
    found = {}
    words = [word for word in table if word != "^"]
    for length in range(longest):
        for path in product(words, repeat=length):
            steps = zip(("^", *path), (*path, ""), strict=True)
            probability = math.prod(table[before].get(after, 0.0) for before, after in steps)
            if probability:
                found["".join(f" {word}" for word in path)] = probability
    return found


def test_a_wide_beam_finds_the_likeliest_of_all() -> None:
    model = TableModel(GARDEN)
    texts = sorted(all_texts(GARDEN, 5).items(), key=lambda item: -item[1])
    found = beam_search(model, "", Decoding(tokens=6), width=8)
    assert [one.text for one in found[:3]] == [text for text, _ in texts[:3]] == [" b", " c", " a y"]
    assert [one.log_probability for one in found[:3]] == pytest.approx([math.log(p) for _, p in texts[:3]], rel=1e-12)


def test_a_beam_of_one_is_greedy_and_none_is_worse() -> None:
    model = TableModel(GARDEN)
    for prompt, tokens in product(["", "a", "b", "x"], range(1, 5)):
        decoding = Decoding(tokens=tokens)
        [[greedy]] = write_answers([PREFIX.fill(prompt)], model, decoding)
        [alone] = beam_search(model, prompt, decoding, width=1)
        assert alone.text == greedy.text
        assert alone.log_probability == pytest.approx(greedy.log_probability, rel=1e-12)
        for width in (2, 3, 5):
            best = beam_search(model, prompt, decoding, width=width)[0]
            assert best.log_probability >= alone.log_probability - 1e-12


def test_beams_end_at_stop_texts_and_prefer_lengths_as_told() -> None:
    model = TableModel(GARDEN)
    found = beam_search(model, "", Decoding(tokens=4, stop=("y",)), width=6)
    assert all("y" not in one.text for one in found)
    assert any(one.text == " a " and one.ended for one in found)
    by_mean = beam_search(model, "", Decoding(tokens=6), width=8, length_power=1.0)
    assert by_mean[0].score(1.0) == max(one.score(1.0) for one in by_mean)
    assert Hypothesis("a b", 2, -3.0).score(1.0) == -1.5
    assert Hypothesis("a b", 2, -3.0).score(0.0) == -3.0


def test_beams_need_next_tokens() -> None:
    with pytest.raises(OptionError, match=r"^saying does not say how likely next tokens are"):
        beam_search(SayingModel(str), "a", Decoding())
    with pytest.raises(OptionError, match=r"^width: 0; a beam is at least 1 wide$"):
        beam_search(TableModel(GARDEN), "a", Decoding(), width=0, run=PLAIN)


# Choices

SAMPLES = [["the cat sat", "the cat sits", "a dog"], ["x", "yes it is", "yes it was"]]
LOG = [[-3.0, -1.0, -2.0], [-1.0, -1.0, -5.0]]


def test_choice_by_probability_and_by_minimum_bayes_risk() -> None:
    assert parse_rule("probability").choose(SAMPLES, LOG, ["", ""]) == [1, 0]
    expected = [ranking.index for ranking in tt.mbr(SAMPLES, "chrf")]
    assert parse_rule("mbr:chrf").choose(SAMPLES, LOG, ["", ""]) == expected
    assert expected[1] != 0  # `x` agrees with nobody
    with pytest.raises(InputError, match=r"^segment 1: the model did not say how likely its answers are; choose by"):
        Rule().choose([["a", "b"]], [[None, -1.0]], [""])


def gap(outputs: list[str], sources: list[str]) -> list[float]:
    """How far lengths are apart."""
    return [float(abs(len(output) - len(source))) for output, source in zip(outputs, sources, strict=True)]


def test_choice_by_a_metric_without_references() -> None:
    rule = Rule(metric=tt.metric_from(gap, name="gap", reads="source", better="lower"))
    assert rule.choose(SAMPLES, LOG, ["123456", "123456789."]) == [2, 2]
    assert rule.choose(SAMPLES, LOG, ["123456789012", "1"]) == [1, 0]


@pytest.mark.parametrize("text", ["probability", "mbr:chrf", 'mbr:bleu(tokenize="zh")'])
def test_the_text_of_a_rule_means_it(text: str) -> None:
    assert str(parse_rule(text)) == text
    assert parse_rule(parse_rule(text)) == parse_rule(text)


def test_wrong_rules() -> None:
    with pytest.raises(OptionError, match=re.escape("chrf needs references, which nobody has here; write mbr:chrf")):
        parse_rule("chrf")
    with pytest.raises(OptionError, match=r"^unknown metric 'likely'"):
        parse_rule("likely")


# Beams


def test_a_beam_of_our_own_where_the_model_has_none() -> None:
    """`a` is likelier than `b`, but what follows `b` is certain."""
    table = {"^": {"a": 0.6, "b": 0.4}, "a": {"x": 0.5, "y": 0.5}, "b": {"z": 1.0}, "x": {END: 1.0}, "y": {END: 1.0},
             "z": {END: 1.0}}  # fmt: skip
    model = TableModel(table)
    model.abilities = replace(model.abilities, beam="steps")
    prompts = [tt.Template(text="[X] [Z]").fill("go")]
    [[greedy]] = write_answers(prompts, model, Decoding(tokens=4))
    [[beam]] = write_answers(prompts, model, Decoding(tokens=4, beam=2))
    assert (greedy.text, beam.text) == (" a x", " b z")
    assert greedy.log_probability == pytest.approx(math.log(0.3))
    assert beam.log_probability == pytest.approx(math.log(0.4))
    assert (beam.finish, beam.answer_tokens) == ("stop", 3)


def test_who_cannot_be_searched_by_a_beam() -> None:
    prompts = [tt.Template(text="[X] [Z]").fill("go")]
    with pytest.raises(OptionError) as caught:
        list(write_answers(prompts, SayingModel(str), Decoding(beam=2)))
    assert str(caught.value) == (
        "saying does not say how likely next tokens are, so there is no beam search with it; leave the beam out, or "
        "use another model"
    )
    for options, told in {
        (("beam", 0),): "beam: 0; a beam is at least 1 wide",
        (("beam", 2), ("temperature", 0.5)): "beam: 2 with temperature 0.5; a beam draws nothing",
    }.items():
        with pytest.raises(OptionError) as caught:
            Decoding(**dict(options))  # type: ignore[arg-type]
        assert str(caught.value) == told


class GapTable(TableModel):
    """Fills gaps: the answer alone is scored, and what stands behind is only looked at."""

    def force_gaps(self, gaps: Sequence[Gap], run: Run) -> Iterator[ForcedScore]:
        self.gaps = list(gaps)
        return self.force([(gap.before, gap.answer) for gap in gaps], run)


def test_a_model_that_fills_gaps_is_asked_about_the_gap() -> None:
    model = GapTable({"^": {"great": 0.5, "bad": 0.5}})
    model.abilities = replace(model.abilities, completes=False, fills=True)
    [choice] = tt.answer(["Sun."], model, "[X] A [Z] movie.", answers=["great", "bad"])
    assert model.gaps == [Gap("Sun. A", " great", " movie."), Gap("Sun. A", " bad", " movie.")]
    assert [one.log_probability for one in choice.answers] == [pytest.approx(math.log(0.5))] * 2
    with pytest.raises(OptionError, match=r"^table fills gaps and does not write texts; say which answers"):
        list(write_answers([choice.prompt], model, Decoding()))
