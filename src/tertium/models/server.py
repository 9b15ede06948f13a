"""Any server that speaks OpenAI's interface: texts to continue (/completions) and chats (/chat/completions)."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from tertium.core.errors import OptionError
from tertium.core.run import Run
from tertium.models.connection import Connection, Patience, ServerError, UnreachableError, is_local
from tertium.models.key import Key
from tertium.models.language_model import (
    Abilities,
    Answer,
    Decoding,
    Finish,
    ForcedScore,
    Forcing,
    Messages,
    Request,
    check_no_beam,
    check_text,
    in_order,
)
from tertium.models.llama import Llama

FINISHES: dict[object, Finish] = {"stop": "stop", "length": "length"}
PROBE = ("One two", " three")  # a prompt and a continuation by which a server shows what it can do
UNABLE = {"top": "only those of the likeliest tokens", "none": "none"}


class ServerModel:
    """One model of a server.

        model = ServerModel("https://api.example.org/v1", "small", key="EXAMPLE_KEY")

    `key` is the name of the variable of the environment that has the key. What the server can do is found by asking it
    (three small calls at most), when `abilities` is first looked at or a continuation is scored. `fields` are added to
    each call; they can change answers, so whoever gives them says so in `identity`.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        key: str | None = None,
        patience: Patience | None = None,
        fields: Mapping[str, Any] | None = None,
        name: str | None = None,
        identity: str | None = None,
        abilities: Abilities | None = None,
        connection: Connection | None = None,
    ) -> None:
        if key is not None and not address.startswith("https://") and not is_local(address):
            raise OptionError(f"{address}: a key would be sent where anybody on the way can read it; use https://")
        secret = None if key is None else Key(key)
        self.connection = connection or Connection(address, key=secret, patience=patience or Patience())
        self.name = name or model or address
        self.identity = identity or f"server:{self.connection.address}#{model}"
        self._model, self._fields = model, dict(fields or {})
        if abilities is not None:
            self.abilities = abilities

    @cached_property
    def abilities(self) -> Abilities:
        """What the server can do, found by asking it."""
        return self.connection.call(self._probe())

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order; several are asked for at a time."""
        return in_order(self.complete_unordered(requests, run))

    def complete_unordered(self, requests: Sequence[Request], run: Run) -> Iterator[tuple[int, Answer]]:
        """The same, each as soon as it is there."""
        check_no_beam(self.name, requests)
        work: list[Callable[[], Coroutine[Any, Any, Answer]]] = [partial(self._answer, each) for each in requests]
        return self.connection.each(work, run, f"asking {self.name}")

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations, exact or refused."""
        return in_order(self.force_unordered(pairs, run))

    def force_unordered(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[tuple[int, ForcedScore]]:
        """The same, each as soon as it is there."""
        for prompt, continuation in pairs:
            check_text(prompt + continuation)
            if not continuation:
                raise OptionError(f"{self.name}: an empty continuation has no log-probability; give it some text")
        score = self._scorer(self.abilities.forcing)
        work: list[Callable[[], Coroutine[Any, Any, ForcedScore]]] = [partial(score, *pair) for pair in pairs]
        return self.connection.each(work, run, f"scoring by {self.name}")

    def close(self) -> None:
        """Let go of the connections."""
        self.connection.close()

    # Answers

    async def _answer(self, request: Request) -> Answer:
        begun = time.perf_counter()
        body: dict[str, Any] = {"model": self._model} if self._model else {}
        if chat := not isinstance(request.prompt, str):
            path, body["messages"] = "/chat/completions", _messages(request.prompt)
        else:
            path, body["prompt"] = "/completions", request.prompt
        body |= {**_decoding(request, chat), **self._fields}
        found = await self.connection.post(path, body)
        try:
            [choice] = found["choices"]
            text = choice["message"]["content"] if chat else choice["text"]
            usage = found.get("usage") or {}
            return Answer(
                text=_checked(text),
                finish=FINISHES.get(choice.get("finish_reason"), "other"),
                prompt_tokens=_count(usage.get("prompt_tokens")),
                answer_tokens=_count(usage.get("completion_tokens")),
                seconds=time.perf_counter() - begun,
                log_probability=_log_probability(choice.get("logprobs")),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._odd(path, found) from None

    def _odd(self, path: str, found: Mapping[str, Any]) -> ServerError:
        """JSON that is not what the interface promises."""
        said = ", ".join(sorted(map(str, found)))[:200] or "nothing"
        return ServerError(
            f"{self.connection.name}: the answer to {path} is not as OpenAI's interface has it (it holds: {said}); "
            f"it is not asked for again"
        )

    # Forced continuations

    def _scorer(self, forcing: Forcing) -> Callable[[str, str], Coroutine[Any, Any, ForcedScore]]:
        if forcing == "echo":
            return self._by_echo
        if forcing in ("grammar", "bias"):
            llama = Llama(self.connection)
            return llama.by_grammar if forcing == "grammar" else llama.by_bias
        raise OptionError(
            f"{self.name}: the server gives no log-probabilities of a given text ({UNABLE.get(forcing, forcing)}); "
            f"take a GGUF file (gguf:PATH), a Hugging Face folder (hf:PATH), or a server of llama.cpp or vLLM"
        )

    async def _by_echo(self, prompt: str, continuation: str) -> ForcedScore:
        """From the prompt's own tokens, where a server repeats them with their log-probabilities."""
        whole = prompt + continuation
        body = {"prompt": whole, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1, **self._fields}
        if self._model:
            body["model"] = self._model
        found = await self.connection.post("/completions", body)
        try:
            logprobs = found["choices"][0]["logprobs"]
            tokens, values = logprobs["tokens"], logprobs["token_logprobs"]
            return _spelt(prompt, whole, list(zip(tokens, values, strict=True)))
        except (KeyError, TypeError, ValueError, IndexError):
            raise ServerError(
                f"{self.connection.name}: no log-probabilities of the prompt's own tokens came back (echo), or they "
                f"do not spell it; this text cannot be scored here"
            ) from None

    async def _probe(self) -> Abilities:
        """Ask for a token, for an echo, and for a chat."""
        completes = chats = False
        forcing: Forcing = "none"
        try:
            request = Request(prompt=PROBE[0], decoding=Decoding(tokens=1, log_probabilities=True))
            answer = await self._answer(request)
            completes, forcing = True, "none" if answer.log_probability is None else "top"
        except ServerError as error:
            _raise_unless_refused(error)
        if completes:
            forcing = await self._found_forcing() or forcing
        try:
            await self._answer(Request(prompt=(("user", "Say yes."),), decoding=Decoding(tokens=1)))
            chats = True
        except ServerError as error:
            _raise_unless_refused(error)
        if not completes and not chats:
            raise ServerError(
                f"{self.connection.name}: refuses both texts and chats of model {self._model!r}; is that its name?"
            )
        return Abilities(completes=completes, chats=chats, samples=True, forcing=forcing)

    async def _found_forcing(self) -> Forcing | None:
        """The first way of scoring that works. llama.cpp ignores `echo` in silence, and has token grammars."""
        ways: tuple[Forcing, ...] = ("echo", "grammar", "bias")
        for way in ways:
            try:
                await self._scorer(way)(*PROBE)
            except ServerError as error:
                _raise_unless_refused(error)
            else:
                return way
        return None


def _raise_unless_refused(error: ServerError) -> None:
    """A server that is not there, or does not let us in, is not one that cannot do something."""
    if error.status in (401, 403, 408, 409, 429) or isinstance(error, UnreachableError):
        raise error


def _spelt(prompt: str, whole: str, tokens: list[tuple[Any, Any]]) -> ForcedScore:
    """The tokens behind a prompt; one that holds its end and the continuation's beginning is among them."""
    chosen: list[tuple[str, float]] = []
    end = 0
    for text, value in tokens:
        if end >= len(whole):
            break
        end += len(text)
        if not whole.startswith(text, end - len(text)):
            raise ValueError(text)
        if end > len(prompt):
            chosen.append((text, _finite(value)))
    if end != len(whole):
        raise ValueError(end)
    return ForcedScore(tokens=tuple(text for text, _ in chosen), log_probabilities=tuple(value for _, value in chosen))


def _messages(prompt: Messages) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in prompt]


def _decoding(request: Request, chat: bool) -> dict[str, Any]:
    """How to choose an answer. Fields without an effect are left out: not every server knows all of them."""
    decoding = request.decoding
    fields: dict[str, Any] = {"max_tokens": decoding.tokens, "temperature": decoding.temperature}
    if decoding.stop:
        fields["stop"] = list(decoding.stop)
    if decoding.temperature > 0:
        fields |= {"top_p": decoding.top_p, "seed": request.seed}
    if decoding.log_probabilities:
        fields["logprobs"] = True if chat else 1
    return fields


def _log_probability(logprobs: Any) -> float | None:
    """That of all tokens of an answer, in either form in which servers give it; None where they do not."""
    if not isinstance(logprobs, dict):
        return None
    values = logprobs.get("token_logprobs")
    if values is None and isinstance(logprobs.get("content"), list):
        values = [token.get("logprob") for token in logprobs["content"]]
    if not isinstance(values, list):
        return None
    return ForcedScore(tokens=(), log_probabilities=tuple(map(_finite, values))).total


def _finite(value: Any) -> float:
    """A log-probability; what is not one is an error and never 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -float("inf") < value <= 0:
        raise ValueError(value)
    return float(value)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _checked(text: Any) -> str:
    """The text of an answer; a chat whose answer is empty may have null there. It can always be written as UTF-8."""
    if text is None:
        return ""
    if not isinstance(text, str):
        raise TypeError(text)
    return text.encode("utf-8", "replace").decode()
