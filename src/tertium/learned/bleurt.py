"""BLEURT (Sellam et al. 2020): `[CLS] reference [SEP] output [SEP]` is read, and one number made of [CLS]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.learned.batches import in_batches, pad
from tertium.learned.encoders import make_encoder
from tertium.learned.encoders.bert import Bert
from tertium.learned.memory import Memo, read_once
from tertium.learned.recognition import belongs_elsewhere, recognise
from tertium.learned.tokenizer import Tokenizer, check_special, read_tokenizer
from tertium.learned.weights import Weights, cast, need_torch, read_json, read_weights

if TYPE_CHECKING:
    from torch import Tensor


class Pairs(NamedTuple):
    """References and outputs, read together."""

    rows: list[list[int]]  # ids, with the special ones
    begins: list[int]  # where the output begins
    cut: list[bool]  # which pairs were too long


@dataclass(frozen=True)
class BleurtModel:
    """A network and its tokenizer."""

    weights: Weights
    encoder: Bert
    tokenizer: Tokenizer
    device: str = "cpu"

    def read(self, references: Sequence[str], outputs: Sequence[str], memo: Memo | None = None) -> Pairs:
        """Ids of pairs; references, which many outputs stand beside, are read once where there is a memory."""
        tokens = self.tokenizer
        room = min(tokens.longest, self.encoder.longest) - 3
        rows, begins, cut = [], [], []
        beside = tokens.read(references) if memo is None else read_once(memo, references, tokens.read)
        for reference, output in zip(beside, tokens.read(outputs), strict=True):
            one, two = _shorten(len(reference.ids), len(output.ids), room)
            begins.append(one + 2)
            rows.append([*tokens.start, *reference.ids[:one], *tokens.between, *output.ids[:two], *tokens.end])
            cut.append(one + two < len(reference.ids) + len(output.ids))
        return Pairs(rows, begins, cut)

    def score(self, pairs: Pairs, run: Run) -> Iterator[tuple[list[int], list[float]]]:
        """A number for each pair, with no bounds; some at a time: their numbers, the scores."""
        import torch

        def work(numbers: list[int]) -> list[float]:
            ids, mask = pad([pairs.rows[k] for k in numbers], self.encoder.pad, self.device)
            starts = torch.tensor([pairs.begins[k] for k in numbers], device=self.device)
            second = torch.arange(ids.shape[1], device=self.device)[None, :] >= starts[:, None]
            with torch.inference_mode():
                return self._number(ids, mask, (second & mask).long()).cpu().double().tolist()  # type: ignore[no-any-return]

        yield from in_batches([len(row) for row in pairs.rows], run, "reading outputs", work)

    def _number(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        *_, last = self.encoder.layers(ids, mask, segments)
        pooler = self.weights.part(self.encoder.weights.prefix) / "pooler.dense"
        pooled = pooler.linear(last[:, 0].float()).tanh()
        return (self.weights / "classifier").linear(pooled)[:, 0]


def _shorten(reference: int, output: int, room: int) -> tuple[int, int]:
    """How many ids of each are kept: one after the other is taken from the longer, from the output if both are as long.

    So google-research/bleurt has it; the fast tokenizers of transformers keep one id more of the other side where an
    odd number of ids is left.
    """
    while reference + output > room:
        if reference > output:
            reference -= 1
        else:
            output -= 1
    return reference, output


@lru_cache(maxsize=2)
def load_bleurt(name: str, folder: str, precision: str = "float32", device: str = "cpu") -> BleurtModel:
    """The network in a folder of the layout of transformers. The name has the content's digest."""
    need_torch("bleurt")
    root = Path(folder)
    if not (root / "config.json").is_file():
        found = recognise(root)
        if found is not None and not found.readable:
            raise InputError(
                f"{root}: TensorFlow's layout (bleurt_config.json, saved_model.pb) is not read; how to convert it is "
                f"in docs/howto/comet.md"
            )
        raise InputError(
            f"{root}: no config.json; a BLEURT model is a folder with config.json and weights"
            f"{belongs_elsewhere(root, 'bleurt')}"
        )
    weights = read_weights(root, name, "float32", device)
    if "classifier.weight" not in weights:
        raise InputError(f"{root}: has no classifier, as BLEURT has{belongs_elsewhere(root, 'bleurt')}")
    tokenizer = read_tokenizer(root)
    check_special(tokenizer, root)
    # Only the encoder, which is nearly all of the work, is done in half precision where that is wanted.
    inside = weights if precision == "float32" else cast(weights.tensors, name, precision, device)
    return BleurtModel(weights, make_encoder(read_json(root / "config.json"), inside), tokenizer, device)
