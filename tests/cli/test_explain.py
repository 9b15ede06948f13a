"""`tertium explain`: how the score of a sentence is computed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tertium.cli.main import cli, main

CAT = [
    "explain",
    "The cat the cat on the mat.",
    "--ref",
    "The cat is on the mat.",
    "--ref",
    "There is a cat on the mat.",
]
ALL = "bleu,chrf,ter,wer,cer,per,nist,macrof,microf,meteor,lepor,hlepor,nlepor,precision,recall,f1"


@pytest.mark.parametrize("columns", [60, 80])
def test_it_fits_the_terminal(columns: int) -> None:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(cli, [*CAT, "-m", ALL])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line for line in lines if len(line) > columns and "tertium:0" not in line] == []  # a signature is one word
    assert "1-grams: 6/8 = 0.7500" in lines


def test_json_has_all_of_it() -> None:
    result = CliRunner().invoke(cli, [*CAT, "-m", 'bleu(order=2, tokenize="none")', "-f", "json"])
    [found] = json.loads(result.stdout)
    assert found["metric"] == 'bleu(order=2, tokenize="none")'
    words, pairs = found["steps"][1]["tables"]
    assert sum(row["counts"] for row in words["rows"]) == found["row"]["matches_1"] == 5
    assert sum(row["counts"] for row in pairs["rows"]) == found["row"]["matches_2"] == 4
    assert [hit[0] for hit in found["marks"]["hits"]] == ["2-gram", "1-gram", "2-gram"]


def test_markdown_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "explained.html"
    result = CliRunner().invoke(cli, [*CAT, "-m", ALL, "-f", "markdown", "--page", str(page)])
    assert result.exit_code == 0, result.output
    assert "| n-gram | output | reference 1 | reference 2 | most | counts |" in result.stdout
    text = page.read_text(encoding="utf-8")
    assert "How this score is computed" in text
    assert "BLEU 57.2125" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["explain", "a"], "tertium: bleu needs a reference, got none (--ref TEXT)\n"),
        (["explain", "a", "--ref", "b", "-m", "blue"], "tertium: unknown metric 'blue'; did you mean 'bleu'?"),
        (["explain", "a", "--ref", "x" * 5001], "tertium: reference: 5001 characters"),
        (["explain", "a", "--ref", "b", "-m", "human"], "tertium: human: its rows are given, not counted from texts"),
    ],
)
def test_what_is_refused(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.parametrize("output", ["", "   ", "\u202e\x07", "\U0001f600" * 50])
def test_any_output_is_explained(output: str) -> None:
    result = CliRunner().invoke(cli, ["explain", output, "--ref", "the cat", "-m", ALL])
    assert result.exit_code == 0, result.output
    assert "\u202e" not in result.stdout
    assert "\x07" not in result.stdout
