"""`tertium meta --sentinels`: rows that are marked as such, in every format and on the page."""

import csv
import io
import json
from pathlib import Path

import pytest

from . import running

TESTSET = str(Path(__file__).parents[2] / "examples" / "testset.toml")
SENTINELS = ("sentinel: output length", "sentinel: source", "sentinel: reference")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert running.run("meta", TESTSET, "-m", "chrf,ter", "--trials", "200", *words) == 0
    return capsys.readouterr().out


def test_rows_of_tables(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--sentinels", "--level", "segment")
    for name in SENTINELS:
        assert out.count(name) >= 6  # three averages, ties, and two tests of each metric
    assert "Metrics against sentinels: scores that see too little to judge a translation" in out
    assert "5 folds of documents, each from the others" in " ".join(out.split())
    assert "sentinel" not in run(capsys, "--level", "segment")


def test_nobody_gives_a_sentinel_a_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--sentinels", "--eps", "chrf=1", "--eps", "ter=0", "-f", "markdown", "--level", "segment")
    lines = [line for line in run(capsys, *words).splitlines() if line.startswith("| sentinel: source | ")]
    assert any(line.endswith("| – | – |") for line in lines)  # acc_eq (given), given eps


def test_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, "--sentinels", "-f", "csv"))))
    assert {row["metric"] for row in rows} == {"chrf", "ter", *SENTINELS}
    [found] = json.loads(run(capsys, "--sentinels", "-f", "json"))["testsets"]
    assert found["metrics"] == ["chrf", "ter"]
    assert found["sentinels"]["names"] == list(SENTINELS)
    assert {test["statistic"] for test in found["sentinels"]["tests"]} == {"acc_eq", "pearson"}
    assert len(found["sentinels"]["tests"]) == 12
    behind = [test for test in found["sentinels"]["tests"] if test["better"] is False and test["adjusted"] is not None]
    assert sum("the sentinel of" in text for text in found["warnings"]) == len(behind)


def test_on_the_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "meta.html"
    run(capsys, "--sentinels", "--page", str(page))
    text = page.read_text(encoding="utf-8")
    for words in ("Sentinels: scores that see too little", *SENTINELS, "Guardians of the machine translation",
                  "closer to people than every sentinel"):  # fmt: skip
        assert words in text, words


def test_over_several_test_sets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "two.html"
    assert running.run("meta", TESTSET, TESTSET, "-m", "chrf,ter", "--trials", "50", "--sentinels",
                       "--page", str(page)) == 0  # fmt: skip
    out = capsys.readouterr().out
    pooled = out[out.index("Over 2 test sets") :]
    for name in SENTINELS:
        assert name in pooled
        assert name in page.read_text(encoding="utf-8")
