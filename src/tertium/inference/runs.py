"""Several runs of one system (training seeds): its score is their mean, and runs are resampled as segments are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tertium.core.system import System

if TYPE_CHECKING:
    from tertium.core.stats import Array

FEW = 5  # runs: with fewer, how much runs vary is a guess, and tests find too much


def runs_of(systems: Iterable[System]) -> dict[str, list[str]]:
    """System names without their runs, and the names of the runs: `nmt` has `nmt@1` and `nmt@2`."""
    groups: dict[str, list[str]] = {}
    for system in systems:
        base = system.name if system.run is None else system.name.removesuffix(f"@{system.run}")
        groups.setdefault(base, []).append(system.name)
    return groups


def resampled_runs(scores: Mapping[str, Array], groups: Mapping[str, Sequence[str]], seed: int) -> dict[str, Array]:
    """Scores of systems in every resample: the mean over runs that are drawn again, with replacement, each time.

    Of k runs k - 1 are drawn (McCarthy and Snowden 1985): means of k would vary by (k - 1)/k of what means of runs do.
    """
    import numpy as np

    rng = np.random.default_rng([seed, 1])  # other draws than those of segments
    found: dict[str, Array] = {}
    for name, runs in groups.items():
        rows = np.stack([scores[run] for run in runs])  # (runs, trials)
        if len(runs) == 1:
            found[name] = rows[0]
            continue
        drawn = rng.integers(0, len(runs), size=(len(runs) - 1, rows.shape[1]))
        found[name] = np.take_along_axis(rows, drawn, axis=0).mean(axis=0)
    return found
