"""Models for tests: one whose probabilities stand in a table, one that says what a function says."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from tertium.core.run import PLAIN, Run
from tertium.models.language_model import Abilities, Answer, Finish, ForcedScore, Request

END = ""  # the token that ends a text


class TableModel:
    """Words, each with the probabilities of the words after it; a text without a known last word is like `^`.

    A word's token is a blank and the word, or the word alone at the very beginning.
    """

    def __init__(self, table: Mapping[str, Mapping[str, float]]) -> None:
        for row in table.values():
            assert math.isclose(sum(row.values()), 1)
        self.table = table
        self.name, self.identity = "table", "table"
        self.abilities = Abilities(samples=True, forcing="network")
        self.asked: list[tuple[str, str]] = []

    def row(self, text: str) -> Mapping[str, float]:
        words = text.split()
        return self.table.get(words[-1] if words else "^", self.table["^"])

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:  # noqa: ARG002
        for request in requests:
            assert isinstance(request.prompt, str)
            text, total, finish = "", 0.0, "length"
            for step in range(request.decoding.tokens):
                row = self.row(request.prompt + text)
                token = self.draw(row, request, step)
                total += math.log(row[token])
                if token == END:
                    finish = "stop"
                    break
                text += f" {token}"
            kind: Finish = "stop" if finish == "stop" else "length"
            yield Answer(text=text, finish=kind, log_probability=total)

    def draw(self, row: Mapping[str, float], request: Request, step: int) -> str:
        if not request.decoding.temperature:
            return max(row, key=lambda token: row[token])
        key = f"{request.prompt}|{request.decoding.seed}|{request.sample}|{step}"
        point = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) / 2**64
        for token, probability in row.items():
            point -= probability
            if point < 0:
                return token
        return next(reversed(row))

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:  # noqa: ARG002
        for prompt, continuation in pairs:
            self.asked.append((prompt, continuation))
            text, tokens, values = prompt, [], []
            for word in continuation.replace(".", " .").split():
                probability = self.row(text).get(word, 0.0)
                tokens.append(word)
                values.append(math.log(probability) if probability else -math.inf)
                text += f" {word}"
            yield ForcedScore(tokens=tuple(tokens), log_probabilities=tuple(values))

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run = PLAIN) -> Iterator[list[tuple[str, float]]]:  # noqa: ARG002
        for prompt in prompts:
            row = sorted(self.row(prompt).items(), key=lambda item: -item[1])[:k]
            yield [(token and f" {token}", math.log(probability)) for token, probability in row]

    def close(self) -> None:
        pass


class SayingModel:
    """Says what a function of the prompt says; remembers what it was asked."""

    def __init__(self, say: Callable[[str], str], *, finish: Finish = "stop", chats: bool = False) -> None:
        self.say, self.finish = say, finish
        self.name, self.identity = "saying", "saying"
        self.abilities = Abilities(completes=not chats, chats=chats, samples=True)
        self.requests: list[Request] = []
        self.closed = False

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:  # noqa: ARG002
        for request in requests:
            self.requests.append(request)
            prompt = request.prompt if isinstance(request.prompt, str) else request.prompt[-1][1]
            text = self.say(prompt if not request.sample else f"{prompt}#{request.sample}")
            yield Answer(text=text, finish=self.finish)

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        raise NotImplementedError

    def close(self) -> None:
        self.closed = True
