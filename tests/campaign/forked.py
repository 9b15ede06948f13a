"""Processes that are killed often: forked from one that has imported everything, so that a new one is there at once."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from tests.campaign.served import PATIENCE

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "tertium.web.campaign.server",
        "uvicorn.protocols.http.auto",
        "uvicorn.lifespan.on",
        "tests.campaign.forked",
        "tests.campaign.saving",
    ]
)


class Forked:
    """A process that runs `work(pipe, ...)`, and what it says through the pipe."""

    def __init__(self, work: Callable[..., None], *given: Any) -> None:
        self._pipe, theirs = FORKS.Pipe(duplex=False)
        self.process = FORKS.Process(target=begin, args=(dict(os.environ), work, theirs, given), daemon=True)
        self.process.start()
        theirs.close()

    def receive(self) -> Any:
        """The next thing that it says."""
        if not self._pipe.poll(PATIENCE):
            self.kill()
            raise AssertionError("the process says nothing, and does not end")
        return self._pipe.recv()

    def rest(self) -> Iterator[Any]:
        """What it said before its end, and nobody has read; the last thing may be cut off."""
        try:
            while True:
                yield self._pipe.recv()
        except (EOFError, OSError):
            self._pipe.close()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.join()


def begin(environment: dict[str, str], work: Callable[..., None], pipe: Connection, given: tuple[Any, ...]) -> None:
    """In the new process, which has the environment of long ago."""
    os.environ.clear()
    os.environ.update(environment)
    work(pipe, *given)


def serve(pipe: Connection, path: str) -> None:
    """A campaign as `tertium human serve` serves it; says its address."""
    from tertium.web.campaign.server import serve as run

    run(path, "127.0.0.1", 0, None, lambda base, token, store: pipe.send((base, token, store)))
