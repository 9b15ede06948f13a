"""Templates by name: those that come with tertium, and a user's own in a TOML file.

[polite]
text = "[X]◇Please say this in [tgt]: [Z]"
language = "en"
joiner = "\\n\\n"
answers = { good = "+", bad = "-" }
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.io.texts import suggest
from tertium.io.toml import read_toml
from tertium.prompt.template import Template
from tertium.text.language_names import TEMPLATE_LANGUAGES

KEYS = {"text": str, "language": str, "joiner": str, "answers": dict}


@cache
def built_in() -> dict[tuple[str, str], Template]:
    """The templates of this package, by name and language."""
    text = (files("tertium.prompt") / "data" / "templates.toml").read_text(encoding="utf-8")
    return {
        (name, language): Template(
            text=words,
            name=name,
            language=language,
            answers=tuple(about.get("answers", {}).get(language, {}).items()),
        )
        for name, about in tomllib.loads(text).items()
        for language, words in about["text"].items()
    }


def read_templates(path: str | Path) -> dict[str, Template]:
    """The templates of a TOML file, by name."""
    return {name: _read(name, about, f"{path}: [{name}]") for name, about in read_toml(path).items()}


def _read(name: str, about: Any, where: str) -> Template:
    if not isinstance(about, Mapping) or "text" not in about:
        raise InputError(f'{where}: no text; write text = "[X]◇[tgt]: [Z]" under [{name}]')
    for key, value in about.items():
        if key not in KEYS:
            raise InputError(f"{where}: unknown key {key!r}{suggest(key, KEYS)} keys: {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):
            raise InputError(f"{where}: {key} must be a {'table' if KEYS[key] is dict else 'text'}, got {value!r}")
    for answer, label in about.get("answers", {}).items():
        if not isinstance(label, str):
            raise InputError(f"{where}: answers: the label of {answer!r} must be a text, got {label!r}")
    answers = tuple(about.get("answers", {}).items())
    try:
        return Template(**{**about, "name": name, "answers": answers})
    except OptionError as error:
        raise InputError(f"{where}: {error}") from None


def find_template(
    template: str | Template, language: str | None = None, own: Mapping[str, Template] | None = None
) -> Template:
    """A template by its name, among a user's own first; or the template that a text with [Z] in it is.

    `language` is that of the template's words; English, unless it says otherwise.
    """
    if isinstance(template, Template):
        return template
    if own is not None and template in own:
        return own[template]
    if "[Z]" in template:
        return Template(text=template, language=language or "en")
    names = list(dict.fromkeys(name for name, _ in built_in()))
    if template not in names:
        known = list(dict.fromkeys([*(own or ()), *names]))
        hint = suggest(template, known)
        raise OptionError(
            f"unknown template {template!r}{hint} known: {', '.join(known)}; or write a text with [X] and [Z]"
        )
    found = built_in().get((template, language or "en"))
    if found is None:
        there = [code for code in TEMPLATE_LANGUAGES if (template, code) in built_in()]
        raise OptionError(f"template {template} has no wording in {language!r}; there is: {', '.join(there)}")
    return found


def templates_text(templates: Iterable[Template]) -> str:
    """A TOML file of templates, which `read_templates` reads again."""
    tables = []
    for one in templates:
        lines = [f"[{_quoted(str(one))}]", f"text = {_quoted(one.text)}", f"language = {_quoted(one.language)}"]
        lines.append(f"joiner = {_quoted(one.joiner)}")
        if one.answers:
            pairs = ", ".join(f"{_quoted(answer)} = {_quoted(label)}" for answer, label in one.answers)
            lines.append(f"answers = {{ {pairs} }}")
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


def _quoted(text: str) -> str:
    """A basic string of TOML: JSON's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
