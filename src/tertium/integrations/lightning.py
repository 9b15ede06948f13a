"""Scores inside a Trainer of Lightning: a callback that counts what validation steps return, and logs the scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tertium.core.errors import InputError, MissingPackageError
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.integrations.torchmetrics import RunningScore
from tertium.metrics import parse_list

KEYS = {"preds", "target", "sources"}  # the arguments of RunningScore.update


def validation_callback(
    metrics: str | Metric | Iterable[str | Metric] = "bleu", *, prefix: str = "val_", run: Run = PLAIN
) -> Any:
    """A Callback for modules whose validation_step returns `{"preds": [...], "target": [...]}`, texts, and `"sources"`
    where a metric reads them. At the end of validation it logs `val_bleu` and keeps `scores`, for all processes."""
    callback_class = _callback_class()
    running = [RunningScore(metric, run=run) for metric in parse_list(metrics)]

    class ValidationCallback(callback_class):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            self.scores: dict[str, float] = {}

        def on_validation_epoch_start(self, _trainer: Any, _module: Any) -> None:
            """Begin anew."""
            for each in running:
                each.reset()

        def on_validation_batch_end(self, _trainer: Any, _module: Any, outputs: Any, *_: Any) -> None:
            """Count a batch."""
            texts = _texts(outputs)
            for each in running:
                each.update(**texts)

        def on_validation_epoch_end(self, trainer: Any, module: Any) -> None:
            """Score all batches, and log."""
            import torch

            found = {str(each.metric): each.gather().compute() for each in running}
            if trainer.sanity_checking:  # a few batches before training, which say nothing
                return
            self.scores = found
            for metric, value in found.items():
                module.log(prefix + metric, torch.tensor(value, dtype=torch.float64))

    return ValidationCallback()


def _texts(outputs: Any) -> dict[str, Any]:
    if not isinstance(outputs, Mapping) or not {"preds", "target"} <= set(outputs):
        got = ", ".join(map(str, outputs)) if isinstance(outputs, Mapping) else type(outputs).__name__
        raise InputError(
            f"validation_step returned {got or 'nothing'}; the callback needs a dict with preds and target, lists of "
            f"texts"
        )
    return {key: outputs[key] for key in KEYS & set(outputs)}


def _callback_class() -> Any:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        try:
            from pytorch_lightning import Callback
        except ImportError:
            raise MissingPackageError("Lightning is not installed: pip install lightning") from None
    return Callback
