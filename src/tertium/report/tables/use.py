"""Metrics in use as tables: filters, choosers, and the tests between them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from tertium.core.score import Interval, ends
from tertium.core.table import Cell, Rows, Table, Value, chances, numbers, texts
from tertium.core.wording import ABSENT, counted, number
from tertium.meta.metric_comparison import MetricPair
from tertium.meta.sentinels import PREFIX
from tertium.meta.use import ALL, ANY, BEST, Use
from tertium.report.tables.meta import Names

DIGITS = 3
BASELINES = (ALL, ANY, BEST)


def called(name: str, names: Names) -> str:
    """Baselines and sentinels are called as they are."""
    return names.get(name, name)


def with_interval(value: float, interval: Interval | None) -> Cell:
    """A number with its interval."""
    if value != value:
        return Cell(ABSENT)
    low, high = ends(interval)
    if low is None or high is None:
        return Cell(number(value, DIGITS), value)
    return Cell(f"{number(value, DIGITS)} [{number(low, DIGITS)}, {number(high, DIGITS)}]", value, ends=(low, high))


def filter_table(found: Use, names: Names) -> Table:
    """Precision, recall and F of what each metric keeps."""
    rows: Rows = []
    for item in found.filters:
        limit: Value | Cell = None
        if item.thresholds:
            low, high = min(item.thresholds), max(item.thresholds)
            span = f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} to {high:.4g}"
            limit = Cell(span, fmean(item.thresholds))
        rows.append([
            called(item.name, names), limit, item.kept, with_interval(item.precision, item.precision_interval),
            with_interval(item.recall, item.recall_interval), with_interval(item.f, item.f_interval),
        ])  # fmt: skip
    return Table(
        title=f"As a filter: which outputs are good ({good_text(found, names)})",
        columns=[*texts("metric"), *numbers("threshold", "kept", "filter precision", "filter recall", "filter F",
                                            decimals=DIGITS)],
        rows=rows,
        note=f"{100 * found.share:.0f} % of {counted(found.outputs, 'output')} are good. A metric keeps what scores at "
        "least the threshold (at most, where lower is better). A threshold that was not given has the highest F on the "
        f"other folds ({counted(found.folds, 'fold')} of whole {found.unit}). {_drawn(found)}",
    )  # fmt: skip


def chooser_table(found: Use, names: Names) -> Table:
    """How often each metric takes what people score highest."""
    rows: Rows = [
        [called(item.name, names), with_interval(item.precision, item.interval),
         with_interval(item.people, item.people_interval)]
        for item in found.choosers
    ]  # fmt: skip
    return Table(
        title="As a chooser: the best output of each segment",
        columns=[*texts("metric"), *numbers("best taken", "people's score of it", decimals=DIGITS)],
        rows=rows,
        note=f"{counted(found.segments, 'segment')} with {number(found.candidates, 1)} judged outputs on average, of "
        f"which people score some higher than others; the best of each has {number(found.best, DIGITS)} on average. "
        f"Beside the metrics: {ANY}, at random; {BEST}: that of the system with the best mean on the other folds. Of "
        f"equal scores of a metric each is as likely to be taken. {_drawn(found)}",
    )  # fmt: skip


def good_text(found: Use, names: Names) -> str:
    """What is a good translation."""
    return f"{called(found.gold, names).removesuffix(' ↓')}: {found.good:g} or {'less' if found.lower else 'more'}"


def _drawn(found: Use) -> str:
    units = counted(found.units, found.unit.removesuffix("s"))
    return (
        f"In brackets: {100 * found.confidence:g} % intervals, {units} drawn again {found.trials} times, seed "
        f"{found.seed}."
    )


def use_test_table(found: Use, tests: Sequence[MetricPair], title: str, names: Names) -> Table:
    """Every two, baselines among them."""
    rows: Rows = [[called(pair.better, names), called(pair.worse, names), pair.difference, pair.p, pair.adjusted]
                  for pair in tests]  # fmt: skip
    return Table(
        title=title,
        columns=[*texts("better", "worse"), *numbers("difference", decimals=DIGITS), *chances("p", "p (max-T)")],
        rows=rows,
        note=f"What two did is swapped at random in whole {found.unit}, {found.trials} trials, seed {found.seed}, "
        f"two-sided; p (max-T) after step-down max-T over all pairs, alpha {found.alpha:g}.",
    )


def use_tables(found: Use, names: Names) -> list[Table]:
    """Everything."""
    tables = [filter_table(found, names),
              use_test_table(found, found.filter_tests, "Pairs of filters, by F", names)]  # fmt: skip
    if found.choosers:
        tables += [
            chooser_table(found, names),
            use_test_table(found, found.chooser_tests, "Pairs of choosers, by how often the best is taken", names),
        ]
    return tables


def use_rows(found: Use) -> Table:
    """Every number in a row of its own, for programs."""
    rows: Rows = []
    for item in found.filters:
        for measure, value, interval in (("precision", item.precision, item.precision_interval),
                                         ("recall", item.recall, item.recall_interval),
                                         ("f", item.f, item.f_interval), ("kept", item.kept, None)):  # fmt: skip
            rows.append(["filter", item.name, measure, value, *ends(interval)])
    for chooser in found.choosers:
        rows.append(["chooser", chooser.name, "precision", chooser.precision, *ends(chooser.interval)])
        rows.append(["chooser", chooser.name, "people", chooser.people, *ends(chooser.people_interval)])
    table = Table(columns=numbers("use", "metric", "measure", "value", "low", "high"), rows=rows)
    return table.with_columns(testset=found.testset, good=found.good, confidence=found.confidence,
                              trials=found.trials, seed=found.seed)  # fmt: skip


def is_rated(name: str) -> bool:
    """Whether it is a metric, and no baseline or sentinel."""
    return name not in BASELINES and not name.startswith(PREFIX)
