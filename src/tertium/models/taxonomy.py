"""Where a language model stands among others, after Liu et al. (2023), section 3: how it was trained, what it sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Architecture = Literal["left-to-right", "masked", "prefix", "encoder-decoder"]


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """The four questions of section 3, and what follows for prompts."""

    architecture: Architecture
    objective: str  # 3.1: what it was trained to say
    noising: str  # 3.2: how its texts were damaged first
    mask: str  # 3.3: which tokens each token sees
    prompts: str
    examples: str


TAXONOMY: dict[Architecture, ModelKind] = {
    "left-to-right": ModelKind(
        architecture="left-to-right",
        objective="the next token (standard language model)",
        noising="none",
        mask="diagonal: tokens before it",
        prompts="prefix; cloze by scoring the whole text",
        examples="GPT, LLaMA, Gemma",
    ),
    "masked": ModelKind(
        architecture="masked",
        objective="the tokens behind masks (corrupted text reconstruction)",
        noising="masking, some replacement",
        mask="full: all tokens",
        prompts="cloze",
        examples="BERT, RoBERTa, XLM-R",
    ),
    "prefix": ModelKind(
        architecture="prefix",
        objective="the next token, after a prefix that is read whole; often corrupted text reconstruction",
        noising="none, or masking of spans",
        mask="mixture: full within the prefix, diagonal behind it",
        prompts="prefix, cloze",
        examples="UniLM, GLM",
    ),
    "encoder-decoder": ModelKind(
        architecture="encoder-decoder",
        objective="the damaged parts (corrupted), or the whole text (full text reconstruction)",
        noising="masking of spans; BART also deletion, permutation, rotation",
        mask="mixture: full in the encoder, diagonal in the decoder, which sees all of the encoder",
        prompts="prefix, as text to text; cloze where it has sentinels",
        examples="T5, BART, mT5",
    ),
}

# What is known of single families by their name in config.json or in a GGUF file, where it differs from the above.
MASKED_SPANS = "the spans behind sentinels (corrupted text reconstruction)"
FAMILIES: dict[str, dict[str, str]] = {
    "t5": {"objective": MASKED_SPANS, "noising": "masking of spans", "examples": "T5"},
    "mt5": {"objective": MASKED_SPANS, "noising": "masking of spans", "examples": "mT5"},
    "umt5": {"objective": MASKED_SPANS, "noising": "masking of spans", "examples": "UMT5"},
    "bart": {
        "objective": "the whole text (full text reconstruction)",
        "noising": "masking of spans, deletion, permutation and rotation of sentences",
        "examples": "BART",
    },
    "mbart": {
        "objective": "the whole text (full text reconstruction)",
        "noising": "masking of spans, permutation of sentences",
        "examples": "mBART",
    },
    "marian": {
        "objective": "translations of sentences; no pre-training on texts alone",
        "noising": "none",
        "prompts": "none: it translates whatever it is given (template plain)",
        "examples": "Marian, OPUS-MT",
    },
    "bert": {"noising": "masking of 15% of tokens, a tenth of them replaced, a tenth left", "examples": "BERT"},
    "roberta": {"noising": "masking of 15% of tokens, anew in each epoch", "examples": "RoBERTa"},
    "xlm-roberta": {"noising": "masking of 15% of tokens, anew in each epoch", "examples": "XLM-R"},
}


def standing(architecture: Architecture, family: str) -> ModelKind:
    """Where a model of this family stands; what is not known of a family is that of its architecture."""
    from dataclasses import replace

    return replace(TAXONOMY[architecture], **FAMILIES.get(family, {}))  # type: ignore[arg-type]
