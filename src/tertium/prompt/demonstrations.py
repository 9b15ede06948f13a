"""Few-shot: which examples a prompt shows, and in which order. The last one stands next to the query."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, get_args

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import read_text
from tertium.core.wording import counted
from tertium.io.score_tables import TableFiles, read_table
from tertium.prompt.leaks import keep_apart
from tertium.prompt.template import Demonstration
from tertium.text.language_names import language_code, language_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.text.bm25 import Bm25Index
    from tertium.text.encoder import EncoderIndex

T = TypeVar("T")
Way = Literal["first", "random", "bm25", "encoder", "quality"]
WAYS: tuple[Way, ...] = get_args(Way)
INPUT = (("source",), ("src",), ("input",), ("X",), ("X1", "X2"))  # columns, whichever a table has first
ANSWER = ("reference", "ref", "target", "tgt", "answer", "Z", "label")
QUALITY = ("score", "quality")

# The steps of splitmix64 (Steele, Lea and Flood 2014): every bit of a number changes half of the bits of its lot.
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))

Budget = Callable[[Sequence[Demonstration]], bool]  # whether these are not too many for a prompt


@dataclass(frozen=True, kw_only=True)
class Selector:
    """How demonstrations are chosen; its text is a name, or `random(seed=1)`, `random(each=True)`."""

    name: Way = "first"
    seed: int = 0  # of random
    each: bool = False  # random: drawn anew for every input, not once for all

    def __post_init__(self) -> None:
        if self.name not in WAYS:
            raise OptionError(f"unknown selector {self.name!r}; choose from {', '.join(WAYS)}")
        if self.name != "random" and (self.seed or self.each):
            raise OptionError(f"selector {self.name}: seed and each are options of random")

    @property
    def depends(self) -> bool:
        """Whether the choice depends on the query."""
        return self.name in ("bm25", "encoder") or self.each

    def __str__(self) -> str:
        options = [*([f"seed={self.seed}"] if self.seed else []), *(["each=True"] if self.each else [])]
        return f"{self.name}({', '.join(options)})" if options else self.name


def parse_selector(text: str | Selector) -> Selector:
    """The selector a text means; parse_selector(str(s)) == s."""
    if isinstance(text, Selector):
        return text
    name, options = read_text(text, "selector", "random(seed=1)")
    for option, kind in (("seed", int), ("each", bool)):
        if option in options and type(options[option]) is not kind:
            right = "a whole number" if kind is int else "True or False"
            raise OptionError(f"selector {text}: {option} must be {right}")
    if unknown := set(options) - {"seed", "each"}:
        raise OptionError(f"selector {name} has no option {min(unknown)!r}; options of random: seed=0, each=False")
    return Selector(name=name, **options)  # type: ignore[arg-type]


def read_demonstrations(path: str | Path) -> tuple[Demonstration, ...]:
    """The examples of a table: columns for source and reference (or input and answer), and score if there is one."""
    table = read_table(path)
    inputs = next((names for names in INPUT if all(_has(table, name) for name in names)), None)
    answer = next((name for name in ANSWER if _has(table, name)), None)
    if inputs is None or answer is None:
        lacks, known = ("input", "source, src, input, X") if inputs is None else ("answer", ", ".join(ANSWER))
        raise InputError(
            f"{table.where}: no column for the {lacks}; it may be called {known}; columns: {', '.join(table.names)}"
        )
    quality = next((name for name in QUALITY if _has(table, name)), None)
    scores = [math.nan] * len(table.places()) if quality is None else table.numbers(table.column(quality)).tolist()
    columns = [table.texts(table.column(name)) for name in (*inputs, answer)]
    return tuple(
        Demonstration(tuple(texts[:-1]), texts[-1], None if math.isnan(score) else score)
        for score, *texts in zip(scores, *columns, strict=True)
    )


def _has(table: TableFiles, name: str) -> bool:
    return any(known.lower() == name.lower() for known in table.names)


class Pool(NamedTuple):
    """Demonstrations to choose from, and how many were left out, and why."""

    demonstrations: tuple[Demonstration, ...] = ()
    leaked: int = 0  # shows what is asked, or nearly that, in either language
    doubled: int = 0
    empty: int = 0  # lacks an input or the answer

    @property
    def notes(self) -> list[str]:
        """What a reader of the result should know."""
        reasons = (
            (self.leaked, "shows a text of the test set, or nearly", "show texts of the test set, or nearly"),
            (self.doubled, "is there twice", "are there twice"),
            (self.empty, "lacks a text", "lack a text"),
        )
        return [
            f"{counted(number, 'demonstration')} left out: {one if number == 1 else many}"
            for number, one, many in reasons
            if number
        ]


def make_pool(
    given: Sequence[Demonstration], sources: Iterable[str | None], references: Iterable[str | None] = ()
) -> Pool:
    """What may be shown where these are asked: nothing that gives them away, nothing twice, nothing empty."""
    whole = [shown for shown in given if all(text.strip() for text in (*shown.inputs, shown.answer))]
    single = first_of_each(whole, lambda shown: (shown.inputs, shown.answer))
    apart = keep_apart([(shown.inputs, shown.answer) for shown in single], sources, references)
    kept = tuple(shown for shown, is_apart in zip(single, apart, strict=True) if is_apart)
    return Pool(kept, len(single) - len(kept), len(whole) - len(single), len(given) - len(whole))


def first_of_each(items: Iterable[T], key: Callable[[T], Hashable]) -> list[T]:
    """Items in their order, without those whose key came before."""
    found: dict[Hashable, T] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())


def check_shots(pool: Pool, shots: int) -> None:
    """Refuse to show more than there is."""
    if shots < 0:
        raise OptionError(f"shots: {shots}; must be 0 or more")
    size = len(pool.demonstrations)
    if shots > size:
        left_out = "".join(f"; {note}" for note in pool.notes)
        raise InputError(
            f"{counted(shots, 'demonstration')} wanted, but there {'is' if size == 1 else 'are'} only {size} "
            f"to choose from{left_out}"
        )


def check_language(selector: Selector, language: str | None) -> None:
    """Refuse to look for neighbours by a model that does not know the language of the inputs."""
    if selector.name != "encoder" or language is None:
        return
    from tertium.text.encoder import LANGUAGES, covers

    if not covers(language_code(language)):
        raise OptionError(
            f"selector encoder: its model was not trained on {language_name(language)}; it knows "
            f"{', '.join(LANGUAGES)}; use bm25"
        )


class Chosen(NamedTuple):
    """The demonstrations of one prompt, and how many more were wanted than the budget allows."""

    demonstrations: tuple[Demonstration, ...]
    dropped: int = 0


class Chooser:
    """Chooses demonstrations for one query after the other; indexes are built once."""

    def __init__(self, pool: Pool, shots: int, selector: str | Selector = "first") -> None:
        self.pool, self.shots, self.selector = pool.demonstrations, shots, parse_selector(selector)
        check_shots(pool, shots)
        self._hashes: NDArray[np.uint64] | None = None
        self._fixed = self._choose_once() if shots and not self.selector.depends else ()
        self._index: Bm25Index | EncoderIndex | None = None
        texts = [" ".join(shown.inputs) for shown in self.pool]
        if shots and self.selector.name == "bm25":
            from tertium.text.bm25 import Bm25Index

            self._index = Bm25Index(texts)
        elif shots and self.selector.name == "encoder":
            from tertium.text.encoder import EncoderIndex

            self._index = EncoderIndex(texts, "selector encoder")

    def choose(self, *inputs: str, fits: Budget | None = None) -> Chosen:
        """The demonstrations for a query; while they do not fit, the one farthest from the query is dropped."""
        if self._index is not None:
            nearest = self._index.nearest(" ".join(inputs), self.shots)
            found = tuple(self.pool[place] for place in reversed(nearest))
        else:
            found = self._drawn("\n".join(inputs)) if self.shots and self.selector.depends else self._fixed
        kept = found
        while kept and fits is not None and not fits(kept):
            kept = kept[1:]
        return Chosen(kept, len(found) - len(kept))

    def _choose_once(self) -> tuple[Demonstration, ...]:
        if self.selector.name == "random":
            return self._drawn("")
        if self.selector.name == "first":
            return self.pool[: self.shots]
        if all(shown.quality is None for shown in self.pool):
            raise InputError("selector quality: no demonstration has a score; add a column score to the examples")
        best = sorted(self.pool, key=lambda shown: math.inf if shown.quality is None else -shown.quality)
        return tuple(reversed(best[: self.shots]))

    def _drawn(self, query: str) -> tuple[Demonstration, ...]:
        """Drawn by lot: by hashes of the seed, the query and the demonstration, so that the same are drawn by any
        version of Python, in any order of queries, and more shots only add to fewer."""
        import numpy as np

        if self._hashes is None:
            self._hashes = np.array([_hash(*shown.inputs, shown.answer) for shown in self.pool], dtype=np.uint64)
        mixed = self._hashes ^ np.uint64(_hash(str(self.selector.seed), query))  # (pool,)
        for shift, factor in MIXING:
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        places = np.argsort(mixed ^ (mixed >> np.uint64(31)), kind="stable")[: self.shots].tolist()
        return tuple(self.pool[place] for place in reversed(places))


def _hash(*texts: str) -> int:
    """64 bits of a hash of texts."""
    return int.from_bytes(hashlib.sha256("\0".join(texts).encode()).digest()[:8], "big")
