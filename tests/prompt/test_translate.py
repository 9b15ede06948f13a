"""Translation by prompting: order, notes, counts, demonstrations, budget, steps done again."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.prompt.models import SayingModel, TableModel

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.models.language_model import Answer, Decoding, Request
from tertium.prompt.demonstrations import Pool
from tertium.prompt.plan import PromptPlan, forecast
from tertium.prompt.template import Demonstration
from tertium.prompt.templates import find_template
from tertium.prompt.translate import check_sources, stream, translate

SOURCES = ["Guten Morgen, liebe Leute.", "", None, "Der Hund bellt laut im Garten.", "Wir gehen jetzt nach Hause."]
PAIR = {"source_language": "de", "target_language": "en"}


def asked(prompt: str) -> str:
    """The source in a prompt of template A."""
    return prompt.rpartition("German: ")[2].partition("\nEnglish:")[0]


def test_outputs_stand_where_their_sources_stand() -> None:
    model = SayingModel(lambda prompt: f" <{asked(prompt)}>")
    made = translate(SOURCES, model, **PAIR, name="nmt")
    assert list(made.system.outputs) == ["<Guten Morgen, liebe Leute.>", "", None, "<Der Hund bellt laut im Garten.>",
                                         "<Wir gehen jetzt nach Hause.>"]  # fmt: skip
    assert made.system.name == "nmt"
    assert [request.prompt for request in model.requests] == [
        f"German: {source}\nEnglish:" for source in SOURCES if source
    ]
    assert model.requests[0].decoding.stop == ("\nGerman:",)
    evaluation = tt.evaluate(tt.TestSet(segments=5, references=tt.References((tt.Lines.of(["x"] * 5),), 5)),
                             [made.system], "chrf")  # fmt: skip
    assert evaluation.stats("nmt", "chrf").n == 4


def test_segments_come_as_soon_as_they_are_answered() -> None:
    model = SayingModel(lambda _: " ok")
    plan = PromptPlan(template=find_template("A"), **PAIR)
    segments = stream(plan, ["a", "b", "c"], model)
    assert next(segments).output == "ok"
    assert len(model.requests) == 1


def test_what_looks_wrong_is_counted() -> None:
    said = {
        "Guten Morgen, liebe Leute.": " \n",
        "Der Hund bellt laut im Garten.": " Der Hund bellt laut im Garten.",
        "Wir gehen jetzt nach Hause.": " we go we go we go we go we go",
        "Es regnet heute sehr stark.": " It is raining",
        "Die Sonne scheint wieder hell.": " The sun\nGerman: Nein",
    }
    model = SayingModel(lambda prompt: said[asked(prompt)], finish="length")
    made = translate(list(said), model, **PAIR)
    assert made.counts == {"empty": 1, "copied": 1, "cut_off": 4, "looped": 1}
    assert [one.flags.cut_off for one in made.segments] == [True, True, True, True, False]
    assert made.notes[-1] == "of 5 outputs: 1 empty, 1 copied, 4 cut off, 1 looped"
    assert made.notes[0] == (
        "template A (en, line break); 0 demonstrations; greedy, at most 256 tokens; "
        "steps thoughts,blank_lines,lead_in,fence,next_header,first_line,quotes,one_line"
    )
    good = translate(["Hallo, wie geht es dir?"], SayingModel(lambda _: " Hello, how are you?"), **PAIR)
    assert good.counts == {"empty": 0, "copied": 0, "cut_off": 0, "looped": 0}
    assert len(good.notes) == 1


def test_other_steps_need_no_other_answers() -> None:
    model = SayingModel(lambda _: '\n\n"Hello"\nGerman: Nein')
    made = translate(["Hallo"], model, **PAIR)
    assert list(made.system.outputs) == ["Hello"]
    assert list(made.again("first_line").system.outputs) == [""]
    assert made.again("first_line").counts["empty"] == 1
    assert list(made.again("none").again("blank_lines,first_line").system.outputs) == ['"Hello"']
    assert made.again(made.plan.steps).segments == made.segments
    assert len(model.requests) == 1


def test_demonstrations_are_shown_and_never_leak() -> None:
    examples = [
        (source, f"T{k}") for k, source in enumerate(["Wir gehen jetzt nach Hause!", "Eins.", "Zwei.", "Drei."])
    ]
    model = SayingModel(lambda _: " ok")
    made = translate(SOURCES, model, **PAIR, examples=examples, shots=3)
    shown = "German: Eins.\nEnglish: T1\n\nGerman: Zwei.\nEnglish: T2\n\nGerman: Drei.\nEnglish: T3\n\n"
    assert all(request.prompt == f"{shown}German: {source}\nEnglish:"
               for request, source in zip(model.requests, filter(None, SOURCES), strict=True))  # fmt: skip
    assert "1 demonstration left out: shows a text of the test set, or nearly" in made.notes
    by_reference = translate(["Hm."], model, **PAIR, examples=[*examples, ("Vier.", "T4")], shots=4, references=["T0"])
    assert "left out" in " ".join(by_reference.notes)


def test_the_budget_is_kept() -> None:
    examples = [(f"Satz {k}", f"sentence {k}") for k in range(5)]
    model = SayingModel(lambda _: " ok")
    made = translate(["Hallo", "Hallo " * 20], model, **PAIR, examples=examples, shots=5, budget=100)
    assert [len(str(request.prompt)) <= 100 for request in model.requests] == [True, False]
    assert str(model.requests[0].prompt).count("German:") == 3  # two fit: 2 x 37 + 22 characters
    assert "Satz 4" in str(model.requests[0].prompt)
    assert "the budget of 100 left 8 demonstrations out of 2 prompts: those farthest from the query" in made.notes


def test_a_budget_in_tokens() -> None:
    examples = [(f"Satz {k}", f"sentence {k}") for k in range(5)]
    model = SayingModel(lambda _: " ok")
    options: dict[str, Any] = {**PAIR, "examples": examples, "shots": 5, "budget": 15, "budget_unit": "tokens"}
    with pytest.raises(OptionError, match=r"^saying does not count tokens; let the budget count characters$"):
        translate(["Hallo"], model, **options)
    model.count_tokens = lambda text: len(text.split())  # type: ignore[attr-defined]
    translate(["Hallo"], model, **options)
    assert str(model.requests[0].prompt).count("German:") == 3  # two fit: 2 x 6 + 3 words
    with pytest.raises(OptionError, match=r"^unknown unit of a budget 'words'; choose from characters, tokens$"):
        translate(["Hallo"], model, **{**options, "budget_unit": "words"})


def test_samples_are_chosen_among() -> None:
    said = {0: " the cat sat on the mat", 1: " the cat sits on the mat", 2: " nonsense"}
    model = SayingModel(lambda prompt: said[int(prompt.partition("#")[2] or 0)])
    made = translate(["Die Katze"] * 70, model, **PAIR, samples=3, decoding=Decoding(temperature=0.5),
                     choose="mbr:chrf")  # fmt: skip
    best = tt.mbr([text.strip() for text in said.values()], "chrf")
    assert set(made.system.outputs) == {best.text}
    assert len(model.requests) == 210
    assert [request.sample for request in model.requests[:4]] == [0, 1, 2, 0]
    table = TableModel({"^": {"a": 0.6, "b": 0.3, "": 0.1}, "a": {"": 1.0}, "b": {"": 1.0}})
    made = translate(["x"], table, template="plain", samples=20, decoding=Decoding(temperature=1.0))
    assert list(made.system.outputs) == ["a"]


class Stopping(SayingModel):
    """Fails at a request, as a process that is killed."""

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        for done, answer in enumerate(super().complete(requests, run)):
            if done == 2:
                raise KeyboardInterrupt
            yield answer


def test_nothing_is_asked_after_a_stop_and_what_came_is_there() -> None:
    model = Stopping(lambda _: " ok")
    plan = PromptPlan(template=find_template("A"), **PAIR)
    found = []
    with pytest.raises(KeyboardInterrupt):
        found.extend(one.output for one in stream(plan, ["a", "b", "c", "d"], model))
    assert len(model.requests) == 3


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    run = Run(progress=lambda *what: told.append(what))
    translate(SOURCES, SayingModel(lambda _: " ok"), **PAIR, run=run)
    assert told == [("translating", k, 3) for k in (1, 2, 3)]


def test_what_cannot_be_translated_with_is_refused() -> None:
    with pytest.raises(OptionError, match=r"^template sentiment is a cloze: words follow \[Z\]"):
        translate(["a"], SayingModel(str), template="sentiment")
    with pytest.raises(OptionError, match=r"^template \[X1\] \[X2\] \[Z\] takes 2 inputs; one source is given$"):
        translate(["a"], SayingModel(str), template="[X1] [X2] [Z]")
    with pytest.raises(OptionError, match=r"^template A: the slot \[src\] needs the source language"):
        translate(["a"], SayingModel(str), target_language="en")
    with pytest.raises(OptionError, match=r"^nothing to translate: every source is blank or missing$"):
        check_sources(["", None])


def test_forecast_counts_what_will_be_asked() -> None:
    examples = [Demonstration(("Eins.",), "One.")]
    plan = PromptPlan(
        template=find_template("B"), target_language="en", samples=2, decoding=Decoding(tokens=10, temperature=1)
    )
    ahead = forecast(plan, ["ab", "ab", "", None, "abcd"])
    assert (ahead.calls, ahead.repeated, ahead.longest, ahead.tokens) == (6, 2, 13, 60)
    assert ahead.characters == 2 * (11 + 11 + 13)
    assert [prompt.before for prompt in ahead.prompts] == ["ab\nEnglish:", "ab\nEnglish:", "abcd\nEnglish:"]
    tight = PromptPlan(
        template=find_template("B"), target_language="en", pool=Pool(tuple(examples)), shots=1, budget=12
    )
    ahead = forecast(tight, ["ab", "abcd"])
    assert (ahead.dropped, ahead.over) == (2, 1)


def test_an_answer_in_details_is_as_it_came(tmp_path: Path) -> None:
    from tertium.core.plain import plain

    made = translate(["Hallo"], SayingModel(lambda _: " Hello\n\n"), **PAIR)
    (tmp_path / "x").write_text(json.dumps(plain(made.segments[0].answers)))
    assert json.loads((tmp_path / "x").read_text())[0]["text"] == " Hello\n\n"


def test_mistakes_of_callers() -> None:
    model = SayingModel(lambda _: " ok")
    with pytest.raises(OptionError, match=r"^'gguf:a' is not a language model; open it first: tertium\.models\.open"):
        translate(["a"], "gguf:a", **PAIR)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^example 2: \('a', 'b', 'c'\) is not a pair; write \(input, answer\)$"):
        translate(["a"], model, **PAIR, examples=[("a", "b"), ("a", "b", "c")])  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"^references: a single string; pass a list of strings"):
        translate(["a"], model, **PAIR, references="abc")
    several = translate(["a"], model, **PAIR, examples=[("Eins", "One")], references=[["Two", None], ["one"]])
    assert several.plan.pool.leaked == 1
    with pytest.raises(InputError, match=r"^inputs: a single string; pass a list of texts$"):
        tt.answer("a", model)
