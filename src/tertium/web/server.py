"""Listening: the application on a port, until somebody stops it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import platform
import re
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from tertium.core.errors import InputError, OptionError
from tertium.metrics import parse_list
from tertium.web.app import create_app
from tertium.web.intake import Limits
from tertium.web.models import read_models
from tertium.web.security import Door, open_door
from tertium.web.workspace import Workspace

if TYPE_CHECKING:
    from fastapi import FastAPI

PIECE = getattr(select, "PIPE_BUF", 512)  # bytes that go into a pipe without waiting where it takes any
KEEP_ALIVE = 130  # seconds; see `Server`
GRACE = 3  # seconds that open answers may still take when the server is stopped


class Server(uvicorn.Server):
    """Tells its address when it listens: the port may have been free for the system to choose.

    Connections on which nothing happens are closed by whoever asks, not by us: a request that is sent while we close is
    reset without an answer, which nobody can tell from a server that died. So ours stay open longer than those of
    browsers and proxies do by default (nginx 60 seconds, Firefox 115, Caddy 120; uvicorn itself would close after 5).
    """

    def __init__(self, app: FastAPI, door: Door, port: int, ready: Callable[..., None]) -> None:
        config = uvicorn.Config(
            app, host=door.host, port=port, log_level="error", access_log=False, server_header=False, date_header=False,
            timeout_graceful_shutdown=GRACE, timeout_keep_alive=KEEP_ALIVE, ws="none", proxy_headers=False,
            log_config=None,
        )  # fmt: skip
        super().__init__(config)
        self.door, self.ready = door, ready

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Listen, and say where. The address is tried first: what is wrong with it is to be one sentence."""
        try:
            tried = await asyncio.get_running_loop().create_server(
                asyncio.Protocol, self.config.host, self.config.port, start_serving=False
            )
        except (OSError, UnicodeError) as error:
            raise InputError(deaf(self.config.host, self.config.port, error)) from None
        tried.close()
        await tried.wait_closed()
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            self.ready(*addresses(self.door, port))


def addresses(door: Door, port: int) -> list[str]:
    """What to open in a browser; and on other computers, where that is not the same. The door knows all these names.

    Behind a proxy: what to open everywhere, and where the proxy finds us.
    """
    own = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(door.host)
    names = [door.host] if own is None else [own, platform.node().lower()]
    query = f"/?token={door.token}" if door.token else "/"
    found = [f"http://{f'[{name}]' if ':' in name else name}:{port}" for name in names]
    return [link + query for link in found] if door.origin is None else [door.origin + query, found[0]]


def deaf(host: str, port: int, error: Exception) -> str:
    """Why nothing can listen there, and the way out."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"port {port} of {host} is in use by another program; choose another, or --port 0 for one that is free"
    if number == errno.EACCES:
        return (
            f"port {port} of {host} may not be used by you; choose one from 1024 on, or --port 0 for one that is free"
        )
    if number == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this computer; choose 127.0.0.1 (this computer alone) or 0.0.0.0 (all)"
    return (
        f"cannot listen on {host!r} ({getattr(error, 'strerror', None) or error}); choose 127.0.0.1 (this computer "
        f"alone) or 0.0.0.0 (all)"
    )


class Overflowing(logging.Handler):
    """Writes to standard error as much as goes in at once: a server does not wait for somebody to read that."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self.handle_number = handle

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message, or the beginning of it, or nothing."""
        data = f"{self.format(record)}\n".encode(errors="backslashreplace")
        with contextlib.suppress(OSError, ValueError):  # closed
            for start in range(0, len(data), PIECE):
                if os.name != "nt" and not select.select([], [self.handle_number], [], 0)[1]:
                    return
                os.write(self.handle_number, data[start : start + PIECE])


def worth_telling(record: logging.LogRecord) -> bool:
    """Not that Ctrl-C broke off what was under way, with a traceback for each request: whoever pressed it knows."""
    kind = record.exc_info[0] if record.exc_info else None
    if kind is not None and issubclass(kind, asyncio.CancelledError | KeyboardInterrupt):
        return False
    last = record.getMessage().rstrip().rpartition("\n")[2]  # of a traceback that was made a text on its way
    return not re.match(r"(asyncio\.exceptions\.)?(CancelledError|KeyboardInterrupt)\b|Cancel \d+ running task", last)


@contextlib.contextmanager
def logged() -> Iterator[None]:
    """Messages of all libraries go to standard error, if there is one, without waiting."""
    try:
        handler: logging.Handler = Overflowing(sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):
        handler = logging.NullHandler()
    handler.addFilter(worth_telling)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def serve(
    folder: str | Path,
    host: str,
    port: int,
    address: str | None,
    ready: Callable[..., None],
    allowed: Sequence[str] = (),
    models: Sequence[str] = (),
) -> None:
    """Serve a workspace until the process is told to stop; `address` is that of a proxy before it.

    `allowed` are metrics whose options name files or code of this computer, which nobody else may name. `models` are
    texts NAME=MODEL: metrics that need a model may be asked for with these names.
    """
    host = host.strip().removeprefix("[").removesuffix("]")
    if not host:
        raise OptionError("--host is empty; choose 127.0.0.1 (this computer alone) or 0.0.0.0 (all addresses)")
    limits = Limits(allowed=tuple(str(metric) for metric in parse_list(allowed)), models=read_models(models))
    door, workspace = open_door(host, address), Workspace(folder)
    app = create_app(workspace, door, limits)
    server = Server(app, door, port, ready)
    try:
        with logged():
            server.run()
    except SystemExit:  # uvicorn's way to say that it cannot listen
        raise InputError(f"port {port} of {host} cannot be used; is something else there? Try --port 0") from None
    finally:
        app.state.workbench.stop()  # once more where a second Ctrl-C came before all had ended
