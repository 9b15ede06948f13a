"""What the people who judged an evaluation say of a difference between scores: the curves of `tertium meta preference`,
fitted to its own systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tertium.core.errors import TertiumError
from tertium.core.plain import plain
from tertium.core.wording import counted, headings
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.meta.preference import Preference, cautions, preferences
from tertium.meta.table import score_table
from tertium.report.words import scale_title

if TYPE_CHECKING:
    from tertium.core.evaluation import Evaluation
    from tertium.core.metric import Metric
    from tertium.inference.compare import Comparison
    from tertium.report.people import People

FEWEST = 3  # judged systems, below which nothing is fitted: two have one pair


LEAVES_OPEN = "the curve fitted to them leaves it open"


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnCurves:
    """The curves by one of people's scores, by metric; or the reason why there are none."""

    gold: str | None
    curves: Mapping[str, Preference] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


def own_curves(
    evaluation: Evaluation, *, trials: int = RESAMPLES, seed: int = SEED, trust_join: bool = False
) -> list[OwnCurves]:
    """The curves of an evaluation, by each of people's scores that metrics are set beside; none without judgements."""
    if not evaluation.judgements:
        return []
    from tertium.report.people import People

    return curves_of(People(evaluation=evaluation, trust_join=trust_join), trials=trials, seed=seed)


def curves_of(people: People, *, trials: int, seed: int) -> list[OwnCurves]:
    """The same, where people's rows have been worked out already."""
    return [_curves(gold, given, trials, seed) for gold, given in people.judged.items()]


def _curves(gold: Metric | None, given: Evaluation | str, trials: int, seed: int) -> OwnCurves:
    said = None if gold is None else str(gold)
    if gold is None or isinstance(given, str):
        return OwnCurves(gold=said, reason=str(given))
    try:
        table = score_table(given, gold=str(gold))
    except TertiumError as error:  # nothing but people's scores
        return OwnCurves(gold=said, reason=str(error))
    judged = sum(math.isfinite(value) for value in table.columns[table.gold].tolist())
    if judged < FEWEST:
        return OwnCurves(
            gold=said,
            reason=f"people judged {counted(judged, 'system')} by {said}, and a curve takes at least {FEWEST}",
        )
    found = preferences(table, trials=trials, seed=seed)
    titles = {text: title.removesuffix(" ↓") for text, title in headings(given.metrics).items()}
    titles[str(gold)] = scale_title(str(getattr(gold, "scale", gold))).replace("(", "").replace(")", "")
    return OwnCurves(gold=said, curves={item.metric: item for item in found}, titles=titles)


def own_sentences(found: Sequence[OwnCurves], items: Sequence[Comparison]) -> list[str]:
    """What people here say of the significant differences under one metric; nothing where none is."""
    sizes = sorted(abs(item.difference) for item in items if item.verdict != "undecided")
    said = []
    for own in found if sizes else ():
        curve = own.curves.get(items[0].metric)
        if curve is not None:
            said.append(_sentence(curve, own.titles, sizes[0], sizes[-1]))
    return said


def _sentence(curve: Preference, titles: Mapping[str, str], low: float, high: float) -> str:
    """The curve at the smallest and at the largest difference, what it rests on, and what it does not support."""
    from tertium.report.system_pairs import curve_says, sentence

    title, gold = titles[curve.metric], titles.get(curve.gold, curve.gold)
    on = f"{counted(curve.pairs, 'pair')} of the {counted(curve.n, 'system')} that people judged here ({gold})"
    if math.isnan(curve.slope):
        return f"None of the {on} differs in {title}, so they say nothing of differences."
    if math.isinf(curve.slope):
        side = "in the order" if curve.slope > 0 else "in the opposite order"
        all_told = f"{title} puts all that differ of the {on} {side} of people"
        return f"{all_told}: from these no curve can be told, and nothing of how much a difference is worth."
    sizes = [low] if f"{low:.4g}" == f"{high:.4g}" else [low, high]
    chances = [curve.probability(size) for size in sizes]
    if all(chance.vague for chance in chances):
        found = [
            f"The {on} are too few or too mixed to tell how likely people prefer the system that is better by "
            f"{' to '.join(f'{size:.4g}' for size in sizes)} {title}: {LEAVES_OPEN}."
        ]
    else:
        said = " and by ".join(f"{size:.4g}: {curve_says(curve, size)}" for size in sizes)
        found = [
            f"By the curve fitted to the {on}, people prefer the system that is better in {title} with this "
            f"probability where it is better by {said}."
        ]
    if high > curve.largest:
        found.append(
            f"The largest difference among those pairs is {curve.largest:.4g}: beyond it nothing supports the curve."
        )
    return " ".join([*found, *map(sentence, cautions([curve], {curve.metric: title, curve.gold: "people"}))])


def own_objects(found: Sequence[OwnCurves], metric: str, items: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The same of every pair, for JSON; or the reason why there is no curve."""
    objects: list[dict[str, Any]] = []
    for own in found:
        curve = own.curves.get(metric)
        if curve is None:
            reason = own.reason or f"{metric} is what people said, or has no scores to fit a curve to"
            objects.append({"gold": own.gold, "curve": None, "reason": reason, "pairs": []})
            continue
        facts = {key: value for key, value in vars(curve).items() if key not in ("differences", "agree")}
        pairs = [_pair(curve, item) for item in items if abs(item.difference) < math.inf]
        objects.append(
            {
                "gold": own.gold,
                "curve": plain(facts) | {"largest": plain(curve.largest)},
                "cautions": cautions([curve]),
                "pairs": pairs,
            }
        )
    return objects


def _pair(curve: Preference, item: Comparison) -> dict[str, Any]:
    size = abs(item.difference)
    chance, (share, near) = curve.probability(size), curve.observed(size)
    return {
        "system": item.system,
        "baseline": item.baseline,
        "difference": item.difference,
        "probability": plain(chance.value),
        "interval": plain(chance.interval),
        "vague": chance.vague,
        "beyond": size > curve.largest,
        "seen": plain(share),
        "seen_pairs": near,
        "significant": item.verdict != "undecided",
    }
