"""Judgements that were made elsewhere, put where the plan has them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import Judgement
from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.leases import outputs_of
from tertium.human.campaign.plan import PlannedBatch, PlannedItem


class TakenIn(NamedTuple):
    """What became of judgements: responses that are new, responses that were there, judgements that fit nowhere and
    those on scales that the protocol does not have."""

    taken: int
    known: int
    strange: int
    unasked: int


Waiting = dict[tuple[Any, ...], list[Judgement]]


def take_in(collection: CampaignCollection, judgements: Iterable[Judgement]) -> TakenIn:
    """Save judgements as responses. The id of a response follows from its content, so that none is doubled.

    A rater's go to their own batches. Servers such as Appraise hand out batches by themselves, to users of their own:
    what such a rater said goes to the batch that most of it fits, among those that nobody else has begun; what is left
    of it, to the next one. What they said of the same output once more comes in last, where there is room: nobody's
    first judgement is left out for somebody's second.
    """
    protocol = collection.campaign.protocol
    if protocol.edits:
        raise OptionError("post-edited texts are not in files of judgements; they cannot be taken in")
    scales = set(protocol.scales)
    waiting: Waiting = defaultdict(list)
    unasked = 0
    for one in judgements:
        if one.scale not in scales:
            unasked += 1
        else:
            waiting[one.rater, one.segment, one.kind, one.scale, *_system(one, protocol.several)].append(one)
    saved: list[bool] = []
    begun = {kept.batch: kept.rater for kept in collection.standing()}
    raters = list(dict.fromkeys(key[0] for key in waiting))
    strangers = []
    filled: dict[str, set[int]] = {rater: set() for rater in raters}  # by numbers of batches
    for rater in raters:
        own = collection.batches_of(rater)
        for batch in own:
            saved += _into(collection, rater, batch, waiting)
        filled[rater] |= {batch.number for batch in own}
        if not own or collection.shared:
            strangers.append(rater)
    with_key = _batches_with(collection)
    for again in (False, True):
        for rater in strangers:
            saved += _where_it_fits(collection, rater, waiting, begun, with_key, filled[rater], again)
    return TakenIn(sum(saved), len(saved) - sum(saved), sum(map(len, waiting.values())), unasked)


def _where_it_fits(
    collection: CampaignCollection,
    rater: str,
    waiting: Waiting,
    begun: dict[int, str],
    with_key: dict[tuple[Any, ...], set[int]],
    filled: set[int],
    again: bool,
) -> list[bool]:
    """What a rater of another server said, batch by batch, none of which is filled twice; whether each was new. With
    `again` also into batches that have outputs which they have judged in another one."""
    batches, saved = collection.plan.batches, list[bool]()
    theirs = {k for k, batch in enumerate(batches) if begun.get(batch.number) == rater}
    seen: set[tuple[str, str]] = set().union(*(outputs_of(batches[k]) for k in theirs))
    free = {k for k, batch in enumerate(batches) if batch.number not in begun}
    open_to = {k for k in theirs | free if batches[k].number not in filled}
    while open_to:
        if not again:
            open_to = {k for k in open_to if k in theirs or not outputs_of(batches[k]) & seen}
        left = [key[1:] for key, several in waiting.items() if key[0] == rater and several]
        counts = Counter(k for key in left for k in with_key.get(key, set()) & open_to)
        if not counts:
            break
        best = min(counts, key=lambda k: (-counts[k], k))
        open_to.remove(best)
        new = _into(collection, rater, batches[best], waiting)
        if new:
            begun[batches[best].number] = rater
            seen |= outputs_of(batches[best])
            filled.add(batches[best].number)
        saved += new
    return saved


def _into(collection: CampaignCollection, rater: str, batch: PlannedBatch, waiting: Waiting) -> list[bool]:
    """Save what fits a batch; whether each was new."""
    saved = []
    for place, body in _fitting(collection, rater, batch, waiting):
        text = json.dumps([rater, batch.number, place, body], sort_keys=True)
        uuid = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        saved.append(collection.enter(rater, batch, place, uuid, 1, body))
    return [one.result() for one in saved]


def _batches_with(collection: CampaignCollection) -> dict[tuple[Any, ...], set[int]]:
    """Which batches have an item that a judgement may be of, by the judgement's key without its rater."""
    protocol = collection.campaign.protocol
    found: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for place, batch in enumerate(collection.plan.batches):
        for item in batch.items:
            system = () if protocol.several or item.kind == "reference" else (item.shown[0].system,)
            for scale in protocol.scales:
                found[item.segment, item.kind, scale, *system].add(place)
    return found


def _fitting(
    collection: CampaignCollection, rater: str, batch: PlannedBatch, waiting: Waiting
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Responses to items of a batch; the judgements that they are made of are used up."""
    for place, item in enumerate(batch.items):
        body = _body(collection, rater, item, waiting, str(batch.number))
        if body is not None:
            yield place, body


def _system(one: Judgement, several: bool) -> tuple[str, ...]:
    """References go by the kind alone: whose output they stand against is the batch's business."""
    return () if several or one.kind == "reference" else (one.system,)


def _body(
    collection: CampaignCollection,
    rater: str,
    item: PlannedItem,
    waiting: Waiting,
    task: str,
) -> dict[str, Any] | None:
    """The response to an item, of judgements that are then used up; None where they are not all there."""
    protocol = collection.campaign.protocol
    if protocol.several:
        several = waiting.get((rater, item.segment, item.kind, "rank"), [])
        own = [one for one in several if one.task in (task, None)]
        places = {one.system: one for one in own}
        if not all(shown.system in places for shown in item.shown):
            return None
        used = [places[shown.system] for shown in item.shown]
        for one in used:
            several.remove(one)
        ordered = sorted({one.value for one in used})
        return {"ranks": [ordered.index(one.value) + 1 for one in used], "seconds": used[0].duration or 0.0}
    found: list[tuple[list[Judgement], Judgement]] = []
    for scale in protocol.scales:
        system = () if item.kind == "reference" else (item.shown[0].system,)
        several = waiting.get((rater, item.segment, item.kind, scale, *system), [])
        own = [one for one in several if one.task in (task, None)] or several
        if not own:
            return None
        found.append((several, own[0]))
    for several, one in found:
        several.remove(one)
    first = found[0][1]
    body: dict[str, Any] = {"seconds": first.duration or 0.0}
    if protocol.name != "mqm":
        body["values"] = {one.scale: one.value for _, one in found}
    if protocol.marks != "none":
        if any(span.side == "reference" for span in first.spans):
            raise InputError("errors are marked in a reference, which raters here did not see")
        body["spans"] = [[s.start, s.end, s.severity.lower(), s.category, s.side] for s in first.spans]
    return body
