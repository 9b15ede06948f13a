"""What a file or a column of a table is by its name: source, reference, output, documents, judgements, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# Words in the name of a file or column that say what it is.
HINTS = {
    "source": {"source", "sources", "src"},
    "reference": {"reference", "references", "ref", "refs"},
    "documents": {"document", "documents", "doc", "docs", "docid"},
    "judgements": {"judgement", "judgements", "judgment", "judgments", "rating", "ratings"},
    "output": {
        "output",
        "outputs",
        "system",
        "systems",
        "hyp",
        "hyps",
        "hypothesis",
        "hypotheses",
        "mt",
        "translation",
        "candidate",
    },
    "ignore": {"id", "ids", "segment", "line", "number", "domain", "domains", "label", "readme", "license"},
}
# Words of translation teams for a reference, which elsewhere may be an output.
TARGETS = {"target", "final", "postedit", "postedited", "pe"}
BETWEEN = "._- "  # what stands between words in the name of a file


def guess_role(name: str) -> str | None:
    """What a file or column is by its name; None if the name does not say."""
    steps = [words_in(step) for step in reversed(name.split("/"))]
    for words in steps:  # the file's own name first, then the folders'
        for role, hints in HINTS.items():
            if words & hints:
                return role
    return None


def words_in(name: str) -> set[str]:
    """The words of a name, in lower case."""
    return set(re.findall(r"[a-z]+", name.lower()))


class ColumnRole(NamedTuple):
    """What a column of a table is taken for."""

    column: str
    role: str
    name: str  # of the system, if it is an output


def recognise(columns: Sequence[str]) -> list[ColumnRole]:
    """Columns by their names. If one says that it is an output, those that say nothing are left out, and `target` is
    the reference where nothing else is; else they are outputs. The name of a system is the column's without the word
    that says so: `output_atlas`, `mt: atlas`."""
    roles = {column: guess_role(column) for column in columns}
    sure = "output" in roles.values()
    if sure and "reference" not in roles.values():
        roles |= {column: "reference" for column in columns if TARGETS & words_in(column)}
    said = {column: role or ("ignore" if sure else "output") for column, role in roles.items()}
    outputs = [column for column, role in said.items() if role == "output"]
    short = {column: name_in(column) for column in outputs}
    if len(set(short.values())) < len(outputs):  # `mt_a` and `a_mt`
        short = {}
    return [ColumnRole(column, role, short.get(column, column)) for column, role in said.items()]


def name_in(column: str) -> str:
    """The name of a system in that of its column."""
    between = f"{BETWEEN}:"
    for word in sorted(HINTS["output"], key=len, reverse=True):
        before, after = column[: -len(word)], column[len(word) :]
        if column[: len(word)].lower() == word and after[:1] in between and after.strip(between):
            return after.lstrip(between)
        if column[-len(word) :].lower() == word and before[-1:] in between and before.strip(between):
            return before.rstrip(between)
    return column
