"""What the text of an option means, where it is more than one value."""

from __future__ import annotations

from tertium.core.errors import OptionError


def words(*texts: str | None) -> list[str]:
    """`a,b` and `c` as three words."""
    return [word.strip() for text in texts if text is not None for word in text.split(",") if word.strip()]


def read_bounds(text: str, *, whole: bool = False) -> list[float]:
    """`10,20,40` as numbers."""
    try:
        return [int(word) if whole else float(word) for word in text.split(",")]
    except ValueError:
        kind = "whole numbers" if whole else "numbers"
        raise OptionError(f"--bounds {text}: must be {kind} separated by commas, such as 10,20,40") from None
