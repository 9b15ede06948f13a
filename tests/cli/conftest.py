"""The command line, for every test of a command."""

import io
import sys

import pytest

from .running import Command, Run, run


class Terminal(io.TextIOWrapper):
    """Standard input that nobody has piped anything into."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed goes into a pipe, whatever terminal the tests were started from."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def tertium(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`tertium ...`; standard input is a pipe, or a terminal."""

    def called(*arguments: str, stdin: bytes = b"", terminal: bool = False) -> Run:
        kind = Terminal if terminal else io.TextIOWrapper
        monkeypatch.setattr(sys, "stdin", kind(io.BytesIO(stdin), encoding="utf-8"))
        return Run(run(*arguments), *capsys.readouterr())

    return called
