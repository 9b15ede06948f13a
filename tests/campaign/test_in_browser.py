"""Raters in a real browser: whole batches by keyboard alone, offline and back, reloaded, in two tabs."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.rater import AN_HOUR_AGO, Rater, responses
from tests.campaign.served import PATIENCE, Served, tertium
from tests.campaign.written import SYSTEMS, written

from tertium.human.campaign.collection import open_collection
from tertium.io.ratings.formats import read_ratings

pytestmark = pytest.mark.slow
FAMILY = "👩‍👩‍👧"  # five code points that people see as one character
ODD = [f"a {FAMILY} b", "e\u0301te\u0301 ok", "שלום עולם טוב", "plain words here", "<b>x</b> &amp; y"]


VALUES = "all => all.map((one) => one.value)"
CACHED = f"""() => Promise.race([
    caches.open("tertium-pages").then((pages) => pages.keys())
        .then((pages) => pages.map((one) => new URL(one.url).pathname).sort()),
    new Promise((_, fail) => setTimeout(() => fail(new Error("the browser's cache does not answer")), {PATIENCE}000)),
])"""


def test_direct_assessment_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    server, link = serving(path)
    rater = Rater(context, link)
    assert rater.page.locator(".slider.unset").count() == 10  # nothing is set before somebody sets it
    rater.press("Enter")  # cannot go on
    assert rater.page.locator("#item-0 .lack").is_visible()
    wanted = {}
    for item, value in enumerate((75, 0, 100, 8, 42, 51, 99, 60, 33, 1)):
        rater.press(*([] if value == 51 else list(str(value))), *(["ArrowRight"] if value == 51 else []), "Enter")
        wanted[item] = {"values": {"da100": value}}
    rater.finished()
    assert responses(path) == wanted
    server.stop()
    tertium("human", "export", str(path), str(tmp_path / "out.tsv"))
    with open_collection(path) as collection:
        [batch] = collection.plan.batches
        _, said = read_ratings(tmp_path / "out.tsv", testset=collection.campaign.evaluation.testset)
        shown = {
            (item.shown[0].system, item.segment): wanted[k]["values"]["da100"] for k, item in enumerate(batch.items)
        }
    assert {(one.system, one.segment): one.value for one in said} == shown
    assert all(one.duration is not None and one.rater == "eva" for one in said)
    assert rater.complaints == []


def test_adequacy_and_fluency_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "adequacy-fluency")
    _, link = serving(path)
    rater = Rater(context, link)
    for item in range(10):
        rater.press(str(item % 5 + 1), str((item + 2) % 5 + 1), "Enter")
    rater.finished()
    assert responses(path) == {
        item: {"values": {"adequacy": item % 5 + 1, "fluency": (item + 2) % 5 + 1}} for item in range(10)
    }
    assert rater.complaints == []


def test_the_scalar_quality_metric_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "sqm")
    _, link = serving(path)
    rater = Rater(context, link)
    assert rater.page.locator("#item-0 .points li").count() == 7
    for _ in range(10):
        rater.press("6", "7", "Enter")
    rater.finished()
    assert responses(path) == {item: {"values": {"sqm100": 67}} for item in range(10)}


def test_ranking_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "ranking")
    _, link = serving(path)
    rater = Rater(context, link)
    for item in range(5):
        rater.press("2", "1" if item % 2 else "2", "Enter")
    rater.finished()
    assert responses(path) == {item: {"ranks": [2, 1 if item % 2 else 2]} for item in range(5)}
    assert rater.complaints == []


def test_error_spans_in_code_points_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "esa", outputs={SYSTEMS[0]: ODD})
    _, link = serving(path)
    rater = Rater(context, link)
    with open_collection(path, read_only=True) as collection:
        texts = [collection.texts(item)[0] for item in collection.plan.batches[0].items]
    wanted = {}
    for item, text in enumerate(texts):
        right = "ArrowLeft" if text.startswith("ש") else "ArrowRight"  # onward is to the left there
        rater.press(right, right, f"Shift+{right}", "2")
        start = len("e\u0301t") if text.startswith("e\u0301") else 2
        end = start + (5 if FAMILY in text else 2 if text.startswith("e\u0301") else 1)
        spans = [[start, end, "major", "", "output"]]
        if item == 0:  # one more, taken back, and marked otherwise
            rater.press("Home", f"Shift+{right}", "1", "Control+z", "Home", f"Shift+{right}", "3")
            spans.insert(0, [0, 1, "critical", "", "output"])
        rater.press("Tab", "Tab", "Tab", "Tab")
        if rater.page.evaluate("document.activeElement.type") != "range":
            rater.press(*["Tab"] * len(spans))  # past the buttons that remove errors
        assert rater.page.evaluate("document.activeElement.type") == "range"
        rater.press("4", str(item), "Enter")
        wanted[item] = {"spans": spans, "values": {"esa": 40 + item}}
    rater.finished()
    assert responses(path) == wanted
    assert rater.complaints == []


def test_errors_of_a_taxonomy_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "mqm", more='categories = ["Wrong", "Left out"]')
    _, link = serving(path)
    rater = Rater(context, link)
    for item in range(10):
        if item == 0:
            rater.press("Control+Shift+ArrowRight", "1")
            rater.press("Enter", "Enter")  # what it is has not been said: it cannot go on
            assert rater.page.evaluate("document.activeElement.tagName") == "SELECT"
            assert rater.page.get_by_text("Say of every error what it is; then").first.is_visible()
            rater.press("L", "Enter")
            assert rater.page.locator("#item-0 .errors select").input_value() == "Left out"
        if item == 1:  # the second word, without the spaces around it; the first one again, from its end
            rater.press("Control+ArrowRight", "Control+Shift+ArrowRight", "1")
            rater.press("W", "Enter", "Control+ArrowLeft", "Control+Shift+ArrowLeft", "2", "W", "Enter")
        rater.press("Enter")
    rater.finished()
    found = responses(path)
    assert found[0] == {"spans": [[0, 6, "minor", "Left out", "output"]]}
    first, second = [0, 7, "major", "Wrong", "output"], [7, 9, "minor", "Wrong", "output"]
    assert found[1] == {"spans": [first, second]}
    assert [found[item] for item in range(2, 10)] == [{"spans": []}] * 8
    assert rater.complaints == []


def test_post_editing_by_keyboard_alone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "post-edit", outputs={SYSTEMS[0]: ODD})
    _, link = serving(path)
    rater = Rater(context, link)
    with open_collection(path, read_only=True) as collection:
        texts = [collection.texts(item)[0] for item in collection.plan.batches[0].items]
    for item in range(5):
        if item % 2:
            rater.press("Control+End")
            rater.page.keyboard.type(" so ün")
        rater.press("Control+Enter")
    rater.finished()
    assert responses(path) == {item: {"text": text + (" so ün" if item % 2 else "")} for item, text in enumerate(texts)}
    assert rater.complaints == []
    tertium("human", "export", str(path), str(tmp_path / "out.tsv"))
    said = read_ratings(tmp_path / "out.tsv")[1]
    assert [one.scale for one in said] == ["hter"] * 5
    assert [one.value == 0 for one in said] == [True, False, True, False, True]


def test_marked_by_mouse(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "esa", outputs={SYSTEMS[0]: [f"{FAMILY} word"] * 5})
    _, link = serving(path)
    rater = Rater(context, link)
    place = rater.page.locator("#item-0 [data-side=output]")
    place.evaluate("(element) => getSelection().selectAllChildren(element)")  # as a drag over all of it does
    rater.page.click("#item-0 [data-severity=critical]")
    rater.page.locator("#item-0 [data-side=source]").dblclick(position={"x": 5, "y": 8})  # a word
    rater.page.click("#item-0 [data-severity=minor]")
    rater.page.locator("#item-0 input[type=range]").click()  # at its middle, where nothing changes
    rater.saved()
    rater.answered(1)
    rater.saved()
    assert responses(path)[0]["spans"] == [[0, 10, "critical", "", "output"], [0, 6, "minor", "", "source"]]
    assert rater.complaints == []


def test_offline_and_back(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Rater(context, link)
    rater.press("1", "0", "Enter")
    rater.saved()
    context.set_offline(True)
    for _ in range(3):
        rater.press("2", "0", "Enter")
    rater.page.get_by_text("offline, 3 kept here", exact=True).wait_for()
    assert len(responses(path)) == 1
    context.set_offline(False)
    rater.saved()
    assert [body["values"]["da100"] for body in responses(path).values()] == [10, 20, 20, 20]
    assert rater.complaints == []


def test_the_server_dies_and_comes_back(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    server, link = serving(path)
    rater = Rater(context, link)
    server.kill()
    for value in range(10):
        rater.press("5", str(value), "Enter")
    rater.waits_for("#state[data-state=offline]")
    again = Served(path, int(server.address.rpartition(":")[2]))
    rater.finished()  # the page sends again by itself, and then goes on
    assert [body["values"]["da100"] for body in responses(path).values()] == list(range(50, 60))
    again.stop()


def test_reloaded_in_the_middle(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "adequacy-fluency")
    _, link = serving(path)
    rater = Rater(context, link)
    rater.press("5", "4", "Enter", "3")  # half of the second item
    rater.page.reload()
    rater.ready()
    assert rater.page.locator("#item-0 input:checked").evaluate_all("all => all.map((one) => one.value)") == ["5", "4"]
    assert rater.page.locator("#item-1 input:checked").evaluate_all("all => all.map((one) => one.value)") == ["3"]
    rater.press("2", "Enter")  # the other half: the page is where it was
    rater.answered(2)
    rater.saved()
    assert responses(path) == {
        0: {"values": {"adequacy": 5, "fluency": 4}}, 1: {"values": {"adequacy": 3, "fluency": 2}}
    }  # fmt: skip


def test_undone(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Rater(context, link)
    rater.press("7", "Enter")
    rater.saved()
    rater.press("Control+z")
    rater.answered(0)
    rater.saved()
    assert rater.page.locator("#item-0 .slider.unset").count() == 1
    assert responses(path) == {}


def test_two_tabs(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    _, link = serving(path)
    first, second = Rater(context, link), Rater(context, link)
    first.press("1", "0", "Enter")
    first.saved()
    second.page.locator("#item-0 output", has_text="10").wait_for()  # shown there, too
    second.press("3", "0", "Enter")
    second.saved()
    first.press("4", "0", "Enter")
    first.saved()
    found = responses(path)
    assert found[0] == {"values": {"da100": 30}}
    assert found[1] == {"values": {"da100": 40}}
    assert first.complaints == second.complaints == []


def test_hostile_text_does_nothing(context: Any, serving: Any, tmp_path: Path) -> None:
    hostile = [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(2)</script>",
        "' onfocus='alert(3)",
        "\u202eevil",
        "{{7*7}}",
    ]
    for protocol in ("da", "esa", "post-edit"):
        path = written(tmp_path / protocol, protocol, outputs={SYSTEMS[0]: hostile})
        server, link = serving(path)
        rater = Rater(context, link)
        with open_collection(path, read_only=True) as collection:
            texts = [collection.texts(item)[0] for item in collection.plan.batches[0].items]
        place = "textarea" if protocol == "post-edit" else ".side:last-child .text"
        reading = "all => all.map((one) => one.value ?? one.textContent)"
        assert rater.page.locator(place).evaluate_all(reading) == texts, json.dumps(texts)
        assert rater.complaints == []
        server.stop()


def revoke(context: Any, server: Served) -> None:
    """By the dashboard."""
    admin = context.new_page()
    admin.on("dialog", lambda dialog: dialog.accept())
    admin.goto(server.dashboard)
    admin.wait_for_url("**/admin")
    admin.get_by_role("button", name="Revoke").click()
    admin.get_by_role("cell", name="link revoked").wait_for()


def test_a_revoked_link_keeps_what_was_said_here(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    server, link = serving(path)
    rater = Rater(context, link)
    revoke(context, server)
    rater.press("7", "Enter")
    rater.page.get_by_text("not signed in here any more: open your link again, or ask").get_by_text("1 kept").wait_for()
    assert responses(path) == {}
    rater.page.goto(link)
    assert "This link is not valid" in rater.page.content()


def test_the_tutorial_judges_and_keeps_nothing(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    with path.open("a") as file:
        file.write(
            '[[tutorial]]\nsource = "Ja"\noutputs = ["No"]\nfeedback = "The opposite: low."\n'
            "expected = { da100 = [0, 20] }\n"
            '[[tutorial]]\nsource = "Ja"\noutputs = ["Yes"]\nfeedback = "Just so."\n'
        )
    server, link = serving(path)
    rater = Rater(context, link)
    rater.page.goto(f"{server.address}/tutorial")
    rater.ready()
    first, second = rater.page.locator("#item-0 .feedback"), rater.page.locator("#item-1 .feedback")
    rater.press("9", "0")
    assert not first.is_visible()
    rater.press("Enter")  # it does not go on before it has been said what was expected
    first.get_by_text("Expected: 0–20.").wait_for()
    assert first.get_by_text("The opposite: low.").is_visible()
    assert first.get_attribute("data-right") == "false"
    assert rater.page.locator("#item-0.active").count() == 1
    rater.press("Backspace", "7", "Enter")  # changed, so judged again
    first.get_by_text("As expected: 0–20.").wait_for()
    rater.press("Enter")
    assert rater.page.locator("#item-1.active").count() == 1
    rater.press("5")
    rater.page.click("#next")  # the same by mouse
    second.get_by_text("Just so.").wait_for()
    rater.page.click("#next")
    rater.page.wait_for_url("**/")
    assert responses(path) == {}
    assert rater.page.evaluate("localStorage.length") == 0
    assert rater.complaints == []


def test_reloaded_while_the_server_is_away(context: Any, serving: Any, tmp_path: Path) -> None:
    """What was saved, what waits and what was begun are all there, and nothing of it is lost or doubled."""
    path = written(tmp_path / "c", "adequacy-fluency")
    server, link = serving(path)
    rater = Rater(context, link)
    rater.kept()
    rater.press("5", "4", "Enter")
    rater.saved()
    rater.answered(1)
    server.kill()
    rater.press("3", "2", "Enter", "1")  # one more, and half of another
    rater.waits_for("#state[data-state=offline]")
    for _ in range(2):
        rater.page.reload()
        rater.ready()
        assert rater.page.locator("input:checked").evaluate_all(VALUES) == ["5", "4", "3", "2", "1"]
    rater.press("2", "Enter")  # the other half
    rater.answered(3)
    rater.press("Control+z")  # and back
    rater.answered(2)
    rater.press("5", "Enter")
    rater.answered(3)
    rater.page.goto(f"{server.address}/")  # the overview is there, too, and knows what waits
    rater.page.get_by_text("offline, 2 kept here", exact=True).wait_for()
    again = Served(path, int(server.address.rpartition(":")[2]))
    rater.waits_for("#state[data-state=saved]", state="attached")
    said = [(5, 4), (3, 2), (1, 5)]
    assert responses(path) == {k: {"values": {"adequacy": a, "fluency": f}} for k, (a, f) in enumerate(said)}
    rater.page.goto(f"{server.address}/batch/1")
    rater.ready()
    assert rater.page.locator("input:checked").evaluate_all(VALUES) == ["5", "4", "3", "2", "1", "5"]
    assert rater.page.evaluate("localStorage.length") == 0  # the page is newer than all that was kept
    assert rater.complaints == []
    again.stop()


def test_pages_of_a_revoked_link_are_not_shown_again(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    server, link = serving(path)
    rater = Rater(context, link)
    rater.kept()
    assert rater.page.evaluate(CACHED) == ["/", "/batch/1"]
    revoke(context, server)
    rater.page.reload()
    assert rater.page.get_by_text("It may also have been revoked").is_visible()
    assert rater.page.evaluate(CACHED) == []
    server.stop()
    with pytest.raises(Exception, match="ERR_"):
        rater.page.reload()


def test_signed_out_nothing_is_left(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "adequacy-fluency")
    server, link = serving(path)
    rater = Rater(context, link)
    rater.kept()
    server.kill()
    rater.press("5", "4", "Enter")
    rater.waits_for("#state[data-state=offline]")
    rater.page.get_by_role("button", name="Sign out").click()  # not before it is saved
    rater.page.get_by_text("not signed out: 1 kept here must be saved first", exact=True).wait_for()
    again = Served(path, int(server.address.rpartition(":")[2]))
    rater.saved()
    rater.press("3")  # half an answer, which goes
    rater.page.get_by_role("button", name="Sign out").click()
    rater.waits_for("html[data-left]", state="attached")
    assert rater.page.get_by_text("You are signed out.").is_visible()
    assert rater.page.evaluate(CACHED) == []
    assert rater.page.evaluate("localStorage.length") == 0
    assert rater.page.goto(f"{again.address}/batch/1").status == 401
    assert len(responses(path)) == 1
    again.stop()
    with pytest.raises(Exception, match="ERR_"):
        rater.page.reload()


def test_after_the_end_what_was_entered_before_is_taken(context: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    server, link = serving(path)
    rater = Rater(context, link)
    server.kill()
    rater.press("7", "Enter")
    rater.waits_for("#state[data-state=offline]")
    rater.page.evaluate(AN_HOUR_AGO)
    with path.open("a") as file:
        file.write(f"[dates]\nend = {(datetime.now(UTC) - timedelta(minutes=30)).isoformat()}\n")
    again = Served(path, int(server.address.rpartition(":")[2]))
    rater.saved()
    assert responses(path) == {0: {"values": {"da100": 7}}}
    rater.press("8", "Enter")  # too late
    rater.page.get_by_text("1 not taken: This campaign ended").wait_for()
    assert responses(path) == {0: {"values": {"da100": 7}}}
    for address in ("/", "/batch/1"):
        rater.page.goto(f"{again.address}{address}")
        assert rater.page.get_by_text("This campaign ended").is_visible()
    again.stop()
