"""Unicode normalisation before tokenising: an explicit option, because it changes scores."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from tertium.core.lines import Lines

# Typographic quotation marks and apostrophes to the ASCII ones.
QUOTES = str.maketrans(dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟«»″〝〞", '"'))

FORMS: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "quotes": lambda text: text.translate(QUOTES),
}


def normalise(lines: Lines, form: str) -> Lines:
    """The lines in a Unicode form; `none` leaves them as they are, without copying."""
    if form == "none":
        return lines
    change = FORMS[form]
    return Lines.of([None if text is None else change(text) for text in lines])
