"""`tertium freeze`, and what `--against` says beside scores."""

import csv
import html
import io
import re
from pathlib import Path

import pytest

import tertium as tt

from .running import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = str(EXAMPLES / "testset.toml")


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def town(tertium: Command) -> str:
    """Frozen scores of three of the four systems."""
    given = tt.read_testset(EXAMPLE)
    three = [system for system in given.systems if system.name != "delta"]
    tt.save(tt.evaluate(given.testset, three, ["bleu", "ter"]), "three.zip")
    run = tertium("freeze", "three.zip", "-o", "town.json", "--name", "town")
    assert (run.status, run.out) == (0, "town.json is written: town, 3 systems, 288 scores of segments, bleu, ter\n")
    return "town.json"


def test_a_saved_evaluation_and_files_give_the_same(tertium: Command, town: str) -> None:
    hyps = [
        word for name in ("atlas", "brook", "cinder") for word in ("--hyp", str(EXAMPLES / "systems" / f"{name}.en"))
    ]
    sides = ["--ref", str(EXAMPLES / "reference.a.en"), "--src", str(EXAMPLES / "source.de")]
    assert tertium("freeze", *sides, *hyps, "-m", "bleu", "-o", "files.json").status == 0
    one, other = tt.read_frozen(town), tt.read_frozen("files.json")
    assert other.systems == one.systems
    assert other.metrics["bleu"].systems.n == 3  # of one reference, so the scores are others
    assert other.metrics["bleu"].refs == "1"
    assert one.metrics["bleu"].refs == "1-2"


def test_score_says_where_systems_lie(tertium: Command, town: str) -> None:
    """BLEU 52.8, 26.2 and 29.3 are frozen; delta has 44.8. TER 34.9, 55.2 and 54.7; delta has 41.7."""
    run = tertium("score", EXAMPLE, "-m", "bleu,ter,wer", "--against", town)
    text = " ".join(run.out.split())
    assert (
        "BLEU: higher than this share of the 3 scores of systems in town (ties count half): atlas 83 %, brook 17 %, "
        "cinder 50 %, delta 67 %."
    ) in text
    assert "TER: lower than this share of the 3 scores of systems in town (ties count half): atlas 83 %, " in text
    assert "town has no scores of wer, with these options and models; it has: bleu, ter" in run.err
    plain = tertium("score", EXAMPLE, "-m", "bleu,ter,wer")
    assert plain.out.split("\n\n")[1] == run.out.split("\n\n")[1]  # the scores are as they were
    markdown = tertium("score", EXAMPLE, "-m", "bleu", "--against", town, "-f", "markdown").out
    assert "delta 67 %." in markdown


def test_json_and_csv_have_the_numbers(tertium: Command, town: str) -> None:
    told = tertium("score", EXAMPLE, "-m", "bleu", "--against", town, "-f", "json").json
    [beside] = told["against"]
    assert {place["system"]: place["share"] for place in beside["places"]} == pytest.approx(
        {"atlas": 2.5 / 3, "brook": 0.5 / 3, "cinder": 1.5 / 3, "delta": 2 / 3}
    )
    assert beside["name"] == "town"
    compared = tertium("compare", EXAMPLE, "-m", "bleu", "--trials", "200", "--against", town, "-f", "json").json
    assert compared["against"] == told["against"]
    assert "against" not in tertium("score", EXAMPLE, "-m", "bleu", "-f", "json").json
    rows = list(csv.DictReader(io.StringIO(
        tertium("score", EXAMPLE, "-m", "bleu", "--level", "segment", "--against", town, "-f", "csv").out
    )))  # fmt: skip
    segments = tt.read_frozen(town).metrics["bleu"].segments
    assert len(rows) == 4 * 96
    for row in rows:
        assert float(row["better than share of town"]) == pytest.approx(segments.share(float(row["value"])))


def test_compare_and_report_say_it(tertium: Command, town: str) -> None:
    expected = (
        "BLEU: higher than this share of the 3 scores of systems in town (ties count half): atlas 83 %, brook 17 %, "
        "cinder 50 %, delta 67 %."
    )
    run = tertium("compare", EXAMPLE, "-m", "bleu", "--trials", "200", "--against", town)
    assert expected in " ".join(run.out.split())
    assert tertium("report", EXAMPLE, "-m", "bleu", "--trials", "50", "--against", town, "-o", "a.html").status == 0
    page = html.unescape(re.sub(r"<[^>]*>", "", Path("a.html").read_text()))
    assert expected in page


def test_what_is_refused(tertium: Command, town: str) -> None:
    one = ["--ref", str(EXAMPLES / "reference.a.en"), "--hyp", str(EXAMPLES / "systems" / "atlas.en")]
    run = tertium("score", *one, "-m", "bleu", "--against", town)
    assert (run.status, run.out) == (2, "")
    assert run.err == "tertium: scores of bleu in town are of 1-2 references per segment; here there are 1\n"
    run = tertium("score", EXAMPLE, "-m", "chrf", "--against", town)
    assert run.err == "tertium: town has no scores of chrf, with these options and models; it has: bleu, ter\n"
    run = tertium("score", EXAMPLE, "-m", "bleu", "--level", "document", "--against", town)
    assert run.err.startswith("tertium: frozen scores are of systems and of segments, not of documents; ")
    run = tertium("score", EXAMPLE, "--against", "nowhere.json")
    assert run.status == 2
    assert run.err.startswith("tertium: nowhere.json: ")
    run = tertium("freeze", "three.zip", *one, "-o", "x.json")
    assert run.err == (
        "tertium: three.zip has its systems, source and references; leave out --hyp, --src, --ref, --doc\n"
    )
    assert not Path("x.json").exists()
    assert "Missing option '-o'" in tertium("freeze", "three.zip").err
