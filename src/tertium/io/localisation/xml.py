"""XML that anybody may have sent, followed in one pass: no entities, no network, no deeper than files of this kind are.

Memory is that of the file and of what is kept of it; nothing in a file can make it grow.
"""

from __future__ import annotations

from typing import Any

from tertium.core.errors import InputError

DEEPEST = 256  # elements inside each other: groups in groups and tags in tags, as tools write them, are some ten
SHOWN = 60  # characters of a name in an error
# Short names of the elements' namespaces; those of others begin with `?:` and are read over.
PREFIXES = {
    "urn:oasis:names:tc:xliff:matches:2.0": "mtc:",
    "urn:oasis:names:tc:xliff:metadata:2.0": "mda:",
    "urn:oasis:names:tc:xliff:changetracking:2.0": "ctr:",
    "urn:oasis:names:tc:xliff:changetracking:2.1": "ctr:",
    "http://sdl.com/FileTypes/SdlXliff/1.0": "sdl:",
    "http://www.w3.org/2005/11/its": "its:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "MQXliff": "mq:",
    "http://www.memsource.com/mxlf/2.0": "m:",
}
CORE = "urn:oasis:names:tc:xliff:document:"


class XmlFollower:
    """Calls `open`, `close` and `words` of a subclass as expat meets elements, with the names shortened."""

    def __init__(self, path: str, encoding: str | None = None) -> None:
        from xml.parsers import expat

        self.path = path
        self.inside: list[str] = []
        self.names: dict[str, str] = {}
        self.parser = expat.ParserCreate(encoding, namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.words
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.SkippedEntityHandler = self._entity

    # What a subclass does

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; `inside` has those around it."""

    def close(self, name: str) -> None:
        """An element has ended."""

    def words(self, text: str) -> None:
        """Text of the innermost element."""

    # How the file is followed

    def follow(self, data: Any) -> None:
        """Read the whole file; errors name the line."""
        from xml.parsers import expat

        try:
            self.parser.Parse(bytes(data), True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise InputError(
                f"{self.path}:{error.lineno}: not well-formed XML ({what}, column {error.offset + 1}); "
                f"export the file again, or mend it there"
            ) from None
        except (LookupError, ValueError) as error:  # an encoding that neither expat nor Python knows
            raise InputError(f"{self.path}:1: the XML cannot be decoded ({error}); convert the file to UTF-8") from None

    @property
    def line(self) -> int:
        """The line at which the parser is."""
        return self.parser.CurrentLineNumber

    @property
    def offset(self) -> int:
        """The byte at which the tag begins that the parser is at."""
        return self.parser.CurrentByteIndex

    def wrong(self, message: str) -> InputError:
        """An error that names the file and the line."""
        return InputError(f"{self.path}:{self.line}: {message}")

    def short(self, name: str) -> str:
        """`g`, `mtc:match`, `?:other`."""
        known = self.names.get(name)
        if known is not None:
            return known
        space, _, local = name.rpartition(" ")
        if not space or space.startswith(CORE):
            found = local
        elif space in PREFIXES:
            found = PREFIXES[space] + local
        else:
            found = f"?:{local}"
        if len(self.names) < 1000:
            self.names[name] = found
        return found

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.inside) >= DEEPEST:
            raise self.wrong(
                f"<{name.rpartition(' ')[2][:SHOWN]}> lies in {DEEPEST} other elements, and no file of this kind is so "
                f"deep; export it again"
            )
        short = self.short(name)
        self.open(short, {self.short(key) if " " in key else key: value for key, value in attributes.items()})
        self.inside.append(short)

    def _end(self, name: str) -> None:
        self.inside.pop()
        self.close(self.short(name))

    def _doctype(self, name: str, *about: Any) -> None:
        if about[-1]:  # whether there is an internal subset; an external one is never opened
            raise self.wrong(
                f"a DOCTYPE {name[:SHOWN]} with declarations of its own; such files are refused, take them out"
            )

    def _entity(self, name: str, *_: Any) -> None:
        raise self.wrong(f"the entity {name[:SHOWN]!r}; only those of XML itself are read, write the character")
