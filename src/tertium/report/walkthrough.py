"""How a score is computed, as text, Markdown, JSON and a page of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tertium.analysis.walkthrough import Walkthrough
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.steps import Step
from tertium.core.system import System
from tertium.core.table import Table
from tertium.core.testset import References, TestSet
from tertium.core.wording import number, visible
from tertium.io import tables
from tertium.metrics import parse
from tertium.report.evidence import evidence
from tertium.report.page import Page, Section
from tertium.report.results import Results
from tertium.report.segments import cut_words

SCRIPTS = ("lines.js", "marks.js", "explain.js")


def walkthrough_text(found: Walkthrough, room: int | None = None) -> str:
    """For a terminal: what a page shows first, of long tables."""
    parts = [tables.wrapped(heading(found), room)]
    for number_of, step in enumerate(found.steps, 1):
        body = [f"{number_of}. {step.title}", *(tables.wrapped(visible(text), room) for text in step.text)]
        body += [tables.text([_first_rows(table)], room=room, whole="-f json") for table in step.tables]
        body += ["\n".join(tables.wrapped(f"    {visible(line)}", room) for line in step.lines)] if step.lines else []
        parts.append("\n".join([body[0], *(f"\n{each}" for each in body[1:])]))
    return "\n\n".join([*parts, tables.wrapped(f"signature: {visible(found.signature)}", room)])


def heading(found: Walkthrough) -> str:
    """The score, and what it would be as that of a corpus, if that is another."""
    text = f"{found.title} {number(found.value, 4)} ({found.better} is better): {visible(found.metric)}"
    if found.corpus != found.value:
        text += f"\nAs a corpus of this one segment: {number(found.corpus, 4)}"
    return text


def _first_rows(table: Table) -> Table:
    kept = len(table.rows) if table.shown is None else table.shown
    if len(table.rows) <= kept:
        return table
    more = f"the first {kept} of {len(table.rows)} (-f json has all)"
    return dataclasses.replace(table, rows=table.rows[:kept], note="\n".join(filter(None, [table.note, more])))


def walkthrough_markdown(found: Walkthrough) -> str:
    """All of it, as GitHub reads it."""
    parts = [f"# {heading(found)}"]
    for number_of, step in enumerate(found.steps, 1):
        parts.append(f"## {number_of}. {step.title}")
        parts += [visible(text) for text in step.text]
        for table in step.tables:
            parts += [f"**{visible(table.title)}**"] if table.title else []
            parts.append(tables.markdown([table]))
        if step.lines:
            parts.append("\n".join(f"    {visible(line)}" for line in step.lines))
    return "\n\n".join([*parts, f"Signature: `{found.signature}`"])


def walkthrough_object(found: Walkthrough) -> dict[str, Any]:
    """As JSON knows it."""
    plain = {
        field.name: getattr(found, field.name)
        for field in dataclasses.fields(found)
        if field.name not in ("steps", "marks")
    }
    return {
        **plain,
        "steps": [_step_object(step) for step in found.steps],
        "marks": None if found.marks is None else dataclasses.asdict(found.marks),
    }


def _step_object(step: Step) -> dict[str, Any]:
    listed = [{"title": table.title, "rows": tables.objects(table)} for table in step.tables]
    return {"title": step.title, "text": list(step.text), "tables": listed, "lines": list(step.lines)}


def explain_page(found: Sequence[Walkthrough]) -> Page:
    """One page for all metrics that explain the same output."""
    first = found[0]
    evaluation = _evaluation(found)
    results = Results(evaluation=evaluation, trials=1)
    cut = cut_words([*evaluation.testset.references.streams, evaluation.systems[0].outputs], "13a")
    marked = {str(metric): None for metric in evaluation.metrics}
    drawn = evidence(results, results.held.numbers, cut)
    names = {each.legend["name"]: k for k, each in enumerate(drawn)}
    places = {text: names.get(results.titles[text].removesuffix(" ↓")) for text in marked}
    segment = {
        "s": first.source,
        "r": [cut[text] for text in first.references],
        "o": [cut[first.output]],
        "m": [each.segments[0] for each in drawn],
    }
    return Page(
        title="How this score is computed",
        subtitle=", ".join(f"{each.title} {number(each.value, 2)}" for each in found),
        sections=[_section(k, each, places[each.metric]) for k, each in enumerate(found)],
        scripts=SCRIPTS,
        data={"explained": {"segment": segment, "marks": [each.legend for each in drawn]}},
    )


def _evaluation(found: Sequence[Walkthrough]) -> Evaluation:
    """The same sentence as an evaluation of one segment, which pages can draw."""
    first = found[0]
    streams = tuple(Lines.of([text]) for text in first.references)
    sources = None if first.source is None else Lines.of([first.source])
    testset = TestSet(segments=1, references=References(streams, 1), sources=sources)
    system = System(name="output", outputs=Lines.of([first.output]))
    return Evaluation(testset=testset, systems=(system,), metrics=tuple(parse(each.metric) for each in found))


def _section(place: int, found: Walkthrough, drawn: int | None) -> Section:
    """The steps of one metric."""
    return Section(
        id=f"metric-{place + 1}",
        title=f"{found.title} {number(found.value, 4)}",
        text=[found.summary] if found.summary else [],
        tables=[table for step in found.steps for table in step.tables],
        template="walkthrough.html",
        data={"found": found, "heading": heading(found).split("\n"), "drawn": drawn},
    )
