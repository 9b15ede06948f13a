"""The notebooks run, and the site that `make docs` has built can be searched without a network."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))

Tool = Callable[[str], ModuleType]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_are_kept_without_outputs(tool: Tool, path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    kept = nbformat.read(path, as_version=4)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert code
    assert not any(cell.outputs or cell.execution_count for cell in code)
    done = tool("notebooks").run(path)
    assert all(cell.execution_count for cell in done.cells if cell.cell_type == "code")


def test_a_notebook_that_fails_ends_the_build(tool: Tool, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    errors = pytest.importorskip("nbclient").exceptions
    broken = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(broken, tmp_path / "broken.ipynb")
    with pytest.raises(errors.CellExecutionError, match="ZeroDivisionError"):
        tool("notebooks").run(tmp_path / "broken.ipynb")


def test_the_site_is_searched_from_the_disk(browser: Any) -> None:
    index = ROOT / "site" / "search.html"
    assert index.is_file(), "make docs builds site/ first"
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{index.as_uri()}?q=bootstrap")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li a", has_text="Bootstrap confidence intervals").count()
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []
    page.close()


WIDER = "() => [...document.querySelectorAll('.table-wrapper')].filter(e => e.scrollWidth > e.clientWidth + 1).length"


def test_no_page_is_wider_than_its_window(browser: Any) -> None:
    """On a phone the page does not move sideways; on a desk the tables of commands are there as a whole."""
    pages = sorted((ROOT / "site").rglob("*.html"))
    assert len(pages) > 50, "make docs builds site/ first"
    page = browser.new_page(viewport={"width": 390, "height": 844})
    wide = []
    for path in pages:
        page.goto(path.as_uri())
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            wide.append(path.name)
    assert wide == []
    page.set_viewport_size({"width": 1440, "height": 900})
    moves = [path for path in pages if path.name.startswith("from-")]
    assert len(moves) >= 4
    for path in moves:
        page.goto(path.as_uri())
        if page.evaluate(WIDER):
            wide.append(path.name)
    assert wide == []
    page.close()
