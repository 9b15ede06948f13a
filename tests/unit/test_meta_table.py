"""Tables of scores: rows, groups, what is negated, what is counted over groups. Expected values by hand or scipy."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tertium as tt
from tertium.core.errors import TertiumError
from tertium.inference.correlation_tests import williams
from tertium.meta.correlate import CorrelationCell, correlate, matrix
from tertium.meta.differences import differences
from tertium.meta.outliers import deviations, without_outliers
from tertium.meta.pairs import system_pairs, verdicts
from tertium.meta.table import score_table
from tertium.meta.wins import summaries, wins, wins_by

EXAMPLES = Path(__file__).parents[2] / "examples"

COLUMNS: Mapping[str, list[Any]] = {
    "year": [1, 1, 1, 1, 2, 2, 2],
    "system": ["a", "b", "c", "d", "a", "b", "c"],
    "human": [1.0, 2.0, 3.0, None, 3.0, 2.0, 1.0],
    "good": [10, 20, 30, 40, 30, 20, 10],
    "ter": [50, 40, 45, 10, 1, 2, math.nan],
}


def refusal(source: object, **options: object) -> str:
    with pytest.raises(TertiumError) as caught:
        score_table(source, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_a_wide_table() -> None:
    table = score_table(COLUMNS, gold="human", group=["year"], lower=["ter"])
    assert table.metrics == ("good", "ter")
    assert {group: rows.tolist() for group, rows in table.groups.items()} == {("1",): [0, 1, 2, 3], ("2",): [4, 5, 6]}
    assert table.columns["ter"][:4].tolist() == [-50, -40, -45, -10]  # higher is better from here on
    assert table.shown("ter") == "ter ↓"
    assert score_table(COLUMNS, gold="human", metrics=["good"], lower=["ter"], group=["year"]).lower == frozenset()
    assert table.warnings == ()


def test_a_long_table_is_the_same() -> None:
    wide = score_table(COLUMNS, gold="human", group=["year"], lower=["ter"])
    long: dict[str, list[Any]] = {"year": [], "system": [], "what": [], "much": []}
    for name in ("human", "good", "ter"):
        for year, system, value in zip(COLUMNS["year"], COLUMNS["system"], COLUMNS[name], strict=True):
            if value is not None:  # a value that is not there need not be said to be missing
                for key, cell in zip(long, (year, system, name, value), strict=True):
                    long[key].append(cell)
    made = score_table(long, gold="human", group=["year"], lower=["ter"], long=("what", "much"))
    rows = {(key, name): k for k, (key, name) in enumerate(zip(made.keys, made.systems, strict=True))}
    moved = [rows[pair] for pair in zip(wide.keys, wide.systems, strict=True)]
    for name in ("human", "good", "ter"):
        np.testing.assert_array_equal(made.columns[name][moved], wide.columns[name])


def test_a_data_frame() -> None:
    import pandas as pd

    table = score_table(pd.DataFrame(COLUMNS), gold="human", metrics=["good"], group=["year"])
    np.testing.assert_array_equal(table.columns["human"], [1, 2, 3, math.nan, 3, 2, 1])


def test_correlations_of_groups() -> None:
    table = score_table(COLUMNS, gold="human", group=["year"], lower=["ter"])
    cells = correlate(table, "pearson")
    assert [(cell.group, cell.metric, cell.n) for cell in cells] == [
        (("1",), "good", 3), (("1",), "ter", 3), (("2",), "good", 3), (("2",), "ter", 2),
    ]  # fmt: skip
    assert [cell.value for cell in cells] == pytest.approx([1, 0.5, 1, 1])
    assert cells[1].p == pytest.approx(stats.pearsonr([1, 2, 3], [-50, -40, -45]).pvalue)


def test_matrix_is_the_mean_over_groups() -> None:
    names, means, counts = matrix(score_table(COLUMNS, gold="human", group=["year"]), "pearson")
    assert names == ("human", "good", "ter")
    np.testing.assert_allclose(means, means.T)
    assert means[0].tolist() == pytest.approx([1, 1, (-0.5 - 1) / 2])
    assert counts.tolist() == [[2, 2, 2], [2, 2, 2], [2, 2, 2]]


def test_a_matrix_knows_what_is_not_defined() -> None:
    table = score_table({"h": [1, 2, 3], "same": [5, 5, 5]}, gold="h")
    _, means, counts = matrix(table)
    assert math.isnan(means[0, 1])
    assert counts.tolist() == [[1, 0], [0, 0]]


def cell(group: str, metric: str, value: float, p: float) -> CorrelationCell:
    return CorrelationCell(("2017", group), metric, "tau_b", value, p, 10)


CELLS = [
    cell("de", "x", 0.80041, 0.01), cell("de", "y", 0.79969, 0.01),  # equal to three decimals: both win
    cell("fr", "x", 0.9, 0.06), cell("fr", "y", 0.5, 0.04),  # the higher one is not significant
    cell("cs", "x", 0.9, 0.05), cell("cs", "y", 0.9, 0.5),  # p must be below alpha
    cell("ru", "x", -0.9, 0.01), cell("ru", "y", math.nan, math.nan),  # the wrong way round
    cell("zh", "x", 0.6, 0.01), cell("zh", "y", 0.7, 0.01),
]  # fmt: skip


def test_wins() -> None:
    found = wins(CELLS)
    assert found.wins == {"x": 1, "y": 3}
    assert (found.groups, found.decided) == (5, 3)
    assert wins(CELLS, decimals=4).wins == {"x": 1, "y": 2}
    assert wins(CELLS, alpha=0.1).wins == {"x": 3, "y": 2}
    assert wins_by(CELLS) == {"2017": found}
    assert wins_by([CorrelationCell(("de",), "x", "tau_b", 0.9, 0.01, 9)]) == {}


def test_summaries_are_over_the_groups_that_all_share() -> None:
    x, y = summaries(CELLS)
    assert (x.groups, x.significant, x.common, x.defined) == (5, 3, 2, 5)
    assert (y.groups, y.significant, y.common, y.defined) == (5, 3, 2, 4)
    assert x.mean == pytest.approx((0.80041 + 0.6) / 2)
    assert y.median == pytest.approx((0.79969 + 0.7) / 2)
    assert y.mean_of_all == pytest.approx((0.79969 + 0.5 + 0.9 + 0.7) / 4)
    assert math.isnan(summaries([cell("de", "x", 0.1, 0.9)])[0].mean)


def test_deviations() -> None:
    """Median 3, absolute deviations 2 1 0 1 97: their median is 1, times 1.483."""
    found = deviations(np.array([1.0, 2, 3, math.nan, 4, 100]))
    np.testing.assert_allclose(found, [-2 / 1.483, -1 / 1.483, 0, math.nan, 1 / 1.483, 97 / 1.483])
    assert np.isnan(deviations(np.array([5.0, 5, 5, 9]))).all()
    assert np.isnan(deviations(np.array([math.nan]))).all()


def test_one_broken_system_carries_a_correlation() -> None:
    gold, metric = [1.0, 2, 3, 4, -100], [4.0, 3, 2, 1, -50]
    table = score_table({"system": list("abcde"), "h": gold, "m": metric}, gold="h")
    [found] = without_outliers(table, "pearson")
    assert found.systems == {"e": pytest.approx((-100 - 2) / 1.483)}
    assert found.before[0].value == pytest.approx(stats.pearsonr(gold, metric).statistic)
    assert found.before[0].value > 0.99
    assert (found.before[0].n, found.after[0].n, found.after[0].value) == (5, 4, pytest.approx(-1))
    assert without_outliers(table, limit=1000) == []


def test_pairs() -> None:
    table = score_table(
        {"system": list("abcd"), "h": [3, 1, 1, None], "m": [5, 6, 2, 9], "k": [1, None, 1, 2]}, gold="h"
    )
    pairs = system_pairs(table)
    names = [(table.systems[i], table.systems[j]) for i, j in zip(pairs.first, pairs.second, strict=True)]
    assert names == [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs.gold.tolist() == [2, 2, 0]
    assert pairs.differences["m"].tolist() == [-1, 3, 4]
    assert pairs.contradicted("m").tolist() == [True, False, False]
    m, k = verdicts(pairs)
    assert (m.pairs, m.agree, m.contradict, m.equal, m.accuracy, m.largest) == (2, 1, 1, 0, 0.5, 2)
    assert (k.pairs, k.agree, k.contradict, k.equal, k.accuracy) == (1, 0, 0, 1, 0)
    assert math.isnan(k.largest)


def test_pairs_without_any() -> None:
    pairs = system_pairs(score_table({"h": [1], "m": [2]}, gold="h"))
    assert len(pairs) == 0
    assert math.isnan(verdicts(pairs)[0].accuracy)


def test_too_many_pairs_are_refused() -> None:
    many = {"h": list(range(2002)), "m": list(range(2002))}
    with pytest.raises(TertiumError, match=r"^more than 2000000 pairs of rows in 1 groups; are rows segments\?"):
        system_pairs(score_table(many, gold="h"))


def test_differences_between_metrics() -> None:
    """The known case of Williams' test, p = .019; a row that one metric lacks is left out for both."""
    gold, one, two = [1.0, 2, 3, 4, 5, 9], [1.1, 2, 3.1, 4, 5.1, None], [1.5, 2, 3.1, 4, 5.5, 0]
    [found] = differences(score_table({"h": gold, "two": two, "one": one}, gold="h"))
    assert (found.better, found.worse, found.n) == ("one", "two", 5)
    assert found.p == found.adjusted == 2 * williams(gold[:5], two[:5], one[:5])
    [asked] = differences(score_table({"h": gold, "two": two, "one": one}, gold="h"), sides="one")
    assert asked.p == williams(gold[:5], two[:5], one[:5])
    assert round(asked.p, 3) == 0.019
    assert found.r_between == pytest.approx(stats.pearsonr(one[:5], two[:5]).statistic)


def test_differences_where_there_is_nothing_to_say() -> None:
    found = differences(score_table({"h": [1, 1, 1, 1], "a": [1, 2, 3, 5], "b": [2, 1, 3, 4]}, gold="h"))
    assert [item.n for item in found] == [4]
    assert math.isnan(found[0].p)


# An evaluation


def evaluation(*, judged: bool = True) -> tt.Evaluation:
    """Three systems; `human` is a metric that reads judgements, as far as the table is concerned."""
    from tertium.core.metric import metric
    from tertium.core.stats import Stats

    class Human:
        name, title, better, range = "human_of_this_test", "Human", "higher", (0.0, 100.0)
        needs, resampling, decimals = frozenset({"judgements"}), "percentile", 1

        def score(self, sums: Any) -> Any:
            return sums[..., 0] / sums[..., 1] if hasattr(sums, "shape") else sums[0] / sums[1]

    human = metric(Human)()
    outputs = {"a": ["the cat sat", "one two three"], "b": ["the cat", "one two"], "c": ["a dog", "two"]}
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in outputs.items()]
    references = tt.References((tt.Lines.of(["the cat sat", "one two three"]),), 2)
    made = tt.evaluate(tt.TestSet(segments=2, references=references), systems, ["wer", "chrf"])
    rows = {"a": [90, 80], "b": [70, 60], "c": [50, 65]}
    table = {
        (name, str(human)): Stats(("sum", "n"), np.array([[value, 1.0] for value in values]))
        for name, values in rows.items()
    }
    if not judged:
        return made
    return tt.Evaluation(
        testset=made.testset, systems=made.systems, metrics=(*made.metrics, human), table={**made.table, **table}
    )


@pytest.fixture(autouse=True)
def _forget_the_metric() -> Any:
    from tertium.core.metric import REGISTRY

    yield
    REGISTRY.pop("human_of_this_test", None)


def test_an_evaluation_with_human_rows() -> None:
    table = score_table(evaluation())
    assert (table.gold, table.metrics) == ("human_of_this_test", ("wer", "chrf"))
    assert table.systems == ("a", "b", "c")
    assert table.columns[table.gold].tolist() == [85, 65, 57.5]
    assert table.columns["wer"].tolist() == pytest.approx([0, -100 / 3, -100 * 5 / 6])  # errors: lower is better
    assert table.lower == {"wer"}
    assert [cell.value for cell in correlate(table)] == [1, 1]


def test_an_evaluation_by_segment() -> None:
    table = score_table(evaluation(), level="segment", metrics=["wer"])
    assert list(table.groups) == [("1",), ("2",)]
    assert table.group_names == ("segment",)
    assert [cell.value for cell in correlate(table)] == pytest.approx([1, 1 / 3])


def test_the_example_with_its_ratings() -> None:
    """The gold is the mean of the segments' means; a second scale of people is not a metric to be judged."""
    from tertium.engines.evaluate import add_metrics

    given = tt.read_testset(EXAMPLES / "testset.toml")
    counted = tt.evaluate(given.testset, given.systems, ["bleu", "ter"], judgements=given.judgements)
    table = score_table(add_metrics(counted, "human", 'human(scale="fluency")'), gold="human")
    assert table.metrics == ("bleu", "ter")
    assert table.systems == ("atlas", "brook", "cinder", "delta")
    assert table.lower == {"ter"}
    assert [cell.n for cell in correlate(table)] == [4, 4]
    assert [item.pairs for item in tt.preferences(table, trials=10)] == [6, 6]
    segments = score_table(add_metrics(counted, "human"), level="segment")
    assert len(segments.groups) == 96
    assert len(segments) == 384


# What is refused, and what is only noted


def test_refusals() -> None:
    assert refusal(COLUMNS) == "no gold: name the column of human scores"
    assert refusal(3, gold="h") == "not a table: int; expected a path, a dict of columns or a data frame"
    assert refusal({}, gold="h") == "columns must be equally long and not empty; got none"
    assert refusal({"h": [1], "m": []}, gold="h") == "columns must be equally long and not empty; got {'h': 1, 'm': 0}"
    assert refusal({"h": [1], "m": ["x"]}, gold="h") == "row: no column of numbers besides 'h'; name the metrics"
    assert refusal({"h": [1], "m": ["x"]}, gold="h", metrics=["m"]) == (
        "row:1:2: m is 'x', which is not a number; leave a cell that is not known empty"
    )
    assert refusal(COLUMNS, gold="human", metrics=["human"]) == (
        "'human' is both the gold and a metric; leave it out of the metrics"
    )
    assert refusal(COLUMNS, gold="human", metrics="good") == (
        "metrics='good': must be a list of names, such as ['good']"
    )
    assert refusal(COLUMNS, gold="human", group=["year", "year"]) == "group: 'year' is named 2 times"
    assert refusal(COLUMNS, gold="human", group=["human"]) == (
        "'human' makes groups, so it is the same within each; leave it out of gold and metrics"
    )
    assert refusal(COLUMNS, gold="human", level="segment") == (
        "level='segment' is for an Evaluation; of a table, name the columns of a group instead"
    )
    assert refusal(evaluation(), group=["year"]) == (
        "an Evaluation knows its systems and which way is better; leave out group, system, lower, long"
    )
    assert refusal(evaluation(judged=False)) == (
        "say which scores people gave: gold= one of the metrics that read judgements (here: none)"
    )


def test_refusals_of_long_tables() -> None:
    long = {"system": ["a", "a", "a"], "metric": ["h", "m", "m"], "value": [1, 2, 3]}
    assert refusal(long, gold="h") == "row: no column 'h'; if there is a row for every value, say so: long metric,value"
    assert refusal(long, gold="h", long=("metric", "value")) == (
        "row:3: a second value of m for a (first: row:2); "
        "is a column missing in the group, such as the year or the level?"
    )
    some = {name: column[:2] for name, column in long.items()}
    assert refusal(some, gold="H", long=("metric", "value")) == ("row: column 'metric' has no 'H'; it has: h, m")
    del some["system"]
    assert refusal(some, gold="h", long=("metric", "value")) == (
        "row: no column 'system'; a long table needs one that says whose value it is"
    )


def test_notes() -> None:
    table = score_table(COLUMNS, gold="human")
    assert table.warnings == (
        "2 rows are called a; is a column missing in the group?",
        "ter is taken as higher is better; name it under lower if it is an error rate",
    )


@pytest.mark.parametrize("name", ["pearson", "spearman", "tau_b", "tau_c", "tau-b", "Pearson"])
def test_statistics_by_name(name: str) -> None:
    assert correlate(score_table(COLUMNS, gold="human", metrics=["good"], group=["year"]), name)[
        0
    ].value == pytest.approx(1)


def test_unknown_statistic() -> None:
    table = score_table(COLUMNS, gold="human", metrics=["good"], group=["year"])
    with pytest.raises(
        TertiumError, match=r"^statistic 'tau' is unknown; did you mean 'tau_c'\? known: pearson, spear"
    ):
        correlate(table, "tau")
