"""The Markdown of docs/, staged for Sphinx: links that leave docs/ lead to a copy, the index becomes the contents."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROJECT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")  # pages of the repository's root that the site has

FENCE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[[^\]\n]*(?:\n[^\]\n]*)?\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


class LinkError(Exception):
    """A link that leads nowhere on the site."""


def place_of(path: Path) -> PurePosixPath:
    """Where a file of the repository stands among the staged sources."""
    if path == DOCS / "README.md":
        return PurePosixPath("index.md")
    if path.is_relative_to(DOCS):
        there = PurePosixPath(path.relative_to(DOCS).as_posix())
        return there.with_suffix(".md") if there.suffix == ".ipynb" else there
    inside = path.relative_to(ROOT).as_posix()
    return PurePosixPath("project", inside) if inside in PROJECT else PurePosixPath("files", inside)


def relinked(text: str, page: Path, staging: Path) -> str:
    """The text with its links as they stand on the site; what is in fences is left alone."""
    here = place_of(page).parent

    def turn(found: re.Match[str]) -> str:
        opening, target, closing = found.groups()
        if re.match(r"[a-z]+:", target):
            return found[0]
        there = (page.parent / target).resolve()
        if not there.is_file() or not there.is_relative_to(ROOT):
            raise LinkError(f"{page.relative_to(ROOT)}: {target}: expected a file of the repository")
        place = place_of(there)
        if place.parts[0] == "files":
            (staging / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(there, staging / place)
        return f"{opening}{os.path.relpath(place, here)}{closing}"

    parts = FENCE.split(text)
    return "".join(part if number % 2 else LINK.sub(turn, part) for number, part in enumerate(parts))


def write(staging: Path, place: PurePosixPath, text: str) -> None:
    """A staged source."""
    (staging / place).parent.mkdir(parents=True, exist_ok=True)
    (staging / place).write_text(text, encoding="utf-8")


def contents(index: str, generated: dict[str, str]) -> str:
    """The index with a hidden table of contents behind every part, in the order of its links.

    What is made from the code stands among what one looks up; on a code host there is no such page to link to.
    """
    made = "".join(f"- [{title}]({place})\n" for place, title in generated.items())
    index = re.sub(r"(^## Look up\n\n)", lambda found: found[1] + made, index, flags=re.MULTILINE)
    head, *parts = HEADING.split(index)
    seen: set[str] = set()
    for caption, body in zip(parts[::2], parts[1::2], strict=True):
        pages = [
            str(PurePosixPath(target).with_suffix("")) for _, target, _ in LINK.findall(body) if "://" not in target
        ]
        fresh = list(dict.fromkeys(page for page in pages if page not in seen and not page.startswith("project/")))
        seen |= set(fresh)
        tree = "\n".join(("```{toctree}", ":hidden:", f":caption: {caption}", "", *fresh, "```"))
        head += f"## {caption}{body.rstrip()}\n\n{tree}\n\n"
    more = [f"project/{name.removesuffix('.md')}" for name in PROJECT]
    return head + "\n".join(("```{toctree}", ":hidden:", ":caption: Project", "", *more, "```", ""))


def stage(staging: Path, generated: dict[str, str]) -> None:
    """All Markdown and pictures of docs/, and the pages of the root, where Sphinx finds them."""
    for page in [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in PROJECT)]:
        text = relinked(page.read_text(encoding="utf-8"), page, staging)
        if page == DOCS / "README.md":
            text = contents(text, generated)
        write(staging, place_of(page), text)
    for picture in (*DOCS.rglob("*.png"), *DOCS.rglob("*.svg")):
        there = staging / place_of(picture)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, there)
