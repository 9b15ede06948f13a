"""`tertium meta preference`: what a difference in a metric is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tertium.cli.listings import Listing, Value
from tertium.cli.meta_table import describe_table, output_options, page_title, read_scores, render, table_options, words
from tertium.cli.pages import write_page
from tertium.cli.score import write, write_notes
from tertium.core.errors import OptionError
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.meta.preference import SHARES, Chance, Preference, cautions, preferences, round_differences
from tertium.meta.table import ScoreTable

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command()
@table_options
@click.option("--at", multiple=True, metavar="NUMBER",
              help="Differences to look at; repeat or use commas. [default: round numbers in the data]")  # fmt: skip
@click.option("--confidence-level", "confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              default=0.95, show_default=True, help="How much the intervals cover.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=RESAMPLES, show_default=True, help="Bootstrap resamples.")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the resamples.")
@output_options
def preference(
    tables: tuple[str, ...],
    gold: str,
    metrics: tuple[str, ...],
    group: tuple[str, ...],
    system: str | None,
    lower: tuple[str, ...],
    long: str | None,
    at: tuple[str, ...],
    confidence: float,
    trials: int,
    seed: int,
    form: str,
    width: int,
    output: str | None,
    page: str | None,
) -> None:
    """Show how likely people prefer the higher score.

    A logistic curve through all pairs of systems of a group says what 0.5 BLEU or 1 chrF means on this data.
    tertium meta preference wmt.tsv --gold Human --group Year,Langs --metrics BLEU,chrF --at 0.5,1,2
    """
    asked = read_differences(at)
    table = read_scores(tables, gold, metrics, group, system, lower, long)
    found = preferences(table, confidence=confidence, trials=trials, seed=seed)
    curves, chances, needed = _curves(found, table.gold), _chances(found, asked), _needed(found)
    facts = {"confidence": confidence, "trials": trials, "seed": seed}
    data = {"probabilities": chances, "differences": needed, "curves": curves}
    if form == "csv":
        data = {"probabilities": chances.with_columns(**facts)}
    columns = ((), ("difference",), ("difference", "low", "high"))
    shown = [_for_people(table, *part) for part in zip((curves, chances, needed), columns, strict=True)]
    warnings = [*table.warnings, *cautions(found)]
    write(render(table, form, width, shown, data, facts, warnings), output)
    write_page(page, lambda: whole_page(found, table, tables))
    if form != "json":
        write_notes(warnings)


def whole_page(found: Sequence[Preference], table: ScoreTable, files: Sequence[str]) -> Page:
    """The curves, drawn."""
    from tertium.report.correlations import preference_page

    return preference_page(found, table, page_title(files), describe_table(table))


def read_differences(at: Sequence[str]) -> list[float]:
    """`0.5,1` as numbers above 0."""
    found = []
    for word in words(at):
        try:
            value = float(word)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise OptionError(f"--at {word}: must be a difference above 0, such as 0.5")
        found.append(value)
    return found


def _for_people(table: ScoreTable, listing: Listing, columns: Sequence[str]) -> Listing:
    """Names with arrows, some columns with so many digits, not decimals: metrics have scales of all sizes."""

    def text(head: str, value: Value) -> Value:
        if head == "metric":
            return table.shown(str(value))
        return f"{value:.4g}" if head in columns and isinstance(value, float) and not math.isnan(value) else value

    rows = [[text(head, value) for head, value in zip(listing.heads, row, strict=True)] for row in listing.rows]
    return Listing(listing.title, listing.heads, rows, listing.left, listing.note)


def _ends(chance: Chance) -> list[Value]:
    interval = chance.interval
    return [None, None] if interval is None else [interval.low, interval.high]


def _curves(found: Sequence[Preference], gold: str) -> Listing:
    rows: list[list[Value]] = [
        [item.metric, item.n, item.groups, item.pairs, item.ties, item.accuracy, item.slope,
         *_ends(Chance(value=item.slope, interval=item.interval)), item.largest]
        for item in found
    ]  # fmt: skip
    heads = ["metric", "n", "groups", "pairs", "ties", "agree", "slope", "low", "high", "largest"]
    note = (
        f"intervals: systems drawn again within groups, {found[0].trials} resamples, seed {found[0].seed}"
        if found
        else ""
    )
    return Listing(f"P({gold} prefers the higher score) = 1 / (1 + exp(-slope x difference))", heads, rows, note=note)


def _chances(found: Sequence[Preference], asked: Sequence[float]) -> Listing:
    rows: list[list[Value]] = []
    for item in found:
        for difference in asked or round_differences(item):
            chance, (share, near) = item.probability(difference), item.observed(difference)
            rows.append([item.metric, difference, chance.value, *_ends(chance), share, near])
    note = "seen: the share of agreeing pairs among those that differ by about as much"
    heads = ["metric", "difference", "P", "low", "high", "seen", "pairs"]
    return Listing("how likely people prefer the system that scores higher by so much", heads, rows, note=note)


def _needed(found: Sequence[Preference]) -> Listing:
    rows: list[list[Value]] = []
    for item in found:
        for share in SHARES:
            chance = item.difference(share)
            rows.append([item.metric, share, chance.value, *_ends(chance)])
    return Listing("the difference it takes", ["metric", "P", "difference", "low", "high"], rows)
