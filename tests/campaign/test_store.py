"""Responses: acknowledged ones are there whatever happens, none is there twice, the higher revision stands."""

import itertools
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import InputError
from tertium.human.campaign.store import CampaignStore, ConflictError, Save


def save(value: int = 1, *, rater: str = "eva", item: int = 0, uuid: str = "u", revision: int = 1) -> Save:
    return Save(rater=rater, batch=1, item=item, uuid=uuid, revision=revision, body={"values": {"da100": value}})


def test_saved_and_sent_again(tmp_path: Path) -> None:
    with CampaignStore(tmp_path / "c.sqlite", plan="p") as store:
        assert store.save(save()) is True
        assert store.save(save()) is False
        assert [kept.body["values"] for kept in store.responses()] == [{"da100": 1}]
        with pytest.raises(ConflictError, match="another response has this id and revision"):
            store.save(save(2))
        with pytest.raises(ConflictError):
            store.save(save(1, rater="ben"))
        assert store.responses() == store.replayed()


def test_another_plan_and_another_server(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with CampaignStore(path, plan="p" * 64) as store:
        store.save(save())
        with pytest.raises(InputError, match="is already open, in process"):
            CampaignStore(path, plan="p" * 64)
    with pytest.raises(InputError, match=r"holds responses to another plan \(pppppppppppp, not q"):
        CampaignStore(path, plan="q" * 64)
    with CampaignStore(path, plan="p" * 64) as store:
        assert len(store.responses()) == 1


@given(st.permutations([1, 2, 3, 4]), st.lists(st.integers(1, 4), max_size=4))
def test_the_highest_revision_stands_in_any_order(order: list[int], again: list[int]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, CampaignStore(Path(folder) / "c.sqlite", plan="p") as store:
        for revision in [*order, *again]:
            store.save(save(revision, revision=revision))
        [kept] = store.responses()
        assert (kept.revision, kept.body) == (4, {"values": {"da100": 4}})
        assert store.replayed() == [kept]


def test_two_tabs_whoever_was_heard_last_stands(tmp_path: Path) -> None:
    ticks = itertools.count()
    with CampaignStore(tmp_path / "c.sqlite", plan="p", clock=lambda: float(next(ticks))) as store:
        store.save(save(1, uuid="tab1", revision=5))
        store.save(save(2, uuid="tab2", revision=1))
        assert store.responses()[0].body == {"values": {"da100": 2}}
        assert store.responses() == store.replayed()


def test_what_a_rater_said_is_erased_and_that_is_noted(tmp_path: Path) -> None:
    with CampaignStore(tmp_path / "c.sqlite", plan="p", clock=lambda: 7.0) as store:
        store.save(save(rater="eva", uuid="a"))
        store.save(save(rater="ben", uuid="b"))
        assert store.erase("eva") == 1
        assert [kept.rater for kept in store.replayed()] == ["ben"]
        assert store.trail() == [(7.0, "erased", "", {"responses": 1})]
    assert b"eva" not in (tmp_path / "c.sqlite").read_bytes()


def test_a_full_disk_is_told_to_everybody_and_forgotten_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with CampaignStore(path, plan="p") as store:
        store.save(save(uuid="before"))
        pages = store._store.rows("PRAGMA page_count")[0][0]
        store._store.rows(f"PRAGMA max_page_count = {pages}")
        big = [save(item=k, uuid=f"big{k}") for k in range(1, 400)]
        waiting = [store.submit(one) for one in big]
        outcomes = [done.exception() for done in waiting]
        failed = [error for error in outcomes if error is not None]
        assert failed
        assert all("there is no room for it on the disk" in str(error) for error in failed)
        kept = {one.item for one in store.responses()}
        assert kept == {0, *(one.item for one, error in zip(big, outcomes, strict=True) if error is None)}
        store._store.rows(f"PRAGMA max_page_count = {1 << 30}")
        assert all(store.save(one) for one, error in zip(big, outcomes, strict=True) if error is not None)
        assert store.responses() == store.replayed()
        assert len(store.responses()) == 400


def killed(path: Path, acknowledgements: int, first: int) -> set[tuple[str, int]]:
    """What was acknowledged before the process was killed, which is when so many acknowledgements were read."""
    command = [sys.executable, "-m", "tests.campaign.saving", str(path), "200", str(first)]
    said = set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        for line in itertools.islice(process.stdout, acknowledgements):
            rater, item, _ = line.split()
            said.add((rater, int(item)))
        process.kill()
        for line in process.stdout:  # said before the end, and not read yet
            if line.endswith("\n"):
                rater, item, _ = line.split()
                said.add((rater, int(item)))
    return said


def survives(path: Path, times: int) -> None:
    rng = random.Random(5)
    said: set[tuple[str, int]] = set()
    for turn in range(times):
        said |= killed(path, rng.randint(1, 300), first=1000 * turn)
        with CampaignStore(path, plan="p") as store:
            there = [(kept.rater, kept.item) for kept in store.responses()]
            assert len(there) == len(set(there))
            assert said <= set(there)
            assert store.responses() == store.replayed()
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


def test_killed_in_the_middle(tmp_path: Path) -> None:
    survives(tmp_path / "c.sqlite", 5)


@pytest.mark.slow
def test_killed_a_hundred_times(tmp_path: Path) -> None:
    survives(tmp_path / "c.sqlite", 100)
