"""Engines for tests, and metrics at which something happens to the process that counts."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import tertium as tt
from tertium.core.metric import Prepared


@dataclass
class OneByOne:
    """Jobs done in this process, one after the other; whatever would travel is pickled."""

    asked: int = 0

    @contextmanager
    def connect(self, run: tt.Run) -> Iterator[OneByOne]:
        self.run = run
        yield self

    def map(self, task: Callable[..., Any], jobs: Sequence[Any], *, learned: bool = False) -> Any:  # noqa: ARG002
        for job in jobs:
            self.asked += 1
            there, sent, run = pickle.loads(pickle.dumps((task, job, tt.Run(located=self.run.located))))
            yield pickle.loads(pickle.dumps(there(sent, run)))


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """The length of outputs, by a network that is none; what it loads, and where it works, is written down."""

    name: ClassVar[str] = "loaded"
    title, better, range = "loaded", "higher", (0.0, 1000.0)
    needs, resampling, decimals = frozenset({"model"}), "percentile", 1

    folder: str

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:
        load(self.folder, run.device)
        return Prepared(references=testset.references)

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:  # noqa: ARG002
        run.note("lengths are no quality")
        rows = np.stack([outputs.lengths(), np.ones(len(outputs))], axis=1)
        return tt.Stats(("characters", "segments"), rows.astype(float))

    def score(self, sums: Any) -> Any:
        return sums[..., 0] / sums[..., 1]


@cache
def load(folder: str, device: str) -> None:
    """Once in a process, as checkpoints are."""
    name = f"{os.getpid()} {device}"
    assert not (Path(folder) / name).exists()
    (Path(folder) / name).touch()


GATE = "TERTIUM_TEST_GATE"  # the folder of a gate


def split(text: str) -> list[str]:
    """A tokenizer. At `stop here` the process writes down who it is and waits, in the middle of a shard, until it is
    ended; the next one that comes there goes on. At `die here` it is gone, each time."""
    folder = os.environ.get(GATE)
    if text == "die here" and folder is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "stop here" and folder is not None and not (gate := Path(folder, "stopped")).exists():
        import ray

        gate.with_name("new").write_text(f"{os.getpid()} {ray.get_runtime_context().get_node_id()}")
        gate.with_name("new").rename(gate)
        gate.with_name("pipe").open().read()  # to which nobody writes
    return text.split()
