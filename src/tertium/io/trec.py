"""Topics, judged documents (qrels) and runs in TREC's formats, and documents as JSON lines.

topics  `<top> <num> Number: 301 <title> query ... </top>`, or lines `id TAB query`
qrels   `topic iteration document grade`, columns with white space between them
runs    `topic Q0 document rank score tag`; the order is that of scores, as for trec_eval, and not that of ranks
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tertium.core.errors import InputError
from tertium.io.columns import read_number
from tertium.io.files import stream_lines, write_atomically

Numbered = dict[str, dict[str, float]]  # by topic and document


def read_qrels(path: str | Path) -> Numbered:
    """Grades by topic and document; 1 and more is relevant."""
    found = _read_numbered(path, 4, "topic iteration document grade", 3, "grade")
    for topic, grades in found.items():
        for document, grade in grades.items():
            if grade != int(grade):
                raise InputError(f"{path}: topic {topic}, document {document}: grade {grade:g} is not a whole number")
    return found


def read_run(path: str | Path) -> Numbered:
    """Scores by topic and document."""
    return _read_numbered(path, 6, "topic Q0 document rank score tag", 4, "score")


def _read_numbered(path: str | Path, width: int, form: str, at: int, what: str) -> Numbered:
    """Lines of a topic, a document in the third column and a number; none may stand there twice."""
    found: Numbered = {}
    for number, line in stream_lines(path):
        parts = line.split()
        if not parts:
            continue
        where = f"{path}:{number}"
        if len(parts) != width:
            raise InputError(f"{where}: {len(parts)} columns; expected {width}: {form}")
        topic, document = parts[0], parts[2]
        value = read_number(parts[at])
        if not math.isfinite(value):
            raise InputError(
                f"{where}: {what} {parts[at]!r} of document {document} for topic {topic} is not a number; a document "
                f"that was not retrieved has no line"
                if what == "score"
                else f"{where}: {what} {parts[at]!r} of document {document} for topic {topic} is not a number"
            )
        row = found.setdefault(topic, {})
        if document in row:
            raise InputError(f"{where}: document {document} stands twice under topic {topic}; expected it once")
        row[document] = value
    if not found:
        raise InputError(f"{path}: empty; expected lines of {width} columns: {form}")
    return found


def read_topics(path: str | Path) -> dict[str, str]:
    """Queries by id, in the order of the file."""
    lines = [(number, line) for number, line in stream_lines(path) if line.strip()]
    if not lines:
        raise InputError(f"{path}: empty; expected topics, id TAB query or <top>...</top>")
    marked = any(line.lstrip().lower().startswith("<top>") for _, line in lines)
    found: dict[str, str] = {}
    for number, topic, query in (_marked if marked else _tabbed)(str(path), lines):
        where = f"{path}:{number}"
        if not topic or len(topic.split()) > 1:
            raise InputError(f"{where}: topic id {topic!r}; an id has letters and no white space")
        if topic in found:
            raise InputError(f"{where}: a second topic {topic}; ids must differ")
        found[topic] = query
    return found


def _tabbed(path: str, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    for number, line in lines:
        topic, tab, query = line.partition("\t")
        if not tab:
            raise InputError(f"{path}:{number}: no tab; expected id TAB query, or TREC's <top>...</top>")
        yield number, topic.strip(), query.strip()


def _marked(path: str, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """TREC's topics: the number behind <num> and the title, which ends at the next mark."""
    start, topic, title, inside = 0, "", list[str](), ""
    for number, line in lines:
        rest = line.strip()
        mark = rest[1 : rest.find(">")].lower() if rest.startswith("<") and ">" in rest else ""
        if mark:
            rest = rest[len(mark) + 2 :].partition("</")[0]
            inside = mark
        if mark == "top":
            start, topic, title = number, "", []
        elif mark == "/top":
            if not topic or not title:
                raise InputError(f"{path}:{start}: this topic has no {'<title>' if topic else '<num>'}")
            yield start, topic, " ".join(" ".join(title).split())
        elif mark == "num":
            topic = rest.strip().removeprefix("Number:").strip()
        elif inside == "title":
            title.append(rest.strip().removeprefix("Topic:").strip())


def write_topics(path: str | Path, topics: Mapping[str, str]) -> None:
    """Lines `id TAB query`."""
    _write(path, (f"{topic}\t{' '.join(query.split())}" for topic, query in topics.items()))


def write_qrels(path: str | Path, grades: Iterable[tuple[str, Mapping[str, float]]]) -> None:
    """Lines `topic 0 document grade`."""
    _write(path, (f"{topic} 0 {document} {value:.0f}" for topic, row in grades for document, value in row.items()))


def write_run(path: str | Path, scores: Iterable[tuple[str, Mapping[str, float]]], tag: str) -> None:
    """Lines `topic Q0 document rank score tag`; scores have all their digits, so that they are read as they were."""
    name = "_".join(tag.split()) or "run"
    _write(
        path,
        (
            f"{topic} Q0 {document} {rank} {value!r} {name}"
            for topic, row in scores
            for rank, (document, value) in enumerate(row.items(), 1)
        ),
    )


def write_documents(path: str | Path, ids: Iterable[str], texts: Iterable[str]) -> None:
    """Lines {"id": ..., "text": ...}."""
    import json

    rows = zip(ids, texts, strict=True)
    _write(path, (json.dumps({"id": name, "text": text}, ensure_ascii=False) for name, text in rows))


def read_documents(path: str | Path) -> dict[str, str]:
    """Texts by id."""
    import json

    found: dict[str, str] = {}
    for number, line in stream_lines(path):
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("id", "text")):
            raise InputError(f'{where}: expected a JSON object such as {{"id": "d1", "text": "..."}}')
        if row["id"] in found:
            raise InputError(f"{where}: a second document {row['id']}; ids must differ")
        found[row["id"]] = row["text"]
    if not found:
        raise InputError(f"{path}: empty; expected one JSON object per line")
    return found


def _write(path: str | Path, lines: Iterable[str]) -> None:
    with write_atomically(path) as file:
        for line in lines:
            file.write(f"{line}\n".encode())
