"""Arithmetic for formulas that are written once and run on plain numbers or on arrays of them.

A corpus score needs a handful of numbers, and importing numpy costs more than counting a test set. So numpy is
imported only where there are arrays; formulas use operators and the functions below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tertium import _kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number: TypeAlias = "float | NDArray[np.float64]"
"""A quantity in a formula: a float for one corpus, an array for many segments, documents or resamples at once."""

Sums: TypeAlias = "Sequence[float] | NDArray[np.float64]"
"""Statistics added up over segments, as a formula receives them: k plain numbers, or an array. # (..., k)"""

Truth: TypeAlias = "bool | NDArray[np.bool_]"
"""A condition on Numbers."""


def columns(sums: Sums) -> Sequence[Number]:
    """The last axis taken apart: k numbers, or k arrays. # (..., k) -> k x (...)"""
    if isinstance(sums, list | tuple):
        return sums
    import numpy as np

    array = np.asarray(sums)
    return [array[..., k] for k in range(array.shape[-1])]


def where(condition: Truth, chosen: Number, otherwise: Number) -> Number:
    """`chosen` where the condition holds."""
    if isinstance(condition, bool):
        return chosen if condition else otherwise
    import numpy as np

    return np.where(condition, chosen, otherwise)


def maximum(a: Number, b: Number) -> Number:
    """The larger of two."""
    return where(a > b, a, b)


def total(terms: Iterable[Number]) -> Number:
    """The sum, added up from left to right.

    The built-in `sum` does so for arrays, but corrects the rounding of floats from Python 3.12 on: a score would differ
    between versions of Python, and from the same score among others.
    """
    added: Number = 0.0
    for term in terms:
        added = added + term
    return added


def exp(x: Number) -> Number:
    """e to the x."""
    return math.exp(x) if isinstance(x, float) else _each(x, _kernel.exp_each)


def log(x: Number) -> Number:
    """The natural logarithm; minus infinity at 0."""
    if isinstance(x, float):
        return math.log(x) if x > 0 else -math.inf
    return _each(x, _kernel.log_each)


def power(x: Number, exponent: float) -> Number:
    """x to the exponent."""
    return math.pow(x, exponent) if isinstance(x, float) else _each(x, lambda each: _kernel.power_each(each, exponent))


def _each(x: Number, replace: Callable[[NDArray[np.float64]], None]) -> Number:
    """A function of the C library of every element: so that one is the same number alone and in an array."""
    import numpy as np

    values = np.array(x, dtype=np.float64, order="C")
    replace(values.reshape(-1))
    return values


def ratio(above: Number, below: Number, otherwise: Number = 0.0) -> Number:
    """above / below where below is positive, `otherwise` where it is 0."""
    positive = below > 0
    return where(positive, above / where(positive, below, 1.0), otherwise)
