"""kill -9 of a server in the middle of 200 raters' work: what was acknowledged is there, what was not is sent again."""

import random
import sqlite3
import threading
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.campaign.served import PATIENCE, Served

from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.links import session_of
from tertium.web.campaign.screens import rater_key

pytest.importorskip("fastapi")
RATERS, THREADS = 200, 8


class Crowd:
    """Raters who send one response after the other, and each again until it is acknowledged."""

    def __init__(self, path: Path) -> None:
        with open_collection(path) as collection:
            names = collection.campaign.raters.names
            self.raters = [
                (
                    session_of(collection.links.make(name)),
                    rater_key(collection, name),
                    collection.batches_of(name)[0].number,
                )
                for name in names
            ]
        self.acknowledged: set[tuple[str, int]] = set()
        self.changed = threading.Condition()
        self.address, self.over = "", False

    def has(self, count: int) -> bool:
        """Whether so many were acknowledged."""
        return len(self.acknowledged) >= count

    def work(self, number: int) -> None:
        """A thread: its share of the raters, in turns, a revision more in each round."""
        revision = 0
        with httpx.Client(timeout=PATIENCE, trust_env=False) as client:
            while not self.over:
                revision += 1
                for session, who, batch in self.raters[number::THREADS]:
                    self.send(client, session, batch, {"who": who, "uuid": who, "revision": revision})

    def send(self, client: httpx.Client, session: str, batch: int, given: dict[str, Any]) -> None:
        body = {"values": {"da100": given["revision"] % 101}}
        while not self.over:
            with self.changed:
                self.changed.wait_for(lambda: self.address or self.over)
                address = self.address
            try:
                answer = client.put(f"{address}/api/responses/{batch}/0", json={**given, "body": body},
                                    headers={"cookie": f"tertium-rater={session}"})  # fmt: skip
            except httpx.TransportError:
                with self.changed:
                    if self.address == address:
                        self.address = ""
                continue
            assert answer.status_code == 200, answer.text
            with self.changed:
                self.acknowledged.add((given["uuid"], given["revision"]))
                self.changed.notify_all()
            return


def survives(folder: Path, times: int) -> None:
    segments = RATERS
    (folder / "source.txt").write_text("".join(f"source {k}\n" for k in range(segments)))
    (folder / "one.txt").write_text("".join(f"output {k}\n" for k in range(segments)))
    (folder / "testset.toml").write_text('name = "t"\nsource = "source.txt"\nsystems = { one = "one.txt" }\n')
    path = folder / "campaign.toml"
    path.write_text(f'testset = "testset.toml"\n[raters]\ncount = {RATERS}\n')
    crowd, rng = Crowd(path), random.Random(7)
    threads = [threading.Thread(target=crowd.work, args=(k,), daemon=True) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for _ in range(times):
        server = Served(path)
        with crowd.changed:
            crowd.address = server.address
            crowd.changed.notify_all()
            enough = len(crowd.acknowledged) + rng.randint(1, 300)
            assert crowd.changed.wait_for(partial(crowd.has, enough), timeout=PATIENCE)
        server.kill()
        with crowd.changed:
            crowd.address = ""
            said = set(crowd.acknowledged)
        check(path, said)
    with crowd.changed:
        crowd.over = True
        crowd.changed.notify_all()
    for thread in threads:
        thread.join()
    check(path, crowd.acknowledged)


def check(path: Path, said: set[tuple[str, int]]) -> None:
    """Everything acknowledged is there, nothing twice, and the table is what the events come to."""
    with open_collection(path) as collection:
        rows = collection.store.database.rows("SELECT uuid, revision FROM events WHERE kind = 'response'")
        events = [(row["uuid"], row["revision"]) for row in rows]
        assert said <= set(events)
        assert len(events) == len(set(events))
        assert collection.store.responses() == collection.store.replayed()
    with sqlite3.connect(path.with_suffix(".sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_killed_in_the_middle(tmp_path: Path) -> None:
    survives(tmp_path, 5)


@pytest.mark.slow
def test_killed_a_hundred_times(tmp_path: Path) -> None:
    survives(tmp_path, 100)
