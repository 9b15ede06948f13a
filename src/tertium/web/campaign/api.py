"""What the scripts of raters' pages ask: keep a response, judge an answer to an example."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from tertium.core.errors import InputError
from tertium.human.campaign.collection import CampaignCollection
from tertium.human.campaign.response import is_number
from tertium.human.campaign.tutorial import ExampleVerdict
from tertium.web.campaign.access import Given, NotAdmittedError, Rater, its_rater, language_of
from tertium.web.campaign.screens import rater_key
from tertium.web.campaign.words import WORDS

KEYS = ("who", "uuid", "revision", "body", "age")
SENT = {  # what `respond` takes; which keys a body has is the protocol's (tertium.human.campaign.response)
    "type": "object",
    "properties": {
        "who": {"type": "string", "description": "whose page it is: data-who of the page"},
        "uuid": {"type": "string", "minLength": 8, "maxLength": 64, "description": "an id of the page's own"},
        "revision": {"type": "integer", "minimum": 1, "description": "grows with each change"},
        "body": {"type": "object", "description": "the response; an empty one takes back what was said"},
        "age": {"type": "number", "minimum": 0, "description": "seconds since it was entered"},
    },
    "required": ["who", "uuid", "revision", "body"],
    "additionalProperties": False,
}
TRIED = {"type": "object", "properties": {"body": {"type": "object"}}, "required": ["body"]}
REFUSED = {  # `final`: the same request will never be taken
    "type": "object", "properties": {"error": {"type": "string"}, "final": {"type": "boolean"}}, "required": ["error"],
}  # fmt: skip
ERROR = {"content": {"application/json": {"schema": REFUSED}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "not JSON", **ERROR},
    401: {"description": "no rater, one whose link was revoked, or not the one whose page it is", **ERROR},
    403: {"description": "the campaign has not begun, or is over; or a page of another site asks", **ERROR},
    404: {"description": "no such item of this rater", **ERROR},
    409: {"description": "another response of this id and revision", **ERROR},
    413: {"description": "more than a request may have", **ERROR},
    421: {"description": "a server of another name was asked", **ERROR},
    422: {"description": "what the page of this protocol cannot have sent", **ERROR},
    503: {"description": "not on the disk; send it again later", **ERROR},
}

router = APIRouter(prefix="/api", responses=REFUSALS)
Number = Annotated[int, Path(ge=1, lt=2**31)]
Place = Annotated[int, Path(ge=0, lt=2**31)]
Sent = Annotated[dict[str, Any], Body()]


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """A body for the OpenAPI. It is checked by hand: our sentences say more."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


@router.put("/responses/{number}/{place}", openapi_extra=described(SENT))
async def respond(number: Number, place: Place, request: Request, collection: Given, given: Sent) -> JSONResponse:
    """Keep a response; acknowledged when it is on the disk. The same one again is acknowledged again."""
    waiting = await run_in_threadpool(hand_over, request, collection, number, place, given)
    new = await asyncio.wrap_future(waiting)
    return JSONResponse({"saved": True, "new": new, "at": collection.store.clock()})


def hand_over(
    request: Request, collection: CampaignCollection, number: int, place: int, given: Mapping[str, Any]
) -> Future[bool]:
    """Check who says what, in one thread: going from one to the next costs more than the checks. Then it is the
    writer's."""
    rater = its_rater(request)
    for key in given:
        if key not in KEYS:
            raise InputError(f"unknown key {key[:40]!r}; known: {', '.join(KEYS)}")
    if given.get("who") != rater_key(collection, rater):
        raise NotAdmittedError("other-session")
    body, age = given.get("body"), given.get("age", 0)
    if not isinstance(body, Mapping):
        raise InputError("body must be an object")
    if not is_number(age) or age < 0:
        raise InputError("age must be a number of seconds, 0 or more")
    collection.check_entered(age)
    return collection.submit(rater, number, place, given.get("uuid"), given.get("revision"), body)


@router.post("/tutorial/{place}", openapi_extra=described(TRIED))
def try_example(place: Place, request: Request, collection: Given, _: Rater, given: Sent) -> JSONResponse:
    """Say what was expected of an answer to an example; nothing is kept."""
    words = WORDS[language_of(request)]
    found = collection.try_example(place, given.get("body"))
    right = all(verdict.right for verdict in found) if found else None
    lines = [expected_line(words, verdict, len(found) > 1) for verdict in found]
    return JSONResponse({"right": right, "lines": lines})


def expected_line(words: Mapping[str, str], verdict: ExampleVerdict, several: bool) -> str:
    """What was expected of one question; which one, where there are several."""
    what = words["no-errors-expected"] if verdict.question == "errors" and not verdict.expected else " / ".join(
        f"“{text}”" if verdict.question in ("errors", "text") else text for text in verdict.expected
    )  # fmt: skip
    line = words["as-expected" if verdict.right else "expected"].format(what=what)
    asked = {"ranks": "rank", "errors": "errors", "text": "edit"}.get(verdict.question, verdict.question)
    stop = "" if words[asked].endswith(("?", ".")) else "."
    return f"{words[asked]}{stop} {line}" if several else line
