"""Sentinels: scores that see too little to judge a translation (after Perrella et al. 2024).

One sees the length of the output, one only the source, one only the reference. Whatever agreement with people they
reach, a metric can reach without looking at the translation; a metric that is no closer to people has shown nothing.

They are ridge regressions on people's scores, and nothing is judged by what it was fitted to: documents are dealt into
folds, and the scores of a fold are predicted from the other folds alone, which also choose the ridge. Normal equations
add up over folds, so leaving out is subtracting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.inference import join
from tertium.meta.arrays import Scores, Tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

PREFIX = "sentinel: "
LENGTH, SOURCE, REFERENCE = (f"{PREFIX}{what}" for what in ("output length", "source", "reference"))
SEES = {
    LENGTH: "how long the output is, in characters and words",
    SOURCE: "the source alone",
    REFERENCE: "the reference alone",
}
FOLDS = 5
FEWEST = 50  # judged segments, below which nothing is learned from them
RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0)  # times the number of scores
BUCKETS = 128  # into which character trigrams fall
LONGEST = 20_000  # characters of a text that are looked at


@dataclass(frozen=True, eq=False, kw_only=True)
class Sentinels:
    """The sentinels of a test set, and how they were made."""

    scores: tuple[Scores, ...]
    folds: int
    by: str  # documents, or blocks of segments

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(scores.name for scores in self.scores)


def is_sentinel(name: str) -> bool:
    """Whether it is one's name."""
    return name.startswith(PREFIX)


def sentinels(evaluation: Evaluation, tables: Tables) -> Sentinels:
    """The sentinels that the texts allow, on the systems that people judged."""
    import numpy as np

    testset, gold = evaluation.testset, tables.gold.segments
    judged = ~np.isnan(gold)
    segments = int(judged.any(axis=0).sum())
    if segments < FEWEST:
        raise InputError(
            f"test set {testset.name}: people judged {counted(segments, 'segment')}; sentinels are fitted to at least "
            f"{FEWEST}"
        )
    if not evaluation.has_texts:
        raise InputError(f"test set {testset.name}: saved without its texts, which sentinels look at")
    fold, by = folds(testset, judged.sum(axis=0))
    weights = judged.sum(axis=0).astype(float)
    means = np.where(weights > 0, np.nansum(gold, axis=0) / np.maximum(weights, 1), 0.0)
    outputs = {system.name: system.outputs for system in evaluation.systems}
    rows = [_by_length([outputs[name] for name in tables.systems], gold, fold)]
    found = [Scores(name=LENGTH, corpus=join.means(rows[0]), segments=rows[0])]
    for name, texts in ((SOURCE, _sources(testset)), (REFERENCE, _references(testset))):
        if texts is not None:
            told = cross_fitted(text_features(texts), means, weights, fold)
            whole = np.broadcast_to(told, gold.shape).copy()  # the same of all systems: nothing is said of them
            found.append(Scores(name=name, corpus=np.full(len(gold), np.nan), segments=whole))
    return Sentinels(scores=tuple(found), folds=int(fold.max()) + 1, by=by)


def of_systems(sentinel: Scores) -> Scores:
    """What scores say of systems: a sentinel nothing where it gives all of them the same score."""
    import numpy as np

    if not (is_sentinel(sentinel.name) and np.isnan(sentinel.corpus).all()):
        return sentinel
    return Scores(name=sentinel.name, corpus=sentinel.corpus, segments=np.full(sentinel.segments.shape, np.nan))


def folds(testset: TestSet, sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], str]:
    """The fold of every segment, by how often each was judged: whole documents, the largest first, into the smallest
    fold; where fewer than two were judged, blocks of judged segments that follow each other. # (n,)"""
    import numpy as np

    names, group = ([], np.zeros(len(testset), int)) if testset.documents is None else testset.by_document()
    judged = np.bincount(group, weights=sizes, minlength=len(names))
    if np.count_nonzero(judged[: len(names)]) < 2:
        n, place = int(np.count_nonzero(sizes)), np.maximum(np.cumsum(sizes > 0) - 1, 0)
        return place * min(FOLDS, n) // max(1, n), "blocks of segments"
    held, place = np.zeros(min(FOLDS, len(names))), np.empty(len(names), dtype=np.int64)
    for document in np.argsort(-judged, kind="stable"):
        place[document] = int(np.argmin(held))
        held[place[document]] += judged[document] + 1e-9  # documents that nobody judged are spread, too
    return place[group], "documents"


def _sources(testset: TestSet) -> list[str] | None:
    return None if testset.sources is None else [text or "" for text in testset.sources]


def _references(testset: TestSet) -> list[str] | None:
    """The first reference of each segment."""
    texts = [references[0] if references else "" for references in testset.references]
    return texts if any(texts) else None


def lengths(texts: Sequence[str]) -> Array:
    """Logarithms of the numbers of characters and words, and their powers. # (n, 6)"""
    import numpy as np

    counts = np.log1p([[len(text), len(text.split())] for text in texts]).reshape(-1, 2)
    return np.concatenate([counts, counts**2, counts**3], axis=1)


def text_features(texts: Sequence[str]) -> Array:
    """Lengths, and how often character trigrams occur, by a hash of their code points. # (n, k)"""
    import numpy as np

    found = np.zeros((len(texts), BUCKETS))
    for k, text in enumerate(texts):
        codes = np.frombuffer(f"  {text[:LONGEST].lower()} ".encode("utf-32-le", "replace"), dtype="<u4")
        codes = codes.astype(np.uint64)
        mixed = (codes[:-2] * 2654435761 + codes[1:-1] * 40503 + codes[2:] * 97) & 0xFFFFFFFF
        counts = np.bincount((mixed * 2246822519 & 0xFFFFFFFF) >> 25, minlength=BUCKETS)
        found[k] = np.log1p(counts)
    return np.concatenate([lengths(texts), found], axis=1)


def _by_length(outputs: Sequence[Lines], gold: Array, fold: NDArray[np.int64]) -> Array:
    """Predicted from each output's length; NaN where there is no output. # (systems, segments)"""
    import numpy as np

    texts = [text for lines in outputs for text in lines]
    there = np.array([text is not None for text in texts])
    known = ~np.isnan(gold.ravel()) & there
    targets = np.where(known, gold.ravel(), 0.0)
    told = cross_fitted(
        lengths([text or "" for text in texts]), targets, known.astype(float), np.tile(fold, len(outputs))
    )
    return np.where(there, told, np.nan).reshape(gold.shape)


def cross_fitted(features: Array, targets: Array, weights: Array, fold: NDArray[np.int64]) -> Array:
    """A prediction of each target by a ridge regression on the other folds, whose ridge is the one of which the squared
    errors on each of them, predicted from the rest, are smallest. # (n, k), (n,), (n,), (n,) -> (n,)"""
    import numpy as np

    spread = features.std(axis=0)
    scaled = (features - features.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0)  # people's scores take no part
    rows = np.concatenate([np.ones((len(scaled), 1)), scaled], axis=1)
    parts = [fold == k for k in range(int(fold.max()) + 1)]
    squares = np.stack([(rows[part] * weights[part, None]).T @ rows[part] for part in parts])
    products = np.stack([(rows[part] * weights[part, None]).T @ targets[part] for part in parts])
    lengths_of = np.array([float(weights[part] @ targets[part] ** 2) for part in parts])
    errors = np.zeros((len(parts), len(RIDGES)))  # of predictions without the fold, of the rest

    def fitted(left_out: list[int]) -> Array:
        kept = [k for k in range(len(parts)) if k not in left_out]
        return _solve(squares[kept].sum(axis=0), products[kept].sum(axis=0))  # (ridges, k)

    for one in range(len(parts)):
        for other in range(one):
            solved = fitted([one, other])
            for held, outer in ((one, other), (other, one)):
                fit = np.einsum("ri,ij,rj->r", solved, squares[held], solved)
                errors[outer] += fit - 2 * solved @ products[held] + lengths_of[held]
    told = np.empty(len(rows))
    for k, part in enumerate(parts):
        told[part] = rows[part] @ fitted([k])[int(np.argmin(errors[k]))]
    return told


def _solve(squares: Array, products: Array) -> Array:
    """The regressions of all ridges; the constant is not held small. # (k, k), (k,) -> (ridges, k)"""
    import numpy as np

    total = squares[0, 0]
    if total <= 0:
        return np.zeros((len(RIDGES), len(products)))
    centre, constant = squares[0, 1:] / total, products[0] / total
    inner = squares[1:, 1:] - total * np.outer(centre, centre)
    values, vectors = np.linalg.eigh(inner)
    along = vectors.T @ (products[1:] - total * centre * constant)
    slopes = np.stack([vectors @ (along / (np.maximum(values, 0.0) + ridge * total)) for ridge in RIDGES])
    return np.concatenate([(constant - slopes @ centre)[:, None], slopes], axis=1)
