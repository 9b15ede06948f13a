"""The folder of a model, as unbabel-comet has it, and what it takes to load it without the encoder's own folder.

hparams.yaml  checkpoints/model.ckpt    as unbabel-comet writes them
encoder/                                config.json and the tokenizer's files
training.json                           the curve, when the training is over
.training.state                         what a training that is not over needs to go on
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.io.files import write_atomically
from tertium.learned.tokenizer import FILES as TOKENIZERS
from tertium.learned.weights import read_json
from tertium.training.curve import Training, read_training

if TYPE_CHECKING:
    from torch import Tensor

RESULT, STATE = "training.json", ".training.state"
BESIDE = ("config.json", *TOKENIZERS, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
LIGHTNING = "2.0.0"  # the version of pytorch-lightning's layout that this is
NEVER = -1e20  # what unbabel-comet puts for a layer that it leaves out while it trains


class Noted:
    """A file that remembers why it could not be written: torch tells only that it could not."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        """Write, or note why not."""
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        """As a file has it."""
        self._file.flush()


def save_archive(value: Mapping[str, Any], path: Path) -> None:
    """Write tensors and plain values in torch's format, whole or not at all."""
    import torch

    with write_atomically(path) as file:
        noted = Noted(file)
        try:
            torch.save(dict(value), noted)
        except Exception:
            if noted.error is None:
                raise
            raise noted.error from None


def check_folder(out: Path, resume: bool) -> None:
    """Refuse to write over what is there, unless it is a training that is to go on."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; name a folder for the model")
    if not out.is_dir() or not any(out.iterdir()):
        return
    begun = any((out / name).is_file() for name in (STATE, RESULT))
    if begun and not resume:
        raise InputError(f"{out}: holds a training; go on with it (--resume), or name another folder")
    # A training that was stopped before its first state has made this folder, but no weights.
    early = resume and (out / "checkpoints").is_dir() and not (out / "checkpoints" / "model.ckpt").exists()
    if not begun and not early:
        raise InputError(f"{out}: is not empty, and holds no training; name another folder")


def sweep(out: Path) -> None:
    """Remove what a training that was killed while it wrote has left, and the state, when it is not needed any more."""
    left = [*out.glob(f".{STATE}.*"), *(out / "checkpoints").glob(".model.ckpt.*")]
    for path in [*left, *([out / STATE] if (out / RESULT).is_file() else [])]:
        path.unlink(missing_ok=True)


def prepare_folder(out: Path, encoder: Path, told: Mapping[str, Any]) -> None:
    """Make the folder, with everything but the weights."""
    import yaml

    try:
        for folder in (out / "checkpoints", out / "encoder"):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be made ({error.strerror or error})") from None
    for name in BESIDE:
        if (encoder / name).is_file():
            with write_atomically(out / "encoder" / name) as file:
                file.write((encoder / name).read_bytes())
    with write_atomically(out / "hparams.yaml") as file:
        file.write(yaml.safe_dump(dict(told), sort_keys=True).encode())


def save_checkpoint(out: Path, tensors: Mapping[str, Tensor], told: Mapping[str, Any], epoch: int, steps: int) -> None:
    """Write the weights."""
    import torch

    layers = sum(name.startswith("layerwise_attention.scalar_parameters.") for name in tensors)
    buffers = {"layerwise_attention.dropout_mask": torch.zeros(layers),
               "layerwise_attention.dropout_fill": torch.full((layers,), NEVER)}  # fmt: skip
    state = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    found = {"epoch": epoch, "global_step": steps, "pytorch-lightning_version": LIGHTNING}
    save_archive(
        {**found, "state_dict": state | buffers, "hyper_parameters": dict(told)}, out / "checkpoints" / "model.ckpt"
    )


def save_training(training: Training) -> None:
    """Write the curve: the last thing that a training does."""
    with write_atomically(Path(training.out) / RESULT) as file:
        file.write(json.dumps(training.told(), ensure_ascii=False, indent=1).encode() + b"\n")


def load_training(out: Path) -> Training | None:
    """The training that ended in this folder; None where none did."""
    if not (out / RESULT).is_file():
        return None
    try:
        return read_training(read_json(out / RESULT), str(out))
    except (TypeError, KeyError, AttributeError):
        raise InputError(f"{out / RESULT}: does not say how a model was trained; name another folder") from None
