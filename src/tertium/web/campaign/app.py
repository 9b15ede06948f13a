"""The application that raters use: their pages, and the one address that takes responses."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tertium.core.errors import InputError, TertiumError
from tertium.core.judgement import SCALES
from tertium.core.version import VERSION
from tertium.human.campaign.collection import CampaignCollection, UnknownItemError
from tertium.human.campaign.links import completion_code
from tertium.human.campaign.response import SEVERITIES
from tertium.human.campaign.store import ConflictError
from tertium.io.store import StoreError
from tertium.web.campaign import dashboard
from tertium.web.campaign.access import Access, NotAdmittedError, TooManyError
from tertium.web.campaign.screens import Block, blocks_of, rater_key, tutorial_of
from tertium.web.campaign.words import NAMES, WORDS, choose_language, labels
from tertium.web.failures import gone, http_failure, what_does_not_fit
from tertium.web.pages import asset, environment
from tertium.web.security import HEADERS, POLICY, SMALL, Door, Guard

LANGUAGE = "tertium-language"
RETRY = "5"  # seconds after which a store that could not be written may be there again
SCRIPTS = {  # of each protocol
    "da": "scale", "sqm": "scale", "adequacy-fluency": "choice", "ranking": "ranking", "esa": "spans", "mqm": "spans",
    "post-edit": "edit",
}  # fmt: skip

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api")


def create_app(collection: CampaignCollection, door: Door | None = None) -> FastAPI:
    """The app of a campaign that is open."""
    door = door or Door()
    app = FastAPI(title="tertium campaign", version=VERSION, openapi_url="/api/openapi.json", docs_url=None,
                  redoc_url=None, redirect_slashes=False)  # fmt: skip
    app.state.collection, app.state.door = collection, door
    app.state.access = Access(collection.links, door)
    app.include_router(api)
    app.include_router(router)
    app.include_router(dashboard.router)
    app.add_middleware(Guard, door=door, limit=SMALL)
    for kind, handler in (
        (TertiumError, refused), (HTTPException, not_http), (RequestValidationError, not_valid),
        (ClientDisconnect, gone), (Exception, broken),
    ):  # fmt: skip
        app.add_exception_handler(kind, handler)
    return app


def its_collection(request: Request) -> CampaignCollection:
    """The campaign of this server."""
    found: CampaignCollection = request.app.state.collection
    return found


def its_rater(request: Request) -> str:
    """Who is asking; nobody else gets further."""
    access: Access = request.app.state.access
    return access.rater(request)


Given = Annotated[CampaignCollection, Depends(its_collection)]
Rater = Annotated[str, Depends(its_rater)]


def render(request: Request, template: str, *, scripts: list[str], **values: Any) -> str:
    """A page in the rater's language."""
    from tertium.report.page import asset as of_report

    language = language_of(request)
    words = WORDS[language]
    return environment().get_template(f"campaign/{template}").render(
        nonce=request.state.nonce, language=language, languages=NAMES, words=words, version=VERSION,
        say=lambda key, **names: words[key].format(**names),
        labels=lambda scale: labels(scale, language),
        style=of_report("page.css") + asset("web.css") + asset("campaign/campaign.css"),
        scripts=[asset(f"campaign/{name}.js") for name in ("theme", *scripts)],
        **values,
    )  # fmt: skip


def language_of(request: Request) -> str:
    """That of the page: asked for in the address, before, or by the browser."""
    asked = request.query_params.get("language", "") or request.cookies.get(LANGUAGE, "")
    return choose_language(asked, request.headers.get("accept-language", ""))


def page(
    request: Request, template: str, status: int = 200, *, scripts: list[str] | None = None, **values: Any
) -> Response:
    """A rendered answer, which remembers a language that was asked for."""
    answer = HTMLResponse(render(request, template, scripts=scripts or [], **values), status)
    if request.query_params.get("language", "") in WORDS:
        answer.set_cookie(LANGUAGE, request.query_params["language"], httponly=True, samesite="strict", max_age=10**7)
    return answer


# Pages


@router.get("/r/{token}")
def enter(token: str, request: Request) -> HTMLResponse:
    """A rater's link."""
    access: Access = request.app.state.access
    return access.admit_rater(request, token)


@router.get("/")
def overview(request: Request, collection: Given, rater: Rater) -> Response:
    """What a rater has to do."""
    standing = collection.standing(rater)
    batches = collection.batches_of(rater)
    rows = [
        {"number": batch.number, "place": place, "done": sum(kept.batch == batch.number for kept in standing),
         "all": len(batch.items)}
        for place, batch in enumerate(batches, 1)
    ]  # fmt: skip
    may_take = collection.shared and all(row["done"] >= row["all"] for row in rows)
    return page(request, "overview.html", title=collection.campaign.name, rows=rows, may_take=may_take,
                tutorial=bool(collection.campaign.tutorial))  # fmt: skip


@router.post("/take")
def take(collection: Given, rater: Rater) -> Response:
    """The next batch of the pool."""
    batch = collection.take(rater)
    return RedirectResponse("/?nothing=1" if batch is None else f"/batch/{batch.number}", 303)


Number = Annotated[int, Path(ge=1, lt=2**31)]
Place = Annotated[int, Path(ge=0, lt=2**31)]


@router.get("/batch/{number}")
def batch_page(number: Number, request: Request, collection: Given, rater: Rater) -> Response:
    """A whole batch: the page needs nothing more from the server while the rater works on it."""
    batch = collection.batch(rater, number)
    return work_page(request, collection, blocks_of(collection, rater, batch), number, rater_key(collection, rater))


@router.get("/tutorial")
def tutorial(request: Request, collection: Given, rater: Rater) -> Response:
    """Examples to try, which are kept by nobody."""
    if not collection.campaign.tutorial:
        raise UnknownItemError("there is no tutorial")
    return work_page(request, collection, tutorial_of(collection), 0, rater_key(collection, rater))


def work_page(request: Request, collection: CampaignCollection, blocks: list[Block], number: int, who: str) -> Response:
    """A page to work on; number 0 is the tutorial."""
    campaign, testset = collection.campaign, collection.campaign.evaluation.testset
    script = SCRIPTS[campaign.protocol.name]
    scripts = [*(["scale"] if script == "spans" else []), script, "annotate"]
    return page(
        request, "batch.html", scripts=scripts, title=campaign.name, number=number, script=script,
        blocks=blocks, protocol=campaign.protocol, categories=campaign.categories,
        severities=SEVERITIES, who=who, items=sum(len(block.screens) for block in blocks), scales=SCALES,
        source_language=testset.source_language or "", target_language=testset.target_language or "",
    )  # fmt: skip


@router.get("/done/{number}")
def done(number: Number, request: Request, collection: Given, rater: Rater) -> Response:
    """Thanks, and what a crowd platform wants to know."""
    batch = collection.batch(rater, number)
    standing = sum(kept.batch == number for kept in collection.standing(rater))
    missing = len(batch.items) - standing
    code = None if missing else completion_code(collection.store, rater, number)
    left = [one.number for one in collection.batches_of(rater) if not collection.is_done(rater, one)]
    return page(request, "done.html", title=collection.campaign.name, missing=missing, code=code, number=number,
                following=left[0] if left else None, shared=collection.shared)  # fmt: skip


# Responses


@api.put("/responses/{number}/{place}")
async def respond(
    number: Number, place: Place, request: Request, collection: Given, given: Annotated[dict[str, Any], Body()]
) -> JSONResponse:
    """Keep a response; acknowledged when it is on the disk. The same one again is acknowledged again."""
    rater = await run_in_threadpool(its_rater, request)
    for key in given:
        if key not in ("who", "uuid", "revision", "body"):
            raise InputError(f"unknown key {key[:40]!r}; known: who, uuid, revision, body")
    if given.get("who") != await run_in_threadpool(rater_key, collection, rater):
        raise ConflictError("this page is another rater's; open your own link again")
    body = given.get("body")
    if not isinstance(body, Mapping):
        raise InputError("body must be an object")
    waiting = await run_in_threadpool(
        collection.submit, rater, number, place, given.get("uuid"), given.get("revision"), body
    )
    new = await asyncio.wrap_future(waiting)
    return JSONResponse({"saved": True, "new": new})


# Errors


def fail(request: Request, status: int, sentence: str) -> Response:
    """A sentence, as JSON or as a page."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return HTMLResponse(render(request, "error.html", scripts=[], title="tertium", sentence=sentence), status)


STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotAdmittedError, 401), (TooManyError, 429), (UnknownItemError, 404), (ConflictError, 409), (StoreError, 503),
    (TertiumError, 422),
)  # fmt: skip


def refused(request: Request, error: Exception) -> Response:
    """What is refused, with the status that says whether to try again."""
    answer = fail(request, next(status for kind, status in STATUS if isinstance(error, kind)), str(error))
    if answer.status_code == 503:
        answer.headers["Retry-After"] = RETRY
    return answer


def not_http(request: Request, error: Exception) -> Response:
    """No such page, no such method, more than one request may bring."""
    return fail(request, *http_failure(error))


def not_valid(request: Request, error: Exception) -> Response:
    """Values of a question that do not fit."""
    return fail(request, 422, what_does_not_fit(error))


def broken(request: Request, error: Exception) -> Response:
    """A mistake of our own. What it is about may name a system, so raters are not told; the log has it."""
    answer = fail(request, 500, f"tertium failed, which is a mistake of its own ({type(error).__name__})")
    answer.headers.update(HEADERS | {"Content-Security-Policy": POLICY.format(nonce=request.state.nonce)})
    return answer
