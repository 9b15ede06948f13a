"""What models have worked out, by content, in one SQLite file that any number of processes use at once.

Keys are digests of everything that a value depends on, so that nothing in the file ever becomes wrong: it may be kept
for ever, shared, or deleted. What goes wrong with the file or its disk never stops the work that wanted to use it. Why
it is no `Store`: docs/design/2026-11-18-model-cache.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from tertium.core.errors import InputError

FILE = "models.sqlite"
VERSION = 1  # of the file: another one is left alone
LIMIT = 2_000_000_000  # bytes
SPARE = 10  # once it is full, one in so many bytes is given up, so that it is not full again at once
BUSY = 10  # seconds to wait for another process that is just writing
ASKED = 500  # keys in one query
JOURNAL = 64_000_000  # bytes of the write-ahead log that are kept when it is empty

SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_use ON entries (used);
"""
# Entries from the one that was not used for the longest time on, up to so many bytes.
OLDEST = """
DELETE FROM entries WHERE rowid IN (
    SELECT rowid FROM (SELECT rowid, SUM(LENGTH(value) + 100) OVER (ORDER BY used, rowid) AS bytes FROM entries)
    WHERE bytes <= ?
)
"""


class CacheFacts(NamedTuple):
    """What is in a cache."""

    path: Path
    entries: int
    size: int  # bytes on the disk


class ModelCache:
    """Values by key. `note` is told, once, in a sentence, why nothing is kept any more; then there is nothing in it.

    Every use has a number of its own, which its entries get: where there is no room, those of the lowest number go
    first. No clock is asked.
    """

    def __init__(self, folder: str | Path, note: Callable[[str], None], limit: int = LIMIT) -> None:
        self.path, self._note, self.limit = Path(folder) / FILE, note, limit
        self._connection: sqlite3.Connection | None = None
        with self._sentences():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._connection = _open(self.path)
            [[self._use]] = self._connection.execute("SELECT COALESCE(MAX(used), 0) + 1 FROM entries").fetchall()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that are there."""
        found: dict[bytes, bytes] = {}
        with self._sentences():
            for first in range(0, len(keys), ASKED):
                found.update(self._find(keys[first : first + ASKED]))
        return found

    def _find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        if self._connection is None:
            return {}
        marks = ", ".join("?" * len(keys))
        query = f"SELECT key, value, used FROM entries WHERE key IN ({marks})"
        rows = self._connection.execute(query, keys).fetchall()
        if stale := [(self._use, key) for key, _, used in rows if used < self._use]:
            with _transaction(self._connection):
                self._connection.executemany("UPDATE entries SET used = ? WHERE key = ?", stale)
        return {key: value for key, value, _ in rows}

    def keep(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep values: all or none of these, from now on, whatever becomes of this process."""
        with self._sentences():
            if self._connection is not None and entries:
                rows = [(key, value, self._use) for key, value in entries.items()]
                with _transaction(self._connection):
                    self._connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
                    self._make_room(self._connection)

    def _make_room(self, connection: sqlite3.Connection) -> None:
        if (surplus := _size(connection) - self.limit) > 0:
            connection.execute(OLDEST, (surplus + self.limit // SPARE,))

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self.close()
            self._note(f"{self.path}: {_reason(error)}; scores are worked out all the same, but no longer kept")


def cache_facts(folder: str | Path) -> CacheFacts:
    """How much is in the cache of a folder."""
    path = Path(folder) / FILE
    if not path.exists():
        return CacheFacts(path, 0, 0)
    try:
        with closing(_open(path)) as connection:
            [[entries]] = connection.execute("SELECT COUNT(*) FROM entries").fetchall()
            return CacheFacts(path, entries, _size(connection) if entries else 0)
    except (sqlite3.Error, OSError) as error:
        raise InputError(f"{path}: {_reason(error)}") from None


def clear_cache(folder: str | Path) -> None:
    """Empty the cache of a folder, whoever else is using it; one that cannot be read is deleted."""
    path = Path(folder) / FILE
    try:
        if path.exists():
            try:
                with closing(_open(path)) as connection:
                    connection.execute("DELETE FROM entries")
                    connection.execute("VACUUM")
            except sqlite3.DatabaseError as error:
                if _code(error) not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                    raise
                for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
                    path.with_name(name).unlink(missing_ok=True)
    except (sqlite3.Error, OSError) as error:
        raise InputError(f"{path}: {_reason(error)}; end what uses it and try again") from None


class OtherVersionError(sqlite3.Error):
    """A file of another version."""


def _open(path: Path) -> sqlite3.Connection:
    """What is written is safe from the end of any process; from that of the computer, but for the last moments."""
    connection = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
    try:
        [[version]] = connection.execute("PRAGMA user_version").fetchall()
        if version not in (0, VERSION):
            raise OtherVersionError(f"is of another tertium (version {version} of the file, not {VERSION})")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {JOURNAL}")
        if version == 0:
            _make(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Two processes may do this at once: the second finds it done. Only one of them can change the journal, and that is
    enough."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
    connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself has undone it where the disk is full
            connection.execute("ROLLBACK")
        raise


def _size(connection: sqlite3.Connection) -> int:
    """Bytes in use; pages that were freed are filled again first."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _reason(error: Exception) -> str:
    """Why the file cannot be used, and the way out."""
    if isinstance(error, OSError):
        return f"cannot be used as a cache ({error.strerror or error})"
    if isinstance(error, OtherVersionError):
        return f"{error}: empty it with that one, or delete the file"
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return "there is no room for it on the disk (tertium learn cache --clear empties it)"
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return f"is damaged ({error}; tertium learn cache --clear deletes it)"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another process has not let go of it"
    return f"cannot be used as a cache ({error})"
