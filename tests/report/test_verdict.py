"""The verdict: a test for each case, from made systems; and that no sentence says more than its tests."""

from __future__ import annotations

import dataclasses
import math
import random
import re
from itertools import combinations
from typing import Any

import pytest

import tertium as tt
from tertium.core.errors import OptionError
from tertium.metrics import parse
from tertium.report.hero import hero
from tertium.report.people import People
from tertium.report.shipping import against_baseline
from tertium.report.standing import Standing
from tertium.report.trust import agreement, trust
from tertium.report.verdict import open_to, verdict

from .made_systems import comparison, evaluated, inflected, rated, references, replaced, standing, stood

LINES = references()
GOOD, LIKE, MIDDLE, BAD = (replaced(LINES, share, seed) for seed, share in enumerate((0.05, 0.05, 0.2, 0.6)))
METRICS = ["bleu", "chrf", "ter"]


def said(evaluation: tt.Evaluation, baseline: str | None = None) -> Any:
    _, found = stood(evaluation, baseline)
    return against_baseline(found, baseline) if baseline else verdict(found, len(evaluation.testset))


# Cases


def test_a_clear_winner() -> None:
    found = said(evaluated({"best": GOOD, "next": MIDDLE, "last": BAD}, LINES, METRICS))
    assert (found.case, found.sentence) == (
        "winner", "best is best, significantly ahead of every other system by all 3 metrics."
    )  # fmt: skip
    assert re.fullmatch(r"next and last are behind by every metric, by [\d.]+ and [\d.]+ BLEU\.", found.more)


def test_the_better_of_two() -> None:
    found = said(evaluated({"one": GOOD, "two": BAD}, LINES, ["bleu", "chrf"]))
    assert found.sentence == "one is best, significantly ahead of two by both metrics."
    assert re.fullmatch(r"The difference is [\d.]+ BLEU\.", found.more)  # who is behind was said already
    found = said(evaluated({"one": GOOD, "two": BAD}, LINES, ["bleu"]))
    assert found.sentence == "one is best, significantly ahead of two by BLEU."


def test_a_group_that_cannot_be_told_apart() -> None:
    found = said(evaluated({"a": GOOD, "b": LIKE, "c": BAD}, LINES, METRICS))
    names = re.fullmatch(r"Two systems lead, and no metric tells them apart: (\w) and (\w)\.", found.sentence)
    assert found.case == "group"
    assert names is not None
    assert set(names.groups()) == {"a", "b"}
    assert re.fullmatch(r"c is behind by every metric, by [\d.]+ BLEU\.", found.more)


def test_all_alike() -> None:
    outputs = {name: replaced(LINES, 0.1, seed) for seed, name in enumerate("abcd", 10)}
    found = said(evaluated(outputs, LINES, METRICS))
    assert (found.case, found.sentence, found.more) == ("group", "No metric tells the four systems apart.", "")
    found = said(evaluated(dict(list(outputs.items())[:2]), LINES, ["bleu"]))
    assert re.fullmatch(r"BLEU does not tell [ab] and [ab] apart\.", found.sentence)


def test_copies_are_not_merely_not_told_apart() -> None:
    found = said(evaluated({"a": GOOD, "b": GOOD}, LINES, METRICS))
    assert (found.case, found.sentence) == ("group", "a and b score the same on every segment by all 3 metrics.")
    found = said(evaluated({"a": GOOD, "b": GOOD, "c": GOOD}, LINES, ["bleu"]))
    assert found.sentence == "All three systems score the same on every segment by BLEU."
    found = said(evaluated({"a": GOOD, "b": GOOD, "c": LIKE}, LINES, ["bleu"]))
    assert "every segment" not in found.sentence


def test_a_system_without_outputs_does_not_keep_others_from_being_compared() -> None:
    found = said(evaluated({"a": GOOD, "silent": [None] * 160, "b": BAD}, LINES, METRICS))
    assert found.sentence == "a is best, significantly ahead of b by all 3 metrics."
    assert re.fullmatch(r"The difference is [\d.]+ BLEU\. silent has no BLEU score\.", found.more)


def test_metrics_split() -> None:
    """One loses whole words, the other only endings: characters and words prefer different ones."""
    outputs = {"endings": inflected(LINES, 0.5, 1), "words": replaced(LINES, 0.3, 2)}
    found = said(evaluated(outputs, LINES, ["bleu", "chrf"]))
    assert (found.case, found.sentence) == ("split", "The metrics split: no system leads by all of them.")
    assert found.more == "In the lead by BLEU: words; by chrF: endings."


def test_metrics_and_people_disagree() -> None:
    judged = rated({"best": 40, "next": 80, "last": 20}, range(160))
    found = said(evaluated({"best": GOOD, "next": MIDDLE, "last": BAD}, LINES, METRICS, judged))
    assert (found.case, found.sentence, found.more) == (
        "disagreement",
        "Metrics and people disagree: best leads by the metrics, and people rate it significantly below next.",
        "In the lead by people: next.",
    )
    judged = rated({"a": 40, "b": 41, "c": 80}, range(160))
    found = said(evaluated({"a": GOOD, "b": LIKE, "c": BAD}, LINES, ["bleu"], judged))
    assert found.sentence == (
        "Metrics and people disagree: people rate the two systems that lead by BLEU significantly below their best."
    )


def test_people_agree() -> None:
    judged = rated({"best": 90, "next": 60, "last": 20}, range(160))
    found = said(evaluated({"best": GOOD, "next": MIDDLE, "last": BAD}, LINES, METRICS, judged))
    assert found.case == "winner"
    assert found.more.endswith(" People agree: they rate every other system that they judged significantly lower.")
    judged = rated({"best": 60, "next": 60, "last": 20}, range(160))
    found = said(evaluated({"best": GOOD, "next": MIDDLE, "last": BAD}, LINES, METRICS, judged))
    assert re.search(r"People (put best first, but do not tell it|do not tell best) from next\.$", found.more)


def test_people_who_judged_other_segments_put_nobody_first() -> None:
    """`best` has the higher mean, of easy segments; where both were judged, `next` is ahead."""
    rng = random.Random(4)
    judged = [
        tt.Judgement(system=name, segment=k, rater="r", scale="da100", value=value + rng.uniform(-9, 9))
        for name, segments, value in (
            ("best", range(40), 90),
            ("best", range(40, 60), 50),
            ("next", range(40, 60), 51),
            ("next", range(60, 99), 60),
        )
        for k in segments
    ]
    made = evaluated({"best": GOOD, "next": BAD}, LINES, ["human", "bleu"], judged)
    _, found = stood(made)
    people = next(s for s in found if s.people)
    assert people.best == "best"
    assert people.gap_to_best("next") < 0
    more = verdict([s for s in found if not s.people] + [people], 160).more
    assert "first" not in more
    assert more.endswith("People do not tell best from next.")
    drawn = hero([people], ["best", "next"])
    assert drawn is not None
    assert drawn.shared == [f"next by {people.title}"]


def test_people_among_leaders() -> None:
    outputs = {"a": GOOD, "b": LIKE, "c": BAD}
    found = said(evaluated(outputs, LINES, METRICS, rated({"a": 60, "b": 60, "c": 20}, range(160))))
    assert found.more.endswith(" People do not tell the leaders apart either.")
    found = said(evaluated(outputs, LINES, METRICS, rated({"a": 80, "b": 50, "c": 20}, range(160))))
    assert found.more.endswith(" People rate b significantly below a.")


def test_people_only() -> None:
    judged = rated({"best": 90, "next": 60, "last": 20}, range(160))
    found = said(evaluated({"best": GOOD, "next": GOOD, "last": GOOD}, LINES, ["human"], judged))
    assert (found.case, found.sentence) == (
        "people only", "best is best, significantly ahead of every other system by people's rating (0-100, z)."
    )  # fmt: skip
    two = [*judged, *rated({"best": 1, "next": 5, "last": 3}, range(160), "fluency")]
    both = evaluated({"best": GOOD, "next": GOOD, "last": GOOD}, LINES, ["human", 'human(scale="fluency")'], two)
    found = said(both)
    assert (found.case, found.sentence) == ("people only", "People's ratings split: no system leads by all of them.")


def test_too_small_to_say() -> None:
    outputs = {name: replaced(LINES[:30], 0.1, seed) for seed, name in enumerate("abc", 10)}
    found = said(evaluated(outputs, LINES[:30], METRICS))
    assert (found.case, found.sentence) == (
        "too small", "Too small to say: with 30 segments, no metric tells any two systems apart."
    )  # fmt: skip
    assert re.fullmatch(r"A difference of about [\d.]+ BLEU would be found four times out of five\.", found.more)


def test_a_small_test_set_that_says_something() -> None:
    found = said(evaluated({"a": GOOD[:30], "b": BAD[:30]}, LINES[:30], METRICS))
    assert found.case == "winner"


def test_too_few_segments_or_trials_for_any_test() -> None:
    found = said(evaluated({"a": GOOD[:3], "b": BAD[:3]}, LINES[:3], ["bleu"]))
    assert found.case == "too small"
    assert found.sentence == "Nothing can be said of which system is better: no difference could be significant here."
    assert found.more == "Not resolvable with 3 segments: no p can be below 0.25."
    _, few = stood(evaluated({"a": GOOD, "b": BAD}, LINES, ["bleu"]), trials=10)
    assert verdict(few, 160).more == "Not resolvable with 10 trials; needs 199."


def test_one_system() -> None:
    made = evaluated({"only": GOOD}, LINES, METRICS)
    results, found = stood(made)
    score = results.scores["only", "bleu"]
    assert score.interval is not None
    assert verdict(found, 160, score).sentence == (
        f"only scores {score.value:.1f} BLEU, with a 95 % interval from {score.interval.low:.1f} to "
        f"{score.interval.high:.1f}."
    )
    assert verdict(found, 160, score).more == "One system alone cannot be compared with anything."
    silent = evaluated({"only": [None] * 160}, LINES, ["bleu"])
    results, found = stood(silent)
    assert verdict(found, 160, results.scores["only", "bleu"]).sentence == (
        "only has no BLEU score: no segment could be scored."
    )


def test_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.report.results.AT_MOST", 1)
    found = said(evaluated({"a": GOOD, "b": BAD}, LINES, ["bleu"]))
    assert (found.case, found.sentence) == (
        "not compared", "a has the best BLEU score, but systems were not compared."
    )  # fmt: skip
    assert found.more.startswith("Not compared: a test of so many systems and words would take minutes")


def test_a_winner_that_some_metrics_do_not_see() -> None:
    clear = standing("bleu", "abc", {"ab", "ac", "bc"})
    vague = standing("chrf", "bac", {"ac", "bc"})
    found = verdict([clear, vague], 500)
    assert (found.case, found.sentence, found.more) == (
        "winner",
        "a leads, significantly ahead of every other system by BLEU, and by no metric significantly behind the best.",
        "chrF does not tell it from b. c is behind by every metric, by 2.0 BLEU; b is behind by BLEU.",
    )


def test_what_does_not_tell_the_winner_begins_a_sentence() -> None:
    """Many metrics are a number, which has a capital letter; what was not tested tells nothing."""
    names = ["bleu", "chrf", "ter", "wer"]
    found = verdict(
        [standing(names[0], "abc", {"ab", "ac", "bc"})] + [standing(n, "abc", {"ac", "bc"}) for n in names[1:]], 500
    )
    assert found.more.startswith("Three metrics do not tell it from b. ")
    vague = standing("chrf", "abc", {"ac"})
    untested = dataclasses.replace(vague, items=[i for i in vague.items if {i.system, i.baseline} != {"a", "b"}])
    assert open_to([vague], "a") == "chrF does not tell it from b."
    assert open_to([untested], "a") == ""


def test_a_winner_by_no_single_metric() -> None:
    found = verdict([standing("bleu", "abc", {"ab"}), standing("chrf", "acb", {"ac"})], 500)
    assert found.case == "winner"
    assert found.sentence == "a leads: no other system keeps up with the best by both metrics."
    assert found.more == "BLEU does not tell it from c; chrF does not tell it from b. b is behind by BLEU, c by chrF."


def test_leaders_that_are_told_apart_among_themselves() -> None:
    found = verdict([standing("bleu", "abcd", {"ad", "bc", "bd", "cd"})], 500)
    assert found.sentence == "Three systems lead: a, b and c."
    assert found.more == (
        "None of them is significantly worse than the best by BLEU, but BLEU separates some of them. d is behind, by "
        "3.0 BLEU."
    )


def test_many_are_counted() -> None:
    names = "abcdefghijklmnop"
    found = verdict([standing("bleu", names, {f"{a}{b}" for a, b in combinations(names, 2) if b > "h"})], 500)
    assert found.sentence == "Eight systems lead, and BLEU does not tell them apart."
    assert found.more == "Eight systems are behind, by 8.0 to 15.0 BLEU."


# Against a baseline


def test_ship() -> None:
    found = said(evaluated({"old": MIDDLE, "new": GOOD}, LINES, METRICS), "old")
    assert (found.case, found.about) == ("ship", "new")
    assert found.sentence == "Ship new: it is significantly better than old by all 3 metrics."
    assert found.more == ""


def test_do_not_ship() -> None:
    found = said(evaluated({"old": GOOD, "new": MIDDLE}, LINES, METRICS), "old")
    assert (found.case, found.sentence) == (
        "do not ship",
        "Do not ship new: it is significantly worse than old by all 3 metrics.",
    )


def test_one_metric_of_three_can_stop_a_shipment() -> None:
    three = [standing("bleu", "ab", set()), standing("chrf", "ab", {"ab"}), standing("nist", "ab", set())]
    assert against_baseline(three, "a").sentence == (
        "Do not ship b: it is significantly worse than a by chrF, and by no metric significantly better."
    )


def test_cannot_say() -> None:
    found = said(evaluated({"old": GOOD, "new": LIKE}, LINES, METRICS), "old")
    assert (found.case, found.sentence) == (
        "cannot say", "Cannot say whether to ship new: no metric tells it from old."
    )  # fmt: skip
    outputs = {"old": inflected(LINES, 0.5, 1), "new": replaced(LINES, 0.3, 2)}
    found = said(evaluated(outputs, LINES, ["bleu", "chrf"]), "old")
    assert found.case == "cannot say"
    assert found.sentence == (
        "Cannot say whether to ship new: it is significantly better than old by BLEU, and significantly worse by chrF."
    )


def test_several_against_a_baseline() -> None:
    outputs = {"old": MIDDLE, "new": GOOD, "other": LIKE, "broken": BAD}
    found = said(evaluated(outputs, LINES, METRICS), "old")
    assert found.case == "ship"
    assert found.about in ("new", "other")
    assert re.fullmatch(r"Could be shipped too: (new|other); not to be shipped: broken\.", found.more)


def test_people_can_stop_a_shipment() -> None:
    judged = rated({"old": 80, "new": 40}, range(160))
    found = said(evaluated({"old": MIDDLE, "new": GOOD}, LINES, METRICS, judged), "old")
    assert found.case == "cannot say"
    assert found.sentence.endswith("and significantly worse by people's rating (0-100, z).")


def test_the_worst_regressions_are_listed() -> None:
    made = evaluated({"old": GOOD, "new": MIDDLE}, LINES, METRICS)
    page = tt.make_report(made, trials=200, baseline="old").page
    [table] = page.sections[0].tables
    segment = {(s.system, int(s.segment)): s.value for s in made.scores("segment") if s.metric == "bleu"}
    losses = sorted(((segment["old", k] - segment["new", k], -k) for k in range(1, 161)), reverse=True)[:10]
    assert [int(row[0].text) for row in table.cells()] == [-k for _, k in losses]
    links = [f"#segments?first=old&second=new&metric=BLEU&segment={-k}" for _, k in losses]
    assert [row[0].link for row in table.cells()] == links
    assert table.title == "The 10 worst regressions of new against old, by BLEU"
    with pytest.raises(OptionError, match=r"^no system is called nobody; there are: old, new$"):
        tt.make_report(made, trials=200, baseline="nobody")


# What is said is what was tested


def drawn_standing(rng: random.Random, metric: str, names: list[str]) -> Standing:
    """Any order of systems, and any verdicts that do not contradict it: far from what real tests would give."""
    ranked = rng.sample(names, len(names))
    scores = {name: 40.0 - k for k, name in enumerate(ranked)}
    items = [
        comparison(one, other, "worse" if rng.random() < 0.6 else "undecided", scores[other] - scores[one])
        for one, other in combinations(ranked, 2)
    ]
    return Standing(metric=parse(metric), title=parse(metric).title, scores=scores, items=items)


@pytest.mark.parametrize("seed", range(150))
def test_no_sentence_claims_more_than_the_tests(seed: int) -> None:
    """Every claim that a sentence can make is looked up in the comparisons."""
    rng = random.Random(seed)
    names = ["ada", "bert", "cleo", "dora", "emil"][: rng.randint(2, 5)]
    found = [drawn_standing(rng, metric, names) for metric in ("bleu", "chrf", "nist")[: rng.randint(1, 3)]]
    made = verdict(found, 500)
    worse = {
        (s.title, name) for s in found for name in names
        if name != s.best and s.pair(s.best, name).verdict == "worse"  # type: ignore[union-attr]
    }  # fmt: skip
    keeps_up = [name for name in names if not any((s.title, name) in worse for s in found)]
    apart = any(s.separates(a, b) for s in found for a, b in combinations(keeps_up, 2))
    mentioned = [name for name in names if name in made.sentence]
    if made.case == "split":
        assert keeps_up == []
    elif made.case == "winner":
        assert mentioned[:1] == keeps_up or keeps_up[0] in mentioned
        assert len(keeps_up) == 1
        if "is best" in made.sentence:
            assert all((s.title, name) in worse for s in found for name in names if name != keeps_up[0])
    else:
        assert made.case == "group"
        assert len(keeps_up) > 1
        if "apart" in made.sentence:
            assert not apart
        else:
            assert apart
        if ":" in made.sentence:
            assert set(mentioned) == set(keeps_up)
    behind = re.search(r"([\w, ]+?) (?:is|are) behind by every metric", made.more)
    if behind and "systems" not in behind[1]:
        assert all((s.title, name) in worse for s in found for name in names if name in behind[1])


@pytest.mark.parametrize("seed", range(20))
def test_drawing_and_words_agree(seed: int) -> None:
    """An interval that holds 0 where the test is significant, or does not where it is not, is marked."""
    outputs = {name: replaced(LINES, share, 7 * seed + k) for k, (name, share) in enumerate(
        {"a": 0.1, "b": 0.11, "c": 0.13, "d": 0.15, "e": 0.18}.items())}  # fmt: skip
    _, [standing] = stood(evaluated(outputs, LINES, ["chrf"]), trials=400)
    for name in standing.systems[1:]:
        place = standing.place(name)
        holds = place.nearest <= 0 <= place.farthest
        assert place.doubtful == (holds != (place.relation == "level"))
        assert place.gap == pytest.approx((place.nearest + place.farthest) / 2)


# How far to trust it


def words(evaluation: tt.Evaluation) -> list[str]:
    results, found = stood(evaluation)
    return [f"{t.before}{t.strong}{t.after}" for t in trust(results, People(evaluation=evaluation), found)]


def test_trust_of_metrics() -> None:
    found = words(evaluated({"a": GOOD, "b": MIDDLE, "c": BAD}, LINES, METRICS))
    assert found[0] == "all 3 metrics agree on who leads"
    assert re.fullmatch(r"finds differences of about [\d.]+ BLEU", found[1])
    assert found[-1] == "people's ratings: not given"
    found = words(
        evaluated({"endings": inflected(LINES, 0.5, 1), "words": replaced(LINES, 0.3, 2)}, LINES, ["bleu", "chrf"])
    )
    assert found[0] == "the two metrics do not agree on who leads"
    three = [
        standing("bleu", "abc", {"ab", "ac"}),
        standing("chrf", "bac", {"ba", "bc"}),
        standing("nist", "cab", {"ca", "cb"}),
    ]
    assert [f"{t.before}{t.strong}{t.after}" for t in agreement(three)] == ["no two of 3 metrics agree on who leads"]
    nested = [
        standing("bleu", "abc", {"ab", "ac"}),
        standing("chrf", "abc", {"ac"}),
        standing("nist", "abc", set()),
    ]
    assert [f"{t.before}{t.strong}{t.after}" for t in agreement(nested)] == [
        "1 system leads by all 3 metrics, others by some"
    ]
    alike = [standing("bleu", "abc", {"ab", "ac"}), standing("chrf", "abc", {"ac"})]
    assert [f"{t.before}{t.strong}{t.after}" for t in agreement(alike)] == [
        "the two metrics do not agree on who leads; chrF adds b"
    ]
    most = [*alike, standing("nist", "abc", {"ab", "ac"})]
    assert [f"{t.before}{t.strong}{t.after}" for t in agreement(most)] == [
        "2 of 3 metrics agree on who leads; chrF adds b"
    ]


def test_trust_of_differences_that_people_would_confirm() -> None:
    made = evaluated({"a": LINES, "b": replaced(LINES, 0.01, 3)}, LINES, METRICS)
    _, [bleu, *_] = stood(made)
    share = 100 * tt.meaning("bleu", bleu.detectable).accuracy
    assert words(made)[2] == f"people agree with about {share:.0f} % of differences of that size"


def test_trust_of_few_segments() -> None:
    assert words(evaluated({"a": GOOD[:30], "b": BAD[:30]}, LINES[:30], METRICS))[-1] == "only 30 segments"


def test_trust_of_raters() -> None:
    outputs = {"a": GOOD, "b": MIDDLE}
    [found] = [
        t for t in words(evaluated(outputs, LINES, METRICS, rated({"a": 90, "b": 20}, range(160)))) if "raters" in t
    ]
    assert re.fullmatch(r"people's rating \(0-100\): raters agree \(alpha 0\.9\d\)", found)
    one = [j for j in rated({"a": 90, "b": 20}, range(160)) if j.rater == "r1"]
    assert "people's rating (0-100): agreement of raters unknown" in words(evaluated(outputs, LINES, METRICS, one))


def test_trust_of_documents() -> None:
    made = evaluated({"a": GOOD, "b": BAD}, LINES, METRICS)
    testset = dataclasses.replace(made.testset, documents=tuple(f"d{k // 5}" for k in range(160)))
    again = tt.evaluate(testset, made.systems, METRICS)
    assert "by documents no test comes out otherwise" in words(again)


def test_places_have_no_gap_where_nothing_was_tested() -> None:
    _, [standing] = stood(evaluated({"a": GOOD, "b": BAD}, LINES, ["bleu"]))
    bare = dataclasses.replace(standing, items=())
    assert bare.place("b").relation == "untested"
    assert math.isnan(bare.place("b").gap)
