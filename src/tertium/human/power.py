"""How many more judgements would separate two systems?

A test's standard normal deviate z grows with the square root of the number of segments, if segments that are judged
later are like those judged so far. So m segments instead of n find the difference, at level alpha, with probability
Phi(z sqrt(m / n) - z_alpha). z is itself an estimate whose standard error is 1: hence the interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tertium.core.errors import InputError, OptionError
from tertium.core.score import Interval
from tertium.human.ranking import SystemRanking

FACTORS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0)
POWER = 0.8  # the field's habit
CONFIDENCE = 0.9


@dataclass(frozen=True, kw_only=True)
class PowerCurve:
    """What more judgements of two systems would bring. Numbers are of both systems together."""

    better: str
    worse: str
    test: str
    alpha: float
    p: float  # of this test alone
    segments: int  # judged so far
    judgements: int
    curve: tuple[tuple[int, float], ...]  # so many judgements, and how often they would separate the two
    needed: float  # judgements that separate them four times out of five; infinite where nothing speaks for `better`
    interval: Interval  # of needed


def power_curve(ranking: SystemRanking, first: str, second: str, *, factors: Sequence[float] = FACTORS) -> PowerCurve:
    """How often more, or fewer, judgements would have separated two systems of a ranking, by its own test of these two
    alone: a correction for other pairs takes more."""
    place = {item.system: k for k, item in enumerate(ranking.systems)}
    for name in (first, second):
        if name not in place:
            raise OptionError(f"no system is called {name}; judged were: {', '.join(place)}")
    if first == second:
        raise OptionError(f"system {first} is compared with itself; name two systems")
    if any(not factor > 0 for factor in factors):
        raise OptionError(f"factors {', '.join(f'{factor:g}' for factor in factors)}: must be above 0")
    above, below = sorted((place[first], place[second]))
    p, pair = float(ranking.single[above, below]), [ranking.systems[k] for k in (above, below)]
    if math.isnan(p):
        raise InputError(
            f"{first} and {second} have no judged segment in common; the test {ranking.method.test} needs one"
        )
    normal, level = NormalDist(), NormalDist().inv_cdf(1 - ranking.method.alpha)
    z = -normal.inv_cdf(min(max(p, 1e-300), 1 - 1e-16))
    judgements = sum(item.judgements for item in pair)
    wide = normal.inv_cdf((1 + CONFIDENCE) / 2)

    def needed(deviate: float) -> float:
        return judgements * ((level + normal.inv_cdf(POWER)) / deviate) ** 2 if deviate > 0 else math.inf

    return PowerCurve(
        better=pair[0].system,
        worse=pair[1].system,
        test=ranking.method.test,
        alpha=ranking.method.alpha,
        p=p,
        segments=sum(item.segments for item in pair),
        judgements=judgements,
        curve=tuple((round(judgements * f), normal.cdf(z * math.sqrt(f) - level)) for f in factors),
        needed=needed(z),
        interval=Interval(needed(z + wide), needed(z - wide), CONFIDENCE),
    )
