"""The results in words: who leads, by how much, what is not significant, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from statistics import median

from tertium.analysis.diagnose import Diagnosis
from tertium.core.metric import Metric
from tertium.core.wording import counted, number
from tertium.inference.compare import Comparison
from tertium.inference.seeds import ALPHA
from tertium.inference.standings import unit_notes
from tertium.report.results import Results

MANY = 6  # more names than these are counted, not listed
NOTABLE = 2.0  # a detector's rate is worth a sentence from so many times the reference's on
FEWEST = 3  # and from so many segments on

TESTS = {"permutation": "paired permutation test", "bootstrap": "paired bootstrap test"}


def sentences(results: Results) -> list[str]:
    """Paragraphs of the summary."""
    found = [leader(results)]
    if results.comparisons:
        found += [agreement(results), ties(results), units(results), power(results)]
    found.append(errors(results))
    return [text for text in found if text]


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def amount(value: float, metric: Metric) -> str:
    """A difference without its sign, as the metric's scores are rounded; never rounded to nothing."""
    text = number(abs(value), metric.decimals)
    return text if value == 0 or float(text) else number(abs(value), metric.decimals + 2)


def equals(results: Results, metric: Metric) -> str:
    """The end of a sentence about the best system: who is not significantly worse; clusters do not say that."""
    best, others = results.ranked_groups(metric)[0], len(results.groups) - 1
    found = results.keeping_up(metric)
    if found is None:
        return f". {_capital(str(results.comparisons[str(metric)][0].unresolvable))}."
    if not found or others == 1:
        return "."
    if len(found) == others:
        return f"; no system is significantly worse than {best}, which does not mean that all are equal."
    named = listed(found) if len(found) <= MANY else f"{len(found)} of {others} others"
    return f"; not significantly worse than {best}: {named}."


def units(results: Results) -> str:
    """Which verdicts of the first metric depend on what was swapped or drawn."""
    found = unit_notes(results.comparisons.get(str(results.metrics[0]), []))
    return f"{plain_title(results, results.metrics[0])} was {found[0]}." if found else ""


def chance(p: float) -> str:
    """A p-value in a sentence."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def leader(results: Results) -> str:
    """Who is first by the first metric, and how far ahead."""
    metric = results.metrics[0]
    title = plain_title(results, metric)
    best, *others = list(results.groups)
    if not others:
        score = results.scores.get((results.systems[0], str(metric)))
        if score is None or math.isnan(score.value):
            return f"{best} has no {title} score: no segment could be scored."
        interval = ""
        if score.interval is not None:
            low, high = (number(x, metric.decimals) for x in (score.interval.low, score.interval.high))
            interval = f", with a 95 % interval from {low} to {high}"
        value = number(score.value, metric.decimals)
        return f"{best} scores {value} {title}{interval}. One system alone cannot be compared with anything."
    item = results.pair(metric, best, others[0])
    if item is None:
        return f"{best} has the best {title} score."
    if item.difference == 0:
        return f"{best} and {others[0]} share the best {title} score{equals(results, metric)}"
    ahead, behind = item.system, item.baseline
    if (item.difference > 0) != (metric.better == "higher"):
        ahead, behind = behind, ahead
    start = f"By {title}, {best} leads: it is"
    if ahead != best:  # scores are of the segments that each system has, tests of those that both have
        start = (
            f"{best} has the best {title} score, but on the {counted(item.n, 'segment')} scored for both, {ahead} is"
        )
    verdict = "That is hardly luck alone" if item.verdict != "undecided" else "That may be luck"
    return (
        f"{start} {amount(item.difference, metric)} ahead of {behind}"
        f"{spread(item, metric)}. {verdict} ({TESTS[item.test]}, {chance(item.adjusted)}, corrected over all pairs)"
        f"{equals(results, metric)}"
    )


def spread(item: Comparison, metric: Metric) -> str:
    """The interval of a difference, as the leader's advantage."""
    if item.interval is None:
        return ""
    ends = sorted((item.interval.low, item.interval.high))
    if item.difference < 0:
        ends = sorted(-end for end in ends)
    low, high = (number(end, metric.decimals) for end in ends)
    return f" (95 % interval {low} to {high})"


def plain_title(results: Results, metric: Metric) -> str:
    """A metric's name without the arrow."""
    return results.titles[str(metric)].removesuffix(" ↓")


def agreement(results: Results) -> str:
    """Whether the other metrics put the same system first."""
    best = next(iter(results.groups))
    same: list[str] = []
    other: dict[str, list[str]] = {}
    for metric in results.metrics[1:]:
        first = results.ranked_groups(metric)[0]
        if first == best:
            same.append(plain_title(results, metric))
        else:
            other.setdefault(first, []).append(plain_title(results, metric))
    parts = [f"{listed(same)} also {'put' if len(same) > 1 else 'puts'} {best} first"] if same else []
    parts += [
        f"{listed(names)} {'prefer' if len(names) > 1 else 'prefers'} {system}" for system, names in other.items()
    ]
    if not parts:
        return ""
    caution = (
        " Where metrics disagree about the winner, look at segments before believing any of them." if other else ""
    )
    return "; ".join(parts) + "." + caution


def ties(results: Results) -> str:
    """Which pairs the first metric cannot tell apart."""
    metric = results.metrics[0]
    items = results.comparisons.get(str(metric), [])
    if not items:
        return ""
    title = plain_title(results, metric)
    undecided = [item for item in items if item.verdict == "undecided"]
    few = len(undecided) <= MANY
    named = ": " + "; ".join(f"{a} and {b}" for a, b in map(pair_names, undecided)) if few else ""
    compared = counted(len(items), "pair")
    if not undecided:
        return f"{title} tells all {compared} of systems apart." if len(items) > 1 else ""
    return (
        f"Of {compared}, {len(undecided)} cannot be told apart by {title} at the level of "
        f"{ALPHA:g}{named}. Not significant does not mean equal."
    )


def pair_names(item: Comparison) -> tuple[str, str]:
    """The two systems of a comparison."""
    return item.baseline, item.system


def power(results: Results) -> str:
    """How small a difference this test set would show."""
    metric = results.metrics[0]
    known = [item for item in results.comparisons.get(str(metric), []) if item.detectable > 0]
    if not known:
        return ""
    middle = median(item.detectable for item in known)
    return (
        f"With {counted(known[0].n, 'segment')}, a difference of about {amount(middle, metric)} "
        f"{plain_title(results, metric)} between two systems would be found four times out of five, one of two thirds "
        "of that in less than half of such test sets."
    )


def errors(results: Results) -> str:
    """Detectors that hit a system more than twice as often as the reference, which is not luck alone by McNemar's test,
    and those that cannot judge the reference."""
    diagnosis = results.diagnosis
    if diagnosis is None:
        return ""
    chances = diagnosis.beside_reference()
    beside, alone = [], []
    for kind in diagnosis.detectors:
        floor = diagnosis.floor[kind].rate if kind in diagnosis.floor else math.nan
        name = max(results.systems, key=partial(_rate, diagnosis, kind))
        tally = diagnosis.tallies[name, kind]
        said = f"{kind} ({name} {100 * tally.rate:.1f} %"
        if tally.hits < FEWEST:
            continue
        if math.isnan(floor):
            alone.append((tally.rate, f"{said})"))
        elif tally.rate > NOTABLE * floor and chances[name, kind] <= ALPHA:
            beside.append((tally.rate, f"{said}, the reference {100 * floor:.1f} %)"))
    parts = [
        f"{said}: {'; '.join(text for _, text in sorted(found, reverse=True)[:3])}."
        for said, found in (
            ("more than twice as often as in the reference", beside),
            ("where a reference cannot be judged", alone),
        )
        if found
    ]
    return " ".join([f"Errors that a program can see, {parts[0]}", *map(_capital, parts[1:])]) if parts else ""


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _rate(diagnosis: Diagnosis, kind: str, system: str) -> float:
    rate = diagnosis.tallies[system, kind].rate
    return -1.0 if math.isnan(rate) else rate
