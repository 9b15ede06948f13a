"""The section of scores: one table with intervals, stars and clusters, and people's scores beside those of metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import median

from tertium.core.metric import Metric
from tertium.core.table import Cell, Column, Table
from tertium.core.wording import STARS, number, stars
from tertium.inference.resolution import smallest_p as smallest
from tertium.inference.seeds import CONFIDENCE
from tertium.report import findings
from tertium.report.near import FAR
from tertium.report.page import Section
from tertium.report.parts import SectionPart, composed
from tertium.report.results import Results
from tertium.report.standing import Standing
from tertium.report.tables.guards import guard_table
from tertium.report.tables.scores import score_table as table_of_scores
from tertium.report.tables.scores import signature_table

SHOWN = 16  # systems before the reader asks for all, the best ones


def scores(results: Results, people: Sequence[Standing] = ()) -> Section:
    """All corpus scores, with intervals, stars and clusters, people's beside them; guards of learned ones;
    signatures."""
    guarded = [guard_table(results.evaluation, results.guards, results.titles)] if results.guards else []
    signatures = {score.metric: score.signature for score in results.scores.values()}
    parts = [SectionPart(tables=[score_table(results, people), *guarded])]
    parts.append(
        SectionPart(
            title="Signatures",
            finding="What stands beside published scores, so that others can get the same.",
            folded=True,
            tables=[signature_table(signatures, results.titles, results.metrics)],
        )
    )
    said = [said for item in results.beside for said in item.sentences(results.evaluation)]
    finding = findings.clusters(results) if len(results.systems) > 1 else findings.scores_of_one(results)
    return composed("scores", "Scores", parts, said, finding=finding)


def score_table(results: Results, people: Sequence[Standing] = ()) -> Table:
    """A row for each system from best to worst, a column for each metric and for people; stars where a system is behind
    the best; a line where a cluster of the first metric ends."""
    order = [(name, str(metric)) for name in results.systems for metric in results.metrics]
    found = [results.scores[key] for key in order if key in results.scores]
    marks = {
        (name, str(metric)): stars_of(results, name, metric) for name in results.systems for metric in results.metrics
    }
    missing = any(score.n < len(results.evaluation.testset) for score in found)
    several = len(results.systems) > 1
    notes = []
    if any(score.interval is not None for score in found):
        below = ", drawn below" if several else ""
        notes.append(
            f"In brackets: {100 * CONFIDENCE:.0f} % bootstrap intervals of {results.resamples} resamples{below}."
        )
    if several:
        notes.append("The best score of a column is bold, where all rest on the same segments.")
    if results.comparisons:
        notes.append(
            "Stars: worse than the best system of the column, p corrected over all pairs of the metric ≤ 0.05 (*), "
            "0.01 (**), 0.001 (***)." + smallest_p(results)
        )
    rules = cluster_rules(results)
    if rules:
        title = results.plain_title(results.metrics[0])
        notes.append(f"Lines between systems: where a cluster by {title} ends.")
    if missing:
        notes.append("Some segments could not be scored; point at a score to see how many it rests on.")
    made = with_bars(table_of_scores(results.evaluation, found, marks=marks, titles=results.titles), results)
    for standing in people:
        made = with_people(made, results, standing)
    title = f"Systems from best to worst by {results.plain_title(results.metrics[0])}"
    title = title if several else f"Scores of {results.systems[0]}"
    return replace(made, title=title, note=" ".join(notes), rules=rules, shown=SHOWN)


def with_bars(table: Table, results: Results) -> Table:
    """The table with a drawing of each interval, on one axis for a column; none of those far off."""
    rows = [list(row) for row in table.rows]
    for k, metric in enumerate(results.metrics, 1):
        known = {
            name: (score.interval.low, score.value, score.interval.high)
            for name in results.systems
            if (score := results.scores.get((name, str(metric)))) is not None and score.interval is not None
        }
        best = results.ranked(metric, list(known))[:1]
        if not best or len(known) < 2:
            continue
        middle = known[best[0]][1]
        reach = FAR * median(max(abs(end - middle) for end in ends) for ends in known.values())
        near = {name: ends for name, ends in known.items() if max(abs(end - middle) for end in ends) <= reach}
        low, high = min(ends[0] for ends in near.values()), max(ends[2] for ends in near.values())
        for row, name in zip(rows, (str(row[0]) for row in rows), strict=True):
            cell = row[k]
            if name in near and isinstance(cell, Cell) and high > low:
                one, two, three = (round(100 * (end - low) / (high - low), 1) for end in near[name])
                row[k] = cell._replace(bar=(one, two, three))
    return replace(table, rows=rows)


def with_people(table: Table, results: Results, standing: Standing) -> Table:
    """The table with a column of people's scores."""
    column = Column(standing.title + (" ↓" if standing.metric.better == "lower" else ""), better=standing.metric.better)
    rows = []
    for row in table.rows:
        name = group_of(results, str(row[0]))
        score, item = standing.scores.get(name, math.nan), standing.pair(standing.best, name)
        mark = f" {stars(item.adjusted)}".rstrip() if item is not None and item.verdict == "worse" else ""
        text = number(score, standing.metric.decimals)
        rows.append([*row, Cell(text + mark, None if math.isnan(score) else score)])
    return replace(table, columns=[*table.columns, column], rows=rows)


def cluster_rules(results: Results) -> list[int]:
    """The rows before which a new cluster of the first metric begins; none where systems have several runs."""
    clusters = results.clusters.get(str(results.metrics[0]), [])
    if len(results.groups) < len(results.systems):
        return []
    ends = accumulate(len(cluster) for cluster in clusters[:-1])
    return [end for end in ends if results.systems[:end] == [name for cluster in clusters for name in cluster][:end]]


def stars_of(results: Results, name: str, metric: Metric) -> str:
    """Stars where a system is significantly behind the first."""
    own = group_of(results, name)
    item = results.pair(metric, results.ranked_groups(metric)[0], own)
    if item is None or item.verdict != ("worse" if item.system == own else "better"):
        return ""
    return f" {stars(item.adjusted)}".rstrip()


def group_of(results: Results, run: str) -> str:
    """The system to which a run belongs."""
    return next(name for name, runs in results.groups.items() if run in runs)


def smallest_p(results: Results) -> str:
    """Where nothing could be significant: why; and what so many trials cannot undercut, where that costs stars."""
    said = []
    for text, items in results.comparisons.items():
        title, first = results.titles[text].removesuffix(" ↓"), items[0]
        tests = 1 if first.correction == "max-t" else len(items)
        if first.unresolvable:
            said.append(f" {title}: {first.unresolvable}.")
        elif smallest(first.trials, tests) > STARS[0][0]:
            said.append(f" {title}: with {first.trials} trials, p cannot be below {smallest(first.trials, tests):.4f}.")
    return "".join(dict.fromkeys(said))
