"""Texts and names that would like to be more than text."""

import dataclasses
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.table import Column, Table
from tertium.report.page import Page, Section

SCRIPT = "<script>hacked=1</script>"
HOSTILE = [
    SCRIPT,
    "</script><script>hacked=2</script>",
    '"><img src=x onerror=hacked=3>',
    "' onmouseover='hacked=4' x='",
    "<svg/onload=hacked=5>",
    "javascript:hacked=6",
    "{{ 7 * 7 }} {% raw %} ${hacked=7}",
    "]]><!--<script>hacked=8//-->",
    "\u202eright to left\u202c \u2066isolated",
    "NUL \x00 bell \x07 unit \x1f escape \x1b[31m delete \x7f",
    "&lt;already&gt; &amp;lt; &#x3c;script&#x3e;",
    "</textarea></style></title><base href=//evil.example>",
    "a\u2028b\u2029c \ufeff \ufffe \U0001f600 \U000e0001",
    "",
    "   ",
    "w" * 30_000,
    "word " * 1_200,
]


@pytest.fixture(scope="module")
def hostile() -> tt.Evaluation:
    n = len(HOSTILE)
    turned = [*HOSTILE[1:], HOSTILE[0]]
    names = [SCRIPT, "javascript:hacked=9", "\u202eemos", 'x" onclick="hacked=10']
    streams = (tt.Lines.of(HOSTILE), tt.Lines.of([None, *HOSTILE[1:]]))
    testset = tt.TestSet(
        name=SCRIPT,
        segments=n,
        sources=tt.Lines.of(turned),
        references=tt.References(streams, n),
        documents=tuple(f"{HOSTILE[k % 9]}{k % 3}" for k in range(n)),
        ids=tuple(f"{k}{HOSTILE[k % 10]}" for k in range(n)),
        labels={SCRIPT: tuple(HOSTILE[k % 7] for k in range(n))},
        source_language="x\" onload='hacked=11'",
        target_language="<de>",
    )
    shifted = [HOSTILE, turned, [None, *turned[1:]], [*HOSTILE[3:], *HOSTILE[:3]]]
    systems = [
        tt.System(name=name, outputs=tt.Lines.of(texts), origin=SCRIPT)
        for name, texts in zip(names, shifted, strict=True)
    ]
    said = [
        tt.Judgement(system=name, segment=k, rater=SCRIPT, scale=SCRIPT, value=float(k))
        for name in names
        for k in range(n)
    ]
    found = tt.evaluate(testset, systems, ["bleu", "ter", "macrof1"], judgements=said)
    return dataclasses.replace(found, warnings=(*found.warnings, SCRIPT))


@pytest.fixture(scope="module")
def hostile_file(hostile: tt.Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    tt.make_report(hostile, title=HOSTILE[1], trials=20).save(path)
    return path


class Elements(HTMLParser):
    """Every element of a page with its attributes, and where scripts have text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_only_the_pages_own_code_is_code(hostile_file: Path) -> None:
    text = hostile_file.read_bytes().decode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
    elements = Elements(text).found
    [policy] = [
        a["content"] for tag, a in elements if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    [nonce] = set(re.findall(r"'nonce-(\w+)'", str(policy)))
    assert "unsafe" not in str(policy)
    assert "default-src 'none'" in str(policy)
    for tag, attributes in elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (tag, attributes)
        assert str(attributes.get("href", "#")).startswith("#")
        assert "src" not in attributes
        if tag in ("script", "style") and attributes.get("type") != "application/octet-stream":
            assert attributes["nonce"] == nonce
    assert {tag for tag, _ in elements} & {
        "img",
        "base",
        "iframe",
        "object",
        "link",
        "textarea",
        "use",
        "image",
    } == set()
    drawings = [attributes.keys() for tag, attributes in elements if tag == "svg"]  # our own, of numbers alone
    ours = {"class", "viewbox", "preserveaspectratio", "aria-hidden", "aria-label", "role", "width", "height", "x", "y"}
    assert set().union(*drawings) <= ours | {"overflow"}
    assert sum(tag == "script" and "nonce" in attributes for tag, attributes in elements) == 10


def test_templates_trust_nothing_but_our_own_files() -> None:
    templates = Path(tt.__file__).parent / "report" / "templates"
    trusted = {word for path in templates.glob("*.html") for word in re.findall(r"\{\{ (\S+)\|safe", path.read_text())}
    assert trusted == {"style", "script"}
    text = "".join(path.read_text() for path in templates.glob("*.html"))
    assert text.count("safe") == 2
    assert "autoescape" not in text


def test_a_frame_of_a_notebook_holds_everything(hostile: tt.Evaluation) -> None:
    frame = tt.make_report(hostile, title=HOSTILE[2], trials=20)._repr_html_()
    [(tag, attributes)] = Elements(frame).found
    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert str(attributes["srcdoc"]).startswith("<!doctype html>")


def test_tables_and_sections_of_other_pages() -> None:
    table = Table(
        title=SCRIPT,
        columns=[Column(SCRIPT, "code"), Column("n")],
        rows=[[SCRIPT, 1.0], ["\u202e", None]],
        note=SCRIPT,
    )
    page = Page(
        title=SCRIPT, subtitle=SCRIPT, sections=[Section(id="one", title=SCRIPT, text=[SCRIPT], tables=[table])]
    )
    assert SCRIPT not in page.html()
    assert page.html().count("&lt;script&gt;hacked=1&lt;/script&gt;") == 11


@pytest.mark.slow
def test_nothing_hostile_runs(read: Callable[..., Any], hostile_file: Path) -> None:
    reader = read(hostile_file)
    reader.drawn()
    for k in range(len(HOSTILE)):
        reader.page.evaluate(f"location.hash = '#segment-{k + 1}'")
        for way in ("reference", "system 1", "nothing"):
            reader.page.locator("#against").select_option(way)
    reader.page.locator("#rows > div").first.hover()
    assert reader.page.evaluate("typeof hacked") == "undefined"
    assert reader.page.title() == HOSTILE[1]


@pytest.mark.slow
def test_hostile_texts_are_shown_as_they_are(read: Callable[..., Any], hostile_file: Path) -> None:
    reader = read(hostile_file, "#segment-2")
    reader.page.locator("#against").select_option("nothing")
    shown = reader.page.locator("#detail .text p").all_inner_texts()
    assert HOSTILE[1] in shown
    reader.page.evaluate("location.hash = '#segment-9'")
    reader.until("document.querySelector('#detail').textContent.includes('[U+202E]right to left[U+202C]')")
    reader.page.evaluate("location.hash = '#segment-10'")
    reader.until("document.querySelector('#detail').textContent.includes('NUL ␀ bell ␇ unit ␟ escape ␛[31m delete ␡')")
    reader.page.evaluate("location.hash = '#segment-16'")
    reader.until("document.querySelector('#detail').textContent.includes('Show all 30000 characters')")
