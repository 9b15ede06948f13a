"""Readers of uploads work in processes of their own: whatever they meet, the workbench answers and says what it was."""

import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import example, opened
from tests.web.gate import PATIENCE

from tertium.web import jobs, uploads, work
from tertium.web.uploads import Limits

RUN = work.run


def hungry(size: int, *_: Any) -> None:
    bytearray(size)
    raise AssertionError("there was room for it")


def endless(*_: Any) -> None:
    while True:
        pass


def deadly(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def reading_by(reader: Callable[..., None], pipe: Any, task: str, options: dict[str, Any]) -> None:
    """A worker's life in which uploads are read by this reader."""
    uploads.read_stored = reader  # type: ignore[assignment]
    RUN(pipe, task, options)


def held(path: str, pipe: Any, task: str, options: dict[str, Any]) -> None:
    """A worker's life that goes on when somebody writes into a pipe; who opens it to write waits for the worker."""
    if task == "read":
        Path(path).read_bytes()
    RUN(pipe, task, options)


@pytest.mark.parametrize(("reader", "limits", "sentence"), [
    (partial(hungry, 256 << 20), Limits(memory=64 << 20),
     "reading it takes more than 64 MB of memory; send less at a time"),
    (endless, Limits(seconds=1), "reading it takes more than 1 s of computing; send less at a time"),
    (deadly, Limits(), "the process that did this died (exit status -9); is there too little memory?"),
])  # fmt: skip
def test_readers_have_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Callable[..., None], limits: Limits, sentence: str
) -> None:
    monkeypatch.setattr(work, "run", partial(reading_by, reader))
    monkeypatch.setattr(jobs, "WAITS", PATIENCE)  # on a busy computer a second of computing takes long
    with opened(tmp_path, limits=limits) as client:
        answer = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"})
        assert (answer.status_code, answer.json()) == (422, {"error": sentence})
        assert client.get("/api/evaluations").json() == []
        assert list((tmp_path / "incoming").iterdir()) == []


class Upload(threading.Thread):
    """An upload on its way, and what was answered."""

    def __init__(self, client: TestClient) -> None:
        super().__init__()
        self.client, self.answer = client, dict[str, Any]()

    def run(self) -> None:
        answer = self.client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"})
        self.answer = {"status": answer.status_code, **answer.json()}


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(work, "run", partial(held, str(tmp_path / "pipe")))
    return tmp_path / "pipe"


def test_pages_are_served_while_an_upload_is_read(client: TestClient, pipe: Path) -> None:
    upload = Upload(client)
    upload.start()
    with pipe.open("wb"):  # which waits until the worker is there, and then holds it
        assert client.get("/").status_code == 200
        assert client.get("/api/evaluations").json() == []
    upload.join()
    assert upload.answer["status"] == 201


def test_a_server_that_ends_does_not_wait_for_readers(client: TestClient, pipe: Path) -> None:
    upload = Upload(client)
    upload.start()
    with pipe.open("wb"):
        client.app.state.workbench.jobs.stop()  # type: ignore[attr-defined]
        upload.join()
    assert upload.answer == {"status": 422, "error": "stopped"}
