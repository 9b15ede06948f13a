"""Listening: the application on a port, until somebody stops it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from tertium.core.errors import InputError
from tertium.web.app import create_app
from tertium.web.security import Door, open_door
from tertium.web.workspace import Workspace

if TYPE_CHECKING:
    from fastapi import FastAPI

GRACE = 3  # seconds that open answers may still take when the server is stopped


class Server(uvicorn.Server):
    """Tells its address when it listens: the port may have been free for the system to choose."""

    def __init__(self, app: FastAPI, door: Door, port: int, ready: Callable[[str], None]) -> None:
        config = uvicorn.Config(
            app, host=door.host, port=port, log_level="error", access_log=False, server_header=False, date_header=False,
            timeout_graceful_shutdown=GRACE, ws="none", proxy_headers=False,
        )  # fmt: skip
        super().__init__(config)
        self.door, self.ready = door, ready

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            self.ready(address(self.door, port))


def address(door: Door, port: int) -> str:
    """What to open in a browser."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(door.host, f"[{door.host}]" if ":" in door.host else door.host)
    return f"http://{name}:{port}/" + (f"?token={door.token}" if door.token else "")


def serve(folder: str | Path, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve a workspace until the process is told to stop."""
    door = open_door(host)
    server = Server(create_app(Workspace(folder), door), door, port, ready)
    try:
        server.run()
    except SystemExit:  # uvicorn's way to say that it cannot listen
        raise InputError(f"port {port} of {host} cannot be used; is something else there? Try --port 0") from None
