"""A model in a Hugging Face folder: `hf:PATH`, or `hf:PATH#soft=FILE` with a soft prompt before every prompt."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.models.about import About
from tertium.models.hf.encoder_decoder import EncoderDecoder
from tertium.models.hf.folder import Kind, read_folder
from tertium.models.hf.left_to_right import LeftToRight
from tertium.models.hf.masked import Masked
from tertium.models.hf.reading import read, virtual
from tertium.models.language_model import Answer, ForcedScore, Gap, NextTokens, Request, check_text
from tertium.models.taxonomy import standing

if TYPE_CHECKING:
    from torch import Tensor

FORMS: dict[Kind, type[LeftToRight] | type[Masked] | type[EncoderDecoder]] = {
    "left-to-right": LeftToRight,
    "masked": Masked,
    "encoder-decoder": EncoderDecoder,
}


class HuggingFaceModel:
    """What the folder's config says that it is: left-to-right, masked or encoder-decoder.

    One text is read at a time, in single precision, so that an answer does not depend on its neighbours. Nothing is
    fetched from anywhere, no code of the folder runs, and nothing in it is unpickled.
    """

    def __init__(self, text: str, *, folders: Sequence[str] = ()) -> None:
        self.folder = read_folder(text, folders)
        self._form = FORMS[self.folder.kind](self.folder)
        self.name, self.identity, self.abilities = self.folder.name, self.folder.identity, self._form.abilities

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        for done, request in enumerate(requests, 1):
            yield self._answer(request)
            run.tell(f"asking {self.name}", done, len(requests))

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations; of a masked model, in a gap at the end."""
        return self.force_gaps([Gap(prompt, continuation) for prompt, continuation in pairs], run)

    def force_gaps(self, gaps: Sequence[Gap], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of answers in gaps, as the kind of model has them."""
        for gap in gaps:
            check_text("".join(gap))
            if not gap.answer.strip():
                raise OptionError(f"{self.name}: an empty continuation has no log-probability; give it some text")
        for done, gap in enumerate(gaps, 1):
            yield self._score(gap)
            run.tell(f"scoring by {self.name}", done, len(gaps))

    def next_tokens(self, prompts: Sequence[str], k: int, run: Run) -> Iterator[NextTokens]:
        """For each prompt the k likeliest next tokens; of left-to-right models."""
        import torch

        for done, prompt in enumerate(prompts, 1):
            with torch.inference_mode():
                found = self._form.next_tokens(prompt, k)
            yield found
            run.tell(f"asking {self.name}", done, len(prompts))

    def count_tokens(self, text: str) -> int:
        """The length of a prompt."""
        return len(read(self.folder, text).ids)

    def log_likelihood(self, gap: Gap, vectors: Tensor | None) -> Tensor:
        """log-probabilities of an answer's tokens after these virtual tokens; gradients flow to them. # (n,)"""
        return self._form.force(gap, vectors).values

    @property
    def about(self) -> About:
        """What it is, as its config and weights say."""
        config, network = self.folder.network.config, self.folder.network
        rows, width = network.get_input_embeddings().weight.shape
        return About(
            backend="Hugging Face folder, transformers",
            family=config.model_type,
            parameters=network.num_parameters(),
            layers=getattr(config, "num_hidden_layers", None),
            width=width,
            vocabulary=rows,
            context=self.folder.context,
            soft=None if self.folder.soft is None else len(self.folder.soft.vectors),
            stands=standing(self.folder.kind, config.model_type),
        )

    def close(self) -> None:
        """Nothing is open; the weights go with the last name that they have."""

    def _answer(self, request: Request) -> Answer:
        import torch

        begun = time.perf_counter()
        if not isinstance(request.prompt, str):
            raise OptionError(f"{self.name}: a folder is asked with texts, not chats; give it a text to continue")
        with torch.inference_mode():
            written = self._form.write(request.prompt, request.decoding, request.seed)
        return Answer(
            text=written.text,
            finish=written.finish,
            prompt_tokens=written.prompt_tokens,
            answer_tokens=written.tokens,
            seconds=time.perf_counter() - begun,
            log_probability=self._finite([written.log_probability])[0],
        )

    def _score(self, gap: Gap) -> ForcedScore:
        import torch

        with torch.inference_mode():
            found = self._form.force(gap, virtual(self.folder))
        return ForcedScore(tokens=found.tokens, log_probabilities=self._finite(found.values.tolist()))

    def _finite(self, values: Sequence[float]) -> tuple[float, ...]:
        """Log-probabilities; what is not one is an error and never 0."""
        if not all(math.isfinite(value) for value in values):
            raise InputError(f"{self.name}: the network gives no log-probability here; are its weights sound?")
        return tuple(min(0.0, value) for value in values)
