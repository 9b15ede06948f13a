"""Judgements that were made elsewhere, put where the plan has them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import Judgement
from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.plan import PlannedItem


class TakenIn(NamedTuple):
    """What became of judgements: responses that are new, responses that were there, judgements that fit nowhere."""

    taken: int
    known: int
    strange: int


def take_in(collection: CampaignCollection, judgements: Iterable[Judgement]) -> TakenIn:
    """Save judgements as responses. The id of a response follows from its content, so that none is doubled."""
    protocol = collection.campaign.protocol
    if protocol.edits:
        raise OptionError("post-edited texts are not in files of judgements; they cannot be taken in")
    scales = set(protocol.scales)
    waiting: dict[tuple[Any, ...], list[Judgement]] = defaultdict(list)
    strange = 0
    for one in judgements:
        if one.scale not in scales:
            strange += 1
        else:
            waiting[one.rater, one.segment, one.kind, one.scale, *_system(one, protocol.several)].append(one)
    taken = known = 0
    for rater in dict.fromkeys(key[0] for key in waiting):
        for batch in collection.batches_of(rater):
            for place, item in enumerate(batch.items):
                body = _body(collection, rater, item, waiting, str(batch.number))
                if body is None:
                    continue
                text = json.dumps([rater, batch.number, place, body], sort_keys=True)
                uuid = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
                if collection.submit(rater, batch.number, place, uuid, 1, body).result():
                    taken += 1
                else:
                    known += 1
    return TakenIn(taken, known, strange + sum(map(len, waiting.values())))


def _system(one: Judgement, several: bool) -> tuple[str, ...]:
    """References go by the kind alone: whose output they stand against is the batch's business."""
    return () if several or one.kind == "reference" else (one.system,)


def _body(
    collection: CampaignCollection,
    rater: str,
    item: PlannedItem,
    waiting: dict[tuple[Any, ...], list[Judgement]],
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
