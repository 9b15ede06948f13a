"""XLIFF of either version: which one it is, and what both have in common."""

from __future__ import annotations

from typing import Any

from tertium.core.errors import InputError
from tertium.io.localisation.bitext import Bitext, BitextSegment
from tertium.io.localisation.inline import Content
from tertium.io.localisation.tags import STRIP, Numbers, render
from tertium.io.localisation.xml import XmlFollower

OURS = "tertium"  # who notes are from that we wrote


class XliffFollower(XmlFollower):
    """Keeps what is translatable, and where we are: in which content, and in which element whose text is wanted."""

    def __init__(self, path: str, bitext: Bitext) -> None:
        super().__init__(path)
        self.bitext = bitext
        self.tags = bitext.tags or STRIP
        self.content: Content | None = None
        self.depth = 0  # of elements inside the content
        self.text: list[str] | None = None  # of a note, or of another element that has only text
        self.translatable = [True]

    def words(self, text: str) -> None:
        """Text of a segment, or of a note."""
        if self.content is not None:
            self.content.words(text)
        elif self.text is not None:
            self.text.append(text)

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """An element of the content, or one around it."""
        if self.content is not None:
            self.depth += 1
            self.content.open(name, attributes)
        else:
            self.begin(name, attributes)

    def close(self, name: str) -> None:
        """The same at its end."""
        if self.content is not None and self.depth:
            self.depth -= 1
            self.content.close(name)
        elif self.content is not None:
            content, self.content = self.content, None
            self.filled(name, content)
        else:
            self.finish(name)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element outside contents begins."""

    def finish(self, name: str) -> None:
        """An element outside contents has ended."""

    def filled(self, name: str, content: Content) -> None:
        """A source or target has ended."""

    def taken(self) -> str:
        """The text of the element that has just ended."""
        text, self.text = "".join(self.text or ()), None
        return text

    def nest(self, attributes: dict[str, str]) -> None:
        """What is in this element is translated as this one says, else as those around it are."""
        said = attributes.get("translate", "")
        self.translatable.append(said == "yes" if said in ("yes", "no") else self.translatable[-1])

    def add(self, segment: BitextSegment) -> None:
        """One segment more, if it is to be translated and there is something in it."""
        if not self.translatable[-1]:
            self.bitext.dropped["segment", "the file says that it is not to be translated"] += 1
        elif segment.source or any(segment.targets):
            self.bitext.segments.append(segment)

    def said(self, content: Content | None, numbers: Numbers) -> str | None:
        """The text of a content; None where there is none."""
        return None if content is None else render(content.parts, self.tags, numbers)


def read_xliff(data: Any, path: str, tags: str) -> Bitext:
    """The segments of an XLIFF file of version 1.x or 2.x."""
    from tertium.io.localisation.xliff1 import Xliff1
    from tertium.io.localisation.xliff2 import Xliff2

    version = Root(path).version_of(data)
    bitext = Bitext(path, tags)
    (Xliff2 if version.startswith("2") else Xliff1)(path, bitext).follow(data)
    if not bitext.segments:
        unit = "<unit>" if version.startswith("2") else "<trans-unit>"
        raise InputError(f"{path}: no {unit} with text to translate; is it the file that was meant?")
    return bitext


class Root(XmlFollower):
    """Looks at the first element alone."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.version = ""

    def version_of(self, data: Any) -> str:
        """What the file says; an error where it is no XLIFF that is read here."""
        try:
            self.follow(data)
        except Seen:
            return self.version
        raise InputError(f"{self.path}: no element; expected <xliff>")

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """The first element."""
        if name.rpartition(":")[2] != "xliff":
            raise self.wrong(f"the root is <{name.rpartition(':')[2][:60]}>; expected <xliff>")
        self.version = attributes.get("version", "")
        if not self.version:
            raise self.wrong('<xliff> without a version; expected version="1.2", "2.0" or another of 1.x and 2.x')
        if self.version not in ("1.0", "1.1", "1.2", "2.0", "2.1", "2.2"):
            raise self.wrong(f"XLIFF of version {self.version[:20]!r}; versions 1.0 to 1.2 and 2.0 to 2.2 are read")
        raise Seen


class Seen(Exception):  # noqa: N818
    """The first element was there: nothing else is looked at."""
