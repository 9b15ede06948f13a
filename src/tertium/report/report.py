"""`report(evaluation)`: everything that there is to see of an evaluation, in one html file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.shown import counted, describe
from tertium.inference.bootstrap import SEED
from tertium.inference.paired import check_trials
from tertium.report import against, sections, segments
from tertium.report.methods import methods
from tertium.report.page import Page, Section
from tertium.report.people import People, first_places, judgements
from tertium.report.people_methods import procedures
from tertium.report.results import TRIALS, Results


@dataclass(frozen=True, eq=False)
class Report:
    """A report of an evaluation: `save(path)` writes it as one file; notebooks show it where it stands."""

    page: Page

    def html(self, nonce: str | None = None) -> str:
        """The whole page."""
        return self.page.html(nonce)

    def save(self, path: str | Path) -> None:
        """Write the page, whole or not at all."""
        self.page.save(path)

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


def report(evaluation: Evaluation, *, title: str | None = None, trials: int = TRIALS, seed: int = SEED) -> Report:
    """Summary, scores, comparisons, charts, errors, segments and methods of an evaluation, as one page.

    `trials` is the number of resamples behind intervals and of permutations behind p-values, drawn with `seed`; there
    are at least 50 permutations for each comparison, so that p can be small after the correction for many. What an
    evaluation does not allow (one system, no documents, texts left out) is left out of the report.
    """
    check_trials(trials, seed)
    if not evaluation.metrics or not evaluation.systems or not evaluation.table:
        raise OptionError(
            "the evaluation has no scores to report; make it with tertium.evaluate(testset, systems, metrics)"
        )
    return Report(page_of(Results(evaluation=evaluation, trials=trials, seed=seed), title))


def page_of(results: Results, title: str | None = None) -> Page:
    """The page of a report."""
    testset, people = results.evaluation.testset, People(evaluation=results.evaluation)
    parts: list[Section | None] = [
        sections.overview(results, first_places(people, results)),
        sections.scores(results),
        sections.relations(results),
        sections.pairs(results),
        sections.parts(results),
        sections.types(results),
        sections.errors(results),
        judgements(people),
        *against.sections(results.evaluation, trials=results.trials, seed=results.seed),
        sections.browser(results),
        methods(results, procedures(people, results.trials, results.seed)),
    ]
    shown = [part for part in parts if part is not None]
    found = f"{counted(len(results.systems), 'system')}, {counted(len(results.metrics), 'metric')}"
    if not results.has_texts:
        return Page(title=title or testset.name, subtitle=f"{describe(testset)}; {found}", sections=shown)
    numbers, texts = segments.browser(results)
    return Page(
        title=title or testset.name,
        subtitle=f"{describe(testset)}; {found}",
        sections=shown,
        scripts=["segments.js"],
        data={"numbers": numbers, "texts": texts},
    )
