"""Programs that write a line for each line: run without a shell, checked, and ended."""

import os
import select
import shlex
import sys
from pathlib import Path

import pytest

from tertium.core.errors import CancelledError, InputError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.models.command import CommandModel
from tertium.models.language_model import Request
from tertium.models.open import open_model

CAPITALS = "import sys\nfor line in sys.stdin: print(line.rstrip('\\n').upper(), flush=True)\n"
EACH = "a line for each is expected, also for an empty one"
NO_PROGRAM = "here; install it, or give its path"
PATIENCE = 600  # seconds; nothing depends on it


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def program(folder: Path, code: str, *arguments: str) -> str:
    """The command that runs some Python."""
    path = folder / "program.py"
    path.write_text(code)
    return shlex.join([sys.executable, "-X", "utf8", str(path), *arguments])


def said(model: CommandModel, *prompts: str, run: Run = PLAIN) -> list[str]:
    return [answer.text for answer in model.complete([Request(prompt=prompt) for prompt in prompts], run)]


@pytest.mark.parametrize("keep", [False, True])
def test_a_line_for_each_line(folder: Path, keep: bool) -> None:
    model = CommandModel(program(folder, CAPITALS), keep=keep)
    lines = ["eins", "", "zwei\u2028drei", "vier\x85\x0b", "\u00e4"]
    assert said(model, *lines) == [line.upper() for line in lines]
    assert said(model, "again") == ["AGAIN"]
    model.close()
    model.close()


def test_many_long_lines_do_not_stop_it(folder: Path) -> None:
    """More than a pipe holds, both ways."""
    lines = [f"{k} " + "x" * 9000 for k in range(50)]
    assert said(CommandModel(program(folder, CAPITALS)), *lines) == [line.upper() for line in lines]


def test_it_is_started_for_each_batch_or_once(folder: Path) -> None:
    code = "import os, sys\nfor line in sys.stdin: print(os.getpid(), flush=True)\n"
    command = program(folder, code)
    batches = said(CommandModel(command, lines=2), *"abcde")
    assert [batches.count(text) for text in dict.fromkeys(batches)] == [2, 2, 1]
    kept = CommandModel(command, keep=True)
    assert len(set(said(kept, *"abc") + said(kept, "d"))) == 1
    kept.close()


def test_no_shell_sees_its_words(folder: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print(sys.argv[1:])\n"
    words = ["$HOME", "; touch gone", "a b", "*", "`id`", "| cat"]
    [text] = said(CommandModel(program(folder, code, *words)), "x")
    assert text == str(words)
    assert not Path("gone").exists()


def test_it_is_known_by_its_content(folder: Path) -> None:
    command = program(folder, CAPITALS)
    first = CommandModel(command).identity
    assert CommandModel(command).identity == first
    (folder / "program.py").write_text(CAPITALS + "# changed\n")
    assert CommandModel(command).identity != first
    assert CommandModel(f"{command} -x").identity != CommandModel(command).identity


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys\nprint(*sys.stdin.read().split(), sep='\\n')", f"got 3 lines and wrote 2: {EACH}"),
        ("import sys\nfor line in sys.stdin: print(1); print(2)", f"got 3 lines and wrote 6: {EACH}"),
        ("import sys\nsys.exit('no such pair: isl-eng')", "ended with status 1; it said: no such pair: isl-eng"),
        ("import sys\nfor line in sys.stdin: sys.stdout.buffer.write(b'\\xff\\n')",
         "wrote b'\\xff\\n', which is not UTF-8"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", "ended with status -15"),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_a_sentence(folder: Path, code: str, expected: str) -> None:
    command = program(folder, code)
    with pytest.raises(InputError) as caught:
        said(CommandModel(command), "a", "", "b")
    assert str(caught.value) == f"command:{command}: the program {expected}"


def test_a_program_that_closes_its_output_and_stays(folder: Path) -> None:
    witness = Witness(folder)
    code = f"import os, sys\n{CAPITALS}os.close(1)\nos.open(sys.argv[1], os.O_WRONLY)\nsignal.pause()\n"
    model = CommandModel(program(folder, f"import signal\n{code}", str(witness.path)), seconds=0.05)
    with pytest.raises(InputError, match=r"has (closed its output and does not end|not answered) within 0\.05 seconds"):
        said(model, "a")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", "ended before it answered"),
        ("import sys\nsys.exit('no model')", "ended before it answered; it said: no model"),
    ],
)
def test_a_kept_program_that_ends(folder: Path, code: str, expected: str) -> None:
    command = program(folder, code)
    with pytest.raises(InputError) as caught:
        said(CommandModel(command, keep=True), "a")
    assert str(caught.value).partition(": the program ")[2] == expected


def test_a_kept_program_that_says_too_much(folder: Path) -> None:
    code = "import os, sys\nfor line in sys.stdin: os.write(1, b'1\\n2\\n')\n"
    model = CommandModel(program(folder, code), keep=True)
    assert said(model, "a") == ["1"]
    lines = model._kept.lines  # type: ignore[union-attr]
    lines.put(lines.get(timeout=PATIENCE))
    with pytest.raises(InputError, match="wrote a line that nobody asked for: expected one for each line"):
        said(model, "b")
    assert model._kept is None


CHILD = "import os, sys; pipe = os.open(sys.argv[1], os.O_WRONLY); os.write(pipe, b'.'); sys.stdin.read()"
HANGS = f"""
import subprocess, sys
print("loading", file=sys.stderr, flush=True)
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}, sys.argv[1]], stdin=subprocess.PIPE)
child.wait()
"""


class Witness:
    """The other end of a pipe that a program's child holds open as long as it lives."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "alive"
        os.mkfifo(self.path)
        self._end = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self._end, True)

    def wait_for_beginning(self) -> None:
        found, _, _ = select.select([self._end], [], [], PATIENCE)
        assert found
        assert os.read(self._end, 1) == b"."

    def wait_for_end(self) -> None:
        """Return when nobody has the pipe any more."""
        found, _, _ = select.select([self._end], [], [], PATIENCE)
        assert found
        assert os.read(self._end, 1) == b""
        os.close(self._end)


@pytest.mark.parametrize("keep", [False, True])
def test_a_program_that_hangs_is_killed_with_its_children(folder: Path, keep: bool) -> None:
    witness, now = Witness(folder), [0.0]
    command = program(folder, HANGS, str(witness.path))

    def time_goes_by() -> bool:
        if now[0] == 0:
            witness.wait_for_beginning()
        now[0] = 61.0
        return False

    with pytest.raises(InputError, match=r"the program has not answered within 60 seconds; it said: loading$"):
        said(CommandModel(command, keep=keep, seconds=60, clock=lambda: now[0]), "a", run=Run(cancelled=time_goes_by))
    witness.wait_for_end()


@pytest.mark.parametrize("keep", [False, True])
def test_cancelled_work_kills_the_program(folder: Path, keep: bool) -> None:
    witness = Witness(folder)
    model = CommandModel(program(folder, HANGS, str(witness.path)), keep=keep)

    def cancelled() -> bool:
        witness.wait_for_beginning()
        return True

    with pytest.raises(CancelledError):
        said(model, "a", run=Run(cancelled=cancelled))
    witness.wait_for_end()


def test_closing_ends_a_kept_program(folder: Path) -> None:
    witness = Witness(folder)
    code = "import os, sys\npipe = os.open(sys.argv[1], os.O_WRONLY)\nos.write(pipe, b'.')\n" + CAPITALS
    model = CommandModel(program(folder, code, str(witness.path)), keep=True)
    assert said(model, "a") == ["A"]
    witness.wait_for_beginning()
    model.close()
    witness.wait_for_end()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("command:nowhere -u", f"command:nowhere -u: there is no program 'nowhere' {NO_PROGRAM}"),
        ("command:'open", "command:'open: cannot be read as words (No closing quotation)"),
        ("command:''", "command:'': there is no program '' here; install it, or give its path"),
    ],
)  # fmt: skip
def test_commands_that_name_no_program(text: str, expected: str) -> None:
    with pytest.raises((InputError, OptionError)) as caught:
        open_model(text)
    assert str(caught.value) == expected


def test_what_a_program_cannot_do(folder: Path) -> None:
    model = open_model(f"command:{program(folder, CAPITALS)}")
    assert (model.abilities.forcing, model.abilities.chats, model.abilities.samples) == ("none", False, False)
    with pytest.raises(OptionError, match="a prompt has a line break, and a program answers each line"):
        list(model.complete([Request(prompt="a\nb")], PLAIN))
    with pytest.raises(OptionError, match="a program reads lines, not chats"):
        list(model.complete([Request(prompt=(("user", "a"),))], PLAIN))
    with pytest.raises(OptionError, match="a program gives no log-probabilities"):
        list(model.force([("a", "b")], PLAIN))


def test_a_program_that_cannot_be_started(folder: Path) -> None:
    path = folder / "broken"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    with pytest.raises(InputError, match=r"cannot be started \(No such file or directory\)$"):
        said(CommandModel(str(path)), "a")
    with pytest.raises(OptionError, match="lines and seconds must be more than 0"):
        CommandModel(str(path), lines=0)
