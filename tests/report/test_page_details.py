"""Details of pages that are easily lost: words of figures, places of links, what is copied and saved."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tertium as tt
from tertium.analysis.explanation import explain
from tertium.core.table import Cell, Column, Table
from tertium.core.wording import number as rounded
from tertium.core.wording import visible
from tertium.metrics import known
from tertium.report.charts import room
from tertium.report.methods import bibtex, methods
from tertium.report.page import Page, Section, asset
from tertium.report.results import Results
from tertium.report.segments import numbers

Read = Callable[..., Any]
CLIPBOARD = "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
WORDS = "the old ferry left for a small town on the green river with letters and bread".split()


def line(k: int) -> str:
    """A sentence of its own for every number."""
    return " ".join(WORDS[(3 * k + 5 * j + k // 7) % len(WORDS)] for j in range(9))


def worse(text: str, every: int) -> str:
    """A text in which every so manyth word is another."""
    return " ".join("instead" if k % every == every - 1 else word for k, word in enumerate(text.split()))


def evaluation(outputs: dict[str, list[str]], references: list[str], metrics: list[str], **more: Any) -> tt.Evaluation:
    """Of systems by name; `NAME@RUN` is a run of a system."""
    systems = [
        tt.System(name=name, outputs=tt.Lines.of(texts), run=name.partition("@")[2] or None)
        for name, texts in outputs.items()
    ]
    n = len(references)
    testset = tt.TestSet(
        name="t", segments=n, sources=None, references=tt.References((tt.Lines.of(references),), n), **more
    )
    return tt.evaluate(testset, systems, metrics)


# Figures in words


@pytest.mark.slow
def test_drawn_figures_keep_their_words(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    plots = "[...document.querySelectorAll('.plot')].map((plot) => [plot.getAttribute('role'), plot.ariaLabel])"
    before = reader.page.evaluate(plots)
    reader.drawn()
    assert all(role in ("img", "group") and len(words) > 3 for role, words in before)
    after = reader.page.evaluate(plots)
    assert [words for _, words in after] == [words for _, words in before]
    assert {role for role, _ in after} == {"img", "group"}  # whose marks lead to segments
    assert reader.page.locator(".plot[aria-roledescription]").count() == 0
    assert "Systems under two metrics." in before[0][1]


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


# Head to head


@pytest.fixture(scope="module")
def runs() -> tt.Evaluation:
    """Two systems with two runs each."""
    lines = [line(k) for k in range(40)]
    every = {"alpha@1": 8, "alpha@2": 4, "beta@1": 3, "beta@2": 2}
    return evaluation({name: [worse(text, k) for text in lines] for name, k in every.items()}, lines, ["chrf", "ter"])


def test_systems_with_runs_are_compared_as_systems(runs: tt.Evaluation) -> None:
    found = numbers(Results(evaluation=runs, trials=20))
    assert found["systems"] == ["alpha@1", "alpha@2", "beta@1", "beta@2"]
    assert found["groups"] == [["alpha", [0, 1]], ["beta", [2, 3]]]
    assert {(pair["first"], pair["second"]) for pair in found["pairs"]} == {("alpha", "beta")}


@pytest.mark.slow
def test_head_to_head_of_runs(read: Read, runs: tt.Evaluation, tmp_path: Path) -> None:
    tt.make_report(runs, trials=20).save(tmp_path / "runs.html")
    reader = read(tmp_path / "runs.html")
    assert reader.page.locator("#pair-first option").all_inner_texts() == ["alpha", "beta"]
    [item] = tt.compare(runs, "chrf", test="bootstrap", trials=20)
    scores = {item.system: item.system_score, item.baseline: item.baseline_score}
    expected = f"chrF: alpha {scores['alpha']:.1f}, beta {scores['beta']:.1f}; alpha is ahead by "
    assert reader.text("#pair-words").startswith(expected)
    assert reader.page.locator("#first option").all_inner_texts() == ["alpha@1", "alpha@2", "beta@1", "beta@2"]
    reader.drawn()
    segment = {(s.system, s.segment): s.value for s in runs.scores("segment") if s.metric == "chrf"}
    gains = [
        segment["alpha@1", k] + segment["alpha@2", k] - segment["beta@1", k] - segment["beta@2", k]
        for k in {k for _, k in segment}
    ]
    bars = reader.page.locator("figure[data-name=head-to-head] .mark-rect path")
    bars.first.hover()
    counts = []
    for k in range(bars.count()):
        bars.nth(k).hover()
        counts.append(int(reader.text("#tooltip").partition("segments: ")[2].partition("\n")[0]))
    assert sum(counts) == sum(gain != 0 for gain in gains) == 40


# Copies

ROWS: list[list[Any]] = [
    ["[bracket]", Cell("52.8 [48.3, 57.0] ***", 52.8125)],
    ["* star", Cell("-1.5 ◆", -1.5)],
    ["a_b & c|d <e> 100 % #1 {x}", -0.25],
    ["~x^2 \\n `q` $5 a--b", math.nan],
    ["≤ ≥ → … – “q” Käse 日本", 3],
    ["=cmd|'/C calc'!A0", Cell("7.0 [-2.0, 9.0]", 7.0)],
    ["+1", 0.5],
    ["-2", 0.5],
    ["@sum", 0.5],
    ["[a](b) &lt;", 0.5],
]
LATEX = r"""% \usepackage{booktabs}
% with LuaLaTeX: \usepackage{fontspec} \setmainfont{a font that has all these letters}
\begin{tabular}{lr}
\toprule
{}*name & score $\downarrow$ \\
\midrule
{}[bracket] & 52.8 [48.3, 57.0] *** \\
{}* star & $-$1.5 $\diamond$ \\
a\_b \& c\textbar{}d \textless{}e\textgreater{} 100 \% \#1 \{x\} & $-$0.25 \\
\textasciitilde{}x\textasciicircum{}2 \textbackslash{}n \textasciigrave{}q\textasciigrave{} \$5 a-\/-b & -- \\
$\leq$ $\geq$ $\rightarrow$ \ldots{} -- “q” Käse 日本 & 3 \\
=cmd\textbar{}'/C calc'!A0 & 7.0 [$-$2.0, 9.0] \\
+1 & 0.50 \\
-2 & 0.50 \\
@sum & 0.50 \\
{}[a](b) \&lt; & 0.50 \\
\bottomrule
\end{tabular}"""
MARKDOWN = r"""| \*name | score ↓ |
| :-- | --: |
| [bracket] | 52.8 [48.3, 57.0] \*\*\* |
| \* star | -1.5 ◆ |
| a\_b \& c\|d \<e> 100 % #1 {x} | -0.25 |
| \~x^2 \\n \`q\` \$5 a--b | – |
| ≤ ≥ → … – “q” Käse 日本 | 3 |
| =cmd\|'/C calc'!A0 | 7.0 [-2.0, 9.0] |
| +1 | 0.50 |
| -2 | 0.50 |
| @sum | 0.50 |
| [a\](b) \&lt; | 0.50 |"""
CSV = """*name,score ↓,score ↓ low,score ↓ high,score ↓ stars,score ↓ mark
[bracket],52.8125,48.3,57.0,***,
* star,-1.5,,,,◆
a_b & c|d <e> 100 % #1 {x},-0.25,,,,
~x^2 \\n `q` $5 a--b,,,,,
≤ ≥ → … – “q” Käse 日本,3,,,,
'=cmd|'/C calc'!A0,7.0,-2.0,9.0,,
'+1,0.5,,,,
'-2,0.5,,,,
'@sum,0.5,,,,
[a](b) &lt;,0.5,,,,"""


@pytest.mark.slow
@pytest.mark.parametrize(("form", "expected"), [("latex", LATEX), ("markdown", MARKDOWN), ("csv", CSV)])
def test_copies_say_what_the_table_says(read: Read, tmp_path: Path, form: str, expected: str) -> None:
    table = Table(title="T", columns=[Column("*name", "text"), Column("score ↓")], rows=ROWS)
    Page(title="t", sections=[Section(id="a", title="A", tables=[table])]).save(tmp_path / "t.html")
    reader = read(tmp_path / "t.html")
    reader.page.evaluate(CLIPBOARD)
    reader.page.locator(f"[data-copy={form}]").click()
    assert reader.page.evaluate("window.copied").splitlines() == expected.splitlines()


# Texts


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: I want
        "क्\u200dष",  # Devanagari
        "\U0001f469\u200d\U0001f680",  # a woman, a rocket: an astronaut
        "\U0001f469\U0001f3fd\u200d\U0001f680 \u2764\ufe0f\u200d\U0001f525",  # with a tone of skin; a heart on fire
    ],
)
def test_joiners_inside_words_are_letters(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("می\u200c", "می\\u200c"),
        ("\u200cمی", "\\u200cمی"),
        ("می\u200c\u200cخواهم", "می\\u200c\\u200cخواهم"),
        ("a\u200db", "a\\u200db"),  # which looks like ab
        ("می \u200dخواهم", "می \\u200dخواهم"),
        ("\u200d", "\\u200d"),
        ("می\u202eخواهم", "می\\u202eخواهم"),
        ("می\u200fخواهم\u2066", "می\\u200fخواهم\\u2066"),
        ("می\u200bخواهم\ufeff", "می\\u200bخواهم\\ufeff"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


# Names and numbers of charts


@pytest.mark.slow
def test_names_that_javascript_knows_already(read: Read, tmp_path: Path) -> None:
    names = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]
    lines = [line(k) for k in range(25)]
    given = evaluation(
        {name: [worse(text, k) for text in lines] for name, k in zip(names, (2, 3, 4, 9, 10), strict=True)},
        lines,
        ["bleu", "macrof1"],
        documents=tuple(names[k % 5] for k in range(25)),
        labels={name: tuple(names[k % 5] for k in range(25)) for name in names[:2]},
    )
    tt.make_report(given, trials=20).save(tmp_path / "names.html")
    reader = read(tmp_path / "names.html")
    reader.drawn()
    labels = reader.page.locator("#figure-2 .role-axis-label text").all_text_contents()  # systems by line
    assert {name.strip() for name in reader.page.locator("#hero .sys").all_text_contents()} == set(names)
    assert {label.strip() for label in labels} >= set(names)
    for number, name in enumerate(names):
        option = reader.page.locator("#filter optgroup[label=document] option", has_text=name).first
        reader.page.locator("#filter").select_option(option.get_attribute("value"))
        assert reader.text("#found").startswith("5 of 25 segments")
        assert reader.text("#detail h3") == f"Segment {number + 1}"


@pytest.mark.slow
def test_two_systems_leave_no_layer_empty(read: Read, tmp_path: Path) -> None:
    """Vega warns of the infinite extent of such a layer, and a warning in the console is a complaint."""
    lines = [line(k) + " and more" * (2 * (k % 4)) for k in range(24)]
    given = evaluation({"a": lines, "b": [worse(text, 3) for text in lines]}, lines, ["bleu", "macrof1"])
    tt.make_report(given, trials=20).save(tmp_path / "two.html")
    reader = read(tmp_path / "two.html")
    reader.drawn()
    assert reader.page.locator("figure", has_text="Scores of short and long segments").count() == 1


# The segment browser


@pytest.mark.slow
def test_labels_are_not_taken_for_others(read: Read, tmp_path: Path) -> None:
    """`a b` = `c` and `a` = `b c` are written alike when they are put together."""
    lines = [line(k) for k in range(30)]
    labels = {
        "a b": tuple("c" if k < 10 else "other" for k in range(30)),
        "a": tuple("b c" if k < 20 else "other" for k in range(30)),
    }
    given = evaluation({"s": [worse(text, 4) for text in lines]}, lines, ["bleu"], labels=labels)
    tt.make_report(given, trials=20).save(tmp_path / "labels.html")
    reader = read(tmp_path / "labels.html")
    for label, value, count in (("a b", "c", 10), ("a", "b c", 20), ("a b", "other", 20), ("a", "other", 10)):
        option = reader.page.locator(f'#filter optgroup[label="{label}"] option', has_text=value)
        reader.page.locator("#filter").select_option(option.get_attribute("value"))
        assert reader.text("#found").startswith(f"{count} of 30 segments")


@pytest.mark.slow
def test_keys_can_be_switched_off(read: Read, example_file: Path) -> None:
    reader = read(example_file)
    page = reader.page
    first, direction = reader.text("#detail h3"), reader.text("#direction")
    page.keyboard.press("j")
    assert reader.text("#detail h3") != first
    page.locator("#help").click()
    page.get_by_label("Keys on").uncheck()
    page.locator("#keys button").click()
    for again in (False, True):
        before = reader.text("#detail h3")
        for key in "jkrs/?":
            page.keyboard.press(key)
        assert reader.text("#detail h3") == before
        assert reader.text("#direction") == direction
        assert page.evaluate("document.activeElement.id") not in ("search", "sort")
        assert not page.locator("#keys").is_visible()
        page.locator("#list").focus()
        page.keyboard.press("ArrowDown")
        assert reader.text("#detail h3") != before
        if not again:  # remembered
            page.reload()
            page.wait_for_selector("html[data-ready]")
    page.locator("#help").click()
    page.get_by_label("Keys on").check()
    page.locator("#keys button").click()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"


# Colours


def brightness(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("paper", ["paper", "panel", "mark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "extra"])
def test_letters_can_be_read(theme: int, paper: str, ink: str) -> None:
    """By WCAG 2.2, 1.4.3: a contrast of 4.5 at least."""
    pairs = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", asset("page.css"))
    colours = {name: both[theme] for name, *both in pairs}
    dark, light = sorted(brightness(colours[name]) for name in (paper, ink))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_saved_figures_have_their_paper(read: Read, example_file: Path, scheme: str) -> None:
    reader = read(example_file, color_scheme=scheme)
    reader.drawn()
    with reader.page.expect_download() as caught:
        reader.page.locator("#figure-1 [data-save=svg]").click()
    svg = Path(caught.value.path()).read_text(encoding="utf-8")
    paper = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    first = next(iter(ElementTree.fromstring(svg)))
    assert first.tag.endswith("}rect")
    assert (first.get("width"), first.get("height"), first.get("fill")) == ("100%", "100%", paper)


# Methods


def procedures(given: tt.Evaluation) -> tuple[dict[str, str], str]:
    """Names and texts of the procedures, and the BibTeX, of a report."""
    data = methods(Results(evaluation=given, trials=30, seed=7)).data
    return {item.name: item.text for item in data["procedures"]}, data["bibtex"]


def test_every_paper_of_a_metric_is_in_the_bibtex() -> None:
    """A year without a title would be lost."""
    for metric in known().values():
        paper = explain(metric).paper
        years = re.findall(r"\((\d{4})\)", paper)
        assert [year for year in years if f"year = {{{year}}}" not in bibtex([paper])] == [], paper
    lines = [line(k) for k in range(5)]
    entries = procedures(evaluation({"s": lines}, lines, ["bleu"]))[1]
    assert "@inproceedings{chen2014," in entries
    assert "@inproceedings{post2018," in entries
    assert "author = {Post, Matt}" in entries


def test_buckets_are_explained_where_they_are_shown() -> None:
    lines = [line(k) + " and more" * (3 * (k % 4)) for k in range(24)]
    outputs = {"one": lines, "two": [worse(text, 3) for text in lines]}
    words, entries = procedures(evaluation(outputs, lines, ["bleu", "macrof1"]))
    assert "words of their references" in words["Lengths"]
    assert "1, 2, 3-5, 6-10, 11-50, 51-200, 201+ times" in words["Frequencies of words"]
    assert "one and two are swapped" in words["Test of words"]
    assert "30 times, seed 7" in words["Test of words"]
    assert "{neubig2019," in entries
    plain, entries = procedures(evaluation(outputs, lines, ["bleu"]))
    assert "Lengths" in plain
    assert not {"Frequencies of words", "Test of words"} & set(plain)
    alike = [line(k) for k in range(24)]
    short, entries = procedures(evaluation({"one": alike}, alike, ["bleu"]))
    assert "Lengths" not in short
    assert "neubig" not in entries


@pytest.mark.parametrize(("value", "text"), [(-0.0, "0.0"), (-0.04, "0.0"), (-0.06, "-0.1"), (float("nan"), "–")])
def test_nothing_is_less_than_nothing(value: float, text: str) -> None:
    assert rounded(value, 1) == text
