"""Reports of the example, and a browser that may not use the network."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tertium as tt

ROOT = Path(__file__).parents[2]
PATIENCE = 300  # seconds after which something hangs; nothing depends on it while nothing does
UNTIL = """new Promise((resolve) => {{
  const look = () => (({expression}) ? resolve(true) : requestAnimationFrame(look));
  setTimeout(() => resolve(false), {patience});
  look();
}})"""


@pytest.fixture(scope="session")
def example() -> tt.Evaluation:
    given = tt.read_testset(ROOT / "examples" / "testset.toml")
    metrics = ["bleu", "chrf", "ter", "macrof1"]
    return tt.evaluate(given.testset, given.systems, metrics, judgements=given.judgements)


@pytest.fixture(scope="session")
def example_file(example: tt.Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "example.html"
    tt.make_report(example, trials=200).save(path)
    return path


@pytest.fixture(scope="session")
def aligned() -> tt.Evaluation:
    """By METEOR, whose alignments can be seen."""
    given = tt.read_testset(ROOT / "examples" / "testset.toml")
    return tt.evaluate(given.testset, given.systems, ["bleu", "meteor"])


class Reader:
    """Somebody who opens a page from the disk and notes what goes wrong."""

    def __init__(self, browser: Any, path: Path, fragment: str = "", **settings: Any) -> None:
        size = {"width": settings.pop("width", 1280), "height": 900}
        self.context = browser.new_context(offline=True, viewport=size, accept_downloads=True, **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{path.as_uri()}{fragment}")
        self.page.wait_for_selector("html[data-ready]")

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    def until(self, expression: str) -> None:
        """Wait until something is so. Playwright's own way evaluates a string, which the page's policy forbids."""
        assert self.page.evaluate(UNTIL.format(expression=expression, patience=PATIENCE * 1000)), expression

    def drawn(self) -> None:
        """Wait until every figure is drawn."""
        self.until("document.querySelectorAll('figure:not([data-drawn])').length === 0")


@pytest.fixture
def read(browser: Any) -> Iterator[Any]:
    """Open pages; whatever a page complains about, and whatever it asks the network for, fails the test."""
    readers: list[Reader] = []

    def reader(path: Path, fragment: str = "", **settings: Any) -> Reader:
        readers.append(Reader(browser, path, fragment, **settings))
        return readers[-1]

    yield reader
    for each in readers:
        each.context.close()
        assert each.complaints == []
        assert [url for url in each.requests if not url.startswith(("file:", "blob:", "data:"))] == []
