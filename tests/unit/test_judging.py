"""What the answers of a judge mean: a number is taken only where there is no doubt which one is meant."""

from typing import Any

import pytest

from tertium.core.judgement import Span
from tertium.metrics._judging import (
    MOST,
    QUESTIONS,
    JudgedError,
    Languages,
    first_line,
    penalty,
    read_class,
    read_errors,
    read_percent,
    read_stars,
    spans_of,
)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("85", 85), (" 85.", 85), ("**85**", 85), ("85/100", 85), ("85 / 100", 85), ("85%", 85), ("85.5", 85.5),
        ("85,5", 85.5), ("Score: 85", 85), ('"85"', 85), ("Score: **85/100**", 85), ("0", 0), ("100", 100),
        ("I would give it a 70.", 70), ("On a scale from 0 to 100, I would say 70.", 70),
        ("85\n\nThe translation misses 2 words.", 85), ("It has 3 errors, so the score is 60.", 60),
        ("The score of this translation: 40 out of 100", 40), ("I give 40 out of 100", 40),
        ("Rating: 55, because of the 1st word", 55),
        # not scored
        ("", None), ("   \n ", None), ("very good", None), ("101", None), ("-5", None), ("Score: -5", None),
        ("Score: 1000", None), ("80 or 90", None), ("between 60 and 70", None), ("Score: 80. Score: 20", None),
        ("GPT4 says so", None), ("1" * 400, None), ("85 for meaning, 70 for grammar", None), ("nan", None),
        ("٨٥", 85),  # digits of any script are digits
    ],
)  # fmt: skip
def test_numbers(answer: str, value: float | None) -> None:
    assert read_percent(answer) == value


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("4", 4), ("4 stars", 4), ("★★★☆☆", 3), ("⭐⭐⭐⭐⭐", 5), ("Four stars.", 4), ("four-star", 4), ("4/5", 4),
        ("3.5", 3.5), ("Stars: 2", 2), ("It deserves three stars out of five", 3), ("4 out of 5 stars", 4),
        ("0", None), ("6", None), ("★" * 6, None), ("three or four", None), ("one star or two stars", None), ("", None),
    ],
)  # fmt: skip
def test_stars(answer: str, value: float | None) -> None:
    assert read_stars(answer) == value


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("good", 3), ("Class: **Flawless**", 4), ("worthless.", 0), ("It is fair: parts are fair, others lost.", 2),
        ("poor", 1), ("good or fair", None), ("not good", None), ("it isn't good", None), ("goodness", None),
        ("3", None),
    ],
)  # fmt: skip
def test_classes(answer: str, value: float | None) -> None:
    assert read_class(answer) == value


ONE = JudgedError("major", "accuracy/mistranslation", "cat")


@pytest.mark.parametrize(
    ("answer", "errors"),
    [
        ('major; accuracy/mistranslation; "cat"', (ONE,)),
        ('- **Major**; accuracy/mistranslation; “cat”', (ONE,)),
        ('1. major | accuracy/mistranslation | "cat"\n', (ONE,)),
        ('Major:\naccuracy/mistranslation - "cat"\nMinor:\nno-error', (ONE,)),
        ('Critical:\nno-error\nMajor:\n- accuracy/mistranslation: "cat"\n', (ONE,)),
        ('major; "cat"', (JudgedError("major", "", "cat"),)),
        ("minor; fluency/grammar", (JudgedError("minor", "fluency/grammar", ""),)),
        ("\n".join(['major; accuracy/mistranslation; "cat"'] * 99), (ONE,)),  # said over and over
        ('minor; style/awkward; "it\'s"', (JudgedError("minor", "style/awkward", "it's"),)),
        ("no errors", ()), ("No errors.", ()), ("none", ()), ("Errors: ", None), ("", None), ("fine", None),
        ("The cat is major.", None), ("major", None),
    ],
)  # fmt: skip
def test_errors(answer: str, errors: Any) -> None:
    assert read_errors(answer) == errors


def test_penalties_have_the_weights_of_people_and_an_end() -> None:
    """Freitag et al. (2021): 5 and 1, punctuation .1; Kocmi and Federmann (2023): 25 for critical, and at most."""
    assert penalty(()) == 0
    assert penalty((ONE, JudgedError("minor", "style", "x"), JudgedError("minor", "fluency/punctuation", ","))) == 6.1
    assert penalty((JudgedError("critical", "other", "x"), ONE)) == 25
    assert penalty((JudgedError("minor", "non-translation", ""),)) == 25


def test_words_are_looked_for_in_the_output_then_in_the_source() -> None:
    errors = [ONE, ONE._replace(category="second"), ONE._replace(words="Katze"), ONE._replace(words="dog")]
    found = spans_of(errors, "a cat, a cat", "eine Katze")
    assert [(span.side, span.start, span.end) for span in found] == [
        ("output", 2, 5), ("output", 9, 12), ("source", 5, 10), ("none", 0, 0)
    ]  # fmt: skip
    assert found[0] == Span(start=2, end=5, severity="major", category="accuracy/mistranslation")


def test_an_answer_is_read_as_far_as_it_is_sane() -> None:
    assert read_percent("x" * MOST + " 85") is None
    assert read_errors("x\n" * MOST + "no errors") is None
    assert first_line("\n \n a \n b") == " a "


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_asked(name: str) -> None:
    question = QUESTIONS[name]
    shown = question.ask("Hund", "dog", ["a dog", "hound"], Languages("de", "en"))
    assert " from German into English beside its human references" in shown
    assert 'Source: "Hund"\nReference 1: "a dog"\nReference 2: "hound"\nTranslation: "dog"\n\n' in shown
    assert shown.endswith(question.header)
    plain = question.ask("Hund", "dog", [], Languages(None, "en"))
    assert "this translation into English" in plain
    assert "eference" not in plain
    assert len({each.digest for each in QUESTIONS.values()}) == len(QUESTIONS)


def test_braces_in_texts_are_texts() -> None:
    assert '"{pair} {0}"' in QUESTIONS["da"].ask("{pair} {0}", "{", ["}"], Languages(None, None))
