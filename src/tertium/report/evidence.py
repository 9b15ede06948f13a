"""What metrics mark in the segments of the browser: links between an output and a reference, matches and spans.

Which kinds of links, matches and spans there are is found out from the marks; no metric is known here by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, MissingPackageError, SegmentError
from tertium.core.judgement import Span
from tertium.core.lines import Lines
from tertium.core.marks import EXACT, Link, Marks, MatchedPart
from tertium.core.metric import Metric
from tertium.core.run import Run
from tertium.core.wording import visible
from tertium.engines import door
from tertium.report.results import Results
from tertium.text.tokenizers import is_local

if TYPE_CHECKING:
    from tertium.report.held import Numbers

BETWEEN = "\x1f"
LONG = 600  # words from which on texts are not aligned: that costs their product
SIDES = ("output", "reference", "source", "none")


class Evidence:
    """The marks of one metric, as the page's script reads them."""

    def __init__(self, metric: Metric, results: Results, here: Numbers, cut: Mapping[str, str]) -> None:
        self._run = run_of(results)
        prepared = door.prepare(metric, results.evaluation.testset, self._run)
        self._prepared = prepared if len(here) == len(results.evaluation.testset) else prepared.take(here)
        self._references = results.evaluation.testset.references.take(here)
        sources = results.evaluation.testset.sources
        self._sources = None if sources is None else sources.take(here)
        self._cut = cut
        self._kinds: dict[str, int] = {EXACT: 0}  # of links, in the order in which they are met
        self._styles: dict[str, int] = {}  # of spans: severities, or categories where there is none
        self._hits: dict[str, int] = {}  # the kinds of what is matched
        self._noted: set[str] = set()  # those of them that are there too often
        self._changed = self._aligned = False  # whether any text is not read as it is, whether any is aligned
        self.segments = self._collect(metric, results, here)
        self.legend = {
            "name": results.titles[str(metric)].removesuffix(" ↓"),
            "kinds": [visible(kind) for kind in self._kinds],
            "styles": [visible(style) for style in self._styles],
            "ranks": [sorted(self._styles).index(style) for style in self._styles],  # critical, major, minor
            "hits": [visible(kind) for kind in self._hits],
            "noted": [kind in self._noted for kind in self._hits],
            "depths": [sorted(self._hits, key=lambda each: (len(each), each)).index(kind) for kind in self._hits],
            "read": self._changed,
            "aligned": self._aligned,
        }

    def _collect(self, metric: Metric, results: Results, here: Numbers) -> list[dict[str, Any]]:
        """By segment: the references that are meant (number, and how they are read), and the marks of every system."""
        systems = {system.name: system.outputs.take(here) for system in results.evaluation.systems}
        found: list[dict[str, Any]] = [{"r": {}, "o": []} for _ in here]
        known: list[dict[str | None, Any]] = [{None: None} for _ in here]  # systems often say the same
        for name in results.systems:
            outputs = list(systems[name])
            fresh = Lines.of([None if text in said else text for text, said in zip(outputs, known, strict=True)])
            every = door.marks(metric, fresh, self._prepared, self._run, system=name)
            for number, (text, marks) in enumerate(zip(outputs, every, strict=True)):
                said, own = known[number], found[number]
                if text not in said:
                    said[text] = self._entry(marks, number, fresh, own["r"])
                own["o"].append(said[text])
        return [{**each, "r": list(each["r"].values())} for each in found]

    def _entry(
        self, marks: Marks, number: int, outputs: Lines, references: dict[tuple[int, str | None], list[Any]]
    ) -> list[Any] | None:
        """The place among the references that are meant (-1: none), how the output is read, links; and where there are
        any, spans and how the source is read, what is matched, links that were rejected. None where there is nothing to
        show."""
        if marks.reference is None and not marks.spans and not marks.hits:
            return None
        read = {
            side: door.marked_text(marks, side, number, outputs, self._prepared)
            for side in SIDES[: 3 if marks.spans else 2]
        }
        if marks.reference is not None and max(str(read[side]).count(" ") for side in SIDES[:2]) >= LONG:
            bare = dataclasses.replace(marks, links=(), rejected=(), hits=(), reference=None)
            return self._entry(bare, number, outputs, references)
        place = -1
        if marks.reference is not None:
            self._aligned = True
            meant = marks.reference, read["reference"]
            if meant not in references:
                given = self._references[number][marks.reference]
                references[meant] = [marks.reference, self._reading(given, read["reference"])]
            place = list(references).index(meant)
        units = {side: code_units(text) for side, text in read.items()}
        entry: list[Any] = [place, self._reading(outputs[number], read["output"]), self._links(marks.links, units)]
        if marks.spans:
            source = None if self._sources is None else self._sources[number]
            spans = [self._span(span, units) for span in sorted(marks.spans, key=lambda span: (span.start, span.end))]
            entry += [spans, 0 if source == read["source"] else read["source"]]
        if marks.hits or marks.rejected:
            entry += [] if marks.spans else [[], 0]
            entry += [self._matches(marks.hits, units["output"])]
            entry += [self._links(marks.rejected, units)] if marks.rejected else []
        return entry

    def _reading(self, given: Any, read: str | None) -> int | str:
        """How a text is read: 0 as it is, 1 in lower case, 2 as its words with spaces between them, 3 as these in lower
        case; or the text itself, where a metric makes something else of it."""
        if given is None or read is None or given == read:
            return 0
        self._changed = True
        if given.lower() == read:
            return 1
        words = self._cut.get(given, given).replace(f"{BETWEEN} ", " ").replace(BETWEEN, " ")
        return 2 if words == read else 3 if words.lower() == read else read

    def _links(self, links: Sequence[Link], units: Mapping[str, list[int] | None]) -> list[int]:
        """In the order of the reference, in a row of numbers: twice the kind, one more if the two sides are not equally
        long; characters passed over in the output, characters linked, the same in the reference (its length only where
        it differs)."""
        row: list[int] = []
        end = until = 0
        said, wanted = units["output"], units["reference"]
        for kind, (start, stop), (at, to) in sorted(links, key=itemgetter(2)):
            if said is not None:
                start, stop = said[start], said[stop]
            if wanted is not None:
                at, to = wanted[at], wanted[to]
            place = self._kinds.setdefault(kind, len(self._kinds))
            differ = stop - start != to - at
            row += (2 * place + differ, int(start - end), int(stop - start), int(at - until))
            if differ:
                row.append(int(to - at))
            end, until = stop, to
        return row

    def _matches(self, hits: Sequence[MatchedPart], said: list[int] | None) -> list[int | str]:
        """In a row: twice the kind, one more if there is a note; characters passed over, characters matched; a note."""
        row: list[int | str] = []
        until = 0
        kinds = self._hits
        for kind, start, end, note in hits:
            if said is not None:
                start, end = said[start], said[end]
            code = 2 * kinds.setdefault(kind, len(kinds))
            if note:
                self._noted.add(kind)
                row += (code + 1, start - until, end - start, note)
            else:
                row += (code, start - until, end - start)
            until = end
        return row

    def _span(self, span: Span, units: Mapping[str, list[int] | None]) -> list[Any]:
        """Side, start, end, number of its style, what it says."""
        table = units.get(span.side)
        start, end = (int(place) if table is None else table[place] for place in (span.start, span.end))
        style = self._styles.setdefault(span.severity or span.category or "marked", len(self._styles))
        label = visible(f"{span.severity} {span.category}".strip())
        return [SIDES.index(span.side), start, end, style, label]


def code_units(text: str | None) -> list[int] | None:
    """The place of every character, and of the end, as JavaScript counts them; None where it counts as Python does."""
    if text is None or text.isascii() or max(text) <= "\uffff":
        return None
    return list(accumulate((1 + (char > "\uffff") for char in text), initial=0))


def evidence(results: Results, here: Numbers, cut: Mapping[str, str]) -> list[Evidence]:
    """Of every metric that shows what its scores are made of, as far as that can be found out here."""
    found = []
    for metric in results.metrics:
        if not names_code(metric):
            try:
                if door.gives_marks(metric, run_of(results)):
                    found.append(Evidence(metric, results, here, cut))
            except SegmentError:  # what the metric gives is wrong
                raise
            except (InputError, MissingPackageError):  # an evaluation from elsewhere: a package or table is not here
                continue
    return found


def run_of(results: Results) -> Run:
    """How metrics work, with the models that were at hand when they counted; of how far they are, pages say nothing."""
    return dataclasses.replace(results.run, located=results.evaluation.located, progress=None)


def names_code(metric: Metric) -> bool:
    """Whether an option names a tokenizer of somebody's computer: showing an evaluation runs nothing that it names."""
    values = vars(metric).values()
    return any(isinstance(value, str) and is_local(value) for value in values)
