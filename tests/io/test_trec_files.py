"""TREC's files: what is read, what is refused, and with which words."""

from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io import trec


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_runs_and_qrels_survive_the_way_there_and_back(file: Path) -> None:
    scores = {"q1": {"d2": 0.1 + 0.2, "d1": 1e-300}, "q2": {"ü": 3.0}}
    trec.write_run(file, scores.items(), "a run")
    assert trec.read_run(file) == scores
    assert file.read_text().splitlines()[0] == "q1 Q0 d2 1 0.30000000000000004 a_run"
    grades = {"q1": {"d1": 2.0, "d2": 0.0}}
    trec.write_qrels(file, grades.items())
    assert trec.read_qrels(file) == grades


def test_topics_as_lines_and_as_trec_has_them(file: Path) -> None:
    trec.write_topics(file, {"1": "ferry  harbour", "2": ""})
    assert trec.read_topics(file) == {"1": "ferry harbour", "2": ""}
    file.write_text(
        "<top>\n<num> Number: 301\n<title> International\nCrime\n\n<desc> Description:\nWhich?\n</top>\n"
        "<top>\n<num>302</num>\n<title>Poliomyelitis</title>\n</top>\n"
    )
    assert trec.read_topics(file) == {"301": "International Crime", "302": "Poliomyelitis"}


def test_documents(file: Path) -> None:
    trec.write_documents(file, ["a", "b"], ["one\ntwo", ""])
    assert trec.read_documents(file) == {"a": "one\ntwo", "b": ""}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q Q0 d 1 nan tag\n", ":1: score 'nan' of document d for topic q is not a number; a document that was not"),
        ("q Q0 d 1 inf tag\n", ":1: score 'inf' of document d for topic q is not a number"),
        ("q Q0 d 1 1.5 tag\n\nq Q0 d 2 1.4 tag\n", ":3: document d stands twice under topic q; expected it once"),
        ("q Q0 d 1.5\n", ":1: 4 columns; expected 6: topic Q0 document rank score tag"),
        ("q Q0 d 1 high tag\n", ":1: score 'high' of document d"),
        ("", ": empty; expected lines of 6 columns"),
    ],
)
def test_bad_runs(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError) as error:
        trec.read_run(file)
    assert str(error.value).startswith(f"{file}{said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q 0 d yes\n", ":1: grade 'yes' of document d for topic q is not a number"),
        ("q 0 d 0.5\n", ": topic q, document d: grade 0.5 is not a whole number"),
        ("q 0 d 1\nq 0 d 1\n", ":2: document d stands twice under topic q; expected it once"),
        ("q d 1\n", ":1: 3 columns; expected 4: topic iteration document grade"),
        ("\n", ": empty; expected lines of 4 columns"),
    ],
)
def test_bad_qrels(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError) as error:
        trec.read_qrels(file)
    assert str(error.value).startswith(f"{file}{said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 ferry\n", ":1: no tab; expected id TAB query, or TREC's <top>...</top>"),
        ("1\tferry\n1\tstorm\n", ":2: a second topic 1; ids must differ"),
        ("a b\tferry\n", ":1: topic id 'a b'; an id has letters and no white space"),
        ("<top>\n<num> 1\n</top>\n", ":1: this topic has no <title>"),
        ("<top>\n<title> x\n</top>\n", ":1: this topic has no <num>"),
        (" \n", ": empty; expected topics"),
    ],
)
def test_bad_topics(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError) as error:
        trec.read_topics(file)
    assert str(error.value).startswith(f"{file}{said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', ":2: a second document a; ids must differ"),
        ('{"id": "a"}\n', ":1: expected a JSON object such as"),
        ("[" * 100_000 + "\n", ":1: expected a JSON object such as"),
        ("", ": empty; expected one JSON object per line"),
    ],
)
def test_bad_documents(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError) as error:
        trec.read_documents(file)
    assert str(error.value).startswith(f"{file}{said}")
