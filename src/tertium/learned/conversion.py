"""A model written anew: safetensors and JSON, with all small files that it needs, in a folder that loads by itself.

Matrices are stored in half precision where that is wanted; vectors (biases, scales, the mix of layers), which take
hardly any room, stay as exact as they are. Sums are done in single precision after loading, as before.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Model
from tertium.core.version import VERSION
from tertium.learned.checkpoint import read_checkpoint
from tertium.learned.inspection import beside, recognised
from tertium.learned.recognition import CONVERTED, read_object
from tertium.learned.tokenizer import FILES as TOKENIZERS
from tertium.learned.weights import PRECISIONS, need_torch, read_archive, read_tensors, weight_files

FORMAT = 1
SHARD = 4_000_000_000  # bytes of one file of weights
SMALL = ("config.json", *TOKENIZERS, "tokenizer_config.json", "special_tokens_map.json")
UNUSED = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")  # copies of mT5's `shared.weight`
LEGAL = ("LICENSE", "LICENSE.md", "LICENSE.txt", "README.md", "NOTICE")  # what goes along with a model


class Conversion(NamedTuple):
    """What was written."""

    metric: str
    before: int  # bytes
    after: int
    precision: str


def convert(origin: Model, target: str, encoder: str | None = None, precision: str = "float16") -> Conversion:
    """Write a model into a new folder; all of it, or nothing. `encoder` is the folder of a COMET model's encoder, or of
    MetricX's tokenizer."""
    need_torch("learn convert")
    if precision not in PRECISIONS:
        raise OptionError(f"precision {precision!r} is unknown; choose from {', '.join(PRECISIONS)}")
    root, out = Path(origin.path), Path(target)
    found = recognised(root)
    if out.exists():
        raise InputError(f"{out} is there already; name a folder that is not, or remove it")
    if not out.parent.is_dir():
        raise InputError(f"{out.parent}: no such folder")
    try:
        made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error})") from None
    try:
        said: dict[str, Any] = {"format": FORMAT, "metric": found.metric, "precision": precision, "tertium": VERSION}
        said["origin"] = _origin(root, origin)
        said |= (_comet if found.metric == "comet" else _folder)(root, made, encoder, precision, origin.text)
        (made / CONVERTED).write_text(json.dumps(said, indent=1, ensure_ascii=False, default=str), encoding="utf-8")
        for name in LEGAL:
            if (root / name).is_file():
                shutil.copyfile(root / name, made / name)
        _settle(made)
        made.chmod(0o777 & ~_umask())
        made.rename(out)
    except BaseException as error:
        shutil.rmtree(made, ignore_errors=True)
        if isinstance(error, OSError):
            raise InputError(f"{out}: cannot be written ({error.strerror or error})") from None
        raise
    return Conversion(found.metric, _bytes(root), _bytes(out), precision)


def _origin(root: Path, origin: Model) -> dict[str, str]:
    """What a model was before anything was done to it; one that is converted again keeps its first name."""
    known = read_object(root / CONVERTED).get("origin")
    return known if isinstance(known, dict) else {"name": origin.name, "sha256": origin.digest}


def _comet(root: Path, made: Path, encoder: str | None, precision: str, name: str) -> dict[str, Any]:
    kind, settings, tensors = read_checkpoint(root, mapped=True)
    folder = beside(root, encoder)
    if folder is None:
        raise InputError(
            f"{root}: neither the config.json nor the tokenizer of its encoder {settings.get('pretrained_model')} lies "
            f"in it; get these small files and name their folder (--encoder DIR)"
        )
    (made / "encoder").mkdir()
    _copy_small(folder, made / "encoder")
    write_weights(made, {key: each for key, each in tensors.items() if hasattr(each, "dtype")}, precision, name)
    return {"kind": kind, "hyper_parameters": settings}


def _folder(root: Path, made: Path, encoder: str | None, precision: str, name: str) -> dict[str, Any]:
    """The layout of transformers, which stays as it is."""
    tokenizer = Path(encoder) if encoder else root
    if not any((tokenizer / each).is_file() for each in TOKENIZERS):
        told = "" if encoder else "; name its folder (--encoder DIR)"
        raise InputError(f"{tokenizer}: no tokenizer; expected one of {', '.join(TOKENIZERS)}{told}")
    _copy_small(tokenizer, made)
    shutil.copyfile(root / "config.json", made / "config.json")
    tensors: dict[str, Any] = {}
    for path in weight_files(root):
        tensors |= read_tensors(path) if path.suffix == ".safetensors" else read_archive(path, mapped=True)
    if "shared.weight" in tensors:
        tensors = {key: each for key, each in tensors.items() if key not in UNUSED}
    write_weights(made, tensors, precision, name)
    return {}


def _copy_small(folder: Path, made: Path) -> None:
    for name in SMALL:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, made / name)


def write_weights(folder: Path, tensors: Mapping[str, Any], precision: str, name: str) -> None:
    """Files of safetensors, none of them much larger than a shard, so that no more than that is held in memory."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    parts = list(_parts(tensors, precision))
    index: dict[str, str] = {}
    for number, keys in enumerate(parts, 1):
        file = "model.safetensors" if len(parts) == 1 else f"model-{number:05d}-of-{len(parts):05d}.safetensors"
        made = {key: _stored(tensors[key], precision, f"{name}: {key}") for key in keys}
        try:
            save_file(made, folder / file)
            (folder / file).chmod(0o666 & ~_umask())  # safetensors lets nobody else read it
        except SafetensorError as error:  # which a full disk is to it
            raise OSError(str(error)) from None
        index |= dict.fromkeys(keys, file)
    if len(parts) > 1:
        told = {"metadata": {}, "weight_map": index}
        (folder / "model.safetensors.index.json").write_text(json.dumps(told, indent=1), encoding="utf-8")


def _parts(tensors: Mapping[str, Any], precision: str) -> Iterator[list[str]]:
    """Names of weights that go into one file."""
    width = 4 if precision == "float32" else 2
    part: list[str] = []
    size = 0
    for key, each in tensors.items():
        if part and size + width * each.numel() > SHARD:
            yield part
            part, size = [], 0
        part.append(key)
        size += width * each.numel()
    yield part


def _stored(tensor: Any, precision: str, what: str) -> Any:
    """A weight as it is written: a matrix in the wanted precision, a vector in single."""
    import torch

    if not tensor.is_floating_point():
        return tensor.clone().contiguous()
    kind = getattr(torch, precision) if tensor.dim() > 1 else torch.float32
    made = tensor.to(kind, copy=True).contiguous()
    if bool(torch.isinf(made).any()) and not bool(torch.isinf(tensor).any()):
        raise InputError(f"{what} has numbers that {precision} cannot hold; choose --precision bfloat16 or float32")
    return made


def _settle(folder: Path) -> None:
    """Have all files on the disk before the folder gets its name."""
    for path in folder.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
