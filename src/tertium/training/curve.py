"""What came of a training: how good the network was after each epoch, and which epoch was kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tertium.training.settings import Settings

START, PRETRAINING, TRAINING = "start", "pretraining", "training"


@dataclass(frozen=True)
class Epoch:
    """A point of the curve."""

    number: int  # 0 is the beginning
    stage: str  # start, pretraining or training
    steps: int  # so far
    loss: float  # the mean squared error of the training data, in standard deviations of their scores; NaN at the start
    kendall: float  # tau-b of scores and judgements, on the validation data; NaN where all scores are the same
    pearson: float

    @property
    def better_than(self) -> float:
        """Kendall, for comparing: what is undefined is worse than anything."""
        return -math.inf if math.isnan(self.kendall) else self.kendall


@dataclass(frozen=True, kw_only=True)
class Training:
    """A finished training."""

    recipe: str
    settings: Settings
    out: str  # the folder with the model of the best epoch
    curve: tuple[Epoch, ...]
    best: int  # number of the epoch
    examples: int
    validation: int
    pairs: int = 0  # damaged references that it learnt from before
    cut: int = 0  # texts that were too long, of all sides
    identity: Mapping[str, Any]  # digests of what it was made from

    @property
    def stopped(self) -> bool:
        """Whether it ended before the last epoch, because no epoch was better any more."""
        return sum(epoch.stage == TRAINING for epoch in self.curve) < self.settings.epochs

    def told(self) -> dict[str, Any]:
        """All of it but the folder, as JSON has it."""
        found = asdict(self)
        del found["out"]
        found["settings"] = self.settings.told()
        found["curve"] = [point_object(epoch) for epoch in self.curve]
        return found


def point_object(epoch: Epoch) -> dict[str, Any]:
    """A point as JSON has it: what is undefined is null."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value for name, value in asdict(epoch).items()
    }


def read_point(said: Mapping[str, Any]) -> Epoch:
    """A point from JSON."""
    found: dict[str, Any] = {name: math.nan if value is None else value for name, value in said.items()}
    return Epoch(**found)


def read_training(said: Mapping[str, Any], out: str) -> Training:
    """A training from JSON."""
    settings = dict(said["settings"])
    settings["hidden_sizes"] = tuple(settings["hidden_sizes"])
    curve = tuple(read_point(point) for point in said["curve"])
    return Training(**{**said, "settings": Settings(**settings), "curve": curve, "out": out})


def best_epoch(curve: tuple[Epoch, ...] | list[Epoch]) -> int | None:
    """The number of the first of the best epochs of training; None where there is none yet."""
    trained = [epoch for epoch in curve if epoch.stage == TRAINING]
    return max(trained, key=lambda epoch: epoch.better_than).number if trained else None


def is_over(curve: tuple[Epoch, ...] | list[Epoch], settings: Settings) -> bool:
    """Whether all epochs are done, or the last ones brought nothing."""
    trained = sum(epoch.stage == TRAINING for epoch in curve)
    best = best_epoch(curve)
    return trained >= settings.epochs or (best is not None and curve[-1].number - best >= settings.patience)
