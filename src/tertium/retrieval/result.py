"""All that a test set says about retrieval, in one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.testset import References
from tertium.engines.evaluate import add_metrics
from tertium.retrieval.experiment import RetrievalTest, build_retrieval, run_retrieval, score_retrieval
from tertium.retrieval.explain import CUTOFF, ExplainedMisses, explain_retrieval
from tertium.retrieval.metric import Retrieval, TopicEvaluation
from tertium.retrieval.search import Retriever
from tertium.retrieval.topics import RECIPES, RecipeOptions

METRICS = "bleu,chrf,macrof,microf,ter"


@dataclass(frozen=True, eq=False, kw_only=True)
class RetrievalResult:
    """All that one test set says: tests, their evaluations, MT metrics of the same systems, and explained misses."""

    tests: tuple[RetrievalTest, ...]
    evaluations: tuple[TopicEvaluation, ...] = ()  # of the tests, in their order
    metrics: Evaluation | None = None
    explanations: tuple[ExplainedMisses | None, ...] = ()  # of the tests, in their order
    retriever: Retriever = field(default_factory=Retriever)

    @property
    def name(self) -> str:
        """The test set's."""
        return self.tests[0].name


def metric_scores(
    test: RetrievalTest, metrics: str | Metric | Sequence[str | Metric], *, run: Run = PLAIN
) -> Evaluation:
    """The systems under MT metrics, which read the reference that is theirs."""
    if test.given is None:
        raise InputError("MT metrics need the test set, and this test has only documents")
    given, stream = test.given, test.metric_reference
    if stream is not None:
        references = References((given.testset.references.streams[stream],), len(given.testset))
        given = replace(given, testset=replace(given.testset, references=references))
    return add_metrics(given, *([metrics] if isinstance(metrics, str) else _list(metrics)), run=run)


def _list(metrics: Metric | Sequence[str | Metric]) -> Iterable[str | Metric]:
    return metrics if isinstance(metrics, Sequence) else [metrics]


def retrieve(
    evaluation: Evaluation,
    recipes: str | Iterable[str] = RECIPES,
    metrics: str | Metric | Sequence[str | Metric] = METRICS,
    *,
    measures: Sequence[str] | None = None,
    retriever: Retriever | None = None,
    options: RecipeOptions | None = None,
    topic_reference: int | None = None,
    metric_reference: int | None = None,
    language: str | None = None,
    cutoff: int = CUTOFF,
    run: Run = PLAIN,
) -> RetrievalResult:
    """Build, run and score the tests of a test set, score its systems by MT metrics, and explain what was missed."""
    built = build_retrieval(
        evaluation, recipes, options=options, topic_reference=topic_reference, metric_reference=metric_reference,
        language=language, retriever=retriever, run=run,
    )  # fmt: skip
    return carried_out([run_retrieval(test, retriever, run=run) for test in built], metrics, measures, cutoff, run)


def carried_out(
    tests: Sequence[RetrievalTest],
    metrics: str | Metric | Sequence[str | Metric] | None,
    measures: Sequence[str | Retrieval] | None = None,
    cutoff: int = CUTOFF,
    run: Run = PLAIN,
) -> RetrievalResult:
    """What comes of tests that have been run; without metrics or their texts, measures alone."""
    whole = metrics is not None and tests[0].given is not None and not tests[0].translated
    return RetrievalResult(
        tests=tuple(tests),
        evaluations=tuple(score_retrieval(test, measures, run=run) for test in tests),
        metrics=metric_scores(tests[0], metrics, run=run) if whole and metrics is not None else None,
        explanations=tuple(
            explain_retrieval(test, cutoff=cutoff, run=run) if test.given is not None and not test.translated else None
            for test in tests
        ),
        retriever=tests[0].retriever or Retriever(),
    )
