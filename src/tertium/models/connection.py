"""A connection to a server of language models: patient, bounded, and silent about the key.

What a server refuses for the moment (408, 409, 429, 5xx) or breaks off before it has begun to answer is asked again,
after the time that the server names, or after a growing and jittered one. What it refuses for good (400, 401, 404...)
is not. An answer that began well (2xx) and did not arrive whole is not asked for again either: it may have been
charged, and nothing is charged twice without the user.
"""

from __future__ import annotations

import asyncio
import json
import queue
import random
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from tertium.core.errors import CancelledError, InputError, MissingPackageError, OptionError
from tertium.core.run import Run
from tertium.models.key import Key

T = TypeVar("T")
AGAIN = frozenset({408, 409, 429})  # and 5xx
LARGEST = 1 << 28  # bytes of an answer
SHOWN = 300  # characters of what a server says, in an error
POLL = 0.1  # seconds between looks at whether the work was cancelled


class ServerError(InputError):
    """A server that cannot be reached, refuses, or answers what is no answer. `status` is None where it gave none."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


class UnreachableError(ServerError):
    """A server that was not there, or went away before it answered."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to wait, how often to ask, and how much at a time. Nothing of it changes an answer."""

    connect: float = 10.0  # seconds until there is a connection
    read: float = 180.0  # seconds without a byte
    whole: float = 600.0  # seconds for one call, all attempts and pauses together
    attempts: int = 6
    concurrency: int = 4  # calls at a time
    pause: float = 0.5  # seconds before the second attempt; doubled for each further one
    longest: float = 60.0  # seconds of a pause

    def __post_init__(self) -> None:
        for name in ("connect", "read", "whole", "pause", "longest"):
            if not 0 < getattr(self, name) < float("inf"):
                raise OptionError(f"{name}: {getattr(self, name)}; must be more than 0 seconds")
        for name in ("attempts", "concurrency"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}: {getattr(self, name)}; must be at least 1")


PATIENT = Patience()


class _Again(Exception):  # noqa: N818
    """An attempt that failed, and after how many seconds to make another one, if the server said so."""

    def __init__(self, error: ServerError, after: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.after = error, after


class Connection:
    """Posts JSON to one address and gets JSON back.

    Calls run in an event loop on a thread of its own, so that they can be broken off at once. `clock`, `sleep` and
    `jitter` (a number from 0 to 1) are given by tests; `transport` stands for the network.
    """

    def __init__(
        self,
        address: str,
        *,
        name: str | None = None,
        key: Key | None = None,
        patience: Patience = PATIENT,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        transport: Any = None,
    ) -> None:
        self.address, self.patience = address.rstrip("/"), patience
        self.name = name or self.address  # in errors
        self._key, self._clock, self._sleep, self._jitter, self._transport = key, clock, sleep, jitter, transport
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reached = False  # a server that has answered before is worth another attempt to connect
        self.calls = 0  # attempts that were made

    # Calls

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The server's answer to one call, after as many attempts as patience allows; `path` may be a whole address."""
        deadline = self._clock() + self.patience.whole
        for attempt in range(1, self.patience.attempts + 1):
            try:
                return await self._attempt(path, body, deadline)
            except _Again as failed:
                pause = self._pause(attempt, failed.after)
                tries = "1 attempt" if attempt == 1 else f"{attempt} attempts"
                if attempt == self.patience.attempts:
                    raise type(failed.error)(f"{failed.error} after {tries}", failed.error.status) from None
                if self._clock() + pause > deadline:
                    raise type(failed.error)(
                        f"{failed.error} after {tries}; the next would come {pause:g} seconds later, beyond the "
                        f"{self.patience.whole:g} seconds for one call (whole=)",
                        failed.error.status,
                    ) from None
                await self._sleep(pause)
        raise ServerError(f"{self.name}: no attempt was made")

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """What one piece of work gives."""
        future = self._submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def each(
        self, work: Sequence[Callable[[], Coroutine[Any, Any, T]]], run: Run, stage: str
    ) -> Iterator[tuple[int, T]]:
        """What every piece of work gives, with its number, as soon as it is done; a bounded number at a time.

        After an error no new work begins, but what was begun is finished and handed over: it will be charged.
        """
        done: queue.SimpleQueue[tuple[int, Future[T]]] = queue.SimpleQueue()
        running: dict[int, Future[T]] = {}
        failed: BaseException | None = None
        begun = finished = 0
        try:
            while running or (begun < len(work) and failed is None):
                while begun < len(work) and len(running) < self.patience.concurrency and failed is None:
                    future = self._submit(work[begun]())
                    running[begun] = future
                    future.add_done_callback(lambda future, number=begun: done.put((number, future)))  # type: ignore[misc]
                    begun += 1
                try:
                    number, future = done.get(timeout=POLL)
                except queue.Empty:
                    if run.cancelled is not None and run.cancelled():
                        raise CancelledError(f"cancelled while {stage} ({finished} of {len(work)})") from None
                    continue
                del running[number]
                if future.cancelled():
                    raise ServerError(f"{self.name}: the connection was closed while {stage}")
                if error := future.exception():
                    failed = failed or error
                    continue
                finished += 1
                run.tell(stage, finished, len(work))
                yield number, future.result()
            if failed is not None:
                raise failed
        finally:
            for future in running.values():
                future.cancel()

    def close(self) -> None:
        """Break off what is under way, and close the connections."""
        loop, self._loop = self._loop, None
        if loop is None:
            return

        async def end() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            if self._client is not None:
                await self._client.aclose()
            self._client = None

        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()

    # One attempt

    async def _attempt(self, path: str, body: dict[str, Any], deadline: float) -> dict[str, Any]:
        import httpx

        if self._client is None:
            self._client = self._open()
        address = self.address + path if path.startswith("/") else path
        self.calls += 1
        begun = False  # whether the server has begun an answer that it will charge for
        try:
            async with self._client.stream("POST", address, json=body) as response:
                self._reached, begun = True, response.is_success
                data = bytearray()
                async for chunk in response.aiter_bytes():
                    data += chunk
                    if self._clock() > deadline:
                        raise self._lost(f"was not whole after {self.patience.whole:g} seconds (whole=)")
                    if len(data) > LARGEST:
                        raise self._lost(f"has more than {LARGEST >> 20} MB, which no answer has")
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ServerError(f"{self.name}: no address of a server ({self._hidden(error)})") from None
        except httpx.TimeoutException as error:
            phase = "connect" if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout) else "read"
            waited = f"for {getattr(self.patience, phase):g} seconds ({phase}=)"
            if begun:
                raise self._lost(f"broke off: nothing came {waited}") from None
            raise _Again(UnreachableError(f"{self.name}: no answer {waited}")) from None
        except httpx.HTTPError as error:
            if begun:
                raise self._lost(f"broke off ({self._hidden(error)})") from None
            failed = UnreachableError(
                f"{self.name}: no connection ({self._hidden(error)}); is the server running, is the address right?"
            )
            if isinstance(error, httpx.ConnectError) and not self._reached:
                raise failed from None
            broken = UnreachableError(f"{self.name}: the connection broke off ({self._hidden(error)})")
            raise _Again(broken) from None
        if response.is_success:
            return self._parsed(bytes(data), response.headers.get("content-type", ""))
        raise self._refusal(response, path, bytes(data))

    def _parsed(self, data: bytes, kind: str) -> dict[str, Any]:
        """The JSON object of a good answer."""
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            if "json" not in kind:
                shown = kind.partition(";")[0] or "something without a type"
                raise self._lost(
                    f"is {shown}, not JSON: {self._shorten(data)!r}; is this the address of an API (it often ends in "
                    f"/v1)?"
                ) from None
            raise self._lost(f"is JSON that breaks off: {self._shorten(data[-SHOWN:])!r}") from None
        if not isinstance(found, dict):
            raise self._lost(f"is a JSON {type(found).__name__}, not an object")
        return found

    def _lost(self, what: str) -> ServerError:
        """An answer for which the server may have charged, so that it is not asked for again by itself."""
        return ServerError(
            f"{self.name}: the answer {what}; it is not asked for a second time, because it may have been charged: "
            f"start again to ask for it (answers in the cache are kept)"
        )

    def _refusal(self, response: Any, path: str, data: bytes) -> Exception:
        """What an answer that is none means, and whether to ask again."""
        status: int = response.status_code
        said = self._shorten(_message(data))
        told = f": {said}" if said else ""
        if status in AGAIN or status >= 500:
            return _Again(ServerError(f"{self.name}: status {status}{told}", status), _retry_after(response.headers))
        if status in (401, 403):
            way = (
                f"the key comes from the variable {self._key.variable}"
                if self._key
                else "no key was sent; name the variable of the environment that has it (key=)"
            )
            return ServerError(f"{self.name}: not allowed (status {status}){told}; {way}", status)
        if status == 404:
            return ServerError(
                f"{self.name}: there is no {path}, or no such model (status 404){told}; an address often ends in "
                f"/v1, and the model comes behind #",
                status,
            )
        return ServerError(f"{self.name}: the request was refused (status {status}){told}", status)

    def _pause(self, attempt: int, asked: float | None) -> float:
        """Seconds until the next attempt: as long as the server asks for, or twice as long as before, with jitter."""
        if asked is not None:
            return asked
        longest: float = min(self.patience.longest, self.patience.pause * 2 ** (attempt - 1))
        return longest * (0.5 + self._jitter() / 2)

    def _hidden(self, error: object) -> str:
        text = str(error) or type(error).__name__
        return self._key.hide(text) if self._key else text

    def _shorten(self, data: bytes | str) -> str:
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        text = self._hidden(" ".join(text.split())) if text else ""  # first hidden, then cut: half a key is a secret
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."

    # The loop

    def _open(self) -> Any:
        import httpx

        patience = self.patience
        timeout = httpx.Timeout(patience.read, connect=patience.connect, pool=None)
        return httpx.AsyncClient(
            timeout=timeout,
            headers=self._key.headers() if self._key else {},
            transport=self._transport,
            trust_env=not is_local(self.address),  # a proxy of the environment does not lead to this computer
            limits=httpx.Limits(max_connections=patience.concurrency),
        )

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._loop is None:
            try:
                need_httpx(self.address)
            except MissingPackageError:
                work.close()
                raise
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="language model", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)


def need_httpx(address: str) -> None:
    """Say which command brings what connections are made of, where it is absent."""
    try:
        import httpx  # noqa: F401
    except ImportError:
        raise MissingPackageError(f'{address}: needs httpx: pip install "tertium[llm]"') from None


def is_local(address: str) -> bool:
    """Whether an address is of this computer."""
    host = address.partition("://")[2].partition("/")[0].rpartition("@")[2]
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name in ("localhost", "::1") or name.startswith("127.")


def _message(data: bytes) -> str | bytes:
    """What a server says of an error, in the field where most say it."""
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        found = json.loads(data)
        error = found.get("error", found) if isinstance(found, dict) else found
        said = error.get("message") if isinstance(error, dict) else error
        if isinstance(said, str):
            return said
    return data


def _retry_after(headers: Any) -> float | None:
    """Seconds to wait, from a number or a date; a date is compared with the server's own clock."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])).total_seconds()
        except (ValueError, TypeError, KeyError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
