"""Degraded outputs: as long as the original, damaged where it says, and the same every time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.human.campaign.degrade import degrade, words_replaced

OTHERS = [f"w{k}a w{k}b w{k}c w{k}d w{k}e w{k}f w{k}g w{k}h w{k}i" for k in range(5)]


# Bojar et al. (2017), "Findings of the 2017 conference on machine translation", section 3.
@pytest.mark.parametrize(
    ("length", "replaced"),
    [(1, 1), (2, 2), (5, 2), (6, 3), (8, 3), (9, 4), (15, 4), (16, 5), (20, 5), (21, 5), (40, 10)],
)
def test_how_many_words(length: int, replaced: int) -> None:
    assert words_replaced(length) == replaced


def test_a_phrase_in_the_middle() -> None:
    found = degrade("one two three four five six seven", OTHERS, "en", "1")
    assert found is not None
    words = found.text.split()
    assert len(words) == 7
    assert (words[0], words[-1]) == ("one", "seven")
    assert sum(word.startswith("w") for word in words) == 3
    assert all(word.startswith("w") for word in found.text[found.start : found.end].split())
    assert found == degrade("one two three four five six seven", OTHERS, "en", "1")


def test_characters_where_words_have_no_spaces() -> None:
    found = degrade("今天的天气很好我们去公园", ["昨日下大雨他留在家里看书"], "zh-TW", "1")
    assert found is not None
    assert len(found.text) == 12
    assert found.end - found.start == 8  # 4 of 12, twice


def test_nothing_that_differs() -> None:
    assert degrade("same", ["same", "Same", ""], "en", "1") is None
    assert degrade("", OTHERS, "en", "1") is None
    assert degrade("alone", [], "en", "1") is None


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5), st.sampled_from(["en", "ja", None]))
def test_any_text(text: str, others: list[str], language: str | None) -> None:
    found = degrade(text, others, language, "seed")
    if found is not None:
        assert found.text != text
        assert 0 <= found.start < found.end <= len(found.text)
        assert text.startswith(found.text[: found.start])
        assert text.endswith(found.text[found.end :])
