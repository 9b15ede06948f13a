"""How we open a PostgreSQL database: asked the same questions as a file (`store.py`), by several servers at a time.

A password comes as libpq takes it (PGPASSWORD, ~/.pgpass, a service file) and never in an address, which people put
into files, logs and messages.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from tertium.core.errors import InputError, MissingPackageError
from tertium.io.database import Found
from tertium.io.store import BUSY, NothingThereError, StoreError

if TYPE_CHECKING:
    import psycopg

PREFIXES = ("postgresql://", "postgres://")
EXPECTED = "expected postgresql://USER@HOST/DATABASE"
SECRETS = ("password", "sslpassword")
ABANDONED = 60  # seconds after which a server that lies still in the middle of a transaction loses it
PAUSE = 1.0  # seconds before a database that could not be reached is tried again
OPENING = 0x7465727469756D  # the lock of whoever makes or changes tables, the same in each database

# What a connection is made with where the address says nothing of it: a cable that is cut is noticed.
HABITS = {
    "connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3,
    "tcp_user_timeout": 30_000, "application_name": "tertium",
}  # fmt: skip

# Tables are written down once, in SQLite's words. Texts are sorted by code points, as SQLite and Python sort them.
TYPES = {
    "INTEGER PRIMARY KEY AUTOINCREMENT": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "INTEGER": "BIGINT",
    "REAL": "DOUBLE PRECISION",
    "TEXT": 'TEXT COLLATE "C"',
}


# A server whose commits do not wait for the disk is told to; stricter ones are left alone.
SESSION = """
SELECT set_config('search_path', %s, false), set_config('lock_timeout', %s, false),
    set_config('idle_in_transaction_session_timeout', %s, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', %s, false),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
"""
UNREACHABLE = "the database cannot be reached just now; what was not acknowledged is to be sent again"


class Address(NamedTuple):
    """Where a database is: what libpq is told, the schema in it, and what people are told."""

    link: str
    schema: str
    shown: str


def read_address(text: str, schema: str) -> Address:
    """An address without a password; `?schema=NAME` says which schema, or else it is the given one."""
    start = next((prefix for prefix in PREFIXES if text.startswith(prefix)), None)
    if start is None:
        raise InputError(EXPECTED)
    place, _, query = text.removeprefix(start).partition("?")
    given = [part.partition("=")[::2] for part in query.split("&") if part]
    keys = [key for key, _ in given]
    if ":" in text.removeprefix(start).rpartition("@")[0] or any(key in SECRETS for key in keys):
        raise InputError(
            "it has a password, which would be in files and messages; leave it out, and put it into PGPASSWORD or "
            "~/.pgpass, where PostgreSQL's programs look for it"
        )
    if not all(re.fullmatch(r"[a-z_]+", key) for key in keys) or "#" in text:
        raise InputError(f"what is behind the question mark is not KEY=VALUE&KEY=VALUE; {EXPECTED}?KEY=VALUE")
    chosen = dict(given).get("schema", schema)
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", chosen):
        raise InputError("its schema must be 1 to 63 of a-z, 0-9 and _, and not begin with a digit")
    rest = "&".join(f"{key}={value}" for key, value in given if key != "schema")
    where = place.rpartition("@")[2]
    return Address(f"{start}{place}{'?' if rest else ''}{rest}", chosen, f"postgresql://{where} (schema {chosen})")


class InQuestionMarks:
    """Statements with `?` for values, as the stores write them; psycopg writes `%s`. None of theirs has either else."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, query: str, values: Sequence[Any] = ()) -> Found:
        """Run a statement."""
        found: Found = self._connection.execute(_in_percents(query), tuple(values))
        return found


class PostgresStore:
    """A schema of a PostgreSQL database, for as many processes as come; it answers what a `Store` answers.

        address = read_address("postgresql://rate@db.example.org/campaigns", schema="letters")
        with PostgresStore(address, MIGRATIONS, remedy="restore a backup of it") as store:
            with store.transaction() as connection:
                connection.execute("INSERT INTO answers VALUES (?, ?)", (key, text))
            [row] = store.rows("SELECT text FROM answers WHERE key = ?", key)

    *One writer at a time.* A transaction begins with a lock on the one row of the table `store`, whichever process it
    is in, and ends with a commit that waits for the disk. So what is read in it stands until it ends, and numbers of
    events come in the order of commits. Threads may share a store; they take turns.

    *Lost connections.* What was under way fails with a sentence and is not kept, or is and may be sent again; the next
    question connects anew. A question to a database that was started again since the last one is asked twice.

    *Versions.* As with files, migration k brings the schema to version k + 1. A process that finds another version than
    its own, when it opens the store or when it writes, is refused.
    """

    def __init__(self, address: Address, migrations: Sequence[str], *, remedy: str, read_only: bool = False) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingPackageError(
                'a store in PostgreSQL needs the package psycopg; install it with: pip install "tertium[postgres]"'
            ) from None
        self.name, self._schema = address.shown, address.schema
        self._migrations, self._remedy, self._read_only = migrations, remedy, read_only
        self._guard, self._within, self._closed, self._again = threading.RLock(), False, False, 0.0
        self._connection: Any = None  # psycopg's
        self._settings = self._read_settings(address)
        try:
            self._connect()
            self._prepare()
        except BaseException as error:
            told: Exception | None = None
            if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
                told = StoreError(
                    f"{self.name}: cannot be reached ({_line(error)}); check the address in store, and that PGPASSWORD "
                    f"or ~/.pgpass has the password"
                )
            elif isinstance(error, psycopg.Error):
                told = self._trouble(error)
            self.close()
            raise told or error from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the connection back."""
        with self._guard:
            self._closed = True
            self._hang_up()

    @contextmanager
    def transaction(self) -> Iterator[InQuestionMarks]:
        """All of it or nothing; on the disk when it is left. Nobody else writes meanwhile."""
        with self._guard, self._sentences():
            try:
                begun = self._ask("BEGIN; SELECT version FROM store FOR UPDATE")
                begun.nextset()
                self._check_version(begun.fetchone()["version"])
                self._within = True
                yield InQuestionMarks(self._connection)
                if self._ask("COMMIT").statusmessage != "COMMIT":
                    raise StoreError(f"{self.name}: PostgreSQL has undone what was written; try again")
            except BaseException:
                self._undo()
                raise
            finally:
                self._within = False

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """What a query finds."""
        with self._guard, self._sentences():
            found: list[dict[str, Any]] = self._ask(_in_percents(query), values).fetchall()
            return found

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Everything as it is at this moment, in tables of SQLite, whoever writes meanwhile."""
        for script in self._migrations:
            target.executescript(script)
        target.execute(f"PRAGMA user_version = {len(self._migrations)}")
        tables = [row[0] for row in target.execute("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'")]
        with self._guard, self._sentences():
            try:
                self._ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                self._within = True
                for table in tables:
                    names = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
                    marks = ", ".join(f":{name}" for name in names)
                    rows = self._ask(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1")
                    target.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)
            finally:
                self._within = False
                self._undo()
        target.commit()

    def scrub(self) -> None:
        """Write the tables anew, without what was deleted; logs and copies of the server are its owner's to delete."""
        with self._guard, self._sentences():
            for row in self._ask("SELECT tablename FROM pg_tables WHERE schemaname = %s", (self._schema,)).fetchall():
                self._ask(f'VACUUM (FULL) "{row["tablename"]}"')

    def damaged(self, error: Exception) -> StoreError:
        """What is wrong with the content, and the way out."""
        return StoreError(f"{self.name} is damaged ({error}); {self._remedy}")

    def _read_settings(self, address: Address) -> dict[str, Any]:
        import psycopg

        known = {one.keyword.decode() for one in psycopg.pq.Conninfo.get_defaults()}
        for key in re.findall(r"[?&]([a-z_]+)=", address.link):
            if key not in known:
                raise InputError(
                    f"{self.name}: PostgreSQL's library knows no {key!r}; see libpq's connection parameters"
                )
        try:
            given = psycopg.conninfo.conninfo_to_dict(address.link)
        except psycopg.Error:  # whose own sentence would repeat the whole address
            raise InputError(f"{self.name}: PostgreSQL's library cannot read this address; {EXPECTED}") from None
        return {**HABITS, **given, "client_encoding": "utf8"}

    def _connect(self) -> None:
        import psycopg

        try:
            self._connection = psycopg.connect(**self._settings, autocommit=True, row_factory=psycopg.rows.dict_row)
            self._connection.execute(SESSION, (
                self._schema, f"{BUSY}s", f"{ABANDONED}s", "on" if self._read_only else "off"
            ))  # fmt: skip
        except psycopg.Error:
            self._hang_up()
            self._again = time.monotonic() + PAUSE
            raise

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _undo(self) -> None:
        with suppress(Exception):  # a connection that was lost takes its transaction with it
            if self._connection is not None:
                self._connection.execute("ROLLBACK")

    def _ask(self, query: str, values: Sequence[Any] | None = None) -> Any:
        """The cursor of a query. Where the connection was lost before it, a new one is made; in the middle of a
        transaction it is not, because what was done before is gone."""
        import psycopg

        if not self._within and (self._connection is None or self._connection.closed):
            self._connect_again()
        try:
            return self._connection.execute(query, values)
        except psycopg.Error:
            if self._within or not self._connection.closed:
                raise
        self._connect_again()
        return self._connection.execute(query, values)

    def _connect_again(self) -> None:
        """Not more often than once in a while: whoever asks meanwhile is not to wait for one who does not answer."""
        if self._closed:
            raise StoreError(f"{self.name} is closed")
        if time.monotonic() < self._again:
            raise StoreError(UNREACHABLE)
        self._connect()

    def _prepare(self) -> None:
        """Make the tables, or bring them up to date; one process at a time. Who only reads finds what they are."""
        if self._connection.info.parameter_status("server_encoding") != "UTF8":
            raise StoreError(f"{self.name}: the database is not in UTF-8; make one with: createdb --encoding=UTF8")
        if self._read_only:
            self._check_version(self._version())
            return
        self._connection.execute("BEGIN")
        self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (OPENING,))
        version = self._version()
        if version is None:
            version = self._make_schema()
        if version > len(self._migrations):
            self._check_version(version)
        for script in self._migrations[version:]:
            self._connection.execute(_in_types(script))
        self._connection.execute("UPDATE store SET version = %s", (len(self._migrations),))
        self._connection.execute("COMMIT")

    def _version(self) -> int | None:
        """That of the schema, whose row is then ours; None where nobody has begun."""
        [row] = self._connection.execute("SELECT to_regclass(%s) AS found", (f"{self._schema}.store",)).fetchall()
        if row["found"] is None:
            return None
        lock = "" if self._read_only else " FOR UPDATE"
        rows = self._connection.execute(f"SELECT version FROM store{lock}").fetchall()
        return int(rows[0]["version"]) if rows else None

    def _make_schema(self) -> int:
        there = self._connection.execute("SELECT FROM pg_catalog.pg_namespace WHERE nspname = %s", (self._schema,))
        if not there.rowcount:
            self._connection.execute(f'CREATE SCHEMA "{self._schema}"')
        foreign = self._connection.execute("SELECT FROM pg_catalog.pg_tables WHERE schemaname = %s", (self._schema,))
        if foreign.rowcount:
            raise StoreError(f"{self.name} has tables of another program; name another schema in store: ?schema=NAME")
        self._connection.execute("CREATE TABLE store (version BIGINT NOT NULL); INSERT INTO store VALUES (0)")
        return 0

    def _check_version(self, version: int | None) -> None:
        known = len(self._migrations)
        if version is None:
            raise NothingThereError(f"{self.name}: nothing of tertium's is in it")
        if version > known:
            raise StoreError(
                f"{self.name} is of a newer tertium (version {version} of the tables; this one knows {known}); "
                f"update this one"
            )
        if version < known:
            raise StoreError(
                f"{self.name} is of an older tertium (version {version} of the tables; this one reads {known}); "
                f"open it once for writing (tertium human links), which brings it up to date"
            )

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise self._trouble(error) or error from None

    def _trouble(self, error: psycopg.Error) -> InputError | None:
        """What is wrong with the database or the way to it, if that is what an error is about."""
        import psycopg

        state = error.sqlstate or ""
        if self._connection is None or self._connection.closed:
            return StoreError(UNREACHABLE)
        if state == "53100":
            return StoreError(
                f"{self.name}: there is no room for it on the server's disk; nothing of what was being written is "
                f"kept: make room and try again"
            )
        if state == "55P03":
            return StoreError(f"{self.name}: others have been writing for {BUSY} seconds; try again")
        if state == "25006":
            return StoreError(f"{self.name}: can only be read (a standby?); name the primary server in store")
        if state == "42501":
            return StoreError(f"{self.name}: the role may not do this ({_line(error)}); its owner can allow it")
        if state in ("42P01", "42703", "3F000", "XX001", "XX002"):
            return self.damaged(Exception(_line(error)))
        if isinstance(error, psycopg.DataError):
            return InputError(f"PostgreSQL cannot keep this text ({_line(error)}); change it")
        return (
            StoreError(f"{self.name}: {_line(error)}; try again")
            if isinstance(error, psycopg.OperationalError)
            else None
        )


def _in_percents(query: str) -> str:
    return query.replace("%", "%%").replace("?", "%s")


def _in_types(script: str) -> str:
    return re.sub(rf"\b({'|'.join(TYPES)})\b", lambda found: TYPES[found[1]], script)


def _line(error: Exception) -> str:
    """The first line of what PostgreSQL says."""
    return str(error).strip().partition("\n")[0]
