"""A workbench in this process, asked as a browser on this computer would ask it."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from starlette.testclient import TestClient
from tests.web.gate import PATIENCE, Gate

from tertium.web import jobs, work
from tertium.web.app import create_app
from tertium.web.security import Door
from tertium.web.uploads import Limits
from tertium.web.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "examples"
IMPORTS = ["tests.web.gate", "tertium.human.metric", "tertium.web.answers", "tertium.web.pages", "scipy.stats"]


@pytest.fixture(scope="session", autouse=True)
def prompt_workers(own_cache: None) -> Iterator[None]:  # noqa: ARG001
    """Workers come from a process that has imported what they need, so that each starts in no time. They are processes
    of their own as ever; how a server starts them is seen where one runs by itself (served.py)."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs.multiprocessing, "get_context", lambda _: context)
        yield


@contextmanager
def opened(folder: Path, door: Door | None = None, limits: Limits | None = None) -> Iterator[TestClient]:
    """A client of a workbench in this folder."""
    app = create_app(Workspace(folder), door, limits)
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path / "workspace") as client:
        yield client


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Workers that are started from now on tell that they read, and wait."""
    gate = Gate(tmp_path / "gate")
    monkeypatch.setattr(work, "run", gate.run)
    yield gate
    gate.remove()


def sent(*names: str, field: str = "file", base: Path = EXAMPLES) -> list[tuple[str, tuple[str, bytes]]]:
    """Files of the examples as parts of a form."""
    return [(field, (name, (base / name).read_bytes())) for name in names]


def example(*systems: str) -> list[tuple[str, tuple[str, bytes]]]:
    """Source, a reference and outputs, each in its field."""
    outputs = [(field, (name.rpartition("/")[2], data)) for field, (name, data) in
               sent(*(f"systems/{name}.en" for name in systems), field="output")]  # fmt: skip
    return [*sent("source.de", field="source"), *sent("reference.a.en", field="reference"), *outputs]


def ended(client: TestClient, job: str) -> dict[str, Any]:
    """A job when it has come to its end."""
    its: jobs.Jobs = client.app.state.workbench.jobs  # type: ignore[attr-defined]
    with its._changed:
        over = its._changed.wait_for(
            lambda: its.workspace.job(job).state not in ("queued", "running"), timeout=PATIENCE
        )
    found: dict[str, Any] = client.get(f"/api/jobs/{job}").json()
    assert over, f"job {job} did not end: {found}"
    return found


def scored(client: TestClient, *systems: str, metrics: str = "bleu,chrf") -> str:
    """The id of a new evaluation that is scored."""
    made = client.post("/api/evaluations", files=example(*systems), data={"metrics": metrics})
    assert made.status_code == 201, made.text
    assert ended(client, made.json()["job"])["state"] == "done"
    return str(made.json()["id"])
