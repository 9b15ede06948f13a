"""MetricX-23 and -24 (Juraska et al. 2023, 2024): an mT5 whose first step says how many errors an output has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.learned.batches import in_batches, pad
from tertium.learned.mt5 import Mt5
from tertium.learned.mt5_tokenizer import TOKENIZATIONS, read_mt5_tokenizer
from tertium.learned.recognition import belongs_elsewhere
from tertium.learned.tokenizer import Tokenizer
from tertium.learned.weights import need_torch, read_json, read_weights

# What is read, word for word, and how many tokens of it.
FORMATS = {
    "24-ref": ("source: {source} candidate: {output} reference: {reference}", 1536),
    "24-qe": ("source: {source} candidate: {output}", 1536),
    "23-ref": ("candidate: {output} reference: {reference}", 1024),
    "23-qe": ("candidate: {output} source: {source}", 1024),
}
SCORE_TOKEN = 250089  # <extra_id_10> of mT5, eleven before the last of 250,100 pieces
LOW, HIGH = 0.0, 25.0  # as MQM counts errors


@dataclass(frozen=True)
class MetricxModel:
    """A network and its tokenizer."""

    network: Mt5
    tokenizer: Tokenizer
    device: str = "cpu"

    @property
    def score_token(self) -> int:
        """The token whose logit is the score; smaller vocabularies have it in the same place from their end."""
        rows = len((self.network.weights / "lm_head")["weight"])
        return SCORE_TOKEN if rows > SCORE_TOKEN else self.tokenizer.size - 11

    def read(self, texts: Sequence[str], longest: int) -> tuple[list[list[int]], list[bool]]:
        """Ids with nothing after them; one fewer than the longest, as the program cuts, then drops what ends them; and
        which texts were too long."""
        found = [tokens.ids for tokens in self.tokenizer.read(texts)]
        return [ids[: longest - 1] for ids in found], [len(ids) > longest - 1 for ids in found]

    def score(self, rows: Sequence[Sequence[int]], run: Run) -> Iterator[tuple[list[int], list[float]]]:
        """The logit of the score token, no less than 0 and no more than 25; some at a time: their numbers, scores."""
        import torch

        def work(numbers: list[int]) -> list[float]:
            ids, mask = pad([rows[k] for k in numbers], self.network.pad, self.device)
            with torch.inference_mode():
                logits = self.network.logit(ids, mask, self.score_token)
                return logits.cpu().double().clip(LOW, HIGH).tolist()  # type: ignore[no-any-return]

        yield from in_batches([len(row) for row in rows], run, "reading outputs", work)


@lru_cache(maxsize=2)
def load_metricx(
    name: str,
    folder: str,
    tokenizer: tuple[str, str] | None,
    tokenization: str = TOKENIZATIONS[0],
    precision: str = "float32",
    device: str = "cpu",
) -> MetricxModel:
    """The network in a folder, with the tokenizer (name and path) of another, or of the same. Names have the
    contents' digests, so that what has changed is read again."""
    need_torch("metricx")
    root = Path(folder)
    if not (root / "config.json").is_file():
        raise InputError(
            f"{root}: no config.json; a MetricX model is a folder with config.json and weights"
            f"{belongs_elsewhere(root, 'metricx')}"
        )
    if elsewhere := belongs_elsewhere(root, "metricx"):
        raise InputError(f"{root}: MetricX is an mT5{elsewhere}")
    network = Mt5(read_json(root / "config.json"), read_weights(root, name, precision, device))
    found = read_mt5_tokenizer(Path(tokenizer[1] if tokenizer else folder), tokenization)
    rows = len((network.weights / "shared")["weight"])
    if found.size > rows:
        raise InputError(f"metricx: the tokenizer has {found.size} tokens, but {name} knows {rows}; is it mT5's?")
    return MetricxModel(network, found, device)
