"""`--page FILE` of meta, meta correlate, meta preference and stress: what is printed stays, a page comes with it."""

import html
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from .running import run

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET, SCORES = str(EXAMPLES / "testset.toml"), str(EXAMPLES / "scores.tsv")
TABLE = [SCORES, "--gold", "human", "--group", "year,langs", "--lower", "TER"]
COMMANDS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "meta": (["meta", TESTSET, "-m", "bleu,ter", "--trials", "20"], ["Metrics against people", "TER ↓"]),
    "both": (["meta", TESTSET, TESTSET, "-m", "bleu,ter", "--trials", "20"], ["All test sets together"]),
    "correlate": (["meta", "correlate", *TABLE], ["scores.tsv", "Kendall tau-b with human", "Outliers"]),
    "use": (
        ["meta", "use", TESTSET, "-m", "bleu,ter", "--good", "0", "--trials", "20"],
        ["Metrics in use", "Filters", "TER ↓"],
    ),
    "preference": (
        ["meta", "preference", *TABLE, "--trials", "20"],
        ["1 BLEU: people prefer the better one in ", "the curve fitted to all pairs says 64 % (95 % interval"],
    ),
    "stress": (
        ["stress", TESTSET, "--system", "atlas", "-m", "macrof", "--noise", "permute", "--seeds", "1"],
        ["MacroF does not notice word order (100.0 % left)."],
    ),
    "damage": (["stress", TESTSET, "--system", "atlas", "-m", "bleu", "--damage"], ["What a word is worth"]),
    "types": (["types", TESTSET], ["Words of 4 systems", "How often types come (Zipf"]),
    "two": (["types", TESTSET, "atlas", "brook", "--trials", "200"], ["Words of atlas and brook", "Mean F of types"]),
    "analyse": (["human", "analyse", TESTSET], ["What people said: town-notes", "What each rater said of each system"]),
    "agreement": (["human", "agreement", TESTSET, "--scale", "da100"], ["How far raters agree: town-notes"]),
    "effort": (
        ["effort", str(EXAMPLES / "localisation" / "kladde.xlf")],
        ["The two engines cannot be told apart by the ", " they take: HTER fjord 20.7", "By translator"],
    ),
    "align": (["align", TESTSET], ["WER: outputs beside references", "Errors by kind", "Substitutions by atlas"]),
    "retrieve": (
        ["retrieve", "all", str(EXAMPLES / "retrieval" / "testset.toml"), "-m", "bleu,chrf"],
        ["The documents of steady are found best", "Why documents are missed", "Okapi BM25 with k1"],
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_page_begins_with_a_verdict_and_ends_with_methods(name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(*COMMANDS[name][0], "--page", str(page)) == 0
    text = page.read_text(encoding="utf-8")
    sections = re.findall(r'<section id="([^"]+)"', text)
    assert (sections[0], sections[-1]) == ("summary", "methods")
    [verdict] = re.findall(r'<p class="verdict" data-case="[^"]+">(.*?)</p>', text)
    assert verdict.endswith(".")
    assert "@misc{tertium," in text


# What files and programs call a thing, and what readers do not
FORBIDDEN = r"turned round|human, z|\bda100\b|PERM-|mistakes fewer|calibrated eps|\((?:item|none)\)"


def read_by_people(page: str) -> str:
    """What stands on a page, without scripts, marks and what is only there to be copied."""
    seen = re.sub(r"(?s)<(script|style|code|pre)\b.*?</\1>", " ", page)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", seen)).split())


@pytest.mark.parametrize("name", [*COMMANDS, "report"])
def test_pages_have_the_words_of_readers(name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    report = ["report", TESTSET, "-m", "bleu,ter", "--trials", "20", "-o", str(page)]
    assert run(*(report if name == "report" else [*COMMANDS[name][0], "--page", str(page)])) == 0
    text = page.read_text(encoding="utf-8")
    assert re.findall(rf".{{0,30}}(?:{FORBIDDEN}).{{0,30}}", read_by_people(text)) == []
    if "acc_eq*" in text:
        assert re.search(r"<dfn [^>]*>acc_eq\*</dfn>", text)
        assert re.search(r'data-more="[^"]+"[^>]*><bdi>acc_eq\*</bdi>', text)


def test_raters_have_no_names_on_pages_unless_asked(tmp_path: Path) -> None:
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    assert run("human", "analyse", TESTSET, "--page", str(pages[0])) == 0
    assert run("human", "analyse", TESTSET, "--page", str(pages[1]), "--rater-names") == 0
    raters = {line.split("\t")[2] for line in (EXAMPLES / "ratings.tsv").read_text().splitlines()[1:]}
    hidden, shown = (page.read_text(encoding="utf-8") for page in pages)
    assert all(f">{name}<" not in hidden and f">{name}<" in shown for name in raters)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_comes_beside_what_is_printed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, expected = COMMANDS[name]
    page = tmp_path / "page.html"
    assert run(*arguments) == 0
    out, err = capsys.readouterr()
    assert run(*arguments, "--page", str(page)) == 0
    with_page, notes = capsys.readouterr()
    assert with_page == out
    size = page.stat().st_size / 1e6
    assert notes.replace(f"tertium: {page}: {size:.1f} MB; open it in a browser\n", "") == err
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    for words in expected:
        assert words in text
    assert size < 2


@pytest.mark.parametrize("path", ["", "-", "."])
def test_a_page_needs_a_file(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("meta", "correlate", *TABLE, "--page", path) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"tertium: --page {path}: name a file, such as page.html\n")


def test_a_page_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("meta", "correlate", *TABLE, "--page", "no/such/folder/page.html") == 2
    assert "no/such/folder" in capsys.readouterr().err


def test_a_report_with_people_among_the_metrics(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert run("report", TESTSET, "-m", 'bleu,human(scale="adequacy")', "--trials", "20", "-o", str(page)) == 0
    text = page.read_text(encoding="utf-8")
    assert "1 metric beside adequacy (1-5): 384 outputs" in text
    assert "with a score by people, as raw scores." in text
    assert "Rankings by people" in text
    assert "Ties matter" in text
