"""Pages without a browser: what stands in them, that it is what the analyses say, and that it is always the same."""

import base64
import dataclasses
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import make_testset

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.metric import REGISTRY
from tertium.core.table import Cell, Column, Table
from tertium.metrics.meteor import Match, Meteor
from tertium.report import findings
from tertium.report.charts import Chart
from tertium.report.figures.overview import at_edge, labelled
from tertium.report.figures.people import reach_of, within
from tertium.report.methods import bibtex
from tertium.report.near import is_far, near_ends
from tertium.report.page import Page, Section, pack, sentence, vega
from tertium.report.people import People
from tertium.report.results import Results, turned
from tertium.report.score_section import score_table
from tertium.report.sections import types
from tertium.report.segments import BETWEEN, runs, texts, units, words
from tertium.report.standing import standings
from tertium.report.trust import trust
from tertium.report.verdict import Verdict, verdict
from tertium.text.synonyms import read_paraphrases

ASSETS = Path(tt.__file__).parent / "report" / "assets"


@pytest.fixture(scope="module")
def results(example: tt.Evaluation) -> Results:
    return Results(evaluation=example, trials=200)


@pytest.fixture(scope="module")
def html(example_file: Path) -> str:
    return example_file.read_text(encoding="utf-8")


def unpacked(html: str, name: str) -> Any:
    [packed] = re.findall(rf'id="data-{name}">([^<]+)<', html)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


# Pages


def test_every_paragraph_of_a_section_is_shown(example: tt.Evaluation) -> None:
    """Whatever template a section has: what is seen, and what is said, folded or not."""
    report = tt.make_report(example, trials=200)
    shown = re.sub(r"</?dfn[^>]*>", "", report.html())  # terms are explained where they stand
    said = [(section.id, text) for section in report.page.sections for text in (section.finding, *section.text)]
    said += [
        (section.id, text)
        for section in report.page.sections
        for part in section.data.get("parts", ())
        for text in (part.title, part.finding, *part.text, *part.points)
    ]
    verdict = report.page.sections[0].data["verdict"]
    said += [("summary", verdict.sentence), ("summary", verdict.more)]
    assert {"summary", "scores", "metrics", "pairs", "parts", "types", "errors", "people", "methods"} <= {
        section for section, text in said if text
    }
    assert [(section, text) for section, text in said if str(sentence(text)) not in shown] == []


def test_the_same_page_has_the_same_bytes(example: tt.Evaluation, html: str) -> None:
    assert tt.make_report(example, trials=200).html() == html


def test_a_server_can_give_its_own_nonce() -> None:
    page = Page(title="t", sections=[Section(id="a", title="A", text=["words"])])
    text = page.html(nonce="abc123")
    assert "script-src 'nonce-abc123'" in text.replace("&#39;", "'")
    assert '<script nonce="abc123">' in text
    assert page.html() == page.html()


def test_charts_bring_the_library_once(html: str) -> None:
    assert html.count('<script type="module"') == 1
    assert html.count(f' id="library">{pack(vega())}</script>') == 1
    plain = Page(title="t", sections=[Section(id="a", title="A", text=["words"])]).html()
    assert '<script type="module"' not in plain
    assert len(plain) < 50_000  # the library has hundreds of thousands


def test_the_library_is_the_one_altair_writes_for() -> None:
    import altair

    major = altair.SCHEMA_VERSION.removeprefix("v").partition(".")[0]
    assert vega().startswith(f"/* Vega-Lite {major}.")
    assert "expressionInterpreter" in vega()
    assert "</script" not in vega()
    assert "<!--" not in vega()


def test_a_library_for_another_altair(monkeypatch: pytest.MonkeyPatch) -> None:
    import altair

    monkeypatch.setattr(altair, "SCHEMA_VERSION", "v7.0.1")
    with pytest.raises(tt.TertiumError, match=r"for Vega-Lite 7, and tertium has 6; pip install \"altair>=6,<7\"$"):
        vega.__wrapped__()


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tertium.report.page.files", lambda _: tmp_path)
    with pytest.raises(tt.TertiumError, match=r"^charts/vega\.js, which draws charts, is not in this installation"):
        vega.__wrapped__()


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    own = html.partition('<script type="module"')[0]  # the library names web addresses in its messages
    assert re.findall(r"(?:src|href)=[\"'](?!#)", own) == []
    assert re.findall(r"https?://", own) == []


def test_a_page_of_ones_own() -> None:
    import altair as alt

    rows = alt.Data(values=[{"x": 1, "y": 2}])
    chart = alt.Chart(rows).mark_point().encode(x="x:Q", y="y:Q")
    table = Table(
        title="T", columns=[Column("name", "text"), Column("value", decimals=3)], rows=[["a", 1.23456], ["b", None]]
    )
    section = Section(id="one", title="One", text=["Words."], tables=[table], charts=[Chart(title="C", chart=chart)])
    text = Page(title="Mine", sections=[section]).html()
    assert "<b>Table 1.</b>" in text
    assert "<b>Figure 1.</b>" in text
    assert 'data-value="1.23456">1.235</td>' in text
    assert "<bdi>–</bdi>" in text


def test_charts_keep_the_sizes_they_name() -> None:
    assert Chart(title="", chart={"mark": "bar", "config": {}}).specifications() == {
        "": {"mark": "bar", "width": "container"}
    }
    assert Chart(title="", chart={"hconcat": []}).specifications() == {"": {"hconcat": []}}
    assert list(Chart(title="", charts={"a": {"mark": "bar"}, "b": {"mark": "bar"}}).specifications()) == ["a", "b"]


def test_cells() -> None:
    table = Table(columns=[Column("a"), Column("b")], rows=[[float("nan"), float("inf")], [Cell("x\u202e", 1.0), 3]])
    assert [[cell.text for cell in row] for row in table.cells()] == [["–", "inf"], ["x\\u202e", "3"]]


@given(st.lists(st.text() | st.integers() | st.none() | st.floats(allow_nan=False, allow_infinity=False)))
def test_what_is_packed_comes_out_again(value: Any) -> None:
    assert json.loads(gzip.decompress(base64.b64decode(pack(value)))) == value


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "accent", "extra", "missing", "problem", "focus"])
@pytest.mark.parametrize("paper", ["paper", "panel"])
def test_contrast(theme: int, ink: str, paper: str) -> None:
    """At least 4.5 to 1, as WCAG 2 asks of text (level AA)."""
    found = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", (ASSETS / "page.css").read_text())
    colours = {name: (light, dark) for name, light, dark in found}
    pair = sorted((luminance(colours[name][theme]) for name in (ink, paper)), reverse=True)
    assert (pair[0] + 0.05) / (pair[1] + 0.05) >= 4.5


# The report says what the analyses say


def test_scores_and_signatures(example: tt.Evaluation, html: str) -> None:
    for score in tt.scores(example, confidence=0.95, trials=200):
        decimals = example.metric(score.metric).decimals
        low_high = f" [{score.interval.low:.{decimals}f}, {score.interval.high:.{decimals}f}]" if score.interval else ""
        assert f"{score.value:.{decimals}f}{low_high}" in html
        assert f"<code>{score.signature}</code>" in html


def test_every_comparison_is_there(example: tt.Evaluation, html: str) -> None:
    pairs = unpacked(html, "numbers")["pairs"]
    for k, metric in enumerate(example.metrics):
        expected = {frozenset((c.baseline, c.system)): c for c in tt.compare(example, metric, trials=200)}
        found = {frozenset((p["first"], p["second"])): p for p in pairs if p["metric"] == k}
        assert found.keys() == expected.keys()
        for names, item in expected.items():
            pair = found[names]
            sign = 1 if pair["first"] == item.system else -1
            assert pair["difference"] == sign * item.difference
            assert pair["p"] == item.adjusted
            assert (pair["won"], pair["lost"])[::sign] == (item.wins, item.losses)


def test_trials_are_those_of_the_commands() -> None:
    texts = {f"s{k}": [line.replace("dog", "cat" if k < 2 else "dog") for line in LINES] for k in range(6)}
    made = evaluation(texts, LINES, ["chrf"])
    results = Results(evaluation=made)
    assert results.comparisons == {"chrf": tt.compare(made)}
    assert [item.verdict for item in results.comparisons["chrf"]].count("undecided") == 1 + 6  # those that are equal


def test_too_few_trials_draw_no_clusters() -> None:
    texts = {f"s{k}": [line.replace("dog", "cat" if k < 2 else "dog") for line in LINES] for k in range(6)}
    results = Results(evaluation=evaluation(texts, LINES, ["chrf"]), trials=10)
    assert results.clusters == {}
    assert said(results).more == "Not resolvable with 10 trials; needs 199."
    assert "chrF: not resolvable with 10 trials; needs 199." in score_table(results).note


def test_turning_a_comparison_twice_changes_nothing(results: Results) -> None:
    for items in results.comparisons.values():
        for item in items:
            assert turned(turned(item)) == item
            assert turned(item).verdict == {"better": "worse", "worse": "better"}.get(item.verdict, "undecided")


def test_segments_in_the_file(example: tt.Evaluation, html: str) -> None:
    numbers, kept = unpacked(html, "numbers"), unpacked(html, "texts")["segments"]
    assert len(kept) == numbers["count"] == 96
    for k, segment in enumerate(kept):
        assert segment["s"] == example.testset.sources[k]
        assert [text.replace(BETWEEN, "") for text in segment["r"]] == list(example.testset.references[k])
    scores = {(s.system, s.segment): s.value for s in example.scores("segment") if s.metric == "chrf"}
    for system, column in zip(numbers["systems"], numbers["scores"][1], strict=True):
        assert column == [round(scores[system, str(k + 1)], 2) for k in range(96)]


def test_findings_mark_what_they_name(example: tt.Evaluation, results: Results) -> None:
    kept = texts(results, results.held.numbers)["segments"]
    for item in tt.diagnose(example):
        spans = [
            f for f in kept[item.segment - 1]["f"] if f[3] is not None and f[0] == results.systems.index(item.system)
        ]
        if item.output is not None:
            outputs = next(s.outputs for s in example.systems if s.name == item.system)
            wanted = outputs[item.segment - 1][slice(*item.output)]
            text = kept[item.segment - 1]["o"][results.systems.index(item.system)].replace(BETWEEN, "")
            assert wanted in [text[slice(*f[3])] for f in spans]


def test_methods_state_everything(example: tt.Evaluation, html: str) -> None:
    methods = html.partition('<section id="methods"')[2].replace("&#34;", '"').replace("&#39;", "'")
    assert example.testset.digest in methods
    assert "200 times, seed 12345" in methods
    for metric in example.metrics:
        for field in dataclasses.fields(metric):  # type: ignore[arg-type]
            assert f"{field.name}=" in methods
    for key in ("papineni2002", "popovic2015", "snover2006", "gowda2021", "koehn2004", "westfall1993", "mcnemar1947"):
        assert f"{{{key}," in methods


def test_bibtex() -> None:
    found = bibtex(
        ['Popović and Žabokrtský (2015), "One"; de Vries (2016), "Two"', 'Popović (2015), "Another"', "nothing"]
    )
    assert re.findall(r"@misc\{(\w+),", found) == ["tertium", "devries2016", "popovic2015b", "popovic2015bb"]
    assert "author = {Popović and Žabokrtský}" in found
    known = bibtex(['Popović (2017), "chrF++: words helping character n-grams"'])
    assert "booktitle = {Proceedings of the Second Conference on Machine Translation}" in known


def test_names_that_would_overlap_are_left_out() -> None:
    """Beside its point on one side or the other; where both would cover something, nowhere."""
    places = {"a": (50.0, 60.0), "b": (49.9, 60.0), "c": (49.8, 60.0), "d": (10.0, 20.0), "e": (99.0, 20.0)}
    rows = [{"system": name, "said": name, "x": x, "y": y, "out": False} for name, (x, y) in places.items()]
    found = labelled(rows, [(0.0, 100.0), (0.0, 100.0)])
    assert [(row["label"], row["left"]) for row in found] == [
        ("a", False), ("b", True), ("", False), ("d", False), ("e", True)
    ]  # fmt: skip
    far = [{**rows[2], "said": "c: 1.0, 2.0", "out": True}, *rows[:2]]  # which nothing else would tell
    assert [row["label"] for row in labelled(far, [(0.0, 100.0), (0.0, 100.0)])] == ["c: 1.0, 2.0", "a", ""]


def test_one_bad_system_does_not_squeeze_the_others() -> None:
    values = [30.0, 29.0, 28.0, 27.0, 2.0]
    assert [is_far(value, values, 30.0) for value in values] == [False] * 4 + [True]  # the middle one is 2.5 behind
    low, high = near_ends(values, "higher")
    assert 26 < low < 27
    assert 30 < high < 31
    row = {"system": "s", "x": 2.0, "y": 29.0, "BLEU": "2.0", "chrF": "29.0"}
    placed = at_edge(row, [(low, high), (low, high)], ["BLEU", "chrF"])
    assert placed["shape"] == "triangle-left"
    assert low < placed["x"] < 27
    assert (placed["y"], placed["said"]) == (29.0, "s: 2.0, 29.0")
    assert near_ends([5.0, 5.0, 5.0, 9.0], "lower") == (4.68, 9.32)  # most are equal: nothing says what is far


def test_pairs_far_off_stand_at_the_edge() -> None:
    across = reach_of([1.0, -1.0, 2.0, -2.0, 40.0])
    assert across[0] < -2
    assert 2 < across[1] < 3
    row = {"verdict": "agrees with people", "metric": 40.0, "people": 9.0}
    placed = within(row, across, (0.0, 3.0))
    assert placed["drawn"] == "right"
    assert across[1] - 0.2 < placed["x"] < across[1]
    assert placed["metric"] == 40.0  # which is told to who points at it
    assert within({**row, "metric": 1.0}, across, (0.0, 3.0))["drawn"] == "up"
    assert within({**row, "metric": 1.0, "people": 2.0}, across, (0.0, 3.0))["drawn"] == "agrees with people"


# Words


def said(results: Results) -> Verdict:
    found = standings(results, People(evaluation=results.evaluation))
    alone = results.scores.get((results.systems[0], str(results.metrics[0])))
    return verdict(found, len(results.evaluation.testset), alone)


def test_summary(results: Results) -> None:
    found = said(results)
    assert found.sentence == "atlas is best, significantly ahead of every other system by all 4 metrics."
    assert found.more == (
        "delta, cinder and brook are behind by every metric, by 8.0, 23.5 and 26.6 BLEU. People agree: they rate every "
        "other system that they judged significantly lower."
    )
    assert findings.order(results) == (
        "All 4 metrics put 5 of 6 pairs of systems in the same order: they part on cinder and brook."
    )
    counts = {
        results.plain_title(metric): sum(item.verdict != "undecided" for item in results.comparisons[str(metric)])
        for metric in results.metrics
    }
    assert sorted(counts.values()) == [5, 5, 5, 6]
    [most] = [name for name, count in counts.items() if count == 6]
    others = [name for name in counts if name != most]
    assert findings.told_apart(results) == (
        f"Of 6 pairs of systems, {most} tells 6 apart; {', '.join(others[:2])} and {others[2]} each tell 5 apart."
    )


def evaluation(
    outputs: dict[str, list[str | None]], references: list[str], metrics: Any = ("bleu", "ter"), **facts: Any
) -> Any:
    n = len(references)
    testset = tt.TestSet(segments=n, references=tt.References((tt.Lines.of(references),), n), **facts)
    systems = [
        tt.System(name=name, outputs=tt.Lines.of(texts), run=name.partition("@")[2] or None)
        for name, texts in outputs.items()
    ]
    return tt.evaluate(testset, systems, metrics)


LINES = [f"The {word} dog number {k} runs along the river." for k in range(12) for word in ("old", "new")]


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ({"a": LINES}, "a scores 100.0 BLEU, with a 95 % interval from 100.0 to 100.0."),
        ({"a": LINES, "b": LINES}, "Nothing can be said of which system is better: no difference could be significant"),
        ({"a": [None] * 24, "b": LINES}, "b has the best BLEU score, but systems were not compared."),
        ({"a": [*LINES[:23], ""], "b": LINES}, "Nothing can be said of which system is better"),
    ],
)
def test_summaries_of_odd_evaluations(outputs: Any, words: str) -> None:
    made = evaluation(outputs, LINES)
    results = Results(evaluation=made, trials=10)
    assert said(results).sentence.startswith(words)
    assert words.replace(" %", "\u00a0%") in tt.make_report(made, trials=10).html()


# Odd evaluations


def test_one_segment() -> None:
    text = tt.make_report(
        evaluation({"a": ["One dog."], "b": ["A dog."]}, ["One dog."], ["bleu", "macrof1"]), trials=10
    ).html()
    assert "Segments" in text


def test_words_of_a_system_alone() -> None:
    made = evaluation({"a": [line.replace("old", "cold") for line in LINES]}, LINES, ["bleu", "macrof1"])
    text = tt.make_report(made, trials=10).html()
    assert "Words that a gets wrong most often" in text
    word = r'<a href="#segments\?word={0}"><bdi>{0}</bdi></a></th><td [^>]*{1}'
    assert re.search(word.format("cold", ">0</td>"), text) or re.search(word.format("old", "data-value=.12."), text)


def test_type_averages_alone() -> None:
    text = tt.make_report(evaluation({"a": LINES, "b": LINES[::-1]}, LINES, ["macrof1"]), trials=10).html()
    assert "macrof: a percentile interval is not valid for a type average" in text


def test_runs_are_compared_by_the_bootstrap() -> None:
    made = evaluation({"a@1": LINES, "a@2": [*LINES[1:], "x"], "b": LINES[::-1]}, LINES, ["bleu", "chrf"])
    systems = tuple(dataclasses.replace(s, run=s.name.partition("@")[2] or None) for s in made.systems)
    text = tt.make_report(dataclasses.replace(made, systems=systems), trials=20).html()
    assert "Paired bootstrap: segments, and the runs" in text
    assert "<bdi>a@2</bdi>" in text


def test_texts_left_out(example: tt.Evaluation, tmp_path: Path) -> None:
    tt.save(example, tmp_path / "e.tertium", texts=False)
    text = tt.make_report(tt.load(tmp_path / "e.tertium"), trials=20).html()
    assert "52.8" in text
    assert 'id="browser"' not in text
    assert 'id="data-texts"' not in text


def test_gaps_of_merged_evaluations() -> None:
    one = evaluation({"a": LINES}, LINES, ["bleu"])
    other = evaluation({"a": LINES, "b": LINES[::-1]}, LINES, ["chrf", "macrof1"])
    text = tt.make_report(one.merge(other), trials=20).html()
    assert "–" in text
    assert "systems are not compared by BLEU: no statistics of system &#39;b&#39; under bleu" in text


def test_nothing_to_report(example: tt.Evaluation) -> None:
    empty = dataclasses.replace(example, metrics=(), table={})
    with pytest.raises(OptionError, match=r"^the evaluation has no scores to report; make it with tertium\.evaluate"):
        tt.make_report(empty)
    with pytest.raises(OptionError, match=r"^0 trials: at least one is needed$"):
        tt.make_report(example, trials=0)


def test_a_metric_from_elsewhere_needs_no_explanation() -> None:
    before = dict(REGISTRY)
    try:

        @tt.metric
        class Length:
            name, title, better, range = "length", "length", "higher", (0.0, float("inf"))
            needs, resampling, decimals = frozenset({"references"}), "percentile", 1

            def prepare(self, testset: Any, run: Any) -> Any:  # noqa: ARG002
                from tertium.core.metric import Prepared

                return Prepared(references=testset.references)

            def stats(self, outputs: Any, prepared: Any, run: Any) -> Any:  # noqa: ARG002
                import numpy as np

                rows = np.stack([outputs.lengths(), np.ones(len(outputs))], axis=1).astype(float)
                return tt.Stats(("bytes", "n"), rows, None)

            def score(self, sums: Any) -> Any:
                from tertium.core.numbers import columns, ratio

                return ratio(*columns(sums))

        text = tt.make_report(evaluation({"a": LINES, "b": ["x"] * 24}, LINES, ["length"]), trials=200).html()
        assert "a is best, significantly ahead of b by length." in text
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)


# Who leads


def test_the_leader_of_common_segments_may_be_another() -> None:
    """Scores are of the segments that each system has, tests of those that both have."""
    half = ["The old cat sat by the river."] * 12
    a: list[str | None] = [*LINES[:12], *([None] * 12)]
    b = [*LINES[:6], *(text.replace("dog", "hound") for text in LINES[6:12]), *half]
    a[:6] = [str(text).replace("along", "by") for text in a[:6]]
    a[6:12] = [str(text).replace("old", "young").replace("new", "fresh").replace("along", "by") for text in a[6:12]]
    results = Results(evaluation=evaluation({"a": a, "b": list(b)}, LINES, ["bleu"]), trials=200)
    [bleu] = results.metrics
    assert results.value("a", bleu) > results.value("b", bleu)
    item = results.pair(bleu, "a", "b")
    assert item is not None
    assert (item.difference > 0) == (item.system == "b")  # on the 12 segments scored for both, b is ahead
    [standing] = standings(results, People(evaluation=results.evaluation))
    assert (standing.best, standing.behind("b"), standing.place("b").gap < 0) == ("a", False, True)
    assert "best" not in said(results).sentence
    table = score_table(results)
    assert "*" not in str(table.rows[1][1])  # b is not worse than a


def test_runs_are_ranked_by_their_mean() -> None:
    """One lucky run does not make a system the best."""
    worse = [text.replace("river", "lake") for text in LINES]
    bad = ["The cat."] * 24
    outputs = {"a@1": LINES, "a@2": bad, "b@1": worse, "b@2": worse}
    results = Results(evaluation=evaluation(dict(outputs), LINES, ["bleu", "chrf"]), trials=200)
    assert results.systems[0] == "a@1"
    assert list(results.groups) == ["b", "a"]
    assert {standing.best for standing in standings(results, People(evaluation=results.evaluation))} == {"b"}


def test_too_much_is_not_compared_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.report.results.AT_MOST", 1)
    results = Results(evaluation=evaluation({"a": LINES, "b": LINES[::-1]}, LINES, ["bleu"]), trials=200)
    assert results.comparisons == {}
    assert any("systems are not compared by BLEU: a test of so many" in note for note in results.warnings)
    assert said(results).sentence == "a has the best BLEU score, but systems were not compared."


def test_what_cannot_differ_is_no_detectable_difference() -> None:
    empty = [""] * 24
    results = Results(evaluation=evaluation({"a": list(empty), "b": list(empty)}, LINES, ["bleu"]), trials=200)
    found = standings(results, People(evaluation=results.evaluation))
    assert not any("finds" in item.before for item in trust(results, People(evaluation=results.evaluation), found))


def test_the_usual_detectable_difference_is_the_median_beside_the_best() -> None:
    outputs = {
        name: [line[: len(line) - 3 * k * (i % 4)] for i, line in enumerate(LINES)] for k, name in enumerate("abcd")
    }
    results = Results(evaluation=evaluation(outputs, LINES, ["chrf"]), trials=200)
    [standing] = standings(results, People(evaluation=results.evaluation))
    known = sorted(i.detectable for i in results.comparisons["chrf"] if standing.best in (i.baseline, i.system))
    assert len(known) == 3
    assert len({f"{value:.1f}" for value in known}) == 3
    assert standing.detectable == known[1]
    [power] = [t for t in trust(results, People(evaluation=results.evaluation), [standing]) if "finds" in t.before]
    assert (power.before, power.strong) == ("finds differences of about ", f"{standing.detectable:.1f} chrF")


# Texts as words


@given(st.text(st.characters(exclude_characters=BETWEEN, exclude_categories=["Cs"])))
def test_marks_change_nothing(text: str) -> None:
    for tokenizer in ("13a", "zh", "char"):
        assert words(text, tt.tokenize(text, tokenizer)).replace(BETWEEN, "") == text


def test_words_are_the_tokenizers() -> None:
    text = 'He said: "3.5 kg, not 4."'
    assert [part.strip() for part in words(text, tt.tokenize(text)).split(BETWEEN)] == tt.tokenize(text)
    plain = "&quot;x&quot;"
    assert words(plain, tt.tokenize(plain)) == plain  # 13a reads it as quotation marks: no words are marked


def meteor(output: str, reference: str) -> float:
    metric = Meteor()
    return float(metric.score(metric.stats(tt.Lines.of([output]), metric.prepare(make_testset([[reference]]))).sums()))


def test_segments_have_meteors_words_and_matches(aligned: tt.Evaluation) -> None:
    """Of the reference that scores best; matches come apart again as METEOR found them."""
    metric = Meteor()
    results = Results(evaluation=aligned, trials=10)
    outputs = {system.name: system.outputs for system in aligned.systems}
    page = texts(results, results.held.numbers)
    _, legend = page["marks"]  # after BLEU
    assert (legend["name"], legend["read"], legend["aligned"], legend["styles"]) == ("METEOR", True, True, [])
    assert legend["kinds"][0] == "exact"
    assert set(legend["kinds"]) == {"exact", "stem", "synonym"}
    for number, segment in enumerate(page["segments"]):
        references = list(aligned.testset.references[number])
        _, marks = segment["m"]
        for name, (place, how, row, *_) in zip(results.systems, marks["o"], strict=True):
            output = str(outputs[name][number])
            best = max(references, key=lambda reference: meteor(output, reference))
            expected = metric.align(output, best)
            reference, reading = marks["r"][place]
            assert references[reference] == best
            assert read_as(how, output) == " ".join(expected.output)
            assert read_as(reading, best) == " ".join(expected.reference)
            linked = list(single_words(row, " ".join(expected.output), " ".join(expected.reference), legend["kinds"]))
            assert linked == expected.matches


def read_as(how: int | str, text: str) -> str:
    """The text as the page's script makes it."""
    if isinstance(how, str):
        return how
    spaced = " ".join(tt.tokenize(text))
    return [text, text.lower(), spaced, spaced.lower()][how]


def test_without_meteors_tables_there_is_no_alignment(tmp_path: Path) -> None:
    """A saved evaluation is reported where its tables are not; a device in their place is not read for ever."""
    table = tmp_path / "table.txt"
    table.write_text("1.0\nthe old dog\nthe dog\n")
    scored = evaluation({"a": LINES}, LINES, [f'meteor(stages=("exact", "paraphrase:{table}"))'])
    results = Results(evaluation=scored, trials=10)
    assert "m" in texts(results, results.held.numbers)["segments"][0]
    read_paraphrases.cache_clear()
    table.unlink()
    results = Results(evaluation=scored, trials=10)
    assert "m" not in texts(results, results.held.numbers)["segments"][0]
    table.symlink_to("/dev/zero")
    results = Results(evaluation=scored, trials=10)
    assert "m" not in texts(results, results.held.numbers)["segments"][0]


def single_words(row: list[int], output: str, reference: str, kinds: list[str]) -> Iterator[Match]:
    """Links of characters as matches of words, told apart again."""
    numbers, end, until = iter(row), 0, 0
    for code in numbers:
        start = end + next(numbers)
        end = start + next(numbers)
        at = until + next(numbers)
        until = at + (next(numbers) if code % 2 else end - start)
        i, j = output[:start].count(" "), reference[:at].count(" ")
        n, m = output[start:end].count(" ") + 1, reference[at:until].count(" ") + 1
        if kinds[code // 2] == "paraphrase":
            yield Match("paraphrase", (i, i + n), (j, j + m))
        else:
            assert n == m
            yield from (Match(kinds[code // 2], (i + k, i + k + 1), (j + k, j + k + 1)) for k in range(n))


@given(st.text("=SDI"))
def test_runs(operations: str) -> None:
    letters = "".join(letter * int(number or 1) for number, letter in re.findall(r"(\d*)(\D)", runs(operations)))
    assert letters == operations


def test_units_are_javascripts() -> None:
    assert units("a\U0001f600b", (1, 3)) == [1, 4]
    assert units("abc", (1, 3)) == [1, 3]
    assert units(None, (1, 3)) is units("abc", None) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("מערכת ג 54.2 %, b 3", "<bdi>מערכת ג</bdi> 54.2 %, b 3"),
        ("نظام 2 أ, נ & <b>", "<bdi>نظام 2 أ</bdi>, <bdi>נ</bdi> &amp; &lt;b&gt;"),
        ("\u202eemos", "\\u202eemos"),
        ("naïve 中文 Ελλάδα", "naïve 中文 Ελλάδα"),
    ],
)
def test_names_from_right_to_left_take_no_number_along(text: str, shown: str) -> None:
    assert sentence(text) == shown


def test_a_metric_by_which_systems_were_not_compared_has_no_clusters() -> None:
    made = evaluation({"a": LINES, "b": LINES[::-1], "c": LINES[1:] + LINES[:1]}, LINES, ("bleu", "chrf"))
    results = Results(evaluation=made)
    assert re.fullmatch(r"BLEU and chrF each cut the systems into \d clusters\.", findings.clusters(results))
    del results.clusters["chrf"]  # as where the test would take too long
    assert re.fullmatch(r"BLEU cuts the systems into \d clusters\.", findings.clusters(results))


def test_lines_stand_where_clusters_end() -> None:
    made = evaluation({"a": LINES, "b": LINES, "c": LINES, "d": LINES}, LINES, ["bleu"])
    results = Results(evaluation=made)
    results.clusters["bleu"] = [["a"], ["b", "c"], ["d"]]
    assert list(score_table(results).rules) == [1, 3]
    results.clusters["bleu"] = [["a", "b", "c", "d"]]
    assert list(score_table(results).rules) == []


def test_clusters_do_not_hide_who_keeps_up_with_the_best() -> None:
    """b is worse than a, but c, between them, is neither worse than a nor better than b: one cluster, two leaders."""
    made = evaluation({"a": LINES, "b": LINES, "c": LINES}, LINES, ["bleu"])
    results = Results(evaluation=made)
    verdicts = {("a", "b"): "worse", ("a", "c"): "undecided", ("b", "c"): "undecided"}
    results.comparisons["bleu"][:] = [
        dataclasses.replace(
            c, verdict=verdicts[c.baseline, c.system], difference=-1.0, adjusted=0.01, unresolvable=None
        )
        for c in results.comparisons["bleu"]
    ]
    assert [row[1].text.partition("]")[2] for row in score_table(results).cells()] == ["", " **", ""]
    assert list(score_table(results).rules) == []
    assert said(results).sentence == "Two systems lead, and BLEU does not tell them apart: a and c."
    assert said(results).more == "b is behind, by 1.0 BLEU."


def test_a_list_of_no_words_is_left_out() -> None:
    made = evaluation({"a": LINES, "b": ["", *LINES[1:]]}, LINES, ("bleu", "macrof1"))
    section = types(Results(evaluation=made, trials=50))
    assert section is not None
    assert [table.title for table in section.tables[1:]] == ["Words on which a does better"]


@pytest.mark.parametrize(("hits", "named"), [(4, False), (7, False), (21, True)])
def test_errors_are_named_where_they_are_more_than_luck(hits: int, named: bool) -> None:
    """The reference has a loop in one of 60 segments, which excuses the system's there: three others are three times as
    many, and may be luck."""
    lines = [f"a quiet line of six words {k}" for k in range(60)]
    loops = [f"{line} again again again" for line in lines]
    reference = [loops[59], *lines[1:]]
    outputs = {"good": lines, "loopy": [*loops[:hits], *lines[hits:]]}
    testset = tt.TestSet(segments=60, references=tt.References((tt.Lines.of(reference),), 60))
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in outputs.items()]
    seen = findings.errors(Results(evaluation=tt.evaluate(testset, systems, ["bleu"]), trials=50))
    assert seen.startswith("More than twice as often as in the reference: repetition (loopy most, 33.3 %; ") is named
    assert ("repetition" in seen) is named
    none = "No detector finds something in a system more than twice as often as in the reference, beyond luck."
    assert seen.startswith(none) is not named
