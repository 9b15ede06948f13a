"""A search for a template as tables: who came how far on dev, and what the winner is worth on test."""

from __future__ import annotations

import math

from tertium.core.score import Score
from tertium.core.table import Cell, Rows, Table, Value, numbers, texts
from tertium.core.wording import counted, number, p_equals
from tertium.prompt.search.search import PromptSearch
from tertium.report.tables.scores import score_cell

CURSE = (
    "dev has the segments by which the winner was chosen among many, so its score there is too high on average; "
    "test was not looked at before"
)

VERDICTS = {
    "better": "the winner is better",
    "worse": "the winner is worse",
    "undecided": "neither is shown to be better",
}


def candidate_table(found: PromptSearch) -> Table:
    """A row for each candidate, the winner first."""
    columns = [
        *texts("template"),
        *texts("from", spare=2),
        *texts("text", spare=1),
        *numbers("rounds", "segments", spare=1),
        *numbers(found.metric, decimals=found.decimals),
    ]
    rows: Rows = [
        [str(one.template), one.origin, one.template.text, one.rounds, one.n, one.score] for one in found.candidates
    ]
    note = (
        f"{found.metric} on the segments of dev that each was asked about\n{counted(found.calls, 'call')} of at most "
        f"{found.forecast.calls} announced; what was answered before is not asked again"
    )
    return Table(columns=columns, rows=rows, title="candidates on dev", note=note)


def verdict_table(found: PromptSearch) -> Table:
    """Winner and baseline on dev and test, the optimism of the winner, and whether the two differ on test."""
    columns = [
        *texts("", "template"),
        *numbers("dev", "test", "dev - test", decimals=found.decimals),
    ]
    first = found.baseline_dev
    rows: Rows = [
        [
            "winner",
            str(found.winner),
            score_cell(found.dev, found.decimals),
            score_cell(found.test, found.decimals),
            _gap(found),
        ],
        [
            "baseline",
            str(found.baseline),
            first.score,
            score_cell(found.baseline_test, found.decimals),
            first.score - found.baseline_test.value,
        ],
    ]
    same = "" if first.n == found.dev.n else f" (the baseline: {first.n})"
    sizes = f"segments: {found.dev.n}{same} of dev, {found.test.n} of test"
    said = [sizes, CURSE, _verdict(found)]
    intervals = [] if found.test.interval is None else ["in brackets: 95 % bootstrap confidence intervals"]
    return Table(columns=columns, rows=rows, title=f"{found.metric} of the winner", note="\n".join([*said, *intervals]))


def _gap(found: PromptSearch) -> Cell:
    score = Score(metric=found.metric, value=found.optimism, n=found.test.n, interval=found.optimism_interval)
    return score_cell(score, found.decimals)


def _verdict(found: PromptSearch) -> str:
    item = found.comparison
    if item is None:
        return "the winner is the baseline"
    inside = "" if item.interval is None else (
        f" [{number(item.interval.low, found.decimals)}, {number(item.interval.high, found.decimals)}]"
    )  # fmt: skip
    said = f"on test, winner minus baseline: {number(item.difference, found.decimals)}{inside}, {p_equals(item.p)}"
    return f"{said} (paired permutation test); {item.unresolvable or VERDICTS[item.verdict]}"


def search_facts(found: PromptSearch) -> dict[str, Value]:
    """The same for programs, at full precision."""
    item, low_high = found.comparison, found.optimism_interval
    facts: dict[str, Value] = {
        "task": found.task,
        "metric": found.metric,
        "winner": str(found.winner),
        "winner_text": found.winner.text,
        "baseline": str(found.baseline),
        **_facts("dev", found.dev),
        **_facts("test", found.test),
        "optimism": found.optimism,
        "optimism_low": None if low_high is None else low_high.low,
        "optimism_high": None if low_high is None else low_high.high,
        "baseline_dev": found.baseline_dev.score,
        "baseline_dev_segments": found.baseline_dev.n,
        **_facts("baseline_test", found.baseline_test),
        "difference": None if item is None else item.difference,
        "p": None if item is None else item.p,
        "verdict": None if item is None else item.verdict,
        "calls": found.calls,
        "announced": found.forecast.calls,
    }
    return {name: None if isinstance(fact, float) and math.isnan(fact) else fact for name, fact in facts.items()}


def _facts(name: str, score: Score) -> dict[str, Value]:
    ends = (None, None) if score.interval is None else (score.interval.low, score.interval.high)
    return {name: score.value, f"{name}_segments": score.n, f"{name}_low": ends[0], f"{name}_high": ends[1]}
