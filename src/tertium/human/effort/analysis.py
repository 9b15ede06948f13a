"""Post-editing effort: overall, by engine, translator, domain and document, with intervals and tests of engines."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.edited import EditedSegments, edited_of
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.metric import Metric, choose
from tertium.core.run import PLAIN, Run
from tertium.core.score import Score
from tertium.core.stats import Stats
from tertium.core.wording import counted
from tertium.human.effort.counting import HTER, count_effort
from tertium.human.effort.engines import EngineTest, compare_engines
from tertium.human.effort.measures import COLUMNS, KINDS, MEASURES, Measure
from tertium.inference.bootstrap import bootstrap_together, interval_of
from tertium.inference.seeds import ALPHA, CONFIDENCE, RESAMPLES, SEED, check_drawn
from tertium.inference.units import UNITS, Unit
from tertium.metrics import parse
from tertium.text.glossary import WITHOUT_SPACES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
FACTS: Mapping[str, Callable[[EditedSegments], Sequence[str] | None]] = {
    "engine": lambda edited: edited.engines,
    "translator": lambda edited: edited.translators,
    "domain": lambda edited: edited.domains,
    "document": lambda edited: edited.documents,
}
MOST_ENGINES = 30  # whose pairs are tested: 435
MANY = 500  # groups of a kind, above which they have no intervals


@dataclass(frozen=True, kw_only=True)
class EffortRow:
    """What editing a group of segments took. `by`: all, engine, translator, domain or document."""

    by: str
    name: str
    segments: int
    words: float  # of the post-edits
    timed: int  # segments whose time is known
    unit: Unit  # what was drawn for intervals
    units: int
    scores: Mapping[str, Score]  # by measure
    kinds: Mapping[str, Score]  # by kind of edit


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The whole, its groups, and engines against each other. Names of translators are pseudonyms unless asked for."""

    name: str
    metric: str
    rows: tuple[EffortRow, ...]
    tests: tuple[EngineTest, ...]
    unit: Unit
    confidence: float
    trials: int
    seed: int
    alpha: float
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> EffortRow:
        """All segments together."""
        return self.rows[0]

    def by(self, kind: str) -> list[EffortRow]:
        """The groups of one kind."""
        return [row for row in self.rows if row.by == kind]

    @property
    def kinds(self) -> list[str]:
        """What there are groups of."""
        return list(dict.fromkeys(row.by for row in self.rows if row.by != ALL))


def effort(
    given: EditedSegments | Evaluation,
    *,
    metric: str | Metric = HTER,
    by: str | Iterable[str] | None = None,
    unit: Unit | None = None,
    confidence: float = CONFIDENCE,
    trials: int = RESAMPLES,
    seed: int = SEED,
    alpha: float = ALPHA,
    names: bool = False,
    run: Run = PLAIN,
) -> Effort:
    """What it took to make outputs fit to be delivered, from the outputs and what people made of them.

    `given`: rows of a table (`tt.read_edits`), or an evaluation whose references are post-edits. `metric`: `ter` with
    options. `by`: engine, translator, domain, document, as names or a text with commas; all that are known. `unit`:
    what is drawn for intervals and tests; documents, where there are several. Without `names` translators have
    pseudonyms.
    """
    import numpy as np

    check_drawn(trials, seed, "resamples")
    for what, share in (("alpha", alpha), ("confidence", confidence)):
        if not 0 < share < 1:
            raise OptionError(f"{what} {share}: must lie between 0 and 1, such as 0.05")
    edited = (edited_of(given) if isinstance(given, Evaluation) else given).complete()
    if not len(edited):
        raise InputError(f"{edited.name}: no segment has both an output and a post-edit")
    edited = edited if names else edited.with_pseudonyms()
    chosen = _unit(edited, unit)
    stats = count_effort(edited, metric, run)
    _, documents = np.unique(np.array(edited.documents or [""] * len(edited)), return_inverse=True)
    drawn = _Drawing(stats, documents, chosen, confidence, trials, seed)
    notes = list(edited.notes)
    rows = [drawn.row(ALL, ALL, np.arange(len(edited)))]
    for kind in _kinds(edited, by):
        groups = _groups(FACTS[kind](edited) or ())
        if kind == "translator" and not names:  # in the order of their numbers
            groups = dict(sorted(groups.items(), key=lambda group: (len(group[0]), group[0])))
        if len(groups) > MANY:
            notes.append(f"{len(groups)} {kind}s: no intervals for each of so many")
        rows += [drawn.row(kind, name, numbers, bare=len(groups) > MANY) for name, numbers in groups.items()]
    engines, tests = len(set(edited.engines)), []
    if engines <= MOST_ENGINES:
        tests = compare_engines(
            edited, stats, documents, MEASURES["hter"], unit=chosen, seed=seed, alpha=alpha, run=run
        )
    return Effort(
        name=edited.name,
        metric=str(parse(metric)),
        rows=tuple(rows),
        tests=tuple(tests),
        unit=chosen,
        confidence=confidence,
        trials=trials,
        seed=seed,
        alpha=alpha,
        notes=(*notes, *_untested(engines, len(tests), chosen), *_cautions(edited, rows[0])),
    )


def _unit(edited: EditedSegments, asked: Unit | None) -> Unit:
    """Documents where there are several, and fewer than segments."""
    documents = len(set(edited.documents or ()))
    if asked is not None:
        choose("effort", "unit", asked, UNITS)
        if asked == "document" and documents < 2:
            raise OptionError(f"{edited.name} has {counted(documents, 'document')}; draw segments: --unit segment")
        return asked
    return "document" if 1 < documents < len(edited) else "segment"


def _kinds(edited: EditedSegments, by: str | Iterable[str] | None) -> list[str]:
    if by is None:
        return [kind for kind, fact in FACTS.items() if fact(edited) is not None]
    wanted = [name.strip() for name in (by.split(",") if isinstance(by, str) else by)]
    for name in wanted:
        choose("effort", "by", name, tuple(FACTS))
        if FACTS[name](edited) is None:
            raise OptionError(f"{edited.name} does not say which {name} a segment is of; leave {name} out")
    return wanted


def _groups(names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """The rows of every name, in the order of appearance; rows without a name are of no group."""
    import numpy as np

    found: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        if name:
            found.setdefault(name, []).append(number)
    return {name: np.array(numbers, dtype=np.int64) for name, numbers in found.items()}


def _cautions(edited: EditedSegments, whole: EffortRow) -> Iterable[str]:
    if edited.seconds is not None and whole.timed < whole.segments:
        yield f"times are known for {whole.timed} of {counted(whole.segments, 'segment')}; speed is of these"
    if _without_spaces(edited.edited):
        yield (
            "post-edits are in a script without spaces, of which each run counts as one word: look at edits of "
            "characters, not of words"
        )
    if edited.seconds is not None and _without_spaces(edited.edited if edited.sources is None else edited.sources):
        yield "words an hour are counted in a script without spaces, of which each run is one word: they mean nothing"
    if edited.translators is not None and not all(edited.translators):
        yield f"{counted(edited.translators.count(''), 'segment')} without a translator: in no translator's row"


def _untested(engines: int, tests: int, unit: Unit) -> Iterator[str]:
    """Why engines are not tested against each other."""
    if engines > MOST_ENGINES:
        most = f"of more than {MOST_ENGINES} no pairs are tested"
        yield f"{engines} engines, and {most}; is the column of engines the one that was meant?"
    elif lacking := engines * (engines - 1) // 2 - tests:
        yield f"{counted(lacking, 'pair')} of engines not tested: one of the two has fewer than 2 {unit}s"


def _without_spaces(texts: Lines) -> bool:
    """Whether more than half of the characters are of such scripts."""
    script = re.compile(f"[{WITHOUT_SPACES}]")
    return sum(2 * len(script.findall(text or "")) - len(text or "") for text in texts) > 0


@dataclass(frozen=True)
class _Drawing:
    """The rows of all segments, and how intervals are drawn."""

    stats: Stats
    documents: NDArray[np.int64]
    unit: Unit
    confidence: float
    trials: int
    seed: int

    def row(self, by: str, name: str, numbers: NDArray[np.int64], *, bare: bool = False) -> EffortRow:
        """The measures of some segments."""
        import numpy as np

        own, documents = self.stats.take(numbers), self.documents[numbers]
        several = self.unit == "document" and len(np.unique(documents)) > 1
        unit: Unit = "document" if several else "segment"
        timed = own.segments()[:, COLUMNS.index("hours")] > 0
        chosen = {**MEASURES, **KINDS}
        parts = {
            measure: (own, documents) if measure != "speed" else (own.take(np.flatnonzero(timed)), documents[timed])
            for measure in chosen
        }
        drawn = {measure: units_of(part, of) if several else part for measure, (part, of) in parts.items()}
        scores = self._scored(chosen, drawn, parts, bare)
        return EffortRow(
            by=by,
            name=name,
            segments=len(own),
            words=float(own.total()[COLUMNS.index("words")]),
            timed=int(timed.sum()),
            unit=unit,
            units=len(drawn["hter"]),
            scores={measure: scores[measure] for measure in MEASURES},
            kinds={measure: scores[measure] for measure in KINDS},
        )

    def _scored(
        self,
        chosen: Mapping[str, Measure],
        drawn: Mapping[str, Stats],
        parts: Mapping[str, tuple[Stats, NDArray[np.int64]]],
        bare: bool,
    ) -> dict[str, Score]:
        able = [name for name, part in drawn.items() if len(part) > 1 and not bare]
        resampled = bootstrap_together(
            [(drawn[name], chosen[name].metric) for name in able], trials=self.trials, seed=self.seed
        )
        intervals = {name: interval_of(found, self.confidence) for name, found in zip(able, resampled, strict=True)}
        return {
            name: Score(
                metric=name,
                value=float(chosen[name].score(part.total())) if len(part) else math.nan,
                n=len(part),
                interval=intervals.get(name),
            )
            for name, (part, _) in parts.items()
        }


def units_of(stats: Stats, documents: NDArray[np.int64]) -> Stats:
    """A row for each document: the sum of its segments'."""
    import numpy as np

    present, group = np.unique(documents, return_inverse=True)
    return stats.join(group, len(present))
