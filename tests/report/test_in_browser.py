"""The report of the example in a real browser, from file://, with the network refused."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.table import Column, Table
from tertium.inference.scores import scores
from tertium.report.page import Page, Section

pytestmark = pytest.mark.slow
Read = Callable[..., Any]
CLIPBOARD = "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"


def order(reader: Any) -> list[int]:
    """The segments, from 1, that the list shows first."""
    rows = reader.page.evaluate("[...document.querySelectorAll('#rows > div')].map((row) => [row.dataset.at, row.id])")
    return [int(name.removeprefix("row-")) + 1 for _, name in sorted(rows, key=lambda row: int(row[0]))]


def test_everything_is_drawn_without_a_complaint(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    assert reader.page.locator("figure.chart svg").count() == reader.page.locator("figure.chart").count() > 8
    assert reader.page.locator("#hero svg[role=img]").count() == 5  # four metrics and people
    assert reader.page.locator("h2").count() == 11
    assert reader.requests == [example_file.as_uri()]


def test_the_first_chart_is_saved(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    for form, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with reader.page.expect_download() as caught:
            reader.page.locator(f"#hero [data-hero={form}]").click()
        assert caught.value.suggested_filename == f"verdict.{form}"
        content = Path(caught.value.path()).read_bytes()
        assert content.startswith(start)
        assert b"var(--" not in content
        if form == "svg":
            text = content.decode()
            assert all(word in text for word in ("atlas", "delta", "BLEU", "TER", "52.8", "best"))


def test_more_is_told_by_pointer_keyboard_and_touch(read: Read, example_file: Path) -> None:
    reader = read(example_file, has_touch=True)
    page, tip = reader.page, reader.page.locator("#tooltip")
    term = page.locator("#table-1 ~ .note .term, #table-1 .note .term").first
    term.scroll_into_view_if_needed()
    term.hover()
    assert "interval" in tip.inner_text()
    page.mouse.move(2, 2)
    assert not tip.is_visible()
    term.focus()
    assert "interval" in tip.inner_text()
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    term.blur()
    term.tap()
    assert "interval" in tip.inner_text()
    assert term.get_attribute("aria-description")
    page.evaluate("scrollTo(0, 0)")
    page.locator("#hero g[data-tip]").nth(1).hover()
    assert tip.inner_text().startswith("delta: BLEU 44.8, 8.0 behind atlas, simultaneous 95 % interval ")


def test_what_is_folded_opens_by_its_link(read: Read, example_file: Path) -> None:
    reader = read(example_file, "#table-3")
    assert reader.page.locator("#table-3 table").is_visible()
    reader.page.evaluate("location.hash = '#table-2'")
    reader.until("document.getElementById('table-2').checkVisibility()")
    reader.drawn()
    fold = reader.page.locator("#types details", has=reader.page.locator("figure .plot")).first
    fold.locator("summary").click()
    reader.until("document.querySelector('#types details figure svg').clientWidth > 600")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_first_screen_has_verdict_trust_and_chart(read: Read, example_file: Path, width: int, height: int) -> None:
    reader = read(example_file, width=width)
    for part in (".verdict", ".trust", "#hero .hero-panel svg"):
        bottom = reader.page.locator(part).first.evaluate("(each) => each.getBoundingClientRect().bottom")
        assert 0 < bottom <= height, part
    assert reader.page.locator(".panel-choice").is_visible() == (width == 390)
    if width == 390:
        reader.page.locator(".panel-choice button", has_text="TER").click()
        reader.until("document.querySelector('.panel-choice [aria-pressed=true]').textContent.startsWith('TER')")


def test_choosing_a_metric_draws_another_chart(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    figure = reader.page.locator("figure", has_text="Scores of single segments").first
    assert "TER" not in figure.locator("svg").text_content()
    figure.locator("select").select_option("TER ↓")
    figure.locator("svg", has_text=re.compile("TER")).wait_for()


def test_tables_sort_by_value(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    table = reader.page.locator("#table-1 table")
    head = table.locator("thead button", has_text="chrF")
    names = lambda: table.locator("tbody th").all_inner_texts()  # noqa: E731
    head.click()
    assert names() == ["atlas", "delta", "brook", "cinder"]
    assert table.locator("th[aria-sort=descending]").inner_text().strip().startswith("chrF")
    head.click()
    assert names() == ["cinder", "brook", "delta", "atlas"]


def test_tables_are_copied(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.page.evaluate(CLIPBOARD)

    def copied(form: str) -> str:
        reader.page.locator(f"#table-1 [data-copy={form}]").click()
        reader.page.wait_for_selector("#toast.on")
        return str(reader.page.evaluate("window.copied"))

    bleu = {score.system: score.value for score in example.scores() if score.metric == "bleu"}
    lines = [line.split(",") for line in copied("csv").splitlines()]
    further = [f"{head} {name}".strip() for head in ("BLEU", "chrF", "TER ↓") for name in ("", "low", "high", "stars")]
    people = "people's rating (0-100, z)"
    assert ",".join(lines[0]) == ",".join(
        ["system", *further, "MacroF", "MacroF stars", f'"{people}"', f'"{people} stars"']
    )
    assert {line[0]: float(line[1]) for line in lines[1:]} == bleu
    ends = {
        score.system: [f"{score.interval.low:.1f}", f"{score.interval.high:.1f}"]
        for score in scores(example, confidence=0.95, trials=200)
        if score.metric == "bleu" and score.interval
    }
    assert {line[0]: line[2:4] for line in lines[1:]} == ends
    assert copied("markdown").splitlines()[1] == "| :-- | --: | --: | --: | --: | --: |"
    latex = copied("latex").splitlines()
    assert latex[:3] == [r"% \usepackage{booktabs}", r"\begin{tabular}{lrrrrr}", r"\toprule"]
    assert r"TER $\downarrow$" in latex[3]


def test_signatures_are_copied(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.page.evaluate(CLIPBOARD)
    reader.page.locator("#scores details summary").click()
    reader.page.locator("#table-2 .copy-code").first.click()
    assert reader.page.evaluate("window.copied").startswith(example.signatures["bleu"])


@pytest.mark.parametrize(("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_figures_are_saved(read: Read, example_file: Path, form: str, start: bytes) -> None:
    reader = read(example_file)
    reader.drawn()
    with reader.page.expect_download() as caught:
        reader.page.locator(f"#figure-1 [data-save={form}]").click()
    assert caught.value.suggested_filename == f"figure-1.{form}"
    content = Path(caught.value.path()).read_bytes()
    assert content.startswith(start)
    assert b"var(--" not in content


def test_segments_sort_as_python_does(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    page = reader.page
    page.locator("#sort").select_option("score")
    values = {int(s.segment): s.value for s in example.scores("segment") if (s.system, s.metric) == ("atlas", "bleu")}
    worst = sorted(values, key=lambda k: (round(values[k], 2), k))
    assert order(reader)[:8] == worst[:8]
    page.locator("#direction").click()
    assert values[order(reader)[0]] == max(values.values())
    page.locator("#sort").select_option("favouritism")
    favoured = tt.favouritism(example, "atlas", "delta", "bleu")
    assert order(reader)[:8] == (favoured.argsort()[::-1][:8] + 1).tolist()


def test_disagreements_are_pythons(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.page.locator("#sort").select_option("disagreement")
    reader.page.locator("#other").select_option("3")
    expected = tt.disagreements(example, "atlas", "delta", ["bleu", "macrof1"])
    assert order(reader)[:8] == [item.index + 1 for item in expected[:8]]
    assert reader.text("#found").startswith(f"{len(expected)} of 96 segments")


def test_detectors_sort_and_filter(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    found = tt.diagnose(example)
    hit = {k + 1 for name in found.systems for k, mark in enumerate(found.tallies[name, "number"].marks) if mark == 3}
    reader.page.locator("#filter").select_option("detector number")
    assert reader.text("#found").startswith(f"{len(hit)} of 96 segments")
    assert set(order(reader)) <= hit
    assert reader.page.locator("#detail mark").count() > 0


def test_the_largest_difference_comes_first(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    """Whoever is better; both scores stand in the list, and a bar on the side of the better one."""
    reader = read(example_file)
    first, second = (reader.page.locator(f"#{side} option:checked").inner_text() for side in ("first", "second"))
    found = {score.system: [] for score in example.scores()}  # type: ignore[var-annotated]
    for score in example.scores("segment"):
        if score.metric == "bleu":
            found[score.system].append(score.value)
    gaps = [abs(round(a, 2) - round(b, 2)) for a, b in zip(found[first], found[second], strict=True)]
    expected = sorted(range(96), key=lambda k: (-gaps[k], k))
    assert order(reader)[:8] == [k + 1 for k in expected[:8]]
    top = expected[0]
    row = reader.page.locator("#rows > div").first
    assert row.locator(".row-key").inner_text() == f"{found[first][top]:.1f} · {found[second][top]:.1f}"
    assert row.locator(".bar-first" if found[first][top] > found[second][top] else ".bar-second").count() == 1


def test_two_systems_are_pinned_and_the_others_folded(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    names = reader.page.locator("#detail > .output h4 > bdi").all_inner_texts()
    chosen = [reader.page.locator(f"#{side} option:checked").inner_text() for side in ("first", "second")]
    assert names == chosen
    others = reader.page.locator("#detail .others")
    assert others.locator("summary").inner_text() == "2 other systems"
    assert others.locator(".output").count() == 0  # not made before somebody looks
    others.locator("summary").click()
    reader.until("document.querySelectorAll('#detail .others .output').length === 2")
    reader.page.keyboard.press("j")
    reader.until("document.querySelectorAll('#detail .others .output').length === 2")  # they stay open


def test_a_click_filters(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    """Every detector that found something has a button with how many segments it was in."""
    reader = read(example_file)
    found = tt.diagnose(example)
    hit = {k for name in found.systems for k, mark in enumerate(found.tallies[name, "number"].marks) if mark == 3}
    chip = reader.page.locator('#chips [data-filter="detector number"]')
    assert chip.inner_text() == f"number, {len(hit)}"
    chip.click()
    assert reader.text("#found").startswith(f"{len(hit)} of 96 segments")
    assert chip.get_attribute("aria-pressed") == "true"
    assert reader.page.locator("#filter").input_value() == "detector number"
    chip.click()
    assert reader.text("#found").startswith("96 segments")


def test_what_counts_is_drawn_in_the_output(read: Read, example_file: Path) -> None:
    """Under the metric's name, and nowhere else; lines between words where words are aligned."""
    reader = read(example_file, "#segment-5")
    assert reader.page.locator("#detail .hit").count() == 0
    reader.page.locator("#against").select_option(label="BLEU")
    assert reader.page.locator("#detail .hit").count() > 0
    assert "by the longest match" in reader.text("#legend-marks")
    reader.page.locator("#against").select_option(label="TER")
    drawing = reader.page.locator("#detail .drawing").first
    drawing.locator("summary").click()
    reader.until("document.querySelectorAll('#detail .drawing line').length > 3")


def test_search(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.page.locator("#search").fill("LIGHTHOUSE")
    reader.until("document.getElementById('found').textContent.includes(' of 96')")
    assert "lighthouse" in reader.text("#detail").lower()
    reader.page.locator("#search").fill("no text has this")
    reader.until("document.getElementById('found').textContent.startsWith('0 of 96')")
    assert "No segment is left" in reader.text("#detail")


def test_a_deep_link_opens_its_segment(read: Read, example_file: Path) -> None:
    reader = read(example_file, "#segment-57")
    assert reader.text("#detail h3") == "Segment 57"
    assert reader.page.evaluate("document.getElementById('browser').getBoundingClientRect().top < innerHeight")
    reader.page.evaluate("location.hash = '#segment-3'")
    reader.until("document.querySelector('#detail h3').textContent === 'Segment 3'")
    reader.page.evaluate("location.hash = '#segment-9999'")
    assert reader.text("#detail h3") == "Segment 3"


def test_keys(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    page = reader.page
    page.locator("#sort").select_option("segment")
    page.locator("#list").focus()
    for key, segment in (("j", 2), ("j", 3), ("k", 2), ("k", 1), ("k", 1)):
        page.keyboard.press(key)
        assert reader.text("#detail h3") == f"Segment {segment}"
    assert page.evaluate("location.hash") == "#segments?sort=segment&segment=1"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("jk?")
    assert page.locator("#search").input_value() == "jk?"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_words_are_compared(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file, "#segment-1")
    output, references = example.systems[0].outputs[0], example.testset.references[0]
    operations = min(
        (tt.align(output, text, "13a") for text in references), key=lambda found: len(found) - found.count("=")
    )
    block = reader.page.locator("#detail .output").first
    spaced = " ".join(block.locator("ins").all_inner_texts())
    assert len(tt.tokenize(spaced)) == operations.count("S") + operations.count("I")
    assert len(tt.tokenize(" ".join(block.locator("del").all_inner_texts()))) == operations.count(
        "S"
    ) + operations.count("D")
    reader.page.locator("#against").select_option("nothing")
    assert block.locator("p").inner_text() == output
    assert block.locator("ins, del").count() == 0


def test_words_are_aligned_by_meteor(read: Read, aligned: tt.Evaluation, tmp_path: Path) -> None:
    """As many numbered stretches on each side as METEOR counts chunks, and the words that it does not match."""
    tt.make_report(aligned, trials=20).save(tmp_path / "aligned.html")
    reader = read(tmp_path / "aligned.html")
    reader.page.locator("#sort").select_option("segment")
    reader.page.locator("#against").select_option(label="METEOR")
    reader.page.locator("#list").focus()
    stats = aligned.stats("atlas", "meteor")
    for segment in range(5):
        counts = dict(zip(stats.columns, stats.rows[segment].tolist(), strict=True))
        block = reader.page.locator("#detail .output").first
        assert reader.text("#detail .output h4").startswith("atlas")
        chunks = counts["chunks"] or 1  # METEOR has none where everything matches in one
        assert block.locator(".chunk").count() == 2 * chunks
        for kind, side in (("ins", "output"), ("del", "reference")):
            rest = " ".join(block.locator(kind).all_inner_texts()).split()
            assert len(rest) == counts[f"{side}_length"] - counts[f"{side}_matches"]
        reader.page.keyboard.press("j")
    assert reader.text("#legend-marks").startswith("Texts as METEOR reads them.")
    assert {"stem", "synonym"} <= set(reader.page.locator("#legend-marks > span").all_inner_texts())
    reader.page.locator("#against").select_option("reference")
    assert not reader.page.locator("#legend-marks").is_visible()


def test_two_systems_head_to_head(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    said = reader.text("#pair-words")
    assert said.startswith("BLEU: atlas 52.8, delta 44.8; atlas is ahead by 8.0")
    reader.page.locator("#pair-swap").click()
    assert reader.text("#pair-words").startswith("BLEU: delta 44.8, atlas 52.8; atlas is ahead by 8.0")
    reader.page.locator("#pair-metric").select_option("2")
    assert reader.text("#pair-words").startswith("TER: delta 41.7, atlas 34.9; atlas is ahead by 6.8")
    reader.page.locator("#pair-second").select_option(label="delta")
    assert reader.text("#pair-words") == "Choose two different systems."


def test_dark_and_light(read: Read, example_file: Path) -> None:
    def paper(reader: Any) -> int:
        colour = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return int(colour.partition("(")[2].partition(",")[0])

    light, dark = (read(example_file, color_scheme=scheme) for scheme in ("light", "dark"))
    assert paper(light) > 240
    assert paper(dark) < 40
    dark.drawn()
    drawn = dark.page.locator("#figure-1 svg").evaluate("svg => getComputedStyle(svg.querySelector('text')).fill")
    assert int(drawn.partition("(")[2].partition(",")[0]) > 120  # letters are light on dark
    dark.page.locator("#theme").click()
    assert dark.text("#theme") == "Theme: light"
    assert paper(dark) > 240
    dark.page.reload()
    dark.page.wait_for_selector("html[data-ready]")
    assert dark.text("#theme") == "Theme: light"


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_nothing_is_wider_than_the_screen(read: Read, example_file: Path, width: int) -> None:
    reader = read(example_file, width=width)
    reader.drawn()
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= width


def test_controls_have_names(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    kinds = "button, select, input, nav, section, [role=listbox], [role=img], [role=region]"
    nameless = reader.page.evaluate(
        """(kinds) => [...document.querySelectorAll(kinds)].filter((each) => !(
             each.ariaLabel || each.labels?.length || each.textContent.trim() || each.getAttribute("aria-labelledby")
           )).map((each) => each.outerHTML.slice(0, 120))""",
        kinds,
    )
    assert nameless == []
    names = reader.page.evaluate("[...document.querySelectorAll('.tools button')].map((each) => each.ariaLabel)")
    named = [name for name in names if name]
    assert {"Copy table 1 as LaTeX", "Save figure 1 as PNG"} <= set(named)
    assert len(named) == len(set(named))
    reader.drawn()
    # whose parts have roles, but no names; the first chart is a picture with a name for each panel
    marks = (
        "figure.chart .plot:not(.linked) svg:not([aria-hidden=true]), pre[aria-label]:not([role]), "
        "#hero svg[role=img]:not([aria-label])"
    )
    assert reader.page.locator(marks).count() == 0
    ids = reader.page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
    levels = reader.page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((each) => Number(each.tagName[1]))"
    )
    assert all(deeper - level <= 1 for level, deeper in pairwise(levels))


def test_fingers_hit_buttons(read: Read, example_file: Path) -> None:
    """24 pixels, as WCAG 2.2 asks; of heads, whose columns stand apart, the height."""
    reader = read(example_file, width=390)
    reader.page.locator(".contents summary").click()
    low = """[...document.querySelectorAll("button, select, input, summary, .contents a")].filter((each) => {
      const { height } = each.getBoundingClientRect();
      return height > 0 && height < 24; }).map((each) => each.outerHTML)"""
    assert reader.page.evaluate(low) == []


def test_a_very_long_word_does_not_fill_the_screen(read: Read, tmp_path: Path) -> None:
    table = Table(title="Words", columns=[Column("type", "text"), Column("n")], rows=[["w" * 9000, 1], ["short", 2]])
    Page(title="t", sections=[Section(id="one", title="One", tables=[table])]).save(tmp_path / "long.html")
    reader = read(tmp_path / "long.html")
    heights = reader.page.evaluate("[...document.querySelectorAll('tbody tr')].map((row) => row.clientHeight)")
    assert heights[0] < 200
    assert heights[1] < 40
    bottoms = """[...document.querySelectorAll('tbody tr:last-child > *')].map((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return text.getBoundingClientRect().bottom; })"""
    left, right = reader.page.evaluate(bottoms)
    assert left >= right  # on one line: what hides a part of itself stands on its lower edge


def test_lines_between_words_that_go_on_to_the_right_show_it(read: Read, tmp_path: Path) -> None:
    """They are a place that the keyboard can scroll, with a name; where they fit they are none."""
    words = " ".join(f"word{k}" for k in range(9))
    testset = tt.TestSet(segments=1, references=tt.References((tt.Lines.of([words]),), 1))
    found = tt.evaluate(testset, [tt.System(name="a", outputs=tt.Lines.of([f"{words} more"]))], ["meteor"])
    tt.make_report(found, trials=20).save(tmp_path / "lines.html")
    for width, regions in ((390, 1), (1440, 0)):
        reader = read(tmp_path / "lines.html", width=width)
        reader.page.locator("#against").select_option("marks 0")
        reader.page.locator("#detail summary", has_text="Lines between words").first.click()
        reader.until("document.querySelectorAll('.lines line').length === 9")
        found_there = reader.page.locator(".lines[tabindex='0'][role=region][aria-label='Chosen alignment']")
        assert found_there.count() == regions
        assert "gradient" in reader.page.evaluate("getComputedStyle(document.querySelector('.lines')).backgroundImage")


def test_the_keyboard_reaches_the_content(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.textContent") == "Skip to the content"
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.closest('main') !== null")


def test_print(read: Read, example_file: Path) -> None:
    reader = read(example_file, color_scheme="dark")
    reader.drawn()
    reader.page.emulate_media(media="print")
    assert reader.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert not reader.page.locator("#list").is_visible()
    assert not reader.page.locator(".tools button").first.is_visible()
    assert reader.page.locator("#table-1 thead").inner_text().split() == [
        "system",
        "BLEU",
        "chrF",
        "TER",
        "↓",
        "MacroF",
        "people's",
        "rating",
        "(0-100,",
        "z)",
    ]
    assert reader.page.locator("#table-3 .paper-only").text_content() == "The first 12 of 24 rows."
    assert reader.page.locator("figure .choose").first.is_visible()  # which metric it shows
    assert not reader.page.locator("#pair").is_visible()
    assert "On paper" in reader.text("#browser")


def test_every_chart_is_on_paper(example_file: Path, browser: Any) -> None:
    """Also those that nobody has scrolled to, of a browser that was never idle; paper does not wait."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    missing = "document.querySelectorAll('figure.chart:not([hidden]) .plot:not(:has(svg))').length"
    page.add_init_script(f"""window.requestIdleCallback = () => 0;
      addEventListener("afterprint", () => {{ window.missing = {missing}; }});""")
    page.goto(example_file.as_uri())
    page.wait_for_selector("html[data-printable]")
    assert page.evaluate(missing) > 10
    assert page.pdf().startswith(b"%PDF")
    assert page.evaluate("window.missing") == 0
    context.close()


def test_colours_of_systems_are_on_paper_and_no_gaps(read: Read, example_file: Path) -> None:
    reader = read(example_file, width=680)
    reader.drawn()
    reader.page.emulate_media(media="print")
    assert reader.page.evaluate("getComputedStyle(document.querySelector('.dot')).printColorAdjust") == "exact"
    gaps = """[...document.querySelectorAll('figure[data-drawn] .plot')].filter((plot) => plot.checkVisibility()).map(
      (plot) => plot.clientHeight - plot.querySelector('svg').getBoundingClientRect().height)"""
    assert max(reader.page.evaluate(gaps)) < 12


def test_tables_fit_on_paper(read: Read, example_file: Path) -> None:
    reader = read(example_file, width=680)  # A4 less its margins
    reader.page.emulate_media(media="print")
    every = "[...document.querySelectorAll('.scroll, .hero-scroll')]"
    wide = f"{every}.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert (
        reader.page.evaluate(
            "Math.max(...[...document.querySelectorAll('thead')].map((each) => each.rows[0].cells.length))"
        )
        > 9
    )
    assert reader.page.evaluate(wide) == 0


def test_what_is_closed_is_open_on_paper(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    opened = "document.querySelector('#errors details').open"
    assert not reader.page.evaluate(opened)
    reader.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert reader.page.evaluate(opened)
    reader.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not reader.page.evaluate(opened)


def test_without_scripts_words_and_tables_are_there(example_file: Path, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(example_file.as_uri())
    assert "atlas is best" in page.locator("#summary").inner_text()
    assert page.locator("#hero svg[role=img]").count() == 5
    assert "52.8" in page.locator("#table-1").inner_text()
    assert "need JavaScript" in page.locator("main").inner_text()
    context.close()
