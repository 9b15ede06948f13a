"""A GGUF file, run by llama.cpp inside this process: a server bound to this computer alone, asked as any other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from tertium.core.errors import InputError, MissingPackageError, OptionError
from tertium.core.run import Run
from tertium.io.models import find_model
from tertium.models.connection import Connection, Patience, ServerError
from tertium.models.gguf_header import read_gguf_header
from tertium.models.key import Key
from tertium.models.language_model import Abilities, Answer, Decoding, ForcedScore, NextTokens, Request, in_order
from tertium.models.llama import Llama
from tertium.models.server import ServerModel

CONTEXT = 4096  # tokens of a prompt and its answer
# llama.cpp would also cut off unlikely tokens by rules of its own; only temperature and top_p are to count.
PLAIN = {"top_k": 0, "min_p": 0.0, "typical_p": 1.0, "repeat_penalty": 1.0}
HOST = "127.0.0.1"
HOUR = 3600.0


class GgufModel:
    """A model in a GGUF file, by its path or by its name in `folders`.

    One prompt is read at a time, on one thread, from its beginning: then the same prompt has the same answer, whatever
    was asked before. `reuse` keeps what prompts have in common (demonstrations), which is much faster and changes
    log-probabilities in the second digit, depending on the order of the prompts; so do `slots` (prompts at a time).
    Both are in `identity`. More `threads` than idle cores make it slower.
    """

    def __init__(
        self,
        path: str,
        *,
        folders: Sequence[str] = (),
        context: int = CONTEXT,
        slots: int = 1,
        threads: int = 1,
        reuse: bool = False,
        backend: Any = None,
    ) -> None:
        for name, value in (("context", context), ("slots", slots), ("threads", threads)):
            if value < 1:
                raise OptionError(f"{name}: {value}; must be at least 1")
        found = find_model(path, folders)
        header = read_gguf_header(found.path)
        if header.context is not None:
            context = min(context, header.context)
        backend = backend or _xllamacpp(path)
        self.name, self.context, self.header = found.name, context, header
        self.identity = (
            f"gguf:{found.name}@{found.digest} xllamacpp {backend.__version__}, context {context}, slots {slots}, "
            f"{'prefixes reused' if reuse else 'prompts read whole'}"
        )
        self.abilities = Abilities(chats=header.chats, samples=True, forcing="grammar", beam="steps")
        key = Key.made_up()
        self._server = _start(backend, found.path, context, slots, threads, key)
        patience = Patience(read=HOUR, whole=HOUR, attempts=1, concurrency=slots)  # it is slow, and never absent
        connection = Connection(
            f"{self._server.listening_address}/v1", name=f"gguf:{found.name}", key=key, patience=patience
        )
        self._asked = ServerModel(
            connection.address,
            "",
            name=self.name,
            identity=self.identity,
            abilities=self.abilities,
            connection=connection,
            fields={**PLAIN, "cache_prompt": reuse},
        )
        self.llama = Llama(connection, reuse=reuse)

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        return in_order(self.complete_unordered(requests, run))

    def complete_unordered(self, requests: Sequence[Request], run: Run) -> Iterator[tuple[int, Answer]]:
        """The same, each as soon as it is there."""
        if not self.abilities.chats and any(not isinstance(request.prompt, str) for request in requests):
            raise OptionError(f"{self.name}: the file has no template for chats; give it a text to continue")
        return self._asked.complete_unordered(requests, run)

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations, by a grammar of token ids."""
        return in_order(self.force_unordered(pairs, run))

    def force_unordered(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[tuple[int, ForcedScore]]:
        """The same, each as soon as it is there."""
        return self._asked.force_unordered(pairs, run)

    def count_tokens(self, text: str) -> int:
        """The tokens of a text, with the one that begins each text."""
        return len(self._asked.connection.call(self.llama.tokens(text)).ids)

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run) -> Iterator[NextTokens]:
        """For each prompt the k likeliest next tokens."""
        work: list[Callable[[], Coroutine[Any, Any, NextTokens]]] = [
            partial(self.llama.next_tokens, prompt, k, self.header.ends) for prompt in prompts
        ]
        return in_order(self._asked.connection.each(work, run, f"asking {self.name}"))

    def close(self) -> None:
        """Stop the server and give back its memory."""
        if self._server is not None and not self._asked.connection.calls:
            # llama.cpp waits for ever if it is told to stop before it has begun to work: an answer shows that it has.
            with suppress(ServerError):
                list(self.complete([Request(prompt="a", decoding=Decoding(tokens=1))], Run()))
        self._asked.close()
        self._server = None  # it ends with the last name that it has


def _xllamacpp(path: str) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise MissingPackageError(f'gguf:{path}: needs xllamacpp: pip install "tertium[llm]"') from None
    return xllamacpp


def _start(backend: Any, path: str, context: int, slots: int, threads: int, key: Key) -> Any:
    params = backend.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel = context * slots, slots  # the slots share it
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.warmup, params.swa_full, params.verbosity = False, True, 0
    params.hostnames, params.port, params.api_keys = [HOST], 0, [key.value]  # any page in a browser could ask it
    try:
        return backend.Server(params)
    except RuntimeError as error:
        raise InputError(
            f"{path}: llama.cpp cannot load it ({error}); the file is whole, so its kind of model may be too new for "
            f"xllamacpp {backend.__version__}, or there is no memory for a context of {context * slots} tokens"
        ) from None
