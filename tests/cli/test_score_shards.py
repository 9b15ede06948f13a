"""`tertium score` of patterns and folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu

from .running import Command

REFERENCES = [f"the cat sat on mat number {k} ." for k in range(40)]
OUTPUTS = [text.replace("sat", "sits") if k % 3 else text for k, text in enumerate(REFERENCES)]

BLEU = sacrebleu.corpus_bleu(OUTPUTS, [REFERENCES]).score


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for k in range(4):
        here = slice(10 * k, 10 * k + 10)
        Path(f"r{k}.en").write_text("".join(f"{line}\n" for line in REFERENCES[here]))
        Path(f"h{k}.en").write_text("".join(f"{line}\n" for line in OUTPUTS[here]))
        rows = [{"ref": r, "mt": h} for r, h in zip(REFERENCES[here], OUTPUTS[here], strict=True)]
        Path("crawl").mkdir(exist_ok=True)
        Path(f"crawl/{k}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("all.r").write_text("".join(f"{line}\n" for line in REFERENCES))
    Path("all.h").write_text("".join(f"{line}\n" for line in OUTPUTS))
    return tmp_path


def test_scores_are_those_of_one_file(tertium: Command) -> None:
    whole = tertium("score", "--ref", "all.r", "--hyp", "mt=all.h", "-f", "json")
    for refs, hyp in (("r*.en", "mt=h*.en"), ("crawl:ref", "crawl:mt"), ("crawl/*.jsonl:ref", "crawl/?.jsonl:mt")):
        found = tertium("score", "--ref", refs, "--hyp", hyp, "-f", "json")
        assert found.status == 0, found.err
        assert found.values == whole.values
        assert found.json["testset"]["segments"] == 40
    streamed = tertium("score", "--ref", "all.r", "--hyp", "mt=all.h", "-f", "json", "--stream")
    assert streamed.values == whole.values
    assert streamed.json["testset"]["name"] == "40 segments in 1 shard, 1 reference per segment"


def test_what_is_printed(tertium: Command) -> None:
    found = tertium("score", "--ref", "r*.en", "--hyp", "h*.en", "-m", "bleu")
    assert found.err == ""
    assert found.out.splitlines()[:4] == [
        "40 segments in 4 shards, 1 reference per segment",
        "",
        "system  BLEU",
        f"h*.en   {BLEU:.1f}",
    ]
    assert found.out.splitlines()[5].startswith("bleu|refs:1|n:40|shards:4|data:")


def test_intervals_are_poisson_bootstrap_intervals(tertium: Command) -> None:
    drawn = ("-m", "bleu,macrof", "--confidence", "--trials", "50", "-f", "json")
    found = tertium("score", "--ref", "r*.en", "--hyp", "mt=h*.en", *drawn).json
    bleu, macrof = found["scores"]
    assert bleu["signature"].endswith("|poisson-bs:50|seed:12345|ci:0.95")
    assert bleu["interval"]["low"] < BLEU < bleu["interval"]["high"]
    assert macrof["interval"] is None
    assert found["warnings"][0].startswith("macrof: a percentile interval is not valid for a type average")
    one = tertium("score", "--ref", "all.r", "--hyp", "mt=all.h", "--stream", *drawn).json["scores"]
    assert [score["interval"] for score in one] == [bleu["interval"], None]  # however rows are shared out


def test_bad_shards(tertium: Command) -> None:
    Path("h2.en").write_bytes(b"\xff\n")
    stopped = tertium("score", "--ref", "r*.en", "--hyp", "h*.en", "-m", "bleu")
    assert (stopped.status, stopped.out) == (2, "")
    assert stopped.err.startswith("tertium: h2.en:1: byte 0xff is not UTF-8")
    found = tertium("score", "--ref", "r*.en", "--hyp", "h*.en", "-m", "bleu", "--bad-shards", "skip")
    assert found.status == 0
    assert found.out.startswith("30 segments in 3 shards")
    assert found.err.splitlines()[0] == "tertium: note: 1 shard left out:"
    assert found.err.splitlines()[1].startswith("tertium: note: h2.en:1: byte 0xff is not UTF-8")
    named = tertium(
        "score", "--ref", "r*.en", "--hyp", "h*.en", "-m", "bleu", "--bad-shards", "skip", "-f", "json"
    ).json
    assert named["warnings"][1].startswith("h2.en:1: byte 0xff")


def test_gates_hold_for_shards(tertium: Command) -> None:
    found = tertium("score", "--ref", "r*.en", "--hyp", "mt=h*.en", "--fail-under", "bleu=90")
    assert found.status == 1
    assert found.err.startswith(f"tertium: mt: bleu is {BLEU:.4f}, under 90")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--hyp", "no*.en", "--ref", "r*.en"], "no*.en: no file fits this pattern"),
        (
            ["--hyp", "h*.en", "--ref", "r0.en"],
            "h*.en names 4 files and r0.en 1, which do not match: h0.en would stand",
        ),
        (["--hyp", "h*.en"], "nothing to compare with: pass --ref PATTERN"),
        (["--ref", "r*.en"], "no system output: pass --hyp PATTERN"),
        (["--hyp", "-", "--ref", "r*.en"], "standard input (-) cannot be read in shards"),
        (["--hyp", "h*.en", "--ref", "r*.en", "--doc", "all.r"], "--doc and --scores are for one test set"),
        (["--hyp", "h*.en", "--ref", "r*.en", "--level", "segment"], "--level segment keeps a row for every segment"),
        (
            ["--hyp", "h*.en", "--ref", "r*.en", "--confidence", "--unit", "document"],
            "intervals of shards are percentiles of segments: --interval",
        ),
        (["--hyp", "h*.en", "--ref", "r*.en", "--confidence", "-m", "macrof"], "macrof: a percentile interval is not"),
        (["--hyp", "h*.en", "--ref", "r*.en", "-m", "human"], "human: its rows are given, not counted"),
        (["--hyp", "h*.en", "--hyp", "h*.en", "--ref", "r*.en"], "two systems are called h*.en"),
        (["--hyp", "a=", "--ref", "r*.en"], "--hyp a=: no file; write --hyp a=PATTERN"),
        (["--hyp", "h*.en", "--ref", "r*.en", "--address", "auto"], "--address is of a Ray cluster; add --engine ray"),
        (
            ["--hyp", "h*.en", "--ref", "r*.en", "--engine", "ray", "--address", "ray://a:1"],
            "address ray://a:1: write HOST:PORT, and start the command on a node",
        ),
        (["crawl", "--hyp", "h*.en"], "crawl: a test set is read whole; name shards with --ref, --hyp and --src"),
    ],
)
def test_what_is_refused(tertium: Command, arguments: list[str], said: str) -> None:
    found = tertium("score", *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"tertium: {said}")


def test_two_systems_are_marked_where_all_is_scored(tertium: Command) -> None:
    found = tertium("score", "--ref", "r*.en", "--hyp", "good=r*.en", "--hyp", "mt=h*.en", "-m", "bleu")
    assert "•" in found.out
    partly = tertium("score", "--ref", "r*.en", "--hyp", "good=r*.en", "--hyp", "mt=h*.en", "-m", "bleu",
                     "--missing", OUTPUTS[1])  # fmt: skip
    assert "•" not in partly.out
    assert "mt: 1 of 40 segments is not scored by bleu" in partly.err
