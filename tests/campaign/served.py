"""A campaign in a process of its own, as `tertium human serve` starts it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

PATIENCE = 600  # seconds after which something hangs; nothing depends on it while nothing does
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
        assert self.process.stdout is not None
        first, second = self.process.stdout.readline(), self.process.stdout.readline()
        found = re.fullmatch(r"raters: (http://\S+?)/r/.*\n", first)
        assert found is not None, first + second + self.process.stdout.read()
        self.address, self.dashboard = found[1], second.partition(": ")[2].strip()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self._read()

    def stop(self) -> str:
        """Ctrl-C; what it printed after its addresses."""
        self.process.send_signal(signal.SIGINT)
        return self._read()

    def _read(self) -> str:
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        return rest
