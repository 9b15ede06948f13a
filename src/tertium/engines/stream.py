"""Scores of a corpus of any size: shards are read block by block, rows become sums at once, and sums are kept."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from tertium.core.errors import InputError, OptionError, SegmentError
from tertium.core.evaluation import Evaluation
from tertium.core.header import Header, Origin
from tertium.core.lines import Lines
from tertium.core.metric import Metric, is_counted
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.core.wording import counted
from tertium.engines import door
from tertium.engines.elsewhere import Engine, Outcome, ShardJob, count_elsewhere
from tertium.engines.models import pin
from tertium.engines.pace import Pace
from tertium.engines.signature import references_text, signature_of
from tertium.engines.threads import in_order
from tertium.engines.totals import BlockCounts, Corpus, GrowingShard, hashable
from tertium.io.checkpoint import CheckpointFolder, FinishedShard, Key
from tertium.io.shards import Shard, ShardBlock
from tertium.metrics import parse_list

if TYPE_CHECKING:
    from tertium.core.stats import Array

GATHERING = "looking at all references"
BadShards = Literal["stop", "skip"]


class RowDraws(Protocol):
    """Resamples of rows, drawn where the rows are."""

    @property
    def text(self) -> str:
        """What is drawn, for those who compare runs."""
        ...

    def weigh(self, parts: Sequence[Stats], first: int) -> Sequence[Array]:
        """W @ S of parts of the same rows, which begin at number `first` of the corpus. # each (trials, k)"""
        ...


class RowUse(Protocol):
    """What is done with rows besides adding them up, while they are at hand."""

    @property
    def text(self) -> str:
        """What is done, for those who compare runs."""
        ...

    def look(self, block: ShardBlock, rows: Mapping[Key, Stats]) -> tuple[Any, Mapping[Key, Stats]]:
        """What is made of a block and its rows, on any thread; and further sums, under keys of their own."""
        ...

    def take(self, shard: Shard, made: Any) -> None:
        """What was made of the next block, in order."""
        ...

    def finish(self, shard: Shard) -> Mapping[str, Any]:
        """A shard is counted; what tells whether what was made of it is still there (Shard.stamp)."""
        ...

    def leave(self, shard: Shard) -> None:
        """The shard is a bad one."""
        ...


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """The sums of a corpus, as an evaluation without rows and texts, and what else is known of it."""

    evaluation: Evaluation
    drawn: Mapping[Key, Array]  # sums of resamples # each (trials, k)
    references: tuple[int, int]  # the fewest and the most of a segment
    shards: int
    skipped: tuple[str, ...]  # why, shard by shard
    more: Mapping[Key, Stats] = field(default_factory=dict)  # sums of a RowUse

    def describe(self) -> str:
        """One line about the corpus."""
        text = references_text(*self.references)
        segments = counted(len(self.evaluation.testset), "segment")
        plural = "" if text == "1" else "s"
        return f"{segments} in {counted(self.shards, 'shard')}, {text} reference{plural} per segment"


class _Piece(NamedTuple):
    """A block on its way, or the end of a shard."""

    shard: Shard
    first: int  # row of the corpus
    block: ShardBlock | None = None
    stamp: Mapping[str, Any] | None = None  # of the shard before it was read
    error: InputError | None = None
    finished: FinishedShard | None = None  # from a checkpoint


def stream(
    shards: Sequence[Shard],
    systems: Sequence[str],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    run: Run = PLAIN,
    draws: RowDraws | None = None,
    checkpoint: str | None = None,
    bad_shards: BadShards = "stop",
    use: RowUse | None = None,
    engine: Engine | None = None,
) -> Streamed:
    """The sums of every system under every metric. With a folder as `checkpoint`, shards that are finished in it are
    not read again. With `bad_shards="skip"`, those that cannot be read are left out as a whole, and named. An `engine`
    counts shards elsewhere, with the same result; without one they are counted here, on threads."""
    work = _Streaming(systems, metrics, run, draws, use)
    if engine is not None:
        work.refuse_to_gather()
    work.gather(shards, bad_shards)
    kept = None if checkpoint is None else CheckpointFolder(checkpoint, work.question())
    sizes = {shard.number: shard.size() for shard in shards}
    done, corpus = Pace(run, sizes), Corpus()
    if engine is None:
        found = _here(work, shards, kept, done)
    else:
        learned = any("model" in metric.needs for metric in work.metrics)
        found = count_elsewhere(
            engine, _Elsewhere(work), shards, work.run, kept, numbered=draws is not None, learned=learned
        )
    with closing(found):
        for shard, finished, error, stamp in found:
            if error is not None and use is not None:
                use.leave(shard)
            if error is not None and bad_shards == "stop":
                raise error
            if finished is None:
                corpus.skipped.append(str(error))
            else:
                if kept is not None and stamp is not None:
                    kept.keep(shard, replace(finished, first=corpus.rows), stamp)
                corpus.add(finished)
            done.end(shard, corpus.rows)
    return work.result(corpus, len(shards))


def _here(
    work: _Streaming, shards: Sequence[Shard], kept: CheckpointFolder | None, done: Pace | None, first: int = 0
) -> Generator[Outcome, None, None]:
    """Shards counted in this process. Threads share blocks, so a single shard keeps all of them busy."""
    growing = GrowingShard()
    for piece, counts in in_order(work.count, _pieces(shards, kept, first), work.pool):
        if counts is not None:
            growing.add(counts)
            if work.use is not None:
                work.use.take(piece.shard, counts.made)
            if done is not None:
                done.tell(piece.shard, counts.rows, counts.share)
            continue
        finished, stamp = piece.finished, piece.stamp
        if finished is None and piece.error is None:
            finished = growing.finish(piece.shard.number, piece.first)
            written = {} if work.use is None else work.use.finish(piece.shard)
            stamp = {**(stamp or {}), **written}
        yield Outcome(piece.shard, finished, piece.error, stamp)
        growing = GrowingShard()


class _Elsewhere:
    """What is asked of every shard, where an engine counts it."""

    def __init__(self, work: _Streaming) -> None:
        self.systems, self.metrics, self.draws, self.use = work.systems, work.metrics, work.draws, work.use

    def __call__(self, job: ShardJob, run: Run) -> Outcome:
        shard, first = job
        work = _Streaming(self.systems, self.metrics, run, self.draws, self.use)
        outcome = None
        try:
            [outcome] = _here(work, [shard], None, None, first)
            return outcome
        except SegmentError as error:  # how many rows there are before is not known, unless there are draws
            raise InputError(f"{shard.name}: {error.at(error.where, -first)}") from None
        finally:
            if self.use is not None and (outcome is None or outcome.error is not None):
                self.use.leave(shard)


def _pieces(shards: Sequence[Shard], kept: CheckpointFolder | None, first: int = 0) -> Iterator[_Piece]:
    """All blocks of all shards, with a mark at the end of each shard. The rows of a bad shard have no numbers."""
    for shard in shards:
        known = None if kept is None else kept.load(shard, first)
        if known is not None:
            yield _Piece(shard, first, finished=known)
            first += known.rows
            continue
        stamp, rows, error = shard.stamp(), 0, None
        try:
            for block in shard.blocks():
                yield _Piece(shard, first + rows, block)
                rows += len(block)
        except InputError as problem:
            error = problem
        yield _Piece(shard, first, stamp=stamp, error=error)
        first += 0 if error else rows


def _is_readable(shard: Shard) -> bool:
    try:
        return all(len(block) >= 0 for block in shard.blocks())
    except InputError:
        return False


class _Streaming:
    """What is asked of every block."""

    def __init__(
        self,
        systems: Sequence[str],
        metrics: str | Metric | Sequence[str | Metric],
        run: Run,
        draws: RowDraws | None,
        use: RowUse | None = None,
    ) -> None:
        if not systems:
            raise InputError("no system to score; pass at least one output (--hyp FILE)")
        twice = next((name for name in systems if list(systems).count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two systems are called {twice}; give them different names (--hyp NAME=FILE)")
        self.systems, self.draws, self.use = tuple(systems), draws, use
        self.metrics: list[Metric] = []
        for metric in parse_list(metrics):
            if not is_counted(metric):
                raise OptionError(f"{metric}: its rows are given, not counted; shards are counted as they are read")
            pinned, run = pin(metric, run)
            self.metrics.append(pinned)
        if not self.metrics and use is None:
            raise InputError("no metric to score with; name at least one, such as bleu (-m bleu)")
        self.run = run
        concurrent = all(getattr(metric, "concurrent", True) for metric in self.metrics)
        self.pool = run if concurrent else replace(run, threads=1)
        self.alike: dict[str, list[Metric]] = {}  # metrics with equal keys share their statistics
        for metric in self.metrics:
            key = metric.stats_key(True) if hasattr(metric, "stats_key") else str(metric)
            self.alike.setdefault(key, []).append(metric)
        self.known: dict[str, Any] = {}  # what metrics that gather know of the corpus
        self.seen: str | None = None  # the digest of what they have seen
        # Blocks are joined under one origin; what the corpus is, is known at the end.
        self.origins = {str(metric): Origin(str(metric), "", "") for metric in self.metrics}

    def question(self) -> dict[str, Any]:
        """What a checkpoint has to be of."""
        from tertium.core.version import VERSION

        facts = [signature_of(metric, {}, self.run) for metric in self.metrics]
        return {
            "version": VERSION,
            "metrics": facts,
            "systems": list(self.systems),
            "draws": None if self.draws is None else self.draws.text,
            "references": self.seen,
            "use": None if self.use is None else self.use.text,
        }

    @property
    def gathering(self) -> list[Metric]:
        """Metrics that have to know the whole corpus before they count a row."""
        return [metric for metric, *_ in self.alike.values() if getattr(metric, "gathers", False)]

    def refuse_to_gather(self) -> None:
        """What is known of the whole corpus does not travel."""
        for metric in self.gathering:
            raise OptionError(
                f"{metric}: what it has to know of all references stays in one process; leave out the engine"
            )

    def gather(self, shards: Sequence[Shard], bad_shards: BadShards) -> None:
        """Read the corpus once for these metrics."""
        metrics = self.gathering
        if not metrics:
            return
        seen = sha256()
        for shard in shards:
            if bad_shards == "skip" and not _is_readable(shard):
                continue
            for block in shard.blocks():
                testset = self._testset(shard, block)
                for metric in metrics:
                    self._check_needs(metric, testset)
                    shared = door.prepare(metric, testset, self.run, origin=self.origins[str(metric)]).shared
                    self.known[str(metric)] = shared.gathered(self.known.get(str(metric)))
                for part in (part for stream in block.references for part in hashable(stream)):
                    seen.update(sha256(part).digest())
                self.run.tell(GATHERING, shard.number, len(shards))
        self.seen = seen.hexdigest()

    def _testset(self, shard: Shard, block: ShardBlock) -> TestSet:
        n = len(block)
        return TestSet(name=shard.name, segments=n, sources=block.sources, references=References(block.references, n))

    def count(self, piece: _Piece) -> tuple[_Piece, BlockCounts | None]:
        """The sums of a block; an end of a shard as it is."""
        block, first = piece.block, piece.first
        if block is None:
            return piece, None
        n, testset = len(block), self._testset(piece.shard, block)
        sums: dict[Key, Stats] = {}
        drawn: dict[Key, Stats] = {}
        rows: dict[Key, Stats] = {}
        for group in self.alike.values():
            metric = group[0]
            self._check_needs(metric, testset)
            prepared = door.prepare(metric, testset, self.run, first=first, origin=self.origins[str(metric)])
            if str(metric) in self.known:
                prepared = replace(prepared, shared=self.known[str(metric)])
            elif (whole := door.dependence(prepared)) is not None:
                raise OptionError(
                    f"{metric} cannot be scored in shards: {whole}; score it in memory, from files named without a "
                    f"pattern"
                )
            for system, outputs in zip(self.systems, block.outputs, strict=True):
                stats = door.count(metric, outputs, prepared, self.run, system=system, first=first)
                key = (system, str(metric))
                sums[key] = stats.summed()
                if self.draws is not None and metric.resampling == "percentile":
                    drawn[key] = stats
                if self.use is not None:
                    rows |= {(system, str(metric)): stats for metric in group}
        made, more = (None, {}) if self.use is None else self.use.look(block, rows)
        texts = {"data": [hashable(lines) for lines in block.references]}
        if block.sources is not None:
            texts["src"] = [hashable(block.sources)]
        resampled = self.draws.weigh(list(drawn.values()), first) if self.draws is not None and drawn else []
        sums_drawn = dict(zip(drawn, resampled, strict=True))
        references = testset.references.fewest_and_most
        return piece._replace(block=None), BlockCounts(
            n, block.share, references, texts, {**sums, **more}, sums_drawn, made
        )

    def _check_needs(self, metric: Metric, testset: TestSet) -> None:
        if "references" in metric.needs and not testset.references.streams:
            raise InputError(f"{metric.name} needs references, and there are none (--ref FILE)")
        if "source" in metric.needs and testset.sources is None:
            raise InputError(f"{metric.name} needs the source, and there is none (--src FILE)")

    def result(self, corpus: Corpus, shards: int) -> Streamed:
        """The sums of all shards."""
        n = corpus.rows
        if not n and self.use is None:
            more = f"; {corpus.skipped[0]}" if corpus.skipped else ""
            raise InputError(f"no segment to score in {counted(shards, 'shard')}{more}")
        facts = {
            "refs": references_text(*(corpus.references if n else (0, 0))),
            "n": str(n),
            "shards": str(corpus.shards),
        }
        digests = {name: digest.hexdigest() for name, digest in corpus.digests.items()}
        joined, resampled = corpus.totals.sums(), corpus.totals.drawn
        metrics = tuple(self.metrics) if n else ()
        table: dict[Key, Stats] = {}
        drawn: dict[Key, Array] = {}
        signatures = {}
        for group in self.alike.values() if n else ():
            counted_by = str(group[0])
            for metric in group:
                text = str(metric)
                own = {name: digests[name][:12] for name, need in (("data", "references"), ("src", "source"))
                       if need in metric.needs and name in digests}  # fmt: skip
                signatures[text] = signature_of(metric, facts | own, self.run)
                header = Header(Origin(text, signatures[text], digests.get("data", "")), (0, n))
                for system in self.systems:
                    table[system, text] = joined[system, counted_by].with_header(header)
                    if (system, counted_by) in resampled:
                        drawn[system, text] = resampled[system, counted_by]
        evaluation = Evaluation(
            testset=TestSet(name=counted(shards, "shard"), segments=n),
            systems=tuple(System(name=name, outputs=Lines.of([])) for name in self.systems),
            metrics=metrics,
            table=table,
            signatures=signatures,
            warnings=tuple(_warnings(table, n, corpus.skipped)),
        )
        return Streamed(
            evaluation=evaluation,
            drawn=drawn,
            references=corpus.references,
            shards=corpus.shards,
            skipped=tuple(corpus.skipped),
            more={key: stats for key, stats in joined.items() if key not in table},
        )


def _warnings(table: Mapping[Key, Stats], n: int, skipped: Sequence[str]) -> Iterator[str]:
    if skipped:
        yield f"{counted(len(skipped), 'shard')} left out:"
        yield from skipped
    for (system, metric), stats in table.items():
        if stats.n < n:
            verb = "is" if n - stats.n == 1 else "are"
            yield f"{system}: {n - stats.n} of {counted(n, 'segment')} {verb} not scored by {metric}"
