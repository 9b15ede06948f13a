"""`tertium human agreement`: tables as text, Markdown, CSV and JSON, and its errors."""

import csv
import io
import json
from functools import partial
from pathlib import Path

import pytest

from tertium.cli.main import main

from .running import Command

ROOT = Path(__file__).parents[2]

# Worked by hand: x and y agree on 6 of 8 items.
X, Y = [1, 1, 2, 2, 3, 3, 4, 5], [1, 1, 2, 3, 3, 3, 5, 5]


@pytest.fixture
def agreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    head = "system\tsegment\trater\tscale\tvalue\tkind"
    rows = [f"a\t{k}\t{rater}\tadequacy\t{value}\tgenuine"
            for rater, values in (("x", X), ("y", Y)) for k, value in enumerate(values, 1)]  # fmt: skip
    Path("ratings.tsv").write_text("\n".join([head, *rows, "a\t1\tx\tadequacy\t2\trepeat"]) + "\n")
    Path("alone.tsv").write_text("\n".join([head, *rows[:8]]) + "\n")
    Path("head.tsv").write_text(head + "\n")
    Path("source.de").write_text("eins\n" * 8)
    Path("kind.txt").write_text("news\n" * 4 + "law\n" * 4)
    Path("testset.toml").write_text('source = "source.de"\njudgements = "ratings.tsv"\n[labels]\nkind = "kind.txt"\n')
    Path("none.toml").write_text('source = "source.de"\n')
    return partial(tertium, "human", "agreement")


FEW = "tertium: note: adequacy, between raters: only 8 items; coefficients of so few are not reliable\n"


def test_text(agreement: Command) -> None:
    status, out, err = agreement("ratings.tsv", "--between", "raters", "--statistics", "observed,bennett,cohen")
    assert out == (
        "adequacy, between raters: 2 raters, 16 judgements\n\n"
        "statistic                     on        value  n  pairs\n"
        "observed agreement            5 points  0.750  8      1\n"
        "Bennett's S (uniform chance)  5 points  0.688  8      1\n"  # (3/4 - 1/5) / (4/5)
        "Cohen's kappa                 5 points  0.680  8      1\n\n"  # chance (4 + 2 + 6 + 0 + 2) / 64: 17/25
        "agreement|tertium:0.1.0\n"
    )
    assert (status, err) == (0, FEW)


def test_a_test_set_and_its_labels(agreement: Command) -> None:
    _, out, _ = agreement(
        "testset.toml", "--by", "kind", "--between", "raters", "--statistics", "observed", "-f", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["group"], row["value"], row["n"]) for row in rows] == [("news", "0.75", "4"), ("law", "0.75", "4")]


def test_repeats_come_along(agreement: Command) -> None:
    _, out, err = agreement("ratings.tsv", "--statistics", "observed,cohen")
    assert "adequacy, between repeats: 1 rater, 2 judgements\n" in out
    assert "Cohen's kappa       5 points  -" not in out
    assert "between repeats: only 1 item; coefficients" in err


def test_bins_are_named_and_pairs_have_rows(agreement: Command) -> None:
    _, out, _ = agreement("ratings.tsv", "--bins", "3,", "--statistics", "cohen", "--pairs", "--between", "raters")
    assert "Cohen's kappa  2 bins" in out
    assert "bins: [1, 3), [3, 5]" in out
    assert "rater  rater  n  kappa\nx      y      8  0.750\n" in out  # 7/8 the same; chance 4/8 3/8 + 4/8 5/8 = 1/2


def test_intervals(agreement: Command) -> None:
    _, out, _ = agreement("ratings.tsv", "--between", "raters", "--statistics", "observed", "--confidence-level", "0.9",
                          "--trials", "100")  # fmt: skip
    assert "90% interval" in out
    assert out.endswith("agreement|tertium:0.1.0|bs:100|seed:12345|ci:0.9|resample:segment\n")


def test_json_and_markdown(agreement: Command) -> None:
    _, out, err = agreement("alone.tsv", "-f", "json", "--statistics", "cohen")
    found = json.loads(out)
    assert found["agreement"][0]["value"] is None
    assert (found["agreement"][0]["n"], found["agreement"][0]["raters"]) == (0, ["x"])
    assert found["warnings"] == ["adequacy, between raters: no item has two answers, so nothing can be said"]
    assert err == ""
    _, out, _ = agreement("ratings.tsv", "-f", "markdown", "--statistics", "observed", "--between", "raters")
    assert out.splitlines()[-1] == "| observed agreement | 5 points | 0.750 | 8 | 1 |"


def test_output_file(agreement: Command) -> None:
    _, out, _ = agreement("ratings.tsv", "-o", "table.txt")
    assert out == ""
    assert Path("table.txt").read_text().startswith("adequacy, between raters")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.tsv"], "no.tsv: no such file"),
        (["none.toml"], 'none.toml: no judgements; add judgements = "FILE", or pass the file of ratings itself'),
        (["head.tsv"], "head.tsv: no judgements; it has a header and nothing else"),
        (["ratings.tsv", "--scale", "fluency"],
         "no judgements on the scale 'fluency'; there are some on adequacy"),
        (["testset.toml", "--scale", "fluency", "--by", "kind"],
         "no judgements on the scale 'fluency'; there are some on adequacy"),
        (["ratings.tsv", "--bins", "few"],
         "--bins few: expected a number such as 5, or where bins begin, such as 50,80"),
        (["testset.toml", "--by", "topic"], "by='topic': test set %s has no such label; choose from kind"),
        (["ratings.tsv", "--input", "mqn"],
         "unknown format 'mqn'; did you mean 'mqm'? known: tertium, appraise, mturk, mqm, mlqe"),
    ],
)  # fmt: skip
def test_errors(agreement: Command, tmp_path: Path, arguments: list[str], message: str) -> None:
    status, out, err = agreement(*arguments)
    assert (status, out) == (2, "")
    assert err == f"tertium: {message.replace('%s', tmp_path.name)}\n"


def test_the_example_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    main(["human", "agreement", str(ROOT / "examples" / "testset.toml"), "--confidence", "--trials", "50", "--pairs"])
    out, _ = capsys.readouterr()
    titles = [line.split(":")[0] for line in out.splitlines() if ", between " in line and "judgements" in line]
    assert titles == [f"{scale}, between {who}" for scale in ("adequacy", "fluency", "da100")
                      for who in ("raters", "repeats")]  # fmt: skip
    assert max(map(len, out.splitlines())) <= 80
