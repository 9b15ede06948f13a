"""llama.cpp's own interface beside OpenAI's: token ids, and continuations that are forced token by token.

Its server ignores `echo` without a word. What is exact is to let it generate the continuation itself, held to it by a
grammar of token ids: the log-probabilities that it then reports are those of the whole vocabulary, before the grammar.
(A grammar of letters admits other tokens that spell the text, and one more for its end: other sums.)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from tertium.core.errors import OptionError
from tertium.models.connection import Connection, ServerError
from tertium.models.language_model import ForcedScore, NextTokens

SPARE = 8  # next tokens that are asked for besides: some are parts of characters
FORCED = 1e4  # a bias in nats that no logit outweighs


class Pieces(NamedTuple):
    """A text as the model reads it."""

    ids: list[int]
    texts: list[str]


class Llama:
    """The endpoints of a llama.cpp server that stand beside /v1."""

    def __init__(self, connection: Connection, *, reuse: bool = False) -> None:
        self.connection, self.reuse = connection, reuse

    async def tokens(self, text: str) -> Pieces:
        """A text in canonical tokens, with what the model puts before each text."""
        found = await self._post("/tokenize", {"content": text, "add_special": True, "with_pieces": True})
        try:
            tokens = found["tokens"]
            return Pieces([int(token["id"]) for token in tokens], [_piece(token["piece"]) for token in tokens])
        except (KeyError, TypeError, ValueError):
            raise ServerError(f"{self.connection.name}: /tokenize gave no tokens") from None

    async def split(self, prompt: str, continuation: str) -> tuple[list[int], Pieces]:
        """The ids of the prompt, and the tokens of the continuation.

        Both are read as one text; what they have in common with the prompt alone is the prompt. Where the last
        characters of the prompt and the first of the continuation are one token, it belongs to the continuation.
        """
        alone, both = await self.tokens(prompt), await self.tokens(prompt + continuation)
        common = 0
        for one, other in zip(alone.ids, both.ids, strict=False):
            if one != other:
                break
            common += 1
        if common == len(both.ids):
            raise OptionError(f"the continuation {continuation!r} has no token of its own; it cannot be scored")
        if common == 0:
            raise OptionError("an empty prompt leaves this model nothing to begin with; give the prompt some text")
        return both.ids[:common], Pieces(both.ids[common:], both.texts[common:])

    async def by_grammar(self, prompt: str, continuation: str) -> ForcedScore:
        """All tokens in one call."""
        ids, forced = await self.split(prompt, continuation)
        grammar = "root ::= " + " ".join(f"<[{number}]>" for number in forced.ids)
        found = await self._generate(ids, len(forced.ids), {"grammar": grammar})
        return ForcedScore(tokens=tuple(forced.texts), log_probabilities=self._forced(found, forced.ids))

    async def by_bias(self, prompt: str, continuation: str) -> ForcedScore:
        """One token in each call: the judge of the grammar, and the way where a server has no token grammars."""
        ids, forced = await self.split(prompt, continuation)
        values: list[float] = []
        for number in forced.ids:
            found = await self._generate(ids, 1, {"logit_bias": [[number, FORCED]]})
            values += self._forced(found, [number])
            ids = [*ids, number]
        return ForcedScore(tokens=tuple(forced.texts), log_probabilities=tuple(values))

    async def distribution(self, ids: list[int], size: int) -> dict[int, float]:
        """The log-probabilities of the `size` likeliest next tokens, by id."""
        found = await self._generate(ids, 1, {"n_probs": size})
        try:
            return {top["id"]: float(top["logprob"]) for top in found["completion_probabilities"][0]["top_logprobs"]}
        except (KeyError, TypeError, ValueError, IndexError):
            raise self._unscored() from None

    async def next_tokens(self, prompt: str, k: int, ends: Collection[int]) -> NextTokens:
        """The k likeliest next tokens as texts; one of `ends` is the empty text, a part of a character is left out."""
        ids = (await self.tokens(prompt)).ids
        found = await self._generate(ids, 1, {"n_probs": k + SPARE})
        told: list[tuple[str, float]] = []
        try:
            for top in found["completion_probabilities"][0]["top_logprobs"]:
                text = "" if top["id"] in ends else _whole(top["bytes"])
                if text is not None:
                    told.append((text, min(0.0, float(top["logprob"]))))
        except (KeyError, TypeError, ValueError, IndexError):
            raise self._unscored() from None
        return told[:k]

    async def _generate(self, ids: list[int], count: int, fields: dict[str, Any]) -> dict[str, Any]:
        body = {"prompt": ids, "n_predict": count, "temperature": 0.0, "n_probs": 1, "cache_prompt": self.reuse}
        return await self._post("/completion", body | fields)

    def _forced(self, found: dict[str, Any], wanted: list[int]) -> tuple[float, ...]:
        """The log-probabilities of exactly these tokens; anything else is an error, and never a score of 0."""
        try:
            got = [(token["id"], float(token["logprob"])) for token in found["completion_probabilities"]]
        except (KeyError, TypeError, ValueError):
            raise self._unscored() from None
        if [number for number, _ in got] != wanted or not all(-float("inf") < value <= 0 for _, value in got):
            raise self._unscored()
        return tuple(value for _, value in got)

    def _unscored(self) -> ServerError:
        return ServerError(
            f"{self.connection.name}: the server did not keep to the continuation, or gave no log-probabilities; "
            f"this text cannot be scored"
        )

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return await self.connection.post(self.connection.address.removesuffix("/v1") + path, body)


def _whole(data: Any) -> str | None:
    """The text of a token, if it is one by itself."""
    try:
        return bytes(data).decode() or None
    except UnicodeDecodeError:
        return None


def _piece(piece: Any) -> str:
    """A token's text; one that is a part of a character comes as a list of bytes."""
    return piece if isinstance(piece, str) else bytes(piece).decode("utf-8", "backslashreplace")
