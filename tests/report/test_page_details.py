"""Details of pages that are easily lost: words of figures, places of links, what is copied and saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tertium.report.charts import room

Read = Callable[..., Any]


# Figures in words


@pytest.mark.slow
def test_drawn_figures_keep_their_words(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    plots = "[...document.querySelectorAll('.plot')].map((plot) => [plot.getAttribute('role'), plot.ariaLabel])"
    before = reader.page.evaluate(plots)
    reader.drawn()
    assert reader.page.evaluate(plots) == before
    assert all(role == "img" and len(words) > 3 for role, words in before)
    assert reader.page.locator(".plot[aria-roledescription]").count() == 0
    assert "BLEU of 4 systems, from best to worst: atlas is best." in before[0][1]


# Places


def test_room_is_kept_for_axes_and_legends() -> None:
    bare = {"height": 100, "encoding": {"x": {"field": "a", "title": None}, "y": {"field": "b", "title": None}}}
    titled = {"height": 100, "encoding": {"x": {"field": "a"}, "y": {"field": "b"}}}
    named = {"layer": [titled, {"encoding": {"color": {"field": "c"}}}], "height": 100}
    silent = {"layer": [titled, {"encoding": {"color": {"field": "c", "legend": None}}}], "height": 100}
    assert room(bare) < room(titled) == room(silent) < room(named)
    axis = {"labelAngle": -90}
    turned = {"height": 100, "encoding": {"x": {"field": "a", "axis": axis}}, "datasets": {"rows": [{"a": "w" * 20}]}}
    assert room(turned) > 200
    assert room({"hconcat": [], "height": "container"}) > 200


@pytest.mark.slow
def test_nothing_moves_when_figures_are_drawn(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    grown = reader.page.evaluate(
        """[...document.querySelectorAll('.plot')].map((plot) =>
            [plot.parentElement.id, plot.clientHeight - Number(plot.dataset.height)])"""
    )
    assert [(figure, more) for figure, more in grown if more is None or more > 2] == []


@pytest.mark.slow
@pytest.mark.parametrize(("link", "place"), [("#segment-37", "browser"), ("#methods", "methods"), ("#types", "types")])
def test_links_lead_to_their_places(read: Read, example_file: Path, link: str, place: str) -> None:
    reader = read(example_file, link)
    reader.drawn()
    top = f"document.getElementById('{place}').getBoundingClientRect().top"
    last = "innerHeight + scrollY >= document.documentElement.scrollHeight - 1"
    reader.until(f"Math.abs({top} - 16) < 4 || {last}")  # the page's scroll-padding
    assert abs(reader.page.evaluate(top) - 16) < 4


@pytest.mark.slow
def test_a_reader_who_goes_elsewhere_stays_there(read: Read, example_file: Path) -> None:
    reader = read(example_file, "#methods")
    reader.page.evaluate("scrollTo(0, 300)")
    reader.drawn()
    assert reader.page.evaluate("scrollY") == 300
    reader.page.locator(".contents a", has_text="Segments").click()
    reader.until("Math.abs(document.getElementById('segments').getBoundingClientRect().top - 16) < 4")
