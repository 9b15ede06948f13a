"""A cache, in the user's cache folder, of what is slow to make and always the same. All of it may be deleted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from tertium.core.errors import InputError
from tertium.io.files import write_atomically


def kept(name: str, make: Callable[[], str]) -> str:
    """A text from the cache; made where it is not there, and made anew each time where it cannot be kept."""
    try:
        return (cache_folder() / name).read_bytes().decode()
    except (RuntimeError, OSError, UnicodeDecodeError):  # no home, no such file, not ours
        text = make()
    try:
        cache_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with write_atomically(cache_folder() / name) as file:
            file.write(text.encode())
    except (RuntimeError, OSError, InputError):
        pass
    return text


def models_folder() -> str | None:
    """Where commands keep what models have worked out (`model_cache.py`); None where a user has no home."""
    try:
        return str(cache_folder() / "models")
    except RuntimeError:
        return None


def cache_folder() -> Path:
    """Where the system keeps what programs can make again; XDG_CACHE_HOME names another place."""
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "tertium"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tertium" / "cache"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "tertium"
