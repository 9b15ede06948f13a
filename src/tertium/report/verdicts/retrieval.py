"""What is said first of retrieval: whose documents are found best, by every kind of topics, and what foretells it.

A system *leads* by a kind of topics if its documents are found best by the first measure, or not significantly worse
than the best ones. What ceiling and floor have is said, and not tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tertium.core.wording import counted, number
from tertium.inference.compare import Comparison
from tertium.inference.standings import keeping_up, ranked, resolved, shared_scores
from tertium.meta.table import ScoreTable
from tertium.report.opening import PageVerdict
from tertium.report.tables.retrieval import comparisons, foretelling_sentences, systems_only
from tertium.report.trust import Trust
from tertium.report.words import MANY, capital, in_words, listed
from tertium.retrieval.correlate import measure_name
from tertium.retrieval.result import RetrievalResult

FEW = 50  # topics, below which that nothing was found says little


class Lead(NamedTuple):
    """One kind of topics: its measure, the systems from best to worst, who leads, and who beats whom."""

    name: str
    systems: list[str]
    leaders: list[str]  # none where nothing could be told
    items: Sequence[Comparison]
    best: float
    topics: int


def leads(result: RetrievalResult) -> list[Lead]:
    """Every kind of topics of a test set."""
    found = []
    for test, evaluation in zip(result.tests, result.evaluations, strict=True):
        metric, items = evaluation.metrics[0], comparisons(test, evaluation)
        shared = shared_scores(systems_only(test, evaluation), metric)
        order = ranked(shared.values, metric.better)
        best = order[0]
        told = bool(items) and resolved(items)
        leaders = [best, *(name for name in order[1:] if name in keeping_up(items, best))] if told else []
        found.append(Lead(measure_name(test, metric), order, leaders, items, shared.values[best], len(test.relevance)))
    return found


def retrieval_verdict(results: Sequence[RetrievalResult], table: ScoreTable | None) -> PageVerdict:
    """Of one test set, whose documents are found best; of several, what foretells it, and then that."""
    if len(results) == 1:
        made = one_testset(leads(results[0]))
        foretold = [] if table is None else foretelling_sentences(table)[:1]
        return PageVerdict(made.case, made.sentence, " ".join([part for part in (made.more, *foretold) if part]))
    each = [f"{result.name}: {one_testset(leads(result)).sentence}" for result in results]
    if table is None:
        return PageVerdict("several test sets", f"{counted(len(results), 'test set')} were searched.", " ".join(each))
    first, *rest = foretelling_sentences(table)
    head, _, tail = first.partition(", mean Kendall")
    more = [f"Mean Kendall{tail}"] if tail else []
    return PageVerdict("several test sets", f"{head}." if tail else first, " ".join([*more, *rest, *each]))


def one_testset(found: Sequence[Lead]) -> PageVerdict:
    """Who leads by all kinds of topics."""
    first = found[0]
    if len(first.systems) < 2:
        name = first.systems[0]
        parts = [f"{number(lead.best, 3)} by {lead.name}" for lead in found]
        return PageVerdict(
            "one system", f"Documents of {name} are found with {listed(parts)}.",
            "One system alone cannot be compared with anything.",
        )  # fmt: skip
    told = [lead for lead in found if lead.leaders]
    if not told:
        why = next((item.unresolvable for lead in found for item in lead.items if item.unresolvable), "")
        return PageVerdict("not resolvable", "Whose documents are found better cannot be said.",
                           f"{capital(why)}." if why else "")  # fmt: skip
    by = told[0].name if len(told) == 1 else f"all {len(told)} kinds of topics"
    common = [name for name in told[0].systems if all(name in lead.leaders for lead in told)]
    if not common:
        parts = [f"by {lead.name} {_few(lead.leaders)}" for lead in told]
        return PageVerdict("split", "Kinds of topics split: no system leads by all of them.",
                           f"In the lead {'; '.join(parts)}.")  # fmt: skip
    if len(common) == 1:
        return _winner(told, common[0], by)
    apart = any(
        item.verdict != "undecided"
        for lead in told
        for item in lead.items
        if {item.system, item.baseline} <= set(common)
    )
    everyone = len(common) == len(first.systems)
    count, names = in_words(len(common)), "" if len(common) > MANY else f": {listed(common)}"
    if everyone and not apart:
        return PageVerdict(
            "group", f"No difference between the {count} systems is significant by {by}: {_tops(told)}.",
            "That does not mean that they are equal.",
        )  # fmt: skip
    more = "None of them is significantly worse than the best" + (", but some differ significantly." if apart else ".")
    return PageVerdict("group", f"The documents of {count} systems are found best by {by}{names}.", more)


def _winner(told: Sequence[Lead], name: str, by: str) -> PageVerdict:
    clear = [lead for lead in told if lead.leaders == [name]]
    rest = told[0].systems[1] if len(told[0].systems) == 2 and told[0].systems[0] == name else "every other system"
    if len(clear) == len(told):
        return PageVerdict(
            "winner",
            f"The documents of {name} are found best, significantly ahead of {rest} by {by}.",
            f"{_tops(told)}.",
        )
    near = [f"{_few([n for n in lead.leaders if n != name])} by {lead.name}" for lead in told if lead not in clear]
    if clear:
        ahead = listed([lead.name for lead in clear])
        return PageVerdict(
            "winner",
            f"The documents of {name} are found best, significantly ahead of {rest} by {ahead}, and by no kind of "
            "topics significantly behind.",
            f"Not told from it: {'; '.join(near)}.",
        )
    return PageVerdict(
        "winner",
        f"{name} leads: no other system keeps up with the best by {by}.",
        f"Not told from it: {'; '.join(near)}.",
    )


def _tops(told: Sequence[Lead]) -> str:
    parts = [f"{lead.systems[0]} {number(lead.best, 3)} {lead.name}" for lead in told]
    return f"the best have {listed(parts)}"


def _few(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= 3 else f"{in_words(len(names))} systems"


def retrieval_trust(results: Sequence[RetrievalResult], table: ScoreTable | None) -> Iterator[Trust]:
    """How many topics there are, whether they share a reference with metrics, which correlations are significant."""
    topics = [len(test.relevance) for result in results for test in result.tests]
    low, high = min(topics), max(topics)
    span = str(low) if low == high else f"{low} to {high}"
    yield Trust("", f"{span} topics", " of a kind" if len(topics) > 1 else "", "bad" if low < FEW else "plain",
                f"Tests are over topics; with fewer than {FEW}, small differences are not found." if low < FEW else "",
                )  # fmt: skip
    documents = sum(len(result.tests[0].documents) for result in results)
    yield Trust("", f"{documents:,} documents")
    if any(result.tests[0].same_reference for result in results):
        yield Trust("", "same reference", " for topics and metrics", "bad",
                    "Both reward its words, so correlations between them tend to be too high.")  # fmt: skip
    if table is not None:
        from tertium.meta.correlate import correlate

        cells = [cell for cell in correlate(table) if cell.value == cell.value]
        some = sum(cell.significant() and cell.value > 0 for cell in cells)
        yield Trust("", f"{some} of {len(cells)}", " correlations with metrics are significant",
                    "good" if 2 * some > len(cells) else "bad", "Kendall tau-b, each by itself.")  # fmt: skip
