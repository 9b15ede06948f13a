"""What models answered, kept in one file: asked once, never again, whatever happens to the process in between."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.io.files import write_atomically
from tertium.io.store import Store
from tertium.models.language_model import (
    Abilities,
    Answer,
    Decoding,
    ForcedScore,
    Gap,
    GapModel,
    LanguageModel,
    NextTokenModel,
    NextTokens,
    Request,
    Unordered,
    in_order,
)

T = TypeVar("T")
FORMAT = 1  # of keys; raised where the same key would no longer mean the same answer

MIGRATIONS = ["""
CREATE TABLE models (identity TEXT PRIMARY KEY, name TEXT NOT NULL, abilities TEXT);
CREATE TABLE answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL REFERENCES models (identity), request TEXT NOT NULL, answer TEXT NOT NULL
);
"""]  # fmt: skip


class KeptModel(NamedTuple):
    """What is kept of a model."""

    identity: str
    name: str
    answers: int
    size: int  # bytes


class AnswerCache:
    """A file of raw answers by everything that can change them. Nothing in it expires, and no error is in it.

    One process owns it; with `read_only` it is read beside its owner. `export` writes a copy as text, to be replayed.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._store = Store(
            path,
            MIGRATIONS,
            remedy="move it away: the answers that are missing are asked for again",
            elsewhere="another cache",
            read_only=read_only,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._store.rows("SELECT COUNT(*) FROM answers")[0][0])

    def close(self) -> None:
        """Let others have the file."""
        self._store.close()

    def find(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key."""
        rows = self._store.rows("SELECT answer FROM answers WHERE key = ?", key)
        if not rows:
            return None
        try:
            found = json.loads(rows[0]["answer"])
            if not isinstance(found, dict):
                raise ValueError("no object")
        except ValueError as error:
            raise self._store.damaged(error) from None
        return found

    def keep(self, key: str, model: str, request: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keep an answer; on the disk when this returns."""
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)", (key, model, _text(request), _text(answer))
            )

    def introduce(self, model: LanguageModel) -> None:
        """Remember whose answers these will be. What it can do is not asked for: that might be charged."""
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO models (identity, name) VALUES (?, ?)", (model.identity, model.name)
            )

    def remember(self, model: LanguageModel, abilities: Abilities) -> None:
        """Keep what a model can do, where it was found out."""
        self.introduce(model)
        with self._store.transaction() as connection:
            connection.execute(
                "UPDATE models SET abilities = ? WHERE identity = ?", (_text(asdict(abilities)), model.identity)
            )

    def models(self) -> dict[str, tuple[str, Abilities | None]]:
        """Name and abilities, where they are known, of every model that answered, by identity."""
        rows = self._store.rows("SELECT identity, name, abilities FROM models ORDER BY identity")
        try:
            return {row["identity"]: (row["name"], _abilities(row["abilities"])) for row in rows}
        except (ValueError, TypeError) as error:
            raise self._store.damaged(error) from None

    def find_model(self, wanted: str) -> str:
        """The identity of the model that a user names, by its name or its identity."""
        models = self.models()
        found = [identity for identity, (name, _) in models.items() if wanted in (name, identity)]
        if len(found) == 1:
            return found[0]
        said = "has no answers of" if not found else "has answers of several models called"
        known = ", ".join(repr(identity) for identity in models) or "none yet"
        raise InputError(f"{self.path}: {said} {wanted!r}; name one of them: {known}")

    def contents(self) -> list[KeptModel]:
        """How many answers of each model there are, and how many bytes they take."""
        rows = self._store.rows(
            "SELECT identity, name, COUNT(key) AS answers, COALESCE(SUM(LENGTH(CAST(request AS BLOB)) + "
            "LENGTH(CAST(answer AS BLOB))), 0) AS size FROM models LEFT JOIN answers ON model = identity "
            "GROUP BY identity ORDER BY name, identity"
        )
        return [KeptModel(row["identity"], row["name"], row["answers"], row["size"]) for row in rows]

    def clear(self, model: str | None = None) -> int:
        """Forget the answers of a model (by identity), or all, and give their room back; how many they were."""
        before = len(self)
        with self._store.transaction() as connection:
            for table, column in (("answers", "model"), ("models", "identity")):
                if model is None:
                    connection.execute(f"DELETE FROM {table}")
                else:
                    connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (model,))
        self._store.rows("VACUUM")
        return before - len(self)

    def export(self, path: str | Path, *, model: str | None = None, about: str | None = None) -> None:
        """Write answers, all or those of one model (by identity), as JSON lines in the order of their keys: a text to
        read, compare and ship. `about` stands at its top; a name that ends in .gz is compressed."""
        lines: list[dict[str, Any]] = [{"about": about}] if about is not None else []
        for identity, (name, abilities) in self.models().items():
            if model in (None, identity):
                lines.append({"model": identity, "name": name, "abilities": abilities and asdict(abilities)})
        for row in self._store.rows("SELECT model, request, answer FROM answers ORDER BY model, key"):
            if model in (None, row["model"]):
                kept = {name: json.loads(row[name]) for name in ("request", "answer")}
                lines.append({"model": row["model"], **kept})
        data = "".join(f"{_text(line)}\n" for line in lines).encode()
        if str(path).endswith(".gz"):
            import gzip

            data = gzip.compress(data, mtime=0)
        with write_atomically(path) as file:
            file.write(data)


class CachedModel:
    """A model whose answers are kept, and asked for once only. `calls` counts those that were really asked for."""

    def __init__(self, model: LanguageModel, cache: AnswerCache) -> None:
        self.model, self.cache, self.calls = model, cache, 0
        self._introduced = False

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
        """Those of the model; a server is not asked again for what it told before."""
        _, known = self.cache.models().get(self.identity, ("", None))
        if known is None:
            known = self.model.abilities
            self.cache.remember(self.model, known)
        return known

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""

        def ask(numbers: list[int]) -> Iterator[tuple[int, Answer]]:
            missing = [requests[number] for number in numbers]
            if isinstance(self.model, Unordered):
                return self.model.complete_unordered(missing, run)
            return enumerate(self.model.complete(missing, run))

        return self._through([describe(request) for request in requests], ask, read_answer)

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations."""

        def ask(numbers: list[int]) -> Iterator[tuple[int, ForcedScore]]:
            _ = self.abilities  # who scores has to know how; it is kept for who replays it
            missing = [pairs[number] for number in numbers]
            if isinstance(self.model, Unordered):
                return self.model.force_unordered(missing, run)
            return enumerate(self.model.force(missing, run))

        return self._through([describe(pair) for pair in pairs], ask, read_score)

    def force_gaps(self, gaps: Sequence[Gap], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of answers in gaps."""
        model = self.model
        if not isinstance(model, GapModel):
            raise OptionError(f"{self.name} does not fill gaps; use a template that ends in [Z]")

        def ask(numbers: list[int]) -> Iterator[tuple[int, ForcedScore]]:
            _ = self.abilities
            return enumerate(model.force_gaps([gaps[number] for number in numbers], run))

        return self._through([describe(gap) for gap in gaps], ask, read_score)

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run) -> Iterator[NextTokens]:
        """For each prompt the k likeliest next tokens."""
        model = self.model
        if not isinstance(model, NextTokenModel):
            raise OptionError(
                f"{self.name} does not say how likely next tokens are, so there is no beam search with it"
            )

        def ask(numbers: list[int]) -> Iterator[tuple[int, ForcedScore]]:
            _ = self.abilities
            found = model.next_tokens([prompts[number] for number in numbers], k, run)
            return enumerate(_kept_tokens(tokens) for tokens in found)

        described = [describe_next(prompt, k) for prompt in prompts]
        return (read_next(found) for found in self._through(described, ask, read_score))

    def close(self) -> None:
        """Close the model; the cache is closed by whoever opened it."""
        self.model.close()

    def _through(
        self,
        described: list[dict[str, Any]],
        ask: Callable[[list[int]], Iterator[tuple[int, T]]],
        read: Callable[[dict[str, Any]], T],
    ) -> Iterator[T]:
        return in_order(self._numbered(described, ask, read))

    def _numbered(
        self,
        described: list[dict[str, Any]],
        ask: Callable[[list[int]], Iterator[tuple[int, T]]],
        read: Callable[[dict[str, Any]], T],
    ) -> Iterator[tuple[int, T]]:
        """What is kept first, and then the rest, each kept before it is handed over; equal requests are one call."""
        places: dict[str, list[int]] = {}
        for number, request in enumerate(described):
            places.setdefault(key_of(self.identity, request), []).append(number)
        missing: list[str] = []
        for key, numbers in places.items():
            found = self.cache.find(key)
            if found is None:
                missing.append(key)
                continue
            item = read_soundly(read, found, self.cache.path)
            yield from ((number, item) for number in numbers)
        if not missing:
            return
        if not self._introduced:
            self.cache.introduce(self.model)
            self._introduced = True
        for index, item in ask([places[key][0] for key in missing]):
            key = missing[index]
            self.calls += 1
            self.cache.keep(key, self.identity, described[places[key][0]], asdict(item))  # type: ignore[call-overload]
            yield from ((number, item) for number in places[key])


def key_of(identity: str, request: dict[str, Any]) -> str:
    """The SHA-256 of everything that can change an answer."""
    return sha256(_text({"format": FORMAT, "model": identity, "request": request}).encode()).hexdigest()


def describe(request: Request | Gap | tuple[str, str]) -> dict[str, Any]:
    """A request in plain values; a pair of prompt and continuation, or an answer in a gap, is one that is scored."""
    if isinstance(request, Request):
        found = asdict(request)
        if request.decoding.beam == 1:  # it came later: what was kept before it is found by its key
            del found["decoding"]["beam"]
        return found
    if isinstance(request, Gap):
        return {"prompt": request.before, "answer": request.answer, "after": request.after}
    return {"prompt": request[0], "continuation": request[1]}


def read_request(found: dict[str, Any]) -> Request:
    """A request from plain values. What a version of tertium did not know yet has its usual value."""
    prompt = found["prompt"]
    decoding = {**found["decoding"], "stop": tuple(found["decoding"]["stop"])}
    asked = prompt if isinstance(prompt, str) else tuple((str(role), str(text)) for role, text in prompt)
    return Request(prompt=asked, decoding=Decoding(**decoding), sample=found["sample"])


def describe_next(prompt: str, k: int) -> dict[str, Any]:
    """The question for the k likeliest next tokens."""
    return {"prompt": prompt, "next": k}


def _kept_tokens(tokens: NextTokens) -> ForcedScore:
    """Next tokens are kept as scores are: texts, and a log-probability for each."""
    return ForcedScore(tokens=tuple(text for text, _ in tokens), log_probabilities=tuple(value for _, value in tokens))


def read_next(found: ForcedScore) -> NextTokens:
    """Next tokens from what was kept."""
    return list(zip(found.tokens, found.log_probabilities, strict=True))


def read_answer(found: dict[str, Any]) -> Answer:
    """An answer from what was kept."""
    answer = Answer(**found)
    if not isinstance(answer.text, str):
        raise TypeError("an answer without a text")
    return answer


def read_score(found: dict[str, Any]) -> ForcedScore:
    """A score from what was kept."""
    tokens, values = found["tokens"], found["log_probabilities"]
    if len(tokens) != len(values) or not tokens:
        raise ValueError("a score without tokens")
    return ForcedScore(tokens=tuple(map(str, tokens)), log_probabilities=tuple(map(float, values)))


def read_soundly(read: Callable[[dict[str, Any]], T], found: dict[str, Any], path: str | Path) -> T:
    """Read what was kept in a file, or say that it makes no sense."""
    try:
        return read(found)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: an answer in it makes no sense ({error}); move the file away") from None


def _abilities(text: str | None) -> Abilities | None:
    return None if text is None else Abilities(**json.loads(text))


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
