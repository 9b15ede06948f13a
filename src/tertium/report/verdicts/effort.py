"""What is said first of post-editing effort: how much was changed, and which engine took least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tertium.core.score import Score
from tertium.core.wording import counted, number, p_equals
from tertium.human.effort.analysis import Effort, EffortRow
from tertium.human.effort.engines import EngineTest
from tertium.human.effort.measures import KINDS
from tertium.report.opening import PageVerdict
from tertium.report.trust import Trust
from tertium.report.words import capital, listed

FEW = 100  # segments, below which a score says little
FEW_UNITS = 10  # documents, below which their resamples say little


def effort_verdict(result: Effort) -> PageVerdict:
    """The amount of all, or of each of two engines or more, and whether engines differ."""
    engines = sorted(result.by("engine"), key=lambda row: row.scores["hter"].value)
    whole = result.whole
    if len(engines) < 2:
        case, sentence = "one", f"{_who(engines)} took {_value(whole.scores['hter'])} edits per 100 words."
    else:
        case, sentence = _of_engines(result, engines)
    apart = [_apart(result, engines)] if case == "undecided" else []
    return PageVerdict(case, sentence, " ".join([*filter(None, apart), *_more(whole, len(engines))]))


def _apart(result: Effort, engines: Sequence[EffortRow]) -> str:
    """Why a test does not tell apart what intervals do."""
    one, other = (row.scores["hter"].interval for row in engines[:2])
    first, second = engines[0].name, engines[1].name
    test = next((item for item in result.tests if {item.first, item.second} == {first, second}), None)
    if one is None or other is None or one.high >= other.low or test is None:
        return ""
    few = counted(min(row.units for row in engines[:2]), engines[0].unit)
    return (
        f"The intervals of {first} and {second} do not overlap, but those of so few units ({few}) are too narrow; the "
        f"test decides: {p_equals(test.adjusted)}."
    )


def _who(engines: Sequence[EffortRow]) -> str:
    return f"Outputs of {engines[0].name}" if engines and engines[0].name != "engine" else "Outputs"


def _of_engines(result: Effort, engines: Sequence[EffortRow]) -> tuple[str, str]:
    """Whether the engine with the lowest HTER took less effort than each of the others, as far as tests say."""
    best = engines[0]
    own = [item for item in result.tests if best.name in (item.first, item.second)]
    others = [row.name for row in engines[1:]]
    beaten = [_other(item, best.name) for item in own if item.better == best.name]
    lost = next((item for item in own if item.better not in ("", best.name)), None)
    amounts = "; ".join(f"{row.name} {_value(row.scores['hter'])}" for row in engines)
    if lost is not None:  # which is paired: a test on all segments cannot say otherwise than they
        low, high = (number(value, 1) for value in sorted(lost.values))
        return "some", (
            f"On the {counted(lost.segments[0], 'segment')} that both have, {lost.better} takes less post-editing than "
            f"{best.name} (HTER {low} and {high}), which has the lowest HTER only over all that each has: {amounts}."
        )
    if len(beaten) == len(others):
        than = others[0] if len(others) == 1 else f"each of the other {len(others)} engines"
        return "less", f"{best.name} takes less post-editing than {than}: HTER {amounts}."
    if not own:
        return "untested", f"Engines are not tested against each other: HTER {amounts}."
    if beaten:
        return "some", f"{best.name} takes less post-editing than {listed(beaten)}, no other engine is told from it: " \
                       f"HTER {amounts}."  # fmt: skip
    none = "The two engines" if len(engines) == 2 else f"{best.name}, which has the lowest HTER, and the other engines"
    return "undecided", f"{none} cannot be told apart by the post-editing they take: HTER {amounts}."


def _other(item: EngineTest, name: str) -> str:
    return item.second if item.first == name else item.first


def _value(score: Score) -> str:
    inside = score.interval
    return number(score.value, 1) + (f" [{number(inside.low, 1)}, {number(inside.high, 1)}]" if inside else "")


def _more(whole: EffortRow, engines: int) -> Iterator[str]:
    if engines > 1:
        yield f"All together: {_value(whole.scores['hter'])} edits per 100 words."
    yield f"{number(whole.scores['untouched'].value, 1)} % of outputs were left as they were."
    speed = whole.scores["speed"]
    if speed.n:
        yield f"{number(speed.value, 0)} words an hour."


def effort_trust(result: Effort) -> Iterator[Trust]:
    """How many segments and documents, and of how many the time is known."""
    whole = result.whole
    few = f"Fewer than {FEW} segments: a score of so few says little." if whole.segments < FEW else ""
    yield Trust("", counted(whole.segments, "segment"), "", "bad" if few else "plain", few)
    if whole.unit == "document":
        short = whole.units < FEW_UNITS
        more = f"Intervals from fewer than {FEW_UNITS} documents are too narrow." if short else ""
        yield Trust("in ", counted(whole.units, "document"), ", drawn as a whole", "bad" if short else "plain", more)
    elif "document" not in result.kinds:
        yield Trust("", "no documents", ": segments are drawn as if each stood by itself", "bad")
    if whole.timed:
        yield Trust(
            "times of ", counted(whole.timed, "segment"), tone="plain" if whole.timed == whole.segments else "bad"
        )
    translators = result.by("translator")
    if translators:
        yield Trust("", counted(len(translators), "translator"))


def whole_finding(result: Effort) -> str:
    """How many edits all segments took."""
    edits, same = (number(result.whole.scores[name].value, 1) for name in ("hter", "untouched"))
    return f"{edits} edits per 100 words; {same} % of outputs were left as they were."


def kinds_finding(result: Effort) -> str:
    """Which kind of edit is the most frequent."""
    scores = result.whole.kinds
    total = sum(score.value for score in scores.values())
    if not total:
        return "Nothing was edited."
    most = max(KINDS, key=lambda name: scores[name].value)
    share = 100 * scores[most].value / total
    what = {"inserted": "words inserted", "deleted": "words deleted", "substituted": "words substituted",
            "shifted": "blocks shifted"}[most]  # fmt: skip
    return f"The most frequent edits are {what}: {share:.0f} % of all."


def group_finding(result: Effort, kind: str) -> str:
    """Between which values the groups of a kind lie; that is description, no test."""
    rows = sorted(result.by(kind), key=lambda row: row.scores["hter"].value)
    if len(rows) < 2:
        return ""
    low, high = rows[0], rows[-1]
    return (
        f"HTER is lowest for {low.name} ({_value(low.scores['hter'])}) and highest for {high.name} "
        f"({_value(high.scores['hter'])}) of {counted(len(rows), kind)}; texts differ, and no test was made."
    )


def engine_finding(result: Effort) -> str:
    """Of how many pairs of engines one takes less effort, by the tests."""
    tests, told = result.tests, [item for item in result.tests if item.better]
    of = "the only pair" if len(tests) == 1 else f"{len(told)} of {counted(len(tests), 'pair')}"
    if not told:
        which = "the two engines do not differ" if len(tests) == 1 else f"no pair of {len(tests)} differs"
        return f"{capital(which)} significantly (p ≤ {result.alpha:g} after Holm)."
    if len(tests) == 1:
        [item] = told
        than = _other(item, item.better)
        return f"{item.better} takes significantly less post-editing than {than} (p ≤ {result.alpha:g} after Holm)."
    return f"In {of} one engine takes significantly less post-editing (p ≤ {result.alpha:g} after Holm)."
