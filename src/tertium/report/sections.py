"""The sections of an evaluation's report: which tables and figures stand where, and what is said beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tertium.analysis.diagnose import DETECTORS
from tertium.analysis.types import types as all_types
from tertium.core.metric import Metric
from tertium.core.score import Score
from tertium.core.table import Cell, Rows, Table, numbers, texts
from tertium.core.wording import ABSENT, STARS, stars
from tertium.inference.resolution import smallest_p as smallest
from tertium.inference.seeds import CONFIDENCE
from tertium.inference.standings import unit_notes
from tertium.report import segments, summary
from tertium.report.figures import overview as figures
from tertium.report.figures import parts as figures_parts
from tertium.report.own_curves import OwnCurves, own_sentences
from tertium.report.page import Section
from tertium.report.results import Results
from tertium.report.tables.comparisons import pair_table
from tertium.report.tables.diagnosis import error_table
from tertium.report.tables.guards import guard_table
from tertium.report.tables.meaning import comparison_sentence
from tertium.report.tables.scores import score_table as table_of_scores
from tertium.report.tables.scores import signature_table
from tertium.report.tables.types import COUNTS, bucket_table, pairs_of, type_table
from tertium.report.tables.types import pair_table as pair_types

TYPES = 60  # of each list of words
SHOWN = 12  # rows of a long table before the reader asks for all


def overview(results: Results, people: Sequence[str] = ()) -> Section:
    """The results in words, what people said among them, and what to be careful about."""
    first, *others = summary.sentences(results)
    return Section(
        id="summary",
        title="Summary",
        text=[first, *people, *others],
        template="summary.html",
        data={"cautions": results.warnings},
    )


# Scores


def scores(results: Results) -> Section:
    """All corpus scores, with intervals, stars and clusters; guards of learned ones; signatures; a figure for each
    metric."""
    tables = [score_table(results)]
    if results.clusters:
        tables.append(cluster_table(results))
    guarded = [guard_table(results.evaluation, results.guards, results.titles)] if results.guards else []
    signatures = {score.metric: score.signature for score in results.scores.values()}
    return Section(
        id="scores",
        title="Scores",
        text=[said for item in results.beside for said in item.sentences(results.evaluation)],
        tables=[*tables, *guarded, signature_table(signatures, results.titles, results.metrics)],
        charts=figures.intervals(results),
    )


def score_table(results: Results) -> Table:
    """A row for each system from best to worst, a column for each metric, stars where a system is behind the first."""
    order = [(name, str(metric)) for name in results.systems for metric in results.metrics]
    found = [results.scores[key] for key in order if key in results.scores]
    marks = {
        (name, str(metric)): stars_of(results, name, metric) for name in results.systems for metric in results.metrics
    }
    missing = any(score.n < len(results.evaluation.testset) for score in found)
    notes = [
        f"In brackets: {100 * CONFIDENCE:.0f} % bootstrap intervals of {results.resamples} resamples. The best score "
        "of a column is bold, where all rest on the same segments. Where lower is better, the head has an arrow."
    ]
    if results.comparisons:
        notes.append(
            "Stars: worse than the best system of the column, p corrected over all pairs of the metric ≤ 0.05 (*), "
            "0.01 (**), 0.001 (***)." + smallest_p(results)
        )
    if missing:
        notes.append("Some segments could not be scored; point at a score to see how many it rests on.")
    title = f"Systems from best to worst by {summary.plain_title(results, results.metrics[0])}"
    return replace(table_of_scores(results.evaluation, found, marks=marks), title=title, note=" ".join(notes))


def stars_of(results: Results, name: str, metric: Metric) -> str:
    """Stars where a system is significantly behind the first."""
    own = group_of(results, name)
    item = results.pair(metric, results.ranked_groups(metric)[0], own)
    if item is None or item.verdict != ("worse" if item.system == own else "better"):
        return ""
    return f" {stars(item.adjusted)}".rstrip()


def group_of(results: Results, run: str) -> str:
    """The system to which a run belongs."""
    return next(name for name, runs in results.groups.items() if run in runs)


def cluster_table(results: Results) -> Table:
    """The cluster of every system by every metric."""
    place = {
        text: {name: k for k, cluster in enumerate(found, 1) for name in cluster}
        for text, found in results.clusters.items()
    }
    rows: Rows = [
        [name, *(cluster_cell(results, name, text, found.get(name)) for text, found in place.items())]
        for name in results.groups
    ]
    others = [summary.plain_title(results, metric) for metric in results.metrics if str(metric) not in results.clusters]
    without = f" There are none by {summary.listed(others)}." if others else ""
    return Table(
        title="Clusters, and who keeps up with the best",
        columns=[*texts("system"), *numbers(*(results.titles[text] for text in results.clusters))],
        rows=rows,
        note="A cluster ends where every system in it is significantly better than every system after it. "
        "= marks those that are not significantly worse than the best of the column, which does not mean equal. "
        "A system without it may share the first cluster, because another one of the cluster is not better." + without,
    )


def cluster_cell(results: Results, name: str, metric: str, cluster: int | None) -> Cell:
    """A cluster's number, with a mark for the best system and those that keep up with it."""
    if cluster is None:
        return Cell(ABSENT)
    chosen = results.evaluation.metric(metric)
    best = results.ranked_groups(chosen)[0]
    marked = name == best or name in (results.keeping_up(chosen) or ())
    return Cell(f"{cluster} =" if marked else str(cluster), cluster, strong=name == best)


def relations(results: Results) -> Section | None:
    """How metrics agree, and how segment scores are spread."""
    charts = [*figures.scatter(results), *figures.distributions(results)]
    return Section(id="metrics", title="Metrics beside each other", charts=charts) if charts else None


# Pairs


def pairs(results: Results, own: Sequence[OwnCurves] = ()) -> Section | None:
    """Two systems at a time; `own` are the curves of the people who judged them."""
    if not results.comparisons:
        return None
    note = (
        "Change is the system's score less the baseline's. p is that of the paired test, corrected over all pairs of a "
        "metric. Low and high: the 95 % interval of one change, not corrected. Effect is Cohen's d of the segments' "
        "differences, positive where the system is better. Detects: the difference found four times out of "
        "five, corrected in the same way."
    )
    note += smallest_p(results)
    return Section(
        id="pairs",
        title="Head to head",
        text=[
            *(
                f"{summary.plain_title(results, metric)}: {note}."
                for metric in results.metrics
                for note in unit_notes(results.comparisons.get(str(metric), []))
            ),
            *meaning_sentences(results),
            *(said for items in results.comparisons.values() for said in own_sentences(own, items)),
        ],
        tables=[
            pair_table(
                [item for metric in results.metrics for item in results.pairs(metric)],
                dict.fromkeys(results.titles, 2),
                names=results.titles,
                title="Every comparison",
                note=note,
                shown=SHOWN,
            )
        ],
        charts=[figures.head_to_head()] if results.evaluation.has_texts else [],
        template="pairs.html" if results.evaluation.has_texts else "section.html",
    )


def meaning_sentences(results: Results) -> list[str]:
    """What significant differences mean, by the metrics of which there is a published curve."""
    found = (comparison_sentence(results.evaluation, items) for items in results.comparisons.values())
    return [text for text in found if text]


def smallest_p(results: Results) -> str:
    """Where nothing could be significant: why; and what so many trials cannot undercut, where that costs stars."""
    said = []
    for text, items in results.comparisons.items():
        title, first = results.titles[text].removesuffix(" ↓"), items[0]
        tests = 1 if first.correction == "max-t" else len(items)
        if first.unresolvable:
            said.append(f" {title}: {first.unresolvable}.")
        elif smallest(first.trials, tests) > STARS[0][0]:
            said.append(f" {title}: with {first.trials} trials, p cannot be below {smallest(first.trials, tests):.4f}.")
    return "".join(dict.fromkeys(said))


# Parts of the test set


def parts(results: Results) -> Section | None:
    """Short and long segments; documents."""
    charts = [*figures_parts.lengths(results), *figures_parts.heat_map(results)]
    if not charts:
        return None
    tables = [document_table(results)] if results.documents else []
    return Section(
        id="parts", title="Lengths and documents", charts=charts, tables=tables, template="charts_first.html"
    )


def document_table(results: Results) -> Table:
    """Documents under the first metric."""
    metric = results.metrics[0]
    said = str(metric)
    own = [score for score in results.documents if score.metric == said]
    cells: dict[str, dict[str, Score]] = {}
    for score in own:
        cells.setdefault(str(score.document), {})[score.system] = score
    sizes = dict.fromkeys(cells, 0)
    for name in results.evaluation.testset.documents or ():
        sizes[name] = sizes.get(name, 0) + 1
    rows: Rows = [
        [name, sizes[name], *(cells[name][s].value if s in cells[name] else math.nan for s in results.systems)]
        for name in cells
    ]
    title = results.titles[said]
    note = "" if metric.resampling == "percentile" else "Averages over types of different documents are not comparable."
    return Table(
        title=f"{title} of documents",
        columns=[*texts("document"), *numbers("segments", *results.systems, decimals=metric.decimals)],
        rows=rows,
        note=note,
        shown=SHOWN,
    )


# Words


def types(results: Results) -> Section | None:
    """Rare and frequent words; words won and lost."""
    contrast = figures_parts.contrast_of_best(results)
    if contrast is None:
        return types_of_one(results)
    best, other = contrast.systems
    metric = results.titles[contrast.metric]
    said = {
        "lost": f"Words of which {best} makes fewer mistakes",
        "gained": f"Words of which {other} makes fewer mistakes",
    }
    won = [
        pair_types(contrast, pairs_of(contrast, what, {})[:TYPES], title, shown=SHOWN, note=COUNTS)
        for what, title in said.items()
    ]
    return Section(
        id="types",
        title="Words, rare and frequent",
        text=[f"Types are different words, as {metric} counts them. {best} is set beside {other}, the next best; "
              f"differences are {other} less {best}."],
        tables=[bucket_table(contrast, words=True), *(table for table in won if table.rows)],
        charts=[*figures_parts.curve(results), *figures_parts.frequencies(results)],
        template="charts_first.html",
    )  # fmt: skip


def types_of_one(results: Results) -> Section | None:
    """The words of a system that has nobody beside it, the worst first."""
    metric = results.type_metric
    if metric is None:
        return None
    name = next(name for name in results.systems if (name, str(metric)) in results.evaluation.table)
    worst = sorted(all_types(results.evaluation, name, metric), key=lambda t: t.references + t.outputs - 2 * t.matches)
    text = f"Types are different words, as {results.titles[str(metric)]} counts them."
    title = f"Words of which {name} makes the most mistakes"
    table = type_table(worst[: -2 * TYPES : -1], title, shown=SHOWN, note=COUNTS)
    return Section(id="types", title="Words, rare and frequent", text=[text], tables=[table])


# Errors


def errors(results: Results) -> Section | None:
    """What detectors find, beside what they find in the reference."""
    diagnosis = results.diagnosis
    if diagnosis is None or not diagnosis.detectors:
        return None
    return Section(
        id="errors",
        title="Errors that a program can see",
        tables=[error_table(diagnosis, results.systems, results.systems[0])],
        charts=figures_parts.detectors(results),
        template="errors.html",
        data={"detectors": [DETECTORS[kind] for kind in diagnosis.detectors]},
    )


# Segments


def browser(results: Results) -> Section | None:
    """All segments, to be sorted and searched."""
    if not results.evaluation.has_texts:
        return None
    whole = len(results.evaluation.testset)
    here = segments.embedded_segments(results)
    only = f"The first {here} of {whole} segments are in this file; figures of single segments show these."
    text = [only] if here < whole else []
    return Section(id="segments", title="Segments", text=text, template="segments.html")
