"""Comparisons of systems as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from tertium.core.metric import Metric
from tertium.core.score import ends
from tertium.core.table import Cell, Column, Rows, Table, chances, numbers, texts
from tertium.core.wording import p_text, stars
from tertium.inference.compare import Comparison
from tertium.inference.standings import SharedScores, ranked, ranked_clusters


def cluster_table(items: Sequence[Comparison], metric: Metric, shared: SharedScores) -> Table:
    """Systems from best to worst, a cluster's under one number; no numbers where nothing could be significant."""
    beaten: dict[str, list[str]] = {name: [] for name in shared.values}
    for item in items:
        if item.verdict == "better":
            beaten[item.system].append(item.baseline)
        elif item.verdict == "worse":
            beaten[item.baseline].append(item.system)
    clusters = ranked_clusters(items, metric.better, shared.values)
    place = {name: k for k, cluster in enumerate(clusters, 1) for name in cluster}
    rows: Rows = [
        [place.get(name), name, ", ".join(beaten[name]), shared.values[name]]
        for name in ranked(shared.values, metric.better)
    ]
    columns = [*texts("cluster", "system"), *texts("better than", spare=1), *numbers("score", decimals=metric.decimals)]
    return Table(columns=columns, rows=rows)


def pair_table(
    items: Sequence[Comparison],
    decimals: Mapping[str, int],
    *,
    names: Mapping[str, str] | None = None,
    scores: Mapping[str, float] | None = None,
    baseline: str | None = None,
    n: int | None = None,
    **options: Any,
) -> Table:
    """One row for each comparison.

    `names` of metrics are given where there are several in the table. `scores` are those of systems; the `baseline` and
    the number `n` of segments are left out where they are the same in all rows.
    """
    rows: Rows = []
    several = {item.n for item in items} != {n}
    for item in items:
        places = decimals[item.metric]
        changes = [_rounded(value, places) for value in (item.difference, *ends(item.interval))]
        changes[0] = changes[0]._replace(text=f"{item.difference:+.{places}f}")
        rows.append(
            [
                *([] if names is None else [names[item.metric]]),
                item.system,
                *([item.baseline] if baseline is None else []),
                *([] if scores is None else [_rounded(scores[item.system], places)]),
                *([item.n] if several else []),
                *changes,
                Cell(f"{p_text(item.adjusted)} {stars(item.adjusted)}".rstrip(), item.adjusted),
                Cell(f"{item.effect:+.2f}", item.effect),
                *(item.wins, item.losses, item.ties),
                _rounded(item.detectable, places),
            ]
        )
    columns = [
        *texts(*([] if names is None else ["metric"]), "system", *(["baseline"] if baseline is None else [])),
        *numbers(*([] if scores is None else ["score"]), *(["n"] if several else []), "change", "low", "high"),
        *chances("p"),
        *numbers("effect", spare=4),
        *numbers("won", "lost", "tied", spare=2),
        *numbers("detects", spare=3),
    ]
    return Table(columns=columns, rows=rows, **options)


def _rounded(value: float | None, decimals: int) -> Cell:
    """A number as the metric is rounded: one table may hold several metrics."""
    return Column("", decimals=decimals).cell(value)


def comparison_rows(found: Mapping[str, Sequence[Comparison]]) -> Table:
    """One row for each comparison, for programs."""
    names = [field.name for field in fields(Comparison) if field.name not in ("interval", "simultaneous")]
    rows: Rows = [
        [*(getattr(item, name) for name in names), *ends(item.interval)]
        for items in found.values()
        for item in items
    ]  # fmt: skip
    return Table(columns=numbers(*names, "low", "high"), rows=rows)
