"""From a test set and systems to statistics: rows are counted shard by shard and concatenated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, Prepared
from tertium.core.run import PLAIN, Run
from tertium.core.shown import counted
from tertium.core.stats import Stats
from tertium.core.system import System, check_lengths
from tertium.core.testset import TestSet
from tertium.core.version import VERSION
from tertium.engines import door
from tertium.engines.threads import map_all
from tertium.metrics import parse_list, refuse_local

if TYPE_CHECKING:
    from tertium.core.judgement import Judgement

SHARD = 4096  # segments; a shard is one call of the kernel, and what one thread does at a time
STAGE = "counting segments"


def evaluate(
    testset: TestSet,
    systems: Iterable[System],
    metrics: str | Metric | Iterable[str | Metric],
    *,
    judgements: Iterable[Judgement] = (),
    run: Run = PLAIN,
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
    several = testset.references.fewest_and_most[1] > 1
    alike: dict[str, list[Metric]] = {}  # metrics with equal keys share their statistics
    for metric in metrics:
        key = metric.stats_key(several) if hasattr(metric, "stats_key") else str(metric)
        alike.setdefault(key, []).append(metric)
    work = Counting(testset, systems, run, len(alike))
    table = {
        (system.name, str(metric)): stats
        for group in alike.values()
        for system, stats in zip(systems, work.count(group[0]), strict=True)
        for metric in group
    }
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
    if "source" in metric.needs and testset.sources is not None:
        parts["src"] = testset.sources.digest().hex()[:12]
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


class Counting:
    """Rows counted shard by shard, on threads, and joined in order, so that results are always the same."""

    def __init__(self, testset: TestSet, systems: Sequence[System], run: Run, metrics: int) -> None:
        self.systems, self.run = systems, run
        n = len(testset)
        self.bounds = [(first, min(first + SHARD, n)) for first in range(0, n, SHARD)]
        self.testsets = [testset.slice(*bounds) for bounds in self.bounds] if len(self.bounds) > 1 else [testset]
        self.done, self.total, self._lock = 0, n * len(systems) * metrics, Lock()
        run.tell(STAGE, 0, self.total)

    def count(self, metric: Metric) -> Iterator[Stats]:
        """The rows of every system."""
        run = self.run if getattr(metric, "concurrent", True) else replace(self.run, threads=1)
        shards = range(len(self.bounds))

        def prepare(shard: int) -> Prepared:
            return door.prepare(metric, self.testsets[shard], run, first=self.bounds[shard][0])

        prepared = door.share(map_all(run, prepare, shards))
        for system in self.systems:

            def count(shard: int, system: System = system) -> Stats:
                first, last = self.bounds[shard]
                outputs = system.outputs[first:last] if len(shards) > 1 else system.outputs
                stats = door.count(metric, outputs, prepared[shard], run, system=system.name, first=first)
                with self._lock:
                    self.done += last - first
                    run.tell(STAGE, self.done, self.total)
                return stats

            yield Stats.concat(map_all(run, count, shards))


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
