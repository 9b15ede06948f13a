"""The field's own pictures: what is drawn is what was counted."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import altair as alt
import numpy as np
import pytest

import tertium as tt
from tertium.analysis.contrast import compare_types
from tertium.core.wording import headings
from tertium.report.figures import bars, raters, scatter
from tertium.report.figures import types as figures_types
from tertium.report.tables.correlations import Correlations
from tertium.report.types import contrast_page, types_page

ROOT = Path(__file__).parents[2]


def valid(chart: object) -> None:
    for spec in chart.specifications().values():  # type: ignore[attr-defined]
        alt.Chart.from_dict({key: value for key, value in spec.items() if key != "usermeta"})


# Types


def test_frequencies_are_those_of_the_types(example: tt.Evaluation) -> None:
    contrast = compare_types(example, "atlas", "brook", "macrof", trials=0)
    rows = figures_types.rank_rows(figures_types.counts_of(contrast))
    of_references = [row for row in rows if row["place"] == 0]
    counts = sorted((pair.references for pair in contrast.pairs if pair.references), reverse=True)
    assert all(counts[row["rank"] - 1] == row["times"] for row in of_references)
    assert of_references[-1]["rank"] == len(counts)
    assert len(of_references) <= figures_types.POINTS
    shown = figures_types.frequency_rows([contrast])
    for bucket in contrast.buckets:
        own = {row["system"]: row for row in shown if row["bucket"] == bucket.name}
        if own:
            assert (own["atlas"]["F"], own["brook"]["F"]) == (bucket.a.f, bucket.b.f)
            inside = [p.references for p in contrast.pairs if bucket.low <= p.references <= (bucket.high or math.inf)]
            assert own["atlas"]["times"] == pytest.approx(np.exp(np.mean(np.log(inside))))
    [chart] = figures_types.zipf([contrast], contrast.systems)
    valid(chart)
    left, right = chart.specifications().values()
    for spec, axes in ((left, "xy"), (right, "x")):
        for axis in axes:
            assert any(layer["encoding"][axis].get("scale", {}).get("type") == "log" for layer in spec["layer"])


def test_pages_of_types(example: tt.Evaluation) -> None:
    metric = example.metric("macrof")
    contrast = compare_types(example, "atlas", "brook", metric, trials=200)
    page = contrast_page(contrast, metric, "signature", "about")
    assert [section.id for section in page.sections] == ["summary", "types", "methods"]
    assert len(page.sections[0].charts[0].specifications()) == 2
    found = {name: tt.types(example, name, metric) for name in ("atlas", "brook")}
    page = types_page(found, metric, "signature", "about")
    lost = sum(1 for item in found["atlas"] if item.references and not item.matches)
    assert f"atlas {lost:,}" in page.sections[0].data["verdict"].sentence
    assert page.html()


def test_a_report_has_frequencies_on_logarithmic_axes(example: tt.Evaluation) -> None:
    assert "How often types come (Zipf" in tt.make_report(example, trials=20).html()


# Raters


def test_histograms_count_what_was_said(example: tt.Evaluation) -> None:
    systems = ["atlas", "brook", "cinder", "delta"]
    said = [one for one in example.judgements if one.scale == "adequacy" and one.kind in ("genuine", "repeat")]
    by_rater = raters.judged_by(said, systems)
    answers = raters.bars_of("adequacy", [one.value for one in said])
    assert answers.edges == (0.5, 1.5, 2.5, 3.5, 4.5, 5.5)
    for own in by_rater.values():
        rows = raters.histogram_rows(own, systems, answers)
        for system in systems:
            counts = Counter(one.value for one in own if one.system == system)
            drawn = {row["from"] + 0.5: row["said"] for row in rows if row["system"] == system}
            assert drawn == dict(counts)
            assert math.fsum(row["share"] for row in rows if row["system"] == system) == pytest.approx(1)
    chart = raters.rater_histograms("adequacy", said, systems)
    assert chart is not None
    assert len(chart.charts) == len({one.rater for one in said})
    valid(chart)


def test_many_raters_and_systems_are_a_stated_selection() -> None:
    said = [
        tt.Judgement(system=f"s{k % 9}", segment=k, rater=f"r{r}", scale="da100", value=float((7 * k + r) % 101))
        for r in range(12)
        for k in range(20 + r)
    ]
    chart = raters.rater_histograms("da100", said, [f"s{k}" for k in range(9)])
    assert chart is not None
    assert [name.partition(":")[0] for name in chart.charts] == [f"r{r}" for r in range(11, 3, -1)]
    assert chart.note.startswith("The 8 raters with most judgements of 12. The 6 systems that people put first, of 9. ")
    assert raters.rater_histograms("da100", said[:9], ["s0"]) is None  # too few to show anything


def test_scales_without_an_end_have_a_last_bar_for_the_rest() -> None:
    answers = raters.bars_of("mqm", [0.0, 0.5, 1.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 400.0])
    assert answers.beyond
    assert answers.place(400.0) == len(answers.edges) - 2
    assert raters.bars_of("da100", [0.0, 99.5]).edges[-1] == 100
    assert raters.bars_of("da100", [0.0, 99.5]).place(100.0) == 9


# Metrics beside people


@pytest.fixture(scope="module")
def result(example: tt.Evaluation) -> tuple[tt.MetaEvaluation, dict[str, str]]:
    judged = tt.add_metrics(example, "human")
    return tt.meta_evaluate(judged, "human", trials=100), headings(judged.metrics)


def test_systems_by_metric_and_people(result: tuple[tt.MetaEvaluation, dict[str, str]]) -> None:
    found, names = result
    for metric, sign in (("bleu", 1), ("ter", -1)):
        rows = scatter.system_rows(found, metric, names)
        assert [row["x"] for row in rows] == (sign * found.corpus[metric]).tolist()
        assert [row["y"] for row in rows] == found.corpus["human"].tolist()
    chart = scatter.system_scatter(found, names)
    assert list(chart.charts) == ["BLEU", "chrF", "TER", "MacroF"]
    valid(chart)


def test_outputs_are_counted_in_squares(result: tuple[tt.MetaEvaluation, dict[str, str]]) -> None:
    found, names = result
    outputs = scatter.known_outputs(found, "bleu", names)
    x, y = outputs.x, outputs.y
    assert len(x) == found.judged == 384
    rows = scatter.density(outputs)
    assert sum(row["outputs"] for row in rows) == 384
    assert len(rows) <= scatter.ACROSS * scatter.UP
    tenths = scatter.means(x, y)
    assert sum(row["outputs"] for row in tenths) == 384
    assert np.average([r["mean y"] for r in tenths], weights=[r["outputs"] for r in tenths]) == pytest.approx(y.mean())
    chart = scatter.segment_scatter(found, names)
    assert chart is not None
    assert "the darker, the more outputs" in chart.note
    valid(chart)


def test_an_output_far_away_squeezes_nothing() -> None:
    x = np.array([0.0] * 500 + [1.0] * 499 + [1000.0])
    rows = scatter.density(scatter.Outputs(x, x, np.zeros(1000, dtype=np.int64), np.arange(1000)))
    assert [(row["outputs"], row["x"] < 0.5, row["x2"] <= 1.01) for row in rows] == [
        (500, True, True),
        (500, False, True),
    ]


def test_few_outputs_are_points(
    result: tuple[tt.MetaEvaluation, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, names = result
    monkeypatch.setattr(scatter, "POINTS", 1000)
    chart = scatter.segment_scatter(found, names)
    assert chart is not None
    spec = chart.specifications()["BLEU"]
    drawn = [row for row in spec["datasets"]["rows"] if "x" in row]
    assert sum(row["outputs"] for row in drawn) == 384
    assert len({(row["x"], row["y"]) for row in drawn}) == len(drawn) > 300
    assert not any("href" in row for row in drawn)  # what has no segments leads to none
    assert "darker" not in chart.note
    valid(chart)


# Bars


def test_bars_are_wins_and_correlations() -> None:
    table = tt.score_table(ROOT / "examples" / "scores.tsv", gold="human", group=["year", "langs"], lower=["TER"])
    given = Correlations(table=table, statistics=("tau_b",), alpha=0.05, limit=2.5)
    rows = bars.win_rows(given, "tau_b")
    assert {name: [row["wins"] for row in own] for name, own in rows.items()} == {
        "2025": [0, 1, 0], "2026": [0, 2, 0], "all groups": [0, 3, 0],
    }  # fmt: skip
    found = bars.correlation_rows(given, "tau_b")
    assert list(found) == ["mean over 4 groups", "2025 de-en", "2025 de-fr", "2026 de-en", "2026 de-fr"]
    assert [row["of"] for row in found["2026 de-en"]] == [bars.NOT, bars.SIGNIFICANT, bars.SIGNIFICANT]
    for own in (bars.win_bars(given, "tau_b"), bars.correlation_bars(given, "tau_b")):
        valid(own)
