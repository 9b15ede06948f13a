"""TOML files of settings: read, and checked key by key, so that the first thing that is wrong is said in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from datetime import time as clock_time
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.io.files import read_bytes
from tertium.io.texts import suggest

KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "a text",
    "tuple[str, ...]": "a list of texts",
    "Mapping[str, Any]": "a table",
    "datetime | None": "a date, a time and its zone, without quotes, as in 2026-12-01T09:00:00+01:00",
}


def read_toml(path: str | Path) -> dict[str, Any]:
    """The tables of a file."""
    import tomllib

    try:
        return tomllib.loads(bytes(read_bytes(path)).decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a valid TOML file ({error})") from None


def check_keys(values: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse a key that means nothing: it is a slip of the pen."""
    for key in values:
        if key not in known:
            raise InputError(f"{where}: unknown key {key!r}{suggest(key, known)} known: {', '.join(known)}")


def typed(value: Any, kind: str, where: str) -> Any:
    """A value of this kind (`KINDS`), as Python has it."""
    fits = {
        "int": type(value) is int,
        "float": type(value) in (int, float),
        "bool": isinstance(value, bool),
        "str": isinstance(value, str) and bool(value.strip()),
        "tuple[str, ...]": isinstance(value, list) and all(isinstance(one, str) for one in value),
        "Mapping[str, Any]": isinstance(value, dict),
        "datetime | None": isinstance(value, datetime) and value.tzinfo is not None,
    }[kind]
    if not fits:
        shown = value.isoformat() if isinstance(value, date | clock_time) else repr(value)
        raise InputError(f"{where} = {shown} does not fit; expected {KINDS[kind]}")
    return tuple(value) if isinstance(value, list) else float(value) if kind == "float" else value
