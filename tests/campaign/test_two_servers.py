"""Two servers, each a process of its own, on one store in PostgreSQL: raters go to either, and it is one campaign."""

import random
import re
import threading
from collections import Counter, defaultdict
from pathlib import Path

import httpx
import pytest
from tests.campaign import forked
from tests.campaign.cluster import Cluster
from tests.campaign.crowd import Crowd, write_campaign
from tests.campaign.forked import Forked
from tests.campaign.served import PATIENCE, Served, tertium
from tests.campaign.test_server_killed import check

from tertium.human.campaign.collection import open_collection

pytestmark = pytest.mark.services
SEGMENTS, RATERS = 60, 12


def write_pool(folder: Path, store: str, assignment: str) -> Path:
    for name in ("source", "one", "two"):
        (folder / f"{name}.txt").write_text("".join(f"{name} {k}\n" for k in range(SEGMENTS)))
    (folder / "documents.txt").write_text("".join(f"d{k // 3}\n" for k in range(SEGMENTS)))
    (folder / "testset.toml").write_text(
        'name = "t"\nsource = "source.txt"\ndocuments = "documents.txt"\n'
        'systems = { one = "one.txt", two = "two.txt" }\n'
    )
    path = folder / "campaign.toml"
    names = ", ".join(f'"r{k}"' for k in range(RATERS))
    path.write_text(
        f'testset = "testset.toml"\nstore = "{store}"\n[batches]\nsize = 3\nassignment = "{assignment}"\n'
        f"[raters]\nnames = [{names}]\n"
    )
    return path


class PoolRater:
    """Takes batch after batch, each at both servers at once, and answers its items at one of them."""

    def __init__(self, addresses: list[str], token: str, seed: int) -> None:
        self._rng, self.batches = random.Random(seed), list[int]()
        self._clients = [httpx.Client(base_url=one, timeout=PATIENCE, trust_env=False) for one in addresses]
        for client in self._clients:
            assert client.get(f"/r/{token}").status_code == 200

    def work(self) -> None:
        while True:
            answers: list[str] = []
            threads = [threading.Thread(target=self._take, args=(client, answers)) for client in self._clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(set(answers)) == 1, answers  # both servers give the same one
            if answers[0] == "/?nothing=1":
                break
            self.batches.append(int(answers[0].rpartition("/")[2]))
            self._answer(self.batches[-1])
        for client in self._clients:
            client.close()

    def _take(self, client: httpx.Client, answers: list[str]) -> None:
        answers.append(client.post("/take").headers["location"])

    def _answer(self, batch: int) -> None:
        client = self._rng.choice(self._clients)
        [who] = re.findall(r'data-who="(\w+)"', client.get(f"/batch/{batch}").text)
        for place in range(3):
            given = {"who": who, "uuid": f"{who}-{batch}-{place}", "revision": 1,
                     "body": {"values": {"da100": self._rng.randint(0, 100)}}}  # fmt: skip
            for client in self._rng.sample(self._clients, 2):  # the second time, as after a lost answer
                answer = client.put(f"/api/responses/{batch}/{place}", json=given)
                assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("assignment", ["pool", "dynamic"])
def test_nobody_gets_what_another_has(tmp_path: Path, cluster: Cluster, assignment: str) -> None:
    path = write_pool(tmp_path, cluster.schema(), assignment)
    servers = [Served(path) for _ in range(2)]
    lines = tertium("human", "links", str(path)).splitlines()[1:]  # beside the servers, which a file would not allow
    raters = [
        PoolRater([server.address for server in servers], line.rpartition("/")[2].strip(), seed)
        for seed, line in enumerate(lines)
    ]
    failed: list[BaseException] = []

    def work(rater: PoolRater) -> None:
        try:
            rater.work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(rater,)) for rater in raters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    with open_collection(path) as collection:
        batches = [batch.number for batch in collection.plan.batches]
        assert Counter(number for rater in raters for number in rater.batches) == Counter(batches)  # each once
        assert len(batches) == 40
        said: dict[tuple[int, int], set[str]] = defaultdict(set)
        for kept in collection.standing():
            said[kept.batch, kept.item].add(kept.rater)
        assert len(said) == 2 * SEGMENTS
        assert all(len(several) == 1 for several in said.values())
        rows = collection.store.database.rows("SELECT uuid, revision FROM events WHERE kind = 'response'")
        assert len(rows) == len({(row["uuid"], row["revision"]) for row in rows}) == 2 * SEGMENTS
        assert collection.store.responses() == collection.store.replayed()
    for server in servers:
        assert "stopped" in server.stop()


def test_a_link_revoked_at_one_server_is_refused_at_the_other(tmp_path: Path, cluster: Cluster) -> None:
    path = write_pool(tmp_path, cluster.schema(), "pool")
    one, two = Served(path), Served(path)
    token = tertium("human", "links", str(path), "--new", "r1").splitlines()[1].rpartition("/")[2].strip()
    with httpx.Client(base_url=two.address, timeout=PATIENCE, trust_env=False) as client:
        assert client.get(f"/r/{token}").status_code == 200
        assert client.get("/").status_code == 200
        with httpx.Client(base_url=one.address, timeout=PATIENCE, trust_env=False) as admin:
            assert admin.get(one.dashboard).status_code == 200
            answer = admin.post("/admin/revoke", data={"rater": "r1"}, headers={"origin": one.address})
            assert answer.status_code == 303
        assert client.get("/").status_code == 401
    for server in (one, two):
        server.stop()


def test_servers_killed_in_turns(tmp_path: Path, cluster: Cluster) -> None:
    """One of two is always there; what either acknowledged is in the store."""
    rng = random.Random(3)
    path = write_campaign(tmp_path, cluster.schema())
    servers = [Forked(forked.serve, str(path)) for _ in range(2)]
    addresses = [server.receive()[0] for server in servers]
    with Crowd(path) as crowd:
        for turn in range(10):
            crowd.goes_to(*addresses)
            crowd.waits_for(rng.randint(1, 100))
            servers[turn % 2].kill()
            crowd.goes_to(addresses[1 - turn % 2])
            crowd.waits_for(20)
            check(path, crowd.said())
            servers[turn % 2] = Forked(forked.serve, str(path))
            addresses[turn % 2] = servers[turn % 2].receive()[0]
    for server in servers:
        server.kill()
    check(path, crowd.said())
