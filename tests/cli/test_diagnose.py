"""`tertium diagnose`: tables, findings, notes, mistakes."""

import json
from functools import partial
from pathlib import Path

import pytest

from .running import Command


@pytest.fixture
def diagnose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("src.de").write_text("Der alte Hafen ist zu.\nDrei Fähren kamen.\nGut.\n")
    Path("ref.en").write_text("The old harbour is closed.\nThree ferries came.\nGood.\n")
    Path("good.en").write_text("The old port is closed.\nThree ferries came.\nFine.\n")
    Path("bad.en").write_text("The old Hafen is closed.\nTwo ferries came.\n\n")
    return partial(tertium, "diagnose")


FILES = ("-s", "src.de", "-r", "ref.en", "-t", "good.en", "-t", "bad.en")


def test_text(diagnose: Command) -> None:
    status, out, err = diagnose(*FILES, "--detectors", "untranslated,number,empty", "--among", "1,3", "--list")
    assert (status, err) == (0, "")
    assert out == (
        "ref.en: 3 segments, 1 reference per segment\n"
        "\n"
        "detector      reference       good         bad\n"
        "untranslated          –  0 (0.0 %)  1 (33.3 %)\n"
        "number        0 (0.0 %)  0 (0.0 %)  1 (33.3 %)\n"
        "empty         0 (0.0 %)  0 (0.0 %)  1 (33.3 %)\n"
        "\n"
        "Segments with a finding, and their share of those that the detector could judge.\n"
        "Reference: the first one as if it were a system, judged without itself.\n"
        "* p <= 0.05, ** p <= 0.01, *** p <= 0.001 against good (McNemar, exact; Holm).\n"
        "\n"
        "Hits among 2 segments:\n"
        "\n"
        "detector      good  bad\n"
        "untranslated     0    1\n"
        "number           0    0\n"
        "empty            0    1\n"
        "\n"
        "1 bad untranslated 0.26: Hafen: the source's word, and no reference has it\n"
        "2 bad number 1.00: Drei in the source, not in the output\n"
        "2 bad number 1.00: Two in the output, not in the source\n"
        "3 bad empty 1.00: nothing was said\n"
    )


def test_stars(diagnose: Command) -> None:
    Path("src.de").write_text("Ja.\n" * 20)
    Path("good.en").write_text("Yes.\n" * 20)
    Path("bad.en").write_text("\n" * 20)
    _, out, _ = diagnose("-s", "src.de", "-t", "good.en", "-t", "bad.en", "--detectors", "empty")
    assert "empty             –  0 (0.0 %)  20 (100.0 %) ***\n" in out
    _, out, _ = diagnose("-s", "src.de", "-t", "good.en", "-t", "bad.en", "--detectors", "empty", "--baseline", "bad")
    assert "0 (0.0 %) ***" in out
    assert "against bad" in out


def test_tsv(diagnose: Command) -> None:
    status, out, _ = diagnose(*FILES, "--detectors", "untranslated,number", "-f", "tsv", "-o", "found.tsv")
    assert (status, out) == (0, "")
    rows = [line.split("\t") for line in Path("found.tsv").read_text().splitlines()]
    assert rows[0][:5] == ["segment", "system", "kind", "severity", "output_start"]
    assert [row[:3] + row[4:8] for row in rows[1:]] == [
        ["1", "bad", "untranslated", "8", "13", "9", "14"],
        ["2", "bad", "number", "", "", "0", "4"],
        ["2", "bad", "number", "0", "3", "", ""],
    ]


def test_json(diagnose: Command) -> None:
    _, out, _ = diagnose(*FILES, "-f", "json", "--show", "1", "--among", "3", "--detectors", "number,empty")
    found = json.loads(out)
    assert found["segments"] == 3
    assert found["detectors"]["number"]["reference"] == {"judged": 3, "hits": 0}
    assert found["detectors"]["number"]["systems"] == {
        "good": {"judged": 3, "hits": 0},
        "bad": {"judged": 3, "hits": 1},
    }
    assert found["mcnemar"][0] == {
        **{"systems": ["good", "bad"], "kind": "number"},
        **{"only_first": 0, "only_second": 1, "both": 0, "p": 1.0},
    }
    assert [finding["segment"] for finding in found["findings"]] == [2, 3]
    assert found["among"] == {
        "segments": [3],
        "hits": {"good": {"number": 0, "empty": 0}, "bad": {"number": 0, "empty": 1}},
    }
    assert found["warnings"] == []


def test_notes(diagnose: Command) -> None:
    status, out, err = diagnose("-r", "ref.en", "-t", "bad.en")
    assert status == 0
    assert "untranslated" not in out
    assert "stars" not in out
    assert err.startswith(
        "tertium: note: test set ref.en has no source, which these detectors need: untranslated, number, name, copied, "
        "placeholder; they are left out\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--detectors", "loops"], "there is no detector 'loops'; known: untranslated, truncation, omission, "),
        (["--among", "x"], "--among x: not numbers; write segment numbers with commas: 12,31,1180"),
        (["--among", "0"], "there is no segment 0: the test set has 1 to 3"),
        (["--baseline", "x"], "there is no system 'x'; there are: good, bad"),
    ],
)
def test_mistakes(diagnose: Command, arguments: list[str], sentence: str) -> None:
    status, out, err = diagnose(*FILES, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"tertium: {sentence}")
