"""`tertium types A B`: the tables of two systems side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tertium.analysis.contrast import TypeContrast
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.table import Table
from tertium.core.wording import counted
from tertium.report.tables.types import (
    CONTRASTS,
    USUAL,
    bucket_table,
    curve_table,
    ngram_table,
    pair_table,
    pairs_of,
)

SHOWN_AS = {"text": ("buckets", "gained", "lost"), "markdown": ("buckets", "gained", "lost"),
            "json": USUAL, "xlsx": ("buckets", "gained", "lost", "types", "curve")}  # fmt: skip
WHOLE = ("json", "xlsx")  # which leave nothing out
FEW = {"types": 20, "gained": 10, "lost": 10, "curve": 20, "ngrams": 3}  # rows of text tables


@dataclass(frozen=True, kw_only=True)
class ContrastChoice:
    """What the command line asks for."""

    show: tuple[str, ...]
    form: str
    top: int | None
    sort: str
    reverse: bool
    filters: dict[str, Any]
    order: int

    def limit(self, what: str) -> int | None:
        """How many rows of a table are shown."""
        return self.top if self.top is not None or self.form not in SHOWN_AS or self.form in WHOLE else FEW[what]


def choose_tables(show: Sequence[str], form: str) -> tuple[str, ...]:
    """The tables that are named, or what suits the format."""
    named = tuple(dict.fromkeys(name.strip() for words in show for name in words.split(",")))
    for name in named:
        if name not in CONTRASTS:
            raise OptionError(f"--show {name}: unknown; choose from {', '.join(CONTRASTS)}")
    if form in ("tsv", "csv") and len(named) > 1:
        raise OptionError(f"{form} holds one table; choose one of --show {', '.join(named)}")
    return named or SHOWN_AS.get(form, ("types",))


def chosen_tables(evaluation: Evaluation, contrast: TypeContrast, choice: ContrastChoice) -> list[Table]:
    """The tables asked for."""
    a, b = contrast.systems
    changed = {
        "gained": f"of which {b} makes fewer mistakes than {a}",
        "lost": f"of which {b} makes more mistakes than {a}",
    }
    found = []
    for what in choice.show:
        limit = None if what == "buckets" else choice.limit(what)
        if what == "buckets":
            found.append(bucket_table(contrast))
        elif what == "curve":
            found.append(curve_table(contrast, limit))
        elif what == "ngrams":
            found.append(ngram_table(evaluation, contrast, limit, choice.order))
        else:
            pairs = pairs_of(contrast, what, choice.filters, choice.sort, choice.reverse)
            of_all = f"{len(pairs)} of {counted(len(contrast.pairs), 'type')}"
            said = f"{counted(len(pairs), 'word')} {changed[what]}" if what in changed else of_all
            found.append(pair_table(contrast, pairs[:limit], said, whole=what == "types"))
    return found
