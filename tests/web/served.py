"""A workbench in a process of its own, as `tertium serve` starts it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

COMMAND = [sys.executable, "-c", "from tertium.cli.main import main; main()", "serve", "--no-open"]


class Served:
    """A server, its address, and ways to end it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--workspace", str(folder), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        first = self.process.stdout.readline().decode()
        found = re.fullmatch(r"tertium workbench: (https?://\S+)\n", first)
        assert found is not None, first + self.process.stdout.read().decode()
        self.address = found[1].rstrip("/")

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=60, trust_env=False)

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> str:
        """Ctrl-C; what it printed after its address."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        rest = self.process.stdout.read().decode()
        self.process.wait(30)
        self.process.stdout.close()
        return rest
