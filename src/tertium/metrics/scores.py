"""Scores from elsewhere: what another program has worked out for each segment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, ClassVar, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.given import GivenRows, mean_rows
from tertium.core.lines import Lines
from tertium.core.metric import metric
from tertium.core.numbers import columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.system import System
from tertium.core.wording import counted, number
from tertium.io.given_scores import ALONE, FileScores, read_given_scores


@metric
class ElsewhereScores:
    """Scores of segments that another program has worked out, and their mean.

    Formula:
        scores = mean over scored segments of x
        x: the score of the segment in the file

    Options:
        of: the name of the metric whose scores they are; tables call it so
        file: where they are: what comet-score --to_json or MetricX wrote, a score file of mt-metrics-eval, a table, or
            a folder with a file for each system
        lower: whether a lower score is better, as of TER and MetricX

    Blind to:
        How the scores were made: nothing here can check them, nor which version of what model they come from. Where
        the file has the outputs, they are compared with those that are scored here; where it has none, only names and
        numbers of segments are.

    Paper:
        That of the metric whose scores they are.
    """

    name: ClassVar[str] = "scores"
    title: ClassVar[str] = "scores"
    better: ClassVar[Literal["higher", "lower"]] = "higher"  # or as `lower` says
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))  # nobody says
    needs: ClassVar[frozenset[str]] = frozenset({"scores"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4
    models: ClassVar[tuple[str, ...]] = ("file",)
    learned: ClassVar[bool] = True  # as nobody says, it is taken for one

    of: str = ""
    file: str = ""
    lower: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "better", "lower" if self.lower else "higher")
        object.__setattr__(self, "heading", self.of)

    def given(self, evaluation: Evaluation, run: Run = PLAIN) -> GivenRows:
        """A row for each scored segment: (score, 1)."""
        if not self.file or not self.of:
            raise OptionError('scores needs a name and a file: scores(of="comet", file="PATH"), or --scores comet=PATH')
        path = run.model(self.file)
        names = [system.name for system in evaluation.systems]
        found = read_given_scores(path, self.of, names)
        called = _matched(path, found.systems, evaluation.systems)
        for system in evaluation.systems:
            if system.name in called:
                _check(path, found.systems[called[system.name]], system, evaluation)
        return GivenRows(
            stats={name: mean_rows(found.systems[own].values) for name, own in called.items()},
            facts={"format": found.form, "n": str(len(evaluation.testset))},
            notes=tuple(_notes(self.of, names, called, found.systems)),
        )

    def score(self, sums: Any) -> Any:
        """The mean of the segments' scores."""
        total, scored = columns(sums)
        return ratio(total, scored, otherwise=float("nan"))


def _matched(path: str, found: Mapping[str, FileScores], systems: Sequence[System]) -> dict[str, str]:
    """What the file calls each system: its name, or a path of which that is the file's name, with or without what is
    behind a dot. A file of one system that names none is that of the only system."""
    if list(found) == [ALONE] and len(systems) == 1:
        return {systems[0].name: ALONE}
    called: dict[str, str] = {}
    for system in systems:
        own = [name for name in found if system.name in _names_of(name)]
        exact = [name for name in own if name == system.name] or own
        if len(exact) > 1:
            raise InputError(f"{path}: system {system.name} may be any of {', '.join(exact)}; name one of them so")
        if exact:
            called[system.name] = exact[0]
    if not called:
        theirs = ", ".join(found) if list(found) != [ALONE] else "no names"
        raise InputError(
            f"{path}: no scores of any system here; it has {theirs}, systems are "
            f"{', '.join(system.name for system in systems)} (--hyp NAME=FILE gives a system another name)"
        )
    return called


def _names_of(name: str) -> set[str]:
    last = PurePath(name.replace("\\", "/")).name
    return {name, last, last.partition(".")[0], last.rpartition(".")[0]}


def _check(path: str, scores: FileScores, system: System, evaluation: Evaluation) -> None:
    """Refuse scores that cannot be of these texts."""
    testset = evaluation.testset
    if len(scores.values) != len(testset):
        raise InputError(
            f"{path}: {counted(len(scores.values), 'score')} of system {system.name}, but test set {testset.name} has "
            f"{counted(len(testset), 'segment')}"
        )
    for side, lines in (("output", system.outputs), ("source", testset.sources)):
        if lines is not None and lines.withheld is None and side in scores.texts:
            _check_side(path, side, scores.texts[side], lines, system.name)


def _check_side(path: str, side: str, theirs: Iterable[str], ours: Lines, system: str) -> None:
    for segment, (their, our) in enumerate(zip(theirs, ours, strict=True), 1):
        if our is not None and their.split() != our.split():  # programs strip texts
            raise InputError(
                f"{path}: the scores of system {system} are of other texts: {side} {segment} is {_short(their)} there "
                f"and {_short(our)} here"
            )


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _notes(of: str, names: Sequence[str], called: Mapping[str, str], found: Mapping[str, Any]) -> Iterator[str]:
    unscored = [name for name in names if name not in called]
    if unscored:
        yield f"{of}: the file has no scores of {', '.join(unscored)}"
    unknown = [name for name in found if name not in called.values()]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        yield f"{of}: {', '.join(unknown)} {verb} scored in the file, but no system here"
    for name, own in called.items():
        values = found[own].values
        absent = len([value for value in values if math.isnan(value)])
        if absent:
            verb = "has" if absent == 1 else "have"
            yield f"{of}: {absent} of {counted(len(values), 'segment')} of {name} {verb} no score in the file"
        elif len(values) > 1 and len(set(values)) == 1:
            yield f"{of}: all segments of {name} have the same score, {number(values[0], 4)}; is it the right file?"
