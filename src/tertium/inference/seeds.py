"""Default seeds, numbers of trials and shares: commands, pages, the JSON interface and Python agree on them."""

from __future__ import annotations

from tertium.core.errors import OptionError

SEED = 12345  # the field's habit (sacreBLEU); with it the resamples and swaps are sacreBLEU's
RESAMPLES = 1_000  # behind an interval
CONFIDENCE = 0.95  # what an interval covers
ALPHA = 0.05  # how often a difference may be found where there is none
SWAPS = 10_000  # behind a p-value of a permutation test
TRIALS = {"permutation": SWAPS, "bootstrap": RESAMPLES}  # behind a p-value, by test
WMT_SEED, WMT_TRIALS = 4, 1_000  # SPA and PERM-BOTH (Thompson et al. 2024): with them the masks are mt-metrics-eval's
MOST = 10_000_000  # what is drawn is held in memory, a number for each pair or system


def check_drawn(number: int, seed: int, what: str = "trials") -> None:
    """Refuse what cannot be drawn: nothing, more than a computer can hold or wait for, a seed below 0."""
    for name, value in ((what, number), ("seed", seed)):
        if not hasattr(value, "__index__"):
            raise OptionError(f"{name}: {value!r}; must be a whole number")
    if number < 1:
        raise OptionError(f"{number} {what}: at least one is needed")
    if number > MOST:
        raise OptionError(
            f"{number} {what}: at most {MOST} are drawn, because more would not fit into memory; take fewer"
        )
    if seed < 0:
        raise OptionError(f"seed {seed}: must not be negative")
