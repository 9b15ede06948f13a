"""The databases of a workspace: its index, which can be made again from the folders, and its lock."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tertium.core.errors import InputError

INDEX, LOCK = "index.sqlite3", "lock.sqlite3"
VERSION = 1  # of the index
KEPT = 200  # jobs that have ended, besides the newest of each evaluation

SCHEMA = """
CREATE TABLE IF NOT EXISTS evaluations (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created TEXT NOT NULL, testset TEXT NOT NULL, segments INTEGER NOT NULL,
    systems TEXT NOT NULL, metrics TEXT NOT NULL, wanted TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    evaluation TEXT NOT NULL REFERENCES evaluations (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, options TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0, created TEXT NOT NULL, ended TEXT
);
"""


def take_lock(folder: Path) -> sqlite3.Connection:
    """The lock, which the operating system gives back when the process ends, however it ends."""
    lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if "locked" in str(error):
            raise InputError(
                f"{folder} is open in another tertium serve; use that one, or another folder (--workspace DIR)"
            ) from None
        if "not a database" in str(error):
            raise InputError(
                f"{folder / LOCK} is not the lock of a workspace; delete that file and start again"
            ) from None
        raise OSError(str(error)) from None
    return lock


def open_index(folder: Path) -> sqlite3.Connection:
    """The index, whole and of this version."""
    index = sqlite3.connect(folder / INDEX, isolation_level=None, check_same_thread=False)
    index.row_factory = sqlite3.Row
    try:
        version = index.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise InputError(f"{folder} is of a newer tertium (version {version} of the index); update this one")
        [[verdict]] = index.execute("PRAGMA quick_check(1)").fetchall()
        if verdict != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")
        index.execute("PRAGMA journal_mode = WAL")
        index.execute("PRAGMA synchronous = FULL")
        index.execute("PRAGMA foreign_keys = ON")
        index.executescript(SCHEMA)
        index.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        index.close()
        raise
    return index


def prune(index: sqlite3.Connection) -> None:
    """Forget jobs that ended long ago. The newest of each evaluation and kind stay: they say what state it is in."""
    index.execute(
        "DELETE FROM jobs WHERE ended IS NOT NULL "
        "AND number NOT IN (SELECT MAX(number) FROM jobs GROUP BY evaluation, kind) "
        "AND number NOT IN (SELECT number FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC, number DESC LIMIT ?)",
        (KEPT,),
    )


def unusable(folder: Path, error: OSError) -> str:
    """Why a folder cannot be a workspace."""
    where = "" if error.filename in (None, str(folder)) else f"{error.filename}: "
    return (
        f"{folder}: cannot be used as a workspace ({where}{error.strerror or error}); "
        f"choose a folder that can be written (--workspace DIR)"
    )


def damaged(folder: Path, error: Exception) -> str:
    """What is wrong with an index, and the way out."""
    if "unable to open" in str(error) or "disk is full" in str(error) or "readonly" in str(error):
        return unusable(folder, OSError(str(error)))
    return (
        f"{folder / INDEX} is damaged ({error}); move away the files {INDEX}* and start again: the evaluations are "
        f"in folders of their own, and the index is made anew of them"
    )
