"""Systems by test sets: scores with intervals and stars, wins, leads, and the average with an interval of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from tertium.core.metric import Metric
from tertium.core.score import Interval
from tertium.core.table import Cell, Column, Rows, Table, numbers, texts
from tertium.core.wording import counted, number, stars
from tertium.inference.bootstrap import bootstrap_together, interval_of
from tertium.inference.seeds import CONFIDENCE
from tertium.report.one_of_several import OneOfSeveral
from tertium.report.tables.scores import score_cell
from tertium.report.words import in_words, listed

if TYPE_CHECKING:
    from tertium.core.stats import Array

NOTE = (
    "In brackets: 95 % bootstrap intervals. Stars: worse than the best system of the column, p corrected over all"
    " pairs of the test set ≤ 0.05 (*), 0.01 (**), 0.001 (***). Wins: test sets with the best score. Leads: test "
    "sets in which a system is the best or not significantly worse. Average: the plain mean over all test sets, "
    "whatever their sizes, only of systems that all of them have; its interval is about other segments of these test "
    "sets, not about other test sets. Averages are not tested."
)
Replicates = Mapping[
    tuple[str, str], "list[Array]"
]  # scores of resamples by system and metric, a row for each test set


def replicates(given: Sequence[OneOfSeveral]) -> Replicates:
    """Scores of resampled test sets, of every system and metric that can have an interval. Test sets are drawn
    independently of each other: each with a seed of its own, so that two of the same size do not rise and fall
    together. Systems with several runs have none."""
    found: dict[tuple[str, str], list[Array]] = {}
    for k, one in enumerate(given):
        evaluation = one.results.evaluation
        keys = [
            (name, metric)
            for metric in one.results.metrics
            if metric.resampling == "percentile"
            for name, runs in one.results.groups.items()
            if len(runs) == 1 and not math.isnan(one.score(metric, name))
        ]
        rows = [(evaluation.stats(one.results.groups[name][0], metric), metric) for name, metric in keys]
        drawn = bootstrap_together(rows, trials=one.results.resamples, seed=one.results.seed + k)
        for (name, metric), scores in zip(keys, drawn, strict=True):
            found.setdefault((name, str(metric)), []).append(scores)
    return found


def average(given: Sequence[OneOfSeveral], metric: Metric, name: str) -> float:
    """The plain mean over test sets; NaN where one of them has no score of the system."""
    return fmean(one.score(metric, name) for one in given)


def average_interval(given: Sequence[OneOfSeveral], drawn: Replicates, metric: Metric, name: str) -> Interval | None:
    """The middle 95 % of the means of resampled test sets; None where one of them has none."""
    rows = drawn.get((name, str(metric)), [])
    if len(rows) < len(given):
        return None
    return interval_of(sum(rows[1:], rows[0]) / len(rows), CONFIDENCE)


def ranked(given: Sequence[OneOfSeveral], metric: Metric) -> list[str]:
    """Systems from the best average to the worst; then those that some test set does not have."""
    sign = -1 if metric.better == "higher" else 1
    names = dict.fromkeys(name for one in given for name in one.results.groups)

    def place(name: str) -> tuple[bool, float]:
        mean = average(given, metric, name)
        here = [score for one in given if not math.isnan(score := one.score(metric, name))]
        return math.isnan(mean), sign * (fmean(here) if here else -sign * math.inf)

    return sorted(names, key=place)


def wins(given: Sequence[OneOfSeveral], metric: Metric, name: str) -> int:
    """In how many test sets a system has the best score, alone or with others; where it is the only one, that says
    nothing."""
    count = 0
    for one in given:
        scores = [s for other in one.results.groups if not math.isnan(s := one.score(metric, other))]
        best = max(scores, default=math.nan) if metric.better == "higher" else min(scores, default=math.nan)
        count += len(scores) > 1 and one.score(metric, name) == best
    return count


def leads(given: Sequence[OneOfSeveral], metric: Metric, name: str) -> tuple[int, int]:
    """In how many test sets a system is the best or not significantly worse, and of how many."""
    found = [s for one in given for s in one.standings if s.metric == metric and s.tested and name in s.systems]
    return sum(name in standing.leaders for standing in found), len(found)


def set_table(given: Sequence[OneOfSeveral], metric: Metric, drawn: Replicates) -> Table:
    """A row for each system, a column for each test set, wins and the average."""
    rows: Rows = []
    for name in ranked(given, metric):
        count, tested = leads(given, metric, name)
        rows.append(
            [
                name,
                *(_cell(one, metric, name) for one in given),
                wins(given, metric, name),
                Cell(f"{count} of {tested}", count) if tested else None,
                _average_cell(given, metric, name, drawn),
            ]
        )
    title = given[0].results.plain_title(metric)
    better = metric.better
    return Table(
        title=f"{title} of systems by test sets",
        columns=[
            *texts("system"), *(Column(one.name, better=better) for one in given), *numbers("wins", "leads"),
            Column("average", decimals=metric.decimals, better=better),
        ],
        rows=rows,
        note=NOTE,
    )  # fmt: skip


def _average_cell(given: Sequence[OneOfSeveral], metric: Metric, name: str, drawn: Replicates) -> Cell:
    mean, interval = average(given, metric, name), average_interval(given, drawn, metric, name)
    text = number(mean, metric.decimals)
    if math.isnan(mean) or interval is None:
        return Cell(text, None if math.isnan(mean) else mean)
    low, high = (number(end, metric.decimals) for end in (interval.low, interval.high))
    return Cell(f"{text} [{low}, {high}]", mean, ends=(interval.low, interval.high))


def _cell(one: OneOfSeveral, metric: Metric, name: str) -> Cell | None:
    """A score with interval and stars; the mean of several runs has no interval here."""
    if name not in one.results.groups:
        return None
    mark = ""
    standing = next((s for s in one.standings if s.metric == metric), None)
    if standing is not None and name in standing.systems and standing.behind(name):
        item = standing.pair(standing.best, name)
        mark = f" {stars(item.adjusted)}".rstrip() if item is not None else ""
    runs = one.results.groups[name]
    score = one.results.scores.get((runs[0], str(metric)))
    if len(runs) == 1 and score is not None:
        return score_cell(score, metric.decimals, mark)
    value = one.results.group_value(name, metric)
    return Cell(number(value, metric.decimals) + mark, None if math.isnan(value) else value)


def most_wins(given: Sequence[OneOfSeveral], metric: Metric) -> str:
    """Who has the best score most often."""
    counts = {name: wins(given, metric, name) for name in ranked(given, metric)}
    most = max(counts.values())
    names = [name for name, count in counts.items() if count == most]
    title = given[0].results.plain_title(metric)
    if most == 0:
        return f"In no test set are there two systems with a {title} score."
    verb = "has" if len(names) == 1 else "each have"
    where = "both test sets" if most == len(given) == 2 else f"all {counted(len(given), 'test set')}"
    where = where if most == len(given) > 1 else f"{most} of {counted(len(given), 'test set')}"
    return f"{named(names)} {verb} the best {title} in {where}."


def named(names: Sequence[str]) -> str:
    """Names, or how many there are."""
    return "nobody" if not names else listed(names) if len(names) <= 4 else f"{in_words(len(names))} systems"
