"""Judges without a model: what they say follows from the prompt, so that the same prompt has the same answer."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from tertium.core.run import Run
from tertium.models.language_model import Abilities, Answer, ForcedScore, Request

TEXTS = re.compile(r'^(?:Reference(?: \d+)?|Translation): "(.*?)"$', re.MULTILINE | re.DOTALL)


class FakeJudge:
    """Gives a translation that is a reference the best mark, and any other one some mark of its own."""

    name, identity = "fake", "fake 1"
    abilities = Abilities(chats=True, forcing="network")

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:  # noqa: ARG002
        for request in requests:
            assert not isinstance(request.prompt, str)
            [(_, prompt)] = request.prompt
            yield Answer(text=self.say(prompt))

    def say(self, prompt: str) -> str:
        *references, output = [""] if "Reference" not in prompt else TEXTS.findall(prompt) or [""]
        perfect, draw = output in references, sha256(prompt.encode()).digest()[0]
        if prompt.endswith("Score:"):
            return "100" if perfect else str(draw % 100)
        if prompt.endswith("Stars:"):
            return "5" if perfect else str(1 + draw % 4)
        if prompt.endswith("Class:"):
            return "flawless" if perfect else ["worthless", "poor", "fair", "good"][draw % 4]
        return "no errors" if perfect else f'major; other; "{output[:1]}"'

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:  # noqa: ARG002
        for prompt, continuation in pairs:
            values = tuple(-1 / (3 + len(prompt) + k) for k in range(len(continuation)))
            yield ForcedScore(tokens=tuple(continuation), log_probabilities=values)

    def close(self) -> None:
        """Nothing is open."""
