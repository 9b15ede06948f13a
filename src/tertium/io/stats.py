r"""Statistics as files: public, mergeable, without pickles.

`.npz` (any NumPy reads it: `numpy.load(path)`), version 2:

    version    int64, ()        2
    columns    uint8, (bytes,)  the names of the k columns: a JSON list of strings in UTF-8
    scored     bool, (n,)       false where a segment could not be scored; its row is zero
    rows       float64, (n, k)  dense statistics, one row per segment
    starts     int64, (n + 1,)  or sparse ones (CSR): row i is values[starts[i]:starts[i + 1]] in the columns
    indices    int64, (m,)      indices[starts[i]:starts[i + 1]]
    values     float64, (m,)

`.parquet` (with the arrow extra), one row per segment: a column `scored` (bool), and

    dense      a float64 column per statistic, in order
    sparse     `indices` (list of int64) and `values` (list of float64)

The schema's metadata has under `tertium` a JSON object {"format": "tertium statistics", "version": 2,
"form": "dense" or "sparse", "columns": [...]}. A dense file may lack it, so that files which other programs
filtered or joined can be read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tertium.core.errors import InputError
from tertium.core.shown import counted
from tertium.core.stats import SparseRows, Stats
from tertium.io.archive import (
    DamagedError,
    array_bytes,
    check_finite,
    in_planes,
    member_names,
    open_archive,
    read_stats,
    sparse_rows,
    stats_members,
    write_archive,
)
from tertium.io.files import write_atomically

VERSION = 2  # 1: the three columns of a type stood together
FORMAT = "tertium statistics"


def save_stats(stats: Stats, path: str | Path) -> None:
    """Write statistics to a .npz or .parquet file."""
    if _extension(path) == ".parquet":
        _save_parquet(stats, str(path))
        return
    names = np.frombuffer(json.dumps(list(stats.columns)).encode(), dtype=np.uint8)
    members = {"version.npy": array_bytes(np.array(VERSION), "<i8"), "columns.npy": array_bytes(names, "|u1")}
    write_archive(path, members | stats_members(stats))


def load_stats(path: str | Path) -> Stats:
    """Read statistics from a .npz or .parquet file."""
    if _extension(path) == ".parquet":
        return _load_parquet(str(path))
    with open_archive(path, "a file of tertium statistics") as archive:
        version = int(archive.read_array("version.npy", "<i8", ()))
        _check_version(version, path)
        columns = column_names(json.loads(archive.read_array("columns.npy", "|u1", (-1,)).tobytes()))
        sparse = "rows.npy" not in archive.members
        archive.expect({"version.npy", "columns.npy"} | member_names(sparse))
        return read_stats(archive, columns, sparse)


def column_names(names: Any) -> tuple[str, ...]:
    """Names of columns out of JSON."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DamagedError("the names of the columns are not a list of texts")
    if len(set(names)) < len(names):
        raise DamagedError("two columns of one name")
    return tuple(names)


def _extension(path: str | Path) -> str:
    found = Path(path).suffix.lower()
    if found not in (".npz", ".parquet"):
        raise InputError(f"{path}: statistics are kept in .npz or .parquet files; name one of these")
    return found


def _check_version(version: Any, path: str | Path) -> None:
    if version not in (1, VERSION):
        raise InputError(
            f"{path}: version {version} of the statistics format, but this tertium reads version {VERSION}; "
            f"update it with: pip install -U tertium"
        )


def _save_parquet(stats: Stats, path: str) -> None:
    from tertium.io.arrow import import_pyarrow

    pa = import_pyarrow(path)
    import pyarrow.parquet

    columns: dict[str, Any]
    if isinstance(stats.rows, SparseRows):
        starts = pa.array(stats.rows.starts)
        columns = {
            "indices": pa.LargeListArray.from_arrays(starts, pa.array(stats.rows.indices, pa.int64())),
            "values": pa.LargeListArray.from_arrays(starts, pa.array(stats.rows.values, pa.float64())),
        }
    else:
        if "scored" in stats.columns:
            raise InputError(f"{path}: a statistic is called 'scored', which is a column's name in Parquet; use .npz")
        columns = {name: pa.array(stats.rows[:, k]) for k, name in enumerate(stats.columns)}
    form = "sparse" if isinstance(stats.rows, SparseRows) else "dense"
    facts = {"format": FORMAT, "version": VERSION, "form": form, "columns": list(stats.columns)}
    table = pa.table(columns | {"scored": pa.array(stats.scored)}).replace_schema_metadata(
        {"tertium": json.dumps(facts)}
    )
    with write_atomically(path) as file:
        pyarrow.parquet.write_table(table, file)


def _load_parquet(path: str) -> Stats:
    from tertium.io.arrow import import_pyarrow
    from tertium.io.files import read_bytes

    pa = import_pyarrow(path)
    import pyarrow.parquet

    data = read_bytes(path)
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(data), use_threads=False)
        facts = json.loads((table.schema.metadata or {}).get(b"tertium", b"{}"))
        if facts and facts["format"] != FORMAT:
            raise DamagedError(f"its format is {facts['format']!r}")
        _check_version(facts.get("version", VERSION), path)
        return _parquet_stats(table, facts)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        pa.ArrowException,
    ) as error:
        raise InputError(f"{path}: not a file of tertium statistics, or damaged ({error})") from None


def _parquet_stats(table: Any, facts: dict[str, Any]) -> Stats:
    scored = _numbers(table, "scored", np.bool_)
    if facts.get("form", "dense") == "sparse":
        columns = column_names(facts["columns"])
        indices, values = (table.column(name).combine_chunks() for name in ("indices", "values"))
        starts = indices.offsets.to_numpy().astype(np.int64)
        if indices.null_count or values.null_count or not indices.offsets.equals(values.offsets):
            raise DamagedError("the columns indices and values do not match")
        inner, outer = indices.values.to_numpy().astype(np.int64), values.values.to_numpy().astype(np.float64)
        return in_planes(columns, sparse_rows(starts, inner, outer, len(columns)), scored)
    columns = column_names([name for name in table.column_names if name != "scored"])
    rows = np.empty((len(scored), len(columns)))
    for k, name in enumerate(columns):
        rows[:, k] = _numbers(table, name, np.float64)
    check_finite(rows)
    return Stats(columns, rows, scored)


def _numbers(table: Any, name: str, kind: type) -> Any:
    column = table.column(name)
    if column.null_count:
        raise DamagedError(f"{counted(column.null_count, 'value')} of {name!r} missing")
    return column.to_numpy().astype(kind)
