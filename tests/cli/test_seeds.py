"""Whatever draws random numbers says with which seed, in every format."""

from pathlib import Path

import pytest

from . import running

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET, TABLE = str(EXAMPLES / "testset.toml"), str(EXAMPLES / "scores.tsv")
COMMANDS = [
    ("score", TESTSET, "-m", "bleu", "--confidence", "--trials", "20"),
    ("compare", TESTSET, "-m", "bleu", "--trials", "2000"),
    ("buckets", TESTSET, "-m", "bleu", "--confidence", "--trials", "20"),
    ("types", TESTSET, "atlas", "brook", "--trials", "20", "--show", "buckets"),
    ("stress", TESTSET, "--system", "atlas", "-m", "bleu", "--noise", "delete", "--seeds", "1"),
    ("stress", TESTSET, "--system", "atlas", "-m", "bleu", "--noise", "mask", "--damage", "--top", "2"),
    ("human", "agreement", TESTSET, "--scale", "adequacy", "--confidence", "--trials", "20"),
    ("human", "analyse", str(EXAMPLES / "ratings.tsv"), "--test", "bootstrap"),
    ("meta", TESTSET, "-m", "bleu,chrf"),
    ("meta", "preference", TABLE, "--gold", "human", "--group", "year,langs", "--trials", "20"),
]


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_the_seed_is_printed(command: tuple[str, ...], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert running.run(*command, "--seed", "7531", "-f", form) == 0
    assert "7531" in capsys.readouterr().out
