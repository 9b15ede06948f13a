"""Left-to-right models: each token after those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.models.hf.folder import Folder
from tertium.models.hf.generation import Generation, Written, ends, generate
from tertium.models.hf.reading import Forced, check_known, inputs, read_open, spell, virtual
from tertium.models.language_model import Abilities, Decoding, Gap, NextTokens

if TYPE_CHECKING:
    from torch import Tensor


class LeftToRight:
    """log P(z | prompt) = the sum over tokens of log P(z_i | prompt, z_1 ... z_{i-1})."""

    abilities = Abilities(samples=True, forcing="network", beam="native")

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def force(self, gap: Gap, vectors: Tensor | None) -> Forced:
        """The answer and what stands behind it, after what stands before.

        Prompt and answer are read as one text; what that has in common with the prompt alone is the prompt.
        """
        whole, answer = gap.before + gap.answer + gap.after, gap.answer + gap.after
        alone, both = read_open(self.folder, gap.before), read_open(self.folder, whole)
        common = 0
        for one, other in zip(alone.ids, both.ids, strict=False):
            if one != other:
                break
            common += 1
        if common == len(both.ids):
            raise OptionError(f"the continuation {answer!r} has no token of its own; it cannot be scored")
        check_begun(both.ids[:common], vectors)
        forced = both.ids[common:]
        check_known(self.folder, forced, answer)
        tokens = tuple(both.text(place, whole) for place in range(common, len(both.ids)))
        return Forced(tokens, self._log_probabilities(both.ids[:common], forced, vectors))

    def write(self, prompt: str, decoding: Decoding, seed: int) -> Written:
        """What follows a prompt."""
        ids = read_open(self.folder, prompt).ids
        vectors = virtual(self.folder)
        check_begun(ids, vectors)
        before = spell(self.folder, ids)

        def tell(new: Sequence[int]) -> str:
            return spell(self.folder, [*ids, *new])[len(before) :]

        def score(new: Sequence[int]) -> float:
            return float(self._log_probabilities(ids, new, vectors).double().sum())

        size = len(ids) + (0 if vectors is None else len(vectors))
        room = decoding.tokens if self.folder.context is None else min(decoding.tokens, self.folder.context - size)
        if room < 1:
            raise OptionError(
                f"{self.folder.name}: a prompt of {size} tokens leaves no room for an answer; the model reads at most "
                f"{self.folder.context}"
            )
        given = inputs(self.folder, ids, vectors)
        skipped = len(ids) if vectors is None else 0  # what comes back repeats ids, but not vectors
        return generate(Generation(self.folder, given, skipped, room, decoding, seed, tell, score))

    def next_tokens(self, prompt: str, k: int) -> NextTokens:
        """The k likeliest next tokens; those that no text can carry (parts of characters, marks) are left out."""
        import torch

        vectors = virtual(self.folder)
        ids = read_open(self.folder, prompt).ids
        check_begun(ids, vectors)
        before = spell(self.folder, ids)
        logits = self.folder.network(**inputs(self.folder, ids, vectors)).logits[0, -1]
        values, numbers = torch.log_softmax(logits.float(), -1).sort(descending=True, stable=True)
        ending = ends(self.folder)
        found: list[tuple[str, float]] = []
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True):
            text = "" if number in ending else spell(self.folder, [*ids, number])[len(before) :]
            if number in ending or (text and "\ufffd" not in text):
                found.append((text, value))
            if len(found) == k:
                break
        return found

    def _log_probabilities(self, ids: Sequence[int], forced: Sequence[int], vectors: Tensor | None) -> Tensor:
        """log P of each forced token. # (n,)"""
        import torch

        logits = self.folder.network(**inputs(self.folder, [*ids, *forced], vectors)).logits[0]
        chosen = torch.log_softmax(logits[-len(forced) - 1 : -1].float(), -1)
        return chosen.gather(1, torch.tensor(list(forced))[:, None])[:, 0]


def check_begun(ids: Sequence[int], vectors: Tensor | None) -> None:
    """Refuse a prompt without a single token: nothing follows nothing."""
    if not ids and vectors is None:
        raise OptionError("an empty prompt leaves this model nothing to begin with; give the prompt some text")
