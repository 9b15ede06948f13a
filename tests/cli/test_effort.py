"""`tertium effort`: the same figures in every format, names that stay hidden, and what is refused."""

import csv
import json
from pathlib import Path

import pytest

import tertium as tt
from tertium.report.verdicts.effort import effort_verdict

from .running import run

XLIFF = str(Path(__file__).parents[2] / "examples" / "localisation" / "kladde.xlf")
NAMES = ("Mira", "Holt", "Jonas", "Petersen")


def test_formats_agree(tmp_path: Path) -> None:
    paths = {form: str(tmp_path / f"effort.{form}") for form in ("json", "csv", "markdown", "latex", "text")}
    for form, path in paths.items():
        assert run("effort", XLIFF, "--trials", "50", "-f", form, "-o", path) == 0
    found = json.loads(Path(paths["json"]).read_text(encoding="utf-8"))
    rows = list(csv.DictReader(Path(paths["csv"]).read_text(encoding="utf-8").splitlines()))
    whole = found["rows"][0]
    [hter] = [row for row in rows if (row["by"], row["measure"]) == ("all", "hter")]
    assert float(hter["value"]) == whole["scores"]["hter"]["value"]
    assert float(hter["low"]) == whole["scores"]["hter"]["interval"]["low"]
    assert {row["by"] for row in rows} == {"all", "engine", "translator", "domain", "document"}
    assert [(test["first"], test["second"], test["design"]) for test in found["tests"]] == [
        ("fjord", "lumen", "unpaired")
    ]
    for form in ("markdown", "latex", "text"):
        assert "28.4 [" in Path(paths[form]).read_text(encoding="utf-8")
    for path in paths.values():
        assert not any(name in Path(path).read_text(encoding="utf-8") for name in NAMES)


def test_names_where_they_are_asked_for(tmp_path: Path) -> None:
    output = tmp_path / "effort.json"
    assert run("effort", XLIFF, "--by", "translator", "--translator-names", "-f", "json", "-o", str(output)) == 0
    rows = json.loads(output.read_text(encoding="utf-8"))["rows"]
    assert [row["name"] for row in rows] == ["all", "Mira Holt", "Jonas Petersen"]


def test_a_page_has_no_names(tmp_path: Path) -> None:
    page = tmp_path / "effort.html"
    assert run("effort", XLIFF, "--trials", "50", "--page", str(page)) == 0
    assert not any(name in page.read_text(encoding="utf-8") for name in NAMES)


def test_a_workbook(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    assert run("effort", XLIFF, "--trials", "50", "-o", str(tmp_path / "effort.xlsx")) == 0
    assert len(openpyxl.load_workbook(tmp_path / "effort.xlsx").sheetnames) >= 6


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["effort", XLIFF, "--edits", XLIFF], "has outputs and post-edits; leave the test set and its files out"),
        (["effort", XLIFF, "--by", "genre"], "is unknown; choose from engine, translator, domain, document"),
        (["effort", XLIFF, "-m", "chrf"], "HTER is TER against post-edits; chrf is another metric"),
        (["effort"], "nothing to compare with"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


def test_verdicts() -> None:
    """Two engines of which one is edited much more, on the same 60 segments; then one engine alone."""
    good = [f"wort {k} und noch mehr davon" for k in range(60)]
    bad = [f"ganz {k} anders als gedacht hier" for k in range(60)]
    testset = tt.TestSet(segments=60, references=tt.References((tt.Lines.of(good),), 60))
    systems = tuple(tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in (("a", good), ("b", bad)))
    both = effort_verdict(tt.effort(tt.Evaluation(testset=testset, systems=systems), trials=50))
    assert (both.case, both.sentence) == (
        "less", "a takes less post-editing than b: HTER a 0.0 [0.0, 0.0]; b 83.3 [83.3, 83.3]."
    )  # fmt: skip
    alone = effort_verdict(tt.effort(tt.Evaluation(testset=testset, systems=systems[:1]), trials=50))
    assert alone.sentence == "Outputs of a took 0.0 [0.0, 0.0] edits per 100 words."
    assert alone.more == "100.0 % of outputs were left as they were."


def test_a_test_that_says_otherwise_than_all_segments(tmp_path: Path) -> None:
    """b is better on the 40 segments of both, a over all, because only a has 40 others that were easy."""
    rows = [f"a\t{k}\ta x c d\ta b c d" for k in range(40)] + [f"b\t{k}\ta b c d\ta b c d" for k in range(38)]
    rows += [f"a\t{k}\ta b c d\ta b c d" for k in range(40, 120)]
    rows += [f"b\t{k}\tx y z w\ta b c d" for k in range(200, 230)]
    (path := tmp_path / "edits.tsv").write_text("engine\tsegment\tmt\tpe\n" + "\n".join(rows), encoding="utf-8")
    found = tt.effort(tt.read_edits(path), trials=50)
    [item] = found.tests
    assert (item.design, item.better, item.segments) == ("paired", "b", (38, 38))
    said = effort_verdict(found)
    assert said.case == "some"
    assert said.sentence.startswith(
        "On the 38 segments that both have, b takes less post-editing than a (HTER 0.0 and 25.0), which has the lowest "
        "HTER only over all that each has: a 8.3 ["
    )


def test_intervals_that_say_otherwise_than_the_test_are_named() -> None:
    said = effort_verdict(tt.effort(tt.read_testset(XLIFF)))
    assert said.case == "undecided"
    assert said.more.startswith(
        "The intervals of fjord and lumen do not overlap, but those of so few units (4 documents) are too narrow; the "
        "test decides: p = 0.0885."
    )


def test_rules_of_a_house_reach_report_and_notes(tmp_path: Path) -> None:
    """Segment 8 of lumen says File; the page's table and the note in the XLIFF file both come from `diagnose`."""
    folder = Path(XLIFF).parent
    rules = ["--glossary", str(folder / "glossary.tbx"), "--forbidden", str(folder / "forbidden.txt")]
    page, notes = tmp_path / "report.html", tmp_path / "notes.xlf"
    assert (
        run("report", XLIFF, "-m", "chrf", "--trials", "50", *rules, "-o", str(page), "--xliff-notes", str(notes)) == 0
    )
    text = notes.read_text(encoding="utf-8")
    assert "file: the glossary says Datei" in text
    assert "File is forbidden; write Datei" in text
    seen = page.read_text(encoding="utf-8")
    assert "a word that the list forbids" in seen
    assert "a term that is not translated as the glossary says" in seen
