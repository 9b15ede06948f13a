"""What is seen in a figure or table, in one sentence above it. Each rule counts what it says; none says more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.analysis.diagnose import Diagnosis
from tertium.analysis.types import TypeScore
from tertium.core.metric import Metric, is_human
from tertium.core.wording import counted, number, visible
from tertium.inference.seeds import ALPHA
from tertium.inference.standings import resolved
from tertium.report.results import Results
from tertium.report.words import capital, in_words, listed, words_of

TOGETHER = 3  # systems with the same count that are named in one breath
NOTABLE = 2.0  # a detector's rate is worth a sentence from so many times the reference's on
NAMED = 3  # others that a sentence names
FEWEST = 3  # and from so many segments on


def clusters(results: Results) -> str:
    """Into how many clusters each metric cuts the systems; that systems of one cluster may differ, where they do."""
    counts: dict[tuple[int, int], list[str]] = {}
    differ = []
    for metric in results.metrics:
        if (found := results.clusters.get(str(metric))) is not None:
            counts.setdefault((len(found), sum(map(len, found))), []).append(results.plain_title(metric))
            if len(found) == 1 and any(item.verdict != "undecided" for item in results.comparisons[str(metric)]):
                differ.append(results.plain_title(metric))
    if not counts:
        return ""
    everyone = len(results.groups)
    said = "; ".join(_cut(*key, everyone, names) for key, names in sorted(counts.items()))
    said = capital(said) if said.startswith("people") else said  # words of ours, not a name
    each = len(differ) > 2 and len(differ) == len(results.metrics)
    everything = "metric and rating" if any(map(is_human, results.metrics)) else "metric"
    by = "" if len(results.metrics) == 1 else f" by each {everything}" if each else f" by {listed(differ)}"
    more = f" Some of them still differ significantly{by}." if differ else ""
    return f"{said}.{more}"


def _cut(count: int, scored: int, everyone: int, names: Sequence[str]) -> str:
    if count == 1:
        systems = "both systems" if scored == 2 else "all systems"
        which = systems if scored == everyone else f"{systems} that have a score"
        return f"{listed(names)} {'puts' if len(names) == 1 else 'put'} {which} in one cluster"
    each = "cuts" if len(names) == 1 else "each cut"
    which = "the systems" if scored == everyone else "the systems that have a score"
    return f"{listed(names)} {each} {which} into {counted(count, 'cluster')}"


def scores_of_one(results: Results) -> str:
    """What a system that has nobody beside it scores."""
    [name] = results.systems
    known = [
        f"{number(value, metric.decimals)} {'by ' if is_human(metric) else ''}{results.plain_title(metric)}"
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
    every = capital(_every(results.metrics))
    if not parted:
        return f"{every} put the systems in the same order."
    named = f": they part on {'; '.join(f'{a} and {b}' for a, b in parted)}" if len(parted) <= 3 else ""
    if len(parted) == pairs:
        none = (
            "The two systems are not" if len(results.groups) == 2 else f"None of {counted(pairs, 'pair')} of systems is"
        )
        return f"{none} put in the same order by {_every(results.metrics)}."
    return f"{every} put {pairs - len(parted)} of {counted(pairs, 'pair')} of systems in the same order{named}."


def _every(metrics: Sequence[Metric]) -> str:
    """`both metrics`, `all 4 metrics and ratings`: people's scores are none of a metric."""
    return f"both {_kinds(metrics)}" if len(metrics) == 2 else f"all {len(metrics)} {_kinds(metrics)}"


def _kinds(metrics: Sequence[Metric]) -> str:
    people = sum(map(is_human, metrics))
    return "ratings" if people == len(metrics) else "metrics and ratings" if people else "metrics"


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
    told = {
        metric: frozenset(frozenset((item.system, item.baseline)) for item in items if item.verdict != "undecided")
        for metric in results.metrics
        if (items := results.comparisons.get(str(metric)))
    }
    found = {results.plain_title(metric): len(which) for metric, which in told.items()}
    if not found:
        return ""
    if not any(map(resolved, results.comparisons.values())):
        return f"Nothing could be told apart: {next(iter(results.comparisons.values()))[0].unresolvable}."
    pairs = max(len(items) for items in results.comparisons.values())
    kinds = _kinds(list(told))
    if pairs == 1:
        return _one_pair(found, kinds)
    if len(set(told.values())) == 1:  # the same pairs
        count = next(iter(found.values()))
        if not count:
            none = " or ".join(found) if len(found) <= 2 else f"any of {len(found)} {kinds}"
            return f"Of {pairs} pairs of systems, none is told apart by {none}."
        by = listed(list(found)) if len(found) <= 2 else f"each of {len(found)} {kinds}"
        if count == pairs:
            return f"All {pairs} pairs of systems are told apart by {by}."
        return f"Of {pairs} pairs of systems, {count} {'are' if count > 1 else 'is'} told apart by {by}."
    counts: dict[int, list[str]] = {}
    for name, count in found.items():
        counts.setdefault(count, []).append(name)
    parts = [
        f"{listed(names)} {'tells' if len(names) == 1 else 'each tell'} {count or 'none'} apart"
        for count, names in sorted(counts.items(), reverse=True)
    ]
    same = ", though not the same ones" if len(counts) == 1 else ""
    return f"Of {pairs} pairs of systems, {'; '.join(parts)}{same}."


def _one_pair(found: Mapping[str, int], kinds: str) -> str:
    """Of two systems: who tells them apart, and who does not."""
    seen, blind = ([name for name, count in found.items() if bool(count) == told] for told in (True, False))
    if not seen:
        if len(blind) > 2:
            return f"The two systems are told apart by none of {len(blind)} {kinds}."
        return f"The two systems are not told apart by {' or '.join(blind)}."
    apart = (
        f"The two systems are told apart by {listed(seen) if blind or len(seen) <= 2 else f'all {len(seen)} {kinds}'}"
    )
    return f"{apart}, not by {' or '.join(blind)}." if blind else f"{apart}."


def lengths(results: Results, names: Sequence[str]) -> str:
    """Who has the best score in how many buckets of lengths, by the first metric shown."""
    metric, own = first_comparable(results), {}
    for score in results.lengths:
        if metric is not None and score.metric == str(metric) and score.bucket in names:
            own[score.bucket, score.system] = score.value
    if metric is None or len(results.systems) < 2:
        return ""
    firsts = [_best({s: own.get((name, s), math.nan) for s in results.systems}, metric) for name in names]
    return _who("lengths", firsts, _score_by(results, metric), "group")


def documents(results: Results) -> str:
    """Who has the best score in how many documents, by the first metric that can be compared."""
    metric = first_comparable(results)
    cells: dict[str, dict[str, float]] = {}
    said = str(metric)
    for score in results.documents:
        if metric is not None and score.metric == said:
            cells.setdefault(str(score.document), {})[score.system] = score.value
    if metric is None or not cells or len(results.systems) < 2:
        return ""
    return _who("documents", [_best(row, metric) for row in cells.values()], _score_by(results, metric), "document")


def _score_by(results: Results, metric: Metric) -> str:
    """`BLEU`; of people, `score by people's rating (0-100)`."""
    return f"score by {results.plain_title(metric)}" if is_human(metric) else results.plain_title(metric)


def first_comparable(results: Results) -> Metric | None:
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
    ties = "; a tie counts for each" if sum(count for _, count in counts) > len(judged) else ""
    if others and most == others[-1][1]:  # too many to name, and none is ahead
        return f"{capital(in_words(len(counts)))} systems each have the best {title} in {where}{ties}."
    have = "has" if len(named) == 1 else "each have" if most < len(judged) else "share"
    start = f"{listed(named)} {have} the best {title} in {where}"
    if not others:
        return f"{start}."
    shown = len(others) if len(others) == NAMED + 1 else NAMED  # one more is named, not counted
    after = listed([f"{other} in {count}" for other, count in others[:shown]])
    left = others[shown:]
    return f"{start}, {after}{f'; {_left(left)}' if left else ''}{ties}."


def _left(others: Sequence[tuple[str, int]]) -> str:
    """`two more in 3 each`, `two more in fewer`: those that are not named, from the most on."""
    most = others[0][1]
    same = most == others[-1][1]
    return f"{in_words(len(others))} more in {f'{most} each' if same else f'{most} or fewer'}"


def words(contrast: TypeContrast, by: str) -> str:
    """In which buckets of frequency the two best systems differ significantly; `by` says by what they are best."""
    best, other = contrast.systems
    tested = [bucket for bucket in contrast.buckets if bucket.name != ALL and bucket.adjusted is not None]
    if not tested or contrast.unresolvable:
        return ""
    found: dict[str, list[str]] = {}
    for bucket in tested:
        if bucket.adjusted is not None and bucket.adjusted <= ALPHA and bucket.name != INVENTED and bucket.difference:
            found.setdefault(best if bucket.difference < 0 else other, []).append(bucket.name)
    if not found:
        same = "do not differ significantly in any group of words, rare or frequent"
        return f"{best} and {other}, the two best by {by}, {same}."
    groups = sum(bucket.name != INVENTED for bucket in tested)
    parts = [f"{name} is significantly better at {words_of(names, groups)}" for name, names in found.items()]
    return f"Of the two best by {by}, {best} and {other}, {'; '.join(parts)}."


def wrong_words(name: str, worst: Sequence[TypeScore]) -> str:
    """Which word the only system gets wrong most often; those that it gets wrong as often."""
    if not worst:
        return ""
    item = worst[0]
    wrong = item.references + item.outputs - 2 * item.matches
    if not wrong:
        return f"{name} gets no word wrong."
    level = [f"“{visible(t.type)}”" for t in worst if t.references + t.outputs - 2 * t.matches == wrong]
    if len(level) > 1:
        which = listed(level) if len(level) <= TOGETHER else f"{level[0]} and other words"
        return f"{name} gets {which} wrong most often, {_often(wrong)} each."
    wanted, said = (counted(count, "time") for count in (item.references, item.outputs))
    match = f"{item.matches} {'matches' if item.matches == 1 else 'match'}"
    counts = f"{wanted} in the references, {said} in its output, of which {match}"
    return f"{name} gets {level[0]} wrong most often: {counts}."


def _often(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def words_won(contrast: TypeContrast, listed_words: Sequence[int], most: int) -> str:
    """On how many words each of the two best does better, of those that are listed: right more often, or wrong less
    often."""
    best, other = contrast.systems
    counts = [f"{most} or more" if count >= most else str(count) if count else "none" for count in listed_words]
    noun = "word" if counts[0] == "1" else "words"
    more = counts[0] if counts[0] != "none" else "no"
    return f"{best} does better on {more} {noun}, {other} on {counts[1]}."


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
    ends = [_each_of([name for name, count in counts.items() if count == end]) for end in (most, least)]
    where = f"{most} of {counted(segments, 'segment')} of {ends[0]}"
    fewest = f"{least} of {ends[1]}" if least else f"none of {ends[1].removeprefix('each of ')}"
    return f"Something is found in {where}, and in {fewest}."


def _each_of(names: Sequence[str]) -> str:
    """`a`, `each of a and b`, `each of five systems`."""
    if len(names) == 1:
        return names[0]
    return f"each of {listed(names) if len(names) <= TOGETHER else f'{in_words(len(names))} systems'}"


def errors(results: Results) -> str:
    """Detectors that find something in a system more than twice as often as in the reference, which is not luck alone
    by McNemar's test, and those that cannot judge the reference."""
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
            rate = max(rate for rate, _ in notable)
            names = [name for own, name in notable if own == rate]  # as many have it as often
            who = listed(names) if len(names) <= TOGETHER else f"{in_words(len(names))} systems"
            said = f"{kind} ({who}{most} {100 * rate:.1f} %"
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
    none = "No detector finds something in a system more than twice as often as in the reference, beyond luck."
    return " ".join([*([none] if judged and not beside else []), *map(capital, parts)])


def _rate(diagnosis: Diagnosis, kind: str, system: str) -> float:
    rate = diagnosis.tallies[system, kind].rate
    return -1.0 if math.isnan(rate) else rate
