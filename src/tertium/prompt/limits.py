"""Limits: a model that stops being asked where the user's calls or money would run out. What was answered is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tertium.core.errors import OptionError, TertiumError
from tertium.core.run import Run
from tertium.core.wording import counted
from tertium.models.language_model import (
    Abilities,
    Answer,
    Decoding,
    ForcedScore,
    LanguageModel,
    NextTokenModel,
    NextTokens,
    Request,
    Unordered,
    in_order,
)
from tertium.prompt.setting import Price

ONE_TOKEN = Decoding(tokens=1)  # what a question for next tokens reads and writes
WRAPPING = 8  # tokens that a server may put around a text or a message


class LimitReachedError(TertiumError):
    """A limit that the user set; everything that was answered before is kept."""


@dataclass(kw_only=True)
class CallLimits:
    """How many calls may be made and what they may cost, over all models of an experiment; and what was spent."""

    calls: int | None = None
    cost: float | None = None
    made: int = field(default=0, init=False)
    spent: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        for name, value in (("max-calls", self.calls), ("max-cost", self.cost)):
            if value is not None and not value >= 0:
                raise OptionError(f"{name}: {value}; must be 0 or more")

    def room(self, requests: Sequence[Request], price: Price | None) -> int:
        """How many of the requests can be made now without going over a limit, however long the answers are."""
        room = len(requests) if self.calls is None else min(len(requests), self.calls - self.made)
        if self.cost is None or price is None:
            return room
        left = self.cost - self.spent
        for number, request in enumerate(requests[:room]):
            left -= most(request, price)
            if left < 0:
                return number
        return room

    def count(self, request: Request, answer: Answer, price: Price | None) -> None:
        """A call was made."""
        self.made += 1
        if price is not None:
            self.spent += cost_of(request, answer, price)

    @property
    def reached(self) -> str:
        """Which limit there is no more room under."""
        if self.calls is not None and self.made >= self.calls:
            return f"the limit of {counted(self.calls, 'call')} is reached (--max-calls)"
        return f"{self.spent:.6g} of {self.cost:.6g} is spent, and the next call might go over (--max-cost)"


class LimitedModel:
    """A model within limits. It goes inside a cache: what is kept costs nothing."""

    def __init__(self, model: LanguageModel, limits: CallLimits, price: Price | None) -> None:
        if limits.cost is not None and price is None:
            raise OptionError(
                f"max-cost: the price of {model.name} is not known; write under its [models.NAME]: "
                f"price = {{ input = 0.15, output = 0.60 }}, of a million tokens"
            )
        self.model, self.limits, self.price = model, limits, price

    @property
    def name(self) -> str:
        """That of the model."""
        return self.model.name

    @property
    def identity(self) -> str:
        """That of the model."""
        return self.model.identity

    @property
    def abilities(self) -> Abilities:
        """Those of the model."""
        return self.model.abilities

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        return in_order(self.complete_unordered(requests, run))

    def complete_unordered(self, requests: Sequence[Request], run: Run) -> Iterator[tuple[int, Answer]]:
        """The same, each as soon as it is there; as many at a time as the limits allow."""
        done = 0
        while done < len(requests):
            room = self.limits.room(requests[done:], self.price)
            if room <= 0:
                raise LimitReachedError(self.limits.reached)
            batch = requests[done : done + room]
            found = (
                self.model.complete_unordered(batch, run)
                if isinstance(self.model, Unordered)
                else enumerate(self.model.complete(batch, run))
            )
            for number, answer in found:
                self.limits.count(batch[number], answer, self.price)
                yield done + number, answer
            done += room

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations; an experiment asks for none, so nothing is counted."""
        return self.model.force(pairs, run)

    def force_unordered(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[tuple[int, ForcedScore]]:
        """The same."""
        return enumerate(self.model.force(pairs, run))

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run) -> Iterator[NextTokens]:
        """For each prompt the k likeliest next tokens; each is a call, as a beam makes many of them."""
        if not isinstance(self.model, NextTokenModel):
            raise OptionError(
                f"{self.name} does not say how likely next tokens are, so there is no beam search with it"
            )
        requests = [Request(prompt=prompt, decoding=ONE_TOKEN) for prompt in prompts]
        room = self.limits.room(requests, self.price)
        for request, found in zip(requests, self.model.next_tokens(prompts[:room], k, run), strict=False):
            self.limits.count(request, Answer(text=""), self.price)
            yield found
        if room < len(prompts):
            raise LimitReachedError(self.limits.reached)

    def close(self) -> None:
        """Close the model."""
        self.model.close()


def most(request: Request, price: Price) -> float:
    """What a request can cost at most: no token is shorter than a byte, and answers have at most so many tokens."""
    texts = [request.prompt] if isinstance(request.prompt, str) else [text for _, text in request.prompt]
    tokens = sum(len(text.encode()) + WRAPPING for text in texts)
    return price.of(tokens, request.decoding.tokens)


def cost_of(request: Request, answer: Answer, price: Price) -> float:
    """What a call has cost; where the model does not say how many tokens it read and wrote, the most it can be."""
    if answer.prompt_tokens is None or answer.answer_tokens is None:
        return most(request, price)
    return price.of(answer.prompt_tokens, answer.answer_tokens)
