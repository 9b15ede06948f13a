"""BERTScore (Zhang et al. 2020): every token is matched with the most similar one of the other text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.learned.batches import batches, pad
from tertium.learned.encoders import make_encoder
from tertium.learned.encoders.bert import Bert
from tertium.learned.recognition import belongs_elsewhere
from tertium.learned.tokenizer import Tokenizer, check_special, read_tokenizer
from tertium.learned.weights import need_torch, read_json, read_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BLOCK = 512  # pairs of texts whose tokens are held at a time
SIDES = ("outputs", "references")


@dataclass(frozen=True)
class Frequencies:
    """In how many references each id occurs; those of parts of a test set add up."""

    counts: Counter[int]
    references: int

    def merge(self, other: Frequencies) -> Frequencies:
        """Those of both parts."""
        return Frequencies(self.counts + other.counts, self.references + other.references)

    def weigh(self, ids: Sequence[int]) -> list[float]:
        """How rare ids are: ln((N + 1) / (occurrences + 1))."""
        return [math.log((self.references + 1) / (self.counts[number] + 1)) for number in ids]


@dataclass(frozen=True)
class BertscoreModel:
    """An encoder and its tokenizer."""

    encoder: Bert
    tokenizer: Tokenizer
    prefix: str = ""  # before each text: a word is another at the beginning, for RoBERTa
    device: str = "cpu"

    def read(self, texts: Sequence[str]) -> tuple[list[list[int]], NDArray[np.bool_]]:
        """Ids of stripped texts with the special ones around them, and which texts were too long."""
        import numpy as np

        start, end = self.tokenizer.start, self.tokenizer.end
        room = min(self.tokenizer.longest, self.encoder.longest) - len(start) - len(end)
        stripped = [text.strip() for text in texts]
        found = [tokens.ids for tokens in self.tokenizer.read([text and self.prefix + text for text in stripped])]
        return [[*start, *ids[:room], *end] for ids in found], np.array([len(ids) > room for ids in found], dtype=bool)

    def compare(
        self,
        outputs: Sequence[Sequence[int]],
        references: Sequence[Sequence[int]],
        layer: int,
        frequencies: Frequencies | None,
        run: Run,
    ) -> NDArray[np.float64]:
        """F1, precision and recall of each pair; a block of pairs at a time, since tokens need much memory. # (n, 3)"""
        import numpy as np

        found = []
        for first in range(0, len(outputs), BLOCK):
            sides = [side[first : first + BLOCK] for side in (outputs, references)]
            encoded = [self.encode(side, layer, run, what) for side, what in zip(sides, SIDES, strict=True)]
            weights = [[self.weigh(row, frequencies) for row in side] for side in sides]
            found += [match(a, b, v, w, self.special) for a, b, v, w in zip(*encoded, *weights, strict=True)]
        return np.array(found).reshape(len(outputs), 3)

    def encode(self, rows: Sequence[Sequence[int]], layer: int, run: Run, what: str) -> list[Vectors]:
        """A vector of length 1 for each id: the output of a block, the last if 0. Texts that are the same are read
        once. # n x (m, d)"""
        import torch
        from torch.nn.functional import normalize

        distinct = [list(row) for row in dict.fromkeys(map(tuple, rows))]
        made: dict[tuple[int, ...], Vectors] = {}
        for numbers in batches(distinct, run, f"encoding {what}"):
            ids, mask = pad([distinct[k] for k in numbers], self.encoder.pad, self.device)
            with torch.inference_mode():
                for number, each in enumerate(self.encoder.layers(ids, mask)):
                    if number == (layer or self.encoder.blocks):
                        found = normalize(each.float(), dim=-1).cpu().numpy()
                        break
            for k, vectors in zip(numbers, found, strict=True):
                made[tuple(distinct[k])] = vectors[: len(distinct[k])].copy()
        return [made[tuple(row)] for row in rows]

    @property
    def special(self) -> int:
        """How many ids are around a text."""
        return len(self.tokenizer.start) + len(self.tokenizer.end)

    def weigh(self, row: Sequence[int], frequencies: Frequencies | None) -> NDArray[np.float64]:
        """What each id counts: special ones nothing, others 1, or by how rare they are. # (m,)"""
        import numpy as np

        weights = np.ones(len(row)) if frequencies is None else np.array(frequencies.weigh(row))
        weights[: len(self.tokenizer.start)] = 0
        weights[len(row) - len(self.tokenizer.end) :] = 0
        return weights


def match(
    output: Vectors,
    reference: Vectors,
    output_weights: NDArray[np.float64],
    reference_weights: NDArray[np.float64],
    special: int,
) -> tuple[float, float, float]:
    """F1, precision and recall: means of the best cosine of every token; 0 where a text has no token, NaN where those
    that it has count nothing (all references hold them).

    A text is compared as it is. bert-score pads texts that it reads together, and takes 0 for the best cosine of a
    token whose similarities are all negative, if its partner is padded.
    """
    if min(len(output_weights), len(reference_weights)) <= special:
        return 0.0, 0.0, 0.0
    if not output_weights.sum() or not reference_weights.sum():
        return math.nan, math.nan, math.nan
    similarity = output @ reference.T  # (m, n)
    precision = float(similarity.max(1) @ output_weights / output_weights.sum())
    recall = float(similarity.max(0) @ reference_weights / reference_weights.sum())
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), precision, recall


@lru_cache(maxsize=2)
def load_bertscore(
    name: str, folder: str, layer: int, precision: str = "float32", device: str = "cpu"
) -> BertscoreModel:
    """The encoder in a folder of the layout of transformers. The name has the content's digest."""
    need_torch("bertscore")
    root = Path(folder)
    if not (root / "config.json").is_file():
        raise InputError(
            f"{root}: no config.json; an encoder is a folder with config.json, weights and a tokenizer"
            f"{belongs_elsewhere(root, 'bertscore')}"
        )
    config = read_json(root / "config.json")
    if config.get("model_type") in ("mt5", "t5"):  # BLEURT's encoder could be used, an mT5 could not
        raise InputError(f"{root}: its config.json says no encoder that is known{belongs_elsewhere(root, 'bertscore')}")
    encoder = make_encoder(config, read_weights(root, name, precision, device))
    if layer > encoder.blocks:
        raise OptionError(f"bertscore: layer={layer}, but {name} has {encoder.blocks} layers")
    tokenizer = read_tokenizer(root)
    check_special(tokenizer, root)
    return BertscoreModel(encoder, tokenizer, " " if config["model_type"] == "roberta" else "", device)
