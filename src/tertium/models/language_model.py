"""LanguageModel: what every backend can be asked for, and what it says it can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import fsum
from typing import Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from tertium.core.errors import OptionError
from tertium.core.run import Run

# How a backend gets the log-probability of a given continuation: from the prompt's own tokens (echo), by a grammar of
# token ids, by a bias on one token at a time, only among the likeliest tokens, from the network itself, or not at all.
Forcing = Literal["echo", "grammar", "bias", "top", "network", "none"]
Finish = Literal["stop", "length", "other"]
# How a backend is searched by a beam: it does so itself (native), has the method `next_tokens` (steps), or neither.
Beam = Literal["native", "steps", "none"]


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What a backend can do; found by asking it, not by its name."""

    completes: bool = True  # continues a text
    chats: bool = False  # answers messages
    samples: bool = False  # temperature, top_p and seed mean something
    forcing: Forcing = "none"
    fills: bool = False  # scores an answer in a gap, with the words behind the gap in sight (GapModel)
    lines: bool = False  # answers a line with a line, so that a prompt has no line break
    beam: Beam = "none"


Messages = tuple[tuple[str, str], ...]  # (role, text) of a chat; roles are system, user and assistant


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How an answer is chosen. All of it is part of the key under which the answer is kept."""

    tokens: int = 256  # at most so many
    stop: tuple[str, ...] = ()  # texts at which an answer ends; they are not part of it
    temperature: float = 0.0  # 0: always the likeliest token
    top_p: float = 1.0
    seed: int = 0
    log_probabilities: bool = False  # whether `Answer.log_probability` is asked for, where a backend knows it
    beam: int = 1  # hypotheses that are extended together; 1: greedy, or drawn

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise OptionError(f"tokens: {self.tokens}; an answer has at least 1")
        if not 0 <= self.temperature < float("inf"):
            raise OptionError(f"temperature: {self.temperature}; must be 0 or more")
        if not 0 < self.top_p <= 1:
            raise OptionError(f"top_p: {self.top_p}; must lie between 0 and 1")
        if self.beam < 1:
            raise OptionError(f"beam: {self.beam}; a beam is at least 1 wide")
        if self.beam > 1 and self.temperature:
            raise OptionError(f"beam: {self.beam} with temperature {self.temperature:g}; a beam draws nothing")
        if "" in self.stop:
            raise OptionError("stop: an empty text, at which every answer would end before it begins")


GREEDY = Decoding()


@dataclass(frozen=True, kw_only=True)
class Request:
    """One prompt, as a text to continue or as the messages of a chat."""

    prompt: str | Messages
    decoding: Decoding = GREEDY
    sample: int = 0  # which of several answers to the same prompt

    def __post_init__(self) -> None:
        for text in [self.prompt] if isinstance(self.prompt, str) else [text for _, text in self.prompt]:
            check_text(text)

    @property
    def seed(self) -> int:
        """The seed of this sample: another one for each, and the same on any computer (31 bits)."""
        digest = sha256(f"{self.decoding.seed} {self.sample}".encode()).digest()
        return int.from_bytes(digest[:4], "big") >> 1


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
        return fsum(self.log_probabilities)


class Gap(NamedTuple):
    """A text with a gap, and an answer for it; blanks at the beginning of the answer belong to it."""

    before: str
    answer: str
    after: str = ""


class LanguageModel(Protocol):
    """A model that continues texts, answers messages, or scores a given continuation; as its `abilities` say.

    `identity` holds all that can change an answer (weights by hash, or address and name of a server's model), and no
    key. Answers come in the order of the requests; `run` has progress and cancellation. It is not checked at run time:
    to look at `abilities` is to ask a server for them.
    """

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    @property
    def identity(self) -> str:
        """All that can change an answer, but the request itself."""
        ...

    @property
    def abilities(self) -> Abilities:
        """What it can do; a server is asked when this is first looked at."""
        ...

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        ...

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations: (prompt, continuation) pairs."""
        ...

    def close(self) -> None:
        """Let go of processes, files and connections."""
        ...


@runtime_checkable
class Unordered(Protocol):
    """A model that answers several requests at a time, and can hand over each answer as soon as it is there.

    The cache needs it: an answer that waits for its turn would be lost, and paid for twice, if the process ended.
    """

    def complete_unordered(self, requests: Sequence[Request], run: Run) -> Iterator[tuple[int, Answer]]:
        """(number of the request, its answer), in any order."""
        ...

    def force_unordered(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[tuple[int, ForcedScore]]:
        """(number of the pair, its score), in any order."""
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """A model that can say how long a text is to it, without being asked to answer."""

    def count_tokens(self, text: str) -> int:
        """The tokens of a text, with what the model puts before each text."""
        ...


def token_counter(model: object) -> Callable[[str], int] | None:
    """How a model counts tokens, also where it stands behind a cache; None where it does not."""
    if isinstance(model, CountsTokens):
        return model.count_tokens
    inner = getattr(model, "model", None)
    return None if inner is None else token_counter(inner)


@runtime_checkable
class GapModel(Protocol):
    """A model that scores answers in a gap, where its abilities say that it fills gaps."""

    def force_gaps(self, gaps: Sequence[Gap], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of the answers, given what stands before and behind them."""
        ...


NextTokens = Sequence[tuple[str, float]]  # (text of a token, its log-probability); the empty text ends an answer


@runtime_checkable
class NextTokenModel(Protocol):
    """A model that says how likely next tokens are, where its abilities say so: it can be searched by a beam."""

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run) -> Iterator[NextTokens]:
        """For each prompt the k likeliest next tokens, likeliest first."""
        ...


T = TypeVar("T")


def check_text(text: str) -> None:
    """Refuse half a character: no server, program or file could be given it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):04X}"
        raise OptionError(f"a prompt has the lone surrogate {code}, which is not text; mend its source") from None


def check_no_beam(name: str, requests: Sequence[Request]) -> None:
    """Refuse a beam, for a backend that would answer greedily without a word."""
    if any(request.decoding.beam > 1 for request in requests):
        raise OptionError(f"{name} does not search by a beam itself; leave the beam out, or use a Hugging Face folder")


def in_order(numbered: Iterator[tuple[int, T]]) -> Iterator[T]:
    """What comes in any order, numbered from 0, in the order of the numbers."""
    waiting: dict[int, T] = {}
    due = 0
    for number, item in numbered:
        waiting[number] = item
        while due in waiting:
            yield waiting.pop(due)
            due += 1
