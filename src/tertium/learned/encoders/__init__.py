"""Encoders, one figure a file. Each gives the embeddings and the output of every block: # L + 1 x (b, n, d)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tertium.core.errors import InputError
from tertium.learned.encoders.bert import Bert
from tertium.learned.encoders.rembert import RemBert
from tertium.learned.encoders.roberta import Roberta
from tertium.learned.encoders.roberta_xl import RobertaXL
from tertium.learned.weights import Weights

KINDS: Mapping[str, type[Bert]] = {
    "bert": Bert,
    "rembert": RemBert,
    "roberta": Roberta,
    "xlm-roberta": Roberta,
    "xlm-roberta-xl": RobertaXL,
}
PREFIXES = ("", "bert.", "bleurt.", "rembert.", "roberta.", "model.")  # before the names of an encoder's weights


def make_encoder(config: Mapping[str, Any], weights: Weights) -> Bert:
    """The encoder that a folder's config.json says, with these weights."""
    kind = str(config.get("model_type"))
    if kind == "bleurt":  # the small ones are BERT's, BLEURT-20 is RemBERT's
        kind = "rembert" if config.get("embedding_size") else "bert"
    if kind not in KINDS:
        raise InputError(f"{weights.name}: an encoder of the kind {kind!r} is not known; known: {', '.join(KINDS)}")
    words = "embeddings.word_embeddings.weight"
    prefix = next((prefix for prefix in PREFIXES if prefix + words in weights), "")
    return KINDS[kind](config, weights.part(prefix))
