"""Errors that a program can see, with place and evidence, beside what the same detectors find in the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, overload

from tertium.analysis.detect.choice import choose_detectors
from tertium.analysis.detect.detector import Detector, Hit, Knowledge, Segment, Span, Text
from tertium.analysis.detect.knowledge import gather, rows
from tertium.analysis.detect.rules import Given, read_house
from tertium.analysis.detect.screen import BITS, Screened, screen
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.run import PLAIN, Run
from tertium.core.system import System, check_lengths
from tertium.core.testset import TestSet
from tertium.inference.corrections import holm
from tertium.inference.mcnemar import mcnemar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place where something looks wrong. Segments count from 1, spans are characters [start, end)."""

    segment: int
    system: str
    kind: str
    severity: float
    evidence: str
    output: Span | None = None
    source: Span | None = None


class Tally:
    """Which segments a detector judged, and where it hit: a byte for each segment."""

    __slots__ = ("marks",)
    JUDGED, HIT = 1, 3  # a hit is judged

    def __init__(self, judged: NDArray[np.bool_]) -> None:
        self.marks = bytearray(judged.tobytes())

    @property
    def judged(self) -> int:
        """How many segments were judged."""
        return len(self.marks) - self.marks.count(0)

    @property
    def hits(self) -> int:
        """In how many segments something was found."""
        return self.marks.count(self.HIT)

    @property
    def rate(self) -> float:
        """Hits per judged segment; NaN if none was judged."""
        return self.hits / self.judged if self.judged else float("nan")


class ErrorComparison(NamedTuple):
    """McNemar's test of one detector between two systems: segments hit in one only, in both, and p."""

    kind: str
    only_first: int
    only_second: int
    both: int
    p: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnosis(Sequence[Finding]):
    """The findings, as a sequence; how often each detector hits each system, and the reference (`floor`)."""

    testset: TestSet
    systems: tuple[str, ...]
    detectors: tuple[str, ...]
    findings: tuple[Finding, ...]
    tallies: dict[tuple[str, str], Tally]  # by system and detector
    floor: dict[str, Tally]  # the first reference as if it were a system, judged without itself
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.findings)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return self.findings[index]

    def compare(self, first: str, second: str) -> list[ErrorComparison]:
        """McNemar's exact test for every detector, on the segments that were judged for both systems."""
        for name in (first, second):
            if name not in self.systems:
                raise OptionError(f"there is no system {name!r}; there are: {', '.join(self.systems)}")
        return [_comparison(kind, self.tallies[first, kind], self.tallies[second, kind]) for kind in self.detectors]

    def against(self, baseline: str) -> dict[tuple[str, str], float]:
        """McNemar's p of every system and detector against the baseline, all of them corrected together (Holm)."""
        keys, values = [], []
        for system in self.systems:
            if system != baseline:
                for found in self.compare(baseline, system):
                    keys.append((system, found.kind))
                    values.append(found.p)
        return dict(zip(keys, holm(values), strict=True))

    def beside_reference(self) -> dict[tuple[str, str], float]:
        """McNemar's p of every system and detector against the first reference, on the segments judged for both, all of
        them corrected together (Holm). Without detectors that could not judge the reference."""
        cells = {
            (system, kind): _comparison(kind, self.tallies[system, kind], floor).p
            for kind, floor in self.floor.items()
            if floor.judged
            for system in self.systems
        }
        return dict(zip(cells, holm(list(cells.values())), strict=True))

    def among(self, segments: Iterable[int]) -> dict[str, dict[str, int]]:
        """How many of these segments (from 1) each detector hits: by system, and in it by detector."""
        chosen = _numbers(segments, self.testset)
        return {
            system: {
                kind: sum(self.tallies[system, kind].marks[number - 1] == Tally.HIT for number in chosen)
                for kind in self.detectors
            }
            for system in self.systems
        }


def _comparison(kind: str, first: Tally, second: Tally) -> ErrorComparison:
    """On the segments that were judged for both."""
    pairs = [(a == Tally.HIT, b == Tally.HIT) for a, b in zip(first.marks, second.marks, strict=True) if a and b]
    one, other, both = (pairs.count(pair) for pair in ((True, False), (False, True), (True, True)))
    return ErrorComparison(kind, one, other, both, mcnemar(one, other))


def diagnose(
    given: Evaluation | TestSet,
    systems: Iterable[System] | None = None,
    *,
    detectors: str | Iterable[str] | None = None,
    glossary: Given | None = None,
    forbidden: Given | None = None,
    max_length: str | int | Iterable[str | int] | None = None,
    segments: Iterable[int] | None = None,
    keep: int | None = None,
    run: Run = PLAIN,
) -> Diagnosis:
    """Look for errors that a program can see, in every output of every system.

    Severity is the share of what a detector looks at that is wrong, from 0 to 1. `detectors`: names, or a text with
    commas; without it, all that the test set allows. `glossary` (CSV, TSV, TBX), `forbidden` (a list of words) and
    `max_length` (characters, or a share of the source such as "130%") are rules of the house, and each turns its
    detector on. `segments`: judge only these (from 1). `keep`: at most so many findings for each system and detector
    are kept; all of them are counted.
    """
    testset = given.testset if isinstance(given, Evaluation) else given
    if systems is None:
        systems = given.systems if isinstance(given, Evaluation) else ()
    systems = tuple(systems)
    _check(testset, systems)
    house = read_house(testset, glossary, forbidden, max_length)
    chosen, notes = choose_detectors(testset, detectors, house.has)
    known = gather(testset, systems, identify="language" in chosen)
    known.house = house
    places = range(len(testset)) if segments is None else [number - 1 for number in _numbers(segments, testset)]
    tallies, floor = _tallies(testset, systems, places, chosen)
    screened = screen(testset, systems, known, run)
    findings: list[Finding] = []
    kept: dict[tuple[str, str], int] = {}
    for number, system, kind, hits in _judge(testset, systems, places, chosen, known, screened, run):
        tally = floor[kind] if system is None else tallies[system, kind]
        tally.marks[number] = Tally.HIT
        for hit in hits if system is not None else ():
            count = kept.get((str(system), kind), 0)
            if keep is not None and count >= keep:
                break
            kept[str(system), kind] = count + 1
            findings.append(_finding(number, str(system), kind, hit))
    return Diagnosis(
        testset=testset,
        systems=tuple(system.name for system in systems),
        detectors=tuple(chosen),
        findings=tuple(findings),
        tallies=tallies,
        floor=floor,
        notes=(*house.notes, *notes),
    )


def _numbers(segments: Iterable[int], testset: TestSet) -> list[int]:
    """Segment numbers in order, each once."""
    chosen = sorted(set(segments))
    for number in chosen:
        if not 1 <= number <= len(testset):
            raise OptionError(f"there is no segment {number}: the test set has 1 to {len(testset)}")
    return chosen


def _finding(number: int, system: str, kind: str, hit: Hit) -> Finding:
    return Finding(
        segment=number + 1,
        system=system,
        kind=kind,
        severity=hit.severity,
        evidence=hit.evidence,
        output=hit.output,
        source=hit.source,
    )


def _check(testset: TestSet, systems: Sequence[System]) -> None:
    for system in systems:
        check_lengths(system, testset)
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        raise OptionError(f"two systems have the same name: {', '.join(names)}; rename one")
    if not testset.has_texts or any(system.outputs.withheld is not None for system in systems):
        raise OptionError("the texts were left out of this evaluation, and errors are found in texts; read the files")


def _tallies(
    testset: TestSet, systems: Sequence[System], places: Sequence[int], chosen: dict[str, Detector]
) -> tuple[dict[tuple[str, str], Tally], dict[str, Tally]]:
    """Which segments each detector judges, before anything is found: for every system, and for the reference."""
    import numpy as np

    asked = np.zeros(len(testset), dtype=np.bool_)  # (n,), as all that follow
    asked[places] = True
    sourced = np.zeros_like(asked) if testset.sources is None else testset.sources.present
    counts, streams = testset.references.counts, testset.references.streams

    def judged(detector: Detector, referenced: NDArray[np.bool_]) -> NDArray[np.bool_]:
        able = [[detector.can_judge(source, reference) for reference in (False, True)] for source in (False, True)]
        found: NDArray[np.bool_] = asked & np.array(able)[sourced.astype(int), referenced.astype(int)]
        return found

    tallies = {
        (system.name, kind): Tally(judged(detector, counts > 0) & system.outputs.present)
        for system in systems
        for kind, detector in chosen.items()
    }
    floor = {
        kind: Tally(judged(detector, counts > 1) & streams[0].present & ((counts > 1) | (not detector.excused)))
        for kind, detector in (chosen if streams else {}).items()
    }
    return tallies, floor


def _judge(
    testset: TestSet,
    systems: Sequence[System],
    places: Sequence[int],
    chosen: dict[str, Detector],
    known: Knowledge,
    screened: Screened,
    run: Run,
) -> Iterator[tuple[int, str | None, str, list[Hit]]]:
    """Where something is found, segment by segment: number from 0, system (None: the reference), kind, hits."""
    from_language, to_language = testset.source_language, testset.target_language

    @cache
    def left(mask: int, source: bool, references: bool, excused: bool) -> list[Detector]:
        """The detectors that have what they need, and may find something."""
        able = [one for one in chosen.values() if one.can_judge(source, references) and not (excused and one.excused)]
        return [one for one in able if one.name not in BITS or mask & BITS[one.name]]

    for done, (number, source, streams, outputs) in enumerate(rows(testset, systems, places), 1):
        run.tell("looking for errors", done, len(places))
        has = source is not None, len(streams) - streams.count(None)
        wanted = [
            (place, text, detectors)
            for place, text in enumerate(outputs)
            if text is not None and (detectors := left(screened.systems[place][number], has[0], has[1] > 0, False))
        ]
        theirs = []
        if streams and streams[0] is not None:
            theirs = left(screened.floor[number], has[0], has[1] > 1, has[1] == 1)
        if not wanted and not theirs:
            continue
        own = Text(source, from_language) if source is not None else None
        references = tuple(Text(text, to_language) for text in streams if text is not None)
        segment = Segment(own, references, known)
        seen: dict[str, list[tuple[str, list[Hit]]]] = {}  # systems often say the same
        for place, text, detectors in wanted:
            if text not in seen:
                seen[text] = _found(Text(text, to_language), segment, detectors)
            for kind, hits in seen[text]:
                yield number, systems[place].name, kind, hits
        if theirs:
            for kind, hits in _found(references[0], Segment(own, references[1:], known), theirs):
                yield number, None, kind, hits


def _found(output: Text, segment: Segment, detectors: Iterable[Detector]) -> list[tuple[str, list[Hit]]]:
    """What detectors find, by their names."""
    return [(detector.name, hits) for detector in detectors if (hits := list(detector.find(output, segment)))]
