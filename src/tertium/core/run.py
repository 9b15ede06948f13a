"""Run: how work is done, never what comes out of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from tertium.core.errors import CancelledError, InputError, OptionError


class TertiumWarning(UserWarning):
    """Suspicious but valid input, or something that went wrong without changing a result."""


class Model(NamedTuple):
    """A model at hand: a file or a folder, known by its name and content, wherever it lies."""

    name: str
    path: str
    digest: str  # SHA-256 of the content

    @property
    def text(self) -> str:
        """`NAME@sha8`: what metrics, signatures and JSON call it."""
        return f"{self.name}@{self.digest[:8]}"


Progress = Callable[[str, int, int], None]  # what is being done, how much of it is done, and of how much


@dataclass(frozen=True, kw_only=True)
class Run:
    """How work is done: threads, device and batches of models, cache, progress reports, cancellation.

    Results are the same for any of these; scores of models to 1e-6.
    """

    threads: int | None = None  # as many as there are cores
    device: str = "cpu"  # of models
    batch: int | None = None  # tokens that a model reads at a time; None: what its file says
    cache: str | None = None  # the folder where models keep what they have worked out
    models: tuple[str, ...] = ()  # folders in which models are looked for by name
    located: Mapping[str, Model] = field(default_factory=dict)  # models at hand, by what metrics call them
    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None  # asked now and then
    notes: Callable[[str], None] | None = None  # told, in sentences, what went wrong without changing what comes out

    def __post_init__(self) -> None:
        for name in ("threads", "batch"):
            value = getattr(self, name)
            if value is not None and not hasattr(value, "__index__"):
                raise OptionError(f"{name}: {value!r}; must be a whole number")
            if value is not None and value < 1:
                raise OptionError(f"{name}: {value}; must be at least 1")

    def __repr__(self) -> str:
        """What is not as usual; it stands in the help of every function that takes a Run."""
        named = ((each.name, getattr(self, each.name)) for each in fields(self))
        told = (f"{name}={value!r}" for name, value in named if value != getattr(PLAIN, name))
        return f"Run({', '.join(told)})"

    def model(self, text: str) -> str:
        """The path of a model, for the metric whose option it is."""
        if text not in self.located:
            raise InputError(f"model {text!r} is not at hand; pass a path, or its folder (--models DIR)")
        return self.located[text].path

    def digest(self, text: str) -> str:
        """The SHA-256 of the content of a model that is at hand; nothing of one that is not named."""
        return self.located[text].digest if text else ""

    def note(self, sentence: str) -> None:
        """Say what went wrong with how work is done, though not with what comes out; a warning where nobody listens."""
        if self.notes is not None:
            self.notes(sentence)
        else:
            warnings.warn(sentence, TertiumWarning, stacklevel=2)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Report progress; raise CancelledError where the work was cancelled."""
        if self.cancelled is not None and self.cancelled():
            raise CancelledError(f"cancelled while {stage} ({done} of {total})")
        if self.progress is not None:
            self.progress(stage, done, total)


PLAIN = Run()
