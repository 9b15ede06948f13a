"""What a training is made from: another one may not go on where it stopped."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.io.examples import Examples
from tertium.io.models import digest_of
from tertium.training.settings import Settings

WORDS = {"data": "the training data are others", "valid": "the validation data are others",
         "encoder": "the encoder is another"}  # fmt: skip


def identify(recipe: str, settings: Settings, data: Examples, valid: Examples, encoder: Path) -> dict[str, Any]:
    """Names and digests of all that decides what comes out."""
    return {
        "recipe": recipe,
        "settings": settings.told(),
        "data": _digest(data),
        "valid": _digest(valid),
        "encoder": digest_of(encoder),
    }


def _digest(examples: Examples) -> str:
    digest = sha256()
    for side in (examples.outputs, examples.sources, examples.references):
        for text in side or ():
            data = b"" if text is None else text.encode(errors="surrogatepass")
            digest.update(f"{None if text is None else len(data)}\n".encode() + data)
        digest.update(b"\n")
    digest.update(examples.scores.astype("<f8").tobytes())
    return digest.hexdigest()


def check_same(before: Mapping[str, Any], now: Mapping[str, Any], out: Path) -> None:
    """Refuse to go on with something else, and say what is else."""
    found = [words for name, words in WORDS.items() if before.get(name) != now[name]]
    if before.get("recipe") != now["recipe"]:
        found.append(f"recipe {before.get('recipe')}, now {now['recipe']}")
    old: Mapping[str, Any] = before.get("settings", {})
    found += [
        f"{name} {old.get(name)}, now {value}" for name, value in now["settings"].items() if old.get(name) != value
    ]
    if found:
        raise InputError(
            f"{out}: the training there was begun otherwise ({'; '.join(found)}); "
            f"go on with what it was begun with, or name another folder"
        )
