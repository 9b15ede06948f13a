"""Steps: each by itself, what they leave alone, and their text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import OptionError
from tertium.prompt.postprocess import STEPS, USUAL, Asked, Steps, parse_steps

CASES = [
    # step, answer, source, headers, what is left
    ("thoughts", "<think>Well.</think>\nHello", "", (), "\nHello"),
    ("thoughts", "Hello", "", (), "Hello"),
    ("blank_lines", "\n\n  Hello\n\nWorld", "", (), "Hello\n\nWorld"),
    ("lead_in", "Here is the translation:\n\nHello: you", "Hallo du", (), "Hello: you"),
    ("lead_in", "Sure! Here's the English translation: Hello", "Hallo", (), "Hello"),
    ("lead_in", "Translation: Hello", "Hallo", (), "Hello"),
    ("lead_in", "Die Übersetzung lautet: Hallo", "Hello", (), "Hallo"),
    ("lead_in", "以下是翻译：你好", "Hallo", (), "你好"),
    ("lead_in", "Translation: Hello", "Übersetzung: Hallo", (), "Translation: Hello"),  # the source says so
    ("lead_in", "Here is my house: it is small", "Hier ist mein Haus, klein", (), "Here is my house: it is small"),
    ("lead_in", "Note: the translation", "Hinweis, die", (), "Note: the translation"),
    ("lead_in", "Translation:", "Übersetzung", (), "Translation:"),  # nothing would be left
    ("fence", "```\nHello\n```\nDone.", "Hallo", (), "Hello\n"),
    ("fence", "```text\nHello\n```", "Hallo", (), "Hello\n"),
    ("fence", "```Hello```", "Hallo", (), "Hello"),
    ("fence", "Hello\n```", "Hallo", (), "Hello\n"),
    ("fence", "```\nx\n```", "```\nx\n```", (), "```\nx\n```"),
    ("fence", "Write ```x``` here", "Schreib x", (), "Write ```x``` here"),
    ("next_header", "Hello\nGerman: Ja\nEnglish: Yes", "", ("German:",), "Hello"),
    ("next_header", "German: Ja", "", ("German:",), ""),
    ("next_header", "In German: Ja", "", ("German:",), "In German: Ja"),
    ("next_header", "Hello\nGerman: Ja", "", (), "Hello\nGerman: Ja"),
    ("first_line", "Hello\nWorld", "", (), "Hello"),
    ("first_line", "\nHello", "", (), ""),
    ("quotes", '"Hello"', "Hallo", (), "Hello"),
    ("quotes", "„Hallo“", "Hello", (), "Hallo"),
    ("quotes", '"Hello"', '"Hallo"', (), '"Hello"'),
    ("quotes", '"Yes", he said, "no"', "Ja", (), '"Yes", he said, "no"'),
    ("quotes", '""', "Hallo", (), '""'),
    ("quotes", "'tis", "es", (), "'tis"),
    ("repetition", "I see a cat a cat a cat a cat a cat", "Ich sehe", (), "I see a cat"),
    ("repetition", "no no no no no no", "nein nein nein nein", (), "no no no no no no"),
    ("repetition", "I see a cat", "Ich sehe", (), "I see a cat"),
    ("one_line", " Hello \n\n  World\t!", "", (), "Hello World !"),
    ("one_line", "«\u00a0Bonjour\u202f!\u00a0»\u3000", "", (), "«\u00a0Bonjour\u202f!\u00a0»\u3000"),
]


@pytest.mark.parametrize(("name", "answer", "source", "headers", "left"), CASES)
def test_steps(name: str, answer: str, source: str, headers: tuple[str, ...], left: str) -> None:
    assert STEPS[name](answer, Asked(source, headers)) == left


def test_every_step_has_a_case_that_it_changes_and_one_that_it_does_not() -> None:
    changed = {name for name, answer, _, _, left in CASES if answer != left}
    assert changed == set(STEPS)
    kept = {name for name, answer, _, _, left in CASES if answer == left}
    assert kept >= set(STEPS) - {"blank_lines", "first_line"}


def test_the_usual_steps_in_their_order() -> None:
    raw = '\n\nHere is the translation:\n```\n"Hello there."\n```\nGerman: Nein'
    assert USUAL.apply(raw, "Hallo.", ("German:",)) == "Hello there."
    names = [name for name, _ in USUAL.trace(raw, "Hallo.", ("German:",))]
    assert names[:4] == ["", "blank_lines", "lead_in", "fence"]
    assert Steps().apply(raw, "Hallo.") == raw


@given(st.lists(st.sampled_from(list(STEPS))))
def test_the_text_of_steps_means_them(names: list[str]) -> None:
    steps = Steps(tuple(names))
    assert parse_steps(str(steps)) == steps


def test_words_for_steps() -> None:
    assert str(Steps()) == "none"
    assert parse_steps("usual") == USUAL
    assert parse_steps(" quotes , one_line ") == Steps(("quotes", "one_line"))
    with pytest.raises(OptionError, match=re.escape("unknown step 'quote'; did you mean 'quotes'? known: thoughts, ")):
        parse_steps("quote")


@given(st.text(), st.text(), st.sampled_from(sorted(STEPS)))
def test_steps_take_any_text(answer: str, source: str, name: str) -> None:
    left = STEPS[name](answer, Asked(source, ("German:",)))
    assert left == STEPS[name](answer, Asked(source, ("German:",)))
    assert set(left) <= {*answer, " "}
    assert len(left) <= len(answer)
