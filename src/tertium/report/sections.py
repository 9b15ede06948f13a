"""The sections of an evaluation's report: which tables and figures stand where, and what is said beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tertium.analysis.contrast import TypePair
from tertium.analysis.diagnose import DETECTORS
from tertium.analysis.types import types as all_types
from tertium.core.metric import Metric
from tertium.core.score import Score
from tertium.core.shown import ABSENT, STARS, counted, number, p_text, stars
from tertium.inference.resolution import smallest_p as smallest
from tertium.inference.standings import unit_notes
from tertium.report import figures, figures_parts, segments, summary
from tertium.report.page import Section
from tertium.report.results import CONFIDENCE, Results
from tertium.report.tables import Cell, Table, Value

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
    """All corpus scores, with intervals, stars and clusters; signatures; a figure for each metric."""
    tables = [score_table(results)]
    if results.clusters:
        tables.append(cluster_table(results))
    return Section(
        id="scores",
        title="Scores",
        tables=[*tables, signature_table(results)],
        charts=figures.intervals(results),
    )


def score_table(results: Results) -> Table:
    """A row for each system from best to worst, a column for each metric."""
    best = {str(metric): results.ranked(metric, results.systems)[0] for metric in results.metrics}
    first = {str(metric): results.ranked_groups(metric)[0] for metric in results.metrics}
    rows: list[list[Value | Cell]] = [
        [
            name,
            *(score_cell(results, name, metric, best[str(metric)], first[str(metric)]) for metric in results.metrics),
        ]
        for name in results.systems
    ]
    missing = any(score.n < len(results.evaluation.testset) for score in results.scores.values())
    notes = [
        f"In brackets: {100 * CONFIDENCE:.0f} % bootstrap intervals of {results.resamples} resamples. The best score "
        "of a column is bold. Where lower is better, the head has an arrow."
    ]
    if results.comparisons:
        notes.append(
            "Stars: worse than the best system of the column, p corrected over all pairs of the metric ≤ 0.05 (*), "
            "0.01 (**), 0.001 (***)." + smallest_p(results)
        )
    if missing:
        notes.append("Some segments could not be scored; point at a score to see how many it rests on.")
    heads = ["system", *(results.titles[str(metric)] for metric in results.metrics)]
    return Table(
        title=f"Systems from best to worst by {summary.plain_title(results, results.metrics[0])}",
        heads=heads,
        rows=rows,
        note=" ".join(notes),
    )


def score_cell(results: Results, name: str, metric: Metric, best: str, first: str) -> Cell:
    """A score with its interval, bold if it is the best; stars where the system is significantly behind the first."""
    score = results.scores.get((name, str(metric)))
    if score is None:
        return Cell(ABSENT)
    text = interval_text(score, metric)
    own = group_of(results, name)
    item = results.pair(metric, first, own)
    marks = (
        stars(item.adjusted)
        if item is not None and item.verdict == ("worse" if item.system == own else "better")
        else ""
    )
    value = None if math.isnan(score.value) else score.value
    return Cell(f"{text} {marks}".rstrip(), value, strong=name == best, title=f"{counted(score.n, 'segment')}")


def interval_text(score: Score, metric: Metric) -> str:
    """`52.8 [48.3, 57.0]`."""
    text = number(score.value, metric.decimals)
    if score.interval is not None:
        text += f" [{number(score.interval.low, metric.decimals)}, {number(score.interval.high, metric.decimals)}]"
    return text


def group_of(results: Results, run: str) -> str:
    """The system to which a run belongs."""
    return next(name for name, runs in results.groups.items() if run in runs)


def cluster_table(results: Results) -> Table:
    """The cluster of every system by every metric."""
    place = {
        text: {name: k for k, cluster in enumerate(found, 1) for name in cluster}
        for text, found in results.clusters.items()
    }
    rows: list[list[Value | Cell]] = [
        [name, *(cluster_cell(results, name, text, found.get(name)) for text, found in place.items())]
        for name in results.groups
    ]
    others = [summary.plain_title(results, metric) for metric in results.metrics if str(metric) not in results.clusters]
    without = f" There are none by {summary.listed(others)}." if others else ""
    return Table(
        title="Clusters, and who keeps up with the best",
        heads=["system", *(results.titles[text] for text in results.clusters)],
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


def signature_table(results: Results) -> Table:
    """What has to be known to get the same scores again."""
    signatures = {score.metric: score.signature for score in results.scores.values()}
    rows: list[list[Value | Cell]] = [
        [results.titles[str(metric)], Cell(signatures.get(str(metric), ""))] for metric in results.metrics
    ]
    return Table(
        title="Signatures, to stand beside published scores",
        heads=["metric", "signature"],
        rows=rows,
        left=2,
        codes=["signature"],
    )


def relations(results: Results) -> Section | None:
    """How metrics agree, and how segment scores are spread."""
    charts = [*figures.scatter(results), *figures.distributions(results)]
    return Section(id="metrics", title="Metrics beside each other", charts=charts) if charts else None


# Pairs


def pairs(results: Results) -> Section | None:
    """Two systems at a time."""
    if not results.comparisons:
        return None
    note = (
        "p is that of the paired test, corrected over all pairs of a metric. Low and high: the 95 % interval of one "
        "difference, not corrected. Effect is Cohen's d of the segments' differences, positive where the first system "
        "is better. Detects: the difference found four times out of five, corrected in the same way."
    )
    note += smallest_p(results)
    return Section(
        id="pairs",
        title="Head to head",
        text=[
            f"{summary.plain_title(results, metric)}: {note}."
            for metric in results.metrics
            for note in unit_notes(results.comparisons.get(str(metric), []))
        ],
        tables=[
            Table(
                title="Every comparison",
                heads=PAIR_HEADS,
                rows=pair_rows(results),
                left=3,
                note=note,
                shown=SHOWN,
                decimals={"p": 4},
            )
        ],
        charts=[figures.head_to_head()] if results.has_texts else [],
        template="pairs.html" if results.has_texts else "section.html",
    )


PAIR_HEADS = [
    "metric",
    "first",
    "second",
    "n",
    "difference",
    "low",
    "high",
    "p",
    "effect",
    "won",
    "lost",
    "tied",
    "detects",
]


def pair_rows(results: Results) -> list[list[Value | Cell]]:
    """A row for each comparison: the first system less the second."""
    rows: list[list[Value | Cell]] = []
    for metric in results.metrics:
        for item in results.pairs(metric):
            low, high = (item.interval.low, item.interval.high) if item.interval else (math.nan, math.nan)
            mark = stars(item.adjusted) if item.verdict != "undecided" else ""
            p = Cell(f"{p_text(item.adjusted)} {mark}".rstrip(), item.adjusted)
            names = [results.titles[str(metric)], item.system, item.baseline]
            counts = [item.wins, item.losses, item.ties]
            rows.append([*names, item.n, item.difference, low, high, p, item.effect, *counts, item.detectable])
    return rows


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
    rows: list[list[Value | Cell]] = [
        [name, sizes[name], *(cells[name][s].value if s in cells[name] else math.nan for s in results.systems)]
        for name in cells
    ]
    title = results.titles[said]
    note = "" if metric.resampling == "percentile" else "Averages over types of different documents are not comparable."
    return Table(
        title=f"{title} of documents",
        heads=["document", "segments", *results.systems],
        rows=rows,
        note=note,
        decimals=metric.decimals,
        shown=SHOWN,
    )


# Words


def types(results: Results) -> Section | None:
    """Rare and frequent words; words won and lost."""
    contrast = figures_parts.contrast_of_best(results)
    if contrast is None:
        return types_of_one(results)
    best, other = contrast.systems
    heads = ["type", "in references", f"F, {best}", f"F, {other}", "difference", "mistakes fewer"]

    def listed(found: Sequence[TypePair]) -> list[list[Value | Cell]]:
        return [[p.type, p.references, p.a.f, p.b.f, p.difference, abs(p.gain)] for p in found]

    buckets: list[list[Value | Cell]] = [
        [b.name, b.a.types, b.references, b.a.f, b.b.f, b.difference, b.adjusted] for b in contrast.buckets
    ]
    metric = results.titles[contrast.metric]
    won = [
        Table(title=f"Words of which {name} makes fewer mistakes", heads=heads, rows=rows, shown=SHOWN, decimals=1)
        for name, rows in ((best, listed(contrast.lost(TYPES))), (other, listed(contrast.gained(TYPES))))
    ]
    return Section(
        id="types",
        title="Words, rare and frequent",
        text=[f"Types are different words, as {metric} counts them. {best} is set beside {other}, the next best."],
        tables=[
            Table(
                title=f"Types by how often the references have them: {best} and {other}",
                heads=["times in references", "types", "words", f"F, {best}", f"F, {other}", "difference", "p (Holm)"],
                rows=buckets,
                decimals={"p (Holm)": 4},
                note=f"Differences are {other} less {best}; paired permutation, {contrast.trials} trials, "
                f"seed {contrast.seed}.",
            ),
            *(table for table in won if table.rows),
        ],
        charts=[*figures_parts.curve(results), *figures_parts.frequencies(results)],
        template="charts_first.html",
    )


def types_of_one(results: Results) -> Section | None:
    """The words of a system that has nobody beside it, the worst first."""
    metric = results.type_metric
    if metric is None:
        return None
    name = next(name for name in results.systems if (name, str(metric)) in results.evaluation.table)
    worst = sorted(all_types(results.evaluation, name, metric), key=lambda t: t.references + t.outputs - 2 * t.matches)
    rows: list[list[Value | Cell]] = [
        [t.type, t.references, t.outputs, t.matches, t.precision, t.recall, t.f] for t in worst[: -2 * TYPES : -1]
    ]
    heads = ["type", "in references", "in outputs", "matches", "precision", "recall", "F"]
    text = f"Types are different words, as {results.titles[str(metric)]} counts them."
    table = Table(
        title=f"Words of which {name} makes the most mistakes", heads=heads, rows=rows, shown=SHOWN, decimals=1
    )
    return Section(id="types", title="Words, rare and frequent", text=[text], tables=[table])


# Errors


def errors(results: Results) -> Section | None:
    """What detectors find, beside what they find in the reference."""
    diagnosis = results.diagnosis
    if diagnosis is None or not diagnosis.detectors:
        return None
    best = results.systems[0]
    chances = diagnosis.against(best) if len(results.systems) > 1 else {}
    rows: list[list[Value | Cell]] = []
    for kind in diagnosis.detectors:
        floor = diagnosis.floor.get(kind)
        row: list[Value | Cell] = [kind, math.nan if floor is None else 100 * floor.rate]
        for name in results.systems:
            tally = diagnosis.tallies[name, kind]
            mark = stars(chances.get((name, kind), 1.0))
            title = f"{tally.hits} of {counted(tally.judged, 'segment')}"
            value = None if math.isnan(tally.rate) else 100 * tally.rate
            row.append(Cell(f"{number(100 * tally.rate, 1)} {mark}".rstrip(), value, title=title))
        rows.append(row)
    note = (
        f"In % of the segments that a detector could judge. Stars: another rate than {best}, by McNemar's exact test, "
        "p after Holm ≤ 0.05 (*), 0.01 (**), 0.001 (***)."
    )
    return Section(
        id="errors",
        title="Errors that a program can see",
        tables=[
            Table(
                title="Segments with errors",
                heads=["detector", "reference", *results.systems],
                rows=rows,
                note=note,
                decimals=1,
            )
        ],
        charts=figures_parts.detectors(results),
        template="errors.html",
        data={"detectors": [DETECTORS[kind] for kind in diagnosis.detectors]},
    )


# Segments


def browser(results: Results) -> Section | None:
    """All segments, to be sorted and searched."""
    if not results.has_texts:
        return None
    whole = len(results.evaluation.testset)
    here = segments.embedded_segments(results)
    only = f"The first {here} of {whole} segments are in this file; figures of single segments show these."
    text = [only] if here < whole else []
    return Section(id="segments", title="Segments", text=text, template="segments.html")
