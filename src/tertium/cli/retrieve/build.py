"""`tertium retrieve build`: topics, judgements and collections in a folder."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tertium.cli.output import write_notes
from tertium.cli.parameters import parameters
from tertium.cli.progress import working
from tertium.cli.retrieve.options import WORK, TopicOptions
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.wording import counted
from tertium.io import trec
from tertium.io.files import read_lines
from tertium.io.testset import read_testset
from tertium.retrieval.experiment import RetrievalTest, own_test
from tertium.retrieval.folder import write_built
from tertium.retrieval.rankings import Relevance, from_mapping
from tertium.retrieval.topics import Topics


@click.command("build")
@click.argument("testset", metavar="TESTSET")
@click.option("--folder", required=True, metavar="DIR", help="Where the test is written.")
@parameters(TopicOptions, "making")
@click.option(
    "--topics", metavar="FILE", help="Your own queries in the target language: TREC's topics, or id TAB query."
)
@click.option("--qrels", metavar="FILE", help="Your own judgements: topic, iteration, document, grade.")
@click.option("--queries", "source_queries", metavar="FILE",
              help="Your own queries in the source language, for query translation; with --query-hyp.")  # fmt: skip
@click.option("--query-hyp", "query_hyps", multiple=True, metavar="NAME=FILE",
              help="A system's translation of the queries, one per line; repeat for more systems.")  # fmt: skip
def build_command(
    testset: str,
    folder: str,
    making: TopicOptions,
    topics: str | None,
    qrels: str | None,
    source_queries: str | None,
    query_hyps: tuple[str, ...],
) -> None:
    """Make topics and collections from a test set.

    tertium retrieve build testset.toml --folder retrieval. The test set must have documents. Topics come from a
    reference, or are your own: --topics and --qrels.
    """
    given = read_testset(testset)
    if topics or qrels or source_queries or query_hyps:
        tests: Sequence[RetrievalTest] = [_own(given, making, topics, qrels, source_queries, query_hyps)]
    else:
        with working(size=WORK * len(given.testset)) as run:
            tests = making.build(given, run)
    write_built(folder, tests, testset)
    for test in tests:
        relevant = counted(int(test.relevance.counts.sum()), "relevant document")
        click.echo(f"{test.recipe}: {counted(len(test.topics), 'topic')}, {relevant}")
    click.echo(
        f"{counted(len(tests[0].documents), 'document')} in {counted(len(tests[0].collections), 'collection')}; "
        f"next: tertium retrieve run {folder}"
    )
    write_notes(tests[0].notes)


def _own(
    given: Evaluation,
    making: TopicOptions,
    topics: str | None,
    qrels: str | None,
    source_queries: str | None,
    query_hyps: Sequence[str],
) -> RetrievalTest:
    if making.recipes:
        raise OptionError("--recipe makes topics; leave it out where you bring your own")
    if qrels is None or (topics is None and source_queries is None):
        raise OptionError("your own topics need --topics (or --queries and --query-hyp) and --qrels, which judges them")
    if bool(source_queries) != bool(query_hyps):
        raise OptionError("--queries are translated by --query-hyp NAME=FILE: give both")
    relevance = from_mapping(Relevance, trec.read_qrels(qrels))
    own = None if topics is None else _topics(topics)
    if source_queries is None and own is not None:
        return own_test(given, own, relevance, where=qrels, language=making.language,
                        metric_reference=making.metric_reference)  # fmt: skip
    source = _topics(str(source_queries))
    if own is not None and set(own.ids) != set(source.ids):
        raise InputError(f"{topics}: other topics than in {source_queries}; ids must be the same")
    translated = {"source": source, **({} if own is None else {"topics": own})}
    for spec in query_hyps:
        name, queries = _translated(spec, source, str(source_queries))
        if name in translated:
            raise InputError(f"--query-hyp {spec}: the name {name} is taken; choose another")
        translated[name] = queries
    return own_test(given, own or source, relevance, where=qrels, language=making.language, translated=translated)


def _topics(path: str) -> Topics:
    found = trec.read_topics(path)
    return Topics(ids=tuple(found), texts=tuple(found.values()))


def _translated(spec: str, source: Topics, where: str) -> tuple[str, Topics]:
    name, equals, file = spec.partition("=")
    if not (name and equals and file):
        raise OptionError(f"--query-hyp {spec}: write NAME=FILE")
    lines = read_lines(file)
    if len(lines) != len(source):
        raise InputError(f"{file}: {counted(len(lines), 'line')}, but {where} has {counted(len(source), 'query')}")
    return name, Topics(ids=source.ids, texts=tuple(line or "" for line in lines))
