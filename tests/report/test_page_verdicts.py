"""What pages say first: every case is made from data in which it holds, and the sentence is checked."""

from __future__ import annotations

import dataclasses
import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.analysis.contrast import compare_types
from tertium.analysis.damage import type_damage
from tertium.analysis.stress import StressTest, stress
from tertium.core.score import Interval, Score
from tertium.human.agreement import Agreement, agreement
from tertium.human.analyse import analyse
from tertium.human.ranking import RankingMethod
from tertium.meta.evaluate import MetaEvaluation
from tertium.meta.preference import Preference
from tertium.meta.table import score_table
from tertium.prompt.search.search import PromptSearch
from tertium.prompt.soft import SoftEpoch, SoftTraining
from tertium.prompt.template import Template
from tertium.report.human_pages import agreement_page, analysis_page
from tertium.report.prompt_pages import soft_page
from tertium.report.tables.correlations import Correlations
from tertium.report.verdicts import correlations, meta, people, preference, prompts, retrieval, types
from tertium.report.verdicts import stress as stress_said
from tertium.report.verdicts.training import training_verdict
from tertium.training.curve import Epoch, Training
from tertium.training.settings import Settings

from .made_systems import references, replaced

LINES = references(120)


# Tables of scores


def table_of(columns: dict[str, list[Any]], **more: Any) -> Correlations:
    made = score_table(columns, gold="people", **more)
    return Correlations(table=made, statistics=("tau_b",), alpha=0.05, limit=2.5)


UP = [float(k) for k in range(8)]
SWAPPED = [1.0, 0.0, 3.0, 2.0, 5.0, 4.0, 7.0, 6.0]
FLAT = [1.0] * 8
NOISE = [3.0, 6.0, 0.0, 5.0, 1.0, 7.0, 2.0, 4.0]
NAMES = [f"s{k}" for k in range(8)]


def test_a_table_of_one_group() -> None:
    given = table_of({"system": NAMES, "people": UP, "good": UP, "fair": SWAPPED})
    said = correlations.correlation_verdict(given)
    assert (said.case, said.sentence) == (
        "wins",
        "good has the highest Kendall tau-b with people: 1.000 over 8 systems.",
    )
    given = table_of({"system": NAMES, "people": UP, "one": UP, "two": UP})
    said = correlations.correlation_verdict(given)
    assert (said.case, said.sentence) == (
        "share", "one and two share the highest Kendall tau-b with people: 1.000 over 8 systems."
    )  # fmt: skip


def test_a_table_in_which_nothing_is_significant_or_defined() -> None:
    said = correlations.correlation_verdict(table_of({"system": NAMES, "people": UP, "noise": NOISE}))
    assert (said.case, said.sentence) == (
        "nothing significant", "No metric goes with people significantly: no Kendall tau-b above 0 has p < 0.05."
    )  # fmt: skip
    against = [-value for value in UP]  # significant, but against people: that is no win
    assert correlations.correlation_verdict(
        table_of({"system": NAMES, "people": UP, "x": against})
    ).case == "nothing significant"  # fmt: skip
    said = correlations.correlation_verdict(table_of({"system": NAMES, "people": UP, "flat": FLAT}))
    assert (said.case, said.sentence) == (
        "undefined", "No correlation with people is defined: it takes systems that differ."
    )  # fmt: skip


def test_a_table_of_several_groups() -> None:
    columns: dict[str, list[Any]] = {
        "year": ["1"] * 8 + ["2"] * 8 + ["3"] * 8,
        "system": NAMES * 3,
        "people": UP * 3,
        "good": UP + UP + NOISE,
        "fair": SWAPPED + SWAPPED + NOISE,
    }
    said = correlations.correlation_verdict(table_of(columns, group=["year"]))
    assert said.case == "wins"
    assert said.sentence == (
        "good has the highest Kendall tau-b with people most often: in 2 of 2 groups in which some metric is "
        "significant."
    )
    assert said.more.startswith("Others: fair in 0. In 1 of 3 groups no metric is significant. ")
    assert "Williams' test of Pearson r" in said.more
    columns["fair"] = SWAPPED + UP + NOISE
    columns["good"] = UP + SWAPPED + NOISE
    said = correlations.correlation_verdict(table_of(columns, group=["year"]))
    assert said.case == "share"
    assert said.sentence.startswith("good and fair have the highest Kendall tau-b with people equally often: in 1 of 2")
    found = correlations.significance(table_of(columns, group=["year"]), "tau_b")
    assert found == "Of 3 groups, Kendall tau-b is significantly above 0 in 2 by good and fair."


def test_metrics_that_williams_tells_apart_are_named() -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=200)
    columns = {"system": [f"s{k}" for k in range(200)], "people": gold.tolist(),
               "near": (gold + 0.1 * rng.normal(size=200)).tolist(),
               "far": (gold + 2 * rng.normal(size=200)).tolist()}  # fmt: skip
    assert correlations.tested(table_of(columns)) == (
        "Williams' test of Pearson r tells 1 of 1 pair of metrics apart: near from far."
    )
    columns["far"] = (gold + 0.1 * rng.normal(size=200)).tolist()
    assert correlations.tested(table_of(columns)).endswith("tells none of 1 pair of metrics apart.")


def test_outliers_and_metrics_that_are_alike() -> None:
    given = table_of({"system": NAMES, "people": [*UP[:7], -90.0], "m": [*UP[:7], -90.0]})
    trust = {item.strong: item.tone for item in correlations.correlation_trust(given)}
    assert trust["1 outlier"] == "bad"
    assert trust["8 systems"] == "bad"
    assert trust["28 of 28"] == "plain"
    assert correlations.without(given) == "Without 1 outlier, Kendall tau-b changes on average: m by 0.000."
    assert correlations.alike(
        ["people", "a", "b", "c"], [[1, 0, 0, 0], [0, 1, 0.9, 0.2], [0, 0.9, 1, 0.5], [0] * 4]
    ) == ("Of metrics, a and b are most alike (0.90), a and c least (0.20).")
    assert correlations.alike(["people", "a"], [[1.0, 0.3], [0.3, 1.0]]) == ""
    two = [[1.0, 0.3, 0.3], [0.3, 1.0, 0.5], [0.3, 0.5, 1.0]]
    assert correlations.alike(["people", "a", "b"], two, "Kendall tau-b") == "Kendall tau-b of a and b: 0.50."


def preferred(metric: str, low: float, high: float, agree: int, pairs: int = 20) -> Preference:
    right = np.array([1.0] * agree + [0.0] * (pairs - agree))
    return Preference(metric=metric, gold="h", n=12, groups=1, pairs=pairs, ties=0, accuracy=agree / pairs, slope=0.5,
                      interval=Interval(low, high, 0.95), differences=np.ones(pairs), agree=right)  # fmt: skip


def test_preferences() -> None:
    names = {"a": "A", "b": "B ↓"}
    good, other, none = preferred("a", 0.2, 0.9, 18), preferred("b", 0.1, 0.9, 15), preferred("b", -0.4, 0.9, 11)
    said = preference.preference_verdict([good, other], names)
    assert (said.case, said.sentence) == (
        "all", "People prefer the higher score more often than chance by both metrics; most often by A, in 90 % of 20 "
        "pairs that people tell apart.",
    )  # fmt: skip
    said = preference.preference_verdict([good, none], names)
    assert (said.case, said.sentence) == (
        "some", "People prefer the higher score more often than chance by A, in 90 % of 20 pairs that people tell "
        "apart.",
    )  # fmt: skip
    assert said.more.endswith("By B it is open: the interval holds chance.")
    said = preference.preference_verdict([none], names)
    assert (said.case, said.sentence) == (
        "open", "It is open whether people prefer the higher score by B: every interval holds chance."
    )  # fmt: skip
    assert preference.preference_verdict([], names).case == "no pairs"


def test_people_may_prefer_the_lower_score() -> None:
    """An error rate that is taken for a score: its interval does not hold chance."""
    names = {"a": "A", "b": "B"}
    good, other, none = preferred("a", 0.2, 0.9, 18), preferred("b", -0.9, -0.1, 5), preferred("b", -0.4, 0.9, 11)
    said = preference.preference_verdict([good, other], names)
    assert said.case == "some"
    assert said.more.endswith(" By B people prefer the lower score more often than chance.")
    said = preference.preference_verdict([other], names)
    assert (said.case, said.sentence) == (
        "against", "People prefer the lower score more often than chance by B."
    )  # fmt: skip
    said = preference.preference_verdict([other, dataclasses.replace(none, metric="a")], names)
    assert said.more.endswith(" By A it is open: the interval holds chance.")


# Metrics beside people


def meta_of(metrics: str, shares: dict[str, float], noise: float, **more: Any) -> tuple[MetaEvaluation, dict[str, str]]:
    """Systems that are worse the more words they replace, and people who see that as clearly as there is no noise."""
    rng = np.random.default_rng(1)
    systems = [tt.System(name=n, outputs=tt.Lines.of(replaced(LINES, share, k)))
               for k, (n, share) in enumerate(shares.items())]  # fmt: skip
    testset = tt.TestSet(segments=len(LINES), references=tt.References((tt.Lines.of(LINES),), len(LINES)))
    found = tt.evaluate(testset, systems, metrics)
    first = found.metrics[0]
    scored = [score for score in found.scores("segment") if score.metric == str(first)]
    own = {name: [score.value for score in scored if score.system == name] for name in shares}
    gold = {name: np.array(values) + noise * rng.normal(size=len(LINES)) for name, values in own.items()}
    result = tt.meta_evaluate(found, gold, trust_join=True, trials=200, **more)
    return result, {str(m): m.title for m in found.metrics} | {"people": "people"}


SHARES = {"a": 0.05, "b": 0.2, "c": 0.4, "d": 0.6}


def test_the_metric_that_people_follow_is_closest() -> None:
    result, names = meta_of("chrf,wer", SHARES, 1.0)
    said = meta.meta_verdict([result], names)
    comparison = result.comparisons["segment"]
    assert comparison.pairs[0].significant
    assert said.case == "winner"
    assert said.sentence.startswith(
        "chrF is closest to people on single outputs, significantly closer than WER, by pairwise accuracy with ties"
    )
    assert meta.leading(comparison) == ["chrf"]


def test_metrics_that_are_equally_close_are_not_told_apart() -> None:
    result, names = meta_of("chrf,chrf(beta=1.9)", SHARES, 1e6)
    found = result.comparisons["segment"]
    assert not any(pair.significant for pair in found.pairs)
    said = meta.meta_verdict([result], names)
    assert said.case == "group"
    assert said.sentence.startswith(
        "On single outputs, neither of the two metrics is significantly closer to people than the other"
    )


def test_one_metric_beside_people_is_not_compared() -> None:
    result, names = meta_of("chrf", SHARES, 1.0)
    said = meta.meta_verdict([result], names)
    assert said.case == "one metric"
    assert said.sentence == "chrF puts 6 of 6 pairs of systems in people's order."
    assert said.more.endswith("There is no other metric to compare it with.")


def test_what_cannot_be_told_is_said() -> None:
    result, names = meta_of("chrf,wer", SHARES, 1.0)
    none = {
        k: dataclasses.replace(v, unresolvable="not resolvable with 3 trials") for k, v in result.comparisons.items()
    }
    said = meta.meta_verdict([dataclasses.replace(result, comparisons=none)], names)
    assert (said.case, said.sentence) == ("not resolvable", "Which metric is closer to people cannot be said.")
    assert said.more == "Not resolvable with 3 trials."
    flipped = dataclasses.replace(
        result.comparisons["system"],
        values={"chrf": 0.1, "wer": 0.9},
        pairs=tuple(dataclasses.replace(p, better="wer", worse="chrf", significant=True)
                    for p in result.comparisons["system"].pairs),
    )  # fmt: skip
    split = dataclasses.replace(result, comparisons={**result.comparisons, "system": flipped})
    said = meta.meta_verdict([split], names)
    assert (said.case, said.sentence) == (
        "levels split", "Levels split: closest to people are chrF on single outputs and WER by systems."
    )  # fmt: skip


def test_several_test_sets_are_counted() -> None:
    result, names = meta_of("chrf,wer", SHARES, 1.0)
    said = meta.meta_verdict([result, result], names)
    assert (said.case, said.sentence) == ("winner", "chrF leads on both test sets on single outputs; WER on none.")
    assert re.search(r"Of 12 pairs of systems, \d+ are in people's order by chrF(; \d+ by| and) WER\.", said.more)


# Stress


@pytest.fixture(scope="module")
def stressed() -> StressTest:
    testset = tt.TestSet(segments=len(LINES), references=tt.References((tt.Lines.of(LINES),), len(LINES)))
    return stress(testset, list(LINES), "bleu,macrof", noises="delete,permute", seeds=2)


def test_blind_spots_come_first(stressed: StressTest) -> None:
    titles = {"bleu": "BLEU", "macrof": "MacroF"}
    said = stress_said.stress_verdict(stressed, titles)
    assert (said.case, said.sentence) == ("blind", "BLEU notices all 2 noises; MacroF is blind to 1 of them.")
    assert said.more == "MacroF does not notice word order."
    seeing = dataclasses.replace(stressed, blind_spots=())
    assert stress_said.stress_verdict(seeing, titles).sentence == "Each of 2 metrics notices all 2 noises."
    both = dataclasses.replace(
        stressed, blind_spots=(*stressed.blind_spots, dataclasses.replace(stressed.blind_spots[0], metric="bleu"))
    )
    assert stress_said.stress_verdict(both, titles).sentence == "BLEU is blind to 1 of 2 noises, MacroF to 1."
    praised = dataclasses.replace(stressed.blind_spots[0], text="MacroF rewards word order", sensitivity=-1.0)
    said = stress_said.stress_verdict(dataclasses.replace(stressed, blind_spots=(praised,)), titles)
    assert (said.case, said.more) == ("rewarded", "MacroF rewards word order.")
    untouched = tuple(dataclasses.replace(c, touched=(0.0,) * len(c.touched)) for c in stressed.curves)
    said = stress_said.stress_verdict(dataclasses.replace(stressed, curves=untouched, blind_spots=()), titles)
    assert (said.case, said.sentence) == (
        "nothing touched", "Nothing can be said: no noise touches a word of these outputs."
    )  # fmt: skip


def test_what_is_kept_is_the_mean_over_noises(stressed: StressTest) -> None:
    kept = {m: np.mean([c.left[-1] for c in stressed.curves if c.metric == m]) for m in ("bleu", "macrof")}
    found = stress_said.curve_finding(stressed, {"bleu": "BLEU", "macrof": "MacroF"}, "random")
    assert found == (
        "With 30 % of the words that a noise can touch damaged, BLEU keeps least of its score "
        f"({kept['bleu']:.0f} %, the mean over 2 noises), MacroF most ({kept['macrof']:.0f} %)."
    )


def test_what_a_frequent_type_costs() -> None:
    lines = [f"the word{k} is the same the" for k in range(60)]
    testset = tt.TestSet(segments=60, references=tt.References((tt.Lines.of(lines),), 60))
    found = type_damage(testset, lines, "bleu,macrof")
    often, rare = stress_said.ends_of(found) or (None, None)
    assert often is not None
    assert rare is not None
    ratio = (100 - often.left["bleu"]) / (100 - rare.left["bleu"])
    said = stress_said.damage_verdict(found, {"bleu": "BLEU"})
    shown = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
    assert said.sentence == f"A frequent type costs so many times as much as a rare one: by BLEU {shown}."
    assert "rare: once (60 types)" in said.more
    assert stress_said.damage_verdict(found[:1], {"bleu": "BLEU"}).case == "one frequency"


# Types


def contrast_of(a: list[str], b: list[str], **more: Any) -> Any:
    testset = tt.TestSet(segments=len(LINES), references=tt.References((tt.Lines.of(LINES),), len(LINES)))
    systems = [tt.System(name=n, outputs=tt.Lines.of(texts)) for n, texts in (("a", a), ("b", b))]
    return compare_types(tt.evaluate(testset, systems, "macrof"), "a", "b", **{"trials": 500, **more})


def test_words_at_which_a_system_is_better() -> None:
    said = types.pair_verdict(contrast_of(list(LINES), replaced(LINES, 0.6, 1)), "MacroF")
    assert said.case == "better"
    assert said.sentence.startswith("a is significantly better at words")
    said = types.pair_verdict(contrast_of(replaced(LINES, 0.2, 1), replaced(LINES, 0.2, 2)), "MacroF")
    assert said.case == "level"
    assert said.sentence.startswith("a and b do not differ significantly in any of ")
    said = types.pair_verdict(contrast_of(list(LINES), replaced(LINES, 0.6, 1), trials=0), "MacroF")
    assert (said.case, said.sentence) == ("not tested", "a has the higher MacroF; nothing was tested.")
    said = types.pair_verdict(contrast_of(list(LINES), replaced(LINES, 0.6, 1), trials=5), "MacroF")
    assert said.case == "not resolvable"


def test_each_system_is_better_at_some_words() -> None:
    made = contrast_of(list(LINES), replaced(LINES, 0.6, 1))
    first, *rest = [b for b in made.buckets if b.a.types and b.name not in ("all", "only in the output")]
    turned = first._replace(difference=5.0, adjusted=0.001)
    buckets = tuple(turned if b is first else b for b in made.buckets)
    said = types.pair_verdict(dataclasses.replace(made, buckets=buckets), "MacroF")
    assert said.case == "split"
    assert (
        f"b at words that the references have {'once' if first.name == '1' else first.name + ' times'}" in said.sentence
    )
    assert rest


# People


def judged(values: dict[str, dict[str, list[float]]], raters: int = 1) -> list[tt.Judgement]:
    return [
        tt.Judgement(segment=k, system=name, rater=f"r{r}", scale=scale, value=value)
        for scale, systems in values.items() for name, own in systems.items() for k, value in enumerate(own)
        for r in range(raters)
    ]  # fmt: skip


def people_said(values: dict[str, dict[str, list[float]]]) -> Any:
    return people.people_verdict([analyse(judged(values), scale, RankingMethod()) for scale in values])


HIGH, LOW, SAME = [5.0, 4.0] * 20, [1.0, 2.0] * 20, [3.0, 4.0] * 20


def test_whom_people_put_first() -> None:
    said = people_said({"adequacy": {"a": HIGH, "b": LOW}})
    assert (said.case, said.sentence) == ("winner", "People put a first, significantly above b.")
    said = people_said({"adequacy": {"a": HIGH, "b": LOW}, "fluency": {"a": HIGH, "b": LOW}})
    assert said.sentence == "People put a first, significantly above b, on all 2 scales."
    said = people_said({"adequacy": {"a": SAME, "b": SAME}})
    assert said.case == "group"
    assert said.more == "What is not significantly worse need not be equal."
    said = people_said({"adequacy": {"a": HIGH, "b": LOW}, "fluency": {"a": LOW, "b": HIGH}})
    assert (said.case, said.sentence) == ("split", "People's scales split: no system leads by all of them.")
    said = people_said({"adequacy": {"a": HIGH, "b": LOW}, "fluency": {"a": SAME, "b": SAME}})
    assert (said.case, said.sentence) == (
        "winner", "a leads by all 2 scales: none puts a system significantly above it."
    )  # fmt: skip
    said = people_said({"adequacy": {"a": HIGH}})
    assert (said.case, said.sentence) == ("nothing to rank", "There is nothing to rank: people judged only a.")


def coefficient(value: float, low: float | None = None, n: int = 50, scale: str = "adequacy") -> Agreement:
    return Agreement(statistic="alpha", word="alpha-interval", scale=scale, between="raters", on="values", value=value,
                     n=n, pairs=1, raters=("x", "y"), judgements=2 * n,
                     interval=None if low is None else Interval(low, 0.9, 0.95))  # fmt: skip


@pytest.mark.parametrize(
    ("row", "case", "sentence"),
    [
        (coefficient(0.8), "agree", "Raters agree."),
        (coefficient(0.4), "little", "Raters agree more than by chance, but little."),
        (coefficient(0.4, -0.1), "maybe chance", "Whether they agree more than by chance is open."),
        (coefficient(-0.1), "chance", "Raters agree no more than by chance."),
        (coefficient(math.nan), "undefined", "Whether they agree is undefined, because answers do not vary."),
        (coefficient(0.4, n=0), "unknown", "Nothing was judged by two raters, so nobody knows whether they agree."),
    ],
)
def test_how_far_raters_agree(row: Agreement, case: str, sentence: str) -> None:
    said = people.agreement_verdict([row])
    assert (said.case, said.sentence) == (case, sentence)


def test_raters_agree_on_some_scales() -> None:
    said = people.agreement_verdict([coefficient(0.8), coefficient(0.1, scale="fluency")])
    assert said.case == "mixed"
    assert "Adequacy (1-5): they agree; fluency (1-5): they agree more than by chance, but little." in said.sentence
    assert people.agreement_verdict([]).case == "unknown"


def test_pages_of_people_show_no_name_but_those_given() -> None:
    said = judged({"adequacy": {"a": HIGH, "b": LOW}}, raters=2)
    page = analysis_page([analyse(said, "adequacy", RankingMethod())], said, "t: about")
    assert [section.id for section in page.sections] == ["summary", "scale-adequacy", "methods"]
    assert "Graham, Baldwin, Moffat and Zobel (2013)" in page.html()
    page = agreement_page(agreement(said, confidence=0.95, trials=50), said, "t: about", confidence=0.95, trials=50)
    assert [section.id for section in page.sections] == ["summary", "coefficients", "raters", "methods"]
    assert "percentile bootstrap intervals" in page.html()


# Retrieval


def lead(name: str, order: str, leaders: str, verdicts: dict[str, str] | None = None) -> retrieval.Lead:
    class Item:
        def __init__(self, pair: str, verdict: str) -> None:
            self.baseline, self.system = pair
            self.verdict, self.unresolvable = verdict, None if leaders else "not resolvable with 3 trials"

    pairs = [a + b for k, a in enumerate(order) for b in order[k + 1 :]]
    items = [Item(pair, (verdicts or {}).get(pair, "undecided")) for pair in pairs]
    return retrieval.Lead(name, list(order), list(leaders), items, 0.5, 40)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "case", "start"),
    [
        ([lead("mAP", "a", "")], "one system", "Documents of a are found with 0.500 by mAP."),
        ([lead("mAP", "abc", "")], "not resolvable", "Whose documents are found better cannot be said."),
        ([lead("mAP", "abc", "a")], "winner",
         "The documents of a are found best, significantly ahead of every other system by mAP."),
        ([lead("mAP", "ab", "a"), lead("RR", "ab", "a")], "winner",
         "The documents of a are found best, significantly ahead of b by all 2 kinds of topics."),
        ([lead("mAP", "abc", "a"), lead("RR", "bac", "ba")], "winner",
         "The documents of a are found best, significantly ahead of every other system by mAP, and by no kind of "
         "topics significantly behind."),
        ([lead("mAP", "abc", "ab"), lead("RR", "acb", "ac")], "winner",
         "a leads: no other system keeps up with the best by all 2 kinds of topics."),
        ([lead("mAP", "abc", "a"), lead("RR", "bac", "b")], "split",
         "Kinds of topics split: no system leads by all of them."),
        ([lead("mAP", "abc", "abc")], "group", "No difference between the three systems is significant by mAP: "),
        ([lead("mAP", "abc", "ab")], "group", "The documents of two systems are found best by mAP: a and b."),
        ([lead("mAP", "abc", "abc", {"bc": "worse"})], "group",
         "The documents of three systems are found best by mAP: a, b and c."),
    ],
)  # fmt: skip
def test_whose_documents_are_found(found: list[retrieval.Lead], case: str, start: str) -> None:
    said = retrieval.one_testset(found)
    assert said.case == case
    assert said.sentence.startswith(start)


# Prompts and trainings


def searched(verdict: str | None, unresolvable: str | None = None) -> PromptSearch:
    """A search whose test says so; None where the baseline won."""
    item = None if verdict is None else SimpleNamespace(verdict=verdict, p=0.01, unresolvable=unresolvable)
    first, other = Template(name="mined 1", text="[X] == [Z]"), Template(name="A", text="[X] [Z]")
    made = {"metric": "chrF", "decimals": 1, "winner": first, "baseline": other, "comparison": item,
            "dev": Score(metric="chrF", value=60.0, n=24), "test": Score(metric="chrF", value=50.0, n=200),
            "baseline_test": Score(metric="chrF", value=40.0, n=200), "candidates": (1, 2, 3)}  # fmt: skip
    return SimpleNamespace(**made)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("verdict", "unresolvable", "case", "sentence"),
    [
        ("better", None, "better", "mined 1 is significantly better than A on test: 50.0 chrF against 40.0."),
        ("worse", None, "worse", "mined 1 is significantly worse than A on test: 50.0 chrF against 40.0."),
        ("undecided", None, "undecided",
         "mined 1 won on dev, but on test it is not told from A: 50.0 chrF against 40.0."),
        ("undecided", "not resolvable with 3 trials", "not resolvable",
         "Whether mined 1 is better than A cannot be said: not resolvable with 3 trials."),
        (None, None, "baseline stays", "No template did better than A on dev: it stays."),
    ],
)  # fmt: skip
def test_a_search(verdict: str | None, unresolvable: str | None, case: str, sentence: str) -> None:
    said = prompts.search_verdict(searched(verdict, unresolvable))
    assert (said.case, said.sentence) == (case, sentence)
    assert said.more.endswith("Dev had promised 60.0: the winner was chosen there among 3 templates.")


def test_a_soft_prompt() -> None:
    curve = (SoftEpoch(0, 3.0, 2.0), SoftEpoch(1, 2.0, 1.5), SoftEpoch(2, 1.0, 1.8))
    said = prompts.soft_verdict(SoftTraining(soft=None, curve=curve, best=1))  # type: ignore[arg-type]
    assert (said.case, said.sentence) == (
        "lower", "Training lowered the loss on dev by 25 %, from 2.0000 to 1.5000 nats a token."
    )  # fmt: skip
    assert prompts.soft_verdict(SoftTraining(soft=None, curve=curve[:1], best=0)).case == "no better"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "best", "case", "words"),
    [
        (0.1, 0.3, "nearer", "Kendall tau-b is 0.300 on the validation data, 0.100 at the start"),
        (
            math.nan,
            0.3,
            "from nothing",
            "Kendall tau-b with people is 0.300 on the validation data; at the start it is un",
        ),
        (0.3, 0.3, "no better", "Kendall tau-b is 0.300, no higher than at the start"),
        (0.1, math.nan, "undefined", "The training gave no metric that tells outputs apart"),
    ],
)
def test_a_training(start: float, best: float, case: str, words: str) -> None:
    curve = (Epoch(0, "start", 0, math.nan, start, 0.0), Epoch(1, "training", 9, 0.5, best, 0.0))
    made = Training(recipe="comet", settings=Settings(), out="o", curve=curve, best=1, examples=9, validation=9,
                    identity={"data": "", "valid": "", "encoder": ""})  # fmt: skip
    said = training_verdict(made)
    assert said.case == case
    assert words in said.sentence


def test_the_page_of_a_soft_prompt_draws_every_epoch() -> None:
    curve = (SoftEpoch(0, 3.0, 2.0), SoftEpoch(1, 2.0, 1.5), SoftEpoch(2, 1.0, 1.8))
    found = SoftTraining(soft=None, curve=curve, best=1)  # type: ignore[arg-type]
    page = soft_page(found, "about <script>")
    assert [section.id for section in page.sections] == ["summary", "loss", "methods"]
    [spec] = page.sections[1].charts[0].specifications().values()
    assert [row["loss"] for row in spec["datasets"]["rows"] if row["of"] == "dev"] == [2.0, 1.5, 1.8]
    assert {layer["encoding"]["x"].get("title", "epoch") for layer in spec["layer"]} == {"epoch"}  # not "at, epoch"
    assert str(page.sections[1].finding).startswith("Loss on dev ")
    assert "about <script>" not in page.html()


def test_names_of_systems_and_raters_stay_names() -> None:
    nasty = "<script>hacked=1</script>"
    said = [dataclasses.replace(one, system=nasty if one.system == "a" else "__proto__", rater=nasty + one.rater)
            for one in judged({"adequacy": {"a": HIGH, "b": LOW}}, raters=2)]  # fmt: skip
    pages = [
        analysis_page([analyse(said, "adequacy", RankingMethod())], said, nasty),
        agreement_page(agreement(said), said, nasty),
    ]
    assert all(nasty not in page.html() for page in pages)
