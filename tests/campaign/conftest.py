"""The two kinds of store, so that the same tests run on both."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.campaign import written
from tests.campaign.cluster import Cluster
from tests.campaign.served import PATIENCE, Served, tertium

from tertium.io.postgres import Address, read_address

KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.services)]
Where = Path | Address


@pytest.fixture(params=KINDS)
def new_place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Where]:
    """Makes a place for a store alone; each time another one."""
    if request.param == "sqlite":
        return lambda: tmp_path_factory.mktemp("store") / "c.sqlite"
    cluster: Cluster = request.getfixturevalue("cluster")
    return lambda: read_address(cluster.schema(), schema="c")


@pytest.fixture
def place(new_place: Callable[[], Where]) -> Where:
    """A place for a store."""
    return new_place()


@pytest.fixture(params=KINDS)
def on_both_stores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Campaigns that are written have either kind of store; those of one folder the same one."""
    if request.param == "postgres":
        cluster: Cluster = request.getfixturevalue("cluster")
        known: dict[Path, str] = {}
        monkeypatch.setattr(written, "store_in", lambda folder: known.setdefault(folder, cluster.schema()))
    return str(request.param)


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en")
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


@pytest.fixture
def serving() -> Iterator[Any]:
    servers: list[Served] = []

    def start(path: Path) -> tuple[Served, str]:
        links = tertium("human", "links", str(path))
        servers.append(Served(path))
        [token] = [line.rpartition("/r/")[2] for line in links.splitlines() if "/r/" in line]
        return servers[-1], f"{servers[-1].address}/r/{token}"

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()
