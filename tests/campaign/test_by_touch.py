"""Raters with a finger instead of keys and mouse, and texts that run from right to left."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.rater import Rater, responses
from tests.campaign.served import PATIENCE
from tests.campaign.written import SYSTEMS, written

from tertium.human.campaign.collection import open_collection
from tertium.io.ratings.formats import read_ratings

pytestmark = pytest.mark.slow
ARABIC = [
    "رَكِبَ الطِّفْلُ الدَّرَّاجَةَ",  # letters with vowel signs, which are code points of their own
    "القطار 42 يصل غدًا",
    "شكرا 👩‍👩‍👧 جزيلا",
    "كلمة latin كلمة",
    "نعم",
]
HEBREW = ["שָׁלוֹם עוֹלָם", "הרכבת תגיע מחר", "תודה 👩‍👩‍👧 רבה", "מילה latin מילה", "כן"]
# Where the letters of a text are that begin and end at these code points: what a finger would press, and drag to.
LETTERS = """(place, [start, end]) => {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let seen = 0, begun = false;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        let units = 0;
        for (const letter of node.data) {
            if (seen === start) { range.setStart(node, units); begun = true; }
            units += letter.length;
            seen += 1;
            if (seen === end && begun) { range.setEnd(node, units); getSelection().removeAllRanges();
                getSelection().addRange(range); return range.toString(); }
        }
    }
    return null;
}"""


@pytest.fixture
def touched(browser: Any) -> Iterator[Any]:
    """A phone."""
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, device_scale_factor=2, locale="en"
    )
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


def choose(rater: Rater, item: int, side: str, start: int, end: int) -> str:
    """As the handles of a selection are left that a long press makes: a browser without a screen has no handles."""
    place = rater.page.locator(f"#item-{item} [data-side={side}]")
    found: str = place.evaluate(LETTERS, [start, end])
    return found


def test_direct_assessment_by_touch(touched: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    _, link = serving(path)
    rater = Rater(touched, link)
    rater.page.locator("#next").tap()  # cannot go on: the page shows what is missing
    lack = rater.page.locator("#item-0 .lack")
    lack.wait_for()
    seen = lack.bounding_box()
    assert 0 <= seen["y"] <= 800 - seen["height"]
    for block in range(rater.page.locator(".block").count()):
        for slider in rater.page.locator(f"[data-block='{block}'] input[type=range]").all():
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            assert box["height"] >= 24  # what a finger can hit (WCAG 2.2, 2.5.8)
            slider.tap(position={"x": box["width"] * 0.75, "y": box["height"] / 2})
        rater.page.locator("#next").tap()
    rater.finished()
    values = [body["values"]["da100"] for body in responses(path).values()]
    assert len(values) == 10
    assert all(70 <= value <= 80 for value in values)
    assert rater.complaints == []


@pytest.mark.parametrize("protocol", ["adequacy-fluency", "ranking"])
def test_choices_by_touch(touched: Any, serving: Any, tmp_path: Path, protocol: str) -> None:
    path = written(tmp_path / "c", protocol)
    _, link = serving(path)
    rater = Rater(touched, link)
    for block in range(rater.page.locator(".block").count()):
        for choice in rater.page.locator(f"[data-block='{block}'] fieldset").all():
            label = choice.locator("label").last
            rater.page.locator("#next").tap()  # each time to what is missing, on a screen that is shorter than an item
            told = rater.page.locator(".lack:visible").bounding_box()
            box = choice.bounding_box()
            assert 0 <= told["y"] <= box["y"] <= 700
            assert told["y"] + told["height"] <= box["y"] + 1
            assert label.bounding_box()["height"] >= 24
            label.tap()
        rater.page.locator("#next").tap()
    rater.finished()
    expected = {"ranks": [2, 2]} if protocol == "ranking" else {"values": {"adequacy": 1, "fluency": 1}}
    assert list(responses(path).values()) == [expected] * (5 if protocol == "ranking" else 10)
    assert rater.complaints == []


def test_errors_by_touch(touched: Any, serving: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "c", "mqm", more='categories = ["Wrong", "Left out"]', outputs={SYSTEMS[0]: ARABIC})
    _, link = serving(path)
    rater = Rater(touched, link)
    assert choose(rater, 0, "output", 0, 2)
    rater.page.locator("#item-0 [data-severity=major]").tap()
    rater.page.locator("#item-0 .errors select").select_option("Left out")
    assert choose(rater, 0, "source", 0, 6)
    rater.page.locator("#item-0 [data-severity=minor]").tap()
    rater.page.locator("#item-0 .errors select").last.select_option("Wrong")
    for item in range(5):
        rater.turn_to(item)
        rater.page.locator(f"#item-{item} .finished").tap()  # goes on by itself, after the last one to the end
    rater.finished()
    found = responses(path)
    assert found[0]["spans"][1] == [0, 6, "minor", "Wrong", "source"]
    assert found[0]["spans"][0][1:] == [2, "major", "Left out", "output"]
    assert [found[item] for item in range(1, 5)] == [{"spans": []}] * 4
    assert rater.complaints == []


@pytest.mark.parametrize(("language", "texts"), [("ar", ARABIC), ("he", HEBREW)])
def test_spans_from_right_to_left(touched: Any, serving: Any, tmp_path: Path, language: str, texts: list[str]) -> None:
    """By touch: each span is what was chosen, in code points, grown to whole characters as people see them."""
    path = written(tmp_path / "c", "esa", outputs={SYSTEMS[0]: texts})
    testset = tmp_path / "c" / "testset.toml"
    testset.write_text(testset.read_text().replace('target_language = "en"', f'target_language = "{language}"'))
    _, link = serving(path)
    rater = Rater(touched, link)
    with open_collection(path, read_only=True) as collection:
        shown = [collection.texts(item)[0] for item in collection.plan.batches[0].items]
    assert sorted(shown) == sorted(texts)
    wanted = {}
    for item, text in enumerate(shown):
        rater.turn_to(item)
        place = rater.page.locator(f"#item-{item} [data-side=output]")
        place.scroll_into_view_if_needed()
        assert place.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
        assert place.evaluate("(one) => one.textContent") == text
        family = text.find("👩")
        start, end = (family, family + 1) if family >= 0 else (0, 1)  # a part of a character
        assert choose(rater, item, "output", start, end) == text[start:end]
        rater.page.locator(f"#item-{item} [data-severity=minor]").tap()
        whole = 5 if family >= 0 else 1 + next(k for k, letter in enumerate(text[1:]) if not mark(letter))
        quoted = text[start : start + whole]
        assert rater.page.locator(f"#item-{item} .errors bdi").text_content() == quoted
        wanted[item] = [[start, start + whole, "minor", "", "output"]]
        rater.page.locator(f"#item-{item} input[type=range]").tap()
    rater.page.locator("#next").tap()
    rater.finished()
    assert {item: body["spans"] for item, body in responses(path).items()} == wanted
    assert rater.complaints == []


def mark(letter: str) -> bool:
    """Whether it is written over or under the letter before it."""
    import unicodedata

    return unicodedata.category(letter) == "Mn"


def test_the_source_from_right_to_left_by_keyboard(context: Any, serving: Any, tmp_path: Path) -> None:
    """Onward is to the left; what was marked comes out of the export as it was marked."""
    path = written(tmp_path / "c", "esa", outputs={SYSTEMS[0]: ["fine words"] * 5})
    testset = tmp_path / "c" / "testset.toml"
    testset.write_text(testset.read_text().replace('source_language = "de"', 'source_language = "he"'))
    (tmp_path / "c" / "source.de").write_text("".join(f"{line}\n" for line in HEBREW), encoding="utf-8")
    server, link = serving(path)
    rater = Rater(context, link)
    with open_collection(path, read_only=True) as collection:
        items = collection.plan.batches[0].items
        sources = [collection.source(item) for item in items]
    wanted = {}
    for item, source in enumerate(sources):
        rater.press("Shift+Tab", "Home", "Shift+ArrowLeft", "3", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab")
        rater.page.locator(f"#item-{item} input[type=range]").focus()
        rater.press("9", "Enter")
        end = 1 + next(k for k, letter in enumerate(source[1:]) if not mark(letter))
        wanted[item] = {"spans": [[0, end, "critical", "", "source"]], "values": {"esa": 9}}
    rater.finished()
    assert responses(path) == wanted
    server.stop()
    from tests.campaign.served import tertium

    tertium("human", "export", str(path), str(tmp_path / "out.tsv"))
    for one in read_ratings(tmp_path / "out.tsv")[1]:
        [span] = one.spans
        source = HEBREW[one.segment]
        end = 1 + next(k for k, letter in enumerate(source[1:]) if not mark(letter))
        assert (span.side, source[span.start : span.end]) == ("source", source[:end])
    assert rater.complaints == []
