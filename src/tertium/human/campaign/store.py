"""Where responses are kept: a file to which events are only ever added.

*Nothing is lost.* A response is acknowledged when it is on the disk (SQLite, synchronous = FULL). One thread writes: it
takes all that waits and commits it together, so that two hundred raters cost not many more syncs than one.

*Nothing is doubled.* A page numbers its responses: an id of its own (uuid) for an item, a revision that grows with each
change. The same one sent again, after a lost answer or from a queue that was offline, is acknowledged and not written.
Of two revisions the higher stands, in whichever order they come; of two pages, the one heard last.

*Nothing is overwritten.* Events are the truth; the table of responses is what they come to, and `replayed` makes it of
them again.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from tertium.core.errors import InputError
from tertium.io.store import Store

MIGRATIONS = ["""
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, kind TEXT NOT NULL, rater TEXT NOT NULL,
    batch INTEGER, item INTEGER, uuid TEXT, revision INTEGER, body TEXT NOT NULL,
    UNIQUE (uuid, revision)
);
CREATE TABLE responses (
    rater TEXT NOT NULL, batch INTEGER NOT NULL, item INTEGER NOT NULL, uuid TEXT NOT NULL, revision INTEGER NOT NULL,
    at REAL NOT NULL, body TEXT NOT NULL, PRIMARY KEY (rater, batch, item)
);
""", """
CREATE TABLE links (
    link TEXT PRIMARY KEY, session TEXT NOT NULL UNIQUE, rater TEXT NOT NULL, made REAL NOT NULL, revoked REAL
);
CREATE TABLE leases (
    batch INTEGER NOT NULL, rater TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (batch, rater)
);
"""]  # fmt: skip
TOGETHER = 500  # responses of one commit, at most


@dataclass(frozen=True, kw_only=True)
class Save:
    """A response on its way to the disk."""

    rater: str
    batch: int
    item: int  # its place in the batch, from 0
    uuid: str
    revision: int
    body: dict[str, Any]


class Kept(NamedTuple):
    """A response as it stands, and when it came."""

    rater: str
    batch: int
    item: int
    uuid: str
    revision: int
    at: float
    body: dict[str, Any]


class ConflictError(InputError):
    """Another response has this id and revision: a page that counts wrongly, or somebody who makes requests by hand."""


class CampaignStore:
    """The responses of a campaign, for one server at a time.

        with CampaignStore("campaign.sqlite", plan=digest) as store:
            store.save(Save(rater="eva", batch=1, item=0, uuid="...", revision=1, body={"values": {"da100": 80}}))

    `plan` is the hash of the plan that items are numbered by: a store of another plan is refused. With `read_only` it
    is read beside the server that has it.
    """

    def __init__(
        self, path: str | Path, *, plan: str, clock: Callable[[], float] = time.time, read_only: bool = False
    ) -> None:
        self.clock = self._clock = clock
        self._read_only = read_only
        self._store = Store(
            path,
            MIGRATIONS,
            remedy="restore a backup of it, or ask for help: it holds what raters did",
            elsewhere="another file",
            read_only=read_only,
        )
        try:
            self._store.rows("PRAGMA secure_delete = ON")  # what is erased leaves no trace in the file
            self._belongs_to(plan)
        except BaseException:
            self._store.close()
            raise
        self._waiting: queue.SimpleQueue[tuple[Save, Future[bool]] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="campaign-writer", daemon=True)
        if not read_only:
            self._writer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits, and let others have the file."""
        if not self._read_only:
            self._waiting.put(None)
            self._writer.join()
        self._store.close()

    @property
    def database(self) -> Store:
        """The file, for what else is kept in it: links, leases."""
        return self._store

    def submit(self, save: Save) -> Future[bool]:
        """Hand a response over; the future is done when it is on the disk: whether it was new."""
        done: Future[bool] = Future()
        self._waiting.put((save, done))
        return done

    def save(self, save: Save) -> bool:
        """Keep a response; on the disk when this returns. False where it was there already."""
        return self.submit(save).result()

    def responses(self, rater: str | None = None) -> list[Kept]:
        """What stands, of one rater or of all, in the order of batches and items."""
        rows = self._store.rows(
            "SELECT rater, batch, item, uuid, revision, at, body FROM responses WHERE ?1 IS NULL OR rater = ?1 "
            "ORDER BY rater, batch, item",
            rater,
        )
        return [self._kept(row) for row in rows]

    def replayed(self) -> list[Kept]:
        """What the events come to: the same as `responses`, or something is wrong with the file."""
        standing: dict[tuple[str, int, int], Kept] = {}
        rows = self._store.rows(
            "SELECT rater, batch, item, uuid, revision, at, body FROM events WHERE kind = 'response' ORDER BY number"
        )
        for row in rows:
            kept = self._kept(row)
            place = (kept.rater, kept.batch, kept.item)
            if place not in standing or stands_over(kept, standing[place]):
                standing[place] = kept
        return [standing[place] for place in sorted(standing)]

    def erase(self, rater: str) -> int:
        """Delete what a rater said, events and all, at their own request; an event says that it was done."""
        with self._store.transaction() as connection:
            count = connection.execute("DELETE FROM responses WHERE rater = ?", (rater,)).rowcount
            for table in ("events", "links", "leases"):
                connection.execute(f"DELETE FROM {table} WHERE rater = ?", (rater,))
            self._note(connection, "erased", "", {"responses": count})
        return int(count)

    def note(self, kind: str, rater: str, about: dict[str, Any]) -> None:
        """Add to the audit trail: a link was made or revoked, a backup was taken."""
        with self._store.transaction() as connection:
            self._note(connection, kind, rater, about)

    def trail(self) -> list[tuple[float, str, str, dict[str, Any]]]:
        """The audit trail: when, what, who, details; without the responses themselves."""
        rows = self._store.rows("SELECT at, kind, rater, body FROM events WHERE kind != 'response' ORDER BY number")
        return [(row["at"], row["kind"], row["rater"], json.loads(row["body"])) for row in rows]

    def _belongs_to(self, plan: str) -> None:
        known = self.remembered("plan", plan)
        if known != plan:
            raise InputError(
                f"{self._store.path} holds responses to another plan ({known[:12]}, not {plan[:12]}); the "
                f"campaign has changed since: undo the change, or move the file away and begin anew"
            )

    def remembered(self, key: str, value: str) -> str:
        """What was written under a name at first; `value`, where this is the first time."""
        if not self._read_only:
            with self._store.transaction() as connection:
                connection.execute("INSERT OR IGNORE INTO campaign VALUES (?, ?)", (key, value))
        found = self._store.rows("SELECT value FROM campaign WHERE key = ?", key)
        return str(found[0]["value"]) if found else value

    def backup(self, path: str | Path) -> None:
        """A copy of all that is on the disk at this moment, whoever writes meanwhile."""
        from tertium.io.files import write_atomically

        target = sqlite3.connect(":memory:")
        try:
            with self._store.reading() as connection:
                connection.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            with write_atomically(path) as file:
                file.write(target.serialize())
        finally:
            target.close()

    def _write(self) -> None:
        """The one writer: all that waits, in one commit."""
        ended = False
        while not ended:
            first = self._waiting.get()
            batch = [first] if first is not None else []
            ended = first is None
            while len(batch) < TOGETHER:
                try:
                    another = self._waiting.get_nowait()
                except queue.Empty:
                    break
                if another is None:
                    ended = True
                else:
                    batch.append(another)
            if batch:
                self._commit([(save, done) for save, done in batch])

    def _commit(self, batch: Iterable[tuple[Save, Future[bool]]]) -> None:
        told: list[tuple[Future[bool], bool | Exception]] = []
        try:
            with self._store.transaction() as connection:
                told += [(done, self._add(connection, save)) for save, done in batch]
        except Exception as error:  # the disk is full, say: nothing of it is kept, and everybody is told so
            told = [(done, error) for _, done in batch]
        for done, outcome in told:
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)

    def _add(self, connection: sqlite3.Connection, save: Save) -> bool | Exception:
        """An event and what it changes; False where it was there already, an error where it cannot be."""
        body = json.dumps(save.body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        place = (save.rater, save.batch, save.item)
        known = connection.execute(
            "SELECT rater, batch, item, body FROM events WHERE uuid = ? AND revision = ?", (save.uuid, save.revision)
        ).fetchone()
        if known is not None:
            if (known["rater"], known["batch"], known["item"], known["body"]) == (*place, body):
                return False
            return ConflictError("another response has this id and revision; load the page again")
        now = self._clock()
        connection.execute(
            "INSERT INTO events (at, kind, rater, batch, item, uuid, revision, body) "
            "VALUES (?, 'response', ?, ?, ?, ?, ?, ?)",
            (now, *place, save.uuid, save.revision, body),
        )
        kept = Kept(*place, save.uuid, save.revision, now, save.body)
        row = connection.execute(
            "SELECT rater, batch, item, uuid, revision, at, body FROM responses WHERE rater = ? AND batch = ? AND "
            "item = ?",
            place,
        ).fetchone()
        if row is None or stands_over(kept, self._kept(row)):
            connection.execute(
                "INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*place, save.uuid, save.revision, now, body),
            )
        return True

    def _note(self, connection: sqlite3.Connection, kind: str, rater: str, about: dict[str, Any]) -> None:
        connection.execute(
            "INSERT INTO events (at, kind, rater, body) VALUES (?, ?, ?, ?)",
            (self._clock(), kind, rater, json.dumps(about, ensure_ascii=False)),
        )

    def _kept(self, row: sqlite3.Row) -> Kept:
        try:
            *place, body = row
            return Kept._make([*place, json.loads(body)])
        except ValueError as error:
            raise self._store.damaged(error) from None


def stands_over(new: Kept, old: Kept) -> bool:
    """Whether a response takes the place of another: the higher revision of one page, or a later page."""
    return new.revision > old.revision if new.uuid == old.uuid else new.at >= old.at
