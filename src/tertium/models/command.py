"""Any program that reads lines and writes a line for each: `command:apertium -u isl-eng`. No shell sees its text."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from tertium.core.errors import CancelledError, InputError, OptionError
from tertium.core.run import Run
from tertium.io.models import digest_of
from tertium.models.language_model import Abilities, Answer, ForcedScore, Request, check_no_beam

LINES = 200  # that a program gets at a time: answers are handed over when it has answered all of them
SECONDS = 600.0  # for these lines
SHOWN = 300  # characters of what a program said, in an error
GRACE = 5.0  # seconds for what a program that was killed has left in its pipes
POLL = 0.1  # seconds between looks at whether the work was cancelled


class CommandModel:
    """A program whose output lines are answers to its input lines.

    It is started for each batch of lines, which ends with its input; with `keep` one process answers line by line, if
    it writes out each line at once (most programs wait for more). Either way a program that gives more or fewer lines
    than it got is refused: nobody knows which answer belongs to which prompt. `identity` has the content of the program
    and of all arguments that are files.
    """

    abilities = Abilities(lines=True)

    def __init__(
        self,
        command: str,
        *,
        keep: bool = False,
        lines: int = LINES,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise OptionError(f"command:{command}: cannot be read as words ({error})") from None
        if not self._words:
            raise OptionError("command: names no program; expected command:PROGRAM ARGUMENTS")
        program = shutil.which(self._words[0])
        if program is None:
            raise InputError(
                f"command:{command}: there is no program {self._words[0]!r} here; install it, or give its path"
            )
        if lines < 1 or not seconds > 0:
            raise OptionError(f"lines and seconds must be more than 0, got {lines} and {seconds}")
        self.name = f"command:{command}"
        self.identity = f"{self.name} {_contents(program, self._words[1:])}"
        self._keep, self._lines, self._seconds, self._clock = keep, lines, seconds, clock
        self._kept: _Process | None = None

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One line for each request, in their order."""
        check_no_beam(self.name, requests)
        prompts = [self._line(request) for request in requests]
        size = 1 if self._keep else self._lines
        for start in range(0, len(prompts), size):
            batch = prompts[start : start + size]
            begun = self._clock()
            answers = self._ask_kept(batch[0], run) if self._keep else self._ask(batch, run)
            seconds = (self._clock() - begun) / len(batch)
            for done, text in enumerate(answers, start + 1):
                run.tell(f"asking {self.name}", done, len(prompts))
                yield Answer(text=text, seconds=seconds)

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:  # noqa: ARG002
        """A program that writes lines has no log-probabilities."""
        raise OptionError(
            f"{self.name}: a program gives no log-probabilities; take a GGUF file (gguf:PATH) or a Hugging "
            f"Face folder (hf:PATH)"
        )

    def close(self) -> None:
        """End the process that was kept."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.end()

    def _line(self, request: Request) -> str:
        if not isinstance(request.prompt, str):
            raise OptionError(f"{self.name}: a program reads lines, not chats; give it a text")
        if "\n" in request.prompt:
            raise OptionError(
                f"{self.name}: a prompt has a line break, and a program answers each line; use a template of one line"
            )
        return request.prompt

    def _ask(self, prompts: list[str], run: Run) -> list[str]:
        """The answers of a process that is started for these lines."""
        process = self._start()
        try:
            process.give(prompts, last=True)
            answers = list(iter(lambda: self._next(process, run), None))
            status = process.wait(self._seconds)
        finally:
            process.end()
        if status is None:
            raise self._trouble(f"has closed its output and does not end within {self._seconds:g} seconds", process)
        if status != 0:
            raise self._trouble(f"ended with status {status}", process)
        self._count(len(prompts), len(answers), process)
        return [answer for answer in answers if answer is not None]

    def _ask_kept(self, prompt: str, run: Run) -> list[str]:
        """The answer of the process that is kept."""
        process = self._kept = self._kept or self._start()
        try:
            process.check_quiet(self._trouble)
            process.give([prompt], last=False)
            answer = self._next(process, run)
            if answer is None:
                raise self._trouble("ended before it answered", process)
        except BaseException:
            self.close()  # what it writes now would be taken for the next answer
            raise
        return [answer]

    def _next(self, process: _Process, run: Run) -> str | None:
        """Its next line, None at its end; watches the time and whether the work was cancelled."""
        while True:
            try:
                line = process.lines.get(timeout=POLL)
            except queue.Empty:
                if run.cancelled is not None and run.cancelled():
                    raise CancelledError(f"cancelled while asking {self.name}") from None
                if self._clock() - process.asked > self._seconds:
                    raise self._trouble(f"has not answered within {self._seconds:g} seconds", process) from None
                continue
            if line is None:
                return None
            try:
                return line.removesuffix(b"\n").removesuffix(b"\r").decode()
            except UnicodeDecodeError:
                raise self._trouble(f"wrote {line[:40]!r}, which is not UTF-8", process) from None

    def _start(self) -> _Process:
        try:
            return _Process(self._words, self._clock)
        except OSError as error:
            raise InputError(f"{self.name}: cannot be started ({error.strerror or error})") from None

    def _count(self, expected: int, got: int, process: _Process) -> None:
        if got != expected:
            raise self._trouble(
                f"got {expected} lines and wrote {got}: a line for each is expected, also for an empty one", process
            )

    def _trouble(self, what: str, process: _Process) -> InputError:
        process.end()  # it may still have something to say
        said = process.said()
        return InputError(f"{self.name}: the program {what}" + (f"; it said: {said}" if said else ""))


class _Process:
    """A running program, its lines as they come, and the end of what it said on standard error."""

    def __init__(self, words: list[str], clock: Callable[[], float]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._clock, self._error, self._ended = clock, b"", False
        self.asked = clock()
        self._threads = [self._begin(self._read), self._begin(self._listen)]

    def give(self, prompts: list[str], *, last: bool) -> None:
        """Write lines, while others are read: a program that waits for its reader would stop."""
        self.asked = self._clock()
        data = "".join(f"{prompt}\n" for prompt in prompts).encode("utf-8", "replace")
        self._threads.append(self._begin(lambda: self._write(data, last)))

    def check_quiet(self, trouble: Callable[[str, _Process], InputError]) -> None:
        """Refuse one that has written more than was taken, or has ended."""
        with contextlib.suppress(queue.Empty):
            early = self.lines.get_nowait()
            unasked = "wrote a line that nobody asked for: expected one for each line"
            raise trouble("ended before it answered" if early is None else unasked, self)

    def wait(self, seconds: float) -> int | None:
        """Its status, if it ends in time; it has closed its output."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def said(self) -> str:
        """The last of what it said on standard error; for one that has ended."""
        text = " ".join(self._error.decode("utf-8", "replace").split())
        return text if len(text) <= SHOWN else f"...{text[-SHOWN:]}"

    def end(self) -> None:
        """Kill it, and what it started, if they still run."""
        if self._ended:
            return
        self._ended = True
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(GRACE)
        if any(thread.is_alive() for thread in self._threads):
            return  # somebody who went out of reach holds its pipes
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                _opened(stream).close()

    def _begin(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, name="program", daemon=True)
        thread.start()
        return thread

    def _write(self, data: bytes, last: bool) -> None:
        stream = _opened(self._process.stdin)
        with contextlib.suppress(OSError, ValueError):  # it has ended; its output tells
            stream.write(data)
            stream.flush()
        if last:
            with contextlib.suppress(OSError):
                stream.close()

    def _read(self) -> None:
        for line in _opened(self._process.stdout):
            self.lines.put(line)
        self.lines.put(None)

    def _listen(self) -> None:
        for line in _opened(self._process.stderr):
            self._error = (self._error + line)[-4 * SHOWN :]


def _opened(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise InputError("the program has no pipe")
    return stream


def _contents(program: str, arguments: list[str]) -> str:
    """Hashes of the program and of all arguments that are files here: another content may give other answers."""
    files = [program, *(argument for argument in arguments if _is_file(argument))]
    return " ".join(f"{Path(file).name}@{digest_of(file)}" for file in files)


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):
        return False
