"""Jobs through the ends of servers and workers: what is the job's own fault, and what is not."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import ended, example, opened
from tests.web.gate import Gate
from tests.web.served import Served

from tertium.web import work
from tertium.web.workspace import Workspace

RUN = work.run


def test_a_job_outlives_its_servers(tmp_path: Path) -> None:
    """More of them than it was once allowed."""
    folder, gate = tmp_path / "workspace", Gate(tmp_path / "gate")
    server = Served(folder, gate=gate)
    with server.client() as client:
        made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"}).json()
    for _ in range(4):
        gate.reached()
        server.kill()
        server = Served(folder, gate=gate)
    gate.reached()
    with server.client() as client:
        assert client.get(f"/api/evaluations/{made['id']}").json()["state"] == "running"
    server.kill()
    gate.remove()
    workspace = Workspace(folder)
    assert [(job.id, job.state, job.reason) for job in workspace.unfinished()] == [(made["job"], "queued", "")]
    workspace.close()
    with opened(folder) as client:
        assert ended(client, made["job"])["state"] == "done"


def dies_scoring(pipe: Any, task: str, options: dict[str, Any]) -> None:
    if task == "score":
        os.kill(os.getpid(), signal.SIGKILL)
    RUN(pipe, task, options)


def test_a_job_that_kills_its_worker_is_given_up(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "run", dies_scoring)
    made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"}).json()
    found = ended(client, made["job"])
    assert (found["state"], found["reason"]) == (
        "failed",
        "the process that did this died (exit status -9); is there too little memory?",
    )
    monkeypatch.setattr(work, "run", RUN)
    again = client.post(f"/api/evaluations/{made['id']}/metrics", json={}).json()
    assert ended(client, again["id"])["state"] == "done"


def test_a_signal_for_the_server_is_not_for_its_workers(client: TestClient, gate: Gate) -> None:
    """Who ends a service sends SIGTERM to all its processes, and the workers may be the first to get it."""
    made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu"}).json()
    gate.reached()
    process = client.app.state.workbench.jobs._running[made["job"]].process  # type: ignore[attr-defined]
    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(process.pid, number)
    gate.open()
    assert ended(client, made["job"])["state"] == "done"
