"""Which detectors there are, and which of them can work on a test set."""

from __future__ import annotations

from collections.abc import Iterable

from tertium.analysis.detect import form, house, language, length, numbers, omission, placeholders, style, words
from tertium.analysis.detect.detector import Detector
from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.testset import TestSet
from tertium.text.language import check_identifier
from tertium.text.locales import locale_of

DETECTORS = {
    detector.name: detector
    for detector in (
        words.UNTRANSLATED,
        length.TRUNCATION,
        omission.OMISSION,
        length.OVER_GENERATION,
        form.REPETITION,
        numbers.NUMBERS,
        words.NAMES,
        language.COPIED,
        language.WRONG_LANGUAGE,
        form.UNBALANCED,
        form.UNKNOWN_WORD,
        form.EMPTY,
        house.TERMS,
        house.FORBIDDEN,
        house.LENGTH,
        placeholders.PLACEHOLDERS,
        style.PUNCTUATION,
        style.LOCALE,
    )
}
ASKED = {  # what a user names, and how
    "glossary": "a glossary (--glossary FILE)",
    "forbidden": "a list of words (--forbidden FILE)",
    "limits": "a limit (--max-length 80 or 130%)",
}


def usual_detectors() -> list[str]:
    """Those that need nothing that a user names."""
    return [name for name, detector in DETECTORS.items() if detector.needs.isdisjoint(ASKED)]


def choose_detectors(
    testset: TestSet, wanted: str | Iterable[str] | None, has: frozenset[str] = frozenset()
) -> tuple[dict[str, Detector], list[str]]:
    """The detectors by name, and a note for each that is left out because the test set or a package is not there.
    `has` are rules that are named."""
    names = wanted.split(",") if isinstance(wanted, str) else list(DETECTORS if wanted is None else wanted)
    chosen: dict[str, Detector] = {}
    left_out = []
    notes = []
    has_source, has_references = testset.sources is not None, bool(testset.references.streams)
    for name in (word.strip() for word in names):
        if name not in DETECTORS:
            raise OptionError(f"there is no detector {name!r}; known: {', '.join(DETECTORS)}")
        detector = DETECTORS[name]
        if lacking := _lacking(detector, testset, has):
            if wanted is not None:
                raise OptionError(f"detector {name} needs {lacking}")
            continue
        if not detector.can_judge(has_source, has_references):
            left_out.append(name)
            continue
        if "langid" in detector.needs:
            try:
                check_identifier()
            except MissingPackageError as error:
                if wanted is not None:
                    raise
                notes.append(f"detector {name} is left out: {error}")
                continue
        chosen[name] = detector
    if left_out:
        absent = " and no ".join([*([] if has_source else ["source"]), *([] if has_references else ["references"])])
        problem = f"test set {testset.name} has no {absent}, which these detectors need: {', '.join(left_out)}"
        if wanted is not None:
            raise OptionError(problem)
        notes.append(f"{problem}; they are left out")
    return chosen, notes


def _lacking(detector: Detector, testset: TestSet, has: frozenset[str]) -> str:
    """What a detector needs beside texts and is not there, in words."""
    for need, words_for_it in ASKED.items():
        if need in detector.needs and need not in has:
            return words_for_it
    if "locale" in detector.needs and locale_of(testset.target_language) is None:
        known = testset.target_language
        return f"a target language whose formats are known, not {known or 'a test set that names none'}"
    return ""
