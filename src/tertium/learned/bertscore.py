"""BERTScore (Zhang et al. 2020): every token is matched with the most similar one of the other text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Run
from tertium.learned.batches import in_batches, pad
from tertium.learned.encoders import make_encoder
from tertium.learned.encoders.bert import Bert
from tertium.learned.memory import ENTRY, TOKEN, Memo
from tertium.learned.recognition import belongs_elsewhere
from tertium.learned.tokenizer import Tokenizer, check_special, read_tokenizer
from tertium.learned.weights import need_torch, read_json, read_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Pair = tuple[list[int], list[int]]  # ids of an output and of a reference

BLOCK = 512  # pairs of texts whose tokens are held at a time
TOKENS_HELD = 512_000_000  # bytes of vectors of references' tokens that are held for the next system
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
class KnownReferences:
    """What is known of a test set's references: how often ids occur, where they are weighed, and vectors of tokens that
    were made for one system and serve for the next."""

    frequencies: Frequencies | None = None
    vectors: Memo = field(default_factory=lambda: Memo(TOKENS_HELD))
    scores: Memo = field(default_factory=Memo)

    @property
    def whole(self) -> str | None:
        """How rows depend on the whole test set: with idf."""
        return "with idf, a token counts by how many of all references have it" if self.frequencies else None

    def merge(self, other: KnownReferences) -> KnownReferences:
        """Those of both parts."""
        both = self.frequencies and other.frequencies and self.frequencies.merge(other.frequencies)
        return KnownReferences(both, self.vectors.merge(other.vectors), self.scores.merge(other.scores))


@dataclass(frozen=True)
class BertscoreModel:
    """An encoder and its tokenizer."""

    encoder: Bert
    tokenizer: Tokenizer
    prefix: str = ""  # before each text: a word is another at the beginning, for RoBERTa
    device: str = "cpu"

    def read(self, texts: Sequence[str]) -> tuple[list[list[int]], list[bool]]:
        """Ids of stripped texts with the special ones around them, and which texts were too long."""
        start, end = self.tokenizer.start, self.tokenizer.end
        room = min(self.tokenizer.longest, self.encoder.longest) - len(start) - len(end)
        stripped = [text.strip() for text in texts]
        found = [tokens.ids for tokens in self.tokenizer.read([text and self.prefix + text for text in stripped])]
        return [[*start, *ids[:room], *end] for ids in found], [len(ids) > room for ids in found]

    def compare(
        self, pairs: Sequence[Pair], layer: int, known: KnownReferences, run: Run
    ) -> Iterator[tuple[list[int], list[tuple[float, float, float]]]]:
        """F1, precision and recall of each pair; some at a time, since tokens need much memory: their numbers, the
        scores. KnownReferences that were read for another system are not read again."""
        order = sorted(range(len(pairs)), key=lambda k: -max(map(len, pairs[k])))
        blocks = [order[first : first + BLOCK] for first in range(0, len(order), BLOCK)]
        for block, numbers in enumerate(blocks, 1):
            part = f" (part {block} of {len(blocks)})" if len(blocks) > 1 else ""
            made = [
                self.encode([pairs[k][side] for k in numbers], layer, run, what + part, memo)
                for side, (what, memo) in enumerate(zip(SIDES, (Memo(0), known.vectors), strict=True))
            ]
            found = []
            for k in numbers:
                one, two = (vectors[tuple(row)] for vectors, row in zip(made, pairs[k], strict=True))
                v, w = (self.weigh(row, known.frequencies) for row in pairs[k])
                found.append(match(one, two, v, w, self.special))
            yield numbers, found

    def encode(
        self, rows: Sequence[Sequence[int]], layer: int, run: Run, what: str, memo: Memo
    ) -> dict[tuple[int, ...], Vectors]:
        """A vector of length 1 for each id: the output of a block, the last if 0. Texts that are the same are read
        once, and not at all if they are remembered. # (m, d) each"""
        found = memo.find([tuple(row) for row in rows])
        lacking = [row for row in dict.fromkeys(map(tuple, rows)) if row not in found]

        def work(numbers: list[int]) -> list[Vectors]:
            return self._vectors([lacking[k] for k in numbers], layer)

        for numbers, made in in_batches([len(row) for row in lacking], run, f"encoding {what}", work):
            for k, vectors in zip(numbers, made, strict=True):
                found[lacking[k]] = vectors
                memo.keep(lacking[k], vectors, vectors.nbytes + ENTRY + TOKEN * len(lacking[k]))
        return found

    def _vectors(self, rows: Sequence[Sequence[int]], layer: int) -> list[Vectors]:
        import torch
        from torch.nn.functional import normalize

        ids, mask = pad(rows, self.encoder.pad, self.device)
        with torch.inference_mode():
            chosen = islice(self.encoder.layers(ids, mask), layer or self.encoder.blocks, None)
            found = normalize(next(chosen).float(), dim=-1).cpu().numpy()
        return [vectors[: len(row)].copy() for row, vectors in zip(rows, found, strict=True)]

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
