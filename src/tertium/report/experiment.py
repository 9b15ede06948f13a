"""An experiment as a section of a report: the verdict, templates, few-shot curves, all settings, how it was done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tertium.core.wording import counted
from tertium.prompt.experiment import Experiment
from tertium.report.figures.experiment import curve_charts
from tertium.report.page import Section
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.experiment import (
    asked_metrics,
    best_tables,
    curve_tables,
    experiment_sentences,
    model_table,
    setting_table,
    steps_text,
    template_tables,
)

SHOWN = 12  # rows before the reader asks for all


def experiment_section(experiment: Experiment) -> Section:
    """The section; prompts and raw answers stand with the segments."""
    metrics = asked_metrics(experiment)
    parts = [
        SectionPart(
            title="Templates", tables=[table for metric in metrics for table in template_tables(experiment, metric)]
        ),
        SectionPart(
            title="Demonstrations",
            charts=curve_charts(experiment),
            tables=[table for metric in metrics for table in curve_tables(experiment, metric)],
        ),
        SectionPart(title="The best settings", tables=list(best_tables(experiment, metrics[0]))),
        SectionPart(
            title="All settings",
            text=list(how_asked(experiment)),
            tables=[replace(setting_table(experiment), shown=SHOWN), model_table(experiment)],
        ),
    ]
    shown = [part for part in parts if part.tables or part.charts]
    return composed("experiment", "Prompts", shown, experiment_sentences(experiment))


def how_asked(experiment: Experiment) -> Iterator[str]:
    """Decoding and steps: what has to be known to ask the same again."""
    grid = experiment.grid
    for name, search in grid.searches.items():
        decoding = search.decoding
        found = "the likeliest token each time" if not decoding.temperature else (
            f"drawn at temperature {decoding.temperature:g}, top-p {decoding.top_p:g}"
        )  # fmt: skip
        samples = f"; {search.samples} samples, chosen by {search.rule}" if search.samples > 1 else ""
        yield f"Decoding {name}: {found}, at most {counted(decoding.tokens, 'token')}{samples}."
    yield (
        f"Steps after each answer: {steps_text(experiment)}. Prompts and raw answers stand with every segment below. "
        "Names: template/language/what ◇ stands for/demonstrations and how they are chosen."
    )
