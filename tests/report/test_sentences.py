"""Sentences that thirty reports of real systems showed to be wrong, misleading or hard to read, each as a made case."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import tertium as tt
from tertium.meta.preference import Preference
from tertium.report import findings
from tertium.report.people import People, flags, judgements, other_test, pairs_apart, worse_than_best
from tertium.report.results import Results
from tertium.report.standing import standing_of_people, standings
from tertium.report.system_pairs import worth
from tertium.report.verdict import verdict

from .made_systems import evaluated, inflected, rated, references, replaced

LINES = references(120)
GOOD, LIKE, BAD = (replaced(LINES, share, seed) for seed, share in enumerate((0.05, 0.05, 0.6)))


def results(outputs: dict[str, list[str]], metrics: list[str], lines: list[str] = LINES) -> Results:
    return Results(evaluation=evaluated(outputs, lines, metrics), trials=400)


# Who has the best score how often


@pytest.mark.parametrize(
    ("firsts", "said"),
    [
        ([["a"], ["a"], ["b"]], "a has the best BLEU in 2 of 3 groups of lengths, b in 1."),
        ([["a"], ["a"]], "a has the best BLEU in both groups of lengths."),
        ([["a", "b"], ["a", "b"]], "a and b share the best BLEU in both groups of lengths."),
        ([["a"], ["b"], ["a"], ["b"]], "a and b each have the best BLEU in 2 of 4 groups of lengths."),
        ([["a"]], "a has the best BLEU in the only group."),
        (
            [["a"], ["a"], ["b"], ["c"], ["d"], ["e"], ["f"]],
            "a has the best BLEU in 2 of 7 groups of lengths, b in 1, c in 1 and d in 1; two more in 1 each.",
        ),
        (
            [["a"], ["a"], ["b"], ["c"], ["d"], ["e"]],
            "a has the best BLEU in 2 of 6 groups of lengths, b in 1, c in 1, d in 1 and e in 1.",
        ),
        (
            [["a"]] * 5 + [["b"]] * 4 + [["c"]] * 3 + [["d"]] * 3 + [["e"]] * 2 + [["f"]],
            "a has the best BLEU in 5 of 18 groups of lengths, b in 4, c in 3 and d in 3; two more in 2 or fewer.",
        ),
        ([["a"], ["b"], ["c"], ["d"]], "Four systems each have the best BLEU in 1 of 4 groups of lengths."),
        (
            [["a", "b"], ["c", "d"]],
            "Four systems each have the best BLEU in 1 of 2 groups of lengths; a tie counts for each.",
        ),
    ],
)
def test_who_has_the_best_score(firsts: list[list[str]], said: str) -> None:
    """Nobody is said to have it in fewer who has it as often."""
    assert findings._who("lengths", firsts, "BLEU", "group") == said


def test_a_score_by_people_is_called_one() -> None:
    judged = rated({"a": 80, "b": 40}, range(120))
    made = Results(evaluation=evaluated({"a": GOOD, "b": BAD}, LINES, ["human"], judged), trials=200)
    names = [score.bucket for score in made.lengths]
    assert "a has the best score by people's rating (0-100, z) in" in findings.lengths(made, list(dict.fromkeys(names)))
    assert ", by people's rating (0-100, z)" in findings.spread(made)


def test_sentences_that_people_begin() -> None:
    judged = rated({"a": 60, "b": 60}, range(120))
    made = Results(evaluation=evaluated({"a": GOOD, "b": LIKE}, LINES, ["human"], judged), trials=200)
    assert findings.clusters(made) == "People's rating (0-100, z) puts both systems in one cluster."
    said = verdict(standings(made, People(evaluation=made.evaluation)), 120).sentence
    assert said.startswith("People's rating (0-100, z) does not tell ")


def test_scores_of_one_system() -> None:
    made = results({"only": GOOD}, ["bleu", "ter"])
    bleu, ter = (made.value("only", metric) for metric in made.metrics)
    assert findings.scores_of_one(made) == f"only scores {bleu:.1f} BLEU and {ter:.1f} TER."


# Clusters and pairs


def test_systems_of_one_cluster_may_differ() -> None:
    """The middle one is told from nobody, so no line can be drawn between the first and the last, who differ."""
    made = results({"a": LINES, "b": LINES, "c": LINES}, ["bleu"])
    items = made.comparisons["bleu"]
    made.comparisons["bleu"][:] = [
        dataclasses.replace(item, verdict="worse" if {item.baseline, item.system} == {"a", "c"} else "undecided")
        for item in items
    ]
    made.clusters["bleu"] = [["a", "b", "c"]]
    assert findings.clusters(made) == ("BLEU puts all systems in one cluster. Some of them still differ significantly.")


@pytest.mark.parametrize(
    ("outputs", "metrics", "said"),
    [
        ({"a": GOOD, "b": BAD}, ["bleu", "chrf", "ter"], "The two systems are told apart by all 3 metrics."),
        ({"a": GOOD, "b": BAD}, ["bleu"], "The two systems are told apart by BLEU."),
        ({"a": GOOD, "b": LIKE}, ["bleu", "chrf"], "The two systems are not told apart by BLEU or chrF."),
        ({"a": GOOD, "b": LIKE}, ["bleu", "chrf", "ter"], "The two systems are told apart by none of 3 metrics."),
        ({"a": GOOD, "b": LIKE, "c": BAD}, ["bleu"], "Of 3 pairs of systems, 2 are told apart by BLEU."),
        (
            {"a": replaced(LINES, 0.01, 7), "b": replaced(LINES, 0.3, 8), "c": BAD},
            ["bleu"],
            "All 3 pairs of systems are told apart by BLEU.",
        ),
        (
            {name: replaced(LINES, 0.1, seed) for seed, name in enumerate("abc", 10)},
            ["bleu"],
            "Of 3 pairs of systems, none is told apart by BLEU.",
        ),
    ],
)
def test_pairs_are_counted_in_words(outputs: dict[str, list[str]], metrics: list[str], said: str) -> None:
    assert findings.told_apart(results(outputs, metrics)) == said


def test_two_systems_that_one_metric_tells_apart() -> None:
    made = results({"a": LINES, "b": inflected(LINES, 0.04, 3)}, ["bleu", "chrf"])
    items = made.comparisons["chrf"]
    items[:] = [dataclasses.replace(item, verdict="undecided") for item in items]
    assert findings.told_apart(made) == "The two systems are told apart by BLEU, not by chrF."


def test_what_could_not_be_told_apart_was_not_looked_at_in_vain() -> None:
    made = results({"a": GOOD[:3], "b": BAD[:3]}, ["bleu"], LINES[:3])
    assert findings.told_apart(made) == (
        "Nothing could be told apart: not resolvable with 3 segments: no p can be below 0.25."
    )


def test_segments_that_all_score_the_same() -> None:
    assert findings.spread(results({"a": LINES, "b": BAD}, ["bleu"])).startswith(
        "At least half of a's segments score 100.0 BLEU"
    )


# Errors


def test_without_a_reference_nothing_is_said_to_be_beside_it() -> None:
    testset = tt.TestSet(segments=60, sources=tt.Lines.of([f"Eine Zeile {k}" for k in range(60)]))
    outputs = [f"a line {k} again again again again" for k in range(60)]
    judged = rated({"loopy": 50}, range(60))
    made = tt.evaluate(testset, [tt.System(name="loopy", outputs=tt.Lines.of(outputs))], ["human"], judgements=judged)
    said = findings.errors(Results(evaluation=made, trials=50))
    assert "No detector" not in said
    assert said.startswith("By detectors that cannot judge the reference: ")
    assert "loopy 100.0 %" in said  # nobody has more: it is the only one


# People


def test_two_tests_of_people_are_told_apart() -> None:
    """The ranking counts the segments that only b was judged on, and finds it worse; the paired test does not."""
    values = [("a", k, 60.0 + k % 7) for k in range(40)] + [("b", k, 60.0 + 3 * k % 7) for k in range(40)]
    values += [("b", k, 5.0 + k % 3) for k in range(40, 80)]
    judged = [tt.Judgement(system=s, segment=k, rater="r", scale="da100", value=v) for s, k, v in values]
    made = evaluated({"a": LINES[:80], "b": LINES[:80]}, LINES[:80], ["bleu"], judged)
    people, given = People(evaluation=made), Results(evaluation=made, trials=400)
    [item] = people.analyses
    [ranking] = item.rankings.values()
    paired = standing_of_people(given, people, next(gold for gold in people.judged if gold is not None))
    assert paired is not None
    assert (worse_than_best(ranking), paired.behind("b")) == (["b"], False)
    other = other_test(people, given, item)
    assert other == (
        "That is by Wilcoxon rank-sum test of all judged segments; the paired test of the first chart, on segments "
        "judged for both systems, does not tell b from a."
    )
    section = judgements(people, given)
    assert section is not None
    assert section.data["parts"][0].finding == f"People put a first, significantly above b (2 clusters). {other}"


def test_whom_the_paired_test_cannot_test_it_does_not_say_to_be_level() -> None:
    """People judged b and c worse by all their segments; c on two that a was judged on, of which no test can tell."""
    values = [("a", k, 60.0 + k % 7) for k in range(40)] + [("b", k, 60.0 + 3 * k % 7) for k in range(40)]
    values += [(name, k, 5.0 + k % 3) for k in range(40, 80) for name in "bc"]
    values += [("c", k, 58.0 + k) for k in range(2)]
    judged = [tt.Judgement(system=s, segment=k, rater="r", scale="da100", value=v) for s, k, v in values]
    made = evaluated(dict.fromkeys("abc", LINES[:80]), LINES[:80], ["bleu"], judged)
    people, given = People(evaluation=made), Results(evaluation=made, trials=400)
    [item] = people.analyses
    [ranking] = item.rankings.values()
    assert worse_than_best(ranking) == ["b", "c"]
    said = other_test(people, given, item)
    assert said.endswith("on segments judged for both systems, does not tell b from a and cannot test c.")


def test_tests_that_agree_are_not_told_apart() -> None:
    made = evaluated({"a": GOOD, "b": BAD}, LINES, ["bleu"], rated({"a": 90, "b": 20}, range(120)))
    people, given = People(evaluation=made), Results(evaluation=made, trials=200)
    [item] = people.analyses
    assert other_test(people, given, item) == ""
    assert flags(item) == "neither rater has a flag"
    [ranking] = item.rankings.values()
    assert pairs_apart(ranking) == "People tell the two systems apart."


def preference(differences: list[float], agree: list[float], slope: float) -> Preference:
    return Preference(
        metric="m", gold="h", n=3, groups=1, pairs=len(agree), ties=0, accuracy=1.0, slope=slope, interval=None,
        differences=np.array(differences), agree=np.array(agree),
    )  # fmt: skip


def test_what_few_pairs_are_worth() -> None:
    names = {"m": "TER ↓"}
    assert worth(preference([0.22, 0.25, 0.4], [1.0, 0.0, 1.0], 2.0), names).startswith(
        "0.4 TER: people prefer the better one in the only pair that differs by about as much; "
    )  # no round number lies among them, and yet they differ
    assert worth(preference([0.0, 0.0], [1.0, 0.0], math.nan), names) == (
        "TER: no pair of systems differs, so nothing can be said."
    )
    assert worth(preference([1.0], [0.0], -math.inf), names) == (
        "1 TER: people prefer the other one in the only pair that differs by about as much; no curve can be fitted, "
        "because TER contradicts people in every pair."
    )
    assert worth(preference([1.0], [1.0], math.inf), names).endswith("TER agrees with people in every pair.")
