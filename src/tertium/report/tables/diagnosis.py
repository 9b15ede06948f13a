"""Errors that a program can see, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tertium.analysis.diagnose import Diagnosis, Tally
from tertium.core.table import Cell, Rows, Table, numbers, texts
from tertium.core.wording import counted, number, stars

FINDING = ("segment", "system", "kind", "severity", "output_start", "output_end", "source_start", "source_end",
           "evidence")  # fmt: skip


def error_table(diagnosis: Diagnosis, systems: Sequence[str], baseline: str) -> Table:
    """Segments with a finding, and their share in per cent, of every detector and system."""
    p = diagnosis.against(baseline) if len(systems) > 1 else {}
    rows: Rows = [
        [kind, rate(diagnosis.floor.get(kind)),
         *(rate(diagnosis.tallies[name, kind], p.get((name, kind), 1.0)) for name in systems)]
        for kind in diagnosis.detectors
    ]  # fmt: skip
    note = "Segments with a finding, and their share of those that the detector could judge. Reference: the first one "
    note += "as if it were a system, judged without itself."
    if len(systems) > 1:
        note += f"\n* p <= 0.05, ** p <= 0.01, *** p <= 0.001 against {baseline} (McNemar, exact; Holm)."
    return Table(
        title="Segments with errors",
        columns=[*texts("detector"), *numbers("reference", *systems)],
        rows=rows,
        note=note,
    )


def rate(tally: Tally | None, p: float = 1.0) -> Cell | None:
    """Segments hit, and their share in per cent, with the marks of a small p."""
    if tally is None or not tally.judged:
        return None
    share = 100 * tally.rate
    text = f"{tally.hits} ({number(share, 1)} %) {stars(p)}".rstrip()
    value = None if math.isnan(share) else share
    return Cell(text, value, title=f"{tally.hits} of {counted(tally.judged, 'segment')}")


def hit_table(diagnosis: Diagnosis, among: Sequence[int]) -> Table:
    """Hits among some segments."""
    counts = diagnosis.among(among)
    rows: Rows = [[kind, *(counts[name][kind] for name in diagnosis.systems)] for kind in diagnosis.detectors]
    title = f"Hits among {counted(len(set(among)), 'segment')}:"
    return Table(title=title, columns=[*texts("detector"), *numbers(*diagnosis.systems)], rows=rows)


def finding_rows(diagnosis: Diagnosis) -> Table:
    """One row for each finding, for programs; a place that does not exist is empty."""
    rows: Rows = [
        [finding.segment, finding.system, finding.kind, finding.severity,
         *(finding.output or (None, None)), *(finding.source or (None, None)), finding.evidence]
        for finding in diagnosis
    ]  # fmt: skip
    return Table(columns=numbers(*FINDING), rows=rows)
