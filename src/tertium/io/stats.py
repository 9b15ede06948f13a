r"""Statistics as files: public, mergeable, without pickles.

`.npz` (any NumPy reads it: `numpy.load(path)`), version 3:

    version    int64, ()        3
    columns    uint8, (bytes,)  the names of the k columns: a JSON list of strings in UTF-8
    scored     bool, (n,)       false where a segment could not be scored; its row is zero
    rows       float64, (n, k)  dense statistics, one row per segment
    starts     int64, (n + 1,)  or sparse ones (CSR): row i is values[starts[i]:starts[i + 1]] in the columns
    indices    int64, (m,)      indices[starts[i]:starts[i + 1]]
    values     float64, (m,)
    sums       float64, (k,)    or, instead of `scored` and rows, their sum where rows were not kept
    counts     int64, (3,)      and of how many segments; how many of these were scored; 1 if the rows were sparse
    header     uint8, (bytes,)  what the rows are of, where that is known: a JSON object in UTF-8, {"metric": ...,
                                "signature": ..., "testset": its digest, "rows": [first, last + 1], from 0, or null
                                where they are not a run of its rows}
    cut        int64, (m,)      the numbers, from 0, of segments that were too long for a model and were cut; not there
                                if there are none

`.parquet` (with the arrow extra), one row per segment: a column `scored` (bool), and

    dense      a float64 column per statistic, in order
    sparse     `indices` (list of int64) and `values` (list of float64)

The schema's metadata has under `tertium` a JSON object {"format": "tertium statistics", "version": 3,
"form": "dense" or "sparse", "columns": [...], "header": the same or null, "cut": [...]}. A dense file may lack it, so
that files which other programs filtered or joined can be read; a header of another number of rows is not believed.
Versions 1 and 2, which had no header, are read too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tertium.core.errors import InputError
from tertium.core.header import Header, Origin, rows_text
from tertium.core.sparse import SparseRows
from tertium.core.stats import Form, Stats
from tertium.core.wording import counted
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
    with_cut,
    write_archive,
)
from tertium.io.files import write_atomically

VERSION = 3  # 1: the three columns of a type stood together; 2: no header, no sums
FORMAT = "tertium statistics"


def save_stats(stats: Stats, path: str | Path) -> None:
    """Write statistics to a .npz or .parquet file."""
    if _extension(path) == ".parquet":
        _save_parquet(stats, str(path))
        return
    names = np.frombuffer(json.dumps(list(stats.columns)).encode(), dtype=np.uint8)
    members = {"version.npy": array_bytes(np.array(VERSION), "<i8"), "columns.npy": array_bytes(names, "|u1")}
    if stats.header is not None:
        said = json.dumps(_header_facts(stats.header)).encode()
        members["header.npy"] = array_bytes(np.frombuffer(said, dtype=np.uint8), "|u1")
    write_archive(path, members | stats_members(stats))


def load_stats(path: str | Path) -> Stats:
    """Read statistics from a .npz or .parquet file."""
    if _extension(path) == ".parquet":
        return _load_parquet(str(path))
    with open_archive(path, "a file of tertium statistics") as archive:
        version = int(archive.read_array("version.npy", "<i8", ()))
        _check_version(version, path)
        columns = column_names(json.loads(archive.read_array("columns.npy", "|u1", (-1,)).tobytes()))
        form: Form = "dense" if "rows.npy" in archive.members else "sums" if "sums.npy" in archive.members else "sparse"
        headed = {"header.npy"} & set(archive.members)
        archive.expect({"version.npy", "columns.npy"} | headed | member_names(archive, form))
        stats = read_stats(archive, columns, form)
        if not headed:
            return stats
        header = _read_header(json.loads(archive.read_array("header.npy", "|u1", (-1,)).tobytes()))
        if not header.fits(len(stats)):
            raise DamagedError(f"{counted(len(stats), 'row')}, but the header says {rows_text(header.rows)}")
        return stats.with_header(header)


def _header_facts(header: Header) -> dict[str, Any]:
    rows = None if header.rows is None else list(header.rows)
    return {"metric": header.metric, "signature": header.signature, "testset": header.testset, "rows": rows}


def _read_header(facts: Any) -> Header:
    if not isinstance(facts, dict) or facts.keys() != {"metric", "signature", "testset", "rows"}:
        raise DamagedError("the header is not one of metric, signature, testset and rows")
    *names, rows = (facts[key] for key in ("metric", "signature", "testset", "rows"))
    if not all(isinstance(name, str) for name in names):
        raise DamagedError("the header names something that is not a text")
    if rows is None:
        return Header(Origin(*names))
    if not isinstance(rows, list) or [type(row) for row in rows] != [int, int] or rows[0] < 0:
        raise DamagedError("the header's rows are not a first and a last one")
    return Header(Origin(*names), (rows[0], rows[1]))


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
    if version not in range(1, VERSION + 1):
        raise InputError(
            f"{path}: version {version} of the statistics format, but this tertium reads versions 1 to {VERSION}; "
            f"update it with: pip install -U tertium"
        )


def _save_parquet(stats: Stats, path: str) -> None:
    from tertium.io.arrow import import_pyarrow

    pa = import_pyarrow(path)
    import pyarrow.parquet

    if stats.form == "sums":
        raise InputError(f"{path}: rows were not kept, and Parquet files have one for each segment; use .npz")
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
    header = None if stats.header is None else _header_facts(stats.header)
    facts = {
        "format": FORMAT,
        "version": VERSION,
        "form": stats.form,
        "columns": list(stats.columns),
        "header": header,
        "cut": list(stats.cut),
    }
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
        stats = _parquet_stats(table, facts)
        if facts.get("header") is None or _read_header(facts["header"]).fits(len(stats)):
            stats = with_cut(stats, facts.get("cut", []))
        header = None if facts.get("header") is None else _read_header(facts["header"])
        # Some programs keep what is said of a table when they filter or join it: then it is no longer of these rows.
        return stats.with_header(header if header is not None and header.fits(len(stats)) else None)
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
