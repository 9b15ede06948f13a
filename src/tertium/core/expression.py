"""Conditions on segments, `chrf > 40 and length_ratio < 2`: a small language of its own. It is read in one pass, with
bounds on length and depth, and nothing of it is ever run as code.

    condition   = both { "or" both }                  both  = denied { "and" denied }
    denied      = "not" denied | "(" condition ")" | sum comparison sum { comparison sum }
    sum         = product { ("+" | "-") product }      product = signed { ("*" | "/") signed }
    signed      = "-" signed | "(" sum ")" | number | "text" | name
    name        = word [ "(" options ")" ] [ "[" system "]" ]
    comparison  = "<" | "<=" | ">" | ">=" | "==" | "!="

What a name is worth is asked of somebody else. A value that is not there is NaN, and so is a number divided by 0; what
depends on it is unknown, neither true nor false, unless the rest decides (`and` with a false side is false).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tertium.core.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LONGEST = 4000  # characters
DEEPEST = 50  # brackets, signs and `not` inside each other
SHOWN = 60  # characters of it that an error shows

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")
MARKS = (*COMPARISONS, "+", "-", "*", "/", "(", ")", "[", "]")
WORDS = ("and", "or", "not")
INSTEAD = {"&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "=": "==", "<>": "!="}
Kind = Literal["truth", "number", "text", "name"]


class Token(NamedTuple):
    """A piece of the text."""

    kind: Literal["number", "text", "name", "mark", "word", "end"]
    text: str
    at: int


@dataclass(frozen=True)
class Node:
    """A part of a condition: an operator with its operands, a constant, or a name."""

    kind: Kind
    operator: str  # empty for constants and names
    operands: tuple[Node, ...] = ()
    value: float | str = ""  # of a constant; of a name, what is written
    system: str | None = None  # of a name
    start: int = 0
    end: int = 0

    def names(self) -> Iterator[Node]:
        """All names in it, in the order in which they are written."""
        if self.kind == "name":
            yield self
        for part in self.operands:
            yield from part.names()


def refusal(text: str, at: int, said: str) -> OptionError:
    """What is wrong at a place of the text, with a caret under it."""
    first = max(0, at - SHOWN * 2 // 3)
    shown = "".join(char if char.isprintable() else " " for char in text[first : first + SHOWN])
    return OptionError(f"{said}\n    {shown}\n    {' ' * (at - first)}^")


def parse_condition(text: str) -> tuple[Node, ...]:
    """The conditions that must all hold: what is joined by `and` at the top."""
    if len(text) > LONGEST:
        raise OptionError(f"a condition of {len(text)} characters; at most {LONGEST} are read")
    parser = _Parser(text, list(_tokens(text)))
    found = parser.condition()
    parser.finish()
    return _conjuncts(found)


def _conjuncts(node: Node) -> tuple[Node, ...]:
    return node.operands if node.operator == "and" else (node,)


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
            continue
        token = _token(text, at)
        yield token
        at = token.at + len(token.text)
    yield Token("end", "", len(text))


def _token(text: str, at: int) -> Token:
    char = text[at]
    if char.isascii() and (char.isdigit() or (char == "." and text[at + 1 : at + 2].isdigit())):
        return Token("number", _number(text, at), at)
    if char.isalpha() or char == "_":
        return _name(text, at)
    if char in "'\"":
        return Token("text", text[at : _end_of_text(text, at)], at)
    for wrong, right in INSTEAD.items():
        if text.startswith(wrong, at) and text[at : at + 2] not in COMPARISONS:
            raise refusal(text, at, f"{wrong!r} is not known here; write {right!r}")
    mark = next((mark for mark in MARKS if text.startswith(mark, at)), None)
    if mark is None:
        raise refusal(text, at, f"{char!r} means nothing here")
    return Token("mark", mark, at)


def _number(text: str, at: int) -> str:
    end = at
    while end < len(text) and (text[end] in "0123456789." or (text[end] in "eE" and text[end + 1 : end + 2].isdigit())
                               or (text[end] in "+-" and text[end - 1] in "eE")
                               or (text[end] in "eE" and text[end + 1 : end + 2] in ("+", "-"))):  # fmt: skip
        end += 1
    written = text[at:end]
    try:
        value = float(written)
    except ValueError:
        raise refusal(text, at, f"{written} is not a number") from None
    if value == inf:
        raise refusal(text, at, f"{written} is larger than any number that can be counted with")
    if text[end : end + 1].isalpha() or text[end : end + 1] == "_":
        raise refusal(text, at, f"{written}{text[end]}...: a name does not begin with a digit")
    return written


def _name(text: str, at: int) -> Token:
    """A word, with its options if a bracket follows at once."""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    if text[at:end] in WORDS:
        return Token("word", text[at:end], at)
    if text[end : end + 1] == "(":
        end = _end_of_options(text, end)
    return Token("name", text[at:end], at)


def _end_of_options(text: str, at: int) -> int:
    """Behind the bracket that closes the one at this place; brackets in quotes are text."""
    depth, place = 0, at
    while place < len(text):
        char = text[place]
        if char in "'\"":
            place = _end_of_text(text, place)
            continue
        depth += (char in "([{") - (char in ")]}")
        place += 1
        if depth == 0:
            return place
    raise refusal(text, at, "this bracket is not closed")


def _end_of_text(text: str, at: int) -> int:
    """Behind the quote that closes the one at this place."""
    place = at + 1
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == text[at]:
            return place + 1
        place += 1
    raise refusal(text, at, "this quote is not closed")


def unquoted(written: str) -> str:
    r"""What stands between quotes; a backslash takes the next character as it is."""
    found, place = [], 1
    while place < len(written) - 1:
        place += written[place] == "\\"
        found.append(written[place])
        place += 1
    return "".join(found)


class _Parser:
    """Recursive descent. Each token is looked at once; brackets are either around conditions or around numbers, which
    shows when they are closed."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text, self.tokens, self.place, self.depth = text, tokens, 0, 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self, *texts: str) -> Token | None:
        """The next token if it is a mark or word among these."""
        if self.next.kind in ("mark", "word") and self.next.text in texts:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def finish(self) -> None:
        if self.next.kind != "end":
            raise refusal(self.text, self.next.at, "expected 'and', 'or' or the end here")

    def deeper(self, token: Token, read: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise refusal(self.text, token.at, f"more than {DEEPEST} brackets, signs and 'not' inside each other")
        found = read()
        self.depth -= 1
        return found

    def condition(self) -> Node:
        return self.truth(self.any_of())

    def any_of(self) -> Node:
        return self.joined("or", self.all_of)

    def all_of(self) -> Node:
        return self.joined("and", self.denied)

    def joined(self, word: str, read: Callable[[], Node]) -> Node:
        parts = [read()]
        while self.take(word):
            self.truth(parts[-1])
            parts.append(self.truth(read()))
        if len(parts) == 1:
            return parts[0]
        # `a and (b and c)` is `a and b and c`, so that each is counted by itself.
        flat = tuple(inner for part in parts for inner in (part.operands if part.operator == word else (part,)))
        return Node("truth", word, flat, start=parts[0].start, end=parts[-1].end)

    def denied(self) -> Node:
        token = self.take("not")
        if token is None:
            return self.compared()
        inner = self.truth(self.deeper(token, self.denied))
        return Node("truth", "not", (inner,), start=token.at, end=inner.end)

    def compared(self) -> Node:
        """One comparison, or several in a row: `20 < chrf < 40` is both of them."""
        left, found = self.sum(), []
        while token := self.take(*COMPARISONS):
            right = self.sum()
            found.append(self.comparison(token, left, right))
            left = right
        if len(found) < 2:
            return found[0] if found else left
        # One condition and not two: it is printed as it is written.
        return Node("truth", "all", tuple(found), start=found[0].start, end=found[-1].end)

    def comparison(self, token: Token, left: Node, right: Node) -> Node:
        kinds = {left.kind, right.kind}
        for side in (left, right):
            if side.kind == "truth":
                raise refusal(self.text, side.start, "a condition cannot be compared; join conditions by 'and' or 'or'")
        if "text" in kinds:
            if token.text not in ("==", "!="):
                raise refusal(self.text, token.at, "texts are compared by == and != alone")
            if "name" not in kinds:
                raise refusal(self.text, left.start, "a text is compared with a column, by its name")
        return Node("truth", token.text, (left, right), start=left.start, end=right.end)

    def sum(self) -> Node:
        return self.chain(("+", "-"), self.product)

    def product(self) -> Node:
        return self.chain(("*", "/"), self.signed)

    def chain(self, marks: tuple[str, ...], read: Callable[[], Node]) -> Node:
        """Operators of one rank. The whole chain is one node, so that a long one is not a deep one."""
        first = read()
        operators, parts = [], [first]
        while token := self.take(*marks):
            self.number(parts[-1])
            operators.append(token.text)
            parts.append(self.number(read()))
        if not operators:
            return first
        return Node("number", "".join(operators), tuple(parts), start=first.start, end=parts[-1].end)

    def signed(self) -> Node:
        if token := self.take("-"):
            inner = self.number(self.deeper(token, self.signed))
            return Node("number", "negative", (inner,), start=token.at, end=inner.end)
        if token := self.take("("):
            inner = self.deeper(token, self.any_of)
            closing = self.take(")")
            if closing is None:
                said = "this bracket is not closed" if self.next.kind == "end" else "expected ')' here"
                raise refusal(self.text, token.at if self.next.kind == "end" else self.next.at, said)
            return replace(inner, start=token.at, end=closing.at + 1)
        return self.atom()

    def atom(self) -> Node:
        token = self.next
        if token.kind not in ("number", "text", "name"):
            raise refusal(self.text, token.at, "expected a number, a name or '(' here")
        self.place += 1
        end = token.at + len(token.text)
        if token.kind == "number":
            return Node("number", "", value=float(token.text), start=token.at, end=end)
        if token.kind == "text":
            return Node("text", "", value=unquoted(token.text), start=token.at, end=end)
        system = None
        if self.take("["):
            inner = self.next
            if inner.kind not in ("text", "name"):
                raise refusal(self.text, inner.at, "expected the name of a system here")
            system = unquoted(inner.text) if inner.kind == "text" else inner.text
            self.place += 1
            closing = self.take("]")
            if closing is None:
                raise refusal(self.text, self.next.at, "expected ']' here")
            end = closing.at + 1
        return Node("name", "", value=token.text, system=system, start=token.at, end=end)

    def truth(self, node: Node) -> Node:
        if node.kind != "truth":
            what = self.text[node.start : node.end]
            raise refusal(self.text, node.start, f"{what[:SHOWN]} is no condition; compare it, such as {what[:20]} > 0")
        return node

    def number(self, node: Node) -> Node:
        if node.kind not in ("number", "name"):
            raise refusal(
                self.text, node.start, f"expected a number here, got a {node.kind.replace('truth', 'condition')}"
            )
        return node


class Values(NamedTuple):
    """What names are worth in some rows: numbers (NaN: none), and texts (None: none)."""

    rows: int
    numbers: Callable[[Node], Any]  # # (n,)
    texts: Callable[[Node], Sequence[str | None]]


def truth_of(node: Node, values: Values) -> Array:
    """1 where a condition is true, 0 where it is false, NaN where it is unknown. # (n,)"""
    import numpy as np

    if node.operator == "not":
        return 1 - truth_of(node.operands[0], values)
    if node.operator in ("and", "or", "all"):
        parts = np.stack([truth_of(part, values) for part in node.operands])
        decides = 1.0 if node.operator == "or" else 0.0
        unknown = np.where(np.isnan(parts).any(axis=0), np.nan, 1 - decides)
        return np.where((parts == decides).any(axis=0), decides, unknown)
    left, right = node.operands
    if "text" in (left.kind, right.kind):
        return _texts_alike(node, values)
    with np.errstate(invalid="ignore"):
        one, other = numbers_of(left, values), numbers_of(right, values)
        compare: Any = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
                        "==": np.equal, "!=": np.not_equal}[node.operator]  # fmt: skip
        return np.where(np.isnan(one) | np.isnan(other), np.nan, compare(one, other))


def _texts_alike(node: Node, values: Values) -> Array:
    import numpy as np

    sides = [[part.value] * values.rows if part.kind == "text" else values.texts(part) for part in node.operands]
    wanted = node.operator == "=="
    pairs = zip(*sides, strict=True)
    return np.array([np.nan if None in pair else float((pair[0] == pair[1]) == wanted) for pair in pairs], dtype=float)


def numbers_of(node: Node, values: Values) -> Array:
    """What an expression is worth in every row; NaN where something of it is not there, or is divided by 0. # (n,)"""
    import numpy as np

    if node.kind == "name":
        return np.asarray(values.numbers(node), dtype=np.float64)
    if not node.operator:
        return np.full(values.rows, node.value, dtype=np.float64)
    if node.operator == "negative":
        return -numbers_of(node.operands[0], values)
    found = numbers_of(node.operands[0], values)
    with np.errstate(all="ignore"):
        for operator, part in zip(node.operator, node.operands[1:], strict=True):
            other = numbers_of(part, values)
            if operator == "/":
                found = np.where(other == 0, np.nan, found / other)
            else:
                found = found + other if operator == "+" else found - other if operator == "-" else found * other
    return found
