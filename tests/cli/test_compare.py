"""`tertium compare` and the gates: tables, JSON, exit statuses, mistakes."""

import csv
import io
import json
from pathlib import Path

import pytest

from .running import run

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET = str(EXAMPLES / "testset.toml")


def test_json_says_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", TESTSET, "-m", "bleu,macrof1", "--trials", "200", "-f", "json") == 0
    found = json.loads(capsys.readouterr().out)
    keys = {"tertium", "testset", "signatures", "comparisons", "clusters", "standings", "meaning", "cut", "warnings"}
    assert found.keys() == keys
    assert len(found["comparisons"]) == 2 * 6
    first = found["comparisons"][0]
    assert (first["metric"], first["baseline"], first["system"], first["trials"]) == ("bleu", "atlas", "brook", 200)
    assert first["interval"]["low"] < first["difference"] < first["interval"]["high"]
    assert found["comparisons"][6]["interval"] is None  # a type average has none
    assert {name for cluster in found["clusters"]["bleu"] for name in cluster} == {"atlas", "brook", "cinder", "delta"}


def test_csv_has_a_line_for_each_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", TESTSET, "-m", "ter", "-b", "delta", "--test", "sign", "-f", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["system"] for row in rows] == ["atlas", "brook", "cinder"]
    assert {row["baseline"] for row in rows} == {"delta"}
    assert all(0 <= float(row["p"]) <= float(row["adjusted"]) <= 1 for row in rows)


def test_tables_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", TESTSET, "-m", "chrf,macrof", "-b", "atlas", "--trials", "100") == 0
    assert run("compare", TESTSET, "-m", "ter", "--trials", "100", "-f", "markdown", "--pairs") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines if not line.startswith("|") and "|tertium:" not in line) <= 80
    assert sum(line.startswith(("| brook | atlas |", "| cinder | atlas |", "| delta | atlas |")) for line in lines) == 3


def test_worse_systems_fail_the_gate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    output = tmp_path / "compared.txt"
    gate = ("compare", TESTSET, "--trials", "500", "-o", str(output), "--fail-if-worse", "bleu,chrf")
    assert run(*gate, "--baseline", "brook", "-m", "ter") == 1  # cinder is worse by chrF, better by BLEU
    said = capsys.readouterr().err
    assert "tertium: cinder is worse than brook by chrf: -" in said
    assert "by bleu" not in said
    assert output.read_text().count("brook, 96 segments") == 3
    assert run(*gate[:-1], "bleu", "--baseline", "brook") == 0
    assert run(*gate) == 2
    assert "--fail-if-worse needs a system to be worse than: add --baseline NAME" in capsys.readouterr().err


def test_low_scores_fail_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    files = ("score", "-r", str(EXAMPLES / "reference.a.en"), "-t", str(EXAMPLES / "systems/atlas.en"))
    assert run(*files, "--fail-under", "bleu=51", "--fail-under", "ter=90") == 0
    assert "chrF" not in capsys.readouterr().out  # only what is asked for
    assert run(*files, "--fail-under", "bleu=52") == 1
    assert "tertium: atlas: bleu is 51.7582, under 52" in capsys.readouterr().err
    assert run(*files, "--fail-under", "ter=10") == 1
    assert ", over 10" in capsys.readouterr().err
    assert run(*files, "--fail-under", "bleu") == 2
    assert "--fail-under bleu: write METRIC=NUMBER, such as bleu=30" in capsys.readouterr().err
    assert run(*files, "--fail-under", "bleu=high") == 2
    assert run(*files, "--fail-under", "bleu=1", "--level", "segment") == 2
    assert "--fail-under is for corpus scores; level is segment" in capsys.readouterr().err


def test_runs_are_given_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    systems = EXAMPLES / "systems"
    arguments = [
        *("compare", "-r", str(EXAMPLES / "reference.a.en"), "-m", "bleu", "-b", "old", "-f", "json"),
        *("-t", f"old={systems / 'brook.en'}"),
        *("-t", f"new@1={systems / 'delta.en'}", "-t", f"new@2={systems / 'atlas.en'}"),
    ]
    assert run(*arguments, "--test", "bootstrap") == 0
    [found] = json.loads(capsys.readouterr().out)["comparisons"]
    assert found["system"] == "new"
    assert run(*arguments) == 2
    assert "compared by the bootstrap" in capsys.readouterr().err
