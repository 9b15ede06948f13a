"""A workbench in a process of its own, as `tertium serve` starts it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
from tests.web.gate import PATIENCE, Gate

PROGRAM = "from tertium.cli.main import main; main()"
GATED = f"import tests.web.gate as gate; gate.put_before_workers(); {PROGRAM}"
ROOT = str(Path(__file__).parents[2])


class Served:
    """A server, its address, and ways to end it; its workers wait at the gate, if there is one."""

    def __init__(self, folder: Path, *arguments: str, gate: Gate | None = None) -> None:
        command = [sys.executable, "-c", GATED if gate else PROGRAM, "serve", "--no-open", "--workspace", str(folder)]
        more = {"PYTHONPATH": ROOT, "GATE": str(gate.path), "STAGE": gate.stage} if gate else {}
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **more},
        )  # fmt: skip
        assert self.process.stdout is not None
        first = self.process.stdout.readline().decode()
        found = re.fullmatch(r"tertium workbench: (https?://\S+)\n", first)
        assert found is not None, first + self.process.stdout.read().decode()
        self.address = found[1].rstrip("/")

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=PATIENCE, trust_env=False)

    def kill(self) -> None:
        """kill -9; returns when its workers have ended, too: they have its standard output open."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.read()
        self.process.stdout.close()

    def stop(self) -> str:
        """Ctrl-C; what it printed after its address."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        rest = self.process.stdout.read().decode()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        return rest
