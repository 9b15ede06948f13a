"""Filled and answered prompts as tables."""

from __future__ import annotations

from collections.abc import Sequence

from tertium.core.errors import InputError
from tertium.core.table import Column, Rows, Table, numbers, texts
from tertium.core.wording import counted, visible
from tertium.models.language_model import Answer
from tertium.prompt.answers import AnswerChoice
from tertium.prompt.template import Prompt, Template


def choice_table(
    found: Sequence[AnswerChoice], gold: Sequence[str | None] | None = None, template: Template | None = None
) -> Table:
    """A row for each input, as Liu et al. (2023) show them: the input x, the prompt x', the answered prompt, and the
    label y; and how sure the model is of it. Demonstrations are left out."""
    columns = [
        *texts("input x"),
        *texts("prompt x'", spare=2),  # between the two beside it, and the template above: the first to go
        *texts("answered prompt", "label y"),
        *numbers("share", decimals=3),
    ]
    rows: Rows = [
        [" / ".join(one.inputs), _shown(one.prompt, "[Z]"), _shown(one.prompt, one.said), one.label, one.share]
        for one in found
    ]
    note = "share: of the label, among all labels"
    if gold is not None:
        if len(gold) != len(found):
            raise InputError(f"{counted(len(gold), 'right label')} for {counted(len(found), 'input')}")
        right = [one.label == label for one, label in zip(found, gold, strict=True)]
        columns.append(Column("right label", "text", spare=1))
        rows = [[*row, label] for row, label in zip(rows, gold, strict=True)]
        note += f"\n{sum(right)} of {len(right)} labels are right"
    title = "" if template is None else f"template: {visible(template.text)}"
    return Table(columns=columns, rows=rows, note=note, title=title)


def _shown(prompt: Prompt, answer: str) -> str:
    return f"{prompt.query}{prompt.continuation(answer)}"


def score_rows(found: Sequence[AnswerChoice]) -> Table:
    """A row for each input and each permissible answer, for programs."""
    columns = [*numbers("input"), *texts("prompt", "answer", "label"), *numbers("log_probability", "tokens", "score")]
    rows: Rows = [
        [number, choice.prompt.before, one.answer, one.label, one.log_probability, one.tokens, one.score]
        for number, choice in enumerate(found, 1)
        for one in choice.answers
    ]
    return Table(columns=columns, rows=rows)


def written_table(prompts: Sequence[Prompt], answers: Sequence[Sequence[Answer]]) -> Table:
    """A row for each answer that a model wrote."""
    columns = [*numbers("input", decimals=0), *texts("prompt", "answer"), *numbers("log_probability")]
    rows: Rows = [
        [number, prompt.before, one.text, one.log_probability]
        for number, (prompt, several) in enumerate(zip(prompts, answers, strict=True), 1)
        for one in several
    ]
    return Table(columns=columns, rows=rows)
