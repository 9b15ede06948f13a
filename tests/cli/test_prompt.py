"""`tertium prompt`: files in, files out, with a model that stands in for a real one."""

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.prompt.models import SayingModel, TableModel

import tertium as tt

from .running import Command

REVIEWS = {"^": {"great": 0.2, "fantastic": 0.1, "bad": 0.6, "horrible": 0.1},
           "sun": {"great": 0.35, "fantastic": 0.2, "bad": 0.35, "horrible": 0.1},
           "great": {".": 1.0}, "fantastic": {".": 1.0}, "bad": {".": 1.0}, "horrible": {".": 1.0}}  # fmt: skip

Opened = Callable[[Any], list[tuple[str, Any]]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Make this the model that is opened; what was opened and kept comes back."""

    def put(model: Any) -> list[tuple[str, Any]]:
        seen: list[tuple[str, Any]] = []
        opener, cache = ModuleType("tertium.models.open"), ModuleType("tertium.models.cache")

        def open_model(text: str, key: str | None, say: Any) -> Any:  # noqa: ARG001
            seen.append(("open", text))
            return model

        def answers(path: str) -> Any:
            seen.append(("cache", path))
            return nullcontext(path)

        opener.open_model = open_model  # type: ignore[attr-defined]
        cache.AnswerCache, cache.CachedModel = answers, lambda inner, _: inner  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "tertium.models.open", opener)
        monkeypatch.setitem(sys.modules, "tertium.models.cache", cache)
        return seen

    return put


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "f.de").write_text("Guten Morgen.\n\nJa [Z].\n")
    (tmp_path / "dev.tsv").write_text("source\treference\nEins\tOne\nZwei\tTwo\nGuten Morgen\tGood morning\n")
    return tmp_path


PAIR = ("--source-language", "de", "--target-language", "en")


def test_translate(tertium: Command, opened: Opened, source: Path) -> None:
    model = SayingModel(lambda prompt: f" <{prompt.rpartition('German: ')[2].partition(chr(10))[0]}>\nGerman: more")
    seen = opened(model)
    done = tertium("prompt", "translate", "--model", "some", "--template", "A", "--shots", "2", "--examples",
                   str(source / "dev.tsv"), "--src", str(source / "f.de"), *PAIR, "-o", str(source / "out.en"),
                   "--details", str(source / "details.jsonl"))  # fmt: skip
    assert (done.status, done.out) == (0, "")
    assert (source / "out.en").read_text() == "<Guten Morgen.>\n\n<Ja [Z].>\n"
    assert done.err.splitlines() == [
        "tertium: note: template A (en, line break); 2 demonstrations (first); greedy, at most 256 tokens; "
        "steps thoughts,blank_lines,lead_in,fence,next_header,first_line,quotes,one_line",
        "tertium: note: 1 demonstration left out: shows a text of the test set, or nearly",
    ]
    assert model.requests[1].prompt == (
        "German: Eins\nEnglish: One\n\nGerman: Zwei\nEnglish: Two\n\nGerman: Ja [Z].\nEnglish:"
    )
    assert model.closed
    assert [kind for kind, _ in seen] == ["open", "cache"]
    assert seen[0][1] == "some"
    assert Path(seen[1][1]).name == "answers.sqlite"
    first, second, _ = map(json.loads, (source / "details.jsonl").read_text().splitlines())
    assert first["answers"][0]["text"] == " <Guten Morgen.>\nGerman: more"
    assert (first["output"], first["empty"]) == ("<Guten Morgen.>", False)
    assert (second["prompt"], second["output"], second["answers"]) == (None, "", [])


def test_translate_from_a_pipe_to_the_screen(tertium: Command, opened: Opened, tmp_path: Path) -> None:
    seen = opened(SayingModel(lambda prompt: f" {prompt.upper()}\nx"))
    done = tertium("prompt", "translate", "--model", "m", "--template", "plain", "--cache", str(tmp_path / "a"),
                   "--steps", "none", stdin=b"eins\nzwei\n")  # fmt: skip
    assert (done.status, done.out) == (0, " EINS x\n ZWEI x\n")
    assert seen == [("open", "m"), ("cache", str(tmp_path / "a"))]
    seen = opened(SayingModel(str.upper))
    assert (
        tertium("prompt", "translate", "--model", "m", "--template", "plain", "--no-cache", stdin=b"a\n").out == "A\n"
    )
    assert seen == [("open", "m")]


def test_a_run_that_fails_leaves_no_file(tertium: Command, opened: Opened, source: Path) -> None:
    def say(prompt: str) -> str:
        if "Ja" in prompt:
            raise KeyboardInterrupt
        return " ok"

    model = SayingModel(say)
    opened(model)
    done = tertium("prompt", "translate", "--model", "m", "--src", str(source / "f.de"), *PAIR, "-o",
                   str(source / "out.en"))  # fmt: skip
    assert done.status == 130
    assert model.closed
    assert sorted(path.name for path in source.iterdir()) == ["dev.tsv", "f.de"]


def test_a_dry_run_opens_no_model(tertium: Command, source: Path) -> None:
    done = tertium("prompt", "translate", "--template", "B", "--shots", "1", "--examples", str(source / "dev.tsv"),
                   "--src", str(source / "f.de"), *PAIR, "--dry-run", "--tokens", "10")  # fmt: skip
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "template B (en, line break); 1 demonstration (first); greedy, at most 10 tokens; steps thoughts,blank_lines,"
        "lead_in,fence,next_header,first_line,quotes,one_line",
        "2 calls; 76 characters of prompts, the longest 41; at most 20 tokens of answers",
        "1 demonstration left out: shows a text of the test set, or nearly",
        "",
        "--- prompt 1 ---",
        "Eins",
        "English: One",
        "",
        "Guten Morgen.",
        "English:",
        "",
        "--- prompt 2 ---",
        "Eins",
        "English: One",
        "",
        "Ja [Z].",
        "English:",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shots", "4", "--examples", "dev.tsv"], "4 demonstrations wanted, but there are only 2 to choose from; 1 "),
        (["--shots", "2"], "--shots 2: there is nothing to show; pass --examples FILE"),
        ([], "no model: pass --model MODEL"),
        (["--template", "Z"], "unknown template 'Z'"),
        (["--steps", "quote"], "unknown step 'quote'; did you mean 'quotes'?"),
        (["--stop", ""], "--stop: an empty text would end every answer at once"),
        (["--choose", "chrf"], "chrf needs references, which nobody has here; write mbr:chrf"),
        (["--selector", "best"], "unknown selector 'best'; choose from first, random, bm25, encoder, quality"),
        (["--target-language", "qq"], "unknown language code 'qq'; write the name of the language instead"),
    ],
)
def test_mistakes_are_sentences(
    options: list[str], message: str, tertium: Command, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tertium.models.open", None)
    monkeypatch.chdir(source)
    done = tertium("prompt", "translate", "--src", str(source / "f.de"), *PAIR, *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"tertium: {message}")


def test_a_terminal_and_blank_files_are_refused(tertium: Command) -> None:
    done = tertium("prompt", "translate", terminal=True)
    assert done.err == "tertium: no source: pass --src FILE, or pipe one into standard input\n"
    assert tertium("prompt", "translate", stdin=b"\n\n").err.startswith("tertium: nothing to translate")


def test_a_budget_in_tokens_needs_a_model_that_counts(tertium: Command, opened: Opened, source: Path) -> None:
    options = ("prompt", "translate", "--model", "m", "--src", str(source / "f.de"), *PAIR, "--shots", "2",
               "--examples", str(source / "dev.tsv"), "--budget", "8", "--budget-unit", "tokens")  # fmt: skip
    opened(SayingModel(lambda _: " ok"))
    assert tertium(*options).err.startswith("tertium: saying does not count tokens; let the budget count characters")
    model = SayingModel(lambda _: " ok")
    model.count_tokens = lambda text: len(text.split())  # type: ignore[attr-defined]
    opened(model)
    done = tertium(*options)
    assert done.status == 0
    assert model.requests[0].prompt == "German: Zwei\nEnglish: Two\n\nGerman: Guten Morgen.\nEnglish:"
    assert "the budget of 8 left 2 demonstrations out of 2 prompts" in done.err


# answer

ANSWER = ("prompt", "answer", "--model", "m", "--template", "[X] [Z].", "--answers",
          "great=+,fantastic=+,bad=-,horrible=-")  # fmt: skip


def test_answer(tertium: Command, opened: Opened, tmp_path: Path) -> None:
    opened(TableModel(REVIEWS))
    (tmp_path / "in.tsv").write_text("label\ttext\n+\tthe sun\n-\tthe rain\n")
    done = tertium(*ANSWER, "--input", f"{tmp_path / 'in.tsv'}:text", "--gold", f"{tmp_path / 'in.tsv'}:label")
    assert done.status == 0
    assert done.out.splitlines() == [
        "template: [X] [Z].",
        "",
        "input x   prompt x'      answered prompt  label y  share  right label",
        "the sun   the sun [Z].   the sun great.   +        0.550  +",
        "the rain  the rain [Z].  the rain bad.    -        0.700  -",
        "",
        "share: of the label, among all labels",
        "2 of 2 labels are right",
    ]


def test_answers_fit_narrow_terminals(tertium: Command, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for three texts, the prompt goes: the template and the answered prompt have all of it."""
    for columns, left_out in ((80, False), (60, True)):
        opened(TableModel(REVIEWS))
        monkeypatch.setenv("COLUMNS", str(columns))
        said = tertium(*ANSWER, "we sat for two hours in the dark and came out into the sun").out
        assert max(map(len, said.splitlines())) <= columns
        assert ("left out to fit 60 columns: prompt x'" in said) is left_out
        assert said.startswith("template: [X] [Z].\n")
        assert "fantastic." in said or "great." in said


def test_a_prompt_is_shown_without_its_demonstrations(tertium: Command, opened: Opened, tmp_path: Path) -> None:
    opened(TableModel(REVIEWS))
    (tmp_path / "shown.tsv").write_text("input\tanswer\nfog\tbad\n")
    done = tertium(*ANSWER, "the sun", "--shots", "1", "--examples", str(tmp_path / "shown.tsv"))
    assert done.out.splitlines()[3] == "the sun  the sun [Z].  the sun great.   +        0.550"


def test_answers_for_programs(tertium: Command, opened: Opened) -> None:
    opened(TableModel(REVIEWS))
    rows = tertium(*ANSWER, "the sun", "-f", "json", "--scoring", "pmi").json
    assert [row["answer"] for row in rows] == ["great", "fantastic", "bad", "horrible"]
    assert rows[0]["score"] == pytest.approx(0.5596157879354227)  # log 0.35 / 0.2
    opened(TableModel(REVIEWS))
    csv = tertium(*ANSWER, "the sun", "-f", "csv").out.splitlines()
    assert csv[0] == "input,prompt,answer,label,log_probability,tokens,score"
    assert len(csv) == 5


def test_answers_that_are_written(tertium: Command, opened: Opened) -> None:
    opened(SayingModel(lambda prompt: f" {len(prompt)}"))
    done = tertium("prompt", "answer", "--model", "m", "--template", "summary", "--write", "Ein Text.", "-f", "json")
    assert done.json == [{"input": 1, "prompt": "Ein Text.\nTL;DR:", "answer": " 16", "log_probability": None}]
    refused = tertium("prompt", "answer", "--model", "m", "--write", "a")
    assert refused.err.startswith("tertium: template sentiment is a cloze: words follow [Z]")


def test_one_of_several_written_answers_is_chosen(tertium: Command, opened: Opened) -> None:
    said = {"": " a cat sat here", "1": " a cat sat", "2": " nothing"}
    options = ("prompt", "answer", "--model", "m", "--template", "plain", "--write", "Eine Katze", "--samples", "3",
               "--temperature", "0.5", "-f", "json")  # fmt: skip
    opened(SayingModel(lambda prompt: said[prompt.partition("#")[2]]))
    assert [row["answer"] for row in tertium(*options).json] == list(said.values())
    opened(SayingModel(lambda prompt: said[prompt.partition("#")[2]]))
    [row] = tertium(*options, "--choose", "mbr:chrf").json
    assert row["answer"].strip() == tt.mbr([text.strip() for text in said.values()], "chrf").text
    assert row["answer"] != " nothing"  # which agrees with nobody
    opened(SayingModel(lambda _: " x"))
    assert "the model did not say how likely its answers are" in tertium(*options, "--choose", "probability").err
    table = {"^": {"a": 0.7, "b": 0.2, "": 0.1}, "a": {"": 1.0}, "b": {"": 1.0}}
    opened(TableModel(table))
    [row] = tertium(*options[:-3], "1", "--samples", "20", "-f", "json", "--choose", "probability").json
    assert row["answer"] == " a"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no input: write it behind the command, or pass --input FILE"),
        (["a", "--input", "x"], "inputs on the command line and in files (--input); pass one or the other"),
        (["a", "--answers", "x=1,,y=2"], "--answers x=1,,y=2: an answer is empty; write great=+,bad=-"),
        (["a", "--answers", "x=1,x=2"], "--answers x=1,x=2: 'x' is there twice; an answer has one label"),
        (["a", "--choose", "mbr:chrf"], "--choose mbr:chrf: only with --write, of several samples"),
        (["a", "--samples", "2"], "--samples 2: only with --write; choosing needs no more than one look"),
        (["a", "--template", "entity"], "template entity takes 2 texts for each input; there are 1"),
        (["--input", "x", "--template", "entity"], "template entity takes 2 input files, got 1: --input once for each"),
        (["a", "--selector", "bm25"], "--selector bm25: answers are compared under the same demonstrations"),
        (["a", "--selector", "encoder"], "--selector encoder: answers are compared under the same demonstrations"),
        (["a", "--template", "A", *PAIR], "template A has no answers of its own; say which are permissible"),
    ],
)
def test_mistakes_of_answers(options: list[str], message: str, tertium: Command, opened: Opened) -> None:
    opened(TableModel(REVIEWS))
    done = tertium("prompt", "answer", "--model", "m", *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"tertium: {message}")


def test_beams_are_part_of_the_plan(tertium: Command, opened: Opened, source: Path) -> None:
    words = ("prompt", "translate", "--src", str(source / "f.de"), *PAIR, "--beam", "3")
    assert "; beam of 3, at most 256 tokens;" in tertium(*words, "--dry-run").out
    opened(SayingModel(str))
    refused = tertium(*words, "--model", "m")
    assert refused.err.startswith("tertium: saying does not say how likely next tokens are, so there is no beam search")
    model = TableModel({"^": {"a": 0.6, "b": 0.4}, "a": {"x": 0.5, "y": 0.5}, "b": {"": 1.0}, "x": {"": 1.0},
                        "y": {"": 1.0}})  # fmt: skip
    model.abilities = replace(model.abilities, beam="steps")
    opened(model)
    answered = ("prompt", "answer", "--model", "m", "--template", "[X] [Z]", "go", "--beam", "2")
    assert tertium(*answered, "--write", "-f", "json").json[0]["answer"] == " b"
    told = tertium(*answered, "--answers", "a,b")
    assert told.err == "tertium: --beam 2: only with --write; every permissible answer is looked at anyway\n"
