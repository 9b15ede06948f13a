"""kill -9 of a server in the middle of 200 raters' work: what was acknowledged is there, what was not is sent again."""

import random
import sqlite3
from pathlib import Path

import pytest
from tests.campaign import forked
from tests.campaign.cluster import Cluster
from tests.campaign.crowd import Crowd, write_campaign
from tests.campaign.forked import Forked
from tests.campaign.served import Served

from tertium.human.campaign.collection import open_collection

pytest.importorskip("fastapi")


def check(path: Path, said: set[tuple[str, int]]) -> None:
    """Everything acknowledged is there, nothing twice, and the table is what the events come to."""
    with open_collection(path) as collection, collection.store.database.transaction():  # nobody writes meanwhile
        rows = collection.store.database.rows("SELECT uuid, revision FROM events WHERE kind = 'response'")
        events = [(row["uuid"], row["revision"]) for row in rows]
        assert said <= set(events)
        assert len(events) == len(set(events))
        assert collection.store.responses() == collection.store.replayed()
    if path.with_suffix(".sqlite").exists():
        with sqlite3.connect(path.with_suffix(".sqlite")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


def survives(path: Path, times: int) -> None:
    """Servers that are forked: the same code as the command's, and there at once."""
    rng = random.Random(7)
    with Crowd(path) as crowd:
        for _ in range(times):
            server = Forked(forked.serve, str(path))
            crowd.goes_to(server.receive()[0])
            crowd.waits_for(rng.randint(1, 100))
            server.kill()
            crowd.goes_to()
            check(path, crowd.said())
    check(path, crowd.said())


def test_the_command_killed_in_the_middle(tmp_path: Path) -> None:
    path = write_campaign(tmp_path)
    with Crowd(path) as crowd:
        for count in (1, 200):
            server = Served(path)
            crowd.goes_to(server.address)
            crowd.waits_for(count)
            server.kill()
            crowd.goes_to()
            check(path, crowd.said())


def test_killed_in_the_middle(tmp_path: Path) -> None:
    survives(write_campaign(tmp_path), 5)


@pytest.mark.slow
def test_killed_a_hundred_times(tmp_path: Path) -> None:
    survives(write_campaign(tmp_path), 100)


@pytest.mark.services
def test_killed_in_the_middle_with_postgres(tmp_path: Path, cluster: Cluster) -> None:
    survives(write_campaign(tmp_path, cluster.schema()), 20)


@pytest.mark.services
def test_postgres_ends_in_the_middle_and_the_servers_go_on(tmp_path: Path, cluster: Cluster) -> None:
    """Its processes are killed, one connection or all of them; two servers find it again without being started anew."""
    rng = random.Random(11)
    path = write_campaign(tmp_path, cluster.schema())
    with Crowd(path) as crowd:
        servers = [Forked(forked.serve, str(path)) for _ in range(2)]
        crowd.goes_to(*(server.receive()[0] for server in servers))
        for turn in range(6):
            crowd.waits_for(rng.randint(1, 200))
            if turn % 2:
                cluster.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tertium'"
                )
            else:
                cluster.stop()
                crowd.waits_for_refusals(1)
                cluster.start()
            check(path, crowd.said())
        crowd.waits_for(200)
        assert all(server.process.is_alive() for server in servers)
        for server in servers:
            server.kill()
        crowd.goes_to()
    check(path, crowd.said())
    assert set(crowd.refusals) == {
        "the database cannot be reached just now; what was not acknowledged is to be sent again"
    }
