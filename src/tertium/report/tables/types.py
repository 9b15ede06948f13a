"""Types as tables: of one system, and of two side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.analysis.types import TypeScore, select_types
from tertium.core.evaluation import Evaluation
from tertium.core.table import Column, Rows, Table, chances, numbers, texts

if TYPE_CHECKING:
    from tertium.analysis.contrast import TypeContrast, TypePair

# Columns of types as the field writes them, and what they are called here.
TYPE = {"type": "type", "refs": "references", "preds": "outputs", "match": "matches",
        "precision": "precision", "recall": "recall", "f": "f"}  # fmt: skip
NGRAM = {"n": "order", "ngram": "ngram", "refs": "references", "preds": "outputs", "match": "matches",
         "excess": "excess"}  # fmt: skip
CONTRASTS = ("buckets", "types", "gained", "lost", "curve", "ngrams")  # tables of two systems
USUAL = ("buckets", "types", "curve")  # of them, where nobody says which
RATES = {"precision": "P", "recall": "R", "f": "F"}
TESTED = "p: paired permutation test of the difference in F; of the number of types where they are only in the output;"
COUNTS = "refs, preds, match: how often references have a type, outputs, and both."


def type_table(rows: Iterable[TypeScore], title: str = "", **options: Any) -> Table:
    """A row for each type."""
    columns = [*texts("type"), *numbers(*list(TYPE)[1:])]
    return Table(title=title, columns=columns, rows=[[getattr(r, n) for n in TYPE.values()] for r in rows], **options)


def selected_pairs(contrast: TypeContrast, filters: Mapping[str, Any]) -> list[TypePair]:
    """Those that the filters keep for either system."""
    pairs = contrast.pairs
    kept = {row.type for side in ("a", "b") for row in select_types((getattr(pair, side) for pair in pairs), **filters)}
    return [pair for pair in pairs if pair.type in kept]


def pairs_of(
    contrast: TypeContrast, what: str, filters: Mapping[str, Any], sort: str = "references", reverse: bool = False
) -> list[TypePair]:
    """Types that the filters keep: those `gained`, those `lost`, or all of them by a column.

    Columns that both systems have are the second system's. Pairs come by references and text.
    """

    def key(pair: TypePair) -> Any:
        value = getattr(pair if hasattr(pair, sort) else pair.b, sort)
        return float("-inf") if value != value else value  # NaN is the smallest

    pairs = selected_pairs(contrast, filters)
    if what == "types":
        return sorted(pairs, key=key, reverse=(sort != "type") != reverse)
    kept = {pair.type for pair in pairs}
    return [pair for pair in (contrast.gained() if what == "gained" else contrast.lost()) if pair.type in kept]


def _both(contrast: TypeContrast, words: Sequence[str], spare: int = 1) -> list[Column]:
    """Columns of both systems."""
    return numbers(*(f"{name} {word}" for word in words for name in contrast.systems), spare=spare)


def pair_table(
    contrast: TypeContrast, pairs: Sequence[TypePair], title: str, *, whole: bool = False, **options: Any
) -> Table:
    """A row for each type; with precision and recall where the table is about the `whole` of them."""
    rates = RATES if whole else {"f": "F"}
    columns = {"outputs": "preds", "matches": "match", **rates}
    rows: Rows = [
        [pair.type, pair.references,
         *(getattr(side, column) for column in columns for side in (pair.a, pair.b)), pair.difference, pair.gain]
        for pair in pairs
    ]  # fmt: skip
    words = list(rates.values())
    heads = [*texts("type"), *numbers("refs"), *_both(contrast, ["preds", "match"], spare=3),
             *_both(contrast, words[:-1], spare=2), *_both(contrast, words[-1:]), *numbers("diff", "gain")]  # fmt: skip
    return Table(title=title, columns=heads, rows=rows, **options)


def bucket_table(contrast: TypeContrast, *, words: bool = False) -> Table:
    """Types by how often the references have them, and how many words of the references these are, if asked."""
    rows: Rows = [
        [bucket.name, *([bucket.references] if words else []),
         *(getattr(side, column) for column in ("types", *RATES) for side in (bucket.a, bucket.b)),
         bucket.difference, bucket.p, bucket.adjusted]
        for bucket in contrast.buckets
    ]  # fmt: skip
    tested = any(bucket.p is not None for bucket in contrast.buckets)
    note = f"{TESTED}\n{contrast.trials} trials, seed {contrast.seed}" if tested else ""
    note += f"\nwhich buckets differ is {contrast.unresolvable}" if contrast.unresolvable else ""
    columns = [*texts("refs"), *numbers(*(["words"] if words else [])), *_both(contrast, ["types"]),
               *_both(contrast, ["P", "R"], spare=2),
               *_both(contrast, ["F"]), *numbers("diff"), *chances("p", "p (Holm)")]  # fmt: skip
    return Table(title="Types by how often the references have them", columns=columns, rows=rows, note=note)


def curve_table(contrast: TypeContrast, limit: int | None) -> Table:
    """The mean F up to a rank; of many points some, in equal steps of the logarithm, the first and the last too."""
    points = contrast.curve()
    if limit is not None and len(points) > limit:
        ranks = {round(len(points) ** (k / max(1, limit - 1))) for k in range(limit)}
        points = [point for point in points if point.rank in ranks]
    columns = numbers("rank", "refs", *(f"{name} F" for name in contrast.systems))
    return Table(title="Mean F of the types up to a frequency rank", columns=columns, rows=[list(p) for p in points])


def ngram_table(evaluation: Evaluation, contrast: TypeContrast, limit: int | None, order: int) -> Table:
    """N-grams that either system has more or less often than the references, read as the metric reads texts."""
    from tertium.analysis.ngrams import ngrams, reading_of

    reading = reading_of(next(metric for metric in evaluation.metrics if str(metric) == contrast.metric))
    rows: Rows = [
        [name, *(getattr(row, column) for column in NGRAM.values())]
        for name in contrast.systems
        for row in ngrams(evaluation, name, order=order, top=limit, **reading._asdict())
    ]
    title = "N-grams that outputs have more or less often than references"
    columns = [*texts("system", "n", "ngram"), *numbers("refs", "preds", "match", "excess")]
    return Table(title=title, columns=columns, rows=rows)
