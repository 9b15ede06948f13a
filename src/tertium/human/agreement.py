"""How far raters agree with each other, and with themselves: one table of coefficients, each under its exact name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Judgement
from tertium.core.score import Interval
from tertium.human import coefficients, kappas, marks
from tertium.human.coefficients import Coefficient
from tertium.human.ratings import (
    AGAIN,
    BETWEEN,
    Between,
    Categories,
    Ratings,
    answers,
    categories,
    collect,
    preferences,
)
from tertium.inference.bootstrap import interval_of, resample_weights
from tertium.inference.seeds import RESAMPLES, SEED, check_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

ROOM = 1 << 21  # numbers a coefficient may hold at a time
DEFINED = 0.9  # of the resamples, or there is no interval
Unit = Literal["segment", "item"]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A coefficient: its name, its value (NaN: undefined) and what it rests on.

    `n` counts what was compared: items (a system's output for a segment) with two answers or more, or comparisons of
    two systems made twice or more. `pairs` are pairs of raters who share one; between repeats, raters. `on` says what
    counts as the same answer: the scale's points, bins, values, the order of systems, marked characters.
    """

    statistic: str
    word: str  # what selects it
    scale: str
    between: Between
    on: str
    value: float
    n: int
    pairs: int
    raters: tuple[str, ...]  # all of them, or the two of a pair
    judgements: int
    interval: Interval | None = None
    categories: tuple[str, ...] = ()  # names of points or bins where `on` has them
    group: str = ""  # the document or label that all items have
    each: bool = False  # of a single pair of raters


class _Table(NamedTuple):
    """The ratings of one scale in the forms that coefficients want."""

    scale: str
    between: Between
    items: Ratings  # with two answers or more
    every: Ratings  # items with one answer, too: Gwet's chance counts them
    z: Ratings  # the same, standardised
    orders: Ratings  # comparisons with two answers or more
    categories: Categories

    def code(self) -> NDArray[np.int64]:
        """The category of each answer."""
        return self.categories.of(self.items.value)


class _Statistic(NamedTuple):
    name: str
    on: Literal["categories", "values", "z per rater", "order", "characters"]
    make: Callable[[_Table], Coefficient]


def _by_code(make: Callable[..., Coefficient], *more: Any) -> Callable[[_Table], Coefficient]:
    return lambda table: make(table.items, table.code(), len(table.categories.names), *more)


def _gwet(weighting: str) -> Callable[[_Table], Coefficient]:
    def make(table: _Table) -> Coefficient:
        code = table.categories.of(table.every.value)
        return coefficients.gwet(table.every, code, len(table.categories.names), weighting)

    return make


def _alpha(level: str) -> Callable[[_Table], Coefficient]:
    coded = level in ("nominal", "ordinal")
    return lambda table: coefficients.alpha(table.items, level, table.code() if coded else None)


# word: exact name, what it is computed on, how
STATISTICS: dict[str, _Statistic] = {
    "observed": _Statistic("observed agreement", "categories", lambda t: kappas.observed(t.items, t.code())),
    "bennett": _Statistic("Bennett's S (uniform chance)", "categories", _by_code(kappas.bennett)),
    "scott": _Statistic("Scott's pi", "categories", _by_code(kappas.scott)),
    "cohen": _Statistic("Cohen's kappa", "categories", _by_code(kappas.cohen)),
    "cohen-linear": _Statistic("Cohen's kappa, linear", "categories", _by_code(kappas.cohen, "linear")),
    "cohen-quadratic": _Statistic("Cohen's kappa, quadratic", "categories", _by_code(kappas.cohen, "quadratic")),
    "fleiss": _Statistic("Fleiss' kappa", "categories", _by_code(coefficients.fleiss)),
    "gwet-ac1": _Statistic("Gwet's AC1", "categories", _gwet("nominal")),
    "gwet-ac2-linear": _Statistic("Gwet's AC2, linear", "categories", _gwet("linear")),
    "gwet-ac2-quadratic": _Statistic("Gwet's AC2, quadratic", "categories", _gwet("quadratic")),
    "alpha-nominal": _Statistic("Krippendorff's alpha (nominal)", "categories", _alpha("nominal")),
    "alpha-ordinal": _Statistic("Krippendorff's alpha (ordinal)", "categories", _alpha("ordinal")),
    "alpha-interval": _Statistic("Krippendorff's alpha (interval)", "values", _alpha("interval")),
    "alpha-ratio": _Statistic("Krippendorff's alpha, ratio", "values", _alpha("ratio")),
    "alpha-z": _Statistic(
        "Krippendorff's alpha (interval)", "z per rater", lambda table: coefficients.alpha(table.z, "interval")
    ),
    "pearson": _Statistic("Pearson's r", "values", lambda t: kappas.pearson(t.items)),
    "spearman": _Statistic("Spearman's rho", "values", lambda t: kappas.spearman(t.items)),
    "ranking": _Statistic("ranking agreement", "order", lambda t: kappas.ranking_kappa(t.orders, chance=False)),
    "ranking-kappa": _Statistic("ranking kappa", "order", lambda t: kappas.ranking_kappa(t.orders)),
    "span-f1": _Statistic("span F1", "characters", lambda t: marks.span_f1(t.items, severity=False)),
    "span-f1-severity": _Statistic(
        "span F1 with severity", "characters", lambda t: marks.span_f1(t.items, severity=True)
    ),
}  # fmt: skip


def agreement(
    given: Evaluation | Iterable[Judgement] | Any,
    scale: str | None = None,
    *,
    between: Between | None = None,
    by: str | None = None,
    statistics: str | Sequence[str] | None = None,
    bins: int | Sequence[float] | None = None,
    ties: float = 0.0,
    each_pair: bool = False,
    confidence: float | None = None,
    trials: int = RESAMPLES,
    seed: int = SEED,
    resample: Unit = "segment",
) -> list[Agreement]:
    """Coefficients of agreement between raters, and between what raters said at first and again.

    `given` has judgements, or is a matrix with a row for each rater and a column for each item, NaN where an answer is
    missing. Without `scale` every scale is shown, without `between` raters and, where there are any, repeats. `by` is
    document or a label of the Evaluation's test set: then there are rows for each of them. `bins` is a number of bins,
    or where the second bin, the third, ... begin; a scale of more than 11 points has five bins otherwise. Answers that
    differ by at most `ties` put two systems level. `each_pair` adds a row for every pair of raters. With `confidence`
    there are percentile intervals: segments, or items, are drawn again with replacement.
    """
    chosen = _chosen(statistics)
    _check(between, confidence, trials, seed, resample)
    if by is not None:
        return [
            dataclasses.replace(row, group=name)
            for name, part in _groups(given, by, scale).items()
            for row in agreement(part, scale, between=between, statistics=statistics, bins=bins, ties=ties,
                                 each_pair=each_pair, confidence=confidence, trials=trials, seed=seed,
                                 resample=resample)
        ]  # fmt: skip
    found = []
    for table in _tables(given, scale, between, bins, ties):
        words = chosen if chosen is not None else _usual(table)
        made = {word: STATISTICS[word].make(table) for word in words}
        intervals = _intervals(table, made, confidence, trials, seed, resample) if confidence is not None else {}
        for word, coefficient in made.items():
            found.append(_row(table, word, coefficient, intervals.get(word)))
        if each_pair:
            found += [row for word, coefficient in made.items() for row in _pair_rows(table, word, coefficient)]
    return found


def _groups(given: Any, by: str, scale: str | None) -> dict[str, list[Judgement]]:
    """The judgements of each document, or of the segments of each label."""
    if not isinstance(given, Evaluation):
        raise OptionError(f"by={by!r} needs a test set; pass an Evaluation with judgements")
    labels = given.testset.documents if by == "document" else given.testset.labels.get(by)
    if labels is None:
        known = [*(["document"] if given.testset.documents else []), *given.testset.labels]
        there = f"choose from {', '.join(known)}" if known else "it has neither documents nor labels"
        raise OptionError(f"by={by!r}: test set {given.testset.name} has no such label; {there}")
    found: dict[str, list[Judgement]] = {name: [] for name in dict.fromkeys(labels)}
    wanted = [one for one in given.judgements if scale is None or one.scale == scale]
    for judgement in wanted or given.judgements:  # none on the scale: the error that says so
        found[labels[judgement.segment]].append(judgement)
    return {name: judgements for name, judgements in found.items() if judgements}


def _chosen(statistics: str | Sequence[str] | None) -> list[str] | None:
    if statistics is None:
        return None
    words = statistics.split(",") if isinstance(statistics, str) else list(statistics)
    words = [word.strip() for word in words]
    for word in words:
        if word not in STATISTICS:
            from tertium.io.texts import suggest

            raise OptionError(f"unknown statistic {word!r}{suggest(word, STATISTICS)} known: {', '.join(STATISTICS)}")
    return words


def _check(between: str | None, confidence: float | None, trials: int, seed: int, resample: str) -> None:
    if between is not None and between not in BETWEEN:
        raise OptionError(f"between={between!r} is unknown; choose from {', '.join(BETWEEN)}")
    if resample not in ("segment", "item"):
        raise OptionError(f"resample={resample!r} is unknown; choose segment or item")
    if confidence is not None and not 0 < confidence < 1:
        raise OptionError(f"confidence {confidence}: must lie between 0 and 1, such as 0.95")
    check_drawn(trials, seed, "resamples")


def _tables(
    given: Any, scale: str | None, between: Between | None, bins: int | Sequence[float] | None, ties: float
) -> list[_Table]:
    """A table for each scale, of raters and of repeats where there are any."""
    judgements = tuple(given.judgements) if isinstance(given, Evaluation) else given
    if not isinstance(judgements, Ratings):
        judgements = judgements if hasattr(judgements, "shape") else tuple(judgements)
        if not all(isinstance(one, Judgement) for one in judgements):
            judgements = Ratings.of(judgements)
    if isinstance(judgements, Ratings):
        return [_table(scale or "", between or "raters", judgements, preferences([]), bins)]
    return _judged(judgements, scale, between, bins, ties)


def _judged(
    judgements: Sequence[Judgement],
    scale: str | None,
    between: Between | None,
    bins: int | Sequence[float] | None,
    ties: float,
) -> list[_Table]:
    scales = list(dict.fromkeys(one.scale for one in judgements))
    if not scales:
        raise OptionError("no judgements to compare raters by; name a file with ratings")
    if scale is not None and scale not in scales:
        raise OptionError(f"no judgements on the scale {scale!r}; there are some on {', '.join(scales)}")
    tables = []
    for name in [scale] if scale is not None else scales:
        for which in [between] if between is not None else BETWEEN:
            compared = answers(judgements, name, which)
            if compared or between is not None or which == "raters":
                orders = preferences(compared, by_task=name == "rank", ties=ties)
                tables.append(_table(name, which, collect(compared), orders, bins))
    return tables


def _table(scale: str, between: Between, items: Ratings, orders: Ratings, bins: int | Sequence[float] | None) -> _Table:
    cut = categories(items.value, scale, bins)
    return _Table(scale, between, items.shared(), items, items.standardised().shared(), orders.shared(), cut)


def _usual(table: _Table) -> list[str]:
    """The statistics that are shown by default: those that make sense on the scale."""
    if table.scale == "rank":  # a rank says nothing outside its own ranking
        return ["ranking", "ranking-kappa"]
    zero = table.scale in SCALES and SCALES[table.scale].low == 0
    left_out = set() if zero else {"alpha-ratio"}
    if not table.categories.binned or table.between == "repeats":
        left_out.add("alpha-z")
    if not len(table.orders.item):
        left_out |= {"ranking", "ranking-kappa"}
    if not table.items.spans:
        left_out |= {"span-f1", "span-f1-severity"}
    return [word for word in STATISTICS if word not in left_out]


def _compared(table: _Table, word: str) -> Ratings:
    return table.orders if STATISTICS[word].on == "order" else table.items


def _drawn(table: _Table, word: str) -> Ratings:
    """The ratings whose items are resampled; Gwet's chance also needs items with a single answer."""
    return table.every if word.startswith("gwet") else _compared(table, word)


def _row(table: _Table, word: str, coefficient: Coefficient, interval: Interval | None) -> Agreement:
    import numpy as np

    statistic, ratings, drawn = STATISTICS[word], _compared(table, word), _drawn(table, word)
    counted = statistic.on == "categories"
    k = len(table.categories.names)
    sort = ("bin" if table.categories.binned else "point") + ("" if k == 1 else "s")
    return Agreement(
        statistic=statistic.name,
        word=word,
        scale=table.scale,
        between=table.between,
        on=f"{k} {sort}" if counted else statistic.on,
        value=float(coefficient.under(np.ones((1, len(drawn.unit))))[0]) if len(ratings.unit) else float("nan"),
        n=len(ratings.unit),
        pairs=len(ratings.pairs.raters),
        raters=tuple(name for name in ratings.raters if table.between == "raters" or not name.endswith(AGAIN)),
        judgements=ratings.judgements,
        interval=interval,
        categories=table.categories.names if counted else (),
    )


def _pair_rows(table: _Table, word: str, coefficient: Coefficient) -> list[Agreement]:
    """A row for each pair of raters; none of coefficients that take all raters at once."""
    import numpy as np

    if coefficient.each is None or not coefficient.pairs:
        return []
    ratings = _compared(table, word)
    whole = _row(table, word, coefficient, None)
    values = coefficient.each(np.ones((1, len(ratings.unit))))[0].tolist()
    shared = np.bincount(ratings.pairs.pair, minlength=coefficient.pairs).tolist()
    return [
        dataclasses.replace(
            whole, value=value, n=n, pairs=1, judgements=2 * n, raters=(ratings.raters[a], ratings.raters[b]), each=True
        )
        for value, n, (a, b) in zip(values, shared, ratings.pairs.raters, strict=True)
    ]


def _intervals(
    table: _Table, made: dict[str, Coefficient], confidence: float, trials: int, seed: int, resample: Unit
) -> dict[str, Interval | None]:
    """Percentile intervals (Efron and Tibshirani 1993, chapter 13); the same resamples for all coefficients."""
    found: dict[str, Interval | None] = {}
    for ratings in (table.items, table.every, table.orders):
        words = {word: one for word, one in made.items() if _drawn(table, word) is ratings}
        for word, values in _bootstrap(ratings, words, trials, seed, resample).items():
            found[word] = _interval(values, confidence)
    return found


def _interval(values: Array, confidence: float) -> Interval | None:
    """Of the resamples in which the coefficient is defined; none where too few of them are."""
    import numpy as np

    defined = values[~np.isnan(values)]
    return interval_of(defined, confidence) if len(defined) and len(defined) >= DEFINED * len(values) else None


def _bootstrap(
    ratings: Ratings, made: dict[str, Coefficient], trials: int, seed: int, resample: Unit
) -> dict[str, Array]:
    """Every coefficient of resampled items. # (trials,) each"""
    import numpy as np

    unit = ratings.unit if resample == "segment" else np.arange(len(ratings.unit))
    units, number = np.unique(unit, return_inverse=True)
    if not made or len(units) < 2:  # one segment drawn again and again is always the same
        return {}
    found: dict[str, list[Array]] = {word: [] for word in made}
    for drawn in resample_weights(len(units), trials, seed):
        for word, coefficient in made.items():
            step = max(1, ROOM // max(coefficient.width, len(number)))
            found[word] += [
                coefficient.under(drawn[first : first + step][:, number]) for first in range(0, len(drawn), step)
            ]
    return {word: np.concatenate(values) for word, values in found.items()}
