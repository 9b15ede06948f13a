"""Models without a model: they answer in capitals, and note what they were asked."""

from collections.abc import Iterator, Sequence

from tertium.core.run import Run
from tertium.models.language_model import Abilities, Answer, ForcedScore, Request


class Capitals:
    """Answers in order, as a program would."""

    abilities = Abilities(samples=True, forcing="network")

    def __init__(self, identity: str = "capitals 1") -> None:
        self.name, self.identity = "capitals", identity
        self.asked: list[str] = []
        self.closed = False

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        for done, request in enumerate(requests, 1):
            self.asked.append(str(request.prompt))
            if request.prompt == "bad":
                raise RuntimeError("bad")
            run.tell("asking", done, len(requests))
            yield Answer(text=str(request.prompt).upper(), answer_tokens=len(self.asked), log_probability=-0.1)

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:  # noqa: ARG002
        for prompt, continuation in pairs:
            self.asked.append(f"{prompt}|{continuation}")
            values = tuple(-1 / (3 + len(prompt) + k) for k in range(len(continuation)))
            yield ForcedScore(tokens=tuple(continuation), log_probabilities=values)

    def close(self) -> None:
        self.closed = True


class Backwards(Capitals):
    """Has the last answer first, as a server may."""

    def complete_unordered(self, requests: Sequence[Request], run: Run) -> Iterator[tuple[int, Answer]]:
        for number in reversed(range(len(requests))):
            [answer] = self.complete([requests[number]], run)
            yield number, answer

    def force_unordered(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[tuple[int, ForcedScore]]:
        for number in reversed(range(len(pairs))):
            [score] = self.force([pairs[number]], run)
            yield number, score
