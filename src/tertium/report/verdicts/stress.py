"""What is said first of damaged outputs: what metrics do not notice. A metric is *blind* to a noise if its score falls
at least ten times slower than words are touched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tertium.analysis.damage import DamageBucket, TypeDamage, damage_curve
from tertium.analysis.noise.words import AIMS
from tertium.analysis.stress import BlindSpot, StressTest, least_left
from tertium.core.wording import counted, number
from tertium.report.opening import PageVerdict
from tertium.report.trust import Trust
from tertium.report.words import listed

Titles = Mapping[str, str]
NAMED = 3  # blind spots that the verdict names
UNSTEADY = 2.0  # per cent of a score by which seeds differ, from which on it is worth a word


def conditions(result: StressTest) -> list[tuple[str, str]]:
    """Noises and aims that touched a word."""
    return list(dict.fromkeys((c.noise, c.aim) for c in result.curves if c.touched[-1]))


def stress_verdict(result: StressTest, titles: Titles) -> PageVerdict:
    """Who notices all damage, and who is blind to how much of it."""
    tried = conditions(result)
    if not tried:
        return PageVerdict("nothing touched", "Nothing can be said: no noise touches a word of these outputs.")
    blind = {metric: _spots(result, metric) for metric in result.metrics}
    kinds = _kinds(tried)
    rewarded = list(dict.fromkeys(spot.text for spot in result.blind_spots if spot.sensitivity < 0 and _rewards(spot)))
    praised = f"{'; '.join(rewarded[:NAMED])}." if rewarded else ""
    seeing = [titles[metric] for metric, spots in blind.items() if not spots]
    if not any(blind.values()):
        every = titles[next(iter(blind))] if len(blind) == 1 else f"Each of {len(blind)} metrics"
        return PageVerdict("all noticed", f"{every} notices {_all(kinds)}.")
    counts = [f"{titles[m]} to {len(spots)}" for m, spots in blind.items() if spots]
    head, *tail = counts
    who, _, to = head.rpartition(" to ")
    others = f", {', '.join(tail)}" if tail else ""
    if seeing:
        noticed = f"{listed(seeing)} {'notices' if len(seeing) == 1 else 'notice'} {_all(kinds)}"
        sentence = f"{noticed}; {who} is blind to {to} of them{others}."
    else:
        sentence = f"{who} is blind to {to} of {kinds}{others}."
    missed = [text for text in told_once(result) if text not in rewarded]
    named = f"{'; '.join(missed[:NAMED])}{f'; {len(missed) - NAMED} more below' if len(missed) > NAMED else ''}."
    return PageVerdict(
        "rewarded" if rewarded else "blind",
        sentence,
        " ".join(part for part in (praised, named if missed else "") if part),
    )


def told_once(result: StressTest) -> list[str]:
    """Blind spots, what is not noticed at all first; one that is there whatever words are touched, without its aims."""
    found: dict[str, str] = {}
    order = sorted(result.blind_spots, key=lambda spot: (" does not notice " not in spot.text, spot.aim != "random"))
    for spot in order:
        found.setdefault(spot.text.removesuffix(AIMS[spot.aim]), spot.text)
    return list(found.values())


def _spots(result: StressTest, metric: str) -> list[BlindSpot]:
    return [spot for spot in result.blind_spots if spot.metric == metric]


def _rewards(spot: BlindSpot) -> bool:
    return " rewards " in spot.text


def _kinds(tried: Sequence[tuple[str, str]]) -> str:
    aims = len({aim for _, aim in tried})
    noises = len({noise for noise, _ in tried})
    said = counted(noises, "noise")
    return said if aims == 1 else f"{len(tried)} combinations of {said} and {counted(aims, 'aim')}"


def _all(kinds: str) -> str:
    return "the only noise" if kinds == "1 noise" else f"all {kinds}"


def stress_trust(result: StressTest) -> Iterator[Trust]:
    """How much text there is, how far seeds differ, what was not tried."""
    yield Trust("", f"{result.words:,} words", f" in {counted(result.segments, 'segment')}",
                "bad" if result.segments < 100 else "plain")  # fmt: skip
    spreads = [s for curve in result.curves for s in curve.spread if not math.isnan(s)]
    if spreads:
        most = max(spreads)
        yield Trust(f"{counted(len(result.seeds), 'seed')}, which differ by at most ", f"{most:.1f} %", " of a score",
                    "bad" if most > UNSTEADY else "good", "The largest standard deviation over seeds.")  # fmt: skip
    else:
        yield Trust("", "one seed", ": how far seeds differ is not known", "bad")
    silent = list(dict.fromkeys(c.noise for c in result.curves if not c.touched[-1]))
    if silent:
        yield Trust("touch no word here: ", listed(silent), tone="bad")


# Above figures and tables


def spots_finding(result: StressTest) -> str:
    """How many blind spots there are, each noise of each metric counted once."""
    count = len(least_left(result))
    if not count:
        return "No metric is blind to any of these noises and aims."
    return f"{counted(count, 'kind')} of damage that a metric does not notice, hardly notices or rewards."


def curve_finding(result: StressTest, titles: Titles, aim: str) -> str:
    """Which metric keeps least and most of its score at the highest rate, on average over noises."""
    curves = [c for c in result.curves if c.aim == aim and c.touched[-1] and not math.isnan(c.left[-1])]
    if not curves:
        return ""
    kept = {
        metric: math.fsum(own) / len(own)
        for metric in result.metrics
        if (own := [c.left[-1] for c in curves if c.metric == metric])
    }
    rate = f"{100 * curves[0].rates[-1]:g} % of the words that a noise can touch"
    noises = len({c.noise for c in curves})
    over = "" if noises == 1 else f", the mean over {counted(noises, 'noise')}"
    if len(kept) == 1:
        [(metric, value)] = kept.items()
        return f"With {rate} damaged, {titles[metric]} keeps {value:.0f} % of its score{over}."
    least, most = min(kept, key=kept.__getitem__), max(kept, key=kept.__getitem__)
    return (
        f"With {rate} damaged, {titles[least]} keeps least of its score ({kept[least]:.0f} %{over}), "
        f"{titles[most]} most ({kept[most]:.0f} %)."
    )


def selectivity_finding(result: StressTest, titles: Titles) -> str:
    """In how many noises rare words count for more than frequent ones."""
    parts = []
    for metric in result.metrics:
        own = [item.value for item in result.selectivity if item.metric == metric and not math.isnan(item.value)]
        if own:
            parts.append(f"{titles[metric]} in {sum(value > 0 for value in own)} of {counted(len(own), 'noise')}")
    return f"Rare words count for more than frequent ones by {listed(parts)}." if parts else ""


# One type at a time


def damage_verdict(found: Sequence[TypeDamage], titles: Titles) -> PageVerdict:
    """How many times as much of a score a frequent type costs as a rare one, metric by metric."""
    buckets = ends_of(found)
    if buckets is None:
        return PageVerdict("one frequency", "All types come equally often here: rare and frequent cannot be compared.")
    often, rare = buckets
    parts = []
    for metric, title in titles.items():
        costs = [100 - bucket.left[metric] for bucket in (often, rare)]
        name = title.removesuffix(" ↓")
        parts.append(
            f"by {name} {_times(costs[0] / costs[1])}" if costs[1] > 0 else f"by {name} rare ones cost nothing"
        )
    more = (
        f"Frequent: {often.name} times in the outputs ({counted(often.types, 'type')}); rare: {_often(rare.name)} "
        f"({counted(rare.types, 'type')}). Means over the types of each."
    )
    return PageVerdict("costs", f"A frequent type costs so many times as much as a rare one: {listed(parts)}.", more)


def ends_of(found: Sequence[TypeDamage]) -> tuple[DamageBucket, DamageBucket] | None:
    """The buckets of the most frequent and of the rarest types; None where there is only one."""
    buckets = sorted(damage_curve(found), key=lambda bucket: bucket.low)
    return (buckets[-1], buckets[0]) if len(buckets) > 1 else None


def damage_finding(found: Sequence[TypeDamage], titles: Titles) -> str:
    """What one frequent and one rare type cost."""
    buckets = ends_of(found)
    if buckets is None:
        return ""
    parts = [
        f"{title.removesuffix(' ↓')} {number(100 - buckets[0].left[metric], 2)} and "
        f"{number(100 - buckets[1].left[metric], 2)}"
        for metric, title in titles.items()
    ]
    return f"A frequent type and a rare one cost, in per cent of the score: {'; '.join(parts)}."


def _often(name: str) -> str:
    return "once" if name == "1" else f"{name} times"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
