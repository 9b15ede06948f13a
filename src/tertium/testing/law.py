"""Law: something that holds for every metric and any text, and how it is told that it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tertium.testing.subject import Subject

# No clock: a metric may be slow. What a metric is exempt from is left out of what is drawn.
QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


class LawError(AssertionError):
    """A law that a metric breaks."""


@dataclass(frozen=True)
class Law:
    """A name, which exemptions use, and a check; `examples` texts are generated, 0 for none."""

    name: str
    body: Callable[..., None]
    examples: int
    applies: Callable[[Subject], str]  # why it does not, or ""

    def check(self, subject: Subject) -> None:
        """Raise LawError where the metric breaks the law."""
        if self.examples == 0:
            self.body(subject)
            return

        def law(data: st.DataObject) -> None:
            self.body(subject, data)

        law.__name__ = law.__qualname__ = self.body.__name__  # by which hypothesis remembers what failed
        profile = settings(max_examples=self.examples, deadline=None, suppress_health_check=QUIET)
        profile(given(data=st.data())(law))()


def law(
    name: str, *, examples: int = 0, applies: Callable[[Subject], str] = lambda _: ""
) -> Callable[[Callable[..., None]], Law]:
    """Make a function of a subject (and of data to draw from, where there are examples) a law."""
    return lambda body: Law(name, body, examples, applies)


def require(holds: object, told: str) -> None:
    """Break the law unless this holds."""
    if not holds:
        raise LawError(told)


def require_equal(got: object, expected: object, what: str) -> None:
    """Break the law unless both are equal, to the last bit."""
    if got != expected:
        raise LawError(f"{what}: {got!r}, expected {expected!r}")


def require_close(got: Any, expected: Any, what: str) -> None:
    """Break the law unless all numbers are the same but for rounding (1e-12 of them, or 1e-9)."""
    one, other = np.asarray(got, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    if one.shape != other.shape:
        raise LawError(f"{what}: shape {one.shape}, expected {other.shape}")
    with np.errstate(invalid="ignore"):  # infinity less infinity
        far = ~((one == other) | (np.abs(one - other) <= np.maximum(1e-12 * np.abs(other), 1e-9)))
    if far.any():
        raise LawError(f"{what}: {one[far].ravel()[0]!r}, expected {other[far].ravel()[0]!r}")
