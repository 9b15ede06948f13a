"""Errors marked by people under MQM, in the TSV of Freitag et al. (2021) that Marot reads: one error per line.

    system doc doc_id seg_id rater source target category severity comment             (doc_id may be absent)
    system doc docSegId globalSegId rater source target category severity metadata     (as Marot writes it)

The marked characters stand between <v> and </v>, in the target, or in the source where something was left out. A rater
who found no error has one line of the category (or severity) No-error. Every rater's lines on a segment of a system
are one judgement, and its value is their penalty (`core.judgement.mqm_penalty`). Lines of the severity HOTW-test are
tests of the rater's attention on altered outputs: they are left out, and so are comments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Judgement, Side, Span, mqm_penalty
from tertium.core.testset import TestSet
from tertium.io.ratings.rows import Rows, write_rows
from tertium.io.ratings.segments import Name, name_of, number_segments, output_systems

HEADER = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity", "comment")
ROLES = ("system", "doc?", "seg_id|globalSegId", "rater", "source", "target", "category", "severity")
NO_ERROR, TEST = "no-error", "hotw-test"
MARK = re.compile("</?v>")


def read_mqm(rows: Rows, testset: TestSet | None = None) -> Evaluation:
    """Judgements, the systems' outputs and, where no test set is given, one of ids, documents and sources."""
    rows = _without_tests(rows)
    systems, documents, items, raters, sources, targets, categories, severities = rows.columns(ROLES)
    body = rows.body()
    pairs = list(zip(items, documents or [""] * len(items), strict=True))
    # A segment's number is that in the whole test set; where it is not, the document is part of the name.
    alone = len(set(pairs)) == len(set(items))
    names = [Name(item) if alone else Name(item, document) for item, document in pairs]
    texts: dict[Name, str] = {}
    outputs: dict[tuple[str, Name], str] = {}
    spans: dict[tuple[str, Name, str], list[Span]] = {}
    columns = zip(systems, names, raters, sources, targets, categories, severities, strict=True)
    for k, (system, name, rater, source, target, category, severity) in enumerate(columns):
        if not system or not rater:
            raise InputError(f"{body.where(k)}: no {'rater' if system else 'system'}")
        _agree(texts, name, MARK.sub("", source), "source", body, k)
        _agree(outputs, (system, name), MARK.sub("", target), f"target of {system}", body, k)
        found = spans.setdefault((system, name, rater), [])
        if NO_ERROR not in (severity.casefold(), category.casefold()):
            found.append(_span(source, target, category, severity, body, k))
    testset, numbers = number_segments(
        names, body, testset, texts, {name: document for name, (_, document) in zip(names, pairs, strict=True)}
    )
    judgements = tuple(
        Judgement(
            system=system,
            segment=numbers[name],
            rater=rater,
            scale="mqm",
            value=mqm_penalty(found),
            spans=tuple(found),
        )
        for (system, name, rater), found in spans.items()
    )
    quoted = output_systems(outputs, numbers, len(testset), rows.path)
    return Evaluation(testset=testset, systems=quoted, judgements=judgements)


def _without_tests(rows: Rows) -> Rows:
    """The rows that are about outputs: what is tested in the others is a text that was altered."""
    [severities] = rows.columns(["severity"])
    kept = [0, *(k for k, severity in enumerate(severities, 1) if severity.casefold() != TEST)]
    return Rows(rows.path, [rows.fields[k] for k in kept], [rows.lines[k] for k in kept])


def _agree(texts: dict[Any, str], key: Any, text: str, what: str, rows: Rows, k: int) -> None:
    if texts.setdefault(key, text) != text:
        raise InputError(
            f"{rows.where(k)}: the {what} is {text!r}, but on a line above it was {texts[key]!r}; "
            f"one segment has one text"
        )


def _span(source: str, target: str, category: str, severity: str, rows: Rows, k: int) -> Span:
    side: Side = "output" if "<v>" in target else "source" if "<v>" in source else "none"
    start = end = 0
    if side != "none":
        text = target if side == "output" else source
        before, _, rest = text.partition("<v>")
        marked, _, after = rest.partition("</v>")  # a mark that is not closed goes on to the end
        if MARK.search(before + marked + after):
            raise InputError(f"{rows.where(k)}: expected one <v> and one </v> behind it in {text!r}")
        start, end = len(before), len(before) + len(marked)
    span = Span(start=start, end=end, severity=severity, category=category, side=side)
    try:
        mqm_penalty([span])
    except InputError as error:
        raise InputError(f"{rows.where(k)}: {error}") from None
    return replace(span, severity=severity.casefold())


def write_mqm(evaluation: Evaluation, path: str | Path) -> None:
    """Write judgements on the scale mqm, one error per line; the evaluation must have the texts."""
    write_rows(path, _rows(evaluation, str(path)))


def _rows(evaluation: Evaluation, path: str) -> Iterator[tuple[str, ...]]:
    outputs = {system.name: system.outputs for system in evaluation.systems}
    sources, documents = evaluation.testset.sources, evaluation.testset.documents
    place: Counter[str] = Counter()
    inside = []  # the number of each segment inside its document, from 1
    for k in range(len(evaluation.testset)):
        place[documents[k] if documents else ""] += 1
        inside.append(place[documents[k] if documents else ""])
    yield HEADER
    for judgement in evaluation.judgements:
        if judgement.scale != "mqm":
            raise InputError(
                f"{path}: a file of MQM has no scale {judgement.scale}; write those on mqm to a file of their own"
            )
        name = name_of(evaluation.testset, judgement.segment)
        output = outputs[judgement.system][judgement.segment] if judgement.system in outputs else None
        source = sources[judgement.segment] if sources is not None else None
        if output is None or source is None:
            raise InputError(
                f"{path}: no {'source' if source is None else 'output'} of segment {name} of system "
                f"{judgement.system}; this format quotes the texts, so give a test set and outputs that have them"
            )
        facts = (judgement.system, name.document, str(inside[judgement.segment]), name.item, judgement.rater)
        for span in judgement.spans:
            yield (
                *facts,
                _mark(source, span) if span.side == "source" else source,
                _mark(output, span) if span.side == "output" else output,
                span.category,
                span.severity.capitalize(),
                "",
            )
        if not judgement.spans:
            yield (*facts, source, output, "No-error", "No-error", "")


def _mark(text: str, span: Span) -> str:
    return f"{text[: span.start]}<v>{text[span.start : span.end]}</v>{text[span.end :]}"
