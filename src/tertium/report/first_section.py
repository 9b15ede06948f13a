"""The first section of a report: the verdict, how far to trust it, the chart of all systems."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tertium.core.metric import Metric
from tertium.core.table import Cell, Rows, Table, numbers, texts
from tertium.core.wording import counted
from tertium.inference.seeds import ALPHA
from tertium.report.hero import Hero, hero, hero_of_one
from tertium.report.links import segments_link
from tertium.report.page import Section
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.shipping import against_baseline
from tertium.report.standing import Standing
from tertium.report.trust import trust
from tertium.report.verdict import verdict

WORST = 10  # regressions
TEXT = 160  # characters of an output
ONE_KEY = "Lines: 95 % bootstrap intervals of the scores; left is worse."


def first(results: Results, people: People, found: Sequence[Standing], baseline: str | None = None) -> Section:
    """The verdict, how far to trust it, and the chart of all systems; with a baseline, its worst regressions."""
    systems, one = list(results.groups), results.scores.get((results.systems[0], str(results.metrics[0])))
    worst = None
    if baseline is None or len(systems) < 2:
        said = verdict(found, len(results.evaluation.testset), one if len(systems) == 1 else None)
    else:
        said = against_baseline(found, baseline)
        worst = regression_table(results, baseline, said.about)
    return Section(
        id="summary",
        title="Verdict",
        first=True,
        template="verdict.html",
        tables=[worst] if worst is not None else [],
        data={
            "verdict": said,
            "trust": trust(results, people, found),
            "hero": hero(found, systems) if len(systems) > 1 else alone(results),
            "key": hero_key(results) if len(systems) > 1 else ONE_KEY,
            "cautions": [*unused(people), *results.warnings],
        },
    )


def alone(results: Results) -> Hero | None:
    """The chart of one system: of its first run, where it has several."""
    [name], run = results.groups, results.systems[0]
    known = [
        (results.plain_title(metric), metric, score)
        for metric in results.metrics
        if (score := results.scores.get((run, str(metric)))) is not None
    ]
    return hero_of_one(name if len(results.systems) == 1 else run, known)


def unused(people: People) -> list[str]:
    """That judgements are not used, and why."""
    return [f"What people said is not used here: {'; '.join(people.doubts)}."] if people.doubts else []


def hero_key(results: Results) -> str:
    """How the chart was made."""
    trials = sorted({items[0].trials for items in results.comparisons.values()})
    if not trials:
        return ""
    test = "approximate randomization" if results.test == "permutation" else "paired bootstrap"
    return (
        f"Lines: simultaneous 95 % intervals of the paired differences; left is worse. Significant: {test}, "
        f"{' or '.join(f'{count:,}' for count in trials)} trials, corrected over all pairs of a metric, at {ALPHA:g}. "
        "What cannot be told apart need not be equal."
    )


def regression_table(results: Results, baseline: str, candidate: str) -> Table | None:
    """The segments on which a system loses most against the baseline, by the first metric; None where it loses none."""
    metric = results.metrics[0]
    one, other = (_segment_values(results, name, metric) for name in (baseline, candidate))
    sign = 1.0 if metric.better == "higher" else -1.0
    losses = {
        k: sign * (before - after)
        for k, (before, after) in enumerate(zip(one, other, strict=True))
        if not math.isnan(before) and not math.isnan(after) and sign * (before - after) > 0
    }
    worst = sorted(losses, key=lambda k: (-losses[k], k))[:WORST]
    if not worst:
        return None
    testset, title = results.evaluation.testset, results.plain_title(metric)
    outputs = {system.name: system.outputs for system in results.evaluation.systems}
    texts_of = [outputs[results.groups[name][0]] for name in (baseline, candidate)]
    shown = results.evaluation.has_texts
    results.wanted.update(worst)
    two = {side: results.groups[name][0] for side, name in (("first", baseline), ("second", candidate))}

    def link(k: int) -> str:
        return segments_link(results, **two, metric=results.titles[str(metric)], segment=str(k + 1))

    rows: Rows = [
        [
            Cell(testset.ids[k] if testset.ids is not None else str(k + 1), link=link(k)),
            *((_short(lines[k]) for lines in texts_of) if shown else ()),
            one[k], other[k], -sign * losses[k],
        ]
        for k in worst
    ]  # fmt: skip
    names = [f"{name}: output" for name in (baseline, candidate)] if shown else []
    every = len(losses) == len(worst)
    which = f"All {len(worst)} segments" if len(worst) > 1 else "The only segment"
    return Table(
        title=f"{which} on which {candidate} is worse than {baseline} by {title}"
        if every
        else f"The {len(worst)} worst regressions of {candidate} against {baseline}, by {title}",
        columns=[
            *texts("segment", *names), *numbers(baseline, candidate, "change", decimals=metric.decimals),
        ],
        rows=rows,
        note="" if every else f"Of {counted(len(losses), 'segment')} on which it is worse.",
    )  # fmt: skip


def _segment_values(results: Results, name: str, metric: Metric) -> list[float]:
    """Scores of segments, the mean over runs; NaN where a run has none."""
    runs = [results.segments[run, str(metric)].tolist() for run in results.groups[name]]
    return [sum(values) / len(values) for values in zip(*runs, strict=True)]


def _short(text: str | None) -> str:
    if text is None:
        return "(missing)"
    return text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"
