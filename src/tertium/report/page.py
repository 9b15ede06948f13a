"""Pages: sections of words, tables and charts as ONE html file that needs no network and runs nothing but its own code.

Texts are escaped by Jinja2. A Content-Security-Policy lets only the scripts and styles with this page's nonce run, and
nothing be loaded; expressions in charts are interpreted, not evaluated, so `unsafe-eval` is not needed either.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from tertium.core.errors import MissingPackageError
from tertium.core.table import Table
from tertium.core.version import VERSION
from tertium.core.wording import visible
from tertium.report.charts import Chart, room
from tertium.report.glossary import HEADS, explained

if TYPE_CHECKING:
    from jinja2 import Environment

PACKED = 6  # of gzip: 9 takes twice as long for one byte in a hundred
NAME = 24  # letters of a name that is not cut at its hyphens
FEW = 4_000  # letters of rows that a table shows when it is asked to; more of them are packed
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
RIGHT_TO_LEFT = re.compile(rf"{_LETTER}(?:[\s\d'._-]*{_LETTER})*")  # words of Hebrew, Arabic and their kin
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page: what is seen in it, paragraphs, tables, charts, in this order; or in that of a template of its
    own. One that is `folded` is its title and what is seen until the reader opens it; one that is `first` stands above
    all others, as wide as the page."""

    id: str
    title: str
    finding: str = ""
    folded: bool = False
    first: bool = False
    text: Sequence[str] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    template: str = "section.html"
    data: Mapping[str, Any] = field(default_factory=dict)  # for that template


class FileBeside(Protocol):
    """A file that stands beside a page, and that its reader can open in it."""

    def write(self, file: IO[bytes]) -> dict[str, Any]:
        """Write it; what the page has to know of it, to know it again."""
        ...


@dataclass(frozen=True, kw_only=True)
class Page:
    """A title, a line below it, sections; scripts that some section needs, and the data that they read."""

    title: str
    sections: Sequence[Section]
    subtitle: str = ""
    scripts: Sequence[str] = ()  # names in assets/
    data: Mapping[str, Any] = field(default_factory=dict)  # values that JSON knows, embedded compressed
    beside: FileBeside | None = None  # what is too much for the page

    def html(self, nonce: str | None = None) -> str:
        """The whole page. A server gives a nonce of its own for each answer; a file's is made of what the file says, so
        that the same page has the same bytes."""
        return self._html(self.data, nonce)

    def _html(self, data: Mapping[str, Any], nonce: str | None = None) -> str:
        if nonce is not None:
            return self._render(data, nonce)
        unknown = secrets.token_hex(16)  # no text can have it
        text = self._render(data, unknown)
        return text.replace(unknown, hashlib.sha256(text.replace(unknown, "").encode()).hexdigest()[:32])

    def _render(self, data: Mapping[str, Any], nonce: str) -> str:
        charted = any(section.charts for section in self.sections)
        template = environment().get_template("page.html")
        return template.render(
            page=self,
            sections=list(numbered(self.sections)),
            packed={name: pack(value) for name, value in data.items()},
            nonce=nonce,
            policy=POLICY.format(nonce=nonce),
            style=asset("page.css"),
            library=packed_vega() if charted else "",
            scripts=[asset(name) for name in ("page.js", *(("charts.js",) if charted else ()), *self.scripts)],
            version=VERSION,
        )

    def save(self, path: str | Path) -> None:
        """Write the page, whole or not at all, and what stands beside it."""
        from tertium.io.files import write_atomically

        if self.beside is None:
            with write_atomically(str(path)) as file:
                file.write(self.html().encode())
            return
        target = beside(path)
        with write_atomically(target) as file, write_atomically(str(path)) as page:
            known = self.beside.write(file)
            file.flush()
            os.fsync(file.fileno())  # a full disk is known before the page takes its place
            page.write(self._html({**self.data, "beside": {"name": target.name, **known}}).encode())

    def _repr_html_(self) -> str:
        """For notebooks: a frame of its own, so that neither side's styles and scripts reach the other's."""
        return (
            f'<iframe title="{html.escape(visible(self.title))}" sandbox="allow-scripts allow-downloads" '
            f'style="width:100%;height:85vh;border:1px solid #8885" srcdoc="{html.escape(self.html())}"></iframe>'
        )


def beside(path: str | Path) -> Path:
    """Where the file beside a page stands."""
    return Path(path).with_suffix(".segments.gz")


def numbered(sections: Sequence[Section]) -> Iterator[dict[str, Any]]:
    """Sections with their tables and figures, which are numbered through the page."""
    tables, figures = count(1), count(1)
    for number, section in enumerate(sections, 1):
        yield {
            "section": section,
            "number": number,
            "tables": [(next(tables), table) for table in section.tables],
            "charts": [(next(figures), chart) for chart in section.charts],
        }


@cache
def environment() -> Environment:
    """The templates, with all text escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("tertium.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["visible"] = lambda text: visible(str(text))
    made.filters["sentence"] = sentence
    made.filters["unbroken"] = unbroken
    made.filters["explained"] = with_terms
    made.globals["meanings"] = HEADS
    made.globals["few"] = FEW
    made.filters["packed"] = pack
    made.filters["room"] = room
    return made


def sentence(text: str) -> str:
    """A sentence of ours, escaped. Names in it that are written from right to left stand by themselves, else they would
    take the numbers after them, or the whole sentence, along."""
    from jinja2.filters import do_forceescape, do_mark_safe

    return do_mark_safe(RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", str(do_forceescape(visible(text)))))


def unbroken(text: str) -> str:
    """The same with names such as `Online-Y` never cut at their hyphens, if they are short enough for a telephone."""
    from jinja2.filters import do_mark_safe

    words = [
        f'<span class="unbroken">{word}</span>' if "-" in word[1:-1] and len(word) <= NAME and "<" not in word else word
        for word in str(sentence(text)).split(" ")
    ]
    return do_mark_safe(" ".join(words))


def with_terms(text: str) -> str:
    """The same with terms of statistics explained."""
    from jinja2.filters import do_mark_safe

    return do_mark_safe(explained(str(sentence(text))))


def pack(value: Any) -> str:
    """A value as JSON, compressed, in letters; always the same bytes."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(errors="replace"), PACKED, mtime=0)).decode()


def asset(name: str) -> str:
    """One of the package's own scripts or styles, for the inside of an element of that kind."""
    return (files("tertium.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed, which the build put beside the package (`tools/vega/bundle.py`)."""
    import altair

    found = files("tertium") / "charts" / "vega.js"
    if not found.is_file():
        raise MissingPackageError(
            "charts/vega.js, which draws charts, is not in this installation of tertium: it is made when tertium is "
            "built; pip install --force-reinstall tertium, or in a clone pip install --editable ."
        )
    script = found.read_text(encoding="utf-8")
    here = re.match(r"/\* Vega-Lite (\d+)", script)
    wanted = altair.SCHEMA_VERSION.removeprefix("v").partition(".")[0]
    if here is None or here[1] != wanted:
        raise MissingPackageError(
            f"Altair {altair.__version__} writes charts for Vega-Lite {wanted}, and tertium has "
            f'{here[1] if here else "an unknown version"}; pip install "altair>=6,<7"'
        )
    return script


@cache
def packed_vega() -> str:
    """The same for the inside of a page: half as long."""
    return pack(vega())
