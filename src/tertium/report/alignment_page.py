"""Alignments as a page: errors by kind, what is confused with what, and pictures of segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from tertium.analysis.alignment import KINDS, AlignedSegment
from tertium.core.wording import counted, describe, number
from tertium.report.alignments import (
    Alignments,
    confusion_tables,
    count_table,
    errors_text,
    shown_pairs,
    shown_text,
    summary,
)
from tertium.report.methods import LEVENSHTEIN, Method, methods_of
from tertium.report.opening import PageVerdict, opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.scores import signature_table

SHOWN = 10  # rows before the reader asks for all
CONFUSIONS = 200  # of a kind
SEGMENTS = 100  # of each system
SAID = 3  # systems in a line of their own where none is best
ALIGNED = """Every output stands against the reference with the fewest substitutions, deletions and insertions, in the
alignment whose errors are counted. A confusion is one {unit} that was substituted, left out or put in."""


def alignment_page(found: Alignments) -> Page:
    """The page of all systems."""
    names = [system.name for system in found.evaluation.systems]
    title = found.metric.title
    about = describe(found.evaluation.testset)
    signatures = {text: value for text, value in found.evaluation.signatures.items() if text == str(found.metric)}
    return Page(
        title=f"{title}: outputs beside references",
        subtitle=about,
        sections=[
            opening(_verdict(found), cautions=found.evaluation.warnings),
            Section(id="counts", title="Errors by kind", tables=[count_table(found)]),
            _confusions(found, names),
            *(_pictures(found, k, name) for k, name in enumerate(names)),
            methods_of(
                [Method("Alignment", ALIGNED.format(unit=found.unit), LEVENSHTEIN)],
                {title: found.metric},
                f"{about}.",
                tables=[signature_table(signatures, {str(found.metric): title})],
                systems=[(system.name, system.origin) for system in found.evaluation.systems],
            ),
        ],
    )


def _verdict(found: Alignments) -> PageVerdict:
    """One system: its errors by kind. More: whose score is best and whose worst, which nothing here tests."""
    scores = [one for one in found.evaluation.scores() if one.metric == str(found.metric)]
    values = {one.system: one.value for one in scores if isfinite(one.value)}
    if len(scores) == 1 or not values:
        return PageVerdict("errors", summary(found, scores[0].system))
    title, shown = found.metric.title, {system: number(value, 2) for system, value in values.items()}
    low, high = min(values, key=lambda name: values[name]), max(values, key=lambda name: values[name])
    best, worst = (low, high) if found.metric.better == "lower" else (high, low)
    if shown[best] == shown[worst]:
        sentence = f"By {title}, all {len(values)} systems have {shown[best]}."
        return PageVerdict("level", sentence, " ".join(summary(found, name) for name in list(values)[:SAID]))
    leaders, last = ([name for name in values if shown[name] == shown[end]] for end in (best, worst))
    sentence = f"By {title}, {_named(leaders)} best ({shown[best]}), {_named(last, verb=False)} worst ({shown[worst]})."
    more = f"Whether differences are more than luck is not tested here. {summary(found, best)}"
    return PageVerdict("order", sentence, more)


def _named(systems: Sequence[str], *, verb: bool = True) -> str:
    """One by its name, two by their names, more by their number."""
    some = f"{len(systems)} systems" if len(systems) > 2 else " and ".join(systems)
    return f"{some} {'is' if len(systems) == 1 else 'are'}" if verb else some


def _confusions(found: Alignments, names: Sequence[str]) -> Section:
    """Of one system as they are; of more, a line for each that opens."""
    of = {name: [replace(one, shown=SHOWN) for one in confusion_tables(found, name, CONFUSIONS)] for name in names}
    if not any(of.values()):
        return Section(id="confusions", title="Confusions", finding="There are none.")
    if len(names) == 1:
        return Section(id="confusions", title="Confusions", tables=of[names[0]])
    parts = [
        SectionPart(title=name, finding=_most_frequent(found, name), folded=bool(tables), tables=tables)
        for name, tables in of.items()
    ]
    return composed("confusions", "Confusions", parts)


def _most_frequent(found: Alignments, system: str) -> str:
    """What comes most often, of each kind; it may not be alone in that. What comes once is not called frequent."""
    every = found.confusions(system)
    if not every:
        return "No confusion."
    words = {"substitution": "{0} for {1}", "deletion": "{1} left out", "insertion": "{0} put in"}
    said, tied = [], False
    for kind, text in words.items():
        mine = [one for one in every if one.kind == kind and one.times > 1]
        if mine:
            first = max(mine, key=lambda one: one.times)
            tied = tied or sum(one.times == first.times for one in mine) > 1
            sides = (f"\N{LEFT DOUBLE QUOTATION MARK}{shown_text(side)}\N{RIGHT DOUBLE QUOTATION MARK}"
                     for side in (first.output, first.reference))  # fmt: skip
            said.append(f"{text.format(*sides)} ({first.times} times)")
    if not said:
        return "Nothing is confused more than once."
    return f"{'Among the most frequent' if tied else 'Most frequent'}: {', '.join(said)}."


def _pictures(found: Alignments, place: int, system: str) -> Section:
    """Segments of a system with errors, those with most first."""
    wrong = found.chosen(system, "errors", None, False)
    drawn = wrong[:SEGMENTS]
    said = f"{counted(len(wrong), 'segment')} with errors" if wrong else "No segment has an error"
    more = f"; the {len(drawn)} with most errors are here, tertium align has all" if len(drawn) < len(wrong) else ""
    return Section(
        id=f"segments-{place + 1}",
        title=f"Segments of {system}",
        finding=f"{said}{more}.",
        folded=bool(drawn) and len(found.evaluation.systems) > 1,
        template="alignments.html",
        data={"segments": [_segment(found, one) for one in drawn], "unit": found.unit},
    )


def _segment(found: Alignments, alignment: AlignedSegment) -> dict[str, Any]:
    ids = found.evaluation.testset.ids
    name = f"Segment {alignment.segment}" if ids is None else ids[alignment.segment - 1]
    return {
        "name": name,
        "errors": errors_text(alignment),
        "cells": [
            {
                "kind": pair.operation if pair.operation != "=" else "",
                "why": KINDS.get(pair.operation, ""),
                "reference": pair.reference,
                "output": pair.output,
            }
            for pair in shown_pairs(alignment, found.unit)
        ],
    }
