"""A campaign's app in this process, asked as a rater's browser would ask it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from tertium.human.campaign.collection import CampaignCollection, open_collection
from tertium.web.campaign.app import create_app
from tertium.web.campaign.screens import rater_key
from tertium.web.security import Door


@contextmanager
def opened(path: Path, door: Door | None = None, **more: Any) -> Iterator[tuple[TestClient, CampaignCollection]]:
    """A client of the campaign, which nobody has let in yet."""
    with open_collection(path, **more) as collection:
        app = create_app(collection, door)
        with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
            yield client, collection


def enter(client: TestClient, collection: CampaignCollection, rater: str) -> None:
    """Come in by a link of one's own."""
    client.cookies.clear()
    assert client.get(f"/r/{collection.links.make(rater)}").status_code == 200


def enter_admin(client: TestClient) -> None:
    token = client.app.state.access.admin_token  # type: ignore[attr-defined]
    assert client.get(f"/admin/{token}").status_code == 200


def put(
    client: TestClient, collection: CampaignCollection, rater: str, batch: int, item: int, body: Any, **more: Any
) -> Any:
    given = {"who": rater_key(collection, rater), "uuid": f"{rater:0>8}-{batch}-{item}", "revision": 1, "body": body}
    return client.put(f"/api/responses/{batch}/{item}", json={**given, **more})
