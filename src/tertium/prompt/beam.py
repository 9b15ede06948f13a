"""Beam search of our own, for models that say how likely each next token is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tertium.core.errors import OptionError
from tertium.core.run import PLAIN, Run
from tertium.models.language_model import Decoding, LanguageModel, NextTokenModel, NextTokens


class Hypothesis(NamedTuple):
    """A text so far, its tokens, and log P(text | prompt)."""

    text: str
    tokens: int
    log_probability: float
    ended: bool = False
    greedy: bool = False  # each of its tokens was the likeliest

    def score(self, length_power: float) -> float:
        """The log-probability divided by tokens^power: 0 prefers short texts, 1 is the mean over tokens."""
        return self.log_probability / math.pow(max(1, self.tokens), length_power)


def beam_search(
    model: LanguageModel,
    prompt: str,
    decoding: Decoding,
    width: int = 4,
    length_power: float = 0.0,
    run: Run = PLAIN,
) -> list[Hypothesis]:
    """The best texts, best first: `width` hypotheses are extended token by token.

    The greedy text is kept beside them, so that the best is never less likely than what greedy search finds. Tokens are
    joined as texts: a model that would cut the joined text otherwise sees its own cut.
    """
    if not isinstance(model, NextTokenModel):
        raise OptionError(f"{model.name} does not say how likely next tokens are, so there is no beam search with it")
    if width < 1:
        raise OptionError(f"width: {width}; a beam is at least 1 wide")
    alive, ended = [Hypothesis("", 0, 0.0, greedy=True)], list[Hypothesis]()
    for step in range(decoding.tokens):
        run.tell("searching", step, decoding.tokens)
        options = model.next_tokens([prompt + one.text for one in alive], width + 1, run)
        grown = [new for one, tokens in zip(alive, options, strict=True) for new in _extend(one, tokens, decoding.stop)]
        grown.sort(key=lambda one: -one.log_probability)
        kept = [*grown[:width], *(one for one in grown[width:] if one.greedy)]
        ended += [one for one in kept if one.ended]
        alive = [one for one in kept if not one.ended]
        if not alive or (length_power == 0 and _settled(ended, alive, width)):
            break
    best = sorted([*ended, *alive], key=lambda one: -one.score(length_power))
    return best[:width]


def _settled(ended: Sequence[Hypothesis], alive: Sequence[Hypothesis], width: int) -> bool:
    """Whether nothing that is still growing can come among the best: log-probabilities only fall."""
    if len(ended) < width:
        return False
    limit = sorted((one.log_probability for one in ended), reverse=True)[width - 1]
    return max(one.log_probability for one in alive) <= limit


def _extend(one: Hypothesis, tokens: NextTokens, stop: tuple[str, ...]) -> Iterator[Hypothesis]:
    for rank, (token, log_probability) in enumerate(tokens):
        if math.isnan(log_probability):
            raise OptionError("a next token has no log-probability; beam search needs all of them")
        text = one.text + token
        cuts = [place for mark in stop if (place := text.find(mark)) >= 0]
        yield Hypothesis(
            text[: min(cuts)] if cuts else text,
            one.tokens + 1,
            one.log_probability + log_probability,
            ended=token == "" or bool(cuts),
            greedy=one.greedy and rank == 0,
        )
