"""Templates that are being tried: each asks a language model in a process of its own, one at a time for each model.

They are kept in memory, the newest of them, and are gone when the server ends.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tertium.core.errors import OptionError
from tertium.web.entries import State, UnknownError
from tertium.web.jobs import PATIENCE, Jobs, Progress, StoppedError, Worker, WorkerError
from tertium.web.models import find_speaking, without_places
from tertium.web.trying import TryQuestion

KEPT = 50
OPEN = 8  # that wait or run
THREADS = 4


@dataclass
class Trial:
    """One of them."""

    id: str
    question: TryQuestion
    state: State = "queued"
    reason: str = ""
    result: dict[str, Any] | None = None
    progress: Progress | None = None
    stopped: bool = False
    worker: Worker | None = field(default=None, repr=False)

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return self.state in ("queued", "running")


class Trials:
    """The newest, by name."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs, self.changed = jobs, threading.Condition()
        self._kept: dict[str, Trial] = {}
        self._threads = ThreadPoolExecutor(THREADS)

    def begin(self, question: TryQuestion) -> Trial:
        """Have a template tried, unless it cannot be, or too many wait."""
        find_speaking(question.model, self.jobs.models)
        question.read_template()
        trial = Trial(secrets.token_hex(8), question)
        with self.changed:
            if sum(one.is_open for one in self._kept.values()) >= OPEN:
                raise OptionError(f"{OPEN} templates are being tried; wait for one of them, or cancel one")
            ended = [name for name, one in self._kept.items() if not one.is_open]
            for name in ended[: max(0, len(self._kept) - KEPT + 1)]:
                del self._kept[name]
            self._kept[trial.id] = trial
        self._threads.submit(self._do, trial)
        return trial

    def find(self, name: str) -> Trial:
        """The one of this name."""
        with self.changed:
            if name not in self._kept:
                raise UnknownError(
                    f"there is no trial {name!r}; the newest {KEPT} are remembered until the server ends"
                )
            return self._kept[name]

    def every(self) -> list[Trial]:
        """All that are remembered, the newest first."""
        with self.changed:
            return list(reversed(self._kept.values()))

    def cancel(self, name: str) -> Trial:
        """Stop one that waits or runs; one that has ended stays as it is."""
        trial = self.find(name)
        with self.changed:
            if trial.is_open:
                trial.stopped, trial.state, trial.reason = True, "cancelled", "cancelled"
                if trial.worker is not None:
                    trial.worker.stop()
                self.changed.notify_all()
        return trial

    def stop(self) -> None:
        """End all of them."""
        for trial in self.every():
            self.cancel(trial.id)
        self._threads.shutdown(cancel_futures=True)

    def _do(self, trial: Trial) -> None:
        try:
            result = self._run(trial)
            self._end(trial, "done", "", result)
        except StoppedError:
            self._end(trial, "cancelled", "cancelled")
        except WorkerError as error:
            self._end(trial, "failed", without_places(str(error), self.jobs.models))
        except Exception as error:  # a thread that ended here would leave the page waiting for ever
            self._end(
                trial, "failed", f"tertium failed, which is a mistake of its own ({type(error).__name__}: {error})"
            )

    def _run(self, trial: Trial) -> dict[str, Any]:
        model = self.jobs.models[trial.question.model]
        options: Mapping[str, Any] = {
            "question": trial.question.model_dump(), "models": {trial.question.model: model}, "cache": self.jobs.cache,
        }  # fmt: skip
        with self.jobs.turn([trial.question.model], lambda: trial.stopped):
            worker = Worker("try", options)
            with self.changed:
                trial.worker = worker
                if trial.stopped:
                    worker.stop()
                else:
                    trial.state = "running"

            def tell(progress: Progress) -> None:
                stage = without_places(progress.stage, self.jobs.models)  # a model tells by its own name what it is at
                trial.progress = progress._replace(stage=stage)

            found: dict[str, Any] = worker.wait(tell, PATIENCE, "try a shorter text, or fewer tokens")
            return found

    def _end(self, trial: Trial, state: State, reason: str, result: dict[str, Any] | None = None) -> None:
        with self.changed:
            if trial.is_open:
                trial.state, trial.reason, trial.result = state, reason, result
            trial.worker = None
            self.changed.notify_all()
