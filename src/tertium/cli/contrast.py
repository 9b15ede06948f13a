"""`tertium types A B`: the tables of two systems side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tertium.analysis.contrast import TypeContrast, TypePair
from tertium.analysis.ngrams import ngrams, reading_of
from tertium.analysis.types import select_types
from tertium.cli.listings import Listing, Value
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.report.objects import plain

SHOW = ("buckets", "types", "gained", "lost", "curve", "ngrams")
SHOWN_AS = {"text": ("buckets", "gained", "lost"), "markdown": ("buckets", "gained", "lost"),
            "json": ("buckets", "types", "curve")}  # fmt: skip
FEW = {"types": 20, "gained": 10, "lost": 10, "curve": 20, "ngrams": 3}  # rows of text tables
NOTE = "p: paired permutation test of the difference in F; of the number of types where they are only in the output"
RATES = {"precision": "P", "recall": "R", "f": "F"}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the command line asks for."""

    show: tuple[str, ...]
    form: str
    top: int | None
    sort: str
    reverse: bool
    filters: dict[str, Any]
    order: int

    def limit(self, what: str) -> int | None:
        """How many rows of a table are shown."""
        return self.top if self.top is not None or self.form not in SHOWN_AS or self.form == "json" else FEW[what]


def choose_tables(show: Sequence[str], form: str) -> tuple[str, ...]:
    """The tables that are named, or what suits the format."""
    named = tuple(dict.fromkeys(name.strip() for words in show for name in words.split(",")))
    for name in named:
        if name not in SHOW:
            raise OptionError(f"--show {name}: unknown; choose from {', '.join(SHOW)}")
    if form in ("tsv", "csv") and len(named) > 1:
        raise OptionError(f"{form} holds one table; choose one of --show {', '.join(named)}")
    return named or SHOWN_AS.get(form, ("types",))


def listings(evaluation: Evaluation, contrast: TypeContrast, choice: Choice) -> dict[str, Listing]:
    """The tables asked for, by name."""
    a, b = contrast.systems
    pairs = _selected(contrast.pairs, choice.filters)
    kept = {pair.type for pair in pairs}
    changed = {
        "gained": (f"words of which {b} makes fewer mistakes than {a}", contrast.gained),
        "lost": (f"words of which {b} makes more mistakes than {a}", contrast.lost),
    }
    found = {}
    for what in choice.show:
        limit = None if what == "buckets" else choice.limit(what)
        if what == "buckets":
            found[what] = _buckets(contrast)
        elif what == "types":
            rows = _sorted(pairs, choice.sort, choice.reverse)[:limit]
            found[what] = _pairs(contrast, rows, f"{len(pairs)} of {len(contrast.pairs)} types", RATES)
        elif what in changed:
            title, rows_of = changed[what]
            rows = [pair for pair in rows_of() if pair.type in kept]
            found[what] = _pairs(contrast, rows[:limit], f"{len(rows)} {title}", {"f": "F"})
        elif what == "curve":
            found[what] = _curve(contrast, limit)
        else:
            found[what] = _ngrams(evaluation, contrast, limit, choice.order)
    return found


def _selected(pairs: Sequence[TypePair], filters: dict[str, Any]) -> list[TypePair]:
    """Those that the filters keep for either system."""
    kept = {row.type for side in ("a", "b") for row in select_types((getattr(pair, side) for pair in pairs), **filters)}
    return [pair for pair in pairs if pair.type in kept]


def _sorted(pairs: list[TypePair], sort: str, reverse: bool) -> list[TypePair]:
    """By a column; columns that both systems have by the second system's. Pairs come by references and text."""

    def key(pair: TypePair) -> Any:
        value = getattr(pair if hasattr(pair, sort) else pair.b, sort)
        return float("-inf") if value != value else value  # NaN is the smallest

    return sorted(pairs, key=key, reverse=(sort != "type") != reverse)


def _both(contrast: TypeContrast, words: Sequence[str]) -> list[str]:
    return [f"{name} {word}" for word in words for name in contrast.systems]


def _pairs(contrast: TypeContrast, rows: Sequence[TypePair], title: str, rates: dict[str, str]) -> Listing:
    columns = {"outputs": "preds", "matches": "match", **rates}
    values: list[list[Value]] = [
        [pair.type, pair.references,
         *(getattr(side, column) for column in columns for side in (pair.a, pair.b)), pair.difference, pair.gain]
        for pair in rows
    ]  # fmt: skip
    heads = ["type", "refs", *_both(contrast, list(columns.values())), "diff", "gain"]
    return Listing(title, heads, values)


def _buckets(contrast: TypeContrast) -> Listing:
    rows: list[list[Value]] = [
        [bucket.name, *(getattr(side, column) for column in ("types", *RATES) for side in (bucket.a, bucket.b)),
         bucket.difference, bucket.p, bucket.adjusted]
        for bucket in contrast.buckets
    ]  # fmt: skip
    heads = ["refs", *_both(contrast, ["types", *RATES.values()]), "diff", "p", "p (Holm)"]
    tested = any(bucket.p is not None for bucket in contrast.buckets)
    return Listing("types by how often the references have them", heads, rows, note=NOTE if tested else "")


def _curve(contrast: TypeContrast, limit: int | None) -> Listing:
    points = contrast.curve()
    if limit is not None and len(points) > limit:  # in equal steps of the logarithm, the first and the last among them
        ranks = {round(len(points) ** (k / max(1, limit - 1))) for k in range(limit)}
        points = [point for point in points if point.rank in ranks]
    rows: list[list[Value]] = [list(point) for point in points]
    heads = ["rank", "refs", *(f"{name} F" for name in contrast.systems)]
    return Listing("mean F of the types up to a frequency rank", heads, rows, left=0)


def _ngrams(evaluation: Evaluation, contrast: TypeContrast, limit: int | None, order: int) -> Listing:
    reading = reading_of(next(metric for metric in evaluation.metrics if str(metric) == contrast.metric))
    rows: list[list[Value]] = [
        [name, row.order, row.ngram, row.references, row.outputs, row.matches, row.excess]
        for name in contrast.systems
        for row in ngrams(evaluation, name, order=order, top=limit, **reading._asdict())
    ]
    heads = ["system", "n", "ngram", "refs", "preds", "match", "excess"]
    return Listing("n-grams that outputs have more or less often than references", heads, rows, left=3)


def json_tables(evaluation: Evaluation, contrast: TypeContrast, choice: Choice) -> dict[str, Any]:
    """The tables as plain values, with the same keys whatever the systems are called."""
    found: dict[str, Any] = {}
    pairs = {"types": _sorted(_selected(contrast.pairs, choice.filters), choice.sort, choice.reverse),
             "gained": contrast.gained(), "lost": contrast.lost()}  # fmt: skip
    kept = {pair.type for pair in pairs["types"]}
    for what in choice.show:
        limit = choice.top
        if what == "buckets":
            found[what] = [_values(bucket) for bucket in contrast.buckets]
        elif what == "curve":
            found[what] = [_values(point) for point in contrast.curve()[:limit]]
        elif what == "ngrams":
            listing = _ngrams(evaluation, contrast, limit, choice.order)
            found[what] = [dict(zip(listing.heads, row, strict=True)) for row in listing.rows]
        else:
            chosen = [pair for pair in pairs[what] if pair.type in kept][:limit]
            found[what] = [_values(pair) | {"difference": plain(pair.difference), "gain": pair.gain} for pair in chosen]
    return found


def _values(item: Any) -> dict[str, Any]:
    """A named tuple as plain JSON values; of a type's scores not its name again."""
    found = {}
    for name, value in item._asdict().items():
        if isinstance(value, tuple):
            inner = _values(value)
            found[name] = {key: inner[key] for key in inner if key not in ("type", "references")}
        else:
            found[name] = plain(value) if isinstance(value, float) else value
    return found
