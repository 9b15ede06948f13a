"""What is seen in a figure or table, in one sentence above it. Each rule counts what it says; none says more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.analysis.diagnose import Diagnosis
from tertium.core.metric import Metric
from tertium.core.wording import counted, number
from tertium.inference.seeds import ALPHA
from tertium.report.results import Results
from tertium.report.words import capital, in_words, listed

NOTABLE = 2.0  # a detector's rate is worth a sentence from so many times the reference's on
FEWEST = 3  # and from so many segments on


def clusters(results: Results) -> str:
    """Into how many clusters each metric cuts the systems."""
    counts: dict[int, list[str]] = {}
    for metric in results.metrics:
        if (found := results.clusters.get(str(metric))) is not None:
            counts.setdefault(len(found), []).append(results.plain_title(metric))
    if not counts:
        return ""
    first, *others = [f"{counted(count, 'cluster')} by {listed(names)}" for count, names in sorted(counts.items())]
    return f"{'; '.join([first, *others])}."


def order(results: Results) -> str:
    """On how many pairs of systems all metrics agree who scores higher."""
    if len(results.metrics) < 2 or len(results.groups) < 2:
        return ""
    parted, pairs = [], 0
    for one, other in combinations(results.groups, 2):
        signs = {_sign(results, metric, one, other) for metric in results.metrics}
        if None in signs:
            continue
        pairs += 1
        if len(signs) > 1:
            parted.append((one, other))
    if not pairs:
        return ""
    every = "Both metrics" if len(results.metrics) == 2 else f"All {len(results.metrics)} metrics"
    if not parted:
        return f"{every} put the systems in the same order."
    named = f": they part on {'; '.join(f'{a} and {b}' for a, b in parted)}" if len(parted) <= 3 else ""
    return f"{every} put {pairs - len(parted)} of {counted(pairs, 'pair')} of systems in the same order{named}."


def _sign(results: Results, metric: Metric, one: str, other: str) -> int | None:
    gap = results.group_value(one, metric) - results.group_value(other, metric)
    if math.isnan(gap):
        return None
    return (gap > 0) - (gap < 0) if metric.better == "higher" else (gap < 0) - (gap > 0)


def spread(results: Results) -> str:
    """Between which scores the middle half of the best system's segments lies."""
    import numpy as np

    metric, best = results.metrics[0], results.systems[0]
    values = results.segments.get((best, str(metric)))
    known = np.array([]) if values is None else values[~np.isnan(values)]
    if not len(known):
        return ""
    low, high = (number(float(end), metric.decimals) for end in np.quantile(known, (0.25, 0.75)))
    more = "; segments differ more than systems do" if _varies(results, metric) else ""
    return f"Half of {best}'s segments score from {low} to {high} {results.plain_title(metric)}{more}."


def _varies(results: Results, metric: Metric) -> bool:
    """Whether the middle half of segments is wider than twice the distance between the best and the worst system."""
    import numpy as np

    values = results.segments[results.systems[0], str(metric)]
    low, high = np.quantile(values[~np.isnan(values)], (0.25, 0.75))
    scores = [value for name in results.systems if not math.isnan(value := results.value(name, metric))]
    return len(scores) > 1 and float(high - low) > 2 * (max(scores) - min(scores))


def told_apart(results: Results) -> str:
    """How many pairs of systems each metric tells apart."""
    found = {
        results.plain_title(metric): sum(item.verdict != "undecided" for item in items)
        for metric in results.metrics
        if (items := results.comparisons.get(str(metric)))
    }
    if not found:
        return ""
    pairs = counted(max(len(items) for items in results.comparisons.values()), "pair")
    if len(set(found.values())) == 1:
        count = next(iter(found.values()))
        by = listed(list(found)) if len(found) <= 2 else f"each of {len(found)} metrics"
        return f"Of {pairs} of systems, {count} {'is' if count == 1 else 'are'} told apart by {by}."
    return f"Of {pairs} of systems, {listed([f'{name} tells {count} apart' for name, count in found.items()])}."


def lengths(results: Results, names: Sequence[str]) -> str:
    """Who has the best score in how many buckets of lengths, by the first metric shown."""
    metric, own = _first_comparable(results), {}
    for score in results.lengths:
        if metric is not None and score.metric == str(metric) and score.bucket in names:
            own[score.bucket, score.system] = score.value
    if metric is None or len(results.systems) < 2:
        return ""
    firsts = [_best({s: own.get((name, s), math.nan) for s in results.systems}, metric) for name in names]
    return _who("lengths", firsts, results.plain_title(metric), "group")


def documents(results: Results) -> str:
    """Who has the best score in how many documents, by the first metric that can be compared."""
    metric = _first_comparable(results)
    cells: dict[str, dict[str, float]] = {}
    for score in results.documents:
        if metric is not None and score.metric == str(metric):
            cells.setdefault(str(score.document), {})[score.system] = score.value
    if metric is None or not cells or len(results.systems) < 2:
        return ""
    return _who("documents", [_best(row, metric) for row in cells.values()], results.plain_title(metric), "document")


def _first_comparable(results: Results) -> Metric | None:
    """Averages over types of different texts are not comparable."""
    return next((metric for metric in results.metrics if metric.resampling == "percentile"), None)


def _best(values: Mapping[str, float], metric: Metric) -> list[str]:
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        return []
    top = max(known.values()) if metric.better == "higher" else min(known.values())
    return [name for name, value in known.items() if value == top]


def _who(what: str, firsts: Sequence[Sequence[str]], title: str, noun: str) -> str:
    """`a has the best BLEU in 3 of 5 groups of lengths, b in 2`; where several share the best, all of them have it."""
    judged = [names for names in firsts if names]
    if not judged:
        return ""
    counts = Counter(name for names in judged for name in names).most_common()
    (name, most), *others = counts
    of = f"{noun}s of {what}" if noun == "group" else f"{noun}s"
    start = f"{name} has the best {title} in {'all' if most == len(judged) else f'{most} of'} {len(judged)} {of}"
    if most == len(judged) or not others:
        return f"{start}."
    after = listed([f"{other} in {count}" for other, count in others[:3]])
    left = f"; {in_words(len(others) - 3)} more in fewer" if len(others) > 3 else ""
    return f"{start}, {after}{left}."


def words(contrast: TypeContrast) -> str:
    """In which buckets of frequency the two best systems differ significantly."""
    best, other = contrast.systems
    tested = [bucket for bucket in contrast.buckets if bucket.name != ALL and bucket.adjusted is not None]
    if not tested or contrast.unresolvable:
        return ""
    found: dict[str, list[str]] = {}
    for bucket in tested:
        if bucket.adjusted is not None and bucket.adjusted <= ALPHA and bucket.name != INVENTED and bucket.difference:
            found.setdefault(best if bucket.difference < 0 else other, []).append(bucket.name)
    if not found:
        return f"{best} and {other}, the two best, do not differ significantly in any group of words, rare or frequent."
    parts = [f"{name} is significantly better at words that the references have {listed(names)} times"
             for name, names in found.items()]  # fmt: skip
    return f"Of the two best, {best} and {other}, {'; '.join(parts)}."


def errors(results: Results) -> str:
    """Detectors that hit a system more than twice as often as the reference, which is not luck alone by McNemar's test,
    and those that cannot judge the reference."""
    diagnosis = results.diagnosis
    if diagnosis is None:
        return ""
    chances = diagnosis.beside_reference()
    beside, alone = [], []
    for kind in diagnosis.detectors:
        floor = diagnosis.floor[kind].rate if kind in diagnosis.floor else math.nan
        name = max(results.systems, key=partial(_rate, diagnosis, kind))
        tally = diagnosis.tallies[name, kind]
        said = f"{kind} ({name} {100 * tally.rate:.1f} %"
        if tally.hits < FEWEST:
            continue
        if math.isnan(floor):
            alone.append((tally.rate, f"{said})"))
        elif tally.rate > NOTABLE * floor and chances[name, kind] <= ALPHA:
            beside.append((tally.rate, f"{said}, the reference {100 * floor:.1f} %)"))
    parts = [
        f"{said}: {'; '.join(text for _, text in sorted(found, reverse=True)[:3])}."
        for said, found in (
            ("more than twice as often as in the reference", beside),
            ("where a reference cannot be judged", alone),
        )
        if found
    ]
    none = [] if beside else ["No detector hits a system more than twice as often as the reference, beyond luck."]
    return " ".join([*none, *map(capital, parts)])


def _rate(diagnosis: Diagnosis, kind: str, system: str) -> float:
    rate = diagnosis.tallies[system, kind].rate
    return -1.0 if math.isnan(rate) else rate
