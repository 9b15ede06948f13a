"""Texts as training loops and other libraries hand them over, where a missing one is a mistake and not a gap."""

from __future__ import annotations

from typing import Any

from tertium.core.errors import InputError
from tertium.core.layout import references_of
from tertium.core.lines import Lines, is_missing
from tertium.core.testset import References


def read_texts(texts: Any, name: str) -> Lines:
    """A list of texts, every one of which is there."""
    odd = enumerate(texts) if isinstance(texts, list | tuple) else ()
    for k, text in odd:
        if not isinstance(text, str):
            raise _no_text(f"{name}[{k}]", "None" if text is None else f"{type(text).__name__} {text!r}")
    lines = Lines.of(texts, name)
    if not lines.complete:
        raise _no_text(f"{name}[{int(lines.present.argmin())}]", "missing")
    return lines


def _no_text(where: str, got: str) -> InputError:
    return InputError(f"{where}: {got:.60}; every segment needs a text (an empty one is scored as such)")


def read_references(references: Any, segments: int, name: str = "references") -> References:
    """One reference for every segment, or a list of them for every segment, as many as it has."""
    if references is None or isinstance(references, References):
        return references_of(references, segments)
    if isinstance(references, str):
        raise InputError(f"{name}: a single string; pass a list with a string, or a list of strings, per segment")
    found = references_of(references, segments, "segments")
    for k, item in enumerate(references):
        if is_missing(item):
            raise InputError(f"{name}[{k}]: None; every segment needs a reference, or a list of them")
        gap = None if isinstance(item, str) else next((n for n, text in enumerate(item) if is_missing(text)), None)
        if gap is not None:
            raise InputError(f"{name}[{k}][{gap}]: None; leave a reference out where there is none")
    return found
