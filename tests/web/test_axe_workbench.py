"""axe-core finds nothing wrong with any page of the workbench, nor with those of a campaign."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.served import Served as Campaign
from tests.campaign.served import tertium
from tests.campaign.written import written
from tests.web.gate import PATIENCE, Gate
from tests.web.served import Served

pytestmark = pytest.mark.slow
Axe = Callable[[Any], list[str]]
SETTINGS = [(1440, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    gate = Gate(tmp_path_factory.mktemp("gate"), "reading")
    gate.open()
    yield gate
    gate.remove()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, gate: Gate) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("workbench") / "workspace", gate=gate)
    yield server
    server.stop()


def opened(browser: Any, width: int, scheme: str) -> Any:
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    return page


@pytest.mark.parametrize(("width", "scheme"), SETTINGS)
def test_the_workbench(browser: Any, server: Served, gate: Gate, axe: Axe, width: int, scheme: str) -> None:
    page = opened(browser, width, scheme)
    home = f"{server.address}/"
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        found[name] = axe(page)

    page.goto(home)
    look("the list, or the empty page")
    addresses = []
    for _ in range(2):  # two of one test set have a history
        gate.close()
        with server.client() as client:
            made = client.post("/example")
        page.goto(f"{server.address}{made.headers['location']}")
        page.wait_for_selector("section#job progress")
        look("a job")
        gate.open()
        page.wait_for_selector("#summary-title")
        page.wait_for_selector("html[data-ready]")
        addresses.append(page.url)
    look("an evaluation")
    page.click(".since >> text=History")
    page.wait_for_selector("#history-title")
    page.wait_for_selector("html[data-ready]")
    look("the history")
    page.goto(addresses[-1])
    page.locator(".compare button").click()
    page.wait_for_url("**/compare?*")
    page.wait_for_selector("#summary-title")
    look("two systems")
    page.goto(home)
    look("the list and the form")
    for path in (
        "explain",
        "explain?output=the+cat+sat&reference=the+cat+sat+down&metric=bleu",
        "try",
        "evaluations/x",
    ):
        page.goto(f"{home}{path}")
        look(path)
    page.context.close()
    assert {name: complaints for name, complaints in found.items() if complaints} == {}


@pytest.mark.parametrize(("width", "scheme"), SETTINGS)
@pytest.mark.parametrize("protocol", ["da", "mqm", "ranking"])
def test_a_campaign(browser: Any, axe: Axe, tmp_path: Path, protocol: str, width: int, scheme: str) -> None:
    path = written(tmp_path / "c", protocol)
    [token] = [line.rpartition("/r/")[2] for line in tertium("human", "links", str(path)).splitlines() if "/r/" in line]
    server = Campaign(path)
    page = opened(browser, width, scheme)
    page.goto(f"{server.address}/r/{token}")
    page.wait_for_url("**/")
    found = {"the rater's own page": axe(page)}
    page.goto(f"{server.address}/batch/1")
    page.wait_for_selector("html[data-ready]", state="attached")
    found["a batch"] = axe(page)
    page.goto(server.dashboard)
    page.wait_for_url("**/admin")
    found["the dashboard"] = axe(page)
    page.context.close()
    server.stop()
    assert {name: complaints for name, complaints in found.items() if complaints} == {}
