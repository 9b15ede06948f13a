"""A workspace: a folder that keeps evaluations, and that any moment may be the last moment of the process.

    index.sqlite3               the index: names and jobs, for quick lists
    lock.sqlite3                held by the one server that has the folder open
    incoming/                   what is not whole yet, or not any more; emptied at each start
    evaluations/ID/             one evaluation, put here whole
        evaluation.zip          test set, outputs, judgements and statistics (tertium.io.evaluation)
        about.json              its name and baseline, when it came, which metrics were asked for
        pages/                  pages and tables that were made of it; they can be made again

The folders are the truth and the index can be made of them again. An evaluation is written in incoming/, brought to the
disk, moved to its place in one step and only then acknowledged; it is deleted by moving it back in one step.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, TertiumError
from tertium.core.evaluation import Evaluation
from tertium.io.evaluation import save_evaluation
from tertium.io.files import write_atomically
from tertium.io.store import StoreError
from tertium.web.entries import Entry, Job, State, Summary, UnknownError, checked_name, summarise
from tertium.web.index import open_index, prune

FILE, ABOUT, PAGES = "evaluation.zip", "about.json", "pages"


class Workspace:
    """Opens the folder for one server, and makes it whole again."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).absolute()
        self.incoming, self.evaluations = self.folder / "incoming", self.folder / "evaluations"
        self._notes = threading.Lock()
        try:
            for path in (self.incoming, self.evaluations):
                path.mkdir(parents=True, exist_ok=True)
            self._index = open_index(self.folder)
            try:
                self._sweep()
                self.entries()
            except BaseException as error:
                self._index.close()
                if isinstance(error, sqlite3.Error | ValueError):
                    raise self._index.damaged(error) from None
                raise
        except OSError as error:
            where = "" if error.filename in (None, str(self.folder)) else f"{error.filename}: "
            raise InputError(
                f"{self.folder}: cannot be used as a workspace ({where}{error.strerror or error}); "
                f"choose a folder that can be written (--workspace DIR)"
            ) from None

    def close(self) -> None:
        """Let others have the folder."""
        self._index.close()

    # Making it whole again

    def _sweep(self) -> None:
        """Empty incoming/, forget what is gone, take in what the index does not know."""
        for path in self.incoming.iterdir():
            _remove(path)
        here = {path.name for path in self.evaluations.iterdir() if (path / FILE).is_file()}
        known = {row["id"] for row in self._index.rows("SELECT id FROM evaluations")}
        with self._index.transaction() as index:
            for gone in known - here:
                index.execute("DELETE FROM evaluations WHERE id = ?", (gone,))
            prune(index)
            for row in index.execute(
                "SELECT id FROM evaluations WHERE glance = '{}' AND metrics != '[]' "
                "AND id NOT IN (SELECT evaluation FROM jobs WHERE kind IN ('score', 'verdict') AND state != 'done')"
            ).fetchall():  # an older version did not sum up what it counted
                _insert_job(index, row["id"], "verdict", {})
        for new in here - known:
            try:
                self._adopt(new)
            except StoreError:
                raise
            except (TertiumError, OSError, ValueError, KeyError, TypeError):
                continue  # not one of ours
        for name in here:
            for path in (self.evaluations / name).glob("**/.*"):  # files that a killed worker had begun
                path.unlink(missing_ok=True)

    def _adopt(self, name: str) -> None:
        from tertium.metrics import load

        about = json.loads((self.evaluations / name / ABOUT).read_text(encoding="utf-8"))
        summary = summarise(load(self.evaluations / name / FILE))
        wanted, baseline = [str(text) for text in about["wanted"]], about.get("baseline") or None
        self._enter(name, str(about["name"]), str(about["created"]), summary, wanted, baseline)

    def unfinished(self) -> list[Job]:
        """Jobs to begin again. That a server ended is no failure of what it was doing; only if a job's own process dies
        under a server that goes on is the job given up. Who may have taken the server down lets the others go first."""
        with self._index.transaction() as index:
            index.execute("UPDATE jobs SET state = 'queued' WHERE state = 'running'")
        return [
            _job(row) for row in self._index.rows("SELECT * FROM jobs WHERE state = 'queued' ORDER BY attempts, number")
        ]

    # Evaluations

    @contextlib.contextmanager
    def receive(self) -> Iterator[Path]:
        """An empty folder for files that are not an evaluation yet; gone afterwards."""
        folder = self.incoming / secrets.token_hex(8)
        folder.mkdir()
        try:
            yield folder
        finally:
            _remove(folder)

    def add(self, evaluation: Evaluation, name: str, wanted: Sequence[str], baseline: str | None = None) -> Entry:
        """Keep an evaluation, with a job for the metrics that are wanted. What this returns is on the disk."""
        with self.receive() as folder:
            save_evaluation(evaluation, folder / FILE)
            return self.keep(folder / FILE, summarise(evaluation), name, wanted, baseline)

    def keep(
        self, file: Path, summary: Summary, name: str, wanted: Sequence[str], baseline: str | None = None
    ) -> Entry:
        """The same for an evaluation that is saved in a file, which is moved to its place."""
        name, created, made = checked_name(name), now(), secrets.token_hex(8)
        with self.receive() as folder:
            ready = folder / made
            (ready / PAGES).mkdir(parents=True)
            file.rename(ready / FILE)
            _write(ready / ABOUT, {"name": name, "created": created, "wanted": list(wanted), "baseline": baseline})
            flush_folder(ready)
            ready.rename(self.evaluations / made)
            flush_folder(self.evaluations)
        self._enter(made, name, created, summary, wanted, baseline)
        return self.entry(made)

    def _enter(
        self, made: str, name: str, created: str, summary: Summary, wanted: Sequence[str], baseline: str | None
    ) -> None:
        with self._index.transaction() as index:
            index.execute(
                "INSERT INTO evaluations (id, name, created, testset, segments, systems, metrics, wanted, digest, "
                "baseline) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (made, name, created, summary.testset, summary.segments, json.dumps(summary.systems),
                 json.dumps(summary.metrics), json.dumps(list(wanted)), summary.digest, baseline or ""),
            )  # fmt: skip
            if set(wanted) - set(summary.metrics):
                _insert_job(index, made, "score", {})
            elif summary.metrics:
                _insert_job(index, made, "verdict", {})

    def entries(self) -> list[Entry]:
        """All evaluations, the newest first."""
        return [
            self._entry(row) for row in self._index.rows("SELECT * FROM evaluations ORDER BY created DESC, rowid DESC")
        ]

    def entry(self, name: str) -> Entry:
        """One evaluation."""
        rows = self._index.rows("SELECT * FROM evaluations WHERE id = ?", name)
        if not rows:
            raise UnknownError(f"there is no evaluation {name!r} here; was it deleted?")
        return self._entry(rows[0])

    def _entry(self, row: sqlite3.Row) -> Entry:
        jobs = self._index.rows(
            "SELECT * FROM jobs WHERE evaluation = ? AND kind = 'score' ORDER BY number DESC LIMIT 1", row["id"]
        )
        facts: dict[str, Any] = {key: row[key] for key in ("id", "name", "created", "testset", "segments", "digest")}
        facts |= {"baseline": row["baseline"] or None, "glance": json.loads(row["glance"])}
        facts |= {key: tuple(json.loads(row[key])) for key in ("systems", "metrics", "wanted")}
        if jobs:
            facts |= {"state": jobs[0]["state"], "reason": jobs[0]["reason"], "job": jobs[0]["id"]}
        return Entry(**facts)

    def path(self, name: str) -> Path:
        """The evaluation's file, if there is such an evaluation."""
        return self.evaluations / self.entry(name).id / FILE

    def page(self, name: str, key: str, kind: str = "html") -> Path:
        """Where a page of an evaluation, or its tables, are kept, whether or not they were made."""
        return self.evaluations / self.entry(name).id / PAGES / f"{key}.{kind}"

    def load(self, name: str) -> Evaluation:
        """The evaluation itself."""
        from tertium.metrics import load

        return load(self.path(name))

    def scored(self, name: str, metrics: Sequence[str], glance: Mapping[str, Any]) -> None:
        """Note that an evaluation's file has these metrics now; pages that were made before lack some of them."""
        flush_folder(self.evaluations / name)
        for page in (self.evaluations / name / PAGES).glob("*.*"):
            page.unlink(missing_ok=True)
        with self._index.transaction() as index:
            index.execute("UPDATE evaluations SET metrics = ? WHERE id = ?", (json.dumps(list(metrics)), name))
        self.summed_up(name, glance)

    def summed_up(self, name: str, glance: Mapping[str, Any], digest: str = "") -> None:
        """Keep what the list shows of an evaluation."""
        with self._index.transaction() as index:
            index.execute(
                "UPDATE evaluations SET glance = ? WHERE id = ? AND baseline = ?",  # it may be another by now
                (json.dumps(dict(glance)), name, glance["baseline"] or ""),
            )
            if digest:
                index.execute("UPDATE evaluations SET digest = ? WHERE id = ?", (digest, name))

    def set_baseline(self, name: str, baseline: str | None) -> Job:
        """Measure an evaluation's systems from another one, or from the best; its verdict is made anew."""
        self.entry(name)
        self._note(name, {"baseline": baseline})
        with self._index.transaction() as index:
            index.execute("UPDATE evaluations SET baseline = ?, glance = '{}' WHERE id = ?", (baseline or "", name))
        return self.add_job(name, "verdict", {"baseline": baseline})

    def same_testset(self, digest: str) -> list[Entry]:
        """Evaluations of a test set, the oldest first."""
        rows = self._index.rows("SELECT * FROM evaluations WHERE digest = ? ORDER BY created, rowid", digest)
        return [self._entry(row) for row in rows] if digest else []

    def want(self, name: str, metrics: Sequence[str]) -> Job:
        """Ask for more metrics of an evaluation."""
        entry = self.entry(name)
        wanted = list(dict.fromkeys([*entry.wanted, *metrics]))
        self._note(name, {"wanted": wanted})
        with self._index.transaction() as index:
            index.execute("UPDATE evaluations SET wanted = ? WHERE id = ?", (json.dumps(wanted), name))
            made = _insert_job(index, name, "score", {})
        return self.job(made)

    def rename(self, name: str, title: str) -> Entry:
        """Call an evaluation otherwise."""
        self.entry(name)
        title = checked_name(title)
        self._note(name, {"name": title})
        with self._index.transaction() as index:
            index.execute("UPDATE evaluations SET name = ? WHERE id = ?", (title, name))
        return self.entry(name)

    def _note(self, name: str, facts: dict[str, Any]) -> None:
        path = self.evaluations / name / ABOUT
        with self._notes:
            _write(path, {**json.loads(path.read_text(encoding="utf-8")), **facts})
            flush_folder(path.parent)

    def delete(self, name: str) -> None:
        """Remove an evaluation; its jobs must have ended."""
        entry = self.entry(name)
        away = self.incoming / f"{entry.id}.{secrets.token_hex(4)}"
        with contextlib.suppress(FileNotFoundError):
            (self.evaluations / entry.id).rename(away)
            flush_folder(self.evaluations)
        with self._index.transaction() as index:
            index.execute("DELETE FROM evaluations WHERE id = ?", (entry.id,))
        _remove(away)

    # Jobs

    def add_job(self, evaluation: str, kind: str, options: dict[str, Any]) -> Job:
        """Note work to be done; the same work that waits or runs already is not noted twice."""
        self.entry(evaluation)
        text = json.dumps(options, sort_keys=True)
        with self._index.transaction() as index:
            same = index.execute(
                "SELECT id FROM jobs WHERE evaluation = ? AND kind = ? AND options = ? "
                "AND state IN ('queued', 'running')",
                (evaluation, kind, text),
            ).fetchone()
            made = same["id"] if same else _insert_job(index, evaluation, kind, options)
        return self.job(made)

    def job(self, name: str) -> Job:
        """One job."""
        rows = self._index.rows("SELECT * FROM jobs WHERE id = ?", name)
        if not rows:
            raise UnknownError(f"there is no job {name!r} here; it ended long ago, or its evaluation was deleted")
        return _job(rows[0])

    def jobs(self, evaluation: str | None = None) -> list[Job]:
        """All jobs, or those of an evaluation, the newest first."""
        where, values = ("", ()) if evaluation is None else ("WHERE evaluation = ?", (evaluation,))
        return [_job(row) for row in self._index.rows(f"SELECT * FROM jobs {where} ORDER BY number DESC", *values)]

    def begin(self, name: str) -> bool:
        """A waiting job is running now; false if it no longer waits."""
        with self._index.transaction() as index:
            done = index.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE id = ? AND state = 'queued'", (name,)
            )
            return done.rowcount == 1

    def is_running(self, name: str) -> bool:
        """Whether there is such a job, and it was begun and has not ended."""
        return bool(self._index.rows("SELECT 1 FROM jobs WHERE id = ? AND state = 'running'", name))

    def end(self, name: str, state: State, reason: str = "") -> None:
        """A job that waits or runs has come to its end."""
        with self._index.transaction() as index:
            index.execute(
                "UPDATE jobs SET state = ?, reason = ?, ended = ? WHERE id = ? AND state IN ('queued', 'running')",
                (state, reason, now(), name),
            )
            prune(index)

    def put_back(self, name: str) -> None:
        """A running job that was stopped in good order waits again, and that was no attempt."""
        with self._index.transaction() as index:
            index.execute(
                "UPDATE jobs SET state = 'queued', attempts = attempts - 1 WHERE id = ? AND state = 'running'", (name,)
            )


def now() -> str:
    """The time as it is kept: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def flush_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk; a file's own bytes are there already."""
    if os.name == "nt":  # there folders cannot be opened, and need not be
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _insert_job(index: sqlite3.Connection, evaluation: str, kind: str, options: dict[str, Any]) -> str:
    made = secrets.token_hex(8)
    index.execute(
        "INSERT INTO jobs (id, evaluation, kind, options, state, created) VALUES (?, ?, ?, ?, 'queued', ?)",
        (made, evaluation, kind, json.dumps(options, sort_keys=True), now()),
    )
    return made


def _job(row: sqlite3.Row) -> Job:
    facts = {key: row[key] for key in ("id", "evaluation", "kind", "state", "reason", "attempts", "created", "ended")}
    return Job(**facts, options=json.loads(row["options"]))


def _write(path: Path, facts: dict[str, Any]) -> None:
    with write_atomically(path) as file:
        file.write(json.dumps(facts, indent=1).encode())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
