"""Fetch one file: whole and as it was published, or not at all. Only `tertium testsets get` comes here.

What was interrupted is gone on with, as far as the server allows it. Proxies come from the usual environment variables;
TERTIUM_TESTSETS_MIRROR is an address that is asked instead, as MIRROR/HOST/PATH.
"""

from __future__ import annotations

import hashlib
import json
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tertium.core.errors import InputError
from tertium.core.version import VERSION
from tertium.io.files import megabytes
from tertium.io.named.catalogue import SourceFile

Tell = Callable[[str, int, int], None]  # what, bytes done, bytes in all (0: unknown)

PATIENCE = 60.0  # seconds without a byte
BLOCK = 1 << 18
LARGEST = 1 << 34  # bytes
MIRROR = "TERTIUM_TESTSETS_MIRROR"


class Fetched(NamedTuple):
    """A file that is there now, and what it is."""

    size: int
    md5: str
    sha256: str


def fetch(file: SourceFile, target: Path, tell: Tell, *, patience: float = PATIENCE) -> Fetched:
    """Fetch a file to a path; what is there already, and is right, stays."""
    if target.exists():
        return check(file, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with _writing(part, file) as out:
        try:
            _receive(file, out, part, tell, patience)
        except OSError as error:  # of the disk: what the network does is said where it is asked
            raise InputError(
                f"{part}: cannot be written ({error.strerror or error}); make room and run this again"
            ) from None
    try:
        found = check(file, part)
    except InputError:
        part.unlink(missing_ok=True)
        _about(part).unlink(missing_ok=True)
        raise
    os.replace(part, target)  # noqa: PTH105
    _about(part).unlink(missing_ok=True)
    return found


def check(file: SourceFile, path: Path) -> Fetched:
    """What a file is; an error where it is not what was published."""
    hashes = {"md5": hashlib.md5(usedforsecurity=False), "sha256": hashlib.sha256()}
    size = 0
    with path.open("rb") as data:
        while block := data.read(BLOCK):
            size += len(block)
            for one in hashes.values():
                one.update(block)
    found = Fetched(size, hashes["md5"].hexdigest(), hashes["sha256"].hexdigest())
    if file.checksum is not None and getattr(found, file.checksum[0]) != file.checksum[1]:
        kind, wanted = file.checksum
        raise InputError(
            f"{file.address}: this is not the file that was published: {kind} {getattr(found, kind)}, expected {wanted}"
            f"{f' ({file.source})' if file.source else ''}; nothing of it is kept"
        )
    return found


@contextmanager
def _writing(part: Path, file: SourceFile) -> Iterator[IO[bytes]]:
    """The part that is there so far, for one process at a time."""
    try:
        out = open(part, "a+b")  # noqa: SIM115, PTH123 (closed below)
    except OSError as error:
        raise InputError(f"{part}: cannot be written ({error.strerror})") from None
    with out:
        try:
            import fcntl

            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Windows: two at a time spoil the part, which its checksum shows
            pass
        except OSError:
            raise InputError(f"{file.address}: another process is fetching it; wait for it") from None
        yield out
        out.flush()
        os.fsync(out.fileno())


def _about(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _receive(file: SourceFile, out: IO[bytes], part: Path, tell: Tell, patience: float) -> None:
    """Append what is still missing."""
    have = out.seek(0, os.SEEK_END)
    known = _validator(part) if have else None
    resumed = have > 0 and (known is not None or file.checksum is not None)
    with _open(file, have if resumed else 0, known, patience) as answer:
        if answer is None:  # the server has no more than there is here: the checksum tells whether that is all
            if file.checksum is None:
                out.truncate(0)
                raise InputError(f"{file.address}: the part that was here is not of today's file; run this again")
            return
        begin = have if resumed and _goes_on(answer, have) else 0
        out.truncate(begin)
        _keep_validator(part, answer)
        length = answer.headers.get("Content-Length")
        whole = begin + int(length) if length is not None and length.isdecimal() else 0
        if not whole and not getattr(answer, "chunked", False) and file.checksum is None:
            raise InputError(
                f"{file.address}: neither server nor catalogue says how long it is; add a checksum to its entry"
            )
        if max(whole, begin) > LARGEST:
            raise InputError(f"{file.address}: {megabytes(whole)}; at most {megabytes(LARGEST)} are fetched")
        done = _copy(file, answer, out, begin, whole, tell)
    if done < whole:
        raise InputError(
            f"{file.address}: the connection ended after {megabytes(done)} of {megabytes(whole)}; run this again, "
            f"and it goes on from there"
        )


def _copy(file: SourceFile, answer: Any, out: IO[bytes], done: int, whole: int, tell: Tell) -> int:
    """Write all that comes."""
    while block := _read(file, answer):
        done += len(block)
        if done > (whole or LARGEST):
            raise InputError(f"{file.address}: more than the {megabytes(whole or LARGEST)} that there should be")
        out.write(block)
        tell(file.name, done, whole)
    return done


def _read(file: SourceFile, answer: Any) -> bytes:
    try:
        return bytes(answer.read(BLOCK))
    except TimeoutError:
        raise InputError(f"{file.address}: no byte came for too long; run this again, and it goes on") from None
    except (HTTPException, OSError) as error:
        raise InputError(
            f"{file.address}: the connection broke ({_said(error)}); run this again, and it goes on"
        ) from None


@contextmanager
def _open(file: SourceFile, begin: int, validator: str | None, patience: float) -> Iterator[Any]:
    """The server's answer; None where it has nothing beyond the part that is here."""
    address = _mirrored(file.address)
    headers = {"User-Agent": f"tertium/{VERSION}", "Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
        if validator is not None:
            headers["If-Range"] = validator
    try:
        answer = build_opener(_Redirects(file)).open(Request(address, headers=headers), timeout=patience)
    except HTTPError as error:
        error.close()
        if error.code == 416 and begin:
            yield None
            return
        raise InputError(f"{address}: the server says {error.code} {' '.join(str(error.reason).split())}") from None
    except TimeoutError:
        raise InputError(f"{address}: no answer within {patience:g} seconds; run this again") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise InputError(
            f"{address}: not reached ({_said(error)}); is there a connection, or a proxy to name?"
        ) from None
    with answer:
        yield answer


def _said(error: BaseException) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLError):
        return f"no trusted certificate: {reason.reason}"
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__)


def _mirrored(address: str) -> str:
    """The address, or the same of a mirror."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{address}: not an address of a file; it begins with https:// or http://")
    mirror = os.environ.get(MIRROR)
    return address if not mirror else f"{mirror.rstrip('/')}/{parts.netloc}{parts.path}"


def _goes_on(answer: Any, have: int) -> bool:
    """Whether the answer is the rest of what is here."""
    said = answer.headers.get("Content-Range", "")
    return bool(answer.status == 206 and said.startswith(f"bytes {have}-"))


def _validator(part: Path) -> str | None:
    """What the server called the version of which there is a part."""
    try:
        kept = json.loads(_about(part).read_bytes())
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, str) else None


def _keep_validator(part: Path, answer: Any) -> None:
    tag = answer.headers.get("ETag") or ""
    version = tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified")
    if version:
        _about(part).write_text(json.dumps(version))
    else:
        _about(part).unlink(missing_ok=True)


class _Redirects(HTTPRedirectHandler):
    """Follows to another place only where the checksum tells whether it was the right one; never away from https."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """The next request, or an error."""
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if new.scheme not in ("http", "https") or (old.scheme == "https" and new.scheme == "http"):
            raise InputError(f"{self.file.address}: sent on to {newurl}, which is no https address; not followed")
        if (old.hostname, old.port) != (new.hostname, new.port) and self.file.checksum is None:
            raise InputError(
                f"{self.file.address}: sent on to another host, {new.hostname}, and no checksum is published to "
                f"tell whether its file is right; not followed"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)
