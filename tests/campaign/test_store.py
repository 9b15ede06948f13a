"""Responses: acknowledged ones are there whatever happens, none is there twice, the higher revision stands."""

import itertools
import random
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.campaign import saving
from tests.campaign.conftest import Where
from tests.campaign.forked import Forked

from tertium.core.errors import InputError
from tertium.human.campaign.store import CampaignStore, ConflictError, Kept, Save, is_backup


def save(value: int = 1, *, rater: str = "eva", item: int = 0, uuid: str = "u", revision: int = 1) -> Save:
    return Save(rater=rater, batch=1, item=item, uuid=uuid, revision=revision, body={"values": {"da100": value}})


def test_saved_and_sent_again(place: Where) -> None:
    with CampaignStore(place, plan="p") as store:
        assert store.save(save()) is True
        assert store.save(save()) is False
        assert [kept.body["values"] for kept in store.responses()] == [{"da100": 1}]
        with pytest.raises(ConflictError, match="another response has this id and revision"):
            store.save(save(2))
        with pytest.raises(ConflictError):
            store.save(save(1, rater="ben"))
        assert store.responses() == store.replayed()


def test_answered_items_are_counted_without_those_taken_back(place: Where) -> None:
    with CampaignStore(place, plan="p") as store:
        for item in range(3):
            store.save(save(item=item, uuid=f"u{item}"))
        store.save(save(rater="ben", uuid="v"))
        store.save(Save(rater="eva", batch=1, item=1, uuid="u1", revision=2, body={}))
        assert store.counts() == {("eva", 1): 2, ("ben", 1): 1}


def test_a_second_server_is_refused_a_file(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with CampaignStore(path, plan="p"), pytest.raises(InputError, match="is already open, in process"):
        CampaignStore(path, plan="p")


def test_another_plan(place: Where) -> None:
    with CampaignStore(place, plan="p" * 64) as store:
        store.save(save())
    with pytest.raises(InputError, match=r"holds responses to another plan \(pppppppppppp, not q") as told:
        CampaignStore(place, plan="q" * 64)
    assert str(told.value).endswith("undo the change, or begin anew in another file or schema")
    with CampaignStore(place, plan="p" * 64) as store:
        assert len(store.responses()) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=30)
@given(orders=st.lists(st.tuples(st.permutations([1, 2, 3, 4]), st.lists(st.integers(1, 4), max_size=4)), max_size=9))
def test_the_highest_revision_stands_in_any_order(
    new_place: Callable[[], Where], orders: list[tuple[list[int], list[int]]]
) -> None:
    with CampaignStore(new_place(), plan="p") as store:
        for item, (order, again) in enumerate(orders):
            for revision in [*order, *again]:
                store.save(save(revision, item=item, uuid=f"u{item}", revision=revision))
        kept = store.responses()
        assert [(one.item, one.revision, one.body) for one in kept] == [
            (item, 4, {"values": {"da100": 4}}) for item in range(len(orders))
        ]
        assert store.replayed() == kept


@pytest.mark.parametrize("ticks", [1, -1, 0])
def test_two_tabs_whoever_was_heard_last_stands_whatever_the_clock_says(place: Where, ticks: int) -> None:
    clock = itertools.count(1000, ticks)
    with CampaignStore(place, plan="p", clock=lambda: float(next(clock))) as store:
        store.save(save(1, uuid="tab1", revision=5))
        store.save(save(2, uuid="tab2", revision=1))
        assert store.responses()[0].body == {"values": {"da100": 2}}
        assert store.responses() == store.replayed()


NAMES = ["Zoe", "anna", "Ärzte", "z\u0301", "\U0001f600", "=1+1", "a'b\"c", "%s ? ?1 {}", " x"]


def test_any_text_comes_back_as_it_was_and_in_the_order_of_code_points(place: Where) -> None:
    body = {"text": "\x00 \U0001f469\u200d\U0001f692 e\u0301 %s ? \\ ' \" \u2028", "seconds": 0.1 + 0.2}
    with CampaignStore(place, plan="p", clock=lambda: 1795019756.2276335) as store:
        for name in NAMES:
            store.save(Save(rater=name, batch=1, item=0, uuid=name, revision=2**31 - 1, body=body))
        kept = store.responses()
        assert kept == [Kept(name, 1, 0, name, 2**31 - 1, 1795019756.2276335, body) for name in sorted(NAMES)]
        assert store.replayed() == kept
        assert store.responses("%s ? ?1 {}") == [one for one in kept if one.rater == "%s ? ?1 {}"]


def test_a_backup_of_either_store_is_restored_into_either(new_place: Callable[[], Where], tmp_path: Path) -> None:
    backup = tmp_path / "backup.sqlite"
    with CampaignStore(new_place(), plan="p") as store:
        codes = store.remembered("codes", "drawn once")
        for revision in (1, 2):
            store.save(save(revision, revision=revision))
        store.save(save(3, rater="ben", uuid="v"))
        store.note("link made", "eva", {"k": 1})
        with store.database.transaction() as connection:
            connection.execute("INSERT INTO links VALUES (?, ?, ?, ?, ?)", ("l", "s", "eva", 1.5, None))
            connection.execute("INSERT INTO leases VALUES (?, ?, ?)", (7, "eva", 2.5))
        store.backup(backup)
        kept, trail = store.responses(), store.trail()
    assert is_backup(backup)
    with sqlite3.connect(backup) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    for target in (new_place(), tmp_path / "other.sqlite"):
        with CampaignStore(target, plan="p", clock=lambda: 9.0) as store:
            assert store.remembered("codes", "another") == "another"
            assert store.restore(backup) == 2
            assert store.remembered("codes", "") == codes
            assert store.responses() == store.replayed() == kept
            assert store.trail() == [*trail, (9.0, "backup restored", "", {})]
            leases = [dict(row) for row in store.database.rows("SELECT * FROM leases")]
            assert leases == [{"batch": 7, "rater": "eva", "until": 2.5}]
            assert [row["rater"] for row in store.database.rows("SELECT rater FROM links")] == ["eva"]
            assert store.save(save(2, revision=2)) is False  # sent again by a page that was open all the time
            with pytest.raises(InputError, match="has been used; a backup is restored into a new file or schema"):
                store.restore(backup)


def test_what_is_not_a_backup_of_this_campaign_is_not_restored(tmp_path: Path) -> None:
    other, strange, cut = tmp_path / "other.sqlite", tmp_path / "strange.sqlite", tmp_path / "cut.sqlite"
    with CampaignStore(tmp_path / "c.sqlite", plan="q") as store:
        store.save(save())
        store.backup(other)
    with sqlite3.connect(strange) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    cut.write_bytes(other.read_bytes()[:5000])
    with CampaignStore(tmp_path / "new.sqlite", plan="p") as store:
        with pytest.raises(InputError, match=rf"^{other} holds responses to another plan"):
            store.restore(other)
        with pytest.raises(InputError, match=rf"^{strange} is not a backup of a campaign \(no such table: campaign\)"):
            store.restore(strange)
        with pytest.raises(InputError, match=rf"^{cut} is damaged"):
            store.restore(cut)
        assert store.responses() == []


def test_what_a_rater_said_is_erased_and_that_is_noted(place: Where) -> None:
    with CampaignStore(place, plan="p", clock=lambda: 7.0) as store:
        store.save(save(rater="eva", uuid="a"))
        store.save(save(rater="ben", uuid="b"))
        assert store.erase("eva") == 1
        assert [kept.rater for kept in store.replayed()] == ["ben"]
        assert store.trail() == [(7.0, "erased", "", {"responses": 1})]
        if isinstance(place, Path):
            assert all(b"eva" not in file.read_bytes() for file in place.parent.iterdir())


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


def killed(place: Where, acknowledgements: int, first: int) -> set[tuple[str, int]]:
    """What was acknowledged before the process was killed, which is when so many acknowledgements were read."""
    process = Forked(saving.main, place, 200, first)
    said = {process.receive() for _ in range(acknowledgements)}
    process.kill()
    return said | set(process.rest())  # said before the end, and not read yet


def survives(place: Where, times: int) -> None:
    rng = random.Random(5)
    said: set[tuple[str, int]] = set()
    for turn in range(times):
        said |= killed(place, rng.randint(1, 300), first=1000 * turn)
        with CampaignStore(place, plan="p") as store:
            there = [(kept.rater, kept.item) for kept in store.responses()]
            assert len(there) == len(set(there))
            assert said <= set(there)
            assert store.responses() == store.replayed()
        if isinstance(place, Path):
            with sqlite3.connect(place) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            connection.close()


def test_killed_in_the_middle(place: Where) -> None:
    survives(place, 5)


@pytest.mark.slow
def test_killed_fifty_times(tmp_path: Path) -> None:
    """Whole servers are killed a hundred times, in test_server_killed.py."""
    survives(tmp_path / "c.sqlite", 50)


def test_many_at_once_and_each_twice(place: Where) -> None:
    """Threads of one server; the same response in two of them is new once."""
    new: list[bool] = []
    with CampaignStore(place, plan="p") as store:

        def rate(k: int) -> None:
            waiting = [
                store.submit(save(item, rater=f"r{k // 2}", item=item, uuid=f"{k // 2}-{item}")) for item in range(20)
            ]
            new.extend(done.result() for done in waiting)

        threads = [threading.Thread(target=rate, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.responses()) == 80
        assert store.responses() == store.replayed()
    assert (new.count(True), new.count(False)) == (80, 80)
