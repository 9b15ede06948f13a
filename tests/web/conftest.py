"""A workbench in this process, asked as a browser on this computer would ask it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")

from starlette.testclient import TestClient

from tertium.web.app import create_app
from tertium.web.security import Door
from tertium.web.uploads import Limits
from tertium.web.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE = 120.0  # seconds; a worker starts in one or two, on a busy machine in more


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
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found: dict[str, Any] = client.get(f"/api/jobs/{job}").json()
        if found["state"] not in ("queued", "running"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"job {job} did not end: {found}")


def scored(client: TestClient, *systems: str, metrics: str = "bleu,chrf") -> str:
    """The id of a new evaluation that is scored."""
    made = client.post("/api/evaluations", files=example(*systems), data={"metrics": metrics})
    assert made.status_code == 201, made.text
    assert ended(client, made.json()["job"])["state"] == "done"
    return str(made.json()["id"])
