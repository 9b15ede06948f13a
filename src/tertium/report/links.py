"""Links of a report into its segment browser: what an address says, and which segments it means.

Whatever counts segments, a cell of a table or a row of a chart's data, carries an address in `link` or `href`, and the
page shows these segments and no others. The page's script (`assets/only.js`) knows the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tertium.analysis.contrast import ALL, INVENTED
from tertium.core.sparse import SparseRows
from tertium.core.table import Cell, Table
from tertium.core.type_stats import rows_at_a_time, types_of_rows
from tertium.core.wording import visible
from tertium.report.results import Results

if TYPE_CHECKING:
    from tertium.report.held import Numbers

LENGTH = "words in a segment"
SHOWN = ("first", "second", "of", "word", "rater", "scale", "people")  # which the browser knows as they are shown
COLOURS = 8  # of systems; then they begin again, in another shape
NO_LOOKS: Mapping[str, int] = MappingProxyType({})  # colours go by the order of systems
RING = "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0M-.5,0a.5,.5 0 1,1 1,0a.5,.5 0 1,1 -1,0"
SHAPES = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "cross": "cross",
    "ring": RING,
}  # as drawn


def segments_link(results: Results, **asked: str) -> str:
    """The address of segments, or nothing where the page does not have them.

    `found="number", of="atlas"` are those in whose output by atlas a detector found a number; `document`, `length`,
    `word` and `better` (the first or the second system) are others; what stands behind marks of charts has conditions
    of its own (`behind.py`). `first`, `second` and `metric` (by its title) say
    what stands beside each other, `sort` the order, `segment` which one is open.
    """
    return address(**asked) if results.linked else ""


def address(**asked: str) -> str:
    """The same, whatever the page has."""
    from jinja2.filters import do_urlencode

    said = {name: as_shown(name, value) for name, value in asked.items()}
    return "#segments?" + do_urlencode({name: value.encode(errors="replace").decode() for name, value in said.items()})


def as_shown(name: str, value: str) -> str:
    """What is asked, as the page's script knows it."""
    return visible(value) if name in SHOWN else value


def with_links(table: Table, link: Callable[[str], str], column: int = 0) -> Table:
    """The table with links in a column, each made of the cell's text."""
    rows = [list(row) for row in table.rows]
    for row, shown in zip(rows, table.cells(), strict=True):
        value = row[column]
        cell = value if isinstance(value, Cell) else shown[column]._replace(strong=False)
        row[column] = cell._replace(link=link(str(value.text if isinstance(value, Cell) else value)))
    return replace(table, rows=rows)


def colours(systems: Sequence[str], looks: Mapping[str, int] = NO_LOOKS) -> list[str]:
    """The colour of every system, wherever it is drawn: by its place among these, or by its look where it has one."""
    return [f"var(--s{looks.get(name, k) % COLOURS + 1})" for k, name in enumerate(systems)]


def shapes(systems: Sequence[str], looks: Mapping[str, int] = NO_LOOKS) -> list[str]:
    """The shape of every system, wherever it is drawn as a point: those of one colour have different ones."""
    drawn = list(SHAPES.values())
    return [drawn[looks.get(name, k) // COLOURS % len(drawn)] for k, name in enumerate(systems)]


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
    reads = f"as {results.titles[str(metric)]} reads words"
    found["told"]["word"] = f"in a reference or in the output of {' or '.join(systems)}, {reads}"
    found["told"] |= {"reads": reads, "sides": [visible(name) for name in systems]}
    if contrast := next(iter(results.contrasts.values()), None):
        found["told"]["times"] = [bucket.name for bucket in contrast.buckets if bucket.name not in (INVENTED, ALL)]
    return found | {"words": word_segments(results, words, here)}


def compared_types(results: Results) -> tuple[str, ...]:
    """The systems whose words are listed: the best and the runner-up, or the only one."""
    contrast = next(iter(results.contrasts.values()), None)
    if contrast is not None:
        return contrast.systems
    metric = str(results.type_metric)
    return tuple(name for name in results.systems if (name, metric) in results.evaluation.table)[:1]


REFERENCES = 1  # a bit of those that say where a word is; the next ones are of `compared_types`, in their order


def word_segments(results: Results, words: Sequence[str], here: Numbers) -> list[list[Any]]:
    """Words, each with its places among these segments, those that have it on any side: the first, then the steps from
    one to the next; how many of all segments have it; on which sides those here have it; how many of all have it on
    each side."""
    import numpy as np

    found, sides = word_places(results, words), 1 + len(compared_types(results))
    listed = []
    for word, (segments, masks) in found.items():
        places = np.flatnonzero(np.isin(here, segments))
        own = masks[np.searchsorted(segments, here[places])].tolist()
        totals = [int((masks >> k & 1).sum()) for k in range(sides)]
        listed.append([visible(word), np.diff(places, prepend=0).tolist(), len(segments), own, totals])
    return listed


def word_places(results: Results, words: Sequence[str]) -> dict[str, tuple[Numbers, Numbers]]:
    """The segments that have a word, of those that are scored for all compared systems, and on which sides: a bit for
    each."""
    import numpy as np

    metric = results.type_metric
    if metric is None:
        return {}
    numbers = {word: k for k, word in enumerate(dict.fromkeys(words))}
    counted = [results.evaluation.stats(name, metric) for name in compared_types(results)]
    scored = np.all([stats.scored for stats in counted], axis=0)
    keys, bits = [], []
    for place, stats in enumerate(counted):
        rows, types = stats.rows, stats.types
        if types is None or not isinstance(rows, SparseRows):
            continue
        asked = np.array([numbers.get(str(word), -1) for word in types], dtype=np.int64)
        for begin, part in rows_at_a_time(rows):
            row_of, type_of, sums = types_of_rows(part)
            known = asked[type_of]
            kept = (known >= 0) & scored[begin + row_of]
            keys.append(known[kept] * len(scored) + begin + row_of[kept])
            bits.append(
                ((sums[kept, 1] > 0) * REFERENCES | (sums[kept, 0] > 0) * (REFERENCES << 1 + place)).astype(np.int64)
            )
    key, where = np.unique(np.concatenate([*keys, np.array([], dtype=np.int64)]), return_inverse=True)
    masks = np.zeros(len(key), dtype=np.int64)
    np.bitwise_or.at(masks, where, np.concatenate([*bits, np.array([], dtype=np.int64)]))
    first = np.searchsorted(key, np.arange(len(numbers) + 1) * len(scored))
    return {
        word: (key[first[k] : first[k + 1]] % len(scored), masks[first[k] : first[k + 1]])
        for word, k in numbers.items()
    }
