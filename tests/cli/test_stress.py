"""`tertium stress`: tables, types, pairs and mistakes."""

import csv
import io
import json
from functools import partial
from pathlib import Path

import pytest

from tertium.cli.main import main

from .running import Command


@pytest.fixture
def stress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("src.de").write_text("eins zwei drei vier fünf sechs\nsieben acht neun zehn\n")
    Path("ref.en").write_text("one two three four five six\nseven eight nine ten\n")
    Path("a.en").write_text("one two three four five six\nseven eight nine eleven\n")
    return partial(tertium, "stress", "-r", "ref.en")


NOTE = "tertium: note: only 2 segments: scores of so small a test set are not reliable\n"


def test_text(stress: Command) -> None:
    """Ten different words, of which nothing else matters to WER."""
    status, out, err = stress("--on", "references", "-m", "wer,macrof", "--noise", "delete,permute", "--rates", ".2,.6",
                              "--aim", "rarest,frequent", "--seeds", "2")  # fmt: skip
    expected = """
ref.en: 2 segments, 1 reference per segment
reference: 10 words, 2 seeds from 12345
per cent of the score that is left (100: outputs as they are, 0: empty outputs),
by share of the words that a noise can touch; area: the mean of the curve;
slope: share of the score lost / share of all words touched, at the last rate

WER: 0.0, of empty outputs 100.0

noise    aim         20%   60%  area  slope
delete   rarest     80.0  40.0  70.0   1.00
delete   frequent   80.0  40.0  70.0   1.00
"""
    assert out.startswith(expected.lstrip())
    assert "\nSelectivity: area with the most frequent words touched less that with the rarest\n" in out
    assert "WER     delete     70.0      70.0          0.0\n" in out
    assert "\n- MacroF does not notice word order among the rarest (100.0 % left)\n" in out
    short = "tertium: note: permute aimed at {} touches no word at 20 %: the text is too short\n"
    assert (status, err) == (0, NOTE + short.format("rarest") + short.format("frequent"))
    assert max(map(len, out.splitlines())) <= 80


def test_csv(stress: Command) -> None:
    _, out, _ = stress(
        "-t", "a.en", "-s", "src.de", "-m", "wer", "--noise", "untranslate", "--rates", ".1,.2", "-f", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["rate"] for row in rows] == ["0.1", "0.2"]
    assert [row["touched"] for row in rows] == ["1.0", "2.0"]
    assert {(row["system"], row["metric"], row["noise"], row["aim"], row["words"], row["seeds"]) for row in rows} == {
        ("a", "wer", "untranslate", "random", "10", "5")
    }
    for row in rows:  # one word of ten is wrong before; a touched word is wrong unless it was before
        assert 10 <= float(row["score"]) <= 10 + 100 * float(row["rate"])
        assert float(row["left"]) == pytest.approx(100 * (100 - float(row["score"])) / 90)


def test_json(stress: Command) -> None:
    _, out, err = stress(
        "-t", "a.en", "-m", "wer", "--noise", "delete", "--aim", "rarest,frequent", "--seeds", "1", "-f", "json"
    )
    found = json.loads(out)
    assert [(curve["metric"], curve["aim"]) for curve in found["curves"]] == [("wer", "rarest"), ("wer", "frequent")]
    assert found["curves"][0]["spread"] == [None] * 4
    assert found["curves"][0]["rates"] == [0.05, 0.1, 0.2, 0.3]
    assert found["selectivity"][0].keys() == {"metric", "noise", "rarest", "frequent", "value"}
    assert found["scores"] == {"wer": 10.0}
    assert found["warnings"] == [NOTE.removeprefix("tertium: note: ").strip()]
    assert err == ""


def test_markdown(stress: Command) -> None:
    _, out, _ = stress("-t", "a.en", "-m", "wer", "--noise", "repeat", "--rates", ".1", "-f", "markdown")
    assert out.startswith("| noise | aim | 10% | area | slope |\n| :-- | :-- | --: | --: | --: |\n| repeat | random | ")
    assert out.endswith("\n\nBlind spots: none among these noises and aims\n\n5 seeds from 12345\n")


def test_types(stress: Command) -> None:
    status, out, err = stress("-t", "a.en", "-m", "wer", "--damage", "--noise", "delete", "--top", "1", "-w", "1")
    assert (status, err) == (0, "")
    assert (
        out
        == """ref.en: 2 segments, 1 reference per segment
a: what is left with one type damaged by delete, seed 12345

By how often outputs have a type: the mean of what is left, per cent

count  types  words   wer
1         10     10  90.0

The most frequent types: 1 of 10

type  count  segments   wer
one       1         1  88.9
"""
    )
    _, out, _ = stress("-t", "a.en", "-m", "wer", "--damage", "-f", "csv")
    assert len(out.splitlines()) == 11
    _, out, _ = stress("-t", "a.en", "-m", "wer", "--damage", "-f", "json", "--top", "2")
    found = json.loads(out)
    assert [len(found["types"]), found["curve"][0]["types"]] == [2, 10]
    _, out, _ = stress("-t", "a.en", "-m", "wer", "--damage", "-f", "markdown")
    assert "| count | types | words | wer |" in out


def test_pairs(stress: Command) -> None:
    status, out, err = stress(
        "-t", "a.en", "-s", "src.de", "--emit", "pairs.jsonl", "--noise", "delete", "--rates", ".3", "--seeds", "1"
    )
    pairs = [json.loads(line) for line in Path("pairs.jsonl").read_text().splitlines()]
    assert (status, out, err) == (0, "", f"tertium: {len(pairs)} pairs written to pairs.jsonl\n")
    assert sum(pair["touched"] for pair in pairs) == 3
    assert list(pairs[0]) == ["segment", "system", "source", "references", "output", "noised", "noise", "aim", "rate",
                              "seed", "touched", "words", "severity"]  # fmt: skip
    status, out, _ = stress(
        "-t", "a.en", "-s", "src.de", "--emit", "-", "--noise", "delete", "--rates", ".3", "--seeds", "1"
    )
    assert [json.loads(line) for line in out.splitlines()] == pairs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-t a.en -t b=a.en", "2 systems: say which one (--system NAME): a, b"),
        ("-t a.en --system c", "there is no system 'c'; systems: a"),
        ("--on references --system a", "--on references damages references, not system a; leave one of the two out"),
        ("-t a.en --rates 1,x", "--rates 1,x: must be numbers separated by commas, such as .05,.1,.2,.3"),
        ("-t a.en --rates 0", "rates 0: must rise, above 0 and up to 1, such as 0.05, 0.1, 0.2, 0.3"),
        ("-t a.en --emit x -m bleu",
         "--emit writes pairs and scores nothing; leave --metrics, --damage and --page out"),
        ("-t a.en --damage --noise mask,delete", "--damage takes one noise, not 2: mask, delete"),
        ("-t a.en --noise untranslate", "untranslate needs the source, and the test set has none (--src FILE)"),
        ("-t a.en --aim best", "aim 'best' is unknown; choose from random, rarest, frequent, content, function, begin, "
         "middle, end"),
        ("-t a.en --emit no/pairs.jsonl", "no/pairs.jsonl: cannot be written: there is no folder no; make it first"),
        ("-t a.en --tokenize x", 'stress: tokenize="x" is unknown; choose from none, 13a, intl, zh, '
         "char, tercom, ja-mecab, ko-mecab, spm:PATH, py:package.module:function"),
    ],
)  # fmt: skip
def test_mistakes(stress: Command, arguments: str, message: str) -> None:
    assert stress(*arguments.split()) == (2, "", f"tertium: {message}\n")


def test_a_system_of_a_test_set(stress: Command) -> None:
    """By name; a saved table is written whole."""
    Path("testset.toml").write_text('source = "src.de"\nreferences = ["ref.en"]\nsystems = ["a.en"]\n')
    del stress
    main(["stress", "testset.toml", "--system", "a", "-m", "wer", "--noise", "delete", "-o", "out.txt"])
    assert "\na: 10 words, 5 seeds from 12345\n" in Path("out.txt").read_text()
