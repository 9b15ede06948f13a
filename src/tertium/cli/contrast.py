"""`tertium types A B`: the tables of two systems side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tertium.analysis.contrast import TypeContrast, TypePair
from tertium.analysis.objects import CONTRASTS, NGRAM, USUAL, ngrams_of_both, selected_pairs, sorted_pairs
from tertium.cli.listings import Listing, Value
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation

SHOWN_AS = {"text": ("buckets", "gained", "lost"), "markdown": ("buckets", "gained", "lost"),
            "json": USUAL}  # fmt: skip
FEW = {"types": 20, "gained": 10, "lost": 10, "curve": 20, "ngrams": 3}  # rows of text tables
NOTE = "p: paired permutation test of the difference in F; of the number of types where they are only in the output;"
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
        if name not in CONTRASTS:
            raise OptionError(f"--show {name}: unknown; choose from {', '.join(CONTRASTS)}")
    if form in ("tsv", "csv") and len(named) > 1:
        raise OptionError(f"{form} holds one table; choose one of --show {', '.join(named)}")
    return named or SHOWN_AS.get(form, ("types",))


def listings(evaluation: Evaluation, contrast: TypeContrast, choice: Choice) -> dict[str, Listing]:
    """The tables asked for, by name."""
    a, b = contrast.systems
    pairs = selected_pairs(contrast.pairs, choice.filters)
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
            rows = sorted_pairs(pairs, choice.sort, choice.reverse)[:limit]
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
    note = f"{NOTE}\n{contrast.trials} trials, seed {contrast.seed}" if tested else ""
    note += f"\nwhich buckets differ is {contrast.unresolvable}" if contrast.unresolvable else ""
    return Listing("types by how often the references have them", heads, rows, note=note)


def _curve(contrast: TypeContrast, limit: int | None) -> Listing:
    points = contrast.curve()
    if limit is not None and len(points) > limit:  # in equal steps of the logarithm, the first and the last among them
        ranks = {round(len(points) ** (k / max(1, limit - 1))) for k in range(limit)}
        points = [point for point in points if point.rank in ranks]
    rows: list[list[Value]] = [list(point) for point in points]
    heads = ["rank", "refs", *(f"{name} F" for name in contrast.systems)]
    return Listing("mean F of the types up to a frequency rank", heads, rows, left=0)


def _ngrams(evaluation: Evaluation, contrast: TypeContrast, limit: int | None, order: int) -> Listing:
    rows: list[list[Value]] = [
        [name, *(getattr(row, column) for column in NGRAM.values())]
        for name, row in ngrams_of_both(evaluation, contrast, limit, order)
    ]
    title = "n-grams that outputs have more or less often than references"
    return Listing(title, ["system", *NGRAM], rows, left=3)
