"""A database file has one owner, is whole or refused with a way out, and keeps what was committed and nothing else."""

import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.store import Store, StoreError

MIGRATIONS = ["CREATE TABLE words (word TEXT PRIMARY KEY)"]
REMEDY = "take yesterday's copy"
HERE = f"on {platform.node()}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "words.sqlite3"


def opened(path: Path, migrations: list[str] = MIGRATIONS, *, read_only: bool = False) -> Store:
    return Store(path, migrations, remedy=REMEDY, read_only=read_only)


def add(store: Store, *words: str) -> None:
    with store.transaction() as connection:
        connection.executemany("INSERT INTO words VALUES (?)", [(word,) for word in words])


def words(store: Store) -> list[str]:
    return [row["word"] for row in store.rows("SELECT word FROM words ORDER BY word")]


def kept(path: Path) -> list[str]:
    """The words that are there for the next owner."""
    with opened(path) as store:
        return words(store)


def refusal(path: Path, migrations: list[str] = MIGRATIONS, *, read_only: bool = False) -> str:
    with pytest.raises(StoreError) as caught:
        opened(path, migrations, read_only=read_only).close()
    assert isinstance(caught.value, InputError)
    return str(caught.value)


class Another:
    """A process that owns a store, has committed a word, and is in the middle of a transaction with another."""

    PROGRAM = """
import sys
from tertium.io.store import Store
store = Store(sys.argv[1], ["CREATE TABLE words (word TEXT PRIMARY KEY)"], remedy="none")
with store.transaction() as connection:
    connection.execute("INSERT INTO words VALUES ('whole')")
with store.transaction() as connection:
    connection.execute("PRAGMA cache_size = 1")  # so that what is not committed goes to the disk as well
    connection.executemany("INSERT INTO words VALUES (?)", [(f"half {k} " + "x" * 1000,) for k in range(100)])
    print("here", flush=True)
    sys.stdin.read()
store.close()
"""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"here\n"

    def end(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        self.process.communicate()


# What was committed, and nothing else


def test_what_was_committed_is_there_for_the_next(path: Path) -> None:
    with opened(path) as store:
        add(store, "one", "two")
        assert words(store) == ["one", "two"]
    assert kept(path) == ["one", "two"]


def test_closing_leaves_one_file_and_the_lock(path: Path) -> None:
    with opened(path) as store:
        add(store, "one")
        assert Path(f"{path}-wal").stat().st_size > 0
    store.close()  # twice does no harm
    assert sorted(file.name for file in path.parent.iterdir()) == ["words.sqlite3", "words.sqlite3-lock"]


def test_commits_go_to_the_disk_and_foreign_keys_hold(path: Path) -> None:
    with opened(path) as store:
        asked = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        assert [store.rows(f"PRAGMA {name}")[0][0] for name in asked] == ["wal", 2, 1, 10_000]


def break_off(store: Store) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT INTO words VALUES ('half')")
        raise KeyboardInterrupt


def test_an_error_undoes_the_transaction(path: Path) -> None:
    with opened(path) as store:
        with pytest.raises(KeyboardInterrupt):
            break_off(store)
        with pytest.raises(sqlite3.IntegrityError):  # a mistake in what was asked is nothing of the file's
            add(store, "same", "same")
        add(store, "whole")
    assert kept(path) == ["whole"]


def test_a_process_killed_in_a_transaction_leaves_nothing_of_it(path: Path) -> None:
    another = Another(path)
    assert Path(f"{path}-wal").stat().st_size > 50_000  # it was on the disk
    another.end(kill=True)
    with opened(path, read_only=True) as reader:
        assert words(reader) == ["whole"]
    assert kept(path) == ["whole"]


def test_threads_take_turns(path: Path) -> None:
    with opened(path) as store:
        threads = [
            threading.Thread(target=lambda k=k: [add(store, f"{k} {n}") for n in range(20)])  # type: ignore[misc]
            for k in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(words(store)) == 80


def test_a_full_disk(path: Path) -> None:
    with opened(path) as store:
        add(store, "before")
        store.rows("PRAGMA max_page_count = 20")
        with pytest.raises(StoreError) as caught:
            add(store, "half", "x" * 100_000)
        assert str(caught.value) == (
            f"{path}: there is no room for it on the disk; nothing of what was being written is kept: make room and "
            f"try again"
        )
        assert words(store) == ["before"]
        store.rows("PRAGMA max_page_count = 1000")
        add(store, "after")
    assert kept(path) == ["after", "before"]


def test_a_disk_that_takes_nothing_more(path: Path) -> None:
    """Files may not grow: a limit of the operating system, which SQLite meets as it meets a disk that fails."""
    program = """
import resource, sys
from tertium.io.store import Store
store = Store(sys.argv[1], ["CREATE TABLE words (word TEXT PRIMARY KEY)"], remedy="none")
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    with store.transaction() as connection:
        connection.execute("INSERT INTO words VALUES (?)", ("x" * 200_000,))
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, check=True)
    assert done.stdout.decode() == f"StoreError: {path}: cannot be used (disk I/O error); choose another file\n"
    assert kept(path) == []


# One owner


def test_another_process_has_it(path: Path) -> None:
    another = Another(path)
    for _ in range(2):
        assert refusal(path) == (
            f"{path} is already open, in process {another.process.pid} {HERE}; use that one, or another file"
        )
    another.end()
    assert len(kept(path)) == 101


def test_this_process_has_it(path: Path) -> None:
    with opened(path) as store:
        for _ in range(2):
            assert refusal(path) == (
                f"{path} is already open, in process {os.getpid()} {HERE}; use that one, or another file"
            )
        add(store, "one")
    assert kept(path) == ["one"]


def test_one_who_is_refused_does_not_break_the_lock(path: Path) -> None:
    """A process that closes a file loses its locks on it: so another process must be kept out afterwards as well."""
    with opened(path):
        refusal(path)
        program = f"from tertium.io.store import Store; Store({str(path)!r}, {MIGRATIONS!r}, remedy='none')"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
        assert f"is already open, in process {os.getpid()} {HERE}".encode() in done.stderr


def test_a_lock_that_does_not_say_whose_it_is(path: Path) -> None:
    with closing(sqlite3.connect(f"{path}-lock", isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        assert refusal(path) == f"{path} is already open, in another process; use that one, or another file"
    assert kept(path) == []


def test_somebody_who_asks_for_no_lock_writes_to_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.io.store.BUSY", 0)
    with opened(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught:
            add(store, "one")
        assert str(caught.value) == (
            f"{path} is in use by another program (database is locked); end that one and try again"
        )
        other.execute("ROLLBACK")
        add(store, "two")
    assert kept(path) == ["two"]


@pytest.mark.parametrize("content", [b"no lock" * 1000, None])
def test_what_is_not_a_lock(path: Path, content: bytes | None) -> None:
    lock = Path(f"{path}-lock")
    if content is None:
        with closing(sqlite3.connect(lock)) as other:
            other.execute("CREATE TABLE owner (first TEXT, last TEXT)")
    else:
        lock.write_bytes(content)
    assert refusal(path) == f"{lock} is not a lock; delete that file and start again"
    lock.unlink()
    assert kept(path) == []


def test_a_lock_elsewhere(path: Path) -> None:
    with Store(path, MIGRATIONS, remedy=REMEDY, lock=path.with_name("lock")):
        assert path.with_name("lock").exists()
        assert not Path(f"{path}-lock").exists()


# Reading beside the owner


def test_reading_beside_the_owner(path: Path) -> None:
    with opened(path) as store:
        add(store, "one")
        with opened(path, read_only=True) as reader, opened(path, read_only=True) as another:
            add(store, "two")
            assert words(reader) == words(another) == ["one", "two"]
            with pytest.raises(StoreError, match=r"cannot be used \(attempt to write a readonly database\)"):
                add(reader, "three")
        refusal(path)  # readers that leave do not take the owner's lock along
    assert kept(path) == ["one", "two"]


def test_reading_makes_nothing(path: Path) -> None:
    assert refusal(path, read_only=True) == f"{path}: no such file"
    assert list(path.parent.iterdir()) == []
    path.touch()
    assert refusal(path, read_only=True) == f"{path} is empty, or another program's: nothing of tertium's is in it"


# Versions


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        found: int = file.execute("PRAGMA user_version").fetchone()[0]
    return found


def test_migrations_bring_a_file_up_to_date_once(path: Path) -> None:
    with opened(path) as store:
        add(store, "one")
    more = [*MIGRATIONS, "ALTER TABLE words ADD COLUMN n INTEGER; UPDATE words SET n = 1", "UPDATE words SET n = n + 1"]
    assert refusal(path, more, read_only=True) == (
        f"{path} is of an older tertium (version 1 of the file; this one reads 3); open it once for writing, which "
        f"brings it up to date"
    )
    for _ in range(2):
        with opened(path, more) as store:
            assert [tuple(row) for row in store.rows("SELECT * FROM words")] == [("one", 2)]
        assert version(path) == 3


def test_a_migration_happens_wholly_or_not(path: Path) -> None:
    opened(path).close()
    bad = [*MIGRATIONS, "CREATE TABLE more (x)", "ALTER TABLE words ADD COLUMN n; INSERT INTO nowhere VALUES (1)"]
    assert refusal(path, bad) == f"{path} is damaged (no such table: nowhere); {REMEDY}"
    assert version(path) == 2
    with opened(path, bad[:2]) as store:
        assert [row["name"] for row in store.rows("PRAGMA table_info(words)")] == ["word"]


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_a_newer_version(path: Path, read_only: bool) -> None:
    opened(path, [*MIGRATIONS, *["SELECT 1"] * 98]).close()
    before = path.read_bytes()
    assert refusal(path, read_only=read_only) == (
        f"{path} is of a newer tertium (version 99 of the file; this one knows 1); update this one"
    )
    assert path.read_bytes() == before


# Damaged files


def no_database(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


def damage_pages(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000])


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (no_database, "file is not a database"),
        (damage_pages, "database disk image is malformed"),
        (cut_short, "database disk image is malformed"),
    ],
)
def test_a_damaged_file(path: Path, damage: Callable[[Path], None], said: str, read_only: bool) -> None:
    with opened(path) as store:
        add(store, *(f"{k} " + "x" * 1000 for k in range(100)))
    damage(path)
    for _ in range(2):  # and who was refused holds no lock
        assert refusal(path, read_only=read_only) == f"{path} is damaged ({said}); {REMEDY}"


def test_damage_that_its_owner_finds(path: Path) -> None:
    with opened(path) as store:
        assert str(store.damaged(ValueError("no such word"))) == f"{path} is damaged (no such word); {REMEDY}"


# Paths


@pytest.mark.parametrize("read_only", [False, True])
def test_a_folder(tmp_path: Path, read_only: bool) -> None:
    (tmp_path / "folder").mkdir()
    assert refusal(tmp_path / "folder", read_only=read_only) == f"{tmp_path}/folder is a folder; name a file"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "no" / "words"
    assert refusal(path) == f"{path}-lock: cannot be used (there is no folder {path.parent}); choose another file"


@pytest.mark.parametrize("name", ["what? #1 100%25", "w\u00f6rter \u8a9e", ":memory:", "file:words?mode=memory"])
def test_names_are_names_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(Path(name)) as store:
        add(store, "one")
    assert kept(tmp_path / name) == ["one"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"{name}-lock"])


def test_a_nul_in_the_name(tmp_path: Path) -> None:
    path = tmp_path / "a\0b"
    assert refusal(path) == f"{str(path)!r} is no name of a file; choose another file"


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A store in a folder that everybody may enter: pytest's own folders are closed to others than their owner."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        opened(Path(folder) / "words").close()
        yield Path(folder) / "words"


@contextmanager
def nobody() -> Iterator[None]:
    """Without the rights of root, who may do anything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_no_permission_to_write_in_the_folder(guarded: Path) -> None:
    guarded.parent.chmod(0o555)
    with nobody():
        said = refusal(guarded.with_name("new"))
    guarded.parent.chmod(0o755)
    lock = guarded.with_name("new-lock")
    assert said == f"{lock}: cannot be used (no permission to write in its folder); choose another file"


def test_reading_needs_a_folder_for_notes(guarded: Path) -> None:
    guarded.chmod(0o644)
    guarded.parent.chmod(0o555)
    with nobody():
        said = refusal(guarded, read_only=True)
    guarded.parent.chmod(0o755)
    assert said == f"{guarded}: cannot be used (no permission to write in its folder); choose another file"


@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_no_permission_to_write_the_file(guarded: Path, mode: int) -> None:
    guarded.parent.chmod(0o777)
    Path(f"{guarded}-lock").chmod(0o666)
    guarded.chmod(mode)
    with nobody():
        said = refusal(guarded)
    assert said == f"{guarded}: cannot be used (no permission to read and write it); choose another file"


def test_no_permission_to_write_the_lock(guarded: Path) -> None:
    guarded.parent.chmod(0o777)
    guarded.chmod(0o666)
    Path(f"{guarded}-lock").chmod(0o444)
    with nobody():
        said = refusal(guarded)
    assert said == f"{guarded}-lock: cannot be used (no permission to read and write it); choose another file"
