"""Plans of campaigns as tables: who has how much to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tertium.core.table import Column, Rows, Table, numbers, texts
from tertium.core.wording import counted
from tertium.human.campaign.plan import CampaignPlan, PlannedBatch
from tertium.human.campaign.spec import CONTROLS, Campaign

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
    twice = counted(round(overlap * len(campaign.documents)), "document")
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
    if redundancy == 1 and not overlap and not plan.kinds["repeat"]:
        yield "nothing is judged twice, so nobody will know how far raters agree: set overlap or repeat"
    if not any(plan.kinds[kind] for kind in CONTROLS):
        yield "no control items: careless raters will not be found by them"
    yield from _summary(plan.notes)
    unequal = _unequal(plan.batches)
    if unequal:
        yield unequal


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
