"""Evaluations in one zip file."""

import dataclasses
import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.header import Header, Origin
from tertium.core.judgement import Judgement, Span
from tertium.core.lines import Lines
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.io.archive import array_bytes, digest_lines, write_archive
from tertium.io.evaluation import load_evaluation, save_evaluation

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LINE = st.none() | TEXT


@dataclasses.dataclass(frozen=True)
class Named:
    """As much of a metric as a file has to know."""

    text: str

    def __str__(self):
        return self.text


def make(count=2, **changes):
    sources = Lines.of([f"s{k}\n\u2028" for k in range(count)])
    references = References((Lines.of(["r"] * count), Lines.of([None] * count)), count)
    testset = TestSet(
        name="town",
        source_language="de",
        segments=count,
        sources=sources,
        references=references,
        documents=("d",) * count,
        ids=tuple(f"d:{k}" for k in range(count)),
        labels={"domain": ("news",) * count},
    )
    dense = Stats(("a", "b"), np.ones((count, 2)), np.ones(count, dtype=np.bool_))
    sparse = Stats(
        ("w\u2028",),
        SparseRows(np.arange(count + 1), np.zeros(count, dtype=np.int64), np.ones(count), 1),
        np.ones(count, dtype=np.bool_),
    )
    return Evaluation(
        **{
            "testset": testset,
            "systems": (System(name="x", outputs=Lines.of(["", None, "é"][:count]), origin="x.en", run="1"),),
            "metrics": (Named("m"), Named("n(k=1)"), Named("o")),
            "table": {("x", "m"): dense, ("x", "n(k=1)"): dense, ("x", "o"): sparse},
            "signatures": {"m": "m|n:2"},
            "judgements": (
                Judgement(system="x", segment=1, rater="r", scale="da100", value=0.1),
                Judgement(system="x", segment=1, rater="r", scale="da100", value=0.1, start=1665744151.351),
                Judgement(
                    system="x",
                    segment=0,
                    rater="r",
                    scale="da100",
                    value=3.0,
                    kind="repeat",
                    task="t",
                    duration=1.5,
                    spans=(Span(start=0, end=1, severity="major", category="c"),),
                ),
            ),
            "warnings": ("small",),
        }
        | changes
    )


def saved(evaluation, name="a.tertium", **options):
    save_evaluation(evaluation, name, **options)
    return name


def load(name="a.tertium", parse=Named, **options):
    return load_evaluation(name, parse, **options)


def test_everything_comes_back():
    before = make()
    after = load(saved(before))
    for field in dataclasses.fields(TestSet):
        if field.name != "references":
            assert getattr(after.testset, field.name) == getattr(before.testset, field.name)
    assert list(after.testset.references) == [("r",), ("r",)]
    assert after.testset.digest == before.testset.digest
    system = after.systems[0]
    assert (system.name, system.origin, system.run, list(system.outputs)) == ("x", "x.en", "1", ["", None])
    assert after.metrics == before.metrics
    assert after.signatures == before.signatures
    assert after.judgements == before.judgements
    assert after.warnings == before.warnings
    assert list(after.table) == list(before.table)
    assert after.stats("x", "m").rows.tolist() == [[1, 1], [1, 1]]
    assert after.stats("x", "o").columns == ("w\u2028",)
    assert after.stats("x", "o").segments().tolist() == [[1], [1]]


def test_statistics_that_metrics_share_are_stored_once():
    after = load(saved(make()))
    assert after.stats("x", "m").rows is after.stats("x", "n(k=1)").rows
    with zipfile.ZipFile("a.tertium") as archive:
        assert sum(name.startswith("stats/") and ".scored." in name for name in archive.namelist()) == 2


def test_statistics_know_what_they_are_of():
    """The file says it as a whole; where it has no signature of a metric, nothing is said."""
    after = load(saved(make()))
    header = after.stats("x", "m").header
    assert header == Header(Origin("m", "m|n:2", after.testset.digest), (0, 2))
    assert after.stats("x", "o").header is None
    save_evaluation(after, "b.tertium")
    assert Path("a.tertium").read_bytes() == Path("b.tertium").read_bytes()


def test_sums_are_kept(refusal):
    before = make()
    sums = dataclasses.replace(before, table={key: stats.summed() for key, stats in before.table.items()})
    after = load(saved(sums))
    for key, stats in before.table.items():
        found = after.table[key]
        assert (found.form, found.sums(), found.n, len(found)) == ("sums", stats.sums(), stats.n, 2)
    with zipfile.ZipFile("a.tertium") as archive:
        content = {name: archive.read(name) for name in archive.namelist() if name != "evaluation.sha256"}
    content["stats/1.counts.npy"] = array_bytes(np.array([3, 3, 0]), "<i8")
    write_archive("a.tertium", content | {"evaluation.sha256": digest_lines(content)})
    assert refusal(load).endswith("damaged (sums of 3 segments, 3 of them scored)")


def test_texts_are_readable():
    with zipfile.ZipFile(saved(make())) as archive:
        assert archive.read("texts/reference.1.txt") == b"r\nr\n"
        assert archive.read("texts/output.1.txt") == b"\n\n"
        assert json.loads(archive.read("evaluation.json"))["format"] == "tertium evaluation"


@pytest.mark.parametrize("texts", [True, False])
def test_the_same_evaluation_makes_the_same_bytes(texts):
    first = Path(saved(make(), "a", texts=texts)).read_bytes()
    assert Path(saved(make(), "b", texts=texts)).read_bytes() == first
    assert Path(saved(load("a"), "c")).read_bytes() == first


def test_without_texts():
    before = make()
    path = saved(before, texts=False)
    content = Path(path).read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if name.startswith("texts/")]
        assert b"s0" not in archive.read("evaluation.json")
    assert b"s0" not in content
    after = load(path)
    assert len(after.testset) == 2
    assert after.testset.ids == before.testset.ids
    assert after.testset.digest == before.testset.digest
    assert list(after.testset.sources) == [None, None]
    assert after.testset.references.counts.tolist() == [0, 0]
    assert after.systems[0].outputs == before.systems[0].outputs
    assert after.testset.sources.withheld is not None


def test_merging_without_texts_tells_outputs_and_test_sets_apart():
    left = load(saved(make(), texts=False))
    assert len(left.merge(make()).systems) == 1
    other = make(systems=(System(name="x", outputs=Lines.of(["no", None])),))
    right = load(saved(other, texts=False))
    with pytest.raises(InputError, match="with different outputs"):
        left.merge(right)
    testset = dataclasses.replace(make().testset, sources=Lines.of(["other", "text"]))
    right = load(saved(make(testset=testset), texts=False))
    with pytest.raises(InputError, match="different test sets"):
        left.merge(right)


def test_some_texts_withheld():
    half = load(saved(make(), texts=False))
    systems = (*half.systems, System(name="y", outputs=Lines.of(["a", "b"])))
    after = load(saved(dataclasses.replace(half, systems=systems)))
    assert list(after.systems[1].outputs) == ["a", "b"]
    assert after.systems[0].outputs == make().systems[0].outputs


def test_an_evaluation_of_nothing():
    testset = TestSet(name="bare", segments=0)
    after = load(saved(Evaluation(testset=testset, systems=(), metrics=(), table={})))
    assert (len(after.testset), after.testset.sources, after.testset.documents) == (0, None, None)
    empty = TestSet(name="bare", segments=0, sources=Lines.of([]))
    for texts in (True, False):
        after = load(saved(Evaluation(testset=empty, systems=(), metrics=(), table={}), texts=texts))
        assert len(after.testset.sources) == 0


@given(st.lists(st.tuples(LINE, LINE, LINE, TEXT), max_size=6))
def test_any_text_comes_back(tmp_path_factory, rows):
    path = str(tmp_path_factory.mktemp("evaluation") / "a")
    sources, references, outputs, documents = zip(*rows, strict=True) if rows else ((),) * 4
    testset = TestSet(
        segments=len(rows),
        sources=Lines.of(sources),
        references=References((Lines.of(references),), len(rows)),
        documents=documents,
    )
    systems = (System(name="x", outputs=Lines.of(outputs)),)
    after = load(saved(Evaluation(testset=testset, systems=systems, metrics=(), table={}), path))
    assert tuple(after.testset.sources) == sources
    assert tuple(after.testset.references.streams[0]) == references
    assert tuple(after.systems[0].outputs) == outputs
    assert after.testset.documents == documents


def test_keys_follow_the_metric_where_its_text_has_changed():
    after = load(saved(make()), lambda text: Named(text.upper()))
    assert list(after.table) == [("x", "M"), ("x", "N(K=1)"), ("x", "O")]
    assert after.signatures == {"M": "m|n:2"}


def test_an_unknown_metric_is_the_parsers_error(refusal):
    def parse(text):
        raise OptionError(f"unknown metric {text!r}")

    assert refusal(load, saved(make()), parse) == "unknown metric 'm'"


def change(edit, members=(), *, sealed=True):
    """A good file with its index edited and members replaced (None: removed); `sealed`: its digests are right again."""
    with zipfile.ZipFile(saved(make(), "good")) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    index = json.loads(content["evaluation.json"])
    edit(index)
    content["evaluation.json"] = json.dumps(index, indent=1).encode()
    for name, data in dict(members).items():
        if data is None:
            del content[name]
        else:
            content[name] = data
    digests = content.pop("evaluation.sha256", None)
    if sealed:
        digests = digest_lines(content)
    write_archive("a.tertium", content if digests is None else content | {"evaluation.sha256": digests})


def put(*path):
    """An edit that sets the value at the end of a path."""
    *keys, last, value = path

    def edit(index):
        for key in keys:
            index = index[key]
        index[last] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (put("format", "x"), "its format is 'x'"),
        (put("testset", 1), "testset is not dict"),
        (put("testset", "segments", True), "segments is not int"),
        (
            put("testset", "segments", -1),
            "texts/source.npy: int64 of shape (2,), expected int64 of shape (0,)",
        ),
        (put("testset", "name", None), "name is not str"),
        (put("testset", "digest", "0"), "the test set does not match its digest"),
        (put("testset", "ids", ["a", "b"]), "the test set does not match its digest"),
        (put("testset", "source", "00"), "texts/source.txt does not match its digest"),
        (put("testset", "documents", [1, 2]), "documents is not str"),
        (put("texts", ["source"]), "unknown member 'texts/output.1.npy'"),
        (put("systems", [1]), "an entry is not dict"),
        (put("metrics", ["m"]), "the table names a system, metric or statistics that are not in the file"),
        (put("table", 0, 0, "y"), "the table names a system, metric or statistics that are not in the file"),
        (put("table", 0, 2, 3), "the table names a system, metric or statistics that are not in the file"),
        (put("table", 0, 2, 0), "the table names a system, metric or statistics that are not in the file"),
        (put("statistics", 0, "form", "sparse"), "no member 'stats/1.indices.npy'"),
        (put("statistics", 0, "form", "loose"), "statistics of the form 'loose'"),
        (
            put("statistics", 0, "columns", ["a"]),
            "stats/1.rows.npy: float64 of shape (2, 2), expected float64 of shape (2, 1)",
        ),
        (put("judgements", 0, 1, 2), "a judgement of no segment or kind"),
        (put("judgements", 0, 5, "x"), "a judgement of no segment or kind"),
        (put("judgements", 0, 0, 1), "a judgement with a name that is not a text"),
        (put("judgements", 0, 8, [[1]]), "not enough values to unpack (expected at least 4, got 1)"),
        (put("signatures", {"m": 1}), "signatures is not str"),
        (lambda index: index.pop("warnings"), "'warnings'"),
    ],
)
def test_hostile_index(refusal, edit, reason):
    change(edit)
    assert refusal(load) == f"a.tertium: not a tertium evaluation, or damaged ({reason})"


def nothing(index):
    return index


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"../evil": b""}, "unknown member '../evil'"),
        ({"texts/source.txt": None}, "no member 'texts/source.txt'"),
        ({"evaluation.json": None}, "no member 'evaluation.json'"),
        (
            {"texts/source.npy": array_bytes(np.array([-2, 5]), "<i8")},
            "the lengths of texts/source.txt are not lengths",
        ),
        (
            {"texts/source.npy": array_bytes(np.array([1 << 62, 5]), "<i8")},
            "the lengths of texts/source.txt are not lengths",
        ),
        (
            {"texts/source.npy": array_bytes(np.array([5, 6]), "<i8")},
            "texts/source.txt does not match its lengths",
        ),
        (
            {"texts/source.npy": array_bytes(np.array([5, 7]), "<i8")},
            "texts/source.txt does not match its lengths",
        ),
        ({"texts/reference.1.txt": b"\xff\nr\n"}, "texts/reference.1.txt does not match its lengths"),
        ({"texts/reference.1.txt": b"R\nr\n"}, "texts/reference.1.txt does not match its digest"),
        (
            {"stats/1.scored.npy": array_bytes(np.ones(3), "|b1")},
            "stats/1.scored.npy: bool of shape (3,), expected bool of shape (2,)",
        ),
        (
            {"evaluation.json": b"[" * 100_000},
            "maximum recursion depth exceeded while decoding a JSON array from a unicode string",
        ),
    ],
)
def test_hostile_members(refusal, members, reason):
    change(nothing, members)
    assert refusal(load) == f"a.tertium: not a tertium evaluation, or damaged ({reason})"


@pytest.mark.parametrize("count", [10**12, 70_000_000])
def test_texts_that_are_not_in_the_file_cannot_fill_the_memory(refusal, count):
    def edit(index):
        index["testset"] |= {"segments": count, "references": ["00"], "source": None}
        index |= {"texts": [], "systems": [], "statistics": [], "table": []}

    with zipfile.ZipFile(saved(make(), "good")) as archive:
        names = [name for name in archive.namelist() if not name.startswith("evaluation.")]
    change(edit, dict.fromkeys(names))
    assert Path("a.tertium").stat().st_size < 2000
    assert refusal(load) == (f"a.tertium: not a tertium evaluation, or damaged (0 of 1 text of {count} segments)")


def test_a_file_that_would_unpack_to_too_much(refusal):
    assert refusal(load, saved(make()), limit=10).startswith(
        "a.tertium: not a tertium evaluation, or damaged (it would unpack to "
    )


def test_a_newer_version(refusal):
    change(put("version", 3))
    assert refusal(load) == (
        "a.tertium: version 3 of the evaluation format, but this tertium reads versions 1 and 2; "
        "update it with: pip install -U tertium"
    )


def test_the_first_version_is_still_read(refusal):
    """It had no digests of its members."""
    change(put("version", 1), {"evaluation.sha256": None}, sealed=False)
    before, after = make(), load()
    assert after.testset.digest == before.testset.digest
    assert (after.signatures, after.judgements, list(after.table)) == (
        before.signatures, before.judgements, list(before.table)
    )  # fmt: skip
    change(put("version", 1))
    assert refusal(load).endswith("damaged (version 1 with evaluation.sha256)")
    change(nothing, {"evaluation.sha256": None}, sealed=False)
    assert refusal(load).endswith("damaged (version 2 without evaluation.sha256)")


@pytest.mark.parametrize(
    "edit",
    [
        put("testset", "name", "another"),
        put("testset", "source_language", "xx"),
        put("testset", "target_language", "xx"),
        put("systems", 0, "origin", "elsewhere"),
        put("signatures", "m", "m|n:3"),
        put("warnings", []),
        put("judgements", 0, 4, 1.0),
    ],
)
def test_what_no_digest_of_texts_covers(refusal, edit):
    change(edit)
    load()  # else well-formed
    change(edit, sealed=False)
    assert refusal(load).endswith("damaged (evaluation.json does not match its digest)")


def test_statistics_are_covered_by_digests(refusal):
    rows = {"stats/1.rows.npy": array_bytes(np.array([[5.0, 6.0], [7.0, 8.0]]), "<f8")}
    change(nothing, rows)
    load()
    change(nothing, rows, sealed=False)
    assert refusal(load).endswith("damaged (stats/1.rows.npy does not match its digest)")


def test_digests_are_those_of_sha256sum():
    with zipfile.ZipFile(saved(make())) as archive:
        listed = dict(reversed(line.split("  ")) for line in archive.read("evaluation.sha256").decode().splitlines())
        assert set(listed) == set(archive.namelist()) - {"evaluation.sha256"}
        for name, digest in listed.items():
            assert digest == hashlib.sha256(archive.read(name)).hexdigest()


def test_an_index_that_is_packed_too_well(refusal):
    change(put("warnings", ["a" * 9_000_000]))
    assert refusal(load).startswith(
        "a.tertium: not a tertium evaluation, or damaged (evaluation.json would unpack to 900"
    )


def test_members_that_are_packed_too_well(refusal):
    change(nothing, {"stats/1.rows.npy": bytes(70_000_000)})
    assert refusal(load).endswith("bytes, the limit is 64000000)")


def test_zip_files_of_another_kind(write, refusal):
    assert refusal(load, write("a", b"hello")) == ("a: not a tertium evaluation, or damaged (File is not a zip file)")
    with zipfile.ZipFile("a", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("evaluation.json", "{}")
    assert refusal(load, "a") == "a: not a tertium evaluation, or damaged (packed by another method than deflate)"
    with zipfile.ZipFile("a", "w") as archive:
        archive.writestr("evaluation.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("evaluation.json", "{}")
    assert refusal(load, "a") == "a: not a tertium evaluation, or damaged (two members of one name)"
    assert refusal(load, "none") == "none: no such file"


def test_a_damaged_byte_is_noticed(refusal):
    content = bytearray(Path(saved(make())).read_bytes())
    content[60] ^= 255
    Path("a.tertium").write_bytes(content)
    assert refusal(load).startswith("a.tertium: not a tertium evaluation, or damaged (")


def test_too_little_memory(refusal, monkeypatch):
    def fail(*_):
        raise MemoryError

    path = saved(make())
    monkeypatch.setattr("tertium.io.evaluation.json.loads", fail)
    assert refusal(load, path) == "a.tertium: too large for this computer's memory"


def test_withheld_lines_survive_pickling():
    import pickle

    lines = Lines.withhold(3, b"digest")
    again = pickle.loads(pickle.dumps(lines))
    assert (len(again), again.withheld, again == lines) == (3, b"digest", True)
