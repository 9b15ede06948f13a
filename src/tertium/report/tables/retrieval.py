"""Retrieval as sentences and tables: who is found best, what foretells it, and why documents are missed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from tertium.core.score import Score, ends
from tertium.core.table import Cell, Column, Rows, Table, numbers, texts
from tertium.core.wording import counted, headings, number, visible
from tertium.inference.compare import Comparison, compare
from tertium.inference.scores import scores
from tertium.inference.seeds import CONFIDENCE
from tertium.inference.standings import keeping_up, ranked, resolved, shared_scores
from tertium.meta.correlate import correlate
from tertium.meta.table import ScoreTable
from tertium.meta.wins import wins
from tertium.report.tables.comparisons import cluster_table
from tertium.report.tables.scores import score_cell
from tertium.retrieval.correlate import foretold, measure_name
from tertium.retrieval.experiment import RetrievalTest
from tertium.retrieval.explain import REASONS, ExplainedMisses, Miss
from tertium.retrieval.metric import TopicEvaluation
from tertium.retrieval.result import RetrievalResult

ROLES = {
    "system": "",
    "ceiling": "other reference",
    "topics": "topics come from it",
    "floor": "not translated",
}
CIRCULAR = (
    "Same reference: MT metrics read the reference from which the topics come, so both reward its words, and "
    "correlations between them tend to be too high"
)
WORTH_SAYING = 0.1  # of the words that a system lost
LISTED = 6  # names in a sentence


# Who is found best


def systems_only(test: RetrievalTest, evaluation: TopicEvaluation) -> TopicEvaluation:
    """Without ceiling and floor, which are not compared."""
    own = set(test.systems)
    return replace(evaluation, systems=tuple(system for system in evaluation.systems if system.name in own))


def comparisons(test: RetrievalTest, evaluation: TopicEvaluation) -> list[Comparison]:
    """Paired permutation tests of every pair of systems by the first measure; none of a single system."""
    own = systems_only(test, evaluation)
    return compare(own, evaluation.metrics[0]) if len(own.systems) > 1 else []


def verdict(test: RetrievalTest, evaluation: TopicEvaluation, items: Sequence[Comparison]) -> str:
    """Whose documents are found best, and whether that could be luck."""
    metric, own = evaluation.metrics[0], systems_only(test, evaluation)
    shared = shared_scores(own, metric)
    order = ranked(shared.values, metric.better)
    best, name = order[0], measure_name(test, metric)
    firsts = " and ".join(visible(other) for other in order if shared.values[other] == shared.values[best])
    said = f"{name}: the documents of {firsts} are found best, {number(shared.values[best], 3)}"
    ends_ = [(label, role) for role, label in (("ceiling", "the other reference has"), ("floor", "the source"))]
    found = {score.system: score.value for score in evaluation.scores() if score.metric == str(metric)}
    beside = [
        f"{label} {number(found[other], 3)}"
        for label, role in ends_
        for other in [next((n for n, r in test.roles.items() if r == role), None)]
        if other in found
    ]
    said += f" ({'; '.join(beside)})." if beside else "."
    if not items:
        return said
    basis = f"paired permutation test over {counted(shared.n, 'topic')}"
    if not resolved(items):
        return f"{said} No difference between systems could be significant: {items[0].unresolvable}."
    equal = [visible(other) for other in keeping_up(items, best)]
    if not equal:
        return f"{said} It is significantly better than every other system ({basis})."
    if len(equal) == len(order) - 1:
        return f"{said} No system is significantly worse ({basis}); that does not mean that they are equal."
    few = ", ".join(equal[:LISTED]) + (f" and {len(equal) - LISTED} more" if len(equal) > LISTED else "")
    return f"{said} Not significantly worse: {few} ({basis})."


def retrieval_table(
    test: RetrievalTest, evaluation: TopicEvaluation, *, confidence: float | None = CONFIDENCE
) -> Table:
    """A row for each ranking, the best system first, then ceiling and floor; intervals of the first measure."""
    found = _scored(evaluation, confidence)
    metrics = evaluation.metrics
    order = _ordered(test, {name: found[name, str(metrics[0])].value for name in test.roles})
    rows: Rows = []
    for name in order:
        cells = [
            score_cell(found[name, str(metric)], metric.decimals)._replace(
                title=counted(found[name, str(metric)].n, "topic")
            )
            for metric in metrics
        ]
        rows.append([name, ROLES[test.roles[name]], *cells])
    interval = f" In brackets: {100 * confidence:.0f} % bootstrap intervals over topics." if confidence else ""
    return Table(
        title=f"{visible(test.name)}, topics: {test.recipe} ({counted(len(test.relevance), 'topic')}, "
        f"{counted(len(test.documents), 'document')})",
        columns=[*texts("documents"), *texts("", spare=1), *(Column(head) for head in headings(metrics).values())],
        rows=rows,
        note=_recipe_note(test) + interval,
    )


def _scored(evaluation: TopicEvaluation, confidence: float | None) -> dict[tuple[str, str], Score]:
    """Scores, the first measure's with an interval."""
    known = {(score.system, score.metric): score for score in evaluation.scores()}
    if confidence is not None:
        first = replace(evaluation, metrics=evaluation.metrics[:1])
        known |= {(score.system, score.metric): score for score in scores(first, confidence=confidence)}
    return known


def _ordered(test: RetrievalTest, values: Mapping[str, float]) -> list[str]:
    own = ranked({name: values[name] for name in test.systems}, "higher")
    return [*own, *(name for role in ("ceiling", "topics", "floor") for name, r in test.roles.items() if r == role)]


def _recipe_note(test: RetrievalTest) -> str:
    if test.recipe == "own":
        return "Topics and judgements are your own."
    stream = (test.topic_reference or 0) + 1
    return f"Topics come from reference {stream}" + (", which MT metrics read, too." if test.same_reference else ".")


def overview_table(result: RetrievalResult) -> Table:
    """All tests of a test set in one table: a column for each telling measure."""
    columns: list[tuple[str, dict[str, float]]] = []
    for test, evaluation in zip(result.tests, result.evaluations, strict=True):
        found = {(score.system, score.metric): score.value for score in evaluation.scores()}
        for measure in foretold(test, evaluation):
            values = {name: found[name, str(measure)] for name in test.roles}
            columns.append((measure_name(test, measure), values))
    first = result.tests[0]
    ranks = [_ordered(first, values) for _, values in columns]
    mean = {name: fmean(rank.index(name) for rank in ranks) for name in first.systems}
    order = [*sorted(first.systems, key=lambda name: mean[name]), *ranks[0][len(first.systems) :]]
    best = {k: max((values[name] for name in first.systems), default=math.nan) for k, (_, values) in enumerate(columns)}
    rows: Rows = [
        [name, ROLES[first.roles[name]],
         *(Cell(number(values[name], 3), values[name],
                strong=name in first.systems and values[name] == best[k])
           for k, (_, values) in enumerate(columns))]
        for name in order
    ]  # fmt: skip
    topics = ", ".join(f"{len(test.relevance)} {test.recipe}" for test in result.tests)
    return Table(
        title=f"{visible(result.name)}: {counted(len(first.documents), 'document')}, topics: {topics}",
        columns=[*texts("documents"), *texts("", spare=1), *numbers(*(name for name, _ in columns), decimals=3)],
        rows=rows,
        note="Systems in the order of their mean rank; bold: the best system. " + _recipe_note(first),
    )


def standing_table(test: RetrievalTest, evaluation: TopicEvaluation, items: Sequence[Comparison]) -> Table:
    """Systems in clusters by the first measure."""
    metric, own = evaluation.metrics[0], systems_only(test, evaluation)
    made = cluster_table(items, metric, shared_scores(own, metric))
    note = f"Paired permutation tests, {items[0].trials} trials, seed {items[0].seed}, alpha {items[0].alpha:g}."
    return replace(made, title=f"Who is better by {measure_name(test, metric)}", note=note)


def retrieval_rows(tests: Sequence[tuple[RetrievalTest, TopicEvaluation]], confidence: float | None = None) -> Table:
    """Every score in a row of its own, for programs."""
    rows: Rows = []
    for test, evaluation in tests:
        names = {str(measure): measure.measure for measure in evaluation.measures}
        found = scores(evaluation, confidence=confidence) if confidence else evaluation.scores()
        rows += [
            [test.name, test.recipe, score.system, test.roles[score.system], names[score.metric],
             score.value, score.n, *ends(score.interval), score.signature]
            for score in found
        ]  # fmt: skip
    heads = ("test set", "recipe", "system", "role", "measure", "value", "topics", "low", "high", "signature")
    return Table(columns=numbers(*heads), rows=rows)


def topic_rows(test: RetrievalTest, evaluation: TopicEvaluation) -> Table:
    """Every topic of every system, for programs."""
    names = {str(measure): measure.measure for measure in evaluation.measures}
    texts_ = dict(zip(test.topics.ids, test.topics.texts, strict=True))
    rows: Rows = [
        [test.name, test.recipe, score.system, score.segment, texts_[str(score.segment)],
         names[score.metric], None if math.isnan(score.value) else score.value]
        for score in evaluation.scores("segment")
    ]  # fmt: skip
    return Table(columns=numbers("test set", "recipe", "system", "topic", "query", "measure", "value"), rows=rows)


# What foretells it


def foretelling(table: ScoreTable, statistic: str = "tau_b") -> dict[str, float]:
    """The mean correlation of each metric over all test sets and measures in which every metric has one."""
    values: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
    for cell in correlate(table, statistic):
        if not math.isnan(cell.value):
            values[cell.metric][cell.group] = cell.value
    common = [group for group in table.groups if all(group in values[metric] for metric in table.metrics)]
    return {m: fmean(values[m][group] for group in common) if common else math.nan for m in table.metrics}


def foretelling_sentences(table: ScoreTable) -> list[str]:
    """Which metric foretells retrieval best, and how sure that is."""
    means = foretelling(table)
    known = {metric: value for metric, value in means.items() if not math.isnan(value)}
    if not known:
        return ["No correlation of a metric with retrieval is defined: there must be systems that differ."]
    best = max(known, key=lambda metric: known[metric])
    counts = wins(correlate(table))
    rest = sorted((metric for metric in known if metric != best), key=lambda metric: -known[metric])
    others = ", ".join(f"{table.shown(metric)} {number(known[metric], 2)}" for metric in rest)
    over = f"mean Kendall tau-b over {counted(len(table.groups), 'correlation')} of measures by test sets"
    listed = f"{table.shown(best)} {number(known[best], 2)}" + (f", {others}" if others else "")
    if not counts.decided:
        return [f"No metric foretells retrieval significantly here; {over}: {listed}."]
    said = f"{table.shown(best)} goes best with retrieval, {over}: {listed}. Differences of metrics are not tested."
    won = ", ".join(f"{table.shown(metric)} {times}" for metric, times in counts.wins.items())
    return [said, f"In {counts.decided} of {counts.groups} some correlation is significant; wins among them: {won}."]


def foretelling_table(table: ScoreTable) -> Table:
    """The mean correlation of each metric with each measure over test sets: what the bar chart shows."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(list)
    for cell in correlate(table):
        if not math.isnan(cell.value):
            sums[cell.group[0], cell.metric].append(cell.value)
    measures = list(dict.fromkeys(key[0] for key in table.keys))
    means = foretelling(table)
    rows: Rows = [
        [table.shown(metric), *(fmean(sums[m, metric]) if sums[m, metric] else None for m in measures), means[metric]]
        for metric in sorted(table.metrics, key=lambda name: -means[name] if means[name] == means[name] else 9)
    ]
    return Table(
        title="Which metric foretells retrieval: mean Kendall tau-b over test sets",
        columns=[*texts("metric"), *numbers(*measures, "all", decimals=3)],
        rows=rows,
    )


# Why documents are missed


def share_table(test: RetrievalTest, explained: ExplainedMisses) -> Table:
    """Of every system: documents found and missed, and why."""
    rows: Rows = []
    for system, counts in explained.shares().items():
        total = sum(counts.values())
        missed = explained.lost_documents(system)
        rows.append([
            system, explained.found[system], missed,
            *(Cell(f"{100 * n / total:.0f} %" if total else "–", n, title=counted(n, "word")) for n in counts.values()),
        ])  # fmt: skip
    return Table(
        title=f"Why documents are missed ({test.recipe}): {explained.wanted} wanted among the first {explained.cutoff}",
        columns=[*texts("system"), *numbers("found", "missed", *REASONS)],
        rows=rows,
        note="Shares of the words of queries that a missed document lacks; outranked: it has them all. A share is of "
        "what an alignment of words shows, not a proof.",
    )


def lost_words(explained: ExplainedMisses) -> dict[str, list[tuple[Miss, int]]]:
    """Of every system the words that cost most documents, each with one of its misses and how many there are."""
    found = {}
    for system, misses in explained.by_system().items():
        groups: dict[tuple[str, str, str], list[Miss]] = defaultdict(list)
        for miss in misses:
            if miss.word:
                groups[miss.reason, miss.word.casefold(), miss.instead.casefold()].append(miss)
        listed = [(own[0], len({(m.topic, m.document) for m in own})) for own in groups.values()]
        found[system] = sorted(listed, key=lambda item: (-item[1], REASONS.index(item[0].reason), item[0].word))
    return found


def lost_table(test: RetrievalTest, explained: ExplainedMisses, top: int) -> Table:
    """The words that cost every system most documents."""
    rows: Rows = []
    for system, listed in lost_words(explained).items():
        rows += [
            [system, miss.word, miss.reason, miss.instead, documents, miss.segment] for miss, documents in listed[:top]
        ]
    columns = [*texts("system", "word of the query", "reason"), *texts("in the output", spare=1),
               *numbers("documents", "segment")]  # fmt: skip
    return Table(
        title=f"Words that cost documents ({test.recipe})",
        columns=columns,
        rows=rows,
        note="Segment: the first where it happens; tertium diagnose shows it whole. In the output: what stands there "
        "instead.",
    )


def miss_rows(test: RetrievalTest, explained: ExplainedMisses) -> Table:
    """Every miss in a row of its own, for programs and for --topic."""
    heads = ["test set", "recipe", "system", "topic", "query", "document", "rank", "reason", "word", "in the output",
             "segment"]  # fmt: skip
    rows: Rows = [
        [test.name, test.recipe, miss.system, miss.topic, miss.query, miss.document, miss.rank, miss.reason, miss.word,
         miss.instead, miss.segment]
        for miss in explained.misses
    ]  # fmt: skip
    return Table(columns=[*texts(*heads[:6]), *numbers("rank"), *texts(*heads[7:10]), *numbers("segment")], rows=rows)


def explanation_sentence(explained: ExplainedMisses) -> str:
    """Which system loses most to words that it leaves untranslated; a sentence that a team can act on."""
    shares = explained.shares()
    total = {system: sum(counts.values()) for system, counts in shares.items()}
    if not any(total.values()):
        return "No system misses a document that the reference's words find."
    most = max(shares, key=lambda system: explained.lost_documents(system))
    counts = shares[most]
    reason = max(counts, key=lambda name: counts[name])
    said = (
        f"{visible(most)} misses {'most: ' if len(shares) > 1 else ''}"
        f"{explained.lost_documents(most)} of {counted(explained.wanted, 'document')}, "
        f"{100 * counts[reason] / total[most]:.0f} % of the words {_VERBS[reason]}."
    )
    left = max(shares, key=lambda system: shares[system]["untranslated"])
    standing = shares[left]["untranslated"]
    if standing >= WORTH_SAYING * total[left] and (left, reason) != (most, "untranslated"):
        said += f" {visible(left)} leaves most untranslated: {counted(standing, 'word')} of {total[left]} that it lost."
    return said


_VERBS = {
    "untranslated": "left untranslated",
    "translated otherwise": "translated otherwise than in the reference",
    "dropped": "dropped",
    "outranked": "there, but in documents that others outrank",
}
