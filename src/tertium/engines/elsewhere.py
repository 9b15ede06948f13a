"""Whole shards counted by processes elsewhere: what an engine is, and how its results come in order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.io.checkpoint import CheckpointFolder, FinishedShard
from tertium.io.shards import Shard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

J = TypeVar("J")
R = TypeVar("R")


class Processes(Protocol):
    """Processes elsewhere, which work at whole jobs."""

    def map(self, task: Callable[[J, Run], R], jobs: Sequence[J], *, learned: bool = False) -> Generator[R, None, None]:
        """What `task` makes of every job, in the order of the jobs. Each process gets the task once, and with each job
        the Run that fits the place; task, jobs and results can be pickled. `learned`: networks are at work."""
        ...


class Engine(Protocol):
    """Where processes are found."""

    def connect(self, run: Run) -> AbstractContextManager[Processes]:
        """As many processes as the run has threads; they end with the work, or when it is cancelled."""
        ...


class Outcome(NamedTuple):
    """What came of a shard."""

    shard: Shard
    finished: FinishedShard | None = None
    error: InputError | None = None  # why it cannot be read
    stamp: Mapping[str, Any] | None = None  # of the shard before it was read; none where it comes from a checkpoint


class ShardJob(NamedTuple):
    """A shard, and the number of its first row where somebody asks for it."""

    shard: Shard
    first: int = 0

    def __str__(self) -> str:
        return self.shard.name


def count_elsewhere(
    engine: Engine,
    task: Callable[[ShardJob, Run], Outcome],
    shards: Sequence[Shard],
    run: Run,
    kept: CheckpointFolder | None,
    *,
    numbered: bool,
    learned: bool,
) -> Generator[Outcome, None, None]:
    """What comes of shards that an engine counts. Draws need the numbers of rows (`numbered`), and which shard is bad
    is known only when it has been read; so for them each shard is read once more, before."""
    with engine.connect(run) as processes:
        known = {shard.number: (it.first, it.rows) for shard in shards if kept and (it := kept.load(shard, None))}
        firsts = {number: first for number, (first, _) in known.items()}
        rows: dict[int, int] = {}
        if numbered:
            unknown = [ShardJob(shard) for shard in shards if shard.number not in known]
            rows = {number: there for number, (_, there) in known.items()}
            rows |= zip((job.shard.number for job in unknown), processes.map(_rows_of, unknown), strict=True)
            ends = accumulate((rows[shard.number] for shard in shards), initial=0)
            firsts = dict(zip((shard.number for shard in shards), ends, strict=False))
        there = {number for number, (first, _) in known.items() if first == firsts[number]}
        jobs = [ShardJob(each, firsts.get(each.number, 0)) for each in shards if each.number not in there]
        with closing(processes.map(task, jobs, learned=learned)) as found:
            for shard in shards:
                outcome = Outcome(shard, kept.load(shard, None)) if kept and shard.number in there else next(found)
                if outcome.finished and outcome.finished.rows != rows.get(shard.number, outcome.finished.rows):
                    raise InputError(f"{shard.name}: was changed while it was read; start again")
                yield outcome


def _rows_of(job: ShardJob, run: Run) -> int:  # noqa: ARG001
    """How many rows a shard has; those of a bad one are not counted."""
    try:
        return sum(map(len, job.shard.blocks()))
    except InputError:
        return 0
