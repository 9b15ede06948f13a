"""The first screen of every kind of report, by where its parts stand; and how long the example is while closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tertium as tt

from .made_systems import evaluated, rated, references, replaced

pytestmark = pytest.mark.slow
LINES = references(110)
METRICS = ["bleu", "chrf", "ter"]
SCREENS = {1440: 900, 1024: 900, 390: 844}
NINE = {f"system {k}": replaced(LINES, 0.05 + 0.02 * k, k) for k in range(9)}
JUDGED = rated({name: 80 - 5 * k for k, name in enumerate(NINE)}, range(110))


def pages() -> dict[str, Callable[[], Any]]:
    def made(outputs: dict[str, list[str]], metrics: list[str] = METRICS, judged: Any = ()) -> tt.Evaluation:
        return evaluated(outputs, LINES, metrics, judged)

    two = dict(list(NINE.items())[:2])
    forty = {f"system {k}": replaced(LINES, 0.05 + 0.004 * k, k) for k in range(40)}
    return {
        "nine": lambda: tt.make_report(made(NINE, METRICS, JUDGED), trials=400),
        "two": lambda: tt.make_report(made(two), trials=400),
        "one": lambda: tt.make_report(made({"alone": NINE["system 3"]}), trials=400),
        "people": lambda: tt.make_report(made(NINE, ["human"], JUDGED), trials=400),
        "three": lambda: tt.report_several([made(NINE, ["bleu", "chrf"])] * 3, trials=400),
        "forty": lambda: tt.make_report(made(forty), trials=400),
    }


@pytest.mark.parametrize("kind", ["example", *pages()])
def test_verdict_trust_and_chart_are_on_the_first_screen(
    kind: str, read: Any, example_file: Path, tmp_path: Path
) -> None:
    path = example_file
    if kind != "example":
        path = tmp_path / "page.html"
        pages()[kind]().save(path)
    for width, height in SCREENS.items():
        reader = read(path, width=width)
        ends = {
            part: reader.page.locator(part).first.evaluate("(each) => each.getBoundingClientRect().bottom")
            for part in (".verdict", ".trust", "#hero .hero-panel svg")
        }
        assert 0 < ends[".verdict"] < ends[".trust"] < ends["#hero .hero-panel svg"]
        assert ends[".trust"] < 0.6 * height, (width, ends)
        if kind == "forty" and width == 390:  # as many rows as there is room for: the leaders come first
            rows = reader.page.locator("#hero .sys").nth(19)
            assert rows.evaluate("(each) => each.getBoundingClientRect().bottom") <= height
        else:
            assert ends["#hero .hero-panel svg"] <= height, (width, ends)
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width


def test_contents_and_tables_on_narrow_screens(read: Any, example_file: Path) -> None:
    wide = read(example_file, width=1024)
    assert wide.page.locator(".contents ol").is_visible()
    phone = read(example_file, width=390)
    phone.drawn()
    scroll = phone.page.locator("#table-1 .scroll")
    assert scroll.evaluate("(each) => each.scrollWidth > each.clientWidth")
    before, shadow = (scroll.evaluate(f"(each) => {code}") for code in (
        "each.querySelector('tbody th').getBoundingClientRect().left",
        "getComputedStyle(each).backgroundImage",
    ))  # fmt: skip
    assert "gradient" in shadow  # at the side where there is more
    scroll.evaluate("(each) => each.scrollTo(120, 0)")
    assert scroll.evaluate("(each) => each.scrollLeft") == 120
    assert scroll.evaluate("(each) => each.querySelector('tbody th').getBoundingClientRect().left") == before


def test_the_example_is_at_most_nine_screens_long(read: Any, example_file: Path) -> None:
    reader = read(example_file, width=1440)
    reader.drawn()
    assert reader.page.evaluate("document.documentElement.scrollHeight") <= 9 * 900
