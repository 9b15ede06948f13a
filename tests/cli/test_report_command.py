"""`tertium report`: the file it writes, what it prints, mistakes."""

import io
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from . import running

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET = str(EXAMPLES / "testset.toml")

run = partial(running.run, "report")


def test_a_report_of_a_test_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "r.html"
    assert run(TESTSET, "-o", str(page), "--trials", "50", "--title", "Notes <of> a town") == 0
    out, err = capsys.readouterr()
    assert out == (
        "town-notes (de-en): 96 segments in 12 documents, 1-2 references per segment\n"
        f"{page} is written; open it in a browser\n"
    )
    assert err == "tertium: note: only 96 segments: scores of so small a test set are not reliable\n"
    text = page.read_text(encoding="utf-8")
    assert "<title>Notes &lt;of&gt; a town</title>" in text
    assert "MacroF" in text
    assert page.stat().st_size < 5_000_000


def test_a_terminal_sees_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    assert run(TESTSET, "-o", str(tmp_path / "r.html"), "-m", "bleu", "--trials", "20") == 0
    assert "drawing" in sys.stderr.getvalue()  # type: ignore[attr-defined]


def test_a_report_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    references, systems = str(EXAMPLES / "reference.a.en"), EXAMPLES / "systems"
    arguments = ["--ref", references, "-t", str(systems / "atlas.en"), "-t", f"b={systems / 'brook.en'}"]
    assert run(*arguments, "-m", "chrf,wer", "--trials", "200", "--seed", "3") == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "atlas is best, significantly ahead of b by both metrics." in text
    assert "200 times, seed 3" in text
    assert "MacroF" not in text


def test_several_test_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "r.html"
    assert run(TESTSET, TESTSET, "-m", "bleu,chrf", "--trials", "200", "-o", str(page)) == 0
    about = "town-notes (de-en): 96 segments in 12 documents, 1-2 references per segment\n"
    out, err = capsys.readouterr()
    assert out == f"{about}{about}{page} is written; open it in a browser\n"
    assert err == "tertium: note: only 96 segments: scores of so small a test set are not reliable\n"
    text = page.read_text(encoding="utf-8")
    assert "atlas leads by every metric in both test sets." in text
    assert "BLEU of systems by test sets" in text


def test_several_test_sets_with_a_baseline_and_frozen_scores(tmp_path: Path) -> None:
    page, frozen = tmp_path / "r.html", tmp_path / "frozen.json"
    assert running.run("freeze", TESTSET, "-m", "bleu", "-o", str(frozen)) == 0
    arguments = ["-m", "bleu", "--trials", "200", "--baseline", "brook", "--against", str(frozen), "-o", str(page)]
    assert run(TESTSET, TESTSET, *arguments) == 0
    text = page.read_text(encoding="utf-8")
    assert (
        "Ship atlas: in both test sets it is significantly better than brook by more than half of metrics and ratings, "
        "and in none significantly worse by any." in text
    )
    assert "The 10 worst regressions of atlas against brook" in text
    assert text.count("BLEU: higher than this share of the 4 scores of systems in ") == 2


def test_a_baseline_to_be_replaced(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert run(TESTSET, "-m", "bleu,chrf", "--trials", "200", "--baseline", "brook", "-o", str(page)) == 0
    text = page.read_text(encoding="utf-8")
    assert "Ship atlas: it is significantly better than brook by all 3 metrics and ratings." in text
    assert re.search(r"All \d segments on which atlas is worse than brook by BLEU", text)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            [TESTSET, "-b", "nobody"],
            "tertium: --baseline nobody: no system is called so; there are: atlas, brook, cinder, delta\n",
        ),
        (
            [TESTSET, TESTSET, "-b", "nobody"],
            "tertium: --baseline nobody: town-notes (de-en): no system is called so; there are: atlas, brook, cinder, ",
        ),
        ([TESTSET, TESTSET, "--retrieval"], "tertium: --retrieval is for one test set; leave the others out\n"),
        ([TESTSET, "-o", "."], "tertium: --output .: name a file, such as report.html\n"),
        (
            [TESTSET, "-m", "bleu", "--trials", "20", "-o", "no/such/folder/r.html"],
            "tertium: no/such/folder/r.html: cannot be written: there is no folder no/such/folder; make it first\n",
        ),
        (["nowhere.toml"], "tertium: nowhere.toml: no such file\n"),
        ([TESTSET, "-m", "blue"], "tertium: unknown metric 'blue'; did you mean 'bleu'?"),
        ([], "tertium: nothing to compare with: pass a testset.toml, --ref FILE, or -T NAME"),
    ],
)
def test_mistakes(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert list(tmp_path.iterdir()) == []
