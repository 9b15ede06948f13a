"""How commands end when something outside goes wrong: a full disk, a reader that goes, Ctrl-C, no memory left."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tertium.cli.main import COMMANDS

from .running import Command, Run

INSTALLED = Path(sys.executable).parent / "tertium"
FULL = "tertium: standard output: cannot be written (No space left on device); what has been written is not all\n"
SEGMENTS = 3000


@pytest.fixture(autouse=True)
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.en").write_text("".join(f"the cat number {k} sat on the mat\n" for k in range(SEGMENTS)))


def installed(
    *arguments: str | Path, stdout: str | int = subprocess.PIPE, before: Callable[[], None] | None = None, **env: str
) -> Run:
    """The installed command, its output going to a file of this name (or as subprocess has it)."""
    with Path(stdout if isinstance(stdout, str) else os.devnull).open("wb") as file:
        done = subprocess.run(
            [INSTALLED, *arguments],
            stdout=file if isinstance(stdout, str) else stdout,
            stderr=subprocess.PIPE,
            preexec_fn=before,
            env={**os.environ, **env},
            check=False,
        )
    return Run(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


# A full disk


@pytest.mark.parametrize("name", COMMANDS)
def test_help_on_a_full_disk(name: str) -> None:
    assert installed(name, "-h", stdout="/dev/full", PYTHONUNBUFFERED="") == (2, "", FULL)


SEGMENT_SCORES = ["score", "-r", "a.en", "-t", "a.en", "-m", "bleu", "--level", "segment", "-f", "json"]
LONG = [
    SEGMENT_SCORES,
    ["sacrebleu", "a.en", "-i", "a.en", "-sl", "-q", "-m", "chrf"],
    ["stress", "-r", "a.en", "-t", "a.en", "--emit", "-", "--noise", "delete", "--rates", ".3", "--seeds", "1"],
]


@pytest.mark.parametrize("arguments", LONG, ids=lambda words: words[0])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_fills_up(arguments: list[str], unbuffered: str) -> None:
    """A limit on the size of files stands for the disk: the write that meets it is cut short, the next one fails."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))

    run = installed(*arguments, stdout="scores", before=limit, PYTHONUNBUFFERED=unbuffered)
    assert Path("scores").stat().st_size == 1 << 14
    assert run.status == 2
    assert run.err.splitlines()[-1] == FULL.strip().replace("No space left on device", "File too large")
    assert "Traceback" not in run.err


def test_a_closed_standard_output() -> None:
    run = installed("score", "-r", "a.en", "-t", "a.en", "-m", "bleu", stdout=-1, before=lambda: os.close(1))
    assert run == (2, "", FULL.replace("No space left on device", "Bad file descriptor"))
    run = installed(*SEGMENT_SCORES, "-o", "scores", stdout=-1, before=lambda: os.close(1))
    assert run == (0, "", "")
    assert Path("scores").stat().st_size > 1 << 14


@pytest.mark.parametrize("arguments", LONG, ids=lambda words: words[0])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_is_told_nothing(arguments: list[str], unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = installed(*arguments, stdout=writing, PYTHONUNBUFFERED=unbuffered)
    os.close(writing)
    assert run == (141, "", "")


@pytest.mark.parametrize("arguments", [["metrics", "blue"], ["score", "-r", "few", "-t", "few", "-m", "bleu"]])
def test_a_reader_of_errors_that_has_gone_is_told_nothing(arguments: list[str]) -> None:
    """`2>&1 | head`: notes and errors come when nobody reads any more."""
    Path("few").write_text("the cat sat on the mat\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([INSTALLED, *arguments], stdout=subprocess.DEVNULL, stderr=writing, check=False)
    os.close(writing)
    assert done.returncode == 141


# Ctrl-C

# Runs at the start of the interpreter: whoever imports the module presses Ctrl-C.
PRESS = """
import os, signal, sys

class Presser:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["PRESS_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Presser())
"""


@pytest.mark.parametrize(
    "module", ["tertium.cli.main", "click", "tertium.core.errors", "tertium.cli.score", "tertium._kernel", "numpy"]
)
def test_ctrl_c_while_the_program_is_loaded(module: str) -> None:
    Path("sitecustomize.py").write_text(PRESS)
    paths = os.pathsep.join(filter(None, [".", os.environ.get("PYTHONPATH")]))
    run = installed(*SEGMENT_SCORES, PRESS_AT=module, PYTHONPATH=paths)
    assert (run.status, run.out, run.err.strip()) == (130, "", "tertium: stopped")


# Memory


def test_no_memory_left() -> None:
    with Path("large.en").open("wb") as file:
        file.truncate(1 << 32)  # a file of holes takes no room

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))

    run = installed("score", "-r", "large.en", "-t", "a.en", "-m", "bleu", before=limit)
    assert (run.status, run.out) == (2, "")
    assert run.err == (
        "tertium: large.en: 4295.0 MB, for which there is no memory; "
        "plain text in a file can be read where it lies (--mmap)\n"
    )


@pytest.mark.parametrize(("device", "at_once"), [("/dev/zero", True), ("/dev/zero", False), ("/dev/urandom", True)])
def test_devices_without_an_end(device: str, at_once: bool) -> None:
    """By name, and as standard input; the limit is far above what is read of them, far below what would be."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        os.dup2(os.open(device, os.O_RDONLY), 0)

    run = installed("score", "-r", "a.en", "-t", device if at_once else "-", "-m", "bleu", before=limit)
    name = device if at_once else "standard input"
    assert run == (2, "", f"tertium: {name}: a device that gives more than 16.0 MB; name a file\n")


def test_an_empty_device_is_an_empty_file(tertium: Command) -> None:
    run = tertium("score", "-r", "/dev/null", "-t", "/dev/null", "-m", "bleu", "--score-only")
    assert "device" not in run.err


def test_a_pipe_without_lines() -> None:
    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        handle = endless.stdout.fileno()
        run = installed("score", "-r", "a.en", "-m", "bleu", before=lambda: (os.dup2(handle, 0), None)[1])
        endless.kill()
    assert run == (2, "", "tertium: standard input: no line ends within 64 MB; is it text, and has it an end?\n")


def test_a_closed_standard_input() -> None:
    run = installed("score", "-r", "a.en", "-t", "-", "-m", "bleu", before=lambda: os.close(0))
    assert run == (2, "", "tertium: standard input is closed; name a file, or pipe one into it\n")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        ImportError("libx.so: failed to map segment from shared object"),
    ],
)
def test_no_memory_left_anywhere(tertium: Command, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("tertium.cli.score.add_metrics", exhausted)
    run = tertium("score", "-r", "a.en", "-t", "a.en")
    assert (run.status, run.out) == (2, "")
    assert run.err == (
        "tertium: out of memory: the texts do not fit into what this computer, or a limit on this process, allows; "
        "score fewer systems or smaller files at a time\n"
    )
