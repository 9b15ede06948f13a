"""Every link of a built site leads to a file and a place in it, and no page asks another host for anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("object", "data")}
OUTSIDE = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])(?:https?:)?//[^)'\"]*")


class Page(HTMLParser):
    """What a page points at, what it loads, and the places that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One element."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif (tag, name) in LOADED:
                self.loaded.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)


def read(path: Path) -> Page:
    """A page that was built."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def wrong_links(site: Path) -> list[str]:
    """What is wrong, a sentence each; nothing, one hopes."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        here = path.relative_to(site)
        for target in page.loaded + page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme != "data":
                    wrong.append(f"{here}: {target}: loaded from another host")
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.is_file():
                wrong.append(f"{here}: {target}: no such file")
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].places:
                wrong.append(f"{here}: {target}: no such place in it")
    for sheet in sorted(site.rglob("*.css")):
        found = OUTSIDE.findall(sheet.read_text(encoding="utf-8"))
        wrong += [f"{sheet.relative_to(site)}: {address}: loaded from another host" for address in found]
    return wrong
