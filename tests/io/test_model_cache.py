"""What models have worked out is kept by content; whatever becomes of the file, work goes on."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.model_cache import FILE, ModelCache, cache_facts, clear_cache


class Notes(list[str]):
    def __call__(self, sentence: str) -> None:
        self.append(sentence)


@pytest.fixture
def notes() -> Notes:
    return Notes()


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def test_what_is_kept_is_found_by_the_next(tmp_path: Path, notes: Notes) -> None:
    values = {key(k): bytes([k % 256]) * k for k in range(1200)}  # more than are asked for at a time
    with ModelCache(tmp_path / "new", notes) as cache:
        assert cache.find([key(1)]) == {}
        cache.keep(values)
    with ModelCache(tmp_path / "new", notes) as cache:
        assert cache.find([*values, key(9999)]) == values
    assert cache_facts(tmp_path / "new").entries == 1200
    assert notes == []


def test_the_longest_unused_go_first(tmp_path: Path, notes: Notes) -> None:
    limit = 400_000
    for k in range(30):  # 30 uses, each of 20,000 bytes
        with ModelCache(tmp_path, notes, limit) as cache:
            cache.keep({key(k): bytes(20_000)})
            cache.find([key(0)])  # which is therefore never unused for long
    with ModelCache(tmp_path, notes, limit) as cache:
        left = [int.from_bytes(each, "big") for each in cache.find([key(k) for k in range(30)])]
    assert 0 in left
    assert 29 in left
    others = sorted(set(left) - {0})
    assert others == list(range(others[0], 30))  # the latest ones
    assert 10 < len(left) < 20
    assert cache_facts(tmp_path).size <= limit
    assert notes == []


def test_a_full_disk_is_told_once_and_stops_nothing(tmp_path: Path, notes: Notes) -> None:
    with ModelCache(tmp_path, notes) as cache:
        cache.keep({key(1): b"one"})
        assert cache._connection is not None
        cache._connection.execute("PRAGMA max_page_count = 10")
        cache.keep({key(2): bytes(1_000_000)})
        cache.keep({key(3): b"three"})
        assert cache.find([key(1)]) == {}
    assert notes == [
        f"{tmp_path / FILE}: there is no room for it on the disk (tertium learn cache --clear empties it); scores are "
        f"worked out all the same, but no longer kept"
    ]
    with ModelCache(tmp_path, notes) as cache:  # what was kept before is whole
        assert cache.find([key(1), key(2), key(3)]) == {key(1): b"one"}


@pytest.mark.parametrize("spoil", ["text", "folder", "version"])
def test_a_file_that_is_none_of_ours(spoil: str, tmp_path: Path, notes: Notes) -> None:
    path = tmp_path / FILE
    if spoil == "text":
        path.write_text("not a database" * 100)
    elif spoil == "folder":
        path.mkdir()
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 7")
        connection.close()
    with ModelCache(tmp_path, notes) as cache:
        cache.keep({key(1): b"one"})
        assert cache.find([key(1)]) == {}
    told = {
        "text": "is damaged (file is not a database; tertium learn cache --clear deletes it)",
        "folder": "cannot be used as a cache (unable to open database file)",
        "version": "is of another tertium (version 7 of the file, not 1): empty it with that one, or delete the file",
    }
    assert notes == [f"{path}: {told[spoil]}; scores are worked out all the same, but no longer kept"]
    with pytest.raises(InputError) as refused:
        cache_facts(tmp_path)
    assert str(refused.value) == f"{path}: {told[spoil]}"


def test_clearing(tmp_path: Path, notes: Notes) -> None:
    clear_cache(tmp_path)  # there is nothing
    assert cache_facts(tmp_path) == (tmp_path / FILE, 0, 0)
    with ModelCache(tmp_path, notes) as cache:
        cache.keep({key(k): bytes(10_000) for k in range(50)})
        before = (tmp_path / FILE).stat().st_size + (tmp_path / f"{FILE}-wal").stat().st_size
        clear_cache(tmp_path)  # although it is open
        assert cache.find([key(1)]) == {}
        cache.keep({key(1): b"again"})
        assert cache.find([key(1)]) == {key(1): b"again"}
    assert (tmp_path / FILE).stat().st_size < before / 10
    (tmp_path / FILE).write_text("spoilt" * 1000)
    clear_cache(tmp_path)
    assert cache_facts(tmp_path).entries == 0
    assert notes == []


WRITER = """
import sys
from tertium.io.model_cache import ModelCache
own, folder = int(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for turn in range(40):
    with ModelCache(folder, lambda sentence: sys.exit(sentence)) as cache:
        cache.keep({(1000 * own + turn).to_bytes(32, "big"): bytes(5000), turn.to_bytes(32, "big"): b"common"})
        assert cache.find([turn.to_bytes(32, "big")])
"""


def test_processes_write_at_once(tmp_path: Path, notes: Notes) -> None:
    """Also the first of them, which make the file."""
    command = [sys.executable, "-c", WRITER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([*command, str(k), str(tmp_path)], **pipes) for k in (1, 2, 3)]  # type: ignore[call-overload]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0)] * 3
    with ModelCache(tmp_path, notes) as cache:
        assert len(cache.find([key(1000 * own + turn) for own in (1, 2, 3) for turn in range(40)])) == 120
    assert notes == []
