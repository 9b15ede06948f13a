"""Standard output from which nothing is lost in silence."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class Output(io.FileIO):
    """A file that remembers the first error of writing to it; what comes after the error is dropped."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle, "wb", closefd=False)
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        """Write, or fail once: the interpreter flushes again at its end, when nobody can be told any more."""
        if self.error is None:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.error = error
                raise
        return memoryview(data).nbytes


def open_output() -> Output | None:
    """Put such a file behind `sys.stdout`; None where standard output has been replaced by somebody else.

    Without a buffer (`python -u`) Python itself loses what a full disk does not take, so there is always one.
    """
    old: Any = sys.stdout
    own = old is sys.__stdout__
    if old is None:  # closed: writing has to fail, and not to go into a file that happened to get its number
        output, encoding, by_lines = Output(os.open(os.devnull, os.O_RDONLY)), "utf-8", False
    elif not own:
        return None
    else:
        old.flush()
        output, encoding, by_lines = Output(old.fileno()), old.encoding, old.line_buffering
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), encoding, line_buffering=by_lines)
    return output
