"""The application that raters use: their pages. The addresses that their scripts ask are in `api`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tertium.core.errors import TertiumError
from tertium.core.judgement import SCALES
from tertium.core.version import VERSION
from tertium.human.campaign.collection import CampaignCollection, UnknownItemError
from tertium.human.campaign.dates import ClosedError
from tertium.human.campaign.links import completion_code
from tertium.human.campaign.response import SEVERITIES
from tertium.human.campaign.store import ConflictError
from tertium.io.store import StoreError
from tertium.web.campaign import api, dashboard
from tertium.web.campaign.access import (
    LANGUAGE,
    RATER_COOKIE,
    Access,
    Given,
    NotAdmittedError,
    Rater,
    RefusedError,
    TooManyError,
    language_of,
)
from tertium.web.campaign.api import Number
from tertium.web.campaign.screens import Block, blocks_of, rater_key, tutorial_of, written_in
from tertium.web.campaign.words import NAMES, WORDS, labels
from tertium.web.failures import gone, http_failure, what_does_not_fit
from tertium.web.pages import asset, environment
from tertium.web.security import HEADERS, POLICY, SMALL, Door, Guard

RETRY = "5"  # seconds after which a store that could not be written may be there again
SCRIPTS = {  # of each protocol
    "da": "scale", "sqm": "scale", "adequacy-fluency": "choice", "ranking": "ranking", "esa": "spans", "mqm": "spans",
    "post-edit": "edit",
}  # fmt: skip

KEPT_WORDS = ("saved", "saving", "offline", "refused", "out", "unsafe", "leave-waits")  # of the line about saving

router = APIRouter(include_in_schema=False)


def create_app(collection: CampaignCollection, door: Door | None = None) -> FastAPI:
    """The app of a campaign that is open."""
    door = door or Door()
    app = FastAPI(title="tertium campaign", version=VERSION, openapi_url="/api/openapi.json", docs_url=None,
                  redoc_url=None, redirect_slashes=False)  # fmt: skip
    app.state.collection, app.state.door = collection, door
    app.state.access = Access(collection.links, door)
    app.include_router(api.router)
    app.include_router(router)
    app.include_router(dashboard.router)
    app.add_middleware(Guard, door=door, limit=SMALL)
    for kind, handler in (
        (TertiumError, refused), (HTTPException, not_http), (RequestValidationError, not_valid),
        (ClientDisconnect, gone), (Exception, broken),
    ):  # fmt: skip
        app.add_exception_handler(kind, handler)
    return app


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
        kept_words={key: words[key] for key in KEPT_WORDS},
        **{"who": None, "code": None, **values},
    )  # fmt: skip


def page(
    request: Request,
    template: str,
    collection: CampaignCollection,
    rater: str,
    *,
    status: int = 200,
    scripts: list[str] | None = None,
    **values: Any,
) -> Response:
    """A page of a rater, which sends what waits in the browser, whatever else is on it; remembers a language that was
    asked for."""
    text = render(request, template, scripts=["queue", *(scripts or [])], title=collection.campaign.name,
                  who=rater_key(collection, rater), made=collection.store.clock(), **values)  # fmt: skip
    answer = HTMLResponse(text, status)
    answer.headers["Content-Security-Policy"] = f"{POLICY.format(nonce=request.state.nonce)}; worker-src 'self'"
    if request.query_params.get("language", "") in WORDS:
        answer.set_cookie(LANGUAGE, request.query_params["language"], httponly=True, samesite="strict", max_age=10**7)
    return answer


# Pages


@router.get("/r/{token}")
def enter(token: str, request: Request) -> HTMLResponse:
    """A rater's link."""
    access: Access = request.app.state.access
    return access.admit_rater(request, token)


@router.get("/worker.js")
def worker() -> Response:
    """What shows a rater's pages again while the server is away; nobody's data."""
    return Response(asset("campaign/worker.js"), media_type="text/javascript")


@router.post("/leave")
def leave(request: Request, collection: Given, rater: Rater) -> Response:
    """Sign out: the cookie goes, and the page that is sent removes what the browser keeps of this rater."""
    answer = page(request, "left.html", collection, rater, scripts=["left"])
    answer.delete_cookie(RATER_COOKIE, httponly=True, samesite="strict")
    return answer


@router.get("/")
def overview(request: Request, collection: Given, rater: Rater) -> Response:
    """What a rater has to do."""
    standing = collection.standing(rater)
    rows = [
        {"number": batch.number, "place": place, "done": sum(kept.batch == batch.number for kept in standing),
         "all": len(batch.items)}
        for place, batch in enumerate(collection.batches_of(rater), 1)
    ]  # fmt: skip
    may_take = collection.shared and all(row["done"] >= row["all"] for row in rows)
    return page(request, "overview.html", collection, rater, rows=rows, may_take=may_take,
                nothing="nothing" in request.query_params, closed=closed(request, collection),
                tutorial=bool(collection.campaign.tutorial))  # fmt: skip


def closed(request: Request, collection: CampaignCollection) -> str:
    """What raters are told before the campaign begins and after it ended; empty while it runs."""
    try:
        collection.check_open()
    except ClosedError as error:
        return in_words(request, error)
    return ""


def in_words(request: Request, error: Exception) -> str:
    """In the rater's language, where there are words for it."""
    words = WORDS[language_of(request)]
    if isinstance(error, ClosedError):
        return words[error.state].format(time=error.moment)
    if isinstance(error, UnknownItemError):
        return words["no-item"]
    return words[error.word] if isinstance(error, RefusedError) else str(error)


@router.post("/take")
def take(collection: Given, rater: Rater) -> Response:
    """The next batch of the pool."""
    collection.check_open()
    batch = collection.take(rater)
    return RedirectResponse("/?nothing=1" if batch is None else f"/batch/{batch.number}", 303)


@router.get("/batch/{number}")
def batch_page(number: Number, request: Request, collection: Given, rater: Rater) -> Response:
    """A whole batch: the page needs nothing more from the server while the rater works on it."""
    batch, sentence = collection.batch(rater, number), closed(request, collection)
    if sentence:
        return page(request, "closed.html", collection, rater, status=403, sentence=sentence)
    return work_page(request, collection, rater, blocks_of(collection, rater, batch), number)


@router.get("/tutorial")
def tutorial(request: Request, collection: Given, rater: Rater) -> Response:
    """Examples to try, which are kept by nobody."""
    if not collection.campaign.tutorial:
        raise UnknownItemError("there is no tutorial")
    return work_page(request, collection, rater, tutorial_of(collection), 0)


def work_page(
    request: Request, collection: CampaignCollection, rater: str, blocks: list[Block], number: int
) -> Response:
    """A page to work on; number 0 is the tutorial."""
    campaign, testset = collection.campaign, collection.campaign.evaluation.testset
    script = SCRIPTS[campaign.protocol.name]
    return page(
        request, "batch.html", collection, rater, number=number, script=script,
        scripts=[*(["scale"] if script == "spans" else []), script, "annotate"],
        blocks=blocks, protocol=campaign.protocol, categories=campaign.categories,
        severities=SEVERITIES, items=sum(len(block.screens) for block in blocks), scales=SCALES,
        source=written_in(testset.source_language), target=written_in(testset.target_language),
    )  # fmt: skip


@router.get("/done/{number}")
def done(number: Number, request: Request, collection: Given, rater: Rater) -> Response:
    """Thanks, and what a crowd platform wants to know."""
    batch = collection.batch(rater, number)
    standing = sum(kept.batch == number for kept in collection.standing(rater))
    missing = len(batch.items) - standing
    code = None if missing else completion_code(collection.store, rater, number)
    left = [one.number for one in collection.batches_of(rater) if not collection.is_done(rater, one)]
    return page(request, "done.html", collection, rater, missing=missing, code=code, number=number,
                following=left[0] if left else None, shared=collection.shared,
                closed=closed(request, collection))  # fmt: skip


# Errors


def fail(request: Request, status: int, sentence: str) -> Response:
    """A sentence, as JSON or as a page; pages send again what was not refused for good."""
    if request.url.path.startswith("/api/"):
        final = status < 500 and status not in (401, 429)
        return JSONResponse({"error": sentence, **({"final": True} if final else {})}, status)
    inside = status == 404 and RATER_COOKIE in request.cookies  # then there is a way back
    shown = render(request, "error.html", scripts=[], title="tertium", sentence=sentence, inside=inside)
    return HTMLResponse(shown, status)


STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotAdmittedError, 401), (ClosedError, 403), (TooManyError, 429), (UnknownItemError, 404), (ConflictError, 409),
    (StoreError, 503), (TertiumError, 422),
)  # fmt: skip


def refused(request: Request, error: Exception) -> Response:
    """What is refused, with the status that says whether to try again."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    answer = fail(request, status, in_words(request, error))
    if answer.status_code == 503:
        answer.headers["Retry-After"] = RETRY
    return answer


def not_http(request: Request, error: Exception) -> Response:
    """No such page, no such method, more than one request may bring."""
    status, sentence = http_failure(error)
    return fail(request, status, WORDS[language_of(request)]["no-page"] if status == 404 else sentence)


def not_valid(request: Request, error: Exception) -> Response:
    """Values of a question that do not fit; in an address they lead nowhere."""
    if isinstance(error, RequestValidationError) and all(item["loc"][0] == "path" for item in error.errors()):
        return refused(request, UnknownItemError("there is no such item"))
    return fail(request, 422, what_does_not_fit(error))


def broken(request: Request, error: Exception) -> Response:
    """A mistake of our own. What it is about may name a system, so raters are not told; the log has it."""
    answer = fail(request, 500, f"tertium failed, which is a mistake of its own ({type(error).__name__})")
    answer.headers.update(HEADERS | {"Content-Security-Policy": POLICY.format(nonce=request.state.nonce)})
    return answer
