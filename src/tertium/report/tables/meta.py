"""Metrics beside people as tables: correlations, accuracies, which metrics are closer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tertium.core.table import Cell, Column, Rows, Table, Value, chances, numbers, texts
from tertium.core.wording import ABSENT, counted
from tertium.inference.corrections import CORRECTED
from tertium.inference.correlations import CORRELATIONS
from tertium.meta.evaluate import TITLES, Level, MetaEvaluation, MetaScore, pool
from tertium.meta.metric_comparison import TEST_TITLES, MetricComparison

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


def named(result: MetaEvaluation, names: Names) -> Names:
    """Names in which people's say whether they mean standard or raw scores: `human, z`."""
    name = names.get(result.gold, result.gold)
    scores = f", {result.gold_scores}" if result.gold_scores else ""
    lower = " ↓" if name.endswith(" ↓") else ""
    return {**names, result.gold: f"{name.removesuffix(' ↓')}{scores}{lower}"}


def correlation_table(result: MetaEvaluation, names: Names, level: Level, averages: Sequence[str]) -> Table:
    """Pearson, Spearman and Kendall with n and p."""
    several = len(averages) > 1
    rows: Rows = []
    for metric in result.metrics:
        for by in averages:
            items = [result.find(metric, statistic, level, by) for statistic in CORRELATIONS]
            figures = [value for item in items for value in (item.value, item.p)]
            counts = [items[0].n, *([items[0].groups] if several else [])]
            rows.append([names[metric], *([by] if several else []), *figures, *counts])
    columns = [*texts("metric", *(["average"] if several else []))]
    for statistic in CORRELATIONS:
        columns += numbers(TITLES[statistic], decimals=DIGITS)
        columns += chances(f"p, {statistic.replace('_', '-')}", spare=2 if statistic == "tau_c" else 1)
    of = f"corpus scores of {counted(len(result.systems), 'system')}"
    note = "p is two-sided, for the hypothesis that there is no correlation; n counts what was correlated."
    if several:
        note += (
            " Average none: all outputs together, without a p, because outputs share segments and systems; item: the "
            "mean over segments, each with its systems, p by Student's t of the segments' values; system: the mean "
            "over systems, each with its segments, without a p. Groups: how many the mean is over."
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
    for metric in result.metrics:
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
    return {
        "acc_eq": f"{TITLES['acc_eq_calibrated']} (item)",
        "tau_b": "Kendall tau-b (item)",
        "pearson": "Pearson r (none)",
    }[comparison.statistic]


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
    for metric in result.metrics:
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
        like = found.get("kendall_like")
        threshold = threshold if like is None else like.eps
        rows.append([*row, best.n, *([] if like is None else [like.value, like.n])])
    heads = ["tau_eq", "acc_eq", "acc_eq*", "eps", "tied", "PDP", "pairs"]
    note = (
        "acc_eq*: at the eps that makes it highest; tied: the share of pairs tied there; PDP: pairwise difference "
        "Pearson."
    )
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
    kept = [key for key in POOLED if any((metric, *key[:3]) in by for metric in found[0].metrics)]
    rows: Rows = []
    for metric in found[0].metrics:
        row: list[Value | Cell] = [names[metric]]
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
