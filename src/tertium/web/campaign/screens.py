"""A batch as a rater sees it: texts and questions; nothing of it says whose a text is, or why it is there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.plan import PlannedBatch, PlannedItem
from tertium.human.campaign.store import Kept


@dataclass(frozen=True)
class Screen:
    """An item: its place in the batch, its texts, and what the rater has said of it."""

    place: int
    source: str
    texts: Sequence[str]
    standing: dict[str, Any] | None  # uuid, revision and body
    feedback: str = ""  # what is said to an answer in the tutorial


@dataclass
class Block:
    """Items of a document that stand together."""

    screens: list[Screen] = field(default_factory=list)


def blocks_of(collection: CampaignCollection, rater: str, batch: PlannedBatch) -> list[Block]:
    """A batch's items, by documents. Where one ends is seen from the order of segments alone, so that a document that
    comes again looks like any other."""
    said = {kept.item: kept for kept in collection.store.responses(rater) if kept.batch == batch.number}
    found: list[Block] = []
    before: PlannedItem | None = None
    for place, item in enumerate(batch.items):
        if before is None or item.document != before.document or item.segment <= before.segment:
            found.append(Block())
        found[-1].screens.append(
            Screen(place, collection.source(item), collection.texts(item), _standing(said.get(place)))
        )
        before = item
    return found


def tutorial_of(collection: CampaignCollection) -> list[Block]:
    """The examples, as a document of their own."""
    examples = collection.campaign.tutorial
    return [Block([Screen(k, one.source, one.outputs, None, one.feedback) for k, one in enumerate(examples)])]


RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa he ks nqo ps sd syr ug ur yi".split())  # languages, unless a script says
SCRIPTS_TO_LEFT = frozenset(("arab", "hebr", "syrc", "thaa", "nkoo"))


class WrittenIn(NamedTuple):
    """A language as pages name it, and which way it runs; `auto` goes by the first letter of a text."""

    lang: str
    dir: str


def written_in(language: str | None) -> WrittenIn:
    """`he`, `uz-Arab`: to the left, also where a text begins with a Latin name."""
    name, *tags = (language or "").replace("_", "-").lower().split("-")
    script = next((tag for tag in tags if len(tag) == 4 and tag.isalpha()), None)
    to_left = script in SCRIPTS_TO_LEFT if script is not None else name in RIGHT_TO_LEFT
    return WrittenIn(language or "", "rtl" if to_left else "auto")


def _standing(kept: Kept | None) -> dict[str, Any] | None:
    return None if kept is None else {"uuid": kept.uuid, "revision": kept.revision, "body": kept.body}


def rater_key(collection: CampaignCollection, rater: str) -> str:
    """What a browser keeps a rater's responses under: not the name, and another one in each campaign."""
    salt = collection.store.remembered("codes", "")
    text = f"{salt}\0{collection.campaign.name}\0{rater}"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:20]
