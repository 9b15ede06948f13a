"""A server of language models on this computer that fails as it is told to, and counts what it was asked.

A request is known by its prompt. `plan(prompt, fault, ...)` says what happens to its first attempts; then it is
answered with the prompt in capitals. Nothing waits for a clock: who is held waits at a gate that the test, or its end,
opens.
"""

import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

PATIENCE = 600  # seconds after which something hangs; nothing depends on it while nothing does


class Fault:
    """What happens to one attempt."""

    def __init__(self, kind: str, **how: Any) -> None:
        self.kind, self.how = kind, how


def status(code: int, text: str = "no", **headers: str) -> Fault:
    return Fault("status", code=code, text=text, headers=headers)


TRUNCATED = Fault("truncated")  # JSON that breaks off
SHORT = Fault("short")  # a body that breaks off with the connection
SLOW = Fault("slow")  # a body whose end does not come
WRONG = Fault("wrong")  # a page
ODD = Fault("odd")  # JSON of something else
HANG = Fault("hang")  # nothing comes
RESET = Fault("reset")  # the connection is gone


class FaultServer:
    def __init__(self) -> None:
        self.gate = threading.Event()  # for whoever is held
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.charged: Counter[str] = Counter()  # good answers that were begun, by prompt
        self.most = 0  # requests at a time
        self.reply: Callable[[str, dict[str, Any]], dict[str, Any]] = answer
        self._faults: dict[str, list[Fault]] = {}
        self._active, self._came = 0, threading.Condition()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body go out together

            def do_POST(self) -> None:
                server.serve(self)

            def log_message(self, *_: Any) -> None:
                """Not on the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def plan(self, prompt: str, *faults: Fault) -> None:
        self._faults[prompt] = list(faults)

    def wait_for(self, count: int) -> None:
        """Return when so many requests have come."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.requests) >= count, PATIENCE)

    def asked(self) -> list[str]:
        """The prompts of all attempts, in the order in which they came."""
        return [prompt_of(body) for _, body, _ in self.requests]

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        prompt = prompt_of(body)
        with self._came:
            self.requests.append((handler.path, body, dict(handler.headers.items())))
            self._active += 1
            self.most = max(self.most, self._active)
            fault = self._faults[prompt].pop(0) if self._faults.get(prompt) else Fault("good")
            self._came.notify_all()
        try:
            self._fail(handler, fault, prompt, body)
        finally:
            with self._came:
                self._active -= 1

    def _fail(self, handler: BaseHTTPRequestHandler, fault: Fault, prompt: str, body: dict[str, Any]) -> None:
        good = json.dumps(self.reply(handler.path, body)).encode()
        if fault.kind == "held":
            assert self.gate.wait(PATIENCE)
        if fault.kind in ("good", "held"):
            self._send(handler, prompt, good)
        elif fault.kind == "status":
            data = json.dumps({"error": {"message": fault.how["text"]}}).encode()
            self._send(handler, prompt, data, code=fault.how["code"], headers=fault.how["headers"])
        elif fault.kind == "truncated":
            self._send(handler, prompt, good[: len(good) // 2])
        elif fault.kind == "wrong":
            self._send(handler, prompt, b"<html>Welcome</html>", headers={"Content-Type": "text/html; charset=utf-8"})
        elif fault.kind == "odd":
            self._send(handler, prompt, b'{"object": "list", "data": []}')
        elif fault.kind in ("short", "slow"):
            self._send(handler, prompt, good[:10], length=len(good))
            if fault.kind == "slow":
                assert self.gate.wait(PATIENCE)
            handler.close_connection = True
        elif fault.kind == "hang":
            assert self.gate.wait(PATIENCE)
            handler.close_connection = True
        elif fault.kind == "reset":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            handler.close_connection = True

    def _send(
        self,
        handler: BaseHTTPRequestHandler,
        prompt: str,
        data: bytes,
        *,
        code: int = 200,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        if code == 200:
            with self._came:
                self.charged[prompt] += 1
        handler.send_response(code)
        fields = {"Content-Type": "application/json", **(headers or {})}
        for name, value in fields.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data) if length is None else length))
        handler.end_headers()
        handler.wfile.write(data)
        handler.wfile.flush()


HELD = Fault("held")  # a good answer, when the gate is open


def prompt_of(body: dict[str, Any]) -> str:
    prompt = body.get("prompt", body.get("content", ""))
    return body["messages"][-1]["content"] if "messages" in body else str(prompt)


def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The prompt in capitals, as a text or as a message."""
    text = prompt_of(body).upper()
    chosen = {"message": {"role": "assistant", "content": text}} if "chat" in path else {"text": text}
    return {
        "choices": [{"index": 0, "finish_reason": "stop", **chosen}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
