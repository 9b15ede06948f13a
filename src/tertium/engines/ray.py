"""Shards counted by the processes of a Ray cluster: one on this computer, or the one at an address.

Each process is an actor that gets the task once, and so loads a checkpoint once; it is handed one job after the other.
Whatever becomes of it, its job is done again by another one. Nothing here knows what a job is.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tertium.core.errors import CancelledError, InputError, MissingPackageError, OptionError, TertiumError
from tertium.core.run import Run
from tertium.core.version import VERSION

J = TypeVar("J")
R = TypeVar("R")

DEATHS = 3  # of processes at one job, before the job is to blame
AHEAD = 16  # jobs for each process that may be finished before their turn
PATIENCE = 0.2  # seconds between two looks at whether the work was cancelled
PATIENT = 10.0  # seconds until somebody answers at an address
STORE = 100 << 20  # bytes of shared memory; only names and sums travel

LOOPBACK = "127.0.0.1"
# Set before Ray is imported. A cluster of our own listens on the loopback interface alone (a switch that was made for
# other systems, whose firewalls ask), and wants a token, which Ray keeps for this user in ~/.ray.
PRIVATE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """A Ray cluster. Without an address, one of this computer's cores is started, and ended after the work; where this
    process is connected to a cluster already, that one is used and stays.

    Args:
        address: HOST:PORT of a cluster that this computer is a node of, or `auto`
    """

    address: str | None = None

    def __post_init__(self) -> None:
        if self.address is not None and "://" in self.address:
            raise OptionError(
                f"address {self.address}: write HOST:PORT, and start the command on a node of the cluster"
            )

    @contextmanager
    def connect(self, run: Run) -> Iterator[RayCluster]:
        """The cluster, for work that is done in this way."""
        with _environment({} if self.address else PRIVATE):
            ray = _import_ray()
            if ray.is_initialized():
                if self.address is not None:
                    raise OptionError(f"address {self.address}: Ray is connected already; leave the address out")
                yield RayCluster(ray, run)
                return
            # What Ray writes about its own work goes with it; its sockets must not have long names.
            with tempfile.TemporaryDirectory(
                prefix="tertium-ray-", dir="/tmp" if Path("/tmp").is_dir() else None, ignore_cleanup_errors=True
            ) as folder:
                try:
                    _start(ray, self.address, run.threads, folder)
                    yield RayCluster(ray, run)
                finally:
                    ray.shutdown()


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingPackageError(
            'the engine ray needs a package; install it with: pip install "tertium[ray]"'
        ) from None
    return ray


def _start(ray: Any, address: str | None, cores: int | None, folder: str) -> None:
    if address is None:
        if ray.util.get_node_ip_address() != LOOPBACK:
            raise OptionError(
                "Ray was imported before, and a cluster would listen on every network; start one first (ray.init), or "
                "set RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 before Ray is imported"
            )
        about = {"address": "local", "num_cpus": cores, "object_store_memory": STORE, "include_dashboard": False}
        about |= {"_node_ip_address": LOOPBACK, "_temp_dir": folder}
    else:
        _knock(address)
        about = {"address": address}
    try:
        ray.init(**about, configure_logging=False, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = f"at {address}" if address else "on this computer"
        raise InputError(f"no Ray cluster {where}: {_first_line(error)}") from None


def _knock(address: str) -> None:
    """Whether anybody is there at all: Ray itself tries a wrong address for minutes."""
    import socket

    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():  # `auto`
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENT).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster at {address}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    values = QUIET | values
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class RayCluster:
    """A cluster that is connected."""

    def __init__(self, ray: Any, run: Run) -> None:
        self.ray, self.run = ray, run

    def map(self, task: Callable[[J, Run], R], jobs: Sequence[J], *, learned: bool = False) -> Generator[R, None, None]:
        """What the task makes of every job, in order."""
        if not jobs:
            return
        cluster = self.ray.cluster_resources()
        gpus = int(cluster.get("GPU", 0)) if learned else 0
        size = self.run.threads or gpus or max(1, int(cluster.get("CPU", 1)))
        crew = _Crew(self.ray, task, jobs, self.run, size=min(size, gpus or size), gpu=gpus > 0)
        try:
            yield from crew.results()
        finally:
            crew.end(crew.places())


class _Answer(NamedTuple):
    """What came of a job: a result, or what tertium refuses; and what is to be said of how it was done."""

    result: Any = None
    refused: TertiumError | None = None
    notes: tuple[str, ...] = ()


class _Actor:
    """A process of the cluster."""

    def __init__(self, task: Callable[[Any, Run], Any], run: Run) -> None:
        self.task, self.run = task, run

    def start(self, folder: str) -> _Answer:
        """Work in the folder in which names of files are meant; the version that works here."""
        try:
            os.chdir(folder)
        except OSError as error:
            return _Answer(refused=InputError(f"{folder}: not on every node of the cluster ({error.strerror})"))
        return _Answer(VERSION)

    def work(self, job: Any) -> _Answer:
        notes: dict[str, None] = {}
        try:
            result = self.task(job, replace(self.run, notes=lambda note: notes.update({note: None})))
        except TertiumError as error:
            return _Answer(refused=error, notes=tuple(notes))
        return _Answer(result, notes=tuple(notes))


@dataclass
class _Place:
    """An actor, and the number of the job that it is at; None until it has started."""

    actor: Any
    job: int | None = None


@dataclass
class _Crew:
    """The actors of one piece of work."""

    ray: Any
    task: Any
    jobs: Sequence[Any]
    run: Run
    size: int
    gpu: bool
    busy: dict[Any, _Place] = field(default_factory=dict)  # by what each will answer
    free: list[_Place] = field(default_factory=list)
    deaths: Counter[int | None] = field(default_factory=Counter)  # by job

    def __post_init__(self) -> None:
        device = "cuda" if self.gpu else self.run.device
        there = replace(self.run, threads=1, device=device, progress=None, cancelled=None, notes=None)
        self.handed = self.ray.put(self.task), self.ray.put(there)
        self.kind = self.ray.remote(_Actor).options(num_cpus=0 if self.gpu else 1, num_gpus=int(self.gpu))

    def places(self) -> list[_Place]:
        return [*self.busy.values(), *self.free]

    def results(self) -> Iterator[Any]:
        """Results in the order of the jobs, of which only some are held."""
        waiting, known, turn = deque(range(len(self.jobs))), dict[int, Any](), 0
        while turn < len(self.jobs):
            if turn in known:
                yield known.pop(turn)
                turn += 1
                continue
            self._hire(min(self.size, len(waiting) + sum(place.job is not None for place in self.busy.values())))
            while self.free and waiting and waiting[0] < turn + AHEAD * self.size:
                place = self.free.pop()
                place.job = waiting.popleft()
                self.busy[place.actor.work.remote(self.jobs[place.job])] = place
            for place, answer in self._answers():
                if answer is None and place.job is not None:
                    waiting.appendleft(place.job)
                if answer is not None:
                    if place.job is not None:
                        known[place.job] = answer.result
                    self.free.append(place)
            if not waiting:
                self.end(self.free)
                self.free = []

    def _hire(self, wanted: int) -> None:
        for _ in range(len(self.busy) + len(self.free), wanted):
            actor = self.kind.remote(*self.handed)
            self.busy[actor.start.remote(str(Path.cwd()))] = _Place(actor)

    def _answers(self) -> Iterator[tuple[_Place, _Answer | None]]:
        """What has come by now; None from an actor that is no more."""
        done, _ = self.ray.wait(list(self.busy), num_returns=1, timeout=PATIENCE)
        if self.run.cancelled is not None and self.run.cancelled():
            raise CancelledError("cancelled while a cluster was at work")
        for each in done:
            place = self.busy.pop(each)
            try:
                answer: _Answer = self.ray.get(each)
            except self.ray.exceptions.RayTaskError as error:
                raise error.cause from error  # a mistake, or no memory
            except self.ray.exceptions.RayError as error:
                self._died(place.job, error)
                yield place, None
                continue
            for note in answer.notes:
                self.run.note(note)
            if answer.refused is not None:
                self.free.append(place)
                raise answer.refused
            if place.job is None and answer.result != VERSION:
                self.free.append(place)
                raise InputError(f"a node of the cluster has tertium {answer.result}, and here it is {VERSION}")
            yield place, answer

    def _died(self, job: int | None, error: Exception) -> None:
        """A process, or its computer, is gone; that may happen at any job, but not again and again at the same one."""
        self.deaths[job] += 1
        if self.deaths[job] == DEATHS:
            if job is None:
                why = str(error).strip().splitlines()[-1].strip()
                raise TertiumError(
                    f"{DEATHS} processes of the cluster could not begin: {why}. On every node there must be tertium "
                    f"{VERSION} and the modules of metrics that are not tertium's"
                )
            raise TertiumError(
                f"{DEATHS} processes of the cluster died at {self.jobs[job]}: {_first_line(error)} Is there enough "
                f"memory (fewer processes: --threads)?"
            )

    def end(self, places: Sequence[_Place]) -> None:
        """End actors at once, whatever they are at."""
        for place in places:
            self.ray.kill(place.actor)
