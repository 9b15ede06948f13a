"""The file beside a page that does not hold all segments: all of them, without what metrics mark in them.

It is gzipped lines of JSON: what it is, with where the words of its tables are, then blocks of segments, each with the
page's columns (`segments.columns`) and texts. Words are cut by the page when it is opened, from the tokens that stand
beside every text; so writing it costs little. The page knows its size and digest, and reads no other.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from tertium.core.lines import Lines
from tertium.report.links import word_segments
from tertium.report.results import Results
from tertium.report.segments import LARGE, besides, columns, tokenizer_of
from tertium.text.words import tokenize_lines

if TYPE_CHECKING:
    from tertium.report.held import Numbers

BLOCK = 500  # segments of a line
PACKED = 4  # of gzip: a third of the time of 6, for a tenth more bytes


class Digest:
    """A file that is written through, with what it takes to know it again."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.size, self.sum = file, 0, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Write, and count."""
        self.size += len(data)
        self.sum.update(data)
        return self.file.write(data)

    def flush(self) -> None:
        """Nothing is held back here."""


@dataclass(frozen=True, eq=False)
class SideFile:
    """All segments of a report."""

    results: Results
    words: Sequence[str] = ()  # that lead to segments

    def write(self, file: IO[bytes]) -> dict[str, Any]:
        """Write it; what the page has to know of it."""
        known = Digest(file)
        with gzip.GzipFile(fileobj=known, mode="wb", compresslevel=PACKED, mtime=0, filename="") as packed:
            for line in self.lines():
                text = json.dumps(line, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
                packed.write(f"{text}\n".encode(errors="replace"))
        return {"size": known.size, "digest": known.sum.hexdigest()}

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it is, and blocks of segments."""
        import numpy as np

        every = np.arange(len(self.results.evaluation.testset))
        about = besides(self.results, every)
        words = word_segments(self.results, self.words, every)
        yield {"segments": len(every), **({"words": words} if words else {})}
        for first in range(0, len(every), BLOCK):
            here = every[first : first + BLOCK]
            yield {**columns(self.results, here), "texts": list(self.texts(here, about))}

    def texts(self, here: Numbers, about: Callable[[int], dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """What was said in these segments, every text with its tokens."""
        testset, tokenizer = self.results.evaluation.testset, tokenizer_of(self.results)
        references = [_with_tokens(stream.take(here), tokenizer) for stream in testset.references.streams]
        systems = {system.name: system.outputs for system in self.results.evaluation.systems}
        outputs = [_with_tokens(systems[name].take(here), tokenizer) for name in self.results.systems]
        for place, number in enumerate(here.tolist()):
            yield {
                "s": None if testset.sources is None else testset.sources[number],
                "r": [given for stream in references if (given := stream[place]) is not None],
                "o": [stream[place] for stream in outputs],
                **about(number),
            }


def _with_tokens(lines: Lines, tokenizer: str) -> list[list[str | int] | None]:
    """Every text and its tokens: 0 where these are what spaces part, none where nobody would want to see so many."""
    return [
        None if text is None else [text] if len(text) > LARGE else [text, 0 if tokens == text else str(tokens)]
        for text, tokens in zip(lines, tokenize_lines(lines, tokenizer), strict=True)
    ]
