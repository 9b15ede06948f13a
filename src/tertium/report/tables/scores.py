"""Scores as tables: of systems, and of parts of the test set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.score import Score, ends
from tertium.core.table import Cell, Column, Rows, Table, numbers, texts
from tertium.core.wording import bounds_text, counted, headings, number

if TYPE_CHECKING:
    from tertium.analysis.buckets import BucketScore

TYPES_NOTE = (
    "* an average over types: other buckets, and the whole, have other types; compare systems within a bucket only"
)


def score_cell(score: Score | BucketScore, decimals: int, mark: str = "") -> Cell:
    """`52.8 [48.3, 57.0]`, which is sorted and copied as 52.81."""
    text, between = number(score.value, decimals), None
    if score.interval is not None:
        between = score.interval.low, score.interval.high
        text += f" [{number(between[0], decimals)}, {number(between[1], decimals)}]"
    value = None if math.isnan(score.value) else score.value
    return Cell(text + mark, value, title=counted(score.n, "segment"), ends=between)


def score_table(
    evaluation: Evaluation,
    scores: Sequence[Score],
    decimals: int | None = None,
    marks: Mapping[tuple[str, str], str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> Table:
    """A row for each system and document or segment, a column for each metric, with the best system's score marked."""
    level = scores[0].level if scores else "corpus"
    keys = ["document", "segment"] if level == "segment" else ["document"]
    keys = [key for key in keys if any(getattr(score, key) is not None for score in scores)]
    metrics = {str(metric): metric for metric in evaluation.metrics}
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for score in scores:
        key = (score.system, *(getattr(score, key) or "" for key in keys))
        places = metrics[score.metric].decimals if decimals is None else decimals
        rows.setdefault(key, {})[score.metric] = score_cell(
            score, places, (marks or {}).get((score.system, score.metric), "")
        )
    columns = [
        Column(head, better=metrics[text].better if level == "corpus" and comparable(evaluation, text) else None)
        for text, head in (titles or headings(evaluation.metrics)).items()
    ]
    return Table(
        columns=[*texts("system", *keys), *columns],
        rows=[[*key, *(cells.get(text) for text in metrics)] for key, cells in rows.items()],
    )


def comparable(evaluation: Evaluation, metric: str) -> bool:
    """Whether the scores of all systems rest on the same segments."""
    found = [stats for (_, text), stats in evaluation.table.items() if text == metric]
    if all(stats.n == len(stats) for stats in found):
        return True
    if any(stats.form == "sums" for stats in found):  # nobody knows which segments
        return False
    return all((stats.scored == found[0].scored).all() for stats in found)


def score_rows(scores: Sequence[Score]) -> Table:
    """One row per score, for programs."""
    heads = ["system", "metric", "level", "segment", "document", "value", "n", "low", "high", "signature"]
    rows: Rows = [
        [score.system, score.metric, score.level, score.segment, score.document, score.value, score.n,
         *ends(score.interval), score.signature]
        for score in scores
    ]  # fmt: skip
    return Table(columns=numbers(*heads), rows=rows)


def bucket_tables(
    evaluation: Evaluation, what: str, found: Sequence[BucketScore], decimals: int | None = None
) -> list[Table]:
    """A table for each metric: a row for each bucket, a column for each system."""
    tables = []
    for metric, title in zip(evaluation.metrics, headings(evaluation.metrics).values(), strict=True):
        own = [score for score in found if score.metric == str(metric)]
        tables.append(_bucket_table(what, own, title, metric, metric.decimals if decimals is None else decimals))
    return tables


def _bucket_table(what: str, found: Sequence[BucketScore], title: str, metric: Metric, decimals: int) -> Table:
    systems = dict.fromkeys(score.system for score in found)
    rows: dict[tuple[bool, str], dict[str, BucketScore]] = {}
    for score in found:
        rows.setdefault((score.whole, score.bucket), {})[score.system] = score
    shown: Rows = []
    for (_, name), cells in sorted(rows.items(), key=lambda item: item[0][0]):  # the whole comes last
        marked = {s: score_cell(score, decimals, "" if score.comparable else "*") for s, score in cells.items()}
        shown.append([name, next(iter(cells.values())).segments, *(marked.get(system) for system in systems)])
    return Table(
        title=title,
        columns=[*texts(what), Column("segments", spare=0), *numbers(*systems, decimals=metric.decimals)],
        rows=shown,
        note=TYPES_NOTE if any(not score.comparable for score in found) else "",
    )


def bucket_rows(what: str, found: Sequence[BucketScore]) -> Table:
    """One row per score, for programs."""
    heads = ["by", "bucket", "segments", "system", "metric", "value", "n", "low", "high", "comparable", "signature"]
    rows: Rows = [
        [what, score.bucket, score.segments, score.system, score.metric, score.value, score.n,
         *ends(score.interval),
         "true" if score.comparable else "false", score.signature]
        for score in found
    ]  # fmt: skip
    return Table(columns=numbers(*heads), rows=rows)


def signature_table(signatures: Mapping[str, str], titles: Mapping[str, str], metrics: Sequence[Metric] = ()) -> Table:
    """What has to be known to get the same scores again; of these metrics, which way is up and where scores can lie."""
    about = {str(metric): [metric.better, bounds_text(metric.range)] for metric in metrics}
    return Table(
        title="Signatures, to stand beside published scores",
        columns=[*texts("metric", *(["better", "scores"] if about else [])), Column("signature", "code")],
        rows=[
            [title, *(about.get(metric, [None, None]) if about else []), signatures.get(metric, "")]
            for metric, title in titles.items()
        ],
    )
