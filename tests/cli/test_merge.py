"""`tertium stats` and `tertium merge`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tertium as tt

from .running import Command

TESTSET = str(Path(__file__).parents[2] / "examples" / "testset.toml")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def parts(tertium: Command) -> list[str]:
    for k in (1, 2, 3):
        found = tertium("stats", TESTSET, "-m", "bleu,nist,macrof", "--part", f"{k}/3", "-o", f"{k}.parquet")
        assert found.out == f"{k}.parquet: rows {32 * k - 31} to {32 * k} of 96 segments, 4 systems, 3 metrics\n"
        assert (found.status, found.err) == (0, "")
    return ["1.parquet", "2.parquet", "3.parquet"]


def test_merged_is_what_score_and_compare_print(tertium: Command, parts: list[str]) -> None:
    drawn = ["--confidence", "--trials", "100", "--seed", "4"]
    whole = tertium("score", TESTSET, "-m", "bleu,nist,macrof", *drawn)
    merged = tertium("merge", *parts, *drawn)
    assert merged.out == whole.out
    assert merged.err.splitlines()[0].startswith("tertium: note: macrof: a percentile interval is not valid")
    for words in (["--baseline", "atlas"], ["--compare"]):
        compared = tertium(
            "compare", TESTSET, "-m", "bleu,nist,macrof", *words[1:] and words, "--seed", "4", "-f", "json"
        )
        again = tertium("merge", *parts, *words, "--seed", "4", "-f", "json")
        assert again.json["comparisons"] == compared.json["comparisons"]
    assert "against atlas" in tertium("merge", *parts, "-b", "atlas", "-w", "3").out
    assert (
        tertium("merge", *parts, "-f", "csv").out
        == tertium("score", TESTSET, "-m", "bleu,nist,macrof", "-f", "csv").out
    )


def test_people_and_scores_from_elsewhere(tertium: Command) -> None:
    Path("x.seg.score").write_text("".join(f"atlas {k / 7}\n" for k in range(96)))
    asked = [TESTSET, "-m", "chrf,human", "--scores", "x=x.seg.score"]
    for k in (1, 2):
        tertium("stats", *asked, "--part", f"{k}/2", "-o", f"{k}.parquet")
    assert tertium("merge", "1.parquet", "2.parquet").out == tertium("score", *asked).out


def test_people_of_other_texts_are_refused(tertium: Command) -> None:
    """As where all is counted in one place; it takes so many segments to know."""
    texts = [f"{'good ' * (k % 9)}word{k} ." for k in range(400)]
    Path("ref.txt").write_text("".join(f"the best word{k} of all {k % 9} .\n" for k in range(400)))
    Path("mt.txt").write_text("".join(f"{text}\n" for text in texts))
    rows = [f"mt,{k + 1},ann,da100,{(k * 7919) % 101}\n" for k in range(400)]
    Path("judged.csv").write_text("system,segment,rater,scale,value\n" + "".join(rows))
    Path("testset.toml").write_text('references = ["ref.txt"]\njudgements = ["judged.csv"]\n[systems]\nmt = "mt.txt"\n')
    whole = tertium("score", "testset.toml", "-m", "chrf,human")
    assert (whole.status, tertium("stats", "testset.toml", "-m", "chrf,human", "-o", "a.parquet").status) == (2, 0)
    assert tertium("merge", "a.parquet").err == whole.err
    trusted = tertium("merge", "a.parquet", "--trust-join")
    assert trusted.out == tertium("score", "testset.toml", "-m", "chrf,human", "--trust-join").out


def test_rows_of_ones_own_and_an_evaluation(tertium: Command) -> None:
    tertium("stats", TESTSET, "-m", "bleu", "--rows", "1-50", "-o", "a.parquet", "--threads", "1")
    tertium("stats", TESTSET, "-m", "bleu", "--rows", "51-96", "-o", "b.parquet")
    assert tertium("merge", "b.parquet", "a.parquet", "--save", "all.tertium", "-o", "scores.txt").out == ""
    assert "BLEU" in Path("scores.txt").read_text()
    kept = tt.load("all.tertium")
    assert kept.scores() == tt.add_metrics(tt.read_testset(TESTSET), "bleu").scores()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--part", "4/3"], "--part 4/3: there are parts 1 to 3"),
        (["--part", "1-3"], "--part 1-3: write K/N, such as 3/20"),
        (["--part", "1/97"], "--part 1/97: more parts than there are segments, 96"),
        (["--rows", "0-3"], "--rows 0-3: the test set has rows 1 to 96"),
        (["--rows", "90-97"], "--rows 90-97: the test set has rows 1 to 96"),
        (["--rows", "x"], "--rows x: write A-B, such as 1-5000"),
        (["--rows", "1-2", "--part", "1/2"], "--part and --rows say the same in two ways; leave one out"),
        (
            ["-m", 'human(scale="mqm")'],
            'human(scale="mqm"): nobody judged test set town-notes on the scale mqm; there are: '
            'human(scale="adequacy"), human(scale="fluency"), human(scale="da100")',
        ),
    ],
)
def test_what_cannot_be_counted(tertium: Command, arguments: list[str], said: str) -> None:
    assert tertium("stats", TESTSET, *arguments, "-o", "x.parquet") == (2, "", f"tertium: {said}\n")
    assert not Path("x.parquet").exists()


def test_what_cannot_be_merged(tertium: Command, parts: list[str]) -> None:
    assert tertium("merge", parts[0]).err == (
        "tertium: atlas under bleu: rows 33 to 96 of the test set are missing; add the file that has them\n"
    )
    assert "would count twice" in tertium("merge", *parts, parts[0]).err
    assert tertium("merge", "none.parquet").err == "tertium: none.parquet: no such file\n"
    assert (
        tertium("merge", *parts, "--compare", "-f", "csv").err == "tertium: --compare prints text, json or markdown\n"
    )
    Path("bad.parquet").write_text("x")
    assert tertium("merge", "bad.parquet").err.startswith("tertium: bad.parquet: not a file of statistics of systems")
    assert json.loads(tertium("merge", *parts, "-f", "json").out)["scores"][0]["n"] == 96
