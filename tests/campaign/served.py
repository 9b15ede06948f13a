"""A campaign in a process of its own, as `tertium human serve` starts it."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

PATIENCE = 240  # seconds after which something hangs; nothing depends on it while nothing does
PROGRAM = "from tertium.cli.main import main; main()"


def tertium(*arguments: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


class Served:
    """A server, its addresses, and ways to end it."""

    def __init__(self, path: Path, port: int = 0) -> None:
        self.path = path
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "human", "serve", str(path), "--port", str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        self._lines = queue.SimpleQueue[str]()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        first, second = self._line(), self._line()
        found = re.fullmatch(r"raters: (http://\S+?)/r/.*\n", first)
        assert found is not None, first + second + self._read()
        self.address, self.dashboard = found[1], second.partition(": ")[2].strip()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self._read()

    def stop(self) -> str:
        """Ctrl-C; what it printed after its addresses."""
        self.process.send_signal(signal.SIGINT)
        return self._read()

    def _listen(self) -> None:
        """Read what it prints, so that nobody waits for it without an end; an empty line where it ends."""
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put("")

    def _line(self) -> str:
        try:
            return self._lines.get(timeout=PATIENCE)
        except queue.Empty:
            self.process.kill()
            raise AssertionError(f"the server of {self.path} says nothing, and does not end") from None

    def _read(self) -> str:
        rest = ""
        while line := self._line():
            rest += line
        self.process.wait(PATIENCE)
        self._reader.join()
        return rest
