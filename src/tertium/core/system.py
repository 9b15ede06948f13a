"""System: the outputs of one translation system, one for every segment of a test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.testset import TestSet
from tertium.core.wording import counted


@dataclass(frozen=True, eq=False, kw_only=True)
class System:
    """A name, its outputs, where they came from, and which run where one system has several."""

    name: str
    outputs: Lines
    origin: str | None = None
    run: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.outputs, Lines):
            raise InputError(f"system {self.name}: outputs must be Lines, which Lines.of() makes")


def find_system(systems: Sequence[System], name: str) -> System:
    """The system of that name."""
    known = {system.name: system for system in systems}
    if name not in known:
        raise OptionError(f"there is no system {name!r}; systems: {', '.join(known)}")
    return known[name]


def check_lengths(system: System, testset: TestSet) -> None:
    """Refuse a system that does not have one output per segment."""
    got, expected = len(system.outputs), len(testset)
    if got == expected:
        return
    where = system.origin or f"system {system.name}"
    hint = ""
    if got < expected:
        if testset.documents is not None:
            hint = f" (first missing in document {testset.documents[got]})"
        hint += ". Did the decoder drop empty lines?"
    else:
        hint = ". Did a line break inside a segment split it in two?"
    raise InputError(
        f"{where}: {counted(got, 'line')}, but test set {testset.name} has {counted(expected, 'segment')}{hint}"
    )
