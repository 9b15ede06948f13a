"""The check of the built site's links finds what is wrong with them."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Tool = Callable[[str], ModuleType]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<a href="b.html#there">', []),
        ('<a href="https://example.org/x">', []),
        ('<img src="data:image/png;base64,AA">', []),
        ('<a href="c.html">', ["a.html: c.html: no such file"]),
        ('<a href="b.html#gone">', ["a.html: b.html#gone: no such place in it"]),
        ('<a href="#gone">', ["a.html: #gone: no such place in it"]),
        ('<script src="https://example.org/x.js">', ["a.html: https://example.org/x.js: loaded from another host"]),
        (
            '<link rel="stylesheet" href="//example.org/x.css">',
            ["a.html: //example.org/x.css: loaded from another host"],
        ),
    ],
)
def test_what_is_wrong_is_found(tool: Tool, tmp_path: Path, body: str, expected: list[str]) -> None:
    (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>')
    assert tool("links").wrong_links(tmp_path) == expected


@pytest.mark.parametrize(
    "rule", ["@import '//example.org/x.css';", "a { background: url( https://example.org/x.png) }"]
)
def test_styles_load_nothing_from_elsewhere(tool: Tool, tmp_path: Path, rule: str) -> None:
    (tmp_path / "a.css").write_text(f"{rule} b {{ background: url(here.png) }}")
    [found] = tool("links").wrong_links(tmp_path)
    assert found.startswith("a.css: ")
    assert found.endswith(": loaded from another host")
