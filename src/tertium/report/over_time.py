"""Two evaluations of the same test set, made on different days: what got better, what broke, segment by segment.

A system that both have is compared with itself by the paired test and interval of `tertium compare`; p-values of one
metric are corrected over the systems by Holm. Systems and metrics that only one has are named and left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import fmean
from typing import NamedTuple

from tertium.core.errors import InputError, OptionError, TertiumError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.header import without_version
from tertium.core.metric import Metric
from tertium.core.score import ends
from tertium.core.stats import Stats
from tertium.core.table import Cell, Rows, Table, chances, numbers, texts
from tertium.core.wording import counted, describe, headings, number
from tertium.inference.compare import Comparison, Test, Verdict, compare
from tertium.inference.corrections import holm
from tertium.inference.runs import runs_of
from tertium.inference.seeds import ALPHA, SEED
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.words import capital, listed

EARLIER, LATER = "earlier", "later"
LARGEST = 10  # losses and gains that are shown of a system
TEXT = 240  # characters of an output


class Change(NamedTuple):
    """A system under a metric, before and after."""

    system: str
    metric: Metric
    item: Comparison | None  # None where outputs are the same
    reason: str = ""  # why there is none, if they are not

    @property
    def verdict(self) -> Verdict:
        """Better, worse or undecided."""
        return "undecided" if self.item is None else self.item.verdict


@dataclass(frozen=True, eq=False, kw_only=True)
class OverTime:
    """An earlier and a later evaluation of one test set, and what they are called."""

    earlier: Evaluation
    later: Evaluation
    names: tuple[str, str]
    trials: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.earlier.testset.digest != self.later.testset.digest:
            raise InputError(
                f"{self.names[0]} and {self.names[1]} are of different test sets, {self.earlier.testset.name} and "
                f"{self.later.testset.name}; only evaluations of the same segments and references can be compared"
            )
        if not self.systems:
            raise OptionError(
                f"{self.names[0]} and {self.names[1]} have no system in common: {listed(self.only(0))}; and "
                f"{listed(self.only(1))}; give the system the same name in both"
            )
        if not self.metrics:
            raise OptionError(f"{self.names[0]} and {self.names[1]} have no metric in common; add one to both")

    @property
    def both(self) -> tuple[Evaluation, Evaluation]:
        """The earlier, the later."""
        return self.earlier, self.later

    @cached_property
    def systems(self) -> list[str]:
        """Those that both have, without their runs."""
        known = runs_of(self.later.systems)
        return [name for name in runs_of(self.earlier.systems) if name in known]

    def only(self, which: int) -> list[str]:
        """Systems that only one of them has."""
        return [name for name in runs_of(self.both[which].systems) if name not in runs_of(self.both[1 - which].systems)]

    @cached_property
    def metrics(self) -> list[Metric]:
        """Those that both have, counted alike."""
        later = {str(metric) for metric in self.later.metrics}
        return [m for m in self.earlier.metrics if str(m) in later and str(m) not in self.unlike]

    @cached_property
    def unlike(self) -> list[str]:
        """Metrics that were counted otherwise the second time: another model or tokenizer."""
        one, other = (evaluation.signatures for evaluation in self.both)
        return [text for text in one if text in other and without_version(one[text]) != without_version(other[text])]

    def pair(self, system: str) -> Evaluation:
        """A system before and after, as an evaluation of two systems."""
        made, table = [], dict[tuple[str, str], Stats]()
        for name, evaluation in zip((EARLIER, LATER), self.both, strict=True):
            for run in runs_of(evaluation.systems)[system]:
                [own] = [each for each in evaluation.systems if each.name == run]
                called = name if own.run is None else f"{name}@{own.run}"
                made.append(replace(own, name=called))
                table |= {(called, text): rows for (who, text), rows in evaluation.table.items() if who == run}
        whole = self.later if self.later.testset.has_texts else self.earlier
        return replace(whole, systems=tuple(made), metrics=tuple(self.metrics), table=table, judgements=())

    def unchanged(self, system: str) -> bool:
        """Whether a system says the same in both."""
        outputs = [
            [each.outputs for run in runs_of(evaluation.systems)[system] for each in evaluation.systems
             if each.name == run]
            for evaluation in self.both
        ]  # fmt: skip
        one, other = outputs
        return len(one) == len(other) and all(a == b for a, b in zip(one, other, strict=True))

    @cached_property
    def changes(self) -> list[Change]:
        """Every common system under every common metric, corrected metric by metric."""
        return [change for metric in self.metrics for change in self._by(metric)]

    def _by(self, metric: Metric) -> list[Change]:
        found = [self._compared(system, metric) for system in self.systems]
        tested = [item for _, _, item, _ in found if item is not None]
        adjusted = iter(holm([item.p for item in tested]))
        return [
            change if change.item is None else change._replace(item=_judged(change.item, metric, next(adjusted)))
            for change in found
        ]

    def _compared(self, system: str, metric: Metric) -> Change:
        if self.unchanged(system):
            return Change(system, metric, None)
        pair = self.pair(system)
        test: Test = "bootstrap" if any(own.run is not None for own in pair.systems) else "permutation"
        try:
            [item] = compare(pair, metric, baseline=EARLIER, test=test, trials=self.trials, seed=self.seed)
        except TertiumError as error:  # no segment scored both times
            return Change(system, metric, None, str(error))
        return Change(system, metric, item)

    def values(self, which: int, system: str, metric: Metric) -> list[float]:
        """Scores of segments, the mean over runs; NaN where there is none."""
        evaluation = self.both[which]
        runs = [
            row_values(evaluation.stats(run, metric), partial(segment_scores, metric)).tolist()
            for run in runs_of(evaluation.systems)[system]
        ]
        return [fmean(values) for values in zip(*runs, strict=True)]


def _judged(item: Comparison, metric: Metric, adjusted: float) -> Comparison:
    """With the verdict that p after the correction over systems allows."""
    verdict: Verdict = "undecided"
    if adjusted <= ALPHA and item.difference != 0 and item.unresolvable is None:
        verdict = "better" if (item.difference > 0) == (metric.better == "higher") else "worse"
    return replace(item, adjusted=adjusted, verdict=verdict, correction="holm")


# In words


def verdict_of(found: OverTime) -> str:
    """What got better and what broke: systems of which the same is to be said are named together."""
    said: dict[str, list[str]] = {}
    for system in found.systems:
        said.setdefault(_said_of(found, system), []).append(system)
    order = sorted(said, key=lambda words: [key in words for key in ("worse", "better")], reverse=True)
    parts = [words.format(listed(said[words]), "is" if len(said[words]) == 1 else "are") for words in order]
    text = f"{'; '.join(parts)}."
    return capital(text) if text.startswith("no metric") else text  # names stay as they are


def _said_of(found: OverTime, system: str) -> str:
    """A sentence with places for names and a verb."""
    if found.unchanged(system):
        return "{0} {1} the same as before, output by output"
    titles = headings(found.metrics)
    by = {
        kind: [titles[str(c.metric)].removesuffix(" ↓") for c in found.changes
               if c.system == system and c.verdict == kind]
        for kind in ("better", "worse")
    }  # fmt: skip
    words = [f"significantly {kind} by {_metrics(names, len(found.metrics))}" for kind, names in by.items() if names]
    words = [text.replace("{", "{{").replace("}", "}}") for text in words]
    return f"{{0}} {{1}} {' and '.join(words)}" if words else "no metric finds a significant change of {0}"


def _metrics(names: Sequence[str], of: int) -> str:
    if len(names) == of and of > 2:
        return f"all {of} metrics"
    return listed(names) if len(names) <= 3 else f"{len(names)} of {of} metrics"


def notes(found: OverTime) -> list[str]:
    """What is left out, and why."""
    said = []
    for which, name in enumerate(found.names):
        if found.only(which):
            said.append(f"Only in {name}: {listed(found.only(which))}.")
    if found.unlike:
        said.append(
            f"Left out, because it was counted otherwise (another model, tokenizer or option): {listed(found.unlike)}."
        )
    said += [f"{c.system}, {c.metric}: not compared ({c.reason})." for c in found.changes if c.reason]
    return said


# Tables


def change_table(found: OverTime) -> Table:
    """Every common system under every common metric: before, after, the difference and whether it is significant."""
    titles = headings(found.metrics)
    rows: Rows = []
    for change in found.changes:
        metric, item = change.metric, change.item
        if item is None:
            word = "not compared" if change.reason else "same outputs"
            rows.append([change.system, titles[str(metric)], word, None, None, None, None])
            continue
        places = metric.decimals
        low, high = ends(item.interval)
        text = f"{item.difference:+.{places}f}"
        between = None
        if low is not None and high is not None:
            text, between = f"{text} [{low:+.{places}f}, {high:+.{places}f}]", (low, high)
        rows.append([
            change.system, titles[str(metric)], {"undecided": "not significant"}.get(item.verdict, item.verdict),
            Cell(number(item.baseline_score, places), item.baseline_score),
            Cell(number(item.system_score, places), item.system_score), Cell(text, item.difference, ends=between),
            item.adjusted,
        ])  # fmt: skip
    trials = sorted({change.item.trials for change in found.changes if change.item is not None})
    made = f"{' or '.join(f'{count:,}' for count in trials)} trials, " if trials else ""
    return Table(
        title="Scores before and after, with 95 % intervals of the paired difference",
        columns=[*texts("system", "metric", "verdict"), *numbers("before", "after", "change"),
                 *chances("p after Holm")],
        rows=rows,
        note=f"Paired test, {made}seed {found.seed}; p corrected over the {counted(len(found.systems), 'system')} of "
        f"a metric; significant at {ALPHA:g}.",
    )  # fmt: skip


def segment_part(found: OverTime, system: str) -> SectionPart:
    """The segments on which a system lost and gained most, by the first metric."""
    metric = found.metrics[0]
    title = headings(found.metrics)[str(metric)].removesuffix(" ↓")
    sign = 1.0 if metric.better == "higher" else -1.0
    before, after = (found.values(which, system, metric) for which in (0, 1))
    changed = {
        k: sign * (new - old)
        for k, (old, new) in enumerate(zip(before, after, strict=True))
        if not math.isnan(old) and not math.isnan(new) and new != old
    }
    losses = sorted((k for k in changed if changed[k] < 0), key=lambda k: (changed[k], k))
    gains = sorted((k for k in changed if changed[k] > 0), key=lambda k: (-changed[k], k))
    shown = [("lost", losses), ("gained", gains)]
    return SectionPart(
        title=system,
        finding=f"{counted(len(losses), 'segment')} lost {title}, {len(gains)} gained.",
        tables=[
            _segments(found, system, metric, some[:LARGEST], f"{system}: segments that {what} most {title}")
            for what, some in shown
            if some
        ],
    )


def _segments(found: OverTime, system: str, metric: Metric, chosen: Sequence[int], title: str) -> Table:
    testset = found.later.testset if found.later.testset.has_texts else found.earlier.testset
    sides = []
    for evaluation in found.both:
        run = runs_of(evaluation.systems)[system][0]
        [own] = [each for each in evaluation.systems if each.name == run]
        sides.append(own.outputs)
    shown = found.earlier.has_texts and found.later.has_texts
    before, after = (found.values(which, system, metric) for which in (0, 1))
    rows: Rows = [
        [
            testset.ids[k] if testset.ids is not None else str(k + 1),
            *((_short(lines[k]) for lines in sides) if shown else ()),
            before[k], after[k], after[k] - before[k],
        ]
        for k in chosen
    ]  # fmt: skip
    names = ["output before", "output after"] if shown else []
    return Table(
        title=title,
        columns=[*texts("segment", *names), *numbers("before", "after", "change", decimals=metric.decimals)],
        rows=rows,
    )


def _short(text: str | None) -> str:
    if text is None:
        return "(missing)"
    return text if len(text) <= TEXT else f"{text[: TEXT - 1]}…"


# The page


def over_time_page(found: OverTime) -> Page:
    """What changed between two evaluations, as one page."""
    names = found.names
    changed = [system for system in found.systems if not found.unchanged(system)]
    parts = [segment_part(found, system) for system in changed]
    sections = [
        Section(id="summary", title="What changed", finding=verdict_of(found), text=notes(found),
                tables=[change_table(found)]),
    ]  # fmt: skip
    if parts:
        sections.append(composed("segments", "Segment by segment", parts))
    return Page(
        title=f"{names[0]} and {names[1]}",
        subtitle=f"{describe(found.later.testset)}; before: {names[0]}, after: {names[1]}",
        sections=sections,
    )
