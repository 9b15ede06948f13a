"""The dashboard of whoever runs a campaign: how far it is, whom to look at, links, and what was done."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tertium.core.errors import InputError, OptionError
from tertium.human.campaign.collection import CampaignCollection
from tertium.io.store import StoreError
from tertium.web.campaign.access import Given
from tertium.web.pages import asset, environment

HOUR = 3600
SHOWN = 200  # last lines of the audit trail


def check(request: Request) -> None:
    """Nobody but whoever runs the campaign gets further."""
    request.app.state.access.check_admin(request)


router = APIRouter(include_in_schema=False, prefix="/admin")
Admin = Annotated[None, Depends(check)]


@router.get("")
def dashboard(request: Request, collection: Given, _: Admin, ranking: str = "") -> HTMLResponse:
    """Everything on one page; the ranking only where it is asked for, lest it guide whoever instructs raters."""
    return HTMLResponse(dashboard_page(request, collection, ranking=bool(ranking)))


def dashboard_page(request: Request, collection: CampaignCollection, *, ranking: bool = False, **more: Any) -> str:
    """The dashboard, with a link that was just made."""
    from tertium.human.power import POWER
    from tertium.report.page import asset as of_report
    from tertium.report.tables.campaigns import progress_table
    from tertium.report.tables.people import amount

    whole = collection.plan.kinds.total()
    done = len({(kept.batch, kept.item) for kept in collection.standing()})
    progress = collection.progress()
    seconds = sum(one.seconds for one in progress)
    pay = collection.campaign.raters
    cost = f"{seconds / HOUR * pay.pay:,.2f} {pay.currency}".strip() if pay.pay else None
    trail = [
        (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)), kind, rater)
        for at, kind, rater, _ in collection.store.trail()
    ]
    return environment().get_template("campaign/dashboard.html").render(
        nonce=request.state.nonce, title=collection.campaign.name, protocol=collection.campaign.protocol,
        style=of_report("page.css") + asset("web.css") + asset("campaign/campaign.css"),
        scripts=[asset("campaign/theme.js"), asset("campaign/dashboard.js")],
        figures={"done": done, "all": whole, "hours": seconds / HOUR, "cost": cost},
        progress=progress_table(collection), quality=_quality(collection, ranking),
        ranking=ranking, amount=amount, power=POWER,
        notes=[*collection.campaign.dates.notes(collection.store.clock()), *collection.notes()],
        trail=trail[-SHOWN:][::-1], earlier=max(0, len(trail) - SHOWN),
        **{"link": None, **more},
    )  # fmt: skip


def _quality(collection: CampaignCollection, ranking: bool) -> dict[str, Any]:
    """Raters and agreement of each scale; the ranking, and what would separate neighbours, where it is asked for."""
    from tertium.human.analyse import analyse
    from tertium.human.power import power_curve
    from tertium.human.ranking import method_of
    from tertium.report.tables.people import ranking_table, rater_table

    said = collection.judgements()
    found: dict[str, Any] = {"tables": [], "agreement": [], "rankings": [], "needed": [], "note": ""}
    for scale in dict.fromkeys(one.scale for one in said):
        try:
            made = analyse(said, scale, method_of(None))
        except InputError as error:
            found["note"] = str(error)
            continue
        found["tables"].append(rater_table(made, None))
        found["agreement"] += made.agreement
        if not ranking:
            continue
        for name, ranked in made.rankings.items():
            found["rankings"].append(ranking_table(made, name, ranked))
            names = [one.system for one in ranked.systems]
            for first, second in pairwise(names):
                try:
                    curve = power_curve(ranked, first, second)
                except InputError:
                    continue
                found["needed"].append((scale, curve))
    return found


@router.get("/{token}")
def enter(token: str, request: Request) -> HTMLResponse:
    """The address that the server printed."""
    answer: HTMLResponse = request.app.state.access.admit_admin(request, token)
    return answer


Name = Annotated[str, Form(min_length=1, max_length=200)]


@router.post("/link")
def new_link(request: Request, collection: Given, _: Admin, rater: Name) -> HTMLResponse:
    """A link, which is shown here and never again."""
    if not rater.strip() or (not collection.shared and rater not in collection.campaign.raters.names):
        names = ", ".join(collection.campaign.raters.names)
        raise OptionError(f"unknown rater {rater!r}; the campaign has {names}")
    token = collection.links.make(rater)
    origin = request.app.state.door.origin or f"{request.url.scheme}://{request.headers['host']}"
    return HTMLResponse(dashboard_page(request, collection, link=f"{origin}/r/{token}", rater=rater))


@router.post("/revoke")
def revoke(collection: Given, _: Admin, rater: Name) -> Response:
    """Let a rater in no more."""
    collection.links.revoke(rater)
    return RedirectResponse("/admin", 303)


@router.post("/erase")
def erase(collection: Given, _: Admin, rater: Name) -> Response:
    """Delete what a rater said, and their link."""
    collection.store.erase(rater)
    return RedirectResponse("/admin", 303)


@router.post("/backup")
def backup(collection: Given, _: Admin) -> Response:
    """All responses as they are at this moment, as a file."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "backup.sqlite"
        collection.store.backup(target)
        data = target.read_bytes()
    with suppress(StoreError):  # a disk that is full is a reason for a backup, and none to keep it back
        collection.store.note("backup taken", "", {})
    name = time.strftime("campaign-%Y%m%d-%H%M%S.sqlite", time.gmtime())
    return Response(data, media_type="application/vnd.sqlite3",
                    headers={"Content-Disposition": f'attachment; filename="{name}"'})  # fmt: skip
