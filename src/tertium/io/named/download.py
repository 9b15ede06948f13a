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
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPMessage, IncompleteRead
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tertium.core.errors import InputError
from tertium.core.version import VERSION
from tertium.core.wording import counted
from tertium.io.files import megabytes
from tertium.io.named.catalogue import SourceFile

Tell = Callable[[str, int, int], None]  # what, bytes done, bytes in all (0: unknown)

PATIENCE = 60.0  # seconds without a byte
BLOCK = 1 << 18
LARGEST = 1 << 34  # bytes
SENT_ON = (301, 302, 303, 307, 308)
MIRROR = "TERTIUM_TESTSETS_MIRROR"


class Fetched(NamedTuple):
    """A file that is there now, and what it is."""

    size: int
    md5: str
    sha256: str


def fetch(
    file: SourceFile, target: Path, tell: Tell, *, held: str | None = None, patience: float = PATIENCE
) -> Fetched:
    """Fetch a file to a path; what is there already, and is right, stays. `held` is its SHA-256 of the time before."""
    if target.exists() and is_right(file, target, held):
        return digest(target)
    part = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _writing(part, file) as out:
            _receive(file, out, part, tell, patience)
        found = check(file, part, held)
        os.replace(part, target)  # noqa: PTH105
        _about(part).unlink(missing_ok=True)
    except OSError as error:  # of the disk: what the network does is said where it is asked
        raise InputError(
            f"{part}: cannot be written ({error.strerror or error}); make room and run this again"
        ) from None
    except DifferentFileError:
        part.unlink(missing_ok=True)
        _about(part).unlink(missing_ok=True)
        raise
    return found


class DifferentFileError(InputError):
    """A file that is not what it has to be."""


def is_right(file: SourceFile, path: Path, held: str | None = None) -> bool:
    """Whether a file is what it has to be."""
    try:
        check(file, path, held)
    except (InputError, OSError):
        return False
    return True


def check(file: SourceFile, path: Path, held: str | None = None) -> Fetched:
    """What a file is; an error where it is neither what was published nor, without that, what it was before."""
    found = digest(path)
    if file.checksum is not None and getattr(found, file.checksum[0]) != file.checksum[1]:
        kind, wanted = file.checksum
        raise DifferentFileError(
            f"{file.address}: this is not the file that was published: {kind} {getattr(found, kind)}, expected {wanted}"
            f"{f' ({file.source})' if file.source else ''}; it was not taken"
        )
    if file.checksum is None and held is not None and held != found.sha256:
        raise DifferentFileError(
            f"{file.address}: not what was fetched before (sha256 {found.sha256}, then {held}); it was not taken"
        )
    return found


def digest(path: Path) -> Fetched:
    """What a file is."""
    hashes = {"md5": hashlib.md5(usedforsecurity=False), "sha256": hashlib.sha256()}
    size = 0
    with path.open("rb") as data:
        while block := data.read(BLOCK):
            size += len(block)
            for one in hashes.values():
                one.update(block)
    return Fetched(size, hashes["md5"].hexdigest(), hashes["sha256"].hexdigest())


@contextmanager
def _writing(part: Path, file: SourceFile) -> Iterator[IO[bytes]]:
    """The part that is there so far, for one process at a time."""
    with part.open("a+b", buffering=0) as out:  # what a full disk refuses is not tried again when it is closed
        try:
            import fcntl

            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Windows: two at a time spoil the part, which its checksum shows
            pass
        except OSError:
            raise InputError(f"{file.address}: another process is fetching it; wait for it") from None
        try:
            yield out
            os.fsync(out.fileno())
        except BaseException:
            if not out.seek(0, os.SEEK_END):  # nothing came: nothing is left
                with suppress(OSError):
                    part.unlink()
                    _about(part).unlink(missing_ok=True)
            raise


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
            raise InputError(f"{file.address}: {_size(whole)}; at most {_size(LARGEST)} are fetched")
        done = _copy(file, answer, out, part, begin, whole, tell)
    if done < whole and not (file.checksum is not None and is_right(file, part)):
        raise InputError(
            f"{file.address}: the connection ended after {_size(done)} of {_size(whole)}; {_again(file, part)}"
        )


def _size(count: int) -> str:
    return megabytes(count) if count >= 100_000 else counted(count, "byte")


def _again(file: SourceFile, part: Path) -> str:
    """What the next time does: a part is only gone on with where somebody tells whether it is of the same file."""
    known = file.checksum is not None or _validator(part) is not None
    return f"run this again, and it {'goes on from there' if known else 'begins anew'}"


def _copy(file: SourceFile, answer: Any, out: IO[bytes], part: Path, done: int, whole: int, tell: Tell) -> int:
    """Write all that comes, when it comes."""
    while block := _read(file, answer, part):
        done += len(block)
        if done > (whole or LARGEST):
            raise InputError(f"{file.address}: more than the {_size(whole or LARGEST)} that there should be")
        rest = memoryview(block)
        while rest:
            rest = rest[out.write(rest) :]
        tell(file.name, done, whole)
    return done


def _read(file: SourceFile, answer: Any, part: Path) -> bytes:
    try:
        return bytes(answer.read1(BLOCK))
    except TimeoutError:
        raise InputError(f"{file.address}: no byte came for too long; {_again(file, part)}") from None
    except (HTTPException, OSError, ValueError) as error:
        raise InputError(f"{file.address}: the connection broke ({_said(error)}); {_again(file, part)}") from None


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
        if error.code in SENT_ON:  # which urllib ends by itself: in a circle, or to no web address
            raise InputError(f"{address}: sent on in a circle, or to no web address; not followed") from None
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
    if isinstance(error, IncompleteRead):
        return "it ended in the middle"
    text = getattr(reason, "strerror", None) or reason or type(error).__name__
    return " ".join(str(text).split())


def _mirrored(address: str) -> str:
    """The address, or the same of a mirror."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{address}: not an address of a file; it begins with https:// or http://")
    mirror = os.environ.get(MIRROR)
    query = f"?{parts.query}" if parts.query else ""
    return address if not mirror else f"{mirror.rstrip('/')}/{parts.netloc}{parts.path}{query}"


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
