"""Scores of segments written beside what they are of: tables in, the same tables with more columns out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, is_counted
from tertium.core.run import PLAIN, Run
from tertium.core.score import Score
from tertium.core.stats import Stats
from tertium.engines.elsewhere import Engine
from tertium.engines.keep import KEPT, Keep, KeptCounts, kept_key, scores_of
from tertium.engines.models import pin
from tertium.engines.signature import signature_of
from tertium.engines.stream import BadShards, Streamed, stream
from tertium.io.checkpoint import Key
from tertium.io.files import remove_begun
from tertium.io.rows import RowsWriter, check_columns, column_names, open_rows
from tertium.io.shards import Shard, ShardBlock, Side
from tertium.io.table_shards import TableShard, find_tables
from tertium.metrics import parse_list

if TYPE_CHECKING:
    from tertium.core.stats import Array


@dataclass(frozen=True, kw_only=True)
class Annotated:
    """What came of annotating: the sums of all rows, how many were kept, and what was written."""

    streamed: Streamed
    keep: Keep | None
    written: tuple[str, ...]  # files

    @property
    def evaluation(self) -> Evaluation:
        """The sums of all rows, without texts."""
        return self.streamed.evaluation

    @property
    def conditions(self) -> list[KeptCounts]:
        """How many rows each condition keeps, drops and cannot say; the last one is all of them together."""
        return [] if self.keep is None else self.keep.counts(self.streamed.more.get(KEPT))

    @property
    def kept(self) -> int:
        """How many rows were written."""
        counts = self.conditions
        return counts[-1].kept if counts else len(self.evaluation.testset) if self.keep is None else 0

    @cached_property
    def kept_evaluation(self) -> Evaluation | None:
        """The sums of the rows that were kept; None without conditions."""
        if self.keep is None:
            return None
        table = {
            (system, metric): self.streamed.more[kept_key(system), metric].with_header(None)
            for system, metric in self.evaluation.table
        }
        said = f"|keep:{self.keep.text}"
        signatures = {metric: signature + said for metric, signature in self.evaluation.signatures.items()}
        return replace(self.evaluation, table=table, signatures=signatures, warnings=())

    def scores(self) -> list[Score]:
        """Scores of the corpus: of all rows."""
        return self.evaluation.scores()


def annotate(
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    metrics: str | Metric | Iterable[str | Metric] = (),
    *,
    outputs: str | Sequence[str] | Mapping[str, str],
    references: str | Sequence[str] = (),
    source: str | None = None,
    keep: str | Sequence[str] = (),
    prefix: str = "",
    missing: str | None = None,
    checkpoint: str | Path | None = None,
    bad_shards: BadShards = "stop",
    run: Run = PLAIN,
    engine: Engine | None = None,
) -> Annotated:
    """Write tables again with the score of every segment under every metric as a column, rows that `keep` does not
    keep left out. `outputs`, `references` and `source` name columns; outputs may have names of systems."""
    named = _systems(outputs)
    files = [str(item) for item in ([inputs] if isinstance(inputs, str | Path) else inputs)]
    kept_if = [keep] if isinstance(keep, str) else list(keep)
    chosen, run = _pinned(parse_list(metrics), run)
    if not chosen and not kept_if:
        raise OptionError("nothing to do: name a metric, such as chrf (-m chrf), or a condition (--keep)")
    sides: list[tuple[Side, str]] = [] if source is None else [(("source", 0), source)]
    sides += [
        (("reference", k), name) for k, name in enumerate([references] if isinstance(references, str) else references)
    ]
    sides += [(("output", k), column) for k, column in enumerate(named.values())]
    shards = find_tables(files, str(output), sides, missing)
    condition = _condition(kept_if, list(named), shards, replace(run, progress=None, cancelled=None, notes=None))
    if condition is not None:
        run = replace(run, located=condition.run.located)
        shards = [replace(shard, besides=tuple(condition.columns)) for shard in shards]
    work = _Annotating(chosen, list(named), condition, prefix, run)
    work.tidy = checkpoint is not None
    asked = {str(metric): metric for metric in (*chosen, *(condition.metrics if condition else ()))}
    for metric in asked.values():
        _check_needs(metric, sides)
    for shard in shards:
        if bad_shards == "stop":
            check_columns(shard.name, shard.columns, work.added)
    with work.writing():
        found = stream(
            shards,
            list(named),
            list(asked.values()),
            run=run,
            checkpoint=None if checkpoint is None else str(checkpoint),
            bad_shards=bad_shards,
            use=work,
            engine=engine,
        )
    written = tuple(shard.target for shard in shards if shard.number not in work.left)
    return Annotated(streamed=found, keep=condition, written=written)


def _systems(outputs: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """The columns of outputs by the names of systems."""
    if isinstance(outputs, Mapping):
        named = dict(outputs)
    else:
        columns = [outputs] if isinstance(outputs, str) else list(outputs)
        named = {column: column for column in columns}
        if len(named) < len(columns):
            raise OptionError("one column of outputs is named twice; give systems names (NAME=COLUMN)")
    if not named:
        raise OptionError("no column of outputs; name at least one (--hyp-column NAME)")
    return named


def _pinned(metrics: Iterable[Metric], run: Run) -> tuple[list[Metric], Run]:
    found = []
    for metric in metrics:
        if not is_counted(metric):
            raise OptionError(f"{metric}: its rows are given, not counted; tables are counted as they are read")
        made, run = pin(metric, run)
        found.append(made)
    return found, run


def _condition(texts: Sequence[str], systems: Sequence[str], shards: Sequence[TableShard], run: Run) -> Keep | None:
    if not texts:
        return None
    names, known = column_names(shards[0].name)
    return Keep(texts, systems, names, run, all_known=known)


def _check_needs(metric: Metric, sides: Sequence[tuple[Side, str]]) -> None:
    kinds = {kind for (kind, _), _ in sides}
    if "references" in metric.needs and "reference" not in kinds:
        raise InputError(f"{metric} needs references, and no column of them is named (--ref-column NAME)")
    if "source" in metric.needs and "source" not in kinds:
        raise InputError(f"{metric} needs the source, and no column of it is named (--source-column NAME)")


class _Annotating:
    """Scores become columns, block by block; a file takes its place when its shard is counted."""

    def __init__(
        self, metrics: Sequence[Metric], systems: Sequence[str], keep: Keep | None, prefix: str, run: Run
    ) -> None:
        self.metrics, self.systems, self.keep = metrics, systems, keep
        several = len(systems) > 1
        self.columns = {
            f"{prefix}{f'{system} | ' if several else ''}{metric}": (system, metric)
            for metric in metrics
            for system in systems
        }
        self.added = {name: signature_of(metric, {}, run) for name, (_, metric) in self.columns.items()}
        self.file: RowsWriter | None = None
        self.tidy = False  # whether this run alone writes these files, and began some of them before it was killed
        self.left: set[int] = set()  # shards of which nothing was written

    @property
    def text(self) -> str:
        """What is written, and which rows."""
        return f"columns {', '.join(self.columns)}; kept if {self.keep.text if self.keep else 'read'}"

    def look(self, block: ShardBlock, rows: Mapping[Key, Stats]) -> tuple[Any, Mapping[Key, Stats]]:
        """The rows as they will be written."""
        kept, more = (None, {}) if self.keep is None else self.keep.look(block, rows)
        added: dict[str, Array] = {
            name: scores_of(metric, rows[system, str(metric)]) for name, (system, metric) in self.columns.items()
        }
        return block.whole.with_columns(added, kept), more

    def take(self, shard: Shard, made: Any) -> None:
        """Write what was made of a block."""
        self._open(shard).write(made)

    def finish(self, shard: Shard) -> Mapping[str, Any]:
        """Put the file in its place."""
        file = self._open(shard)
        file.finish()
        self.file = None
        return cast(TableShard, shard).written()

    def leave(self, shard: Shard | None = None) -> None:
        """Throw away what was begun."""
        if shard is not None:
            self.left.add(shard.number)
        if self.file is not None:
            self.file.leave()
        self.file = None

    def _open(self, shard: Shard) -> RowsWriter:
        if self.file is None:
            target = cast(TableShard, shard).target
            if cast(TableShard, shard).several:
                _make_folder(Path(target).parent)
            if self.tidy:
                remove_begun(target)
            self.file = open_rows(target, shard.name, self.added)
        return self.file

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A file that was begun when something went wrong is none."""
        try:
            yield
        except BaseException:
            self.leave()
            raise


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror or error})") from None
