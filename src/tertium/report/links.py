"""Links of a report into its segment browser: what an address says, and which segments it means.

Whatever counts segments, a cell of a table or a row of a chart's data, carries an address in `link` or `href`, and the
page shows these segments and no others. The page's script (`assets/only.js`) knows the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tertium.core.sparse import SparseRows
from tertium.core.table import Cell, Table
from tertium.core.type_stats import types_of_rows
from tertium.core.wording import visible
from tertium.report.results import Results

if TYPE_CHECKING:
    from tertium.report.held import Numbers

LENGTH = "words in a segment"
SHOWN = ("first", "second", "of", "word")  # which the browser knows as they are shown
COLOURS = 8  # of systems; then they begin again


def segments_link(results: Results, **asked: str) -> str:
    """The address of segments, or nothing where the page does not have them.

    `found="number", of="atlas"` are those in whose output by atlas a detector found a number; `document`, `length`,
    `word` and `better` (the first or the second system) are others. `first`, `second` and `metric` (by its title) say
    what stands beside each other, `sort` the order, `segment` which one is open.
    """
    return address(**asked) if results.linked else ""


def address(**asked: str) -> str:
    """The same, whatever the page has."""
    from jinja2.filters import do_urlencode

    said = {name: visible(value) if name in SHOWN else value for name, value in asked.items()}
    return "#segments?" + do_urlencode({name: value.encode(errors="replace").decode() for name, value in said.items()})


def with_links(table: Table, link: Callable[[str], str], column: int = 0) -> Table:
    """The table with links in a column, each made of the cell's text."""
    rows = [list(row) for row in table.rows]
    for row, shown in zip(rows, table.cells(), strict=True):
        value = row[column]
        cell = value if isinstance(value, Cell) else shown[column]._replace(strong=False)
        row[column] = cell._replace(link=link(str(value.text if isinstance(value, Cell) else value)))
    return replace(table, rows=rows)


def colours(systems: Sequence[str]) -> list[str]:
    """The colour of every system, wherever it is drawn."""
    return [f"var(--s{k % COLOURS + 1})" for k in range(len(systems))]


# What the browser has to know


def linked_segments(results: Results, words: Sequence[str], here: Numbers) -> dict[str, Any]:
    """Names of lengths, and where words are among these segments; with how the page speaks of them."""
    found: dict[str, Any] = {"told": {"length": LENGTH}}
    groups = results.length_groups
    if groups is not None:
        found["buckets"] = [visible(name) for name in groups.names]
    metric = results.type_metric
    if metric is None or not words:
        return found
    systems = compared_types(results)
    found["told"]["word"] = (
        f"in a reference or in the output of {' or '.join(systems)}, as {results.titles[str(metric)]} reads words"
    )
    return found | {"words": word_segments(results, words, here)}


def compared_types(results: Results) -> tuple[str, ...]:
    """The systems whose words are listed: the best and the runner-up, or the only one."""
    contrast = next(iter(results.contrasts.values()), None)
    if contrast is not None:
        return contrast.systems
    metric = str(results.type_metric)
    return tuple(name for name in results.systems if (name, metric) in results.evaluation.table)[:1]


def word_segments(results: Results, words: Sequence[str], here: Numbers) -> list[list[Any]]:
    """Words, each with its places among these segments, those that have it on either side: the first, then the steps
    from one to the next; and how many of all segments have it."""
    import numpy as np

    metric = results.type_metric
    if metric is None:
        return []
    found: dict[str, set[int]] = {word: set() for word in words}
    for name in compared_types(results):
        stats = results.evaluation.stats(name, metric)
        rows, types = stats.rows, stats.types
        if types is None or not isinstance(rows, SparseRows):
            continue
        places = {k: str(word) for k, word in enumerate(types) if word in found}
        row_of, type_of, _ = types_of_rows(rows)
        kept = np.isin(type_of, list(places))
        for row, number in zip(row_of[kept].tolist(), type_of[kept].tolist(), strict=True):
            found[places[number]].add(row)
    every = {word: np.array(sorted(segments), dtype=np.int64) for word, segments in found.items()}
    return [
        [visible(word), np.diff(np.flatnonzero(np.isin(here, segments)), prepend=0).tolist(), len(segments)]
        for word, segments in every.items()
    ]
