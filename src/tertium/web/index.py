"""The index of a workspace: a database of evaluations and jobs, which can be made again from the folders."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tertium.io.store import Store

INDEX, LOCK = "index.sqlite3", "lock.sqlite3"
KEPT = 200  # jobs that have ended, besides the newest of each evaluation

MIGRATIONS = ["""
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
""", """
ALTER TABLE evaluations ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluations ADD COLUMN baseline TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluations ADD COLUMN glance TEXT NOT NULL DEFAULT '{}';
CREATE INDEX evaluations_of_testsets ON evaluations (digest);
"""]  # fmt: skip


def open_index(folder: Path) -> Store:
    """The index; who has it has the folder."""
    return Store(
        folder / INDEX,
        MIGRATIONS,
        remedy=f"move away the files {INDEX}* and start again: the evaluations are in folders of their own, and the "
        f"index is made anew of them",
        elsewhere="another folder (--workspace DIR)",
        lock=folder / LOCK,
    )


def prune(index: sqlite3.Connection) -> None:
    """Forget jobs that ended long ago. The newest of each evaluation and kind stay: they say what state it is in."""
    index.execute(
        "DELETE FROM jobs WHERE ended IS NOT NULL "
        "AND number NOT IN (SELECT MAX(number) FROM jobs GROUP BY evaluation, kind) "
        "AND number NOT IN (SELECT number FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC, number DESC LIMIT ?)",
        (KEPT,),
    )
