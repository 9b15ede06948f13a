"""A plan as batches and a manifest that an Appraise server takes (Federmann 2018); its results are read by `human`.

A document is a block of items, whose ids count its segments from 0; direct assessment asks about the whole document
behind it. Outputs side by side are `targets` of one item. Which raters Appraise hands a batch to is up to Appraise: the
plan's names are not in the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tertium.core.errors import OptionError
from tertium.core.judgement import Kind
from tertium.human.campaign.plan import CampaignPlan, PlannedItem, Shown
from tertium.human.campaign.spec import Campaign
from tertium.io.ratings.appraise_tasks import Batch, Item, Manifest

TASKS = {  # (TASK_TYPE, TASK_OPTIONS) of the protocols that Appraise has
    "da": ("Document", ""),
    "esa": ("Document", "ESA"),
    "mqm": ("Document", "MQM"),
    "ranking": ("Pairwise", ""),
}
TYPES: dict[Kind, str] = {"genuine": "TGT", "repeat": "CHK", "reference": "REF", "degraded": "BAD"}
CODES = """
    ar:ara bn:ben bg:bul ca:cat cs:ces cy:cym da:dan de:deu el:ell en:eng es:spa et:est eu:eus fa:fas fi:fin fr:fra
    ga:gle gu:guj ha:hau he:heb hi:hin hr:hrv hu:hun id:ind is:isl it:ita ja:jpn ka:kat kk:kaz km:khm kn:kan ko:kor
    lt:lit lv:lav mk:mkd ml:mal mr:mar ms:msa my:mya ne:nep nl:nld no:nor pa:pan pl:pol ps:pus pt:por ro:ron ru:rus
    si:sin sk:slk sl:slv sq:sqi sr:srp sv:swe sw:swa ta:tam te:tel th:tha tr:tur uk:ukr ur:urd uz:uzb vi:vie xh:xho
    zh:zho zu:zul
"""
ISO_639_3 = dict(pair.split(":") for pair in CODES.split())


def appraise_files(campaign: Campaign, plan: CampaignPlan) -> tuple[list[Batch], Manifest]:
    """Batches and manifest of a planned campaign."""
    if campaign.protocol.name not in TASKS:
        raise OptionError(f"Appraise has no protocol {campaign.protocol.name}; it has {', '.join(TASKS)}")
    if campaign.width > 2:
        raise OptionError(f"Appraise compares two outputs, not {campaign.width}; set [protocol] width = 2")
    kind, options = TASKS[campaign.protocol.name]
    source, target = (_code(campaign, side) for side in ("source", "target"))
    batches = [
        Batch(
            {
                "batchNo": batch.number,
                "batchSize": len(batch.items),
                "randomSeed": campaign.seed,
                "requiredAnnotations": 1,  # how often an output is judged is in the plan
                "sourceLanguage": source,
                "targetLanguage": target,
            },
            tuple(Item({**fields, "_item": place}) for place, fields in enumerate(_items(campaign, batch.items))),
        )
        for batch in plan.batches
    ]
    raters = len(campaign.raters.names) or len(batches)
    manifest: dict[str, Any] = {
        "CAMPAIGN_URL": "http://127.0.0.1:8000/dashboard/sso/",
        "CAMPAIGN_NAME": campaign.name,
        "CAMPAIGN_KEY": campaign.name,
        "CAMPAIGN_NO": 1,
        "REDUNDANCY": 1,
        "TASKS_TO_ANNOTATORS": [[source, target, "uniform", raters, len(batches)]],
        "TASK_TYPE": kind,
    }
    return batches, Manifest(manifest | ({"TASK_OPTIONS": options} if options else {}))


def _items(campaign: Campaign, items: Sequence[PlannedItem]) -> Iterator[dict[str, Any]]:
    places = {k: place for several in campaign.documents.values() for place, k in enumerate(several)}
    for _, group in groupby(items, key=lambda item: (item.document, item.kind, [one.system for one in item.shown])):
        block = list(group)
        rows = [_item(campaign, item, places[item.segment]) for item in block]
        yield from rows
        if campaign.protocol.name == "da":  # one more question, about the document as a whole
            joined = {key: "\n".join(row[key] for row in rows) for key in ("sourceText", "targetText")}
            yield {**rows[-1], **joined, "itemID": str(rows[-1]["itemID"]), "isCompleteDocument": True}


def _item(campaign: Campaign, item: PlannedItem, place: int) -> dict[str, Any]:
    sources = campaign.evaluation.testset.sources
    fields: dict[str, Any] = {
        "_block": -1,
        "itemID": place,
        "itemType": TYPES[item.kind],
        "sourceID": campaign.evaluation.testset.name,
        "sourceText": (sources[item.segment] if sources is not None else None) or "",
        "documentID": item.document,
        "isCompleteDocument": False,
    }
    if campaign.protocol.several:
        targets = [
            {"targetID": one.system, "targetText": _text(campaign, item, one), "_target": k}
            for k, one in enumerate(item.shown)
        ]
        return fields | {"targets": targets, "targetsSize": len(targets)}
    [one] = item.shown
    errors: dict[str, Any] = {"mqm": []} if campaign.protocol.marks != "none" else {}
    return fields | {"targetID": one.system, "targetText": _text(campaign, item, one)} | errors


def _text(campaign: Campaign, item: PlannedItem, shown: Shown) -> str:
    return campaign.outputs(shown.system)[item.segment] or "" if shown.text is None else shown.text


def _code(campaign: Campaign, side: str) -> str:
    """The language's code of three letters, as Appraise wants it."""
    language = getattr(campaign.evaluation.testset, f"{side}_language") or ""
    code = language.replace("_", "-").partition("-")[0].lower()
    if len(code) == 3:
        return str(code)
    if code not in ISO_639_3:
        raise OptionError(
            f"the {side} language of the test set is {language or 'not known'}; Appraise needs its code of three "
            f"letters: write it in the test set ({side}_language)"
        )
    return ISO_639_3[code]
