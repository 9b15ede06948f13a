"""Raters who send one response after the other, and each again until it is acknowledged."""

import threading
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
from tests.campaign.served import PATIENCE

from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.links import session_of
from tertium.web.campaign.screens import rater_key

RATERS, THREADS = 200, 8


def write_campaign(folder: Path, store: str = "") -> Path:
    """An item for each of 200 raters."""
    (folder / "source.txt").write_text("".join(f"source {k}\n" for k in range(RATERS)))
    (folder / "one.txt").write_text("".join(f"output {k}\n" for k in range(RATERS)))
    (folder / "testset.toml").write_text('name = "t"\nsource = "source.txt"\nsystems = { one = "one.txt" }\n')
    path = folder / "campaign.toml"
    where = f'store = "{store}"\n' if store else ""
    path.write_text(f'testset = "testset.toml"\n{where}[raters]\ncount = {RATERS}\n')
    return path


class Crowd:
    """The raters of a campaign, in threads; they go where they are told a server is."""

    def __init__(self, path: Path) -> None:
        with open_collection(path) as collection:
            self._raters = [
                (session_of(collection.links.make(name)), rater_key(collection, name),
                 collection.batches_of(name)[0].number)
                for name in collection.campaign.raters.names
            ]  # fmt: skip
        self._acknowledged: set[tuple[str, int]] = set()
        self.refusals: list[str] = []  # what servers said whose store was not there
        self._changed, self._addresses, self._over = threading.Condition(), tuple[str, ...](), False
        self._wrong: list[str] = []
        self._threads = [threading.Thread(target=self._work, args=(k,), daemon=True) for k in range(THREADS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        assert not self._wrong

    def goes_to(self, *addresses: str) -> None:
        """Where servers are; nowhere, where none is named."""
        with self._changed:
            self._addresses = addresses
            self._changed.notify_all()

    def said(self) -> set[tuple[str, int]]:
        """What was acknowledged so far."""
        with self._changed:
            return set(self._acknowledged)

    def waits_for(self, more: int) -> None:
        """Until so many more were acknowledged."""
        self._wait(self._acknowledged, more)

    def waits_for_refusals(self, more: int) -> None:
        """Until so many more were refused."""
        self._wait(self.refusals, more)

    def _wait(self, counted: set[tuple[str, int]] | list[str], more: int) -> None:
        def enough(count: int) -> bool:
            return len(counted) >= count or bool(self._wrong)

        with self._changed:
            assert self._changed.wait_for(partial(enough, len(counted) + more), timeout=PATIENCE)
            assert not self._wrong

    def _work(self, number: int) -> None:
        """A thread: its share of the raters, in turns, a revision more in each round."""
        revision = 0
        with httpx.Client(timeout=PATIENCE, trust_env=False) as client:
            while not self._over:
                revision += 1
                for session, who, batch in self._raters[number::THREADS]:
                    self._send(client, session, batch, {"who": who, "uuid": who, "revision": revision})

    def _send(self, client: httpx.Client, session: str, batch: int, given: dict[str, Any]) -> None:
        body = {"values": {"da100": given["revision"] % 101}}
        attempt = given["revision"]  # the same raters go to another server each time
        while not self._over:
            with self._changed:
                self._changed.wait_for(lambda: self._addresses or self._over)
                addresses = self._addresses or ("",)
            attempt += 1
            try:
                answer = client.put(f"{addresses[attempt % len(addresses)]}/api/responses/{batch}/0",
                                    json={**given, "body": body},
                                    headers={"cookie": f"tertium-rater={session}"})  # fmt: skip
            except (httpx.TransportError, httpx.UnsupportedProtocol):
                with self._changed:
                    if self._addresses == addresses:
                        self._addresses = ()
                continue
            with self._changed:
                if answer.status_code == 200:
                    self._acknowledged.add((given["uuid"], given["revision"]))
                elif answer.status_code == 503 and "retry-after" in answer.headers:
                    self.refusals.append(answer.json()["error"])
                else:
                    self._wrong.append(answer.text)
                    self._over = True
                self._changed.notify_all()
            if answer.status_code == 200:
                return
