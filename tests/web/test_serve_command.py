"""`tertium serve` from the address to Ctrl-C."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.web.conftest import example
from tests.web.served import Served

from tertium.cli.main import cli, main


def test_from_the_address_to_ctrl_c(tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace")
    assert server.address.startswith("http://127.0.0.1:")
    with server.client() as client:
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        assert "server" not in client.get("/").headers
        made = client.post("/api/evaluations", files=example("atlas"), data={"metrics": "bleu,ter"})
        assert made.status_code == 201
    assert server.stop() == f"workspace: {tmp_path / 'workspace'}\nCtrl-C ends it.\nstopped\n"
    assert server.process.returncode == 0
    again = Served(tmp_path / "workspace")  # the job waits no longer than this
    with again.client() as client:
        [entry] = client.get("/api/evaluations").json()
        assert (entry["id"], entry["state"] in ("queued", "running", "done")) == (made.json()["id"], True)
    again.stop()


def test_one_server_for_a_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Served(tmp_path / "workspace")
    with pytest.raises(SystemExit):
        main(["serve", "--no-open", "--workspace", str(tmp_path / "workspace")])
    assert (
        "is open in another tertium serve; use that one, or another folder (--workspace DIR)" in capsys.readouterr().err
    )
    server.kill()


def test_elsewhere_the_address_has_a_token(tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace", "--host", "0.0.0.0")
    address, _, token = server.address.partition("/?token=")
    assert len(token) >= 43
    server.address = address
    with server.client() as client:
        assert client.get("/").status_code == 401
        assert client.get(f"/?token={token}", follow_redirects=True).status_code == 200
        assert client.get("/api/evaluations").json() == []
    server.stop()


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("tertium.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(cli, ["serve", "--no-open"])
    assert str(done.exception) == (
        "tertium serve needs the package uvicorn; install it with: pip install 'tertium[web]'"
    )
