"""Uploads by somebody who means harm: nothing outside is read, and neither time nor memory is taken for long."""

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.test_uploads import OUTPUT, REFERENCE, SOURCE, packed, part, read, refusal

import tertium as tt
from tertium.core.errors import InputError
from tertium.io.files import read_lines
from tertium.io.testset import read_testset
from tertium.io.texts import Spec
from tertium.web.intake import SLACK
from tertium.web.uploads import Limits, UploadedText, read_texts_as, safe_name

SECRET = "TOPSECRET-1\nTOPSECRET-2\n"


# Columns that are paths


@pytest.mark.parametrize("climb", range(1, 6))
def test_a_column_is_never_a_path(tmp_path: Path, climb: int) -> None:
    folder = tmp_path / "a" / "b"
    (tmp_path / "secret.txt").write_text(SECRET)
    # What a sender could have made before colons were refused: a folder that is called as the file and a colon.
    (folder / "a.txt:").mkdir(parents=True)
    (folder / "a.tsv:").mkdir()
    column = "/" + "../" * climb + "secret.txt"
    reference = part("file", "ref.en", REFERENCE)
    roles = [
        {"file": "a.txt", "role": "output", "column": column, "name": "x"},
        {"file": "ref.en", "role": "reference"},
    ]
    assert refusal(folder, part("file", "a.txt", OUTPUT), reference, roles=roles) == (
        f"a.txt:{column}: a.txt is plain text and has no columns; write a.txt"
    )
    for role in ("source", "reference", "documents"):
        named = [{**roles[0], "role": role}, {"file": "o.en", "role": "output"}]
        extra = [] if role == "reference" else [{"file": "r.en", "role": "reference"}]
        files = [part("file", name, OUTPUT) for name in ("a.txt", "o.en", "r.en")]
        again = tmp_path / role / "b"
        (again / "a.txt:").mkdir(parents=True)
        assert "a.txt is plain text and has no columns" in refusal(again, *files, roles=[*named, *extra])
    table = part("file", "a.tsv", f"reference\t{column}\none\tworld\n")
    found = read(folder, table)
    assert [(system.name, list(system.outputs)) for system in found.systems] == [(column, ["world"])]


def test_columns_of_uploads_through_the_server(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    for climb in range(1, 7):
        column = "/" + "../" * climb + "secret.txt"
        files = [("file", (name, b"hello\n")) for name in ("a.txt", "a.txt:/b", "ref.en")]
        roles = [{"file": "a.txt", "role": "output", "column": column}, {"file": "ref.en", "role": "reference"}]
        answer = client.post("/api/evaluations", files=files, data={"roles": json.dumps(roles), "metrics": "bleu"})
        assert answer.status_code == 422
        zipped = packed({"a.tsv": f"reference\t{column}\nhello\tworld\n", "a.tsv:/README": "x\n"})
        answer = client.post("/api/evaluations", files=[("file", ("x.zip", zipped))], data={"metrics": "bleu"})
        assert answer.json() == {
            "error": "'a.tsv:/README': a name with a colon may mean a column of a table; rename the file"
        }
    assert client.get("/api/evaluations").json() == []


@pytest.mark.parametrize("name", ["a:b", "a.tsv:/b", "a/b:c/d", "a::$DATA", ":"])
def test_colons_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="a name with a colon"):
        safe_name(name)


@pytest.mark.parametrize("name", [".. /a", "../ a", "a/... /b", "a/. ./b", " ", "a/ "])
def test_names_that_other_systems_shorten_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="not a name inside the upload"):
        safe_name(name)


def test_what_is_opened_lies_in_the_upload(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text(SECRET)
    (folder / "link").symlink_to(tmp_path / "secret.txt")
    (folder / "r.en").write_text(REFERENCE)
    reference = UploadedText("reference", Spec(str(folder / "r.en")))
    for path in (tmp_path / "secret.txt", folder / "link", folder / ".." / "secret.txt", Path("/etc/passwd")):
        for role in ("output", "judgements", "source"):
            with pytest.raises(InputError, match="not a file of the upload; send it along"):
                read_texts_as([reference, UploadedText(role, Spec(str(path)))], folder)


KEYS = ["source", "references", "systems", "documents", "ids", "judgements", "labels"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("spec", ["../secret.txt", "link", "li*", "t.tsv:/../../secret.txt", "*/../../secret.txt"])
def test_a_confined_testset_opens_nothing_outside(tmp_path: Path, key: str, spec: str) -> None:
    folder = tmp_path / "up"
    (folder / "t.tsv:").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text(SECRET)
    (folder / "link").symlink_to(tmp_path / "secret.txt")
    (folder / "r.en").write_text(REFERENCE)
    named = f'[labels]\nd = "{spec}"\n' if key == "labels" else f'{key} = "{spec}"\n'
    path = folder / "testset.toml"
    path.write_text(("" if key == "references" else 'references = "r.en"\n') + named)
    with pytest.raises(InputError, match=r"lies outside the folder; name files in it|no such file") as caught:
        read_testset(path, folder)
    if "*" not in spec or key == "systems":
        assert "lies outside the folder" in str(caught.value)


def test_judgements_are_whole_files(tmp_path: Path) -> None:
    rated = "system\tsegment\trater\tscale\tvalue\na\t1\tr\tda100\t50\n"
    files = [part("file", "a.en", OUTPUT), part("file", "r.en", REFERENCE), part("file", "j.tsv", rated)]
    roles = [{"file": "a.en", "role": "output"}, {"file": "r.en", "role": "reference"},
             {"file": "j.tsv", "role": "judgements", "column": "/../../secret.txt"}]  # fmt: skip
    assert [judgement.value for judgement in read(tmp_path, *files, roles=roles).judgements] == [50]


# Limits of time and memory


def listing(entries: int, said: int, zip64: bool = False) -> bytes:
    """A zip that is nothing but a list of empty files, and says of it that there are `said`."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    size = len(entry) * entries
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, said, said, 0xFFFFFFFF if zip64 else size, 0, 0)
    if zip64:
        large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, said, said, size, 0)
        end = large + struct.pack("<4sLQL", b"PK\x06\x07", 0, size, 1) + end
    return entry * entries + end


@pytest.mark.parametrize("zip64", [False, True])
@pytest.mark.parametrize("said", [0, 1, 60_000])
def test_a_list_of_files_without_end_is_not_read(tmp_path: Path, zip64: bool, said: int) -> None:
    few = listing(3, 3, zip64)
    with zipfile.ZipFile(io.BytesIO(few)) as archive:
        assert archive.namelist() == ["a"] * 3
    assert refusal(tmp_path / "a", part("file", "a.zip", listing(100_000, said, zip64))) == (
        "a.zip: the list of its files takes 4 MB, more than 1000 files need; put the texts into fewer, or into a table"
    )


def test_many_small_bombs_are_a_large_one(tmp_path: Path) -> None:
    little = Limits(harmless=1 << 20)
    refused = "with it the upload unpacks to more than 200 times its size; texts do not, so it is refused"
    data = b"\n" * (600 << 10)
    zipped = packed({f"{k}.en": data for k in range(9)})
    assert len(zipped) < 9 * 800
    # 9 x 800 bytes may become 1.4 MB: the third file is too much
    assert refusal(tmp_path / "a", part("file", "a.zip", zipped), limits=little) == f"2.en: {refused}"
    files = [part("output", f"{k}.en.gz", gzip.compress(data)) for k in range(9)]
    assert refusal(tmp_path / "b", *files, limits=little) == f"1.en.gz: {refused}"


def test_saved_evaluations_are_no_bombs(tmp_path: Path) -> None:
    parts = [part("source", "s", SOURCE), part("reference", "r", REFERENCE), part("output", "atlas", OUTPUT)]
    given = read(tmp_path / "a", *parts)
    tt.save(tt.evaluate(given.testset, given.systems, "bleu"), tmp_path / "e.zip")
    with zipfile.ZipFile(tmp_path / "e.zip", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more", bytes(40 << 20))
    assert "the limit is 33554432" in refusal(tmp_path / "b", part("file", "e.zip", (tmp_path / "e.zip").read_bytes()))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zips_by_other_methods_are_refused(tmp_path: Path, method: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("r.en", REFERENCE)
    assert refusal(tmp_path, part("file", "a.zip", out.getvalue())) == (
        "a.zip: r.en is packed by another method than deflate; zip it again"
    )


def test_packed_files_that_hold_next_to_nothing(tmp_path: Path) -> None:
    long = SLACK + (1 << 17)
    text = gzip.compress(REFERENCE.encode(), mtime=0)
    named = text[:3] + b"\x08" + text[4:10] + b"x" * long + b"\0" + text[10:]
    assert gzip.decompress(named) == REFERENCE.encode()
    hollow = {
        "header.en.gz": named,
        "parts.en.gz": text + gzip.compress(b"") * (long // 20),
        "padding.en.gz": text + bytes(long),
        "parts.en.xz": lzma.compress(b"") * (long // 32) + lzma.compress(REFERENCE.encode()),
    }
    for number, (name, data) in enumerate(hollow.items()):
        assert refusal(tmp_path / str(number), part("reference", name, data)) == (
            f"{name}: unpacks to less than its size; pack it again, or send it as it is"
        )


def test_texts_that_cannot_be_packed_are_taken(tmp_path: Path) -> None:
    import random

    drawn = random.Random(1)
    line = (
        "".join(chr(0x4E00 + drawn.randrange(20000)) for _ in range(600_000)) + "\n"
    )  # 1.8 MB, nearly all of it needed
    ways = {".gz": [gzip.compress(line.encode(), level) for level in (0, 9)], ".bz2": [bz2.compress(line.encode())],
            ".xz": [lzma.compress(line.encode(), preset=0)]}  # fmt: skip
    for suffix, found in ways.items():
        for number, data in enumerate(found):
            parts = [part("reference", f"r.en{suffix}", data), part("output", "a.en", line)]
            assert list(read(tmp_path / f"{suffix}{number}", *parts).testset.references[0]) == [line[:-1]]


def test_kinds_that_are_refused_are_refused_in_zips_too(tmp_path: Path) -> None:
    for number, name in enumerate(["t.parquet", "x/T.ARROW", "t.feather.gz"]):
        assert "files are not taken here; convert it to .tsv or .jsonl" in refusal(
            tmp_path / str(number), part("file", "a.zip", packed({name: b"PAR1"}))
        )


def test_a_file_that_is_called_as_a_suffix(tmp_path: Path) -> None:
    (tmp_path / ".gz").write_bytes(gzip.compress(REFERENCE.encode()))
    assert list(read_lines(tmp_path / ".gz")) == ["one", "two"]
    bomb = gzip.compress(b"\n" * (40 << 20))
    assert "with it the upload unpacks to more than 200" in refusal(tmp_path / "a", part("reference", ".gz", bomb))


def test_little_that_would_become_much(tmp_path: Path) -> None:
    """Each is less than 2 MB and took minutes, or gigabytes."""
    one = [part("file", "a", OUTPUT), part("file", "r", REFERENCE)]
    roles = [{"file": "r", "role": "reference"}, *({"file": "a", "role": "output", "name": f"{k}"} for k in range(9))]
    assert refusal(tmp_path / "roles", *one, roles=roles) == "a is named 9 times; name each file or column once"

    rows = [json.dumps({"ref": ["a"] * 3000, "out": "b"}), *[json.dumps({"ref": "a", "out": "b"})] * 3000]
    assert refusal(tmp_path / "lists", part("file", "t.jsonl", "\n".join(rows))) == (
        "t.jsonl: ref has a list of 3000 texts, and far fewer in most rows; are they one list?"
    )
    rows = [json.dumps({"ref": "a", f"{k}": "b" * 200}) for k in range(3000)]
    assert refusal(tmp_path / "keys", part("file", "t.jsonl", "\n".join(rows))).endswith(
        ": too many columns of too large a table; send the columns as files"
    )
    segments = "".join(f'<seg id="{k}">a</seg>' for k in range(3000))
    voices = "".join(f'<hyp system="{k}"><p><seg id="1">a</seg></p></hyp>' for k in range(3000))
    xml = f'<dataset id="x"><doc id="d"><src lang="de"><p>{segments}</p></src>{voices}</doc></dataset>'
    assert refusal(tmp_path / "sides", part("file", "x.xml", xml)) == (
        "x.xml: 3001 sides of 3000 segments, nearly all of which are missing; is each segment called a system?"
    )
    assert refusal(tmp_path / "toml", part("file", "t.toml", "a" + ".a" * 20_000 + " = 1")) == (
        "t.toml: more than 5000 dots; name files by patterns such as systems/*.en"
    )
    few = Limits(lines=10)
    large = "a.en: with it the upload has more than 10 lines; send less at a time"
    assert refusal(tmp_path / "lines", part("output", "a.en", "\n" * 11), limits=few) == large
    assert refusal(tmp_path / "zip", part("file", "a.zip", packed({"a.en": "\n" * 11})), limits=few) == large


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "X.TGZ", "x.7z", "x.rar"])
def test_other_archives_are_not_taken_for_texts(tmp_path: Path, name: str) -> None:
    data = gzip.compress(OUTPUT.encode())
    for number, given in enumerate([part("file", name, data), part("file", "a.zip", packed({name: data}))]):
        assert refusal(tmp_path / str(number), given).endswith("files are not taken here; send a zip")


def test_encrypted_zips_are_refused(tmp_path: Path) -> None:
    data = bytearray(packed({"r.en": REFERENCE}))
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.find(mark) + place] |= 1
    assert refusal(tmp_path, part("file", "a.zip", bytes(data))) == (
        "a.zip: r.en is encrypted; send it without a password"
    )


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    deep = "[" * 100_000
    assert refusal(tmp_path / "a", part("file", "t.jsonl", f'{{"ref": {deep}')).startswith("t.jsonl:1: not JSON (")
    assert refusal(tmp_path / "b", part("file", "t.toml", f"a = {deep}")).startswith("t.toml: not a valid TOML file (")


def test_globs_come_to_an_end(tmp_path: Path) -> None:
    folders = {f"{k}/" * depth + "a.en": OUTPUT for k in range(10) for depth in range(1, 11)}
    for number, (pattern, sentence) in enumerate({
        "**/" * 60 + "*.en": "has ** 60 times; one ** already stands for folders at any depth, so write it once",
        "*/" * 2000 + "*.en": "matches no file; relative paths count from",
    }.items()):  # fmt: skip
        toml = f'references = "r.en"\nsystems = "{pattern}"\n'
        zipped = packed({"testset.toml": toml, "r.en": REFERENCE, **folders})
        found = refusal(tmp_path / str(number), part("file", "a.zip", zipped))
        assert found.startswith("testset.toml: systems: ")
        assert sentence in found
