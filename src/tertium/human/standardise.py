"""Standard scores (Graham et al. 2013): how far a judgement lies from its rater's mean, in units of the standard
deviation of that rater's judgements. A strict rater and a generous one can then be averaged.

z = (value - mean) / sd, mean and sd (m - 1 in the denominator) of the rater's own judgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tertium.core.errors import OptionError
from tertium.core.judgement import Kind, why_raw
from tertium.core.metric import choose
from tertium.core.wording import counted
from tertium.human.judgement_arrays import KINDS, JudgementArrays, group_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Zero = Literal["z0", "raw-only", "drop", "sd1"]
ZEROS: tuple[Zero, ...] = get_args(Zero)
SYSTEM_OUTPUTS: tuple[Kind, ...] = ("genuine", "repeat")


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How judgements are standardised and which of them make up scores.

    `zero` says what becomes of a rater whose judgements do not differ (or who gave only one): `z0`, all of them are 0;
    `raw-only`, they count in raw scores and not in standardised ones; `drop`, they count in neither; `sd1`, their
    standard deviation is taken to be 1.
    """

    over: tuple[Kind, ...] = SYSTEM_OUTPUTS  # whose mean and sd are a rater's
    scored: tuple[Kind, ...] = SYSTEM_OUTPUTS  # what scores are made of
    zero: Zero = "z0"
    digits: int | None = None  # significant digits that mean and sd are rounded to before they are used

    def __post_init__(self) -> None:
        choose("standardise", "zero", self.zero, ZEROS)
        for name, kinds in (("over", self.over), ("scored", self.scored)):
            for kind in kinds:
                choose("standardise", name, kind, KINDS)
            if not kinds:
                raise OptionError(f"standardise: {name} names no kind of judgement; known: {', '.join(KINDS)}")


# What published evaluations did.
# wmt22-toen: WMT22 to English (Kocmi et al. 2022), crowd workers: mean and sd over everything a rater judged for the
#   language pair, control items too, passed on with seven digits; workers of no variance have z = 0.
# wmt21-toen: WMT21 to English (Akhbardeh et al. 2021), and the programs of Graham et al. (2016): the same, but workers
#   of no variance are left out of the file of standardised scores only.
# appraise22: WMT22 out of English (DA+SQM in Appraise): mean and sd over judgements of outputs, without any control or
#   repeated item; raters of no variance are left out.
POLICIES: dict[str, Policy] = {
    "wmt22-toen": Policy(over=KINDS, zero="z0", digits=7),
    "wmt21-toen": Policy(over=KINDS, zero="raw-only", digits=7),
    "appraise22": Policy(over=("genuine",), scored=("genuine",), zero="drop"),
    **{zero: Policy(zero=zero) for zero in ZEROS},
}


def policy_of(policy: Policy | str) -> Policy:
    """A policy by its name: one that was published, or what becomes of raters of no variance."""
    if isinstance(policy, Policy):
        return policy
    choose("standardise", "policy", policy, tuple(POLICIES))
    return POLICIES[policy]


USUAL = "wmt22-toen"  # how scores are standardised where nobody says otherwise


def raw_reason(answers: JudgementArrays, groups: Sequence[str] | None = None) -> str:
    """Why human scores are raw scores by default; empty where they are standard scores. Raters count who judged an
    output, with all that they judged (in a language pair), as their mean and sd are of all of it."""
    import numpy as np

    count, unit = group_numbers(answers.rater, _labels(answers, groups))
    counts = np.bincount(unit, minlength=count)
    return why_raw(answers.scale.name, counts[np.unique(unit[answers.among(SYSTEM_OUTPUTS)])].tolist())


@dataclass(frozen=True, eq=False, kw_only=True)
class Standardised:
    """Judgements with their standard scores, and what these were made with."""

    answers: JudgementArrays  # without dropped ones
    z: Array  # (m,), NaN where there is none
    rater: NDArray[np.int64]  # (g,): whose mean and sd; a rater comes once for each group of segments
    mean: Array  # (g,)
    sd: Array  # (g,), 0 where nothing differs, NaN of fewer than two


def standardise(
    answers: JudgementArrays, policy: Policy | str = "z0", groups: Sequence[str] | None = None
) -> Standardised:
    """Standard scores per rater; with `groups`, a label for each segment (such as its language pair), per rater and
    label."""
    import numpy as np

    chosen = policy_of(policy)
    labels = _labels(answers, groups)
    count, unit = group_numbers(answers.rater, labels)
    used = answers.among(chosen.over)
    mean, sd = moments(answers.value[used], unit[used], count)
    if chosen.digits is not None:
        mean, sd = _rounded(mean, chosen.digits), _rounded(sd, chosen.digits)
    flat = ~(sd > 0)  # NaN too: of one judgement nobody knows how much it differs from others
    spread = np.where(flat, 1.0, sd)
    z = (answers.value - mean[unit]) / spread[unit]
    if chosen.zero == "z0":
        z = np.where(flat[unit], 0.0, z)
    elif chosen.zero != "sd1":
        z = np.where(flat[unit], np.nan, z)
    rater = np.zeros(count, dtype=np.int64)
    rater[unit] = answers.rater
    if chosen.zero == "drop":
        kept = ~flat[unit]
        answers, z = answers.take(kept), z[kept]
    return Standardised(answers=answers, z=z, rater=rater, mean=mean, sd=sd)


def moments(values: Array, group: NDArray[np.int64], count: int) -> tuple[Array, Array]:
    """Mean and standard deviation of each group; NaN where there are too few. # (count,), (count,)"""
    import numpy as np

    n = np.bincount(group, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(group, values, count) / n
        squares = np.bincount(group, (values - mean[group]) ** 2, count)
        sd = np.sqrt(squares / np.where(n > 1, n - 1, np.nan))
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    return mean, np.where((low == high) & (n > 1), 0.0, sd)  # a mean can be off by its rounding


def _labels(answers: JudgementArrays, groups: Sequence[str] | None) -> NDArray[np.int64]:
    import numpy as np

    if groups is None:
        return np.zeros(len(answers), dtype=np.int64)
    if len(groups) <= int(answers.segment.max(initial=-1)):
        raise OptionError(
            f"{counted(len(groups), 'label')} to standardise by; segments go up to {answers.segment.max() + 1}"
        )
    place = {label: k for k, label in enumerate(dict.fromkeys(groups))}
    return np.array([place[label] for label in groups], dtype=np.int64)[answers.segment]


def _rounded(values: Array, digits: int) -> Array:
    """To significant digits, as programs print numbers."""
    import numpy as np

    return np.array([float(f"{value:.{digits}g}") for value in values.tolist()])
