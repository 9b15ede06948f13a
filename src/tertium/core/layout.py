"""References as people write them down, per segment or per stream, made into References."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines, frame_columns, is_missing
from tertium.core.testset import References
from tertium.core.wording import counted

Layout = Literal["segments", "streams"]


def references_of(references: Any, segments: int, layout: Layout | None = None) -> References:
    """Make References of one list of texts, a list of lists in either layout, or a mapping of streams by name.

    Nothing is ever cut to fit: where the lengths fit neither layout, or both, there is an error.
    """
    if isinstance(references, References):
        return references
    if references is None:
        return References((), segments)
    if layout not in (None, "segments", "streams"):
        raise OptionError(f'layout={layout!r} is unknown; choose "segments" or "streams"')
    streams = references if isinstance(references, Mapping) else frame_columns(references)
    if streams is not None:
        return _from_streams(list(streams.values()), segments)
    if type(references).__module__.startswith("pyarrow") and "list" in str(references.type):
        references = references.to_pylist()
    if isinstance(references, Lines) or type(references).__module__.startswith("pyarrow"):
        return _from_streams([references], segments)
    if isinstance(references, bytes):
        raise InputError("references: bytes; pass a list of strings, one per segment")
    items = [references] if isinstance(references, str) else listed(references, "references")
    if all(_is_text(item) for item in items):
        return _from_streams([items], segments)
    items = [[item] if _is_text(item) else listed(item, f"references[{k}]") for k, item in enumerate(items)]
    if _detect(items, segments, layout) == "streams":
        return _from_streams(items, segments)
    return _from_streams([list(stream) for stream in zip_longest(*items)] if segments else [], segments)


def _is_text(item: Any) -> bool:
    return isinstance(item, str) or is_missing(item)


def listed(item: Any, name: str) -> Any:
    """The item, made a list where it is none."""
    if isinstance(item, set | frozenset):
        raise InputError(f"{name}: a set has no order; pass a list of strings, one per segment")
    try:
        return item if hasattr(item, "__getitem__") and hasattr(item, "__len__") else list(item)
    except TypeError:
        raise InputError(f"{name}: {type(item).__name__}; pass a list of strings, one per segment") from None


def _from_streams(streams: list[Any], segments: int) -> References:
    lines = tuple(
        Lines.of(stream, f"references[{k}]" if len(streams) > 1 else "references") for k, stream in enumerate(streams)
    )
    for k, stream in enumerate(lines):
        if len(stream) != segments:
            which = f"reference stream {k + 1}" if len(lines) > 1 else "references"
            raise InputError(
                f"{which}: {counted(len(stream), 'line')}, but {counted(segments, 'output')}; "
                f"there must be one per segment"
            )
    return References(lines, segments)


def _detect(items: list[Any], segments: int, layout: Layout | None) -> Layout:
    """Whether a list of lists goes by segment (as long as the outputs) or by stream (its lists are that long)."""
    by_segment = len(items) == segments
    by_stream = all(len(item) == segments for item in items)
    if layout == "segments" and by_segment:
        return layout
    if layout == "streams" and by_stream:
        return layout
    if layout is None and by_segment and by_stream and segments > 1:
        raise InputError(
            f"references: {segments} lists of {segments} texts for {segments} outputs can be read per segment or per "
            f'stream; say which with layout="segments" or layout="streams"'
        )
    if layout is None and (by_segment or by_stream):
        return "segments" if by_segment else "streams"
    lengths = sorted({len(item) for item in items})
    shown = counted(lengths[0], "text") if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]} texts"
    raise InputError(
        f"references: {counted(len(items), 'list')} of {shown} do not fit {counted(segments, 'output')}; expected one "
        f"list per segment ({counted(segments, 'list')}), or one list per stream (lists of {counted(segments, 'text')})"
    )
