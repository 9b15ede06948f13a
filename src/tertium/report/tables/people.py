"""What people said as tables: rankings, raters, how far they agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, get_args

from tertium.core.judgement import Kind
from tertium.core.score import ends
from tertium.core.table import Cell, Column, Rows, Table, chances, numbers, texts
from tertium.core.wording import counted, number, p_equals
from tertium.human.agreement import Agreement
from tertium.human.analyse import Analysis
from tertium.human.power import POWER, PowerCurve
from tertium.human.quality import EFFECT, PairedTest, RaterQuality
from tertium.human.ranking import SystemRanking
from tertium.human.significance import DRAWN, TITLES
from tertium.inference.corrections import CORRECTED

FEW = 30  # items below which there is a note
SHORT = {
    "observed": "same", "bennett": "S", "scott": "pi", "cohen": "kappa", "cohen-linear": "linear",
    "cohen-quadratic": "quadr.", "pearson": "r", "spearman": "rho",
}  # fmt: skip


# Rankings


def summary_table(found: Sequence[Analysis]) -> Table:
    """A row for each scale: who judged how much, and how far they agree."""
    rows: Rows = []
    for item in found:
        flagged = sum(bool(rater.flags) for rater in item.raters)
        agreed: list[float | None] = [
            next((row.value for row in item.agreement if row.between == between), None)
            for between in ("raters", "repeats")
        ]
        rows.append([item.scale, item.systems, item.judgements, len(item.raters), flagged, *agreed])
    said = dict.fromkeys(row.statistic for item in found for row in item.agreement)
    return Table(
        title="Summary",
        columns=[
            *texts("scale"),
            *numbers("systems", "judgements", "raters", "flagged", "agreement", "with themselves", decimals=3),
        ],
        rows=rows,
        note=f"agreement: {', '.join(said)}, between raters, and of raters with themselves where items were repeated",
    )


def ranked_by(ranking: SystemRanking) -> str:
    """`standard scores (z)`, or why they are raw."""
    why = f" ({ranking.method.raw_because})" if ranking.method.raw_because else ""
    better = " (lower is better)" if ranking.better == "lower" else ""
    return f"{'standard scores (z)' if ranking.method.standardised else f'raw scores{why}'}{better}"


def method_text(ranking: SystemRanking) -> str:
    """How the ranking came about."""
    method = ranking.method
    kinds = "all items" if len(method.policy.over) == len(get_args(Kind)) else ", ".join(method.policy.over) + " items"
    drawn = f", {counted(method.draws, 'trial')}, seed {method.seed}" if method.test in DRAWN else ""
    return (
        f"z by each rater's mean and sd over {kinds}; no variance: {method.policy.zero}.\n"
        f"{TITLES[method.test]}, one-sided{drawn};\n"
        f"{CORRECTED[method.correction]}, alpha {method.alpha:g}; clusters by rule {method.rule}.\n"
        "Ranks: those that wins and losses leave open. Every segment counts the same."
    )


def ranking_table(item: Analysis, pair: str, ranking: SystemRanking) -> Table:
    """Systems from best to worst."""
    rows: Rows = []
    for place in ranking.systems:
        span = str(place.best) if place.best == place.worst else f"{place.best}-{place.worst}"
        counts = [place.segments, place.judgements, place.wins, place.losses]
        rows.append([place.system, place.cluster, Cell(span, place.best), place.z, place.raw, *counts])
    return Table(
        title=f"Systems ranked by people: {scale_of(item, pair)}, by {ranked_by(ranking)}",
        columns=[
            *texts("system"),
            *numbers("cluster", "ranks", "z", "raw", decimals=3),
            *numbers("segments", spare=3),
            *numbers("judgements", "wins", spare=2),
            *numbers("losses", spare=4),
        ],
        rows=rows,
        note=method_text(ranking),
    )


def scale_of(item: Analysis, pair: str) -> str:
    """`adequacy`, or with the language pair where there are several."""
    return f"{item.scale}, {pair}" if len(item.rankings) > 1 else item.scale


def tested_table(item: Analysis, pair: str, ranking: SystemRanking) -> Table:
    """The p-value of every pair that was tested, and who wins."""
    names = [place.system for place in ranking.systems]
    rows: Rows = [
        [names[a], names[b], float(ranking.p[a, b]), Cell("yes" if ranking.beats[a, b] else "no")]
        for a in range(len(names))
        for b in range(len(names))
        if not math.isnan(ranking.p[a, b])
    ]
    title = f"Is the first system better than the second? {scale_of(item, pair)}"
    return Table(title=title, columns=[*texts("system", "than"), *chances("p"), *numbers("beats")], rows=rows)


def ranking_rows(found: Sequence[Analysis]) -> Table:
    """One row per scale, language pair and system, for programs."""
    heads = ["scale", "languages", "system", "cluster", "best", "worst", "raw", "z", "segments", "judgements", "wins",
             "losses", "test", "alpha", "correction", "clusters", "trials", "seed"]  # fmt: skip
    rows: Rows = [
        [analysis.scale, pair, item.system, item.cluster, item.best, item.worst, item.raw, item.z, item.segments,
         item.judgements, item.wins, item.losses, ranking.method.test, ranking.method.alpha,
         ranking.method.correction, ranking.method.rule,
         *((ranking.method.draws, ranking.method.seed) if ranking.method.test in DRAWN else (None, None))]
        for analysis in found
        for pair, ranking in analysis.rankings.items()
        for item in ranking.systems
    ]  # fmt: skip
    return Table(columns=numbers(*heads), rows=rows)


def power_table(curve: PowerCurve) -> Table:
    """How often so many judgements would separate two systems."""
    covered = f"{curve.interval.confidence:.0%} interval [{amount(curve.interval.low)}, {amount(curve.interval.high)}]"
    return Table(
        title=f"{curve.better} above {curve.worse}: {p_equals(curve.p)} of {counted(curve.judgements, 'judgement')} "
        f"({curve.test} of these two alone, alpha {curve.alpha:g})",
        columns=numbers("judgements", "power", decimals=3),
        rows=[[count, share] for count, share in curve.curve],
        note=f"a power of {POWER:.0%} takes about {amount(curve.needed)} judgements, {covered}",
    )


def amount(number: float) -> str:
    """A number of judgements, of which two digits are said, rounded up; there may be none that is enough."""
    if math.isinf(number):
        return "∞"
    whole = math.ceil(number)
    unit = 10 ** max(0, len(str(whole)) - 2)
    return f"{-(-whole // unit) * unit:,}"


# Raters


def rater_table(item: Analysis, top: int | None = None, *, shown: int | None = None) -> Table:
    """Raters, those first who give most reason to look."""
    timed = any(not math.isnan(rater.seconds) for rater in item.raters)
    raters, cut = _worst(item.raters, lambda rater: (-len(rater.flags), -_known(rater.degraded.t)), top)
    rows: Rows = [
        [rater.rater, ", ".join(rater.flags) or None, rater.n, rater.mean, rater.sd, rater.longest_run,
         *([rater.seconds] if timed else [])]
        for rater in raters
    ]  # fmt: skip
    note = "Mean and sd of genuine and repeated items. Run: the same value so often in a row."
    note += " Seconds: per judgement, in the fastest task." if timed else ""
    note += f"\n{_flags(item)}{cut}"
    note += f"\nLeft out of the ranking: {', '.join(item.dropped)}." if item.dropped else ""
    heads = [*texts("rater", "flags"), *numbers("judgements", "mean", "sd", "run", *(["seconds"] if timed else []))]
    return Table(title=f"Raters: {item.scale}", columns=heads, rows=rows, note=note, shown=shown)


def _flags(item: Analysis) -> str:
    """How many raters have a flag, and which flags they are."""
    flagged = sum(bool(rater.flags) for rater in item.raters)
    said = f"{flagged or 'No'} rater{'' if flagged == 1 else 's'} with a flag"
    if not flagged:
        return f"{said}."
    times = Counter(flag for rater in item.raters for flag in rater.flags)
    kinds = ", ".join(f"{flag} {count}" for flag, count in times.most_common())
    return f"{said} ({kinds}); flags advise, and nobody is left out because of one."


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _worst(
    raters: Sequence[RaterQuality], key: Callable[[RaterQuality], Any], top: int | None
) -> tuple[list[RaterQuality], str]:
    """The raters with most reason to look, and what is said where these are not all."""
    found = sorted(raters, key=key)[:top]
    return found, "" if len(found) == len(raters) else f"\nThe first {top} of {len(raters)}: --all shows everybody."


def _unnoticed(test: Callable[[RaterQuality], PairedTest], rater: RaterQuality) -> float:
    """The lower, the less a rater notices the difference."""
    return -_known(test(rater).t)


def _unsteady(rater: RaterQuality) -> float:
    """The lower, the more a rater's repeats differ, beside any two judgements."""
    return -rater.repeat_error / rater.any_error if rater.any_error > 0 else 0.0


def control_tables(item: Analysis, top: int | None = None, *, shown: int | None = None) -> Iterator[Table]:
    """What raters said of control items, where there are any, the worst first."""
    for title, kind in (("Degraded items below genuine ones", "degraded"), ("References above outputs", "references")):
        test: Callable[[RaterQuality], PairedTest] = attrgetter(kind)
        some = [rater for rater in item.raters if test(rater).n]
        raters, cut = _worst(some, partial(_unnoticed, test), top)
        rows: Rows = [[rater.rater, *test(rater)] for rater in raters]
        note = (
            f"One-sided paired t-test and signed-rank test. Power: of the t-test, for an effect of d = {EFFECT}.{cut}"
        )
        columns = [*texts("rater"), *numbers("pairs", "difference"), *chances("p (t)", "p (Wilcoxon)"),
                   *numbers("power")]  # fmt: skip
        if some:
            yield Table(title=f"{title}: {item.scale}", columns=columns, rows=rows, note=note, shown=shown)
    some = [rater for rater in item.raters if rater.repeats]
    raters, cut = _worst(some, _unsteady, top)
    if some:
        yield Table(
            title=f"Repeated items: {item.scale}",
            columns=[*texts("rater"), *numbers("repeats", "difference", "of any two")],
            rows=[[rater.rater, rater.repeats, rater.repeat_error, rater.any_error] for rater in raters],
            note=f"Mean absolute difference of an item and its repeat, and of any two judgements of the rater.{cut}",
            shown=shown,
        )


# Agreement


def agreement_tables(found: Sequence[Agreement], decimals: int, covered: float | None) -> list[Table]:
    """A table for each scale, of raters and of repeats, and one of pairs of raters."""
    tables = []
    for key in dict.fromkeys((row.group, row.scale, row.between) for row in found):
        there = [row for row in found if (row.group, row.scale, row.between) == key]
        whole = [row for row in there if not row.each]
        most = max(whole, key=lambda row: row.n if row.on != "order" else 0)
        facts = f"{counted(len(most.raters), 'rater')}, {counted(most.judgements, 'judgement')}"
        cut = next((row for row in whole if row.categories), None)
        rows: Rows = [[row.statistic, row.on, row.value, *([_interval(row, decimals)] if covered else []), row.n,
                       row.pairs] for row in whole]  # fmt: skip
        columns = [*texts("statistic", "on"), *numbers("value", decimals=decimals),
                   *numbers(*([f"{100 * covered:g}% interval"] if covered else []), "n", "pairs")]  # fmt: skip
        note = "" if cut is None or "bin" not in cut.on else f"bins: {', '.join(cut.categories)}"
        tables.append(Table(title=f"{agreement_title(whole[0])}: {facts}", columns=columns, rows=rows, note=note))
        if any(row.each for row in there):
            tables.append(_pair_table([row for row in there if row.each], decimals))
    return tables


def _interval(row: Agreement, decimals: int) -> Cell | None:
    """`[0.412, 0.530]`."""
    if row.interval is None:
        return None
    return Cell(f"[{number(row.interval.low, decimals)}, {number(row.interval.high, decimals)}]", row.interval.low)


def _pair_table(found: Sequence[Agreement], decimals: int) -> Table:
    """A row for each pair of raters, a column for each coefficient."""
    words = list(dict.fromkeys(row.word for row in found))
    rows: dict[tuple[str, ...], list[str | int | float | Cell | None]] = {}
    for row in found:
        rows.setdefault(row.raters, [*row.raters, row.n]).append(row.value)
    columns = [*texts("rater", "rater"), Column("n"), *numbers(*(SHORT[word] for word in words), decimals=decimals)]
    return Table(title=f"{agreement_title(found[0])}: each pair", columns=columns, rows=list(rows.values()))


def agreement_rows(found: Sequence[Agreement]) -> Table:
    """One row per coefficient, for programs."""
    heads = ["group", "scale", "between", "word", "statistic", "on", "value", "n", "pairs", "raters", "judgements",
             "low", "high", "categories"]  # fmt: skip
    rows: Rows = [
        [row.group, row.scale, row.between, row.word, row.statistic, row.on, row.value, row.n, row.pairs,
         " ".join(row.raters) if row.each else len(row.raters), row.judgements,
         *ends(row.interval), "; ".join(row.categories)]
        for row in found
    ]  # fmt: skip
    return Table(columns=numbers(*heads), rows=rows)


def resamples(confidence: float | None, trials: int, seed: int, resample: str) -> str:
    """How intervals came about, as a part of a signature."""
    return "" if confidence is None else f"bs:{trials}|seed:{seed}|ci:{confidence:g}|resample:{resample}"


def agreement_notes(found: Sequence[Agreement]) -> list[str]:
    """What a reader of the numbers should know."""
    notes = []
    for row in found:
        what = "comparison" if row.on == "order" else "item"
        if not row.n:
            done = "has two answers" if row.between == "raters" else "was repeated"
            notes.append(f"{agreement_title(row)}: no {what} {done}, so nothing can be said")
        elif row.n < FEW and not row.each:
            notes.append(
                f"{agreement_title(row)}: only {counted(row.n, what)}; coefficients of so few are not reliable"
            )
    return list(dict.fromkeys(notes))


def agreement_title(row: Agreement) -> str:
    """`adequacy, between raters`."""
    group = f"{row.group}: " if row.group else ""
    return f"{group}{row.scale}, between {row.between}"
