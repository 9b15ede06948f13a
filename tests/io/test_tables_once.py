"""A table is read once for all the columns that are asked for, and no more than one is kept."""

import weakref

import pytest
from click.testing import CliRunner

from tertium.cli.main import cli
from tertium.io.columns import READERS, ColumnFile, LastTable, is_table
from tertium.io.testset import read_testset

COLUMNS = ("source", "ref1", "ref2", "doc", "kind", "a", "b")
TABLES = {
    ".tsv": "\t".join(COLUMNS) + "\n" + "s\tr1\tr2\td\tk\to1\to2\n",
    ".csv": ",".join(COLUMNS) + "\n" + "s,r1,r2,d,k,o1,o2\n",
    ".jsonl": '{"source": "s", "ref1": "r1", "ref2": "r2", "doc": "d", "kind": "k", "a": "o1", "b": "o2"}\n',
}


@pytest.fixture
def opened(monkeypatch):
    """The paths that were read, in order."""
    paths = []
    for name, reader in list(READERS.items()):

        def noted(path, reader=reader):
            paths.append(path)
            return reader(path)

        monkeypatch.setitem(READERS, name, noted)
    return paths


@pytest.mark.parametrize("kind", TABLES)
def test_a_test_set_of_one_table(write, opened, kind):
    path = write(f"x{kind}", TABLES[kind])
    write("t.toml", f"""source = "{path}:source"
references = ["{path}:ref1", "{path}:ref2"]
documents = "{path}:doc"
systems = ["{path}:a", "{path}:b"]
[labels]
kind = "{path}:kind"
""")  # fmt: skip
    found = read_testset("t.toml")
    assert list(found.testset.sources) == ["s"]
    assert [tuple(texts) for texts in found.testset.references] == [("r1", "r2")]
    assert (found.testset.documents, found.testset.labels["kind"]) == (("d",), ("k",))
    assert {system.name: list(system.outputs) for system in found.systems} == {"a": ["o1"], "b": ["o2"]}
    assert opened == [path]


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("command", [["score"], ["disagree", "-m", "bleu", "-m", "ter"]])
def test_columns_on_the_command_line(write, opened, kind, command):
    path = write(f"x{kind}", TABLES[kind])
    files = ["--src", f"{path}:source", "--ref", f"{path}:ref1", "--ref", f"{path}:ref2", "--doc", f"{path}:doc"]
    done = CliRunner().invoke(cli, [*command, *files, "--hyp", f"{path}:a", "--hyp", f"{path}:b"])
    assert (done.exit_code, done.exception) == (0, None)
    assert opened == [path]


def test_one_table_is_kept(write, opened):
    table_of, paths = LastTable(), [write(f"{name}.csv", TABLES[".csv"]) for name in "xy"]
    first = weakref.ref(table_of(paths[0]).read)  # a tuple itself cannot be watched
    assert table_of(paths[0]).read is first()
    with_room = []
    READERS[".csv"] = lambda path: (
        with_room.append(first()) or ColumnFile((path,), lambda _: ())
    )  # put back by the fixture
    assert table_of(paths[1]).names == (paths[1],)
    assert with_room == [None]  # the one is gone before the other is read
    assert table_of(paths[0]).names == (paths[0],)
    assert opened == [paths[0]]


def test_what_cannot_be_read_is_not_kept(write, refusal):
    table_of = LastTable()
    assert is_table("x.csv")
    assert refusal(table_of, "x.csv") == "x.csv: no such file"
    write("x.csv", TABLES[".csv"])
    assert table_of("x.csv").names == COLUMNS
    assert refusal(table_of, "y.csv") == "y.csv: no such file"
    assert table_of("x.csv").names == COLUMNS
