"""testset.toml, and names for systems."""

from pathlib import Path

import numpy as np
import pytest

from tertium.io.testset import read_system, read_testset, system_names

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def town(write):
    """A test set of two segments; gives the path of its toml with these lines in it."""
    write("town/s.de", "eins\nzwei\n")
    write("town/r.en", "one\n\\N\n")
    write("town/out/b.en", "b\n\\N\n")
    write("town/out/a.en", "a\r\na\r\n")
    write("town/docs.txt", "d1\nd2\n")
    write("town/short.txt", "d1\n")
    write("town/same.txt", "x\nx\n")
    write("town/all.tsv", "src\tref\tmt\nein\tone\tun\nzwo\ttwo\tdeux\n")
    write("town/refs.jsonl", '{"refs": ["a", "b"], "doc": "d"}\n{"refs": ["c"], "doc": null}\n')
    write("town/ratings.tsv", "system\tsegment\trater\tscale\tvalue\na\t2\tr\tda100\t70\n")
    return lambda *lines: write("town/testset.toml", "\n".join(lines) + "\n")


def test_the_example():
    found = read_testset(EXAMPLES / "testset.toml")
    testset = found.testset
    assert testset.name == "town-notes"
    assert testset.language_pair == "de-en"
    assert len(testset) == 96
    assert len(set(testset.documents)) == 12
    assert [system.name for system in found.systems] == ["atlas", "brook", "cinder", "delta"]
    assert np.count_nonzero(testset.references.counts == 2) == 48
    assert len(found.judgements) == 2419
    assert len(set(testset.labels["domain"])) == 7
    assert (found.metrics, dict(found.table)) == ((), {})


def test_all_keys(town):
    path = town(
        '\ufeffname = "t"',
        'source = "s.de"',
        'references = "r.en"',
        "missing = '\\N'",
        'documents = "docs.txt"',
        'ids = "docs.txt"',
        'systems = "out/*.en"',
        'judgements = ["ratings.tsv"]',
        "[labels]",
        'kind = "same.txt"',
    )
    found = read_testset(path)
    assert list(found.testset.sources) == ["eins", "zwei"]
    assert list(found.testset.references) == [("one",), ()]
    assert found.testset.documents == found.testset.ids == ("d1", "d2")
    assert found.testset.labels == {"kind": ("x", "x")}
    assert {system.name: list(system.outputs) for system in found.systems} == {
        "a": ["a", "a"],
        "b": ["b", None],
    }
    assert [system.origin for system in found.systems] == ["town/out/a.en", "town/out/b.en"]
    assert found.judgements[0].segment == 1


def test_columns_and_tables(town):
    path = town(
        'source = "all.tsv:src"',
        'references = ["all.tsv:ref", "refs.jsonl:refs"]',
        "[systems]",
        'first = "all.tsv:mt"',
        'second = "out/a.en"',
    )
    found = read_testset(path)
    assert found.testset.name == "town"
    assert list(found.testset.references) == [("one", "a", "b"), ("two", "c")]
    assert {system.name: list(system.outputs) for system in found.systems} == {
        "first": ["un", "deux"],
        "second": ["a", "a"],
    }


def test_systems_of_several_kinds(town, write):
    write("town/t/x.tsv", "src\tmt\n1\t2\n3\t4\n")
    write("town/t/y.tsv", "src\tmt\n5\t6\n7\t8\n")
    write("town/odd[1].en", "a\nb\n")
    path = town('source = "s.de"', 'systems = ["all.tsv:mt", "t/*.tsv:mt", "odd[1].en", "**/b.en"]')
    found = read_testset(path)
    assert {system.name: system.outputs[0] for system in found.systems} == {
        "all": "un",
        "x": "2",
        "y": "6",
        "odd[1]": "a",
        "b": "b",
    }


def test_absolute_paths_and_another_file_name(town, write, tmp_path):
    town()
    folder = tmp_path / "town"
    path = write("other/my.toml", f'source = "{folder}/s.de"\nsystems = "{folder}/out/*.en"\n')
    found = read_testset(path)
    assert found.testset.name == "my"
    assert [system.name for system in found.systems] == ["a", "b"]


def test_wmt_files_are_test_sets(write):
    inside = '<src><seg id="1">q</seg></src><hyp system="z"><seg id="1">a</seg></hyp>'
    found = read_testset(write("a.xml", f'<dataset id="n"><doc id="d">{inside}</doc></dataset>'))
    assert (found.testset.name, [system.name for system in found.systems]) == ("n", ["z"])
    found = read_testset(write("b.sgm", "<srcset><doc><seg>a</seg></doc></srcset>"))
    assert len(found.testset) == 1


KNOWN = (
    "known: name, source_language, target_language, source, missing, documents, ids, tags, references, systems, "
    "judgements, models, scores, files, labels"
)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["name = x"], "town/testset.toml: not a valid TOML file (Invalid value (at line 1, column 8))"),
        (['sorce = "s.de"'], f"town/testset.toml: unknown key 'sorce'; did you mean 'source'? {KNOWN}"),
        (["zzz = 1"], f"town/testset.toml: unknown key 'zzz'; {KNOWN}"),
        (["source = 1"], "town/testset.toml: source = 1 does not fit; expected a text in quotes"),
        (
            ["references = [1]"],
            "town/testset.toml: references = [1] does not fit; expected a file or a list of files",
        ),
        (
            ["judgements = 1"],
            "town/testset.toml: judgements = 1 does not fit; expected a file, a list of files, or a table of file, "
            'aliases = {NAME = SYSTEM}, exclude = [NAME, ...] and order = "documents" or "lines"',
        ),
        (['labels = "x"'], "town/testset.toml: labels = 'x' does not fit; expected a table of NAME = FILE"),
        (
            ["systems = 1"],
            "town/testset.toml: systems = 1 does not fit; expected a glob, a list of globs, or a table of NAME = FILE",
        ),
        (
            ['name = "x"'],
            "town/testset.toml: neither source nor references; name the file of at least one of them",
        ),
        (
            ['source = "s.de"', 'systems = "nowhere/*.en"'],
            "town/testset.toml: systems: town/nowhere/*.en matches no file; relative paths count from town",
        ),
        (
            ['source = "s.de"', 'systems = "nowhere/*.tsv:mt"'],
            "town/testset.toml: systems: town/nowhere/*.tsv:mt matches no file; relative paths count from town",
        ),
        (['source = "s.de"', 'systems = "none.en"'], "town/none.en: no such file"),
        (
            ['source = "s.de"', 'systems = ["out/a.en", "out/*.en"]'],
            "town/out/a.en is given twice as a system; name each file once",
        ),
        (
            ['source = "s.de"', 'documents = "docs.txt"', 'systems = "short.txt"'],
            "town/short.txt: 1 line, but test set town has 2 segments (first missing in document d2). "
            "Did the decoder drop empty lines?",
        ),
        (
            ['source = "s.de"', 'references = "short.txt"'],
            "town/short.txt: 1 line of references, but town/s.de (source) has 2; line k of each is "
            "segment k. "
            "Is one of another test set, or cut short?",
        ),
        (
            ['references = "r.en"', 'documents = "short.txt"'],
            "town/short.txt: 1 line of documents, but town/r.en (references) has 2; line k of each "
            "is segment k. "
            "Is one of another test set, or cut short?",
        ),
        (
            ['source = "s.de"', "[labels]", 'k = "short.txt"'],
            "town/short.txt: 1 line of labels.k, but town/s.de (source) has 2; line k of each is segment k. "
            "Is one of another test set, or cut short?",
        ),
        (
            ['source = "s.de"', 'ids = "same.txt"'],
            "town/same.txt: id 'x' in row 2 is that of row 1; ids must be unique",
        ),
        (
            ['source = "s.de"', 'documents = "refs.jsonl:doc"'],
            "town/refs.jsonl:doc: row 2 has no value for documents; write one for every segment",
        ),
        (
            ['source = "refs.jsonl:refs"'],
            "town/refs.jsonl:refs: lists of up to 2 texts; expected one text per segment",
        ),
        (
            ['source = "s.de"', 'judgements = "all.tsv"'],
            "town/all.tsv:1: not a known format of ratings: 3 fields, the first is 'src'; "
            "known: tertium, appraise, mturk, mqm, mlqe (docs/reference/judgements.md), or say which one it is",
        ),
    ],
)
def test_refusals(town, refusal, lines, message):
    assert refusal(read_testset, town(*lines)) == message


def test_toml_that_is_not_text(write, refusal):
    assert refusal(read_testset, write("a.toml", b"\xff")).startswith("a.toml: not a valid TOML file ('utf-8' codec")
    assert refusal(read_testset, "none.toml") == "none.toml: no such file"


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([], []),
        (["a.en", "b.en"], ["a", "b"]),
        (["x/a.en.gz", "b", "news.c.0.de-en.bz2"], ["a", "b", "news.c.0"]),
        (["one/out.en", "two/out.en", "two/x.en"], ["one/out", "two/out", "x"]),
        (["out.en", "two/out.en"], ["out", "two/out"]),
        (["v/m-1.5", "v/m-1.6"], ["m-1.5", "m-1.6"]),
        (["a/v/m-1.5", "b/v/m-1.5"], ["a/v/m-1.5", "b/v/m-1.5"]),
        (["all.tsv:x", "all.tsv:y"], ["x", "y"]),
        (["a.tsv:mt", "b.tsv:mt"], ["a", "b"]),
        (["a.xml:hyp.x", Path("y.en")], ["x", "y"]),
    ],
)
def test_system_names(paths, names):
    assert system_names(paths) == names


def test_read_system(write):
    system = read_system("x", write("a.en", "a\n-\n"), "-")
    assert (system.name, system.origin, list(system.outputs)) == ("x", "a.en", ["a", None])
