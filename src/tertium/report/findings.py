"""What is seen in a figure or table, in one sentence above it. Each rule counts what it says; none says more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.analysis.diagnose import Diagnosis
from tertium.core.metric import Metric, is_human
from tertium.core.wording import counted, number
from tertium.inference.seeds import ALPHA
from tertium.inference.standings import resolved
from tertium.report.results import Results
from tertium.report.words import capital, in_words, listed

TOGETHER = 3  # systems with the same count that are named in one breath
NOTABLE = 2.0  # a detector's rate is worth a sentence from so many times the reference's on
FEWEST = 3  # and from so many segments on


def clusters(results: Results) -> str:
    """Into how many clusters each metric cuts the systems; that systems of one cluster may differ, where they do."""
    counts: dict[int, list[str]] = {}
    differ = []
    for metric in results.metrics:
        if (found := results.clusters.get(str(metric))) is not None:
            counts.setdefault(len(found), []).append(results.plain_title(metric))
            if len(found) == 1 and any(item.verdict != "undecided" for item in results.comparisons[str(metric)]):
                differ.append(results.plain_title(metric))
    if not counts:
        return ""
    said = "; ".join(_cut(count, names) for count, names in sorted(counts.items()))
    said = capital(said) if said.startswith("people") else said  # words of ours, not a name
    by = f" by {listed(differ)}" if len(results.metrics) > 1 else ""
    more = f" Some of them still differ significantly{by}." if differ else ""
    return f"{said}.{more}"


def _cut(count: int, names: Sequence[str]) -> str:
    if count == 1:
        return f"{listed(names)} {'puts' if len(names) == 1 else 'put'} all systems in one cluster"
    each = "cuts" if len(names) == 1 else "each cut"
    return f"{listed(names)} {each} the systems into {counted(count, 'cluster')}"


def scores_of_one(results: Results) -> str:
    """What a system that has nobody beside it scores."""
    [name] = results.systems
    known = [
        f"{number(value, metric.decimals)}{', by' if is_human(metric) else ''} {results.plain_title(metric)}"
        for metric in results.metrics
        if not math.isnan(value := results.value(name, metric))
    ]
    return f"{name} scores {listed(known)}." if known else ""


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
    title = results.plain_title(metric)
    unit = f", by {title}" if is_human(metric) else f" {title}"
    if low == high:
        return f"At least half of {best}'s segments score {low}{unit}{more}."
    return f"Half of {best}'s segments score from {low} to {high}{unit}{more}."


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
    if not any(map(resolved, results.comparisons.values())):
        return f"Nothing could be told apart: {next(iter(results.comparisons.values()))[0].unresolvable}."
    pairs = max(len(items) for items in results.comparisons.values())
    if pairs == 1:
        return _one_pair(found)
    if len(set(found.values())) == 1:
        count = next(iter(found.values()))
        by = listed(list(found)) if len(found) <= 2 else f"each of {len(found)} metrics"
        if count == pairs:
            return f"All {pairs} pairs of systems are told apart by {by}."
        of = f"Of {pairs} pairs of systems, {count or 'none'}"
        return f"{of} {'are' if count > 1 else 'is'} told apart by {by}."
    told = listed([f"{name} tells {count or 'none'} apart" for name, count in found.items()])
    return f"Of {pairs} pairs of systems, {told}."


def _one_pair(found: Mapping[str, int]) -> str:
    """Of two systems: who tells them apart, and who does not."""
    seen, blind = ([name for name, count in found.items() if bool(count) == told] for told in (True, False))
    if not seen:
        if len(blind) > 2:
            return f"The two systems are told apart by none of {len(blind)} metrics."
        return f"The two systems are not told apart by {' or '.join(blind)}."
    apart = (
        f"The two systems are told apart by {listed(seen) if blind or len(seen) <= 2 else f'all {len(seen)} metrics'}"
    )
    return f"{apart}, not by {' or '.join(blind)}." if blind else f"{apart}."


def lengths(results: Results, names: Sequence[str]) -> str:
    """Who has the best score in how many buckets of lengths, by the first metric shown."""
    metric, own = _first_comparable(results), {}
    for score in results.lengths:
        if metric is not None and score.metric == str(metric) and score.bucket in names:
            own[score.bucket, score.system] = score.value
    if metric is None or len(results.systems) < 2:
        return ""
    firsts = [_best({s: own.get((name, s), math.nan) for s in results.systems}, metric) for name in names]
    return _who("lengths", firsts, _score_by(results, metric), "group")


def documents(results: Results) -> str:
    """Who has the best score in how many documents, by the first metric that can be compared."""
    metric = _first_comparable(results)
    cells: dict[str, dict[str, float]] = {}
    for score in results.documents:
        if metric is not None and score.metric == str(metric):
            cells.setdefault(str(score.document), {})[score.system] = score.value
    if metric is None or not cells or len(results.systems) < 2:
        return ""
    return _who("documents", [_best(row, metric) for row in cells.values()], _score_by(results, metric), "document")


def _score_by(results: Results, metric: Metric) -> str:
    """`BLEU`; of people, `score by people's rating (0-100)`."""
    return f"score by {results.plain_title(metric)}" if is_human(metric) else results.plain_title(metric)


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
    most = counts[0][1]
    named = [name for name, count in counts if count == most]
    named = named if len(named) <= TOGETHER else named[:1]
    others = counts[len(named) :]
    of = f"{noun}s of {what}" if noun == "group" else f"{noun}s"
    every = "both" if len(judged) == 2 else f"all {len(judged)}"
    where = f"{every} {of}" if most == len(judged) > 1 else f"{most} of {len(judged)} {of}"
    where = f"the only {noun}" if len(judged) == 1 else where
    have = "has" if len(named) == 1 else "have each" if most < len(judged) else "share"
    start = f"{listed(named)} {have} the best {title} in {where}"
    if not others:
        return f"{start}."
    after = listed([f"{other} in {count}" for other, count in others[:3]])
    left = others[3:]
    return f"{start}, {after}{f'; {_left(left)}' if left else ''}."


def _left(others: Sequence[tuple[str, int]]) -> str:
    """`two more in 3 each`, `two more in fewer`: those that are not named, from the most on."""
    name, most = others[0]
    if len(others) == 1:
        return f"{name} in {most}"
    same = most == others[-1][1]
    return f"{in_words(len(others))} more in {f'{most} each' if same else f'{most} or fewer'}"


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


def words_won(contrast: TypeContrast, listed_words: Sequence[int], most: int) -> str:
    """How many words each of the two best gets right more often, of those that are listed."""
    best, other = contrast.systems
    counts = [f"{most} or more" if count >= most else str(count) if count else "none" for count in listed_words]
    noun = "word" if counts[0] == "1" else "words"
    more = counts[0] if counts[0] != "none" else "no"
    return f"{best} gets {more} {noun} right more often, {other} {counts[1]}."


def types_mean(results: Results) -> str:
    """Who has the best mean F of all types, by the metric that the curve is of."""
    metric = results.type_metric
    if metric is None:
        return ""
    first = _best({name: results.value(name, metric) for name in results.systems}, metric)
    return f"{listed(first)} {'has' if len(first) == 1 else 'have'} the best {results.plain_title(metric)}."


def errors_counted(results: Results) -> str:
    """In whose outputs most segments have something that a detector found, all detectors together."""
    diagnosis = results.diagnosis
    if diagnosis is None:
        return ""
    counts = {name: len({item.segment for item in diagnosis if item.system == name}) for name in results.systems}
    most, least = max(counts.values()), min(counts.values())
    segments = len(results.evaluation.testset)
    if most == least:
        each = " each" if len(counts) > 1 else ""
        return f"Something is found in {most} of {counted(segments, 'segment')}{each}."
    ends = [listed([name for name, count in counts.items() if count == end][:3]) for end in (most, least)]
    return f"Something is found in {most} of {counted(segments, 'segment')} of {ends[0]}, and in {least} of {ends[1]}."


def errors(results: Results) -> str:
    """Detectors that hit a system more than twice as often as the reference, which is not luck alone by McNemar's test,
    and those that cannot judge the reference."""
    diagnosis = results.diagnosis
    if diagnosis is None:
        return ""
    chances = diagnosis.beside_reference()
    beside, alone = [], []
    most = " most," if len(results.systems) > 1 else ""
    for kind in diagnosis.detectors:
        floor = diagnosis.floor[kind].rate if kind in diagnosis.floor else math.nan
        notable = [
            (rate, name)
            for name in results.systems
            if diagnosis.tallies[name, kind].hits >= FEWEST
            and (rate := _rate(diagnosis, kind, name)) >= 0
            and (math.isnan(floor) or (rate > NOTABLE * floor and chances[name, kind] <= ALPHA))
        ]
        if notable:
            rate, name = max(notable, key=lambda item: item[0])
            said = f"{kind} ({name}{most} {100 * rate:.1f} %"
            if math.isnan(floor):
                alone.append((rate, f"{said})"))
            else:
                beside.append((rate, f"{said}; the reference {100 * floor:.1f} %)"))
    parts = [
        f"{said}: {'; '.join(text for _, text in sorted(found, reverse=True)[:3])}."
        for said, found in (
            ("more than twice as often as in the reference", beside),
            ("by detectors that cannot judge the reference", alone),
        )
        if found
    ]
    judged = any(not math.isnan(tally.rate) for tally in diagnosis.floor.values())
    none = "No detector hits a system more than twice as often as the reference, beyond luck."
    return " ".join([*([none] if judged and not beside else []), *map(capital, parts)])


def _rate(diagnosis: Diagnosis, kind: str, system: str) -> float:
    rate = diagnosis.tallies[system, kind].rate
    return -1.0 if math.isnan(rate) else rate
