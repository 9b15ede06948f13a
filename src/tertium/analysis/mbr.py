"""Choices among candidates: by expected utility (minimum Bayes risk; Kumar and Byrne 2004), or by a metric alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, TypeVar

from tertium.analysis.pairwise import check_metric, mean_scores, pair_scores, pick
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import segment_scores
from tertium.core.lines import Lines, is_missing
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.engines import door
from tertium.engines.models import pin
from tertium.engines.threads import in_order
from tertium.metrics import parse

TIE = 9  # decimals: averages that are equal on paper differ in the last bits, and those must not decide

MOST = 1e300  # what weights add up to: scores times weights must be numbers

Weighting = Literal["linear", "log"]
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class CandidateRanking:
    """A segment's candidates and their utilities, in the order in which they were given. Higher is better."""

    candidates: tuple[str, ...]
    utilities: tuple[float, ...]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Places of the candidates, best first; of equals, to nine decimals, the first comes first."""
        return tuple(sorted(range(len(self.utilities)), key=lambda k: -round(self.utilities[k], TIE)))

    @property
    def index(self) -> int:
        """The place of the best candidate, counted from 0."""
        return self.order[0]

    @property
    def text(self) -> str:
        """The best candidate."""
        return self.candidates[self.index]

    @property
    def utility(self) -> float:
        """The utility of the best candidate."""
        return self.utilities[self.index]


def mbr(
    candidates: Any,
    metric: str | Metric = "chrf",
    *,
    weights: Any = None,
    references: Any = None,
    source: Any = None,
    weighting: Weighting = "linear",
    temperature: float = 1.0,
    aggregate: bool = False,
    run: Run = PLAIN,
) -> Any:
    """The candidate with the highest expected utility: a CandidateRanking of one segment's list, or a list of them.

    Candidates are compared with each other, or with `references` where given. `weights` are those of what is compared
    with: weights or counts, or log-probabilities with weighting="log", of which exp(w / temperature) is taken. With
    `aggregate` every candidate is compared once, with the mean of all (Vamvas and Sennrich 2024).
    """
    chosen = parse(metric)
    check_metric(chosen, source is not None)

    def rank(segment: tuple[Sequence[str], Any, Any, Any, str]) -> CandidateRanking:
        texts, weight, others, original, where = segment
        weight = None if weight is None else weights_of(weight, weighting, temperature, where)
        return expected_utilities(texts, chosen, weight, others, original, where, aggregate)

    if _is_segment(candidates):
        texts, others = (
            _texts(candidates, "candidates"),
            None if references is None else _texts(references, "references"),
        )
        return rank((texts, weights, others, source, "candidates"))
    lists = [_texts(texts, f"candidates[{k}]") for k, texts in enumerate(candidates)]
    parts = [
        lists,
        _of_segments(weights, len(lists), "weights"),
        [
            None if texts is None else _texts(texts, "references")
            for texts in _of_segments(references, len(lists), "references")
        ],
        _of_segments(source, len(lists), "source"),
        [f"candidates[{k}]" for k in range(len(lists))],
    ]
    return list(in_order(rank, zip(*parts, strict=True), run))


def rerank(candidates: Any, metric: str | Metric, *, source: Any = None, run: Run = PLAIN) -> Any:
    """The candidate that a reference-free metric scores best: a CandidateRanking, or a list of them for several."""
    chosen, run = pin(parse(metric), run)
    check_reference_free(chosen, source is not None)
    if _is_segment(candidates):
        return scores_alone([(_texts(candidates, "candidates"), source)], chosen, run)[0]
    lists = [_texts(texts, f"candidates[{k}]") for k, texts in enumerate(candidates)]
    return scores_alone(list(zip(lists, _of_segments(source, len(lists), "source"), strict=True)), chosen, run)


def expected_utilities(
    candidates: Sequence[str],
    metric: Metric,
    weights: Sequence[float] | None = None,
    references: Sequence[str] | None = None,
    source: str | None = None,
    where: str = "candidates",
    aggregate: bool = False,
) -> CandidateRanking:
    """The weighted average of a candidate's scores against all references; texts that are equal are compared once.

    With `aggregate` it is the score against the weighted mean of the references, which are put in order. Other sums
    are rounded once (fsum). So the order of the references does not change them.
    """
    others = candidates if references is None else references
    if not candidates or not others:
        raise InputError(
            f"{where}: no {'reference' if candidates else 'candidate'} to choose by; there must be at least one"
        )
    if weights is not None and len(weights) != len(others):
        raise InputError(
            f"{where}: {counted(len(weights), 'weight')} for {counted(len(others), 'text')}; there must be one for each"
        )
    given: dict[str, list[float]] = {}
    for text, weight in zip(others, weights or [1.0] * len(others), strict=True):
        given.setdefault(text, []).append(weight)
    total = _total(weights or [1.0] * len(others), where)
    mass = {text: math.fsum(given[text]) for text in (sorted(given) if aggregate else given)}
    different = list(dict.fromkeys(candidates))
    outputs = Lines.of(different, where)
    against = outputs if different == list(mass) else Lines.of(list(mass), where)
    sign = 1.0 if metric.better == "higher" else -1.0
    if aggregate:
        products = (sign * total * mean_scores(outputs, against, metric, list(mass.values())))[:, None].tolist()
    else:
        products = (sign * pair_scores(outputs, against, metric, source) * list(mass.values())).tolist()
    # 0 + ...: no minus zero where nothing is wrong
    utility = {text: 0.0 + math.fsum(row) / total for text, row in zip(different, products, strict=True)}
    if any(math.isnan(value) for value in utility.values()):
        raise InputError(f"{where}: {metric.name} could not score every candidate")
    return CandidateRanking(candidates=tuple(candidates), utilities=tuple(utility[text] for text in candidates))


def scores_alone(
    segments: Sequence[tuple[Sequence[str], str | None]], metric: Metric, run: Run = PLAIN
) -> list[CandidateRanking]:
    """Candidates and sources of several segments, scored at one go."""
    import numpy as np

    sizes = [len(candidates) for candidates, _ in segments]
    if 0 in sizes:
        raise InputError(f"candidates[{sizes.index(0)}]: no candidate to choose from; there must be at least one")
    outputs = Lines.of([text for candidates, _ in segments for text in candidates], "candidates")
    sources = None
    if all(source is not None for _, source in segments):
        sources = pick(Lines.of([source for _, source in segments], "source"), np.repeat(np.arange(len(sizes)), sizes))
    prepared = door.prepare(metric, TestSet(segments=len(outputs), sources=sources), run)
    stats = door.count(metric, outputs, prepared, run)
    scores = np.where(stats.scored, segment_scores(metric, stats.segments()), np.nan)
    if np.isnan(scores).any():
        raise InputError(f"{metric.name} could not score every candidate")
    utilities = (scores if metric.better == "higher" else 0.0 - scores).tolist()
    ends = list(accumulate(sizes))
    return [
        CandidateRanking(candidates=tuple(candidates), utilities=tuple(utilities[end - size : end]))
        for (candidates, _), size, end in zip(segments, sizes, ends, strict=True)
    ]


def check_reference_free(metric: Metric, has_source: bool) -> None:
    """Refuse a metric that cannot score a candidate alone."""
    if "references" in metric.needs:
        told = getattr(metric, "referenceless", None)
        without = "" if told is None else f" (write {metric.name}(..., {told}) if the model can do without)"
        raise OptionError(
            f"{metric.name} needs references, and reranking has none{without}; "
            f"to choose the candidate that agrees best with the others: tertium mbr -m {metric.name}, or tt.mbr"
        )
    if "source" in metric.needs and not has_source:
        raise InputError(f"{metric.name} needs the source, and there is none (source=..., --src FILE)")


def weights_of(values: Sequence[Any], weighting: Weighting, temperature: float, where: str) -> list[float]:
    """Weights that are not negative; log-probabilities are scaled so that the largest has weight 1."""
    if weighting not in ("linear", "log"):
        raise OptionError(f'weighting={weighting!r} is unknown; choose "linear" or "log"')
    if not 0 < temperature < math.inf:
        raise OptionError(f"temperature={temperature}; must be a positive number")
    numbers = [float(value) for value in values]
    for value in numbers:
        if math.isnan(value) or value == math.inf:
            raise InputError(f"{where}: the weight {value} is not a finite number")
        if weighting == "linear" and value < 0:
            hint = 'if they are log-probabilities, say so (--weights log, weighting="log")'
            raise InputError(f"{where}: the weight {value} is negative; {hint}")
    if weighting == "log":
        largest = max(numbers, default=0.0)
        numbers = [0.0 if value == -math.inf else math.exp((value - largest) / temperature) for value in numbers]
    if numbers and not _total(numbers, where) > 0:
        raise InputError(f"{where}: all weights are 0; at least one must be positive")
    return numbers


def _total(weights: Sequence[float], where: str) -> float:
    """Their sum, of which scores can still be taken."""
    if sum(weights) > MOST:
        raise InputError(f"{where}: the weights add up to more than {MOST:g}; divide them by the largest")
    return math.fsum(weights)


def _is_segment(candidates: Any) -> bool:
    """Whether these are the texts of one segment, not lists of them."""
    if isinstance(candidates, str) or not hasattr(candidates, "__len__"):
        kind = "a single string" if isinstance(candidates, str) else type(candidates).__name__
        raise InputError(f"candidates: {kind}; pass a list of strings, or a list of such lists")
    return isinstance(candidates, Lines) or any(isinstance(text, str) or is_missing(text) for text in candidates)


def _texts(texts: Any, name: str) -> list[str]:
    """Texts of a segment, none of them missing."""
    lines = list(Lines.of(texts, name))
    for k, text in enumerate(lines):
        if text is None:
            raise InputError(f"{name}[{k}] is missing; leave it out, or pass an empty string")
    return lines  # type: ignore[return-value]


def _of_segments(values: Any, segments: int, name: str) -> list[Any]:
    """One value for every segment, None where nothing is given."""
    if values is None:
        return [None] * segments
    found = list(values) if not isinstance(values, str) else [values]
    if len(found) != segments:
        raise InputError(f"{name}: {len(found)} for {counted(segments, 'segment')}; there must be one for each")
    return found
