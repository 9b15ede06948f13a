"""Several test sets in one report: figures are those of each test set alone, and the sentence says no more."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.errors import OptionError
from tertium.report.one_of_several import OneOfSeveral, set_names
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.set_table import average, average_interval, most_wins, replicates, set_table
from tertium.report.several import report_several, verdict_on_all
from tertium.report.shipping import in_all_sets

from .made_systems import evaluated, rated, references, replaced
from .test_verdict import standing

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
        table = set_table(given, metric, replicates(given))
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
        assert re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]", rows["b"][5].text)


def half(interval: Any) -> float:
    return float(interval.high - interval.low) / 2


def test_the_interval_of_an_average_is_of_independent_test_sets() -> None:
    """Of means of ratings it is known: the variances of the test sets' means add up, divided by their number squared.
    Twice the same test set would have the interval of one if both were drawn alike."""
    judged = rated({"a": 60}, range(140))
    made = evaluated({"a": LINES}, LINES, ["human"], judged)
    short = dataclasses.replace(made, judgements=[j for j in judged if j.segment < 50])
    both = [made, tt.evaluate(made.testset, made.systems, ["human"], judgements=short.judgements)]
    given = [
        OneOfSeveral(name=str(k), results=Results(evaluation=e, trials=4000), people=People(evaluation=e))
        for k, e in enumerate(both)
    ]
    [metric] = made.metrics
    squares = []
    for evaluation in both:
        values = evaluation.stats("a", metric).segments()
        values = values[values[:, -1] > 0][:, 0]
        squares.append(float(values.var()) / len(values))
    found = average_interval(given, replicates(given), metric, "a")
    assert found is not None
    assert half(found) == pytest.approx(1.96 * sum(squares) ** 0.5 / 2, rel=0.05)
    assert found.low < average(given, metric, "a") < found.high
    twice = [dataclasses.replace(given[0], name=name) for name in "xy"]
    same = average_interval(twice, replicates(twice), metric, "a")
    alone = average_interval(twice[:1], replicates(twice[:1]), metric, "a")
    assert half(same) == pytest.approx(half(alone) / 2**0.5, rel=0.05)


def test_an_average_without_an_interval() -> None:
    lines = LINES[:40]
    made = evaluated({"a": lines, "b@1": lines, "b@2": lines[::-1]}, lines, ["macrof1", "bleu"])
    given = several([made, made])
    drawn = replicates(given)
    macrof, bleu = made.metrics
    assert average_interval(given, drawn, macrof, "a") is None  # a percentile interval would not be valid
    assert average_interval(given, drawn, bleu, "b") is None  # of several runs
    assert average_interval(given, drawn, bleu, "a") is not None
    rows = {row[0].text: row[-1].text for row in set_table(given, bleu, drawn).cells()}
    assert rows["a"] == "100.0 [100.0, 100.0]"
    assert "[" not in rows["b"]


def test_who_wins_most(evaluations: list[tt.Evaluation]) -> None:
    given, metric = several(evaluations), evaluations[0].metrics[0]
    assert most_wins(given, metric) == "a has the best BLEU in all 3 test sets."
    assert most_wins(given[:2], metric) == "a has the best BLEU in both test sets."
    other = several([evaluations[0], made("other", {"a": 0.3, "b": 0.05}, 20)])
    assert most_wins(other, metric) == "b and a each have the best BLEU in 1 of 2 test sets."


# With a baseline


def test_to_ship_in_several_test_sets() -> None:
    """a is the baseline; in `standing`, pairs such as `ba` say that a is worse than b."""
    better, level, worse = (
        [standing("bleu", "ba", {"ba"}), standing("chrf", "ba", {"ba"})],
        [standing("bleu", "ab", set()), standing("chrf", "ab", set())],
        [standing("bleu", "ab", {"ab"}), standing("chrf", "ab", set())],
    )
    found = in_all_sets({"x": better, "y": better}, "a")
    assert (found.case, found.about, found.more) == ("ship", "b", "")
    assert found.sentence == (
        "Ship b: in both test sets it is significantly better than a by more than half of metrics and ratings, and in "
        "none significantly worse by any."
    )
    found = in_all_sets({"x": better, "y": better, "z": level}, "a")
    assert found.sentence.startswith("Ship b: in two of three test sets it is significantly better than a")
    assert found.more == "Ship: x and y; cannot say: z."
    found = in_all_sets({"x": better, "y": level, "z": level}, "a")
    assert (found.case, found.sentence) == (
        "cannot say", "Cannot say whether to ship b: only one of three test sets says that it is better than a."
    )  # fmt: skip
    found = in_all_sets({"x": level, "y": level}, "a")
    assert found.sentence == "Cannot say whether to ship b: no test set says that it is better than a."
    found = in_all_sets({"x": better, "y": better, "z": worse}, "a")
    assert (found.case, found.sentence, found.more) == (
        "cannot say",
        "Cannot say whether to ship b: it is significantly better than a in x and y, and significantly worse by some "
        "metric or rating in z.",
        "Ship: x and y; do not ship: z.",
    )
    found = in_all_sets({"x": level, "z": worse}, "a")
    assert (found.case, found.sentence) == (
        "do not ship",
        "Do not ship b: in one of two test sets it is significantly worse than a by some metric or rating and better "
        "by none; no test set says ship.",
    )
    found = in_all_sets({"x": [standing("bleu", "abc", {"ab", "ac"})], "z": worse}, "a")
    assert found.more == "Not in all test sets: c."
    found = in_all_sets({"x": [standing("bleu", "ac", {"ac"})], "z": worse}, "a")
    assert found.sentence == "Cannot say: no other system than a is in all test sets."


def test_a_page_with_a_baseline(evaluations: list[tt.Evaluation]) -> None:
    page = tt.report_several(evaluations, trials=200, baseline="b").page
    assert page.sections[0].data["verdict"].sentence.startswith("Ship a: in all three test sets it is significantly ")
    assert page.sections[0].data["hero"].origin == "b"
    [table] = page.sections[0].tables
    assert table.title == "The 10 worst regressions of a against b, by BLEU"
    changes = [row[-1].value for row in table.cells()]
    assert changes == sorted(changes)
    links = {(row[0].text, row[1].link.partition("#")[0]) for row in table.cells()}
    assert links <= {("one", "?set=1"), ("two", "?set=2"), ("three", "?set=3")}
    losses = [
        scores["a", k] - scores["b", k]
        for e in evaluations
        for scores in [{(s.system, int(s.segment)): s.value for s in e.scores("segment") if s.metric == "bleu"}]
        for k in range(1, 141)
    ]
    assert changes == pytest.approx(sorted(losses)[:10])
    assert page.sections[5].finding == "Ship a: it is significantly better than b by both metrics."
    with pytest.raises(OptionError, match=r"^two: no system is called c; there are: a, b$"):
        tt.report_several(evaluations, baseline="c")
    with pytest.raises(OptionError, match=r"^no evaluation is given; "):
        tt.report_several([])


def test_frozen_scores_beside_several_test_sets(evaluations: list[tt.Evaluation]) -> None:
    page = tt.report_several(evaluations, trials=100, against=[tt.freeze(evaluations[0])]).page
    said = [text for section in page.sections for part in section.data.get("parts", []) for text in part.text]
    assert sum("scores of systems in" in text for text in said) == 6  # two metrics, three test sets


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
        "summary", "sets", "segments", "pairs", "set-1", "set-2", "set-3", "methods-1", "methods-2", "methods-3",
        "methods-all",
    ]  # fmt: skip
    text = report.html()
    assert text == report_several(evaluations, trials=200).html()
    assert "a is best, significantly ahead of every other system by both metrics." in text
    hero = report.page.sections[0].data["hero"]
    assert [panel.title for panel in hero.panels] == ["one: BLEU", "two: BLEU", "three: BLEU"]
    assert "seeds 12345, 12346 and 12347" in report.page.sections[-1].text[0]
    assert list(report.page.data) == [f"{what}-{k}" for k in (1, 2, 3) for what in ("numbers", "texts")]
    report.save(tmp_path / "several.html")
    other = tt.evaluate(evaluations[0].testset, evaluations[0].systems, ["chrf"])
    with pytest.raises(OptionError, match=r"^test sets of one report need the same metrics"):
        report_several([evaluations[0], other])


def test_a_test_set_without_texts(evaluations: list[tt.Evaluation], tmp_path: Path) -> None:
    tt.save(evaluations[0], tmp_path / "e.tertium", texts=False)
    bare = tt.load(tmp_path / "e.tertium")
    page = report_several([bare, evaluations[1]], trials=50, baseline="b").page
    assert list(page.data) == ["numbers-2", "texts-2"]
    assert next(section for section in page.sections if section.id == "segments").data["sets"] == [(2, "two", 140)]
    assert page.sections[0].tables[0].heads == ["test set", "segment", "b", "a", "change"]
    assert "sets.js" in page.scripts
    page = report_several([bare], trials=50).page
    assert (page.scripts, page.data) == ([], {})
    assert "segments" not in [section.id for section in page.sections]


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
    [row] = [line for line in latex.splitlines() if line.startswith("a & ")]
    assert len(re.findall(r"\[[\d.]+, [\d.]+\]", row)) == 4  # three test sets and their average


@pytest.mark.slow
def test_the_segments_of_each_test_set(read: Any, evaluations: list[tt.Evaluation], tmp_path: Path) -> None:
    report_several(evaluations, trials=200, baseline="b").save(tmp_path / "several.html")
    reader = read(tmp_path / "several.html")
    reader.drawn()
    systems = "[...document.getElementById('first').options].map((each) => each.textContent)"
    assert reader.page.evaluate(systems) == ["a", "b", "c"]
    assert reader.text("#sets-shown [aria-current]") == "one (140 segments)"
    assert reader.page.locator("#pair-words").inner_text().startswith("BLEU: a ")
    reader.page.locator("#sets-shown a", has_text="three").click()
    reader.page.wait_for_url("**/several.html?set=3#segments")
    reader.page.wait_for_selector("html[data-ready]")
    assert reader.page.evaluate(systems) == ["a", "b", "d"]
    assert reader.text("#sets-shown [aria-current]") == "three (140 segments)"
    link = reader.page.locator("#summary table a").first
    address = link.get_attribute("href")
    link.click()
    reader.page.wait_for_selector("html[data-ready]")
    assert reader.page.url.endswith(address)
    number = address.rpartition("segment=")[2]
    reader.until(f"document.querySelector('#detail h3')?.textContent === 'Segment {number}'")
    odd = read(tmp_path / "several.html", "?set=17")  # there is none
    assert odd.text("#sets-shown [aria-current]") == "one (140 segments)"


def test_a_system_has_one_colour_in_all_test_sets() -> None:
    """Though it stands elsewhere in each: the order of the first chart says which."""
    outputs = {f"s{k}": replaced(LINES, 0.05 + 0.05 * k, k) for k in range(4)}
    turned = {name: replaced(LINES, 0.3 - 0.05 * k, k) for k, name in enumerate([*outputs, "new"])}
    made = [evaluated(each, LINES, ["bleu", "chrf"]) for each in (outputs, turned)]
    page = tt.report_several(made, trials=200).page
    one, other = page.data["numbers-1"], page.data["numbers-2"]
    assert one["systems"] != other["systems"][: len(one["systems"])]
    assert one["looks"] == other["looks"]
    [first] = [section for section in page.sections if section.first]
    assert list(one["looks"]) == list(first.data["hero"].systems)
    colours = []
    for section in page.sections:
        for chart in section.charts:
            for spec in chart.specifications().values():
                for layer in spec.get("layer", [spec]):
                    scale = layer.get("encoding", {}).get("color", {}).get("scale") or {}
                    if str(scale.get("range", [""])[0]).startswith("var(--s") and "new" in scale.get("domain", ()):
                        colours.append(dict(zip(scale["domain"], scale["range"], strict=True)))
    assert colours
    expected = {name: f"var(--s{look % 8 + 1})" for name, look in one["looks"].items()}
    assert all(each == {name: expected[name] for name in each} for each in colours)
