"""A test of retrieval in a folder, step by step: what `build` writes, `run` adds to and the others read.

retrieval.json       the test set, its digest, languages, references, how documents were searched
documents/NAME.jsonl the documents of each collection
RECIPE/topics.tsv    queries; qrels.txt what is relevant; truth.run the true ranking, where there is one
RECIPE/queries/NAME.tsv  the queries as a query translation system has them
RECIPE/runs/NAME.run rankings
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.version import VERSION
from tertium.io import trec
from tertium.io.files import read_bytes, write_atomically
from tertium.retrieval.collections import Collection
from tertium.retrieval.experiment import RetrievalTest
from tertium.retrieval.rankings import Ranking, Relevance, TopicDocuments, check_known, from_mapping
from tertium.retrieval.search import Retriever
from tertium.retrieval.topics import Topics

MANIFEST = "retrieval.json"


def write_built(folder: str | Path, tests: Sequence[RetrievalTest], testset: str | None) -> None:
    """Collections, topics and judgements. What says that it is a test is written last."""
    root, first = Path(folder), tests[0]
    _make(root / "documents")
    for collection in first.collections:
        trec.write_documents(root / "documents" / _file(collection.name, "jsonl"), first.documents, collection.texts)
    for test in tests:
        own = root / test.recipe
        _make(own)
        trec.write_topics(own / "topics.tsv", dict(zip(test.topics.ids, test.topics.texts, strict=True)))
        trec.write_qrels(own / "qrels.txt", _named(test.relevance))
        if test.truth is not None:
            trec.write_run(own / "truth.run", _named(test.truth), "truth")
        for name, topics in test.translated.items():
            _make(own / "queries")
            queries = dict(zip(topics.ids, topics.texts, strict=True))
            trec.write_topics(own / "queries" / _file(name, "tsv"), queries)
    _write_manifest(root, _manifest(root, tests, testset))


def write_runs(folder: str | Path, tests: Sequence[RetrievalTest]) -> None:
    """The rankings, and how they came about."""
    root = Path(folder)
    for test in tests:
        runs = root / test.recipe / "runs"
        _make(runs)
        for name, ranking in test.rankings.items():
            trec.write_run(runs / _file(name, "run"), _named(ranking), name)
    manifest = _read_manifest(root)
    how = tests[0].retriever
    _write_manifest(root, {**manifest, "retriever": None if how is None else asdict(how)})


def read_folder(
    folder: str | Path,
    read_testset: Callable[[str], Evaluation] | None = None,
    *,
    needs_runs: bool = False,
) -> list[RetrievalTest]:
    """The tests in a folder; with `read_testset` also the texts of the test set that it was built of."""
    root = Path(folder)
    manifest = _read_manifest(root)
    given = None if read_testset is None else _testset(root, manifest, read_testset)
    try:
        collections = [
            (Collection(name=name, role=role, texts=()), root / "documents" / _file(name, "jsonl"))
            for name, role in manifest["collections"]
        ]
        tests = list(_tests(root, manifest, given, collections))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{root / MANIFEST}: not as tertium retrieve build writes it ({error}); build again") from None
    if needs_runs and not all(test.rankings for test in tests):
        raise InputError(f"{root}: nothing has been searched yet; first: tertium retrieve run {root}")
    return tests


def _tests(
    root: Path, manifest: dict[str, Any], given: Evaluation | None, collections: Sequence[tuple[Collection, Path]]
) -> Iterator[RetrievalTest]:
    documents: tuple[str, ...] = ()
    filled = []
    for collection, path in collections:
        texts = trec.read_documents(path)
        if documents and tuple(texts) != documents:
            raise InputError(f"{path}: other documents than in {collections[0][1]}; build again")
        documents = tuple(texts)
        filled.append(replace(collection, texts=tuple(texts.values())))
    how = manifest.get("retriever")
    for recipe in manifest["recipes"]:
        own = root / recipe
        topics = _topics(own / "topics.tsv")
        relevance = from_mapping(Relevance, _checked(own / "qrels.txt", trec.read_qrels, documents, topics), documents)
        truth = None
        if (own / "truth.run").exists():
            truth = from_mapping(Ranking, _checked(own / "truth.run", trec.read_run, documents, topics), documents)
            truth = truth.over(topics.ids, documents)
        names = manifest.get("queries") or [collection.name for collection in filled]
        runs = {name: own / "runs" / _file(name, "run") for name in names}
        yield RetrievalTest(
            name=manifest["name"], given=given, recipe=recipe, language=manifest["language"], documents=documents,
            topics=topics, relevance=relevance.over([t for t in topics.ids if t in set(relevance.topics)], documents),
            truth=truth, collections=tuple(filled),
            translated={n: _topics(own / "queries" / _file(n, "tsv")) for n in manifest.get("queries") or ()},
            topic_reference=manifest["topic_reference"], metric_reference=manifest["metric_reference"],
            retriever=Retriever(**how) if how else None,
            rankings={n: _ranking(path, documents, topics) for n, path in runs.items()} if how else {},
            notes=tuple(manifest["notes"]),
        )  # fmt: skip


def _ranking(path: Path, documents: tuple[str, ...], topics: Topics) -> Ranking:
    found = from_mapping(Ranking, _checked(path, trec.read_run, documents, topics), documents)
    return found.over(topics.ids, documents)


def _checked(
    path: Path, read: Callable[[Path], trec.Numbered], documents: tuple[str, ...], topics: Topics
) -> trec.Numbered:
    if path.exists() and path.stat().st_size == 0:  # nothing was retrieved at all
        return {}
    found = read(path)
    named = TopicDocuments.gather(tuple(found), tuple({d: None for row in found.values() for d in row}), ())
    check_known(named, documents, topics.ids, str(path))
    return found


def _topics(path: Path) -> Topics:
    found = trec.read_topics(path)
    return Topics(ids=tuple(found), texts=tuple(found.values()))


def _manifest(root: Path, tests: Sequence[RetrievalTest], testset: str | None) -> dict[str, Any]:
    first = tests[0]
    return {
        "tertium": VERSION,
        "name": first.name,
        "testset": None if testset is None else os.path.relpath(testset, root),
        "digest": None if first.given is None else first.given.testset.digest,
        "language": first.language,
        "recipes": [test.recipe for test in tests],
        "collections": [[collection.name, collection.role] for collection in first.collections],
        "queries": list(first.translated),
        "topic_reference": first.topic_reference,
        "metric_reference": first.metric_reference,
        "retriever": None,
        "notes": list(first.notes),
    }


def _testset(root: Path, manifest: dict[str, Any], read: Callable[[str], Evaluation]) -> Evaluation:
    named = manifest.get("testset")
    if not isinstance(named, str):
        raise InputError(f"{root / MANIFEST} names no test set; build it from a testset.toml")
    path = os.path.normpath(root / named)
    given = read(path)
    if given.testset.digest != manifest.get("digest"):
        raise InputError(f"{path} is not the test set of which {root} was built; build again")
    return given


def _read_manifest(root: Path) -> dict[str, Any]:
    path = root / MANIFEST
    if not path.exists():
        raise InputError(f"{root}: no {MANIFEST} in it; first: tertium retrieve build TESTSET.toml --folder {root}")
    try:
        found = json.loads(bytes(read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); build again") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: not as tertium retrieve build writes it; build again")
    return found


def _write_manifest(root: Path, manifest: dict[str, Any]) -> None:
    with write_atomically(root / MANIFEST) as file:
        file.write(json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n")


def _named(found: TopicDocuments) -> Iterator[tuple[str, dict[str, float]]]:
    return ((topic, found.named(k)) for k, topic in enumerate(found.topics))


def _file(name: str, suffix: str) -> str:
    """A file for a name, which may have any characters: those that a path may not have are written by their numbers."""
    kept = "".join(char if char.isalnum() or char in " -_." else f"%{ord(char):x}%" for char in name)
    return f"{kept}.{suffix}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
