"""The keys of a testset.toml, and what each may hold."""

from __future__ import annotations

from typing import Any

from tertium.core.errors import InputError
from tertium.core.testset import TAGS
from tertium.io.texts import as_list, suggest

TEXT_KEYS = ("name", "source_language", "target_language", "source", "missing", "documents", "ids", "tags")
LIST_KEYS = ("references", "systems", "judgements", "models", "scores", "files")
SCORES_KEYS = {"file", "better"}
JUDGEMENT_KEYS = ("file", "aliases", "exclude", "order")
KEYS = (*TEXT_KEYS, *LIST_KEYS, "labels")


def check_keys(path: str, values: dict[str, Any]) -> None:
    """Refuse a key that is unknown or does not hold what it should."""
    for key, value in values.items():
        if key not in KEYS:
            raise InputError(f"{path}: unknown key {key!r}{suggest(key, KEYS)} known: {', '.join(KEYS)}")
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        table = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
        fits, expected = {
            "labels": (table, "a table of NAME = FILE"),
            "systems": (
                isinstance(value, str) or texts or table,
                "a glob, a list of globs, or a table of NAME = FILE",
            ),
            "references": (isinstance(value, str) or texts, "a file or a list of files"),
            "files": (isinstance(value, str) or texts, "a file, a glob, or a list of them"),
            "tags": (value in TAGS, f"one of {', '.join(TAGS)}"),
            "models": (isinstance(value, str) or texts, "a folder or a list of folders"),
            "scores": (
                isinstance(value, dict) and all(map(_scores_fit, value.values())),
                'a table of NAME = FILE, or NAME = {file = FILE, better = "lower"}',
            ),
            "judgements": (
                isinstance(value, str) or texts or _judged_table(value),
                "a file, a list of files, or a table of file, aliases = {NAME = SYSTEM}, exclude = [NAME, ...] and "
                'order = "documents" or "lines"',
            ),
        }.get(key, (isinstance(value, str), "a text in quotes"))
        if not fits:
            raise InputError(f"{path}: {key} = {value!r} does not fit; expected {expected}")


def _scores_fit(value: Any) -> bool:
    """Whether it says where scores are, and perhaps which are better."""
    if isinstance(value, str):
        return True
    return (
        isinstance(value, dict)
        and value.keys() <= SCORES_KEYS
        and isinstance(value.get("file"), str)
        and value.get("better", "higher") in ("higher", "lower")
    )


def _judged_table(value: Any) -> bool:
    """Whether it is a table that says which judgements, and what systems are called in them."""
    if not isinstance(value, dict) or "file" not in value or not value.keys() <= set(JUDGEMENT_KEYS):
        return False
    files, aliases, exclude = as_list(value["file"]), value.get("aliases", {}), value.get("exclude", [])
    if not isinstance(files, list) or not isinstance(aliases, dict) or not isinstance(exclude, list):
        return False
    texts = all(isinstance(item, str) for item in (*files, *aliases.values(), *exclude))
    return texts and value.get("order", "documents") in ("documents", "lines")
