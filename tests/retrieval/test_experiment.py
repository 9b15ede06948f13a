"""From a test set to topics, rankings, scores, correlations and explained misses."""

import dataclasses
from pathlib import Path

import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.given import unscored_rows
from tertium.core.lines import Lines
from tertium.core.testset import References
from tertium.meta.correlate import correlate
from tertium.retrieval.correlate import GOLD
from tertium.retrieval.experiment import choose_references
from tertium.retrieval.explain import beside
from tertium.retrieval.metric import Retrieval, TopicEvaluation
from tertium.retrieval.result import RetrievalResult
from tertium.retrieval.topics import RecipeOptions, known_items, term_topics
from tertium.text.terms import TermReader

pytest.importorskip("bm25s")
EXAMPLE = Path(__file__).parents[2] / "examples" / "retrieval" / "testset.toml"


@pytest.fixture(scope="module")
def given() -> tt.Evaluation:
    return tt.read_testset(EXAMPLE)


@pytest.fixture(scope="module")
def result(given: tt.Evaluation) -> RetrievalResult:
    return tt.retrieve(given, metrics="bleu,ter")


# Topics


def test_known_items_are_dealt_out_in_turn() -> None:
    texts = ["ferry ferry ferry harbour harbour storm wave", "meadow", "storm"]
    options = RecipeOptions(queries=2, terms=2)
    topics, relevance = known_items(texts, ["sea", "land", "sky"], TermReader("en"), options)
    # tf-idf: ferry 3 ln 3, harbour 2 ln 3, wave ln 3, storm ln 1.5; one term is no query
    assert dict(zip(topics.ids, topics.texts, strict=True)) == {"sea.1": "ferry wave", "sea.2": "harbour storm"}
    assert relevance.named(0) == {"sea": 1.0}


def test_a_query_that_gets_fewer_terms_is_not_asked() -> None:
    texts = ["ferry ferry ferry harbour harbour wave", "meadow", "storm"]
    topics, _ = known_items(texts, ["sea", "land", "sky"], TermReader("en"), RecipeOptions(queries=2, terms=2))
    assert topics.texts == ("ferry wave",)


def test_terms_in_some_documents_are_topics_in_their_most_frequent_form() -> None:
    texts = ["ferries ferry storm", "ferries bee", "bee storm", "storm"]
    topics, relevance = term_topics(texts, list("abcd"), TermReader("en"), RecipeOptions(fewest=2, most=2))
    assert dict(zip(topics.ids, topics.texts, strict=True)) == {"bee": "bee", "ferri": "ferries"}
    assert [list(relevance.named(k)) for k in range(2)] == [["b", "c"], ["a", "b"]]


def test_no_topics_in_documents_that_are_too_short() -> None:
    with pytest.raises(InputError, match=r"^recipe term finds no topic in 2 documents of the reference"):
        term_topics(["ferry", "storm"], ["a", "b"], TermReader("en"), RecipeOptions())


@pytest.mark.parametrize(("options", "said"), [
    ({"queries": 0}, "queries: 0; must be at least 1"),
    ({"fewest": 5, "most": 2}, "a term is in 5 to 2 documents: the second must not be smaller"),
])  # fmt: skip
def test_options_of_recipes(options: dict[str, int], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        RecipeOptions(**options)


# References


def test_topics_and_metrics_read_different_references(given: tt.Evaluation) -> None:
    testset = given.testset
    assert choose_references(testset, None, None) == (1, 0)
    assert choose_references(testset, 1, None) == (0, 1)
    assert choose_references(testset, None, 2) == (0, 1)
    assert choose_references(testset, 1, 1) == (0, 0)
    with pytest.raises(OptionError, match=r"^topics: there is no reference 3; test set harbour-village has 1 to 2$"):
        choose_references(testset, 3, None)


def test_an_incomplete_reference_is_left_alone() -> None:
    town = tt.read_testset(EXAMPLE.parents[1] / "testset.toml")
    [test] = tt.build_retrieval(town, "term")
    assert (test.topic_reference, test.metric_reference, test.same_reference) == (0, 0, True)
    assert test.notes[0].startswith("reference 2 lacks 48 of 96 segments; it is not used for topics or metrics")


def test_a_test_set_needs_references_and_documents(given: tt.Evaluation) -> None:
    bare = dataclasses.replace(given.testset, references=References((), 24))
    with pytest.raises(InputError, match=r"^test set harbour-village has no reference, and topics come from one"):
        tt.build_retrieval(dataclasses.replace(given, testset=bare))
    loose = dataclasses.replace(given.testset, documents=None)
    with pytest.raises(InputError, match=r"^test set harbour-village has no documents; name them"):
        tt.build_retrieval(dataclasses.replace(given, testset=loose))


def test_documents_of_one_id_are_refused(given: tt.Evaluation) -> None:
    names = ["a b" if name == "ferry" else "a_b" if name == "hives" else name for name in given.testset.documents or ()]
    same = dataclasses.replace(given.testset, documents=tuple(names))
    with pytest.raises(InputError, match=r"^test set harbour-village: 2 documents are called a_b; ids must differ$"):
        tt.build_retrieval(dataclasses.replace(given, testset=same))


def test_empty_documents_and_missing_segments(given: tt.Evaluation) -> None:
    lines = [None if k == 0 else "" if k == 1 else text for k, text in enumerate(given.systems[2].outputs)]
    hollow = tt.System(name="hollow", outputs=Lines.of(lines))
    [test] = tt.build_retrieval(dataclasses.replace(given, systems=(hollow,)), "term")
    assert test.notes == ("hollow: 1 of 12 documents is empty and cannot be found",)
    run = tt.run_retrieval(test)
    assert all("lighthouse-windows" not in run.rankings["hollow"].named(k) for k in range(len(test.topics)))


def test_a_system_may_not_be_called_source(given: tt.Evaluation) -> None:
    taken = dataclasses.replace(given, systems=(tt.System(name="source", outputs=given.systems[0].outputs),))
    with pytest.raises(InputError, match=r"^a system is called 'source', as the collection beside it"):
        tt.build_retrieval(taken)


# The example: the system that leaves words untranslated loses exactly the queries on those words


def test_the_example_loses_exactly_the_queries_on_its_untranslated_words(given: tt.Evaluation) -> None:
    test = tt.run_retrieval(tt.build_retrieval(given, "term")[0])
    found = tt.score_retrieval(test, ["AP"])
    values = {(score.system, score.segment): score.value for score in found.scores("segment")}
    lost = {topic for topic in test.topics.ids if values["gaps", topic] < values["steady", topic]}
    assert lost == {"lighthous", "beekeep", "brass", "band", "market", "squar"}
    assert {values["gaps", topic] for topic in lost} == {0.0}
    assert {values["gaps", topic] for topic in set(test.topics.ids) - lost} == {1.0}


def test_explain_says_so(given: tt.Evaluation) -> None:
    test = tt.run_retrieval(tt.build_retrieval(given, "term")[0])
    explained = tt.explain_retrieval(test)
    assert explained.shares()["gaps"] == {"untranslated": 13, "translated otherwise": 0, "dropped": 0, "outranked": 0}
    words = {(miss.word.lower(), miss.instead) for miss in explained.misses if miss.system == "gaps"}
    assert words == {
        ("lighthouse", "Leuchtturm"), ("beekeeper", "Imkerin"), ("brass", "Blaskapelle"), ("band", "Blaskapelle"),
        ("market", "Marktplatz"), ("square", "Marktplatz"),
    }  # fmt: skip
    otherwise = {(miss.word, miss.instead) for miss in explained.misses if miss.system == "synonym"}
    assert otherwise == {("harbour", "port"), ("storm", "gale"), ("brook", "stream"), ("bank", "shore"),
                         ("captain", "skipper"), ("child", "kid")}  # fmt: skip
    for miss in explained.misses:  # the segment is one where the reference has the word
        assert miss.segment is not None
        assert miss.word in str(given.testset.references.streams[1][miss.segment - 1])
    assert explained.lost_documents("steady") == 0
    assert explained.shares()["brief"]["dropped"] > explained.shares()["brief"]["translated otherwise"]


def test_words_are_there_and_other_documents_rank_higher() -> None:
    testset = tt.TestSet(
        segments=2, documents=("a", "b"), target_language="en",
        references=References((Lines.of(["ferry ferry storm", "ferry wave rock sand"]),), 2),
    )  # fmt: skip
    system = tt.System(name="s", outputs=Lines.of(["ferry storm wind rain cloud", "ferry ferry ferry"]))
    [test] = tt.build_retrieval(tt.Evaluation(testset=testset, systems=(system,)), "term")
    [miss] = tt.explain_retrieval(tt.run_retrieval(test), cutoff=1).misses
    assert (miss.topic, miss.document, miss.rank, miss.reason) == ("ferri", "a", 2, "outranked")


@pytest.mark.parametrize(
    ("output", "reference", "at", "expected"),
    [
        ("a x c", "a b c", 1, ([1], [1])),
        ("a c", "a b c", 1, ([], [])),
        ("a x y c", "a b c", 1, None),
        ("", "a b c", 1, ([], [])),
    ],
)
def test_what_stands_beside_a_word(
    output: str, reference: str, at: int, expected: tuple[list[int], list[int]] | None
) -> None:
    paired, around = beside(output.split(), reference.split(), at)
    if expected is None:
        assert around == [1, 2]
        assert set(paired) < {1, 2}
    else:
        assert (paired, around) == expected


# Scores are rows of the common seam


def test_topics_are_segments_and_get_intervals_and_tests(given: tt.Evaluation) -> None:
    found = tt.score_retrieval(tt.run_retrieval(tt.build_retrieval(given, "term")[0]), ["AP", "AQWV"])
    assert isinstance(found, TopicEvaluation)
    assert len(found.testset) == 28
    [score] = [s for s in tt.scores(found, confidence=0.95) if (s.system, s.metric) == ("gaps", "retrieval")]
    assert score.interval is not None
    assert score.interval.low < score.value < score.interval.high
    assert score.signature.startswith("retrieval|recipe:term|retriever:bm25|k1:1.5|b:0.75|depth:1000|lang:en|")
    [pair] = [c for c in tt.compare(found, "retrieval", baseline="steady") if c.system == "brief"]
    assert (pair.n, pair.verdict) == (28, "worse")
    aqwv = 'retrieval(measure="AQWV")'
    assert found.stats("gaps", aqwv).columns == ("missed", "with_relevant", "false_alarms", "with_others")
    assert tt.compare(found, aqwv, baseline="steady")[0].n == 28


def test_a_measure_of_rankings_needs_rankings(given: tt.Evaluation) -> None:
    with pytest.raises(InputError, match=r"^retrieval is a measure of rankings, and test set harbour-village has none"):
        tt.add_metrics(given, "retrieval")


def test_a_system_without_rows_of_several_columns_is_not_scored() -> None:
    rows = unscored_rows(3, ("a", "b", "c"))
    assert (rows.n, rows.width, len(rows)) == (0, 3, 3)


def test_rbo_needs_a_true_ranking(given: tt.Evaluation) -> None:
    test = tt.run_retrieval(tt.build_retrieval(given, "term")[0])
    with pytest.raises(OptionError, match=r"^RBO\(0\.9\) compares rankings, and these topics have no true one"):
        tt.score_retrieval(test, ["RBO(0.9)"])


def test_nothing_is_scored_or_explained_before_it_is_searched(given: tt.Evaluation) -> None:
    [test] = tt.build_retrieval(given, "term")
    for step in (tt.score_retrieval, tt.explain_retrieval):
        with pytest.raises(OptionError, match=r"^there is no ranking to (score|explain); search first"):
            step(test)


# All of it


def test_the_reference_of_the_topics_is_best_and_the_source_worst(result: RetrievalResult) -> None:
    for test, evaluation in zip(result.tests, result.evaluations, strict=True):
        first = str(evaluation.metrics[0])
        values = {score.system: score.value for score in evaluation.scores() if score.metric == first}
        assert values["reference 2"] == max(values.values())
        assert values["source"] < 0.1 < min(values[name] for name in test.systems)


def test_correlations_are_those_of_meta(result: RetrievalResult) -> None:
    table = tt.correlate_retrieval([result])
    assert (table.gold, table.metrics, table.group_names) == (GOLD, ("BLEU", "TER"), ("measure", "test set"))
    assert table.lower == frozenset({"TER"})
    cells = correlate(table, "pearson")
    assert {cell.n for cell in cells} == {4}  # neither ceiling nor floor is a system
    assert len(cells) == 5 * 2
    bleu = {score.system: score.value for score in result.metrics.scores() if score.metric == "bleu"}
    assert table.columns["BLEU"][:4].tolist() == [bleu[name] for name in ("brief", "gaps", "steady", "synonym")]


def test_metrics_read_the_other_reference(given: tt.Evaluation, result: RetrievalResult) -> None:
    first = References(given.testset.references.streams[:1], 24)
    alone = tt.evaluate(dataclasses.replace(given.testset, references=first), given.systems, "bleu")
    expected = {score.system: score.value for score in alone.scores()}
    assert {s.system: s.value for s in result.metrics.scores() if s.metric == "bleu"} == expected


def test_measures_are_values() -> None:
    assert tt.parse('retrieval(measure="nDCG@10")') == Retrieval(measure="nDCG@10")
    assert str(Retrieval(measure="AQWV", beta=20.0)) == 'retrieval(measure="AQWV", beta=20.0)'
