"""Topics and what is relevant to them, made from the documents of a reference by a recipe.

known-item  K queries of M terms for every document, from its terms of highest tf-idf, dealt out one by one (query 1
            gets the 1st, the K+1st, ...); the document is what the query looks for (Azzopardi et al. 2007)
term        every term that is in few documents, but in more than one, is a query; these documents are relevant
pseudo      the queries of known-item; the ranking of the reference's documents is the truth, its first documents
            are relevant (Lignos et al. 2019)
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from tertium.core.errors import InputError, OptionError
from tertium.retrieval.rankings import Ranking, Relevance, from_mapping
from tertium.text.terms import TermReader

Recipe = Literal["known-item", "term", "pseudo", "own"]
RECIPES: tuple[Recipe, ...] = get_args(Recipe)[:3]  # `own`: topics and judgements from files


@dataclass(frozen=True, kw_only=True)
class RecipeOptions:
    """The numbers of the recipes."""

    queries: int = 3  # known-item and pseudo: for each document
    terms: int = 3  # of each of these queries
    fewest: int = 2  # term: documents that have it
    most: int = 10
    relevant: int = 10  # pseudo: so many first documents of the true ranking

    def __post_init__(self) -> None:
        for name in ("queries", "terms", "fewest", "most", "relevant"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}: {getattr(self, name)}; must be at least 1")
        if self.fewest > self.most:
            raise OptionError(f"a term is in {self.fewest} to {self.most} documents: the second must not be smaller")


@dataclass(frozen=True, eq=False, kw_only=True)
class Topics:
    """Queries by id, in their order."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)


def known_items(
    texts: Sequence[str], ids: Sequence[str], read: TermReader, options: RecipeOptions
) -> tuple[Topics, Relevance]:
    """Queries that look for one document each. One to which fewer terms were dealt than it should have is not asked."""
    counts, forms = _counted(texts, read)
    inside = Counter(term for count in counts for term in count)
    names, queries, wanted = [], [], dict[str, dict[str, float]]()
    for document, count, form in zip(ids, counts, forms, strict=True):
        weight = {term: f * math.log(len(texts) / inside[term]) for term, f in count.items()}
        best = sorted(weight, key=lambda term: (-weight[term], term))[: options.queries * options.terms]
        for k in range(options.queries):
            if len(dealt := best[k :: options.queries]) < options.terms:
                break
            name = f"{document}.{k + 1}"
            names.append(name)
            queries.append(" ".join(_usual(form[term]) for term in dealt))
            wanted[name] = {document: 1.0}
    return _checked(names, queries, wanted, ids, "known-item")


def term_topics(
    texts: Sequence[str], ids: Sequence[str], read: TermReader, options: RecipeOptions
) -> tuple[Topics, Relevance]:
    """Queries of one term, in the order of the alphabet."""
    counts, forms = _counted(texts, read)
    inside: dict[str, list[str]] = defaultdict(list)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for document, count, form in zip(ids, counts, forms, strict=True):
        for term in count:
            inside[term].append(document)
            written[term].update(form[term])
    chosen = sorted(term for term, own in inside.items() if options.fewest <= len(own) <= options.most)
    queries = [_usual(written[term]) for term in chosen]
    return _checked(chosen, queries, {term: dict.fromkeys(inside[term], 1.0) for term in chosen}, ids, "term")


def pseudo_relevance(truth: Ranking, options: RecipeOptions) -> Relevance:
    """The first documents of the true ranking."""
    firsts = {
        topic: dict.fromkeys(list(truth.named(k))[: options.relevant], 1.0) for k, topic in enumerate(truth.topics)
    }
    return from_mapping(Relevance, firsts, truth.documents)


def _counted(texts: Sequence[str], read: TermReader) -> tuple[list[Counter[str]], list[dict[str, Counter[str]]]]:
    """Of each document how often it has each term, and in which forms."""
    counts, forms = [], []
    for text in texts:
        form: dict[str, Counter[str]] = defaultdict(Counter)
        for word in read.words(text):
            if (term := read.term(word)) is not None:
                form[term][word.casefold()] += 1
        counts.append(Counter({term: own.total() for term, own in form.items()}))
        forms.append(form)
    return counts, forms


def _usual(forms: Counter[str]) -> str:
    """The most frequent form; of several, the first in the alphabet."""
    return min(forms, key=lambda form: (-forms[form], form))


def _checked(
    names: Sequence[str], queries: Sequence[str], wanted: dict[str, dict[str, float]], ids: Sequence[str], recipe: str
) -> tuple[Topics, Relevance]:
    if not names:
        raise InputError(
            f"recipe {recipe} finds no topic in {len(ids)} documents of the reference: they are too few, or too short"
        )
    return Topics(ids=tuple(names), texts=tuple(queries)), from_mapping(Relevance, wanted, ids)
