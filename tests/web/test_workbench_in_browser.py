"""The workbench in a real browser: files dropped, wrong files, progress, cancelling, comparing, exporting, two tabs."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import EXAMPLES
from tests.web.gate import PATIENCE, Gate
from tests.web.served import Served

import tertium as tt

pytestmark = pytest.mark.slow
DROP = """(files) => {
  const transfer = new DataTransfer();
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  for (const { name, text } of files) transfer.items.add(new File([bytes(text)], name));
  return transfer;
}"""
SYSTEMS = ("atlas", "brook", "cinder", "delta")


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    """Open, but for tests that close it."""
    gate = Gate(tmp_path_factory.mktemp("gate"), "counting segments")
    gate.open()
    yield gate
    gate.remove()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, gate: Gate) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("workbench") / "workspace", gate=gate)
    yield server
    server.stop()


class Tab:
    """A tab of the workbench, which notes what goes wrong in it."""

    def __init__(self, context: Any, server: Served) -> None:
        self.page, self.server, self.complaints = context.new_page(), server, list[str]()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.page.on("console", self.said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked(request.url))
        self.page.goto(f"{server.address}/")

    def said(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} {message.location['url']}")

    def asked(self, url: str) -> None:
        if not url.startswith((self.server.address, "data:", "blob:")):
            self.complaints.append(f"asked {url}")

    def drop(self, files: dict[str, bytes]) -> None:
        from base64 import b64encode

        values = [{"name": name, "text": b64encode(data).decode()} for name, data in files.items()]
        transfer = self.page.evaluate_handle(DROP, values)
        self.page.dispatch_event("#drop", "dragover", {"dataTransfer": transfer})
        assert self.page.locator("#drop.over").count() == 1
        self.page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})
        self.page.wait_for_selector("#chosen tbody tr")

    def score(self, *metrics: str) -> None:
        self.page.locator("#upload .others > summary").click()
        for box in self.page.locator("input[name=metric]").all():
            box.set_checked(box.get_attribute("value") in metrics)
        self.page.click("button.main")

    def report(self) -> None:
        """Wait for the report, which comes after the pages that say how far it is."""
        self.page.wait_for_selector("#summary-title")
        self.page.wait_for_selector("html[data-ready]")


def test_the_link_with_the_token_works_on_another_sites_page(browser: Any, tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace", "--host", "0.0.0.0")
    context = browser.new_context()
    page = context.new_page()
    link = f'<a id="link" href="{server.address}">open</a>'
    page.route("http://chat.example/", lambda route: route.fulfill(body=link, content_type="text/html"))
    page.goto("http://chat.example/")
    page.click("#link")
    page.wait_for_selector("#drop")
    assert page.url == server.address.partition("?")[0]  # the token does not stay in the address
    page.reload()
    assert page.locator("#drop").count() == 1
    context.close()
    server.stop()


@pytest.fixture
def tabs(browser: Any, server: Served) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    opened: list[Tab] = []

    def tab() -> Tab:
        opened.append(Tab(context, server))
        return opened[-1]

    yield tab
    context.close()
    for each in opened:
        assert each.complaints == []


def files(*systems: str) -> dict[str, bytes]:
    found = {name: (EXAMPLES / name).read_bytes() for name in ("source.de", "reference.a.en")}
    return found | {f"{name}.en": (EXAMPLES / "systems" / f"{name}.en").read_bytes() for name in systems}


def roles(tab: Tab) -> list[str]:
    return [box.input_value() for box in tab.page.locator("#chosen select").all()]


def test_from_dropped_files_to_the_report_and_back(tabs: Any, tmp_path: Path) -> None:
    tab = tabs()
    tab.drop(files(*SYSTEMS))
    assert roles(tab) == ["source", "reference", *["output"] * 4]
    tab.page.get_by_label("Name of the system in delta.en").fill("Delta & <b>")
    tab.page.locator("#upload input[name=name]").fill("Town notes")
    tab.page.locator("summary", has_text="Options of chrF").click()
    tab.page.locator("#chrf-words").fill("2")
    tab.score("bleu", "chrf")
    tab.page.wait_for_url("**/evaluations/*")
    tab.report()
    assert tab.page.locator(".bench .here").inner_text() == "Town notes"
    first = "document.querySelector('a, button, input, select').textContent"  # before the workbench's bar
    assert tab.page.evaluate(first) == "Skip to the content"
    table = tab.page.locator("#table-1 table")
    assert table.locator("thead th").all_inner_texts() == ["system", "BLEU", "chrf(words=2)"]
    assert set(table.locator("tbody th").all_inner_texts()) == {"atlas", "brook", "cinder", "Delta & <b>"}

    # Two systems beside each other.
    tab.page.locator("select[name=first]").select_option("cinder")
    tab.page.locator("select[name=second]").select_option("atlas")
    tab.page.locator(".compare button").click()
    tab.page.wait_for_url("**/compare?first=cinder&second=atlas")
    tab.report()
    assert tab.page.locator("h1").inner_text() == "cinder and atlas"
    assert tab.page.locator("#table-1 tbody th").all_inner_texts() == ["atlas", "cinder"]
    tab.page.get_by_role("link", name="All systems").click()
    tab.report()

    # Export, report, rename, delete, and in again.
    tab.page.locator(".bench .more > summary").click()
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("link", name="Export the evaluation").click()
    assert waiting.value.suggested_filename == "Town notes.zip"
    waiting.value.save_as(tmp_path / "e.zip")
    assert [str(metric) for metric in tt.load(tmp_path / "e.zip").metrics] == ["bleu", "chrf(words=2)"]
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("link", name="Download the report").click()
    waiting.value.save_as(tmp_path / "r.html")
    assert "Content-Security-Policy" in (tmp_path / "r.html").read_text()
    tab.page.locator(".panel input[name=name]").fill("Village notes")
    tab.page.get_by_role("button", name="Rename").click()
    tab.report()
    assert tab.page.locator(".bench .here").inner_text() == "Village notes"
    tab.page.locator(".bench .more > summary").click()
    tab.page.once("dialog", lambda dialog: dialog.accept())
    tab.page.locator(".panel button.danger").click()
    tab.page.wait_for_selector("#drop")
    assert tab.page.get_by_role("link", name="Village notes").count() == 0
    tab.drop({"e.zip": (tmp_path / "e.zip").read_bytes()})
    tab.score()  # it has its metrics
    tab.report()
    assert tab.page.locator("#table-1 thead th").all_inner_texts() == ["system", "BLEU", "chrf(words=2)"]


def test_wrong_files_are_told_and_can_be_put_right(tabs: Any) -> None:
    tab = tabs()
    tab.page.click("button.main")
    assert tab.page.locator("#error").inner_text().startswith("no file is chosen")
    short = files("atlas") | {"reference.a.en": b"one line\n"}
    tab.drop(short)
    tab.score("bleu")
    tab.page.wait_for_selector("#error:not([hidden])")
    expected = "source.de: 96 lines, but reference.a.en has 1; they must go line by line"
    assert tab.page.locator("#error").inner_text() == expected
    assert "/incoming/" not in tab.page.content()
    tab.drop({"reference.a.en": files()["reference.a.en"]})
    tab.page.wait_for_selector("#chosen tbody tr:nth-child(4)")
    assert tab.page.locator("#chosen tbody th").all_inner_texts()[3] == "2/reference.a.en"
    tab.page.locator("#chosen tbody tr", has_text="reference.a.en").first.get_by_role("button").click()
    assert roles(tab) == ["source", "output", "reference"]
    tab.page.click("button.main")
    tab.report()
    assert [text for text in tab.complaints if "422" not in text] == []
    tab.complaints.clear()  # the browser notes every answer that is an error


def test_tables_are_taken_column_by_column(tabs: Any) -> None:
    tab = tabs()
    names = ("source.de", "reference.a.en", "systems/atlas.en")
    rows = zip(*((EXAMPLES / name).read_text().splitlines() for name in names), strict=True)
    table = "src\tref\tours\n" + "".join("\t".join(row) + "\n" for row in rows)
    tab.drop({"data.tsv": table.encode()})
    assert roles(tab) == ["source", "reference", "output"]
    tab.score("bleu")
    tab.report()
    assert tab.page.locator("#table-1 tbody th").all_inner_texts() == ["ours"]


def test_packed_tables_are_looked_into(tabs: Any) -> None:
    tab = tabs()
    rated = (EXAMPLES / "ratings.tsv").read_bytes()
    table = b"src\tref\tours\none\ttwo\tthree\n"
    tab.drop(
        {
            "judgments.tsv.gz": gzip.compress(rated),
            "x.tsv.bz2": bz2.compress(rated),
            "data.tsv.xz": lzma.compress(table),
        }
    )
    tab.page.wait_for_function("document.querySelectorAll('#chosen select').length === 5")
    assert roles(tab) == ["judgements", "judgements", "source", "reference", "output"]


def test_what_people_said(tabs: Any) -> None:
    tab = tabs()
    tab.drop(files("atlas", "brook") | {"ratings.tsv": (EXAMPLES / "ratings.tsv").read_bytes()})
    assert roles(tab) == ["source", "reference", "output", "output", "judgements"]
    tab.page.locator("#upload .others > summary").click()
    tab.page.locator("#upload summary", has_text="Options of human").click()
    tab.page.locator("#human-scale").fill("adequacy")
    for name in ("chrf", "ter"):
        tab.page.locator(f"#upload input[name=metric][value={name}]").uncheck()
    tab.page.locator("#upload input[name=metric][value=human]").check()
    tab.page.click("button.main")
    tab.report()
    heads = tab.page.locator("#table-1 thead th").all_inner_texts()
    assert heads == ["system", "BLEU", "adequacy (1-5)"]
    tab.page.locator(".compare button").click()
    tab.page.wait_for_url("**/compare?first=atlas&second=brook")
    tab.report()
    assert tab.page.locator("#table-1 thead th").all_inner_texts() == heads


def test_zips_say_themselves_what_they_are(tabs: Any) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in EXAMPLES.rglob("*"):
            if path.is_file() and path.relative_to(EXAMPLES).parts[0] not in (
                "prompting",
                "retrieval",
            ):  # sets of their own
                archive.write(path, f"examples/{path.relative_to(EXAMPLES)}")
    tab = tabs()
    tab.drop({"town.zip": out.getvalue()})
    assert roles(tab) == []
    tab.score("bleu")
    tab.report()
    assert tab.page.locator("#table-1 tbody th").count() == 4


def test_work_can_be_watched_and_cancelled(tabs: Any, gate: Gate) -> None:
    gate.close()
    tab = tabs()
    tab.drop(files("atlas", "brook"))
    tab.score("ter", "meteor")
    tab.page.wait_for_selector("section#job progress")
    tab.page.wait_for_selector("text=counting segments")
    other = tabs()  # the page is quick meanwhile
    other.page.wait_for_selector("tr[data-state=running] .state")
    tab.page.get_by_role("button", name="Cancel").click()
    tab.page.wait_for_selector("text=This was cancelled")
    assert tab.page.get_by_role("button", name="Try again").count() == 1
    other.page.wait_for_selector("tr[data-state=cancelled]")
    gate.open()


def test_two_tabs_at_once(tabs: Any) -> None:
    first, second = tabs(), tabs()
    for tab, systems in ((first, ("atlas", "brook")), (second, ("cinder",))):
        tab.drop(files(*systems))
    first.score("bleu")
    second.score("chrf")
    first.report()
    second.report()
    assert first.page.locator("#table-1 tbody th").all_inner_texts() == ["atlas", "brook"]
    assert second.page.locator("#table-1 tbody th").all_inner_texts() == ["cinder"]
    address = first.page.url
    second.page.goto(address)
    second.page.locator(".bench .more > summary").click()
    second.page.once("dialog", lambda dialog: dialog.accept())
    second.page.locator(".panel button.danger").click()
    second.page.wait_for_selector("#drop")
    first.page.reload()
    assert "was it deleted?" in first.page.locator(".failure").inner_text()
    first.complaints.clear()  # the browser notes the 404


@pytest.mark.parametrize("width", [1440, 1024, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit(browser: Any, server: Served, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab = Tab(context, server)
    tab.drop(files(*SYSTEMS))
    tab.page.locator("summary", has_text="Options of BLEU").click()
    assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    ink, paper = tab.page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    light = [sum(int(part) for part in colour[4:-1].split(",")) for colour in (ink, paper)]
    assert (light[0] < light[1]) == (scheme == "light")
    context.close()


def test_without_javascript(browser: Any, server: Served) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.address}/")
    page.locator("input[name=source]").set_input_files(EXAMPLES / "source.de")
    page.locator("input[name=reference]").set_input_files(EXAMPLES / "reference.a.en")
    page.locator("button.main").click()
    assert (
        page.locator("#error").inner_text() == "no output of a system; send at least one beside source and references"
    )
    page.locator("input[name=reference]").set_input_files(EXAMPLES / "reference.a.en")
    page.locator("input[name=output]").set_input_files([EXAMPLES / f"systems/{name}.en" for name in ("atlas", "brook")])
    page.locator("button.main").click()
    page.wait_for_selector("#summary-title", timeout=PATIENCE * 1000)  # the page asks again by itself
    assert page.locator("#table-1 tbody th").all_inner_texts() == ["atlas", "brook"]
    context.close()


def test_columns_are_filled_in_and_evaluations_compared_over_time(tabs: Any, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    texts = {"source": "source.de", "reference": "reference.a.en", "output atlas": "systems/atlas.en"}
    columns = [(EXAMPLES / name).read_text().splitlines() for name in texts.values()]
    tab = tabs()
    for day, outputs in (("monday", columns[2]), ("tuesday", columns[1])):
        book = openpyxl.Workbook()
        book.active.append(["id", *texts])
        for number, row in enumerate(zip(*columns[:2], outputs, strict=True)):
            book.active.append([number, *row])
        book.save(tmp_path / "table.xlsx")
        tab.page.goto(f"{tab.server.address}/")
        tab.drop({"table.xlsx": (tmp_path / "table.xlsx").read_bytes()})
        said = tab.page.inner_text("#recognised")
        assert said.startswith("By their names, columns are 1 source, 1 reference and 1 system; 1 left out.")
        roles = tab.page.locator("#chosen select").evaluate_all("(all) => all.map((each) => each.value)")
        assert roles == ["ignore", "source", "reference", "output"]
        assert tab.page.locator("#chosen tbody tr:nth-child(4) input").input_value() == "atlas"
        assert columns[1][0] in tab.page.inner_text("#chosen tbody tr:nth-child(3)")
        tab.page.fill("input[name=name]", day)
        tab.score("bleu", "chrf")
        tab.report()
    assert tab.page.inner_text(".since option:checked").startswith("monday, ")  # though there are older ones
    for width in (390, 1024, 1440):  # what "More" opens is on the screen, wherever the line was broken
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.page.locator(".bench .more > summary").click()
        box = tab.page.locator(".bench .panel").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        tab.page.locator(".bench .more > summary").click()
    tab.page.click(".since button")
    tab.page.wait_for_url("**/testsets/*/compare?*")
    tab.report()
    tab.page.wait_for_selector("text=atlas is significantly better by BLEU and chrF.")
    tab.page.click("nav.bench >> text=History")
    tab.page.wait_for_selector("#history-title")
    tab.page.wait_for_selector("html[data-ready]")
    tab.page.wait_for_selector(".panels figure[data-drawn] >> nth=1")
    for width in (390, 1440):
        tab.page.set_viewport_size({"width": width, "height": 900})
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.page.goto(f"{tab.server.address}/")
    first = tab.page.locator(".entries tbody tr").first
    assert "tuesday" in first.inner_text()
    assert "100.0 BLEU" in first.inner_text()
    assert tab.page.locator("#evaluations ~ #new").count() == 1  # the list comes first


def test_the_example_is_tried_from_the_empty_page(browser: Any, tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace")
    context = browser.new_context(viewport={"width": 390, "height": 800})
    tab = Tab(context, server)
    tab.page.click("text=Try the example")
    tab.report()
    tab.page.goto(f"{server.address}/")
    assert "atlas is best" in tab.page.inner_text(".entries .verdict")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    server.stop()
    assert tab.complaints == []


def test_the_page_of_a_computed_score_looks_like_the_others(browser: Any, server: Served) -> None:
    """On a phone in the dark: the field has the page's colours, boxes stand beside their words, texts are not bold."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(f"{server.address}/explain?output=the+cat&reference=the+cat+sat&metric=bleu&other=")
    page.wait_for_selector(".output")
    style = "getComputedStyle(document.querySelector({!r}))"
    assert page.evaluate(f"{style.format('textarea')}.backgroundColor") == page.evaluate(
        f"{style.format('body')}.backgroundColor"
    )
    assert int(page.evaluate(f"{style.format('.output')}.fontWeight")) < 500
    away = """[...document.querySelectorAll("input[type=checkbox]")].map((box) => {
      const words = document.createRange();
      words.selectNodeContents(box.parentElement);
      const [own, all] = [box.getBoundingClientRect(), [...words.getClientRects()].at(-1)];
      return Math.abs((own.top + own.bottom - all.top - all.bottom) / 2); })"""
    assert max(page.evaluate(away)) < 5
    page.close()
