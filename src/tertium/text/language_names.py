"""Names of languages, as templates write them: in English, German and Chinese."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from tertium.core.errors import OptionError

TEMPLATE_LANGUAGES = ("en", "de", "zh")
CODE = 3  # letters that a code has at most


@cache
def language_names() -> dict[str, dict[str, str]]:
    """By code (ISO 639, the shortest there is), the names of a language in the languages of templates."""
    text = (files("tertium.text") / "data" / "languages.json").read_text(encoding="utf-8")
    rows = json.loads(text)
    return {code: dict(zip(TEMPLATE_LANGUAGES, names, strict=True)) for code, names in rows.items()}


def language_name(language: str, within: str = "en") -> str:
    """The name of a language in another one: `de` in Chinese is 德语. What is no code is a name already.

    A region or script behind the code (`pt-BR`, `zh_Hant`) does not change the name.
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    known = language_names()
    if code in known:
        return known[code].get(within, known[code]["en"])
    if not language.strip():
        raise OptionError("a language has no name; write a code such as de, or a name such as German")
    if language.isascii() and language.islower() and len(code) <= CODE:
        raise OptionError(
            f"unknown language code {language!r}; write the name of the language instead, such as 'German', "
            f"or one of these codes: {', '.join(known)}"
        )
    return language


def language_code(language: str) -> str:
    """The code of a language that is given by code or by name; what nobody knows stays as it is."""
    wanted = language.strip().casefold()
    known = language_names().items()
    return next((code for code, names in known if wanted in (name.casefold() for name in names.values())), language)
