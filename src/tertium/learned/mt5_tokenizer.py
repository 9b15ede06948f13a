"""Three ways to read texts with mT5's pieces, each of which some release of transformers has.

fast-4.30.2   that of MetricX's own program. Characters that no piece has are one unknown token for a run of them; a
              text that ends in white space ends in a piece of its own
fast-4.57.6   the same, but white space at the end is dropped
slow          SentencePiece itself: characters that no piece has are bytes

In all of them the special tokens that a text spells are such, and cut it into parts that are read one by one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.learned.pieces import mt5_steps, mt5_tokenizer, steps_of
from tertium.learned.tokenizer import FastTokenizer, PieceTokenizer, Tokenizer, read_json_tokenizer

STRIPS = {"fast-4.30.2": False, "fast-4.57.6": True}
SLOW = "slow"
TOKENIZATIONS = (*STRIPS, SLOW)
PIECES, RULES = "spiece.model", "tokenizer.json"


class SlowTokenizer(PieceTokenizer):
    """SentencePiece with mT5's special tokens."""

    special = re.compile(r"(</s>|<pad>|<unk>)")
    first, last, pad = (), "</s>", "<pad>"


def read_mt5_tokenizer(path: Path, tokenization: str) -> Tokenizer:
    """The tokenizer in a folder, or in a tokenizer.json of any name, if it is of that kind."""
    pieces = path / PIECES
    if pieces.is_file():
        if tokenization == SLOW:
            return SlowTokenizer(pieces, {})
        return FastTokenizer(mt5_tokenizer(pieces, strip=STRIPS[tokenization]), {}, PIECES)
    rules = path if path.is_file() else path / RULES
    if not rules.is_file():
        raise InputError(f"{path}: no tokenizer; expected {PIECES} or {RULES}")
    made = read_json_tokenizer(rules)
    found = tokenization_of(made)
    if found is None:
        raise InputError(
            f"{rules}: reads texts in none of the ways that MetricX was run with ({', '.join(STRIPS)}); name a folder "
            f"with mT5's {PIECES}"
        )
    if found != tokenization:
        raise InputError(
            f'{rules}: reads texts as {found}, not as {tokenization}; say tokenization="{found}", or name a folder '
            f"with mT5's {PIECES}"
        )
    return FastTokenizer(made, {}, rules.name)


def tokenization_of(tokenizer: Any) -> str | None:
    """The kind that a tokenizer.json is of, by what it does to a text."""
    steps = steps_of(tokenizer)
    return next((name for name, strip in STRIPS.items() if mt5_steps(strip=strip) == steps), None)


def found_in(folder: Path) -> str:
    """The tokenization that a folder serves for: the usual one, unless its tokenizer.json is of another kind."""
    if (folder / PIECES).is_file() or not (folder / RULES).is_file():
        return TOKENIZATIONS[0]
    return tokenization_of(read_json_tokenizer(folder / RULES)) or TOKENIZATIONS[0]
