"""Arithmetic for formulas that are written once and run on plain numbers or on arrays of them.

A corpus score needs a handful of numbers, and importing numpy costs more than counting a test set. So numpy is
imported only where there are arrays; formulas use operators and the functions below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Number = Any  # a float, or an array of them


def columns(sums: Any) -> Sequence[Number]:
    """The last axis taken apart: k numbers, or k arrays. # (..., k) -> k x (...)"""
    if isinstance(sums, list | tuple):
        return sums
    return [sums[..., k] for k in range(sums.shape[-1])]


def where(condition: Any, chosen: Number, otherwise: Number) -> Number:
    """`chosen` where the condition holds."""
    if isinstance(condition, bool):
        return chosen if condition else otherwise
    import numpy as np

    return np.where(condition, chosen, otherwise)


def maximum(a: Number, b: Number) -> Number:
    """The larger of two."""
    return where(a > b, a, b)


def exp(x: Number) -> Number:
    """e to the x."""
    if type(x) is float:  # not np.float64: arrays and their elements must come out the same
        return math.exp(x)
    import numpy as np

    return np.exp(x)


def log(x: Number) -> Number:
    """The natural logarithm; minus infinity at 0."""
    if type(x) is float:  # not np.float64: arrays and their elements must come out the same
        return math.log(x) if x > 0 else -math.inf
    import numpy as np

    with np.errstate(divide="ignore"):
        return np.log(x)


def ratio(above: Number, below: Number, otherwise: Number = 0.0) -> Number:
    """above / below where below is positive, `otherwise` where it is 0."""
    positive = below > 0
    return where(positive, above / where(positive, below, 1.0), otherwise)
