"""kill -9 at any moment: what was acknowledged is there, what was not is gone, and all work is finished later."""

import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import EXAMPLES, example
from tests.web.gate import PATIENCE
from tests.web.served import Served

import tertium as tt
from tertium.web.workspace import Workspace

UPLOADS, KILLS, SENDERS = 50, 5, 4


class Senders:
    """Threads that upload until all uploads are acknowledged, through the ends of servers."""

    def __init__(self, server: Served) -> None:
        self.server, self.acknowledged, self.lock = server, dict[str, str](), threading.Condition()
        self.left = list(range(UPLOADS))
        self.threads = [threading.Thread(target=self.send) for _ in range(SENDERS)]

    def send(self) -> None:
        while True:
            with self.lock:
                if not self.left:
                    return
                number = self.left.pop()
            server = self.server
            if not self.upload(server, f"upload {number}"):
                with self.lock:
                    self.left.append(number)
                    self.lock.wait_for(lambda dead=server: self.server is not dead)  # type: ignore[misc]

    def upload(self, server: Served, name: str) -> bool:
        try:
            with server.client() as client:
                answer = client.post(
                    "/api/evaluations", files=example("atlas", "brook"), data={"metrics": "bleu,chrf", "name": name}
                )
        except httpx.HTTPError:
            return False  # the server died before it could acknowledge
        assert answer.status_code == 201, answer.text
        with self.lock:
            self.acknowledged[answer.json()["id"]] = name
            self.lock.notify_all()
        return True

    def wait(self, uploads: int) -> None:
        """Until so many are acknowledged; the others are somewhere on their way."""
        with self.lock:
            assert self.lock.wait_for(lambda: len(self.acknowledged) >= uploads, timeout=PATIENCE)

    def go_on(self, server: Served) -> None:
        with self.lock:
            self.server = server
            self.lock.notify_all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")
def test_kill_9_during_uploads_and_jobs(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    senders = Senders(Served(folder))
    for thread in senders.threads:
        thread.start()
    for kill in range(1, KILLS + 1):
        senders.wait(kill * UPLOADS // (KILLS + 1))
        senders.server.kill()
        opened_clean(folder, dict(senders.acknowledged))
        senders.go_on(Served(folder))
    for thread in senders.threads:
        thread.join()
    senders.server.kill()
    assert len(senders.acknowledged) == UPLOADS
    opened_clean(folder, senders.acknowledged)

    last = Served(folder)
    with last.client() as client:
        finish(client)
        entries = {entry["id"]: entry for entry in client.get("/api/evaluations").json()}
    last.stop()
    assert {name: entries[name]["name"] for name in senders.acknowledged} == senders.acknowledged
    assert {entry["state"] for entry in entries.values()} == {"done"}
    workspace = Workspace(folder)
    values = {tuple(score.value for score in workspace.load(name).scores()) for name in entries}
    workspace.close()
    whole = [
        tt.score(list(lines(f"systems/{name}.en")), references=list(lines("reference.a.en")), metrics="bleu,chrf")
        for name in ("atlas", "brook")
    ]
    assert values == {tuple(score.value for scores in whole for score in scores)}


def lines(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").split("\n")[:-1]


def finish(client: httpx.Client) -> None:
    """Wait for all jobs."""
    end = time.monotonic() + PATIENCE
    while any(job["state"] in ("queued", "running") for job in client.get("/api/jobs").json()):
        assert time.monotonic() < end
        time.sleep(0.5)


def opened_clean(folder: Path, acknowledged: dict[str, str]) -> None:
    """Every acknowledged evaluation is there and whole; nothing half-written is."""
    workspace = Workspace(folder)
    entries = {entry.id: entry for entry in workspace.entries()}
    assert {name: entries[name].name for name in acknowledged} == acknowledged
    for name in entries:
        assert len(workspace.load(name).testset) == 96
    assert list(workspace.incoming.iterdir()) == []
    assert {path.name for path in workspace.evaluations.iterdir()} == set(entries)
    assert list(workspace.evaluations.rglob(".*")) == []
    workspace.close()
