"""What names shards, and what is said of those that cannot be read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tertium.core.errors import InputError
from tertium.engines.stream import stream
from tertium.io import blocks, files
from tertium.io.shards import files_of, find_shards, names_shards, split_pattern
from tertium.io.texts import Spec

from .corpora import OUTPUTS, REFERENCES, write_parquet, write_text


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(*names: str, text: str = "a b\n") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def test_patterns_and_folders_name_shards() -> None:
    make("d/x.tsv", "d/[1].txt", "plain.txt", "a=b/x.txt")
    shards = ["d", "d:mt", "d/", "d/*.txt", "d/*.tsv:mt", "nothing/*.parquet", "a=b", "d/?.tsv", "d/[xyz].tsv"]
    assert [spec for spec in shards if not names_shards(spec)] == []
    assert [
        spec for spec in ["plain.txt", "nothing.txt", "d/x.tsv", "d/x.tsv:mt", "d/[1].txt"] if names_shards(spec)
    ] == []
    assert split_pattern("d:mt") == Spec("d", "mt")
    assert split_pattern("x/*.parquet:a b") == Spec("x/*.parquet", "a b")
    assert split_pattern("x/*:mt") == Spec("x/*", "mt")


def test_files_of_a_folder_are_those_of_a_dataset() -> None:
    make("d/lang=de/b.tsv", "d/lang=de/a.tsv", "d/c.tsv", "d/_SUCCESS", "d/.c.tsv.crc", "d/_tmp/x.tsv", "d/.git/y.tsv")
    assert files_of("d:mt") == (["d/c.tsv", "d/lang=de/a.tsv", "d/lang=de/b.tsv"], "mt")
    make("d/z.jsonl")
    with pytest.raises(
        InputError,
        match=r"^d: files of several kinds \(\.jsonl, \.tsv\); name those that are meant, such as d/\*\.tsv$",
    ):
        files_of("d:mt")
    with pytest.raises(InputError, match=r"^no/\*\.txt: no file fits this pattern$"):
        files_of("no/*.txt")


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (["h1", "h2", "h3"], ["r1", "r3"], "h2 would stand beside r3"),
        (["h1", "h2", "h3"], ["r1", "r2"], "h3 would stand beside nothing"),
        (["h1", "h3"], ["r1", "r2"], "h3 would stand beside r2"),
        (["h1"], ["r1", "r2"], "h1 would stand beside r1"),
    ],
)
def test_shards_that_do_not_match(one: list[str], other: list[str], said: str) -> None:
    make(*one, *other)
    with pytest.raises(InputError) as caught:
        find_shards(None, ["r*"], ["h*"])
    assert str(caught.value) == (
        f"h* names {len(one)} file{'s' if len(one) > 1 else ''} and r* {len(other)}, which do not match: {said}; "
        f"is a shard missing?"
    )


def test_names_may_differ_around_what_tells_shards_apart() -> None:
    make("out/part-9.mt", "out/part-10.mt", "gold/ref.9.de.txt", "gold/ref.10.de.txt")
    shards = find_shards(None, ["gold/*"], ["out/*.mt"])
    assert [shard.paths for shard in shards] == [
        ("gold/ref.10.de.txt", "out/part-10.mt"),
        ("gold/ref.9.de.txt", "out/part-9.mt"),
    ]


def test_a_link_would_count_twice() -> None:
    make("a1", "a2")
    Path("a3").symlink_to("a1")
    with pytest.raises(InputError, match=r"^a\*: a1 and a3 are one file, which would count twice; leave one out$"):
        find_shards(None, ["a*"], ["a*"])


def test_a_link_that_leads_nowhere_is_a_bad_shard() -> None:
    """It is not left out in silence."""
    make("a1", "a2")
    Path("a3").symlink_to("gone")
    shards = find_shards(None, ["a*"], ["a*"])
    with pytest.raises(InputError, match=r"^a3: no such file$"):
        stream(shards, ["mt"], "bleu")
    found = stream(shards, ["mt"], "bleu", bad_shards="skip")
    assert found.skipped == ("a3: no such file",)
    assert (found.shards, len(found.evaluation.testset)) == (2, 2)


def bad_parquet(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:40] + bytes(40) + data[80:])


DAMAGE: dict[str, Any] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "no Parquet at all": lambda path: path.write_bytes(b"PAR1 but not really, is it? PAR1" * 9),
    "overwritten inside": bad_parquet,
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_bad_shard_stops_or_is_left_out_and_named(kind: str, here: Path) -> None:
    pattern = write_parquet(here, REFERENCES, OUTPUTS)
    whole = stream(find_shards(None, [f"{pattern}:ref"], [f"{pattern}:mt"]), ["mt"], "bleu")
    shards = find_shards(None, [f"{pattern}:ref"], [f"{pattern}:mt"])
    DAMAGE[kind](here / "p-2.parquet")
    with pytest.raises(InputError, match=r"p-2\.parquet: "):
        stream(shards, ["mt"], "bleu")
    found = stream(shards, ["mt"], "bleu", bad_shards="skip")
    assert len(found.skipped) == 1
    assert found.skipped[0].startswith(str(here / "p-2.parquet"))
    assert found.evaluation.warnings == ("1 shard left out:", *found.skipped)
    assert len(found.evaluation.testset) == 36 - 12
    rest = stream([shards[0], shards[1], shards[3]], ["mt"], "bleu")
    assert found.evaluation.stats("mt", "bleu").sums() == rest.evaluation.stats("mt", "bleu").sums()
    assert found.evaluation.stats("mt", "bleu").sums() != whole.evaluation.stats("mt", "bleu").sums()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("r1.txt", b"a\nb\n\xff\n", r"r1.txt:3: byte 0xff is not UTF-8; convert the file first"),
        ("r1.txt", b"a\nb\n", r"r1.txt: 2 rows, but h1.txt has more; files of a shard must have one row for each"),
        ("r1.txt", b"a\nb\nc\nd\n", r"h1.txt: 3 rows, but r1.txt has more"),
        ("r1.txt", "a\nb\nc\n".encode("utf-16-le"), r"r1.txt: looks like UTF-16 without a byte order mark"),
    ],
)
def test_what_is_wrong_with_texts(name: str, data: bytes, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make("r0.txt", "r1.txt", "r2.txt", "h0.txt", "h1.txt", "h2.txt", text="a\nb\nc\n")
    Path(name).write_bytes(data)
    shards = find_shards(None, ["r*.txt"], ["h*.txt"])
    for size in (1 << 21, 4):
        monkeypatch.setattr(blocks, "SIP", size)
        with pytest.raises(InputError) as caught:
            stream(shards, ["mt"], "bleu")
        if "UTF-16" not in said or size > 4:  # of four bytes nobody can tell
            assert str(caught.value).startswith(said)
        found = stream(shards, ["mt"], "bleu", bad_shards="skip")
        assert len(found.evaluation.testset) == 6


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t1.tsv", "ref\tother\nx\ty\n", "t1.tsv has no column 'mt'; columns: ref, other"),
        ("t1.tsv", "ref\tmt\nx\ty\nx\n", "t1.tsv:3: 1 field, but the header has 2 fields"),
        ("t1.jsonl", '{"ref": "x"}\n', "t1.jsonl has no column 'mt'; columns: ref"),
        ("t1.jsonl", '{"ref": "x", "mt": "y"}\n\n{"ref": "x", "mt": "y"}\n', "t1.jsonl:2: a blank line"),
        ("t1.jsonl", '{"ref": "x", "mt": "y"}\n{\n', "t1.jsonl:2: not JSON"),
        ("t1.jsonl", '{"ref": "x", "mt": ["y", "z"]}\n', "t1.jsonl:mt: lists of up to 2 texts; expected one text"),
        ("t1.jsonl", '{"ref": "x", "mt": {"a": 1}}\n', "t1.jsonl:1: 'mt' holds an object"),
    ],
)
def test_what_is_wrong_with_tables(name: str, text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Path(name).suffix
    good = "ref\tmt\na\ta\n" if kind == ".tsv" else '{"ref": "a", "mt": "a"}\n'
    make(f"t0{kind}", f"t2{kind}", text=good)
    make(name, text=text)
    shards = find_shards(None, [f"t*{kind}:ref"], [f"t*{kind}:mt"])
    for size in (1 << 21, 7):
        monkeypatch.setattr(blocks, "SIP", size)
        with pytest.raises(InputError) as caught:
            stream(shards, ["mt"], "bleu")
        assert str(caught.value).startswith(said)
        assert len(stream(shards, ["mt"], "bleu", bad_shards="skip").evaluation.testset) == 2


def test_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIP", 1000)
    monkeypatch.setattr(blocks, "LONGEST", 5000)
    make("x1.txt", text="a\n" + "b" * 7000)
    with pytest.raises(InputError, match=r"^x1\.txt:2: no line ends within"):
        stream(find_shards(None, ["x*.txt"], ["x*.txt"]), ["mt"], "bleu")


def test_what_unpacks_to_more_than_text_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "HARMLESS", 1000)
    with gzip.open("x.txt.gz", "wt") as file:
        file.write("a\n" * 1_000_000)
    with pytest.raises(InputError, match=r"^x\.txt\.gz: unpacks to more than .*, 200 times its size$"):
        stream(find_shards(None, ["x*.gz"], ["x*.gz"]), ["mt"], "bleu")
    Path("y.txt.gz").write_bytes(Path("x.txt.gz").read_bytes()[:-30])
    monkeypatch.setattr(blocks, "HARMLESS", files.HARMLESS)
    with pytest.raises(InputError, match=r"^y\.txt\.gz: cannot be read"):
        stream(find_shards(None, ["y*.gz"], ["y*.gz"]), ["mt"], "bleu")


def test_huge_rows_are_read_few_at_a_time(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = ["x" * 100_000, "y"] * 20
    pq.write_table(pa.table({"a": rows}), here / "big.parquet", compression="none", use_dictionary=False)
    monkeypatch.setattr(blocks, "SIP", 1 << 19)
    shard = find_shards(None, ["big*.parquet:a"], ["big*.parquet:a"])[0]
    sizes = [len(block) for block in shard.blocks()]
    assert sum(sizes) == 40
    assert max(sizes) <= 11


def test_a_column_that_is_no_text(here: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1, 2], "b": [{"c": 1}, {"c": 2}], "d": [b"\xff", b"a"]}), here / "n.parquet")
    assert (
        stream(find_shards(None, ["n*.parquet:a"], ["n*.parquet:a"]), ["mt"], "wer").evaluation.scores()[0].value == 0
    )
    for name in ("b", "d"):
        with pytest.raises(InputError, match=r"^n\.parquet: column '.'"):
            stream(find_shards(None, [f"n*.parquet:{name}"], ["n*.parquet:a"]), ["mt"], "wer")


def test_missing_marks() -> None:
    make("r.txt", text="a b\n\\N\nc d\n")
    make("h.txt", text="a b\nx\nc d\n")
    found = stream(find_shards(None, ["r*.txt"], ["h*.txt"], "\\N"), ["mt"], "wer")
    assert (found.evaluation.scores()[0].value, found.evaluation.scores()[0].n) == (0, 2)


def test_one_file_is_one_shard(here: Path) -> None:
    write_text(here, "x", REFERENCES)
    assert [shard.paths for shard in find_shards(None, ["x-0.txt"], ["x-0.txt"])] == [("x-0.txt",)]
