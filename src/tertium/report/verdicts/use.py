"""What is said first of metrics in use: which filter and which chooser are best, by the tests and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tertium.core.wording import counted, number
from tertium.meta.metric_comparison import MetricPair
from tertium.meta.use import ALL, BEST, Use, beats
from tertium.report.figures.scatter import bare
from tertium.report.opening import PageVerdict
from tertium.report.tables.meta import Names
from tertium.report.tables.use import is_rated
from tertium.report.trust import Trust
from tertium.report.words import listed

FEW = 30  # documents, below which intervals that draw them are rough


def ahead(values: dict[str, float], tests: Sequence[MetricPair]) -> list[str]:
    """The metric with the highest value, and those that are not significantly below it."""
    ranked = sorted((name for name in values if is_rated(name)), key=lambda name: -values[name])
    return [name for name in ranked if not beats(tests, ranked[0], name)]


def filter_finding(found: Use, names: Names) -> str:
    """Who is the best filter, and whether filtering is worth it."""
    values = {item.name: item.f for item in found.filters}
    lead = ahead(values, found.filter_tests)
    useful = [name for name in lead if beats(found.filter_tests, name, ALL)]
    who = listed([bare(names[name]) for name in lead])
    if not useful:
        return (
            f"As a filter no metric is significantly better than keeping everything, by F ({number(values[ALL], 3)})."
        )
    best = f"F {number(values[lead[0]], 3)}; keeping everything has {number(values[ALL], 3)}"
    if len(lead) == 1:
        return f"{who} is the best filter ({best})."
    return f"Of filters {who} lead: none of them is significantly better than another ({best})." if not any(
        beats(found.filter_tests, one, other) for one in lead for other in lead
    ) else f"Of filters {who} lead: none is significantly below the first ({best})."  # fmt: skip


def chooser_finding(found: Use, names: Names) -> str:
    """Who takes the best output most often, and whether that is more often than by always taking one system's."""
    values = {item.name: item.precision for item in found.choosers}
    if not values:
        return "Nothing is to be chosen: no segment has two judged outputs that people score differently."
    lead = ahead(values, found.chooser_tests)
    who = listed([bare(names[name]) for name in lead])
    rate = f"in {100 * values[lead[0]]:.0f} % of {counted(found.segments, 'segment')}"
    base = f"always the best system's: {100 * values[BEST]:.0f} %"
    if not beats(found.chooser_tests, lead[0], BEST):
        return (
            "As a chooser no metric is significantly better than always taking the output of the best system: "
            f"{bare(names[lead[0]])} takes the best output {rate}, and the best system has it in "
            f"{100 * values[BEST]:.0f} %."
        )
    if len(lead) == 1:
        return f"{who} takes the best output most often, {rate} ({base})."
    return f"Of choosers {who} lead: none is significantly below the first, which takes the best {rate} ({base})."


def use_verdict(found: Use, names: Names) -> PageVerdict:
    """Filter first, then chooser."""
    values = {item.name: item.f for item in found.filters}
    lead = ahead(values, found.filter_tests)
    useful = beats(found.filter_tests, lead[0], ALL)
    case = "open" if not useful else "winner" if len(lead) == 1 else "group"
    return PageVerdict(case, filter_finding(found, names), chooser_finding(found, names))


def use_trust(found: Use) -> Iterator[Trust]:
    """How much was judged, how much of it is good, and what was drawn."""
    yield Trust("", f"{found.outputs:,} outputs", f" judged, {100 * found.share:.0f} % of them good")
    yield Trust("", counted(found.units, found.unit.removesuffix("s")), " drawn and swapped",
                "bad" if found.units < FEW else "plain",
                f"Intervals from fewer than {FEW} are rough." if found.units < FEW else "")  # fmt: skip
