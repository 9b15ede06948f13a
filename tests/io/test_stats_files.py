"""Statistics in .npz and .parquet files."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tertium as tt
from tertium.core.header import Header, Origin
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.io.archive import array_bytes, write_archive
from tertium.io.stats import load_stats, save_stats

NAME = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
DENSE = Stats(("a", "b"), np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([True, False]))
SPARSE = Stats(
    ("x", "\u2028", "scored"),
    SparseRows(np.array([0, 2, 2]), np.array([0, 2]), np.array([1.0, 0.5]), 3),
    np.array([True, False]),
)


@st.composite
def statistics(draw):
    n = draw(st.integers(0, 4))
    columns = tuple(draw(st.lists(NAME.filter(lambda name: name != "scored"), unique=True, max_size=4)))
    scored = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=np.bool_)
    k = len(columns)
    if draw(st.booleans()):
        rows = draw(st.lists(FINITE, min_size=n * k, max_size=n * k))
        return Stats(columns, np.array(rows, dtype=np.float64).reshape(n, k), scored)
    counts = [draw(st.integers(0, 3)) if k else 0 for _ in range(n)]
    total = sum(counts)
    return Stats(
        columns,
        SparseRows(
            np.cumsum([0, *counts]),
            np.array(draw(st.lists(st.integers(0, max(k - 1, 0)), min_size=total, max_size=total)), dtype=np.int64),
            np.array(draw(st.lists(FINITE, min_size=total, max_size=total)), dtype=np.float64),
            k,
        ),
        scored,
    )


def same(a, b):
    assert a.columns == b.columns
    np.testing.assert_array_equal(a.scored, b.scored)
    assert type(a.rows) is type(b.rows)
    if isinstance(a.rows, SparseRows):
        for part in ("starts", "indices", "values", "width"):
            np.testing.assert_array_equal(getattr(a.rows, part), getattr(b.rows, part))
    else:
        np.testing.assert_array_equal(a.rows, b.rows)


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@given(stats=statistics())
def test_what_is_saved_is_loaded(tmp_path_factory, suffix, stats):
    path = tmp_path_factory.mktemp("stats") / f"a{suffix}"
    save_stats(stats, path)
    same(load_stats(path), stats)


def test_numpy_reads_the_file():
    save_stats(DENSE, "a.npz")
    with np.load("a.npz", allow_pickle=False) as arrays:
        assert sorted(arrays) == ["columns", "rows", "scored", "version"]
        assert json.loads(arrays["columns"].tobytes()) == ["a", "b"]
        assert arrays["rows"].tolist() == [[1, 2], [0, 0]]
    save_stats(SPARSE, "a.npz")
    with np.load("a.npz", allow_pickle=False) as arrays:
        assert sorted(arrays) == ["columns", "indices", "scored", "starts", "values", "version"]


@pytest.mark.parametrize("name", ["a.npz", "a.parquet"])
@pytest.mark.parametrize("stats", [DENSE, SPARSE])
def test_the_same_statistics_make_the_same_bytes(name, stats):
    save_stats(stats, name)
    first = Path(name).read_bytes()
    save_stats(load_stats(name), name)
    assert Path(name).read_bytes() == first


def test_dense_parquet_of_another_program():
    polars.DataFrame({"scored": [True, True], "a": [1, 2], "b": [0.5, 1.5]}).write_parquet("a.parquet")
    found = load_stats("a.parquet")
    assert found.columns == ("a", "b")
    assert found.rows.tolist() == [[1, 0.5], [2, 1.5]]


def test_sparse_parquet_of_several_row_groups():
    stats = Stats.concat([SPARSE] * 3)
    save_stats(stats, "a.parquet")
    pyarrow.parquet.write_table(pyarrow.parquet.read_table("a.parquet"), "b.parquet", row_group_size=2)
    same(load_stats("b.parquet"), stats)


def test_names_of_files(refusal):
    message = "a.txt: statistics are kept in .npz or .parquet files; name one of these"
    assert refusal(save_stats, DENSE, "a.txt") == message
    assert refusal(load_stats, "a.txt") == message
    assert refusal(load_stats, "a.npz") == "a.npz: no such file"
    assert refusal(load_stats, "a.parquet") == "a.parquet: no such file"
    Path("b.npz").mkdir()
    assert refusal(load_stats, "b.npz") == "b.npz: cannot be read (Is a directory)"


def test_a_statistic_called_scored(refusal):
    stats = Stats(("scored",), np.zeros((1, 1)), np.array([True]))
    assert refusal(save_stats, stats, "a.parquet") == (
        "a.parquet: a statistic is called 'scored', which is a column's name in Parquet; use .npz"
    )


def members(**changes):
    """The members of a good file, with changes."""
    save_stats(SPARSE if "starts" in changes or "indices" in changes else DENSE, "good.npz")
    with zipfile.ZipFile("good.npz") as archive:
        good = {name: archive.read(name) for name in archive.namelist()}
    for name, value in changes.items():
        if value is None:
            del good[f"{name}.npy"]
        else:
            good[f"{name}.npy"] = value if isinstance(value, bytes) else array_bytes(value, value.dtype.str)
    return good


def pickled():
    data = io.BytesIO()
    np.lib.format.write_array(data, np.array([{}], dtype=object), allow_pickle=True)
    return data.getvalue()


def fortran():
    data = io.BytesIO()
    np.lib.format.write_array(data, np.asfortranarray(np.zeros((2, 2))), version=(1, 0))
    return data.getvalue()


def version_2():
    data = io.BytesIO()
    np.lib.format.write_array(data, np.zeros((2, 2)), version=(2, 0))
    return data.getvalue()


def letters(text):
    return np.frombuffer(text.encode(), dtype=np.uint8)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": None}, "no member 'version.npy'"),
        ({"scored": None}, "no member 'scored.npy'"),
        ({"other": np.zeros(1)}, "unknown member 'other.npy'"),
        ({"rows": np.zeros((3, 2))}, "rows.npy: float64 of shape (3, 2), expected float64 of shape (2, 2)"),
        (
            {"rows": np.zeros((2, 2), "f4")},
            "rows.npy: float32 of shape (2, 2), expected float64 of shape (2, 2)",
        ),
        ({"rows": np.array([[1, np.nan], [0, 0]])}, "a statistic is not a finite number"),
        (
            {"rows": array_bytes(np.zeros((2, 2)), "<f8")[:-1]},
            "rows.npy: 31 bytes do not make an array of shape (2, 2)",
        ),
        ({"rows": fortran()}, "rows.npy: columns first, expected rows first"),
        ({"rows": version_2()}, "rows.npy: not version 1.0 of the npy format"),
        ({"rows": pickled()}, "rows.npy: object of shape (1,), expected float64 of shape (2, 2)"),
        ({"columns": letters('{"a": 1}')}, "the names of the columns are not a list of texts"),
        ({"columns": letters("[1, 2]")}, "the names of the columns are not a list of texts"),
        ({"columns": letters('["a", "a"]')}, "two columns of one name"),
        ({"starts": np.array([0, 3, 2])}, "the sparse rows do not follow one another"),
        ({"starts": np.array([0, 0, 1])}, "the sparse rows do not follow one another"),
        ({"indices": np.array([0, 3])}, "a sparse row has a column outside 0 to 2"),
        ({"indices": np.array([-1, 0])}, "a sparse row has a column outside 0 to 2"),
    ],
)
def test_hostile_npz(refusal, changes, reason):
    write_archive("a.npz", members(**changes))
    assert refusal(load_stats, "a.npz") == f"a.npz: not a file of tertium statistics, or damaged ({reason})"


def test_npz_of_another_version(refusal):
    write_archive("a.npz", members(version=np.array(4)))
    assert refusal(load_stats, "a.npz") == (
        "a.npz: version 4 of the statistics format, but this tertium reads versions 1 to 3; "
        "update it with: pip install -U tertium"
    )


def test_files_that_are_something_else(write, refusal):
    assert refusal(load_stats, write("a.npz", b"hello")) == (
        "a.npz: not a file of tertium statistics, or damaged (File is not a zip file)"
    )
    assert refusal(load_stats, write("a.parquet", b"hello")).startswith(
        "a.parquet: not a file of tertium statistics, or damaged ("
    )


def facts(**changes):
    return {"format": "tertium statistics", "version": 1, "form": "sparse", "columns": ["x"]} | changes


LISTS = {"indices": [[0], []], "values": [[1.0], []], "scored": [True, False]}


@pytest.mark.parametrize(
    ("columns", "about", "reason"),
    [
        ({"a": [1.0]}, {}, "scored"),
        ({"a": [1.0, None], "scored": [True, True]}, {}, "1 value of 'a' missing"),
        ({"a": [1.0, float("inf")], "scored": [True, True]}, {}, "a statistic is not a finite number"),
        ({"a": ["x", "y"], "scored": [True, True]}, {}, "could not convert string to float: 'x'"),
        ({"a": [1.0], "scored": [True]}, facts(format="x"), "its format is 'x'"),
        (LISTS | {"values": [[], [1.0]]}, facts(), "the columns indices and values do not match"),
        (LISTS | {"values": [[1.0], None]}, facts(), "the columns indices and values do not match"),
        (LISTS | {"indices": [[1], []]}, facts(), "a sparse row has a column outside 0 to 0"),
        (LISTS, facts(columns=None), "the names of the columns are not a list of texts"),
        (LISTS, [1], "list indices must be integers or slices, not str"),
    ],
)
def test_hostile_parquet(refusal, columns, about, reason):
    table = pa.table(columns).replace_schema_metadata({"tertium": json.dumps(about)})
    pyarrow.parquet.write_table(table, "a.parquet")
    message = refusal(load_stats, "a.parquet")
    assert message.startswith("a.parquet: not a file of tertium statistics, or damaged (")
    assert reason in message


def test_parquet_of_another_version(refusal):
    table = pa.table(LISTS).replace_schema_metadata({"tertium": json.dumps(facts(version=4))})
    pyarrow.parquet.write_table(table, "a.parquet")
    assert refusal(load_stats, "a.parquet").startswith("a.parquet: version 4 of the statistics format")


# Headers and sums

HEADER = Header(Origin("m", "m|n:9|tertium:0.1.0", "d"), (3, 5))


@pytest.mark.parametrize("name", ["a.npz", "a.parquet"])
@pytest.mark.parametrize("stats", [DENSE, SPARSE])
@pytest.mark.parametrize("header", [HEADER, HEADER.selection(), None])
def test_headers_are_kept(name, stats, header):
    save_stats(stats.with_header(header), name)
    found = load_stats(name)
    assert found.header == header
    same(found, stats)
    first = Path(name).read_bytes()
    save_stats(found, name)
    assert Path(name).read_bytes() == first


@pytest.mark.parametrize("stats", [DENSE, SPARSE])
def test_sums_are_kept(refusal, stats):
    sums = stats.with_header(HEADER).summed()
    save_stats(sums, "a.npz")
    found = load_stats("a.npz")
    assert (found.form, found.columns, found.sums(), found.n, len(found), found.by_name, found.header) == (
        "sums", stats.columns, stats.sums(), 1, 2, stats is SPARSE, HEADER
    )  # fmt: skip
    assert refusal(save_stats, sums, "a.parquet") == (
        "a.parquet: rows were not kept, and Parquet files have one for each segment; use .npz"
    )


def said(**changes):
    facts = {"metric": "m", "signature": "s", "testset": "t", "rows": [0, 2]} | changes
    return letters(json.dumps(facts))


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (letters("[]"), "the header is not one of metric, signature, testset and rows"),
        (said(more=1), "the header is not one of metric, signature, testset and rows"),
        (said(metric=1), "the header names something that is not a text"),
        (said(rows=[0]), "the header's rows are not a first and a last one"),
        (said(rows=[-1, 1]), "the header's rows are not a first and a last one"),
        (said(rows=[True, 3]), "the header's rows are not a first and a last one"),
        (said(rows=[0, 3]), "2 rows, but the header says rows 1 to 3"),
    ],
)
def test_hostile_headers(refusal, header, reason):
    write_archive("a.npz", members(header=header))
    assert refusal(load_stats, "a.npz") == f"a.npz: not a file of tertium statistics, or damaged ({reason})"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"counts": np.array([2, 3, 0])}, "sums of 2 segments, 3 of them scored"),
        ({"counts": np.array([2, -1, 0])}, "sums of 2 segments, -1 of them scored"),
        ({"counts": np.array([2, 1, 2])}, "sums of 2 segments, 1 of them scored"),
        ({"sums": np.array([1.0, np.inf])}, "a statistic is not a finite number"),
        ({"sums": np.zeros(3)}, "sums.npy: float64 of shape (3,), expected float64 of shape (2,)"),
    ],
)
def test_hostile_sums(refusal, changes, reason):
    good = {"sums": np.array([1.0, 2.0]), "counts": np.array([2, 1, 0])} | changes
    write_archive("a.npz", members(rows=None, scored=None, **good))
    assert refusal(load_stats, "a.npz") == f"a.npz: not a file of tertium statistics, or damaged ({reason})"


def test_a_header_is_not_believed_where_another_program_changed_the_rows():
    """pyarrow keeps what is said of a table when it takes some of its rows."""
    save_stats(DENSE.with_header(HEADER), "a.parquet")
    pyarrow.parquet.write_table(pyarrow.parquet.read_table("a.parquet").slice(0, 1), "b.parquet")
    found = load_stats("b.parquet")
    assert (found.header, found.rows.tolist()) == (None, [[1, 2]])


def test_files_of_earlier_versions_are_read():
    for version in (1, 2):
        write_archive("a.npz", members(version=np.array(version)))
        assert load_stats("a.npz").header is None
        about = facts(version=version)
        pyarrow.parquet.write_table(
            pa.table(LISTS).replace_schema_metadata({"tertium": json.dumps(about)}), "a.parquet"
        )
        assert load_stats("a.parquet").header is None


def test_types_of_the_first_version_are_put_in_planes():
    """It had the three columns of each type together."""
    outputs = tt.System(name="a", outputs=tt.Lines.of(["the cat", "a cat sat"]))
    references = tt.References((tt.Lines.of(["the cat sat", "a cat"]),), 2)
    stats = tt.evaluate(tt.TestSet(segments=2, references=references), [outputs], "macrof").stats("a", "macrof")
    order = np.arange(stats.width).reshape(3, -1).T.ravel()
    rows = stats.rows
    old = SparseRows(rows.starts, np.argsort(order)[rows.indices], rows.values, rows.width)
    for name in ("a.npz", "a.parquet"):
        save_stats(Stats(tuple(stats.columns[k] for k in order), old, stats.scored), name)
        found = load_stats(name)
        assert found.columns == stats.columns
        assert list(found.types) == list(stats.types)
        np.testing.assert_array_equal(found.segments(), stats.segments())
