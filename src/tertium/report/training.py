"""A training as a page: the verdict, the curve, its numbers, the settings."""

from __future__ import annotations

from tertium.core.wording import counted
from tertium.report.figures.training import training_charts
from tertium.report.methods import Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.training import settings_sentence, training_sentences, training_table
from tertium.report.verdicts.training import training_trust, training_verdict
from tertium.training.curve import Training

REI = 'Rei, Stewart, Farinha and Lavie (2020), "COMET: A neural framework for MT evaluation"'
SELLAM = 'Sellam, Das and Parikh (2020), "BLEURT: Learning robust metrics for text generation"'
FITTED = """The network is fitted to people's scores, in units of their standard deviation, by the mean squared error.
After each epoch it is judged by Kendall's tau-b with people's scores on the validation data; the best epoch is kept."""


def training_page(training: Training) -> Page:
    """The page of a training."""
    learnt, best, *more = training_sentences(training)
    parts = [
        SectionPart(text=[learnt, *more], charts=training_charts(training)),
        SectionPart(title="Every epoch", folded=True, tables=[training_table(training)]),
    ]
    identity = training.identity
    made = (
        f"{settings_sentence(training)} SHA-256 of the training data {identity['data'][:8]}, of the validation data "
        f"{identity['valid'][:8]}, of the encoder {identity['encoder'][:8]}."
    )
    paper = SELLAM if "bleurt" in training.recipe else REI
    return Page(
        title=f"Training: {training.recipe}",
        subtitle=f"{counted(training.examples, 'example')}, {counted(len(training.curve) - 1, 'epoch')}",
        sections=[
            opening(training_verdict(training), list(training_trust(training))),
            composed("curve", "Curve", parts, finding=best),
            methods_of([Method("Training", FITTED, paper), Method("Settings", made, "")], {}, learnt),
        ],
    )
