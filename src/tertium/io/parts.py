"""Statistics files of systems: some rows of an evaluation, without its texts. Parquet, one row per segment:

    document, id, label:KEY   texts, where the test set has them
    SYSTEM | METRIC           a struct: `scored` (bool; `segment scored` beside a statistic of that name), and a float64
                              field per statistic; or, of sparse rows, `indices` (list of int64) and `values` (list of
                              float64). Metrics that share rows share a column.

The schema's metadata has under `tertium` a JSON object: format, version, the version of tertium, facts of the test set
(name, languages, segments, digests of all texts), `rows` [first, last + 1] from 0, systems with digests of their
outputs, and for each system and metric: column, form, names of statistics, signature, segments that were cut.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tertium.core.errors import InputError
from tertium.core.header import Header, Origin, Rows
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.version import VERSION as TERTIUM
from tertium.io.archive import DamagedError, check_finite, in_planes, sparse_rows, with_cut
from tertium.io.files import read_bytes, write_atomically
from tertium.io.stats import column_names

FORMAT, VERSION = "tertium statistics of systems", 1
NAMES = ("documents", "ids")  # of segments
COLUMNS = {"documents": "document", "ids": "id"}

Key = tuple[str, str]  # a system, and the text of a metric


@dataclass(frozen=True, kw_only=True)
class EvaluationPart:
    """Some rows of an evaluation: statistics, names of segments, and digests of the texts."""

    testset: Mapping[str, Any]  # name, languages, segments, digest, digests of source and references
    rows: Rows
    systems: tuple[Mapping[str, Any], ...]  # name, origin, run, digest of the outputs
    table: Mapping[Key, Stats]  # with headers
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # documents, ids, label:KEY
    tertium: str = TERTIUM
    path: str = "statistics"


def save_part(part: EvaluationPart, path: str | Path) -> None:
    """Write statistics of systems to a .parquet file."""
    from tertium.io.arrow import import_pyarrow

    if Path(path).suffix.lower() != ".parquet":
        raise InputError(f"{path}: statistics of systems are kept in Parquet files; name one that ends in .parquet")
    pa = import_pyarrow(str(path))
    import pyarrow.parquet

    columns = {COLUMNS.get(name, name): pa.array(values, pa.string()) for name, values in part.names.items()}
    known: dict[tuple[int, int], str] = {}
    entries = []
    for (system, metric), stats in part.table.items():
        if stats.identity not in known:
            known[stats.identity] = f"{system} | {metric}"
            columns[f"{system} | {metric}"] = _struct(pa, stats)
        signature = "" if stats.header is None else stats.header.signature
        entries.append({"system": system, "metric": metric, "column": known[stats.identity], "form": stats.form,
                        "statistics": list(stats.columns), "signature": signature, "cut": list(stats.cut),
                        "mask": _mask(stats.columns)})  # fmt: skip
    facts = {
        "format": FORMAT,
        "version": VERSION,
        "tertium": part.tertium,
        "testset": dict(part.testset),
        "rows": list(part.rows),
        "names": list(part.names),
        "systems": [dict(system) for system in part.systems],
        "table": entries,
    }
    table = pa.table(columns).replace_schema_metadata({"tertium": json.dumps(facts)})
    with write_atomically(path) as file:
        pyarrow.parquet.write_table(table, file)


def _struct(pa: Any, stats: Stats) -> Any:
    scored = pa.array(stats.scored)
    if isinstance(stats.rows, SparseRows):
        starts = pa.array(stats.rows.starts)
        indices = pa.LargeListArray.from_arrays(starts, pa.array(stats.rows.indices, pa.int64()))
        values = pa.LargeListArray.from_arrays(starts, pa.array(stats.rows.values, pa.float64()))
        return pa.StructArray.from_arrays([scored, indices, values], ["scored", "indices", "values"])
    arrays = [scored, *(pa.array(np.ascontiguousarray(stats.rows[:, k])) for k in range(stats.width))]
    return pa.StructArray.from_arrays(arrays, [_mask(stats.columns), *stats.columns])


def _mask(statistics: Sequence[str]) -> str:
    """The field that says which segments are scored; learned metrics have a statistic of that name."""
    return "segment scored" if "scored" in statistics else "scored"


def load_part(path: str | Path) -> EvaluationPart:
    """Read statistics of systems."""
    from tertium.io.arrow import import_pyarrow

    pa = import_pyarrow(str(path))
    import pyarrow.parquet

    data = read_bytes(path)
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(data), use_threads=False)
        facts = json.loads((table.schema.metadata or {}).get(b"tertium", b"{}"))
        if not isinstance(facts, dict) or facts.get("format") != FORMAT:
            raise DamagedError("it does not say that it is one")
        if facts["version"] != VERSION:
            raise InputError(
                f"{path}: version {facts['version']} of the format, but this tertium reads version {VERSION}; "
                f"update it with: pip install -U tertium"
            )
        return _part(table, facts, str(path))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, pa.ArrowException) as error:
        raise InputError(f"{path}: not a file of statistics of systems, or damaged ({error})") from None


def _part(table: Any, facts: dict[str, Any], path: str) -> EvaluationPart:
    first, last = facts["rows"]
    testset = facts["testset"]
    if not (
        type(first) is type(last) is type(testset["segments"]) is int and 0 <= first <= last <= testset["segments"]
    ):
        raise DamagedError("rows that are none of the test set")
    if table.num_rows != last - first:
        raise DamagedError(f"{table.num_rows} rows, but it says that they are {last - first}")
    read: dict[str, Stats] = {}
    rows: dict[Key, Stats] = {}
    for entry in facts["table"]:
        if entry["column"] not in read:
            read[entry["column"]] = with_cut(_stats(table.column(entry["column"]), entry), entry["cut"])
        header = Header(Origin(entry["metric"], entry["signature"], testset["digest"]), (first, last))
        rows[entry["system"], entry["metric"]] = read[entry["column"]].with_header(header)
    names = {name: tuple(table.column(COLUMNS.get(name, name)).to_pylist()) for name in facts["names"]}
    if any(not isinstance(value, str) for values in names.values() for value in values):
        raise DamagedError("a name of a segment is missing")
    return EvaluationPart(
        testset=testset,
        rows=(first, last),
        systems=tuple(facts["systems"]),
        table=rows,
        names=names,
        tertium=facts["tertium"],
        path=path,
    )


def _stats(column: Any, entry: dict[str, Any]) -> Stats:
    import pyarrow as pa

    array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if array.null_count:
        raise DamagedError("a row of statistics is missing")
    scored = _field(array, entry.get("mask", "scored")).to_numpy(zero_copy_only=False).astype(np.bool_)
    names = column_names(entry["statistics"])
    if entry["form"] == "sparse":
        indices, values = _field(array, "indices"), _field(array, "values")
        starts = indices.offsets.to_numpy().astype(np.int64)
        if not indices.offsets.equals(values.offsets):
            raise DamagedError("indices and values do not match")
        inner, outer = indices.values.to_numpy().astype(np.int64), values.values.to_numpy().astype(np.float64)
        return in_planes(names, sparse_rows(starts, inner, outer, len(names)), scored)
    rows = np.empty((len(scored), len(names)))
    for k, name in enumerate(names):
        rows[:, k] = _field(array, name).to_numpy()
    check_finite(rows)
    return Stats(names, rows, scored)


def _field(array: Any, name: str) -> Any:
    found = array.field(name)
    if found.null_count:
        raise DamagedError(f"{name}: a value is missing")
    return found
