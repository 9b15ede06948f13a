"""Many tests at once from the same trials: step-down max-T (Westfall and Young 1993, algorithm 4.1).

An observed statistic is compared with the largest statistic of each trial, over the tests that are no more extreme.
Because tests share their trials, their dependence is taken into account, and nothing is multiplied by their number: the
smallest p is 1/(N + 1) however many tests there are, where Holm's is m/(N + 1). As with Holm's correction, the chance
of even one false alarm stays below alpha, whichever of the hypotheses are true (Romano and Wolf 2005), if trials are
drawn for all tests together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tertium.core.stats import Array


def step_down(observed: Array, trials: Array) -> Array:
    """Corrected p-values, from statistics on one scale; larger is more extreme.

    From the least extreme test up, a trial counts where the largest of its statistics so far reaches the observed one.
    # (m,), (m, N) -> (m,)
    """
    import numpy as np

    order = np.argsort(observed, kind="stable")  # the least extreme first
    largest = np.full(trials.shape[1], -np.inf)
    p = np.empty(len(observed))
    for which in order:
        np.maximum(largest, trials[which], out=largest)
        p[which] = (np.count_nonzero(largest >= observed[which]) + 1) / (len(largest) + 1)
    p[order[::-1]] = np.maximum.accumulate(p[order[::-1]])  # no p is below that of a more extreme test
    return p
