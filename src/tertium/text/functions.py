"""A user's own tokenizer, `py:package.module:function`: imported and called; errors name it, the line and the
exception."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from typing import Any

from tertium.core.errors import InputError, OptionError

WHITE = re.compile(r"\s")
SHOWN = 60  # characters of a text in an error
DIGITS = 12  # of a hash in a signature


def find_function(name: str) -> Callable[[str], Any]:
    """Import the module and take the function from it."""
    module_name, attribute = name.removeprefix("py:").split(":")
    try:
        found: Any = import_module(module_name)
    except Exception as error:
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent and f"{module_name}.".startswith(f"{absent}."):
            raise OptionError(
                f'tokenize="{name}": there is no module {absent}; install it, or put its folder on PYTHONPATH'
            ) from None
        raise OptionError(f'tokenize="{name}": importing {module_name} raised {_told(error)}') from error
    for word in attribute.split("."):
        if not hasattr(found, word):
            raise OptionError(f'tokenize="{name}": module {module_name} has no {attribute}')
        found = getattr(found, word)
    if not callable(found):
        raise OptionError(f'tokenize="{name}": {attribute} is not a function, but {type(found).__name__}')
    function: Callable[[str], Any] = found
    return function


def function_digest(name: str, function: Callable[[str], Any]) -> str:
    """A hash of the file that defines the function; of its text, where it was typed at a prompt."""
    from inspect import getfile, getsource, unwrap
    from pathlib import Path

    module = sys.modules[name.split(":")[1]]
    own = unwrap(function)
    ways: list[Callable[[], bytes]] = [
        lambda: Path(getfile(own)).read_bytes(),
        lambda: getsource(own).encode(),
        lambda: Path(getfile(module)).read_bytes(),
    ]
    for read in ways:
        try:
            return sha256(read()).hexdigest()[:DIGITS]
        except (TypeError, OSError):  # written in C, built in, or no file
            continue
    return f"python-{sys.version.split()[0]}" if module.__name__ in sys.builtin_module_names else "unknown"


def joined_tokens(name: str, function: Callable[[str], Any], text: str) -> str:
    """The function's tokens with spaces between them; white space inside a token is written as ␣."""
    try:
        result = function(text)
        tokens = [result] if isinstance(result, str) else list(result) if _is_list(result) else None
    except Exception as error:
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
        raise InputError(f'tokenize="{name}" raised {_told(error)}, given the text {shown!r}') from error
    if tokens is None:
        raise InputError(f'tokenize="{name}" returned {type(result).__name__}; expected a list of strings, or a string')
    for k, token in enumerate(tokens):
        if not isinstance(token, str):
            raise InputError(f'tokenize="{name}": token {k + 1} is {type(token).__name__} {token!r}; expected a string')
    joined = " ".join(tokens)
    if not isinstance(result, str) and len(joined.split()) != len(tokens):  # empty tokens, or white space in one
        joined = " ".join(WHITE.sub("␣", token) for token in tokens if token)
    if not joined.isascii():
        try:
            joined.encode()
        except UnicodeEncodeError as error:
            code = f"U+{ord(joined[error.start]):04X}"
            raise InputError(f'tokenize="{name}" returned the lone surrogate {code}, which is not text') from None
    return joined


def _is_list(result: object) -> bool:
    """Lists, tuples, generators; not bytes, sets and mappings, which are iterable too."""
    return isinstance(result, Sequence | Iterator) and not isinstance(result, bytes | bytearray | memoryview)


def _told(error: Exception) -> str:
    """The exception and where it was raised, if not here: `ValueError: no (words.py:12)`."""
    text, trace, place = f"{type(error).__name__}: {error}".removesuffix(": "), error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != __file__ and not file.startswith("<frozen importlib"):
            place = f" ({file}:{trace.tb_lineno})"
        trace = trace.tb_next
    return text + place
