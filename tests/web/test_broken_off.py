"""Clients that go away, and a standard error that nobody reads: neither stops the workbench, nor fills a log."""

import logging
import os
import socket
import struct
from pathlib import Path
from urllib.parse import urlsplit

from tests.web.served import Served

from tertium.web.server import Overflowing

HEAD = (
    "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.en"\r\n\r\none two\r\n'
)


def break_off(address: str, path: str, reset: bool) -> None:
    """Begin an upload, and go: politely, or not."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port)) as client:
        client.sendall(HEAD.format(path=path).encode())
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_uploads_that_break_off_leave_no_trace(tmp_path: Path) -> None:
    """Nobody reads what the server says meanwhile: a traceback each would fill the pipe, and then it would stop."""
    server = Served(tmp_path / "workspace")
    for number in range(60):
        break_off(server.address, ("/api/evaluations", "/evaluations")[number % 2], reset=number % 3 == 0)
    with server.client() as client:
        assert client.get("/api/version").status_code == 200
        assert client.get("/api/evaluations").json() == []
    assert server.stop().splitlines() == [f"workspace: {tmp_path / 'workspace'}", "Ctrl-C ends it.", "stopped"]
    assert list((tmp_path / "workspace" / "incoming").iterdir()) == []


def fill(handle: int) -> int:
    """Write until nothing more goes in."""
    size = 0
    os.set_blocking(handle, False)
    try:
        while True:
            size += os.write(handle, bytes(512))
    except BlockingIOError:
        os.set_blocking(handle, True)
        return size


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("x", logging.ERROR, "", 0, text, None, None)


def test_what_nobody_reads_is_dropped() -> None:
    theirs, ours = os.pipe()
    handler = Overflowing(ours)
    handler.emit(record("one"))
    assert os.read(theirs, 100) == b"one\n"
    size = fill(ours)
    handler.emit(record("two"))  # which would wait for ever
    left = b""
    while len(left) < size:
        left += os.read(theirs, 1 << 20)
    assert left == bytes(size)
    handler.emit(record("x" * (1 << 20)))  # more than a pipe takes
    handler.emit(record("three"))
    os.close(ours)
    handler.emit(record("four"))  # to nobody
    with os.fdopen(theirs, "rb") as file:
        assert set(file.read()) == {ord("x")}
