"""What stands above figures and tables, the first chart, and terms: from made systems, and counted again."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from itertools import combinations, pairwise

import pytest

import tertium as tt
from tertium.report import findings
from tertium.report.figures.parts import contrast_of_best, length_names
from tertium.report.first_section import alone
from tertium.report.glossary import HEADS, TERMS, explained
from tertium.report.hero import grid, hero
from tertium.report.page import with_terms
from tertium.report.results import Results
from tertium.report.score_section import score_table
from tertium.report.sections import types_of_one
from tertium.report.words import in_words, listed, scale_title, times, with_note

from .made_systems import evaluated, inflected, rated, references, replaced, stood

LINES = [line + " and so on" * (3 * (k % 4)) for k, line in enumerate(references(120))]
OUTPUTS = {name: replaced(LINES, share, seed) for seed, (name, share) in enumerate(
    {"best": 0.05, "next": 0.1, "third": 0.2, "last": 0.7}.items())}  # fmt: skip


@pytest.fixture(scope="module")
def results() -> Results:
    made = evaluated(OUTPUTS, LINES, ["bleu", "ter", "macrof1"])
    testset = dataclasses.replace(made.testset, documents=tuple(f"d{k // 10}" for k in range(120)))
    return Results(evaluation=tt.evaluate(testset, made.systems, ["bleu", "ter", "macrof1"]), trials=400)


def test_order_of_systems(results: Results) -> None:
    far = {name: OUTPUTS[name] for name in ("best", "third", "last")}
    made = Results(evaluation=evaluated(far, LINES, ["bleu", "ter", "macrof1"]), trials=200)
    assert findings.order(made) == "All 3 metrics put the systems in the same order."
    values = [[results.value(name, metric) for name in OUTPUTS] for metric in results.metrics]
    values[1] = [-value for value in values[1]]  # TER: lower is better
    same = sum(len({row[a] > row[b] for row in values}) == 1 for a, b in combinations(range(4), 2))
    assert findings.order(results).startswith(f"All 3 metrics put {same} of 6 pairs of systems in the same order: ")
    made = evaluated({"endings": inflected(LINES, 0.5, 1), "words": replaced(LINES, 0.3, 2)}, LINES, ["bleu", "chrf"])
    split = Results(evaluation=made, trials=200)
    assert findings.order(split) == "The two systems are not put in the same order by both metrics."
    assert findings.order(Results(evaluation=evaluated({"a": LINES}, LINES, ["bleu", "chrf"]))) == ""


def test_spread_of_segments(results: Results) -> None:
    values = sorted(s.value for s in results.evaluation.scores("segment") if (s.system, s.metric) == ("best", "bleu"))
    said = re.fullmatch(
        r"Half of best's segments score from ([\d.]+) to ([\d.]+) BLEU(; .*)?\.", findings.spread(results)
    )
    assert said is not None
    inside = [value for value in values if float(said[1]) - 0.05 <= value <= float(said[2]) + 0.05]
    assert 0.5 <= len(inside) / len(values) <= 0.6 or said[2] == "100.0"
    scores = [results.value(name, results.metrics[0]) for name in OUTPUTS]
    wide = float(said[2]) - float(said[1]) > 2 * (max(scores) - min(scores))
    assert (said[3] is not None) == wide


def test_pairs_told_apart(results: Results) -> None:
    counts = {m: sum(i.verdict != "undecided" for i in items) for m, items in results.comparisons.items()}
    assert findings.told_apart(results) == (
        f"Of 6 pairs of systems, BLEU and TER each tell {counts['bleu']} apart; MacroF tells {counts['macrof']} apart."
    )


def test_lengths_and_documents(results: Results) -> None:
    names = length_names(results)
    best = [
        max((s for s in results.lengths if s.bucket == name and s.metric == "bleu"), key=lambda s: s.value).system
        for name in names
    ]
    first, most = Counter(best).most_common(1)[0]
    share = f"all {len(names)}" if most == len(names) else f"{most} of {len(names)}"
    assert findings.lengths(results, names).startswith(f"{first} has the best BLEU in {share} groups of lengths")
    cells: dict[str, dict[str, float]] = {}
    for score in results.documents:
        if score.metric == "bleu":
            cells.setdefault(str(score.document), {})[score.system] = score.value
    tops = Counter(name for row in cells.values() for name in row if row[name] == max(row.values()))
    name, count = tops.most_common(1)[0]
    share = "all 12" if count == 12 else f"{count} of 12"
    assert findings.documents(results).startswith(f"{name} has the best BLEU in {share} documents")


def test_words_of_the_two_best(results: Results) -> None:
    contrast = contrast_of_best(results)
    assert contrast is not None
    said = findings.words(contrast, "BLEU")
    assert "the two best by BLEU" in said
    better = [
        b.name for b in contrast.buckets[:-1] if b.adjusted is not None and b.adjusted <= 0.05 and b.difference < 0
    ]
    if better:
        assert f"best is significantly better at words that the references have {times(better)}" in said
    else:
        assert "do not differ significantly" in said or "next is" in said


def test_the_word_that_the_only_system_gets_wrong_most_often() -> None:
    lines = [f"the cat {k} sat on the mat" for k in range(20)]
    outputs = [line.replace("cat", "dog" if k % 2 else "cat cat") for k, line in enumerate(lines)]
    results = Results(evaluation=evaluated({"a": outputs}, lines, ["macrof1"]), trials=20)
    # cat: 20 times in the references, twice in every other output: 10 of the other outputs have none of it
    section = types_of_one(results)
    assert section is not None
    assert section.finding == (
        "a gets “cat” wrong most often: 20 times in the references, 20 times in its output, of which 10 match."
    )
    assert section.text == ["Types are different words, as MacroF counts them."]
    same = types_of_one(Results(evaluation=evaluated({"a": lines}, lines, ["macrof1"]), trials=20))
    assert same is not None
    assert same.finding == "a gets no word wrong."


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (["mat", "cat"], "a gets “{0}” and “{1}” wrong most often, 20 times each."),
        (["cat", "mat", "sat", "on"], "a gets “{0}” and other words wrong most often, 20 times each."),
    ],
)
def test_words_that_are_wrong_as_often(taken: list[str], said: str) -> None:
    """None of them is said to be the worst: each is missing from all 20 outputs. The table has them in this order."""
    lines = [f"the cat {k} sat on the mat" for k in range(20)]
    outputs = [" ".join(word for word in line.split() if word not in taken) for line in lines]
    section = types_of_one(Results(evaluation=evaluated({"a": outputs}, lines, ["macrof1"]), trials=20))
    assert section is not None
    first = [str(row[0]) if isinstance(row[0], str) else row[0].text for row in section.tables[0].cells()[: len(taken)]]
    assert sorted(first) == sorted(taken)
    assert section.finding == said.format(*first)


# Scores


def test_intervals_are_drawn_where_they_are(results: Results) -> None:
    table = score_table(results)
    assert [row[0].text for row in table.cells()] == results.systems
    cells = {row[0].text: row[1] for row in table.cells() if row[1].bar is not None}
    intervals = {name: results.scores[name, "bleu"].interval for name in cells}
    low = min(i.low for i in intervals.values() if i)
    high = max(i.high for i in intervals.values() if i)
    for name, cell in cells.items():
        interval = intervals[name]
        assert interval is not None
        assert cell.bar is not None
        assert cell.bar[0] == pytest.approx(100 * (interval.low - low) / (high - low), abs=0.06)
        assert cell.bar[2] == pytest.approx(100 * (interval.high - low) / (high - low), abs=0.06)
    assert all(row[3].bar is None for row in table.cells())  # of MacroF there is none


def test_people_have_a_column() -> None:
    made = evaluated(OUTPUTS, LINES, ["bleu"], rated({"best": 80, "next": 60, "third": 61, "last": 10}, range(120)))
    results, found = stood(made)
    table = score_table(results, [s for s in found if s.people])
    assert table.heads == ["system", "BLEU", "people's rating (0-100, z)"]
    cells = {row[0].text: row[2] for row in table.cells()}
    people = tt.add_metrics(made, "human")
    for score in tt.scores(people):
        if score.metric == "human":
            assert cells[score.system].value == pytest.approx(score.value)
    assert cells["best"].strong
    assert all("*" in cells[name].text for name in ("next", "third", "last"))


# The first chart


def test_systems_are_drawn_where_they_stand() -> None:
    _, found = stood(evaluated({name: OUTPUTS[name] for name in ("best", "next", "third")}, LINES, ["bleu", "ter"]))
    made = hero(found, ["best", "next", "third"])
    assert made is not None
    for panel, standing in zip(made.panels, found, strict=True):
        places = [standing.place(name) for name in made.systems]
        seen = [(place.gap, row.x) for place, row in zip(places, panel.rows, strict=True) if row.x is not None]
        assert len(seen) == 3
        for (gap, x), (other, y) in combinations(seen, 2):
            assert (gap < other) == (x > y)  # left is worse
        assert panel.rows[made.systems.index(standing.best)].x == panel.zero
        for place, row in zip(places, panel.rows, strict=True):
            if row.low is not None and row.high is not None:
                assert row.low < row.x < row.high  # type: ignore[operator]
                assert (row.low <= panel.zero <= row.high) == (place.nearest <= 0 <= place.farthest)
            assert min(x for x in (row.low, row.x, row.high, 50) if x is not None) >= 0
            assert max(x for x in (row.low, row.x, row.high, 50) if x is not None) <= 100


def test_a_system_far_off_is_an_arrow_with_its_figure() -> None:
    outputs = {f"s{k}": replaced(LINES, 0.1, k) for k in range(5)} | {"last": OUTPUTS["last"]}
    _, [standing] = stood(evaluated(outputs, LINES, ["bleu"]))
    made = hero([standing], list(outputs))
    assert made is not None
    far = {name: row.far for name, row in zip(made.systems, made.panels[0].rows, strict=True) if row.far}
    assert far == {"last": f"{standing.gap_to_best('last'):.1f} behind"}


def test_rows_become_lower_where_there_are_many() -> None:
    outputs = {f"s{k}": replaced(LINES[:40], 0.02 * k, k) for k in range(26)}
    _, found = stood(evaluated(outputs, LINES[:40], ["chrf"]), trials=200)
    made = hero(found, list(outputs))
    assert made is not None
    assert made.height == 15
    assert len(made.panels[0].rows) == 26
    assert [b.y - a.y for a, b in pairwise(made.panels[0].rows)] == [15] * 25


@pytest.mark.parametrize(("left", "right"), [(1.7, 0.4), (0.03, 0.001), (120.0, 40.0), (1.0, 1.0)])
def test_axes_have_round_numbers(left: float, right: float) -> None:
    found = grid(left, right)
    assert 1 <= len(found) <= 4
    assert 0 not in found
    for gap in found:
        assert -right <= gap <= left
        digits = f"{abs(gap):e}".partition("e")[0]
        assert float(digits) in (1, 2, 2.5, 3, 4, 5, 6, 7.5, 8)


def test_nothing_to_draw() -> None:
    _, found = stood(evaluated({"a": LINES}, LINES, ["bleu"]))
    assert hero(found, ["a"]) is None
    assert alone(Results(evaluation=evaluated({"a": LINES}, LINES, ["macrof1"]))) is None  # it has no interval


def test_one_system_is_drawn_with_its_intervals() -> None:
    results = Results(evaluation=evaluated({"a": OUTPUTS["third"]}, LINES, ["bleu", "ter", "macrof1"]), trials=200)
    made = alone(results)
    assert made is not None
    assert [panel.title for panel in made.panels] == ["BLEU", "TER"]
    for panel in made.panels:
        [row] = panel.rows
        score = results.scores["a", panel.title.lower()]
        assert score.interval is not None
        assert row.x is not None
        assert row.low is not None
        assert row.high is not None
        assert 0 < row.low < row.x < row.high < 100
        ends = [score.interval.low, score.interval.high]
        far, near = ends if panel.title == "BLEU" else reversed(ends)  # left is worse
        assert (row.x - row.low) / (row.high - row.low) == pytest.approx((score.value - far) / (near - far), abs=0.01)
        at = {float(tick.label): tick.x for tick in panel.ticks}
        assert 2 <= len(at) <= 5
        assert sorted(at.values()) == [at[value] for value in sorted(at, reverse=panel.title == "TER")]
        assert f"a: {panel.title} {row.score}, 95 % interval " in panel.text
    assert score_table(results).title == "Scores of a"
    assert "best score" not in score_table(results).note


def test_what_is_folded_says_what_it_has(results: Results) -> None:
    values = {name: results.value(name, results.metrics[2]) for name in OUTPUTS}
    assert findings.types_mean(results) == f"{max(values, key=lambda name: values[name])} has the best MacroF."
    diagnosis = results.diagnosis
    assert diagnosis is not None
    hit = {name: len({item.segment for item in diagnosis if item.system == name}) for name in OUTPUTS}
    said = findings.errors_counted(results)
    assert said.startswith(f"Something is found in {max(hit.values())} of 120 segments")
    if max(hit.values()) > min(hit.values()):
        assert f"and in {min(hit.values()) or 'none'} of " in said
    contrast = contrast_of_best(results)
    assert contrast is not None
    best, other = contrast.systems
    assert findings.words_won(contrast, [60, 1], 60) == f"{best} does better on 60 or more words, {other} on 1."
    assert findings.words_won(contrast, [1, 0], 60) == f"{best} does better on 1 word, {other} on none."


# Words


def test_terms_are_explained_once() -> None:
    text = str(with_terms("p after Holm; Holm again; Cohen's d <b>; MyHolm; clusters"))
    assert text.count("<dfn") == 3
    assert f'data-more="{TERMS["Holm"]}"' in text
    assert "&lt;b&gt;" in text
    assert "MyHolm" in text
    assert explained("nothing here") == "nothing here"


def test_meanings_are_sentences() -> None:
    for meaning in (*TERMS.values(), *HEADS.values()):
        assert meaning.endswith(".")
        assert "  " not in meaning


def test_words_for_numbers_and_scales() -> None:
    assert (in_words(0), in_words(7), in_words(13)) == ("no", "seven", "13")
    assert (listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])) == ("a", "a and b", "a, b and c")
    assert (scale_title("da100"), scale_title("unknown")) == ("people's rating (0-100)", "unknown")
    assert (with_note("adequacy (1-5)", "z"), with_note("people's ranking", "raw")) == (
        "adequacy (1-5, z)", "people's ranking (raw)"
    )  # fmt: skip
