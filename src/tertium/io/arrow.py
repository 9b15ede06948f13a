"""Parquet and Arrow files through pyarrow; texts stay in Arrow's buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tertium.core.errors import InputError, MissingPackageError
from tertium.core.lines import Lines
from tertium.io.files import check_no_result, read_bytes

Opened = tuple[tuple[str, ...], Callable[[str], tuple[Lines, ...]]]


def import_pyarrow(path: str) -> Any:
    """The pyarrow module, or the line that installs it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackageError(
            f'{path}: Parquet and Arrow files need pyarrow; install it with: pip install "tertium[arrow]"'
        ) from None
    return pyarrow


def open_parquet(path: str) -> Opened:
    """The columns of a Parquet file; each is decoded when it is asked for."""
    pa = import_pyarrow(path)
    import pyarrow.parquet

    data = read_bytes(path)
    try:
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(data))
        names = tuple(file.schema_arrow.names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path}: not a Parquet file ({_first_line(error)})") from None

    def read(name: str) -> tuple[Lines, ...]:
        return _streams(file.read(columns=[name], use_threads=False).column(name), path, name)

    return names, _guarded(read, path)


def open_arrow(path: str) -> Opened:
    """The columns of an Arrow file (IPC file or stream, Feather 2), used where they lie in the file."""
    pa = import_pyarrow(path)
    import pyarrow.ipc

    data = pa.py_buffer(read_bytes(path))
    is_file = data.size >= 6 and data[:6].to_pybytes() == b"ARROW1"
    try:
        reader = pyarrow.ipc.open_file(data) if is_file else pyarrow.ipc.open_stream(data)
        table = reader.read_all()
        names = tuple(table.column_names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path}: not an Arrow or Feather (version 2) file ({_first_line(error)})") from None

    def read(name: str) -> tuple[Lines, ...]:
        column = table.column(name)
        column.validate(full=True)  # nothing was decoded: offsets are as hostile as the file
        return _streams(column, path, name)

    return names, _guarded(read, path)


def schema_names(path: str) -> tuple[str, ...]:
    """The names of the columns of a Parquet file."""
    pa = import_pyarrow(path)
    import pyarrow.parquet

    with _reading(path, "not a Parquet file"), pa.OSFile(path) as file:
        return tuple(pyarrow.parquet.read_schema(file).names)


def about_parquet(path: str) -> tuple[Any, str]:
    """The schema of a Parquet file, with its metadata, and how its first column is packed."""
    pa = import_pyarrow(path)
    import pyarrow.parquet

    with _reading(path, "not a Parquet file"), pa.OSFile(path) as file:
        about = pyarrow.parquet.ParquetFile(file)
        groups = about.metadata
        whole = groups.num_row_groups and groups.num_columns
        packed = groups.row_group(0).column(0).compression.lower() if whole else "snappy"
        return about.schema_arrow, packed if packed in ("snappy", "gzip", "brotli", "zstd", "lz4") else "none"


def parquet_batches(path: str, columns: Sequence[str] | None, size: int, rows: int) -> tuple[int, Iterator[Any]]:
    """How many rows a Parquet file has, and record batches of about so many bytes and at most so many rows. Without
    columns, of all of them."""
    pa = import_pyarrow(path)
    import pyarrow.parquet

    with _reading(path, "not a Parquet file"):
        source = pa.OSFile(path)
        file = pyarrow.parquet.ParquetFile(source, buffer_size=size)  # a group of rows is not read at once
        about = file.metadata
        largest = max((_row_size(about.row_group(k)) for k in range(about.num_row_groups)), default=0)
    step = int(max(1, min(rows, size // max(1, largest))))

    def batches() -> Iterator[Any]:
        with _reading(path, "not a whole Parquet file"), source:
            yield from file.iter_batches(step, columns=None if columns is None else list(columns), use_threads=False)

    return int(about.num_rows), batches()


def _row_size(group: Any) -> int:
    """Bytes of a row, unpacked, as the file says."""
    return int(group.total_byte_size // max(1, group.num_rows))


def arrow_batches(path: str) -> tuple[tuple[str, ...], int, Iterator[Any]]:
    """The names of the columns of an Arrow file, how many rows it has (0: nobody knows), and its record batches, one
    after the other."""
    pa = import_pyarrow(path)
    import pyarrow.ipc

    with _reading(path, "not an Arrow or Feather (version 2) file"):
        file = pa.OSFile(path)
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        reader = pyarrow.ipc.open_file(file) if is_file else pyarrow.ipc.open_stream(file)

    def batches() -> Iterator[Any]:
        with _reading(path, "not a whole Arrow file"), file:
            for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
                batch.validate(full=True)  # nothing was decoded: offsets are as hostile as the file
                yield batch

    return tuple(reader.schema.names), 0, batches()


def column_streams(batch: Any, path: str, name: str) -> tuple[Lines, ...]:
    """A column of a record batch as streams."""
    import pyarrow as pa

    column = batch.column(batch.schema.names.index(name))
    return _guarded(lambda name: _streams(pa.chunked_array([column]), path, name), path)(name)


@contextmanager
def _reading(path: str, what: str) -> Iterator[None]:
    """What pyarrow says of a file that it cannot read, as a sentence that begins with the file."""
    check_no_result(path)
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError, LookupError, NotImplementedError) as error:  # pyarrow's own are among them
        raise InputError(f"{path}: {what} ({_first_line(error)})") from None


def _guarded(read: Callable[[str], tuple[Lines, ...]], path: str) -> Callable[[str], tuple[Lines, ...]]:
    """Damage that shows only when a column is decoded is an InputError too."""

    def guarded(name: str) -> tuple[Lines, ...]:
        try:
            return read(name)
        except (
            OSError,
            ValueError,
            LookupError,
            NotImplementedError,
        ) as error:  # pyarrow's own are among them
            raise InputError(f"{path}: column {name!r} cannot be read as text ({_first_line(error)})") from None

    return guarded


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _streams(column: Any, path: str, name: str) -> tuple[Lines, ...]:
    """A column as streams: one, or one per position in its lists."""
    import pyarrow as pa

    array = _one_array(column)
    kind = array.type
    if pa.types.is_fixed_size_list(kind):
        array = array.cast(pa.large_list(kind.value_type))
    if not (pa.types.is_list(array.type) or pa.types.is_large_list(array.type)):
        return (_lines(array, path, name),)
    offsets = array.offsets.to_numpy().astype(np.int64)
    counts = np.diff(offsets)
    if array.null_count:
        counts[array.is_null().to_numpy(zero_copy_only=False)] = 0
    flat = _lines(array.values, path, name)
    return tuple(_position(flat, offsets[:-1], counts, k) for k in range(max(int(counts.max(initial=0)), 1)))


def _position(flat: Lines, first: Any, counts: Any, k: int) -> Lines:
    """The k-th text of every list, in the same buffer."""
    there = counts > k
    rows = (first + k)[there]
    starts, ends = np.zeros(len(counts), dtype=np.int64), np.zeros(len(counts), dtype=np.int64)
    starts[there], ends[there] = flat.starts[rows], flat.ends[rows]
    missing = ~there
    missing[there] = ~flat.present[rows]
    return Lines(flat.buffer, starts, ends, missing)


def _one_array(column: Any) -> Any:
    """The chunks of a column as one array; 64-bit offsets, because together they may pass 2 GiB."""
    import pyarrow as pa

    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_string(column.type):
        column = column.cast(pa.large_string())
    return column.combine_chunks()


def _lines(array: Any, path: str, name: str) -> Lines:
    import pyarrow as pa

    kind = array.type
    if pa.types.is_nested(kind):
        raise InputError(f"{path}: column {name!r} holds {kind}; expected texts, numbers, or lists of texts")
    if pa.types.is_string_view(kind):  # a cast would follow the pointers of missing texts, which nobody checked
        return Lines.of(array.to_pylist(), f"{path}:{name}")
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        array = array.cast(pa.large_string())
    return Lines.of(array, f"{path}:{name}")
