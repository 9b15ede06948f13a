"""Numbers in texts: both decimal marks, words, dates, clocks."""

import pytest

from tertium.text.numerals import numerals, same_clock_or_scale


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1.000", [{"1000", "1"}]),
        ("1,000", [{"1000", "1"}]),
        ("1,5", [{"1.5"}]),
        ("1.5", [{"1.5"}]),
        ("1.250,50", [{"1250.5"}]),
        ("1,250.50", [{"1250.5"}]),
        ("1 250 000", [{"1250000"}]),
        ("1\u202f250,5", [{"1250.5"}]),
        ("1'250'000", [{"1250000"}]),
        ("0,20", [{"0.2"}]),
        ("79.00", [{"79"}]),
        ("12.03.2024", [{"12"}, {"3"}, {"2024"}]),
        ("am 3. M", [{"3"}]),
        ("the 21st at 21:47", [{"21"}, {"21"}, {"47"}]),
        ("0800 555 0147", [{"800"}, {"555"}, {"147"}]),
        ("0.125", [{"0.125"}]),
        ("٣٫", [{"3"}]),
        ("1.2.3.4", [{"1"}, {"2"}, {"3"}, {"4"}]),
        ("9" * 5000, [{"9" * 5000}]),
        ("", []),
    ],
)
def test_digits(text: str, values: list[set[str]]) -> None:
    assert [set(numeral.values) for numeral in numerals(text, "xx")] == values


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("nine hundred sheep and forty-one people", "en", ["900", "41"]),
        ("two thousand", "en", ["2000"]),
        ("a hundred", "en", []),
        ("einundvierzig, neunhundert, zwölf", "de", ["41", "900", "12"]),
        ("dreihundertfünfundzwanzig", "de", ["325"]),
        ("eine Elf", "de", ["11"]),
        ("an elf", "en", []),
        ("an elf", None, []),
        ("on Tuesdays in May", "en", ["weekday 2", "month 5"]),
        ("it may march", "en", []),
        ("dienstags, Mittwochabend, im März", "de", ["weekday 2", "weekday 3", "month 3"]),
        ("Sept. 10", "en_GB", ["month 9", "10"]),
        ("vingt personnes lundi", "fra", ["20", "weekday 1"]),
        ("drei three trois tres", None, ["3", "3", "3", "3"]),
        ("drei", "ja", []),
        ("an Weihnachten und zu Ostern", "de", ["feast 1", "feast 2"]),
        ("Noël, pas Pâques", "fr", ["feast 1", "feast 2"]),
    ],
)
def test_words(text: str, language: str | None, values: list[str]) -> None:
    found = numerals(text, language)
    assert [value for numeral in found for value in numeral.values] == values


def test_half_an_hour_before() -> None:
    text = "halb so alt, gegen halb elf, um zehn, halb zwei, halb zwanzig"
    found = [(set(n.values), text[n.start : n.end]) for n in numerals(text, "de")]
    assert found == [({"10", "10.3"}, "halb elf"), ({"10"}, "zehn"), ({"1", "1.3"}, "halb zwei"), ({"20"}, "zwanzig")]


def test_places() -> None:
    text = "at half past nine hundred, 12 of 3,5"
    assert [text[n.start : n.end] for n in numerals(text, "en")] == ["nine hundred", "12", "3,5"]
    assert [n.written for n in numerals("third of three on 3 May", "en")] == ["ordinal", "word", "digits", "date"]


def test_clocks_and_scales() -> None:
    assert "2" in same_clock_or_scale("14")
    assert "14" in same_clock_or_scale("2")
    assert "1500000" in same_clock_or_scale("1.5")
    assert "1.5" in same_clock_or_scale("1500000")
    assert "35" not in same_clock_or_scale("3.5")
    assert same_clock_or_scale("9" * 5000) == set()
