"""Tables of scores as text, Markdown, LaTeX, CSV and JSON. No arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.score import Score
from tertium.core.shown import ABSENT, headings, number

if TYPE_CHECKING:
    from tertium.analysis.buckets import BucketScore

LATEX = str.maketrans({"_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
                       "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
                       "↓": r"$\downarrow$", "↑": r"$\uparrow$", ABSENT: "--"})  # fmt: skip


def score_cells(score: Score | BucketScore, metric: Metric, width: int | None) -> str:
    """A score with its interval."""
    decimals = metric.decimals if width is None else width
    text = number(score.value, decimals)
    if score.interval is not None:
        text += f" [{number(score.interval.low, decimals)}, {number(score.interval.high, decimals)}]"
    return text


def score_table(
    evaluation: Evaluation, scores: Sequence[Score], width: int | None
) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: one row per system and document or segment, one column per metric."""
    metrics = {str(metric): metric for metric in evaluation.metrics}
    keys = ["document", "segment"] if scores and scores[0].level == "segment" else ["document"]
    keys = [key for key in keys if any(getattr(score, key) is not None for score in scores)]
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for score in scores:
        key = (score.system, *(getattr(score, key) or "" for key in keys))
        rows.setdefault(key, {})[score.metric] = score_cells(score, metrics[score.metric], width)
    heads = ["system", *keys, *headings(evaluation.metrics).values()]
    return heads, [[*key, *(cells.get(text, ABSENT) for text in metrics)] for key, cells in rows.items()]


def text_table(heads: list[str], rows: list[list[str]], left: int) -> str:
    """Columns aligned by spaces; the first `left` ones to the left, numbers to the right."""
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    lines = [
        "  ".join(
            cell.ljust(width) if k < left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [heads, *rows]
    ]
    return "\n".join(lines)


def markdown_table(heads: list[str], rows: list[list[str]], left: int) -> str:
    """A GitHub-flavoured table."""
    rule = [":--" if k < left else "--:" for k in range(len(heads))]
    lines = [heads, rule, *[[cell.replace("|", r"\|") for cell in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex_table(heads: list[str], rows: list[list[str]], left: int) -> str:
    """A booktabs table."""
    body = [" & ".join(cell.translate(LATEX) for cell in row) + r" \\" for row in [heads, *rows]]
    columns = "l" * left + "r" * (len(heads) - left)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            body[0],
            r"\midrule",
            *body[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def csv_table(scores: Sequence[Score]) -> str:
    """One line per score, numbers at full precision."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["system", "metric", "level", "segment", "document", "value", "n", "low", "high", "signature"])
    for score in scores:
        low, high = ("", "") if score.interval is None else (repr(score.interval.low), repr(score.interval.high))
        value = "" if math.isnan(score.value) else repr(score.value)
        writer.writerow(
            [
                score.system,
                score.metric,
                score.level,
                score.segment,
                score.document,
                value,
                score.n,
                low,
                high,
                score.signature,
            ]
        )
    return out.getvalue().rstrip("\n")


def json_object(evaluation: Evaluation, scores: Sequence[Score], warnings: Sequence[str]) -> str:
    """One object; numbers at full precision, undefined is null."""
    import json

    from tertium.report.objects import scores_object

    return json.dumps(scores_object(evaluation, scores, warnings), ensure_ascii=False, indent=1)
