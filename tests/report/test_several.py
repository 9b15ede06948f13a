"""Several test sets in one report: figures are those of each test set alone, and the sentence says no more."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.errors import OptionError
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.several import OneOfSeveral, report_several, set_names, set_table, verdict_on_all

from .made_systems import evaluated, references, replaced

LINES = references(140)
METRICS = ["bleu", "ter"]


def made(name: str, shares: dict[str, float], seed: int) -> tt.Evaluation:
    found = evaluated({system: replaced(LINES, share, seed + k) for k, (system, share) in enumerate(shares.items())},
                      LINES, METRICS)  # fmt: skip
    testset = dataclasses.replace(found.testset, name=name)
    return tt.evaluate(testset, found.systems, METRICS)


@pytest.fixture(scope="module")
def evaluations() -> list[tt.Evaluation]:
    return [
        made("one", {"a": 0.05, "b": 0.3, "c": 0.6}, 1),
        made("two", {"a": 0.05, "b": 0.3}, 5),
        made("three", {"b": 0.3, "a": 0.05, "d": 0.7}, 9),
    ]


def several(evaluations: list[tt.Evaluation]) -> list[OneOfSeveral]:
    return [
        OneOfSeveral(name=e.testset.name, results=Results(evaluation=e, trials=400), people=People(evaluation=e))
        for e in evaluations
    ]


def test_the_table_has_the_scores_of_each_test_set(evaluations: list[tt.Evaluation]) -> None:
    given = several(evaluations)
    for metric in evaluations[0].metrics:
        table = set_table(given, metric)
        assert table.heads == ["system", "one", "two", "three", "wins", "leads", "average"]
        rows = {row[0].text: row[1:] for row in table.cells()}
        assert list(rows)[:2] == ["a", "b"]  # those that all test sets have come first
        for k, evaluation in enumerate(evaluations):
            alone = {s.system: s for s in tt.scores(evaluation, confidence=0.95, trials=400) if s.metric == str(metric)}
            verdicts = {i.system: i for i in tt.compare(evaluation, metric, trials=400) if i.baseline == "a"}
            verdicts |= {i.baseline: i for i in tt.compare(evaluation, metric, trials=400) if i.system == "a"}
            for name, cells in rows.items():
                if name not in alone:
                    assert cells[k].text == "–"
                    continue
                score = alone[name]
                assert score.interval is not None
                assert cells[k].value == score.value
                assert f"[{score.interval.low:.1f}, {score.interval.high:.1f}]" in cells[k].text
                assert ("*" in cells[k].text) == (name != "a" and verdicts[name].verdict != "undecided")
        means = [e.scores() for e in evaluations]
        own = [s.value for found in means for s in found if (s.system, s.metric) == ("b", str(metric))]
        assert rows["b"][5].value == pytest.approx(sum(own) / 3)
        assert rows["c"][5].text == "–"
        assert (rows["a"][3].text, rows["a"][4].text, rows["b"][3].text, rows["b"][4].text) == (
            "3",
            "3 of 3",
            "0",
            "0 of 3",
        )
        assert "plain mean over all test sets" in table.note


def test_one_leads_everywhere(evaluations: list[tt.Evaluation]) -> None:
    found = verdict_on_all(several(evaluations))
    assert (found.case, found.sentence, found.more) == (
        "winner", "a leads by every metric in all three test sets.", "No other system does so in any of them."
    )  # fmt: skip


def test_nobody_leads_everywhere(evaluations: list[tt.Evaluation]) -> None:
    other = made("other", {"a": 0.3, "b": 0.05}, 20)
    found = verdict_on_all(several([evaluations[0], other]))
    assert (found.case, found.sentence, found.more) == (
        "split", "No system leads by every metric in both test sets.", "In the lead by every metric: one: a; other: b."
    )  # fmt: skip


def test_several_lead_everywhere() -> None:
    alike = [made(name, {"a": 0.1, "b": 0.1, "c": 0.7}, seed) for name, seed in (("x", 30), ("y", 40))]
    found = verdict_on_all(several(alike))
    assert found.case == "group"
    assert re.fullmatch(r"(a and b|b and a) lead by every metric in both test sets\.", found.sentence)


def test_what_could_not_be_tested_is_named(evaluations: list[tt.Evaluation]) -> None:
    small = evaluated({"a": LINES[:2], "b": ["x", "y"]}, LINES[:2], METRICS)
    small = tt.evaluate(dataclasses.replace(small.testset, name="tiny"), small.systems, METRICS)
    assert verdict_on_all(several([evaluations[0], evaluations[1], small])).more.endswith(" Not tested: tiny.")
    assert verdict_on_all(several([small])).case == "too small"


def test_names_of_test_sets() -> None:
    def named(name: str, source: str | None) -> Any:
        return dataclasses.replace(
            evaluated({"a": LINES}, LINES, ["bleu"]),
            testset=tt.TestSet(segments=1, name=name, source_language=source, target_language=source and "en"),
        )

    assert set_names([named("x", None), named("y", None)]) == ["x", "y"]
    assert set_names([named("wmt", "de"), named("wmt", "ru")]) == ["de-en", "ru-en"]
    assert set_names([named("x", None), named("x", None)]) == ["x 1", "x 2"]


def test_the_page(evaluations: list[tt.Evaluation], tmp_path: Path) -> None:
    report = report_several(evaluations, trials=200)
    assert [section.id for section in report.page.sections] == [
        "summary", "sets", "set-1", "set-2", "set-3", "methods-1", "methods-2", "methods-3",
    ]  # fmt: skip
    text = report.html()
    assert text == report_several(evaluations, trials=200).html()
    assert "a is best, significantly ahead of every other system by both metrics." in text
    hero = report.page.sections[0].data["hero"]
    assert [panel.title for panel in hero.panels] == ["one: BLEU", "two: BLEU", "three: BLEU"]
    report.save(tmp_path / "several.html")
    other = tt.evaluate(evaluations[0].testset, evaluations[0].systems, ["chrf"])
    with pytest.raises(OptionError, match=r"^test sets of one report need the same metrics"):
        report_several([evaluations[0], other])


@pytest.mark.slow
def test_in_a_browser(read: Any, evaluations: list[tt.Evaluation], tmp_path: Path) -> None:
    report_several(evaluations, trials=200).save(tmp_path / "several.html")
    reader = read(tmp_path / "several.html", "#set-2")
    reader.drawn()
    assert reader.page.locator("#set-2 table").first.is_visible()
    ids = reader.page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
    reader.page.evaluate(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
    )
    reader.page.locator("#table-1 [data-copy=latex]").click()
    latex = reader.page.evaluate("window.copied")
    assert r"\begin{tabular}{lrrrrrr}" in latex
    assert " ** " in latex
    assert "[" in latex
