"""Batches that are nobody's: whoever comes takes the next, for a time that every response makes longer.

A batch whose time is over is given to somebody else; what its first rater still sends, from a laptop that was closed
say, is kept all the same. Nobody gets a batch with an output that they have judged before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from tertium.core.errors import InputError
from tertium.core.judgement import SCALES, Judgement
from tertium.human.campaign.plan import CampaignPlan, PlannedBatch
from tertium.human.campaign.spec import Campaign
from tertium.human.campaign.store import CampaignStore
from tertium.io.database import Statements

MINUTE = 60


class Leases:
    """Who has which batch of the pool, and until when."""

    def __init__(self, store: CampaignStore, campaign: Campaign, plan: CampaignPlan) -> None:
        self._database, self._clock = store.database, store.clock
        self._campaign, self._batches = campaign, plan.batches
        self._outputs = {batch.number: outputs_of(batch) for batch in plan.batches}

    def held(self, rater: str) -> list[int]:
        """The batches that a rater has taken, in the order of the plan, whether their time is over or not."""
        return [
            row["batch"]
            for row in self._database.rows("SELECT batch FROM leases WHERE rater = ? ORDER BY batch", rater)
        ]

    def renew(self, rater: str, batch: int) -> None:
        """The rater is at work, or was elsewhere; less than a minute more is not worth a write."""
        until = self._until()
        found = self._database.rows("SELECT until FROM leases WHERE batch = ? AND rater = ?", batch, rater)
        if not found or until - found[0]["until"] >= MINUTE:
            with self._database.transaction() as connection:
                self._write(connection, rater, batch, until)

    def _write(self, connection: Statements, rater: str, batch: int, until: float) -> None:
        connection.execute(
            "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT (batch, rater) DO UPDATE SET until = excluded.until",
            (batch, rater, until),
        )

    def take(
        self, rater: str, finished: Callable[[], set[tuple[str, int]]], said: Callable[[], list[Judgement]]
    ) -> int | None:
        """The batch that a rater has begun, or one that nobody is at work on and of which they have judged nothing;
        None where there is none. Nobody else can write while it is looked up: who asks twice at once gets one. Which
        systems are close is worked out before, because it takes long where much has been said."""
        close = self._close(rater, finished, said)
        with self._database.transaction() as connection:
            done, held = finished(), self.held(rater)
            begun = [number for number in held if number in self._outputs and (rater, number) not in done]
            if begun:
                return begun[0]
            taken = {
                row["batch"]
                for row in connection.execute("SELECT batch FROM leases WHERE until > ?", (self._clock(),)).fetchall()
            }
            taken |= {number for _, number in done}
            seen: set[tuple[str, str]] = set().union(*(self._outputs.get(number, set()) for number in held))
            free = [
                batch for batch in self._batches if batch.number not in taken and not self._outputs[batch.number] & seen
            ]
            if not free:
                return None
            chosen = min(free, key=lambda batch: (-_share(batch, close), batch.number))
            self._write(connection, rater, chosen.number, self._until())
        return chosen.number

    def _close(
        self, rater: str, finished: Callable[[], set[tuple[str, int]]], said: Callable[[], list[Judgement]]
    ) -> Counter[str]:
        """From how many others each system cannot be told apart; of no interest where a batch is begun already."""
        if self._campaign.batches.assignment != "dynamic" or {(rater, k) for k in self.held(rater)} - finished():
            return Counter()
        return undecided(said(), self._campaign.systems)

    def _until(self) -> float:
        return self._clock() + MINUTE * self._campaign.batches.lease


def undecided(judgements: Iterable[Judgement], systems: Iterable[str]) -> Counter[str]:
    """From how many others each system cannot be told apart yet; those that nobody has judged from all."""
    from tertium.human.ranking import rank_systems

    names = list(systems)
    given = [one for one in judgements if one.kind == "genuine" and one.system in names]
    scale = next((one.scale for one in given if one.scale in SCALES), None)
    everybody = Counter(dict.fromkeys(names, len(names)))
    if scale is None:
        return everybody
    try:
        ranking = rank_systems([one for one in given if one.scale == scale], scale)
    except InputError:  # too little has been said to test anything
        return everybody
    ranked = [one.system for one in ranking.systems]
    found = Counter({name: len(names) for name in names if name not in ranked})
    for row, first in enumerate(ranked):
        for column, second in enumerate(ranked):
            if row < column and not (ranking.beats[row, column] or ranking.beats[column, row]):
                found.update([first, second])
    return found


def _share(batch: PlannedBatch, close: Counter[str]) -> float:
    """How much a batch says about systems that are close, for each output of it."""
    shown = [one.system for item in batch.items if item.kind == "genuine" for one in item.shown]
    return sum(close[name] for name in shown) / max(1, len(shown))


def outputs_of(batch: PlannedBatch) -> set[tuple[str, str]]:
    """Which systems' outputs of which documents a batch asks about."""
    return {(item.document, shown.system) for item in batch.items if item.kind == "genuine" for shown in item.shown}
