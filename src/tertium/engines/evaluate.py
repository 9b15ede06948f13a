"""From a test set and systems to statistics: rows are counted shard by shard and concatenated, or given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.header import Header, Origin, Rows
from tertium.core.metric import Metric, Prepared, is_counted, is_given
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.system import System, check_lengths
from tertium.core.testset import TestSet
from tertium.core.version import VERSION
from tertium.core.wording import counted
from tertium.engines import door
from tertium.engines.models import pin, uncovered
from tertium.engines.threads import in_order, map_all
from tertium.metrics import parse_list, refuse_local

if TYPE_CHECKING:
    from tertium.core.given import GivenRows
    from tertium.core.judgement import Judgement

SHARD = 4096  # segments; a shard is one call of the kernel, and what one thread does at a time
STAGE = "counting segments"
MOST_NAMED = 5  # systems in a warning
LISTED = 20  # segments that a warning names


def evaluate(
    testset: TestSet,
    systems: Iterable[System],
    metrics: str | Metric | Iterable[str | Metric],
    *,
    judgements: Iterable[Judgement] = (),
    run: Run = PLAIN,
    trusted: bool = True,
    trust_join: bool = False,
) -> Evaluation:
    """The statistics of every system under every metric.

    Where metrics come from strangers, `trusted=False` refuses options that name files or code of this computer. Rows
    that are given (people's judgements) are refused where they cannot be about these texts, unless `trust_join`.
    """
    bare = Evaluation(testset=testset, systems=_checked(testset, systems), judgements=tuple(judgements))
    return add_metrics(bare, *parse_list(metrics), run=run, trusted=trusted, trust_join=trust_join)


def _checked(testset: object, systems: Iterable[System]) -> tuple[System, ...]:
    """The systems, if a test set and systems is what was passed."""
    if isinstance(testset, Evaluation):
        raise InputError(
            "evaluate: an Evaluation has a test set and systems; pass evaluation.testset and evaluation.systems, "
            "or call add_metrics(evaluation, ...)"
        )
    if not isinstance(testset, TestSet):
        raise InputError(f"evaluate: testset is {type(testset).__name__}; pass a TestSet, such as read_testset has it")
    given: object = systems
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise InputError(f"evaluate: systems are {type(systems).__name__}; pass a list of System")
    found = tuple(systems)
    other = next((each for each in found if not isinstance(each, System)), None)
    if other is not None:
        raise InputError(
            f"evaluate: one of the systems is {type(other).__name__}; expected System(name=..., outputs=...), or score "
            f"texts as they are: score(outputs, references=...)"
        )
    return found


def add_metrics(
    evaluation: Evaluation, *metrics: str | Metric, run: Run = PLAIN, trusted: bool = True, trust_join: bool = False
) -> Evaluation:
    """The evaluation with the rows of further metrics: those of texts are counted, then those that are given come from
    where the metric finds them, such as the evaluation's judgements; scores that came with the test set are added,
    too. Metrics that it has already stay as they are."""
    known, asked = {str(metric) for metric in evaluation.metrics}, parse_list((*metrics, *evaluation.brings))
    if not asked:
        raise InputError("no metric to score with; name at least one, such as bleu (-m bleu)")
    lacking = [metric for metric in asked if str(metric) not in known]
    if not trusted:
        for metric in lacking:
            refuse_local(metric)
    run = replace(run, models=(*run.models, *evaluation.models))
    pinned: dict[str, Metric] = {}  # a model may have been named in two ways
    called = dict(evaluation.called)
    for metric in lacking:
        made, run = pin(metric, run)
        pinned[str(made)] = made
        called[str(metric)] = str(made)
    lacking = [metric for text, metric in pinned.items() if text not in known]
    if not evaluation.has_texts and (uncounted := next(filter(is_counted, lacking), None)):
        raise InputError(
            f"{uncounted} cannot be counted: test set {evaluation.testset.name} or a system was saved without its "
            f"texts; count it where the texts are, and save it again"
        )
    check_input(evaluation.testset, evaluation.systems, lacking)
    suspicions = () if evaluation.metrics or not evaluation.has_texts else _suspicions(evaluation)
    found = replace(evaluation, warnings=(*evaluation.warnings, *suspicions))
    found = _counted(found, [metric for metric in lacking if is_counted(metric)], run)
    checks = []
    for metric in filter(is_given, lacking):
        rows = door.given(metric, found, run)
        found = _with_rows(found, metric, rows)
        checks += [] if rows.check is None or trust_join else [rows.check]
    for check in checks:  # when all rows are in place
        check(found)
    return replace(
        found,
        metrics=(*evaluation.metrics, *lacking),
        warnings=tuple(dict.fromkeys(found.warnings)),
        brings=(),
        called=called,
        located={**evaluation.located, **run.located},
    )


def _counted(evaluation: Evaluation, metrics: Sequence[Metric], run: Run) -> Evaluation:
    """The evaluation with rows counted from its texts."""
    if not metrics:
        return evaluation
    testset, systems = evaluation.testset, evaluation.systems
    several = testset.references.fewest_and_most[1] > 1
    alike: dict[str, list[Metric]] = {}  # metrics with equal keys share their statistics
    for metric in metrics:
        key = metric.stats_key(several) if hasattr(metric, "stats_key") else str(metric)
        alike.setdefault(key, []).append(metric)
    work = Counting(testset, systems, run, len(alike))
    headers = {str(metric): Header(door.origin_of(metric, testset, run), (0, len(testset))) for metric in metrics}
    table: dict[tuple[str, str], Stats] = {}
    signatures = {}
    for group in alike.values():
        rows = list(work.count(group[0], headers[str(group[0])].origin))
        for metric in group:
            header = headers[str(metric)]
            table |= {
                (system.name, str(metric)): each.with_header(header) for system, each in zip(systems, rows, strict=True)
            }
            signatures[str(metric)] = header.signature  # now, while its model is in memory
    unknown = [note for metric in metrics for note in uncovered(metric, run, testset)]
    return replace(
        evaluation,
        metrics=(*evaluation.metrics, *metrics),
        table={**evaluation.table, **table},
        signatures={**evaluation.signatures, **signatures},
        warnings=(
            *evaluation.warnings,
            *_cut_off(table, testset),
            *(note for metric in metrics for note in _unscored(metric, table, testset, systems)),
            *(note for metric in metrics for note in _vacuous(metric, table, systems)),
            *unknown,
            *(note for metric in metrics for note in door.notes(metric, testset)),
        ),
    )


def _cut_off(table: Mapping[tuple[str, str], Stats], testset: TestSet) -> Iterator[str]:
    """Which scores are of texts that were not read to their ends."""
    for (system, metric), stats in table.items():
        if stats.cut:
            some = _some(len(stats.cut), len(stats))
            yield f"{system}: {some} cut off, being too long for {metric}: {_named(stats.cut, testset)}"


def _unscored(
    metric: Metric, table: Mapping[tuple[str, str], Stats], testset: TestSet, systems: Sequence[System]
) -> Iterator[str]:
    """Which segments a metric could not score although nothing of them is missing, if it says why."""
    if not hasattr(metric, "unscored"):
        return
    import numpy as np

    whole = Prepared(references=testset.references).complete(testset, metric.needs)
    for system in systems:
        stats, scorable = table[system.name, str(metric)], whole.scorable(system.outputs)
        expected = np.ones(len(stats), dtype=bool) if scorable is None else scorable
        lost = np.flatnonzero(expected & ~stats.scored).tolist()
        if lost:
            some = _some(len(lost), len(stats))
            yield f"{system.name}: {some} not scored by {metric}, {metric.unscored}: {_named(lost, testset)}"


def _vacuous(metric: Metric, table: Mapping[tuple[str, str], Stats], systems: Sequence[System]) -> Iterator[str]:
    """What the scores of a metric mean that found nothing at all to count, if it says so."""
    if not hasattr(metric, "vacuous"):
        return
    found = any(any(table[system.name, str(metric)].sums()) for system in systems)
    if not found and any(system.outputs.present.any() for system in systems):
        yield f"{metric}: {metric.vacuous}"


def _some(few: int, all_of_them: int) -> str:
    return f"{few} of {counted(all_of_them, 'segment')} {'is' if few == 1 else 'are'}"


def _named(segments: Sequence[int], testset: TestSet) -> str:
    """The first of some segments, by their ids or numbers."""
    named = [testset.ids[k] if testset.ids else str(k + 1) for k in segments[:LISTED]]
    more = f" and {len(segments) - LISTED} more" if len(segments) > LISTED else ""
    return f"{', '.join(named)}{more}"


def _with_rows(evaluation: Evaluation, metric: Metric, rows: GivenRows) -> Evaluation:
    """The evaluation with rows that are given; a system without any has no segment scored."""
    from tertium.core.given import unscored_rows  # only who is given rows pays for it

    testset, text = evaluation.testset, str(metric)
    facts = "|".join(f"{key}:{value}" for key, value in (*rows.facts.items(), ("tertium", VERSION)))
    header = Header(Origin(text, lambda: f"{text}|{facts}", lambda: testset.digest), (0, len(testset)))
    nothing = unscored_rows(len(testset), rows.columns)
    table = {
        (system.name, text): rows.stats.get(system.name, nothing).with_header(header) for system in evaluation.systems
    }
    return replace(
        evaluation,
        metrics=(*evaluation.metrics, metric),
        table={**evaluation.table, **table},
        signatures={**evaluation.signatures, text: header.signature},
        warnings=(*evaluation.warnings, *rows.notes),
    )


def check_input(testset: TestSet, systems: Sequence[System], metrics: Sequence[Metric]) -> None:
    """Refuse what cannot be scored, before anything is counted."""
    if not systems:
        raise InputError("no system to score; pass at least one output (--hyp FILE)")
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
            told = getattr(metric, "referenceless", None)
            way = "--ref FILE" if told is None else f"--ref FILE; or {told}, if the model can do without"
            raise InputError(f"{metric.name} needs references, and test set {testset.name} has none ({way})")
        if "source" in metric.needs and testset.sources is None:
            raise InputError(f"{metric.name} needs the source, and test set {testset.name} has none (--src FILE)")


class Counting:
    """Rows counted shard by shard, on threads, and joined in order, so that results are always the same."""

    def __init__(
        self, testset: TestSet, systems: Sequence[System], run: Run, metrics: int, rows: Rows | None = None
    ) -> None:
        """All rows, or the `rows` [first, last) alone."""
        self.systems, self.run = systems, run
        n = len(testset)
        first, last = rows or (0, n)
        within = [(0, first), (first, last), (last, n)]  # none of the rows asked for shares a shard with others
        self.bounds = [(k, min(k + SHARD, end)) for start, end in within for k in range(start, end, SHARD)]
        self.asked = [k for k, (start, end) in enumerate(self.bounds) if first <= start and end <= last]
        self.testsets = [testset.slice(*bounds) for bounds in self.bounds] if len(self.bounds) > 1 else [testset]
        self.done, self.total, self._lock = 0, (last - first) * len(systems) * metrics, Lock()
        run.tell(STAGE, 0, self.total)

    def count(self, metric: Metric, origin: Origin) -> Iterator[Stats]:
        """The rows of every system."""
        run = self.run  # a metric that threads may not share may have threads of its own
        pool = run if getattr(metric, "concurrent", True) else replace(run, threads=1)
        shards = range(len(self.bounds))

        def prepare(shard: int) -> Prepared:
            return door.prepare(metric, self.testsets[shard], run, first=self.bounds[shard][0], origin=origin)

        prepared = dict(zip(self.asked, map_all(pool, prepare, self.asked), strict=True))
        if len(self.asked) < len(shards) and prepared[self.asked[0]].shared is not None:  # known of the others, too
            prepared |= {shard: prepare(shard) for shard in shards if shard not in prepared}
        known = sorted(prepared)
        prepared = dict(zip(known, door.share([prepared[shard] for shard in known]), strict=True))

        def count(task: tuple[System, int]) -> Stats:
            system, shard = task
            first, last = self.bounds[shard]
            outputs = system.outputs[first:last] if len(shards) > 1 else system.outputs
            stats = door.count(metric, outputs, prepared[shard], run, system=system.name, first=first)
            with self._lock:
                self.done += last - first
                run.tell(STAGE, self.done, self.total)
            return stats

        tasks = [(system, shard) for system in self.systems for shard in self.asked]
        few = len(self.asked) == 1 and len(tasks) * len(self.testsets[self.asked[0]]) < 2 * SHARD
        found = map(count, tasks) if few else in_order(count, tasks, pool)
        for _ in self.systems:
            yield Stats.concat(list(islice(found, len(self.asked))))


def _suspicions(evaluation: Evaluation) -> Iterable[str]:
    """Valid but suspicious input, one sentence each."""
    testset, systems, n = evaluation.testset, evaluation.systems, len(evaluation.testset)
    if n < 100:
        yield f"only {counted(n, 'segment')}: scores of so small a test set are not reliable"
    if testset.references.streams and testset.references.fewest_and_most[0] == 0:
        unreferenced = int((testset.references.counts == 0).sum())
        verbs = ("has", "is") if unreferenced == 1 else ("have", "are")
        yield f"{unreferenced} of {counted(n, 'segment')} {verbs[0]} no reference and {verbs[1]} not scored"
    if any(_kernel.count_endings(stream.view, "\\N") for stream in testset.references.streams):
        yield r"a reference says \N, the usual mark of a missing line; if it is one, say so (--missing '\N')"
    yield from _doubles(systems)
    yield from _post_edited(testset, systems)
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


def _post_edited(testset: TestSet, systems: Sequence[System]) -> Iterator[str]:
    """References that say from whose output they were made: that system's words are in them."""
    engines = testset.records.get("engine")
    if engines is None or not testset.references.streams:
        return
    names = {system.name for system in systems}
    counts = testset.references.counts.tolist()
    made = Counter(engine for engine, n in zip(engines, counts, strict=True) if n and engine in names)
    if made:
        whose = ", ".join(f"{name} ({n})" for name, n in made.most_common(MOST_NAMED))
        more = f" and {counted(len(made) - MOST_NAMED, 'system')} more" if len(made) > MOST_NAMED else ""
        yield (
            f"references of {counted(made.total(), 'segment')} were made from outputs of {whose}{more}: a system may "
            f"score better against those that were made from its own"
        )


def _doubles(systems: Sequence[System]) -> Iterator[str]:
    """Systems with the same outputs: one system under two names, or a file given twice."""
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
