"""BLEURT (Sellam et al. 2020): `[CLS] reference [SEP] output [SEP]` is read, and one number made of [CLS]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.learned.batches import batches, pad
from tertium.learned.encoders import make_encoder
from tertium.learned.encoders.bert import Bert
from tertium.learned.recognition import belongs_elsewhere, recognise
from tertium.learned.tokenizer import Tokenizer, check_special, read_tokenizer
from tertium.learned.weights import Weights, cast, need_torch, read_json, read_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor


@dataclass(frozen=True)
class BleurtModel:
    """A network and its tokenizer."""

    weights: Weights
    encoder: Bert
    tokenizer: Tokenizer
    device: str = "cpu"

    def read(
        self, references: Sequence[str], outputs: Sequence[str]
    ) -> tuple[list[list[int]], list[int], NDArray[np.bool_]]:
        """Ids of pairs, where the output begins in each, and which were too long."""
        import numpy as np

        tokens = self.tokenizer
        room = min(tokens.longest, self.encoder.longest) - 3
        rows, begins, cut = [], [], []
        for reference, output in zip(tokens.read(references), tokens.read(outputs), strict=True):
            one, two = _shorten(len(reference.ids), len(output.ids), room)
            begins.append(one + 2)
            rows.append([*tokens.start, *reference.ids[:one], *tokens.between, *output.ids[:two], *tokens.end])
            cut.append(one + two < len(reference.ids) + len(output.ids))
        return rows, begins, np.array(cut, dtype=bool)

    def score(self, rows: Sequence[Sequence[int]], begins: Sequence[int], run: Run) -> NDArray[np.float64]:
        """One number for each pair, with no bounds. # (n,)"""
        import numpy as np
        import torch

        values = np.zeros(len(rows))
        for numbers in batches(rows, run, "reading outputs"):
            ids, mask = pad([rows[k] for k in numbers], self.encoder.pad, self.device)
            starts = torch.tensor([begins[k] for k in numbers], device=self.device)
            second = torch.arange(ids.shape[1], device=self.device)[None, :] >= starts[:, None]
            with torch.inference_mode():
                values[numbers] = self._number(ids, mask, (second & mask).long()).cpu().double().numpy()
        return values

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
