"""Words as runs of letters: the fast ways say what the slow ones do, and what is skipped has nothing in it."""

from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tertium as tt
from tertium.analysis.detect.detector import Text
from tertium.analysis.detect.form import GLUED, LONG_WORD, _glued, _loop
from tertium.text.letters import casefolded, folded_words, letter_words, word_pattern
from tertium.text.numerals import has_numerals, numerals

PIECES = [*printable, *"äßİſ’\u0301\u0345\u00a0中ि", "May", " two ", " fünf", "12.5"]
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join) | st.text()


def test_words_by_hand() -> None:
    assert letter_words("It's 3 o'clock, Anna_B.") == ["It", "s", "o", "clock", "Anna", "B"]
    assert folded_words("Große STRASSE") == ["grosse", "strasse"]
    assert letter_words("हिन्दी e\u0301té \u0301x") == ["हिन्दी", "e\u0301té", "x"]  # marks join, and begin no word
    assert letter_words("") == folded_words("\x00 7_") == []


def test_characters_fold_by_themselves_and_none_to_a_space() -> None:
    """So many words are folded at once as they are one by one."""
    letters = [chr(code) for code in range(0x110000) if chr(code).isalpha() or chr(code).casefold() != chr(code)]
    assert casefolded(letters) == [letter.casefold() for letter in letters]
    words = ["Σ", "ΑΣ", "ΟΔΟΣ", "İ", "ŒSSẞ"]  # lower-casing looks at neighbours, case-folding does not
    assert casefolded(words) == [word.casefold() for word in words]


@given(TEXTS)
def test_every_way_finds_the_same_words(text: str) -> None:
    found = word_pattern().findall(text)
    assert letter_words(text) == found
    assert folded_words(text) == Text(text).folded == [word.casefold() for word in found]
    assert [word.text for word in Text(text).words] == found


@pytest.mark.parametrize("language", [None, "en", "de", "fr", "es", "zh"])
@given(text=TEXTS)
def test_no_number_is_skipped(text: str, language: str | None) -> None:
    if not has_numerals(text, Text(text).keys, language):
        assert numerals(text, language) == []


def test_a_text_without_numbers_is_known_at_once() -> None:
    assert not has_numerals("Nobody came.", {"nobody", "came"}, "en")
    assert has_numerals("Two came.", {"two", "came"}, "en")
    assert has_numerals("In May.", {"in", "may"}, None)
    assert has_numerals("It was 7.", {"it", "was"}, "zh")


@given(st.lists(st.sampled_from("abc"), max_size=14))
def test_no_loop_of_words_is_skipped(words: list[str]) -> None:
    """Naive: any block of words, held against the words before it."""
    found = False
    for period in range(1, 13):
        run = 0
        for place in range(period, len(words)):
            run = run + 1 if words[place] == words[place - period] else 0
            found |= run // period + 1 >= {1: 3, 2: 3}.get(period, 2)
    assert (_loop(Text(" ".join(words))) is not None) == found


@given(st.text("aab- ", max_size=40) | st.text(max_size=6).map(lambda block: f"xy {block * 7} z"))
def test_no_loop_of_letters_is_skipped(text: str) -> None:
    long = (match for match in GLUED.finditer(text) if len(match[0]) >= LONG_WORD)
    first = next((match.span() for match in long if any(char.isalpha() for char in match[1])), None)
    found = _glued(text)
    assert (found and found[:2]) == first


def test_no_model_is_loaded_if_all_texts_are_familiar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading takes most of a second: only a text in unknown words is worth it."""
    langid = pytest.importorskip("py3langid.langid")
    loaded = []

    def load(*_: object, **__: object) -> object:
        loaded.append(1)
        raise RuntimeError("loaded")

    monkeypatch.setattr(langid.LanguageIdentifier, "from_model_file", load)
    reference = tt.Lines.of(["Nobody on the platform looked surprised when the train was late again."])
    testset = tt.TestSet(segments=1, sources=tt.Lines.of(["Ja."]), references=tt.References((reference,), 1))
    tt.diagnose(testset, [tt.System(name="same", outputs=reference)], detectors="language")
    assert loaded == []
    other = tt.Lines.of(["Niemand wirkte an diesem Abend auf dem Bahnsteig überrascht."])
    with pytest.raises(RuntimeError, match="loaded"):
        tt.diagnose(testset, [tt.System(name="other", outputs=other)], detectors="language")
