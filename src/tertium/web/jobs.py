"""Long work in processes of its own: the server stays quick, a job can be cancelled, and one that dies takes nothing
along. Jobs are in the workspace's index before they begin; a restart begins the unfinished ones again."""

from __future__ import annotations

import multiprocessing
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.core.errors import InputError
from tertium.models.open import is_language_model
from tertium.web import work
from tertium.web.entries import Job, State
from tertium.web.models import Models, without_places
from tertium.web.workspace import Workspace

if TYPE_CHECKING:
    from tertium.web.intake import Limits
    from tertium.web.reading import Taken

WORKERS = 2  # jobs at a time; each uses threads of its own
PATIENCE = 300.0  # seconds that an answer may take
WAITS = 10  # times as long as a reader may compute it may take: others compute, too
LESS = "ask for less"
LOOK = 0.2  # seconds between looks at whether somebody who waits was stopped
TOO_LONG = getattr(signal, "SIGXCPU", 24)  # ends a process that computed longer than it may


class Progress(NamedTuple):
    """How far a job is; a total of 0 is unknown."""

    stage: str
    done: int
    total: int


class WorkerError(InputError):
    """A task that failed; the text is the reason."""


class StoppedError(WorkerError):
    """A task that somebody stopped."""


class DeadError(WorkerError):
    """A task that took its process down."""

    def __init__(self, status: int | None) -> None:
        super().__init__(f"the process that did this died (exit status {status}); is there too little memory?")
        self.status = status


class Worker:
    """One process that does one task."""

    def __init__(self, task: str, options: Mapping[str, Any]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit the server's threads and locks
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=work.run, args=(theirs, task, dict(options)), daemon=True)
        self.stopped = threading.Event()
        self.process.start()
        theirs.close()

    def wait(
        self, tell: Callable[[Progress], None] | None = None, patience: float | None = None, way_out: str = LESS
    ) -> Any:
        """The task's result; an error if it fails, dies, is stopped or takes too long."""
        end = None if patience is None else time.monotonic() + patience
        try:
            while True:
                if end is not None and time.monotonic() > end:
                    self.stop()
                    raise WorkerError(f"no answer after {patience:g} seconds; {way_out}")
                if not self.pipe.poll(0.2):
                    continue
                kind, value = self.pipe.recv()
                if kind == work.DONE:
                    return value
                if kind == work.FAILED:
                    raise WorkerError(value)
                if tell is not None:
                    tell(Progress(*value))
        except (EOFError, OSError):
            self.process.join()
            if self.stopped.is_set():
                raise StoppedError("stopped") from None
            raise DeadError(self.process.exitcode) from None
        finally:
            self.close()

    def stop(self) -> None:
        """End the process at once. Files are written whole or not at all, so nothing half-done remains."""
        self.stopped.set()
        self.process.kill()

    def close(self) -> None:
        """Let it end, and forget it."""
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


class Jobs:
    """A queue and a few threads, each of which watches one worker at a time."""

    def __init__(self, workspace: Workspace, workers: int = WORKERS, limits: Limits | None = None) -> None:
        self.workspace = workspace
        self.models: Models = {} if limits is None else limits.models
        self.named = {"allowed": () if limits is None else limits.allowed, "models": dict(self.models)}
        self.cache = str(workspace.folder / "models")  # of what models have worked out
        self._turns = {model.digest: threading.Lock() for model in self.models.values()}
        self._waiting: queue.Queue[str | None] = queue.Queue()
        self._running: dict[str, Worker] = {}
        self._asked: set[Worker] = set()
        self._progress: dict[str, Progress] = {}
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._watch, name=f"job {k}") for k in range(workers)]

    def start(self) -> None:
        """Begin, with what an earlier server left unfinished."""
        for job in self.workspace.unfinished():
            self._waiting.put(job.id)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End all workers; their jobs wait for the next start."""
        self._stopping.set()
        for _ in self._threads:
            self._waiting.put(None)
        with self._changed:
            for worker in (*self._running.values(), *self._asked):
                worker.stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def begin(self, evaluation: str) -> None:
        """Have done what waits of an evaluation that was just kept."""
        for job in self.workspace.jobs(evaluation):
            if job.state == "queued":
                self.submit(job)

    def submit(self, job: Job) -> Job:
        """Have a job done that is in the index."""
        self._waiting.put(job.id)
        return job

    def progress(self, job: str) -> Progress | None:
        """How far a running job is."""
        return self._progress.get(job)

    def cancel(self, name: str) -> Job:
        """Stop a job that waits or runs; returns when it has ended."""
        job = self.workspace.job(name)
        self.workspace.end(job.id, "cancelled", "cancelled")
        with self._changed:
            if job.id in self._running:
                self._running[job.id].stop()
                self._changed.wait_for(lambda: job.id not in self._running, timeout=15)
        return self.workspace.job(name)

    def delete(self, evaluation: str) -> None:
        """Stop what is done with an evaluation, and remove it."""
        for job in self.workspace.jobs(evaluation):
            if job.state in ("queued", "running"):
                self.cancel(job.id)
        self.workspace.delete(evaluation)

    def page(self, evaluation: str, page: Mapping[str, Any], key: str) -> Job:
        """Have a page made, unless that is being done."""
        job = self.workspace.add_job(evaluation, "page", {"page": dict(page), "key": key})
        return self.submit(job)

    def _watch(self) -> None:
        while (name := self._waiting.get()) is not None:
            if not self._stopping.is_set():
                self._do(name)

    def _do(self, name: str) -> None:
        if not self.workspace.begin(name):  # cancelled, deleted or begun by another thread
            return
        state: State = "done"
        reason = ""
        try:
            job = self.workspace.job(name)
            self._finish(job, self._run(job))
        except StoppedError:
            state, reason = "cancelled", "cancelled"
            if self._stopping.is_set():
                self.workspace.put_back(name)
        except WorkerError as error:
            state, reason = "failed", without_places(str(error), self.models)
        except Exception as error:  # a thread that ended here would let all other jobs wait for ever
            state, reason = "failed", f"tertium failed, which is a mistake of its own ({type(error).__name__}: {error})"
        finally:
            with self._changed:
                self._running.pop(name, None)
                self._progress.pop(name, None)
                if not (state == "cancelled" and self._stopping.is_set()):
                    self.workspace.end(name, state, reason)
                self._changed.notify_all()

    def _run(self, job: Job) -> Any:
        entry = self.workspace.entry(job.evaluation)
        options: dict[str, Any] = {
            "path": str(self.workspace.path(entry.id)), "baseline": entry.baseline, "cache": self.cache, **self.named
        }  # fmt: skip
        if job.kind == "score":
            options |= {"metrics": list(entry.wanted)}
        elif job.kind == "page":
            options |= job.options | {"target": str(self.workspace.page(job.evaluation, job.options["key"]))}
            if "since" in job.options["page"]:
                options |= {"other": str(self.workspace.path(job.options["page"]["since"]))}

        def ended() -> bool:
            return self._stopping.is_set() or not self.workspace.is_running(job.id)

        def tell(progress: Progress) -> None:
            stage = without_places(progress.stage, self.models)  # a model tells by its own name what it is at
            self._progress[job.id] = progress._replace(stage=stage)

        asked = [text for text, model in self.models.items() if "@" in text and is_language_model(model.path)]
        with self.turn(
            [text for text in asked if any(text in each for each in (*entry.wanted, *entry.metrics))], ended
        ):
            worker = Worker(job.kind, options)
            with self._changed:
                self._running[job.id] = worker
                if ended():
                    worker.stop()  # cancelled or deleted before there was a worker
            return worker.wait(tell)

    @contextmanager
    def turn(self, models: Sequence[str], ended: Callable[[], bool]) -> Iterator[None]:
        """Alone with these language models: each is asked by one process at a time. Who is stopped waits no longer."""
        with ExitStack() as held:
            for digest in sorted({self.models[text].digest for text in models}):
                while not self._turns[digest].acquire(timeout=LOOK):
                    if ended():
                        raise StoppedError("stopped")
                held.callback(self._turns[digest].release)
            yield

    def _finish(self, job: Job, result: Any) -> None:
        if job.kind == "score":
            self.workspace.scored(job.evaluation, *result)
        elif job.kind == "verdict":
            self.workspace.summed_up(job.evaluation, *result)

    def ask(self, options: Mapping[str, Any], task: str = "answer") -> Any:
        """The answer to a question about evaluations, by a process of its own."""
        return self._await(task, options, PATIENCE, LESS)

    def read(self, options: Mapping[str, Any]) -> Taken:
        """What becomes of an upload, by a process of its own, within the limits."""
        seconds = options["limits"].seconds
        try:  # the clock on the wall goes on while others compute, so it is given more
            found: Taken = self._await("read", options, WAITS * seconds, "send less at a time")
        except DeadError as error:
            if error.status == -TOO_LONG:
                raise WorkerError(f"reading it takes more than {seconds} s of computing; send less at a time") from None
            raise
        return found

    def _await(self, task: str, options: Mapping[str, Any], patience: float, way_out: str) -> Any:
        worker = Worker(task, options)
        with self._changed:
            self._asked.add(worker)
            if self._stopping.is_set():
                worker.stop()
        try:
            return worker.wait(patience=patience, way_out=way_out)
        finally:
            with self._changed:
                self._asked.discard(worker)
