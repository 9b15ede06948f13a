"""Metrics against people: the result of the meta room as a section of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tertium.core.errors import TertiumError
from tertium.core.metric import Metric
from tertium.core.table import Rows, Table, numbers, texts
from tertium.core.wording import counted, headings
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.meta.evaluate import SCORES, TITLES, Level, MetaEvaluation, meta_evaluate, pool, system_table
from tertium.report.behind import OutputLinks
from tertium.report.figures import people as figures_people
from tertium.report.figures import scatter
from tertium.report.methods import methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.people import People
from tertium.report.people_methods import compared
from tertium.report.system_pairs import pair_parts, preference_parts, sentence
from tertium.report.tables.meta import (
    DIGITS,
    Names,
    accuracy_table,
    correlation_table,
    metric_comparison_table,
    named,
    sentinel_table,
    tie_table,
)
from tertium.report.tables.scores import signature_table
from tertium.report.tables.system_pairs import SystemScores
from tertium.report.verdicts import meta as said
from tertium.report.verdicts.correlations import alike

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.report.results import Results

TITLE = "Metrics against people"
WORDS = {  # of statistics whose names say little
    "tau_eq": "Kendall's tau with ties, threshold 0 (tau_eq)",
    "acc_eq": "pairwise accuracy with ties, threshold 0 (acc_eq)",
    "acc_eq_calibrated": "pairwise accuracy with ties (acc_eq*)",
}
AVERAGED = {"none": "all outputs together", "item": "by segment", "system": "by system"}
FEWEST = 3  # systems, below which a ranking of systems says nothing about a metric
SHOWN = 12


def sections(
    people: People, *, trials: int, seed: int, results: Results | None = None, linked: bool = False
) -> Iterator[Section]:
    """A section for everything that metrics are set beside; a sentence where that cannot be done.

    `trials` and `seed` are of the intervals of what a difference is worth. Soft pairwise accuracy and tests between
    metrics have the trials and the seed that they have in `tertium meta`. On a page that has the segments, pairs are
    `linked` to them, and so is what is drawn of the systems of `results`.
    """
    for k, (gold, given) in enumerate(people.judged.items()):
        title = TITLE if gold is None or len(people.judged) == 1 else f"{TITLE}: {headings([gold])[str(gold)]}"
        if gold is None or isinstance(given, str):
            yield apology(str(given), k, title)
            continue
        try:
            result = meta_evaluate(given, gold, trust_join=people.trust_join)
        except TertiumError as error:
            yield apology(str(error), k, title)
            continue
        names = headings(given.metrics)
        links = output_links(results, result, named(result, names))
        yield section(
            result, names, title=title, number=k, trials=trials, seed=seed, folded=True, linked=linked, links=links
        )


def output_links(results: Results | None, result: MetaEvaluation, names: Names) -> OutputLinks | None:
    """To the segments of a report that has them."""
    if results is None or not results.linked or any(name not in results.systems for name in result.systems):
        return None
    people = scatter.sign_of(names[result.gold]) * result.segments[result.gold]
    return OutputLinks.of(results, names[result.gold], dict(zip(result.systems, people, strict=True)))


def identity(k: int) -> str:
    """`metrics-people`, `metrics-people-2`, ..."""
    return "metrics-people" if k == 0 else f"metrics-people-{k + 1}"


def apology(text: str, k: int, title: str) -> Section:
    """Why there is nothing to see."""
    said = f"Metrics cannot be set beside people here: {text}."
    return Section(id=identity(k), title=title, text=[said])


def section(
    result: MetaEvaluation,
    names: Names,
    *,
    title: str,
    number: int = 0,
    trials: int = RESAMPLES,
    seed: int = SEED,
    systems: bool = True,
    folded: bool = False,
    linked: bool = False,
    links: OutputLinks | None = None,
) -> Section:
    """All that there is to see of one test set; without pairs of systems where those of several are shown together."""
    names = named(result, names)
    parts = [*pictures(result, names, links), *system_level(result, names)]
    if systems and len(result.systems) >= FEWEST:
        scores = SystemScores(table=system_table([result]), names=names, trials=trials, seed=seed, linked=linked)
        parts += [*pair_parts(scores), *preference_parts(scores.preferences, names)]
    parts += [*segment_level(result, names), *beside_sentinels(result, names), *together(result, names)]
    text = [about(result, names), *(sentence(titled(warning, result, names)) for warning in result.warnings)]
    return composed(identity(number), title, parts, text, finding=finding(result, names), folded=folded)


def titled(warning: str, result: MetaEvaluation, names: Names) -> str:
    """A warning with the titles of metrics instead of what the command line calls them."""
    found = f"{warning},"
    for metric in result.metrics:
        title = names.get(metric, metric).removesuffix(" ↓")
        found = found.replace(f" for {metric},", f" for {title},").replace(f": {metric}: ", f": {title}: ")
    return found.removesuffix(",")


def about(result: MetaEvaluation, names: Names) -> str:
    """What is set beside what."""
    return (
        f"{counted(len(result.metrics), 'metric')} beside {names[result.gold]}: "
        f"{counted(result.judged, 'output')} of {counted(len(result.systems), 'system')} with a score by people, as "
        f"{SCORES[result.gold_scores]}. "
        "The sign of metrics of which lower is better is changed, so every number here is higher where a metric agrees "
        "more."
    )


def pictures(result: MetaEvaluation, names: Names, links: OutputLinks | None = None) -> Iterator[SectionPart]:
    """Metric against people: systems, and single outputs."""
    if "system" in result.comparisons and len(result.systems) >= FEWEST:
        yield SectionPart(
            finding=said.correlated(result, names, "system"), half=True,
            charts=[scatter.system_scatter(result, names, links)],
        )  # fmt: skip
    chart = scatter.segment_scatter(result, names, links) if "segment" in result.comparisons else None
    if chart is not None:
        yield SectionPart(finding=said.steep(result, names), half=True, charts=[chart])


def finding(result: MetaEvaluation, names: Names) -> str:
    """How many pairs of systems each metric puts in people's order; of few systems, how it goes with single outputs."""
    if "system" in result.comparisons and len(result.systems) >= FEWEST:
        return said.people_order(
            [(names[metric].removesuffix(" ↓"), result.find(metric, "accuracy")) for metric in result.metrics]
        )
    return f"{counted(result.judged, 'output')} with scores of people and of {counted(len(result.metrics), 'metric')}."


# Systems


def system_level(result: MetaEvaluation, names: Names) -> Iterator[SectionPart]:
    """Do metrics rank systems as people do?"""
    if "system" not in result.comparisons:
        return
    title = "Systems: metrics beside people"
    if len(result.systems) < FEWEST:
        few = (
            f"People judged {counted(len(result.systems), 'system')}: whether a metric ranks systems as people do "
            f"cannot be seen from fewer than {FEWEST}."
        )
        yield SectionPart(title=title, text=[few])
        return
    tables = [
        correlation_table(result, names, "system", ["none"]),
        accuracy_table(result, names),
        *against_others(result, names, "system"),
    ]
    seen = said.level(result, names, "system")
    yield SectionPart(title=title, finding=seen, folded=True, tables=tables)


def against_others(result: MetaEvaluation, names: Names, level: Level) -> list[Table]:
    """Metrics from closest to people to farthest, where there are several."""
    return [metric_comparison_table(result.comparisons[level], names)] if len(result.metrics) > 1 else []


# Segments


def segment_level(result: MetaEvaluation, names: Names) -> Iterator[SectionPart]:
    """Do metrics judge single outputs as people do?"""
    if "segment" not in result.comparisons:
        return
    seen = said.level(result, names, "segment")
    yield SectionPart(
        title="Segments: metrics beside people",
        finding=seen,
        folded=True,
        tables=[
            *against_others(result, names, "segment"),
            correlation_table(result, names, "segment", ["none", "item", "system"]),
            tie_table(result, names),
        ],
    )


# Scores that see too little


def beside_sentinels(result: MetaEvaluation, names: Names) -> Iterator[SectionPart]:
    """What metrics have shown that a score that sees too little does not reach."""
    if result.sentinel_tests:
        yield SectionPart(
            title="Sentinels: scores that see too little",
            finding=said.sentinel_finding(result, names),
            folded=True,
            tables=[sentinel_table(result, names)],
        )


# Metrics beside each other


def together(result: MetaEvaluation, names: Names) -> Iterator[SectionPart]:
    """The heat map: people first, then all metrics."""
    if len(result.metrics) < 2:
        return
    found = {
        f"{level}s": with_people(result, names, level)
        for level in result.between
        if level == "segment" or len(result.systems) >= FEWEST
    }
    if found:
        note = "Of segments: all outputs together."
        shown, values = next(iter(found.values()))
        yield SectionPart(
            title="Metrics beside each other",
            finding=alike(shown, values.tolist()),
            folded=True,
            charts=[figures_people.heat_maps(found, statistic="Pearson r", note=note)],
        )


def with_people(result: MetaEvaluation, names: Names, level: Level) -> tuple[list[str], Array]:
    """The matrix of metrics with people's row and column before it."""
    import numpy as np

    size = len(result.metrics) + 1
    matrix = np.ones((size, size))
    matrix[1:, 1:] = result.between[level]
    matrix[0, 1:] = matrix[1:, 0] = [result.find(metric, "pearson", level, "none").value for metric in result.metrics]
    people = names.get(result.gold, result.gold).removesuffix(" ↓")
    return [people, *(names[metric] for metric in result.metrics)], matrix


# Several test sets


def pooled_parts(found: Sequence[MetaEvaluation], names: Names, *, trials: int, seed: int) -> Iterator[SectionPart]:
    """All test sets together: accuracies of all pairs, means of the rest, pairs of systems within test sets."""
    scores, names = pool(found), {**named(found[0], names), **{name: name for one in found for name in one.sentinels}}
    rows: Rows = [
        [
            names[s.metric],
            WORDS.get(s.statistic, TITLES[s.statistic]),
            s.level,
            AVERAGED[s.average],
            s.value,
            s.n,
            s.unit,
            s.groups,
        ]
        for s in scores
    ]
    yield SectionPart(
        tables=[
            Table(
                title=f"Every statistic over {len(found)} test sets",
                columns=[
                    *texts("metric", "statistic", "level", "average"),
                    *numbers("value", "n", "of", "test sets", decimals=DIGITS),
                ],
                rows=rows,
                shown=SHOWN,
                note="Pairs of accuracies are pooled; all others are plain means over the test sets that have them.",
            )
        ]
    )
    whole = SystemScores(table=system_table(found), names=names, trials=trials, seed=seed)
    if len(whole.pairs):
        yield from pair_parts(whole)
        yield from preference_parts(whole.preferences, names)


def meta_page(
    found: Sequence[MetaEvaluation],
    names: Names,
    about: Sequence[str],
    *,
    metrics: Sequence[Metric] = (),
    signatures: Mapping[str, str] | None = None,
    trials: int = RESAMPLES,
    seed: int = SEED,
) -> Page:
    """Metrics against people as a page of its own; `about` says something of each test set."""
    several = len(found) > 1
    own = named(found[0], names)
    cautions = dict.fromkeys(titled(note, result, own) for result in found for note in result.warnings)
    shown = [opening(said.meta_verdict(found, own), list(said.meta_trust(found, own)), (), list(cautions))]
    if several:
        pooled = list(pooled_parts(found, names, trials=trials, seed=seed))
        shown.append(composed("together", "All test sets together", pooled, finding=said.order(found, own)))
    shown += [
        section(
            result,
            names,
            title=result.testset if several else TITLE,
            number=k,
            trials=trials,
            seed=seed,
            systems=not several,
            folded=several,
        )
        for k, result in enumerate(found)
    ]
    titles = {str(metric): names.get(str(metric), str(metric)) for metric in metrics}
    shown.append(
        methods_of(
            compared(found[0], trials, seed),
            {titles[str(metric)]: metric for metric in metrics},
            f"{'; '.join(about)}.",
            tables=[signature_table(signatures, titles)] if signatures else [],
        )
    )
    return Page(
        title=f"{TITLE}: {', '.join(result.testset for result in found)}",
        subtitle="; ".join(about),
        sections=shown,
    )
