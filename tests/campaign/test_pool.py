"""Batches that are nobody's: taken, leased, lapsed, and chosen by what is still open."""

import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.campaign.asked import enter, opened, put
from tests.campaign.served import PATIENCE
from tests.campaign.written import SYSTEMS, written

from tertium.core.judgement import Judgement
from tertium.human.campaign.collection import CampaignCollection, UnknownItemError, open_collection
from tertium.human.campaign.leases import undecided

pytestmark = pytest.mark.usefixtures("on_both_stores")
POOL = 'size = 3\nassignment = "pool"\nlease = 10'


class Clock:
    """Time that stands still until it is told otherwise."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def answer(collection: CampaignCollection, rater: str, number: int, items: int | None = None) -> None:
    batch = collection.batch(rater, number)
    for place in range(len(batch.items) if items is None else items):
        collection.submit(rater, number, place, f"{rater:0>8}{number}-{place}", 1, {"values": {"da100": 50}}).result()


def test_everybody_gets_another_batch_until_none_is_left(tmp_path: Path) -> None:
    path = written(tmp_path / "c", batches=POOL, raters="")
    with open_collection(path, clock=Clock()) as collection:
        taken = []
        while (batch := collection.take(f"r{len(taken)}")) is not None:
            taken.append(batch.number)
            again = collection.take(f"r{len(taken) - 1}")
            assert again is not None
            assert again.number == batch.number  # begun: the same until it is done
        assert sorted(taken) == [batch.number for batch in collection.plan.batches]
        assert len(taken) == 4


def test_who_asks_several_times_at_once_gets_one_batch(tmp_path: Path) -> None:
    """A double click, or two tabs; and nobody else gets that one."""
    with open_collection(written(tmp_path / "c", batches=POOL, raters=""), clock=Clock()) as collection:
        taken: list[tuple[str, int]] = []
        together = threading.Barrier(8, timeout=PATIENCE)

        def take(rater: str) -> None:
            together.wait()
            batch = collection.take(rater)
            assert batch is not None
            taken.append((rater, batch.number))

        threads = [threading.Thread(target=take, args=(f"r{k % 4}",)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(taken) == 8
    assert len(set(taken)) == len({number for _, number in taken}) == 4


def test_a_batch_that_lies_still_goes_to_somebody_else_and_nothing_is_lost(tmp_path: Path) -> None:
    clock = Clock()
    with open_collection(written(tmp_path / "c", batches=POOL, raters=""), clock=clock) as collection:
        slow = collection.take("slow")
        assert slow is not None
        clock.now += 9 * 60
        answer(collection, "slow", slow.number, 1)  # still there: ten minutes more
        clock.now += 9 * 60
        quick = collection.take("quick")
        assert quick is not None
        assert quick.number != slow.number
        answer(collection, "quick", quick.number)
        clock.now += 2 * 60
        others = {slow.number}
        for name in ("a", "b", "c"):
            batch = collection.take(name)
            assert batch is not None
            others.add(batch.number)
        assert collection.take("d") is None
        assert len(others) == 3  # all but the one that is done; the slow one's among them
        answer(collection, "slow", slow.number)  # a laptop that was closed
        assert sum(kept.rater == "slow" for kept in collection.standing()) == len(slow.items)


def test_nobody_judges_an_output_twice(tmp_path: Path) -> None:
    batches = 'size = 3\nassignment = "pool"\nredundancy = 2'
    with open_collection(written(tmp_path / "c", batches=batches, raters=""), clock=Clock()) as collection:
        seen = Counter[tuple[str, int]]()
        while (batch := collection.take("eva")) is not None:
            answer(collection, "eva", batch.number)
            seen.update((item.shown[0].system, item.segment) for item in batch.items)
        assert set(seen.values()) == {1}
        assert len(seen) == 10


def test_only_who_took_a_batch_answers_it(tmp_path: Path) -> None:
    with opened(written(tmp_path / "c", batches=POOL, raters='names = ["eva"]')) as (client, collection):
        enter(client, collection, "eva")
        assert put(client, collection, "eva", 1, 0, {"values": {"da100": 1}}).status_code == 404
        with pytest.raises(UnknownItemError):
            collection.batch("eva", 1)
        assert client.post("/take").headers["location"] == "/batch/1"
        assert client.get("/batch/1").status_code == 200
        assert put(client, collection, "eva", 1, 0, {"values": {"da100": 1}}).status_code == 200


def said(system: str, values: list[int]) -> list[Judgement]:
    return [
        Judgement(system=system, segment=k, rater=f"r{k % 2}", scale="da100", value=value)
        for k, value in enumerate(values)
    ]


def test_systems_that_cannot_be_told_apart_come_first() -> None:
    close = [50 + k % 7 for k in range(40)]
    judged = [*said("a", close), *said("b", [*close[1:], 50]), *said("c", [k % 5 for k in range(40)])]
    assert undecided(judged, ["a", "b", "c"]) == {"a": 1, "b": 1}
    assert undecided(judged, ["a", "b", "c", "new"]) == {"a": 1, "b": 1, "new": 4}
    assert undecided([], ["a", "b"]) == {"a": 2, "b": 2}


def test_dynamic_assignment_is_told_to_whoever_reads_the_result(tmp_path: Path) -> None:
    batches = 'size = 3\nassignment = "dynamic"'
    with open_collection(written(tmp_path / "c", batches=batches, raters=""), clock=Clock()) as collection:
        first = collection.take("eva")
        assert first is not None
        answer(collection, "eva", first.number)
        assert collection.take("eva") is not None
        [note] = collection.notes()
        assert "plain means over all judgements are biased" in note
        assert set(collection.campaign.systems) == set(SYSTEMS)


@pytest.mark.parametrize("apart", ["aster", "birch", "cedar"])
def test_the_next_batch_is_of_systems_that_are_close(tmp_path: Path, apart: str) -> None:
    """Whichever system is told apart, the next batch has none of it, though it may stand first in the plan."""
    names = ["aster", "birch", "cedar"]
    outputs = {name: [f"{name} {k}" for k in range(5)] for name in names}
    path = written(tmp_path / "c", batches='size = 3\nassignment = "dynamic"', raters="", outputs=outputs)
    close = [50 + k % 7 for k in range(40)]
    judged = [one for name in names for one in said(name, [k % 5 for k in range(40)] if name == apart else close)]
    with open_collection(path, clock=Clock()) as collection:
        systems = {
            batch.number: {one.system for item in batch.items for one in item.shown}
            for batch in collection.plan.batches
        }
        assert any(apart in of for of in systems.values())
        number = collection.leases.take("eva", set, lambda: judged)
        assert number is not None
        assert apart not in systems[number]
        first = collection.leases.take("ben", set, list)  # nobody has said anything: in the order of the plan
        assert first == min(set(systems) - {number})
