"""Forms with files: they go to the disk as they come, and take little memory."""

import errno
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import example
from tests.web.served import Served

from tertium.web.multipart import FIELD, FILES

HEAD = {"content-type": "multipart/form-data; boundary=x"}


def form(files: dict[str, bytes]) -> Iterator[bytes]:
    """A form with these files, bit by bit."""
    for name, data in files.items():
        yield f'--x\r\ncontent-disposition: form-data; name="output"; filename="{name}"\r\n\r\n'.encode()
        yield data
        yield b"\r\n"
    yield b"--x--\r\n"


def peak(process: int) -> int:
    """Bytes of memory that a process had at most."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) << 10


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory of a process is told by Linux alone")
def test_many_files_below_a_megabyte_take_little_memory(tmp_path: Path) -> None:
    server = Served(tmp_path / "workspace")
    with server.client() as client:
        assert client.get("/").status_code == 200
        before = peak(server.process.pid)
        # The name of the first is refused when all have come: what is measured is the coming, not the reading.
        names = ["..", *(f"{k}.en" for k in range(99))]
        answer = client.post("/api/evaluations", content=form(dict.fromkeys(names, b"a" * 999_999)), headers=HEAD)
        assert answer.json() == {"error": "'..': not a name inside the upload; leave out .. and leading slashes"}
        assert peak(server.process.pid) - before < 40 << 20  # of 100 MB
    server.stop()


def test_a_form_has_only_so_much(client: TestClient) -> None:
    many = [("output", (f"{k}.en", b"a\n")) for k in range(FILES + 1)]
    answer = client.post("/api/evaluations", files=many)
    assert answer.status_code == 400
    assert answer.json() == {"error": f"Too many files. Maximum number of files is {FILES}."}
    answer = client.post("/api/evaluations", files=example("atlas"), data={"name": "x" * (FIELD + 1)})
    assert answer.status_code == 400
    assert answer.json() == {"error": f"Part exceeded maximum size of {FIELD >> 10}KB."}


def test_a_full_disk_is_told(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(tempfile.SpooledTemporaryFile[bytes]):
        def write(self, _: bytes) -> int:  # type: ignore[override]
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("starlette.formparsers.SpooledTemporaryFile", Full)
    answer = client.post("/api/evaluations", files=example("atlas"))
    assert (answer.status_code, answer.json()) == (
        422,
        {"error": "the files cannot be kept (No space left on device)"},
    )
