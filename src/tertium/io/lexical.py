"""Weights of the metric `lexical`: a JSON file of a few kB with a model card in it.

    {"format": "tertium lexical 1",
     "card": {"data": ..., "licence": ..., ...},
     "bias": 0.0,
     "features": {"char_recall": {"mean": 0.6, "deviation": 0.2, "weight": 0.05}, ...},
     "words": {"the": 0.01, ...}}

`words` says how much a word counts; one that is not there counts 1. Numbers are rounded to ten digits, so that the
same judgements give the same file on any computer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError
from tertium.io.files import read_bytes, write_atomically

FORMAT = "tertium lexical 1"
DIGITS = 10
EMBEDDED = "the embedded weights"


class Feature(NamedTuple):
    """How a feature enters the sum: weight x (value - mean) / deviation."""

    mean: float
    deviation: float  # above 0
    weight: float


@dataclass(frozen=True)
class LexicalWeights:
    """A linear model of features, and how much words count."""

    bias: float
    features: Mapping[str, Feature]
    words: Mapping[str, float]
    card: Mapping[str, Any] = field(default_factory=dict)


def embedded_bytes() -> bytes:
    """The file of weights that comes with tertium."""
    return (files("tertium.metrics") / "data" / "lexical.json").read_bytes()


def embedded_digest() -> str:
    """The first digits of its SHA-256: what signatures call it by."""
    return sha256(embedded_bytes()).hexdigest()[:8]


def read_lexical(path: str | Path | None = None) -> LexicalWeights:
    """The weights in a file; by default those that come with tertium."""
    if path is None:
        return parse_lexical(embedded_bytes(), EMBEDDED)
    return parse_lexical(bytes(read_bytes(path)), str(path))


def parse_lexical(data: bytes, where: str) -> LexicalWeights:
    """The weights in the bytes of a file, whoever wrote it."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(
            f"{where}: no weights of lexical; expected a JSON file of which `format` is {FORMAT!r}, as "
            "`tertium learn train --recipe lexical` writes it"
        )
    features, words, card = (_object(found, name, where) for name in ("features", "words", "card"))
    return LexicalWeights(
        bias=_number(found.get("bias"), f"{where}: bias"),
        features={name: _feature(value, f"{where}: feature {name!r}") for name, value in features.items()},
        words={word: _number(weight, f"{where}: word {word!r}") for word, weight in words.items()},
        card=card,
    )


def _object(found: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    value = found.get(name)
    if not isinstance(value, dict):
        raise InputError(f"{where}: `{name}` is missing or no object; was the file written whole?")
    return value


def _feature(value: object, where: str) -> Feature:
    if not isinstance(value, dict):
        raise InputError(f"{where}: got {value!r}, expected an object of mean, deviation and weight")
    feature = Feature(*(_number(value.get(name), f"{where}, {name}") for name in Feature._fields))
    if feature.deviation <= 0:
        raise InputError(f"{where}: deviation {feature.deviation:g}; must be above 0")
    return feature


def _number(value: object, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e100:
        raise InputError(f"{where}: got {value!r}, expected a number")
    return float(value)


def rounded(value: float) -> float:
    """To the digits that are kept."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else value


def write_lexical(weights: LexicalWeights, path: str | Path) -> None:
    """Write a file of weights, whole or not at all."""
    with write_atomically(path) as file:
        file.write(lexical_text(weights).encode())


def lexical_text(weights: LexicalWeights) -> str:
    """The file: a line for each entry of the card and each feature, one for all words."""
    card = [f"{_json(name)}: {_json(value)}" for name, value in weights.card.items()]
    features = [
        f"{_json(name)}: {_json({key: rounded(value) for key, value in feature._asdict().items()})}"
        for name, feature in weights.features.items()
    ]
    parts = (
        f'"format": {_json(FORMAT)}',
        f'"card": {_braced(card)}',
        f'"bias": {_json(rounded(weights.bias))}',
        f'"features": {_braced(features)}',
        f'"words": {json.dumps(dict(weights.words), ensure_ascii=False, separators=(",", ":"))}',
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _braced(lines: list[str]) -> str:
    return "{\n  " + ",\n  ".join(lines) + "\n}" if lines else "{}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
