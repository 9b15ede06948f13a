"""Who is asking: raters by a link that becomes a cookie, whoever runs the campaign by a token of their own."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import HTMLResponse

from tertium.core.errors import TertiumError
from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.links import Links, session_of
from tertium.web.campaign.words import ENGLISH, choose_language
from tertium.web.security import Door

RATER_COOKIE, ADMIN_COOKIE = "tertium-rater", "tertium-admin"
LANGUAGE = "tertium-language"  # the cookie that remembers one that was asked for
GUESSES = 20  # links that do not exist, which an address may try
WINDOW = 60.0  # in so many seconds
MOST = 10_000  # addresses that are remembered
MONTH = 30 * 86_400
LANDING = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={path}">
<link rel="icon" href="data:,"><title>tertium</title></head><body><p><a href="{path}">Open</a></p></body></html>
"""


class RefusedError(TertiumError):
    """Somebody who is not let in; which word says so, in whichever language."""

    def __init__(self, word: str) -> None:
        self.word = word
        super().__init__(ENGLISH[word])


class NotAdmittedError(RefusedError):
    """Nobody whom the campaign knows."""


class TooManyError(RefusedError):
    """Somebody who tries one link after the other."""


class Access:
    """The door of a running campaign."""

    def __init__(self, links: Links, door: Door, clock: Callable[[], float] = time.monotonic) -> None:
        self._links, self._door, self._clock = links, door, clock
        self.admin_token = secrets.token_urlsafe(32)
        self._admin_session = secrets.token_urlsafe(32)
        self._failures: OrderedDict[str, list[float]] = OrderedDict()

    def admit_rater(self, request: Request, token: str) -> HTMLResponse:
        """A page that goes on to the rater's own, with the cookie. No redirect: to one that a link of another site led
        to, browsers send no strict cookie."""
        self._slow_down(request)
        if self._links.rater_of_link(token) is None:
            self._failed(request)
            raise NotAdmittedError("no-link")
        return self._landed("/", RATER_COOKIE, session_of(token), MONTH)

    def admit_admin(self, request: Request, token: str) -> HTMLResponse:
        """The same for the dashboard."""
        self._slow_down(request)
        if not _same(token, self.admin_token):
            self._failed(request)
            raise NotAdmittedError("no-dashboard")
        return self._landed("/admin", ADMIN_COOKIE, self._admin_session, None)

    def rater(self, request: Request) -> str:
        """Who is asking."""
        found = self._links.rater_of_session(request.cookies.get(RATER_COOKIE, ""))
        if found is None:
            raise NotAdmittedError("no-session")
        return found

    def check_admin(self, request: Request) -> None:
        """Refuse everybody but whoever runs the campaign."""
        if not _same(request.cookies.get(ADMIN_COOKIE, ""), self._admin_session):
            raise NotAdmittedError("no-dashboard")

    def _landed(self, path: str, cookie: str, value: str, age: int | None) -> HTMLResponse:
        answer = HTMLResponse(LANDING.format(path=path))
        secure = (self._door.origin or "").startswith("https:")
        answer.set_cookie(cookie, value, max_age=age, httponly=True, samesite="strict", secure=secure)
        return answer

    def _address(self, request: Request) -> str:
        """Where a request comes from; behind a proxy, what the proxy says of it last."""
        if self._door.origin is not None:
            said = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
            if said:
                return said[:100]
        return request.client.host if request.client else ""

    def _slow_down(self, request: Request) -> None:
        recent = [at for at in self._failures.get(self._address(request), []) if self._clock() - at < WINDOW]
        if len(recent) >= GUESSES:
            raise TooManyError("guesses")

    def _failed(self, request: Request) -> None:
        address = self._address(request)
        known = self._failures.pop(address, [])
        self._failures[address] = [*known[-GUESSES:], self._clock()]
        while len(self._failures) > MOST:
            self._failures.popitem(last=False)


def its_collection(request: Request) -> CampaignCollection:
    """The campaign of this server."""
    found: CampaignCollection = request.app.state.collection
    return found


def its_rater(request: Request) -> str:
    """Who is asking; nobody else gets further."""
    access: Access = request.app.state.access
    return access.rater(request)


def language_of(request: Request) -> str:
    """That of the page: asked for in the address, before, or by the browser."""
    asked = request.query_params.get("language", "") or request.cookies.get(LANGUAGE, "")
    return choose_language(asked, request.headers.get("accept-language", ""))


Given = Annotated[CampaignCollection, Depends(its_collection)]
Rater = Annotated[str, Depends(its_rater)]


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())
