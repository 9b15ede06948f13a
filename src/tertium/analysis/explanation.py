"""What can be told of a metric. It stands next to the formula, in the docstring of the metric's class:

    \"\"\"One sentence that says what is measured.

    Formula:
        WER = 100 E / r
        E, r: errors, reference words

    Options:
        order: what it means; the default and its kind are known from the field

    Blind to:
        What the metric does not see, as text.

    Paper:
        Authors (year), "title".
    \"\"\"

Sections and options that a class does not explain are those of the classes it inherits from; `tokenize`, `lowercase`
and `unicode` are explained by Reading. A metric from elsewhere may have none of it: what is missing is left empty.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any, Literal, NamedTuple

from tertium.core.metric import option_text
from tertium.text.words import Reading

SECTIONS = ("Formula", "Options", "Blind to", "Paper")
HEADING = re.compile(r"^([A-Z][a-z ]*):$")
OPTION = re.compile(r"^(\w+): ")


class Option(NamedTuple):
    """One option of a metric."""

    name: str
    kind: str  # its annotation: `int`, `float | None`
    default: object
    meaning: str

    def __str__(self) -> str:
        return f"{self.name}={option_text(self.default)}"


class Explanation(NamedTuple):
    """A metric for people who do not know it."""

    name: str
    title: str
    aliases: tuple[str, ...]
    summary: str
    better: Literal["higher", "lower"]
    range: tuple[float, float]
    needs: tuple[str, ...]
    resampling: Literal["percentile", "paired only"]
    formula: tuple[str, ...]  # lines
    options: tuple[Option, ...]
    blind_to: str
    paper: str


def explain(cls: type[Any]) -> Explanation:
    """What a metric's class says of itself."""
    sections: dict[str, list[str]] = {}
    meanings: dict[str, str] = {}
    for each in (*inspect.getmro(cls), Reading):
        found = read_sections(vars(each).get("__doc__") or "")
        sections = found | sections
        meanings = read_options(found.get("Options", [])) | meanings
    doc = inspect.getdoc(cls) or ""
    generated = doc.startswith(f"{cls.__name__}(")  # by dataclasses, where there is none
    formula = sections.get("Formula") or (inspect.getdoc(cls.score) or "").splitlines()[:1]
    return Explanation(
        name=cls.name,
        title=cls.title,
        aliases=tuple(getattr(cls, "aliases", ())),
        summary="" if generated else " ".join(doc.partition("\n\n")[0].split()),
        better=cls.better,
        range=cls.range,
        needs=tuple(sorted(cls.needs)),
        resampling=cls.resampling,
        formula=tuple(formula),
        options=tuple(
            Option(field.name, str(field.type), field.default, meanings.get(field.name, ""))
            for field in dataclasses.fields(cls)
        ),
        blind_to=" ".join(sections.get("Blind to", [])),
        paper=" ".join(sections.get("Paper", [])),
    )


def read_sections(doc: str) -> dict[str, list[str]]:
    """The lines under each heading of a docstring, without their indentation."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in inspect.cleandoc(doc).splitlines():
        if heading := HEADING.match(line):
            current = found.setdefault(heading[1], [])
        elif line.startswith("    ") and current is not None:
            current.append(line[4:])
        elif line.strip():
            current = None
    return found


def read_options(lines: list[str]) -> dict[str, str]:
    """`name: meaning`, going on in lines that are indented further."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        if option := OPTION.match(line):
            name, line = option[1], line[option.end() :]
        found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found
