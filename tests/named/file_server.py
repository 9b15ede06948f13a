"""A server on this computer that gives away files, in all the ways in which that goes wrong."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class FileServer:
    """`files` are what there is by path; `faults` say what happens at the next request of a path, once each."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Any]] = {}
        self.asked: list[tuple[str, str | None]] = []  # path and range
        self.tags: dict[str, str] = {}
        self.go = threading.Event()  # ends a hang
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, call: BaseHTTPRequestHandler) -> None:
        asked = call.headers.get("Range")
        self.asked.append((call.path, asked))
        call.close_connection = True
        fault = self.faults.get(call.path, [])
        fault = fault.pop(0) if fault else None
        if fault == "hang":
            self.go.wait()
            return
        if isinstance(fault, tuple) and fault[0] == "to":
            call.send_response(302)
            call.send_header("Location", fault[1])
            call.send_header("Content-Length", "0")
            call.end_headers()
            return
        if isinstance(fault, int) or call.path not in self.files:
            call.send_error(fault if isinstance(fault, int) else 404)
            return
        data, begin = self.files[call.path], 0
        if (
            asked is not None
            and fault != "no ranges"
            and call.headers.get("If-Range", self.tag(call.path)) == self.tag(call.path)
        ):
            begin = int(asked.removeprefix("bytes=").removesuffix("-"))
            if begin >= len(data):
                call.send_error(416)
                return
        call.send_response(206 if begin else 200)
        if begin:
            call.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        if self.tag(call.path):
            call.send_header("ETag", self.tag(call.path))
        kind, number = fault if isinstance(fault, tuple) else (fault, 0)
        if kind != "no length":
            call.send_header("Content-Length", str(number if kind == "length" else len(data) - begin))
        call.end_headers()
        rest = data[begin:]
        if kind in ("cut", "stop"):
            rest = rest[:number]
        call.wfile.write(rest)
        call.wfile.flush()
        if kind == "stop":
            self.go.wait()

    def tag(self, path: str) -> str:
        return self.tags.get(path, "")


@contextmanager
def serving() -> Iterator[FileServer]:
    found = FileServer()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        found.go.set()
        found.server.shutdown()
        thread.join()
        found.server.server_close()
