"""Sums that grow, block by block and shard by shard, and what is known of the texts behind them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.stats import Stats
from tertium.io.checkpoint import FinishedShard, Key
from tertium.io.type_files import TypeFiles

if TYPE_CHECKING:
    from tertium.core.stats import Array


IN_MEMORY = 1_000_000  # word types of a system's sums; more of them lie in files


class BlockCounts(NamedTuple):
    """What a block came to."""

    rows: int
    share: float  # how much of the shard is read
    references: tuple[int, int]
    texts: Mapping[str, Sequence[tuple[bytes, bytes]]]  # places and lengths, and texts, to be hashed in order
    sums: Mapping[Key, Stats]
    drawn: Mapping[Key, Array]
    made: Any = None  # of the block, by a RowUse


def hashable(lines: Lines) -> tuple[bytes, bytes]:
    """The lengths of lines (-1: missing), and their texts."""
    return bytes(_kernel.line_lengths(lines.view)), _kernel.gather(lines.view, 0, len(lines))


class GrowingSums:
    """Sums that grow. Those of word types are joined as soon as there are two of a size, because each join reads all
    types, and go into files where they are too many; others wait and are added at once, so that they are rounded
    once."""

    def __init__(self) -> None:
        self.parts: dict[Key, list[Stats]] = {}
        self.drawn: dict[Key, Array] = {}  # each (trials, k)
        self.files: dict[Key, TypeFiles] = {}

    def add(self, sums: Mapping[Key, Stats], drawn: Mapping[Key, Array]) -> None:
        """The sums of rows that follow."""
        for key, stats in sums.items():
            parts = self.parts.setdefault(key, [])
            parts.append(stats)
            while stats.by_name and len(parts) > 1 and parts[-2].width <= 2 * parts[-1].width and not _many(parts[-1]):
                parts[-2:] = [Stats.concat(parts[-2:])]
            if _many(parts[0]) or _many(parts[-1]):
                self._file(key)
        for key, resampled in drawn.items():
            self.drawn[key] = self.drawn[key] + resampled if key in self.drawn else resampled

    def _file(self, key: Key) -> None:
        """What waits goes into files."""
        for stats in self.parts[key]:
            self.files.setdefault(key, TypeFiles()).add(stats)
        self.parts[key] = []

    def sums(self) -> dict[Key, Stats]:
        """The sums of all rows."""
        for key in self.files:
            self._file(key)
        return {
            key: self.files[key].sums() if key in self.files else Stats.concat(parts)
            for key, parts in self.parts.items()
        }


def _many(stats: Stats) -> bool:
    """Whether these are sums of more types than are kept in memory."""
    return stats.by_name and stats.types is not None and len(stats.types) > IN_MEMORY


class GrowingShard:
    """A shard of which some blocks are counted."""

    def __init__(self) -> None:
        self.totals, self.rows = GrowingSums(), 0
        self.fewest: int | None = None
        self.most = 0
        self.hashes: dict[str, list[tuple[Any, Any]]] = {}  # of each stream: places and lengths; texts

    def add(self, counts: BlockCounts) -> None:
        """The next block."""
        self.totals.add(counts.sums, counts.drawn)
        low, high = counts.references
        self.fewest, self.most = low if self.fewest is None else min(self.fewest, low), max(self.most, high)
        for name, streams in counts.texts.items():
            known = self.hashes.setdefault(name, [])
            known += [(sha256(), sha256()) for _ in streams[len(known) :]]
            for (lengths, text), hashes in zip(streams, known, strict=False):
                _hash(lengths, text, self.rows, *hashes)
        self.rows += counts.rows

    def finish(self, number: int, first: int) -> FinishedShard:
        """What is kept of the shard of this number, which begins at this row."""
        digests = {
            name: sha256(b"".join(a.digest() + b.digest() for a, b in streams)).hexdigest()
            for name, streams in self.hashes.items()
        }
        sums, drawn = self.totals.sums(), self.totals.drawn
        return FinishedShard(number, first, self.rows, self.fewest, self.most, digests, sums, drawn)


def _hash(lengths: bytes, text: bytes, first: int, places: Any, texts: Any) -> None:
    """Add lines to the hashes of a stream, which are the same for any blocks: where a stream has a line, how long it
    is, and its text. Blocks in which nobody has a second reference have no second stream."""
    import numpy as np

    sizes = np.frombuffer(lengths, dtype=np.int64)
    there = np.flatnonzero(sizes >= 0)
    places.update(np.stack([there + first, sizes[there]], axis=1).tobytes())
    texts.update(text)


class Corpus:
    """All shards that are finished."""

    def __init__(self) -> None:
        self.totals, self.rows, self.shards = GrowingSums(), 0, 0
        self.references = (sys.maxsize, 0)
        self.digests: dict[str, Any] = {}  # of the shards' digests
        self.skipped: list[str] = []

    def add(self, shard: FinishedShard) -> None:
        """The next shard; one without rows adds nothing."""
        if not shard.rows:
            return
        self.totals.add({key: stats.with_header(None) for key, stats in shard.sums.items()}, shard.drawn)
        self.rows, self.shards = self.rows + shard.rows, self.shards + 1
        low, high = self.references
        self.references = min(low, shard.fewest or 0), max(high, shard.most)
        for name, digest in shard.digests.items():
            self.digests.setdefault(name, sha256()).update(digest.encode())
