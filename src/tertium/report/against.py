"""Metrics against people: the result of the meta room as a section of a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertium.core.errors import TertiumError
from tertium.core.shown import ABSENT, counted, headings
from tertium.inference.corrections import CORRECTED
from tertium.inference.correlations import CORRELATIONS
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.meta.judge import SCORES, TITLES, Level, MetaEvaluation, MetaScore, meta_evaluate, pool, system_table
from tertium.meta.rivalry import TEST_TITLES, Rivalry
from tertium.report import figures_people
from tertium.report.page import Page, Section
from tertium.report.parts import Part, composed
from tertium.report.people import People
from tertium.report.system_pairs import Names, Rows, SystemScores, pair_part, plain, preference_parts, sentence
from tertium.report.tables import Cell, Table, Value, p_cell

if TYPE_CHECKING:
    from tertium.core.stats import Array

TITLE = "Metrics against people"
FEWEST = 3  # systems, below which a ranking of systems says nothing about a metric
SHOWN = 12
DIGITS = 3


def sections(people: People, *, trials: int, seed: int) -> Iterator[Section]:
    """A section for everything that metrics are set beside; a sentence where that cannot be done.

    `trials` and `seed` are of the intervals of what a difference is worth. Soft pairwise accuracy and tests between
    metrics have the trials and the seed that they have in `tertium meta`.
    """
    for k, (gold, given) in enumerate(people.judged.items()):
        title = TITLE if gold is None or len(people.judged) == 1 else f"{TITLE}: {headings([gold])[str(gold)]}"
        if gold is None or isinstance(given, str):
            yield apology(str(given), k, title)
            continue
        try:
            result = meta_evaluate(given, gold, trust_join=people.trust_join)
        except TertiumError as error:
            yield apology(str(error), k, title)
            continue
        yield section(result, headings(given.metrics), title=title, number=k, trials=trials, seed=seed)


def named(result: MetaEvaluation, names: Names) -> Names:
    """Names in which people's say whether they mean standard or raw scores: `human, z`."""
    name = names.get(result.gold, result.gold)
    scores = f", {result.gold_scores}" if result.gold_scores else ""
    lower = " ↓" if name.endswith(" ↓") else ""
    return {**names, result.gold: f"{name.removesuffix(' ↓')}{scores}{lower}"}


def identity(k: int) -> str:
    """`metrics-people`, `metrics-people-2`, ..."""
    return "metrics-people" if k == 0 else f"metrics-people-{k + 1}"


def apology(text: str, k: int, title: str) -> Section:
    """Why there is nothing to see."""
    said = f"Metrics cannot be set beside people here: {text}."
    return Section(id=identity(k), title=title, text=[said])


def section(
    result: MetaEvaluation,
    names: Names,
    *,
    title: str,
    number: int = 0,
    trials: int = RESAMPLES,
    seed: int = SEED,
    systems: bool = True,
) -> Section:
    """All that there is to see of one test set; without pairs of systems where those of several are shown together."""
    names = named(result, names)
    parts = [*system_level(result, names)]
    if systems and len(result.systems) >= FEWEST:
        scores = SystemScores(table=system_table([result]), names=names, trials=trials, seed=seed)
        parts += [pair_part(scores), *preference_parts(scores.preferences, names)]
    parts += [*segment_level(result, names), *together(result, names)]
    said = (
        f"{counted(len(result.metrics), 'metric')} beside {names[result.gold]}: "
        f"{counted(result.judged, 'output')} of {counted(len(result.systems), 'system')} with a score by people, as "
        f"{SCORES[result.gold_scores]}. "
        "Metrics of which lower is better are turned round, so every number here is higher where a metric agrees more."
    )
    return composed(identity(number), title, parts, [said, *map(sentence, result.warnings)])


# Systems


def system_level(result: MetaEvaluation, names: Names) -> Iterator[Part]:
    """Do metrics rank systems as people do?"""
    if "system" not in result.rivalries:
        return
    title = "Systems: do metrics rank them as people do?"
    if len(result.systems) < FEWEST:
        few = (
            f"People judged {counted(len(result.systems), 'system')}: whether a metric ranks systems as people do "
            f"cannot be seen from fewer than {FEWEST}."
        )
        yield Part(title=title, text=[few])
        return
    rivalry = result.rivalries["system"]
    tables = [
        correlation_table(result, names, "system", ["none"]),
        accuracy_table(result, names, rivalry),
        rivalry_table(rivalry, names),
    ]
    yield Part(title=title, tables=tables)


def correlation_table(result: MetaEvaluation, names: Names, level: Level, averages: Sequence[str]) -> Table:
    """Pearson, Spearman and Kendall with n and p."""
    several = len(averages) > 1
    rows: Rows = []
    for metric in result.metrics:
        for by in averages:
            items = [result.find(metric, statistic, level, by) for statistic in CORRELATIONS]
            start: list[Value | Cell] = [names[metric], *([by] if several else [])]
            numbers = [cell for item in items for cell in (item.value, p_cell(item.p))]
            rows.append([*start, *numbers, items[0].n, *([items[0].groups] if several else [])])
    heads = [head for statistic in CORRELATIONS for head in (TITLES[statistic], f"p, {statistic.replace('_', '-')}")]
    what = (
        f"corpus scores of {counted(len(result.systems), 'system')}"
        if level == "system"
        else "scores of single outputs"
    )
    note = "p is two-sided, for the hypothesis that there is no correlation; n counts what was correlated."
    if several:
        note += (
            " Average none: all outputs together, without a p, because outputs share segments and systems; item: the "
            "mean over segments, each with its systems, p by Student's t of the segments' values; system: the mean "
            "over systems, each with its segments, without a p. Groups: how many the mean is over."
        )
    return Table(
        title=f"Correlations with {names[result.gold].removesuffix(' ↓')}: {what}",
        heads=["metric", *(["average"] if several else []), *heads, "n", *(["groups"] if several else [])],
        rows=rows,
        left=2 if several else 1,
        decimals=DIGITS,
        note=note,
    )


def accuracy_table(result: MetaEvaluation, names: Names, rivalry: Rivalry) -> Table:
    """How many pairs of systems a metric puts in people's order."""
    rows: Rows = []
    for metric in result.metrics:
        row: list[Value | Cell] = [names[metric]]
        for statistic in ("accuracy", "accuracy_separated"):
            item = result.find(metric, statistic)
            row += [item.value, Cell(f"{item.agree}/{item.n}", item.n)]
        soft = result.find(metric, "spa")
        rows.append([*row, soft.value, soft.error, soft.n])
    return Table(
        title=f"Pairs of systems that a metric puts in people's order ({names[result.gold].removesuffix(' ↓')})",
        heads=["metric", "pairwise accuracy", "pairs", "of separated pairs", "separated", "soft accuracy", "error",
               "segments"],
        rows=rows,
        decimals=DIGITS,
        note=f"Separated: pairs that people tell apart (p ≤ {rivalry.alpha:g}). Soft pairwise accuracy compares "
        f"p-values of pairs, on the segments that people judged for all systems ({result.trials} sign flips, "
        f"seed {result.seed}). Error: the standard error that so many flips leave in it.",
    )  # fmt: skip


def rivalry_table(rivalry: Rivalry, names: Names) -> Table:
    """Metrics from closest to people to farthest, in clusters."""
    place = {name: k for k, cluster in enumerate(rivalry.clusters, 1) for name in cluster}
    rows: Rows = []
    for name in rivalry.ranked:
        beaten = [names[duel.worse] for duel in rivalry.duels if duel.better == name and duel.significant]
        rows.append([names[name], ", ".join(beaten) or None, place.get(name), rivalry.values[name]])
    drawn = "" if rivalry.test == "williams" else f", {counted(rivalry.trials, 'trial')}, seed {rivalry.seed}"
    said = f"{TEST_TITLES[rivalry.test]}, {rivalry.sides}-sided{drawn}; {CORRECTED[rivalry.correction]}"
    if rivalry.unresolvable is None:
        ends = (
            "A cluster ends where everyone in it is significantly better than everyone below; two metrics of one "
            "cluster may still differ significantly, as the second column says."
        )
    else:
        ends = f"Who is closer is {rivalry.unresolvable}."
    return Table(
        title=f"Which metrics are closer to people: {rivalry.level} level, by {statistic_title(rivalry)}",
        heads=["metric", "better than", "cluster", statistic_title(rivalry)],
        rows=rows,
        left=2,
        decimals=DIGITS,
        note=f"{said}, alpha {rivalry.alpha:g}. {ends}",
    )


def statistic_title(rivalry: Rivalry) -> str:
    """The exact name of what metrics are compared by."""
    if rivalry.level == "system":
        return TITLES[rivalry.statistic]
    return {
        "acc_eq": f"{TITLES['acc_eq_calibrated']} (item)",
        "tau_b": "Kendall tau-b (item)",
        "pearson": "Pearson r (none)",
    }[rivalry.statistic]


# Segments


def segment_level(result: MetaEvaluation, names: Names) -> Iterator[Part]:
    """Do metrics judge single outputs as people do?"""
    if "segment" not in result.rivalries:
        return
    yield Part(
        title="Segments: do metrics judge single outputs as people do?",
        tables=[
            rivalry_table(result.rivalries["segment"], names),
            correlation_table(result, names, "segment", ["none", "item", "system"]),
            tie_table(result, names),
        ],
    )


def tie_table(result: MetaEvaluation, names: Names) -> Table:
    """Statistics of pairs of systems on one segment, which ties decide."""
    rows: Rows = []
    threshold: float | None = None
    for metric in result.metrics:
        found: dict[str, MetaScore] = {
            score.statistic: score
            for score in result.scores
            if (score.metric, score.level, score.average) == (metric, "segment", "item")
        }
        best, whole = found["acc_eq_calibrated"], found["difference_pearson"]
        row: list[Value | Cell] = [names[metric], found["tau_eq"].value, found["acc_eq"].value, best.value]
        eps = Cell(ABSENT if math.isnan(best.eps) else f"{best.eps:.4g}", plain(best.eps))
        row += [eps, best.tied, whole.value, best.n]
        if "kendall_like" in found:
            threshold = found["kendall_like"].eps
            row += [found["kendall_like"].value, found["kendall_like"].n]
        rows.append(row)
    heads = ["metric", "tau_eq", "acc_eq", "acc_eq*", "eps", "tied", "PDP", "pairs"]
    note = (
        "acc_eq*: at the eps that makes it highest; tied: the share of pairs tied there; PDP: pairwise difference "
        "Pearson."
    )
    if threshold is not None:
        heads += ["DARR", "DARR pairs"]
        note += f" DARR: Kendall-like, of pairs that people set {threshold:g} apart."
    title = "Pairs of systems on one segment (average by item)"
    return Table(title=title, heads=heads, rows=rows, decimals=DIGITS, note=note)


# Metrics beside each other


def together(result: MetaEvaluation, names: Names) -> Iterator[Part]:
    """The heat map: people first, then all metrics."""
    if len(result.metrics) < 2:
        return
    found = {
        f"{level}s": with_people(result, names, level)
        for level in result.between
        if level == "segment" or len(result.systems) >= FEWEST
    }
    if found:
        note = "Of segments: all outputs together."
        yield Part(
            title="Metrics beside each other",
            charts=[figures_people.heat_maps(found, statistic="Pearson r", note=note)],
        )


def with_people(result: MetaEvaluation, names: Names, level: Level) -> tuple[list[str], Array]:
    """The matrix of metrics with people's row and column before it."""
    import numpy as np

    size = len(result.metrics) + 1
    matrix = np.ones((size, size))
    matrix[1:, 1:] = result.between[level]
    matrix[0, 1:] = matrix[1:, 0] = [result.find(metric, "pearson", level, "none").value for metric in result.metrics]
    people = names.get(result.gold, result.gold).removesuffix(" ↓")
    return [people, *(names[metric] for metric in result.metrics)], matrix


# Several test sets


def pooled_parts(found: Sequence[MetaEvaluation], names: Names, *, trials: int, seed: int) -> Iterator[Part]:
    """All test sets together: accuracies of all pairs, means of the rest, pairs of systems within test sets."""
    scores, names = pool(found), named(found[0], names)
    rows: Rows = [
        [names[s.metric], TITLES[s.statistic], s.level, s.average, s.value, s.n, s.unit, s.groups] for s in scores
    ]
    yield Part(
        tables=[
            Table(
                title=f"Every statistic over {len(found)} test sets",
                heads=["metric", "statistic", "level", "average", "value", "n", "of", "test sets"],
                rows=rows,
                left=4,
                decimals=DIGITS,
                shown=SHOWN,
                note="Pairs of accuracies are pooled; all others are plain means over the test sets that have them.",
            )
        ]
    )
    whole = SystemScores(table=system_table(found), names=names, trials=trials, seed=seed)
    if len(whole.pairs):
        yield pair_part(whole)
        yield from preference_parts(whole.preferences, names)


def meta_page(
    found: Sequence[MetaEvaluation], names: Names, about: Sequence[str], *, trials: int = RESAMPLES, seed: int = SEED
) -> Page:
    """Metrics against people as a page of its own; `about` says something of each test set."""
    several = len(found) > 1
    shown = [
        section(
            result,
            names,
            title=result.testset if several else TITLE,
            number=k,
            trials=trials,
            seed=seed,
            systems=not several,
        )
        for k, result in enumerate(found)
    ]
    if several:
        pooled = list(pooled_parts(found, names, trials=trials, seed=seed))
        shown.insert(0, composed("together", "All test sets together", pooled))
    return Page(
        title=f"{TITLE}: {', '.join(result.testset for result in found)}",
        subtitle="; ".join(about),
        sections=shown,
    )
