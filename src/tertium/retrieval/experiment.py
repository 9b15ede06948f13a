"""A test of retrieval: topics, what is relevant to them, the collections that are searched, and the rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.run import PLAIN, Run
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.core.wording import counted
from tertium.engines.evaluate import add_metrics
from tertium.retrieval.collections import (
    Collection,
    collections_of,
    document_ids,
    empty_notes,
)
from tertium.retrieval.measures import judge
from tertium.retrieval.metric import Retrieval, TopicEvaluation, parse_measure
from tertium.retrieval.rankings import Ranking, Relevance, check_known
from tertium.retrieval.search import Retriever, search
from tertium.retrieval.topics import (
    RECIPES,
    Recipe,
    RecipeOptions,
    Topics,
    known_items,
    pseudo_relevance,
    term_topics,
)
from tertium.text.terms import TermReader

if TYPE_CHECKING:
    from tertium.core.metric import Metric

# What topics of each recipe are measured by; the first is the one by which systems are compared.
MEASURES: Mapping[Recipe, tuple[str, ...]] = {
    "known-item": ("RR", "R@10", "nDCG@10"),
    "term": ("AP", "P@5", "nDCG@10", "AQWV", "mAQWV"),
    "pseudo": ("AP", "nDCG@10", "RBO(0.9)"),
    "own": ("AP", "RR", "P@10", "R@100", "nDCG@10", "mAQWV"),
}
SHOWN = 20  # documents of a ranking that stand as the output of a topic


@dataclass(frozen=True, eq=False, kw_only=True)
class RetrievalTest:
    """Topics of one recipe and the collections in which they are looked for; when it has been run, their rankings."""

    name: str  # of the test set
    given: Evaluation | None = None  # the texts; None where documents came from files
    recipe: Recipe
    language: str | None  # of queries and documents
    documents: tuple[str, ...]  # their ids
    topics: Topics
    relevance: Relevance
    truth: Ranking | None = None
    collections: tuple[Collection, ...]
    translated: Mapping[str, Topics] = field(default_factory=dict)  # queries as each query translation system has them
    topic_reference: int | None = None  # from 0; None where topics are one's own
    metric_reference: int | None = None
    retriever: Retriever | None = None
    rankings: Mapping[str, Ranking] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def same_reference(self) -> bool:
        """Whether MT metrics read the reference from which topics come: both share its words, which is circular."""
        return self.topic_reference is not None and self.topic_reference == self.metric_reference

    @property
    def roles(self) -> dict[str, str]:
        """What each ranking is of: a system, the ceiling, the topics' own reference, the floor."""
        if self.translated:
            return {name: {"source": "floor", "topics": "topics"}.get(name, "system") for name in self.translated}
        return {collection.name: collection.role for collection in self.collections}

    @property
    def systems(self) -> list[str]:
        """The names of those that are compared."""
        return [name for name, role in self.roles.items() if role == "system"]

    def collection(self, role: str) -> Collection | None:
        """The first collection of a role."""
        return next((collection for collection in self.collections if collection.role == role), None)


def choose_references(testset: TestSet, topics: int | None, metrics: int | None) -> tuple[int, int]:
    """The references of topics and of metrics, from 0: by default metrics read the first and topics come from the
    second of those that have all segments; the only one serves both. Those that are asked for count from 1."""
    streams = len(testset.references.streams)
    if streams == 0:
        raise InputError(
            f"test set {testset.name} has no reference, and topics come from one; bring your own (--topics, --qrels)"
        )
    for what, asked in (("topics", topics), ("metrics", metrics)):
        if asked is not None and not 1 <= asked <= streams:
            raise OptionError(f"{what}: there is no reference {asked}; test set {testset.name} has 1 to {streams}")
    whole = [k + 1 for k, stream in enumerate(testset.references.streams) if stream.complete] or [1]
    if topics is None:
        topics = next((k for k in whole[1:] if k != metrics), whole[0])
    if metrics is None:
        metrics = next((k for k in whole if k != topics), topics)
    return topics - 1, metrics - 1


def _incomplete(testset: TestSet) -> Iterable[str]:
    """References that are not used by themselves, because segments lack them."""
    streams = testset.references.streams
    for k, stream in enumerate(streams):
        if len(streams) > 1 and not stream.complete:
            lacking = len(stream) - int(stream.present.sum())
            yield (
                f"reference {k + 1} lacks {lacking} of {counted(len(stream), 'segment')}; it is not used for topics or "
                f"metrics unless you say so (--topic-reference, --metric-reference)"
            )


def build_retrieval(
    evaluation: Evaluation,
    recipes: str | Iterable[str] = RECIPES,
    *,
    options: RecipeOptions | None = None,
    topic_reference: int | None = None,
    metric_reference: int | None = None,
    language: str | None = None,
    retriever: Retriever | None = None,
    run: Run = PLAIN,
) -> tuple[RetrievalTest, ...]:
    """A test for each recipe (`known-item`, `term`, `pseudo`) from a test set with documents.

    Documents are those of every system, of the references and of the source. Topics come from `topic_reference` and MT
    metrics read `metric_reference`, which count from 1: the second and the first, where there are two. `retriever` is
    the search by which `pseudo` finds what is relevant; the one that systems are then searched with.
    """
    options = options or RecipeOptions()
    chosen = check_recipes([recipes] if isinstance(recipes, str) else recipes)
    testset = evaluation.testset
    source, reference = choose_references(testset, topic_reference, metric_reference)
    ids, _ = document_ids(evaluation)
    read = TermReader(language or testset.target_language)
    collections = collections_of(evaluation, source)
    texts = next(collection.texts for collection in collections if collection.role == "topics")
    notes = (*read.notes(), *_incomplete(testset), *empty_notes(collections))
    made: list[RetrievalTest] = []
    for recipe in chosen:
        run.tell(f"making topics ({recipe})", len(made), len(chosen))
        make = term_topics if recipe == "term" else known_items
        topics, relevance = make(texts, ids, read, options)
        truth = None
        if recipe == "pseudo":
            own = Collection(name="truth", role="topics", texts=texts)
            truth = search(own, topics, ids, read, retriever or Retriever(), run)
            relevance = pseudo_relevance(truth, options)
        made.append(
            RetrievalTest(
                name=testset.name, given=evaluation, recipe=recipe, language=read.language, documents=ids,
                topics=topics, relevance=relevance, truth=truth, collections=collections, topic_reference=source,
                metric_reference=reference, notes=notes,
            )
        )  # fmt: skip
    return tuple(made)


def check_recipes(recipes: Iterable[str]) -> tuple[Recipe, ...]:
    """Recipes by name, each once."""
    found: dict[Recipe, None] = {}
    for word in (part.strip() for text in recipes for part in text.split(",")):
        known = next((recipe for recipe in RECIPES if recipe == word), None)
        if known is None:
            raise OptionError(f"unknown recipe {word!r}; choose from {', '.join(RECIPES)}")
        found[known] = None
    return tuple(found)


def own_test(
    evaluation: Evaluation,
    topics: Topics,
    relevance: Relevance,
    *,
    where: str = "qrels",
    language: str | None = None,
    translated: Mapping[str, Topics] | None = None,
    metric_reference: int | None = None,
) -> RetrievalTest:
    """A test with topics and judgements of one's own.

    With `translated` queries, each version of the queries looks for the documents of the first reference; without, the
    topics look for the documents of every system.
    """
    testset = evaluation.testset
    streams = len(testset.references.streams)
    ids, _ = document_ids(evaluation)
    read = TermReader(language or testset.target_language)
    check_known(relevance, ids, topics.ids, where)
    collections = collections_of(evaluation, -1)
    if translated:
        collections = tuple(c for c in collections if c.role == "ceiling")[:1]
        if not collections:
            raise InputError(f"test set {testset.name} has no reference, whose documents translated queries look for")
    _, reference = choose_references(testset, None, metric_reference) if streams else (0, 0)
    unjudged = [topic for topic in topics.ids if topic not in set(relevance.topics)]
    notes = [*read.notes(), *_incomplete(testset), *empty_notes(collections)]
    if unjudged:
        notes.append(f"nobody judged documents for {len(unjudged)} of {len(topics)} topics: they are not scored")
    return RetrievalTest(
        name=testset.name, given=evaluation, recipe="own", language=read.language, documents=ids, topics=topics,
        relevance=relevance.over([topic for topic in topics.ids if topic in set(relevance.topics)], ids),
        collections=collections, translated=translated or {}, metric_reference=reference if streams else None,
        notes=tuple(notes),
    )  # fmt: skip


def runs_test(name: str, runs: Mapping[str, Ranking], relevance: Relevance, topics: Topics | None) -> RetrievalTest:
    """Rankings that were made elsewhere, as a test; nothing is known of the documents but their ids."""
    named = tuple(dict.fromkeys(d for found in (relevance, *runs.values()) for d in found.documents))
    return RetrievalTest(
        name=name, recipe="own", language=None, documents=named, relevance=relevance, rankings=runs,
        topics=topics or Topics(ids=relevance.topics, texts=("",) * len(relevance)),
        collections=tuple(Collection(name=system, role="system", texts=()) for system in runs),
    )  # fmt: skip


def run_retrieval(test: RetrievalTest, retriever: Retriever | None = None, *, run: Run = PLAIN) -> RetrievalTest:
    """The test with a ranking for every collection, or for every translation of the queries."""
    how, read = retriever or Retriever(), TermReader(test.language)
    if test.translated:
        [collection] = test.collections
        found = {
            name: search(collection, topics, test.documents, read, how, run) for name, topics in test.translated.items()
        }
    else:
        found = {c.name: search(c, test.topics, test.documents, read, how, run) for c in test.collections}
    return replace(test, rankings=found, retriever=how)


def score_retrieval(
    test: RetrievalTest,
    measures: Sequence[str | Retrieval] | None = None,
    *,
    size: int | None = None,
    run: Run = PLAIN,
) -> TopicEvaluation:
    """The evaluation of the rankings: its segments are topics, its metrics measures such as AP and nDCG@10.

    `size` is the number of documents, where rankings come from elsewhere and only some of them are known.
    """
    if not test.rankings:
        raise OptionError("there is no ranking to score; search first (run_retrieval, tertium retrieve run)")
    facts = {"recipe": test.recipe, **(test.retriever.facts(TermReader(test.language)) if test.retriever else {})}
    texts = dict(zip(test.topics.ids, test.topics.texts, strict=True))
    evaluation = topic_evaluation(
        test.rankings, test.relevance, name=f"{test.name} ({test.recipe})", texts=texts,
        truth=test.truth, size=len(test.documents) if test.retriever else size, facts=facts,
    )  # fmt: skip
    chosen = [parse_measure(measure) for measure in measures or MEASURES[test.recipe]]
    return with_measures(evaluation, chosen, run)


def topic_evaluation(
    rankings: Mapping[str, Ranking],
    relevance: Relevance,
    *,
    name: str = "topics",
    texts: Mapping[str, str] | None = None,
    truth: Ranking | None = None,
    size: int | None = None,
    facts: Mapping[str, str] | None = None,
) -> TopicEvaluation:
    """An evaluation of rankings, without a measure yet."""
    topics = relevance.topics
    if not topics:
        raise InputError(f"{name}: there is no topic with judged documents")
    wanted = [" ".join(d for d, grade in relevance.named(k).items() if grade >= 1) for k in range(len(topics))]
    judged = {system: judge(ranking, relevance) for system, ranking in rankings.items()}
    testset = TestSet(
        name=name,
        segments=len(topics),
        ids=topics,
        sources=None if texts is None else Lines.of([texts[topic] for topic in topics]),
        references=References((Lines.of(wanted),), len(topics)),
    )
    systems = tuple(System(name=system, outputs=_first_ids(own.ranking)) for system, own in judged.items())
    return TopicEvaluation(
        testset=testset, systems=systems, rankings=dict(rankings), relevance=relevance,
        truth=None if truth is None else truth.over(topics, truth.documents), size=size, facts=dict(facts or {}),
        judged=judged,
    )  # fmt: skip


def _first_ids(ranking: Ranking) -> Lines:
    """What stands as the output of every topic."""
    return Lines.of([" ".join(list(ranking.named(k))[:SHOWN]) for k in range(len(ranking))])


def with_measures(evaluation: TopicEvaluation, measures: Sequence[Metric], run: Run = PLAIN) -> TopicEvaluation:
    """The evaluation with the rows of these measures; what is suspicious about texts is nothing to rankings."""
    known = set(evaluation.warnings)
    found = add_metrics(evaluation, *measures, run=run)
    said = tuple(note for note in found.warnings if note in known or "relevant document" in note)
    return replace(evaluation, metrics=found.metrics, table=found.table, signatures=found.signatures, warnings=said)
