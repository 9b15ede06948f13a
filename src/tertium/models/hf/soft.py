"""Soft prompts: virtual tokens before a prompt, vectors that no text has (Lester et al. 2021). They fit one model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.run import Model
from tertium.io.files import read_bytes, write_atomically

TENSOR, HEADER = "virtual_tokens", "tertium_soft_prompt"
FORMAT = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class SoftPrompt:
    """Vectors, and what they were trained for."""

    vectors: Any  # (m, d), in single precision
    about: dict[str, Any]  # model, template, text that they began as, seed, curve
    name: str = "soft"
    digest: str = ""  # SHA-256 of the file

    @property
    def data(self) -> bytes:
        """One safetensors file; what it is for stands in its header, as JSON."""
        from safetensors.torch import save

        told = json.dumps({"format": FORMAT, **self.about}, ensure_ascii=False, sort_keys=True)
        made: bytes = save({TENSOR: self.vectors.detach().contiguous()}, {HEADER: told})
        return made

    def write(self, path: str | Path) -> None:
        """Keep it in a file, whole or not at all."""
        with write_atomically(path) as file:
            file.write(self.data)


def read_soft_prompt(path: str, model: Model, width: int) -> SoftPrompt:
    """The soft prompt in a file, if it was trained for this model."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    data = bytes(read_bytes(path))
    try:
        vectors = load(data)[TENSOR]
        about = json.loads(_header(data)[HEADER])
        trained, form = str(about["model"]), about["format"]
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path}: not a soft prompt; tertium prompt train writes them") from None
    if form != FORMAT:
        raise InputError(f"{path}: format {form!r} of soft prompts; format {FORMAT} is known")
    if trained.rpartition("@")[2] != model.digest:
        raise OptionError(
            f"{path}: was trained for {_short(trained)}, and this is {model.text}; train one for this model"
        )
    if vectors.ndim != 2 or vectors.shape[1] != width or not len(vectors) or not bool(vectors.isfinite().all()):
        raise InputError(f"{path}: its vectors do not fit the model, or are not finite; train it again")
    return SoftPrompt(vectors=vectors.float(), about=about, name=Path(path).stem, digest=sha256(data).hexdigest())


def _header(data: bytes) -> dict[str, str]:
    """What stands in the header of a safetensors file beside its tensors."""
    size = int.from_bytes(data[:8], "little")
    found: dict[str, str] = json.loads(data[8 : 8 + size])["__metadata__"]
    return found


def _short(text: str) -> str:
    name, _, digest = text.rpartition("@")
    return f"{name}@{digest[:8]}"
