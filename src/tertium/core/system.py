"""System: what one translator said about every segment of a test set."""

from __future__ import annotations

from dataclasses import dataclass

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.shown import counted
from tertium.core.testset import TestSet


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


def check_lengths(system: System, testset: TestSet) -> None:
    """Refuse a system that does not say one thing per segment."""
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
