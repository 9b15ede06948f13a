"""Shards that are tables, each of which is written again: what is read of them, and where they go."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.io.columns import Streams
from tertium.io.rows import kind_of, read_rows
from tertium.io.shards import Shard, ShardBlock, Side, files_of
from tertium.io.texts import Spec, column_of


@dataclass(frozen=True)
class TableShard(Shard):
    """A table with a column for each side. It counts as read when what was made of it is written."""

    target: str = ""
    several: bool = False  # of them go to one folder
    besides: tuple[str, ...] = ()  # columns that conditions name

    def stamp(self) -> dict[str, Any]:
        """What it is, and what was made of it."""
        return {**super().stamp(), **self.written()}

    def written(self) -> dict[str, Any]:
        """What tells whether the file that was written is still there as it was."""
        if not Path(self.target).is_file():
            return {"written": None}
        facts = Path(self.target).stat()
        return {"written": [self.target, facts.st_size, facts.st_mtime_ns]}

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read as more than what is written again."""
        return tuple(dict.fromkeys([*(spec.column or "" for _, spec in self.sides), *self.besides]))

    def blocks(self) -> Iterator[ShardBlock]:
        """Its rows, block by block."""
        seen: dict[str, None] = {}
        for share, rows in read_rows(self.name):
            seen.update(dict.fromkeys(rows.names))
            texts: dict[Side, Streams] = {}
            for side, spec in self.sides:
                # A JSON line may lack a key that the next one has.
                present = spec.column in rows.names or kind_of(self.name) != ".jsonl"
                count = len(next(iter(texts.values()))[0]) if texts else len(getattr(rows, "rows", ()))
                texts[side] = rows.streams(spec.column or "") if present else (Lines.of([None] * count),)
            yield self._block(texts, share, rows)
        if seen:
            for name in self.columns:
                column_of(tuple(seen), self.name, name)


def find_tables(
    inputs: Sequence[str],
    output: str,
    sides: Sequence[tuple[Side, str]],
    missing: str | None = None,
) -> list[TableShard]:
    """The tables that files, patterns and folders name, and where each is written: one file to one, several to a folder
    in which they have the same names."""
    if not inputs:
        raise OptionError("nothing to read; name a table: Parquet, JSON lines or TSV")
    files: list[str] = []
    for name in inputs:
        found, column = files_of(name)
        if column is not None:
            raise OptionError(f"{name}: name the file alone; columns have options of their own (--hyp-column {column})")
        files += found
    targets, several = _targets(inputs, files, output)
    for file, target in zip(files, targets, strict=True):
        _check_pair(file, target)
    return [
        TableShard(k, tuple((side, Spec(file, column)) for side, column in sides), missing, target, several)
        for k, (file, target) in enumerate(zip(files, targets, strict=True))
    ]


def _targets(inputs: Sequence[str], files: Sequence[str], output: str) -> tuple[list[str], bool]:
    if len(inputs) == 1 and Path(inputs[0]).is_file():
        if Path(output).is_dir() or output.endswith("/"):
            raise InputError(f"{output} is a folder; name a file, such as {Path(output) / Path(files[0]).name}")
        return [output], False
    if Path(output).exists() and not Path(output).is_dir():
        raise InputError(f"{output} is a file; several tables go to a folder")
    real = [os.path.realpath(file) for file in files]
    twice = next((file for file, name in zip(files, real, strict=True) if real.count(name) > 1), None) \
        if len(set(real)) < len(real) else None  # fmt: skip
    if twice is not None:
        raise InputError(f"{twice} is named twice, and would be written twice; name it once")
    inside = os.path.realpath(output) + os.sep
    if any(name.startswith(inside) for name in real):
        raise InputError(f"{output}: tables that are read lie in it; name another folder to write to")
    above = os.path.realpath(inputs[0]) if len(inputs) == 1 and Path(inputs[0]).is_dir() else None
    above = above or os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])  # noqa: PTH100, PTH120
    return [str(Path(output) / os.path.relpath(os.path.abspath(file), above)) for file in files], True  # noqa: PTH100


def _check_pair(file: str, target: str) -> None:
    kinds = kind_of(file), kind_of(target)
    if kinds[0] != kinds[1]:
        raise InputError(
            f"{target}: rows of {file} are written as they were read, as {kinds[0]}; name a file of that kind"
        )
    if os.path.realpath(file) == os.path.realpath(target):
        raise InputError(f"{target} is the file that is read; write to another one")
