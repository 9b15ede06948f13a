"""The verdict with a baseline: whether to put another system in its place."""

from __future__ import annotations

from collections.abc import Sequence

from tertium.report.standing import Standing, all_of, kind, kinds, tells
from tertium.report.verdict import Verdict
from tertium.report.words import MANY, capital, listed


def against_baseline(standings: Sequence[Standing], baseline: str) -> Verdict:
    """Whether to put the best other system in the baseline's place; in a line, the same of the others."""
    tested = [s for s in standings if s.tested and baseline in s.systems]
    others = [name for name in standings[0].systems if name != baseline]
    if not others:
        others = [name for name in standings[0].scores if name != baseline]
        sentence = f"Cannot say: no system has a {standings[0].title} score to compare."
        return Verdict(case="cannot say", sentence=sentence, about=others[0])
    decided = {name: decide(tested, name, baseline) for name in others}
    ranked = sorted(others, key=lambda name: ("ship", "cannot say", "do not ship").index(decided[name].case))
    chosen, *rest_of = ranked
    made, said = decided[chosen], list[str]()
    for case, words in (
        ("ship", "could be shipped too"),
        ("cannot say", "undecided"),
        ("do not ship", "not to be shipped"),
    ):
        names = [name for name in rest_of if decided[name].case == case]
        if names:
            said.append(f"{words}: {listed(names) if len(names) <= MANY else f'{len(names)} systems'}")
    more = f"{capital('; '.join(said))}." if said else ""
    return Verdict(case=made.case, sentence=made.sentence, more=more, about=chosen)


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
