"""`tertium serve` from the address to Ctrl-C."""

import asyncio
import errno
import logging
import platform
import re
import signal
import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.web.conftest import example
from tests.web.served import Served

import tertium.web
from tertium.cli.main import cli, main
from tertium.web.security import Door, host_name, is_loopback
from tertium.web.server import addresses, deaf, worth_telling


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


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_while_an_upload_is_under_way(tmp_path: Path, times: int) -> None:
    """Once or twice, at whatever moment the server is: it ends, and says only that."""
    server = Served(tmp_path / "workspace")
    host, _, port = server.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as upload:
        kind = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n"
        upload.sendall(f"POST /api/evaluations HTTP/1.1\r\nHost: {host}:{port}\r\n{kind}\r\n--x\r\n".encode())
        with server.client() as client:  # answered behind the beginning of the upload
            assert client.get("/api/evaluations").json() == []
        for _ in range(times - 1):
            server.process.send_signal(signal.SIGINT)
        assert server.stop() == f"workspace: {tmp_path / 'workspace'}\nCtrl-C ends it.\nstopped\n"
    assert server.process.returncode == 0


@pytest.mark.parametrize(("message", "error", "told"), [
    ("a task failed", ValueError("x"), True), ("a task failed", asyncio.CancelledError(), False),
    ("Traceback ...\n  raise KeyboardInterrupt()\nKeyboardInterrupt\n", None, False),
    ("Traceback ...\nasyncio.exceptions.CancelledError: x\n", None, False),
    ("Traceback ...\nKeyboardInterrupt\n...\nOSError: disk full", None, True),
])  # fmt: skip
def test_only_what_ctrl_c_broke_off_is_not_told(message: str, error: BaseException | None, told: bool) -> None:
    trace = (type(error), error, None) if error else None
    record = logging.LogRecord("uvicorn.error", logging.ERROR, __file__, 1, message, (), trace)
    assert worth_telling(record) is told


def test_one_server_for_a_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Served(tmp_path / "workspace")
    assert refusal(capsys, "--workspace", str(tmp_path / "workspace")) == (
        f"tertium: {tmp_path}/workspace/index.sqlite3 is already open, in process {server.process.pid} on "
        f"{platform.node()}; use that one, or another folder (--workspace DIR)\n"
    )
    server.kill()


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence with which the command ends."""
    with pytest.raises(SystemExit) as caught:
        main(["serve", "--no-open", *arguments])
    said = capsys.readouterr()
    assert (caught.value.code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    return said.err


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Served(tmp_path / "workspace")
    port = server.address.rpartition(":")[2]
    other = tmp_path / "other"
    for _ in range(2):  # and the folder is free again
        assert refusal(capsys, "--workspace", str(other), "--port", port) == (
            f"tertium: port {port} of 127.0.0.1 is in use by another program; choose another, or --port 0 for one that "
            f"is free\n"
        )
    server.stop()
    again = Served(other, "--port", port)
    assert again.address == f"http://127.0.0.1:{port}"
    again.stop()


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("203.0.113.7", "203.0.113.7 is not an address of this computer; choose 127.0.0.1 (this computer alone) or "
         "0.0.0.0 (all)"),
        ("", "--host is empty; choose 127.0.0.1 (this computer alone) or 0.0.0.0 (all addresses)"),
        ("a" * 64, f"cannot listen on '{'a' * 64}' (encoding with 'idna' codec failed"),
        ("no.such.host.invalid", "cannot listen on 'no.such.host.invalid' ("),
    ],
)  # fmt: skip
def test_a_host_that_is_not_here(tmp_path: Path, capsys: pytest.CaptureFixture[str], host: str, sentence: str) -> None:
    assert refusal(capsys, "--workspace", str(tmp_path / "w"), "--host", host).startswith(f"tertium: {sentence}")


def test_a_port_that_is_not_allowed() -> None:
    refused = PermissionError(errno.EACCES, "permission denied")
    assert deaf("127.0.0.1", 80, refused) == (
        "port 80 of 127.0.0.1 may not be used by you; choose one from 1024 on, or --port 0 for one that is free"
    )


def test_a_folder_that_cannot_be_a_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    inner = tmp_path / "file" / "inner"
    assert refusal(capsys, "--workspace", str(inner)) == (
        f"tertium: {inner}: cannot be used as a workspace ({inner}/incoming: Not a directory); choose a folder that "
        f"can be written (--workspace DIR)\n"
    )

    def readonly(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", readonly)  # root may write anywhere
    folder = tmp_path / "locked"
    assert refusal(capsys, "--workspace", str(folder)) == (
        f"tertium: {folder}: cannot be used as a workspace ({folder}/incoming: Permission denied); choose a folder "
        f"that can be written (--workspace DIR)\n"
    )


def test_a_damaged_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.sqlite3").write_bytes(b"no index" * 1000)
    assert refusal(capsys, "--workspace", str(tmp_path)).startswith(
        f"tertium: {tmp_path}/index.sqlite3 is damaged (file is not a database); move away the files index.sqlite3*"
    )


def test_elsewhere_the_address_has_a_token(tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace", "--host", "0.0.0.0")
    address, _, token = server.address.partition("/?token=")
    assert len(token) >= 43
    server.address = address
    with server.client() as client:
        assert client.get("/").status_code == 401
        assert client.get(f"/?token={token}").status_code == 200
        assert client.get("/api/evaluations").json() == []
    printed = server.stop()
    found = re.match(r"from other computers: http://([^/]+):(\d+)/\?token=(\S+)\n", printed)
    assert found is not None
    assert (found[2], found[3]) == (address.rpartition(":")[2], token)
    assert not is_loopback(found[1])
    assert Door(host="0.0.0.0", token=token).knows(found[1].strip("[]"))


def test_the_address_for_other_computers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "Workbench")
    expected = {
        "127.0.0.1": ["http://127.0.0.1:80/?token=t"], "workbench.example": ["http://workbench.example:80/?token=t"],
        "0.0.0.0": ["http://127.0.0.1:80/?token=t", "http://workbench:80/?token=t"],
        "::": ["http://[::1]:80/?token=t", "http://workbench:80/?token=t"],
    }  # fmt: skip
    for host, found in expected.items():
        door = Door(host=host, token="t")
        assert addresses(door, 80) == found
        assert all(door.knows(host_name(address.split("/")[2])) for address in found)


def test_behind_a_proxy(tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace", "--address", "https://MT.example.org/")
    address, _, token = server.address.partition("/?token=")
    assert (address, len(token) >= 43) == ("https://mt.example.org", True)
    assert server.process.stdout is not None
    found = re.fullmatch(
        r"the proxy finds it at: (http://127\.0\.0\.1:\d+)\n", server.process.stdout.readline().decode()
    )
    assert found is not None
    server.address = found[1]
    with server.client() as client:
        passed = {"host": "mt.example.org"}
        assert client.get("/", headers=passed).status_code == 401
        first = client.get(f"/?token={token}", headers=passed)
        assert (first.status_code, first.headers["set-cookie"].split("; ")[-1]) == (200, "Secure")
        passed |= {"cookie": f"tertium-token={token}"}
        form = {"files": example("atlas"), "data": {"metrics": "bleu"}}
        for origin, status in (
            ("https://mt.example.org", 201),
            ("http://mt.example.org", 403),
            ("https://evil.example", 403),
        ):
            assert client.post("/api/evaluations", headers={**passed, "origin": origin}, **form).status_code == status
        assert client.get("/", headers={**passed, "host": "evil.example"}).status_code == 421
    server.stop()


NO_SERVER = (
    "is not the address of a server; write https:// (or http://), its name, and :PORT where it has one, as in "
    "https://mt.example.org"
)
NO_SERVERS = [
    "", "mt.example.org", "mt.example.org:443", "//mt.example.org", "null", "ftp://mt.example.org", "https://",
    "https:///x",
    "javascript:alert(1)", "javascript://x/%0aalert(1)", "https:mt.example.org", "https://mt.example.org:",
    "https://user@mt.example.org", "https://user:pass@mt.example.org", "https://mt.example.org:0",
    "https://mt.example.org:65536", "https://*.example.org", "https://mt.example.org?x", "https://mt.example.org#x",
    "https://mt.example.org.", "https://[::1", "https://[1:2]", "https://über.example", "https://mt example.org",
    " https://mt.example.org", "https://mt.example.org\n", "https://mt.example.org\r\nx: y",
]  # fmt: skip
TOO_MUCH = "has more than a server's name; the workbench needs a name of its own, as in"


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        *((text, NO_SERVER) for text in NO_SERVERS),
        *((f"https://mt.example.org{rest}", f"{TOO_MUCH} https://mt.example.org")
          for rest in ("/tertium", "/tertium/", "//", "/?token=x", "/#x", "/\n")),
        ("http://workbench:8000/mt", f"{TOO_MUCH} http://workbench:8000"),
    ],
)  # fmt: skip
def test_addresses_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str, sentence: str
) -> None:
    said = refusal(capsys, "--workspace", str(tmp_path / "w"), "--address", address)
    assert said == f"tertium: --address {address!r} {sentence}\n"
    assert not (tmp_path / "w").exists()


def test_the_address_of_a_proxy_is_the_one_to_open() -> None:
    door = Door(host="0.0.0.0", token="t", origin="https://mt.example.org")
    assert addresses(door, 80) == ["https://mt.example.org/?token=t", "http://127.0.0.1:80"]


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tertium, "web", tertium.web)  # what is imported below is another, and must not stay
    for name in [name for name in sys.modules if name.startswith("tertium.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(cli, ["serve", "--no-open"])
    assert str(done.exception) == (
        'tertium serve needs the package uvicorn; install it with: pip install "tertium[web]"'
    )


def test_models_are_named_at_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.txt").write_text("aeiou")
    assert refusal(capsys, "--workspace", str(tmp_path / "w"), "--model", f"vowels={tmp_path}/none") == (
        f"tertium: --model vowels={tmp_path}/none: no such file or folder\n"
    )
    server = Served(tmp_path / "w", "--model", f"vowels={tmp_path}/m.txt")
    with server.client() as client:
        assert 'name="comet.model" type="text" step="any" placeholder="vowels"' in client.get("/").text
    server.stop()
