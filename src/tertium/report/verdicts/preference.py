"""What is said first of differences between systems: by which metrics people tend to prefer the higher score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tertium.core.wording import counted
from tertium.meta.preference import FEW, Preference
from tertium.report.opening import PageVerdict
from tertium.report.system_pairs import says_nothing, worth
from tertium.report.tables.system_pairs import Names
from tertium.report.trust import Trust
from tertium.report.words import listed


def follows(item: Preference) -> bool:
    """Whether the interval of the slope lies above 0: people prefer the higher score more often than chance."""
    return item.interval is not None and item.interval.low > 0


def against(item: Preference) -> bool:
    """Whether the interval of the slope lies below 0: people prefer the lower score more often than chance."""
    return item.interval is not None and item.interval.high < 0


def preference_verdict(found: Sequence[Preference], names: Names) -> PageVerdict:
    """By which metrics a higher score is also preferred, and by which one most often."""
    known = [item for item in found if item.pairs - item.ties > 0 and not math.isnan(item.slope)]
    if not known:
        return PageVerdict("no pairs", "Nothing can be said: there is no pair of systems with scores that differ.")
    yes = [item for item in known if follows(item)]
    best = max(yes or known, key=lambda item: item.accuracy)
    told = best.pairs - best.ties
    share = f"{100 * best.accuracy:.0f} % of {counted(told, 'pair')} that people tell apart"
    name = names[best.metric].removesuffix(" ↓")
    most = "" if len(yes) < 2 else " most often"
    no = [names[item.metric].removesuffix(" ↓") for item in known if against(item)]
    left = [names[item.metric].removesuffix(" ↓") for item in known if not follows(item) and not against(item)]
    rest = f" By {listed(no)} people prefer the lower score more often than chance." if no else ""
    if not yes and no:
        rest = f" By {listed(left)} it is open: the interval holds chance." if left else ""
        return PageVerdict(
            "against", f"People prefer the lower score more often than chance by {listed(no)}.",
            f"{worth(best, names)}{rest}",
        )  # fmt: skip
    if not yes:
        by = listed([names[item.metric].removesuffix(" ↓") for item in known]) if len(known) <= 2 else "any metric"
        return PageVerdict(
            "open",
            f"It is open whether people prefer the higher score by {by}: every interval holds chance.",
            worth(best, names),
        )
    who = _all(known) if len(yes) == len(known) else listed([names[item.metric].removesuffix(" ↓") for item in yes])
    rest += f" By {listed(left)} it is open: the interval holds chance." if left else ""
    return PageVerdict(
        "all" if len(yes) == len(known) else "some",
        f"People prefer the higher score more often than chance by {who};{most} by {name}, in {share}."
        if len(yes) > 1
        else f"People prefer the higher score more often than chance by {name}, in {share}.",
        f"{worth(best, names)}{rest}",
    )


def _all(known: Sequence[Preference]) -> str:
    return "both metrics" if len(known) == 2 else f"all {len(known)} metrics"


def preference_trust(found: Sequence[Preference], names: Names) -> Iterator[Trust]:
    """How many systems there are, and what is not known."""
    if not found or not found[0].pairs:
        return
    item = found[0]
    groups = f" in {counted(item.groups, 'group')}" if item.groups > 1 else ""
    yield Trust("", counted(item.n, "system"), groups, "bad" if item.n < FEW else "plain",
                f"Intervals draw systems again; with fewer than {FEW} they are not reliable.")  # fmt: skip
    silent = [names[each.metric].removesuffix(" ↓") for each in found if says_nothing(each)]
    if silent:
        yield Trust("curves that leave it open: ", listed(silent), tone="bad")
    if item.ties:
        yield Trust("", counted(item.ties, "pair"), " that people do not tell apart")
