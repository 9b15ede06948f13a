"""The key of a server: read from a variable of the environment, sent, and never shown."""

from __future__ import annotations

import os
import re
import secrets

from tertium.core.errors import OptionError

VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
HIDDEN = "(key)"


class Key:
    """A key that is known by the name of its variable. Its value is in no text, `repr` or pickle of it."""

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str) -> None:
        # What does not look like a name may be the key itself: it is not repeated.
        if not VARIABLE.fullmatch(variable):
            raise OptionError(
                "key: takes the name of a variable of the environment (letters A-Z, digits, _), not a key itself"
            )
        value = os.environ.get(variable, "").strip()
        if not value:
            raise OptionError(f"key: the environment has no variable {variable}, or it is empty; set it to the key")
        if not value.isascii() or not value.isprintable():
            raise OptionError(f"key: the variable {variable} has characters that no key has; copy the key once more")
        self.variable, self._value = variable, value

    @classmethod
    def made_up(cls) -> Key:
        """A key for a server of our own: other programs and pages on this computer do not know it."""
        key = cls.__new__(cls)
        key.variable, key._value = "(none: it was made up)", secrets.token_hex(32)
        return key

    @property
    def value(self) -> str:
        """The key, for the server of our own that it opens."""
        return self._value

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"

    def __reduce__(self) -> tuple[type[Key], tuple[str]]:
        return Key, (self.variable,)

    def headers(self) -> dict[str, str]:
        """What is sent with each call."""
        return {"Authorization": f"Bearer {self._value}"}

    def hide(self, text: str) -> str:
        """A text of somebody else's without the key in it."""
        return text.replace(self._value, HIDDEN)
