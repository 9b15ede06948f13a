"""What is said first of a table of scores: which metric goes best with people, and how sure that is.

A win is counted, not tested: the highest of several correlations. Whether one metric is ahead of another is what
Williams' test of Pearson's r says, and no sentence says more than it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from tertium.core.wording import counted, number
from tertium.meta.correlate import TITLES, CorrelationCell, by_group
from tertium.meta.differences import count_better, differences
from tertium.report.opening import PageVerdict
from tertium.report.tables.correlations import Correlations
from tertium.report.trust import Trust
from tertium.report.words import capital, listed

FEW = 10  # systems of a group, below which a correlation is mostly luck
NAMED = 3  # pairs of metrics that a sentence names


def correlation_verdict(given: Correlations) -> PageVerdict:
    """Which metric has the highest correlation, in one group or most often in several."""
    statistic, gold = given.statistics[0], given.table.gold
    cells, title = given.cells[statistic], TITLES[given.statistics[0]]
    if all(math.isnan(cell.value) for cell in cells):
        return PageVerdict("undefined", f"No correlation with {gold} is defined: it takes systems that differ.")
    won = given.wins[statistic]["all"]
    if not won.decided:
        where = "" if won.groups == 1 else f" in any of {won.groups} groups"
        return PageVerdict(
            "nothing significant",
            f"No metric goes with {gold} significantly{where}: no {title} above 0 has p < {given.alpha:g}.",
        )
    most = max(won.wins.values())
    first = [given.names[metric] for metric, count in won.wins.items() if count == most]
    if won.groups == 1:
        return _one_group(given, cells, first, title)
    have, share = ("has", "wins") if len(first) == 1 else ("have", "share")
    of = "the only group" if won.decided == 1 else f"{most} of {won.decided} groups"
    often = "most often" if len(first) == 1 else "equally often"
    undecided = won.groups - won.decided
    rest = [f"{given.names[m]} in {n}" for m, n in won.wins.items() if given.names[m] not in first]
    parts = [
        f"{capital('others')}: {listed(rest)}." if rest else "",
        f"In {undecided} of {won.groups} groups no metric is significant." if undecided else "",
        tested(given),
    ]
    return PageVerdict(
        share,
        f"{listed(first)} {have} the highest {title} with {gold} {often}: in {of} in which some metric is significant.",
        " ".join(part for part in parts if part),
    )


def _one_group(given: Correlations, cells: Sequence[CorrelationCell], first: Sequence[str], title: str) -> PageVerdict:
    best = max(
        (cell for cell in cells if cell.significant(given.alpha) and cell.value > 0), key=lambda cell: cell.value
    )
    have = "has" if len(first) == 1 else "share"
    return PageVerdict(
        "wins" if len(first) == 1 else "share",
        f"{listed(first)} {have} the highest {title} with {given.table.gold}: {number(best.value, 3)} over "
        f"{counted(best.n, 'system')}.",
        tested(given),
    )


def tested(given: Correlations) -> str:
    """How many pairs of metrics Williams' test tells apart, and which."""
    found = [item for item in differences(given.table) if not math.isnan(item.adjusted)]
    if not found:
        return ""
    groups = {item.group for item in found}
    within = "" if len(groups) == 1 else " of one group"
    said = "Williams' test of Pearson r"
    times: Counter[tuple[str, str]] = count_better(found, given.alpha)
    if not times:
        return f"{said} tells none of {counted(len(found), 'pair')} of metrics{within} apart."
    pairs = [
        f"{given.names[better]} from {given.names[worse]}" + (f" in {counted(n, 'group')}" if len(groups) > 1 else "")
        for (better, worse), n in times.most_common(NAMED)
    ]
    more = len(times) - len(pairs)
    named = f"{listed(pairs)}{f'; and {more} more' if more else ''}"
    return f"{said} tells {times.total()} of {counted(len(found), 'pair')} of metrics{within} apart: {named}."


def correlation_trust(given: Correlations) -> Iterator[Trust]:
    """How many systems there are, whether outliers carry it, and what pairs of systems say."""
    cells = given.cells[given.statistics[0]]
    groups = by_group(cells)
    sizes = [max(cell.n for cell in found.values()) for found in groups.values()]
    known = [size for size in sizes if size]
    if known:
        low, high = min(known), max(known)
        span = str(low) if low == high else f"{low} to {high}"
        small = sum(size < FEW for size in known)
        where = "" if len(known) == 1 else " in a group"
        yield Trust(
            "", f"{span} systems", where, "bad" if small else "plain",
            f"{small} of {counted(len(known), 'group')} with fewer than {FEW}: correlations of so few vary much.",
        )  # fmt: skip
    far = given.outliers[given.statistics[0]]
    if far:
        systems = sum(len(item.systems) for item in far)
        of = "" if len(groups) == 1 else f" in {len(far)} of {len(groups)} groups"
        yield Trust("", counted(systems, "outlier"), f"{of}, which may carry correlations", "bad",
                    "One system far from all others makes most correlations high.")  # fmt: skip
    elif groups:
        yield Trust("", "no outlier", " carries a correlation", "good")
    told = [item for item in given.scores.verdicts if item.pairs]
    if told:
        best = max(told, key=lambda item: item.accuracy)
        more = "; ".join(f"{given.names[item.metric]}: {item.agree} of {item.pairs}" for item in told)
        yield Trust(
            f"{given.names[best.metric]} puts ", f"{best.agree} of {best.pairs}",
            " pairs of systems in people's order, the most" if len(told) > 1 else " pairs of systems in people's order",
            more=more,
        )  # fmt: skip


# Above figures and tables


def significance(given: Correlations, statistic: str) -> str:
    """In how many groups each metric is significant."""
    cells = given.cells[statistic]
    groups = len(by_group(cells))
    count: dict[int, list[str]] = {}
    for metric in given.table.metrics:
        own = sum(cell.significant(given.alpha) and cell.value > 0 for cell in cells if cell.metric == metric)
        count.setdefault(own, []).append(given.names[metric])
    if groups == 1:
        yes, no = listed(count.get(1, [])), listed(count.get(0, []))
        return f"Significantly above 0: {yes or 'none'}." + (f" Not: {no}." if yes and no else "")
    if set(count) == {0}:
        return f"In none of {groups} groups is {TITLES[statistic]} of any metric significantly above 0."
    parts = [f"{n} by {listed(names)}" for n, names in sorted(count.items(), reverse=True)]
    return f"Of {groups} groups, {TITLES[statistic]} is significantly above 0 in {'; '.join(parts)}."


def common(given: Correlations, statistic: str) -> str:
    """Who has the highest mean over the groups that all metrics share."""
    from tertium.meta.wins import summaries

    found = [item for item in summaries(given.cells[statistic], alpha=given.alpha) if not math.isnan(item.mean)]
    if not found:
        return "In no group are all metrics significant, so there is no mean to compare them by."
    best = max(found, key=lambda item: item.mean)
    return (
        f"Over the {counted(best.common, 'group')} in which all metrics are significant, {given.names[best.metric]} "
        f"has the highest mean {TITLES[statistic]}, {number(best.mean, 3)}; means are not tested."
    )


def without(given: Correlations) -> str:
    """By how much correlations change without outliers, on average over the groups that have any."""
    statistic = given.statistics[0]
    gaps: dict[str, list[float]] = {}
    for item in given.outliers[statistic]:
        for one, two in zip(item.before, item.after, strict=True):
            if not math.isnan(one.value - two.value):
                gaps.setdefault(one.metric, []).append(two.value - one.value)
    if not gaps:
        return ""
    means = [f"{given.names[m]} by {signed(math.fsum(values) / len(values))}" for m, values in gaps.items()]
    systems = sum(len(item.systems) for item in given.outliers[statistic])
    change = f"Without {counted(systems, 'outlier')}, {TITLES[statistic]} changes on average"
    return f"{change}: {listed(means)}." if len(means) <= NAMED else f"{change} by {_span(gaps)}."


def _span(gaps: dict[str, list[float]]) -> str:
    means = [math.fsum(values) / len(values) for values in gaps.values()]
    return f"{signed(min(means))} to {signed(max(means))}, by metric"


def signed(value: float) -> str:
    """A change with its sign."""
    text = number(value, 3)
    return f"+{text}" if float(text) > 0 else text


def alike(names: Sequence[str], values: Sequence[Sequence[float]], statistic: str = "Pearson r") -> str:
    """Which two metrics are most alike, and which least; the first name is people's."""
    pairs = {
        (names[i].removesuffix(" ↓"), names[j].removesuffix(" ↓")): values[i][j]
        for i in range(1, len(names))
        for j in range(i + 1, len(names))
        if not math.isnan(values[i][j])
    }
    if not pairs:
        return ""
    most, least = max(pairs, key=pairs.__getitem__), min(pairs, key=pairs.__getitem__)
    highest, lowest = number(pairs[most], 2), number(pairs[least], 2)
    if most == least:
        return f"{statistic} of {listed(most)}: {highest}."
    if highest == lowest:
        return f"All {len(pairs)} pairs of metrics are equally alike ({highest})."
    return f"Of metrics, {listed(most)} are most alike ({highest}), {listed(least)} least ({lowest})."
