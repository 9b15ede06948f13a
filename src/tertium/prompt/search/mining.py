"""Frames mined from text: what stands between and around an input and its answer (Jiang et al. 2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tertium.core.run import PLAIN, Run
from tertium.prompt.template import CHOICE
from tertium.text.bm25 import is_spaceless

NEAR = 80  # characters at most between an input and its answer
BESIDE = 60  # characters at most before the first of them and behind the second, on their lines
OFTEN = 20  # places of a text at which an input is looked at


class Frame(NamedTuple):
    """The text of a template, and how many different pairs stand in it somewhere."""

    text: str
    pairs: int


def mine_frames(
    texts: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    names: Mapping[str, str] | None = None,
    *,
    least: int = 2,
    run: Run = PLAIN,
) -> list[Frame]:
    """Frames in which at least so many (input, answer) pairs stand in the texts, those of most pairs first.

    `names` are the names of languages by slot (`src`, `tgt`): where they stand in a frame, the slot takes their place.
    Texts and pairs are compared as they are written.
    """
    found: dict[str, set[int]] = {}
    for number, (one, other) in enumerate(pairs):
        run.tell("mining", number, len(pairs))
        if one.strip() and other.strip() and one != other:
            for text in texts:
                for frame in _frames(text, one, other, names or {}):
                    found.setdefault(frame, set()).add(number)
    frames = [Frame(text, len(numbers)) for text, numbers in found.items() if len(numbers) >= least]
    return sorted(frames, key=lambda frame: (-frame.pairs, len(frame.text), frame.text))


def _frames(text: str, x: str, z: str, names: Mapping[str, str]) -> Iterator[str]:
    for place in _places(text, x):
        end = place + len(x)
        behind = next(_places(text[end : end + NEAR + len(z)], z), -1)
        if behind >= 0:
            yield from _around(text, (place, "[X]", end), (end + behind, "[Z]", end + behind + len(z)), names)
        first = max(0, place - NEAR - len(z))
        before = max(_places(text[first:place], z), default=-1)
        if before >= 0:
            yield from _around(text, (first + before, "[Z]", first + before + len(z)), (place, "[X]", end), names)


def _places(text: str, wanted: str) -> Iterator[int]:
    """Where a text has another as words of its own; the first ones."""
    place, seen = text.find(wanted), 0
    while place >= 0 and seen < OFTEN:
        seen += 1
        if not (
            _joined(text[place - 1 : place], wanted[0])
            or _joined(wanted[-1], text[place + len(wanted) : place + len(wanted) + 1])
        ):
            yield place
        place = text.find(wanted, place + 1)


def _joined(one: str, other: str) -> bool:
    """Whether two characters would be parts of one word."""
    return one.isalnum() and other.isalnum() and not is_spaceless(one) and not is_spaceless(other)


def _around(
    text: str, one: tuple[int, str, int], other: tuple[int, str, int], names: Mapping[str, str]
) -> Iterator[str]:
    """Frames of one place: the stretch between the two, with what stands before, behind, or both."""
    between = text[one[2] : other[0]]
    left = text[max(0, one[0] - BESIDE - 1) : one[0]].rpartition("\n")
    right = text[other[2] : other[2] + BESIDE + 1].partition("\n")
    starts = [left[2].lstrip()] if left[1] or len(left[2]) <= BESIDE else []  # whole beginnings of lines only
    ends = [right[0].rstrip()] if right[1] or len(right[0]) <= BESIDE else []
    for start in dict.fromkeys(["", *starts]):
        for end in dict.fromkeys(["", *ends]):
            words = start + between + end
            if not words.strip() or CHOICE in words or (one[1] == "[Z]" and not start.strip()):
                continue  # a template of slots alone; a text that a template cannot hold; nothing to begin with
            start_, between_, end_ = (_slotted(part, names) for part in (start, between, end))
            yield f"{start_}{one[1]}{between_}{other[1]}{end_}"


def _slotted(words: str, names: Mapping[str, str]) -> str:
    """Words of a template: brackets that open no slot are doubled, names of languages become slots."""
    words = words.replace("[", "[[")
    for slot, name in names.items():
        for place in reversed(list(_places(words, name))):
            words = f"{words[:place]}[{slot}]{words[place + len(name) :]}"
    return words
