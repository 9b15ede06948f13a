"""An experiment as a section of a report: the verdict, templates, few-shot curves, all settings, how it was done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tertium.core.wording import counted
from tertium.prompt.curves import few_shot_curves
from tertium.prompt.experiment import Experiment, by_system
from tertium.report.figures.experiment import curve_charts
from tertium.report.page import Section
from tertium.report.parts import SectionPart, composed
from tertium.report.results import Results
from tertium.report.tables.experiment import (
    asked_metrics,
    best_tables,
    curve_tables,
    experiment_sentences,
    model_table,
    setting_table,
    steps_text,
    template_tables,
    titles_of,
)
from tertium.report.verdicts import prompts as said

SHOWN = 12  # rows before the reader asks for all


def experiment_section(experiment: Experiment, results: Results) -> Section:
    """The section; prompts and raw answers stand with the segments."""
    metrics = asked_metrics(experiment)
    titles = titles_of(experiment)
    curves = few_shot_curves(experiment, metrics[0])
    first, title = metrics[0], titles[str(metrics[0])].removesuffix(" ↓")
    verdict, *more = experiment_sentences(experiment)
    parts = [
        SectionPart(
            title="Templates",
            finding=said.template_finding(experiment, first, title),
            tables=[replace(t, shown=SHOWN) for metric in metrics for t in template_tables(experiment, metric)],
        ),
        SectionPart(
            title="Demonstrations",
            finding=said.curve_finding(curves, first, title),
            charts=curve_charts(experiment, results),
        ),
        SectionPart(
            title="Few-shot curves in numbers",
            folded=True,
            tables=[replace(t, shown=SHOWN) for metric in metrics for t in curve_tables(experiment, metric)],
        ),
        SectionPart(
            title="The best settings",
            folded=True,
            tables=[replace(t, shown=SHOWN) for t in best_tables(experiment, metrics[0])],
        ),
        SectionPart(
            title="All settings",
            finding=f"{counted(len(by_system(experiment.results)), 'setting')}, from best to worst.",
            folded=True,
            tables=[replace(setting_table(experiment), shown=SHOWN)],
        ),
        SectionPart(
            title="How it was asked",
            finding="Decoding, steps after an answer, models by all that can change their answers.",
            folded=True,
            text=list(how_asked(experiment)),
            tables=[model_table(experiment)],
        ),
    ]
    shown = [part for part in parts if part.tables or part.charts]
    return composed("experiment", "Prompts", shown, more, finding=verdict)


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
