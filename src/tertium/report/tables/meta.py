"""Metrics beside people as tables: correlations, accuracies, which metrics are closer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tertium.core.errors import TertiumError
from tertium.core.metric import Metric, is_human
from tertium.core.table import Cell, Column, Rows, Table, Value, chances, numbers, texts
from tertium.core.wording import ABSENT, counted
from tertium.inference.corrections import CORRECTED
from tertium.inference.correlations import CORRELATIONS
from tertium.meta.evaluate import TITLES, Level, MetaEvaluation, MetaScore, pool
from tertium.meta.metric_comparison import TEST_TITLES, MetricComparison
from tertium.meta.sentinel_tests import STATISTICS
from tertium.meta.sentinels import PREFIX, SEES
from tertium.metrics import parse
from tertium.report.words import people_title

Names = Mapping[str, str]
DIGITS = 3
SHORT = {"max-t": "max-T", "holm": "Holm", "bh": "BH", "none": "uncorrected"}
# What is shown of several test sets: level, statistic, average, head.
POOLED: tuple[tuple[Level, str, str, str], ...] = (
    ("system", "accuracy", "none", "accuracy"),
    ("system", "accuracy_separated", "none", "separated"),
    ("system", "spa", "none", "SPA"),
    ("system", "pearson", "none", "r"),
    ("segment", "tau_b", "item", "tau-b"),
    ("segment", "acc_eq_calibrated", "item", "acc_eq*"),
)


def _of_people(text: str) -> Metric | None:
    """People's scores by their text; None where it is another's, or a name of scores that were given."""
    try:
        metric = parse(text)
    except TertiumError:
        return None
    return metric if is_human(metric) else None


def named(result: MetaEvaluation, names: Names) -> Names:
    """Names in which sentinels are called as they are, and people's say what was asked."""
    return {**with_people(result.gold, result.gold_scores, names), **{name: name for name in result.sentinels}}


def with_people(gold: str, gold_scores: str, names: Names) -> Names:
    """Names in which people's say what was asked, and whether they mean standard scores: `people's rating (0-100, z)`;
    of scores that were given, whether these are said to be standard or raw."""
    name = names.get(gold, gold)
    if name in (gold, f"{gold} ↓") and (metric := _of_people(gold)) is not None:
        arrow = " ↓" if metric.better == "lower" else ""
        return {**names, gold: people_title(metric, standardised=gold_scores == "z") + arrow}
    scores = f", {gold_scores}" if gold_scores else ""
    lower = " ↓" if name.endswith(" ↓") else ""
    return {**names, gold: f"{name.removesuffix(' ↓')}{scores}{lower}"}


def rated(result: MetaEvaluation) -> tuple[str, ...]:
    """What tables have a row for: metrics, and below them the sentinels."""
    return (*result.metrics, *result.sentinels)


def correlation_table(result: MetaEvaluation, names: Names, level: Level, averages: Sequence[str]) -> Table:
    """Pearson, Spearman and Kendall with n and p."""
    several = len(averages) > 1
    rows: Rows = []
    for metric in rated(result):
        for by in averages:
            items = [result.find(metric, statistic, level, by) for statistic in CORRELATIONS]
            figures = [value for item in items for value in (item.value, item.p)]
            counts = [items[0].n, *([items[0].groups] if several else [])]
            rows.append([names[metric], *([by] if several else []), *figures, *counts])
    columns = [*texts("metric", *(["average"] if several else []))]
    for statistic in CORRELATIONS:
        columns += numbers(TITLES[statistic], decimals=DIGITS)
        columns += chances(f"p, {statistic.replace('_', '-')}", spare=2 if statistic == "tau_c" else 1)
    of = f"corpus scores of {counted(sum(map(math.isfinite, result.corpus[result.gold])), 'system')}"
    note = "p is two-sided, for the hypothesis that there is no correlation; n counts what has both scores."
    if several:
        note += (
            " Average none: all outputs together, without a p, because outputs share segments and systems; item: the "
            "mean over segments, each with its systems, p by Student's t of the segments' values; system: the mean "
            "over systems, each with its segments, without a p. Groups: how many the mean of r is over, those in "
            "which it is defined."
        )
    return Table(
        title=f"Correlations with {names[result.gold].removesuffix(' ↓')}: "
        f"{of if level == 'system' else 'scores of single outputs'}",
        columns=[*columns, *numbers("n", *(["groups"] if several else []))],
        rows=rows,
        note=note,
    )


def accuracy_table(result: MetaEvaluation, names: Names) -> Table:
    """How many pairs of systems a metric puts in people's order."""
    rows: Rows = []
    for metric in rated(result):
        row: list[Value | Cell] = [names[metric]]
        for statistic in ("accuracy", "accuracy_separated"):
            item = result.find(metric, statistic)
            row += [item.value, Cell(f"{item.agree}/{item.n}", item.n)]
        soft = result.find(metric, "spa")
        rows.append([*row, soft.value, soft.error, soft.n])
    heads = ["pairwise accuracy", "pairs", "of separated pairs", "separated", "soft accuracy", "error", "segments"]
    return Table(
        title=f"Pairs of systems that a metric puts in people's order ({names[result.gold].removesuffix(' ↓')})",
        columns=[*texts("metric"), *numbers(*heads, decimals=DIGITS)],
        rows=rows,
        note=f"Separated: pairs that people tell apart (p ≤ {result.comparisons['system'].alpha:g}). Soft pairwise "
        "accuracy (SPA) compares p-values of pairs, on the segments that people judged for all systems "
        f"({result.trials} sign flips, seed {result.seed}). Error: the standard error that so many flips leave in it.",
    )


def metric_comparison_table(comparison: MetricComparison, names: Names) -> Table:
    """Metrics from closest to people to farthest, in clusters."""
    place = {name: k for k, cluster in enumerate(comparison.clusters, 1) for name in cluster}
    rows: Rows = []
    for name in comparison.ranked:
        beaten = [names[pair.worse] for pair in comparison.pairs if pair.better == name and pair.significant]
        rows.append([names[name], ", ".join(beaten) or None, place.get(name), comparison.values[name]])
    drawn = "" if comparison.test == "williams" else f", {counted(comparison.trials, 'trial')}, seed {comparison.seed}"
    said = f"{TEST_TITLES[comparison.test]}, {comparison.sides}-sided{drawn}; {CORRECTED[comparison.correction]}"
    if comparison.unresolvable is None:
        ends = (
            "A cluster ends where everyone in it is significantly better than everyone below; two metrics of one "
            "cluster may still differ significantly, as the second column says."
        )
    else:
        ends = f"Who is closer is {comparison.unresolvable}."
    if comparison.test == "pairs":
        ends += (
            " Pairs of outputs of one segment share outputs, which this test takes for independent: it finds "
            "differences between equal metrics too often (the test by segments does not)."
        )
    by = statistic_title(comparison)
    return Table(
        title=f"Which metrics are closer to people: {comparison.level} level, by {by}",
        columns=[*texts("metric"), *texts("better than", spare=1), *numbers("cluster", by, decimals=DIGITS)],
        rows=rows,
        note=f"{said}, alpha {comparison.alpha:g}. {ends}",
    )


def statistic_title(comparison: MetricComparison) -> str:
    """The exact name of what metrics are compared by."""
    if comparison.level == "system":
        return TITLES[comparison.statistic]
    ties = "acc_eq, given eps" if comparison.eps_given else "acc_eq*"
    return {
        "acc_eq": f"pairwise accuracy with ties ({ties})",
        "tau_b": "Kendall tau-b by segment",
        "pearson": "Pearson r of all outputs",
    }[comparison.statistic]


def sentinel_table(result: MetaEvaluation, names: Names) -> Table:
    """Whether metrics are closer to people than scores that see too little."""
    tests = result.sentinel_tests
    rows: Rows = [
        [names[test.metric], test.sentinel, STATISTICS[test.statistic], test.value, test.reached, test.adjusted,
         "yes" if test.better else "no" if test.adjusted == test.adjusted else None]
        for test in tests
    ]  # fmt: skip
    drawn = f"{counted(result.trials, 'trial')}, seed {result.seed}"
    return Table(
        title="Metrics against sentinels: scores that see too little to judge a translation",
        columns=[*texts("metric", "sentinel", "statistic"), *numbers("value", "sentinel's", decimals=DIGITS),
                 *chances("p (max-T)"), *texts("closer")],
        rows=rows,
        note=f"{sentinel_note(result)} Whole segments are swapped at random, one-sided (is the metric closer?), "
        f"{drawn}; p after step-down max-T over all pairs of a statistic.",
    )  # fmt: skip


def sentinel_note(result: MetaEvaluation) -> str:
    """What sentinels are, and that they were kept from what they are judged by."""
    seen = "; ".join(f"{name.removeprefix(PREFIX)}: {SEES[name]}" for name in result.sentinels)
    return (
        f"Sentinels see too little to judge a translation ({seen}). Ridge regressions on people's scores, predicted "
        f"out of sample: {result.sentinel_folds}, each from the others. Better ones may reach more."
    )


def metric_pair_table(comparison: MetricComparison, names: Names) -> Table:
    """Every pair of metrics."""
    rows: Rows = [[names[p.better], names[p.worse], p.difference, p.p, p.adjusted] for p in comparison.pairs]
    columns = [*texts("better", "worse"), *numbers("difference", decimals=DIGITS),
               *chances("p", f"p ({SHORT[comparison.correction]})")]  # fmt: skip
    return Table(title=f"Pairs of metrics: {comparison.level} level", columns=columns, rows=rows)


def tie_table(result: MetaEvaluation, names: Names) -> Table:
    """Statistics of pairs of systems on one segment, which ties decide."""
    rows: Rows = []
    threshold: float | None = None
    for metric in rated(result):
        found: dict[str, MetaScore] = {
            score.statistic: score
            for score in result.scores
            if (score.metric, score.level, score.average) == (metric, "segment", "item")
        }
        best, whole = found["acc_eq_calibrated"], found["difference_pearson"]
        eps = Cell(ABSENT) if math.isnan(best.eps) else Cell(f"{best.eps:.4g}", best.eps)
        row: list[Value | Cell] = [
            names[metric],
            found["tau_eq"].value,
            found["acc_eq"].value,
            best.value,
            eps,
            best.tied,
            whole.value,
        ]
        given = found.get("acc_eq_given")
        if given is not None:
            row += [given.value, Cell(f"{given.eps:.4g}", given.eps)]
        elif result.eps:
            row += [None, None]  # nobody gives a sentinel a threshold
        like = found.get("kendall_like")
        threshold = threshold if like is None else like.eps
        row.insert(7, best.n)
        rows.append([*row, *([] if like is None else [like.value, like.n])])
    heads = ["tau_eq", "acc_eq", "acc_eq*", "eps", "tied", "PDP", "pairs"]
    note = (
        "acc_eq*: at the eps that makes it highest; tied: the share of pairs tied there; PDP: pairwise difference "
        "Pearson."
    )
    if result.eps:
        heads += ["acc_eq (given)", "given eps"]
        note += " acc_eq (given): at the threshold for ties that was given, not chosen on this test set."
    if threshold is not None:
        heads += ["DARR", "DARR pairs"]
        note += f" DARR: Kendall-like, of pairs that people set {threshold:g} apart."
    return Table(
        title="Pairs of systems on one segment (average by item)",
        columns=[*texts("metric"), *numbers(*heads, decimals=DIGITS)],
        rows=rows,
        note=note,
    )


def matrix_table(result: MetaEvaluation, level: Level, names: Names) -> Table:
    """How metrics go together; columns are numbered to stay narrow."""
    counts = [str(k + 1) for k in range(len(result.metrics))]
    rows: Rows = [
        [count, names[metric], *(float(value) for value in row)]
        for count, metric, row in zip(counts, result.metrics, result.between[level], strict=True)
    ]
    columns = [*texts("", "metric"), *numbers(*counts, decimals=DIGITS)]
    return Table(title=f"Pearson r between metrics: {level} level", columns=columns, rows=rows)


def pooled_table(found: Sequence[MetaEvaluation], names: Names) -> Table:
    """Accuracies of all pairs of systems; plain means of the rest."""
    by = {(score.metric, score.level, score.statistic, score.average): score for score in pool(found)}
    kept = [key for key in POOLED if any((metric, *key[:3]) in by for metric in rated(found[0]))]
    rows: Rows = []
    for metric in rated(found[0]):
        row: list[Value | Cell] = [names.get(metric, metric)]
        for level, statistic, average, _ in kept:
            score = by[metric, level, statistic, average]
            row += [score.value, *([] if score.agree is None else [Cell(f"{score.agree}/{score.n}", score.n)])]
        rows.append(row)
    columns: list[Column] = texts("metric")
    for _, statistic, _, head in kept:
        columns += numbers(head, *(["pairs"] if statistic.startswith("accuracy") else []), decimals=DIGITS)
    return Table(
        title=f"Over {len(found)} test sets: accuracies of all pairs, means of the rest\n"
        f"(SPA and Pearson r of systems; tau-b and acc_eq* by item)",
        columns=columns,
        rows=rows,
    )


def statistic_rows(found: Sequence[MetaEvaluation]) -> Table:
    """Every statistic in a row of its own, for programs."""
    heads = ["testset", "gold", "scores", "metric", "level", "statistic", "average", "value", "p", "n", "unit",
             "groups", "eps", "tied", "error"]  # fmt: skip
    groups: list[tuple[str, Sequence[MetaScore]]] = [(result.testset, result.scores) for result in found]
    if len(found) > 1:
        groups.append(("all", pool(found)))
    rows: Rows = [
        [testset, found[0].gold, found[0].gold_scores, s.metric, s.level, TITLES[s.statistic], s.average, s.value, s.p,
         s.n, s.unit, s.groups, s.eps, s.tied, s.error]
        for testset, scores in groups
        for s in scores
    ]  # fmt: skip
    return Table(columns=numbers(*heads), rows=rows)
