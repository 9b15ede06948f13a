"""Python's collector of garbage, paused while a page is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """A page is made of hundreds of thousands of small values that live until it is written and stand in no cycles.
    The collector would look through all of them again and again, which took a fifth of the time of a page, and find
    nothing. What nobody needs any more is given back all the same: that is counted, not collected."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
