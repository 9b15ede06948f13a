"""What is said first of judgements: whom people put first, by the tests of the ranking; and how far raters agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tertium.core.wording import counted, number
from tertium.human.agreement import Agreement
from tertium.human.analyse import Analysis
from tertium.human.ranking import SystemRanking
from tertium.report.opening import PageVerdict
from tertium.report.people import HARDLY, LITTLE, first_words, worse_than_best
from tertium.report.trust import Trust, rater_agreement
from tertium.report.words import capital, listed, scale_title

FEW = 30  # items judged twice, below which a coefficient is not reliable
USUAL = ("alpha-interval", "ranking-kappa")  # the coefficients that a sentence is about, where they are there


def rankings_of(found: Sequence[Analysis]) -> list[tuple[str, SystemRanking]]:
    """Every ranking under the words of its scale, and of its language pair where there are several."""
    return [
        (f"{scale_title(item.scale)}, {pair}" if len(item.rankings) > 1 else scale_title(item.scale), ranking)
        for item in found
        for pair, ranking in item.rankings.items()
    ]


def leaders(ranking: SystemRanking) -> list[str]:
    """The first, and those not significantly worse."""
    worse = worse_than_best(ranking)
    return [place.system for place in ranking.systems if place.system not in worse]


def people_verdict(found: Sequence[Analysis]) -> PageVerdict:
    """Whom people put first, on every scale."""
    every = rankings_of(found)
    ranked = [(name, ranking) for name, ranking in every if len(ranking.systems) > 1]
    if not ranked:
        names = {place.system for _, ranking in every for place in ranking.systems}
        only = f": people judged only {listed(sorted(names))}" if names else ""
        return PageVerdict("nothing to rank", f"There is nothing to rank{only}.")
    by_words: dict[str, list[str]] = {}
    for name, ranking in ranked:
        by_words.setdefault(first_words(ranking), []).append(name)
    common = set.intersection(*(set(leaders(ranking)) for _, ranking in ranked))
    words = list(by_words)
    if len(words) == 1:
        where = f", on all {len(ranked)} scales" if len(ranked) > 1 else ""
        one = len(leaders(ranked[0][1])) == 1
        return PageVerdict("winner" if one else "group", f"People {words[0]}{where}.", untold(ranked))
    parts = [
        f"{'by' if k else 'By'} {listed(scales)} {'they' if k else 'people'} {said}"
        for k, (said, scales) in enumerate(by_words.items())
    ]
    if not common:
        return PageVerdict("split", "People's scales split: no system leads by all of them.",
                           f"{'; '.join(parts)}. {untold(ranked)}".strip())  # fmt: skip
    lead = [place.system for place in ranked[0][1].systems if place.system in common]
    verb = "leads" if len(lead) == 1 else "lead"
    return PageVerdict(
        "winner" if len(lead) == 1 else "group",
        f"{listed(lead)} {verb} by all {len(ranked)} scales: none puts a system significantly above "
        f"{'it' if len(lead) == 1 else 'them'}.",
        f"{'; '.join(parts)}.",
    )


def untold(ranked: Sequence[tuple[str, SystemRanking]]) -> str:
    """That what is not significant need not be equal, where something is not."""
    return "" if all(len(leaders(r)) == 1 for _, r in ranked) else "What is not significantly worse need not be equal."


def people_trust(found: Sequence[Analysis]) -> Iterator[Trust]:
    """How far raters agree, and how many of them give reason to look."""
    for item in found:
        yield from rater_agreement(item)
    raters = {rater.rater for item in found for rater in item.raters}
    flagged = {rater.rater for item in found for rater in item.raters if rater.flags}
    if raters:
        yield Trust("", f"{len(flagged) or 'none'} of {counted(len(raters), 'rater')}",
                    " with a flag", "bad" if flagged else "good",
                    "A flag is a reason to look at a rater, not a verdict.")  # fmt: skip
    dropped = {name for item in found for name in item.dropped}
    if dropped:
        yield Trust("", counted(len(dropped), "rater"), " left out", "bad")
    yield Trust("", f"{sum(item.judgements for item in found):,}", " judgements")


# Agreement


def telling(found: Sequence[Agreement]) -> list[Agreement]:
    """Of every group and scale the coefficient that a sentence is about, between raters."""
    chosen = []
    for key in dict.fromkeys((row.group, row.scale) for row in found):
        own = [row for row in found if (row.group, row.scale) == key and row.between == "raters" and not row.each]
        usual = [row for word in USUAL for row in own if row.word == word]
        if own:
            chosen.append((usual or own)[0])
    return chosen


def reliance_case(row: Agreement) -> str:
    """What a coefficient says, by Krippendorff's rule."""
    if not row.n:
        return "unknown"
    if math.isnan(row.value):
        return "undefined"
    if row.interval is not None and row.value > 0 and row.interval.low <= 0:
        return "maybe chance"
    if row.value < HARDLY:
        return "chance" if row.value <= 0 else "hardly"
    return "little" if row.value < LITTLE else "agree"


WORDS = {
    "unknown": "nothing was judged by two raters, so nobody knows whether they agree",
    "undefined": "whether they agree is undefined, because answers do not vary",
    "maybe chance": "whether they agree more than by chance is open",
    "chance": "they agree no more than by chance",
    "hardly": "they agree hardly more than by chance",
    "little": "they agree more than by chance, but little",
    "agree": "they agree",
}


def agreement_verdict(found: Sequence[Agreement]) -> PageVerdict:
    """Whether raters agree, on every scale."""
    rows = telling(found)
    if not rows:
        return PageVerdict("unknown", "Nothing was judged by two raters, so nobody knows whether they agree.")
    cases: dict[str, list[Agreement]] = {}
    for row in rows:
        cases.setdefault(reliance_case(row), []).append(row)
    named = {case: [_named(row) for row in own] for case, own in cases.items()}
    if len(cases) == 1:
        [(case, own)] = cases.items()
        start = {"unknown": "Nothing was judged by two raters, so nobody knows whether they agree"}.get(
            case,
            f"Raters {WORDS[case].removeprefix('they ')}" if WORDS[case].startswith("they") else capital(WORDS[case]),
        )
        values = "" if case in ("unknown", "undefined") else f"{capital('; '.join(map(_value, own)))}. "
        where = f", on all {len(rows)} scales" if len(rows) > 1 and not any(row.group for row in rows) else ""
        return PageVerdict(case, f"{start}{where}.", f"{values}{rule(rows)}".strip())
    parts = [f"{listed(names)}: {WORDS[case]}" for case, names in named.items()]
    values = "; ".join(_value(row) for row in rows if row.n and not math.isnan(row.value))
    return PageVerdict(
        "mixed", f"Raters agree by scale. {capital('; '.join(parts))}.", f"{capital(values)}. {rule(rows)}"
    )


def rule(rows: Sequence[Agreement]) -> str:
    """What little means."""
    if not any("alpha" in row.word for row in rows):
        return ""
    return f"Krippendorff asks for {LITTLE:g} and more before even tentative conclusions are drawn."


def _named(row: Agreement) -> str:
    return f"{row.group}, {scale_title(row.scale)}" if row.group else scale_title(row.scale)


def _value(row: Agreement) -> str:
    inside = f" [{number(row.interval.low, 2)}, {number(row.interval.high, 2)}]" if row.interval is not None else ""
    return f"{_named(row)} {row.statistic} {number(row.value, 2)}{inside}"


def agreement_trust(found: Sequence[Agreement]) -> Iterator[Trust]:
    """How many items two raters judged."""
    rows = telling(found)
    items = [row.n for row in rows]
    if items:
        low, high = min(items), max(items)
        span = str(low) if low == high else f"{low} to {high}"
        few = f"Coefficients of fewer than {FEW} items are not reliable."
        yield Trust("", f"{span} items", " judged by two raters or more", "bad" if low < FEW else "plain",
                    few if low < FEW else "")  # fmt: skip
    raters = {name for row in found for name in row.raters}
    yield Trust("", counted(len(raters), "rater"))
    again = [row for row in found if row.between == "repeats" and not row.each and row.n]
    if again:
        usual = next((row for row in again if row.word in USUAL), again[0])
        yield Trust("with themselves: ", f"{usual.statistic} {number(usual.value, 2)}",
                    more=f"{counted(usual.n, 'item')} judged again by the same rater.")  # fmt: skip
