"""`tertium types`: tables as text, TSV and JSON."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tertium.cli.main import main

Command = Callable[..., tuple[object, str, str]]


@pytest.fixture
def types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("ref.en").write_text("the old harbour is closed\nthe ferry is late\n")
    Path("mine.en").write_text("the harbour is shut\nthe ferry is is late\n")
    Path("other.en").write_text("harbour\na\u200b\x1b ferry\n")

    def run(*arguments: str) -> tuple[object, str, str]:
        status: object = 0
        try:
            main(["types", "-r", "ref.en", *arguments])
        except SystemExit as stop:
            status = stop.code
        return (status, *capsys.readouterr())

    return run


NOTE = "tertium: note: only 2 segments: scores of so small a test set are not reliable\n"


def test_text(types: Command) -> None:
    status, out, err = types("-t", "mine.en", "--min-refs", "2", "-w", "1")
    table = """
ref.en: 2 segments, 1 reference per segment

mine: 2 of 8 types

type  refs  preds  match  precision  recall      f
is       2      3      2       66.7   100.0   80.0
the      2      2      2      100.0   100.0  100.0

"""
    assert out.startswith(table.lstrip())
    assert out.splitlines()[-1].startswith("macrof|refs:1|n:2|data:")
    assert (status, err) == (0, NOTE)


def test_tsv_of_two_systems(types: Command) -> None:
    _, out, _ = types("-t", "mine.en", "-t", "b=other.en", "--format", "tsv", "--only", "both", "-m", "microf(beta=2)")
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["system", "type", "refs", "preds", "match", "precision", "recall", "f"]
    assert [line[:5] for line in lines[1:]] == [
        ["mine", "is", "2", "3", "2"],
        ["mine", "the", "2", "2", "2"],
        ["mine", "ferry", "1", "1", "1"],
        ["mine", "harbour", "1", "1", "1"],
        ["mine", "late", "1", "1", "1"],
        ["b", "ferry", "1", "1", "1"],
        ["b", "harbour", "1", "1", "1"],
    ]
    assert float(lines[1][5]) == pytest.approx(200 / 3, rel=1e-15)


def test_json(types: Command) -> None:
    _, out, _ = types("-t", "mine.en", "-f", "json", "--sort", "f", "--reverse", "--top", "1", "--pattern", "^o")
    found = json.loads(out)
    assert found["metric"] == "macrof"
    assert found["types"] == {
        "mine": [{"type": "old", "refs": 1, "preds": 0, "match": 0, "precision": 100.0, "recall": 0.0, "f": 0.0}]
    }
    assert found["warnings"]
    assert found["signature"].startswith("macrof|")


def test_a_screen_is_shown_nothing_that_it_would_obey(types: Command) -> None:
    _, out, _ = types("-t", "other.en", "--only", "output")
    assert r"a\u200b\x1b" in out
    assert "\x1b" not in out


def test_text_is_short_and_files_are_whole(types: Command) -> None:
    Path("ref.en").write_text(" ".join(f"w{k}" for k in range(50)) + "\n")
    Path("mine.en").write_text("w1\n")
    _, out, _ = types("-t", "mine.en")
    assert sum(line.startswith("w") for line in out.splitlines()) == 20
    assert "50 of 50 types" in out
    status, out, _ = types("-t", "mine.en", "-f", "tsv", "-o", "table.tsv")
    assert (status, out) == (0, "")
    assert len(Path("table.tsv").read_text().splitlines()) == 51


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-m", "bleu"], "bleu counts no types; choose a metric that does, such as macrof"),
        (["--pattern", "["], "pattern '[' is not a regular expression: unterminated character set at position 0"),
        (["-m", "macro"], "unknown metric 'macro'; did you mean 'macrof'?"),
    ],
)
def test_mistakes(types: Command, arguments: list[str], sentence: str) -> None:
    status, out, err = types("-t", "mine.en", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"tertium: {sentence}")


def test_standard_input(types: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the\nferry\n"), encoding="utf-8"))
    _, out, _ = types("--format", "tsv", "--only", "both")
    assert [line.split("\t")[:2] for line in out.splitlines()[1:]] == [["stdin", "the"], ["stdin", "ferry"]]
