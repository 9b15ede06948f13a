"""What pages say of people and metrics is what the rooms found; hostile names stay names; too little is said so."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.analysis.damage import damage_curve, type_damage
from tertium.analysis.stress import StressTest, stress
from tertium.core.edited import EditedSegments
from tertium.core.score import Interval
from tertium.core.table import Table
from tertium.core.wording import headings
from tertium.human.analyse import analyse
from tertium.human.ranking import RankingMethod
from tertium.meta.correlate import by_group, correlate, matrix
from tertium.meta.evaluate import MetaEvaluation, system_table
from tertium.meta.pairs import system_pairs, verdicts
from tertium.meta.preference import Preference, preferences
from tertium.meta.table import ScoreTable, score_table
from tertium.meta.wins import wins
from tertium.report import meta_evaluation as against
from tertium.report.correlations import correlation_page, preference_page
from tertium.report.effort import effort_page
from tertium.report.figures import people as figures_people
from tertium.report.figures import stress as figures_stress
from tertium.report.page import Page, Section
from tertium.report.people import People, first_places, judgements
from tertium.report.results import Results
from tertium.report.stress import damage_page, stress_page
from tertium.report.system_pairs import preference_parts, telling, worth
from tertium.report.tables.correlations import Correlations
from tertium.report.tables.system_pairs import SystemScores, contradictions
from tertium.report.words import capital, scale_title

from .test_hostile_texts import Elements

ROOT = Path(__file__).parents[2]
SCRIPT = "<script>hacked=1</script>"
NASTY = ["</script><script>hacked=2</script>", '"><img src=x onerror=hacked=3>', "\u202eemos", "{{ 7 * 7 }}"]


@pytest.fixture(scope="module")
def judged(example: tt.Evaluation) -> tt.Evaluation:
    return tt.add_metrics(example, "human")


@pytest.fixture(scope="module")
def result(judged: tt.Evaluation) -> MetaEvaluation:
    return tt.meta_evaluate(judged, "human", trials=200)


@pytest.fixture(scope="module")
def scores(result: MetaEvaluation, judged: tt.Evaluation) -> SystemScores:
    return SystemScores(table=system_table([result]), names=headings(judged.metrics), trials=200)


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return score_table(ROOT / "examples" / "scores.tsv", gold="human", group=["year", "langs"], lower=["TER"])


@pytest.fixture(scope="module")
def stressed(example: tt.Evaluation) -> StressTest:
    noises, rates = "delete,permute", (0.1, 0.3)
    return stress(
        example.testset, example.systems[0], "bleu,macrof", noises=noises, aims="rarest,frequent", rates=rates, seeds=2
    )


def values(table: Table) -> list[list[Any]]:
    """What stands behind the cells."""
    return [[cell.value if cell.value is not None else cell.text for cell in row] for row in table.cells()]


def titled(section: Section, start: str) -> Table:
    [found] = [each for each in section.tables if each.title.startswith(start)]
    return found


def same(shown: object, expected: float) -> bool:
    return shown == "–" if math.isnan(expected) else shown == expected


# What people said


def test_every_scale_is_the_analysis_of_the_human_room(example: tt.Evaluation) -> None:
    section = judgements(People(evaluation=example))
    assert section is not None
    for scale in ("adequacy", "fluency", "da100"):
        found = analyse(example.judgements, scale, RankingMethod(), example.testset)
        [ranking] = found.rankings.values()
        name = scale_title(scale)
        rows = values(titled(section, f"Systems ranked by people: {name}"))
        assert rows == [
            [s.system, s.cluster, s.best, s.z, s.raw, s.segments, s.judgements, s.wins, s.losses]
            for s in ranking.systems
        ]
        raters = values(titled(section, f"Raters: {name}"))
        assert [row[0] for row in raters] == [rater.rater for rater in found.raters]
        assert [row[3] for row in raters] == [rater.mean for rater in found.raters]
        [part] = [part for part in section.data["parts"] if part.title == capital(name)]
        assert part.finding.startswith(f"People put {ranking.systems[0].system} first, ")
        assert part.finding.endswith(f" ({len(ranking.clusters)} clusters).")
        for row in found.agreement:
            assert f"{row.statistic} {row.value:.3f}, n = {row.n} items" in part.text[0]
    titles = [chart.title for chart in section.charts]
    assert [sum(title.startswith(start) for title in titles) for start in ("Ranks that", "What each rater said")] == [
        3,
        3,
    ]


def test_the_summary_says_whom_people_put_first() -> None:
    lines = [f"a line of five words, {k}" for k in range(30)]
    outputs = {"a": lines, "b {x}": ["a line of words"] * 30, "c": ["no"] * 30}
    values = {"adequacy": {"a": 5, "b {x}": 3, "c": 1}, "da100": {"a": 40, "b {x}": 90, "c": 10}, "fluency": {}}
    said = [
        tt.Judgement(segment=k, system=name, rater="r", scale=scale, value=float(values[scale].get(name, 3 + k % 2)))
        for k in range(30)
        for scale in values
        for name in outputs
    ]
    testset = tt.TestSet(segments=30, references=tt.References((tt.Lines.of(lines),), 30))
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in outputs.items()]
    judged = tt.evaluate(testset, systems, ["bleu"], judgements=said)
    [text] = first_places(People(evaluation=judged), Results(evaluation=judged, trials=50))
    assert text.startswith(
        "By adequacy (1-5, raw), people put a first, significantly above both others; by people's rating (0-100, "
        "raw), they put b {x} first, significantly above both others; by fluency (1-5, raw), they put a first, and "
        "neither of the others is significantly worse. BLEU puts a first, and people find it significantly worse than "
        "their best, by people's rating (0-100). How far to trust adequacy (1-5): no item was judged by two raters, so "
        "nobody knows whether they agree; the only rater has no flag; tested by Wilcoxon rank-sum test of all judged "
        "segments, one-sided, p after Holm; "
    )
    one = dataclasses.replace(judged, judgements=[item for item in said if item.scale == "da100"])
    [text] = first_places(People(evaluation=one), Results(evaluation=one, trials=50))
    assert text.startswith(
        "By people's rating (0-100, raw), people put b {x} first, significantly above both others. BLEU puts a first, "
        "and people find it significantly worse than their best. How far to trust people's rating (0-100): "
    )
    assert text.endswith(
        "if b {x} and a, the next, differ as they do here, 60 judgements of both tell them apart in about 100 % of "
        "campaigns (by one test alone)."
    )
    alone = dataclasses.replace(judged, judgements=())
    assert first_places(People(evaluation=alone), Results(evaluation=alone, trials=50)) == []


def test_ranks_are_drawn_as_they_are(example: tt.Evaluation) -> None:
    found = analyse(example.judgements, "da100", RankingMethod(), example.testset)
    [spec] = figures_people.rank_ranges(found).specifications().values()
    [ranking] = found.rankings.values()
    assert [(row["system"], row["best"], row["worst"], row["cluster"]) for row in spec["datasets"]["rows"]] == [
        (s.system, s.best, s.worst, s.cluster) for s in ranking.systems
    ]


def test_a_flag_is_shown_and_counted(example: tt.Evaluation) -> None:
    constant = [
        tt.Judgement(system=s.name, segment=k, rater="lazy", scale="da100", value=50.0)
        for s in example.systems
        for k in range(6)
    ]
    section = judgements(People(evaluation=dataclasses.replace(example, judgements=(*example.judgements, *constant))))
    assert section is not None
    table = titled(section, "Raters: people's rating")
    [row] = [row for row in table.cells() if row[0].text == "lazy"]
    assert "constant" in row[1].text
    assert "1 rater with a flag" in table.note


# Metrics against people


def test_statistics_are_those_of_the_meta_room(result: MetaEvaluation, judged: tt.Evaluation) -> None:
    section = against.section(result, headings(judged.metrics), title="t", trials=50)
    rows = values(titled(section, "Correlations with people's rating (0-100, z): corpus"))
    for metric, row in zip(result.metrics, rows, strict=True):
        items = [result.find(metric, name) for name in ("pearson", "spearman", "tau_b", "tau_c")]
        assert all(same(row[1 + 2 * k], item.value) and same(row[2 + 2 * k], item.p) for k, item in enumerate(items))
        assert row[-1] == items[0].n == 4
    rows = values(titled(section, "Correlations with people's rating (0-100, z): scores of single"))
    order = [(metric, by) for metric in result.metrics for by in ("none", "item", "system")]
    for (metric, by), row in zip(order, rows, strict=True):
        item = result.find(metric, "tau_b", "segment", by)
        assert row[1] == by
        assert row[6] == item.value
        assert same(row[7], item.p)
    rows = values(titled(section, "Pairs of systems that a metric puts"))
    for metric, row in zip(result.metrics, rows, strict=True):
        found = [result.find(metric, name).value for name in ("accuracy", "accuracy_separated", "spa")]
        assert [row[1], row[3], row[5]] == found
    comparison = result.comparisons["segment"]
    shown = values(titled(section, "Which metrics are closer to people: segment"))
    names = headings(judged.metrics)
    assert [(row[0], row[2], row[3]) for row in shown] == [
        (names[m], k, comparison.values[m]) for k, cluster in enumerate(comparison.clusters, 1) for m in cluster
    ]


def test_pairs_are_drawn_as_they_are_counted(scores: SystemScores) -> None:
    assert repr(scores.verdicts) == repr(verdicts(system_pairs(scores.table)))  # NaN is not equal to itself
    chart = figures_people.pair_plots(scores)
    specs = list(chart.specifications().values())
    assert len(specs) == len(scores.verdicts) == 4
    for verdict, spec in zip(scores.verdicts, specs, strict=True):
        rows = spec["datasets"]["rows"]
        said = [row["verdict"] for row in rows]
        assert said.count(figures_people.CONTRADICTS) == verdict.contradict
        assert said.count(figures_people.AGREES) == verdict.agree
        assert [row["metric"] for row in rows] == scores.pairs.differences[verdict.metric].tolist()
        assert [row["people"] for row in rows] == scores.pairs.gold.tolist()
        for row in rows:
            assert (row["metric"] < 0 < row["people"]) == (row["verdict"] == figures_people.CONTRADICTS)


def test_contradictions_are_named(scores: SystemScores, result: MetaEvaluation, judged: tt.Evaluation) -> None:
    section = against.section(result, scores.names, title="t", trials=50)
    table = titled(section, "Pairs in which a metric contradicts")
    found = contradictions(scores)
    assert len(table.rows) == len(found) > 0
    corpus = {s.name: k for k, s in enumerate(judged.systems)}
    for row, k in zip(table.cells(), found, strict=True):
        people = result.corpus["human"][corpus[row[0].text]] - result.corpus["human"][corpus[row[1].text]]
        assert row[2].value == pytest.approx(people)
        assert people > 0
        marked = [metric for metric, cell in zip(scores.table.metrics, row[3:], strict=True) if "◆" in cell.text]
        assert marked == scores.contradicting[k]
        assert all(cell.value < 0 for cell in row[3:] if "◆" in cell.text)  # type: ignore[operator]


def test_many_pairs_are_thinned_but_not_contradictions(monkeypatch: pytest.MonkeyPatch, scores: SystemScores) -> None:
    monkeypatch.setattr(figures_people, "MOST", 2)
    chart = figures_people.pair_plots(scores)
    for verdict, spec in zip(scores.verdicts, chart.specifications().values(), strict=True):
        said = [row["verdict"] for row in spec["datasets"]["rows"]]
        assert said.count(figures_people.CONTRADICTS) == verdict.contradict
        assert len(said) < 6
    assert "one in 3 is drawn" in chart.note


def test_the_heat_map_is_the_matrix_with_people(result: MetaEvaluation, judged: tt.Evaluation) -> None:
    names = headings(judged.metrics)
    for level in ("system", "segment"):
        shown, matrix_ = against.with_people(result, names, level)  # type: ignore[arg-type]
        assert shown == ["human", *(names[metric] for metric in result.metrics)]
        assert matrix_[1:, 1:].tolist() == result.between[level].tolist()  # type: ignore[index]
        expected = [result.find(metric, "pearson", level, "none").value for metric in result.metrics]  # type: ignore[arg-type]
        assert matrix_[0, 1:].tolist() == matrix_[1:, 0].tolist() == expected
        chart = figures_people.heat_maps({level: (shown, matrix_)}, statistic="Pearson r")
        rows = chart.specifications()[level]["datasets"]["rows"]
        assert [row["text"] for row in rows] == [f"{value:.2f}" for value in matrix_.ravel()]


def test_curves_are_the_fitted_ones(scores: SystemScores, table: ScoreTable) -> None:
    direct = preferences(scores.table, trials=200)
    for item, expected in zip(scores.preferences, direct, strict=True):
        assert item.slope == expected.slope
        rows = figures_people.curve_rows(item)
        assert rows[0]["P"] == 0.5
        assert rows[-1]["difference"] == item.largest
        for row in rows:
            chance = expected.probability(row["difference"])
            assert (row["P"], row["low"], row["high"]) == (chance.value, chance.interval.low, chance.interval.high)  # type: ignore[union-attr]
    for item in preferences(table, trials=50):
        difference = telling(item)
        assert difference is not None
        chance = item.probability(difference)
        assert chance.interval is not None
        name = table.shown(item.metric).removesuffix(" ↓")
        near = [a for d, a in zip(item.differences, item.agree, strict=True) if 0.5 <= (d / difference) ** 2 < 2]
        assert worth(item, {item.metric: table.shown(item.metric)}) == (
            f"{difference:g} {name}: people prefer the better one in {sum(near):g} of {len(near)} pairs that differ by "
            f"about as much ({100 * sum(near) / len(near):.0f} %); the curve fitted to all pairs says "
            f"{100 * chance.value:.0f} % (95 % interval {100 * chance.interval.low:.0f}-"
            f"{100 * chance.interval.high:.0f} %)."
        )


def test_a_curve_that_pairs_contradict_is_shown_beside_them() -> None:
    """Pairs that differ by about 1 mostly contradict; one far pair bends the curve the other way."""
    item = Preference(
        metric="m", gold="h", n=12, groups=1, pairs=13, ties=0, accuracy=4 / 13, slope=0.6,
        interval=Interval(-3.0, 3.0, 0.95), differences=np.array([1.0] * 12 + [30.0]),
        agree=np.array([1.0] * 3 + [0.0] * 9 + [1.0]),
    )  # fmt: skip
    assert worth(item, {"m": "BLEU"}) == (
        "1 BLEU: people prefer the better one in 3 of 12 pairs that differ by about as much (25 %); the curve fitted "
        "to all pairs says 65 %, which is not reliable (95 % interval 5-95 %)."
    )


def test_people_who_were_asked_for_are_the_gold(example: tt.Evaluation) -> None:
    two = tt.add_metrics(example, 'human(scale="adequacy")', 'human(scale="fluency")')
    found = list(against.sections(People(evaluation=two), trials=20, seed=1))
    assert [section.id for section in found] == ["metrics-people", "metrics-people-2"]
    assert [section.title.rpartition(": ")[2] for section in found] == [
        'human(scale="adequacy")',
        'human(scale="fluency")',
    ]
    assert found[0].text[0].startswith("4 metrics beside")  # people are not a metric here
    [usual] = against.sections(People(evaluation=example), trials=20, seed=1)
    assert usual.text[0].startswith(
        "4 metrics beside people's rating (0-100, z): 384 outputs of 4 systems with a score by people, as "
    )


# Too little


def some(example: tt.Evaluation, systems: int, metrics: int = 2) -> tt.Evaluation:
    kept = example.systems[:systems]
    names = {system.name for system in kept}
    said = [j for j in example.judgements if j.system in names and j.scale == "da100"]
    return tt.evaluate(example.testset, kept, ["bleu", "chrf"][:metrics], judgements=said)


def test_two_systems_have_no_ranking_of_systems(example: tt.Evaluation) -> None:
    [section] = against.sections(People(evaluation=some(example, 2)), trials=20, seed=1)
    [part] = [part for part in section.data["parts"] if part.title.startswith("Systems")]
    assert part.text == [
        "People judged 2 systems: whether a metric ranks systems as people do cannot be seen from fewer than 3."
    ]
    assert not [table for table in section.tables if "corpus" in table.title]
    assert [table for table in section.tables if "single outputs" in table.title]
    assert [chart.title for chart in section.charts] == [
        "Single outputs by metric and by people.",
        "Pearson r of metrics, and of people, with each other.",
    ]


def test_one_system_cannot_be_compared(example: tt.Evaluation) -> None:
    [section] = against.sections(People(evaluation=some(example, 1)), trials=20, seed=1)
    assert section.text[0].startswith("Metrics cannot be set beside people here: ")
    assert "at least two are needed" in section.text[0]
    said = judgements(People(evaluation=some(example, 1)))
    assert said is not None
    assert said.data["parts"][0].finding == "People judged only atlas: there is nothing to rank."
    assert [chart.title for chart in said.charts] == ["What each rater said of each system (people's rating (0-100))."]
    assert "there is nothing to rank" in tt.make_report(some(example, 1), trials=20).html()


def test_one_metric_has_no_heat_map(example: tt.Evaluation) -> None:
    [section] = against.sections(People(evaluation=some(example, 3, 1)), trials=20, seed=1)
    assert "Metrics beside each other" not in [part.title for part in section.data["parts"]]


def test_without_judgements_there_is_nothing(example: tt.Evaluation) -> None:
    silent = dataclasses.replace(example, judgements=())
    assert judgements(People(evaluation=silent)) is None
    assert list(against.sections(People(evaluation=silent), trials=20, seed=1)) == []


def test_an_unknown_scale_is_a_sentence(example: tt.Evaluation) -> None:
    odd = dataclasses.replace(
        example, judgements=tuple(dataclasses.replace(j, scale="stars") for j in example.judgements)
    )
    section = judgements(People(evaluation=odd))
    assert section is not None
    assert any("scale 'stars' is unknown" in text for text in section.text)
    [said] = against.sections(People(evaluation=odd), trials=20, seed=1)
    assert 'scale="stars" is unknown' in said.text[0]


def test_equal_scores_of_people_draw_nothing_wrong(example: tt.Evaluation) -> None:
    level = [dataclasses.replace(j, value=50.0) for j in example.judgements if j.scale == "da100"]
    flat = dataclasses.replace(example, judgements=tuple(level))
    assert tt.make_report(flat, trials=20).html()  # JSON without NaN
    [section] = against.sections(People(evaluation=flat), trials=20, seed=1)
    assert "No metric contradicts people about any pair of systems." in [p.finding for p in section.data["parts"]]


# Tables of scores


def test_a_table_of_scores(table: ScoreTable) -> None:
    given = Correlations(table=table, statistics=("pearson", "tau_b"), alpha=0.05, limit=2.5)
    page = correlation_page(given, "t", "about")
    sections = {section.id: section for section in page.sections}
    assert list(sections) == ["summary", "correlations", "wins", "outliers", "pairs", "metrics", "methods"]
    shown = values(titled(sections["correlations"], "Kendall tau-b with human"))
    groups = by_group(correlate(table, "tau_b"))
    assert [row[3:] for row in shown] == [[cell.value for cell in found.values()] for found in groups.values()]
    chances = values(titled(sections["correlations"], "p of Kendall tau-b"))
    assert [row[3:] for row in chances] == [[cell.p for cell in found.values()] for found in groups.values()]
    counted = wins(correlate(table, "tau_b"))
    total = values([each for each in sections["wins"].tables if each.title.endswith("highest Kendall tau-b")][0])[-1]  # noqa: RUF015
    assert total == ["all", counted.groups, counted.decided, *counted.wins.values()]
    names, means, _ = matrix(table, "pearson")
    spec = sections["metrics"].charts[0].specifications()[""]
    assert [row["value"] for row in spec["datasets"]["rows"]] == means.ravel().tolist()
    assert len(names) == 4


def test_a_table_of_one_group_has_no_wins() -> None:
    columns: dict[str, list[Any]] = {"system": ["a", "b", "c"], "people": [1.0, 2.0, 3.0], "x": [1.0, 3.0, 2.0]}
    given = Correlations(table=score_table(columns, gold="people"), statistics=("pearson",), alpha=0.05, limit=2.5)
    page = correlation_page(given, "t", "about")
    ids = [section.id for section in page.sections]
    assert ids == ["summary", "correlations", "outliers", "pairs", "metrics", "methods"]
    assert page.html()


def test_a_page_of_preferences(table: ScoreTable) -> None:
    found = preferences(table, trials=20)
    page = preference_page(found, table, "t", "about")
    assert [section.id for section in page.sections] == ["summary", "preference", "methods"]
    assert len(page.sections[1].charts[0].charts) == len(found)


def test_a_curve_that_says_nothing_is_said_and_not_drawn() -> None:
    clear = Preference(
        metric="m", gold="h", n=12, groups=1, pairs=4, ties=0, accuracy=1.0, slope=1.5,
        interval=Interval(1.0, 2.0, 0.95), differences=np.array([1.0, 2.0, 3.0, 4.0]), agree=np.ones(4),
    )  # fmt: skip
    vague = dataclasses.replace(clear, metric="v", slope=0.1, interval=Interval(-3.0, 3.0, 0.95))
    part, _ = preference_parts([clear, vague], {"m": "BLEU", "v": "TER ↓"})
    undrawn = "Not drawn, because even at the largest difference its interval holds 50 %: the curve of TER."
    assert part.text[-1] == undrawn
    assert list(part.charts[0].charts) == ["BLEU: 4 pairs"]
    open_ = dataclasses.replace(vague, interval=Interval(-0.6, 2.0, 0.95))  # 8 to 100 % at a difference of 4
    assert next(preference_parts([clear, open_], {"m": "BLEU", "v": "TER ↓"})).text[-1] == undrawn
    against = dataclasses.replace(vague, slope=-1.0, interval=Interval(-2.0, -0.5, 0.95))  # people prefer the other
    assert len(next(preference_parts([clear, against], {"m": "BLEU", "v": "TER ↓"})).charts[0].charts) == 2
    part, _ = preference_parts([clear], {"m": "BLEU"})
    assert not any("Not drawn" in text for text in part.text)


# Stress


def test_curves_of_noise_are_those_of_the_test(stressed: StressTest) -> None:
    titles = dict(stressed.metrics)
    charts = figures_stress.noise_panels(stressed, titles)
    assert len(charts) == 2  # an aim each
    for aim, chart in zip(("rarest", "frequent"), charts, strict=True):
        assert list(chart.specifications()) == ["delete", "permute"]
        for noise, spec in chart.specifications().items():
            for curve in (c for c in stressed.curves if (c.aim, c.noise) == (aim, noise)):
                rows = [row for row in spec["datasets"]["rows"] if row["metric"] == titles[curve.metric]]
                assert [row["rate"] for row in rows] == [0.0, *curve.rates]
                assert [row["left"] for row in rows] == [100.0, *curve.left]
                assert [row["high"] - row["left"] for row in rows[1:]] == pytest.approx(curve.spread)
    domains = {
        str(layer["encoding"]["y"]["scale"]["domain"])
        for chart in charts
        for spec in chart.specifications().values()
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("y", {})
    }
    assert len(domains) == 1  # panels can be compared


def test_a_page_of_a_stress_test(stressed: StressTest) -> None:
    page = stress_page(stressed, "about")
    _, blind, curves, _ = page.sections
    points = blind.data["parts"][0].points
    assert {point.rpartition(" (")[0] for point in points} == {spot.text for spot in stressed.blind_spots}
    assert len(points) == len(set(points))
    shown = values(titled(curves, "MacroF"))
    found = [curve for curve in stressed.curves if curve.metric == "macrof"]
    assert [row[2:] for row in shown] == [[*curve.left, curve.area, curve.sensitivity] for curve in found]


def test_a_page_of_damaged_types(example: tt.Evaluation) -> None:
    found = type_damage(example.testset, example.systems[0], "bleu,macrof")
    page = damage_page(found, "t", {"bleu": "BLEU", "macrof": "MacroF"}, "about")
    specs = page.sections[1].charts[0].specifications()
    for metric, spec in zip(("bleu", "macrof"), specs.values(), strict=True):
        assert [row["left"] for row in spec["datasets"]["rows"]] == [b.left[metric] for b in damage_curve(found)]
    types = titled(page.sections[1], "The most frequent types")
    assert [row[0].text for row in types.cells()[:3]] == [item.type for item in found[:3]]


# Hostile names


def hostile_pages(example: tt.Evaluation) -> dict[str, Page]:
    """Every page, with names that would like to be more than names."""
    renamed = dict(zip((s.name for s in example.systems), [SCRIPT, *NASTY], strict=False))
    systems = [dataclasses.replace(system, name=renamed[system.name]) for system in example.systems]
    said = [
        dataclasses.replace(j, system=renamed[j.system], rater=f"{SCRIPT}{j.rater}", task=NASTY[0])
        for j in example.judgements
    ]
    testset = dataclasses.replace(example.testset, name=SCRIPT)
    found = tt.evaluate(testset, systems, ["bleu", "chrf"], judgements=said)
    result = tt.meta_evaluate(tt.add_metrics(found, "human"), "human", trials=20)
    columns: dict[str, list[Any]] = {
        "system": [SCRIPT, *NASTY],
        "group": [SCRIPT] * 5,
        NASTY[1]: [1.0, 2.0, 3.0, 4.0, 9.0],
        SCRIPT: [2.0, 1.0, 3.0, 4.0, 5.0],
    }
    table = score_table(columns, gold=NASTY[1], group=["group"], system="system")
    given = Correlations(table=table, statistics=("pearson",), alpha=0.05, limit=2.5)
    stressed = stress(testset, systems[0], "bleu", noises="delete", seeds=1)
    words = dataclasses.replace(systems[0], outputs=tt.Lines.of([SCRIPT.replace(" ", "")] * len(testset)))
    return {
        "report": tt.make_report(found, trials=20).page,
        "meta": against.meta_page([result, result], headings(tt.add_metrics(found, "human").metrics), [SCRIPT],
                                  trials=20, seed=1),
        "table": correlation_page(given, SCRIPT, SCRIPT),
        "preference": preference_page(preferences(table, trials=20), table, SCRIPT, SCRIPT),
        "stress": stress_page(stressed, SCRIPT),
        "effort": effort_page(tt.effort(edited_rows(SCRIPT), trials=20, names=True)),
        "damage": damage_page(type_damage(testset, words, "bleu"), SCRIPT, {"bleu": NASTY[0]}, SCRIPT),
    }  # fmt: skip


def edited_rows(name: str) -> EditedSegments:
    """Four edited segments of two engines, in which everything that can have a name has this one."""
    return EditedSegments(
        name=name, outputs=tt.Lines.of(["a b", "c", "a x", "d e"]), edited=tt.Lines.of(["a b", "c d", "a", "d e"]),
        engines=(name, name, "other", "other"), segments=("1", "2", "1", "2"), translators=(name, "b", name, "b"),
        documents=("x", name, "x", name), domains=(name,) * 4, seconds=(1.0, 2.0, 3.0, float("nan")),
    )  # fmt: skip


@pytest.fixture(scope="module")
def hostile(example: tt.Evaluation) -> dict[str, Page]:
    return hostile_pages(example)


def test_hostile_names_stay_names(hostile: dict[str, Page]) -> None:
    for name, page in hostile.items():
        text = page.html()
        assert SCRIPT not in text, name
        elements = Elements(text).found
        assert not {tag for tag, _ in elements} & {"img", "base", "iframe", "object", "link"}, name
        assert "\u202e" not in text, name
        for tag, attributes in elements:
            assert not [each for each in attributes if each.startswith("on") or each == "style"], (tag, attributes)
        assert "&lt;script&gt;hacked=1&lt;/script&gt;" in text, name
        ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
        assert len(ids) == len(set(ids)), name


@pytest.mark.slow
def test_hostile_pages_in_a_browser(read: Any, hostile: dict[str, Page], tmp_path: Path) -> None:
    for name, page in hostile.items():
        path = tmp_path / f"{name}.html"
        page.save(path)
        reader = read(path)
        reader.drawn()
        assert reader.page.evaluate("typeof hacked") == "undefined", name


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1440])
def test_pages_in_a_browser(
    read: Any, tmp_path: Path, table: ScoreTable, result: MetaEvaluation, judged: tt.Evaluation, stressed: StressTest,
    width: int,
) -> None:  # fmt: skip
    given = Correlations(table=table, statistics=("tau_b",), alpha=0.05, limit=2.5)
    pages = {
        "table": correlation_page(given, "t", "about"),
        "meta": against.meta_page([result], headings(judged.metrics), ["about"], trials=50, seed=1),
        "effort": effort_page(tt.effort(edited_rows("mt"), trials=20)),
        "stress": stress_page(stressed, "about"),
    }
    for name, page in pages.items():
        path = tmp_path / f"{name}.html"
        page.save(path)
        reader = read(path, width=width, color_scheme="dark")
        reader.drawn()
        assert reader.page.locator("figure svg").count() == reader.page.locator("figure").count() > 0
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
    marks = reader.page.locator(".key").first.inner_text()
    assert "BLEU" in marks
    assert "MacroF" in marks


@pytest.mark.slow
def test_pointing_at_a_contradiction_names_the_systems(
    read: Any, tmp_path: Path, result: MetaEvaluation, judged: tt.Evaluation
) -> None:
    path = tmp_path / "meta.html"
    against.meta_page([result], headings(judged.metrics), ["about"], trials=50, seed=1).save(path)
    reader = read(path)
    reader.drawn()
    panel = reader.page.locator(".panels").first
    diamonds = panel.locator('.mark-symbol.role-mark path:not([d*="A"])')  # circles are arcs, diamonds are not
    assert diamonds.count() == sum(item.contradict for item in verdicts(system_pairs(system_table([result]))))
    diamonds.first.scroll_into_view_if_needed()
    diamonds.first.hover(force=True)
    said = reader.text("#tooltip")
    assert "preferred: " in said
    assert f"verdict: {figures_people.CONTRADICTS}" in said


def test_reasons_beside_several_scales_name_theirs(example: tt.Evaluation) -> None:
    two = [f'human(scale="{scale}")' for scale in ("adequacy", "fluency")]
    bare = dataclasses.replace(example, metrics=(), table={})
    judged = tt.add_metrics(tt.add_metrics(bare, two[0]), two[1])
    titles = [section.title for section in against.sections(People(evaluation=judged), trials=20, seed=1)]
    assert titles == [f"Metrics against people: {metric}" for metric in two]
