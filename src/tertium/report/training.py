"""A training as a page: the curve, its numbers, the settings."""

from __future__ import annotations

from tertium.core.wording import counted
from tertium.report.figures.training import training_charts
from tertium.report.page import Page
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.training import settings_sentence, training_sentences, training_table
from tertium.training.curve import Training


def training_page(training: Training) -> Page:
    """The page of a training."""
    curve = SectionPart(
        text=training_sentences(training), charts=training_charts(training), tables=[training_table(training)]
    )
    identity = training.identity
    made = [
        settings_sentence(training),
        f"SHA-256 of the training data {identity['data'][:8]}, of the validation data {identity['valid'][:8]}, of the "
        f"encoder {identity['encoder'][:8]}.",
    ]
    return Page(
        title=f"Training: {training.recipe}",
        subtitle=f"{counted(training.examples, 'example')}, {counted(len(training.curve) - 1, 'epoch')}",
        sections=[
            composed("curve", "Curve", [curve]),
            composed("settings", "Settings", [SectionPart(text=made)]),
        ],
    )
