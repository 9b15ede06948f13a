"""A form with files as it comes in: the files go to the disk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from tertium.core.errors import InputError

FILES = 250  # of a form: each is an open file, and many systems allow 1,024; a zip may have more
FIELDS = 500  # of a form, besides files
FIELD = 1 << 17  # bytes of one: `roles` names every file


class Parser(MultiPartParser):
    """Starlette's, which would keep up to 1 MB of every file in memory."""

    spool_max_size = 1 << 14


@asynccontextmanager
async def open_form(request: Request, files: int) -> AsyncIterator[FormData]:
    """What a form brings, of as many files at the most; they are gone when this ends."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "multipart/form-data":
        yield await request.form(max_fields=FIELDS)
        return
    parser = Parser(
        request.headers, request.stream(), max_files=min(files, FILES), max_fields=FIELDS, max_part_size=FIELD
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise HTTPException(400, error.message) from None
    except OSError as error:
        raise InputError(f"the files cannot be kept ({error.strerror or error})") from None
    try:
        yield form
    finally:
        await form.close()
