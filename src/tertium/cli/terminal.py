"""How wide lines may be."""

from __future__ import annotations

import os
import sys


def room(output: str | None = None) -> int | None:
    """Characters of a line: COLUMNS, or the terminal's own; None where nothing says so: in a pipe, in a file."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    if output not in (None, "-") or sys.stdout is None or not sys.stdout.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None
