"""What is seen first of segments, and of parts of a test set where a system has nobody beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tertium.core.metric import is_human
from tertium.core.wording import counted, number, visible
from tertium.report.findings import first_comparable
from tertium.report.results import Results


def segments(results: Results) -> str:
    """On how many segments each of the two first systems is better, and where they differ most; where a single system
    is worst and best."""
    import numpy as np

    metric, title = results.metrics[0], results.plain_title(results.metrics[0])
    names = results.systems[:2]
    values = [np.asarray(results.numbers.scores[name, str(metric)], dtype=float) for name in names]
    known = np.logical_and.reduce([np.isfinite(each) for each in values])
    if not known.any():
        return ""

    def shown(k: int, system: int = 0) -> str:
        return number(float(values[system][k]), metric.decimals)

    if len(names) == 1:
        sign = 1.0 if metric.better == "higher" else -1.0
        own = np.where(known, sign * values[0], np.nan)
        low, high = int(np.nanargmin(own)), int(np.nanargmax(own))
        unit = f" by {title}" if is_human(metric) else f" {title}"
        if shown(low) == shown(high):
            return f"All segments of {names[0]} score {shown(low)}{unit}."
        ends = [f"{shown(k)}{unit} on {_segment(results, k)}" for k in (low, high)]
        return f"No segment of {names[0]} is worse than {ends[0]}, and none better than {ends[1]}."
    gaps = np.where(known, values[0] - values[1] if metric.better == "higher" else values[1] - values[0], 0.0)
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    by = f"By {title}, "
    if not better and not worse:
        return f"{by}no segment of {names[0]} and {names[1]} has different scores."
    k = int(np.abs(gaps).argmax())
    counts = f"{names[0]} is better on {better} of {counted(int(known.sum()), 'segment')}, {names[1]} on {worse}"
    most = f"on no segment do they differ more than on {_segment(results, k)} ({shown(k)} and {shown(k, 1)})"
    return f"{by}{counts}; {most}."


def _segment(results: Results, k: int) -> str:
    ids = results.evaluation.testset.ids
    return f"segment {k + 1 if ids is None else visible(ids[k])}"


def lengths(results: Results, names: Sequence[str]) -> str:
    """Between which scores the groups of lengths of a system lie."""
    metric, [name] = first_comparable(results), results.systems
    if metric is None:
        return ""
    found = {
        score.bucket: score.value for score in results.lengths if score.metric == str(metric) and score.bucket in names
    }
    return _between(results, found, f"{name} scores", "segments of {} words")


def documents(results: Results) -> str:
    """Between which scores the documents of a system lie."""
    metric = first_comparable(results)
    found = {str(score.document): score.value for score in results.documents if score.metric == str(metric)}
    return _between(results, found, "Documents score", "{}") if metric is not None else ""


def _between(results: Results, found: Mapping[str, float], start: str, where: str) -> str:
    """`a scores from 20.1 BLEU (segments of 40-49 words) to 31.0 (segments of 1-9 words).`"""
    metric = first_comparable(results)
    known = {name: value for name, value in found.items() if not math.isnan(value)}
    if metric is None or len(known) < 2:
        return ""
    low, high = min(known, key=lambda name: known[name]), max(known, key=lambda name: known[name])
    ends = [number(known[name], metric.decimals) for name in (low, high)]
    title = results.plain_title(metric)
    unit = f", by {title}," if is_human(metric) else f" {title}"
    if ends[0] == ends[1]:
        return f"{start} {ends[0]}{unit.removesuffix(',')} throughout."
    parts = [where.format(visible(name)) for name in (low, high)]
    return f"{start} from {ends[0]}{unit} ({parts[0]}) to {ends[1]} ({parts[1]})."
