"""LanguageModel: what every backend can be asked for, and what it says it can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from tertium.core.errors import OptionError
from tertium.core.run import Run

# How a backend gets the log-probability of a given continuation: from the prompt's own tokens (echo), by a grammar of
# token ids, by a bias on one token at a time, only among the likeliest tokens, from the network itself, or not at all.
Forcing = Literal["echo", "grammar", "bias", "top", "network", "none"]
Finish = Literal["stop", "length", "other"]


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What a backend can do; found by asking it, not by its name."""

    completes: bool = True  # continues a text
    chats: bool = False  # answers messages
    samples: bool = False  # temperature, top_p and seed mean something
    forcing: Forcing = "none"
    fills: bool = False  # fills a gap within a text (masked models)


Messages = tuple[tuple[str, str], ...]  # (role, text) of a chat; roles are system, user and assistant


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How an answer is chosen. All of it is part of the key under which the answer is kept."""

    tokens: int = 256  # at most so many
    stop: tuple[str, ...] = ()  # texts at which an answer ends; they are not part of it
    temperature: float = 0.0  # 0: always the likeliest token
    top_p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise OptionError(f"tokens: {self.tokens}; an answer has at least 1")
        if not 0 <= self.temperature < float("inf"):
            raise OptionError(f"temperature: {self.temperature}; must be 0 or more")
        if not 0 < self.top_p <= 1:
            raise OptionError(f"top_p: {self.top_p}; must lie between 0 and 1")


GREEDY = Decoding()


@dataclass(frozen=True, kw_only=True)
class Request:
    """One prompt, as a text to continue or as the messages of a chat."""

    prompt: str | Messages
    decoding: Decoding = GREEDY
    sample: int = 0  # which of several answers to the same prompt


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model said, as it said it; None is not known, and never 0."""

    text: str
    finish: Finish = "stop"
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    seconds: float | None = None
    log_probability: float | None = None  # of the whole answer


@dataclass(frozen=True, kw_only=True)
class ForcedScore:
    """The log-probability of every token of a continuation after a prompt, in nats."""

    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        """log P(continuation | prompt)."""
        return sum(self.log_probabilities)


@runtime_checkable
class LanguageModel(Protocol):
    """A model that continues texts, answers messages, or scores a given continuation; as its `abilities` say.

    `identity` holds all that can change an answer (weights by hash, or address and name of a server's model), and no
    key. Answers come in the order of the requests; `run` has progress and cancellation.
    """

    name: str
    identity: str
    abilities: Abilities

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        ...

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations: (prompt, continuation) pairs."""
        ...

    def close(self) -> None:
        """Let go of processes, files and connections."""
        ...
