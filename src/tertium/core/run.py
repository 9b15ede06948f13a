"""Run: how work is done, never what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tertium.core.errors import CancelledError, OptionError

Progress = Callable[[str, int, int], None]  # what is being done, how much of it is done, and of how much


@dataclass(frozen=True, kw_only=True)
class Run:
    """Threads, a model's device and batches, a cache, whom to tell how far it is, and when to give up.

    Results are the same for any of these; scores of models to 1e-6.
    """

    threads: int | None = None  # as many as there are cores
    device: str = "cpu"  # of models
    batch: int | None = None  # tokens that a model reads at a time; None: what its file says
    cache: str | None = None  # the folder where models keep what they have worked out
    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None  # asked now and then

    def __post_init__(self) -> None:
        for name in ("threads", "batch"):
            value = getattr(self, name)
            if value is not None and not hasattr(value, "__index__"):
                raise OptionError(f"{name}: {value!r}; must be a whole number")
            if value is not None and value < 1:
                raise OptionError(f"{name}: {value}; must be at least 1")

    def tell(self, stage: str, done: int, total: int) -> None:
        """Say how far it is, to whoever wants to know; the end, where nobody needs it any more."""
        if self.cancelled is not None and self.cancelled():
            raise CancelledError(f"cancelled while {stage} ({done} of {total})")
        if self.progress is not None:
            self.progress(stage, done, total)


PLAIN = Run()
