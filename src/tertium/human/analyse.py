"""A whole campaign: raters, then rankings, scale by scale and language pair by language pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.judgement import Judgement
from tertium.core.testset import TestSet
from tertium.human.agreement import Agreement, agreement
from tertium.human.at_hand import AtHand
from tertium.human.judgement_arrays import PAIR, JudgementArrays, judgement_arrays_of
from tertium.human.quality import RaterQuality, rater_quality, without_flagged
from tertium.human.ranking import RankingMethod, SystemRanking, rank_answers, settled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUMMARY, USUAL = {"rank": "ranking-kappa"}, "alpha-interval"  # of all coefficients of agreement, the one that is shown


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis:
    """Raters and rankings of one scale. Rankings are by language pair; there is one, called "", where none is named."""

    scale: str
    judgements: int
    systems: int
    raters: tuple[RaterQuality, ...]
    dropped: tuple[str, ...]  # raters who were left out
    rankings: dict[str, SystemRanking]
    agreement: tuple[Agreement, ...]  # one coefficient, between raters and, where there are any, repeats
    notes: tuple[str, ...] = ()  # judgements that were left out


def analyse(
    judgements: Iterable[Judgement],
    scale: str | None,
    method: RankingMethod,
    testset: TestSet | None = None,
    drop: Sequence[str] = (),
    present: AtHand | None = None,
) -> Analysis:
    """Raters and rankings of one scale; raters with one of the flags in `drop` are left out of the rankings.

    Everything is of outputs that are `present`, but raters are standardised, and looked at, by all that they judged.
    """
    given = list(judgements)
    answers = judgement_arrays_of(given, scale, None if present is None else present.has)
    if not answers.here.any():
        raise InputError(f"nobody judged one of the systems here on the scale {answers.scale.name}")
    shown = {answers.raters[k] for k in set(answers.rater[answers.here].tolist())}
    raters = [rater for rater in rater_quality(answers, alpha=method.alpha) if rater.rater in shown]
    kept, dropped = without_flagged(answers, raters, drop)
    if not len(kept):
        raise InputError(f"no rater is left on the scale {answers.scale.name}; drop fewer: {', '.join(drop)}")
    method = settled(method, kept, None if testset is None else testset.labels.get(PAIR))
    here = [judgement for judgement in given if present is None or present.has(judgement)]
    return Analysis(
        scale=answers.scale.name,
        judgements=int(answers.here.sum()),
        systems=len(set(answers.system[answers.here].tolist())),
        raters=tuple(raters),
        dropped=dropped,
        rankings={name: rank_answers(some, method) for name, some in _by_pair(kept, testset) if some.here.any()},
        agreement=tuple(agreement(here, answers.scale.name, statistics=[SUMMARY.get(answers.scale.name, USUAL)])),
        notes=() if present is None else tuple(present.notes()),
    )


def _by_pair(answers: JudgementArrays, testset: TestSet | None) -> list[tuple[str, JudgementArrays]]:
    import numpy as np

    pairs = None if testset is None else testset.labels.get(PAIR)
    if pairs is None:
        return [("" if testset is None else testset.language_pair or "", answers)]
    names = list(dict.fromkeys(pairs))
    number: NDArray[np.int64] = np.array([names.index(name) for name in pairs], dtype=np.int64)[answers.segment]
    return [(name, answers.take(number == k)) for k, name in enumerate(names) if (number == k).any()]
