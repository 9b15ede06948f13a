"""SentencePiece models as the package `tokenizers` reads texts: normalised, split at spaces, the likeliest pieces.

A model is a message of Protocol Buffers, of which a handful of fields are needed: pieces (1) with text (1), score (2)
and type (3), and the normaliser (3) with its table of characters (2). https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
CONTROL, USER_DEFINED = 3, 4  # types of pieces
SPACE = "▁"


def read_pieces(path: Path) -> tuple[list[tuple[str, float]], bytes]:
    """Pieces with their scores, and the table of the normaliser."""
    pieces, table, _ = read_model(path)
    return pieces, table


def read_model(path: Path) -> tuple[list[tuple[str, float]], bytes, dict[str, int]]:
    """Pieces with their scores, the table of the normaliser, and the type of pieces that are not usual ones."""
    pieces, table = [], b""
    types: dict[str, int] = {}
    try:
        for number, value in _fields(path.read_bytes()):
            if number == 1:
                piece = dict(_fields(value))
                pieces.append((piece[1].decode(), piece.get(2, 0.0)))
                types |= {pieces[-1][0]: piece[3]} if 3 in piece else {}
            elif number == 3:
                table = dict(_fields(value)).get(2, b"")
    except (OSError, LookupError, ValueError, TypeError, AttributeError, struct.error):
        pieces = []
    if not pieces:
        raise InputError(f"{path}: not a SentencePiece model; is the download complete?")
    return pieces, table, types


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(message):
        value: Any
        key, at = _varint(message, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(message, at)
        elif kind == BYTES:
            size, at = _varint(message, at)
            value, at = message[at : at + size], at + size
        elif kind == FIXED32:
            value, at = struct.unpack_from("<f", message, at)[0], at + 4
        elif kind == FIXED64:
            value, at = struct.unpack_from("<d", message, at)[0], at + 8
        else:
            raise ValueError(kind)
        yield key >> 3, value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while message[at] & 128:
        value |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | message[at] << shift, at + 1


def xlmr_tokenizer(path: Path) -> Any:
    """`sentencepiece.bpe.model` as XLM-R numbers its pieces: one further on, with four special ones before."""
    pieces, table = read_pieces(path)
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    vocabulary = [*((token, 0.0) for token in special), *pieces[3:], ("<mask>", 0.0)]
    made = _unigram(vocabulary, 3, table, strip=True)
    _add_special(made, special)
    _add_special(made, ["<mask>"], lstrip=True)
    _surround(made, "<s> $A </s>", "<s> $A </s> </s> $B </s>", ("<s>", "</s>"))
    return made


MT5_SPECIAL = ("<pad>", "</s>", "<unk>")


def mt5_tokenizer(path: Path, *, strip: bool = False) -> Any:
    """`spiece.model` as transformers 4.30 read it, with which MetricX was published: a text that ends in white space
    ends in a piece of its own. Stripped, as later releases do, which also look for pieces of the model's maker before
    anything else."""
    pieces, table, types = read_model(path)
    made = _unigram(pieces, 2, table, strip=strip)
    _add_special(made, list(MT5_SPECIAL))
    if strip:
        others = [piece for piece, kind in types.items() if kind in (CONTROL, USER_DEFINED)]
        _add_others(made, [piece for piece in others if piece not in MT5_SPECIAL])
    _surround(made, "$A </s>", "$A </s> $B </s>", ("</s>",))
    return made


def mt5_steps(*, strip: bool) -> dict[str, Any]:
    """What mt5_tokenizer does to a text before it looks for pieces, as a tokenizer.json says it."""
    return steps_of(_unigram([("<unk>", 0.0)], 0, b"", strip=strip))


def steps_of(tokenizer: Any) -> dict[str, Any]:
    """What a tokenizer does to a text, as its tokenizer.json says it; pieces and table of characters left out."""
    told = json.loads(tokenizer.to_str())
    first = told["normalizer"] or {}
    steps = [step for step in first.get("normalizers", [first]) if step.get("type") != "Precompiled"]
    model = {name: told["model"].get(name) for name in ("type", "byte_fallback")}
    return {"normalizer": steps, "pre_tokenizer": told["pre_tokenizer"], "model": model}


def _unigram(vocabulary: list[tuple[str, float]], unknown: int, table: bytes, *, strip: bool) -> Any:
    from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers
    from tokenizers.models import Unigram

    made = Tokenizer(Unigram(vocabulary, unknown, byte_fallback=False))
    steps: list[Any] = [normalizers.Precompiled(table)] if table else []
    steps += [normalizers.Strip(left=False, right=True)] if strip else []
    steps.append(normalizers.Replace(Regex(" {2,}"), SPACE if strip else " "))
    made.normalizer = normalizers.Sequence(steps)
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always")
    made.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="always")
    return made


def _add_special(tokenizer: Any, tokens: list[str], *, lstrip: bool = False) -> None:
    from tokenizers import AddedToken

    tokenizer.add_special_tokens([AddedToken(token, normalized=False, lstrip=lstrip) for token in tokens])


def _add_others(tokenizer: Any, tokens: list[str]) -> None:
    from tokenizers import AddedToken

    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in tokens])


def _surround(tokenizer: Any, single: str, pair: str, tokens: tuple[str, ...]) -> None:
    from tokenizers.processors import TemplateProcessing

    tokenizer.post_processor = TemplateProcessing(
        single=single, pair=pair, special_tokens=[(token, tokenizer.token_to_id(token)) for token in tokens]
    )
