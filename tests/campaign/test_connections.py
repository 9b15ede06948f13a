"""What a rater's page does with connections that hang, or are away for long; time is the test's own."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.rater import AN_HOUR_AGO, Rater, responses
from tests.campaign.served import Served, tertium
from tests.campaign.written import SYSTEMS, written

from tertium.human.campaign.collection import open_collection

pytestmark = pytest.mark.slow


class Timed(Rater):
    """A page whose clock stands until the test moves it."""

    def __init__(self, context: Any, link: str) -> None:
        context.clock.install()
        super().__init__(context, link)


def test_offline_for_an_hour(context: Any, serving: Any, tmp_path: Path) -> None:
    """The page goes on trying; what was entered first is sent as an hour old."""
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Timed(context, link)
    ages: list[float] = []
    rater.page.on(
        "request", lambda asked: ages.append(json.loads(asked.post_data)["age"]) if asked.method == "PUT" else 0
    )
    context.set_offline(True)
    for value in range(4):
        rater.press("2", str(value), "Enter")
    rater.waits_for("#state[data-state=offline]")
    rater.page.get_by_text("offline, 4 kept here", exact=True).wait_for()
    for _ in range(12):
        rater.page.clock.fast_forward("05:00")
    rater.press("3", "3", "Enter")
    rater.page.get_by_text("offline, 5 kept here", exact=True).wait_for()
    assert responses(path) == {}
    ages.clear()
    context.set_offline(False)
    rater.page.clock.fast_forward("01:00")
    rater.saved()
    assert [body["values"]["da100"] for body in responses(path).values()] == [20, 21, 22, 23, 33]
    assert ages[0] >= 3600
    assert ages[-1] < 3600
    assert rater.complaints == []


def test_a_connection_that_is_cut_and_nobody_told(browser: Any, serving: Any, tmp_path: Path) -> None:
    """A save that is never answered is given up after half a minute, and sent again."""
    context = browser.new_context(locale="en", service_workers="block")  # else it is not asked through `route`
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Timed(context, link)
    held: list[Any] = []
    rater.page.route("**/api/responses/**", lambda route: held.append(route))
    with rater.page.expect_request("**/api/responses/**"):
        rater.press("4", "2", "Enter")
        rater.page.clock.fast_forward(1000)
    rater.waits_for("#state[data-state=saving]")
    rater.page.clock.fast_forward(29_000)
    assert rater.page.locator("#state").get_attribute("data-state") == "saving"
    rater.page.clock.fast_forward(2_000)
    rater.waits_for("#state[data-state=offline]")
    rater.page.unroute("**/api/responses/**")
    rater.page.clock.fast_forward(31_000)
    rater.saved()
    assert responses(path) == {0: {"values": {"da100": 42}}}
    assert rater.complaints == []
    context.close()


def test_a_double_click_is_one(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "adequacy-fluency")
    _, link = serving(path)
    rater = Rater(context, link)
    for item in range(10):
        rater.turn_to(item)
        for scale in ("adequacy", "fluency"):
            rater.page.locator(f"#item-{item} [data-scale={scale}] label").nth(1).dblclick()
    rater.page.locator("#next").dblclick()
    rater.finished()
    assert responses(path) == {item: {"values": {"adequacy": 4, "fluency": 4}} for item in range(10)}
    assert rater.complaints == []


def test_a_very_long_text_is_saved(context: Any, serving: Any, tmp_path: Path) -> None:
    """Browsers refuse to send more than 64 kB for a page that may be left; a text may be longer."""
    path = written(tmp_path / "c", "post-edit", outputs={SYSTEMS[0]: ["short"] * 5})
    _, link = serving(path)
    rater = Rater(context, link)
    text = "很长的文字" * 10_000
    rater.page.locator("#item-0 textarea").fill(text)
    rater.press("Control+Enter")
    rater.saved()
    assert responses(path)[0] == {"text": text}
    assert rater.complaints == []


def test_what_somebody_in_between_says_is_no_answer(browser: Any, serving: Any, tmp_path: Path) -> None:
    """The page of a network that wants to be paid, a proxy that minds one answer: all of them come in afterwards."""
    context = browser.new_context(locale="en", service_workers="block")  # else it is not asked through `route`
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Timed(context, link)
    rater.page.route("**/api/responses/**", lambda route: route.fulfill(body="<h1>Welcome to our hotel</h1>"))
    rater.press("1", "0", "Enter", "2", "0", "Enter", "3", "0", "Enter")
    rater.page.clock.fast_forward(1000)
    rater.page.get_by_text("offline, 3 kept here", exact=True).wait_for()
    rater.page.unroute("**/api/responses/**")
    rater.page.route("**/api/responses/1/1", lambda route: route.fulfill(status=403, body="<h1>Forbidden</h1>"))
    rater.page.clock.fast_forward(31_000)
    rater.page.get_by_text("offline, 1 kept here", exact=True).wait_for()  # nobody waits for the one that is minded
    assert [body["values"]["da100"] for body in responses(path).values()] == [10, 30]
    rater.page.unroute("**/api/responses/1/1")
    rater.page.clock.fast_forward(31_000)
    rater.saved()
    assert [body["values"]["da100"] for body in responses(path).values()] == [10, 20, 30]
    assert rater.complaints == []
    context.close()


AHEAD = AN_HOUR_AGO.replace("at - 3_600_000", "at + 3_600_000")  # entered by a clock that has been put back since


def test_what_was_entered_last_stands_though_the_clock_went_back(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    server, link = serving(path)
    rater = Rater(context, link)
    rater.kept()
    server.kill()
    rater.press("2", "0", "Enter")
    rater.waits_for("#state[data-state=offline]")
    rater.page.evaluate(AHEAD)
    for value in (30, 40):  # each time by another page, which knows what the one before it has kept
        rater.page.reload()
        rater.ready()
        slider = rater.page.locator("#item-0 input[type=range]")
        assert slider.input_value() == str(value - 10)
        slider.focus()
        rater.press(*str(value), "Enter")
    again = Served(path, int(server.address.rpartition(":")[2]))
    rater.saved()
    assert responses(path) == {0: {"values": {"da100": 40}}}
    assert rater.complaints == []
    again.stop()


LID = """() => {  // two hours with the lid closed; a key is the first thing that happens then
    const now = performance.now.bind(performance);
    performance.now = () => now() + 7_200_000;
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "5", bubbles: true }));
}"""


def test_a_closed_lid_is_no_time_at_work(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Rater(context, link)
    rater.page.evaluate(LID)
    rater.press("Enter")
    rater.answered(1)
    rater.saved()
    with open_collection(path, read_only=True) as collection:
        [kept] = collection.standing()
    assert kept.body["values"] == {"da100": 5}
    assert kept.body["seconds"] < 3600


def test_two_raters_of_one_browser(context: Any, tmp_path: Path) -> None:
    """Whoever comes in second has the cookie; what the first one says then is kept until their link is opened."""
    path = written(tmp_path / "c", raters='names = ["eva", "ben"]')
    lines = tertium("human", "links", str(path)).splitlines()[1:]
    with open_collection(path) as collection:
        first = {name: collection.batches_of(name)[0].number for name in ("eva", "ben")}
    server = Served(path)
    links = {line.split()[0]: f"{server.address}/r/{line.rpartition('/')[2].strip()}" for line in lines}
    eva, ben = (Rater(context, links[name], first[name]) for name in ("eva", "ben"))
    eva.press("7", "Enter")
    eva.page.get_by_text("not signed in here any more: ").get_by_text("; 1 kept here").wait_for()
    ben.press("8", "Enter")
    ben.saved()
    eva.page.goto(links["eva"])
    eva.page.wait_for_url("**/")
    eva.waits_for("#state[data-state=saved]", state="attached")
    with open_collection(path, read_only=True) as collection:
        said = {(kept.rater, kept.item): kept.body["values"]["da100"] for kept in collection.standing()}
    assert said == {("eva", 0): 7, ("ben", 0): 8}
    assert eva.complaints == ben.complaints == []
    server.stop()


def test_errors_in_texts_of_ten_thousand_characters(context: Any, serving: Any, tmp_path: Path) -> None:
    """Letters with accents of their own, turned order, and markup, from one end to the other."""
    text = ("<i>e\u0301</i> \u202eab\u202c 👩‍👩‍👧 " * 500)[:10_000] + "e\u0301"
    path = written(tmp_path / "c", "esa", outputs={SYSTEMS[0]: [text] * 5})
    _, link = serving(path)
    rater = Rater(context, link)
    rater.press("Home", "Shift+ArrowRight", "1", "End", "Shift+ArrowLeft", "3")
    rater.page.locator("#item-0 input[type=range]").focus()
    rater.press("5", "Enter")
    rater.answered(1)
    rater.saved()
    spans = [[0, 1, "minor", "", "output"], [len(text) - 2, len(text), "critical", "", "output"]]
    assert responses(path) == {0: {"spans": spans, "values": {"esa": 5}}}
    assert rater.page.locator("#item-0 [data-side=output]").evaluate("(one) => one.textContent") == text
    assert rater.page.locator("#item-0 [data-side=output] *:not(span)").count() == 0
    assert rater.complaints == []
