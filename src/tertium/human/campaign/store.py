"""Where responses are kept: a file, or a schema of a PostgreSQL database, to which events are only ever added.

*Nothing is lost.* A response is acknowledged when it is on the disk (SQLite: synchronous = FULL; PostgreSQL: a commit
that waits for it). One thread writes: it takes all that waits and commits it together, so that two hundred raters cost
not many more syncs than one.

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
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

from tertium.core.errors import InputError
from tertium.io.database import Database, Statements
from tertium.io.files import read_bytes, write_atomically
from tertium.io.postgres import Address, PostgresStore
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
TABLES = {  # what a backup is restored from, in the order of their rows; events are numbered anew
    "campaign": ("key", "value"),
    "events": ("at", "kind", "rater", "batch", "item", "uuid", "revision", "body"),
    "responses": ("rater", "batch", "item", "uuid", "revision", "at", "body"),
    "links": ("link", "session", "rater", "made", "revoked"),
    "leases": ("batch", "rater", "until"),
}
RESPONSE = ", ".join(TABLES["responses"])
KEYS = {"events": "uuid, revision", "responses": "rater, batch, item"}
REPLACED = (
    f"ON CONFLICT ({KEYS['responses']}) DO UPDATE SET uuid = excluded.uuid, revision = excluded.revision, "
    f"at = excluded.at, body = excluded.body"
)
REMEDY = "restore a backup of it, or ask for help: it holds what raters did"


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
    """The responses of a campaign: in a file for one server at a time, in PostgreSQL for several.

        with CampaignStore("campaign.sqlite", plan=digest) as store:
            store.save(Save(rater="eva", batch=1, item=0, uuid="...", revision=1, body={"values": {"da100": 80}}))

    `plan` is the hash of the plan that items are numbered by: a store of another plan is refused. With `read_only` it
    is read beside the server that has it.
    """

    def __init__(
        self,
        where: str | Path | Address,
        *,
        plan: str,
        clock: Callable[[], float] = time.time,
        read_only: bool = False,
    ) -> None:
        self.clock = self._clock = clock
        self._read_only = read_only
        self._remembered: dict[str, str] = {}
        self._store = open_database(where, read_only=read_only)
        try:
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
        """Write what waits, and let others have the store."""
        if not self._read_only:
            self._waiting.put(None)
            self._writer.join()
        self._store.close()

    @property
    def database(self) -> Database:
        """The file or server, for what else is kept in it: links, leases."""
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
        one = () if rater is None else (rater,)
        where = "WHERE rater = ?" if one else ""
        rows = self._store.rows(f"SELECT {RESPONSE} FROM responses {where} ORDER BY rater, batch, item", *one)
        return [self._kept(row) for row in rows]

    def counts(self) -> dict[tuple[str, int], int]:
        """How many items of a batch a rater has answered: [rater, batch]. Those taken back have an empty body."""
        query = "SELECT rater, batch, count(*) AS items FROM responses WHERE body != '{}' GROUP BY rater, batch"
        return {(row["rater"], row["batch"]): int(row["items"]) for row in self._store.rows(query)}

    def replayed(self) -> list[Kept]:
        """What the events come to: the same as `responses`, or something is wrong with the store."""
        standing: dict[tuple[str, int, int], Kept] = {}
        rows = self._store.rows(f"SELECT {RESPONSE} FROM events WHERE kind = 'response' ORDER BY number")
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
            self.note_in(connection, "erased", "", {"responses": count})
        self._store.scrub()
        return int(count)

    def note(self, kind: str, rater: str, about: dict[str, Any]) -> None:
        """Add to the audit trail: a link was made or revoked, a backup was taken."""
        with self._store.transaction() as connection:
            self.note_in(connection, kind, rater, about)

    def trail(self) -> list[tuple[float, str, str, dict[str, Any]]]:
        """The audit trail: when, what, who, details; without the responses themselves."""
        rows = self._store.rows("SELECT at, kind, rater, body FROM events WHERE kind != 'response' ORDER BY number")
        return [(row["at"], row["kind"], row["rater"], json.loads(row["body"])) for row in rows]

    def _belongs_to(self, plan: str) -> None:
        known = self.remembered("plan", plan)
        if known != plan:
            raise InputError(
                f"{self._store.name} holds responses to another plan ({known[:12]}, not {plan[:12]}); the "
                f"campaign has changed since: undo the change, or begin anew in another file or schema"
            )

    def remembered(self, key: str, value: str) -> str:
        """What was written under a name at first; `value`, where this is the first time."""
        if key not in self._remembered:
            query = "SELECT value FROM campaign WHERE key = ?"
            found = self._store.rows(query, key)
            if not found and self._read_only:
                return value
            if not found:
                with self._store.transaction() as connection:
                    connection.execute("INSERT INTO campaign VALUES (?, ?) ON CONFLICT DO NOTHING", (key, value))
                found = self._store.rows(query, key)
            self._remembered[key] = str(found[0]["value"])
        return self._remembered[key]

    def backup(self, path: str | Path) -> None:
        """A copy of all that is on the disk at this moment, as a file of SQLite, whoever writes meanwhile."""
        target = sqlite3.connect(":memory:")
        try:
            self._store.copy_to(target)
            target.execute("PRAGMA journal_mode = DELETE")
            with write_atomically(path) as file:
                file.write(target.serialize())
        finally:
            target.close()

    def restore(self, path: str | Path) -> int:
        """Take over a backup, of a store of either kind, where nobody has begun yet; how many responses stand."""
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "backup.sqlite"
            copy.write_bytes(read_bytes(path))
            try:
                with CampaignStore(copy, plan=self.remembered("plan", ""), read_only=True) as backup:
                    rows = {name: backup.database.rows(f"SELECT * FROM {name} ORDER BY 1") for name in TABLES}
            except InputError as error:
                raise InputError(str(error).replace(str(copy), str(path))) from None
            except sqlite3.Error as error:
                raise InputError(f"{path} is not a backup of a campaign ({error})") from None
        with self._store.transaction() as connection:
            if connection.execute("SELECT number FROM events LIMIT 1").fetchone() is not None:
                raise InputError(f"{self._store.name} has been used; a backup is restored into a new file or schema")
            connection.execute("DELETE FROM campaign")  # the secret that codes follow from is the backup's
            for name, columns in TABLES.items():
                for start in range(0, len(rows[name]), TOGETHER):
                    part = rows[name][start : start + TOGETHER]
                    _insert(connection, name, [[row[column] for column in columns] for row in part])
            self.note_in(connection, "backup restored", "", {})
            self._remembered.clear()
        return len(self.responses())

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

    def _commit(self, batch: Sequence[tuple[Save, Future[bool]]]) -> None:
        for _, done in batch:
            done.set_running_or_notify_cancel()  # from here on, nobody who stops waiting can break it off
        try:
            with self._store.transaction() as connection:
                told: Sequence[bool | Exception] = self._add(connection, [save for save, _ in batch])
        except Exception as error:  # the disk is full, say: nothing of it is kept, and everybody is told so
            told = [error] * len(batch)
        for (_, done), outcome in zip(batch, told, strict=True):
            if done.cancelled():
                continue
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)

    def _add(self, connection: Statements, saves: Sequence[Save]) -> list[bool | Exception]:
        """Events and what they change: False for one that was there already, an error for one that cannot be.

        All at once is asked and written, because a database may be far away.
        """
        known = {
            (row["uuid"], row["revision"]): (row["rater"], row["batch"], row["item"], row["body"])
            for row in connection.execute(*_among("events", [(save.uuid, save.revision) for save in saves])).fetchall()
        }
        rows = connection.execute(*_among("responses", [(save.rater, save.batch, save.item) for save in saves]))
        standing = {(kept.rater, kept.batch, kept.item): kept for kept in map(self._kept, rows.fetchall())}
        told: list[bool | Exception] = []
        events: list[tuple[Any, ...]] = []
        changed: dict[tuple[str, int, int], tuple[Any, ...]] = {}
        for save in saves:
            body = json.dumps(save.body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            place, name = (save.rater, save.batch, save.item), (save.uuid, save.revision)
            if name in known:
                same = known[name] == (*place, body)
                told.append(
                    not same and ConflictError("another response has this id and revision; load the page again")
                )
                continue
            known[name] = (*place, body)
            now = self._clock()
            events.append((now, "response", *place, *name, body))
            kept = Kept(*place, *name, now, save.body)
            if place not in standing or stands_over(kept, standing[place]):
                standing[place], changed[place] = kept, (*place, *name, now, body)
            told.append(True)
        if events:
            _insert(connection, "events", events)
        if changed:
            _insert(connection, "responses", list(changed.values()), REPLACED)
        return told

    def note_in(self, connection: Statements, kind: str, rater: str, about: dict[str, Any]) -> None:
        """The same together with what it tells of, so that both are kept or neither."""
        connection.execute(
            "INSERT INTO events (at, kind, rater, body) VALUES (?, ?, ?, ?)",
            (self._clock(), kind, rater, json.dumps(about, ensure_ascii=False)),
        )

    def _kept(self, row: Any) -> Kept:
        try:
            *place, body = (row[name] for name in Kept._fields)
            return Kept._make([*place, json.loads(body)])
        except ValueError as error:
            raise self._store.damaged(error) from None


def open_database(where: str | Path | Address, *, read_only: bool) -> Database:
    """The database of a campaign, made where there is none."""
    if isinstance(where, Address):
        return PostgresStore(where, MIGRATIONS, remedy=REMEDY, read_only=read_only)
    store = Store(where, MIGRATIONS, remedy=REMEDY, elsewhere="another file", read_only=read_only)
    store.rows("PRAGMA secure_delete = ON")  # what is erased leaves no trace in the file
    return store


def _among(table: str, keys: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
    """The rows of responses, or events, that have one of these keys."""
    query = f"SELECT {RESPONSE} FROM {table} WHERE ({KEYS[table]}) IN (VALUES {_marks(keys)})"
    return query, [value for key in keys for value in key]


def _insert(connection: Statements, table: str, rows: Sequence[Sequence[Any]], otherwise: str = "") -> None:
    """Rows of a table, in their order."""
    query = f"INSERT INTO {table} ({', '.join(TABLES[table])}) VALUES {_marks(rows)} {otherwise}"
    connection.execute(query, [value for row in rows for value in row])


def _marks(rows: Sequence[Sequence[Any]]) -> str:
    return ", ".join(f"({', '.join('?' * len(row))})" for row in rows)


def is_backup(path: str | Path) -> bool:
    """Whether a file is a database of SQLite, by its first bytes."""
    try:
        with Path(path).open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def stands_over(new: Kept, old: Kept) -> bool:
    """Whether a response takes the place of another, heard before it: the higher revision of one page, or another page.

    Not by the time: servers that share a store have clocks of their own.
    """
    return new.uuid != old.uuid or new.revision > old.revision
