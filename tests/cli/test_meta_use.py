"""`tertium meta use`: what it prints in every format, and what it refuses."""

import csv
import io
import json
from pathlib import Path

import pytest

import tertium as tt
from tertium.engines.evaluate import add_metrics
from tertium.meta.use import judge_use

from . import running

TESTSET = str(Path(__file__).parents[2] / "examples" / "testset.toml")
GOLD = 'human(scale="adequacy")'


def run(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    command = ("meta", "use", TESTSET, "-m", "chrf,ter", "--gold", GOLD, "--trials", "200", *words)
    assert running.run(*command) == status
    return capsys.readouterr()


def test_text_fits_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "--good", "4")
    whole = " ".join(out.split())
    for words in ("As a filter: which outputs are good", ": 4 or more", "everything kept", "filter precision",
                  "filter recall", "filter F", "As a chooser: the best output of each segment", "best system always",
                  "12 documents drawn again 200 times, seed 12345", "p (max-T)",
                  "5 folds of whole documents"):  # fmt: skip
        assert words in whole, words
    assert [line for line in out.splitlines() if len(line) > 80] == []


def test_numbers_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    given = tt.read_testset(TESTSET)
    counted = tt.evaluate(given.testset, given.systems, ["chrf", "ter"], judgements=given.judgements)
    found = judge_use(add_metrics(counted, GOLD), GOLD, good=4, trials=200)
    rows = list(csv.DictReader(io.StringIO(run(capsys, "--good", "4", "-f", "csv")[0])))
    filters = {(row["metric"], row["measure"]): float(row["value"]) for row in rows if row["use"] == "filter"}
    for item in found.filters:
        assert filters[item.name, "precision"] == item.precision
        assert filters[item.name, "f"] == item.f
    printed = json.loads(run(capsys, "--good", "4", "-f", "json")[0])
    assert printed["choosers"][0]["precision"] == found.choosers[0].precision
    assert printed["outputs"] == found.outputs == 384
    assert printed["seed"] == 12345


def test_a_threshold_and_sentinels(capsys: pytest.CaptureFixture[str]) -> None:
    printed = json.loads(run(capsys, "--good", "4", "--threshold", "chrf=50", "--sentinels", "-f", "json")[0])
    filters = {item["name"]: item for item in printed["filters"]}
    assert filters["chrf"]["thresholds"] == [50]
    assert len(filters["ter"]["thresholds"]) == 5
    assert "sentinel: source" in filters


@pytest.mark.parametrize(("form", "mark"), [("markdown", "**As a filter"), ("latex", r"\begin{tabular}")])
def test_other_formats(capsys: pytest.CaptureFixture[str], form: str, mark: str) -> None:
    assert mark in run(capsys, "--good", "4", "-f", form)[0]


def test_spreadsheet_and_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    sheet, page = tmp_path / "use.xlsx", tmp_path / "use.html"
    run(capsys, "--good", "4", "-o", str(sheet), "--page", str(page), "--sentinels")
    assert sheet.stat().st_size > 1000
    text = page.read_text(encoding="utf-8")
    for words in ("Metrics in use: town-notes", "Filters", "Choosers", "everything kept", "Sentinels", "Westfall"):
        assert words in text, words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--good", "9"), "good 9: no output of town-notes is good by that; the quartiles"),
        (("--good", "4", "--threshold", "chrf"), "--threshold chrf: write METRIC=NUMBER"),
        (("--good", "4", "--threshold", "chrf=x"), "--threshold chrf=x: write METRIC=NUMBER"),
        (("--good", "4", "--threshold", "chrf=1", "--threshold", "chrf=2"), "there is already one for chrf"),
        (("--good", "4", "--threshold", "bleu=1"), "a threshold for bleu, but the metrics are chrf, ter"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert message in run(capsys, *words, status=2)[1]
