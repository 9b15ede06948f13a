"""Scores of a corpus of any size: shards are read block by block, rows become sums at once, and sums are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from tertium.core.errors import InputError, OptionError
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
from tertium.engines.models import pin
from tertium.engines.signature import references_text, signature_of
from tertium.engines.threads import in_order
from tertium.engines.totals import BlockCounts, Corpus, GrowingShard, hashable
from tertium.io.checkpoint import CheckpointFolder, FinishedShard, Key
from tertium.io.shards import Shard, ShardBlock
from tertium.metrics import parse_list

if TYPE_CHECKING:
    from tertium.core.stats import Array

STAGE = "counting segments"
DEPENDS = "its rows depend on the whole test set"
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


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """The sums of a corpus, as an evaluation without rows and texts, and what else is known of it."""

    evaluation: Evaluation
    drawn: Mapping[Key, Array]  # sums of resamples # each (trials, k)
    references: tuple[int, int]  # the fewest and the most of a segment
    shards: int
    skipped: tuple[str, ...]  # why, shard by shard

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
) -> Streamed:
    """The sums of every system under every metric. With a folder as `checkpoint`, shards that are finished in it are
    not read again. With `bad_shards="skip"`, those that cannot be read are left out as a whole, and named."""
    work = _Streaming(systems, metrics, run, draws)
    kept = None if checkpoint is None else CheckpointFolder(checkpoint, work.question())
    sizes = {shard.number: shard.size() for shard in shards}
    done, corpus, growing = _Done(run, sum(sizes.values())), Corpus(), GrowingShard()
    for piece, counts in in_order(work.count, _pieces(shards, kept), work.pool):
        if counts is not None:
            growing.add(counts)
            done.tell(counts.rows, counts.share * sizes[piece.shard.number])
            continue
        if piece.error is not None and bad_shards == "stop":
            raise piece.error
        if piece.error is not None:
            corpus.skipped.append(str(piece.error))
        elif piece.finished is not None:
            corpus.add(piece.finished)
        else:
            finished = growing.finish(piece.shard.number, piece.first)
            if kept is not None and piece.stamp is not None:
                kept.keep(piece.shard, finished, piece.stamp)
            corpus.add(finished)
        done.end(sizes[piece.shard.number], corpus.rows)
        growing = GrowingShard()
    return work.result(corpus, len(shards))


def _pieces(shards: Sequence[Shard], kept: CheckpointFolder | None) -> Iterator[_Piece]:
    """All blocks of all shards, with a mark at the end of each shard. The rows of a bad shard have no numbers."""
    first = 0
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


class _Done:
    """How far the work is. How many rows there will be is reckoned from the bytes that are read."""

    def __init__(self, run: Run, size: int) -> None:
        self.run, self.size = run, size
        self.rows = self.bytes = self.inside = 0

    def tell(self, rows: int, read: float) -> None:
        """Some rows more of a shard, of which so many bytes are read; 0: nobody knows."""
        self.inside += rows
        now = self.rows + self.inside
        known, size = (now, self.bytes + read) if read else (self.rows, float(self.bytes))
        self.run.tell(STAGE, now, max(now, int(known * self.size / size) if size else now))

    def end(self, size: int, rows: int) -> None:
        """The end of a shard of this size; so many rows are done."""
        self.rows, self.bytes, self.inside = rows, self.bytes + size, 0
        self.tell(0, 0)


class _Streaming:
    """What is asked of every block."""

    def __init__(
        self, systems: Sequence[str], metrics: str | Metric | Sequence[str | Metric], run: Run, draws: RowDraws | None
    ) -> None:
        if not systems:
            raise InputError("no system to score; pass at least one output (--hyp FILE)")
        twice = next((name for name in systems if list(systems).count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two systems are called {twice}; give them different names (--hyp NAME=FILE)")
        self.systems, self.draws = tuple(systems), draws
        self.metrics: list[Metric] = []
        for metric in parse_list(metrics):
            if not is_counted(metric):
                raise OptionError(f"{metric}: its rows are given, not counted; shards are counted as they are read")
            pinned, run = pin(metric, run)
            self.metrics.append(pinned)
        if not self.metrics:
            raise InputError("no metric to score with; name at least one, such as bleu (-m bleu)")
        self.run = run
        concurrent = all(getattr(metric, "concurrent", True) for metric in self.metrics)
        self.pool = run if concurrent else replace(run, threads=1)
        self.alike: dict[str, list[Metric]] = {}  # metrics with equal keys share their statistics
        for metric in self.metrics:
            key = metric.stats_key(True) if hasattr(metric, "stats_key") else str(metric)
            self.alike.setdefault(key, []).append(metric)
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
        }

    def count(self, piece: _Piece) -> tuple[_Piece, BlockCounts | None]:
        """The sums of a block; an end of a shard as it is."""
        block, first = piece.block, piece.first
        if block is None:
            return piece, None
        n = len(block)
        testset = TestSet(
            name=piece.shard.name, segments=n, sources=block.sources, references=References(block.references, n)
        )
        sums: dict[Key, Stats] = {}
        drawn: dict[Key, Stats] = {}
        for group in self.alike.values():
            metric = group[0]
            self._check_needs(metric, testset)
            prepared = door.prepare(metric, testset, self.run, first=first, origin=self.origins[str(metric)])
            if prepared.shared is not None and (whole := getattr(prepared.shared, "whole", DEPENDS)) is not None:
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
        texts = {"data": [hashable(lines) for lines in block.references]}
        if block.sources is not None:
            texts["src"] = [hashable(block.sources)]
        resampled = self.draws.weigh(list(drawn.values()), first) if self.draws is not None and drawn else []
        sums_drawn = dict(zip(drawn, resampled, strict=True))
        references = testset.references.fewest_and_most
        return piece._replace(block=None), BlockCounts(n, block.share, references, texts, sums, sums_drawn)

    def _check_needs(self, metric: Metric, testset: TestSet) -> None:
        if "references" in metric.needs and not testset.references.streams:
            raise InputError(f"{metric.name} needs references, and there are none (--ref FILE)")
        if "source" in metric.needs and testset.sources is None:
            raise InputError(f"{metric.name} needs the source, and there is none (--src FILE)")

    def result(self, corpus: Corpus, shards: int) -> Streamed:
        """The sums of all shards."""
        n = corpus.rows
        if not n:
            more = f"; {corpus.skipped[0]}" if corpus.skipped else ""
            raise InputError(f"no segment to score in {counted(shards, 'shard')}{more}")
        facts = {"refs": references_text(*corpus.references), "n": str(n), "shards": str(corpus.shards)}
        digests = {name: digest.hexdigest() for name, digest in corpus.digests.items()}
        joined, resampled = corpus.totals.sums(), corpus.totals.drawn
        table: dict[Key, Stats] = {}
        drawn: dict[Key, Array] = {}
        signatures = {}
        for group in self.alike.values():
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
            metrics=tuple(self.metrics),
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
        )


def _warnings(table: Mapping[Key, Stats], n: int, skipped: Sequence[str]) -> Iterator[str]:
    if skipped:
        yield f"{counted(len(skipped), 'shard')} left out:"
        yield from skipped
    for (system, metric), stats in table.items():
        if stats.n < n:
            verb = "is" if n - stats.n == 1 else "are"
            yield f"{system}: {n - stats.n} of {counted(n, 'segment')} {verb} not scored by {metric}"
