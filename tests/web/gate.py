"""A gate at which workers wait: a test says when a job goes on, and bets on nobody's speed.

A worker tells how far it is; a gated one says that it has come to the gate's stage, and then waits until the gate is
open. Locks of files hold across processes and vanish with them, so a worker can be killed while it waits.
"""

import fcntl
import os
import select
from functools import partial
from pathlib import Path
from typing import Any

from tertium.web import work

PATIENCE = 600  # seconds after which something hangs; nothing depends on it while nothing does


class Gate:
    """Closed until it is opened; knows when somebody has come to it."""

    def __init__(self, folder: Path, stage: str = "reading") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.stage = folder / "gate", stage
        self._bar = self.path.open("w")
        os.mkfifo(f"{self.path}.arrivals")
        self._arrivals = os.open(f"{self.path}.arrivals", os.O_RDWR)  # for both, so that nobody waits to open it
        self.run = partial(gated, str(self.path), stage)
        self.close()

    def close(self) -> None:
        """Who comes now waits."""
        fcntl.flock(self._bar, fcntl.LOCK_EX)

    def open(self) -> None:
        """Who waits goes on, and who comes later does not wait."""
        fcntl.flock(self._bar, fcntl.LOCK_UN)

    def reached(self) -> None:
        """Return when one more worker has come to the gate."""
        found, _, _ = select.select([self._arrivals], [], [], PATIENCE)
        assert found, "no worker came to the gate"
        os.read(self._arrivals, 1)

    def remove(self) -> None:
        """Open it for good."""
        self._bar.close()
        os.close(self._arrivals)


def put_before_workers() -> None:
    """In a server's own process: the gate that its environment names."""
    work.run = partial(gated, os.environ["GATE"], os.environ["STAGE"])  # type: ignore[assignment]


def gated(path: str, stage: str, pipe: Any, task: str, options: dict[str, Any]) -> None:
    """A worker's life, as `work.run`, with the gate in its way."""
    work.run(Messages(path, stage, pipe), task, options)  # type: ignore[arg-type]


class Messages:
    """A worker's pipe that leads past the gate."""

    def __init__(self, path: str, stage: str, pipe: Any) -> None:
        self.path, self.stage, self.pipe, self.close = path, stage, pipe, pipe.close

    def send(self, message: tuple[str, Any]) -> None:
        self.pipe.send(message)
        if message[0] == work.PROGRESS and message[1][0] == self.stage:
            self.stage = ""  # once is enough
            self.wait()

    def wait(self) -> None:
        arrivals = os.open(f"{self.path}.arrivals", os.O_WRONLY)
        os.write(arrivals, b".")
        os.close(arrivals)
        with Path(self.path).open() as bar:
            fcntl.flock(bar, fcntl.LOCK_SH)
