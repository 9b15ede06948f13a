"""The detector of placeholders and tags: lost, or invented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text
from tertium.text.placeholders import Placeholder, characters_of, distinct, is_markup, placeholders


def lost_placeholders(output: Text, segment: Segment) -> Iterator[Hit]:
    """What a program fills in, and markup, that the source has and the output lacks, or the other way round.

    A reference excuses what it does too.
    """
    source = segment.source
    if source is None:
        return
    wanted, said = segment.once(_of_source), distinct(placeholders(output.text))
    if not wanted and not said:
        return
    others = segment.once(_of_references)
    missing = [one for one in _surplus(wanted, said) if not _excused(one, output)]
    missing = [one for one in missing if all(one.text in counts for counts in others)]
    marked = any(one.kind == "tag" for one in wanted)
    added = [one for one in _surplus(said, wanted) if marked or one.kind != "tag" or is_markup(one.text)]
    added = [one for one in added if not any(one.text in counts for counts in others)]
    severity = min(1.0, max(len(missing), len(added)) / max(1, len(wanted), len(said)))
    for one in missing:
        yield Hit(severity, f"{one.text} in the source, not in the output", None, (one.start, one.end))
    for one in added:
        yield Hit(severity, f"{one.text} in the output, not in the source", (one.start, one.end))


def _of_source(segment: Segment) -> list[Placeholder]:
    return [] if segment.source is None else distinct(placeholders(segment.source.text))


def _of_references(segment: Segment) -> list[Counter[str]]:
    return [Counter(one.text for one in placeholders(text.text)) for text in segment.references]


def _surplus(these: list[Placeholder], those: list[Placeholder]) -> list[Placeholder]:
    """Which of these are more than those, each as often as it comes."""
    left = Counter(one.text for one in those)
    surplus = []
    for one in these:
        if left[one.text]:
            left[one.text] -= 1
        else:
            surplus.append(one)
    return surplus


def _excused(one: Placeholder, output: Text) -> bool:
    """Whether an output writes an entity's character itself."""
    return one.kind == "entity" and characters_of(one.text) in output.text


PLACEHOLDERS = Detector(
    "placeholder", "a placeholder or tag is missing or invented", frozenset({"source"}), lost_placeholders
)
