"""What is said first of metrics beside people: which metric is closest, by the tests between metrics and no others.

A metric *leads* at a level if it is the closest to people or not significantly farther than the closest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from tertium.core.wording import counted, number
from tertium.meta.evaluate import Level, MetaEvaluation, MetaScore, pool
from tertium.meta.metric_comparison import MetricComparison
from tertium.meta.sentinels import is_sentinel
from tertium.report.figures.scatter import bare, known_pairs, means, sign_of
from tertium.report.opening import PageVerdict
from tertium.report.tables.meta import Names, statistic_title
from tertium.report.trust import Trust
from tertium.report.words import capital, listed

FEW = 5  # systems, below which a ranking of them says little
TENTHS = 100  # outputs, below which a mean of a tenth of them is one of a handful
WHERE: dict[Level, str] = {"segment": "on single outputs", "system": "by systems"}


def leading(comparison: MetricComparison) -> list[str]:
    """The closest metric and those not significantly farther; none where nothing could be told."""
    ranked = comparison.ranked
    if not ranked or comparison.unresolvable:
        return []
    behind = {pair.worse for pair in comparison.pairs if pair.better == ranked[0] and pair.significant}
    return [name for name in ranked if name not in behind]


def meta_verdict(found: Sequence[MetaEvaluation], names: Names) -> PageVerdict:
    """One test set, or several."""
    return one_testset(found[0], names) if len(found) == 1 else several_testsets(found, names)


def one_testset(result: MetaEvaluation, names: Names) -> PageVerdict:
    """Single outputs first, of which there are more than systems; then systems."""
    levels = [level for level in ("segment", "system") if level in result.comparisons]
    if len(result.metrics) < 2:
        return alone(result, names)
    clear = {level: leading(result.comparisons[level]) for level in levels}  # type: ignore[index]
    told = [level for level in levels if clear[level]]
    if not told:
        why = "; ".join(dict.fromkeys(result.comparisons[level].unresolvable or "" for level in levels))  # type: ignore[index]
        return PageVerdict("not resolvable", "Which metric is closer to people cannot be said.", f"{capital(why)}.")
    first = told[0]
    if len(told) == 2 and not set(clear["segment"]) & set(clear["system"]):
        parts = [f"{listed([bare(names[m]) for m in clear[level]])} {WHERE[level]}" for level in told]  # type: ignore[index]
        return PageVerdict("levels split", f"Levels split: closest to people are {' and '.join(parts)}.")
    made = at_level(result.comparisons[first], names)  # type: ignore[index]
    more = [at_level(result.comparisons[level], names).sentence for level in told[1:]]  # type: ignore[index]
    return PageVerdict(made.case, made.sentence, " ".join([made.more, *more]).strip())


def alone(result: MetaEvaluation, names: Names) -> PageVerdict:
    """A single metric, which nothing can be said about but how it goes with people."""
    metric = result.metrics[0]
    parts = []
    if "system" in result.comparisons:
        item = result.find(metric, "accuracy")
        parts.append(people_order([(bare(names[metric]), item)]))
    if "segment" in result.comparisons:
        item = result.find(metric, "tau_b", "segment", "item")
        parts.append(f"Kendall tau-b with people on single outputs, by segment: {number(item.value, 3)}.")
    first, *more = parts
    return PageVerdict("one metric", first, " ".join([*more, "There is no other metric to compare it with."]))


def at_level(comparison: MetricComparison, names: Names) -> PageVerdict:
    """Who is closest to people at one level."""
    where, lead = WHERE[comparison.level], leading(comparison)
    others = [name for name in comparison.ranked if name not in lead]
    apart = [pair for pair in comparison.pairs if pair.significant]
    by = statistic_title(comparison)
    if not lead:
        why = (comparison.unresolvable or f"{by} is not defined here").removeprefix("not resolvable: ")
        return PageVerdict("not resolvable", f"{capital(where)}, which metric is closer cannot be said: {why}.")
    if len(lead) == 1 and others:
        rest = bare(names[others[0]]) if len(others) == 1 else "every other metric"
        return PageVerdict(
            "winner", f"{bare(names[lead[0]])} is closest to people {where}, significantly closer than {rest}, by {by}."
        )
    who = listed([bare(names[name]) for name in lead])
    if not apart:
        every = "neither of the two metrics" if len(lead) == 2 else f"none of the {len(lead)} metrics"
        other = "the other" if len(lead) == 2 else "another"
        return PageVerdict(
            "group", f"{capital(where)}, {every} is significantly closer to people than {other}, by {by}."
        )
    if not others:
        some = f"{counted(len(apart), 'pair')} of them {'differs' if len(apart) == 1 else 'differ'} significantly"
        return PageVerdict("group", f"{who} lead {where}, though {some}, by {by}.")
    far = listed([bare(names[name]) for name in others])
    are = "is" if len(others) == 1 else "are"
    return PageVerdict(
        "group",
        f"{who} are closest to people {where}, by {by}; {far} {are} significantly farther than {bare(names[lead[0]])}.",
    )


def level(result: MetaEvaluation, names: Names, at: Level) -> str:
    """Who is closest to people at one level; of a single metric, how it goes with them."""
    if len(result.metrics) > 1:
        return at_level(result.comparisons[at], names).sentence
    [metric] = result.metrics
    by = "none" if at == "system" else "item"
    tau = result.find(metric, "tau_b", at, by).value
    over = f"over {counted(len(result.systems), 'system')}" if at == "system" else "the mean over segments"
    known = "is not defined" if math.isnan(tau) else number(tau, 3)
    return f"Kendall tau-b of {bare(names[metric])} with people, {over}: {known}; there is no other metric beside it."


def several_testsets(found: Sequence[MetaEvaluation], names: Names) -> PageVerdict:
    """On how many test sets each metric leads, and pairs of systems pooled over them."""
    level: Level = "segment" if "segment" in found[0].comparisons else "system"
    told = [own for result in found if (own := leading(result.comparisons[level]))]
    pooled = order(found, names)
    if not told:
        return PageVerdict("not resolvable", "Which metric is closer to people cannot be said.", pooled)
    counts = Counter(name for own in told for name in own)
    most = max(counts.values())
    first = [name for name in found[0].metrics if counts[name] == most]
    rest = [f"{bare(names[name])} on {counts[name] or 'none'}" for name in found[0].metrics if name not in first]
    lead = "leads" if len(first) == 1 else "lead"
    every = "both" if len(told) == 2 else f"all {len(told)}"
    of = every if most == len(told) else f"{most} of {len(told)}"
    sentence = f"{listed([bare(names[name]) for name in first])} {lead} on {of} test sets {WHERE[level]}"
    tail = f"; {listed(rest)}" if rest else ""
    explained = "A metric leads if it is the closest to people, or not significantly farther than the closest."
    return PageVerdict("winner" if len(first) == 1 else "group", f"{sentence}{tail}.", f"{explained} {pooled}".strip())


def order(found: Sequence[MetaEvaluation], names: Names) -> str:
    """Pairs of systems in people's order, over all test sets."""
    items = accuracies(found)
    if not items:
        return ""
    return people_order([(bare(names[item.metric]), item) for item in items])


def people_order(items: Sequence[tuple[str, MetaScore]]) -> str:
    """How many pairs of systems are in people's order by each metric, from the most on."""
    pairs = counted(items[0][1].n, "pair")
    if len(items) == 1:
        [(name, item)] = items
        return f"{name} puts {item.agree} of {pairs} of systems in people's order."
    found: dict[int, list[str]] = {}
    for name, item in items:
        found.setdefault(item.agree or 0, []).append(name)
    counts = sorted(found, reverse=True)
    are = "is" if counts[0] == 1 else "are"
    said = [f"{count or 'none'} by {listed(found[count])}" for count in counts[1:]]
    start = f"{counts[0] or 'none'} {are} in people's order by {listed(found[counts[0]])}"
    return f"Of {pairs} of systems, {'; '.join([start, *said])}."


def accuracies(found: Sequence[MetaEvaluation]) -> list[MetaScore]:
    """The pairwise accuracy of every metric over all test sets; sentinels are none."""
    return [score for score in pool(found) if score.statistic == "accuracy" and score.n
            and not is_sentinel(score.metric)]  # fmt: skip


def beside_sentinels(found: Sequence[MetaEvaluation]) -> Iterator[Trust]:
    """How many metrics are closer to people than every sentinel, by both statistics, on every test set."""
    tests = [test for result in found for test in result.sentinel_tests if test.adjusted == test.adjusted]
    if not tests:
        return
    metrics = {test.metric for test in tests}
    beaten = {test.metric for test in tests if not test.better}
    more = "Sentinels see too little: only the length of the output, only the source, only the reference."
    ahead = f"{len(metrics - beaten)} of {counted(len(metrics), 'metric')}"
    yield Trust("", ahead, " closer to people than every sentinel", "bad" if beaten else "plain", more)


def sentinel_finding(result: MetaEvaluation, names: Names) -> str:
    """Which metrics are closer to people than every sentinel, and which are not."""
    tests = [test for test in result.sentinel_tests if test.adjusted == test.adjusted]
    behind = {test.metric for test in tests if not test.better}
    ahead = [bare(names[metric]) for metric in result.metrics if metric not in behind]
    rest = [bare(names[metric]) for metric in result.metrics if metric in behind]
    if not tests:
        return "No sentinel is defined here."
    if not rest:
        who = "The metric is" if len(ahead) == 1 else "All metrics are"
        return f"{who} significantly closer to people than every sentinel, by both statistics."
    parts = [
        f"{listed(rest)} {'is' if len(rest) == 1 else 'are'} not significantly closer to people than some sentinel"
    ]
    if ahead:
        parts.append(f"{listed(ahead)} {'is' if len(ahead) == 1 else 'are'} closer than every one")
    return f"{'; '.join(parts)}."


def meta_trust(found: Sequence[MetaEvaluation], names: Names) -> Iterator[Trust]:
    """How much was judged, and how many pairs of systems metrics put in people's order."""
    judged = sum(result.judged for result in found)
    yield Trust("", f"{judged:,} outputs", " with a score by people")
    systems = [len(result.systems) for result in found]
    low, high = min(systems), max(systems)
    span = str(low) if low == high else f"{low} to {high}"
    yield Trust("", f"{span} systems", "" if len(found) == 1 else " in a test set", "bad" if low < FEW else "plain",
                f"With fewer than {FEW}, whether metrics rank systems as people do is mostly luck."
                if low < FEW else "")  # fmt: skip
    yield from beside_sentinels(found)
    items = accuracies(found)
    if len(items) > 1 and low > 2:
        best = max(items, key=lambda item: item.value)
        more = "; ".join(f"{names[item.metric]}: {item.agree} of {item.n}" for item in items)
        yield Trust(f"{names[best.metric]} puts ", f"{best.agree} of {best.n}", " pairs of systems in people's order, "
                    "the most", more=more)  # fmt: skip


# Above figures and tables


def correlated(result: MetaEvaluation, names: Names, level: Level) -> str:
    """Which metric has the highest correlation at a level."""
    by = "none" if level == "system" else "item"
    statistic = "pearson" if level == "system" else "tau_b"
    found = {m: result.find(m, statistic, level, by).value for m in result.metrics}
    known = {metric: value for metric, value in found.items() if value == value}
    if not known:
        return "No correlation is defined here."
    parts = [f"{bare(names[m])} {number(value, 3)}" for m, value in sorted(known.items(), key=lambda item: -item[1])]
    what = f"Pearson r with people over {counted(len(result.systems), 'system')}" if level == "system" else (
        "Kendall tau-b with people, the mean over segments"
    )  # fmt: skip
    return f"{what}: {listed(parts)}{'; their order is not tested here' if len(parts) > 1 else ''}."


def steep(result: MetaEvaluation, names: Names) -> str:
    """How much higher people rate the tenth of outputs that a metric scores highest than the lowest."""
    parts = []
    for metric in result.metrics:
        pairs = known_pairs(result, metric, names)
        points = means(*pairs)
        if len(points) > 1 and len(pairs[0]) >= TENTHS:
            gap = abs(points[-1]["mean y"] - points[0]["mean y"])
            turned = (points[-1]["mean y"] < points[0]["mean y"]) != (
                sign_of(names[metric]) * sign_of(names[result.gold]) < 0
            )
            parts.append(f"{bare(names[metric])} {'-' if turned and gap else ''}{number(gap, 2)}")
    if not parts:
        return ""
    tenths = "People rate the tenth of outputs that {} scores best above the tenth that it scores worst, by"
    if len(parts) == 1:
        name, _, gap = parts[0].rpartition(" ")
        return f"{tenths.format(name)} {gap}."
    return f"{tenths.format('a metric')}: {'; '.join(parts)}."
