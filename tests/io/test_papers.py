"""Every paper that is cited has an entry, and every entry says who, what, where and when."""

import re
import unicodedata
from pathlib import Path

import pytest

from tertium.analysis.explanation import explain
from tertium.io.papers import CITED, bibtex, fields, find, papers
from tertium.metrics import known
from tertium.report import methods, people_methods

ROOT = Path(__file__).parents[2]
LIST = ROOT / "docs" / "reference" / "papers.md"
INITIAL = r"(?:[A-Z]\.\s)?"
PERSON = r"[A-Z][\w\u2019'-]+"
MENTIONED = re.compile(  # Graham et al. 2017; Kumar and Byrne (2004); Han, Wong and Chao (2012)
    rf"{INITIAL}({PERSON})(?:,\s{PERSON})*(?:\sand\s{INITIAL}{PERSON}|\set\sal\.)?,?\s\(?((?:19|20)\d\d)[),;:]"
)
NOT_PAPERS = {("wmt", "2017"), ("nobody", "2026"), ("ter", "2025")}


def key(name: str, year: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]", "", plain.lower()) + year


@pytest.mark.parametrize("name", sorted(papers()))
def test_entries_say_who_what_where_and_when(name: str) -> None:
    entry = fields(papers()[name])
    assert {"author", "title", "year"} <= entry.keys()
    assert {"journal", "booktitle", "publisher", "institution"} & entry.keys()
    assert "others" not in entry["author"]
    assert all(re.fullmatch(r"[^,]+, [^,]+", person) for person in entry["author"].split(" and "))
    first = re.sub(r"\{\\\W\{?(\w)\}+|\W", r"\1", entry["author"].partition(",")[0]).lower()
    assert re.fullmatch(rf"{first}{entry['year']}[a-z]?", name)


def test_nothing_in_the_file_is_skipped() -> None:
    text = (ROOT / "src/tertium/io/data/papers.bib").read_text(encoding="utf-8")
    assert "\n\n".join(papers().values()) + "\n" == text
    for entry in papers().values():
        assert entry.count("\n") == len(fields(entry)) + 1


def test_papers_of_metrics_and_of_the_report_are_known() -> None:
    texts = [explain(metric).paper for metric in known().values()]
    for page in (methods, people_methods):
        texts += [text for text in vars(page).values() if isinstance(text, str)]
    cited = {(year, title) for text in texts for _, year, title in CITED.findall(text)}
    assert len(cited) > 25
    assert [title for year, title in sorted(cited) if find(year, title) is None] == []


@pytest.mark.parametrize("page", sorted({*(ROOT / "docs").rglob("*.md")} - {LIST}), ids=lambda path: path.stem)
def test_papers_of_the_documentation_are_known(page: Path) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    cited = {(name, year) for name, year in MENTIONED.findall(text) if (name.lower(), year) not in NOT_PAPERS}
    assert {key(*each) for each in cited} - set(papers()) == set()


def test_a_list_of_all_papers_is_in_the_documentation() -> None:
    page = LIST.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE))
    assert list(rows) == sorted(papers())
    for name, row in rows.items():
        entry = fields(papers()[name])
        people = [" ".join(reversed(person.split(", "))) for person in entry["author"].split(" and ")]
        venues = [entry[field] for field in ("journal", "booktitle", "publisher", "institution") if field in entry]
        said = [*people, entry["year"], entry["title"], *venues[:1]]
        assert [text for text in map(plain, said) if text not in plain(row)] == [], name


def plain(text: str) -> str:
    """Letters without LaTeX, accents and what stands between them."""
    letters = unicodedata.normalize("NFKD", re.sub(r"\\(\W|[a-z]+\s?)|[{}]", "", text))
    return re.sub(r"[^a-z0-9]", "", letters.encode("ascii", "ignore").decode().lower())


def test_bibtex_has_each_paper_once() -> None:
    found = bibtex(['Post (2018), "A call for clarity in reporting BLEU scores"'] * 2)
    assert re.findall(r"^@\w+\{(\w+),", found, re.MULTILINE) == ["tertium", "post2018"]
