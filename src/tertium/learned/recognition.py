"""What a folder or file is, by its names and its config.json alone: no weight is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

CONVERTED = "tertium.json"  # what `tertium learn convert` writes beside the weights
ENCODERS = ("bert", "rembert", "roberta", "xlm-roberta", "xlm-roberta-xl")


class Recognised(NamedTuple):
    """The metric that a model is for, and what people call such a model."""

    metric: str
    title: str
    readable: bool = True


def recognise(root: Path) -> Recognised | None:
    """The metric that a folder is for; None where nothing tells."""
    converted = read_object(root / CONVERTED)
    if converted.get("metric") == "comet" or (root / "hparams.yaml").is_file():
        return Recognised("comet", "COMET")
    config = read_object(root / "config.json")
    kind = config.get("model_type")
    if kind == "bleurt":
        return Recognised("bleurt", "BLEURT")
    if kind in ("mt5", "t5"):
        return Recognised("metricx", "MetricX")
    if kind in ENCODERS:
        return Recognised("bertscore", "encoder")
    if (root / "bleurt_config.json").is_file() or (root / "saved_model.pb").is_file():
        return Recognised("bleurt", "BLEURT in TensorFlow's layout", readable=False)
    return None


def belongs_elsewhere(root: Path, metric: str) -> str:
    """The end of a sentence about a folder that is not this metric's: whose it is, where that can be told."""
    found = recognise(root)
    if found is None or found.metric == metric:
        return ""
    what = "an encoder" if found.metric == "bertscore" else f"a {found.title} model"
    return f'; this is {what}: {found.metric}(model="{root}")'


def read_object(path: Path) -> dict[str, Any]:
    """A JSON object; an empty one where there is none that can be read."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
