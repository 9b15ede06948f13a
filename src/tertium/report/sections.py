"""The sections of an evaluation's report after its verdict and scores: which tables and figures stand where, and what
is said above them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tertium.analysis.contrast import TypeContrast, TypePair
from tertium.analysis.detect.choice import DETECTORS
from tertium.analysis.types import TypeScore
from tertium.analysis.types import types as all_types
from tertium.core.metric import Metric
from tertium.core.score import Score
from tertium.core.table import Cell, Row, Rows, Table, numbers, texts
from tertium.core.wording import counted
from tertium.inference.standings import unit_notes
from tertium.report import findings, segment_findings
from tertium.report.figures import overview as figures
from tertium.report.figures import parts as figures_parts
from tertium.report.figures import types as figures_types
from tertium.report.links import compared_types, segments_link, with_links
from tertium.report.own_curves import LEAVES_OPEN, OwnCurves, own_sentences
from tertium.report.page import Section
from tertium.report.parts import SectionPart, composed
from tertium.report.results import Results
from tertium.report.score_section import smallest_p
from tertium.report.tables.comparisons import pair_table
from tertium.report.tables.diagnosis import error_table
from tertium.report.tables.meaning import comparison_sentence
from tertium.report.tables.types import COUNTS, bucket_table, pairs_of, type_table
from tertium.report.tables.types import pair_table as pair_types
from tertium.report.words import capital

TYPES = 60  # of each list of words
SHOWN = 12  # rows of a long table before the reader asks for all


def relations(results: Results) -> Section | None:
    """How metrics agree, and how segment scores are spread."""
    parts = [
        SectionPart(finding=finding, charts=charts, half=True)
        for finding, charts in (
            (findings.order(results), figures.scatter(results)),
            (findings.spread(results), figures.distributions(results)),
        )
        if charts
    ]
    return composed("metrics", "Metrics beside each other", parts) if parts else None


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
    table = pair_table(
        [item for metric in results.metrics for item in results.pairs(metric)],
        dict.fromkeys(results.titles, 2),
        names=results.titles,
        title="Every comparison",
        note=note,
        shown=SHOWN,
    )
    units = [
        f"{results.plain_title(metric)}: {note}."
        for metric in results.metrics
        for note in unit_notes(results.comparisons.get(str(metric), []))
    ]
    meaning = [
        *meaning_sentences(results),
        *(said for items in results.comparisons.values() for said in own_sentences(own, items)),
    ]
    texts = results.evaluation.has_texts
    parts = [
        SectionPart(charts=[figures.head_to_head(whole=results.held.whole)] if texts else []),
        SectionPart(title="Every comparison", finding=findings.told_apart(results), folded=True, tables=[table]),
    ]
    if meaning:
        parts.append(
            SectionPart(
                title="What these differences mean to people",
                finding=meaning_finding(meaning),
                folded=True,
                text=meaning,
            )
        )
    if units:
        parts.append(SectionPart(title="Segments or documents", finding=unit_finding(results), folded=True, text=units))
    if not texts:
        return composed("pairs", "Head to head", parts)
    return composed("pairs", "Head to head", parts, template="pairs.html")


def meaning_finding(meaning: Sequence[str]) -> str:
    """How many curves say something of how often people agree with differences as large as these."""
    silent = sum(LEAVES_OPEN in said for said in meaning)
    told, left = len(meaning) - silent, "leaves" if silent == 1 else "leave"
    what = "how often people agree with differences as large"
    if not told:
        return f"{capital(what)}: {counted(silent, 'curve')} {left} it open."
    read = f"Read off {counted(told, 'curve')}: {what}"
    return f"{read}; {silent} more {left} it open." if silent else f"{read}."


def unit_finding(results: Results) -> str:
    """How many verdicts depend on what was swapped."""
    items = [item for items in results.comparisons.values() for item in items if item.other_verdict is not None]
    changed = sum(item.verdict != item.other_verdict for item in items)
    if not changed:
        which = "The only comparison does not come" if len(items) == 1 else f"None of {len(items)} comparisons comes"
        return f"{which} out otherwise if whole documents are swapped."
    comes = "comes" if changed == 1 else "come"
    return f"{changed} of {counted(len(items), 'comparison')} {comes} out otherwise if whole documents are swapped."


def meaning_sentences(results: Results) -> list[str]:
    """What significant differences mean, by the metrics of which there is a published curve."""
    found = (comparison_sentence(results.evaluation, items) for items in results.comparisons.values())
    return [text for text in found if text]


# Parts of the test set


def parts(results: Results) -> Section | None:
    """Short and long segments; documents."""
    parts = []
    if charts := figures_parts.lengths(results):
        said = segment_findings if len(results.systems) == 1 else findings
        parts.append(SectionPart(finding=said.lengths(results, figures_parts.length_names(results)), charts=charts))
    maps = figures_parts.heat_map(results)
    if results.documents and (parts or maps):
        parts.append(
            SectionPart(
                title="Documents", folded=True, charts=maps,
                finding=(segment_findings if len(results.systems) == 1 else findings).documents(results),
                tables=[document_table(results)],
            )
        )  # fmt: skip
    return composed("parts", "Lengths and documents", parts) if parts else None


def document_table(results: Results) -> Table:
    """Documents under the metric that the sentence above is about; scores of other kinds cannot be compared."""
    metric = findings.first_comparable(results) or results.metrics[0]
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
        for name in figures_parts.held_documents(results)
    ]
    title = results.titles[said]
    note = "" if metric.resampling == "percentile" else "Averages over types of different documents are not comparable."
    if len(rows) < len(cells):
        note = f"The {len(rows):,} of {len(cells):,} documents on which systems differ most. {note}".strip()
    table = Table(
        title=f"{title} of documents",
        columns=[*texts("document"), *numbers("segments", *results.systems, decimals=metric.decimals)],
        rows=rows,
        note=note,
        shown=SHOWN,
    )
    return with_links(table, lambda name: segments_link(results, document=name))


# Words


def types(results: Results) -> Section | None:
    """Rare and frequent words; words won and lost."""
    contrast = figures_parts.contrast_of_best(results)
    if contrast is None:
        return types_of_one(results)
    best, other = contrast.systems
    metric = results.titles[contrast.metric]
    said = {
        "lost": f"Words on which {best} does better",
        "gained": f"Words on which {other} does better",
    }
    won = [
        word_links(results, pair_types(contrast, pairs, said[what], shown=SHOWN, note=COUNTS))
        for what, pairs in won_and_lost(contrast).items()
    ]
    lists = [table for table in won if table.rows]
    parts = [
        SectionPart(
            finding=findings.words(contrast, results.plain_title(results.metrics[0])),
            charts=figures_types.zipf(list(results.contrasts.values()), results.systems, results),
        ),
        SectionPart(
            title=f"Words won and lost: {best} beside {other}, the next best",
            finding=findings.words_won(contrast, [len(table.rows) for table in won], TYPES),
            folded=True,
            text=[f"Types are different words, as {metric} counts them; differences are {other} less {best}."],
            tables=[bucket_table(contrast, words=True), *lists],
        ),
        SectionPart(
            title="The curve of Gowda et al. (2021)",
            finding=findings.types_mean(results),
            folded=True,
            charts=figures_types.curve(list(results.contrasts.values()), results.systems, results),
        ),
    ]
    return composed("types", "Words, rare and frequent", parts)


def won_and_lost(contrast: TypeContrast) -> dict[str, list[TypePair]]:
    """The types of the two lists."""
    return {what: pairs_of(contrast, what, {})[:TYPES] for what in ("lost", "gained")}


def word_links(results: Results, table: Table) -> Table:
    """The table with each word leading to the segments that have it."""
    return with_links(table, lambda word: segments_link(results, word=word))


def listed_words(results: Results) -> list[str]:
    """The words that a table or figure of the report has."""
    contrast = figures_parts.contrast_of_best(results)
    if contrast is None:
        return [] if results.type_metric is None else [item.type for item in worst_types(results, results.type_metric)]
    changed = [pair.type for pairs in won_and_lost(contrast).values() for pair in pairs]
    return list(dict.fromkeys([*changed, *figures_types.ranked_types(contrast)]))


def worst_types(results: Results, metric: Metric) -> list[TypeScore]:
    """The types that the first system gets wrong most often."""
    [name] = compared_types(results)
    found = sorted(all_types(results.evaluation, name, metric), key=lambda t: t.references + t.outputs - 2 * t.matches)
    return found[: -2 * TYPES : -1]


def types_of_one(results: Results) -> Section | None:
    """The words of a system that has nobody beside it, the worst first."""
    metric = results.type_metric
    if metric is None:
        return None
    [name] = compared_types(results)
    text = f"Types are different words, as {results.titles[str(metric)]} counts them."
    title = f"Words that {name} gets wrong most often"
    worst = worst_types(results, metric)
    table = type_table(worst, title, shown=SHOWN, note=COUNTS)
    said = findings.wrong_words(name, worst)
    return Section(
        id="types", title="Words, rare and frequent", finding=said, text=[text], tables=[word_links(results, table)]
    )


# Errors


def errors(results: Results) -> Section | None:
    """What detectors find, beside what they find in the reference."""
    diagnosis = results.diagnosis
    if diagnosis is None or not diagnosis.detectors:
        return None
    table = error_table(diagnosis, results.systems, results.systems[0])
    kinds = iter(diagnosis.detectors)
    table = replace(table, rows=[error_links(results, next(kinds), row) for row in table.rows])
    parts = [
        SectionPart(finding=findings.errors(results), charts=figures_parts.detectors(results)),
        SectionPart(
            title="Segments with errors, counted", finding=findings.errors_counted(results), folded=True, tables=[table]
        ),
    ]
    made = composed("errors", "Errors that a program can see", parts)
    detectors = [DETECTORS[kind] for kind in diagnosis.detectors]
    return replace(made, template="errors.html", data={**made.data, "detectors": detectors})


def error_links(results: Results, kind: str, row: Row) -> Row:
    """The counts of a detector, each leading to its segments."""
    return [
        cell._replace(link=segments_link(results, found=kind, of=name, first=name))
        if isinstance(cell, Cell) and name and not cell.text.startswith("0 ")
        else cell
        for cell, name in zip(row, ["", "", *results.systems], strict=True)
    ]


# Segments


def browser(results: Results) -> Section | None:
    """All segments, to be sorted and searched."""
    if not results.evaluation.has_texts:
        return None
    said = results.held.sentence()
    finding = segment_findings.segments(results)
    return Section(
        id="segments", title="Segments", finding=finding, text=[said] if said else [], template="segments.html"
    )
