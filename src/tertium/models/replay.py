"""A model that is a file of its answers: an experiment runs again without model, server or network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.io.files import read_bytes
from tertium.models.cache import (
    AnswerCache,
    describe,
    describe_next,
    key_of,
    read_answer,
    read_next,
    read_request,
    read_score,
    read_soundly,
)
from tertium.models.language_model import Abilities, Answer, ForcedScore, Gap, NextTokens, Request

UNKNOWN = Abilities(chats=True, samples=True)  # of a model that nobody asked what it can do
SHOWN = 60  # characters of a prompt, in an error


class Answers(Protocol):
    """Kept answers, wherever they lie."""

    def find(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key."""
        ...

    def models(self) -> dict[str, tuple[str, Abilities | None]]:
        """Name and abilities of each model, by identity."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class ReplayModel:
    """One model of a cache, or of the JSON lines that were exported of one. A missing answer is an error.

    `model` is the name or the identity of one, where the file has answers of several.
    """

    def __init__(self, path: str | Path, model: str = "") -> None:
        self._path = str(path)
        self._answers: Answers = (
            _ExportedAnswers(self._path)
            if self._path.endswith((".jsonl", ".jsonl.gz"))
            else AnswerCache(path, read_only=True)
        )
        try:
            self.identity, self.name, abilities = self._choose(model)
        except BaseException:
            self._answers.close()
            raise
        self.abilities = abilities or UNKNOWN

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        for done, request in enumerate(requests, 1):
            yield read_soundly(read_answer, self._find(describe(request)), self._path)
            run.tell(f"replaying {self.name}", done, len(requests))

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations."""
        for done, pair in enumerate(pairs, 1):
            yield read_soundly(read_score, self._find(describe(pair)), self._path)
            run.tell(f"replaying {self.name}", done, len(pairs))

    def force_gaps(self, gaps: Sequence[Gap], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of answers in gaps."""
        for done, gap in enumerate(gaps, 1):
            yield read_soundly(read_score, self._find(describe(gap)), self._path)
            run.tell(f"replaying {self.name}", done, len(gaps))

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run) -> Iterator[NextTokens]:
        """For each prompt the k likeliest next tokens."""
        for done, prompt in enumerate(prompts, 1):
            yield read_next(read_soundly(read_score, self._find(describe_next(prompt, k)), self._path))
            run.tell(f"replaying {self.name}", done, len(prompts))

    def close(self) -> None:
        """Let go of the file."""
        self._answers.close()

    def _choose(self, wanted: str) -> tuple[str, str, Abilities | None]:
        models = self._answers.models()
        found = [identity for identity, (name, _) in models.items() if wanted in ("", name, identity)]
        if len(found) == 1:
            return found[0], *models[found[0]]
        known = ", ".join(repr(identity) for identity in models)
        if not models:
            raise InputError(f"{self._path}: no model has answered into it yet")
        if not found:
            raise InputError(f"{self._path}: has no answers of {wanted!r}; it has those of {known}")
        raise InputError(f"{self._path}: has answers of {known}; say whose: replay:{self._path}#NAME")

    def _find(self, request: dict[str, Any]) -> dict[str, Any]:
        found = self._answers.find(key_of(self.identity, request))
        if found is not None:
            return found
        prompt = request["prompt"]
        text = prompt if isinstance(prompt, str) else prompt[-1][1]
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
        raise InputError(
            f"{self._path}: has no answer of {self.name} to {shown!r} with these settings; ask the model itself once, "
            f"with this cache"
        )


class _ExportedAnswers:
    """The lines that `AnswerCache.export` wrote, in memory."""

    def __init__(self, path: str) -> None:
        self._answers: dict[str, dict[str, Any]] = {}
        self._models: dict[str, tuple[str, Abilities | None]] = {}
        for number, line in enumerate(bytes(read_bytes(path)).splitlines(), 1):
            try:
                self._add(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, OptionError) as error:
                told = f"{type(error).__name__}: {error}"
                raise InputError(
                    f"{path}:{number}: not a line of exported answers ({told}); export them again"
                ) from None

    def find(self, key: str) -> dict[str, Any] | None:
        return self._answers.get(key)

    def models(self) -> dict[str, tuple[str, Abilities | None]]:
        return self._models

    def close(self) -> None:
        """Nothing is open."""

    def _add(self, line: dict[str, Any]) -> None:
        if "request" in line:
            answer = line["answer"]
            read_score(answer) if "tokens" in answer else read_answer(answer)  # refuse now what makes no sense
            request = line["request"]
            if "decoding" in request:  # described anew: one of an older version lacks what can be said of one since
                request = describe(read_request(request))
            self._answers[key_of(line["model"], request)] = answer
        elif "about" not in line:  # who said this, for people
            self._models[line["model"]] = (line["name"], line["abilities"] and Abilities(**line["abilities"]))
