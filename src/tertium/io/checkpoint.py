"""A folder in which a long run keeps what it has finished: a file for each shard, written whole or not at all.

run.json            what is asked: metrics, systems, draws, the version of tertium. Another question is refused.
shard-000017.npz    what the shard is (about.json: names, sizes and times of change of its files, its first row, how
                    many rows, digests), its sums (as `io/stats.py` describes them; word types, of which there may be
                    millions, as texts and lengths) and the sums of its draws
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.core.lines import unpack
from tertium.core.stats import Stats
from tertium.core.type_stats import TypeColumns
from tertium.io.files import write_atomically
from tertium.io.shards import Shard

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.io.archive import Archive

Key = tuple[str, str]  # a system, and the text of a metric
RUN = "run.json"


@dataclass
class FinishedShard:
    """All that is kept of a shard."""

    number: int
    first: int  # the number of its first row in the whole corpus
    rows: int = 0
    fewest: int | None = None  # references of a segment
    most: int = 0
    digests: dict[str, str] = field(default_factory=dict)  # of references and sources
    sums: dict[Key, Stats] = field(default_factory=dict)
    drawn: dict[Key, Array] = field(default_factory=dict)  # sums of resamples # each (trials, k)


class CheckpointFolder:
    """The folder of one run. What was begun and not finished is not in it."""

    def __init__(self, folder: str, question: Mapping[str, Any]) -> None:
        if not folder:  # would be the folder that one is in
            raise InputError("the name of the checkpoint's folder is empty; name one (--checkpoint DIR)")
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            known = json.loads((self.folder / RUN).read_text(encoding="utf-8"))
        except FileNotFoundError:
            if any(self.folder.glob("shard-*.npz")):
                raise InputError(f"{folder}: shards, but no {RUN} that says what of; name another folder") from None
            with write_atomically(self.folder / RUN) as file:
                file.write(json.dumps(question, ensure_ascii=False, indent=1).encode() + b"\n")
            return
        except OSError as error:
            raise InputError(f"{folder}: cannot be used as a checkpoint ({error.strerror or error})") from None
        except ValueError as error:
            raise InputError(f"{self.folder / RUN}: damaged ({error}); name another folder") from None
        if not isinstance(known, dict):
            raise InputError(f"{self.folder / RUN}: not what a run was asked; name another folder")
        for name in dict.fromkeys([*question, *known]):
            if known.get(name) != question.get(name):
                raise InputError(
                    f"{folder} is the checkpoint of another run, with other {name} ({_said(known.get(name))}; now "
                    f"{_said(question.get(name))}); name another folder (--checkpoint)"
                )

    def _path(self, number: int) -> Path:
        return self.folder / f"shard-{number:06d}.npz"

    def load(self, shard: Shard, first: int | None) -> FinishedShard | None:
        """What is kept of a shard; None where it is not finished, or its files have been changed since, or its first
        row is not of this number, where there is one."""
        path = self._path(shard.number)
        if not path.exists():
            return None
        try:
            found, stamp = _read(path)
        except InputError:
            return None  # counted again, and written anew
        return found if stamp == shard.stamp() and first in (None, found.first) else None

    def keep(self, shard: Shard, finished: FinishedShard, stamp: Mapping[str, Any]) -> None:
        """Write down that a shard is finished; `stamp` is of the time before it was read."""
        from tertium.io.archive import array_bytes, stats_members, write_archive

        tables = [
            {
                "system": key[0],
                "metric": key[1],
                "columns": None if stats.types is not None else list(stats.columns),
                "drawn": key in finished.drawn,
            }
            for key, stats in finished.sums.items()
        ]
        about = {
            "number": finished.number,
            "read": stamp,
            "first": finished.first,
            "rows": finished.rows,
            "references": [finished.fewest, finished.most],
            "digests": finished.digests,
            "tables": tables,
        }
        members = {"about.json": json.dumps(about, ensure_ascii=True).encode()}
        for k, (key, stats) in enumerate(finished.sums.items()):
            members |= stats_members(stats, f"{k}.")
            if stats.types is not None:
                members[f"{k}.types"] = stats.types.text()
                members[f"{k}.lengths.npy"] = array_bytes(stats.types.lengths(), "<i8")
            if key in finished.drawn:
                members[f"{k}.drawn.npy"] = array_bytes(finished.drawn[key], "<f8")
        write_archive(self._path(shard.number), members)


def _said(value: Any) -> str:
    """A fact of a run, as an error says it."""
    return ", ".join(map(str, value)) if isinstance(value, list) else "none" if value is None else str(value)


def _read(path: Path) -> tuple[FinishedShard, Any]:
    from tertium.io.archive import open_archive, read_stats
    from tertium.io.stats import column_names

    with open_archive(path, "a finished shard") as archive:
        about = json.loads(archive.read("about.json"))
        fewest, most = about["references"]
        found = FinishedShard(about["number"], about["first"], about["rows"], fewest, most, about["digests"])
        for k, table in enumerate(about["tables"]):
            key = (table["system"], table["metric"])
            columns = _types(archive, k) if table["columns"] is None else column_names(table["columns"])
            found.sums[key] = read_stats(archive, columns, "sums", f"{k}.", found.rows)
            if table["drawn"]:
                found.drawn[key] = archive.read_array(f"{k}.drawn.npy", "<f8", (-1, len(columns))).copy()
        return found, about["read"]


def _types(archive: Archive, table: int) -> TypeColumns:
    """The columns of word types."""
    from tertium.io.archive import DamagedError

    lengths, text = archive.read_array(f"{table}.lengths.npy", "<i8", (-1,)), archive.read(f"{table}.types")
    if (len(lengths) and lengths.min() < 0) or lengths.sum() != len(text):
        raise DamagedError("word types do not fit their lengths")
    return TypeColumns(unpack(text, lengths.tobytes()))
