"""What was worked out before is not worked out again: it is remembered while systems are scored, and kept on the disk
where the run has a folder for it.

Keys are digests of all that a value depends on. They have no library's version in them: values of other versions of
torch are the same to 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tertium.core.run import Run

if TYPE_CHECKING:
    from tertium.io.model_cache import ModelCache

FORWARD = 1  # raised whenever texts are read, or numbers made of them, in another way than before
HELD = 256_000_000  # bytes that are remembered
ENTRY = 150  # bytes for a value's key and place
TOKEN = 40  # bytes for an id in a list

T = TypeVar("T", bound=tuple[Any, ...])  # ids first

Computing = Callable[[list[int]], Iterator[tuple[list[int], list[bytes]]]]


class Memo:
    """Values by key, as many as there is room for; the first ones stay, because systems come in the same order.

    It is what a metric knows of its whole test set (`core.metric.Shared`): all shards have one, so that the limit is
    that of an evaluation. Nothing but time depends on what is in it, and it is empty behind a pickle.
    """

    whole: ClassVar[None] = None

    def __init__(self, limit: int = HELD) -> None:
        self.limit, self.size = limit, 0
        self._found: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Memo, (self.limit,)

    def __len__(self) -> int:
        return len(self._found)

    def merge(self, other: Memo) -> Memo:
        """One memory for both."""
        if not self.size:
            return other
        share = other.size // max(1, len(other))
        for key, value in other._found.items():
            self.keep(key, value, share)
        return self

    def find(self, keys: Sequence[Any]) -> dict[Any, Any]:
        """The values of those keys that are remembered."""
        return {key: self._found[key] for key in keys if key in self._found}

    def keep(self, key: Any, value: Any, size: int) -> None:
        """Remember a value of so many bytes, if there is room."""
        if key not in self._found and self.size + size <= self.limit:
            self._found[key] = value
            self.size += size


class Keys:
    """Digests of texts under one way of reading them: a model, its options, and this version of the forward pass."""

    def __init__(self, *ways: str) -> None:
        self._way = sha256()
        _add(self._way, [f"forward pass {FORWARD}", *ways])

    def of(self, *texts: str | bytes) -> bytes:
        """The key of what is made of these texts."""
        made = self._way.copy()
        _add(made, texts)
        return made.digest()


def _add(digest: Any, texts: Sequence[str | bytes]) -> None:
    """Each with its length before it, so that it is known where one ends."""
    for text in texts:
        data = text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)


def work_out(run: Run, memo: Memo, keys: Sequence[bytes], compute: Computing) -> list[bytes]:
    """The value of every key: remembered, from the cache, or computed. Equal keys are computed once.

    `compute` gets the numbers of keys whose values are wanted, and gives values of some of them at a time; these are
    kept at once, so that nothing but the last of them is lost if the process ends.
    """
    found = memo.find(keys)
    with _cache(run) as cache:
        lacking = [key for key in dict.fromkeys(keys) if key not in found]
        if cache is not None and lacking:
            _remember(memo, found, cache.find(lacking))
        numbers = {key: number for number, key in reversed(list(enumerate(keys))) if key not in found}
        for done, values in compute(sorted(numbers.values())) if numbers else ():
            fresh = {keys[number]: value for number, value in zip(done, values, strict=True)}
            _remember(memo, found, fresh)
            if cache is not None:
                cache.keep(fresh)
    return [found[key] for key in keys]


def _cache(run: Run) -> AbstractContextManager[ModelCache | None]:
    if run.cache is None:
        return nullcontext(None)
    from tertium.io.model_cache import ModelCache  # whose database only those who have one import

    return ModelCache(run.cache, run.note)


def read_once(memo: Memo, texts: Sequence[str], read: Callable[[list[str]], Sequence[T]]) -> list[T]:
    """What is read of texts that many outputs stand beside, as sources and references do; each is read once."""
    found = memo.find([("text", text) for text in texts])
    lacking = list(dict.fromkeys(text for text in texts if ("text", text) not in found))
    for text, tokens in zip(lacking, read(lacking) if lacking else (), strict=True):
        found["text", text] = tokens
        memo.keep(("text", text), tokens, len(text) + ENTRY + TOKEN * len(tokens[0]))
    return [found["text", text] for text in texts]


def _remember(memo: Memo, found: dict[Any, Any], fresh: Mapping[bytes, bytes]) -> None:
    found.update(fresh)
    for key, value in fresh.items():
        memo.keep(key, value, len(value) + ENTRY)
