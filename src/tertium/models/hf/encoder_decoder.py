"""Encoder-decoder models: the prompt is read whole, the answer is written after it, as a text of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.models.hf.folder import Folder
from tertium.models.hf.generation import Generation, Written, generate
from tertium.models.hf.reading import Forced, check_known, check_length, inputs, read, spell, virtual
from tertium.models.language_model import Abilities, Decoding, Gap, NextTokens

if TYPE_CHECKING:
    from torch import Tensor

SENTINELS = ("<extra_id_0>", "<extra_id_1>")  # T5's marks for a gap, and for the end of what belongs into it


class EncoderDecoder:
    """log P(z | prompt) = the sum over tokens of log P(z_i | encoded prompt, z_1 ... z_{i-1}).

    A model with T5's sentinels was trained to fill gaps (Raffel et al. 2020): there the encoder reads
    `before <extra_id_0> after`, and the decoder's `<extra_id_0> z <extra_id_1>` is scored from z on.
    """

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.abilities = Abilities(samples=True, forcing="network", beam="native")
        known = [folder.tokenizer.convert_tokens_to_ids(mark) for mark in SENTINELS]
        self._sentinels = None if None in known or folder.tokenizer.unk_token_id in known else known
        if self._sentinels is not None:
            self.abilities = replace(self.abilities, fills=True)
        settings = folder.network.generation_config
        start = settings.decoder_start_token_id
        if start is None:
            start = getattr(folder.network.config, "decoder_start_token_id", None)
        if start is None:
            raise InputError(
                f"{folder.model.path}: config.json does not say with which token answers begin (decoder_start_token_id)"
            )
        # Some write a mark of their own before the text: a forced one, or what their tokenizer puts there (BART).
        text = read(folder, "a")
        first = [number for number, special in zip(text.ids[:1], text.special, strict=False) if special]
        forced = settings.forced_bos_token_id
        self._begin = [start, *(first if forced is None else [forced])]

    def force(self, gap: Gap, vectors: Tensor | None) -> Forced:
        """The answer as the decoder would write it, or the answer in a gap, where words follow it."""
        if gap.after and self._sentinels is not None:
            opening, closing = self._sentinels
            encoded = [*read(self.folder, gap.before, plain=True).ids, opening]
            encoded += read(self.folder, gap.after).ids
            answer, begin, end = gap.answer.strip(" "), [self._begin[0], opening], [closing]
        else:
            encoded = read(self.folder, gap.before).ids
            answer, begin, end = (gap.answer + gap.after).lstrip(" "), self._begin, []
        pieces = read(self.folder, answer, plain=True)
        if not pieces.ids:
            raise OptionError(f"the continuation {answer!r} has no token of its own; it cannot be scored")
        check_known(self.folder, pieces.ids, answer)
        tokens = tuple(pieces.text(place, answer) for place in range(len(pieces.ids)))
        values = self._log_probabilities(inputs(self.folder, encoded, vectors), begin, [*pieces.ids, *end])
        return Forced((*tokens, *(SENTINELS[1] for _ in end)), values)

    def write(self, prompt: str, decoding: Decoding, seed: int) -> Written:
        """What the decoder says to a prompt."""
        import torch

        given = inputs(self.folder, read(self.folder, prompt).ids, virtual(self.folder))

        def tell(new: Sequence[int]) -> str:
            return spell(self.folder, new)

        def score(new: Sequence[int]) -> float:
            return float(self._log_probabilities(given, self._begin, new).double().sum())

        begin = torch.tensor([self._begin])
        room = (
            decoding.tokens
            if self.folder.context is None
            else min(decoding.tokens, self.folder.context - len(self._begin))
        )
        read_all = {**given, "decoder_input_ids": begin}
        return generate(Generation(self.folder, read_all, len(self._begin), room, decoding, seed, tell, score))

    def next_tokens(self, prompt: str, k: int) -> NextTokens:  # noqa: ARG002
        """It has none: an answer that has begun is no part of the prompt."""
        raise OptionError(f"{self.folder.name}: an encoder-decoder does not continue its prompt; it searches by itself")

    def _log_probabilities(self, given: dict[str, Any], begin: Sequence[int], forced: Sequence[int]) -> Tensor:
        """log P of each forced token. # (n,)"""
        import torch

        check_length(self.folder, len(begin) + len(forced))
        written = torch.tensor([[*begin, *forced]])
        logits = self.folder.network(**given, decoder_input_ids=written).logits[0]
        chosen = torch.log_softmax(logits[-len(forced) - 1 : -1].float(), -1)
        return chosen.gather(1, torch.tensor(list(forced))[:, None])[:, 0]
