"""The plan of a campaign: who judges which outputs, in which order. The same file gives the same plan, byte for byte.

Every output is judged exactly `redundancy` times, those of the overlap once more. A rater gets whole documents of one
system (of several, where outputs are ranked), segments in their order. Which rater gets which system of a document
follows a Latin square as nearly as the lengths of documents allow: for each screenful of a document, that rater is
taken who has seen the document least, then who has the fewest items of these systems, then the fewest at all. Nobody
judges the same output twice, but for repeats, which are there to see whether they would judge it the same.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from tertium.core.errors import InputError
from tertium.core.judgement import Kind
from tertium.core.testset import TestSet
from tertium.human.campaign.degrade import degrade
from tertium.human.campaign.spec import CONTROLS, Campaign, control_items, genuine_room

T = TypeVar("T")
FORMAT = 1
REFERENCE = "reference"  # what the plan calls the system that a reference is


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One output on the screen; its text where it is not the system's own."""

    system: str
    text: str | None = None
    damage: tuple[int, int] | None = None  # which characters of a degraded text are foreign


@dataclass(frozen=True, kw_only=True)
class PlannedItem:
    """One screen: a segment, and the outputs that are shown of it."""

    document: str
    segment: int  # from 0
    shown: tuple[Shown, ...]
    kind: Kind = "genuine"


@dataclass(frozen=True, kw_only=True)
class PlannedBatch:
    """What a rater does at one sitting; nobody's where whoever comes takes the next."""

    number: int  # from 1
    rater: str | None
    items: tuple[PlannedItem, ...]


@dataclass(frozen=True)
class CampaignPlan:
    """All batches of a campaign, and what a reader of the result should know."""

    batches: tuple[PlannedBatch, ...]
    notes: tuple[str, ...] = ()

    @property
    def kinds(self) -> Counter[str]:
        """Items by kind."""
        return Counter(item.kind for batch in self.batches for item in batch.items)


@dataclass(frozen=True)
class _Unit:
    """A whole document of some systems, for one rater."""

    document: str
    systems: tuple[str, ...]
    segments: tuple[int, ...]


@dataclass
class _Hand:
    """A rater while the work is dealt out, or a batch that waits for one."""

    name: str | None
    units: list[_Unit] = field(default_factory=list)
    items: int = 0
    documents: Counter[str] = field(default_factory=Counter)
    systems: Counter[str] = field(default_factory=Counter)
    outputs: set[tuple[str, str]] = field(default_factory=set)

    def take(self, unit: _Unit) -> None:
        self.units.append(unit)
        self.items += len(unit.segments)
        self.documents[unit.document] += 1
        self.systems.update(dict.fromkeys(unit.systems, len(unit.segments)))
        self.outputs |= {(unit.document, system) for system in unit.systems}


def plan(campaign: Campaign) -> CampaignPlan:
    """Deal the outputs out, cut into batches, add control items."""
    room = genuine_room(campaign.batches.size, campaign.control)
    notes: list[str] = []
    batches: list[PlannedBatch] = []
    for hand in _dealt(campaign, room):
        for units in _cut(_spread(hand.units, f"{campaign.seed} {hand.name}"), room):
            number = len(batches) + 1
            items, lacking = _with_controls(campaign, units, number)
            batches.append(PlannedBatch(number=number, rater=hand.name, items=items))
            notes += [f"batch {number} has fewer {kind} items than wanted: {why}" for kind, why in lacking.items()]
    return CampaignPlan(tuple(batches), tuple(notes))


def write_plan(campaign: Campaign, made: CampaignPlan) -> bytes:
    """The plan as JSON, a line for each batch; systems by name, so it is not for raters."""
    head = {
        "format": FORMAT,
        "campaign": campaign.name,
        "protocol": campaign.protocol.name,
        "testset": campaign.evaluation.testset.digest,
        "seed": campaign.seed,
        "notes": list(made.notes),
    }
    lines = [head, *(_plain(batch) for batch in made.batches)]
    return "".join(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n" for line in lines).encode()


def _plain(batch: PlannedBatch) -> dict[str, Any]:
    """A batch without what says nothing."""
    items = []
    for item in batch.items:
        shown = [{name: value for name, value in asdict(one).items() if value is not None} for one in item.shown]
        items.append({"document": item.document, "segment": item.segment, "kind": item.kind, "shown": shown})
    return {"batch": batch.number, "rater": batch.rater, "items": items}


def _dealt(campaign: Campaign, room: int) -> list[_Hand]:
    """All documents of all systems, each in as many hands as it takes."""
    units = [units for _, units in _units(campaign)]
    if campaign.batches.assignment != "static":
        whole = sum(len(unit.segments) for several in units for unit in several)
        hands = [_Hand(None) for _ in range(-(-whole // room))]
        return [hand for hand in _deal(units, hands, room) if hand.units]
    return _deal(units, [_Hand(name) for name in campaign.raters.names], None)


def _deal(documents: Sequence[Sequence[_Unit]], hands: list[_Hand], room: int | None) -> list[_Hand]:
    for turn, units in enumerate(documents):
        for unit in units:
            free = [
                (hand.documents[unit.document], sum(hand.systems[name] for name in unit.systems), hand.items,
                 (place - turn) % len(hands), place)
                for place, hand in enumerate(hands)
                if not any((unit.document, name) in hand.outputs for name in unit.systems)
                and (room is None or hand.items + len(unit.segments) <= room)
            ]  # fmt: skip
            if not free and room is None:
                raise InputError(
                    f"document {unit.document}: every rater has judged {', '.join(unit.systems)} there already; more "
                    f"raters are needed, or less redundancy"
                )
            if not free:  # documents do not fill batches to the brim
                hands.append(_Hand(None))
                hands[-1].take(unit)
                continue
            hands[min(free)[-1]].take(unit)
    return hands


def _units(campaign: Campaign) -> Iterator[tuple[int, list[_Unit]]]:
    """What there is to judge of each document; long documents first, so that loads even out at the end."""
    documents = campaign.documents
    overlap = set(
        _drawn(sorted(documents), round(campaign.batches.overlap * len(documents)), f"{campaign.seed} overlap")
    )
    order = sorted(documents, key=lambda name: (-len(documents[name]), _hash(str(campaign.seed), "document", name)))
    for turn, name in enumerate(order):
        times = campaign.batches.redundancy + (name in overlap)
        systems = _shuffled(campaign.systems, f"{campaign.seed} {name}") if campaign.width > 1 else campaign.systems
        if campaign.width > 1:  # one long row of all systems, again and again, cut into screens
            row = [system for _ in range(times) for system in systems]
            groups = [tuple(row[k : k + campaign.width]) for k in range(0, len(row), campaign.width)]
        else:
            groups = [(system,) for system in systems for _ in range(times)]
        yield turn, [_Unit(name, group, tuple(documents[name])) for group in groups]


def _spread(units: Sequence[_Unit], draw: str) -> list[_Unit]:
    """By lot, but each document once before any comes again with another system."""
    seen: Counter[str] = Counter()
    rounds: dict[int, list[_Unit]] = {}
    for unit in units:
        rounds.setdefault(seen[unit.document], []).append(unit)
        seen[unit.document] += 1
    return [unit for turn, several in sorted(rounds.items()) for unit in _shuffled(several, f"{draw} {turn}")]


def _cut(units: Sequence[_Unit], room: int) -> Iterator[list[_Unit]]:
    """Whole documents, in batches of about the same size, none of which has more than there is room for."""
    whole = sum(len(unit.segments) for unit in units)
    even = whole / -(-whole // room) if whole else 0
    batch, size = list[_Unit](), 0
    for unit in units:
        if batch and (size >= even or size + len(unit.segments) > room):
            yield batch
            batch, size = [], 0
        batch.append(unit)
        size += len(unit.segments)
    if batch:
        yield batch


def _genuine(unit: _Unit, draw: str) -> list[PlannedItem]:
    """The screens of a document; where outputs stand side by side, in an order by lot, the same all through."""
    systems = _shuffled(unit.systems, draw)
    return [
        PlannedItem(document=unit.document, segment=k, shown=tuple(Shown(system=name) for name in systems))
        for k in unit.segments
    ]


def _with_controls(
    campaign: Campaign, units: Sequence[_Unit], number: int
) -> tuple[tuple[PlannedItem, ...], dict[Kind, str]]:
    """A batch's items: documents, and between them stretches of some of them again, as control items."""
    draw = f"{campaign.seed} batch {number}"
    blocks = [_genuine(unit, f"{draw} {place}") for place, unit in enumerate(units)]
    parents = _shuffled(blocks, f"{draw} parents")
    most, full, size = (
        campaign.batches.size,
        control_items(campaign.batches.size, campaign.control),
        sum(map(len, blocks)),
    )
    room = genuine_room(most, campaign.control)
    lacking: dict[Kind, str] = {}
    used: list[list[PlannedItem]] = []
    for kind in CONTROLS:
        wanted = (2 * size * full[kind] + room) // (2 * room)  # a batch with fewer outputs has fewer, in proportion
        if getattr(campaign.control, kind) and not full[kind]:
            lacking[kind] = f"{getattr(campaign.control, kind):g} of {most} items is less than one"
        for parent in sorted(parents, key=lambda one: any(one is other for other in used)):
            if wanted <= 0:
                break
            stretch = _stretch(campaign, parent, kind, wanted, f"{draw} {kind}")
            slots = _slots(blocks, parent, campaign.control.distance) if stretch else []
            if not slots:
                continue
            blocks.insert(slots[_hash(draw, kind, parent[0].document) % len(slots)], stretch)
            used.append(parent)
            wanted -= len(stretch)
        if wanted > 0:
            lacking[kind] = (
                f"for {wanted} there is no place {campaign.control.distance} items away from their document"
                + (", or nothing to put into the output" if kind == "degraded" else "")
            )
    return tuple(item for block in blocks for item in block), lacking


def _stretch(campaign: Campaign, parent: Sequence[PlannedItem], kind: Kind, most: int, draw: str) -> list[PlannedItem]:
    """Consecutive items of a document once more: as they were, degraded, or as the reference has them."""
    size = min(most, len(parent))
    first = _hash(draw, "first", parent[0].document) % (len(parent) - size + 1)
    again = [replace(item, kind=kind) for item in parent[first : first + size]]
    if kind == "repeat":
        return again
    testset = campaign.evaluation.testset
    if kind == "reference":
        shown = [Shown(system=REFERENCE, text=_first(testset, item.segment)) for item in again]
        return [replace(item, shown=(one,)) for item, one in zip(again, shown, strict=True)]
    damaged = []
    for item in again:
        [one] = item.shown
        outputs = campaign.outputs(one.system)
        spoilt = degrade(
            outputs[item.segment] or "",
            [text or "" for text in outputs],
            testset.target_language,
            f"{draw} {one.system} {item.segment}",
        )
        if spoilt is None:
            return []
        damaged.append(
            replace(item, shown=(Shown(system=one.system, text=spoilt.text, damage=(spoilt.start, spoilt.end)),))
        )
    return damaged


def _first(testset: TestSet, segment: int) -> str:
    """The first reference that a segment has."""
    return next(text for stream in testset.references.streams if (text := stream[segment]) is not None)


def _slots(blocks: Sequence[Sequence[PlannedItem]], parent: Sequence[PlannedItem], distance: int) -> list[int]:
    """Where a stretch can stand between blocks, far enough from its document, whosever output of it is shown."""
    ends = [0]
    for block in blocks:
        ends.append(ends[-1] + len(block))
    kin = [place for place, block in enumerate(blocks) if block[0].document == parent[0].document]
    return [
        slot
        for slot in range(len(blocks) + 1)
        if all(ends[place] - ends[slot] >= distance or ends[slot] - ends[place + 1] >= distance for place in kin)
    ]


def _shuffled(items: Sequence[T], draw: str) -> list[T]:
    """The items in an order by lot, which depends on the seed and on nothing else."""
    return [items[k] for k in sorted(range(len(items)), key=lambda k: _hash(draw, str(k)))]


def _drawn(items: Sequence[str], number: int, draw: str) -> list[str]:
    return sorted(items, key=lambda item: (_hash(draw, item), item))[:number]


def _hash(*texts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(texts).encode("utf-8", "surrogateescape")).digest()[:8], "big")
