"""What is left of scores when outputs are damaged, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tertium.analysis.damage import TypeDamage, damage_curve
from tertium.analysis.stress import StressTest
from tertium.core.table import Cell, Rows, Table, numbers, texts
from tertium.core.wording import number

LEFT = (
    "per cent of the score that is left (100: outputs as they are, 0: empty outputs), by share of the words that a "
    "noise can touch; area: the mean of the curve; slope: share of the score lost / share of all words touched, at "
    "the last rate"
)


def metric_names(result: StressTest) -> dict[str, str]:
    """How metrics are called: their titles, or their texts where options are set."""
    return {metric: metric if "(" in metric else title for metric, title in result.metrics.items()}


def curve_tables(result: StressTest, decimals: int = 1, *, shown: int | None = None) -> Iterator[Table]:
    """A table of curves for each metric."""
    for metric, name in metric_names(result).items():
        curves = [curve for curve in result.curves if curve.metric == metric]
        rates = [f"{100 * rate:g}%" for rate in curves[0].rates]
        rows: Rows = []
        for curve in curves:
            left = [
                Cell(number(value, decimals), value, title=f"standard deviation over seeds: {spread:.2f}")
                if math.isfinite(value) and math.isfinite(spread)
                else value
                for value, spread in zip(curve.left, curve.spread, strict=True)
            ]
            slope = Cell(number(curve.sensitivity, 2), None if math.isnan(curve.sensitivity) else curve.sensitivity)
            rows.append([curve.noise, curve.aim, *left, curve.area, slope])
        scores = f"{result.scores[metric]:.{decimals}f}, of empty outputs {result.nothing[metric]:.{decimals}f}"
        columns = [*texts("noise", "aim"), *numbers(*rates, "area", decimals=decimals), *numbers("slope")]
        yield Table(title=f"{name}: {scores}", columns=columns, rows=rows, shown=shown)


def selectivity_tables(result: StressTest, decimals: int = 1, *, shown: int | None = None) -> list[Table]:
    """A table of all metrics, where rarest and most frequent words were both touched."""
    if not result.selectivity:
        return []
    names = metric_names(result)
    rows: Rows = [[names[i.metric], i.noise, i.rarest, i.frequent, i.value] for i in result.selectivity]
    title = "Selectivity: area with the most frequent words touched less that with the rarest"
    columns = [*texts("metric", "noise"), *numbers("rarest", "frequent", "selectivity", decimals=decimals)]
    return [Table(title=title, columns=columns, rows=rows, shown=shown)]


def curve_rows(result: StressTest) -> Table:
    """One row per metric, noise, aim and rate, for programs."""
    heads = ["system", "metric", "noise", "aim", "rate", "able", "touched", "words", "seeds", "score", "left", "spread",
             "area", "sensitivity", "signature"]  # fmt: skip
    rows: Rows = [
        [result.system, curve.metric, curve.noise, curve.aim, rate, curve.able, curve.touched[k], curve.words,
         len(result.seeds), math.fsum(curve.values[k]) / len(result.seeds), curve.left[k], curve.spread[k], curve.area,
         curve.sensitivity, result.signatures[curve.metric]]
        for curve in result.curves
        for k, rate in enumerate(curve.rates)
    ]  # fmt: skip
    return Table(columns=numbers(*heads), rows=rows)


def damage_bucket_table(found: Sequence[TypeDamage], names: Mapping[str, str] | None = None) -> Table:
    """What is left on average, by how often outputs have a type."""
    names = names or {name: name for name in found[0].left}
    rows: Rows = [[b.name, b.types, b.count, *(b.left[name] for name in names)] for b in damage_curve(found)]
    title = "By how often outputs have a type: the mean of what is left, per cent"
    columns = [*texts("count"), *numbers("types", "words"), *numbers(*names.values(), decimals=3)]
    return Table(title=title, columns=columns, rows=rows)


def damage_table(found: Sequence[TypeDamage], top: int | None, names: Mapping[str, str] | None = None) -> Table:
    """What is left with one type damaged, the most frequent first."""
    names = names or {name: name for name in found[0].left}
    rows: Rows = [[item.type, item.count, item.segments, *(item.left[name] for name in names)] for item in found[:top]]
    columns = [*texts("type"), *numbers("count", "segments"), *numbers(*names.values(), decimals=3)]
    kept = f": {top} of {len(found)}" if top is not None and len(found) > top else ""
    return Table(title=f"The most frequent types{kept}", columns=columns, rows=rows)
