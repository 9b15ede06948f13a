"""A sentence that somebody types, and how metrics come to their scores of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tertium.analysis.walkthrough import Walkthrough, walk_through
from tertium.core.errors import OptionError, TertiumError
from tertium.core.metric import Metric
from tertium.metrics import known, parse_list, refuse_local
from tertium.report.walkthrough import SCRIPTS, explain_page
from tertium.web.pages import render

MOST_METRICS, MOST_REFERENCES = 25, 10
EXAMPLE = ("The cat the cat on the mat.", "The cat is on the mat.\nThere is a cat on the mat.")


@dataclass(frozen=True, kw_only=True)
class ExplainForm:
    """What the form says: one reference a line, metrics that are ticked, and others as text."""

    output: str | None = None
    references: str = ""
    metrics: Sequence[str] = field(default_factory=list)
    other: str = ""


def explained(
    output: str, references: Sequence[str], metrics: Iterable[str], allowed: Collection[str]
) -> list[Walkthrough]:
    """The steps of every metric; those that name files or code of this computer are refused."""
    chosen = parse_list(metrics)
    if not chosen:
        raise OptionError("no metric is chosen; choose at least one, such as bleu")
    if len(chosen) > MOST_METRICS or len(references) > MOST_REFERENCES:
        raise OptionError(
            f"{len(chosen)} metrics and {len(references)} references; "
            f"at most {MOST_METRICS} and {MOST_REFERENCES} fit a page"
        )
    for metric in chosen:
        refuse_local(metric, allowed)
        _check_explained(metric)
    return [walk_through(output, references, metric) for metric in chosen]


def explainable() -> dict[str, str]:
    """Metrics that have steps to show, by name; and their titles."""
    return {name: cls.title for name, cls in known().items() if hasattr(cls, "steps")}


def _check_explained(metric: Metric) -> None:
    if not hasattr(metric, "steps"):
        raise OptionError(f"{metric} has no steps to show; those that have: {', '.join(explainable())}")


def page(asked: ExplainForm, allowed: Collection[str], nonce: str) -> tuple[str, int]:
    """The form, and below it the steps; with what is wrong, if something is. And the status of the answer."""
    from tertium.report.page import asset, numbered, pack

    ticked = list(asked.metrics) or ([] if asked.other.strip() else ["bleu"])
    error, shown = "", None
    if asked.output is not None:
        references = [line.strip("\r") for line in asked.references.split("\n") if line.strip()]
        try:
            other = [asked.other] if asked.other.strip() else []
            shown = explain_page(explained(asked.output, references, [*ticked, *other], allowed))
        except TertiumError as refused:
            error = str(refused)
    output, references_text = EXAMPLE if asked.output is None else (asked.output, asked.references)
    text = render(
        "explain.html", nonce, title="How a score is computed", error=error, metrics=explainable(), ticked=ticked,
        other=asked.other, output=output, references=references_text,
        sections=[] if shown is None else list(numbered(shown.sections)),
        packed={} if shown is None else {name: pack(value) for name, value in shown.data.items()},
        more=[] if shown is None else [asset(name) for name in SCRIPTS],
    )  # fmt: skip
    return text, 422 if error else 200
