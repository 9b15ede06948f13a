"""How far the reading of shards is."""

from __future__ import annotations

from collections.abc import Mapping

from tertium.core.run import Run
from tertium.io.shards import Shard

STAGE = "counting segments"


class Pace:
    """How far the work is. How many rows there will be is reckoned from the bytes that are read."""

    def __init__(self, run: Run, sizes: Mapping[int, int]) -> None:
        self.run, self.sizes, self.size = run, sizes, sum(sizes.values())
        self.rows = self.bytes = self.inside = 0

    def tell(self, shard: Shard, rows: int, share: float) -> None:
        """Some rows more of a shard, of which such a share is read; 0: nobody knows."""
        self.inside += rows
        now, read = self.rows + self.inside, share * self.sizes[shard.number]
        known, size = (now, self.bytes + read) if read else (self.rows, float(self.bytes))
        self.run.tell(STAGE, now, max(now, int(known * self.size / size) if size else now))

    def end(self, shard: Shard, rows: int) -> None:
        """The end of a shard; so many rows are done."""
        self.rows, self.bytes, self.inside = rows, self.bytes + self.sizes[shard.number], 0
        self.tell(shard, 0, 0)
