"""Everything leads to its segments: what is clicked says a number, and the list has as many; the address keeps it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tertium as tt

pytestmark = pytest.mark.slow
Read = Callable[..., Any]
OPEN = "(each) => { for (let at = each; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true; }"
MARKS = """(figure) => [...figure.querySelectorAll('.mark-link')].map((each) => each.__data__.datum)"""


def shown(reader: Any) -> int:
    """How many segments the list has, by its own height; the sentence above says the same."""
    rows = round(reader.page.evaluate("parseFloat(document.getElementById('rows').style.height)") / 54)
    if reader.page.locator("#shown").is_visible():
        assert reader.text("#shown-words").startswith(f"{rows} segment{'' if rows == 1 else 's'}: ")
    return int(rows)


def figure(reader: Any, words: str) -> Any:
    """The figure of this title, opened if it is folded, and drawn as wide as it is."""
    found = reader.page.locator("figure.chart", has_text=words).first
    found.evaluate(OPEN)
    found.scroll_into_view_if_needed()
    reader.until(f"document.querySelector('#{found.get_attribute('id')} .plot svg').clientWidth > 300")
    return found


def click(found: Any, k: int) -> None:
    """A real click in the middle of a mark that leads somewhere."""
    mark = found.locator(".mark-link").nth(k)
    mark.scroll_into_view_if_needed()
    mark.click()


def back(reader: Any) -> None:
    reader.page.locator("#back").click()
    reader.until("document.getElementById('shown').hidden")


def test_a_bar_leads_to_its_segments(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    bars = figure(reader, "Segments by the difference")
    data = bars.evaluate(MARKS)
    assert sum(bar["segments"] for bar in data) == 94  # of 96, two of which are tied
    for k, bar in enumerate(data):
        click(bars, k)
        assert shown(reader) == bar["segments"]
        back(reader)
    click(bars, 0)
    assert " less that of delta from " in reader.text("#shown-words")


def test_a_cell_of_the_heat_map_leads_to_its_document(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.drawn()
    cells = figure(reader, "Scores of documents")
    cell = cells.evaluate(MARKS)[-1]
    click(cells, len(cells.evaluate(MARKS)) - 1)
    assert example.testset.documents is not None
    assert shown(reader) == cell["segments"] == list(example.testset.documents).count(cell["document"])
    assert reader.text("#shown-words").endswith(f"document {cell['document']}.")
    assert reader.page.locator("#first option:checked").inner_text() == cell["system"]  # pinned


def test_a_length_leads_to_its_segments(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    points = figure(reader, "Scores of short and long segments")
    data = points.evaluate(MARKS)
    picked = {(row["system"], row["length"]): k for k, row in enumerate(data)}
    for length in dict.fromkeys(row["length"] for row in data):
        k = picked["atlas", length]
        click(points, k)
        assert shown(reader) == data[k]["segments"]
        reader.page.locator("#clear").click()


def test_counts_of_detectors_lead_to_their_segments(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    """All of them, in the table; and a point of the figure."""
    reader = read(example_file)
    reader.drawn()
    reader.page.locator("#errors details.part > summary").first.click()
    found = tt.diagnose(example)
    links = reader.page.locator("#errors td a")
    expected = sum(found.tallies[name, kind].hits > 0 for name in found.systems for kind in found.detectors)
    assert links.count() == expected > 8
    for k in range(links.count()):
        said = int(links.nth(k).inner_text().split()[0])
        links.nth(k).click()
        assert shown(reader) == said
        back(reader)
    links.first.click()
    assert reader.text("#shown-words") == "53 segments: untranslated found in the output of cinder."
    back(reader)
    points = figure(reader, "How often a detector")
    data = points.evaluate(MARKS)
    k = max(k for k, row in enumerate(data) if (row["system"], row["detector"]) == ("delta", "name"))  # the upper one
    click(points, k)
    assert shown(reader) == data[k]["hits"] == found.tallies["delta", "name"].hits


def test_a_word_leads_to_the_segments_that_have_it(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.page.evaluate("document.querySelectorAll('#types details').forEach((each) => { each.open = true; })")
    links = reader.page.locator("#types tbody th a")
    assert links.count() > 20
    stats = {name: example.stats(name, "macrof") for name in ("atlas", "delta")}
    for k in (0, 3, links.count() - 1):
        links.nth(k).evaluate("(each) => each.closest('.table').classList.add('open')")
        word = links.nth(k).inner_text()
        columns = {name: [i for i, column in enumerate(each.columns) if column.partition(":")[2] == word]
                   for name, each in stats.items()}  # fmt: skip
        have = {
            segment for name, each in stats.items()
            for segment in range(96) for column in columns[name] if each.rows.dense()[segment][column] > 0
        }  # fmt: skip
        links.nth(k).click()
        assert shown(reader) == len(have)
        assert f": “{word}” in a reference or in the output of atlas or delta" in reader.text("#shown-words")
        back(reader)


def test_a_contradicted_pair_stands_side_by_side(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    reader.page.locator("#metrics-people td a").first.evaluate(OPEN)
    link = reader.page.locator("#metrics-people td a").first
    row = link.locator("xpath=ancestor::tr")
    preferred, other = row.locator("th, td").all_inner_texts()[:2]
    link.click()
    chosen = [reader.page.locator(f"#{side} option:checked").inner_text() for side in ("first", "second")]
    assert chosen == [preferred, other]
    assert f"{other} better than {preferred} by " in reader.text("#shown-words")
    assert shown(reader) > 0


def test_a_point_of_a_scatter_leads_to_its_system(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    points = figure(reader, "Systems under two metrics")
    system = points.evaluate(MARKS)[2]["system"]
    click(points, 2)
    assert reader.page.locator("#first option:checked").inner_text() == system
    assert reader.page.locator("#sort").input_value() == "score"
    assert shown(reader) == 96


def test_a_regression_opens_beside_the_baseline(read: Read, example: tt.Evaluation, tmp_path: Path) -> None:
    tt.make_report(example, trials=20, baseline="delta").save(tmp_path / "baseline.html")
    reader = read(tmp_path / "baseline.html")
    link = reader.page.locator("#summary tbody th a").first
    segment = link.inner_text()
    link.click()
    assert reader.text("#detail h3") == f"Segment {segment}"
    assert reader.page.locator("#first option:checked").inner_text() == "delta"
    assert reader.page.locator("#detail > .output h4 > bdi").all_inner_texts()[0] == "delta"


def test_marks_are_reached_by_keys(read: Read, example_file: Path) -> None:
    """Tab into a figure, arrows from mark to mark, Enter; back stands where it was."""
    reader = read(example_file)
    reader.drawn()
    bars = figure(reader, "Segments by the difference")
    assert bars.locator("[tabindex='0']").count() == 1  # one stop for Tab, however many marks
    bars.locator("[tabindex='0']").focus()
    reader.page.keyboard.press("End")
    reader.page.keyboard.press("ArrowLeft")
    focused = "document.activeElement.__data__.datum"
    data = bars.evaluate(MARKS)
    assert reader.page.evaluate(f"{focused}.from") == data[-2]["from"]
    assert reader.page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Segments: ")
    assert reader.page.locator("#tooltip").is_visible()
    reader.page.keyboard.press("Enter")
    assert shown(reader) == data[-2]["segments"]
    assert reader.page.evaluate("document.activeElement.id") == "shown"
    back(reader)
    assert reader.page.evaluate(f"{focused}.from") == data[-2]["from"]
    cells = figure(reader, "Scores of documents")
    cells.locator("[tabindex='0']").focus()
    before = reader.page.evaluate(focused)
    reader.page.keyboard.press("ArrowDown")
    after = reader.page.evaluate(focused)
    assert after["document"] == before["document"]
    assert after["system"] != before["system"]
    links = reader.page.locator("#errors td a")
    reader.page.locator("#errors details.part > summary").first.click()
    links.first.focus()
    reader.page.keyboard.press("Enter")
    assert shown(reader) == 53


# The address

STATE = """[...document.querySelectorAll('#controls select, #controls input, #picker select, #pair select')]
  .map((each) => [each.id, each.value])"""


def state(reader: Any) -> Any:
    controls = reader.page.evaluate(STATE)
    return controls, reader.text("#found"), reader.text("#shown"), reader.text("#detail h3")


def test_the_address_keeps_all_of_it(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    first = state(reader)
    page = reader.page
    page.locator("#picker-first").select_option(label="brook")
    page.locator("#picker-second").select_option(label="cinder")
    page.locator("#metric").select_option(label="TER ↓")
    page.locator("#sort").select_option("difference")
    page.locator("#direction").click()
    page.locator('#chips [data-filter="detector number"]').click()
    page.locator("#against").select_option(label="BLEU")
    page.locator("#list").focus()
    page.keyboard.press("j")
    page.locator("#search").fill("e")
    reader.until("location.hash.includes('search=e')")
    kept = state(reader)
    assert kept != first
    pasted = read(example_file, page.evaluate("location.hash"))
    assert state(pasted) == kept
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert state(reader) == kept


def test_the_browsers_buttons_lead_back_and_forth(read: Read, example_file: Path) -> None:
    reader = read(example_file, "#errors")
    states = [state(reader)]
    for value in ("detector number", "detector name", "first"):
        reader.page.locator("#filter").select_option(value)
        states.append(state(reader))
    for _ in range(3):
        reader.page.go_back()
    reader.until("document.getElementById('shown').hidden")
    assert state(reader) == states[0]
    assert reader.page.evaluate("location.hash") == "#errors"
    for expected in states[1:]:
        reader.page.go_forward()
        reader.until(f"document.getElementById('found').textContent === {expected[1]!r}")
        assert state(reader) == expected


def test_an_address_of_another_report_is_told(read: Read, example_file: Path) -> None:
    reader = read(example_file, "#segments?found=unicorns&first=nobody&sort=constructor&metric=__proto__&segment=12345")
    told = "The address asks for what this report does not have: found unicorns."
    assert reader.text("#shown-words") == told
    assert shown_rows(reader) == 96
    reader.page.evaluate("location.hash = '#segments?difference=1..x&word=%3Cb%3E&document=toString'")
    reader.until("document.getElementById('shown-words').textContent.includes('word <b>')")
    reader.page.locator("#clear").click()
    assert not reader.page.locator("#shown").is_visible()


def shown_rows(reader: Any) -> int:
    return round(reader.page.evaluate("parseFloat(document.getElementById('rows').style.height)") / 54)


# Colours and the picker


def test_one_picker_drives_all(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    lines = figure(reader, "Scores of short and long segments")
    assert "atlas" in lines.locator("svg").text_content()
    reader.page.locator("#picker-first").select_option(label="brook")
    reader.page.locator("#picker-second").select_option(label="cinder")
    assert [reader.page.locator(f"#{place}").locator("option:checked").inner_text() for place in
            ("first", "second", "pair-first", "pair-second")] == ["brook", "cinder", "brook", "cinder"]  # fmt: skip
    assert reader.text("#pair-words").startswith("BLEU: brook 26.2, cinder 29.3; cinder is ahead")
    reader.until(f"!document.querySelector('#{lines.get_attribute('id')} svg').textContent.includes('atlas')")
    assert "brook" in lines.locator("svg").text_content()
    assert reader.page.locator("#detail > .output h4 > bdi").all_inner_texts() == ["brook", "cinder"]


def test_a_system_has_one_colour(read: Read, example_file: Path) -> None:
    """In the first chart, tables, the list, charts and head to head; also after another pair was picked."""
    for scheme in ("light", "dark"):
        reader = read(example_file, color_scheme=scheme)
        reader.drawn()
        for _ in range(2):
            dots = reader.page.evaluate(
                """[...document.querySelectorAll('.dot')].map((dot) => [dot.parentElement.textContent.trim(),
                     getComputedStyle(dot).backgroundColor])"""
            )
            points = figure(reader, "Systems under two metrics").evaluate(
                """(figure) => [...figure.querySelectorAll("path.mark-link")].map((each) => [each.__data__.datum.system,
                     getComputedStyle(each).fill])"""
            )
            seen: dict[str, set[str]] = {}
            for name, colour in [*dots, *points]:
                seen.setdefault(name, set()).add(colour)
            assert set(seen) == {"atlas", "brook", "cinder", "delta"}
            assert all(len(colours) == 1 for colours in seen.values())
            assert len(set.union(*seen.values())) == 4
            bars = figure(reader, "Segments by the difference").evaluate(
                "(figure) => [...figure.querySelectorAll('.mark-link')].map((each) => getComputedStyle(each).fill)"
            )
            pair = [reader.page.locator(f"#{side} option:checked").inner_text() for side in ("first", "second")]
            assert set(bars) == {next(iter(seen[name])) for name in pair}
            reader.page.locator("#picker-first").select_option(label="cinder")
            reader.page.locator("#picker-second").select_option(label="brook")
            reader.drawn()
