"""Sentences that reports of drawn systems showed to say more than their figures, or otherwise, each as a made case."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

import tertium as tt
from tertium.core.score import Interval
from tertium.report import findings
from tertium.report.first_section import regression_table
from tertium.report.hero import heading, hero
from tertium.report.one_of_several import OneOfSeveral
from tertium.report.own_curves import LEAVES_OPEN
from tertium.report.people import FEW_ITEMS, People, reliance
from tertium.report.results import Results
from tertium.report.sections import meaning_finding, unit_finding
from tertium.report.set_table import wins
from tertium.report.several import verdict_on_all
from tertium.report.standing import Standing
from tertium.report.system_pairs import contradictions_said, percent
from tertium.report.trust import agreement, rater_agreement
from tertium.report.verdict import verdict
from tertium.report.verdicts import meta
from tertium.report.verdicts.correlations import alike
from tertium.report.words import times

from .made_systems import evaluated, rated, references, replaced, standing

LINES = references(120)
GOOD, LIKE, BAD = (replaced(LINES, share, seed) for seed, share in enumerate((0.05, 0.06, 0.6)))


def results(outputs: dict[str, list[str]], metrics: list[str], judged: Any = ()) -> Results:
    return Results(evaluation=evaluated(outputs, LINES, metrics, judged), trials=400)


def said(found: Any) -> list[str]:
    return [f"{item.before}{item.strong}{item.after}" for item in found]


# The first chart


def drawn(made: Standing, **changes: Any) -> Standing:
    """A standing of which every comparison is changed alike."""
    return dataclasses.replace(made, items=[dataclasses.replace(item, **changes) for item in made.items])


def words_of(made: Standing, system: str) -> str:
    found = hero([made], made.systems)
    assert found is not None
    return next(row.words for row in found.panels[0].rows if row.words.startswith(f"{system}:"))


@pytest.mark.parametrize(("metric", "sign"), [("bleu", 1), ("ter", -1)])
def test_the_interval_of_a_lead_is_of_the_lead(metric: str, sign: int) -> None:
    """Who is 1 point ahead of a baseline has an interval around 1, whichever direction the metric has."""
    made = standing(metric, "ab" if sign > 0 else "ba", set())
    [item] = made.items
    ends = sorted((sign * -3.0, sign * 1.0))  # of a change for the worse by 1
    worse = dataclasses.replace(
        item, baseline="a", system="b", difference=-sign * 1.0, simultaneous=Interval(*ends, 0.95)
    )
    from_a = dataclasses.replace(made, items=[worse], baseline="a")
    from_b = dataclasses.replace(made, items=[worse], baseline="b")
    assert "1.0 behind a, simultaneous 95 % interval -1.0 to 3.0" in words_of(from_a, "b")
    assert "1.0 ahead of b, simultaneous 95 % interval -1.0 to 3.0" in words_of(from_b, "a")
    level = dataclasses.replace(from_a, items=[dataclasses.replace(worse, difference=0.0)])
    assert "level with a" in words_of(level, "b")


def test_test_and_interval_disagree_each_way() -> None:
    made = standing("bleu", "abc", {"ab"})
    ends = {"b": Interval(-2.0, 0.5, 0.95), "c": Interval(-3.0, -1.0, 0.95)}
    items = [dataclasses.replace(item, simultaneous=ends[item.system]) for item in made.items]
    found = hero([dataclasses.replace(made, items=items)], list("abc"))
    assert found is not None
    assert found.doubtful == [
        "significant by the test, though the interval holds 0: b by BLEU",
        "not significant by the test, though the interval leaves 0 out: c by BLEU",
    ]


def test_means_of_other_segments_may_stand_otherwise() -> None:
    """`b` has the lower mean and is ahead where both were judged: that is said, from a baseline too."""
    made = standing("bleu", "ab", set())
    ahead = drawn(made, difference=2.0)
    assert ahead.otherwise("b")
    assert not made.otherwise("b")
    based = dataclasses.replace(ahead, baseline="a")
    found = hero([based], list("ab"))
    assert found is not None
    assert found.shared == ["b by BLEU"]


def test_who_has_no_score_is_not_called_untested() -> None:
    made = standing("bleu", "ab", set())
    scores = {**made.scores, "c": float("nan")}
    found = hero([dataclasses.replace(made, scores=scores)], list("abc"))
    assert found is not None
    assert found.panels[0].text.endswith("no score: c")
    assert "not tested" not in found.panels[0].text


def test_headings_of_panels_are_short() -> None:
    assert heading("people's rating (0-100, z)") == "people (0-100, z)"
    assert heading("BLEU") == "BLEU"


# Verdict and trust


def test_of_two_systems_nothing_is_said_twice() -> None:
    found = verdict([standing("bleu", "ab", {"ab"}), standing("chrf", "ab", set())], 500)
    assert found.sentence == "a leads, significantly ahead of b by BLEU, and by no metric significantly behind."
    assert found.more == "chrF does not tell it from b."


def test_people_who_could_not_be_tested_say_nothing_of_the_leaders() -> None:
    metrics = [standing("bleu", "abc", {"ac", "bc"})]
    people = dataclasses.replace(standing("human", "abc", set()), title="people's rating (0-100)")
    found = verdict([*metrics, people], 500)
    assert found.more.endswith("People do not tell the leaders apart either.")
    few = drawn(people, unresolvable="too few")
    others = dataclasses.replace(few, items=[*few.items[:-1], dataclasses.replace(few.items[-1], unresolvable=None)])
    assert {item.baseline + item.system for item in others.items if not item.unresolvable} == {"bc"}
    assert not any(map(others.tests, "abc"))  # only not against the best
    assert verdict([*metrics, others], 500).more.endswith(
        "People judged too few of the same segments to test those who lead against their best."
    )


def test_that_all_systems_lead_is_no_agreement() -> None:
    level = [standing("bleu", "abc", set()), standing("chrf", "bac", set()), standing("nist", "abc", set())]
    assert said(agreement(level)) == ["by all 3 metrics all systems lead"]
    assert [item.tone for item in agreement(level)] == ["plain"]
    most = [*level[:2], standing("nist", "abc", {"ac"})]
    assert said(agreement(most)) == ["by 2 of 3 metrics all systems lead; NIST leaves out c"]
    two = [standing("bleu", "ab", set()), standing("chrf", "ba", set())]
    assert said(agreement(two)) == ["by both metrics both systems lead"]


def test_a_majority_is_named_only_if_the_verdict_is_about_it() -> None:
    """Two metrics have a and b in the lead, the verdict speaks of a alone."""
    made = [standing("bleu", "abc", {"ac"}), standing("chrf", "abc", {"ac"}), standing("nist", "abc", {"ab", "ac"})]
    assert said(agreement(made)) == ["1 system leads by all 3 metrics, others by some"]


def test_agreement_of_few_items_is_not_told() -> None:
    from tertium.human.agreement import Agreement

    few = Agreement(
        statistic="Krippendorff's alpha (interval)", word="alpha", scale="da100", between="raters", on="values",
        value=-0.53, n=5, pairs=3, raters=(), judgements=10,
    )  # fmt: skip
    item: Any = SimpleNamespace(scale="da100", agreement=[few])
    assert said(rater_agreement(item)) == ["people's rating (0-100): only 5 outputs judged by two raters"]
    assert reliance(few).startswith("too few items were judged by two raters to say whether they agree")
    item.agreement = [dataclasses.replace(few, n=FEW_ITEMS)]
    assert said(rater_agreement(item)) == ["people's rating (0-100): raters agree no more than by chance (alpha -0.53)"]


def test_without_a_common_system_none_can_lead_everywhere() -> None:
    made = [evaluated(outputs, LINES, ["bleu"]) for outputs in ({"a": GOOD, "b": BAD}, {"c": GOOD, "d": BAD})]
    given = [
        OneOfSeveral(name=name, results=Results(evaluation=each, trials=400), people=People(evaluation=each))
        for name, each in zip("xy", made, strict=True)
    ]
    found = verdict_on_all(given)
    assert found.sentence == "No system is in both test sets, so none can lead in them together."
    assert found.more == "In the lead by BLEU: x: a; y: c."


def test_a_system_that_is_alone_wins_nothing() -> None:
    made = [evaluated(outputs, LINES, ["bleu"]) for outputs in ({"a": BAD, "b": GOOD}, {"a": GOOD})]
    given = [
        OneOfSeveral(name=name, results=Results(evaluation=each, trials=400), people=People(evaluation=each))
        for name, each in zip("xy", made, strict=True)
    ]
    [metric] = made[0].metrics
    assert [wins(given, metric, name) for name in "ab"] == [0, 1]


# Findings


def test_the_same_number_of_pairs_need_not_be_the_same_pairs() -> None:
    made = results({"a": GOOD, "b": LIKE, "c": BAD}, ["bleu", "chrf", "ter"])

    def told(**pairs: set[str]) -> str:
        for metric, which in pairs.items():
            made.comparisons[metric][:] = [
                dataclasses.replace(
                    item, verdict="worse" if "".join(sorted(item.baseline + item.system)) in which else "undecided"
                )
                for item in made.comparisons[metric]
            ]
        return findings.told_apart(made)

    assert told(bleu={"ac"}, chrf={"ac"}, ter={"ac"}) == "Of 3 pairs of systems, 1 is told apart by each of 3 metrics."
    assert told(ter={"bc"}) == (
        "Of 3 pairs of systems, BLEU, chrF and TER each tell 1 apart, though not the same ones."
    )
    assert told(ter=set()) == "Of 3 pairs of systems, BLEU and chrF each tell 1 apart; TER tells none apart."
    assert told(bleu=set(), chrf=set()) == "Of 3 pairs of systems, none is told apart by any of 3 metrics."


def test_people_are_no_metric() -> None:
    judged = rated({"a": 60, "b": 60}, range(120))
    made = results({"a": GOOD, "b": LIKE}, ["bleu", "chrf", "human"], judged)
    assert "All 3 metrics and ratings put" in findings.order(made) or "metrics and ratings" in findings.told_apart(made)
    one = results({"only": GOOD}, ["bleu", "human"], rated({"only": 60}, range(120)))
    assert " by people's rating (0-100" in findings.scores_of_one(one)
    assert ", by people" not in findings.scores_of_one(one)


def test_systems_without_a_score_are_in_no_cluster() -> None:
    made = results({"a": GOOD, "b": LIKE, "c": LIKE}, ["bleu"])
    made.clusters["bleu"] = [["a", "b"]]
    for k, item in enumerate(made.comparisons["bleu"]):
        made.comparisons["bleu"][k] = dataclasses.replace(item, verdict="undecided")
    assert findings.clusters(made) == "BLEU puts both systems that have a score in one cluster."


def test_ties_count_for_each() -> None:
    found = findings._who("documents", [["a", "b"], ["a"], ["a"]], "BLEU", "document")
    assert found == "a has the best BLEU in all 3 documents, b in 1; a tie counts for each."


@pytest.mark.parametrize(
    ("buckets", "found"),
    [
        (["1"], "once"),
        (["2"], "twice"),
        (["3-5"], "3-5 times"),
        (["1", "2"], "once or twice"),
        (["1", "51-200"], "once or 51-200 times"),
        (["1", "3-5", "201+"], "once, 3-5 or 201+ times"),
    ],
)
def test_how_often_words_come(buckets: list[str], found: str) -> None:
    assert times(buckets) == found


def test_who_has_as_many_errors_is_not_left_out() -> None:
    assert findings._each_of(["a"]) == "a"
    assert findings._each_of(["a", "b"]) == "each of a and b"
    assert findings._each_of(list("abcde")) == "each of five systems"
    made = results({"a": GOOD, "b": GOOD, "c": BAD}, ["bleu"])
    found = [SimpleNamespace(system="c", segment=k) for k in range(7)]
    made.__dict__["diagnosis"] = found
    assert findings.errors_counted(made) == "Something is found in 7 of 120 segments of c, and in none of a and b."


def test_regressions_of_a_metric_of_which_less_is_better() -> None:
    """A segment that loses TER got better."""
    made = results({"old": GOOD, "new": BAD}, ["ter"])
    table = regression_table(made, "old", "new")
    assert table is not None
    assert table.title == "The 10 worst regressions of new against old, by TER"
    assert table.note.endswith(" segments on which it is worse.")


def test_one_comparison_by_documents() -> None:
    made = evaluated({"a": GOOD, "b": BAD}, LINES, ["bleu"])
    testset = dataclasses.replace(made.testset, documents=tuple(f"d{k // 5}" for k in range(120)))
    again = Results(evaluation=tt.evaluate(testset, made.systems, ["bleu"]), trials=400)
    assert unit_finding(again) == "The only comparison does not come out otherwise if whole documents are swapped."


def test_curves_that_leave_it_open_are_not_read_off() -> None:
    told, silent = "people prefer", f"too few: {LEAVES_OPEN}."
    assert meaning_finding([told]) == "Read off 1 curve: how often people agree with differences as large."
    assert meaning_finding([told, silent]).endswith("; 1 more leaves it open.")
    assert meaning_finding([silent] * 2) == "How often people agree with differences as large: 2 curves leave it open."


def test_who_hits_as_often_is_named_too() -> None:
    """Of two systems with the same rate, none has it most."""
    made = results({"a": GOOD, "b": GOOD, "c": LINES}, ["bleu"])
    diagnosis = made.diagnosis
    assert diagnosis is not None
    tally: Any = SimpleNamespace(hits=12, rate=0.1)
    none: Any = SimpleNamespace(hits=0, rate=0.0)
    unknown: Any = SimpleNamespace(hits=0, rate=float("nan"))
    kind = diagnosis.detectors[0]
    tallies = {(n, k): tally if k == kind and n != "c" else none for n in "abc" for k in diagnosis.detectors}
    made.__dict__["diagnosis"] = SimpleNamespace(
        detectors=[kind], tallies=tallies, floor={kind: unknown}, beside_reference=lambda: {}
    )
    assert findings.errors(made) == f"By detectors that cannot judge the reference: {kind} (a and b most, 10.0 %)."


# Metrics beside people


def test_metrics_that_are_alike_to_the_last_digit() -> None:
    names = ["people", "a", "b ↓", "c"]
    even = [[1.0] * 4 for _ in names]
    even[1][2] = 0.999
    assert alike(names, even) == "All 3 pairs of metrics are equally alike (1.00)."
    assert alike(names[:3], even) == "Pearson r of a and b: 1.00."
    even[2][3] = 0.5
    assert alike(names, even) == "Of metrics, a and c are most alike (1.00), b and c least (0.50)."


def test_equal_counts_of_contradictions_are_said_once() -> None:
    def item(metric: str, contradict: int) -> Any:
        return SimpleNamespace(metric=metric, contradict=contradict, pairs=10)

    names = {"a": "A", "b": "B ↓", "c": "C"}
    scores: Any = SimpleNamespace(verdicts=[item("a", 3), item("b", 3), item("c", 0)], names=names)
    assert contradictions_said(scores) == (
        "C contradicts people about none of 10 pairs; A and B each contradict people about 3 of 10 pairs of systems."
    )
    scores.verdicts = [item("a", 3)]
    assert contradictions_said(scores) == "A contradicts people about 3 of 10 pairs of systems."


def test_a_curve_is_never_certain() -> None:
    assert [percent(share) for share in (0.0, 0.004, 0.5, 0.994, 0.996, 1.0)] == [
        "under 1 %", "under 1 %", "50 %", "99 %", "over 99 %", "over 99 %",
    ]  # fmt: skip


def test_a_tenth_of_few_outputs_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tenth of 24 outputs are two."""
    import numpy as np

    result: Any = SimpleNamespace(metrics=["bleu"], gold="human")
    names = {"bleu": "BLEU", "human": "people's rating (0-100)"}
    for outputs, found in ((24, False), (200, True)):
        values = np.arange(outputs, dtype=float)
        monkeypatch.setattr(meta, "known_pairs", lambda *_, values=values: (values, values))
        assert bool(meta.steep(result, names)) == found
