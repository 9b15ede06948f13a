"""Who may ask: this computer's own pages, and nobody who only pretends to be one of them.

- Host: a name that an attacker's page was given for 127.0.0.1 (DNS rebinding) is not one of ours.
- Origin and Sec-Fetch-Site: other sites may neither change nor embed anything.
- Token: where others can reach the port, or a proxy that speaks to it, only who knows the address with the token gets
  in; a cookie remembers it.
- Answers say that nothing may be loaded, framed, sniffed or kept, and which scripts are ours (a nonce per answer).
"""

from __future__ import annotations

import hmac
import ipaddress
import platform
import re
import secrets
from dataclasses import dataclass
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tertium.core.errors import OptionError

COOKIE = "tertium-token"
PORTS = {"http": 80, "https": 443}
SAFE = ("GET", "HEAD", "OPTIONS")
UPLOADS = ("/evaluations", "/api/evaluations")  # where files come in, which go to the disk; the rest is kept in memory
STARTING = ("/compare", "/history")  # how pages end that begin work of their own for whoever opens them
SMALL = 1 << 20  # bytes of a request that brings no files
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
WELCOME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><link rel="icon" href="data:,">
<title>tertium workbench</title></head><body><p><a href="/">Open the workbench</a></p></body></html>
"""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, kw_only=True)
class Door:
    """Where the server listens and what is needed to come in."""

    host: str = "127.0.0.1"
    token: str | None = None
    origin: str | None = None  # of a proxy before it, as browsers write one: https://mt.example.org

    @property
    def front(self) -> str | None:
        """The proxy's name."""
        return None if self.origin is None else host_name(self.origin.partition("://")[2])

    def knows(self, name: str) -> bool:
        """Whether a Host header's name is one of ours."""
        if is_loopback(name) or name in (self.host, self.front):
            return True
        if is_loopback(self.host):
            return False
        return _address(name) is not None or name == platform.node().lower()

    def trusts(self, origin: str, scheme: str, host: str) -> bool:
        """Whether a page of this origin may ask, in a request that came by this scheme and Host header.

        By the proxy's name none but the proxy's own pages may: how it speaks to us is not how they were loaded.
        """
        return origin == self.origin or (origin == f"{scheme}://{host}" and host_name(host) != self.front)


def open_door(host: str, address: str | None = None) -> Door:
    """A door for this computer alone; with a token where it listens elsewhere, or a proxy stands before it."""
    origin = None if address is None else read_origin(address)
    closed = origin is not None or not is_loopback(host)
    return Door(host=host.lower(), token=secrets.token_urlsafe(32) if closed else None, origin=origin)


ADDRESS = re.compile(
    r"(https?)://([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?(/?)(.*)", re.DOTALL
)


def read_origin(address: str) -> str:
    """`HTTPS://MT.example.org:443/` -> "https://mt.example.org", as browsers write it; anything else is refused."""
    found = ADDRESS.fullmatch(address.lower())
    scheme, name, port, slash, rest = found.groups() if found else ("", "", None, "", "")
    if name.startswith("["):
        name = f"[{_address(name[1:-1]) or ''}]"
    if not name.strip("[]") or (rest and not slash) or int(port or 1) not in range(1, 1 << 16):
        raise OptionError(
            f"--address {address!r} is not the address of a server; write https:// (or http://), its name, and :PORT "
            f"where it has one, as in https://mt.example.org"
        )
    if rest:
        raise OptionError(
            f"--address {address!r} has more than a server's name; the workbench needs a name of its own, as in "
            f"{scheme}://{name}{f':{port}' if port else ''}"
        )
    return f"{scheme}://{name}" if port is None or int(port) == PORTS[scheme] else f"{scheme}://{name}:{int(port)}"


def is_loopback(host: str) -> bool:
    """Whether a name means this computer."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def host_name(text: str) -> str:
    """`[::1]:80` -> "::1"; empty where it cannot be a name. The port may be that of a tunnel's other end."""
    name, colon, port = text.lower().rpartition(":")
    if not colon or port.endswith("]"):
        name, port = text.lower(), ""
    if name.startswith("["):
        name = name[1:-1] if name.endswith("]") else ""
    elif ":" in name:
        name = ""
    return name if not port or (port.isascii() and port.isdigit()) else ""


class Guard:
    """Stands before the application: refuses, limits, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, door: Door, limit: int) -> None:
        self.app, self.door, self.limit = app, door, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", POLICY.format(nonce=nonce))
                if "server" in headers:
                    del headers["server"]
            await send(message)

        refusal = self.refuse(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self.app(scope, _limited(receive, self.limit_of(scope)), guarded)

    def refuse(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.door.knows(host_name(hosts[0])):
            return _no(
                421,
                "this server is not the one of that name; open the address that it printed, or "
                "where a proxy stands before it, start it with --address",
            )
        if scope["method"] not in SAFE or scope["path"].startswith("/api/") or scope["path"].endswith(STARTING):
            origin = headers.get("origin")
            if origin is not None and not self.door.trusts(origin, scope["scheme"], hosts[0]):
                return _no(403, "a page of another site may not ask this server anything")
            if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
                return _no(403, "a page of another site may not ask this server anything")
        size, limit = headers.get("content-length", "0"), self.limit_of(scope)
        if not (size.isascii() and size.isdigit()) or len(size) > 18 or int(size) > limit.size:
            return _no(413, limit.sentence)
        return None if self.door.token is None else self._admit(scope, headers, self.door.token)

    def _admit(self, scope: Scope, headers: Headers, token: str) -> Response | None:
        """Whether the token is there: as a cookie, a bearer's, or in the address of the first visit."""
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        scheme, _, bearer = headers.get("authorization", "").partition(" ")  # RFC 7235: no matter in which case
        if _same(cookie, token) or (scheme.lower() == "bearer" and _same(bearer.strip(" "), token)):
            return None
        query = QueryParams(scope["query_string"])
        if scope["method"] == "GET" and _same(query.get("token", ""), token):
            # No redirect: to one that a link of another site led to, browsers send no strict cookie.
            answer = HTMLResponse(WELCOME)
            secure = (self.door.origin or "").startswith("https:")
            answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=secure)
            return answer
        return _no(401, "this server needs a token; open the address that tertium serve printed, with its ?token=")

    def limit_of(self, scope: Scope) -> Limit:
        """How long a request may be: a form with files as long as an upload, any other no longer than a form is."""
        files = Headers(scope=scope).get("content-type", "").lower().startswith("multipart/form-data")
        if files and scope["method"] == "POST" and scope["path"] in UPLOADS:
            return Limit(self.limit, f"more than {self.limit >> 20} MB in one upload; send less at a time")
        return Limit(SMALL, f"more than {SMALL >> 20} MB in one request; only an upload of files may have more")


class Limit(NamedTuple):
    """How many bytes a request may have, and what is said of one that has more."""

    size: int
    sentence: str


def _limited(receive: Receive, limit: Limit) -> Receive:
    """A body that ends in an error where it is longer than it may be, whatever its length was said to be."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit.size:
            raise TooLargeError(limit.sentence)
        return message

    return limited


class TooLargeError(HTTPException):
    """A request that does not end where it has to. One of HTTP's errors, because those alone come through FastAPI."""

    def __init__(self, sentence: str) -> None:
        super().__init__(413, sentence)


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _no(status: int, sentence: str) -> Response:
    if status == 401:
        return PlainTextResponse(sentence + "\n", status, {"WWW-Authenticate": "Bearer"})
    return JSONResponse({"error": sentence}, status)
