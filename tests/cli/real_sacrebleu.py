"""The real sacreBLEU program, loaded once and forked for each call: starting it takes much longer than its work.

Run as a program, this file answers calls, one JSON object a line; imported, it is the way to make them.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

PROGRAM = "sacrebleu"  # what it calls itself when it is installed
VARIABLES = ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR")


class Real:
    """sacreBLEU's command line: its exit status and standard output."""

    def __init__(self, folder: Path, settings: dict[str, str] | None = None) -> None:
        environment = {key: value for key, value in os.environ.items() if key not in VARIABLES} | (settings or {})
        command, pipe = [sys.executable, __file__], subprocess.PIPE
        self.folder, self.process = (
            folder,
            subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment),
        )

    def __call__(self, flags: str, stdin: str | None = None, settings: dict[str, str] | None = None) -> tuple[int, str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        call = {"arguments": shlex.split(flags), "settings": settings or {}}
        call |= {"folder": str(self.folder), "stdin": stdin or os.devnull}
        print(json.dumps(call), file=self.process.stdin, flush=True)
        status, printed = json.loads(self.process.stdout.readline())
        return status, printed

    def close(self) -> None:
        self.process.communicate()


def _serve() -> None:
    import numpy  # noqa: F401  (sacreBLEU imports it when it resamples)
    import sacrebleu.sacrebleu

    for line in sys.stdin:
        call = json.loads(line)
        with tempfile.TemporaryFile() as printed:
            child = os.fork()
            if child == 0:
                _run(sacrebleu.sacrebleu, call, printed.fileno())
            _, ended = os.waitpid(child, 0)
            printed.seek(0)
            answer = os.waitstatus_to_exitcode(ended), printed.read().decode()
        print(json.dumps(answer), flush=True)


def _run(program: Any, call: dict[str, Any], output: int) -> None:
    """What the program's own process would do, in this one, which ends here."""
    os.chdir(call["folder"])
    os.dup2(os.open(call["stdin"], os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.environ |= call["settings"]
    sys.argv = [PROGRAM, *call["arguments"]]
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    status = 0
    try:
        program.main()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve()
