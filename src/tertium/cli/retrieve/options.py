"""What commands of `tertium retrieve` have in common: how topics are made, how documents are searched, the output."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from tertium.cli.output import Sheets, write
from tertium.cli.pages import page_option
from tertium.cli.parameters import option
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.cli.values import words
from tertium.core.errors import OptionError
from tertium.core.table import Table
from tertium.core.version import VERSION
from tertium.io import tables
from tertium.retrieval.experiment import RetrievalTest, build_retrieval
from tertium.retrieval.search import DEPTH, METHODS, Retriever
from tertium.retrieval.topics import RECIPES, RecipeOptions
from tertium.text.bm25 import K1, B

USUAL = RecipeOptions()
WORK = 30  # a document to be indexed is about as much work as so many segments to be counted


@dataclass(frozen=True, kw_only=True)
class TopicOptions:
    """How topics are made from a reference."""

    recipes: tuple[str, ...] = option("--recipe", multiple=True, metavar="NAME",
                                      help=f"{', '.join(RECIPES)}; repeat or use commas. [default: all]")  # fmt: skip
    topic_reference: int | None = option("--topic-reference", type=click.IntRange(1), metavar="N",
                                         help="The reference from which topics come. [default: the second, if there "
                                         "is one]")  # fmt: skip
    metric_reference: int | None = option("--metric-reference", type=click.IntRange(1), metavar="N",
                                          help="The reference that MT metrics read. [default: another than that of "
                                          "topics, if there is one]")  # fmt: skip
    queries: int = option("--queries-per-document", type=click.IntRange(1), default=USUAL.queries, show_default=True,
                          help="known-item and pseudo: queries for each document.")  # fmt: skip
    terms: int = option("--terms", type=click.IntRange(1), default=USUAL.terms, show_default=True,
                        help="known-item and pseudo: terms of each query.")  # fmt: skip
    df: str = option("--df", default=f"{USUAL.fewest},{USUAL.most}", show_default=True, metavar="LOW,HIGH",
                     help="term: in how many documents a term must be.")  # fmt: skip
    relevant: int = option("--relevant", type=click.IntRange(1), default=USUAL.relevant, show_default=True,
                           help="pseudo: so many first documents of the true ranking are relevant.")  # fmt: skip
    language: str | None = option("--language", metavar="CODE",
                                  help="The language of queries. [default: the test set's target language]",
                                  )  # fmt: skip

    def recipe_options(self) -> RecipeOptions:
        """The numbers of the recipes."""
        try:
            low, high = (int(word) for word in self.df.split(","))
        except ValueError:
            raise OptionError(f"--df {self.df}: write two whole numbers, such as 2,10") from None
        return RecipeOptions(
            queries=self.queries, terms=self.terms, fewest=low, most=high, relevant=self.relevant
        )  # fmt: skip

    def build(self, given: Any, run: Any, retriever: Retriever | None = None) -> tuple[RetrievalTest, ...]:
        """The tests of a test set; what is relevant to `pseudo` is found by the usual search, or by another."""
        return build_retrieval(
            given, self.recipes or RECIPES, options=self.recipe_options(), topic_reference=self.topic_reference,
            metric_reference=self.metric_reference, language=self.language, retriever=retriever, run=run,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How documents are searched."""

    method: Any = option("--retriever", type=click.Choice(METHODS), default="bm25", show_default=True,  # noqa: RUF009
                         help="BM25, or cosines of sentence vectors (tertium[encoder]).")  # fmt: skip
    k1: float = option("--k1", type=click.FloatRange(0), default=K1, show_default=True,
                       help="BM25: how soon more of a word says no more.")  # fmt: skip
    b: float = option("--b", type=click.FloatRange(0, 1), default=B, show_default=True,
                      help="BM25: how far long documents are held back.")  # fmt: skip
    depth: int = option("--depth", type=click.IntRange(1), default=DEPTH, show_default=True,
                        help="Documents of a ranking.")  # fmt: skip

    def retriever(self) -> Retriever:
        """As a value."""
        return Retriever(method=self.method, k1=self.k1, b=self.b, depth=self.depth)


measures_option = click.option(
    "--measures", multiple=True, metavar="NAME",
    help="Such as AP, RR, P@10, R@100, nDCG@10, 'RBO(0.9)', AQWV, mAQWV; repeat or use commas. [default: what suits "
    "the topics]",
)  # fmt: skip


def read_measures(given: Sequence[str]) -> list[str] | None:
    """The measures that are named; None for the usual ones."""
    return words(*given) or None


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is written, and where."""
    for add in reversed(
        (
            click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]),
                         default="text", show_default=True,
                         help="How the tables are printed; xlsx goes to a file (-o NAME.xlsx)."),
            click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables."),
            click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen."),
            page_option,
        )
    ):  # fmt: skip
        command = add(command)
    return command


def write_tables(
    said: Sequence[str],
    shown: Sequence[Table],
    data: Mapping[str, Table],
    form: str,
    width: int | None,
    output: str | None,
    **facts: Any,
) -> None:
    """Sentences and tables for people; for programs the data at full precision, as CSV the first table of them, and
    in Excel both, a sheet for each."""
    wide = room(output)
    text: str | Sheets
    if form == "json":
        found = {name: tables.objects(rows) for name, rows in data.items()}
        text = json.dumps({"tertium": VERSION, **facts, **found}, ensure_ascii=False, indent=1)
    elif form == "csv":
        text = tables.csv(next(iter(data.values())))
    elif form == "xlsx":
        rows = [replace(table, title=f"{name.capitalize()}, one in each row") for name, table in data.items()]
        text = Sheets([*shown, *rows], said)
    elif form == "markdown":
        text = "\n\n".join([*said, tables.markdown(shown, width)])
    else:
        sentences = [tables.wrapped(sentence, wide) for sentence in said]
        parts = ["\n".join(sentences), tables.text(shown, width, wide or tables.WIDEST)]
        text = "\n\n".join(part for part in parts if part)
    write(text, output)


def work_of(tests: Sequence[RetrievalTest]) -> int:
    """How much there is to search, in segments."""
    return sum(WORK * len(test.documents) * max(1, len(test.collections)) for test in tests)
