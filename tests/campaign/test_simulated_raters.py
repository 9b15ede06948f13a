"""Raters of known habits: the analysis finds the order of systems that is true, and flags those who do not look."""

import random
import zlib
from pathlib import Path

import pytest

from tertium.human.analyse import analyse
from tertium.human.campaign.collection import CampaignCollection, open_collection
from tertium.human.campaign.plan import PlannedItem
from tertium.human.ranking import method_of

EXAMPLES = Path(__file__).parents[2] / "examples"
QUALITY = {"cinder": 80, "atlas": 66, "delta": 52, "brook": 38}  # not the order of names, and not that of the example
HABITS = {"fair1": 0, "fair2": 0, "fair3": 6, "strict": -25, "lazy": 0, "random": 0}


def true_value(item: PlannedItem) -> float:
    """What a perfect rater would say: the system's quality, segments that are harder or easier, damage, references."""
    [shown] = item.shown
    if item.kind == "reference":
        return 95
    harder = zlib.crc32(f"segment {item.segment} {shown.system}".encode()) % 21 - 10
    return QUALITY[shown.system] + harder - (30 if item.kind == "degraded" else 0)


class Clock:
    """A day at work: every response takes its time."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def rate(collection: CampaignCollection, clock: Clock, seed: int) -> None:
    for rater in HABITS:
        rng = random.Random(f"{seed} {rater}")
        for batch in collection.batches_of(rater):
            for place, item in enumerate(batch.items):
                if rater == "lazy":  # always about the same, and quickly
                    value, seconds = 70, 1.0
                elif rater == "random":
                    value, seconds = rng.randint(0, 100), 20.0
                else:
                    value, seconds = round(true_value(item) + HABITS[rater] + rng.gauss(0, 6)), 20.0
                clock.now += seconds
                body = {"values": {"da100": min(100, max(0, value))}, "seconds": seconds}
                collection.submit(rater, batch.number, place, f"{rater:0>8}-{batch.number}-{place}", 1, body).result()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_true_order_is_found_and_the_bad_raters_are_flagged(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "campaign.toml"
    names = ", ".join(f'"{name}"' for name in HABITS)
    path.write_text(
        f'testset = "{EXAMPLES / "testset.toml"}"\nseed = {seed}\n[batches]\nsize = 100\nredundancy = 2\n'
        f"[control]\ndegraded = 0.12\nrepeat = 0.08\nreference = 0.05\n[raters]\nnames = [{names}]\n"
    )
    clock = Clock()
    with open_collection(path, clock=clock) as collection:
        rate(collection, clock, seed)
        said, testset = collection.judgements(), collection.campaign.evaluation.testset
    found = analyse(said, "da100", method_of(None), testset)
    flagged = {one.rater for one in found.raters if one.flags}
    assert flagged == {"lazy", "random"}
    flags = sorted({flag for one in found.raters for flag in one.flags})
    kept = analyse(said, "da100", method_of(None), testset, drop=flags)
    assert set(kept.dropped) == {"lazy", "random"}
    [ranking] = kept.rankings.values()
    assert [one.system for one in ranking.systems] == sorted(QUALITY, key=lambda name: -QUALITY[name])
    assert ranking.clusters == [[name] for name in sorted(QUALITY, key=lambda name: -QUALITY[name])]
