"""Which detectors can find anything in which outputs, told by the kernel before any of them looks.

Most detectors find nothing in most outputs: one without digits has no wrong number. The screen says "perhaps" or
"surely nothing"; a detector decides, and its findings are the same without a screen. A detector that the screen does
not know always looks; who changes one that it knows changes kernel/screen.h too.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from tertium import _kernel
from tertium.analysis.detect import form, language, length, numbers, omission, words
from tertium.analysis.detect.detector import Knowledge
from tertium.core.lines import Lines
from tertium.core.run import Run
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.engines.threads import map_all
from tertium.text.letters import word_pattern
from tertium.text.numerals import RUN, known_words

BLOCK = 2000  # segments that a thread screens at a time
# A bit for each, in the order of kernel/screen.h
SCREENED = (
    form.EMPTY, form.UNKNOWN_WORD, form.UNBALANCED, form.REPETITION, numbers.NUMBERS, words.UNTRANSLATED, words.NAMES,
    language.COPIED, length.TRUNCATION, length.OVER_GENERATION, omission.OMISSION, language.WRONG_LANGUAGE,
)  # fmt: skip
BITS = {detector.name: 1 << k for k, detector in enumerate(SCREENED)}
SHARES = [length.SHORT, length.LONG, omission.SHORT, language.FAMILIAR, language.SHARE]


class Screened(NamedTuple):
    """By segment, the bits of the detectors that may find something."""

    systems: list[array[int]]  # in each system's outputs
    floor: array[int]  # in the first reference, judged without itself


def screen(testset: TestSet, systems: Sequence[System], known: Knowledge, run: Run) -> Screened:
    """What may be found where; the same for any number of threads."""
    streams = testset.references.streams
    lines = [*([] if testset.sources is None else [testset.sources]), *streams, *(system.outputs for system in systems)]
    ask = partial(
        _kernel.screen_outputs,
        source=None if testset.sources is None else testset.sources.view,
        characters=character_kinds(lines),
        source_numbers=_words(known_words(testset.source_language)),
        numbers=_words(known_words(testset.target_language)),
        target=None if known.identify is None else _words(known.target),
        ratio=float("nan") if known.ratio is None else known.ratio,
        shares=SHARES,
    )

    def block(first: int) -> tuple[list[memoryview], list[memoryview]]:
        last = min(first + BLOCK, len(testset))
        said = ask([system.outputs.view for system in systems], references=_views(streams), first=first, last=last)
        return said, ask(_views(streams[:1]), references=_views(streams[1:]), first=first, last=last)

    found = map_all(run, block, range(0, len(testset), BLOCK))
    outputs = [_joined(said[k] for said, _ in found) for k in range(len(systems))]
    return Screened(outputs, _joined(theirs[0] for _, theirs in found if theirs))


def character_kinds(lines: Iterable[Lines]) -> _kernel.CharacterKinds:
    """What the characters of texts are to the detectors, and what they are folded to."""
    import numpy as np

    codes = _kernel.distinct_characters(_views(lines))
    characters = [chr(code) for code in codes]
    kinds = np.array([_kind(character) for character in characters], dtype=np.uint8)  # (characters,)
    return _kernel.CharacterKinds(codes, kinds, Lines.of([character.casefold() for character in characters]).view)


def _kind(character: str) -> int:
    """Bits: a letter, a mark that goes on with a word, white space, a digit, a bracket or quotation mark, with what a
    mark for an unknown word begins, an emoji, a capital."""
    is_letter = word_pattern().fullmatch(character) is not None
    facts = (
        is_letter,
        not is_letter and word_pattern().fullmatch(f"a{character}") is not None,
        character.isspace(),
        RUN.match(character) is not None,
        form.BRACKETS.match(character) is not None or form.QUOTE.match(character) is not None,
        form.UNUSUAL.match(character) is not None,
        words.SYMBOLS.match(character) is not None,
        character.isupper(),
    )
    return sum(1 << k for k, fact in enumerate(facts) if fact)


def _words(wanted: Iterable[str]) -> _kernel.WordSet:
    return _kernel.WordSet(Lines.of(sorted({word.casefold() for word in wanted})).view)


def _views(lines: Iterable[Lines]) -> list[_kernel.View]:
    return [one.view for one in lines]


def _joined(blocks: Iterable[memoryview]) -> array[int]:
    return array("H", b"".join(blocks))
