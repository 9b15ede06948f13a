"""Servers that fail on purpose, and models that ask them without waiting."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.fault_server import FaultServer

from tertium.models.cache import AnswerCache
from tertium.models.connection import Connection, Patience
from tertium.models.key import Key
from tertium.models.server import ServerModel


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    """How long a model would have waited between attempts."""
    return []


Ask = Callable[..., ServerModel]


@pytest.fixture
def ask(server: FaultServer, pauses: list[float]) -> Iterator[Ask]:
    """A model of the server. Its time stands still unless a test gives it a clock; it never really pauses."""
    opened: list[ServerModel] = []

    def open_it(
        *, key: str | None = None, clock: Callable[[], float] = lambda: 0.0, transport: Any = None, **patience: Any
    ) -> ServerModel:
        async def note(seconds: float) -> None:
            pauses.append(seconds)

        connection = Connection(
            server.address,
            key=key and Key(key),  # type: ignore[arg-type]
            patience=Patience(**patience),
            clock=clock,
            sleep=note,
            jitter=lambda: 1.0,
            transport=transport,
        )
        opened.append(ServerModel(server.address, "small", connection=connection))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[AnswerCache]:
    with AnswerCache(tmp_path / "answers.sqlite3") as cache:
        yield cache
