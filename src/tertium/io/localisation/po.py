"""PO, catalogues of messages as GNU gettext has them: `msgid` is the source, `msgstr` the translation.

    #: src/door.c:12        where it is used: the document is that file
    #, fuzzy, c-format      fuzzy: a translation that nobody has looked at
    msgctxt "menu"
    msgid "Open %d gate"
    msgid_plural "Open %d gates"
    msgstr[0] ".."          each form is a segment: the first of the singular, the others of the plural

Format: GNU gettext manual, "The Format of PO Files".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tertium.core.errors import InputError
from tertium.io.localisation.bitext import Bitext, BitextSegment
from tertium.io.localisation.facts import note
from tertium.io.wmt_documents import clean

CHARSET = re.compile(rb"charset=([\w.:-]{1,40})")
HEAD = 1 << 14  # bytes in which the header has to say how the file is encoded
STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')
KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d{1,3})\])?[ \t]*+")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
FORMS = re.compile(r"nplurals *= *(\d{1,3})")
MOST_FORMS = 10  # of a plural; no language needs more than six


@dataclass
class Message:
    """An entry as far as it was read."""

    line: int = 0
    strings: dict[str, str] = field(default_factory=dict)  # by keyword, `msgstr[1]` among them
    flags: set[str] = field(default_factory=set)
    uses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def has_translation(self) -> bool:
        """Whether what follows belongs to another entry."""
        return any(keyword.startswith("msgstr") for keyword in self.strings)


class Catalogue:
    """Reads a file line by line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.number = 0
        self.messages: list[Message] = []
        self.known: dict[tuple[str | None, str], int] = {}
        self.message = Message()
        self.parts: list[str] | None = None  # of the string that may go on
        self.keyword = ""
        self.forms: int | None = None  # of a plural, as the header says

    def wrong(self, message: str) -> InputError:
        """An error that names the file and the line."""
        return InputError(f"{self.path}:{self.number}: {message}")

    def read(self, text: str) -> None:
        """All lines."""
        for number, line in enumerate(text.split("\n"), 1):
            self.number = number
            self.meet(line.strip(" \t\r"))
        self.end_string()
        self.end_message()

    def meet(self, line: str) -> None:
        """One line."""
        if line.startswith("#"):
            self.comment(line)
        elif line.startswith('"'):
            if self.parts is None:
                raise self.wrong("a string without msgid or msgstr before it; is a line missing?")
            self.parts.append(self.string(line, 0))
        elif line:
            self.begin(line)

    def comment(self, line: str) -> None:
        """Flags, places and notes stand before an entry; what begins with #~ is no longer in use."""
        if line.startswith("#~"):
            return
        if self.message.has_translation:
            self.end_string()
            self.end_message()
        if line.startswith("#,"):
            self.message.flags |= {flag.strip() for flag in line[2:].split(",")}
        elif line.startswith("#:"):
            self.message.uses += line[2:].split()
        elif not line.startswith("#|"):
            self.message.notes.append(line.lstrip("#.").strip())

    def begin(self, line: str) -> None:
        """A keyword and the first part of its string."""
        found = KEYWORD.match(line)
        if found is None:
            raise self.wrong(f"{line[:40]!r} is no keyword of PO; expected msgctxt, msgid, msgid_plural or msgstr")
        keyword, form = found[1], found[2]
        self.end_string()
        if keyword in ("msgctxt", "msgid") and self.message.has_translation:
            self.end_message()
        name = keyword if form is None else f"{keyword}[{int(form)}]"
        if form is not None and keyword != "msgstr":
            raise self.wrong(f"{keyword} has no forms; only msgstr does")
        if keyword == "msgid_plural" and ("msgid" not in self.message.strings or self.message.has_translation):
            raise self.wrong("msgid_plural stands between msgid and msgstr, and nowhere else")
        if keyword == "msgstr" and "msgid" not in self.message.strings:
            raise self.wrong("msgstr without msgid before it; expected the source of the message")
        if keyword == "msgstr" and (form is not None) != ("msgid_plural" in self.message.strings):
            raise self.wrong("msgstr[N] and msgid_plural go together; one of them is missing")
        most = MOST_FORMS if self.forms is None else self.forms
        if form is not None and int(form) >= most:
            raise self.wrong(f"msgstr[{int(form)}], but there are {most} forms (nplurals in the header)")
        if name in self.message.strings:
            lacking = "its msgid" if keyword == "msgstr" else "the msgstr of the first one"
            raise self.wrong(f"a second {name} in one message; is {lacking} missing between them?")
        self.message.line = self.message.line or self.number
        self.message.strings[name] = ""
        self.keyword, self.parts = name, [self.string(line, found.end())]

    def string(self, line: str, start: int) -> str:
        """A quoted string to the end of the line."""
        found = STRING.fullmatch(line, start)
        if found is None:
            raise self.wrong('expected one string in double quotes, with \\" for a quote in it; is a quote missing?')
        return found[1]

    def end_string(self) -> None:
        """The string has all its parts."""
        if self.parts is not None:
            self.message.strings[self.keyword] = unescape("".join(self.parts))
            self.parts = None

    def end_message(self) -> None:
        """The entry has all its strings."""
        message, self.message = self.message, Message()
        if not message.strings:
            return
        if not message.has_translation:
            raise self.wrong(f"the message of line {message.line} has no msgstr; each has one, an empty one if need be")
        key = message.strings.get("msgctxt"), message.strings["msgid"]
        if key in self.known:
            raise InputError(
                f"{self.path}:{message.line}: the message of line {self.known[key]} again; the same msgid needs "
                f"another msgctxt"
            )
        self.known[key] = message.line
        if key == (None, "") and self.forms is None:
            found = FORMS.search(message.strings["msgstr"]) if "msgstr" in message.strings else None
            self.forms = None if found is None else min(max(int(found[1]), 1), MOST_FORMS)
        self.messages.append(message)


def unescape(text: str) -> str:
    r"""What `\n`, `\"`, `\x41` and `\101` stand for."""

    def character(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0] in "01234567" else ESCAPES.get(code, code)

    return ESCAPE.sub(character, text) if "\\" in text else text


def read_po(data: Any, path: str, tags: str) -> Bitext:
    """The messages of a catalogue; tags in them are text."""
    del tags
    catalogue = Catalogue(path)
    catalogue.read(decode(bytes(data), path))
    bitext = Bitext(path, None)
    header: dict[str, str] = {}
    for number, message in enumerate(catalogue.messages, 1):
        if message.strings["msgid"]:
            bitext.segments += segments_of(message, number, header)
        elif "msgctxt" not in message.strings:
            lines = (line.partition(":") for line in message.strings.get("msgstr", "").split("\n"))
            header = {key.strip().lower(): value.strip() for key, _, value in lines}
            bitext.target_language = header.get("language") or None
            bitext.source_language = header.get("x-source-language") or None
    if not bitext.segments:
        raise InputError(f"{path}: no message with a msgid; is it the file that was meant?")
    if any(segment.document for segment in bitext.segments):
        for segment in bitext.segments:
            segment.document = segment.document or bitext.name
    return bitext


def decode(data: bytes, path: str) -> str:
    """The text in the encoding that the header names, UTF-8 where it names none."""
    import codecs

    data = data.removeprefix(codecs.BOM_UTF8)
    found = CHARSET.search(data[:HEAD])
    name = "utf-8" if found is None or found[1] == b"CHARSET" else found[1].decode("ascii")
    try:
        if not codecs.lookup(name)._is_text_encoding:
            raise LookupError
        return data.decode(name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        said = f"{name}, in which the header says that the file is" if found else "UTF-8, and no header says what it is"
        raise InputError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not {said}; save it again in UTF-8, and say so there"
        ) from None
    except (LookupError, UnicodeError):
        raise InputError(
            f"{path}: charset={name} is unknown; save the file in UTF-8, and say so in its header"
        ) from None


def segments_of(message: Message, number: int, header: dict[str, str]) -> list[BitextSegment]:
    """A segment for each form of a message."""
    facts: dict[str, str] = {}
    for text in message.notes:
        note(facts, text)
    for name, value in (("context", message.strings.get("msgctxt")), ("translator", header.get("last-translator"))):
        facts |= {name: value} if value else {}
    fuzzy = "fuzzy" in message.flags
    facts |= {"state": "fuzzy"} if fuzzy else {}
    document = message.uses[0].rpartition(":")[0] or message.uses[0] if message.uses else ""
    forms = {key: text for key, text in message.strings.items() if key.startswith("msgstr")}
    return [
        BitextSegment(
            unit=str(number),
            part=key[7:-1],
            line=message.line,
            document=document,
            source=clean(
                message.strings["msgid" if (k == 0 and len(forms) > 1) or key == "msgstr" else "msgid_plural"]
            ),
            targets=(clean(text),),
            finished=not fuzzy,
            facts=dict(facts),
        )
        for k, (key, text) in enumerate(forms.items())
    ]
