"""`report(evaluation)`: everything that there is to see of an evaluation, in one html file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
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

Progress = Callable[[str, int, int], None]  # what is being done, how many steps are done, of how many


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


def report(
    evaluation: Evaluation,
    *,
    title: str | None = None,
    trials: int = TRIALS,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Report:
    """Summary, scores, comparisons, charts, errors, segments and methods of an evaluation, as one page.

    `trials` is the number of resamples behind intervals and of permutations behind p-values, drawn with `seed`; there
    are at least 50 permutations for each comparison, so that p can be small after the correction for many. What an
    evaluation does not allow (one system, no documents, texts left out) is left out of the report.

    `progress`, if given, is told what is being done, how many steps are done, and of how many.
    """
    check_trials(trials, seed)
    if not evaluation.metrics or not evaluation.systems or not evaluation.table:
        raise OptionError(
            "the evaluation has no scores to report; make it with tertium.evaluate(testset, systems, metrics)"
        )
    return Report(page_of(Results(evaluation=evaluation, trials=trials, seed=seed), title, progress))


def page_of(results: Results, title: str | None = None, progress: Progress | None = None) -> Page:
    """The page of a report."""
    testset, shown = results.evaluation.testset, list[Section]()
    steps = list(steps_of(results))
    for done, (stage, make) in enumerate(steps):
        if progress is not None:
            progress(stage, done, len(steps) + 1)
        shown += [section for section in make() if section is not None]
    if progress is not None:
        progress("drawing", len(steps), len(steps) + 1)
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


def steps_of(results: Results) -> Iterator[tuple[str, Callable[[], Iterable[Section | None]]]]:
    """What there is to do, in words, and the sections that come of it. What takes long and is asked for by several
    sections is a step of its own, without any."""
    evaluation, people = results.evaluation, People(evaluation=results.evaluation)

    def work_out(name: str) -> tuple[()]:
        getattr(results, name)  # which keeps it
        return ()

    yield "resampling", partial(work_out, "scores")
    yield "comparing systems", partial(work_out, "comparisons")
    yield "looking for errors", partial(work_out, "diagnosis")
    yield "summing up", lambda: [sections.overview(results, first_places(people, results)), sections.scores(results)]
    yield "setting metrics against each other", lambda: [sections.relations(results), sections.pairs(results)]
    yield "scoring parts of the test set", lambda: [sections.parts(results)]
    yield "counting words", lambda: [sections.types(results), sections.errors(results)]
    yield "reading what people said", lambda: [judgements(people)]
    yield (
        "setting metrics against people",
        lambda: against.sections(evaluation, trials=results.trials, seed=results.seed),
    )
    yield (
        "listing segments",
        lambda: [
            sections.browser(results),
            methods(results, procedures(people, results.trials, results.seed)),
        ],
    )
