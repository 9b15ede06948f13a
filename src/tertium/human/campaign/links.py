"""Who gets in: a random link for each rater, of which only hashes are kept.

The link is exchanged for a session, which the browser keeps as a cookie. The session follows from the link and not the
other way round, so that who reads a cookie cannot pass the link on, and a server that was started again knows both.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import NamedTuple

from tertium.human.campaign.store import CampaignStore
from tertium.io.database import Database

CODE = 10  # letters of a completion code


class RaterLink(NamedTuple):
    """What is known of a rater's link."""

    rater: str
    made: float
    revoked: float | None


class Links:
    """The links of a campaign's raters."""

    def __init__(self, store: CampaignStore) -> None:
        self._store = store
        self._database: Database = store.database
        self._clock: Callable[[], float] = store.clock

    def make(self, rater: str) -> str:
        """A new link for a rater; those before it are revoked. It is told once, and never again."""
        token = secrets.token_urlsafe(32)
        with self._database.transaction() as connection:
            now = self._clock()
            connection.execute("UPDATE links SET revoked = ? WHERE rater = ? AND revoked IS NULL", (now, rater))
            connection.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?, NULL)", (_hash(token), _hash(session_of(token)), rater, now)
            )
            self._store.note_in(connection, "link made", rater, {})
        return token

    def revoke(self, rater: str) -> bool:
        """Let a rater in no more; False where there was no link that let them in."""
        with self._database.transaction() as connection:
            count = connection.execute(
                "UPDATE links SET revoked = ? WHERE rater = ? AND revoked IS NULL", (self._clock(), rater)
            ).rowcount
            if count:
                self._store.note_in(connection, "link revoked", rater, {})
        return bool(count)

    def known(self) -> dict[str, RaterLink]:
        """The last link of each rater who has had one."""
        rows = self._database.rows("SELECT rater, made, revoked FROM links ORDER BY made, revoked IS NULL")
        return {row["rater"]: RaterLink(row["rater"], row["made"], row["revoked"]) for row in rows}

    def rater_of_link(self, token: str) -> str | None:
        """Whose link it is."""
        return self._rater("link", token)

    def rater_of_session(self, session: str) -> str | None:
        """Whose cookie it is."""
        return self._rater("session", session)

    def _rater(self, column: str, secret: str) -> str | None:
        found = self._database.rows(f"SELECT rater FROM links WHERE {column} = ? AND revoked IS NULL", _hash(secret))
        return str(found[0]["rater"]) if found else None


def session_of(token: str) -> str:
    """The session that a link is exchanged for."""
    return hashlib.sha256(f"session {token}".encode("utf-8", "surrogateescape")).hexdigest()


def completion_code(store: CampaignStore, rater: str, batch: int) -> str:
    """What a rater tells a crowd platform to show that a batch is done; nobody else can make it up."""
    key = store.remembered("codes", "")
    digest = hmac.new(key.encode(), f"{rater}\0{batch}".encode("utf-8", "surrogateescape"), hashlib.sha256)
    return digest.hexdigest()[:CODE].upper()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
