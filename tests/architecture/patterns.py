"""Every regular expression of the package, found in its source, against texts that make a careless one slow.

As a program it prints, as JSON, the patterns whose time grows faster than it may. Texts of n and of 16n characters:
16 times the time is linear, 256 times is quadratic.
"""

import ast
import importlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2] / "src"
SHORT, TIMES, LIMIT = 500, 16, 64.0
QUICK = 0.02  # seconds of CPU: what takes less at the full length is quick enough, and too little to be measured
FUNCTIONS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
# One of each class: spaces, line breaks, control characters, letters of several scripts, digits, marks, symbols.
CHARACTERS = (
    "".join(map(chr, range(9, 14))) + "".join(map(chr, range(32, 127))) + "\0\x85\xa0éİߐ٣अिגع字\u0301\u2009’「⁇😀"
)
ENDS = ("", "\0", "\n", "é")


class Found(NamedTuple):
    """A pattern, where it is, and the functions that it is used by."""

    where: str
    pattern: str | bytes
    flags: int
    uses: frozenset[str]


def called(node: ast.AST) -> str | None:
    """The function of `re` that a call is of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in (*FUNCTIONS, "compile"):
            return node.func.attr
    return None


def uses_by_name(trees: dict[Path, ast.Module]) -> dict[str, set[str]]:
    """For every name, the methods of patterns that are called on it, or on what it returns."""
    found: dict[str, set[str]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
                owner = node.value.func if isinstance(node.value, ast.Call) else node.value
                name = getattr(owner, "id", getattr(owner, "attr", None))
                found.setdefault(name or "", set()).add(node.attr)
    return found


def collect() -> tuple[list[Found], list[str]]:
    """All patterns; and those that cannot be known before the program runs, as they are written."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tertium").rglob("*.py"))}
    uses, found, unknown = uses_by_name(trees), [], []
    for path, tree in trees.items():
        module = importlib.import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            function = called(node)
            if function is None or not isinstance(node, ast.Call):
                continue
            compiled, name = made(node, parents, module)
            if compiled is None:
                unknown.append(f"{path.relative_to(ROOT)}: {ast.unparse(node)}")
                continue
            by = {function} if function != "compile" else uses.get(name, set()) or {"search", "fullmatch"}
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            found.append(Found(where, compiled.pattern, compiled.flags, frozenset(by)))
    return found, unknown


def made(node: ast.Call, parents: dict[ast.AST, ast.AST], module: Any) -> tuple["re.Pattern[Any] | None", str]:
    """The pattern of a call, and its name if it has one; None where it depends on what a function is given."""
    above: list[ast.AST] = [node]
    while above[-1] in parents:
        above.append(parents[above[-1]])
    inside = next((item for item in above if isinstance(item, ast.FunctionDef)), None)
    target = above[1].targets[0] if isinstance(above[1], ast.Assign) else None
    flags = [*node.args[{"sub": 4, "subn": 4, "compile": 1, "split": 3}.get(called(node) or "", 2) :]]
    flags += [word.value for word in node.keywords if word.arg == "flags"]
    try:
        values = [eval(ast.unparse(item), vars(module).copy()) for item in (node.args[0], *flags)]
    except NameError:
        whole = None if inside is None or ast.unparse(inside.args) else vars(module)[inside.name]()
        return (whole, inside.name) if inside and isinstance(whole, re.Pattern) else (None, "")
    return re.compile(*values), getattr(target, "id", "")


def sample(items: Any, pick: int) -> str:
    """A text that a parsed pattern likes; `pick` chooses among the members of classes."""
    return "".join(piece(op, value, pick) for op, value in items)


def piece(op: Any, value: Any, pick: int) -> str:
    """The same for one part of a pattern."""
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "IN":
        inside = [char for char in CHARACTERS if re.match(char_class(value), char)]
        return inside[pick % len(inside)] if inside else ""
    if name in ("ANY", "NOT_LITERAL"):
        return "a" if value != ord("a") else "b"
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return sample(value[2], pick) * max(value[0], 1)
    if name == "SUBPATTERN":
        return sample(value[3], pick)
    if name == "ATOMIC_GROUP":
        return sample(value, pick)
    if name == "BRANCH":
        return sample(value[1][pick % len(value[1])], pick)
    return ""


def char_class(items: Any) -> str:
    """A class as it is written, from its parts."""
    words = {"CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S",
             "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W"}  # fmt: skip
    text = ""
    for op, value in items:
        if str(op) == "NEGATE":
            text += "^"
        elif str(op) == "RANGE":
            text += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        else:
            text += words[str(value)] if str(op) == "CATEGORY" else re.escape(chr(value))
    return f"[{text}]"


def loops(items: Any, before: str, pick: int) -> Iterator[tuple[str, str]]:
    """What each loop of a pattern repeats, and what comes before it."""
    for op, value in items:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield from loops(value[2], before, pick)
            yield before, sample(value[2], pick)
        elif name == "SUBPATTERN":
            yield from loops(value[3], before, pick)
        elif name == "ATOMIC_GROUP":
            yield from loops(value, before, pick)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from loops(branch, before, pick)
        before += piece(op, value, pick)


def attacks(found: Found) -> Iterator[tuple[str, str]]:
    """Beginnings and what to repeat behind them: each character, and what the pattern's own loops repeat."""
    pattern = found.pattern.decode("latin-1") if isinstance(found.pattern, bytes) else found.pattern
    yield from (("", char) for char in CHARACTERS)
    tree = parser.parse(pattern, found.flags & ~re.UNICODE if isinstance(found.pattern, bytes) else found.flags)
    seen = set()
    for pick in (0, 1, 7, 20, 40):
        for before, body in loops(tree, "", pick):
            seen |= {(before, body), ("", before + body), ("", body + before)}
        whole = sample(tree, pick)
        seen |= {("", whole), ("", whole[:-1]), ("", whole[1:]), (whole[:1], whole[1:])}
    # Two characters in turn: those that the pattern names.
    named = sorted({char for char in pattern if char in CHARACTERS and not char.isalnum()} | {"a", "1", " "})
    seen |= {("", first + second) for first, second in product(named, repeat=2) if first != second}
    yield from sorted((before, body) for before, body in seen if body)


def least_time(work: Callable[[], object], tries: int, often: int = 1) -> float:
    """The least CPU time of some tries; what is short is done often, because clocks are coarse."""
    times = []
    for _ in range(tries):
        start = time.process_time()
        for _ in range(often):
            work()
        times.append((time.process_time() - start) / often)
    return min(times)


def worker(found: Found, use: str, text: str) -> Callable[[], object]:
    """The use of a pattern on a text."""
    compiled: Any = re.compile(found.pattern, found.flags)
    subject: Any = text.encode(errors="replace") if isinstance(found.pattern, bytes) else text
    if use in ("sub", "subn"):
        return lambda: compiled.sub("" if isinstance(subject, str) else b"", subject)
    if use == "finditer":
        return lambda: list(compiled.finditer(subject))
    return lambda: getattr(compiled, use)(subject)


def growth(found: Found, use: str, before: str, body: str, end: str) -> float | None:
    """How many times longer 16 times the text takes; None where it is quick."""
    short, full = (before + body * (1 + size // len(body)) + end for size in (SHORT, SHORT * TIMES))
    if least_time(worker(found, use, full), 1) < QUICK or least_time(worker(found, use, full), 4) < QUICK:
        return None
    return least_time(worker(found, use, full), 5) / least_time(worker(found, use, short), 5, often=50)


def slow(found: Found) -> Iterator[dict[str, object]]:
    """Where a pattern's time grows too fast; the first text for each use will do."""
    for use in sorted(found.uses):
        for (before, body), end in product(attacks(found), ENDS):
            ratio = growth(found, use, before, body, end)
            if ratio is not None and ratio >= LIMIT:
                yield {"where": found.where, "pattern": repr(found.pattern), "use": use, "before": before,
                       "repeated": body, "end": end, "ratio": round(ratio)}  # fmt: skip
                break


if __name__ == "__main__":
    limits = importlib.import_module("resource")
    limits.setrlimit(limits.RLIMIT_CPU, (600, 600))  # an exponential pattern never comes to its end
    patterns, unknown = collect()
    verdicts = [verdict for found in patterns for verdict in slow(found)]
    json.dump({"patterns": len(patterns), "unknown": unknown, "slow": verdicts}, sys.stdout)
