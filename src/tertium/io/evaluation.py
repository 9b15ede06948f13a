r"""Evaluations as files: one zip file, without pickles; the same evaluation gives the same bytes. Version 2:

    evaluation.json     format, version, which texts are in it, facts of the test set (with its digest and
                        those of its texts), systems, metrics, signatures, judgements, warnings, and the table
    texts/source.txt    texts, each followed by a line feed (texts/reference.1.txt, texts/output.1.txt, ...)
    texts/source.npy    int64, (n,): bytes of each text, -1 where it is missing
    stats/1.rows.npy    statistics, as tertium.io.stats describes them; metrics may share them
    evaluation.sha256   the digests of all other members, as sha256sum writes them: names, languages, signatures,
                        judgements and statistics are covered like texts. Version 1 has no such member and is read too.

Where texts are left out their digests remain: the loaded test set has the digest it had, its texts are
missing, and merging still tells whether test sets and outputs are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.header import Header, Origin
from tertium.core.judgement import Judgement
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.stats import Form, Stats
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.core.wording import counted
from tertium.io.archive import (
    LIMIT,
    MEMBERS,
    Archive,
    DamagedError,
    array_bytes,
    digest_lines,
    member_names,
    open_archive,
    read_stats,
    stats_members,
    write_archive,
)
from tertium.io.files import RATIO
from tertium.io.ratings.judgements import KINDS, read_spans, span_rows
from tertium.io.stats import column_names

FORMAT = "tertium evaluation"
VERSION = 2
INDEX, DIGESTS = "evaluation.json", "evaluation.sha256"
INDEX_SIZE = 8_000_000  # bytes of an index that are harmless however well it is packed; it becomes many objects
WITHHELD = 17  # bytes in memory for a text that is left out: two bounds and whether it is missing

T = TypeVar("T")


def save_evaluation(evaluation: Evaluation, path: str | Path, *, texts: bool = True) -> None:
    """Write an evaluation to one file; without `texts` no source, reference or output is in it."""
    streams = _streams(evaluation)
    kept_texts = {name: lines for name, lines in streams.items() if texts and lines.withheld is None}
    numbers: dict[tuple[int, int], int] = {}  # metrics may share their rows
    for stats in evaluation.table.values():
        numbers.setdefault(stats.identity, len(numbers) + 1)
    kept = {numbers[stats.identity]: stats for stats in evaluation.table.values()}
    index = {
        "format": FORMAT,
        "version": VERSION,
        "texts": list(kept_texts),
        "testset": _testset_facts(evaluation.testset),
        "systems": [
            {
                "name": system.name,
                "origin": system.origin,
                "run": system.run,
                "outputs": system.outputs.digest().hex(),
            }
            for system in evaluation.systems
        ],
        "metrics": [str(metric) for metric in evaluation.metrics],
        "signatures": dict(evaluation.signatures),
        "warnings": list(evaluation.warnings),
        "judgements": [_judgement_row(judgement) for judgement in evaluation.judgements],
        "statistics": [{"form": stats.form, "columns": list(stats.columns)} for stats in kept.values()],
        "table": [[system, metric, numbers[stats.identity]] for (system, metric), stats in evaluation.table.items()],
    }
    members = {INDEX: json.dumps(index, indent=1).encode()}
    for name, lines in kept_texts.items():
        members |= _text_members(name, lines)
    for number, stats in kept.items():
        members |= stats_members(stats, f"stats/{number}.")
    write_archive(path, members | {DIGESTS: digest_lines(members)})


def load_evaluation(path: str | Path, parse: Callable[[str], Metric], *, limit: int = LIMIT) -> Evaluation:
    """Read an evaluation; `parse` makes a metric of its text, `limit` is how many bytes it may unpack to."""
    with open_archive(path, "a tertium evaluation", limit) as archive:
        facts = _read_index(archive, path)
        parts = _read_parts(archive, facts)
        table = _read_table(archive, facts, parts["testset"].segments)
        texts, signatures = facts.texts("metrics"), facts.dictionary("signatures")
    metrics = {text: parse(text) for text in texts}
    # Which test set, metric and rows statistics are of, the file says as a whole.
    testset = parts["testset"]
    headers = {
        text: Header(Origin(str(metric), signatures[text], testset.digest), (0, testset.segments))
        for text, metric in metrics.items()
        if text in signatures
    }
    return Evaluation(
        **parts,
        metrics=tuple(metrics.values()),
        # A text that another version wrote may be said otherwise now; keys follow the metric.
        table={
            (system, str(metrics[metric])): stats.with_header(headers[metric]) if metric in headers else stats
            for (system, metric), stats in table.items()
        },
        signatures={str(metrics.get(text, text)): value for text, value in signatures.items()},
    )


def _streams(evaluation: Evaluation) -> dict[str, Lines]:
    """All texts by the names of their members."""
    testset = evaluation.testset
    streams = {} if testset.sources is None else {"source": testset.sources}
    streams |= {f"reference.{k}": lines for k, lines in enumerate(testset.references.streams, 1)}
    return streams | {f"output.{k}": system.outputs for k, system in enumerate(evaluation.systems, 1)}


def _testset_facts(testset: TestSet) -> dict[str, Any]:
    return {
        "name": testset.name,
        "source_language": testset.source_language,
        "target_language": testset.target_language,
        "segments": testset.segments,
        "digest": testset.digest,
        "source": None if testset.sources is None else testset.sources.digest().hex(),
        "references": [stream.digest().hex() for stream in testset.references.streams],
        "documents": None if testset.documents is None else list(testset.documents),
        "ids": None if testset.ids is None else list(testset.ids),
        "labels": {key: list(values) for key, values in testset.labels.items()},
        **({} if testset.resegmented is None else {"resegmented": testset.resegmented}),
        **({} if testset.tags is None else {"tags": testset.tags}),
    }


def _judgement_row(judgement: Judgement) -> list[Any]:
    return [
        judgement.system,
        judgement.segment,
        judgement.rater,
        judgement.scale,
        judgement.value,
        judgement.kind,
        judgement.task,
        judgement.duration,
        span_rows(judgement.spans),
        *([] if judgement.start is None else [judgement.start]),
    ]


def _text_members(name: str, lines: Lines) -> dict[str, bytes]:
    """Texts with a line feed after each, so that people can read them, and their lengths, so that we can."""
    lengths = lines.lengths()
    feeds = np.cumsum(np.maximum(lengths, 0) + 1) - 1
    data = np.full(int(feeds[-1]) + 1 if len(feeds) else 0, ord("\n"), dtype=np.uint8)
    text = np.ones(len(data), dtype=np.bool_)
    text[feeds] = False
    data[text] = np.frombuffer(lines.text(), dtype=np.uint8)
    return {f"texts/{name}.txt": data.tobytes(), f"texts/{name}.npy": array_bytes(lengths, "<i8")}


def _read_texts(archive: Archive, name: str, count: int, digest: str) -> Lines:
    lengths = archive.read_array(f"texts/{name}.npy", "<i8", (count,))
    data = np.frombuffer(archive.read(f"texts/{name}.txt"), dtype=np.uint8)
    if (lengths < -1).any() or (lengths > len(data)).any():
        raise DamagedError(f"the lengths of texts/{name}.txt are not lengths")
    feeds = np.cumsum(np.maximum(lengths, 0) + 1) - 1
    whole = int(feeds[-1]) + 1 == len(data) if count else not len(data)
    # As every text stands between line feeds, none can begin or end inside a character.
    if not whole or (data[feeds] != ord("\n")).any() or _kernel.first_invalid_utf8(data) >= 0:
        raise DamagedError(f"texts/{name}.txt does not match its lengths")
    lines = Lines(data, feeds - np.maximum(lengths, 0), feeds, lengths < 0)
    if lines.digest().hex() != digest:
        raise DamagedError(f"texts/{name}.txt does not match its digest")
    return lines


def _read_index(archive: Archive, path: str | Path) -> _Facts:
    about = archive.members.get(INDEX)
    if about is not None and about.file_size > max(INDEX_SIZE, RATIO * about.compress_size):
        raise DamagedError(f"{INDEX} would unpack to {about.file_size} bytes, {RATIO} times its size")
    if DIGESTS in archive.members:
        archive.seal(DIGESTS)
    index = json.loads(archive.read(INDEX))
    if index["format"] != FORMAT:
        raise DamagedError(f"its format is {index['format']!r}")
    if index["version"] not in (1, VERSION):
        raise InputError(
            f"{path}: version {index['version']} of the evaluation format, but this tertium reads versions 1 and "
            f"{VERSION}; update it with: pip install -U tertium"
        )
    if (index["version"] == 1) != (archive.digests is None):
        raise DamagedError(f"version {index['version']} with{'out' if archive.digests is None else ''} {DIGESTS}")
    return _Facts(index)


class _Facts:
    """Values of a JSON object, each checked to be what it is taken for."""

    def __init__(self, values: Any) -> None:
        self.values: Mapping[str, Any] = self._check("an entry", values, dict)

    @staticmethod
    def _check(key: str, value: Any, kind: type[T]) -> T:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise DamagedError(f"{key} is not {kind.__name__}")
        return value

    def get(self, key: str, kind: type[T]) -> T:
        return self._check(key, self.values[key], kind)

    def maybe(self, key: str) -> str | None:
        return None if self.values[key] is None else self.get(key, str)

    def objects(self, key: str) -> list[_Facts]:
        return [_Facts(value) for value in self.get(key, list)]

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(self._check(key, value, str) for value in self.get(key, list))

    def dictionary(self, key: str) -> dict[str, str]:
        return {name: self._check(key, value, str) for name, value in self.get(key, dict).items()}


def _read_parts(archive: Archive, facts: _Facts) -> dict[str, Any]:
    """Test set, systems, judgements and warnings."""
    about, systems = _Facts(facts.get("testset", dict)), facts.objects("systems")
    count, kept = max(about.get("segments", int), 0), set(facts.texts("texts"))
    source = about.maybe("source")
    digests = {} if source is None else {"source": source}
    digests |= {f"reference.{k}": digest for k, digest in enumerate(about.texts("references"), 1)}
    digests |= {f"output.{k}": system.get("outputs", str) for k, system in enumerate(systems, 1)}
    expected = {f"texts/{name}.{kind}" for name in kept for kind in ("txt", "npy")}
    for k, stats in enumerate(facts.objects("statistics"), 1):
        expected |= member_names(archive, _form(stats), f"stats/{k}.")
    archive.expect(expected | {INDEX} | (set() if archive.digests is None else {DIGESTS}))
    # Texts that are left out take memory too, and no member of that size stands for them.
    if not kept <= digests.keys() or WITHHELD * count * len(digests.keys() - kept) > archive.limit:
        raise DamagedError(f"{len(kept)} of {counted(len(digests), 'text')} of {counted(count, 'segment')}")
    lines = {
        name: _read_texts(archive, name, count, digest)
        if name in kept
        else Lines.withhold(count, bytes.fromhex(digest))
        for name, digest in digests.items()
    }
    return {
        "testset": _read_testset(about, count, lines),
        "systems": tuple(
            System(
                name=system.get("name", str),
                outputs=lines[f"output.{k}"],
                origin=system.maybe("origin"),
                run=system.maybe("run"),
            )
            for k, system in enumerate(systems, 1)
        ),
        "judgements": tuple(_read_judgement(row, count) for row in facts.get("judgements", list)),
        "warnings": facts.texts("warnings"),
    }


def _read_testset(about: _Facts, count: int, lines: Mapping[str, Lines]) -> TestSet:
    labels = _Facts(about.get("labels", dict))
    testset = TestSet(
        name=about.get("name", str),
        source_language=about.maybe("source_language"),
        target_language=about.maybe("target_language"),
        segments=count,
        sources=lines.get("source"),
        references=References(tuple(text for name, text in lines.items() if name.startswith("reference.")), count),
        documents=None if about.values["documents"] is None else about.texts("documents"),
        ids=None if about.values["ids"] is None else about.texts("ids"),
        labels={key: labels.texts(key) for key in labels.values},
        resegmented=about.maybe("resegmented") if "resegmented" in about.values else None,
        tags=about.maybe("tags") if "tags" in about.values else None,
    )
    if testset.digest != about.get("digest", str):
        raise DamagedError("the test set does not match its digest")
    return testset


def _read_judgement(row: Any, count: int) -> Judgement:
    system, segment, rater, scale, value, kind, task, duration, spans, *start = row
    if type(segment) is not int or not 0 <= segment < count or kind not in KINDS:
        raise DamagedError("a judgement of no segment or kind")
    if not all(isinstance(text, str) for text in (system, rater, scale, "" if task is None else task)):
        raise DamagedError("a judgement with a name that is not a text")
    return Judgement(
        system=system,
        segment=segment,
        rater=rater,
        scale=scale,
        value=float(value),
        kind=kind,
        task=task,
        duration=None if duration is None else float(duration),
        spans=read_spans(spans),
        start=float(start[0]) if start else None,
    )


def _form(stats: _Facts) -> Form:
    form = stats.get("form", str)
    if form not in MEMBERS:
        raise DamagedError(f"statistics of the form {form!r}")
    return form


def _read_table(archive: Archive, facts: _Facts, count: int) -> dict[tuple[str, str], Stats]:
    kept = [
        read_stats(archive, column_names(stats.get("columns", list)), _form(stats), f"stats/{k}.", count)
        for k, stats in enumerate(facts.objects("statistics"), 1)
    ]
    systems = {system.get("name", str) for system in facts.objects("systems")}
    metrics = set(facts.texts("metrics"))
    table = {}
    for system, metric, number in facts.get("table", list):
        if system not in systems or metric not in metrics or type(number) is not int or not 0 < number <= len(kept):
            raise DamagedError("the table names a system, metric or statistics that are not in the file")
        table[system, metric] = kept[number - 1]
    return table
