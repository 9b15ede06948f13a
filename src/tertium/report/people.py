"""What people said: the result of the human room as a section of a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from tertium.core.errors import TertiumError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Kind
from tertium.core.shown import counted, number
from tertium.human.analyse import Analysis, analyse
from tertium.human.quality import EFFECT, PairedTest
from tertium.human.ranking import SystemRanking, preset
from tertium.human.tests import DRAWN, TITLES
from tertium.report import figures_people
from tertium.report.page import Section
from tertium.report.parts import Part, composed
from tertium.report.results import Results
from tertium.report.summary import listed, plain_title
from tertium.report.tables import Cell, Table, Value, p_cell

PRESET = "wmt22-toen"  # what `tertium human analyse` does unless told otherwise
SHOWN = 12  # raters before the reader asks for all
Rows = list[list[Value | Cell]]


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Judgements of an evaluation, scale by scale; what cannot be analysed is a note."""

    evaluation: Evaluation

    @cached_property
    def scales(self) -> dict[str, Analysis | str]:
        """The analysis of every scale, or why there is none."""
        found: dict[str, Analysis | str] = {}
        for scale in dict.fromkeys(judgement.scale for judgement in self.evaluation.judgements):
            try:
                found[scale] = analyse(self.evaluation.judgements, scale, preset(PRESET), self.evaluation.testset)
            except TertiumError as error:
                found[scale] = str(error)
        return found

    @property
    def analyses(self) -> list[Analysis]:
        """Those that there are."""
        return [item for item in self.scales.values() if isinstance(item, Analysis)]


def judgements(people: People) -> Section | None:
    """Rankings, raters and agreement, for every scale; none where nobody judged."""
    if not people.scales:
        return None
    given = people.evaluation.judgements
    raters = len({judgement.rater for judgement in given})
    scales = counted(len(people.scales), "scale")
    said = f"{counted(len(given), 'judgement')} by {counted(raters, 'rater')} on {scales}."
    failed = [f"{scale}: {item}." for scale, item in people.scales.items() if isinstance(item, str)]
    return composed("people", "Human judgements", [scale_part(item) for item in people.analyses], [said, *failed])


def first_places(people: People, results: Results) -> list[str]:
    """Whom people put first, on every scale, and whether the first metric agrees: a paragraph of the summary."""
    ranked = [
        (f"{item.scale}, {pair}" if len(item.rankings) > 1 else item.scale, ranking.clusters)
        for item in people.analyses
        for pair, ranking in item.rankings.items()
        if len(ranking.systems) > 1
    ]
    if not ranked:
        return []
    by_words: dict[str, list[str]] = {}
    for scale, clusters in ranked:
        by_words.setdefault(_first(clusters), []).append(scale)
    said = "; ".join(
        f"{'by' if k else 'By'} {listed(scales)}, {'they' if k else 'people'} {words}"
        for k, (words, scales) in enumerate(by_words.items())
    )
    best, metric = next(iter(results.groups)), plain_title(results, results.metrics[0])
    against = [scale for scale, clusters in ranked if best not in clusters[0]]
    by = f", by {listed(against)}" if len(against) < len(ranked) else ""
    doubt = f" {metric} puts {best} first, and people do not{by}." if against else ""
    return [f"{said}.{doubt}"]


def _first(clusters: Sequence[Sequence[str]]) -> str:
    if len(clusters) == 1:
        return f"cannot tell the {len(clusters[0])} systems apart"
    alone = "" if len(clusters[0]) == 1 else ", without deciding between them"
    return f"put {listed(clusters[0])} first{alone}"


def scale_part(item: Analysis) -> Part:
    """A scale: who is better, how sure that is, and who said so."""
    scale = SCALES[item.scale]
    limits = f"{scale.low:g} to {scale.high:g}" if math.isfinite(scale.high) else f"from {scale.low:g} on"
    lower = ", lower is better" if scale.better == "lower" else ""
    judged = f"{counted(item.judgements, 'judgement')} of {counted(item.systems, 'system')}"
    lines = [
        f"{judged} by {counted(len(item.raters), 'rater')}, {limits}{lower}. {' '.join(agreements(item))}".rstrip()
    ]
    lines += [leaders(ranking, name if len(item.rankings) > 1 else "") for name, ranking in item.rankings.items()]
    if item.dropped:
        lines.append(f"Left out of the ranking: {', '.join(item.dropped)}.")
    return Part(
        title=f"Scale {item.scale}",
        text=lines,
        charts=[figures_people.rank_ranges(item)] if item.systems > 1 else [],
        tables=[
            *(ranking_table(item, name, ranking) for name, ranking in item.rankings.items()),
            rater_table(item),
            *control_tables(item),
        ],
    )


def agreements(item: Analysis) -> Iterator[str]:
    """How far raters agree, with each other and with themselves."""
    for row in item.agreement:
        who = "between raters" if row.between == "raters" else "of raters with themselves, between repeats"
        value = "undefined" if math.isnan(row.value) else number(row.value, 3)
        yield f"Agreement {who}: {row.statistic} {value}, n = {counted(row.n, 'item')}."


def leaders(ranking: SystemRanking, pair: str) -> str:
    """Who is in the first cluster."""
    first, count = ranking.clusters[0], len(ranking.clusters)
    where = f"{pair}: p" if pair else "P"
    if len(ranking.systems) < 2:
        return f"{where}eople judged only {first[0]}: there is nothing to rank."
    if count == 1:
        return f"{where}eople cannot tell the {len(first)} systems apart: all are in one cluster."
    if len(first) == 1:
        return f"{where}eople put {first[0]} first, in a cluster of its own ({counted(count, 'cluster')})."
    return f"{where}eople put {listed(first)} first; between them they cannot decide ({counted(count, 'cluster')})."


def method_text(ranking: SystemRanking) -> str:
    """How the ranking came about."""
    method = ranking.method
    kinds = "all items" if len(method.policy.over) == len(get_args(Kind)) else ", ".join(method.policy.over) + " items"
    drawn = f", {method.draws} trials, seed {method.seed}" if method.test in DRAWN else ""
    corrected = "after Holm" if method.correction == "holm" else "uncorrected"
    return (
        f"z: standard scores by each rater's mean and standard deviation over {kinds}; {TITLES[method.test]}, "
        f"one-sided{drawn}, p {corrected}, alpha {method.alpha:g}; clusters by rule {method.rule}. Ranks: those that "
        "wins and losses leave open. N: segments and judgements behind a score; every segment counts the same."
    )


def ranking_table(item: Analysis, pair: str, ranking: SystemRanking) -> Table:
    """Systems from best to worst."""
    rows: Rows = []
    for place in ranking.systems:
        span = str(place.best) if place.best == place.worst else f"{place.best}-{place.worst}"
        counts = [place.segments, place.judgements, place.wins, place.losses]
        rows.append([place.system, place.cluster, Cell(span, place.best), place.z, place.raw, *counts])
    by = "z" if ranking.method.standardised else "raw scores"
    where = f", {pair}" if len(item.rankings) > 1 else ""
    return Table(
        title=f"Systems ranked by people: {item.scale}{where}, by {by}",
        heads=["system", "cluster", "ranks", "z", "raw", "segments", "judgements", "wins", "losses"],
        rows=rows,
        decimals=3,
        note=method_text(ranking),
    )


def rater_table(item: Analysis) -> Table:
    """Raters, with what gives reason to look."""
    timed = any(not math.isnan(rater.seconds) for rater in item.raters)
    rows: Rows = [
        [
            rater.rater,
            ", ".join(rater.flags) or None,
            *(rater.n, rater.mean, rater.sd, rater.longest_run),
            *([rater.seconds] if timed else []),
        ]
        for rater in item.raters
    ]
    flagged = sum(bool(rater.flags) for rater in item.raters)
    note = "Mean and sd of genuine and repeated items. Run: the same value so often in a row."
    note += " Seconds: per judgement, in the fastest task." if timed else ""
    note += f" {flagged or 'No'} rater{'' if flagged == 1 else 's'} with a flag"
    note += "; flags advise, and nobody is left out because of one." if flagged else "."
    return Table(
        title=f"Raters: {item.scale}",
        heads=["rater", "flags", "judgements", "mean", "sd", "run", *(["seconds"] if timed else [])],
        rows=rows,
        left=2,
        shown=SHOWN,
        note=note,
    )


def control_tables(item: Analysis) -> Iterator[Table]:
    """What raters said of control items, where there are any."""
    for title, kind in (("Degraded items below genuine ones", "degraded"), ("References above outputs", "references")):
        tests: list[tuple[str, PairedTest]] = [(rater.rater, getattr(rater, kind)) for rater in item.raters]
        if any(test.n for _, test in tests):
            heads = ["rater", "pairs", "difference", "p (t)", "p (Wilcoxon)", "power"]
            rows: Rows = [
                [name, test.n, test.difference, p_cell(test.t), p_cell(test.wilcoxon), test.power]
                for name, test in tests
                if test.n
            ]
            note = f"One-sided paired t-test and signed-rank test. Power: of the t-test, for an effect of d = {EFFECT}."
            yield Table(title=f"{title}: {item.scale}", heads=heads, rows=rows, note=note, shown=SHOWN)
    if any(rater.repeats for rater in item.raters):
        again: Rows = [
            [rater.rater, rater.repeats, rater.repeat_error, rater.any_error] for rater in item.raters if rater.repeats
        ]
        yield Table(
            title=f"Repeated items: {item.scale}",
            heads=["rater", "repeats", "difference", "of any two"],
            rows=again,
            shown=SHOWN,
            note="Mean absolute difference of an item and its repeat, and of any two judgements of the rater.",
        )
