"""Where commands keep what is slow to make and always the same. All of it may be deleted."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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
