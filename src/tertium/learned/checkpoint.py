"""COMET checkpoints as they lie on the disk, in the original layout or converted: kind, hyper-parameters, weights.

The original layout is a folder with hparams.yaml and checkpoints/model.ckpt. What the network is like is said inside
the checkpoint; from hparams.yaml come only the kind and the word `sparsemax_patch`, which means softmax. A converted
folder says the same in tertium.json, beside model.safetensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError
from tertium.learned.recognition import CONVERTED, belongs_elsewhere
from tertium.learned.weights import read_archive, read_json, read_raw

KINDS: Mapping[str, str] = {
    "regression_metric": "COMET, regression",
    "ranking_metric": "COMET, ranking",
    "referenceless_regression_metric": "COMET, referenceless regression",
    "unified_metric": "COMET, unified (UniTE, COMETKiwi)",
    "xcomet_metric": "XCOMET",
}
ENCODERS: Mapping[str, tuple[str, ...]] = {  # COMET's words for encoders, and what their config.json says
    "XLM-RoBERTa": ("xlm-roberta", "roberta"),
    "XLM-RoBERTa-XL": ("xlm-roberta-xl",),
    "BERT": ("bert",),
    "MiniLM": ("bert",),
    "RemBERT": ("rembert",),
}
POOLS = ("avg", "max", "cls")
LABELS = ["minor", "major", "critical"]  # that XCOMET's tags mean, in this order
SEGMENTS = (["mt", "src"], ["mt", "ref"], ["mt", "src", "ref"])


class Checkpoint(NamedTuple):
    """What a folder holds."""

    kind: str
    settings: dict[str, Any]  # the hyper-parameters
    tensors: Mapping[str, Any]


def read_checkpoint(root: Path, *, mapped: bool = False) -> Checkpoint:
    """The checkpoint in a folder. Where it is mapped, weights are read from the disk as they are needed."""
    if (root / CONVERTED).is_file():
        return _read_converted(root)
    kind, softmax = read_yaml(root)
    path = root / "checkpoints" / "model.ckpt"
    found = read_archive(path, mapped=mapped)
    settings = dict(found.get("hyper_parameters", {}))
    if "state_dict" not in found or not settings:
        raise InputError(f"{path}: has no state_dict or no hyper_parameters; is it COMET's?")
    if softmax:
        settings["layer_transformation"] = "softmax"
    return Checkpoint(kind, settings, found["state_dict"])


def read_kind(root: Path) -> str:
    """The kind alone; no weights are read."""
    return str(read_json(root / CONVERTED).get("kind")) if (root / CONVERTED).is_file() else read_yaml(root)[0]


def _read_converted(root: Path) -> Checkpoint:
    said = read_json(root / CONVERTED)
    if said.get("metric") != "comet":
        raise InputError(f"{root}: a converted model of another metric{belongs_elsewhere(root, 'comet')}")
    if said.get("kind") not in KINDS or not isinstance(said.get("hyper_parameters"), dict):
        raise InputError(f"{root / CONVERTED}: says no kind or no hyper_parameters; convert the model again")
    return Checkpoint(said["kind"], said["hyper_parameters"], read_raw(root))


def read_yaml(root: Path) -> tuple[str, bool]:
    """The kind of metric, and whether softmax is to be taken for sparsemax."""
    import yaml

    path = root / "hparams.yaml"
    if not path.is_file():
        raise InputError(
            f"{root}: no hparams.yaml; a COMET model is a folder with hparams.yaml and checkpoints/model.ckpt"
            f"{belongs_elsewhere(root, 'comet')}"
        )
    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        said = None
    kind = said.get("class_identifier") if isinstance(said, dict) else None
    if kind not in KINDS:
        raise InputError(f"{path}: class_identifier is {kind!r}; known: {', '.join(KINDS)}")
    return str(kind), said.get("layer_transformation") == "sparsemax_patch"


def completed(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The hyper-parameters with those that an older checkpoint does not say, as unbabel-comet 2.2.7 takes them."""
    joint = kind in ("unified_metric", "xcomet_metric")
    defaults = {
        "layer": "mix",
        "sent_layer": "mix",
        "pool": "avg",
        "layer_norm": kind != "xcomet_metric",
        "layer_transformation": "sparsemax" if joint else "softmax",
        "activations": "Tanh",
    }
    return {**defaults, **settings}


def check_settings(kind: str, settings: Mapping[str, Any], config: Mapping[str, Any], name: str) -> None:
    """Refuse, by name, hyper-parameters by which something else would be computed than is computed here."""
    encoder = settings.get("encoder_model")
    if encoder is not None and encoder not in ENCODERS:
        raise InputError(f"{name}: encoder_model {encoder!r} is not known; known: {', '.join(ENCODERS)}")
    found = str(config.get("model_type"))
    if encoder is not None and found not in ENCODERS[encoder]:
        raise InputError(
            f"{name}: its encoder_model is {encoder}, but the config.json of its encoder says {found!r}; is it the "
            f"folder of another encoder?"
        )
    joint = kind in ("unified_metric", "xcomet_metric")
    pool = settings.get("pool")
    if not joint and pool not in POOLS:
        raise InputError(f"{name}: pool {pool!r} is not computed here; known: {', '.join(POOLS)}")
    segments = list(settings.get("input_segments") or ["mt", "src", "ref"])
    if kind == "unified_metric" and segments not in SEGMENTS:
        told = " or ".join(str(each) for each in SEGMENTS)
        raise InputError(f"{name}: input_segments {segments} are not computed here; known: {told}")
    if kind == "xcomet_metric" and list(settings.get("error_labels") or LABELS) != LABELS:
        raise InputError(f"{name}: error_labels {settings['error_labels']} are not computed here; known: {LABELS}")
    for word in ("enable_context", "use_context"):
        if settings.get(word):
            raise InputError(f"{name}: {word} is not computed here: segments are scored without those before them")
