"""Shards: a corpus in many files. Patterns and folders name them; the first files of all sides are the first shard."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.wording import counted
from tertium.io.blocks import Blocks, read_blocks
from tertium.io.columns import Streams, extension, is_table
from tertium.io.globs import ANY_DEPTH, MARKS, Globs
from tertium.io.texts import Spec, mark_missing, split_spec

NAMES = 10_000_000  # names that patterns may look at: a corpus may have many files


def names_shards(spec: str) -> bool:
    """Whether a spec is a pattern or a folder and not one file."""
    path = split_pattern(spec).path
    return not Path(path).is_file() and (any(mark in path for mark in MARKS) or Path(path).is_dir())


def split_pattern(spec: str) -> Spec:
    """`PATTERN:COLUMN` or `FOLDER:COLUMN` -> (pattern or folder, column)."""
    if Path(spec).exists():
        return Spec(spec)
    path, _, column = spec.rpartition(":")
    marked = any(mark in path for mark in MARKS)
    if path and (Path(path).is_dir() or (marked and (is_table(path) or path[-1] in "*/"))):
        return Spec(path, column)
    return split_spec(spec)


def files_of(spec: str) -> tuple[list[str], str | None]:
    """The files that a pattern, a folder or a file's name stands for, sorted, and the column. In folders, at any depth,
    names that begin with `.` or `_` are left out, as Arrow datasets do."""
    path, column = split_pattern(spec)
    if Path(path).is_file():
        return [path], column
    if Path(path).is_dir():
        found = Globs(path, NAMES).find(ANY_DEPTH, broken=True)
        files = [file for file in found if not _hidden(os.path.relpath(file, path))]
        kinds = sorted({extension(file) for file in files})
        if len(kinds) > 1:
            raise InputError(
                f"{path}: files of several kinds ({', '.join(kind or 'no extension' for kind in kinds)}); "
                f"name those that are meant, such as {Path(path) / ('*' + kinds[-1])}"
            )
    else:
        files = Globs(".", NAMES).find(path, broken=True)
        files = [os.path.relpath(file, ".") for file in files] if not Path(path).is_absolute() else files
    if not files:
        marked = any(mark in path for mark in MARKS)
        raise InputError(f"{path}: {'no file fits this pattern' if marked else 'no such file, or none in the folder'}")
    return files, column


def _hidden(path: str) -> bool:
    return any(name.startswith(("_", ".")) for name in Path(path).parts)


class ShardBlock(NamedTuple):
    """Some rows of a shard."""

    sources: Lines | None
    references: tuple[Lines, ...]  # streams; as many as these rows need
    outputs: tuple[Lines, ...]  # of each system
    share: float = 0.0  # how much of the shard is read with it; 0: nobody knows
    whole: Any = None  # the rows with all that is in them, for who writes them again (io.rows)

    def __len__(self) -> int:
        return len(self.outputs[0])


Side = tuple[str, int]  # "source", "reference" or "output", and which of them


@dataclass(frozen=True)
class Shard:
    """Files whose rows belong together: one for each side, or one table with a column for each."""

    number: int  # from 0
    sides: tuple[tuple[Side, Spec], ...]
    missing: str | None = None

    @property
    def name(self) -> str:
        """The file of the first system's outputs."""
        return next(spec.path for (kind, _), spec in self.sides if kind == "output")

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, each once."""
        return tuple(dict.fromkeys(spec.path for _, spec in self.sides))

    def size(self) -> int:
        """Bytes of all files; of one that is not there, none."""
        return sum(Path(path).stat().st_size if Path(path).is_file() else 0 for path in self.paths)

    def stamp(self) -> dict[str, Any]:
        """What is read of it, and what tells whether a file has been changed: its name, size and time of change."""
        about = [(path, Path(path).stat()) for path in self.paths if Path(path).exists()]
        return {
            "sides": [[*side, *spec] for side, spec in self.sides],
            "missing": self.missing,
            "files": [[path, facts.st_size, facts.st_mtime_ns] for path, facts in about],
        }

    def blocks(self) -> Iterator[ShardBlock]:
        """Its rows, block by block. Refuses files of different lengths, when the shorter one ends."""
        by_file: dict[str, list[tuple[Side, str | None]]] = {}
        for side, spec in self.sides:
            by_file.setdefault(spec.path, []).append((side, spec.column))
        readers = [
            _Reader(path, [side for side, _ in own], read_blocks(path, [column for _, column in own]))
            for path, own in by_file.items()
        ]
        while True:
            rows = [reader.ready() for reader in readers]
            if min(rows) == 0:
                _check_ends(readers, rows)
                return
            texts = {side: streams for reader in readers for side, streams in reader.take(min(rows))}
            yield self._block(texts, min(reader.share for reader in readers))

    def _block(self, texts: dict[Side, Streams], share: float, whole: Any = None) -> ShardBlock:
        if self.missing is not None:
            mark = self.missing
            texts = {side: tuple(mark_missing(lines, mark) for lines in streams) for side, streams in texts.items()}
        for (kind, number), streams in texts.items():
            if kind != "reference" and len(streams) > 1:
                spec = dict(self.sides)[kind, number]
                raise InputError(f"{spec}: lists of up to {len(streams)} texts; expected one text per segment")
        references = tuple(lines for (kind, _), streams in texts.items() if kind == "reference" for lines in streams)
        outputs = tuple(streams[0] for (kind, _), streams in texts.items() if kind == "output")
        source = texts.get(("source", 0))
        return ShardBlock(None if source is None else source[0], references, outputs, share, whole)


class _Reader:
    """A file that is read ahead by at most a block."""

    def __init__(self, path: str, sides: Sequence[Side], blocks: Blocks) -> None:
        self.path, self.sides, self.blocks = path, sides, blocks
        self.held: tuple[Streams, ...] = ()
        self.rows = self.given = 0
        self.share = 0.0

    def ready(self) -> int:
        """How many rows are at hand; none at the end of the file."""
        while self.rows == 0:
            block = next(self.blocks, None)
            if block is None:
                return 0
            self.share, self.held = block
            self.rows = len(self.held[0][0])
        return self.rows

    def take(self, count: int) -> list[tuple[Side, Streams]]:
        """So many of the rows at hand."""
        taken = self.held
        if count < self.rows:
            taken = tuple(tuple(lines[:count] for lines in streams) for streams in self.held)
            self.held = tuple(tuple(lines[count:] for lines in streams) for streams in self.held)
        self.rows -= count
        self.given += count
        return list(zip(self.sides, taken, strict=True))


def _check_ends(readers: Sequence[_Reader], rows: Sequence[int]) -> None:
    """Refuse a file that goes on where another has ended."""
    for reader, left in zip(readers, rows, strict=True):
        if left:
            ended = next(other for other, none in zip(readers, rows, strict=True) if not none)
            raise InputError(
                f"{ended.path}: {counted(ended.given, 'row')}, but {reader.path} has more; files of a shard must have "
                f"one row for each segment"
            )


def find_shards(
    source: str | None, references: Sequence[str], outputs: Sequence[str], missing: str | None = None
) -> list[Shard]:
    """The shards that specs of all sides name, in the order of the files' names."""
    sides: list[tuple[Side, str]] = [] if source is None else [(("source", 0), source)]
    sides += [(("reference", k), spec) for k, spec in enumerate(references)]
    sides += [(("output", k), spec) for k, spec in enumerate(outputs)]
    expand = _once(files_of)
    lists = [(side, spec, *expand(spec)) for side, spec in sides]
    first = lists[-1]
    for _, spec, files, _ in lists:
        _check_pairs(first[1], first[2], spec, files)
    _check_doubles(lists)
    return [
        Shard(k, tuple((side, Spec(files[k], column)) for side, _, files, column in lists), missing)
        for k in range(len(first[2]))
    ]


def _once(expand: Callable[[str], tuple[list[str], str | None]]) -> Callable[[str], tuple[list[str], str | None]]:
    """Patterns that differ only in the column are looked up once: files may be written meanwhile."""
    known: dict[str, list[str]] = {}

    def find(spec: str) -> tuple[list[str], str | None]:
        path, column = split_pattern(spec)
        if path not in known:
            known[path] = expand(path)[0]
        return known[path], column

    return find


def _check_pairs(one: str, files: Sequence[str], other: str, others: Sequence[str]) -> None:
    """Refuse files that do not stand beside each other: their names, without what all have in common, must be alike."""
    if list(files) == list(others) or len(files) == 1 == len(others):
        return
    for k, (mine, its) in enumerate(zip_longest(_middles(files), _middles(others))):
        if mine != its:
            beside = [names[k] if k < len(names) else "nothing" for names in (files, others)]
            raise InputError(
                f"{one} names {counted(len(files), 'file')} and {other} {len(others)}, which do not match: "
                f"{beside[0]} would stand beside {beside[1]}; is a shard missing?"
            )


def _middles(files: Sequence[str]) -> list[str]:
    """Names without the beginning and the end that all have in common."""
    before = _common(files)
    rest = [name[before:] for name in files]
    after = _common([name[::-1] for name in rest])
    return [name[: len(name) - after] for name in rest]


def _common(names: Sequence[str]) -> int:
    """How many letters several names have in common at their beginning."""
    low, high = min(names), max(names)
    return next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low)) if low != high else 0


def _check_doubles(lists: Sequence[tuple[Side, str, list[str], str | None]]) -> None:
    """Refuse one file under two names (a link) on one side: its rows would count twice."""
    for _, spec, files, _ in lists:
        seen: dict[tuple[int, int], str] = {}
        for file in files:
            if not Path(file).exists():
                continue
            about = Path(file).stat()
            other = seen.setdefault((about.st_dev, about.st_ino), file)
            if other != file:
                raise InputError(f"{spec}: {other} and {file} are one file, which would count twice; leave one out")
