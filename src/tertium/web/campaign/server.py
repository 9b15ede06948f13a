"""Listening: a campaign on a port, until somebody stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.human.campaign.collection import open_collection
from tertium.web.campaign.app import create_app
from tertium.web.security import Door, read_origin
from tertium.web.server import Server, logged


@dataclass(frozen=True)
class Listener:
    """Tells the base of all addresses, the token of the dashboard, and where responses are kept."""

    tell: Callable[[str, str, str], None]
    token: str
    store: str

    def __call__(self, link: str, *_: Any) -> None:
        """The address without what comes behind the name."""
        self.tell(link.rstrip("/"), self.token, self.store)


def serve(path: str | Path, host: str, port: int, address: str | None, ready: Callable[[str, str, str], None]) -> None:
    """Serve a campaign until the process is told to stop; `address` is that of a proxy before it."""
    host = host.strip().removeprefix("[").removesuffix("]").lower()
    if not host:
        raise OptionError("--host is empty; choose 127.0.0.1 (this computer alone) or 0.0.0.0 (all addresses)")
    door = Door(host=host, origin=None if address is None else read_origin(address))
    with open_collection(path) as collection:
        app = create_app(collection, door)
        server = Server(app, door, port, Listener(ready, app.state.access.admin_token, collection.store.database.name))
        try:
            with logged():
                server.run()
        except SystemExit:  # uvicorn's way to say that it cannot listen
            raise InputError(f"port {port} of {host} cannot be used; is something else there? Try --port 0") from None
