"""`tertium buckets`: tables as text, Markdown, CSV and JSON."""

import json
from functools import partial
from pathlib import Path

import pytest

from .running import Command


@pytest.fixture
def buckets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("ref.en").write_text("the old harbour is closed\nthe ferry is late\n")
    Path("a.en").write_text("the harbour is shut\nthe ferry is late\n")
    Path("b.en").write_text("the old harbour is closed\nthe ship was late\n")
    Path("kind.txt").write_text("notice\nnews\n")
    return partial(tertium, "buckets", "-r", "ref.en", "-t", "a.en", "-t", "b.en")


NOTE = "tertium: note: only 2 segments: scores of so small a test set are not reliable\n"


def test_text(buckets: Command) -> None:
    status, out, err = buckets("-m", "wer,macrof", "--bounds", "4")
    table = """
ref.en: 2 segments, 1 reference per segment

WER ↓

reference-length  segments     a     b
0-4                      1   0.0  50.0
5+                       1  40.0   0.0
all                      2  22.2  22.2

MacroF

reference-length  segments       a       b
0-4                      1  100.0*   33.3*
5+                       1   50.0*  100.0*
all                      2   62.5    63.0

* an average over types: other buckets, and the whole, have other types; compare
systems within a bucket only

"""
    assert out.startswith(table.lstrip())
    assert [line.split("|")[0] for line in out.splitlines()[-2:]] == ["wer", "macrof"]
    assert (status, err) == (0, NOTE)


def test_labels_from_a_file(buckets: Command) -> None:
    _, out, _ = buckets("-m", "wer", "--label", "kind.txt", "-f", "csv")
    lines = [line.split(",") for line in out.splitlines()]
    heads = ["by", "bucket", "segments", "system", "metric", "value", "n", "low", "high", "comparable", "signature"]
    assert lines[0] == heads
    assert [line[:7] for line in lines[1:4]] == [
        ["kind", "notice", "1", "a", "wer", "40.0", "1"],
        ["kind", "news", "1", "a", "wer", "0.0", "1"],
        ["kind", "all", "2", "a", "wer", "22.22222222222222", "2"],
    ]
    _, named, _ = buckets("-m", "wer", "--label", "k=kind.txt", "--label", "l=kind.txt", "--by", "l", "-f", "csv")
    assert named.splitlines()[1].startswith("l,notice,1,a,wer,40.0,1,,,true,wer|")


def test_markdown(buckets: Command) -> None:
    _, out, _ = buckets("-m", "wer", "--label", "kind.txt", "-f", "markdown", "-w", "0")
    assert out == (
        "| kind | segments | a | b |\n| :-- | --: | --: | --: |\n"
        "| notice | 1 | 40 | 0 |\n| news | 1 | 0 | 50 |\n| all | 2 | 22 | 22 |\n"
    )


def test_json(buckets: Command) -> None:
    _, out, err = buckets("-m", "macrof,wer", "--by", "rare-words", "--confidence-level", "0.5", "-f", "json")
    found = json.loads(out)
    assert (found["by"], found["testset"]["segments"], err) == ("rare-words", 2, "")
    whole = found["scores"][-1]
    assert (whole["bucket"], whole["whole"], whole["n"], whole["segments"]) == ("all", True, 2, 2)
    assert whole["value"] == pytest.approx(200 / 9)
    interval = whole["interval"]
    assert interval["low"] <= whole["value"] <= interval["high"]
    assert interval["confidence"] == 0.5
    part = found["scores"][0]
    assert (part["metric"], part["comparable"], part["interval"]) == ("macrof", False, None)
    assert len(found["warnings"]) == 2


def test_a_label_may_be_called_all(buckets: Command) -> None:
    Path("kind.txt").write_text("all\nnews\n")
    _, out, _ = buckets("-m", "wer", "--label", "kind.txt", "-f", "markdown", "-w", "0")
    assert [line.split(" | ")[0] for line in out.splitlines()[2:]] == ["| all", "| news", "| all"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--by", "size"], "by='size' is unknown; choose from document, source-length, reference-length, rare-words, "
         "or give a label for each segment (--label FILE)"),
        (["--by", "document"], "test set ref.en has no documents; name them (documents = in testset.toml, --doc FILE)"),
        (["--by", "source-length"], "test set ref.en has no source to measure (--src FILE)"),
        (["--bounds", "x"], "--bounds x: must be numbers separated by commas, such as 10,20,40"),
        (["--bounds", "5,5"], "bounds 5, 5: must rise from 0 or more"),
        (["--label", "document=kind.txt"], "--label document=kind.txt: document is taken; give the labels another "
         "name: --label NAME=kind.txt"),
        (["--label", "short.txt"], "short.txt: 1 label, but test set ref.en has 2 segments"),
        (["-m", "macrof", "--confidence"], "macrof: a percentile interval is not valid for a type average "
         "(docs/explanation/macrof.md); compare systems in pairs instead"),
    ],
)  # fmt: skip
def test_mistakes(buckets: Command, arguments: list[str], sentence: str) -> None:
    Path("short.txt").write_text("x\n")
    assert buckets(*arguments) == (2, "", f"tertium: {sentence}\n")
