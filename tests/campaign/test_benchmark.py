"""The simulated raters of the benchmark: a save whose connection breaks is sent again, counted, and kept once."""

import asyncio
import importlib.util
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.campaign.asked import opened
from tests.campaign.written import written

from tertium.human.campaign.links import session_of
from tertium.web.campaign.app import create_app
from tertium.web.campaign.screens import rater_key
from tertium.web.security import Door
from tertium.web.server import Server


def benchmark() -> Any:
    path = Path(__file__).parents[2] / "benchmarks" / "campaign.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_campaigns", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Breaking(httpx.AsyncBaseTransport):
    """A connection that breaks so often, each time after the server has kept what was sent."""

    def __init__(self, inner: httpx.AsyncBaseTransport, times: int) -> None:
        self.inner, self.left = inner, times

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        await answer.aread()
        if self.left:
            self.left -= 1
            raise httpx.ReadError("reset", request=request)
        return answer


@pytest.mark.parametrize("times", [0, 1, 4, 5])
def test_what_breaks_is_sent_again_and_kept_once(tmp_path: Path, times: int) -> None:
    with opened(written(tmp_path / "c")) as (_, collection):
        session = session_of(collection.links.make("eva"))
        given = {"who": rater_key(collection, "eva"), "uuid": "12345678", "revision": 1,
                 "body": {"values": {"da100": 3}}}  # fmt: skip

        async def send() -> tuple[str, ...]:
            inner = httpx.ASGITransport(create_app(collection))
            async with httpx.AsyncClient(
                transport=Breaking(inner, times), base_url="http://127.0.0.1", cookies={"tertium-rater": session}
            ) as client:
                found: tuple[str, ...] = await benchmark().put(client, "/api/responses/1/0", given)
                return found

        if times == 5:
            with pytest.raises(httpx.ReadError):
                asyncio.run(send())
        else:
            assert asyncio.run(send()) == ("ReadError",) * times
        [kept] = collection.standing()
        assert kept.body == given["body"]
        events = collection.store.database.rows("SELECT uuid FROM events WHERE kind = 'response'")
        assert len(events) == 1


def test_connections_are_closed_by_whoever_asks(tmp_path: Path) -> None:
    """A server that closes one at the moment at which a request is sent on it resets the request."""
    with opened(written(tmp_path / "c")) as (_, collection):
        server = Server(create_app(collection), Door(), 0, lambda *_: None)
    kept = httpx.Limits().keepalive_expiry
    assert kept is not None
    others = {"nginx": 60, "Firefox": 115, "Caddy": 120, "httpx": kept}  # seconds, as these have it by default
    assert server.config.timeout_keep_alive > max(others.values())
