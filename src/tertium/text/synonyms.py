"""Tables of synonyms and paraphrases: WordNet's for English, and the user's own."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tertium import _kernel
from tertium.core.errors import InputError, MissingPackageError
from tertium.core.wording import counted

WORDNET = Path(__file__).parent / "data" / "wordnet" / "synonyms.txt.gz"
WORDNET_VERSION = "3.0"
LEXICON = "wn:"  # synonym:wn:LEXICON, a lexicon of the `wn` package


@cache
def read_synonyms(source: str) -> _kernel.Synonyms:
    """A table by its path, a lexicon of the `wn` package, or, if nothing is named, WordNet for English."""
    if source.startswith(LEXICON):
        return _kernel.Synonyms("".join(_lexicon(source.removeprefix(LEXICON))).encode())
    table = _kernel.Synonyms(read_table(source) if source else gzip.decompress(WORDNET.read_bytes()))
    if table.sets == 0:
        raise InputError(f"{source}: no synonyms; write one set of words a line, separated by spaces")
    return table


@cache
def read_paraphrases(source: str) -> _kernel.Paraphrases:
    """METEOR's format: for every entry three lines, a probability, a phrase and its paraphrase."""
    text = read_table(source)
    lines = text.count(b"\n") + (not text.endswith(b"\n") and text != b"")
    if lines % 3 or not lines:
        raise InputError(
            f"{source}: {counted(lines, 'line')}; a paraphrase table has three for every entry: "
            "a probability, a phrase and its paraphrase"
        )
    return _kernel.Paraphrases(text)


def read_table(path: str) -> bytes:
    """A table's text, unpacked if it is compressed. A device or a pipe could go on without end."""
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
        raise InputError(f"{path}: the table cannot be read: not a plain file; save it as one")
    try:
        data = Path(path).read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: the table cannot be read: {getattr(error, 'strerror', None) or error}") from None
    wrong = _kernel.first_invalid_utf8(data)
    if wrong >= 0:
        raise InputError(f"{path}:{data[:wrong].count(10) + 1}: byte 0x{data[wrong]:02x} is not UTF-8")
    return data


def table_version(source: str) -> str:
    """What a signature says of a table: a hash of its text."""
    if source.startswith(LEXICON):
        return source.removeprefix(LEXICON)
    return hashlib.sha256(read_table(source)).hexdigest()[:12]


def _lexicon(name: str) -> Iterator[str]:
    """The synsets of a lexicon that the user has added to `wn`, as lines of a table."""
    try:
        wn = import_module("wn")
    except ImportError:
        raise MissingPackageError(
            f'meteor: "synonym:{LEXICON}{name}" needs a package that is not installed: pip install wn'
        ) from None
    try:
        synsets = wn.Wordnet(name).synsets()
    except wn.Error as error:
        raise InputError(
            f"meteor: wn has no lexicon {name!r} ({error}); add it with: python -m wn download {name}"
        ) from None
    for synset in synsets:
        words = [word.lower() for word in synset.lemmas() if len(word.split()) == 1]
        if words:
            yield " ".join(words) + "\n"
