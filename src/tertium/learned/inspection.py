"""What a model is and what it needs, told without computing anything: names and shapes of weights, and small files.

Of safetensors the header is read alone; files of torch are mapped, so that a model of many gigabytes is looked at in a
moment. What is in a checkpoint stays there: nothing that it holds is run.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.learned.checkpoint import KINDS, completed, read_checkpoint, read_yaml
from tertium.learned.comet import BOTH, JOINT, READ, SOURCE, TRAINING, inputs_of
from tertium.learned.coverage import coverage
from tertium.learned.encoders import PREFIXES
from tertium.learned.mt5_tokenizer import TOKENIZATIONS, found_in
from tertium.learned.recognition import CONVERTED, Recognised, read_object, recognise
from tertium.learned.tokenizer import FILES as TOKENIZERS
from tertium.learned.tokenizer import longest_of
from tertium.learned.weights import need_torch, read_archive, reason, weight_files

PRECISIONS = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64"}
CARD = re.compile(r"\A---[ \t\r]*\n(.*?)\n---", re.DOTALL)  # what stands before the text of a model card
LICENCE = re.compile(r"^license:\s*[\"']?([\w.+-]+)", re.MULTILINE)
FORMATS = ("", ', format="24-qe"', ', format="23-ref"', ', format="23-qe"')  # the options of MetricX's releases
PERSONAL = "many checkpoints of this kind are for non-commercial use alone (CC BY-NC-SA 4.0); see the model card"


@dataclass(frozen=True)
class Weight:
    """The shape of a weight, and how it is stored."""

    shape: tuple[int, ...]
    kind: str

    @property
    def numbers(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What can be said of a model. What nothing says is None."""

    metric: str  # the metric that it is for
    kind: str
    path: str
    encoder: str | None = None  # its network, as config.json says it
    parameters: int
    precision: str
    layers: int | None = None
    width: int | None = None
    heads: int | None = None
    vocabulary: int | None = None
    longest: int | None = None  # ids of an input
    bytes: int
    inputs: tuple[str, ...] = ()  # what it can read beside the output
    languages: str | None = None
    licence: str | None = None
    origin: str | None = None  # of a converted model: what it was
    hyper_parameters: Mapping[str, Any] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()  # hyper-parameters that mean nothing here
    needs: tuple[str, ...] = ()  # what is missing
    write: tuple[str, ...] = ()  # the metric as it is written, for each way of using it


def inspect(path: str, encoder: str | None = None) -> Inspection:
    """What a folder holds; `encoder` is the folder with the small files of a COMET model's encoder, or the tokenizer of
    a MetricX model."""
    root = Path(path)
    found = recognised(root)
    look = {"comet": _comet, "metricx": _metricx}.get(found.metric, _encoder)
    return look(root, found, encoder)


def recognised(root: Path) -> Recognised:
    """What a folder is; an error where it is nothing that can be read."""
    if root.is_file():
        raise InputError(
            f"{root} is a file; name the folder that holds the model (for COMET, the one with hparams.yaml)"
        )
    if not root.is_dir():
        raise InputError(f"{root}: no such folder")
    found = recognise(root)
    if found is None:
        said = read_object(root / "config.json").get("model_type")
        told = f" its config.json says {said!r}" if said else " it has neither hparams.yaml nor config.json"
        raise InputError(f"{root}: no model that is known here;{told}. Known: COMET, BLEURT, MetricX, encoders")
    if not found.readable:
        raise InputError(f"{root}: {found.title}, which is not read; how to convert it is in docs/howto/comet.md")
    return found


def _comet(root: Path, found: Recognised, encoder: str | None) -> Inspection:
    converted = read_object(root / CONVERTED)
    if converted:
        kind, said, weights = str(converted.get("kind")), dict(converted.get("hyper_parameters", {})), shapes(root)
    else:
        need_torch("learn inspect")
        read_yaml(root)  # says what is wrong with it before anything large is opened
        kind, said, tensors = read_checkpoint(root, mapped=True)
        weights = _shapes_of(tensors)
    settings = completed(kind, said)
    folder = beside(root, encoder)
    config = {} if folder is None else read_object(folder / "config.json")
    inputs = inputs_of(kind, settings)
    named = "" if folder is None or folder in (root, root / "encoder") else f', encoder="{folder}"'
    needs: tuple[str, ...] = ()
    if folder is None:
        named = ', encoder="DIR"'
        needs = (
            f"the config.json and the tokenizer of its encoder {settings.get('pretrained_model')} (--encoder DIR)",
        )
    free = kind == "xcomet_metric" or inputs == (SOURCE,)
    return Inspection(
        metric=found.metric,
        kind=KINDS.get(kind, kind),
        path=str(root),
        inputs=inputs,
        licence=_licence(root) or (PERSONAL if free else None),
        origin=_origin(converted),
        hyper_parameters=said,
        unknown=tuple(sorted(set(said) - READ - TRAINING)),
        needs=needs,
        write=tuple(f'comet(model="{root}"{named}{_option(each)})' for each in inputs),
        **_sizes(root, config, weights, "encoder.model.", 2 if kind in JOINT else 4),
    )


def _option(inputs: str) -> str:
    return "" if inputs == BOTH else f', inputs="{inputs}"'


def _metricx(root: Path, found: Recognised, encoder: str | None) -> Inspection:
    """An mT5; nothing in its folder says of which release it is, nor whether it was trained with references."""
    config, converted = read_object(root / "config.json"), read_object(root / CONVERTED)
    folder = next((each for each in (Path(encoder) if encoder else root, root) if has_tokenizer(each)), None)
    named = "" if folder == root else f', tokenizer="{folder or "DIR"}"'
    tokenization = found_in(folder) if folder else TOKENIZATIONS[0]
    named += "" if tokenization == TOKENIZATIONS[0] else f', tokenization="{tokenization}"'
    weights = shapes(root)
    shared = weights.get("shared.weight")
    sizes = _sizes(root, config, weights, "") | {
        "layers": config.get("num_layers"),
        "heads": config.get("num_heads"),
        "width": None if shared is None else shared.shape[1],
        "vocabulary": None if shared is None else shared.shape[0],
        "longest": 1536,
    }
    return Inspection(
        metric=found.metric,
        kind="MetricX (23 or 24: nothing in the folder says which)",
        path=str(root),
        licence=_licence(root),
        origin=_origin(converted),
        needs=() if folder else ("mT5's tokenizer: spiece.model or tokenizer.json (--encoder DIR)",),
        write=tuple(f'metricx(model="{root}"{named}{each})' for each in FORMATS),
        **sizes,
    )


def _encoder(root: Path, found: Recognised, _: str | None) -> Inspection:
    """BLEURT, or an encoder by itself."""
    config, weights = read_object(root / "config.json"), shapes(root)
    prefix = next((each for each in PREFIXES if f"{each}embeddings.word_embeddings.weight" in weights), "")
    return Inspection(
        metric=found.metric,
        kind="BLEURT" if found.metric == "bleurt" else "encoder, for BERTScore",
        path=str(root),
        licence=_licence(root),
        origin=_origin(read_object(root / CONVERTED)),
        needs=() if has_tokenizer(root) else (f"a tokenizer in its folder: {', '.join(TOKENIZERS)}",),
        write=(f'{found.metric}(model="{root}")',),
        **_sizes(root, config, weights, prefix, _reserved(config)),
    )


def _reserved(config: Mapping[str, Any]) -> int:
    """Positions that no input can have: RoBERTa's begin after that of padding."""
    return int(config.get("pad_token_id") or 0) + 1 if "roberta" in str(config.get("model_type")) else 0


def _sizes(
    root: Path, config: Mapping[str, Any], weights: Mapping[str, Weight], prefix: str, reserved: int = 0
) -> dict[str, Any]:
    """What the shapes of weights say, and config.json where they say nothing."""
    words = weights.get(f"{prefix}embeddings.word_embeddings.weight")
    places = weights.get(f"{prefix}embeddings.position_embeddings.weight")
    query = weights.get(f"{prefix}encoder.layer.0.attention.self.query.weight")
    blocks = {name.split(".")[k] for name in weights for k in _numbered(name, prefix)}
    stored = {weight.kind for weight in weights.values() if weight.kind in PRECISIONS and len(weight.shape) > 1}
    found = coverage({"vocab_size": words.shape[0] if words else None, **config})
    said = read_object(root / "tokenizer_config.json")
    longest = None if places is None else min(places.shape[0] - reserved, longest_of(said))
    return {
        "encoder": config.get("model_type"),
        "parameters": sum(weight.numbers for weight in weights.values()),
        "precision": " and ".join(sorted(PRECISIONS[each] for each in stored)),
        "layers": len(blocks) or None,
        "width": None if query is None else query.shape[1],
        "heads": config.get("num_attention_heads"),
        "vocabulary": None if words is None else words.shape[0],
        "longest": longest,
        "bytes": sum(file.stat().st_size for file in root.rglob("*") if file.is_file()),
        "languages": None if found is None else f"{len(found.codes)} ({found.encoder})",
    }


def _numbered(name: str, prefix: str) -> list[int]:
    """Where the number of a block stands in the name of a weight."""
    start = f"{prefix}encoder.layer."
    return [start.count(".")] if name.startswith(start) else []


def beside(root: Path, encoder: str | None) -> Path | None:
    """The folder with the small files of a COMET model's encoder; None where there is none."""
    for folder in [Path(encoder)] if encoder else [root, root / "encoder"]:
        if (folder / "config.json").is_file() and has_tokenizer(folder):
            return folder
    if encoder:
        raise InputError(f"{encoder}: an encoder's folder has a config.json and a tokenizer ({', '.join(TOKENIZERS)})")
    return None


def has_tokenizer(folder: Path) -> bool:
    """Whether a tokenizer lies in a folder."""
    return any((folder / name).is_file() for name in TOKENIZERS)


def _licence(root: Path) -> str | None:
    """What the model card beside a model says, in what stands before its text."""
    try:
        card = CARD.match((root / "README.md").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    said = LICENCE.search(card[1]) if card else None
    if said is None:
        return None
    bound = "non-commercial use alone; " if re.search(r"\bnc\b", said[1], re.IGNORECASE) else ""
    return f"{said[1]} ({bound}its model card says so)"


def _origin(converted: Mapping[str, Any]) -> str | None:
    origin = converted.get("origin")
    return f"{origin['name']}@{str(origin['sha256'])[:8]}" if isinstance(origin, dict) else None


def shapes(root: Path) -> dict[str, Weight]:
    """The weights of a folder by name, without their numbers."""
    found: dict[str, Weight] = {}
    for path in weight_files(root):
        if path.suffix == ".safetensors":
            found |= _header(path)
        else:
            need_torch("learn inspect")
            found |= _shapes_of(read_archive(path, mapped=True))
    return found


def _shapes_of(tensors: Mapping[str, Any]) -> dict[str, Weight]:
    kinds = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "float64": "F64"}
    return {
        name: Weight(tuple(each.shape), kinds.get(str(each.dtype).removeprefix("torch."), str(each.dtype)))
        for name, each in tensors.items()
        if hasattr(each, "shape")
    }


def _header(path: Path) -> dict[str, Weight]:
    """Names, shapes and kinds in a file of safetensors: eight bytes say how long the JSON is that follows."""
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            told = json.loads(file.read(length)) if length < size else {}
        said = {name: each for name, each in told.items() if name != "__metadata__"}
        found = {name: Weight(tuple(each["shape"]), str(each["dtype"])) for name, each in said.items()}
        whole = 8 + length + max(each["data_offsets"][1] for each in said.values()) == size
    except (ValueError, LookupError, TypeError, AttributeError):
        whole, found = False, {}
    if not whole:
        raise InputError(f"{path}: cannot be read as weights; {reason(path)}")
    return found
