"""Any JSON, any address: an answer that says what is wrong, never a mistake of our own."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.campaign.asked import enter, opened
from tests.campaign.written import written

from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.protocol import PROTOCOLS
from tertium.web.campaign.screens import rater_key

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)
SCALES = [scale for protocol in PROTOCOLS.values() for scale in protocol.scales]
NUMBERS = st.integers(-2, 130) | st.floats(allow_nan=False, allow_infinity=False)
SPANS = st.lists(
    st.tuples(
        st.integers(-1, 30), st.integers(-1, 30), st.sampled_from(["minor", "major", "critical", "neutral", "x"]),
        st.sampled_from(["", "Other", "x"]), st.sampled_from(["output", "source", "none", "reference"]),
    ).map(list) | ANYTHING,
    max_size=3,
)  # fmt: skip
BODIES = ANYTHING | st.fixed_dictionaries(
    {},
    optional={
        "values": st.dictionaries(st.sampled_from(SCALES), NUMBERS | LEAVES, max_size=3) | ANYTHING,
        "ranks": st.lists(st.integers(0, 3), max_size=3) | ANYTHING,
        "spans": SPANS | ANYTHING,
        "text": st.text() | ANYTHING,
        "seconds": NUMBERS | ANYTHING,
    },
)


@pytest.fixture(scope="module", params=sorted(PROTOCOLS))
def entered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = written(tmp_path_factory.mktemp("campaign") / "c", request.param)
    with opened(path) as (client, collection):
        enter(client, collection, "eva")
        yield client, collection


@settings(max_examples=60, deadline=None)
@given(
    body=BODIES,
    revision=st.integers() | LEAVES,
    uuid=st.text() | st.just("12345678") | LEAVES,
    item=st.integers(-1, 12),
)
def test_responses(
    entered: tuple[TestClient, CampaignCollection], body: Any, revision: Any, uuid: Any, item: int
) -> None:
    client, collection = entered
    sent = {"who": rater_key(collection, "eva"), "uuid": uuid, "revision": revision, "body": body}
    answer = client.put(f"/api/responses/1/{item}", json=sent)
    assert answer.status_code in (200, 404, 409, 422), answer.text
    if answer.status_code == 200:  # then it can be made judgements of, and the page can be shown again
        collection.judgements()
        assert client.get("/batch/1").status_code == 200
        assert client.get("/").status_code == 200


@settings(max_examples=60, deadline=None)
@given(whole=ANYTHING)
def test_whole_requests(entered: tuple[TestClient, CampaignCollection], whole: Any) -> None:
    client, _ = entered
    assert client.put("/api/responses/1/0", json=whole).status_code in (401, 422)


@settings(max_examples=60, deadline=None)
@given(
    path=st.text(st.characters(codec="utf-8"), max_size=30),
    start=st.sampled_from(["/r/", "/batch/", "/done/", "/admin/", "/"]),
)
def test_addresses(entered: tuple[TestClient, CampaignCollection], path: str, start: str) -> None:
    from urllib.parse import quote

    client, _ = entered
    assert client.get(start + quote(path, safe="")).status_code in (200, 401, 404, 405, 422, 429)
