"""Alignments as a page: errors by kind, what is confused with what, and pictures of segments."""

from __future__ import annotations

from typing import Any

from tertium.analysis.alignment import KINDS, AlignedSegment
from tertium.core.wording import counted, describe
from tertium.report.alignments import (
    Alignments,
    confusion_tables,
    count_table,
    errors_text,
    shown_pairs,
    summary,
)
from tertium.report.methods import LEVENSHTEIN, Method, methods_of
from tertium.report.opening import PageVerdict, opening
from tertium.report.page import Page, Section
from tertium.report.tables.scores import signature_table

SHOWN = 10  # rows before the reader asks for all
CONFUSIONS = 200  # of a kind
SEGMENTS = 100  # of each system
ALIGNED = """Every output stands against the reference with the fewest substitutions, deletions and insertions, in the
alignment whose errors are counted. A confusion is one {unit} that was substituted, left out or put in."""


def alignment_page(found: Alignments) -> Page:
    """The page of all systems."""
    names = [system.name for system in found.evaluation.systems]
    title = found.metric.title
    sentences = [summary(found, name) for name in names]
    tables = [table for name in names for table in confusion_tables(found, name, CONFUSIONS)]
    about = describe(found.evaluation.testset)
    signatures = {text: value for text, value in found.evaluation.signatures.items() if text == str(found.metric)}
    return Page(
        title=f"{title}: outputs beside references",
        subtitle=about,
        sections=[
            opening(PageVerdict("errors", sentences[0], " ".join(sentences[1:])), cautions=found.evaluation.warnings),
            Section(id="counts", title="Errors by kind", tables=[count_table(found)]),
            Section(
                id="confusions",
                title="Confusions",
                finding="" if tables else "There are none.",
                tables=[_folded(table) for table in tables],
            ),
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


def _folded(table: Any) -> Any:
    from dataclasses import replace

    return replace(table, shown=SHOWN)


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
