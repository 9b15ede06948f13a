"""What is said first of types: at which words one of two systems is better; which words systems miss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.analysis.types import TypeScore
from tertium.core.wording import counted, number
from tertium.inference.seeds import ALPHA
from tertium.report.opening import PageVerdict
from tertium.report.trust import Trust
from tertium.report.words import chance, listed, words_of


def pair_verdict(contrast: TypeContrast, title: str) -> PageVerdict:
    """At which words one system is significantly better than the other, and what all types together say."""
    a, b = contrast.systems
    whole = next(bucket for bucket in contrast.buckets if bucket.name == ALL)
    tested = [bucket for bucket in contrast.buckets if bucket.name != ALL and bucket.adjusted is not None]
    p = f" ({chance(whole.p)})" if whole.p is not None else ", not tested"
    together = f"{title} of all types: {a} {number(whole.a.f, 1)}, {b} {number(whole.b.f, 1)}{p}."
    if contrast.unresolvable:
        return PageVerdict("not resolvable", "At which words a system is better cannot be said.",
                           f"It is {contrast.unresolvable}. {together}")  # fmt: skip
    if not tested:
        ahead = a if whole.a.f >= whole.b.f else b
        return PageVerdict("not tested", f"{ahead} has the higher {title}; nothing was tested.", together)
    found: dict[str, list[str]] = {}
    for bucket in tested:
        if bucket.adjusted is not None and bucket.adjusted <= ALPHA and bucket.name != INVENTED and bucket.difference:
            found.setdefault(a if bucket.difference < 0 else b, []).append(bucket.name)
    groups = sum(bucket.name != INVENTED for bucket in tested)
    if not found:
        return PageVerdict(
            "level", f"{a} and {b} do not differ significantly in any of {groups} groups of words, rare or frequent.",
            together,
        )  # fmt: skip
    if len(found) == 1:
        [(name, buckets)] = found.items()
        where = words_of(buckets, groups)
        return PageVerdict("better", f"{name} is significantly better at {where}.", together)
    parts = [f"{name} at {words_of(buckets, groups)}" for name, buckets in found.items()]
    return PageVerdict("split", f"Each is significantly better at some words: {'; '.join(parts)}.", together)


def pair_trust(contrast: TypeContrast) -> Iterator[Trust]:
    """How many words there are to judge by."""
    known = [pair for pair in contrast.pairs if pair.references]
    once = sum(pair.references == 1 for pair in known)
    yield Trust("", f"{len(known):,} types", " in the references")
    yield Trust("", f"{100 * once / len(known):.0f} %" if known else "none", " of them once", more="Single words vary: "
                "what happens to one of them is mostly luck.")  # fmt: skip
    yield Trust("", counted(contrast.n, "segment"), "", "bad" if contrast.n < 100 else "plain")


def changed_finding(contrast: TypeContrast) -> str:
    """How many types each system makes fewer mistakes with."""
    a, b = contrast.systems
    return (
        f"{a} makes fewer mistakes with {counted(len(contrast.lost()), 'type')}, {b} with "
        f"{counted(len(contrast.gained()), 'type')}."
    )


# Every system by itself


def missed(types: Sequence[TypeScore]) -> tuple[int, int, int]:
    """How many types the references have, how many of them are never got right, and how many only outputs have."""
    known = [item for item in types if item.references]
    return len(known), sum(not item.matches for item in known), sum(not item.references for item in types)


def systems_verdict(found: Mapping[str, Sequence[TypeScore]]) -> PageVerdict:
    """Who misses fewest types; counted, not tested."""
    counts = {name: missed(types) for name, types in found.items()}
    shares = {name: lost / known if known else math.nan for name, (known, lost, _) in counts.items()}
    if all(math.isnan(share) for share in shares.values()):
        return PageVerdict("no types", "There is nothing to say: the references have no word.")
    parts = [f"{name} {lost:,}" for name, (_, lost, _) in counts.items()]
    made = [f"{name} {invented:,}" for name, (_, _, invented) in counts.items()]
    known = next(iter(counts.values()))[0]
    more = f"Types that only outputs have: {listed(made)}. Counted, not tested."
    if len(counts) == 1:
        [(name, (_, lost, _))] = counts.items()
        return PageVerdict(
            "one system", f"{name} never gets {lost:,} of {known:,} types of the references right.", more
        )
    least = min(shares.values())
    best = [name for name, share in shares.items() if share == least]
    miss = "misses" if len(best) == 1 else "miss"
    return PageVerdict(
        "several systems",
        f"{listed(best)} {miss} the fewest of {known:,} types of the references (never right: {', '.join(parts)}).",
        more,
    )
