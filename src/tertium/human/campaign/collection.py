"""A campaign at work: its plan, what raters have said so far, and who does what next."""

from __future__ import annotations

import hashlib
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Self

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Judgement
from tertium.core.wording import counted
from tertium.human.campaign.leases import Leases
from tertium.human.campaign.links import Links
from tertium.human.campaign.plan import CampaignPlan, PlannedBatch, PlannedItem, Shown, plan, write_plan
from tertium.human.campaign.response import check_response, judgements_of
from tertium.human.campaign.spec import Campaign, read_campaign
from tertium.human.campaign.store import CampaignStore, Kept, Save
from tertium.human.campaign.tutorial import ExampleVerdict, verdicts
from tertium.io.postgres import Address
from tertium.io.store import NothingThereError

HIGHEST = 2**31  # revisions of a page, and numbers of batches and items, are below it
LONGEST_ID = 64


@dataclass(frozen=True, kw_only=True)
class RaterProgress:
    """How far a rater is."""

    rater: str
    batches: int  # those that are theirs, or that they have taken
    done: int  # items answered
    items: int
    seconds: float  # on the screen, all items together
    pace: float  # seconds an item, the median; NaN where there is none
    last: float | None  # Unix time of the last response


class UnknownItemError(InputError):
    """An item that is not there, or not this rater's."""


class CampaignCollection:
    """What a server, and the commands beside it, know of a campaign.

    with open_collection("campaign.toml") as collection:
        collection.submit("anna", 1, 0, uuid, 1, {"values": {"da100": 80}}).result()
        collection.judgements()
    """

    def __init__(self, campaign: Campaign, made: CampaignPlan, store: CampaignStore) -> None:
        self.campaign, self.plan, self.store = campaign, made, store
        self.links, self.leases = Links(store), Leases(store, campaign, made)
        self._batches = {batch.number: batch for batch in made.batches}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    @property
    def shared(self) -> bool:
        """Whether batches are nobody's until somebody takes them."""
        return self.campaign.batches.assignment != "static"

    def source(self, item: PlannedItem) -> str:
        """What was to be translated."""
        sources = self.campaign.evaluation.testset.sources
        return (sources[item.segment] if sources is not None else None) or ""

    def texts(self, item: PlannedItem) -> list[str]:
        """The outputs of an item, as they are shown."""
        return [
            (self.campaign.outputs(shown.system)[item.segment] or "") if shown.text is None else shown.text
            for shown in item.shown
        ]

    def raters(self) -> list[str]:
        """Everybody who was named, has a link, or has said something."""
        found = dict.fromkeys([*self.campaign.raters.names, *self.links.known()])
        return [*dict.fromkeys([*found, *(kept.rater for kept in self.standing())])]

    def batches_of(self, rater: str) -> list[PlannedBatch]:
        """The batches that are a rater's: by the plan, or because they took them."""
        if self.shared:
            return [self._batches[number] for number in self.leases.held(rater) if number in self._batches]
        return [batch for batch in self.plan.batches if batch.rater == rater]

    def take(self, rater: str) -> PlannedBatch | None:
        """The batch that a rater works on next, first those that they have begun; None where nothing is left."""
        if self.shared:
            number = self.leases.take(rater, self._finished, self.judgements)
            return None if number is None else self._batches[number]
        return next((batch for batch in self.batches_of(rater) if not self.is_done(rater, batch)), None)

    def batch(self, rater: str, number: int) -> PlannedBatch:
        """One of a rater's batches."""
        found = next((batch for batch in self.batches_of(rater) if batch.number == number), None)
        if found is None:
            raise UnknownItemError("there is no such batch of yours")
        return found

    def standing(self, rater: str | None = None) -> list[Kept]:
        """What stands; a response that was taken back has an empty body and does not count."""
        return [kept for kept in self.store.responses(rater) if kept.body]

    def is_done(self, rater: str, batch: PlannedBatch) -> bool:
        """Whether a rater has answered every item of a batch."""
        return sum(kept.batch == batch.number for kept in self.standing(rater)) >= len(batch.items)

    def submit(self, rater: str, number: int, place: int, uuid: Any, revision: Any, body: Any) -> Future[bool]:
        """Hand over a response of a rater, once it is checked; an empty one takes back what was said."""
        return self.enter(rater, self.batch(rater, number), place, uuid, revision, body)

    def enter(self, rater: str, batch: PlannedBatch, place: int, uuid: Any, revision: Any, body: Any) -> Future[bool]:
        """The same of whoever has done a batch, also where the plan has it for somebody else: another server may."""
        if not 0 <= place < len(batch.items):
            raise UnknownItemError(f"there is no such item: the batch has {len(batch.items)}")
        if (
            not isinstance(uuid, str)
            or not 8 <= len(uuid) <= LONGEST_ID
            or not uuid.isascii()
            or not uuid.isprintable()
        ):
            raise InputError(f"uuid must be a text of 8 to {LONGEST_ID} plain characters")
        if type(revision) is not int or not 1 <= revision < HIGHEST:
            raise InputError(f"revision must be a whole number from 1 to {HIGHEST - 1}")
        if body != {}:
            item, campaign = batch.items[place], self.campaign
            texts, source = self.texts(item), self.source(item)
            check_response(body, campaign.protocol, item, texts, source, campaign.categories)
        if self.shared:
            self.leases.renew(rater, batch.number)
        return self.store.submit(
            Save(rater=rater, batch=batch.number, item=place, uuid=uuid, revision=revision, body=dict(body))
        )

    def check_open(self) -> None:
        """Refuse raters before the campaign begins and after it ended."""
        self.campaign.dates.check(self.store.clock())

    def check_entered(self, age: float) -> None:
        """Refuse what a rater entered, so many seconds ago, when the campaign was not open."""
        self.campaign.dates.check_entered(self.store.clock(), age)

    def try_example(self, place: int, body: Any) -> list[ExampleVerdict]:
        """What is to be said to a response to an example of the tutorial. It goes nowhere else."""
        campaign = self.campaign
        if not 0 <= place < len(campaign.tutorial):
            raise UnknownItemError(f"there is no such example: the tutorial has {len(campaign.tutorial)}")
        example = campaign.tutorial[place]
        item = PlannedItem(document="", segment=0, shown=tuple(Shown(system="") for _ in example.outputs))
        check_response(body, campaign.protocol, item, example.outputs, example.source, campaign.categories)
        return verdicts(example, body)

    def judgements(self) -> list[Judgement]:
        """All that raters have said so far, on the scales of the house."""
        return list(self._judgements())

    def _judgements(self) -> Iterator[Judgement]:
        for kept in sorted(self.standing(), key=lambda kept: (kept.at, kept.rater, kept.batch, kept.item)):
            batch = self._batches.get(kept.batch)
            if batch is None or kept.item >= len(batch.items):
                continue  # of a plan that this one continues; the store refuses all others
            item = batch.items[kept.item]
            begun = kept.at - float(kept.body.get("seconds", 0))
            text = self.texts(item)[0]
            found = judgements_of(kept.body, self.campaign.protocol, item, kept.rater, kept.batch, begun, text)
            yield from (_of_parent(one, batch) for one in found)

    def evaluation(self) -> Evaluation:
        """The test set with its systems, what raters have said, and the notes on that."""
        known = self.campaign.evaluation
        systems = tuple(system for system in known.systems if system.name in self.campaign.systems)
        said, notes = tuple(self.judgements()), tuple(self.notes())
        return replace(known, systems=systems, judgements=said, warnings=notes, metrics=(), table={})

    def progress(self) -> list[RaterProgress]:
        """Every rater, in the order of the campaign."""
        standing: dict[str, list[Kept]] = defaultdict(list)
        for kept in self.standing():
            standing[kept.rater].append(kept)
        found = []
        for rater in dict.fromkeys([*self.raters(), *standing]):
            own = standing[rater]
            times = [float(kept.body.get("seconds", 0)) for kept in own]
            numbers = dict.fromkeys([batch.number for batch in self.batches_of(rater)])
            numbers |= dict.fromkeys(kept.batch for kept in own if kept.batch in self._batches)
            batches = [self._batches[number] for number in numbers]
            found.append(
                RaterProgress(
                    rater=rater,
                    batches=len(batches),
                    done=len(own),
                    items=sum(len(batch.items) for batch in batches),
                    seconds=sum(times),
                    pace=median(times) if times else float("nan"),
                    last=max((kept.at for kept in own), default=None),
                )
            )
        return found

    def erased(self) -> list[int]:
        """How many responses were erased of each rater who asked for it; all that is known of them."""
        return [int(about["responses"]) for _, kind, _, about in self.store.trail() if kind == "erased"]

    def notes(self) -> Iterator[str]:
        """What whoever reads the result should know."""
        if self.campaign.batches.assignment == "dynamic":
            yield (
                "batches were given out by what had been said before (assignment dynamic): systems that were close got "
                "more judgements, so plain means over all judgements are biased"
            )
        erased = self.erased()
        if erased:
            yield (
                f"the data of {counted(len(erased), 'rater')} were erased on request and are not in here "
                f"({counted(sum(erased), 'response')})"
            )

    def _finished(self) -> set[tuple[str, int]]:
        """Who has answered every item of which batch."""
        return {
            (rater, number)
            for (rater, number), count in self.store.counts().items()
            if number in self._batches and count >= len(self._batches[number].items)
        }


def _of_parent(judgement: Judgement, batch: PlannedBatch) -> Judgement:
    """A reference as quality control wants it: under the system whose output of the batch it stands against."""
    if judgement.kind != "reference":
        return judgement
    parent = next(
        (item.shown[0].system for item in batch.items if item.kind == "genuine" and item.segment == judgement.segment),
        judgement.system,
    )
    return replace(judgement, system=parent)


def store_of(campaign: Campaign, path: str | Path) -> Path | Address:
    """Where responses are kept: in the database that the campaign names, or beside the campaign.toml."""
    return campaign.store or Path(path).with_suffix(".sqlite")


def open_collection(
    path: str | Path, *, read_only: bool = False, clock: Callable[[], float] | None = None
) -> CampaignCollection:
    """A campaign with its store; in a file for one server or command at a time, or beside it to read."""
    campaign = read_campaign(path)
    made = plan(campaign)
    digest = hashlib.sha256(write_plan(campaign, made)).hexdigest()
    target = store_of(campaign, path)
    more: dict[str, Any] = {} if clock is None else {"clock": clock}
    try:
        store = CampaignStore(target, plan=digest, read_only=read_only, **more)
    except NothingThereError:
        name = target.shown if isinstance(target, Address) else target
        raise InputError(f"{name}: nobody has begun yet; make links first: tertium human links {path}") from None
    if not read_only:
        store.remembered("codes", secrets.token_hex(32))  # what completion codes follow from; drawn once
    return CampaignCollection(campaign, made, store)
