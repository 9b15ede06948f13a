"""Masked models: they fill gaps, with both sides in sight, and do not continue texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.models.hf.folder import Folder
from tertium.models.hf.generation import Written
from tertium.models.hf.reading import Forced, check_known, inputs, read
from tertium.models.language_model import Abilities, Decoding, Gap, NextTokens

if TYPE_CHECKING:
    from torch import Tensor


class Masked:
    """log P(z | before, after) = the sum over tokens of log P(z_i | before, z_1 ... z_{i-1}, masks, after).

    The gap has as many masks as the answer has tokens, and is filled from left to right: tokens of the answer that
    come later are masked while an earlier one is scored. (Scored with all others in sight, the parts of a rare word
    give each other away: Kauf and Ivanova 2023, who do this within words.)
    """

    abilities = Abilities(completes=False, forcing="network", fills=True)

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def force(self, gap: Gap, vectors: Tensor | None) -> Forced:
        """The answer in its gap; a token that holds a part of the answer belongs to it."""
        import torch

        whole = gap.before + gap.answer + gap.after
        start = len(gap.before) + len(gap.answer) - len(gap.answer.lstrip())
        end = len(gap.before) + len(gap.answer)
        pieces = read(self.folder, whole)
        places = [
            place
            for place, ((first, behind), special) in enumerate(zip(pieces.spans, pieces.special, strict=True))
            if not special and first < behind and behind > start and first < end
        ]
        if not places:
            raise OptionError(f"the answer {gap.answer!r} has no token of its own; it cannot be scored")
        forced = [pieces.ids[place] for place in places]
        check_known(self.folder, forced, gap.answer)
        ids, values = list(pieces.ids), []
        for place in places:
            ids[place] = self.folder.tokenizer.mask_token_id
        for place, number in zip(places, forced, strict=True):
            logits = self.folder.network(**inputs(self.folder, ids, vectors)).logits[0]
            values.append(torch.log_softmax(logits[place - len(ids)].float(), -1)[number])
            ids[place] = number
        return Forced(tuple(pieces.text(place, whole) for place in places), torch.stack(values))

    def write(self, prompt: str, decoding: Decoding, seed: int) -> Written:  # noqa: ARG002
        """It does not."""
        raise OptionError(
            f"{self.folder.name}: a masked model fills gaps and does not continue texts; say which answers are "
            f"permissible, or use a left-to-right model"
        )

    def next_tokens(self, prompt: str, k: int) -> NextTokens:  # noqa: ARG002
        """It has none."""
        raise OptionError(f"{self.folder.name}: a masked model has no next tokens, so there is no beam search with it")
