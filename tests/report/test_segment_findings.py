"""What is said of segments, of parts where a system is alone, and of people who judged other segments of each."""

from __future__ import annotations

import dataclasses
import math
import random
import re
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.report import segment_findings
from tertium.report.figures.parts import length_names
from tertium.report.hero import hero
from tertium.report.people import People, agreement_words, other_test
from tertium.report.raters import strictness
from tertium.report.results import Results
from tertium.report.score_section import score_table
from tertium.report.sections import browser, document_table, parts
from tertium.report.shipping import against_baseline
from tertium.report.verdict import said_by_people
from tertium.report.verdicts.meta import at_level

from .made_systems import evaluated, references, replaced, stood

LINES = [line + " and so on" * (3 * (k % 4)) for k, line in enumerate(references(60))]
GOOD, BAD = replaced(LINES, 0.1, 1), replaced(LINES, 0.4, 2)


def results_of(outputs: dict[str, Any], metrics: list[str], documents: int = 0, ids: bool = False) -> Results:
    made = evaluated(outputs, LINES, metrics)
    testset = dataclasses.replace(
        made.testset,
        documents=tuple(f"d{k // documents}" for k in range(60)) if documents else None,
        ids=tuple(f"item-{k}" for k in range(60)) if ids else None,
    )
    return Results(evaluation=tt.evaluate(testset, made.systems, metrics), trials=50)


def test_two_systems_by_segments() -> None:
    results = results_of({"good": GOOD, "bad": BAD}, ["ter"])
    one, other = (results.segments[name, "ter"].round(results.metrics[0].decimals) for name in ("good", "bad"))
    assert results.systems == ["good", "bad"]
    gaps = other - one  # an error rate
    k = int(abs(gaps).argmax())
    section = browser(results)
    assert section is not None
    assert section.finding == (
        f"By TER, good is better on {(gaps > 0).sum()} of 60 segments, bad on {(gaps < 0).sum()}; on no segment do "
        f"they differ more than on segment {k + 1} ({one[k]:.1f} and {other[k]:.1f})."
    )


def test_segments_have_the_names_that_they_were_given() -> None:
    said = segment_findings.segments(results_of({"good": GOOD, "bad": BAD}, ["bleu"], ids=True))
    assert re.search(r"than on segment item-\d+ \(", said)


def test_systems_that_score_the_same() -> None:
    said = segment_findings.segments(results_of({"a": GOOD, "b": GOOD}, ["bleu"]))
    assert said == "By BLEU, no segment of a and b has different scores."


def test_the_segments_of_one_system() -> None:
    results = results_of({"only": [LINES[0], "", *BAD[2:]]}, ["ter"])
    said = segment_findings.segments(results)
    assert said == "No segment of only is worse than 100.0 TER on segment 2, and none better than 0.0 TER on segment 1."
    same = segment_findings.segments(results_of({"only": LINES}, ["bleu"]))
    assert same == "All segments of only score 100.0 BLEU."


def test_the_parts_of_one_system() -> None:
    results = results_of({"only": BAD}, ["macrof1", "bleu"], documents=20)
    section = parts(results)
    assert section is not None
    lengths, documents = (part.finding for part in section.data["parts"])
    own = {s.bucket: s.value for s in results.lengths if s.metric == "bleu" and s.bucket in length_names(results)}
    low, high = min(own, key=lambda name: own[name]), max(own, key=lambda name: own[name])
    assert lengths == (
        f"only scores from {own[low]:.1f} BLEU (segments of {low} words) to {own[high]:.1f} (segments of {high} words)."
    )
    values = {str(s.document): s.value for s in results.documents if s.metric == "bleu"}
    low, high = min(values, key=lambda name: values[name]), max(values, key=lambda name: values[name])
    assert documents == f"Documents score from {values[low]:.1f} BLEU ({low}) to {values[high]:.1f} ({high})."


def test_the_table_of_documents_is_of_the_metric_that_the_sentence_is_about() -> None:
    """An average over types cannot be compared between documents, though it comes first."""
    table = document_table(results_of({"good": GOOD, "bad": BAD}, ["macrof1", "bleu"], documents=20))
    assert table.title == "BLEU of documents"
    alone = document_table(results_of({"good": GOOD, "bad": BAD}, ["macrof1"], documents=20))
    assert (alone.title, alone.note) == (
        "MacroF of documents", "Averages over types of different documents are not comparable."
    )  # fmt: skip


def test_brackets_are_explained_where_there_are_any() -> None:
    assert "In brackets" not in score_table(results_of({"only": BAD}, ["macrof1"])).note
    assert score_table(results_of({"only": BAD}, ["bleu"])).note.startswith("In brackets: 95 %")


# People who judged other segments of each


def judged_apart() -> tt.Evaluation:
    """Of all that they judged, people rate `best` higher; where they judged both, `next` is far ahead."""
    rng = random.Random(4)
    judged = [
        tt.Judgement(system=name, segment=k, rater="r", scale="da100", value=value + rng.uniform(-4, 4))
        for name, segments, value in (
            ("best", range(40), 95),
            ("best", range(40, 60), 40),
            ("next", range(40, 60), 75),
        )
        for k in segments
    ]
    return evaluated({"best": GOOD, "next": GOOD}, LINES, ["bleu"], judged)


def test_who_is_ahead_where_both_were_judged_is_said() -> None:
    made = judged_apart()
    results, found = stood(made)
    people = next(s for s in found if s.people)
    assert (people.best, people.ahead("next")) == ("best", True)
    said = said_by_people([people], ["best", "next"], [])
    assert said == "On the segments that they judged of both, people rate next significantly above best."
    who = People(evaluation=made)
    [item] = who.analyses
    assert other_test(who, results, item).endswith(
        "on segments judged for both systems, puts next significantly above best."
    )


def test_a_difference_of_shared_segments_is_called_one() -> None:
    """`best` has the higher mean of all that was judged; in the chart `next` is ahead of it, and it says where."""
    _, found = stood(judged_apart())
    people = next(s for s in found if s.people)
    drawn = hero([people], ["best", "next"])
    assert drawn is not None
    [_, row] = drawn.panels[0].rows
    assert re.search(r"ahead of best on the 20 segments that people judged of both, simultaneous", row.words)
    outputs: dict[str, Any] = {"good": GOOD, "bad": [None, *BAD[1:]]}
    _, found = stood(evaluated(outputs, LINES, ["bleu"]))
    drawn = hero(found, ["good", "bad"])
    assert drawn is not None
    assert " behind good on the 59 segments that both have a score on, " in drawn.panels[0].rows[1].words
    _, found = stood(evaluated({"good": GOOD, "bad": BAD}, LINES, ["bleu", "ter"]))
    drawn = hero(found, ["good", "bad"])
    assert drawn is not None
    assert not any(" on the " in row.words for panel in drawn.panels for row in panel.rows)


def test_a_ranking_that_no_paired_test_can_support_says_so() -> None:
    """People judged other segments of each system, so that only the ranking can compare them."""
    values = [("a", k, 90.0 + k % 5) for k in range(30)] + [("b", k, 20.0 + k % 5) for k in range(30, 60)]
    judged = [tt.Judgement(system=s, segment=k, rater="r", scale="da100", value=v) for s, k, v in values]
    made = evaluated({"a": GOOD, "b": GOOD}, LINES, ["bleu"], judged)
    who, results = People(evaluation=made), Results(evaluation=made, trials=50)
    [item] = who.analyses
    said = other_test(who, results, item)
    assert said.startswith("That is by Wilcoxon rank-sum test of all judged segments; the paired test of the first ")
    assert " is not possible: " in said


def test_people_who_cannot_be_heard_are_named_in_the_verdict_on_shipping() -> None:
    apart = [("a", k, 90.0 + k % 5) for k in range(30)] + [("b", k, 20.0 + k % 5) for k in range(30, 60)]
    both = [(name, k, 50.0 + k % 7) for k in range(60) for name in "ab"]
    for values, heard in ((apart, False), (both, True)):
        judged = [tt.Judgement(system=s, segment=k, rater="r", scale="da100", value=v) for s, k, v in values]
        made = evaluated({"a": GOOD, "b": GOOD}, LINES, ["bleu"], judged)
        _, found = stood(made)
        people = next(s for s in found if s.people)
        assert people.systems == ["a", "b"]
        said = against_baseline(found, "a")
        assert said.case == "cannot say"
        assert said.more == ("" if heard else "People judged too few of the same segments of b and a to be heard here.")


# Raters


@pytest.mark.parametrize(
    ("raters", "said"),
    [
        ({"x": (3, 0.0)}, "No rater gave 15 judgements or more, so nobody is called strict or mild."),
        ({"x": (15, 9.0)}, "Only one rater gave 15 judgements or more, so nobody is called strict or mild."),
        ({"x": (20, 50.0), "y": (20, 50.0)}, "All 2 raters give 50.0 on average."),
        (
            {"x": (20, 40.0), "y": (20, 60.0), "z": (2, 100.0)},
            "Of the 2 raters with 15 judgements or more, x is the strictest (40.0 on average), y the mildest (60.0); "
            "they need not have judged the same outputs.",
        ),
    ],
)
def test_nobody_with_few_judgements_is_called_strict_or_mild(raters: dict[str, tuple[int, float]], said: str) -> None:
    assert strictness(raters, "da100") == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (-0.1, "agree no more than by chance"),
        (0.007, "agree hardly more than by chance"),
        (0.4, "agree little"),
        (0.7, "agree"),
    ],
)
def test_how_far_raters_agree(value: float, said: str) -> None:
    assert agreement_words(value) == said


def test_a_level_at_which_nothing_is_defined() -> None:
    """One output of each segment was judged: there is no pair of outputs to put in order."""
    made = evaluated({"a": GOOD, "b": BAD}, LINES, ["bleu", "chrf"])
    gold = {
        name: np.array([float(k % 7) if k % 2 == odd else math.nan for k in range(60)]) for odd, name in enumerate("ab")
    }
    result = tt.meta_evaluate(made, gold, trials=50, trust_join=True)
    said = at_level(result.comparisons["segment"], {"bleu": "BLEU", "chrf": "chrF"}).sentence
    assert said == (
        "On single outputs, which metric is closer cannot be said: pairwise accuracy with ties (acc_eq*) is not "
        "defined here."
    )
