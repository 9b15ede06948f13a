"""What is said first of prompts: settings of an experiment, a template that was searched for, a soft prompt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertium.core.metric import Metric
from tertium.core.wording import counted, number, p_equals
from tertium.report.opening import PageVerdict
from tertium.report.trust import Trust

if TYPE_CHECKING:
    from tertium.prompt.curves import FewShotCurve
    from tertium.prompt.experiment import Experiment
    from tertium.prompt.search.search import PromptSearch
    from tertium.prompt.soft import SoftTraining

FEW = 100  # segments of test, below which that nothing was found says little


# An experiment


def template_finding(experiment: Experiment, metric: Metric, title: str) -> str:
    """How far the best and the worst template are apart, without demonstrations or with as many as all have."""
    from tertium.prompt.curves import ranked_points
    from tertium.prompt.experiment import by_system

    best: dict[str, float] = {}
    settings = {system: own[0].setting for system, own in by_system(experiment.results).items()}
    for point in ranked_points(experiment, metric):
        if not math.isnan(point.mean):
            best.setdefault(str(settings[point.system].template), point.mean)
    if len(best) < 2:
        return ""
    order = list(best)  # from best to worst: points are ranked
    return (
        f"The best setting of template {order[0]} has {number(best[order[0]], metric.decimals)} {title}, that of "
        f"template {order[-1]}, the worst, {number(best[order[-1]], metric.decimals)}; templates are not tested."
    )


def curve_finding(curves: Sequence[FewShotCurve], metric: Metric, title: str) -> str:
    """In how many curves demonstrations come with a higher score than none; counted, not tested."""
    known = [
        (curve.points[0], curve.points[-1])
        for curve in curves
        if not math.isnan(curve.points[0].mean) and not math.isnan(curve.points[-1].mean)
    ]
    if not known:
        return ""
    sign = 1 if metric.better == "higher" else -1
    better = sum(sign * (last.mean - first.mean) > 0 for first, last in known)
    counts = {(first.shots, last.shots) for first, last in known}
    of = f"{better} of {counted(len(known), 'curve')}" if len(known) > 1 else "the only curve" if better else "no curve"
    low, high = next(iter(counts)) if len(counts) == 1 else (0, 0)
    span = f"{counted(high, 'demonstration')} than with {low or 'none'}" if len(counts) == 1 else (
        "most demonstrations than with fewest"
    )  # fmt: skip
    return f"In {of} {title} is better with {span}; curves are not tested."


# A search


def search_verdict(found: PromptSearch) -> PageVerdict:
    """Whether the template that was found is better than the one it began with, on segments nobody looked at."""
    item, metric = found.comparison, found.metric
    ours, theirs = (number(score.value, found.decimals) for score in (found.test, found.baseline_test))
    scores = f"{ours} {metric} against {theirs}"
    promised = (
        f"Dev had promised {number(found.dev.value, found.decimals)}: the winner was chosen there among "
        f"{counted(len(found.candidates), 'template')}."
    )
    if item is None:
        return PageVerdict(
            "baseline stays", f"No template did better than {found.baseline} on dev: it stays.",
            f"On test it has {number(found.test.value, found.decimals)} {metric}. {promised}",
        )  # fmt: skip
    if item.unresolvable:
        return PageVerdict(
            "not resolvable", f"Whether {found.winner} is better than {found.baseline} cannot be said: "
            f"{item.unresolvable}.", f"On test: {scores}. {promised}",
        )  # fmt: skip
    tested = f"Paired permutation test over {counted(found.test.n, 'segment')}: {p_equals(item.p)}"
    if item.verdict == "undecided":
        return PageVerdict(
            "undecided", f"{found.winner} won on dev, but on test it is not told from {found.baseline}: {scores}.",
            f"{tested}; that does not mean that they are equal. {promised}",
        )  # fmt: skip
    better = item.verdict == "better"
    return PageVerdict(
        item.verdict,
        f"{found.winner} is significantly {'better' if better else 'worse'} than {found.baseline} on test: {scores}.",
        f"{tested}. {promised}",
    )


def search_trust(found: PromptSearch) -> Iterator[Trust]:
    """On how much it was tested, and how much too high dev was."""
    yield Trust("test: ", counted(found.test.n, "segment"), "", "bad" if found.test.n < FEW else "plain",
                "Segments that were not looked at during the search.")  # fmt: skip
    if not math.isnan(found.optimism):
        low_high = found.optimism_interval
        inside = (
            f" [{number(low_high.low, found.decimals)}, {number(low_high.high, found.decimals)}]" if low_high else ""
        )
        yield Trust("dev less test: ", f"{number(found.optimism, found.decimals)}", inside,
                    more="How much higher the winner's score was on the segments by which it was chosen.")  # fmt: skip
    yield Trust("", f"{found.calls:,} calls", f" of at most {found.forecast.calls:,} announced")


def candidates_finding(found: PromptSearch) -> str:
    """How many templates were tried, and how many came to the last round."""
    last = max((one.rounds for one in found.candidates), default=0)
    final = sum(one.rounds == last for one in found.candidates)
    return (
        f"{counted(len(found.candidates), 'template')} tried in {counted(last, 'round')}; {final} came to the last. "
        "Scores of different rounds are of different segments."
    )


# A soft prompt


def soft_verdict(found: SoftTraining) -> PageVerdict:
    """Whether training lowered the loss on examples that it did not learn from."""
    first, kept = found.curve[0], found.curve[found.best]
    epochs = len(found.curve) - 1
    if found.best == 0:
        return PageVerdict(
            "no better", "Training found nothing better than the text that the virtual tokens began as.",
            f"Loss on dev: {first.dev:.4f} nats a token at the start, never lower in {counted(epochs, 'epoch')}.",
        )  # fmt: skip
    share = 100 * (1 - kept.dev / first.dev) if first.dev else 0.0
    return PageVerdict(
        "lower",
        f"Training lowered the loss on dev by {share:.0f} %, from {first.dev:.4f} to {kept.dev:.4f} nats a token.",
        f"Epoch {found.best} of {epochs} is kept. It was chosen by dev, so its loss there is too low on average; what "
        "the prompt is worth, other examples have to say.",
    )
