"""The application: pages for people, the JSON interface for programs, and the guard before both."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Form, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tertium.core.errors import OptionError, TertiumError
from tertium.core.version import VERSION
from tertium.io.store import StoreError
from tertium.web import api, explain, prompts, questions, times
from tertium.web.api import Given, Workbench, failed_page, report_key
from tertium.web.entries import Entry, UnknownError
from tertium.web.failures import gone, http_failure, what_does_not_fit
from tertium.web.forms import metric_forms, read_metrics
from tertium.web.pages import render, render_bar, resubtitled, retitled, served
from tertium.web.security import HEADERS, POLICY, Door, Guard
from tertium.web.uploads import ROLES, Limits
from tertium.web.workspace import Workspace

LARGE = 50_000  # outputs from which on a page takes so long that people want to know it

pages = APIRouter(include_in_schema=False)


def create_app(workspace: Workspace, door: Door | None = None, limits: Limits | None = None) -> FastAPI:
    """The workbench of a workspace."""
    limits = limits or Limits()
    workbench = Workbench(workspace, limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        workbench.jobs.start()
        yield
        await run_in_threadpool(workbench.stop)

    app = FastAPI(
        title="tertium",
        version=VERSION,
        description="The workbench's JSON interface: what the command line does, on evaluations of a workspace.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.workbench = workbench
    app.include_router(api.router)
    app.include_router(questions.router)
    app.include_router(prompts.router)
    app.include_router(prompts.pages)
    app.include_router(pages)
    app.include_router(times.pages)
    app.add_middleware(Guard, door=door or Door(), limit=limits.upload)
    app.add_exception_handler(TertiumError, refused)
    app.add_exception_handler(HTTPException, not_http)
    app.add_exception_handler(RequestValidationError, not_valid)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(Exception, broken)
    return app


def nonce(request: Request) -> str:
    """That of this answer."""
    found: str = request.state.nonce
    return found


# Errors


def fail(request: Request, status: int, sentence: str) -> Response:
    """A sentence, as JSON or as a page."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return HTMLResponse(render("error.html", nonce(request), title="That did not work", sentence=sentence), status)


def refused(request: Request, error: Exception) -> Response:
    """What tertium refuses; a full disk is not the fault of who asked."""
    status = 404 if isinstance(error, UnknownError) else 500 if isinstance(error, StoreError) else 422
    return fail(request, status, str(error))


def not_http(request: Request, error: Exception) -> Response:
    """No such page, no such method, more than one request may bring."""
    return fail(request, *http_failure(error))


def not_valid(request: Request, error: Exception) -> Response:
    """Values of a question that do not fit."""
    return fail(request, 422, what_does_not_fit(error))


def broken(request: Request, error: Exception) -> Response:
    """A mistake of our own, or a full disk. This answer does not pass the guard, so it takes its headers along."""
    sentence = f"tertium failed, which is a mistake of its own ({type(error).__name__}: {error})"
    answer = fail(request, 500, sentence)
    answer.headers.update(HEADERS | {"Content-Security-Policy": POLICY.format(nonce=nonce(request))})
    return answer


# Pages


@pages.get("/")
def start(request: Request, workbench: Given) -> HTMLResponse:
    """A place to drop files, and the evaluations that there are."""
    return HTMLResponse(start_page(request, workbench))


def start_page(request: Request, workbench: Workbench, error: str = "") -> str:
    """The start page, with what is wrong with the last upload."""
    entries = workbench.workspace.entries()
    shared = Counter(entry.digest for entry in entries if entry.digest and entry.glance)
    return render(
        "start.html", nonce(request), title="tertium workbench", entries=entries, shared=shared,
        metrics=metric_forms(workbench.limits.models), roles=ROLES, limits=workbench.limits, error=error,
    )  # fmt: skip


@pages.get("/explain")
def explain_score(
    request: Request,
    workbench: Given,
    metric: Annotated[list[str], Query(default_factory=list)],
    output: Annotated[str | None, Query()] = None,
    reference: Annotated[str, Query()] = "",
    other: Annotated[str, Query()] = "",
) -> HTMLResponse:
    """A sentence and references to type in, and how metrics come to their scores of it."""
    asked = explain.ExplainForm(output=output, references=reference, metrics=metric, other=other)
    return HTMLResponse(*explain.page(asked, workbench.limits.allowed, nonce(request)))


@pages.post("/evaluations")
async def upload(request: Request, workbench: Given) -> Response:
    """The form without JavaScript: the same upload, answered by a page."""
    try:
        entry = await workbench.receive(request)
    except TertiumError as error:
        return HTMLResponse(await run_in_threadpool(start_page, request, workbench, str(error)), 422)
    return RedirectResponse(f"/evaluations/{entry.id}", 303)


@pages.get("/evaluations/{id}")
def evaluation(id: str, request: Request, workbench: Given) -> HTMLResponse:
    """The report of an evaluation, or how far it is."""
    return show(request, workbench, workbench.workspace.entry(id), [])


@pages.get("/evaluations/{id}/compare")
def compare(
    id: str,
    request: Request,
    workbench: Given,
    first: Annotated[str, Query()] = "",
    second: Annotated[str, Query()] = "",
) -> HTMLResponse:
    """The report of two systems beside each other."""
    entry = workbench.workspace.entry(id)
    for name in (first, second):
        if name not in entry.systems:
            raise OptionError(f"there is no system {name!r}; systems: {', '.join(entry.systems)}")
    if first == second:
        raise OptionError(f"{first} cannot be compared with itself; choose two systems")
    return show(request, workbench, entry, [first, second])


def show(request: Request, workbench: Workbench, entry: Entry, systems: list[str]) -> HTMLResponse:
    """A page if it is made; else the job that makes it."""
    every = workbench.workspace.same_testset(entry.digest)
    place = next((k for k, other in enumerate(every) if other.id == entry.id), 0)
    siblings = [*every[:place][::-1], *every[place + 1 :]]  # first the one that was made just before
    common: dict[str, Any] = {"entry": entry, "systems": systems, "metrics": metric_forms(workbench.limits.models),
                              "siblings": siblings, "since": "", "beside": False}  # fmt: skip
    key = report_key(entry, systems)
    path = workbench.workspace.page(entry.id, key)
    if entry.state != "done":
        job = None if entry.job is None else workbench.workspace.job(entry.job)
    elif path.is_file():
        common["beside"] = workbench.workspace.page(entry.id, key, api.BESIDE).is_file()
        bar = render_bar(nonce(request), **common)
        text = resubtitled(path.read_text(encoding="utf-8"), entry.testset, entry.name)
        return HTMLResponse(served(text if systems else retitled(text, entry.name), nonce(request), bar))
    else:
        job = failed_page(workbench, entry, key) or workbench.make_page(entry, systems)
    return HTMLResponse(render("job.html", nonce(request), title=entry.name, job=job, large=LARGE, **common))


@pages.post("/evaluations/{id}/again")
def again(
    id: str,
    workbench: Given,
    first: Annotated[str, Form()] = "",
    second: Annotated[str, Form()] = "",
    since: Annotated[str, Form()] = "",
) -> Response:
    """Try again what failed or was cancelled."""
    entry = workbench.workspace.entry(id)
    if since:
        times.make_since(workbench, workbench.workspace.entry(since), entry)
        return RedirectResponse(f"/testsets/{entry.digest}/compare?{QueryParams({'first': since, 'second': id})}", 303)
    if entry.state != "done":
        workbench.score_more(id, [])
        return RedirectResponse(f"/evaluations/{id}", 303)
    systems = [first, second] if first else []
    workbench.make_page(entry, systems)
    query = f"/compare?{QueryParams({'first': first, 'second': second})}" if first else ""
    return RedirectResponse(f"/evaluations/{id}{query}", 303)


@pages.post("/evaluations/{id}/metrics")
async def more_metrics(id: str, request: Request, workbench: Given) -> Response:
    """Count more metrics."""
    async with request.form() as form:
        values = {key: value for key, value in form.multi_items() if isinstance(value, str)}
        ticked = [text for text in form.getlist("metric") if isinstance(text, str)]
    limits = workbench.limits
    metrics = await run_in_threadpool(read_metrics, [], ticked, values, limits.allowed, limits.models)
    await run_in_threadpool(workbench.score_more, id, metrics)
    return RedirectResponse(f"/evaluations/{id}", 303)


@pages.post("/evaluations/{id}/rename")
def rename(id: str, workbench: Given, name: Annotated[str, Form()] = "") -> Response:
    """Call an evaluation otherwise."""
    workbench.workspace.rename(id, name)
    return RedirectResponse(f"/evaluations/{id}", 303)


@pages.post("/evaluations/{id}/baseline")
def baseline(id: str, workbench: Given, baseline: Annotated[str, Form()] = "") -> Response:
    """Measure systems from another one, or from the best."""
    workbench.measure_from(id, baseline)
    return RedirectResponse(f"/evaluations/{id}", 303)


@pages.post("/example")
def example(workbench: Given) -> Response:
    """Try the example that ships with tertium."""
    return RedirectResponse(f"/evaluations/{workbench.add_example().id}", 303)


@pages.post("/evaluations/{id}/delete")
def delete(id: str, workbench: Given) -> Response:
    """Remove an evaluation."""
    workbench.workspace.entry(id)
    workbench.jobs.delete(id)
    return RedirectResponse("/", 303)


@pages.post("/jobs/{id}/cancel")
def cancel(id: str, workbench: Given) -> Response:
    """Stop a job."""
    job = workbench.jobs.cancel(id)
    return RedirectResponse(f"/evaluations/{job.evaluation}", 303)


@pages.get("/evaluations/{id}/export")
def export(id: str, workbench: Given) -> FileResponse:
    """The evaluation as one file."""
    return api.export(id, workbench)


@pages.get("/evaluations/{id}/report")
def report(id: str, workbench: Given) -> Response:
    """The report as one file; the page that waits for it, or says why there is none, where it is not made."""
    answer = api.report(id, workbench)
    return RedirectResponse(f"/evaluations/{id}", 303) if answer.status_code in (202, 409) else answer


@pages.get("/evaluations/{id}/segments")
def segments(
    id: str, workbench: Given, first: Annotated[str, Query()] = "", second: Annotated[str, Query()] = ""
) -> Response:
    """The file of all segments beside a page that does not hold them."""
    return api.segments(id, workbench, first, second)


@pages.get("/evaluations/{id}/tables")
def tables(id: str, workbench: Given) -> Response:
    """Its tables as one Excel file, or the page that waits for it."""
    answer = api.tables(id, workbench)
    return RedirectResponse(f"/evaluations/{id}", 303) if answer.status_code in (202, 409) else answer
