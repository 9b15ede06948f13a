"""How we open a database file: for one owner, whole, of this version; else with a sentence that knows the way out."""

from __future__ import annotations

import os
import platform
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from tertium.core.errors import InputError

BUSY = 10  # seconds to wait for another program that is just reading or writing

# What SQLite says of the file or the disk below it; all else that it says is about our queries.
SPOILT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
BARRED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR)
HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class StoreError(InputError):
    """A database file that cannot be opened, read or written, through no fault of what was asked of it."""


class InUseError(StoreError):
    """A store that another process owns."""


class NothingThereError(StoreError):
    """A store to be read that nobody has made."""


class Store:
    """A SQLite file that one process owns, any moment of which may be its last.

        MIGRATIONS = ["CREATE TABLE answers (key TEXT PRIMARY KEY, text TEXT NOT NULL)"]

        with Store(path, MIGRATIONS, remedy="delete it: the answers are asked for again") as store:
            with store.transaction() as connection:
                connection.execute("INSERT INTO answers VALUES (?, ?)", (key, text))
            [row] = store.rows("SELECT text FROM answers WHERE key = ?", key)

    *One owner.* Who opens a store has it until it is closed or the process ends, however it ends: the lock is the
    operating system's, on a file of its own (`NAME-lock`, or `lock`). Others are refused and told which process it is.
    With `read_only` a store is read beside its owner, as it was at the last commit; it is neither made nor changed.
    SQLite keeps notes beside the file for that, so the folder must be one in which we may write.

    *All or nothing.* What was done in a `transaction` is on the disk when it is left (write-ahead log, synchronous =
    FULL); if an error or the end of the process comes first, nothing of it is. Foreign keys hold. Threads may share a
    store; they take turns.

    *Whole.* The file is checked when it is opened (`PRAGMA quick_check`). `remedy` is what to do about a damaged one;
    an owner who finds values that make no sense raises `damaged`. `elsewhere` is what else a user could name.

    *Versions.* Migration k is SQL that brings a file from version k to k + 1, in one transaction; a new file begins at
    version 0 (`PRAGMA user_version`). Append to the list, and never change what was released. A file that has seen more
    migrations than there are here is refused.
    """

    def __init__(
        self,
        path: str | Path,
        migrations: Sequence[str],
        *,
        remedy: str,
        elsewhere: str = "another file",
        lock: str | Path | None = None,
        read_only: bool = False,
    ) -> None:
        self.path, self._remedy, self._elsewhere = Path(path), remedy, elsewhere
        self._guard, self._opened = threading.RLock(), ExitStack()
        if "\0" in str(path):  # where SQLite would take the name to end
            raise StoreError(f"{str(path)!r} is no name of a file; choose {elsewhere}")
        if self.path.is_dir():
            raise StoreError(f"{path} is a folder; name a file")
        if read_only and not self.path.exists():
            raise NothingThereError(f"{path}: no such file")
        try:
            if not read_only:
                self._take_lock(Path(lock or f"{path}-lock"))
            self._connection = self._connect(self.path, "ro" if read_only else "rwc", BUSY)
            self._open(migrations, read_only)
        except BaseException as error:
            self.close()
            if isinstance(error, sqlite3.Error):
                raise self._trouble(error, self.path) or self.damaged(error) from None
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Bring everything into the one file, and let others have it."""
        with self._guard:
            self._opened.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; on the disk when it is left."""
        with self._guard, self._sentences():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself has undone it where the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Everything that is on the disk at this moment, whoever writes meanwhile."""
        with self._guard, self._sentences():
            self._connection.backup(target)

    def scrub(self) -> None:
        """Bring the log into the file: what was deleted is in neither, where `PRAGMA secure_delete` is on."""
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """What a query finds."""
        with self._guard, self._sentences():
            return self._connection.execute(query, values).fetchall()

    def damaged(self, error: Exception) -> StoreError:
        """What is wrong with the file, and the way out."""
        return StoreError(f"{self.path} is damaged ({error}); {self._remedy}")

    def _open(self, migrations: Sequence[str], read_only: bool) -> None:
        connection, known = self._connection, len(migrations)
        connection.row_factory = sqlite3.Row
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > known:
            raise StoreError(
                f"{self.path} is of a newer tertium (version {version} of the file; this one knows {known}); "
                f"update this one"
            )
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")
        if read_only:
            if version == 0:
                raise StoreError(f"{self.path} is empty, or another program's: nothing of tertium's is in it")
            if version < known:
                raise StoreError(
                    f"{self.path} is of an older tertium (version {version} of the file; this one reads {known}); "
                    f"open it once for writing, which brings it up to date"
                )
            return
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        for number, script in enumerate(migrations[version:], version + 1):
            connection.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT")
        connection.execute(f"PRAGMA user_version = {known}")  # SQLite opens a file that we may not write all the same

    def _take_lock(self, path: Path) -> None:
        """A lock that others can read, to know whose it is, and that vanishes with the process.

        It is SQLite's, and not `flock`, which a child would hold on to when its parent was killed.
        """
        lock = self._connect(path, "rwc", 0)
        try:
            lock.execute("BEGIN IMMEDIATE")
            lock.execute(f"PRAGMA busy_timeout = {1000 * BUSY}")  # somebody who was refused may be reading whose it is
            lock.execute("CREATE TABLE IF NOT EXISTS owner (process TEXT)")
            lock.execute("DELETE FROM owner")
            lock.execute("INSERT INTO owner VALUES (?)", (f"process {os.getpid()} on {platform.node()}",))
            lock.execute("COMMIT")
            lock.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if _code(error) in HELD:
                raise InUseError(
                    f"{self.path} is already open, in {_owner(lock)}; use that one, or {self._elsewhere}"
                ) from None
            if _code(error) in (*BARRED, sqlite3.SQLITE_FULL):
                raise self._trouble(error, path) or error from None
            raise StoreError(f"{path} is not a lock; delete that file and start again") from None

    def _connect(self, path: Path, mode: str, timeout: float) -> sqlite3.Connection:
        """No transactions but those that are begun by name; threads may share it, because they take turns here."""
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        try:
            connection = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._trouble(error, path) or error from None
        self._opened.callback(connection.close)
        return connection

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._trouble(error, self.path) or error from None

    def _trouble(self, error: sqlite3.Error, path: Path) -> StoreError | None:
        """What is wrong with a file or its disk, if that is what an error is about."""
        code = _code(error)
        if code == sqlite3.SQLITE_FULL:
            return StoreError(
                f"{path}: there is no room for it on the disk; nothing of what was being written is kept: make room "
                f"and try again"
            )
        if code in HELD:
            return StoreError(f"{path} is in use by another program ({error}); end that one and try again")
        if code in BARRED:
            return StoreError(f"{path}: cannot be used ({_obstacle(path) or error}); choose {self._elsewhere}")
        return self.damaged(error) if code in SPOILT else None


def _obstacle(path: Path) -> str | None:
    """What SQLite does not say: why it cannot open a file. To try it ourselves would give up locks that we have."""
    effective = os.access in os.supports_effective_ids
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if not os.access(path.parent, os.W_OK | os.X_OK, effective_ids=effective):
        return "no permission to write in its folder"
    if path.exists() and not os.access(path, os.R_OK | os.W_OK, effective_ids=effective):
        return "no permission to read and write it"
    return None


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary code of an error; 0 where Python's module has found it."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _owner(lock: sqlite3.Connection) -> str:
    """Whose lock it is; nobody can read that while the name is just being written."""
    try:
        [[process]] = lock.execute("SELECT process FROM owner").fetchall()
    except (sqlite3.Error, ValueError):
        return "another process"
    return str(process)
