"""Language models that metrics ask: known by name and identity, opened once, and not asked twice."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path, PurePath

from tertium.core.errors import InputError
from tertium.core.run import Model, Run
from tertium.io.models import PINNED, find_model
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.language_model import LanguageModel
from tertium.models.open import KINDS, is_language_model, open_model

KEY = " key="  # `https://HOST/v1#MODEL key=VARIABLE`: no address has a space


def find_language_model(text: str, folders: Sequence[str] = ()) -> Model:
    """The model that a text means, by its name and the SHA-256 of its identity. Its `path` is the text that opens it.

    `NAME@sha8` is found among the GGUF files of the folders. A server is not asked anything.
    """
    pinned = None if is_language_model(text) else PINNED.fullmatch(text)
    if pinned is None:
        model = opened(text, tuple(folders)).model
        return Model(_name_of(model.name), text, sha256(model.identity.encode()).hexdigest())
    try:
        file = f"gguf:{find_model(pinned['name'], folders).path}"
    except InputError:
        raise InputError(
            f"language model {text} is not at hand; say what it is ({KINDS}), or where its file lies (--models DIR)"
        ) from None
    found = find_language_model(file)
    if not found.digest.startswith(pinned["digest"]):
        raise InputError(
            f"language model {text} is asked for, but the one at hand is {found.text}: its weights, its program's "
            f"version or its settings are others"
        )
    return found


class Opened:
    """A model that is open until nobody needs it."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self._closing = weakref.finalize(self, model.close)  # or at the end of the process

    def close(self) -> None:
        """Close it now."""
        self._closing()


@lru_cache(maxsize=1)  # they are large, and a metric has one
def opened(text: str, folders: tuple[str, ...] = ()) -> Opened:
    """The model of a text, `key=VARIABLE` behind that of a server."""
    address, sign, variable = text.partition(KEY)
    return Opened(open_model(address, key=variable.strip() if sign else None, folders=folders))


@contextmanager
def asked(text: str, run: Run) -> Iterator[LanguageModel]:
    """The model that a metric names in its option. Where the run has a folder for it, answers are kept there, a file
    for each model, and nothing is asked twice."""
    model = opened(run.model(text)).model
    if run.cache is None:
        yield model
        return
    folder = Path(run.cache)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: answers cannot be kept there ({error.strerror or error}); choose another"
        ) from None
    with AnswerCache(folder / f"answers-{run.digest(text)[:8]}.sqlite3") as answers:
        yield CachedModel(model, answers)


def _name_of(name: str) -> str:
    """The last word of a server's name for a model; the program's own, without its arguments."""
    words = name.removeprefix("command:").split()
    return PurePath(words[0] if words else "model").name.replace("@", "-") or "model"
