"""The weights of a network: read without running anything that a file holds, and taken apart by their names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import is_zipfile

from tertium.core.errors import InputError, MissingPackageError
from tertium.learned.products import multiply

if TYPE_CHECKING:
    from torch import Tensor

FILES = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
PRECISIONS = ("float32", "bfloat16", "float16")
OLD_PICKLE = b"\x80\x02"  # how files of torch begin that are no archives
ALIGNMENT = 64  # bytes
POINTER = b"version https://git-lfs"


@dataclass(frozen=True)
class Weights:
    """Named tensors, or those of a part: `weights / "encoder.layer.0"`."""

    tensors: Mapping[str, Tensor]
    name: str  # of the model, for errors
    prefix: str = ""

    def __truediv__(self, part: str) -> Weights:
        return self.part(f"{part}.")

    def part(self, prefix: str) -> Weights:
        """The tensors whose names begin so."""
        return Weights(self.tensors, self.name, self.prefix + prefix)

    def __contains__(self, name: object) -> bool:
        return f"{self.prefix}{name}" in self.tensors

    def __iter__(self) -> Iterator[str]:
        return (name.removeprefix(self.prefix) for name in self.tensors if name.startswith(self.prefix))

    def __getitem__(self, name: str) -> Tensor:
        if name not in self:
            raise InputError(
                f"{self.name}: there is no weight {self.prefix + name!r}; is it another kind of model, or part of one?"
            )
        return self.tensors[self.prefix + name]

    def linear(self, x: Tensor) -> Tensor:
        """W x + b, or W x where there is no b."""
        return multiply(x, self["weight"], self["bias"] if "bias" in self else None)  # noqa: SIM401

    def layer_norm(self, x: Tensor, eps: float) -> Tensor:
        """Mean 0 and variance 1 over the last axis, then scaled and moved; in single precision."""
        from torch.nn.functional import layer_norm

        return layer_norm(x.float(), x.shape[-1:], self["weight"].float(), self["bias"].float(), eps)

    def embed(self, ids: Tensor) -> Tensor:
        """The rows of these numbers, in single precision, in which everything is added up."""
        from torch.nn.functional import embedding

        return embedding(ids, self["weight"]).float()


def need_torch(owner: str) -> None:
    """Say what to install, where torch is not."""
    if not all(map(find_spec, ("torch", "tokenizers", "safetensors", "sentencepiece", "yaml"))):
        raise MissingPackageError(f'{owner} needs torch and packages around it: pip install "tertium[neural]"')


def read_json(path: Path) -> Any:
    """A small file such as config.json."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except ValueError:
        raise InputError(f"{path}: not JSON; is the download complete?") from None


def read_weights(folder: Path, name: str, precision: str = "float32", device: str = "cpu") -> Weights:
    """The weights in a folder: safetensors or torch's own format, in one file or several."""
    return cast(read_raw(folder), name, precision, device)


def read_raw(folder: Path) -> Mapping[str, Any]:
    """The tensors in a folder, as they are stored."""
    return {name: tensor for each in weight_files(folder) for name, tensor in read_tensors(each).items()}


def weight_files(folder: Path) -> list[Path]:
    """The files with a folder's weights."""
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None:
        raise InputError(f"{folder}: no weights; expected model.safetensors or pytorch_model.bin")
    return _shards(path) if path.suffix == ".json" else [path]


def cast(tensors: Mapping[str, Any], name: str, precision: str, device: str) -> Weights:
    """Weights with the precision in which sums are to be done, where they are to be done.

    Vectors (biases, scales of layer norms) stay in single precision: they take no room, and rounding the scales alone
    does as much harm to a score as rounding all matrices.
    """
    import torch

    half = getattr(torch, precision)

    def kind(each: Tensor) -> torch.dtype | None:
        return None if not each.is_floating_point() else half if each.ndim > 1 else torch.float32

    with torch.inference_mode():
        made = {key: each.to(device, kind(each)) for key, each in tensors.items()}
        return Weights({key: _aligned(each) for key, each in made.items()}, name)


def _aligned(tensor: Tensor) -> Tensor:
    """The same numbers where vector instructions like them to lie. In a file of safetensors they lie anywhere, and the
    last bits of sums would depend on how long its header is."""
    return tensor.clone() if tensor.data_ptr() % ALIGNMENT else tensor


def _shards(index: Path) -> list[Path]:
    names = sorted(set(read_json(index).get("weight_map", {}).values()))
    for name in names:
        if Path(name).name != name:
            raise InputError(f"{index}: {name!r} is not a file of this folder")
        if not (index.parent / name).is_file():
            raise InputError(f"{index.parent}: {name} is missing, of {len(names)} files; is the download complete?")
    return [index.parent / name for name in names]


def read_tensors(path: Path) -> Mapping[str, Any]:
    """The tensors of one file, whatever its format."""
    if path.suffix != ".safetensors":
        return read_archive(path)
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)  # type: ignore[no-any-return]
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path}: cannot be read ({error}); {reason(path)}") from None


def read_archive(path: Path, *, mapped: bool = False) -> Mapping[str, Any]:
    """A file of torch: tensors and plain values. One that wants to run code is refused. Where it is mapped, tensors are
    read from the disk as they are needed; old files, which are no archives, cannot be."""
    import torch

    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if not is_zipfile(path) and _start(path)[:2] != OLD_PICKLE:
        raise InputError(f"{path}: cannot be read as weights; {reason(path)}")
    try:
        found = torch.load(str(path), map_location="cpu", weights_only=True, mmap=mapped and is_zipfile(path))
    except Exception as error:  # pickle's, zipfile's and torch's own, by the way in which the file is broken
        said = " ".join(str(error).split())
        if "weights_only" in said or "Unsupported" in said:
            raise InputError(
                f"{path}: holds more than tensors and plain values, and reading it could run whatever it says; "
                f"it was not read. Get the weights from who made them, as safetensors if they have them"
            ) from None
        raise InputError(f"{path}: cannot be read ({said[:120]}); {reason(path)}") from None
    if not isinstance(found, Mapping):
        raise InputError(f"{path}: holds a {type(found).__name__}, not named weights")
    return found


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(POINTER))


def reason(path: Path) -> str:
    """What has most likely happened to a file that cannot be read."""
    if _start(path) == POINTER:
        return "it only says where the weights are (Git LFS): get the file itself (git lfs pull)"
    return f"it has {path.stat().st_size:,} bytes: is the download complete?"
