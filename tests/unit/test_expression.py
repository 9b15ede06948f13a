"""The language of conditions: what it means, row by row; what it refuses, and where."""

from __future__ import annotations

import math
import operator
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import OptionError
from tertium.core.expression import DEEPEST, LONGEST, Node, Values, parse_condition, truth_of

ROWS = {
    "a": [1.0, 2.0, math.nan, 5.0, 0.0],
    "b": [0.0, 1.0, 2.0, 3.0, math.nan],
    "c": [-1.5, 40.0, 40.0, math.nan, 0.0],
}
TEXTS = ["x", None, "y", "z z", ""]
VALUES = Values(5, lambda node: ROWS[str(node.value)], lambda _: TEXTS)


def truths(text: str) -> list[float | None]:
    """Of all conditions together: 1, 0, or None where it is unknown."""
    nodes = parse_condition(text)
    whole = nodes[0] if len(nodes) == 1 else Node("truth", "and", nodes)
    return [None if math.isnan(value) else value for value in truth_of(whole, VALUES).tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a > 1", [0, 1, None, 1, 0]),
        ("a > 1 and b < 3", [0, 1, None, 0, 0]),
        ("a > 1 or b < 3", [1, 1, 1, 1, None]),
        ("not a > 1", [1, 0, None, 0, 1]),
        ("not a > 1 and b < 3", [1, 0, None, 0, None]),  # `not` binds more than `and`
        ("a > 1 or b < 3 and c > 0", [0, 1, 1, 1, 0]),  # and `and` more than `or`
        ("(a > 1 or b < 3) and c > 0", [0, 1, 1, None, 0]),
        ("1 < a <= 2", [0, 1, None, 0, 0]),
        ("a + b * 2 == 4", [0, 1, None, 0, None]),
        ("(a + b) * 2 == 6", [0, 1, None, 0, None]),
        ("a - 1 - 1 == 0", [0, 1, None, 0, 0]),
        ("a / b > 1", [None, 1, None, 1, None]),  # divided by 0: unknown
        ("8 / 2 / 2 == 2", [1, 1, 1, 1, 1]),
        ("-a < -1e0", [0, 1, None, 1, 0]),
        ("a != a", [0, 0, None, 0, 0]),
        ("a == 'x'", [1, None, 0, 0, 0]),
        ('"z z" != a', [1, None, 1, 0, 1]),
        ("a > .5 and a < 2.", [1, 0, None, 0, 0]),
    ],
)
def test_by_hand(text: str, expected: list[float | None]) -> None:
    assert truths(text) == expected


COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
           "!=": operator.ne}  # fmt: skip


def drawn(rng: random.Random, depth: int) -> tuple[str, Any]:
    """A condition, and a function of a row that says what it is worth: True, False or None."""
    kind = rng.choice(["and", "or", "not", "compare"]) if depth else "compare"
    if kind == "compare":
        (left, one), (right, other) = number_of(rng, depth), number_of(rng, depth)
        mark = rng.choice(list(COMPARE))

        def compared(row: int) -> bool | None:
            x, y = one(row), other(row)
            return None if x is None or y is None else COMPARE[mark](x, y)

        return f"{left} {mark} {right}", compared
    if kind == "not":
        text, inner = drawn(rng, depth - 1)

        def denied(row: int) -> bool | None:
            value = inner(row)
            return None if value is None else not value

        return f"not ({text})", denied
    parts = [drawn(rng, depth - 1) for _ in range(rng.randint(2, 3))]

    def joined(row: int) -> bool | None:
        values = [part(row) for _, part in parts]
        decides = kind == "or"
        return decides if decides in values else None if None in values else not decides

    return f" {kind} ".join(f"({text})" for text, _ in parts), joined


def number_of(rng: random.Random, depth: int) -> tuple[str, Any]:
    if not depth or rng.random() < 0.5:
        if rng.random() < 0.5:
            value = rng.choice([0, 1, 2, 2.5, 40])
            return str(value), lambda _: value
        name = rng.choice(list(ROWS))

        def of_row(row: int) -> float | None:
            value = ROWS[name][row]
            return None if math.isnan(value) else value

        return name, of_row
    (left, one), (right, other) = number_of(rng, depth - 1), number_of(rng, depth - 1)
    mark = rng.choice("+-*/")

    def worked_out(row: int) -> float | None:
        x, y = one(row), other(row)
        if x is None or y is None or (mark == "/" and y == 0):
            return None
        return {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[mark](x, y)

    return f"({left} {mark} {right})", worked_out


@pytest.mark.parametrize("seed", range(200))
def test_against_the_naive_version(seed: int) -> None:
    text, expected = drawn(random.Random(seed), 3)
    assert truths(text) == [None if (value := expected(row)) is None else float(value) for row in range(5)], text


def test_conditions_that_are_joined_at_the_top_are_counted_each() -> None:
    for text in ("a > 1 and (b < 2 and c > 3)", "a > 1 and b < 2 and c > 3"):
        assert [text[node.start : node.end].strip("()") for node in parse_condition(text)] == [
            "a > 1",
            "b < 2",
            "c > 3",
        ]
    assert len(parse_condition("1 < a < 3")) == 1
    assert len(parse_condition("a > 1 or b < 2")) == 1


def test_options_and_systems_belong_to_names() -> None:
    [node] = parse_condition("""bleu(tokenize="a)'b", x=(1, 2)) [ "my mt" ] > column('x"y')""")
    assert [(name.value, name.system) for name in node.names()] == [
        ("""bleu(tokenize="a)'b", x=(1, 2))""", "my mt"),
        ("column('x\"y')", None),
    ]


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        ("", "expected a number, a name or '(' here", 0),
        ("a >", "expected a number, a name or '(' here", 3),
        ("a > 1 and", "expected a number, a name or '(' here", 9),
        ("a > 1)", "expected 'and', 'or' or the end here", 5),
        ("a > 1 b", "expected 'and', 'or' or the end here", 6),
        ("(a > 1", "this bracket is not closed", 0),
        ("(a > 1 b)", "expected ')' here", 7),
        ("a && b > 1", "'&&' is not known here; write 'and'", 2),
        ("a > 1 | b > 1", "'|' is not known here; write 'or'", 6),
        ("!a > 1", "'!' is not known here; write 'not'", 0),
        ("a = 1", "'=' is not known here; write '=='", 2),
        ("a <> 1", "'<>' is not known here; write '!='", 2),
        ("a", "a is no condition; compare it, such as a > 0", 0),
        ("not a", "a is no condition; compare it, such as a > 0", 4),
        ("a and b > 1", "a is no condition; compare it, such as a > 0", 0),
        ("(a > 1) > 2", "a condition cannot be compared; join conditions by 'and' or 'or'", 0),
        ("1 + (a > 1) > 2", "expected a number here, got a condition", 4),
        ("1 + 'a' > 2", "expected a number here, got a text", 4),
        ("a > 'x'", "texts are compared by == and != alone", 2),
        ("'x' == 'x'", "a text is compared with a column, by its name", 0),
        ("a > 3x", "3x...: a name does not begin with a digit", 4),
        ("a > 1.2.3", "1.2.3 is not a number", 4),
        ("a > $", "'$' means nothing here", 4),
        ("a > 'x", "this quote is not closed", 4),
        ("bleu(x='1' > 3", "this bracket is not closed", 4),
        ("a[] > 1", "expected the name of a system here", 2),
        ("a[b > 1", "expected ']' here", 4),
    ],
)
def test_refusals_point_at_the_place(text: str, said: str, at: int) -> None:
    with pytest.raises(OptionError) as caught:
        parse_condition(text)
    assert str(caught.value) == f"{said}\n    {text}\n    {' ' * at}^"


def test_a_long_text_is_shown_around_the_place() -> None:
    text = "a > 1 and " * 30 + "$ > 1"
    with pytest.raises(OptionError) as caught:
        parse_condition(text)
    _, shown, caret = str(caught.value).split("\n")
    assert shown[caret.index("^")] == "$"
    assert len(shown) <= 64


def test_length_and_depth_are_bounded() -> None:
    with pytest.raises(OptionError, match=f"at most {LONGEST} are read"):
        parse_condition("a" * (LONGEST + 1))
    for text in ("(" * 1000 + "a", "not " * 900 + "a > 1", "-" * 2000 + "a > 1"):
        with pytest.raises(OptionError, match=f"more than {DEEPEST} brackets"):
            parse_condition(text)
    deep = "(" * DEEPEST + "a" + ")" * DEEPEST + " > 1"
    assert truths(deep) == truths("a > 1")
    long = " + ".join(["1"] * 999) + " > a"  # a chain is not deep
    assert truths(long) == [1, 1, None, 1, 1]
    assert truths(" and ".join(["a > 1"] * 400)) == truths("a > 1")


@given(st.text(max_size=40) | st.text("ab()[]'\"<>=!&|+-*/.1e notrd\\", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        nodes = parse_condition(text)
    except OptionError:
        return
    values = Values(2, lambda _: np.array([1.0, math.nan]), lambda _: ["a", None])
    for node in nodes:
        assert all(value in (0, 1) or math.isnan(value) for value in truth_of(node, values).tolist())
