"""Reading and writing of bytes: compressed files, memory maps, files whole or not at all."""

import mmap
from pathlib import Path

import pytest

from tertium.io.files import read_bytes, read_lines, write_atomically


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
    assert list(read_lines(path)) == ["a"]


def test_written_whole_or_not_at_all(write, refusal):
    write("a", "old")
    with pytest.raises(TypeError), write_atomically("a") as file:
        file.writelines([b"half", None])
    assert Path("a").read_text() == "old"
    assert [path.name for path in Path().iterdir()] == ["a"]
    assert refusal(write_atomically("none/a").__enter__) == "none/a: cannot be written (No such file or directory)"
