"""`tertium prompt run` against a server of the user's own: what it refuses ends the run, what it said is kept, and its
key is nowhere."""

from pathlib import Path

import pytest
from tests.models.fault_server import FaultServer, status
from tests.prompt.test_experiment import SOURCES, make_folder

from .running import Command

KEY = "sk-very-secret-0123456789"


def of_the_grid(server: FaultServer) -> list[str]:
    """The prompts that were answered, without those that find out what the server can do."""
    return [prompt for prompt in server.charged if any(source in prompt for source in SOURCES)]


def test_a_grid_on_a_server(tertium: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setenv("OWN_KEY", KEY)
    grid, cache, page = make_folder(tmp_path), str(tmp_path / "a.sqlite"), str(tmp_path / "r.html")
    with FaultServer() as server:
        server.plan(f"{SOURCES[2]}\nTranslate from German to English:", status(400, "no"))
        command = (
            "prompt",
            "run",
            str(grid),
            "--model",
            f"{server.address}#small",
            "--key",
            "OWN_KEY",
            "--cache",
            cache,
        )
        refused = tertium(*command)
        assert refused.status == 2
        assert "the request was refused (status 400): no" in refused.err
        kept = len(of_the_grid(server))
        done = tertium(*command, "-o", page, "--save", str(tmp_path / "e.zip"))
        assert done.status == 0, done.err
        assert f"tertium: note: {32 - kept} calls made" in done.err
        assert len(of_the_grid(server)) == 32
        assert {server.charged[prompt] for prompt in of_the_grid(server)} == {1}
        assert all(headers["Authorization"] == f"Bearer {KEY}" for _, _, headers in server.requests)
    assert all(KEY not in text for text in (refused.out, refused.err, done.out, done.err))
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes(), path
