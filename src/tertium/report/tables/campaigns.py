"""Campaigns as tables: who has how much to do, and how far they are."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator

from tertium.core.judgement import Judgement
from tertium.core.table import Column, Rows, Table, numbers, texts
from tertium.core.wording import counted
from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.dates import written
from tertium.human.campaign.links import completion_code
from tertium.human.campaign.plan import CampaignPlan, PlannedBatch
from tertium.human.campaign.response import hter
from tertium.human.campaign.spec import CONTROLS, Campaign
from tertium.io.tables import inert

HOUR = 3600


def plan_table(campaign: Campaign, plan: CampaignPlan) -> Table:
    """A row for each rater, or one for all where whoever comes takes the next batch."""
    control = [kind for kind in CONTROLS if plan.kinds[kind]]
    columns: list[Column] = [
        *texts("rater"),
        *numbers("batches", "items", *control, decimals=0),
        *numbers("hours", decimals=1),
    ]
    rows: Rows = []
    names = list(campaign.raters.names) if campaign.batches.assignment == "static" else [None]
    for name in [*names, *(["all"] if len(names) > 1 else [])]:
        own = [batch for batch in plan.batches if name in (batch.rater, "all")]
        kinds = Counter(item.kind for batch in own for item in batch.items)
        hours = kinds.total() * campaign.raters.seconds / HOUR
        rows.append([name or "whoever comes", len(own), kinds.total(), *(kinds[kind] for kind in control), hours])
    return Table(columns=columns, rows=rows, title=f"{campaign.name}: {campaign.protocol.title}")


def plan_notes(campaign: Campaign, plan: CampaignPlan) -> Iterator[str]:
    """What whoever sets a campaign up should know before raters begin."""
    redundancy, overlap = campaign.batches.redundancy, campaign.batches.overlap
    segments, systems = len(campaign.evaluation.testset), len(campaign.systems)
    unit = "segment" if campaign.evaluation.testset.documents is None else "document"
    twice = counted(round(overlap * len(campaign.documents)), unit)
    more = f", those of {twice} once more" if overlap else ""
    yield (
        f"{counted(segments * systems, 'output')} ({counted(segments, 'segment')}, {counted(systems, 'system')}), each "
        f"judged {'once' if redundancy == 1 else f'{redundancy} times'}{more}"
    )
    hours = plan.kinds.total() * campaign.raters.seconds / HOUR
    yield f"hours: at {campaign.raters.seconds:g} seconds an item, an estimate" + (
        f"; {hours * campaign.raters.pay:,.2f} {campaign.raters.currency} at {campaign.raters.pay:g} an hour"
        if campaign.raters.pay
        else ""
    )
    dates = campaign.dates
    if dates.begin is not None or dates.end is not None:
        yield "responses are taken" + "".join(
            f" {word} {written(moment)}" for word, moment in (("from", dates.begin), ("until", dates.end)) if moment
        )
    if redundancy == 1 and not overlap and not plan.kinds["repeat"]:
        yield "nothing is judged twice, so nobody will know how far raters agree: set overlap or repeat"
    if not any(plan.kinds[kind] for kind in CONTROLS):
        yield "no control items: careless raters will not be found by them"
    yield from _summary(plan.notes)
    unequal = _unequal(plan.batches)
    if unequal:
        yield unequal


def progress_table(collection: CampaignCollection) -> Table:
    """A row for each rater."""
    columns = [*texts("rater"), *numbers("batches", "answered", "items", decimals=0),
               *numbers("hours", "seconds an item", decimals=1), *texts("last response (UTC)", "link")]  # fmt: skip
    known = collection.links.known()
    rows: Rows = []
    for one in collection.progress():
        link = known.get(one.rater)
        state = "none" if link is None else "works" if link.revoked is None else "revoked"
        last = "" if one.last is None else time.strftime("%Y-%m-%d %H:%M", time.gmtime(one.last))
        rows.append([one.rater, one.batches, one.done, one.items, one.seconds / HOUR, one.pace, last, state])
    return Table(columns=columns, rows=rows, title=collection.campaign.name)


def progress_notes(collection: CampaignCollection) -> Iterator[str]:
    """How much of the whole is done, what it has cost, and what a reader of the result should know."""
    whole = collection.plan.kinds.total()
    done = len({(kept.batch, kept.item) for kept in collection.standing()})
    yield f"{done} of {counted(whole, 'item')} answered ({done / max(1, whole):.0%})"
    raters, seconds = collection.campaign.raters, sum(one.seconds for one in collection.progress())
    if raters.pay:
        yield f"{seconds / HOUR * raters.pay:,.2f} {raters.currency} so far, at {raters.pay:g} an hour on the screen"
    yield from collection.campaign.dates.notes(collection.store.clock())
    yield from collection.notes()


def codes_table(collection: CampaignCollection) -> Table:
    """The completion codes of batches that are done."""
    rows: Rows = [
        [rater, batch.number, completion_code(collection.store, rater, batch.number)]
        for rater in collection.raters()
        for batch in collection.batches_of(rater)
        if collection.is_done(rater, batch)
    ]
    return Table(columns=[*texts("rater"), *numbers("batch", decimals=0), *texts("code")], rows=rows, title="codes")


def judgements_table(judgements: Iterable[Judgement]) -> Table:
    """Judgements for a spreadsheet: segments count from 1, and no text is taken for a formula."""
    rows: Rows = [
        [inert(one.system), one.segment + 1, inert(one.rater), one.scale, one.value, one.kind, one.task, one.duration]
        for one in judgements
    ]
    columns = [*texts("system"), *numbers("segment"), *texts("rater", "scale"), *numbers("value"),
               *texts("kind", "task"), *numbers("duration")]  # fmt: skip
    return Table(columns=columns, rows=rows)


def edits_table(collection: CampaignCollection) -> Table:
    """Post-edited texts, with what they were made of."""
    batches = {batch.number: batch for batch in collection.plan.batches}
    rows: Rows = []
    for kept in collection.standing():
        item = batches[kept.batch].items[kept.item]
        [shown], [output] = item.shown, collection.texts(item)
        rows.append([inert(shown.system), item.segment + 1, inert(kept.rater), inert(output), inert(kept.body["text"]),
                     hter(output, kept.body["text"]), float(kept.body.get("seconds", 0))])  # fmt: skip
    return Table(
        columns=[*texts("system"), *numbers("segment", decimals=0), *texts("rater", "output", "text"),
                 *numbers("hter", decimals=2), *numbers("seconds", decimals=1)],
        rows=rows,
    )  # fmt: skip


def _summary(notes: tuple[str, ...]) -> Iterator[str]:
    """The first few of many notes."""
    yield from notes[:3]
    if len(notes) > 3:
        yield f"and {counted(len(notes) - 3, 'more note')} of this kind, which are in the plan"


def _unequal(batches: tuple[PlannedBatch, ...]) -> str:
    """Where some raters have much more to do than others."""
    loads = Counter[str]()
    for batch in batches:
        if batch.rater is not None:
            loads[batch.rater] += len(batch.items)
    if not loads or max(loads.values()) < 2 * min(loads.values()):
        return ""
    (most, items), (least, fewer) = loads.most_common(1)[0], loads.most_common()[-1]
    return f"{most} has {counted(items, 'item')} and {least} {fewer}: documents stay whole, and there are few of them"
