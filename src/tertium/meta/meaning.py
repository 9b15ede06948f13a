"""What a difference in a metric means by published curves: the share of system pairs on which people agree with it.

    accuracy(difference) = a / (1 + exp(-b difference))

Kocmi, Zouhar, Federmann and Post (2024), "Navigating the metrics maze: Reconciling score magnitudes and accuracies",
section 3.3. A curve holds for the metric, options and model that it was fitted for, and for no other.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from tertium.core.errors import OptionError
from tertium.core.metric import Metric, option_text
from tertium.core.testset import TestSet
from tertium.metrics import parse

KOCMI = (
    "Kocmi, Zouhar, Federmann and Post (2024), "
    '"Navigating the metrics maze: Reconciling score magnitudes and accuracies"'
)
FITTED = "6,530 system pairs in 94 languages of ToShip23, which is not public"
LIMITS = "It says nothing about any pair of systems in particular, and nothing about significance"
COIN = 0.5  # where the curve says no more than a coin does
LEVELS = tuple(k / 100 for k in range(50, 100, 5))  # accuracies of the paper's table 2
WRITTEN = {"zh": "zh", "ja": "ja-mecab"}  # the tokenizers of their BLEU, by target language; else 13a
Reach = Literal["below", "within", "beyond"]


@dataclass(frozen=True, kw_only=True)
class PublishedCurve:
    """A curve of Kocmi et al. (2024). Differences are in points of the metric as tertium prints it."""

    name: str
    title: str
    judge: str  # its name in the authors' program
    ceiling: float  # a, as a share
    slope: float  # b, of a point of theirs
    points: float  # points of theirs in one of ours
    metric: str | None  # ours; None where it is not published what exactly was measured
    options: Mapping[str, tuple[str, ...]]  # patterns of options that are not at their defaults
    models: tuple[str, ...]
    setting: str

    def accuracy(self, difference: float) -> float:
        """The share of system pairs with this difference on which people agree with the metric, by the curve."""
        if not 0 <= difference < math.inf:
            raise OptionError(f"difference {difference:g}: must be a number from 0 on; leave the sign out")
        return self.ceiling / (1 + math.exp(-self.slope * self.points * difference))

    def difference(self, accuracy: float) -> float:
        """The difference at which the curve has this accuracy; NaN where it never gets there."""
        if not COIN <= accuracy < 1:
            raise OptionError(f"accuracy {accuracy:g}: must be at least 0.5 and below 1, such as 0.9")
        if accuracy >= self.ceiling:
            return math.nan
        return -math.log(self.ceiling / accuracy - 1) / (self.slope * self.points)

    @property
    def low(self) -> float:
        """The difference at which the curve is at one half: below it, it says less than a coin does."""
        return self.difference(COIN)

    @property
    def high(self) -> float:
        """The largest difference in the paper's table: beyond it, the curve is nearly flat."""
        return self.difference(max(level for level in LEVELS if level < self.ceiling))

    def reach(self, difference: float) -> Reach:
        """Whether a difference lies among those of the paper's table."""
        return "below" if difference < self.low else "beyond" if difference > self.high else "within"


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """A difference and the accuracy that the curve has there; NaN is a difference that no size reaches."""

    metric: str
    difference: float
    accuracy: float
    reach: Reach
    curve: PublishedCurve


@cache
def published_curves() -> tuple[PublishedCurve, ...]:
    """Every published curve, in the order of the table."""
    text = (files("tertium.meta") / "data" / "curves.json").read_text(encoding="utf-8")
    return tuple(_curve(row) for row in json.loads(text)["curves"])


def _curve(row: dict[str, Any]) -> PublishedCurve:
    options = {name: tuple(values) for name, values in row["options"].items()}
    own = {"ceiling": row["ceiling"] / 100, "options": options, "models": tuple(row["models"])}
    return PublishedCurve(**row | own)


def meaning(metric: str | Metric, difference: float | None = None, *, accuracy: float | None = None) -> Meaning:
    """What a difference in a metric is worth by the published curve, or the difference that an accuracy takes.

    `metric` is a metric, or the name of a curve (`published_curves()`), such as "wmt22-comet-da".
    """
    if (difference is None) == (accuracy is None):
        raise OptionError("say either a difference, such as 1.0, or an accuracy, such as accuracy=0.9")
    curve = _named(metric)
    if difference is None:
        found = curve.difference(float(accuracy or 0))
        reach: Reach = "beyond" if math.isnan(found) else curve.reach(found)
        return Meaning(metric=str(metric), difference=found, accuracy=float(accuracy or 0), reach=reach, curve=curve)
    share = curve.accuracy(difference)
    return Meaning(
        metric=str(metric), difference=difference, accuracy=share, reach=curve.reach(difference), curve=curve
    )


def _named(metric: str | Metric) -> PublishedCurve:
    for curve in published_curves():
        if str(metric).lower() in (curve.name.lower(), curve.judge.lower()):
            return curve
    found = curve_for(parse(metric))
    if isinstance(found, str):
        raise OptionError(found)
    return found


def curve_for(metric: Metric, testset: TestSet | None = None) -> PublishedCurve | str:
    """The curve that was fitted for this metric with these options, or why there is none."""
    near = [curve for curve in published_curves() if curve.metric == metric.name]
    if not near:
        names = ", ".join(curve.name for curve in published_curves())
        return f"there is no published curve for {metric}; there are curves for: {names}"
    for curve in near:
        if not _differing(curve, metric):
            return _of_texts(curve, metric, testset) or curve
    models = [name for curve in near for name in curve.models]
    if models and not any(_model(metric) in _lower(curve.models) for curve in near):
        return f"{metric} has no published curve: those of {metric.title} are for the models {', '.join(models)}"
    own = next((curve for curve in near if _model(metric) in _lower(curve.models)), near[0])
    said = ", ".join(f"{name}={option_text(getattr(metric, name))}" for name in _differing(own, metric))
    return f"the published curve of {own.title} is for {own.setting}; {metric} has {said}"


def _lower(names: tuple[str, ...]) -> list[str]:
    return [name.lower() for name in names]


def _model(metric: Metric) -> str:
    """The name of a metric's model, without its digest."""
    return str(vars(metric).get("model", "")).rpartition("/")[2].partition("@")[0].lower()


def _differing(curve: PublishedCurve, metric: Metric) -> list[str]:
    """The options that are not those the curve was fitted for."""
    found = []
    for field in dataclasses.fields(metric):  # type: ignore[arg-type]
        value, wanted = getattr(metric, field.name), curve.options.get(field.name)
        if field.name in getattr(metric, "models", ()):  # where an encoder lies does not matter, which model does
            if field.name == "model" and _model(metric) not in _lower(curve.models):
                found.append(field.name)
        elif value != field.default if wanted is None else not any(fnmatchcase(str(value), each) for each in wanted):
            found.append(field.name)
    return found


def _of_texts(curve: PublishedCurve, metric: Metric, testset: TestSet | None) -> str | None:
    """Why a curve does not hold on a test set: several references, or another tokenizer than they took."""
    if testset is None:
        return None
    low, high = testset.references.fewest_and_most
    if "references" in metric.needs and high > 1:
        has = f"{high}" if low == high else f"{low}-{high}"
        return f"the published curve of {curve.title} is for {curve.setting}; {testset.name} has {has} references"
    target = (testset.target_language or "").lower().replace("_", "-").partition("-")[0]
    wanted = WRITTEN.get(target, "13a")
    if curve.name == "bleu" and target and getattr(metric, "tokenize", wanted) != wanted:
        return (
            f'the published curve of BLEU is for tokenize="{wanted}" where the target language is {target}; '
            f"{metric} has another"
        )
    return None


def figure(difference: float, points: float = 1) -> str:
    """A difference to the digits that the paper's table has."""
    return f"{difference:.{2 if points == 1 else 4}f}"


def sentence(found: Meaning) -> str:
    """What the curve says of a difference."""
    curve, accuracy = found.curve, f"{100 * found.accuracy:.0f} %"
    top = f"the curve levels off at {100 * curve.ceiling:.1f} %"
    if math.isnan(found.difference):
        return f"No difference of {curve.title} reaches {accuracy}: {top} (Kocmi et al. 2024)."
    shown = f"{figure(found.difference, curve.points)} {curve.title}"
    if found.reach == "below":
        return (
            f"{shown} is below {figure(curve.low, curve.points)}, where the curve is at 50 %: "
            "no better than tossing a coin (Kocmi et al. 2024)."
        )
    said = (
        f"Differences of {shown} agreed with people on about {accuracy} of system pairs, by the curve fitted to "
        f"{FITTED} (Kocmi et al. 2024)."
    )
    if found.reach == "beyond":
        said += f" That is beyond {figure(curve.high, curve.points)}, the largest difference in their table; {top}."
    return said
