"""The search for a template: what is mined and paraphrased, that the best is found, what it costs and never sees."""

import hashlib
import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.prompt.models import SayingModel, TableModel

import tertium as tt
from tertium.core.errors import CancelledError, InputError, OptionError
from tertium.core.run import Run
from tertium.models.cache import AnswerCache, CachedModel
from tertium.prompt.search.halving import HalvingRound, halve, halving_rounds, least_answers, rounds_of, usual_answers
from tertium.prompt.search.mining import NEAR, Frame, mine_frames
from tertium.prompt.search.paraphrasing import RULES, by_model, by_round_trip, by_rules, lines_of, rewritten
from tertium.prompt.search.preparing import SearchSettings, prepare_search, set_apart
from tertium.prompt.search.search import announced
from tertium.prompt.template import Demonstration, Template
from tertium.prompt.templates import find_template, read_templates, templates_text

# Mining

PAIRS = [("Haus", "house"), ("Baum", "tree"), ("rotes Boot", "red boat"), ("Katze", "cat")]


def test_frames_stand_between_and_around_pairs() -> None:
    text = (
        "German: Haus, English: house.\n"
        "German: Baum, English: tree.\n"
        "a tree (Baum)\n"
        "the word for a house (Haus) is old\n"
        "Ein rotes Boot\nis a red boat\n"
        "Katzen, English: cats\n"  # other words
    )
    frames = mine_frames([text], PAIRS)
    assert frames[0] == Frame("[X], English: [Z]", 2)
    assert Frame("German: [X], English: [Z]", 2) in frames
    assert Frame("[X], English: [Z].", 2) in frames
    assert {frame.pairs for frame in frames} == {2}
    everything = {frame.text: frame.pairs for frame in mine_frames([text], PAIRS, least=1)}
    assert everything["a [Z] ([X])"] == 1  # the answer first, if there is something to begin with
    assert everything["the word for a [Z] ([X]) is old"] == 1
    assert everything["Ein [X]\nis a [Z]"] == 1  # across lines
    assert not any(text.startswith("[Z]") for text in everything)
    assert not any("Katze" in text or text.startswith("[X]n") for text in everything)


def test_names_of_languages_become_slots() -> None:
    text = "German: Haus\nEnglish: house\nGerman: Baum\nEnglish: tree\n"
    frames = mine_frames([text], PAIRS, {"src": "German", "tgt": "English"})
    assert Frame("[src]: [X]\n[tgt]: [Z]", 2) in frames
    assert mine_frames(["Haus Germans house, Baum Germans tree"], PAIRS, {"src": "German"})[0].text == "[X] Germans [Z]"


def test_a_pair_counts_once_and_must_be_near() -> None:
    assert mine_frames(["Haus = house; Haus = house; Haus = house"], PAIRS) == []
    near, far = " " + "-" * (NEAR - 2) + " ", " " + "-" * NEAR + " "
    assert len(mine_frames([f"Haus{near}house Baum{near}tree"], PAIRS)) > 0
    assert mine_frames([f"Haus{far}house Baum{far}tree"], PAIRS) == []


def test_scripts_without_spaces() -> None:
    frames = mine_frames(["他说房子就是house。她说树木就是tree。"], [("房子", "house"), ("树木", "tree")])
    assert frames[0].text == "[X]就是[Z]"


@pytest.mark.parametrize(
    "text", ["Haus [a] ◇ house Baum [a] ◇ tree", "Haus house Baum tree", "", "[X] [Z] Haus", "\x00"]
)
def test_what_templates_cannot_hold_is_not_mined(text: str) -> None:
    assert mine_frames([text], PAIRS) == []


def test_brackets_open_no_slot() -> None:
    frames = mine_frames(["Haus [Z] house Baum [Z] tree"], PAIRS)
    template = Template(text=frames[0].text)
    assert template.fill("Boot").answered("boat") == "Boot [Z] boat"


def test_hostile_texts_are_mined_in_bounded_time() -> None:
    """An input that stands everywhere is looked at a few times only."""
    frames = mine_frames(["a b " * 200_000], [("a", "b"), ("b", "a")], least=1)
    assert len(frames) < 200
    mine_frames(["a" * 1_000_000], [("a" * 5000, "b"), ("aa", "a")], least=1)


# Halving


def test_rounds_are_the_papers() -> None:
    """r_k = floor(B / (|S_k| ceil(log2 n))): B = 48, n = 8, by hand."""
    assert halving_rounds(8, 48, 100) == ((8, 2, 2), (4, 4, 6), (2, 8, 14))
    assert sum(one.answers for one in halving_rounds(8, 48, 100)) == 48
    assert halving_rounds(5, 30, 100) == ((5, 2, 2), (3, 3, 5), (2, 5, 10))
    assert halving_rounds(8, 48, 5) == ((8, 2, 2), (4, 3, 5))  # no more segments
    assert halving_rounds(2, 2, 1) == ((2, 1, 1),)
    with pytest.raises(OptionError, match=r"^23 answers for 8 candidates in 3 rounds: at least 24 are needed$"):
        halving_rounds(8, 23, 100)
    with pytest.raises(OptionError, match=r"^1 candidate: there is nothing to choose from; at least 2 are needed$"):
        halving_rounds(1, 23, 100)


def test_rounds_never_exceed_the_budget() -> None:
    draw = random.Random(1)
    for _ in range(500):
        n, segments = draw.randint(2, 40), draw.randint(1, 60)
        answers = draw.randint(least_answers(n), 2000)
        rounds = halving_rounds(n, answers, segments)
        assert sum(one.answers for one in rounds) <= answers
        assert len(rounds) <= rounds_of(n) == math.ceil(math.log2(n))
        assert rounds[-1].total <= segments
        assert all(later.candidates == (one.candidates + 1) // 2 for one, later in pairwise(rounds))
        usual = halving_rounds(n, usual_answers(n, segments), segments)
        assert usual[-1].total == segments  # the finalists have seen all


def test_the_best_stays_and_of_equals_the_first() -> None:
    asked = Counter[int]()

    def score(k: int, now: HalvingRound) -> float:
        asked[k] += now.new
        return [3.0, 9.0, 9.0, 1.0, 2.0, 7.0, 8.0, 0.0][k]

    best, stayed = halve(8, halving_rounds(8, 48, 100), score)
    assert (best, stayed) == (1, [1, 3, 3, 1, 1, 2, 2, 1])
    assert asked == {0: 2, 1: 14, 2: 14, 3: 2, 4: 2, 5: 6, 6: 6, 7: 2}


# Paraphrasing


def test_rules_change_words_and_no_slots() -> None:
    made = {one.way: one.template.text for one in by_rules(find_template("F"))}
    assert made["rule into"] == "[src]: [X]◇Translate from [src] into [tgt]: [Z]"
    plain = {one.way: one.template.text for one in by_rules(Template(text="[X]\nIn [tgt]: [Z]", name="T"))}
    assert plain == {
        "rule line_break": "[X] In [tgt]: [Z]",
        "rule quotes": '"[X]"\nIn [tgt]: [Z]',
        "rule blank_line": "[X]\n\nIn [tgt]: [Z]",
        "rule equals": "[X]\nIn [tgt] = [Z]",
        "rule own_line": "[X]\nIn [tgt]:\n[Z]",
        "rule header": "[X]\nIn [tgt] translation: [Z]",
    }
    film = [one.template for one in by_rules(find_template("sentiment"))]
    assert "[X] All in all, it was a [Z] film." in [one.text for one in film]
    assert all(one.answers == find_template("sentiment").answers for one in film)
    for template in map(find_template, ("A", "B", "C", "D", "E", "F", "sentiment", "topic", "entity", "summary")):
        for one in by_rules(template):
            assert sorted(one.template.slots) == sorted(template.slots)
            assert one.template.kind == template.kind
            assert one.way.removeprefix("rule ") in RULES


def test_what_loses_a_slot_is_no_paraphrase() -> None:
    template = Template(text="[X] is [Z]")
    assert rewritten(template, "[X] is", "w") is None
    assert rewritten(template, "[X] [X] is [Z]", "w") is None
    assert rewritten(template, "[Z] is [X]", "w") is None  # no model can write that
    assert rewritten(template, "[X] is [Z]", "w") is None
    assert rewritten(template, "[X] was [Z]", "w") == Template(text="[X] was [Z]", name="[X] is [Z]+w")


def test_a_round_trip_goes_line_by_line_with_words_for_slots() -> None:
    there = SayingModel(lambda line: line.replace("Translate to", "Übersetze nach").replace("Say", "Sag"))
    back = SayingModel(lambda line: line.replace("Übersetze nach", "Please translate into").replace("ZA", "Za"))
    templates = [Template(text="[X]\nTranslate to [tgt]:\n[Z]", name="a"), Template(text="[X] Say [Z]", name="b")]
    made = list(by_round_trip(templates, there, back, tt_decoding()))
    assert [request.prompt for request in there.requests] == ["Translate to LB:", "XA Say ZA"] == lines_of(templates)
    assert [(str(one.template), one.template.text) for one in made] == [
        ("a+round trip", "[X]\nPlease translate into [tgt]:\n[Z]")
    ]  # the other one came back without its answer


def tt_decoding() -> Any:
    from tertium.models.language_model import Decoding

    return Decoding(tokens=64)


def test_the_model_is_asked_for_other_words() -> None:
    said = {0: " Now in [tgt]:\\n[X] [Z]\nLine: more", 1: " no slots"}
    model = SayingModel(lambda prompt: said[int(prompt.rpartition("#")[2]) if "#" in prompt else 0])
    made = list(by_model([Template(text="[X]\nIn [tgt]: [Z]", name="a")], model, 2, seed=3))
    assert [(str(one.template), one.template.text) for one in made] == [("a+model 1", "Now in [tgt]:\n[X] [Z]")]
    assert [request.sample for request in model.requests] == [0, 1]
    assert str(model.requests[0].prompt).endswith("\nLine: [X]\\nIn [tgt]: [Z]\nIn other words:")
    assert model.requests[0].decoding.temperature > 0


# The search

WORDS = ["Hund", "Katze", "Haus", "Baum", "Boot", "Berg", "Fluss", "Stadt", "Wald", "Wiese", "Stern", "Mond"]


def pairs(count: int, first: int = 0) -> list[tuple[str, str]]:
    draw = random.Random(first + 1)
    return [(f"{draw.choice(WORDS)} {k} {draw.choice(WORDS)}", f"word {k} thing {k % 7} here") for k in
            range(first, first + count)]  # fmt: skip


DEV, TEST = pairs(30), pairs(20, 100)
ALL = dict(DEV + TEST)
PLANTED = Template(text="[X] >> [Z]", name="planted")
PAIR = {"source_language": "de", "target_language": "en"}


def knows(words: str) -> SayingModel:
    """A model that translates where the prompt has certain words, and else says something else."""

    def say(prompt: str) -> str:
        source = next(source for source in ALL if source in prompt)
        return f" {ALL[source]}" if words in prompt else f" nothing like it {len(prompt)}"

    return SayingModel(say)


def asked_about(model: SayingModel, texts: list[tuple[str, str]]) -> list[int]:
    """Which requests hold one of these texts, in either language."""
    return [
        k for k, request in enumerate(model.requests)
        if any(text in str(request.prompt) for several in texts for text in several)
    ]  # fmt: skip


def test_the_planted_template_is_found_at_the_stated_price() -> None:
    search = prepare_search(DEV, TEST, SearchSettings(**PAIR, templates=[PLANTED], candidates=11))
    ahead = search.forecast()
    assert (ahead.candidates, ahead.dev, ahead.test) == (11, 30, 20)
    model = knows(" >>")
    found = search.run(model)
    assert found.winner == PLANTED
    assert found.candidates[0].origin == "given"
    # To the call: what was announced was asked, on dev and then on test, and nothing twice.
    assert len(model.requests) == len(set(model.requests)) == found.calls == ahead.calls
    assert ahead.halving == sum(one.candidates * one.new for one in ahead.rounds)
    assert ahead.calls == ahead.halving + 2 * 20
    assert found.candidates[0].n == 30
    assert [one.rounds for one in found.candidates][:2] == [4, 4]
    # The test part came last, and only for the winner and the baseline.
    assert asked_about(model, TEST) == list(range(ahead.halving, ahead.calls))
    late = [str(request.prompt) for request in model.requests[ahead.halving :]]
    assert sum(" >>" in prompt for prompt in late) == 20
    assert sum(prompt.startswith("German: ") and "\nEnglish:" in prompt for prompt in late) == 20
    assert found.test.value == pytest.approx(100)
    assert found.comparison is not None
    assert (found.comparison.verdict, found.comparison.n) == ("better", 20)
    assert found.comparison.difference == pytest.approx(found.test.value - found.baseline_test.value)


def test_the_baseline_may_win() -> None:
    model = knows("\nEnglish:")
    found = tt.search_templates(model, DEV, TEST, **PAIR, paraphrase=(), templates=[PLANTED], candidates=3)
    assert (str(found.winner), found.comparison) == ("A", None)
    assert found.calls == found.forecast.calls - 20  # asked about test once
    assert found.test == found.baseline_test


def test_the_same_again_and_in_any_order_of_the_files() -> None:
    one, other, third = (
        tt.search_templates(knows(" >>"), dev, TEST, **PAIR, templates=[PLANTED], seed=seed)
        for dev, seed in ((DEV, 1), (DEV[::-1], 1), (DEV, 2))
    )
    assert one.candidates == other.candidates
    assert one == other
    assert one.candidates != third.candidates


def test_max_calls_are_never_exceeded() -> None:
    settings = SearchSettings(**PAIR, templates=[PLANTED], candidates=8, max_calls=100)
    model = knows(" >>")
    found = prepare_search(DEV, TEST, settings).run(model)
    assert found.winner == PLANTED
    assert len(model.requests) == found.calls == found.forecast.calls <= 100
    message = (
        "max_calls: 60; 8 candidates on 20 test segments take at least 64 calls; allow more, or take fewer candidates "
        "or a smaller test part"
    )
    with pytest.raises(OptionError, match=f"^{message}$"):
        prepare_search(DEV, TEST, SearchSettings(**PAIR, candidates=8, max_calls=60)).forecast()


def test_half_of_dev_is_set_aside_and_nothing_like_test_stays_in_dev() -> None:
    dev, test, notes = set_apart(items(DEV), None, 0, chooses=False)
    assert (len(dev), len(test)) == (15, 15)
    assert {*dev, *test} == set(items(DEV))
    assert notes == ["no test part was given: 15 of 30 segments are set aside, by seed 0"]
    assert set_apart(items(DEV[::-1]), None, 0, chooses=False)[:2] == (dev, test)
    assert set_apart(items(DEV), None, 1, chooses=False)[:2] != (dev, test)
    twice = [*DEV, DEV[0], (TEST[3][0].upper() + "!", "other"), ("other", TEST[5][1]), ("", "x")]
    dev, _, notes = set_apart(items(twice), items(TEST), 0, chooses=False)
    assert len(dev) == 30
    assert notes == [
        "2 dev segments left out: a text is missing, or the input is there twice",
        "2 dev segments left out: in test there is the same, or nearly",
    ]
    with pytest.raises(InputError, match=r"^dev: no segment is left to ask about; each needs an input and an answer$"):
        set_apart(items(DEV), items(DEV), 0, chooses=False)


def items(given: list[tuple[str, str]]) -> list[Demonstration]:
    return [Demonstration((source,), answer) for source, answer in given]


def test_demonstrations_give_neither_part_away() -> None:
    model = knows(" >>")
    examples = [DEV[0], TEST[0], ("Eins", "one"), ("Zwei", "two")]
    found = tt.search_templates(model, DEV, TEST, **PAIR, templates=[PLANTED], examples=examples, shots=2)
    assert all("Eins" in str(request.prompt) and "Zwei" in str(request.prompt) for request in model.requests)
    assert found.notes == ("2 demonstrations left out: show texts of the test set, or nearly",)


def test_frames_are_mined_from_dev_alone() -> None:
    text = "\n".join(f"{source} ~~ {said}" for source, said in DEV[:5])
    secret = "\n".join(f"{source} %% {said}" for source, said in TEST)
    model = knows(" ~~")
    found = tt.search_templates(model, DEV, TEST, **PAIR, texts=[text, secret], paraphrase=())
    assert (str(found.winner), found.winner.text) == ("mined 1", "[X] ~~ [Z]")
    assert found.candidates[0].origin == "mined, 5 pairs"
    assert not any("%%" in one.template.text for one in found.candidates)
    assert found.notes == ("1 frame mined, 1 tried",)


def chance(salt: int) -> SayingModel:
    """A model that is right by lot, whatever the template says."""

    def say(prompt: str) -> str:
        source = next(source for source in ALL if source in prompt)
        lucky = hashlib.sha256(f"{salt} {prompt}".encode()).digest()[0] < 128
        return f" {ALL[source]}" if lucky else " nothing"

    return SayingModel(say)


def test_the_winner_looks_better_on_dev_than_it_is() -> None:
    """No template is better than another here, so what is won on dev is luck, and gone on test: the winner's curse."""
    gaps = []
    for salt in range(30):
        found = tt.search_templates(chance(salt), DEV, TEST, **PAIR, candidates=16)
        assert found.optimism == pytest.approx(found.dev.value - found.test.value)
        assert found.optimism_interval is not None
        assert found.optimism_interval.low <= found.optimism <= found.optimism_interval.high
        gaps.append(found.optimism)
    mean = math.fsum(gaps) / len(gaps)
    error = math.sqrt(math.fsum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1) / len(gaps))
    assert mean > 3 * error


def test_other_metrics_lower_is_better_and_no_intervals() -> None:
    by_ter = tt.search_templates(knows(" >>"), DEV, TEST, **PAIR, templates=[PLANTED], metric="ter")
    assert (by_ter.winner, by_ter.test.value) == (PLANTED, 0.0)
    assert by_ter.comparison is not None
    assert by_ter.comparison.verdict == "better"
    by_types = tt.search_templates(knows(" >>"), DEV, TEST, **PAIR, templates=[PLANTED], metric="macrof1")
    assert by_types.winner == PLANTED
    assert (by_types.dev.interval, by_types.test.interval, by_types.optimism_interval) == (None, None, None)


def test_what_models_paraphrase_stays_within_what_was_announced() -> None:
    """How many paraphrases can be used is known when they are there: fewer may never cost more."""
    for useful in range(8):

        def say(prompt: str, useful: int = useful) -> str:
            if "In other words:" not in prompt:
                return knows(" >>").say(prompt)
            number = int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % 8
            return f" [X] as {number}: [Z]" if number < useful else " lost"

        model = SayingModel(say)
        settings = SearchSettings(template=PLANTED, paraphrase=["model"], candidates=16, **PAIR)
        search = prepare_search(DEV, TEST, settings)
        found = search.run(model)
        assert len(model.requests) == found.calls <= search.forecast().calls
        assert found.notes[-1].startswith("of 14 paraphrases by the model, ")


def test_a_model_that_says_too_little_is_named() -> None:
    class Tired(SayingModel):
        def complete(self, requests: Any, run: Run) -> Any:
            yield from list(super().complete(requests, run))[:-1]

    with pytest.raises(InputError, match=r"^saying answered \d+ of \d+ requests$"):
        tt.search_templates(Tired(knows("x").say), DEV, TEST, **PAIR)


# Labels

TABLE = {
    "^": {"good": 0.5, "bad": 0.5},
    "sun": {"good": 0.9, "bad": 0.1},
    "rain": {"good": 0.1, "bad": 0.9},
    "so": {"good": 0.5, "bad": 0.5},
}
WEATHER = [(f"day {k} {'sun' if k % 2 else 'rain'}", "+" if k % 2 else "-") for k in range(40)]


@pytest.mark.parametrize("scoring", ["raw", "pmi"])
def test_a_template_for_labels_is_found(scoring: Any) -> None:
    """The table knows the last word only: a template that puts another word between hides the weather."""
    model = TableModel(TABLE)
    settings = SearchSettings(template="[X] so [Z]", templates=[Template(text="[X] [Z]", name="open")],
                              answers={"good": "+", "bad": "-"}, scoring=scoring, paraphrase=())  # fmt: skip
    search = prepare_search(WEATHER[:24], WEATHER[24:], settings)
    ahead = search.forecast()
    once = 2 if scoring == "pmi" else 0
    assert ahead.calls == 2 * 2 * 24 + 2 * once + 2 * 2 * 16
    found = search.run(model)
    assert (str(found.winner), found.metric, found.dev.value, found.test.value) == ("open", "accuracy", 100, 100)
    assert found.baseline_test.value == pytest.approx(50, abs=20)
    assert len(model.asked) == len(set(model.asked)) == found.calls == ahead.calls
    seen = [any(text in prompt for text, _ in WEATHER[24:]) for prompt, _ in model.asked]
    assert seen == [False] * (ahead.calls - 2 * 2 * 16) + [True] * (2 * 2 * 16)
    assert list(announced(ahead, search.task))[-1].endswith("; 2 calls for each segment, one for every answer")


def test_labels_must_be_labels() -> None:
    settings = SearchSettings(template="[X] [Z]", answers={"good": "+", "bad": "-"})
    with pytest.raises(InputError, match=r"^the right answer to 'day' is 'odd', which is no label: \+, -$"):
        prepare_search([("day", "odd"), ("night", "+")], [("x", "+")], settings)
    with pytest.raises(OptionError, match=r"^selector bm25: answers are compared under the same demonstrations$"):
        prepare_search(WEATHER, None, SearchSettings(template="[X] [Z]", answers=["good"], selector="bm25"))


# Stopping and going on


def test_a_search_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    class Stopping(SayingModel):
        def complete(self, requests: Any, run: Run) -> Any:
            for answer in super().complete(requests, run):
                if len(self.requests) == 57:
                    raise KeyboardInterrupt
                yield answer

    model, again = Stopping(knows(" >>").say), knows(" >>")
    search = prepare_search(DEV, TEST, SearchSettings(**PAIR, templates=[PLANTED]))
    with AnswerCache(tmp_path / "answers.sqlite") as answers:
        with pytest.raises(KeyboardInterrupt):
            search.run(CachedModel(model, answers))
        assert len(answers) == 56
        found = search.run(CachedModel(again, answers))
        third = knows(" >>")
        assert search.run(CachedModel(third, answers)) == found
    assert len(again.requests) == search.forecast().calls - 56
    assert third.requests == []
    assert found == search.run(knows(" >>"))


def test_progress_is_told_in_calls_and_work_can_be_cancelled() -> None:
    told: list[tuple[str, int, int]] = []
    search = prepare_search(DEV, TEST, SearchSettings(**PAIR, candidates=4))
    search.run(knows("x"), Run(progress=lambda *what: told.append(what)))
    calls = search.forecast().calls
    assert told == [("searching", k, calls) for k in range(1, len(told) + 1)]
    assert len(told) in (calls, calls - 20)
    model = knows("x")
    with pytest.raises(CancelledError, match=r"^cancelled while searching \(10 of "):
        search.run(model, Run(cancelled=lambda: len(model.requests) >= 10))
    assert len(model.requests) == 10


# Files


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    odd = 'a "b" \\ \n\t\x7f\x01 [[ ◇ ü 汉 [X] [Z]'
    written = [
        Template(text=odd, name='n "a" .\n', language="zh", joiner="\n--\n", answers=(('g"', "+"), ("b\\", "-"))),
        Template(text="[X] [Z]", name="mined 1"),
    ]
    (tmp_path / "t.toml").write_text(templates_text(written), encoding="utf-8", newline="")
    assert list(read_templates(tmp_path / "t.toml").values()) == written


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"paraphrase": ["magic"]}, "unknown way of paraphrasing 'magic'; choose from rules, model"),
        ({"candidates": 1}, "candidates: 1; must be at least 2"),
        ({"template": "sentiment", "answers": {}}, "has no answers of its own; say which are permissible"),
        ({"template": "[X] [Z] end"}, "is a cloze: words follow"),
        ({"metric": "blue"}, "unknown metric 'blue'; did you mean 'bleu'"),
    ],
)
def test_mistakes_are_sentences(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("[", r"\[")):
        tt.search_templates(knows("x"), DEV, TEST, **PAIR, **settings)
    with pytest.raises(OptionError, match=r"^'gemma' is not a language model; open it first"):
        tt.search_templates("gemma", DEV, TEST)  # type: ignore[arg-type]
