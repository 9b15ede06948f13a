"""Pages are staged with links that hold, and what is generated leaves nothing out."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import tertium
from tertium.cli.main import COMMANDS
from tertium.metrics import known

Tool = Callable[[str], ModuleType]


def test_links_out_of_the_docs_lead_to_a_page_or_a_copy(tool: Tool, tmp_path: Path) -> None:
    stage = tool("stage")
    page = stage.DOCS / "howto" / "report.md"
    text = "[a](../../ARCHITECTURE.md#x), [b](../../examples/ratings.tsv), [c](../README.md), [d](#here)\n"
    fenced = "```text\n[e](../../examples/ratings.tsv)\n```\n"
    turned = stage.relinked(text + fenced, page, tmp_path)
    assert turned == (
        "[a](../project/ARCHITECTURE.md#x), [b](../files/examples/ratings.tsv), [c](../index.md), [d](#here)\n" + fenced
    )
    copy = tmp_path / "files" / "examples" / "ratings.tsv"
    assert copy.read_bytes() == (stage.ROOT / "examples" / "ratings.tsv").read_bytes()


@pytest.mark.parametrize("target", ["nowhere.md", "../../../elsewhere", "../../examples"])
def test_a_link_that_leads_nowhere_is_an_error(tool: Tool, tmp_path: Path, target: str) -> None:
    stage = tool("stage")
    with pytest.raises(stage.LinkError, match=rf"^docs/howto/report\.md: {re.escape(target)}: expected a file"):
        stage.relinked(f"[a]({target})", stage.DOCS / "howto" / "report.md", tmp_path)


def test_the_index_is_the_table_of_contents(tool: Tool) -> None:
    stage = tool("stage")
    index = "# All\n\n## Learn\n\n- [one](t/one.md)\n\n## Look up\n\n- [two](r/two.md#x) and [one](t/one.md)\n"
    made = stage.contents(index, {"r/made.md": "Made"})
    trees = re.findall(r"```\{toctree\}\n:hidden:\n:caption: ([^\n]+)\n\n(.*?)\n```", made, re.DOTALL)
    assert trees[:2] == [("Learn", "t/one"), ("Look up", "r/made\nr/two")]
    assert "- [Made](r/made.md)\n- [two]" in made


def test_generated_pages_leave_nothing_out(tool: Tool) -> None:
    made = {place: text for place, (_, text) in tool("generate").pages().items()}
    headings = {place: set(re.findall(r"^## (.*)$", text, re.MULTILINE)) for place, text in made.items()}
    names = {name.replace("\\", "") for name in headings["reference/python-from-code.md"]}
    assert names == set(tertium.__all__)
    assert {name.replace("\\", "") for name in headings["reference/metrics-from-code.md"]} == set(known())
    assert {f"tertium {name}" for name in COMMANDS} <= headings["reference/command-line-from-code.md"]


def test_a_docstring_is_no_markup(tool: Tool) -> None:
    assert tool("generate").prose("a <b> *c* `<d> *e*` [f](g)") == r"a \<b\> \*c\* `<d> *e*` \[f\](g)"
