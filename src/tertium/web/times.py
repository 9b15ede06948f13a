"""Pages of a test set: its history, and two of its evaluations beside each other."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from tertium.core.errors import OptionError
from tertium.web.api import Given, Workbench, failed_page
from tertium.web.entries import Entry, Job, UnknownError
from tertium.web.pages import file_key, render, render_bar, served

pages = APIRouter(include_in_schema=False)


def of_testset(workbench: Workbench, digest: str) -> list[Entry]:
    """Evaluations of a test set, the oldest first; there is at least one."""
    found = workbench.workspace.same_testset(digest)
    if not found:
        raise UnknownError("there is no evaluation of that test set here; were they deleted?")
    return found


@pages.get("/testsets/{digest}/history")
async def history(digest: str, request: Request, workbench: Given) -> HTMLResponse:
    """Scores of each system by date."""
    entries = await run_in_threadpool(of_testset, workbench, digest)
    known = [entry for entry in entries if entry.glance]
    items = [
        {"name": entry.name, "made": entry.created, "scores": entry.glance["scores"], "titles": entry.glance["titles"]}
        for entry in known
    ]
    text = await workbench.draw("history", {"testset": entries[-1].testset, "items": items})
    nonce: str = request.state.nonce
    newest = [entry.id for entry in known[-2:]] or [entries[0].id]
    bar = render_bar(nonce, "times.html", heading="History of a test set", digest=digest, entries=entries,
                     first=newest[0], second=newest[-1])  # fmt: skip
    return HTMLResponse(served(text, nonce, bar))


@pages.get("/testsets/{digest}/compare")
def compare(
    digest: str,
    request: Request,
    workbench: Given,
    first: Annotated[str, Query()] = "",
    second: Annotated[str, Query()] = "",
) -> HTMLResponse:
    """What changed between two evaluations: the page if it is made, else the job that makes it."""
    known = {entry.id: (k, entry) for k, entry in enumerate(of_testset(workbench, digest))}
    for name in (first, second):
        if name not in known:
            raise UnknownError(f"there is no evaluation {name!r} of that test set here; was it deleted?")
    if first == second:
        raise OptionError("an evaluation cannot be compared with itself; choose two")
    earlier, later = (entry for _, entry in sorted((known[first], known[second]), key=lambda item: item[0]))
    for entry in (earlier, later):
        if entry.state in ("queued", "running") or not entry.metrics:
            raise OptionError(f"{entry.name} is not scored yet; wait for it, or score it again")
    nonce: str = request.state.nonce
    path = workbench.workspace.page(later.id, since_key(earlier, later))
    if path.is_file():
        bar = render_bar(nonce, "times.html", heading=f"{earlier.name} and {later.name}", digest=digest,
                         entries=[entry for _, entry in known.values()], first=earlier.id, second=later.id)  # fmt: skip
        return HTMLResponse(served(path.read_text(encoding="utf-8"), nonce, bar))
    job = failed_page(workbench, later, since_key(earlier, later)) or make_since(workbench, earlier, later)
    title = f"{earlier.name} and {later.name}"
    shown: dict[str, Any] = {
        "entry": later,
        "systems": [],
        "metrics": [],
        "siblings": [],
        "beside": False,
        "since": earlier.id,
    }
    return HTMLResponse(render("job.html", nonce, title=title, job=job, large=float("inf"), **shown))


def label(entry: Entry) -> str:
    """What an evaluation is called beside another, which may have the same name."""
    return f"{entry.name} ({entry.created[:16].replace('T', ' ')})"


def since_key(earlier: Entry, later: Entry) -> str:
    """The name of the file of the page of two evaluations."""
    facts = [[entry.id, list(entry.metrics), label(entry)] for entry in (earlier, later)]
    return file_key("since", facts)


def make_since(workbench: Workbench, earlier: Entry, later: Entry) -> Job:
    """Have that page made."""
    page = {"since": earlier.id, "names": [label(earlier), label(later)]}
    return workbench.jobs.page(later.id, page, since_key(earlier, later))
