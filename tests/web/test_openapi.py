"""Requests that schemathesis makes of the OpenAPI, fitting and not: every answer says what is wrong, none is a 500."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("schemathesis")

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from requests import Request
from starlette.testclient import TestClient
from tests.campaign import asked
from tests.campaign.written import written
from tests.web.conftest import opened, scored

from tertium.human.campaign.protocol import PROTOCOLS
from tertium.web.campaign.screens import rater_key

pytestmark = pytest.mark.slow
BASE = "http://127.0.0.1"
FEW, MANY = 15, 100  # requests of each operation that fit, and as many that do not


def attack(client: TestClient, requests: int, aim: Callable[[Any, int], None]) -> Counter[tuple[str, int]]:
    """Ask every operation; `aim` makes every second request one for what is really there."""
    schema = schemathesis.openapi.from_dict(client.app.openapi())  # type: ignore[attr-defined]
    seen = Counter[tuple[str, int]]()
    for found in schema.get_all_operations():
        for mode in schemathesis.GenerationMode:
            ask_one(client, found.ok(), mode, requests, aim, seen)
    return seen


def ask_one(
    client: TestClient, operation: Any, mode: Any, requests: int, aim: Callable[[Any, int], None], seen: Counter[Any]
) -> None:
    @settings(max_examples=requests, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if seen.total() % 2:
            aim(case, seen.total())
        sent = Request(**case.as_transport_kwargs(base_url=BASE)).prepare()  # its kwargs are those of requests
        headers = {name: value for name, value in sent.headers.items() if name != "Cookie"}
        answer = client.request(sent.method or "", sent.url or "", content=sent.body, headers=headers)
        seen[operation.label, answer.status_code] += 1
        assert answer.status_code < 500, (sent.method, sent.url, sent.body, answer.text)
        if answer.status_code >= 400:
            said = list(answer.json())  # of a save: final, where it is not to be sent again
            assert said in (["error"], ["error", "final"]), (sent.method, sent.url, sent.body, answer.text)

    with suppress(Unsatisfiable):  # nothing to be asked wrongly, where there is nothing to say
        ask()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_campaigns(tmp_path: Path, protocol: str) -> None:
    path = written(tmp_path / "c", protocol)
    outputs = '"a", "b"' if PROTOCOLS[protocol].several else '"a"'
    with path.open("a") as file:
        file.write(f'[[tutorial]]\nsource = "x"\noutputs = [{outputs}]\nfeedback = "f"\n')
    with asked.opened(path) as (client, collection):
        asked.enter(client, collection, "eva")
        who = rater_key(collection, "eva")

        def aim(case: Any, turn: int) -> None:
            case.path_parameters = {"number": 1, "place": 0}
            if isinstance(case.body, dict):
                case.body = {**case.body, "who": who}
                if "revision" in case.body:  # taken back what was never said: a body that fits every protocol
                    case.body |= {"body": {}} if turn % 4 == 1 else {}

        seen = attack(client, MANY, aim)
        assert {label for label, _ in seen} == {"PUT /api/responses/{number}/{place}", "POST /api/tutorial/{place}"}
        assert seen["PUT /api/responses/{number}/{place}", 200] > 0  # some get through, so that others are refused late
        assert collection.store.responses() == collection.store.replayed()


def test_workbench(tmp_path: Path) -> None:
    with opened(tmp_path / "workspace") as client:
        name = scored(client, "atlas", "brook")

        def aim(case: Any, _: int) -> None:
            if "id" in (case.path_parameters or {}) and case.method.upper() != "DELETE":
                case.path_parameters = {**case.path_parameters, "id": name}

        seen = attack(client, FEW, aim)
        assert sum(count for (_, status), count in seen.items() if status < 300) > 0
