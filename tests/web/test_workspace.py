"""A workspace is whole whenever it is opened, whatever happened before."""

import json
import os
import platform
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.web.conftest import EXAMPLES

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.web import index as index_file
from tertium.web import workspace as workspace_file
from tertium.web.workspace import Workspace


@pytest.fixture(scope="module")
def given() -> Evaluation:
    return tt.read_testset(EXAMPLES / "testset.toml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def test_what_is_added_is_there_after_reopening(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    assert (entry.state, entry.metrics, entry.wanted, entry.segments) == ("queued", (), ("bleu",), 96)
    workspace.close()
    again = Workspace(folder)
    assert again.entries() == [entry]
    assert again.load(entry.id).testset.digest == given.testset.digest
    again.close()


def test_one_server_at_a_time(folder: Path) -> None:
    workspace = Workspace(folder)
    with pytest.raises(InputError) as caught:
        Workspace(folder)
    assert str(caught.value) == (
        f"{folder}/index.sqlite3 is already open, in process {os.getpid()} on {platform.node()}; use that one, or "
        f"another folder (--workspace DIR)"
    )
    workspace.close()
    Workspace(folder).close()


def test_the_index_is_made_again_from_the_folders(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    entry = workspace.rename(workspace.add(given, "first", ["bleu"]).id, "second")
    workspace.close()
    for path in folder.glob("index.sqlite3*"):
        path.unlink()
    again = Workspace(folder)
    [found] = again.entries()
    assert (found.id, found.name, found.created, found.wanted) == (entry.id, "second", entry.created, ("bleu",))
    assert [job.state for job in again.unfinished()] == ["queued"]  # and is scored after all
    again.close()


def test_an_index_that_cannot_be_made_again_is_not_half_made(
    folder: Path, given: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    workspace.close()
    (folder / "index.sqlite3").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(index_file, "MIGRATIONS", [*index_file.MIGRATIONS, "PRAGMA max_page_count = 1"])  # a full disk
        patch.setattr(workspace_file, "summarise", lambda _: workspace_file.Summary("x" * 100_000, 96, [], []))
        with pytest.raises(InputError, match=r"/index\.sqlite3: there is no room for it on the disk"):
            Workspace(folder)
    (folder / "index.sqlite3").unlink()
    again = Workspace(folder)
    assert [found.id for found in again.entries()] == [entry.id]
    again.close()


def test_half_written_things_are_swept(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    workspace.close()
    (folder / "incoming" / "half" / "deep").mkdir(parents=True)
    (folder / "incoming" / "half" / "deep" / "file").write_text("x")
    (folder / "incoming" / "loose").write_text("x")
    (folder / "evaluations" / entry.id / ".evaluation.zip.abc").write_text("x")
    (folder / "evaluations" / entry.id / "pages" / ".report.html.abc").write_text("x")
    (folder / "evaluations" / "not-ours").mkdir()  # somebody else's: left alone
    Workspace(folder).close()
    assert list((folder / "incoming").iterdir()) == []
    assert [path.name for path in (folder / "evaluations").rglob(".*")] == []
    assert (folder / "evaluations" / "not-ours").is_dir()


def test_what_was_deleted_by_hand_is_forgotten(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    workspace.close()
    shutil.rmtree(folder / "evaluations" / entry.id)
    again = Workspace(folder)
    assert (again.entries(), again.jobs()) == ([], [])
    again.close()


def test_a_deletion_that_was_cut_short_is_finished(
    folder: Path, given: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    with monkeypatch.context() as patch:
        patch.setattr(workspace._index, "transaction", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            workspace.delete(entry.id)
    workspace.close()
    again = Workspace(folder)
    assert again.entries() == []
    assert list((folder / "incoming").iterdir()) == []
    again.close()


def test_unfinished_jobs_begin_again_however_often_servers_end(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    first, second = (workspace.add(given, name, ["bleu"]).job for name in ("first", "second"))
    assert first is not None
    for _ in range(5):
        assert workspace.begin(first)
        assert not workspace.begin(first)
        found = workspace.unfinished()
        assert [(job.id, job.state) for job in found] == [(second, "queued"), (first, "queued")]
    workspace.close()


def test_a_job_that_was_put_back_was_no_attempt(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    job = workspace.add(given, "first", ["bleu"]).job
    assert job is not None
    workspace.begin(job)
    workspace.put_back(job)
    assert (workspace.job(job).state, workspace.job(job).attempts) == ("queued", 0)
    workspace.end(job, "cancelled", "cancelled")
    workspace.end(job, "done")  # what has ended stays so
    assert workspace.job(job).state == "cancelled"
    workspace.close()


def test_old_jobs_are_forgotten(folder: Path, given: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_file, "KEPT", 3)
    workspace = Workspace(folder)
    old, new = (workspace.add(given, name, ["bleu"]) for name in ("old", "new"))
    assert old.job is not None
    assert new.job is not None
    workspace.end(old.job, "failed", "no")
    slow = workspace.add_job(new.id, "page", {"key": "slow"})
    workspace.begin(slow.id)
    pages = []
    for k in range(6):
        pages.append(workspace.add_job(new.id, "page", {"key": str(k)}).id)
        workspace.end(pages[-1], "done")
    kept = [job.id for job in workspace.jobs()]
    assert kept == [*reversed(pages[3:]), slow.id, new.job, old.job]  # waiting, running and the state of an evaluation
    assert (workspace.entry(old.id).state, workspace.entry(old.id).reason) == ("failed", "no")
    monkeypatch.setattr(workspace_file, "now", lambda: "9999-01-01T00:00:00Z")
    workspace.end(slow.id, "done")  # begun before the others and ended after them
    assert workspace.job(slow.id).state == "done"
    with pytest.raises(OptionError, match=r"^there is no job '\w+' here; it ended long ago, or its evaluation was del"):
        workspace.job(pages[3])
    workspace.close()
    monkeypatch.setattr(index_file, "KEPT", 0)
    again = Workspace(folder)
    assert [job.id for job in again.jobs()] == [pages[5], new.job, old.job]
    again.close()


def test_what_cannot_be_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be used as a workspace"):
        Workspace(tmp_path / "file")
    (tmp_path / "new").mkdir()
    with sqlite3.connect(tmp_path / "new" / "index.sqlite3") as index:
        index.execute("PRAGMA user_version = 99")
    index.close()
    with pytest.raises(InputError, match=r"is of a newer tertium \(version 99 of the file; this one knows 2\)"):
        Workspace(tmp_path / "new")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "index.sqlite3").write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match=r"index.sqlite3 is damaged \(file is not a database\); move away the files"):
        Workspace(tmp_path / "broken")


def damage_pages(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def change_tables(path: Path) -> None:
    with sqlite3.connect(path) as index:
        index.executescript("DROP TABLE jobs; CREATE TABLE jobs (x)")
    index.close()


def change_values(path: Path) -> None:
    with sqlite3.connect(path) as index:
        index.execute("UPDATE evaluations SET systems = 'atlas'")
    index.close()


@pytest.mark.parametrize("damage", [damage_pages, cut_short, change_tables, change_values])
def test_a_damaged_index_has_a_way_out(folder: Path, given: Evaluation, damage: Callable[[Path], None]) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    workspace.close()
    damage(folder / "index.sqlite3")
    for _ in range(2):  # a start that failed holds no lock
        with pytest.raises(InputError) as caught:
            Workspace(folder)
        assert str(caught.value).startswith(f"{folder}/index.sqlite3 is damaged (")
        assert str(caught.value).endswith(
            "); move away the files index.sqlite3* and start again: the evaluations are in folders of their own, and "
            "the index is made anew of them"
        )
        assert "\n" not in str(caught.value)
    for path in folder.glob("index.sqlite3*"):
        path.unlink()
    again = Workspace(folder)
    assert [(found.id, found.name) for found in again.entries()] == [(entry.id, "first")]
    again.close()


def test_a_damaged_lock_has_a_way_out(folder: Path) -> None:
    folder.mkdir()
    (folder / "lock.sqlite3").write_bytes(b"no lock" * 1000)
    with pytest.raises(InputError) as caught:
        Workspace(folder)
    assert str(caught.value) == f"{folder}/lock.sqlite3 is not a lock; delete that file and start again"


def test_unknown_names(folder: Path) -> None:
    workspace = Workspace(folder)
    for ask in (workspace.entry, workspace.path, workspace.delete, workspace.load):
        with pytest.raises(OptionError, match=r"there is no evaluation '\.\.' here"):
            ask("..")
    with pytest.raises(OptionError, match="there is no job 'x' here"):
        workspace.job("x")
    workspace.close()


def test_about_is_what_people_can_read(folder: Path, given: Evaluation) -> None:
    workspace = Workspace(folder)
    entry = workspace.add(given, "first", ["bleu"])
    about = json.loads((folder / "evaluations" / entry.id / "about.json").read_text())
    assert about == {"name": "first", "created": entry.created, "wanted": ["bleu"], "baseline": None}
    workspace.close()
