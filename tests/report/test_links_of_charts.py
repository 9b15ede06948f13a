"""Words, frequencies, outputs and answers of raters: a mark of a chart leads to just the segments behind it."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tertium as tt
from tertium.cli.main import cli
from tertium.core.wording import headings
from tertium.report.behind import ends
from tertium.report.figures import raters, scatter
from tertium.report.meta_evaluation import meta_page
from tertium.report.page import beside

from .test_any_size import METRICS, made, said_of_all, saved, small, unpacked  # noqa: F401
from .test_links import MARKS, OPEN, back, click, shown

Read = Callable[..., Any]


def panel(reader: Any, words: str) -> Any:
    """The first figure with these words, one of several side by side perhaps; drawn as wide as it is."""
    found = reader.page.locator("figure.chart", has_text=words).first
    found.evaluate(OPEN)
    found.scroll_into_view_if_needed()
    reader.until(f"document.querySelector('#{found.get_attribute('id')} .plot svg').clientWidth > 120")
    return found


def spread(count: int, most: int = 9) -> list[int]:
    """Some of so many marks, the first and the last among them."""
    return sorted({round(k * (count - 1) / (most - 1)) for k in range(most)})


def leads(reader: Any, found: Any, k: int, expected: int, *, free: bool = True) -> str:
    """What is said of the segments behind a mark, after a click where nothing lies on it; the list has as many as
    expected."""
    if free:
        click(found, k)
    else:
        reader.page.evaluate("(href) => tertium.go(href, document.body)", found.evaluate(MARKS)[k]["href"])
    assert shown(reader) == expected
    words = reader.text("#shown-words")
    address = reader.page.evaluate("location.hash")
    back(reader)
    reader.page.evaluate("(address) => { location.hash = address; }", address)
    reader.until("!document.getElementById('shown').hidden")
    assert shown(reader) == expected  # the address alone says it, too
    reader.page.locator("#clear").click()
    return str(words)


def counted(example: tt.Evaluation, system: str, word: str, side: str) -> set[int]:
    """The segments that have a word, as the statistics say it."""
    stats = example.stats(system, "macrof")
    places = [k for k, column in enumerate(stats.columns) if column == f"{side}:{word}"]
    return {k for k, row in enumerate(stats.rows.dense()) if any(row[place] > 0 for place in places)}


@pytest.mark.slow
def test_a_type_leads_to_the_side_that_has_it(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.drawn()
    found = panel(reader, "Times that a type comes")
    data = found.evaluate(MARKS)
    ranks = [k for k, row in enumerate(data) if "rank" in row]
    assert len(ranks) > 100
    last = data[-1]  # on which nothing lies
    assert leads(reader, found, len(data) - 1, len(counted(example, last["whose"], last["type"], "output")))
    seen = set()
    for place in spread(len(ranks), 7):
        k = ranks[place]
        row, whose = data[k], data[k]["whose"]
        side, system = ("reference", "atlas") if whose == "references" else ("output", whose)
        have = counted(example, system, row["type"], side)
        assert 0 < len(have) <= row["times"]
        reader.page.evaluate("(href) => tertium.go(href, document.body)", row["href"])  # marks lie on one another
        assert shown(reader) == len(have)
        assert reader.text("#shown-words").startswith(
            f"{len(have)} segment{'' if len(have) == 1 else 's'}: “{row['type']}” in "
        )
        seen.add(whose)
        back(reader)
    assert len(seen) > 1


@pytest.mark.slow
def test_a_frequency_leads_to_segments_with_such_words(read: Read, example_file: Path, example: tt.Evaluation) -> None:
    reader = read(example_file)
    reader.drawn()
    found = panel(reader, "Mean F of types")
    data = found.evaluate(MARKS)
    front = {(row["system"], row["bucket"]): k for k, row in enumerate(data) if "bucket" in row}
    stats = example.stats("atlas", "macrof")
    assert stats.types is not None
    dense, size = stats.rows.dense(), len(stats.types)
    times = dense[:, size : 2 * size].sum(axis=0)
    for (system, bucket), k in front.items():
        if system != "atlas":
            continue
        low, *rest = [int(end) for end in re.findall(r"\d+", bucket)]
        high = rest[0] if rest else low
        own = (times >= low) & ((times <= high) | bucket.endswith("+"))
        have = ((dense[:, :size] + dense[:, size : 2 * size]) * own).sum(axis=1) > 0
        assert data[k]["segments"] == have.sum() > 0
        words = leads(reader, found, k, int(have.sum()), free=False)
        assert "in a reference or in the output of atlas" in words


@pytest.mark.slow
@pytest.mark.parametrize("most", [300, 1000])
def test_outputs_lead_to_their_segments(
    read: Read, example: tt.Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """As squares, and as points."""
    monkeypatch.setattr(scatter, "POINTS", most)
    tt.make_report(example, trials=20).save(tmp_path / "report.html")
    reader = read(tmp_path / "report.html")
    reader.drawn()
    found = panel(reader, "Single outputs by metric and by people")
    data = found.evaluate(MARKS)
    assert sum(row["outputs"] for row in data) == 384
    assert all(row["segments"] <= row["outputs"] for row in data)
    busy = sorted(range(len(data)), key=lambda k: -data[k]["outputs"])[:2]
    free = [k for k in spread(len(data), 5) if most == 300] + busy
    for k in free:
        words = leads(reader, found, k, data[k]["segments"])
        assert re.search(r"an output with BLEU .* and people's rating .*\.$", words)
    found.locator("[tabindex='0']").focus()
    reader.page.keyboard.press("End")
    reader.page.keyboard.press("Enter")
    assert shown(reader) == data[-1]["segments"]


@pytest.mark.slow
def test_answers_of_a_rater_lead_to_their_segments(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    found = panel(reader, "rater 1: ")
    data = found.evaluate(MARKS)
    assert len(data) > 8
    for k in spread(len(data)):
        words = leads(reader, found, k, data[k]["segments"])
        assert f", given to {data[k]['system']} by rater " in words
    first = data[0]["system"], data[0]["of"]
    assert data[0]["segments"] <= data[0]["said"] <= first[1]


@pytest.mark.slow
def test_a_system_beside_people_leads_to_its_segments(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    reader.drawn()
    for title in ("Systems by metric and by people", "Scores of single segments"):
        found = panel(reader, title)
        data = found.evaluate(MARKS)
        click(found, len(data) - 1)
        assert reader.page.locator("#first option:checked").inner_text() == data[-1]["system"]
        assert reader.page.locator("#sort").input_value() == "score"
        reader.page.go_back()
        reader.until("location.hash === ''")


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_charts_of_a_page_that_does_not_hold_all(read: Read, tmp_path: Path) -> None:
    """How many there are of all, and how many of them are here; after the rest was opened, as many as were said."""
    evaluation = made(metrics=[*METRICS, "macrof"])
    judgements = [
        tt.Judgement(system=name, segment=k, rater=f"r{k % 2}", scale="da100", value=float((37 * k + 11 * s) % 101))
        for s, name in enumerate(system.name for system in evaluation.systems)
        for k in range(160)
    ]
    page = saved(replace(evaluation, judgements=tuple(judgements)), tmp_path / "report.html")
    assert len(unpacked(page, "numbers")["whole"]["links"]) > 50
    reader = read(page)
    reader.drawn()
    found = {}
    for title in ("Single outputs by metric", "rater 1: ", "Mean F of types"):
        marks = panel(reader, title)
        data = marks.evaluate(MARKS)
        for k in spread(len(data), 6):
            if data[k].get("segments", 160) < 160:
                reader.page.evaluate("(href) => tertium.go(href, document.body)", data[k]["href"])
                every, _ = said_of_all(reader)
                assert every == data[k]["segments"]
                found[data[k]["href"]] = every
                back(reader)
    assert len(found) > 6
    reader.page.locator("#beside-file").set_input_files(beside(page))
    reader.until("document.getElementById('beside-said').textContent.startsWith('All 160 segments are open')")
    for href, every in found.items():
        reader.page.evaluate("(href) => tertium.go(href, document.body)", href)
        assert shown(reader) == every


@pytest.mark.slow
def test_points_of_few_shot_curves_lead_to_their_setting(read: Read, tmp_path: Path) -> None:
    """Four numbers of demonstrations, four marks: neither the band, the line nor the rings of seeds lead anywhere."""
    done = CliRunner().invoke(cli, ["prompt", "demo", "-m", "chrf", "-o", str(tmp_path / "demo.html")])
    assert done.exit_code == 0
    reader = read(tmp_path / "demo.html")
    reader.drawn()
    curve = panel(reader, "D/en/break/random")
    assert [row["shots"] for row in curve.evaluate(MARKS)] == ["0", "1", "3", "5"]
    for k, first in ((2, "D/en/break/3-random@1"), (0, "D/en/break")):
        click(curve, k)
        chosen = reader.page.locator("#first option:checked")
        assert (chosen.inner_text(), shown(reader)) == (first, 30)
        assert reader.page.locator("#sort").input_value() == "score"
    reader.page.go_back()
    reader.until("document.querySelector('#first option:checked').textContent === 'D/en/break/3-random@1'")


def test_a_page_without_segments_leads_nowhere(example: tt.Evaluation) -> None:
    judged = tt.add_metrics(example, "human")
    result = tt.meta_evaluate(judged, "human", trials=100)
    page = meta_page([result], headings(judged.metrics), ["about"], trials=20)
    charts = [chart for section in page.sections for chart in section.charts]
    assert len(charts) > 2
    chart = raters.rater_histograms("adequacy", example.judgements, ["atlas", "brook"])
    assert chart is not None
    for each in [*charts, chart]:
        assert '"href"' not in str(each.specifications()).replace("'", '"')


def test_ends_are_read_as_they_were() -> None:
    """Every number comes back as it was; what has no end says so."""
    for low, high in ((0.1, 0.30000000000000004), (1e-7, 12345678.25), (-3.5, 100.0)):
        assert [float(end) for end in ends(low, high).split("..")] == [low, high]
    assert ends(float("-inf"), 10.0) == "-Infinity..10"
    assert ends(90.0, float("inf")) == "90..Infinity"
