"""What a store asks of its database, be it a file (`store.py`) or a server (`postgres.py`).

SQL is written once, in words that both have: `?` for values, `ON CONFLICT` for what is there already. Rows know their
columns by name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Found(Protocol):
    """What a statement came to."""

    @property
    def rowcount(self) -> int:
        """Rows that it changed."""
        ...

    def fetchone(self) -> Any:
        """The next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """All rows."""
        ...


class Statements(Protocol):
    """A transaction under way."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Found:
        """Run a statement in it."""
        ...


class Database(Protocol):
    """A database that is open; who writes has it alone until the transaction ends."""

    @property
    def name(self) -> str:
        """What people call it: a file, or an address without anybody's password."""
        ...

    def transaction(self) -> AbstractContextManager[Statements]:
        """All of it or nothing; on the disk when it is left."""
        ...

    def rows(self, query: str, *values: Any) -> Sequence[Any]:
        """What a query finds."""
        ...

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Everything as it is at this moment, into an empty database of SQLite."""
        ...

    def scrub(self) -> None:
        """Leave no trace of what was deleted, as far as that is ours to do."""
        ...

    def damaged(self, error: Exception) -> Exception:
        """What is wrong with its content, and the way out."""
        ...

    def close(self) -> None:
        """Let others have it."""
        ...
