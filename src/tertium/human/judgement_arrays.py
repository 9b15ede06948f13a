"""Judgements of one scale as arrays, one number per judgement: a campaign may have hundreds of thousands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, get_args

from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import SCALES, Judgement, Kind, Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

KINDS: tuple[Kind, ...] = get_args(Kind)
Here = Callable[[Judgement], bool]
PAIR = "languages"  # the label of test sets that were made of several language pairs


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgementArrays:
    """Columns of m judgements, in the order in which they were given. Numbers of systems and raters are places in the
    tuples of their names, which are in order of first appearance."""

    scale: Scale
    systems: tuple[str, ...]
    raters: tuple[str, ...]
    system: NDArray[np.int64]  # (m,), and so are all that follow
    rater: NDArray[np.int64]
    segment: NDArray[np.int64]
    value: Array
    kind: NDArray[np.int64]  # a place in KINDS
    task: NDArray[np.int64]  # -1 where there is none
    start: Array  # seconds, NaN where nobody knows
    duration: Array
    here: NDArray[np.bool_]  # of an output at hand: others only tell what their rater is like

    def __len__(self) -> int:
        return len(self.value)

    def among(self, kinds: Sequence[Kind]) -> NDArray[np.bool_]:
        """Which judgements are of these kinds. # (m,)"""
        import numpy as np

        return np.isin(self.kind, [KINDS.index(kind) for kind in kinds])

    def take(self, chosen: Any) -> JudgementArrays:
        """Some of the judgements, by a mask or by numbers; the names of systems and raters stay."""
        columns = {field.name: getattr(self, field.name)[chosen] for field in fields(self)[3:]}
        return replace(self, **columns)


def judgement_arrays_of(
    judgements: Iterable[Judgement], scale: str | None = None, here: Here | None = None
) -> JudgementArrays:
    """The judgements of a scale, which may be left unsaid where there is only one; `here` says which are of outputs at
    hand, and all are without it."""
    import numpy as np

    given = list(judgements)
    known = list(dict.fromkeys(judgement.scale for judgement in given))
    if not given:
        raise InputError("there are no judgements; name their file (judgements = in testset.toml)")
    if scale is None:
        if len(known) > 1:
            raise OptionError(f"judgements are on {len(known)} scales; say which one: {', '.join(known)}")
        scale = known[0]
    if scale not in known:
        raise OptionError(f"there are no judgements on the scale {scale}; there are: {', '.join(known)}")
    some = [judgement for judgement in given if judgement.scale == scale]
    _check(some, scale)
    systems, system = _numbered([judgement.system for judgement in some])
    raters, rater = _numbered([judgement.rater for judgement in some])
    tasks, task = _numbered([judgement.task or "" for judgement in some])
    return JudgementArrays(
        scale=SCALES[scale],
        systems=systems,
        raters=raters,
        system=system,
        rater=rater,
        segment=np.array([judgement.segment for judgement in some], dtype=np.int64),
        value=np.array([judgement.value for judgement in some], dtype=np.float64),
        kind=_numbers([judgement.kind for judgement in some], KINDS),
        task=np.where(task == tasks.index(""), -1, task) if "" in tasks else task,
        start=_optional([judgement.start for judgement in some]),
        duration=_optional([judgement.duration for judgement in some]),
        here=np.array([here is None or here(judgement) for judgement in some], dtype=np.bool_),
    )


def _check(judgements: Sequence[Judgement], scale: str) -> None:
    """Refuse values that readers would have refused: judgements can also be made by hand."""
    if scale not in SCALES:
        raise OptionError(f"scale {scale!r} is unknown; choose from {', '.join(SCALES)}")
    for number, judgement in enumerate(judgements, 1):
        if not math.isfinite(judgement.value) or judgement.segment < 0 or judgement.kind not in KINDS:
            raise InputError(
                f"judgement {number} on the scale {scale}: expected a finite value, a segment from 0 and a kind among "
                f"{', '.join(KINDS)}; got {judgement.value!r}, {judgement.segment!r} and {judgement.kind!r}"
            )


def _numbered(names: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    known = tuple(dict.fromkeys(names))
    return known, _numbers(names, known)


def _numbers(names: Sequence[str], known: Sequence[str]) -> NDArray[np.int64]:
    import numpy as np

    place = {name: k for k, name in enumerate(known)}
    return np.array([place[name] for name in names], dtype=np.int64)


def _optional(values: Sequence[float | None]) -> Array:
    import numpy as np

    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def group_numbers(*columns: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """How many different rows these columns have, and the number of each judgement's row. # (m,)"""
    import numpy as np

    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:  # numbered anew each time, so that no product of counts can overflow
        key = key * (int(column.max(initial=0)) + 2) + column + 1
        _, key = np.unique(key, return_inverse=True)
    return int(key.max(initial=-1)) + 1, key
