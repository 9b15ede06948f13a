"""The verdict with a baseline: whether to put another system in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tertium.report.standing import Standing, all_of, kind, kinds, tells
from tertium.report.verdict import Case, Verdict
from tertium.report.words import MANY, capital, in_words, listed

CASES: tuple[Case, ...] = ("ship", "cannot say", "do not ship")  # from the best on


def against_baseline(standings: Sequence[Standing], baseline: str) -> Verdict:
    """Whether to put the best other system in the baseline's place; in a line, the same of the others."""
    tested = [s for s in standings if s.tested and baseline in s.systems]
    others = [name for name in standings[0].systems if name != baseline]
    if not others:
        others = [name for name in standings[0].scores if name != baseline]
        sentence = f"Cannot say: no system has a {standings[0].title} score to compare."
        return Verdict(case="cannot say", sentence=sentence, about=others[0])
    decided = {name: decide(tested, name, baseline) for name in others}
    chosen, *rest_of = sorted(others, key=lambda name: CASES.index(decided[name].case))
    made = decided[chosen]
    more = [_others(rest_of, decided), unheard(standings, chosen, baseline)]
    return Verdict(case=made.case, sentence=made.sentence, more=" ".join(filter(None, more)), about=chosen)


def unheard(standings: Sequence[Standing], name: str, baseline: str) -> str:
    """That people judged, and that no test can be made of it."""
    people = [s for s in standings if s.people]
    pairs = [s.pair(baseline, name) for s in people]
    if not people or any(item is not None and not item.unresolvable for item in pairs):
        return ""
    return f"People judged too few of the same segments of {name} and {baseline} to be heard here."


def _others(names: Sequence[str], decided: Mapping[str, Verdict]) -> str:
    """What is said of the systems that are not the one in question."""
    said = []
    for case, words in zip(CASES, ("could be shipped too", "undecided", "not to be shipped"), strict=True):
        own = [name for name in names if decided[name].case == case]
        if own:
            said.append(f"{words}: {listed(own) if len(own) <= MANY else f'{len(own)} systems'}")
    return f"{capital('; '.join(said))}." if said else ""


def decide(tested: Sequence[Standing], name: str, baseline: str) -> Verdict:
    """Ship where more than half of metrics and people's ratings find it significantly better and none worse; do not
    ship where some find it significantly worse and none better."""
    known = [s for s in tested if name in s.systems and s.pair(baseline, name) is not None]
    if not known:
        return Verdict(
            case="cannot say", sentence=f"Cannot say whether to ship {name}: it could not be tested against {baseline}."
        )
    found = {what: [s for s in known if _verdict(s, baseline, name) == what] for what in ("better", "worse")}
    better, worse = (_by(found[what], known) for what in ("better", "worse"))
    if found["worse"] and found["better"]:
        return Verdict(
            case="cannot say",
            sentence=f"Cannot say whether to ship {name}: it is significantly better than {baseline} by {better}, and "
            f"significantly worse by {worse}.",
        )
    if found["worse"]:
        return Verdict(
            case="do not ship",
            sentence=f"Do not ship {name}: it is significantly worse than {baseline} by {worse}"
            f"{_none_other(known, found['worse'], 'better')}.",
        )
    if not found["better"]:
        return Verdict(
            case="cannot say", sentence=f"Cannot say whether to ship {name}: {tells(known, f'it from {baseline}')}."
        )
    if 2 * len(found["better"]) <= len(known):
        return Verdict(
            case="cannot say",
            sentence=f"Cannot say whether to ship {name}: it is significantly better than {baseline} by {better} only.",
        )
    none_worse = _none_other(known, found["better"], "worse")
    return Verdict(
        case="ship", sentence=f"Ship {name}: it is significantly better than {baseline} by {better}{none_worse}."
    )


def _none_other(known: Sequence[Standing], found: Sequence[Standing], what: str) -> str:
    """`, and by no metric significantly worse`: where some find no difference."""
    return "" if len(found) == len(known) else f", and by no {kind(known)} significantly {what}"


def _verdict(standing: Standing, baseline: str, name: str) -> str:
    item = standing.pair(baseline, name)
    return "undecided" if item is None else item.verdict


def _by(found: Sequence[Standing], known: Sequence[Standing]) -> str:
    """`all 4 metrics`, `BLEU and chrF`, `3 of 5 metrics`; people are named."""
    if len(found) == len(known):
        return all_of(known)
    if len(found) <= 2:
        return listed([s.title for s in found])
    return f"{len(found)} of {len(known)} {kinds(known)}"


# In several test sets


def in_all_sets(found: Mapping[str, Sequence[Standing]], baseline: str) -> Verdict:
    """Whether to put the best other system in the baseline's place, from the decisions of several test sets; in a line,
    what each of them says, and the same of the others."""
    first = next(iter(found.values()))[0]
    here = [
        {name for name in standings[0].scores if name != baseline} for standings in found.values()
    ]  # those that every test set has
    others = [name for name in first.scores if name != baseline and all(name in names for names in here)]
    missing = sorted(set().union(*here).difference(others))
    if not others:
        sentence = f"Cannot say: no other system than {baseline} is in all test sets."
        return Verdict(case="cannot say", sentence=sentence)
    decided = {name: _in_sets(found, name, baseline) for name in others}
    chosen, *rest_of = sorted(others, key=lambda name: CASES.index(decided[name].case))
    made = decided[chosen]
    parts = [made.more, _others(rest_of, decided)]
    if missing:
        parts.append(f"Not in all test sets: {listed(missing) if len(missing) <= MANY else f'{len(missing)} systems'}.")
    return Verdict(case=made.case, sentence=made.sentence, more=" ".join(p for p in parts if p), about=chosen)


def _in_sets(found: Mapping[str, Sequence[Standing]], name: str, baseline: str) -> Verdict:
    """Ship where more than half of the test sets say so and no metric or rating of any finds it significantly worse; do
    not ship where some test set says so and none says ship."""
    tested = {key: [s for s in standings if s.tested] for key, standings in found.items()}
    cases = {key: decide(standings, name, baseline).case for key, standings in tested.items()}
    ships, stops = ([key for key, case in cases.items() if case == wanted] for wanted in ("ship", "do not ship"))
    worse = [key for key, standings in tested.items() if any(_verdict(s, baseline, name) == "worse" for s in standings)]
    each = "; ".join(
        f"{wanted}: {listed(keys)}"
        for wanted in CASES
        if (keys := [key for key, case in cases.items() if case == wanted])
    )
    more = f"{capital(each)}." if len(set(cases.values())) > 1 else ""
    half = "by more than half of metrics and ratings"
    if 2 * len(ships) > len(cases) and not worse:
        return Verdict(
            case="ship",
            sentence=f"Ship {name}: in {_count(len(ships), len(cases))} it is significantly better than {baseline} "
            f"{half}, and in none significantly worse by any.",
            more=more,
        )
    if stops and not ships:
        return Verdict(
            case="do not ship",
            sentence=f"Do not ship {name}: in {_count(len(stops), len(cases))} it is significantly worse than "
            f"{baseline} by some metric or rating and better by none; no test set says ship.",
            more=more,
        )
    if ships and worse:
        return Verdict(
            case="cannot say",
            sentence=f"Cannot say whether to ship {name}: it is significantly better than {baseline} in "
            f"{listed(ships)}, and significantly worse by some metric or rating in {listed(worse)}.",
            more=more,
        )
    how_many = _count(len(ships), len(cases))
    said = "no test set says" if not ships else f"only {how_many} says" if len(ships) == 1 else f"{how_many} say"
    return Verdict(
        case="cannot say",
        sentence=f"Cannot say whether to ship {name}: {said} that it is better than {baseline}.",
        more=more,
    )


def _count(some: int, of: int) -> str:
    """`all three test sets`, `one of three test sets`."""
    if some == of:
        return {1: "the only test set", 2: "both test sets"}.get(of, f"all {in_words(of)} test sets")
    return f"{in_words(some)} of {in_words(of)} test sets"
