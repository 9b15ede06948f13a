"""The contents of a source or target: text, tags, and the segments that are marked in it."""

from __future__ import annotations

from tertium.io.localisation.tags import BREAKS, Part, Shape, Tag, is_break

# Elements whose text is the code of a tag, and what shape the tag has.
NATIVE: dict[str, Shape] = {"ph": "alone", "bpt": "open", "ept": "close", "it": "alone", "ut": "alone"}
PAIRS = ("g", "pc")
EMPTY: dict[str, Shape] = {"x": "alone", "bx": "open", "ex": "close", "sc": "open", "ec": "close"}
POSITION: dict[str, Shape] = {"open": "open", "begin": "open", "close": "close", "end": "close"}  # of <it>
REMOVED = ("x-sdl-deleted",)  # marks around text that a reviewer took out
KNOWN = frozenset({*NATIVE, *PAIRS, *EMPTY, "mrk", "sub", "cp", "hi", "sm", "em"})


class Content:
    """Follows the elements in a source or target."""

    def __init__(self, codes: dict[str, str] | None = None) -> None:
        self.parts: list[Part] = []
        self.marked: dict[str, list[Part]] = {}  # the segments that are marked, by their number
        self.markers: set[str] = set()  # ids of annotations, to which matches may refer
        self.codes = codes or {}  # what tags stand for that is written elsewhere
        self.into: list[Part] | None = None  # the marked segment that we are in
        self.stack: list[tuple[str, Tag | None]] = []
        self.native: list[str] = []  # the code of the tag that we are in
        self.silent = 0  # how many of the open elements make their text none of the segment's

    def add(self, part: Part) -> None:
        """One part more, of the whole and of the segment that it lies in."""
        self.parts.append(part)
        if self.into is not None:
            self.into.append(part)

    def words(self, text: str) -> None:
        """Text between tags, or the code of one."""
        if not self.silent:
            self.add(text)
        elif self.silent == 1 and self.stack[-1][0] == "code":
            self.native.append(text)

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """An inline element begins."""
        role, tag = self._role(name, attributes)
        if name == "cp" and not self.silent:
            self.add(character(attributes.get("hex", "")))
        if role == "segment":
            self.into = self.marked.setdefault(attributes["mid"], [])
        elif tag is not None and role != "code" and not self.silent:
            self.add(tag)
        self.silent += role in ("code", "silent")
        self.stack.append((role, tag))

    def close(self, name: str) -> None:
        """An inline element has ended."""
        role, tag = self.stack.pop()
        self.silent -= role in ("code", "silent")
        if role == "segment":
            self.into = None
        elif role == "code" and tag is not None and not self.silent:
            code = "".join(self.native)
            self.native = []
            self.add(tag._replace(code=code, breaks=tag.breaks or is_break(code)) if code else tag)
        elif role == "pair" and tag is not None and not self.silent:
            self.add(Tag("close", tag.key, self.codes.get(f"/{tag.key}", f"</{name}>")))

    def _role(self, name: str, attributes: dict[str, str]) -> tuple[str, Tag | None]:
        """What an element makes of its text: text, code, silent, pair or segment; and the tag that it is."""
        if name == "mrk":
            if attributes.get("mtype") == "seg" and "mid" in attributes and self.into is None:
                return "segment", None
            self.markers.add(attributes.get("id", ""))
            return ("silent" if attributes.get("mtype") in REMOVED else "text"), None
        if name in PAIRS or name == "hi":
            return "pair", self._tag("open", name, attributes)
        if name in EMPTY:
            return "text", self._tag(EMPTY[name], name, attributes)
        if name in NATIVE:
            shape = POSITION.get(attributes.get("pos", ""), NATIVE[name])
            return "code", self._tag(shape, name, attributes)
        if name == "cp":
            return "text", None
        if name == "sm":
            self.markers.add(attributes.get("id", ""))
        # Text in a tag's code (<sub>) is no part of the sentence; what is not known may be anything.
        return ("text" if name in ("sm", "em") else "silent"), None

    def _tag(self, shape: Shape, name: str, attributes: dict[str, str]) -> Tag:
        get = attributes.get
        key = get("rid") or get("startRef") or get("i") or get("id") or get("x") or ""
        stands = get("dataRef") or get("dataRefStart")
        code = self.codes.get(stands or f"#{key}") or get("equiv-text") or get("equiv") or get("equivStart") or ""
        if name == "pc":
            self.codes[f"/{key}"] = self.codes.get(get("dataRefEnd", "")) or get("equivEnd") or "</pc>"
        if not code:
            slash = "/" if shape == "alone" or name in EMPTY else ""
            code = f'<{name} id="{key}"{slash}>' if key else f"<{name}{slash}>"
        kinds = (get("ctype", ""), get("type", ""), get("subType", ""))
        return Tag(shape, key, code, is_break(code) or any(kind in BREAKS for kind in kinds))


def character(code: str) -> str:
    """What `<cp hex="..."/>` stands for: a character that XML cannot hold; U+FFFD where there is none."""
    try:
        number = int(code, 16) if len(code) <= 8 else -1
        chr(number).encode()
    except (ValueError, OverflowError):  # not hexadecimal, too large, or half a character
        return "\ufffd"
    return chr(number)
