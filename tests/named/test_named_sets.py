"""Test sets with a name: fetched whole or not at all, read as sacreBLEU reads them."""

import hashlib
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.dataset import DATASETS, SUBSETS

from tertium.core.errors import InputError
from tertium.io.named import download, fetching
from tertium.io.named.catalogue import PAIR, catalogue, find_named, read_catalogue
from tertium.io.named.fetching import get, receipt, verify
from tertium.io.named.store import document_kinds, fields_of, is_here, named_testset, segments_of

from .file_server import FileServer, serving

SRC, REF = "Der Zug hält.\nDie Tür klemmt.\n", "The train stops.\nThe door is stuck.\n"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERTIUM_TESTSETS", str(tmp_path / "sets"))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "theirs"))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", download.MIRROR):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as found:
        yield found


def packed(files: dict[str, str], kind: str = "tar") -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            about = tarfile.TarInfo(name)
            data = text.encode(errors="surrogateescape")
            about.size = len(data)
            tar.addfile(about, io.BytesIO(data))
    return out.getvalue()


def add(tmp_path: Path, address: str, checksum: str = "", **more: Any) -> Any:
    """An entry of the user's own."""
    folder = tmp_path / "sets" / "added"
    folder.mkdir(parents=True, exist_ok=True)
    pairs = more.get("pairs", 'de-en = ["a/src.de", "a/ref.en"]')
    (folder / "town.toml").write_text(
        f'["own/town"]\nlayout = "{more.get("layout", "plain")}"\n["own/town".pairs]\n{pairs}\n'
        f'[["own/town".files]]\naddress = "{address}"\n{checksum}\n'
    )
    return find_named("own/town")


def md5(data: bytes) -> str:
    return f'md5 = "{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'


def silent(*_: object) -> None:
    pass


TOWN = {"a/src.de": SRC, "a/ref.en": REF}


# The catalogue


def test_the_catalogue_is_sacrebleus_table() -> None:
    ours = {name: entry for name, entry in catalogue().items() if not entry.own}
    assert ours.keys() == DATASETS.keys()
    for name, theirs in DATASETS.items():
        entry = ours[name]
        assert [file.address for file in entry.files] == theirs.data
        assert [file.checksum for file in entry.files] == [("md5", digits) for digits in theirs.md5]
        assert entry.citation == (theirs.citation or "")
        for pair, paths in theirs.langpairs.items():
            known = entry.pairs[pair]
            assert PAIR.fullmatch(pair)
            if isinstance(paths, dict):
                assert (known.paths, known.refs) == (
                    (paths["path"],),
                    tuple(paths.get("refs", theirs.kwargs.get("refs"))),
                )
            else:
                assert known.paths == tuple(paths)
                assert known.refs == tuple(theirs.kwargs.get("refs", ()))
        assert entry.pairs.keys() == theirs.langpairs.keys()
        assert [entry.local_name(file) for file in entry.files] == [
            theirs._get_tarball_filename(a) for a in theirs.data
        ]
    assert document_kinds() == SUBSETS


FILE = '[a]\nlayout = "plain"\n[[a.files]]\naddress = "http://h/f"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[a]\nlayout = "plain"\n', "no files; an entry has layout, files and pairs"),
        ('[a]\nlayout = "plane"\nfiles = []\npairs = {}\n', "layout = 'plane'; known: plain"),
        ('[a]\nlayout = "plain"\nfiles = []\npairs = {}\n', "expected a list of tables"),
        ('["../a"]\nlayout = "plain"\n', "a name has letters"),
        ('["a/./b"]\nlayout = "plain"\n', "a name has letters"),
        ('[added]\nlayout = "plain"\n', "'added' is where entries are kept"),
        (f'{FILE}[[a.files]]\naddress = "http://g/f"\n[a.pairs]\n', "two are called f"),
        (f'{FILE}md5 = "12"\n[a.pairs]\n', "expected 32 hexadecimal digits"),
        (f'{FILE}[a.pairs]\nde-en = ["../x", "y"]\n', "leaves the folder"),
        (f'{FILE}[a.pairs]\nde-en = ["/etc/x", "y"]\n', "leaves the folder"),
        (f'{FILE}[a.pairs]\nde-en = ["x"]\n', "a source and a reference at least"),
        (f'{FILE.replace("/f", "/")}[a.pairs]\nde-en = ["x", "y"]\n', "names no file"),
        (f'{FILE}[a.pairs]\ngerman = ["x", "y"]\n', "not a language pair"),
    ],
)
def test_an_entry_that_is_wrong_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(InputError) as error:
        read_catalogue(tmp_path / "own.toml", own=True)
    assert said in str(error.value)


# Fetching


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_set_is_fetched_checked_and_read(tmp_path: Path, server: FileServer, kind: str) -> None:
    name = "/town.tgz" if kind == "tar" else "/town.zip"
    server.files[name] = packed(TOWN, kind)
    entry = add(tmp_path, server.address + name, md5(server.files[name]))
    assert not is_here(entry, "de-en")
    told: list[tuple[int, int]] = []
    get(entry, [], lambda _, done, whole: told.append((done, whole)))
    assert told[-1] == (len(server.files[name]), len(server.files[name]))
    testset, systems = named_testset("own/town")
    assert (list(testset.sources or ()), [texts[0] for texts in testset.references]) == (
        SRC.splitlines(),
        REF.splitlines(),
    )
    assert not systems
    assert list(verify(entry)) == []
    get(entry, [], silent)  # what is here is not fetched again
    assert len(server.asked) == 1
    written = tmp_path / "sets/own/town/own_town.de-en.ref"
    written.write_text("The train stops.\nThe door was stuck.\n")
    assert list(verify(entry)) == [
        f"{written}: changed since it was written; fetch it again: tertium testsets get own/town"
    ]


def test_what_was_cut_off_goes_on(tmp_path: Path, server: FileServer) -> None:
    data = server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz", md5(data))
    server.faults["/t.tgz"] = [("cut", 100), ("cut", 50)]
    for done in (100, 150):
        with pytest.raises(
            InputError, match=r"the connection ended after \d+ bytes of \d+ bytes; run this again, and it goes on"
        ):
            get(entry, [], silent)
        assert not (tmp_path / "sets/own/town/raw/own_town.t.tgz").exists()
        assert (tmp_path / "sets/own/town/raw/own_town.t.tgz.part").stat().st_size == done
    get(entry, [], silent)
    assert [asked for _, asked in server.asked] == [None, "bytes=100-", "bytes=150-"]
    assert fields_of(entry, "de-en")["src"] == SRC.splitlines()
    assert not list((tmp_path / "sets").rglob("*.part*"))


def test_a_server_without_ranges_begins_anew(tmp_path: Path, server: FileServer) -> None:
    data = server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz", md5(data))
    server.faults["/t.tgz"] = [("cut", 100), "no ranges"]
    with pytest.raises(InputError):
        get(entry, [], silent)
    get(entry, [], silent)
    assert fields_of(entry, "de-en")["src"] == SRC.splitlines()


def test_parts_of_two_versions_are_not_joined(tmp_path: Path, server: FileServer) -> None:
    """Without a checksum, the server's name of the version says whether it is still the same file."""
    server.files["/t.tgz"], server.tags["/t.tgz"] = packed(TOWN), '"one"'
    entry = add(tmp_path, server.address + "/t.tgz")
    server.faults["/t.tgz"] = [("cut", 100)]
    with pytest.raises(InputError):
        get(entry, [], silent)
    server.files["/t.tgz"], server.tags["/t.tgz"] = packed({**TOWN, "a/ref.en": REF.upper()}), '"two"'
    get(entry, [], silent)
    assert fields_of(entry, "de-en")["ref"] == REF.upper().splitlines()


def test_a_wrong_checksum_leaves_nothing(tmp_path: Path, server: FileServer) -> None:
    server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz", md5(b"another file"))
    with pytest.raises(
        InputError, match=r"this is not the file that was published: md5 .*, expected .*; it was not taken"
    ):
        get(entry, [], silent)
    assert not [path for path in (tmp_path / "sets/own").rglob("*") if path.is_file()]


def test_an_unverified_file_is_held_to_its_first_download(tmp_path: Path, server: FileServer) -> None:
    data = server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz")
    assert not entry.verified
    get(entry, [], silent)
    home = tmp_path / "sets/own/town"
    assert receipt(home)["files"][entry.files[0].address]["sha256"] == hashlib.sha256(data).hexdigest()
    (home / "raw/own_town.t.tgz").unlink()
    server.files["/t.tgz"] = packed({**TOWN, "a/ref.en": "Changed.\nToo.\n"})
    with pytest.raises(InputError, match="not what was fetched before"):
        get(entry, [], silent)
    assert fields_of(entry, "de-en")["ref"] == REF.splitlines()


def test_other_hosts_are_followed_only_with_a_checksum(tmp_path: Path, server: FileServer) -> None:
    data = packed(TOWN)
    with serving() as other:
        other.files["/there.tgz"] = data
        server.files["/t.tgz"] = b""
        for checksum, followed in ((md5(data), True), ("", False)):
            server.faults["/t.tgz"] = [("to", other.address + "/there.tgz")]
            entry = add(tmp_path, server.address + "/t.tgz", checksum)
            if followed:
                get(entry, [], silent)
                fetching.os.remove(tmp_path / "sets/own/town/raw/own_town.t.tgz")
            else:
                asked = len(other.asked)
                with pytest.raises(InputError, match="sent on to another host"):
                    get(entry, [], silent)
                assert len(other.asked) == asked
        server.faults["/t.tgz"] = [("to", "file:///etc/passwd")]
        with pytest.raises(InputError, match=r"is not allowed|not followed"):
            get(add(tmp_path, server.address + "/t.tgz", md5(data)), [], silent)
        server.faults["/t.tgz"] = [("to", server.address + "/t.tgz")] * 20
        with pytest.raises(InputError, match=r"sent on in a circle, [^\n]*; not followed$"):
            get(add(tmp_path, server.address + "/t.tgz", md5(data)), [], silent)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("hang", "no answer within 0.2 seconds|no byte came for too long"),
        (404, "the server says 404 Not Found"),
        (500, "the server says 500"),
        ("no length", "neither server nor catalogue says how long it is"),
    ],
)
def test_what_a_server_does_is_a_sentence(tmp_path: Path, server: FileServer, fault: Any, said: str) -> None:
    server.files["/t.tgz"] = packed(TOWN)
    server.faults["/t.tgz"] = [fault]
    with pytest.raises(InputError, match=said):
        # Only who never answers is not waited for: an answer may take as long as it likes.
        get(add(tmp_path, server.address + "/t.tgz"), [], silent, patience=0.2 if fault == "hang" else 60)
    assert not (tmp_path / "sets/own/town/raw/own_town.t.tgz").exists()


def test_nobody_there_is_a_sentence(tmp_path: Path) -> None:
    with serving() as gone:
        address = gone.address
    with pytest.raises(InputError, match=r"not reached \(.*\); is there a connection, or a proxy to name\?"):
        get(add(tmp_path, address + "/t.tgz"), [], silent)
    with pytest.raises(InputError, match="not an address of a file"):
        get(add(tmp_path, "ftp://127.0.0.1/t.tgz"), [], silent)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """The system itself refuses what goes beyond so many bytes of a file, as a full disk does."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


LONG = {"a/src.de": SRC * 9000, "a/ref.en": REF * 9000}  # packs to a few kB


@pytest.mark.parametrize("room", [1000, 100_000], ids=["of the download", "of the texts"])
def test_a_full_disk_is_a_sentence(tmp_path: Path, server: FileServer, room: int) -> None:
    """Closing a file that the disk refused tries once more: that is no traceback either."""
    data = server.files["/t.tgz"] = packed(LONG)
    assert 1000 < len(data) < 100_000 < len(LONG["a/src.de"])
    entry = add(tmp_path, server.address + "/t.tgz", md5(data))
    with full_disk(room), pytest.raises(InputError) as error:
        get(entry, [], silent)
    assert re.search(r"cannot be written \([^()]+\); make room and run this again$", str(error.value))
    assert "damaged" not in str(error.value)
    assert not is_here(entry, "de-en")
    left = set(snapshot(tmp_path / "sets/own"))
    assert left == ({"town/raw/own_town.t.tgz.part"} if room == 1000 else {"town/raw/own_town.t.tgz"})
    get(entry, [], silent)
    assert len(fields_of(entry, "de-en")["src"]) == 18_000


@pytest.mark.parametrize(
    "files",
    [
        {**TOWN, "../../../out.txt": "x"},
        {**TOWN, "a/ref.en": "Only one.\n"},
        {"a/ref.en": REF},
        {**TOWN, "a/ref.en": "\udce9 \n"},
    ],
    ids=["out of the folder", "lengths", "no source", "no UTF-8"],
)
def test_what_fails_leaves_a_set_as_it_was(tmp_path: Path, server: FileServer, files: dict[str, str]) -> None:
    """Members that come before the wrong one are not kept, and a set that was here before stays whole."""
    data = server.files["/t.tgz"] = packed(files)
    entry = add(tmp_path, server.address + "/t.tgz", md5(data))
    with pytest.raises(InputError) as error:
        get(entry, [], silent)
    assert ".making" not in str(error.value)
    assert not is_here(entry, "de-en")
    assert set(snapshot(tmp_path / "sets/own")) == {"town/raw/own_town.t.tgz"}
    assert set(snapshot(tmp_path)) == {"sets/own/town/raw/own_town.t.tgz", "sets/added/town.toml"}


def test_a_full_disk_spoils_no_set_that_is_here(tmp_path: Path, server: FileServer) -> None:
    server.files["/t.tgz"] = packed(LONG)
    entry = add(tmp_path, server.address + "/t.tgz", md5(server.files["/t.tgz"]))
    get(entry, [], silent)
    before = snapshot(tmp_path)
    with full_disk(100_000), pytest.raises(InputError, match="cannot be written"):
        get(entry, [], silent)
    assert snapshot(tmp_path) == before
    assert list(verify(entry)) == []


def test_what_came_before_a_hang_is_kept(tmp_path: Path, server: FileServer) -> None:
    data = server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz", md5(data))
    server.faults["/t.tgz"] = [("stop", 100)]
    with pytest.raises(InputError, match="no byte came for too long; run this again, and it goes on from there"):
        get(entry, [], silent, patience=0.5)
    get(entry, [], silent)
    assert [asked for _, asked in server.asked] == [None, "bytes=100-"]


def test_that_a_part_goes_on_is_said_only_where_it_does(tmp_path: Path, server: FileServer) -> None:
    """Without a checksum and without a name of the version, a part may be of another file."""
    server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz")
    server.faults["/t.tgz"] = [("cut", 100)]
    with pytest.raises(InputError, match="run this again, and it begins anew"):
        get(entry, [], silent)
    get(entry, [], silent)
    assert [asked for _, asked in server.asked] == [None, None]


def test_a_server_that_promises_too_much_is_forgiven_by_the_checksum(tmp_path: Path, server: FileServer) -> None:
    data = server.files["/t.tgz"] = packed(TOWN)
    server.faults["/t.tgz"] = [("length", len(data) + 1000)]
    get(add(tmp_path, server.address + "/t.tgz", md5(data)), [], silent)
    assert named_testset("own/town")[0].segments == 2


@pytest.mark.parametrize("checked", [True, False])
def test_what_was_damaged_here_is_fetched_again(tmp_path: Path, server: FileServer, checked: bool) -> None:
    data = server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz", md5(data) if checked else "")
    get(entry, [], silent)
    archive = tmp_path / "sets/own/town/raw/own_town.t.tgz"
    archive.write_bytes(data[:-20])
    assert list(verify(entry)) == [
        f"{archive}: changed since it was fetched; fetch it again: tertium testsets get own/town"
    ]
    get(entry, [], silent)
    assert list(verify(entry)) == []


def test_a_page_that_is_no_archive_is_not_kept(tmp_path: Path, server: FileServer) -> None:
    """What a network's log-in page answers; without a checksum only unpacking tells."""
    server.files["/t.tgz"] = b"<html>log in</html>"
    entry = add(tmp_path, server.address + "/t.tgz")
    with pytest.raises(InputError, match=r"a damaged archive, or none \(.*\); it is removed") as error:
        get(entry, [], silent)
    assert "\n" not in str(error.value)
    assert snapshot(tmp_path / "sets/own") == {}
    server.files["/t.tgz"] = packed(TOWN)
    get(entry, [], silent)


@pytest.mark.parametrize("text", ['{"files": 1}', "[]", '{"files": {"a": 1}, "texts": {}}', "{"])
def test_a_damaged_receipt_is_none(tmp_path: Path, server: FileServer, text: str) -> None:
    server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz")
    get(entry, [], silent)
    (tmp_path / "sets/own/town/receipt.json").write_text(text)
    assert list(verify(entry)) == ["own/town: not fetched (tertium testsets get own/town)"]
    get(entry, [], silent)
    assert list(verify(entry)) == []


def test_a_file_of_ones_own_that_changed_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.tgz").write_bytes(packed(TOWN))
    entry = add(tmp_path, str(tmp_path / "mine.tgz"))
    get(entry, [], silent)
    (tmp_path / "mine.tgz").write_bytes(packed({**TOWN, "a/ref.en": REF.upper()}))
    home = tmp_path / "sets/own/town"
    with pytest.raises(InputError, match=f"not what was fetched before .*; to take it all the same, remove {home}$"):
        get(entry, [], silent)
    assert fields_of(entry, "de-en")["ref"] == REF.splitlines()


def test_mirrors_and_proxies_are_asked(tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed(TOWN)
    server.files["/sets.example.org/x/t.tgz"] = server.files["http://sets.example.org/x/t.tgz"] = data
    entry = add(tmp_path, "http://sets.example.org/x/t.tgz", md5(data))
    monkeypatch.setenv(download.MIRROR, server.address + "/")
    get(entry, [], silent)
    (tmp_path / "sets/own/town/raw/own_town.t.tgz").unlink()
    monkeypatch.delenv(download.MIRROR)
    monkeypatch.setenv("http_proxy", server.address)
    get(entry, [], silent)
    assert [path for path, _ in server.asked] == ["/sets.example.org/x/t.tgz", "http://sets.example.org/x/t.tgz"]


def test_nothing_leaves_the_folder(tmp_path: Path, server: FileServer) -> None:
    for name in ("../../out.txt", "/nowhere/out.txt", "a/../../out.txt", "a\\..\\out.txt"):
        server.files["/t.tgz"] = packed({name: "x", **TOWN})
        with pytest.raises(InputError, match="leaves the folder; nothing of it is taken"):
            get(add(tmp_path, server.address + "/t.tgz", md5(server.files["/t.tgz"])), [], silent)
        assert not list(tmp_path.rglob("out.txt"))
        for path in (tmp_path / "sets/own/town/raw").iterdir():
            path.unlink()


def test_links_are_no_files(tmp_path: Path, server: FileServer) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        link = tarfile.TarInfo("a/src.de")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    server.files["/t.tgz"] = out.getvalue()
    with pytest.raises(InputError, match=r"no a/ref\.en in what was fetched"):
        get(add(tmp_path, server.address + "/t.tgz", md5(out.getvalue())), [], silent)
    assert not (tmp_path / "sets/own/town/raw/a/src.de").exists()


def test_archives_that_unpack_to_too_much_are_refused(tmp_path: Path, server: FileServer) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:  # a header that promises it is enough
        about = tarfile.TarInfo("a/src.de")
        about.size = 1 << 40
        tar.fileobj.write(about.tobuf())  # type: ignore[union-attr]
    server.files["/t.tar"] = out.getvalue()
    with pytest.raises(InputError, match="when unpacked; at most"):
        get(add(tmp_path, server.address + "/t.tar", md5(out.getvalue())), [], silent)


@pytest.mark.parametrize("data", [b"", b"no archive", packed(TOWN)[:-30]])
def test_damaged_archives_are_refused(tmp_path: Path, server: FileServer, data: bytes) -> None:
    server.files["/t.tgz"] = data
    with pytest.raises(InputError, match=r"a damaged archive|no a/ref\.en"):
        get(add(tmp_path, server.address + "/t.tgz", md5(data)), [], silent)
    with pytest.raises(InputError, match="is not on this computer; fetch it: tertium testsets get own/town -l de-en"):
        named_testset("own/town", "de-en")


def test_two_at_a_time_do_not_mix(tmp_path: Path, server: FileServer) -> None:
    pytest.importorskip("fcntl")
    server.files["/t.tgz"] = packed(TOWN)
    entry = add(tmp_path, server.address + "/t.tgz", md5(server.files["/t.tgz"]))
    part = tmp_path / "sets/own/town/raw/own_town.t.tgz.part"
    part.parent.mkdir(parents=True)
    with download._writing(part, entry.files[0]), pytest.raises(InputError, match="another process is fetching it"):
        get(entry, [], silent)


def test_sacrebleus_folder_is_read_and_never_written(tmp_path: Path, server: FileServer) -> None:
    theirs = tmp_path / "theirs/own/town"
    (theirs / "raw/a").mkdir(parents=True)
    (theirs / "raw/a/src.de").write_text(SRC)
    (theirs / "raw/a/ref.en").write_text(REF)
    entry = add(tmp_path, server.address + "/t.tgz", md5(packed(TOWN)))
    assert fields_of(entry, "de-en") == {"src": SRC.splitlines(), "ref": REF.splitlines()}
    data = packed(TOWN)
    (theirs / "raw/own_town.t.tgz").write_bytes(data)
    before = sorted(theirs.rglob("*"))
    get(add(tmp_path, server.address + "/t.tgz", md5(data)), [], silent)  # their download, if it is the right one
    assert not server.asked
    assert sorted(theirs.rglob("*")) == before


def test_files_of_a_users_own_are_taken_from_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "mine.tgz").write_bytes(packed(TOWN))
    entry = add(tmp_path, str(tmp_path / "mine.tgz"))
    get(entry, [], silent)
    assert named_testset("own/town", "de-en")[0].segments == 2
    with pytest.raises(InputError, match="no such file"):
        get(add(tmp_path, str(tmp_path / "theirs.tgz")), [], silent)


# Parts


def test_parts_of_a_test_set(tmp_path: Path) -> None:
    xml = (
        '<dataset id="t"><doc id="a" origlang="de" domain="news"><src lang="de"><p><seg id="1">Eins</seg></p></src>'
        '<ref lang="en" translator="A"><p><seg id="1">One</seg></p></ref></doc>'
        '<doc id="b" origlang="en" domain="social"><src lang="de"><p><seg id="1">Zwei</seg></p></src>'
        '<ref lang="en" translator="A"><p><seg id="1">Two</seg></p></ref></doc></dataset>'
    )
    (tmp_path / "t.xml").write_text(xml)
    entry = add(
        tmp_path, str(tmp_path / "t.xml"), layout="xml", pairs='de-en = {path = "own_town.t.xml", refs = ["A"]}'
    )
    get(entry, [], silent)
    testset, _ = named_testset("own/town")
    assert testset.documents == ("a", "b")
    assert dict(testset.labels) == {"origlang": ("de", "en"), "domain": ("news", "social")}
    assert segments_of(testset, "de", None) == [0]
    assert segments_of(testset, "non-de", None) == [1]
    assert segments_of(testset, None, "soc") == [1]
    with pytest.raises(InputError, match="--origlang fr: no such segment in own/town; there are: de, en"):
        segments_of(testset, "fr", None)
    with pytest.raises(InputError, match="not a regular expression"):
        segments_of(testset, None, "(")


def test_hostile_xml_is_refused(tmp_path: Path) -> None:
    for text, said in (
        ('<!DOCTYPE d [<!ENTITY a "b">]><dataset>&a;</dataset>', "has a DOCTYPE"),
        ("<dataset><doc>", "not well-formed"),
        ('<dataset><doc id="a"><src><seg>x</seg></src></doc></dataset>', "without a number as its id"),
    ):
        (tmp_path / "t.xml").write_text(text)
        entry = add(tmp_path, str(tmp_path / "t.xml"), layout="xml", pairs='de-en = ["own_town.t.xml"]')
        with pytest.raises(InputError, match=said):
            get(entry, [], silent)
        (tmp_path / "sets/own/town/raw/own_town.t.xml").unlink()


def test_a_receipt_says_where_things_are_from(tmp_path: Path, server: FileServer) -> None:
    server.files["/t.tgz"] = packed(TOWN)
    get(add(tmp_path, server.address + "/t.tgz"), [], silent)
    found = json.loads((tmp_path / "sets/own/town/receipt.json").read_bytes())
    assert found["texts"].keys() == {"own_town.de-en.src", "own_town.de-en.ref"}
