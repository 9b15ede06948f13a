"""What is said of requests that HTTP or the framework refuses, the same by every server of ours."""

from __future__ import annotations

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response


def http_failure(error: Exception) -> tuple[int, str]:
    """No such page, no such method, more than one request may bring: the status, and a sentence."""
    status, detail = (error.status_code, str(error.detail)) if isinstance(error, HTTPException) else (500, "")
    return status, "there is no such page" if status == 404 else detail


def what_does_not_fit(error: Exception) -> str:
    """Values of a request that do not fit."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    named = [(".".join(str(step) for step in item["loc"][1:]) or "the body", item["msg"]) for item in found]
    return "; ".join(f"{where}: {what}" for where, what in named)


def gone(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """Who asked went away before the request was whole: nobody reads the answer, and no mistake was made."""
    return Response(status_code=400)
