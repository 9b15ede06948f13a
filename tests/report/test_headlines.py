"""What else is found, on the first screen; and rows of long tables, which come when they are asked for."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.table import Table, numbers, texts
from tertium.report.figures.parts import detectors, outside
from tertium.report.headlines import headlines
from tertium.report.page import FEW, Page, Section, unbroken
from tertium.report.parts import SectionPart, composed
from tertium.report.report import subtitle
from tertium.report.results import Results

from .made_systems import evaluated, references, replaced

LINES = references(60)
CLIPBOARD = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"


def section(name: str, *found: str, folded: bool = False) -> Section:
    return composed(name, name.title(), [SectionPart(finding=said, folded=folded) for said in found])


def test_three_sections_say_what_they_find_in_this_order() -> None:
    shown = [section(name, f"{name}!") for name in ("metrics", "parts", "types", "errors")]
    assert [(each.id, each.sentence) for each in headlines(shown)] == [
        ("errors", "errors!"), ("types", "types!"), ("parts", "parts!"),
    ]  # fmt: skip


def test_what_is_folded_or_says_nothing_is_no_headline() -> None:
    silent, behind = section("errors", ""), section("types", "Behind a line.", folded=True)
    people = composed("metrics-people", "Metrics against people", [], finding="A section's own.", folded=True)
    assert [each.sentence for each in headlines([silent, behind, people])] == ["A section's own."]
    second = section("parts", "", "The second part.")
    assert [each.sentence for each in headlines([second])] == ["The second part."]


def test_of_several_test_sets_each_has_its_verdict() -> None:
    made = [evaluated({"a": replaced(LINES, 0.1, 1), "b": replaced(LINES, 0.3, 2)}, LINES, ["bleu"]) for _ in range(4)]
    page = tt.report_several(made, trials=200).page
    [first] = [each for each in page.sections if each.first]
    found = [(each.id, each.sentence) for each in first.data["headlines"]]
    assert found == [(each.id, each.finding) for each in page.sections if each.id.startswith("set-")]
    assert len(found) == 4


def test_short_names_are_not_cut_at_hyphens() -> None:
    assert unbroken("Online-W, 0.5 and x") == '<span class="unbroken">Online-W,</span> 0.5 and x'
    long = "a-" * 13
    assert unbroken(f"{long} - b- -c") == f"{long} - b- -c"
    assert unbroken("<b>a-b</b>") == '<span class="unbroken">&lt;b&gt;a-b&lt;/b&gt;</span>'


def test_the_line_below_the_title_does_not_repeat_it() -> None:
    evaluation = evaluated({"a": LINES}, LINES, ["bleu"])
    results = Results(evaluation=evaluation)
    about = "60 segments, 1 reference per segment; 1 system, 1 metric"
    assert subtitle(results, None) == about
    assert subtitle(results, "Spring") == f"made: {about}"


def test_what_lies_outside_is_said_once() -> None:
    assert outside(["x"]) == "x lies outside of what is drawn; pick a system to see it."
    assert outside(["x", "y"], ["BLEU", "chrF"]).startswith("x and y lie outside of what is drawn by BLEU and chrF;")


def test_a_detector_that_finds_nothing_anywhere_is_named_not_drawn() -> None:
    outputs = list(LINES)
    outputs[3] = ""
    results = Results(evaluation=evaluated({"a": outputs, "b": LINES}, LINES, ["bleu"]), detectors="empty,repetition")
    [chart] = detectors(results)
    assert chart.note.endswith("Nothing anywhere is found by: repetition.")
    [rows] = chart.chart["datasets"].values()
    assert {row["detector"] for row in rows} == {"empty"}


def long_table(rows: int) -> Page:
    filled: list[list[Any]] = [[f"name {k}", k / 7] for k in range(rows)]
    table = Table(title="Long", columns=[*texts("name"), *numbers("value")], rows=filled, shown=5)
    return Page(title="Tables", sections=[Section(id="one", title="One", tables=[table])])


def test_many_rows_are_packed_and_few_are_not() -> None:
    few, many = long_table(8).html(), long_table(400).html()
    assert len(re.findall("<tr", few)) == 9
    assert '<script type="application/octet-stream" class="rows">' not in few
    assert len(re.findall("<tr", many)) == 6
    assert len(many) - len(few) < 20 * 400 < FEW * 3


@pytest.mark.slow
def test_rows_come_when_they_are_asked_for(read: Any, tmp_path: Path) -> None:
    long_table(400).save(tmp_path / "page.html")
    rows = "document.querySelectorAll('tbody tr').length"
    visible = "[...document.querySelectorAll('tbody tr')].filter((row) => row.offsetHeight).length"
    reader = read(tmp_path / "page.html")
    assert reader.page.evaluate(rows) == 5
    reader.page.locator(".all").click()
    reader.until(f"{visible} === 400")
    assert reader.text(".all") == "Show fewer rows"

    reader = read(tmp_path / "page.html")  # sorted by all rows, not only by those that are shown
    reader.page.locator("thead th:nth-child(2) button").click()
    reader.until(f"{rows} === 400")
    assert reader.text("tbody tr:first-child th") == "name 399"
    assert reader.page.evaluate(visible) == 5

    reader = read(tmp_path / "page.html")
    reader.page.evaluate(CLIPBOARD)
    reader.page.locator("[data-copy=csv]").click()
    reader.until("window.copied")
    found = list(csv.reader(io.StringIO(reader.page.evaluate("window.copied"))))
    assert [row[0] for row in found[1:]] == [f"name {k}" for k in range(400)]
    assert [float(row[1]) for row in found[1:]] == [k / 7 for k in range(400)]


@pytest.mark.slow
def test_headlines_lead_to_their_sections(read: Any, example_file: Path) -> None:
    for width in (1440, 390):
        reader = read(example_file, width=width)
        links = reader.page.locator(".headlines a")
        assert links.count() == 3
        for k in range(3):
            aim = links.nth(k).get_attribute("href")
            links.nth(k).click()
            reader.until(f"location.hash === '{aim}'")
            section = reader.page.locator(aim)
            assert section.is_visible()
            assert section.locator("details.whole").count() == section.locator("details.whole[open]").count()
            said = re.sub(r"\s+", " ", links.nth(k).inner_text().split("\n", 1)[1]).strip()
            assert said in re.sub(r"\s+", " ", section.inner_text())
