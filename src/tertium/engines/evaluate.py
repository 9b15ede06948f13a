"""From a test set and systems to statistics: rows are counted shard by shard and concatenated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from tertium import _kernel
from tertium.core.errors import InputError, OptionError, SegmentError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, Prepared
from tertium.core.shown import counted
from tertium.core.stats import Stats
from tertium.core.system import System, check_lengths
from tertium.core.testset import TestSet
from tertium.core.version import VERSION
from tertium.metrics import parse_list, refuse_local

if TYPE_CHECKING:
    from tertium.core.judgement import Judgement

SHARD = 4096  # segments; a shard is one call of the kernel, and what one thread does at a time

Progress = Callable[[int], None]  # told how many segments were just counted
T = TypeVar("T")
R = TypeVar("R")


def evaluate(
    testset: TestSet,
    systems: Iterable[System],
    metrics: str | Metric | Iterable[str | Metric],
    *,
    judgements: Iterable[Judgement] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    trusted: bool = True,
) -> Evaluation:
    """Count the statistics of every system under every metric.

    Where metrics come from strangers, `trusted=False` refuses options that name files or code of this computer.
    """
    systems = tuple(systems)
    metrics = parse_list([metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else metrics)
    if not trusted:
        for metric in metrics:
            refuse_local(metric)
    check_input(testset, systems, metrics)
    shards = _shards(testset, _threads(threads, len(testset)), watched=progress is not None)
    several = testset.references.fewest_and_most[1] > 1
    table: dict[tuple[str, str], Stats] = {}
    known: dict[str, Metric] = {}  # statistics by key: metrics with equal keys share them
    for metric in metrics:
        key = metric.stats_key(several) if hasattr(metric, "stats_key") else str(metric)
        same = known.setdefault(key, metric)
        if same is metric:
            for system, stats in zip(systems, _count(metric, systems, shards, progress), strict=True):
                table[system.name, str(metric)] = stats
        else:
            for system in systems:
                table[system.name, str(metric)] = table[system.name, str(same)]
    return Evaluation(
        testset=testset,
        systems=systems,
        metrics=metrics,
        table=table,
        signatures={str(metric): signature(metric, testset) for metric in metrics},
        judgements=tuple(judgements),
        warnings=tuple(_suspicions(testset, systems)),
    )


def signature(metric: Metric, testset: TestSet) -> str:
    """What has to be known to get the same score again."""
    low, high = testset.references.fewest_and_most
    parts = {"refs": str(low) if low == high else f"{low}-{high}", "n": str(len(testset))}
    if "references" in metric.needs:
        parts["data"] = testset.references.digest[:12]
    parts |= metric.versions() if hasattr(metric, "versions") else {}
    parts["tertium"] = VERSION
    return "|".join([str(metric), *(f"{key}:{value}" for key, value in parts.items())])


def check_input(testset: TestSet, systems: Sequence[System], metrics: Sequence[Metric]) -> None:
    """Refuse what cannot be scored, before anything is counted."""
    if not systems:
        raise InputError("no system to score; pass at least one output (--hyp FILE)")
    if not metrics:
        raise InputError("no metric to score with; name at least one, such as bleu (-m bleu)")
    if len(testset) == 0:
        raise InputError(f"test set {testset.name} is empty: there is no segment to score")
    names = [system.name for system in systems]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two systems are called {name}; give them different names (--hyp NAME=FILE)")
    for system in systems:
        check_lengths(system, testset)
    for metric in metrics:
        if "references" in metric.needs and testset.references.fewest_and_most[1] == 0:
            raise InputError(f"{metric.name} needs references, and test set {testset.name} has none (--ref FILE)")
        if "source" in metric.needs and testset.sources is None:
            raise InputError(f"{metric.name} needs the source, and test set {testset.name} has none (--src FILE)")


def _threads(threads: int | None, segments: int) -> int:
    """As many as there are cores, unless the work is too small to share."""
    if threads is not None and not hasattr(threads, "__index__"):
        raise OptionError(f"threads: {threads!r}; must be a whole number")
    wanted = (os.cpu_count() or 1) if threads is None else max(1, threads)
    return min(wanted, -(-segments // SHARD))


class Shards:
    """The pieces of a test set and the threads that work on them, in order, so that results are always the same."""

    def __init__(self, bounds: list[tuple[int, int]], testset: TestSet, threads: int) -> None:
        self.bounds, self.testset, self.threads = bounds, testset, threads
        self.testsets = [testset.slice(first, last) for first, last in bounds] if len(bounds) > 1 else [testset]

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Results in the order of the items."""
        if self.threads == 1 or len(items) == 1:
            return [work(item) for item in items]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(work, items))


def _shards(testset: TestSet, threads: int, *, watched: bool = False) -> Shards:
    """Small pieces for several threads or a progress bar; else one, because joining costs memory."""
    size = SHARD if threads > 1 or watched else max(1, len(testset))
    return Shards([(k, min(k + size, len(testset))) for k in range(0, len(testset), size)], testset, threads)


def _count(metric: Metric, systems: Sequence[System], shards: Shards, progress: Progress | None) -> Iterable[Stats]:
    def prepare(shard: int) -> Prepared:
        with _located("references", shards.bounds[shard][0]):
            return metric.prepare(shards.testsets[shard])

    prepared = _merge_shared(shards.map(prepare, range(len(shards.bounds))))

    for system in systems:

        def count(shard: int, outputs: System = system) -> Stats:
            first, last = shards.bounds[shard]
            whole = len(shards.bounds) == 1
            with _located(outputs.name, first):
                stats = metric.stats(outputs.outputs if whole else outputs.outputs[first:last], prepared[shard])
            if progress is not None:
                progress(last - first)
            return stats

        yield Stats.concat(shards.map(count, range(len(shards.bounds))))


@contextmanager
def _located(where: str, first: int) -> Iterator[None]:
    """An error in a segment of a shard is told with the number that the segment has in the whole."""
    try:
        yield
    except SegmentError as error:
        raise error.at(where, first) from error.__cause__


def _merge_shared(prepared: list[Prepared]) -> list[Prepared]:
    """Give every shard the knowledge of all."""
    if prepared[0].shared is None:
        return prepared
    from dataclasses import replace

    shared = reduce(lambda a, b: a.merge(b), (part.shared for part in prepared))
    return [replace(part, shared=shared) for part in prepared]


def _suspicions(testset: TestSet, systems: Sequence[System]) -> Iterable[str]:
    """Valid but suspicious input, one sentence each."""
    n = len(testset)
    if n < 100:
        yield f"only {counted(n, 'segment')}: scores of so small a test set are not reliable"
    if testset.references.streams and testset.references.fewest_and_most[0] == 0:
        unreferenced = int((testset.references.counts == 0).sum())
        verbs = ("has", "is") if unreferenced == 1 else ("have", "are")
        yield f"{unreferenced} of {counted(n, 'segment')} {verbs[0]} no reference and {verbs[1]} not scored"
    if any(_kernel.count_endings(stream.view, "\\N") for stream in testset.references.streams):
        yield r"a reference says \N, the usual mark of a missing line; if it is one, say so (--missing '\N')"
    yield from _doubles(systems)
    for system in systems:
        outputs = system.outputs
        if not outputs.complete:
            missing = n - int(outputs.present.sum())
            verb = "is" if missing == 1 else "are"
            yield f"{system.name}: {missing} of {counted(n, 'output')} {verb} missing and not scored"
        if n > 1 and _kernel.all_equal(outputs.view):
            yield f"{system.name}: all {n} outputs are the same"
        if _kernel.count_endings(outputs.view, " .") >= 100:
            yield (
                f"{system.name}: 100 or more lines end in a space and a period; "
                f"is the output still tokenised? Scores expect detokenised text"
            )


def _doubles(systems: Sequence[System]) -> Iterator[str]:
    """Systems that say the same throughout: one under two names, or a file given twice."""
    if len(systems) < 2:
        return
    alike: dict[bytes, list[System]] = {}  # texts are hashed only where the lengths of all lines are the same
    for system in systems:
        lengths = sha256(_kernel.line_lengths(system.outputs.view)).digest()
        alike.setdefault(lengths, []).append(system)
    for group in alike.values():
        same: dict[bytes, list[str]] = {}
        for system in group if len(group) > 1 else ():
            same.setdefault(system.outputs.digest(), []).append(system.name)
        for *names, last in same.values():
            if names:
                yield f"{', '.join(names)} and {last} have the same outputs: is one of them another's copy?"
