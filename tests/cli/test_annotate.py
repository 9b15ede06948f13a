"""`tertium annotate`: what is printed, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu

from .running import Command

ROWS = [{"ref": f"the cat sat on mat number {k} .", "mt": f"the cat {'sat' if k % 3 else 'sits'} on mat number {k} ."}
        for k in range(30)]  # fmt: skip
ROWS[4]["mt"] = "a dog"
CHRF = sacrebleu.corpus_chrf([row["mt"] for row in ROWS], [[row["ref"] for row in ROWS]]).score
KEPT = [row for k, row in enumerate(ROWS) if k != 4]
CHRF_KEPT = sacrebleu.corpus_chrf([row["mt"] for row in KEPT], [[row["ref"] for row in KEPT]]).score
COLUMNS = ("--hyp-column", "mt", "--ref-column", "ref")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))


def test_what_is_printed(tertium: Command) -> None:
    found = tertium("annotate", "in.jsonl", *COLUMNS, "-m", "chrf", "-o", "out.jsonl", "--keep",
                    "chrf > 40 and output_words < 9")  # fmt: skip
    assert (found.status, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[:12] == [
        "out.jsonl: 29 of 30 rows kept",
        "",
        "condition         true  false  not known",
        "chrf > 40           29      1          0",
        "output_words < 9    30      0          0",
        "all of them         29      1          0",
        "",
        "30 segments in 1 shard, 1 reference per segment",
        "",
        "system  chrF",
        f"mt      {CHRF:.1f}",
        "",
    ]
    assert lines[14:18] == ["29 segments of them, the kept ones", "", "system  chrF", f"mt      {CHRF_KEPT:.1f}"]
    assert lines[19].endswith("|keep:chrf > 40 and output_words < 9")
    assert len(Path("out.jsonl").read_text().splitlines()) == 29


def test_json(tertium: Command) -> None:
    found = tertium("annotate", "in.jsonl", *COLUMNS, "-o", "out.jsonl", "--keep", "chrf > 40", "-f", "json",
                    "-m", "chrf").json  # fmt: skip
    counts = {"condition": "chrf > 40", "kept": 29, "dropped": 1, "unknown": 0}
    assert found["keep"]["conditions"] == [counts]
    assert found["keep"]["all"] == counts
    assert found["scores"][0]["value"] == pytest.approx(CHRF)
    assert found["keep"]["scores"][0]["value"] == pytest.approx(CHRF_KEPT)
    assert (found["written"], found["testset"]["segments"]) == (["out.jsonl"], 30)


def test_conditions_alone_write_no_columns(tertium: Command) -> None:
    found = tertium("annotate", "in.jsonl", *COLUMNS, "-o", "out.jsonl", "--keep", "length_ratio > .5")
    assert found.out.splitlines() == [
        "out.jsonl: 29 of 30 rows kept",
        "",
        "condition          true  false  not known",
        "length_ratio > .5    29      1          0",
    ]
    assert Path("out.jsonl").read_text() == "".join(f"{json.dumps(row)}\n" for row in KEPT)


def test_systems_have_names(tertium: Command) -> None:
    named = ("--hyp-column", "a=mt", "--hyp-column", "b=ref")
    found = tertium("annotate", "in.jsonl", *named, "--ref-column", "ref", "-m", "wer", "-o", "out.jsonl")
    assert found.status == 0
    assert json.loads(Path("out.jsonl").read_text().splitlines()[1]) == {**ROWS[1], "a | wer": 0.0, "b | wer": 0.0}
    for specs, said in ((("=mt",), "--hyp-column =mt: write COLUMN, or NAME=COLUMN"),
                        (("a=mt", "a=ref"), "two systems are called a; give them different names "
                                            "(--hyp-column NAME=COLUMN)")):  # fmt: skip
        options = [word for spec in specs for word in ("--hyp-column", spec)]
        refused = tertium("annotate", "in.jsonl", *options, "--ref-column", "ref", "-m", "wer", "-o", "o.jsonl")
        assert (refused.status, refused.err) == (2, f"tertium: {said}\n")


def test_a_condition_that_cannot_be_read(tertium: Command) -> None:
    found = tertium("annotate", "in.jsonl", *COLUMNS, "-m", "chrf", "-o", "out.jsonl", "--keep", "chrf > 40 and")
    assert (found.status, found.out) == (2, "")
    assert found.err.splitlines() == [
        "tertium: expected a number, a name or '(' here",
        "    chrf > 40 and",
        "                 ^",
    ]
    assert not Path("out.jsonl").exists()


def test_several_files_go_to_a_folder(tertium: Command) -> None:
    Path("more.jsonl").write_text(Path("in.jsonl").read_text())
    found = tertium("annotate", "*.jsonl", *COLUMNS, "-m", "chrf", "-o", "out", "--checkpoint", "kept")
    assert found.out.splitlines()[0] == "out: 2 files, 60 rows"
    again = tertium("annotate", "*.jsonl", *COLUMNS, "-m", "chrf", "-o", "out", "--checkpoint", "kept")
    assert again.out == found.out
    assert sorted(path.name for path in Path("out").iterdir()) == ["in.jsonl", "more.jsonl"]
