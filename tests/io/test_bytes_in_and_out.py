"""Reading and writing of bytes: compressed files, memory maps, files whole or not at all."""

import bz2
import gzip
import lzma
import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io import files
from tertium.io.files import read_bytes, read_lines, stream_lines, write_atomically
from tertium.io.testset import read_testset


def test_files_that_are_not_what_their_name_says(write, refusal):
    for suffix in (".gz", ".bz2", ".xz"):
        message = refusal(read_bytes, write(f"a{suffix}", b"hello"))
        assert message.startswith(f"a{suffix}: not a valid {suffix} file (")
        assert refusal(read_bytes, f"none{suffix}") == f"none{suffix}: no such file"


def test_a_file_system_without_memory_maps(write, monkeypatch):
    def fail(*_, **__):
        raise OSError

    path = write("a.en", "a\n")
    monkeypatch.setattr(mmap, "mmap", fail)
    assert list(read_lines(path, mmap=True)) == ["a"]


# A file that is cut short while its texts are in use: in a process of its own, because a map of it would kill it.
CUT = """
import os, tertium as tt
given = tt.read_testset("testset.toml")
os.truncate("a.en", 0)
print(tt.scores(tt.evaluate(given.testset, given.systems, "bleu"))[0].value)
"""


def test_a_file_that_is_cut_short_while_it_is_scored(write):
    write("testset.toml", 'references = "a.en"\nsystems = "a.en"\n')
    write("a.en", "the cat sat on the mat and looked around\n" * 5000)
    done = subprocess.run([sys.executable, "-c", CUT], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"100.0\n", b"")


def test_mapped_files_are_those_on_the_disk(write):
    """Only who asks for it gets what is written to the file afterwards: that is how a map is told from a copy."""
    write("testset.toml", 'references = "a.en"\nsystems = "a.en"\n')
    write("a.en", "old\n")
    given, mapped = read_testset("testset.toml"), read_testset("testset.toml", mmap=True)
    with Path("a.en").open("r+b") as file:
        file.write(b"new")
    assert [list(read.systems[0].outputs) for read in (given, mapped)] == [["old"], ["new"]]


def test_a_file_that_is_cut_short_while_it_is_read(write, refusal, monkeypatch):
    path = write("a.en", "a\nb\nc\n")
    whole = os.fstat

    def cut(handle):
        about = whole(handle)
        os.truncate(path, 2)
        return about

    monkeypatch.setattr(os, "fstat", cut)
    message = "a.en: became shorter while it was read; try again when it has been written"
    assert refusal(read_bytes, path) == message


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_small_files_that_unpack_to_large_ones(suffix, pack, write, refusal, monkeypatch):
    monkeypatch.setattr(files, "HARMLESS", 1_000_000)
    repeated = write(f"repeated.en{suffix}", pack(b"the cat\n" * 100_000))  # packs well, but is harmless
    assert len(read_lines(repeated)) == 100_000
    bomb = write(f"bomb.en{suffix}", pack(bytes(30_000_000)))
    most = max(1_000_000, 200 * Path(bomb).stat().st_size)
    assert most < 30_000_000
    assert refusal(read_bytes, bomb) == (
        f"{bomb}: unpacks to more than {most / 1e6:.1f} MB, 200 times its size, which no text does; "
        f"if it is meant, unpack it yourself and pass what comes out"
    )


def test_what_unpacks_to_more_than_there_is_memory_for(write, refusal, monkeypatch):
    path = write("a.en.gz", gzip.compress(b"a\n"))

    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr(gzip.GzipFile, "read", exhausted)
    assert refusal(read_bytes, path) == "a.en.gz: there is no memory for what it unpacks to"


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("text", ["Hello there.\n", "Привет, как дела?\n" * 300, "a", "1\n2\n"])
def test_utf_16_without_a_mark(encoding, text, write, refusal):
    path = write("a.en", text.encode(encoding))
    data = text.encode(encoding)[:4096]
    way_out = f"convert the file first, for example with: iconv -f {encoding} -t utf-8"
    assert refusal(read_lines, path) == (
        f"a.en: looks like UTF-16 without a byte order mark ({data.count(0)} of the first {len(data)} bytes are NUL); "
        f"{way_out}"
    )
    assert refusal(lambda: list(stream_lines(path))).endswith(way_out)


def test_binary_data(write, refusal):
    message = "not text (3000 of the first 4096 bytes are NUL); pass UTF-8 text"
    assert refusal(read_lines, write("a.bin", b"ab\n" + bytes(3000) + b"c" * 9000)) == f"a.bin: {message}"
    assert refusal(read_lines, write("a.en", "a\n".encode("utf-32le"))).startswith("a.en: not text (6 of the first 8")


@pytest.mark.parametrize("data", [bytes(range(256)), bytes(range(10)), b"\x00\x01\x02\n", b"PK\x03\x04\x14\x00\x08\n"])
def test_binary_data_with_few_nuls_is_not_called_utf_16(data, write, refusal):
    path = write("a.en", data)
    assert "UTF-16" not in refusal(read_lines, path)
    assert "UTF-16" not in refusal(lambda: list(stream_lines(path)))


def test_a_stray_nul_is_a_character(write):
    assert list(read_lines(write("a.en", "a\0b" + 100 * "c" + "\n"))) == ["a\0b" + 100 * "c"]


def test_streams_of_lines_have_an_end(write, refusal, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 100)
    path = write("a.en", "a" * 99 + "\n" + "a" * 200)
    message = "a.en:2: no line ends within 64 MB; is it text, and has it an end?"
    assert refusal(lambda: list(stream_lines(path))) == message


def test_written_whole_or_not_at_all(write, refusal):
    write("a", "old")
    with pytest.raises(TypeError), write_atomically("a") as file:
        file.writelines([b"half", None])
    assert Path("a").read_text() == "old"
    assert [path.name for path in Path().iterdir()] == ["a"]
    assert (
        refusal(write_atomically("none/a").__enter__)
        == "none/a: cannot be written: there is no folder none; make it first"
    )


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="a system without such devices")
def test_devices_are_written_to_and_never_replaced(tmp_path: Path) -> None:
    for name in ("null", "full"):
        (tmp_path / name).symlink_to(f"/dev/{name}")
    with write_atomically(tmp_path / "null") as file:
        file.write(b"gone")
    assert (tmp_path / "null").is_symlink()
    with (
        pytest.raises(InputError, match=r"full: cannot be written \(No space left on device\)"),
        write_atomically(tmp_path / "full") as file,
    ):
        file.write(b"no room")
    assert (tmp_path / "full").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "null"]
