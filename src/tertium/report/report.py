"""`make_report(evaluation)`: everything that there is to see of an evaluation, in one html file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.run import PLAIN, Run
from tertium.core.wording import counted, describe
from tertium.inference.paired import check_trials
from tertium.inference.seeds import SEED
from tertium.meta.frozen import FrozenScores
from tertium.report import first_section, meta_evaluation, score_section, sections, segments
from tertium.report.headlines import with_headlines
from tertium.report.letters import shared_letters
from tertium.report.methods import methods
from tertium.report.own_curves import curves_of
from tertium.report.page import Page, Section
from tertium.report.pause import collector_paused
from tertium.report.people import People, judgements
from tertium.report.people_methods import procedures
from tertium.report.raters import unnamed
from tertium.report.results import Results
from tertium.report.retrieval import retrieval_sections
from tertium.report.side_file import SideFile
from tertium.report.standing import standings
from tertium.report.tables.frozen import places_beside

if TYPE_CHECKING:
    from tertium.prompt.experiment import Experiment
    from tertium.retrieval.result import RetrievalResult


SCRIPTS = (
    "lines.js",
    "marks.js",
    "choice.js",
    "only.js",
    "pairs.js",
    "one.js",
    "segments.js",
)  # of the segment browser


@dataclass(frozen=True, eq=False)
class Report:
    """A report of an evaluation: `save(path)` writes it as one file; notebooks show it where it stands."""

    page: Page

    def html(self, nonce: str | None = None) -> str:
        """The whole page."""
        return self.page.html(nonce)

    def save(self, path: str | Path) -> None:
        """Write the page, whole or not at all. Where it does not hold all segments, they are written beside it, into a
        file that it can open: `report.segments.gz` for `report.html`."""
        with collector_paused():
            self.page.save(path)

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


def make_report(
    evaluation: Evaluation,
    *,
    title: str | None = None,
    trials: int | None = None,
    seed: int = SEED,
    detectors: str | Iterable[str] | None = None,
    rules: Mapping[str, Any] | None = None,
    run: Run = PLAIN,
    trust_join: bool = False,
    rater_names: bool = False,
    against: Sequence[FrozenScores] = (),
    baseline: str | None = None,
    experiment: Experiment | None = None,
    retrieval: RetrievalResult | None = None,
) -> Report:
    """Verdict, scores, segments, comparisons, charts, errors and methods of an evaluation, as one page.

    Every procedure makes as many trials as the command for it does by default, or `trials`, drawn with `seed`. What an
    evaluation does not allow (one system, no documents, texts left out) is left out of the report.

    `detectors` say which errors are looked for; without them, all that the evaluation and what is installed allow.
    `rules` are those of the house, as `diagnose` has them: glossary, forbidden, max_length.

    Judgements that cannot be about these texts are not used unless `trust_join`. Raters are called rater 1, rater 2 and
    so on unless `rater_names`: a page is made to be passed on.

    With a `baseline`, the name of a system, the verdict is whether another one should take its place, and all systems
    are measured from it.

    With `against`, it says where the scores lie among those that were frozen (`freeze`).

    With an `experiment` (`run_grid`), whose evaluation it is, it has a section about its settings, and prompts and raw
    answers with every segment.

    With `retrieval` (`retrieve`), it says whose documents are found best, and why others are missed.

    `run.progress` is told what is being done, how many steps are done, and of how many.
    """
    check_trials(1 if trials is None else trials, seed)
    if not evaluation.metrics or not evaluation.systems or not evaluation.table:
        raise OptionError(
            "the evaluation has no scores to report; make it with tertium.evaluate(testset, systems, metrics)"
        )
    shown = evaluation if rater_names else unnamed(evaluation)
    beside = places_beside(evaluation, against)
    [letters] = shared_letters([shown])
    results = Results(evaluation=shown, trials=trials, seed=seed, detectors=detectors, rules=rules or {},
                      beside=tuple(beside), run=run, experiment=experiment, linked=shown.has_texts,
                      letters=letters)  # fmt: skip
    if baseline is not None and baseline not in results.groups:
        raise OptionError(f"no system is called {baseline}; there are: {', '.join(results.groups)}")
    if baseline is not None and len(results.groups) < 2:
        raise OptionError(f"baseline {baseline}: it is the only system; a verdict needs another one")
    return Report(page_of(results, title, run, trust_join=trust_join, baseline=baseline, retrieval=retrieval))


@collector_paused()
def page_of(
    results: Results,
    title: str | None = None,
    run: Run = PLAIN,
    *,
    trust_join: bool = False,
    baseline: str | None = None,
    retrieval: RetrievalResult | None = None,
) -> Page:
    """The page of a report."""
    testset, shown = results.evaluation.testset, list[Section]()
    steps = list(steps_of(results, trust_join=trust_join, baseline=baseline))
    if retrieval is not None:
        steps.insert(-1, ("telling what is found", partial(retrieval_sections, retrieval)))
    for done, (stage, make) in enumerate(steps):
        run.tell(stage, done, len(steps) + 1)
        shown += [section for section in make() if section is not None]
    run.tell("drawing", len(steps), len(steps) + 1)
    shown = with_headlines(shown)
    titled, about = title or testset.name, subtitle(results, title)
    if not results.evaluation.has_texts:
        return Page(title=titled, subtitle=about, sections=shown)
    words = sections.listed_words(results)
    numbers, texts = segments.browser(results, words)
    return Page(
        title=titled,
        subtitle=about,
        sections=shown,
        scripts=[*([] if results.held.whole else ["beside.js"]), *SCRIPTS],
        data={"numbers": numbers, "texts": texts},
        beside=None if results.held.whole else SideFile(results, words),
    )


def subtitle(results: Results, title: str | None) -> str:
    """What is compared on what; the name of the test set only where it is not the title."""
    testset = results.evaluation.testset
    said = describe(testset)
    if title in (None, testset.name):
        pair = testset.language_pair
        bare = said.removeprefix(f"{testset.name} ({pair}): " if pair else f"{testset.name}: ")
        said = f"{pair}, {bare}" if pair else bare
    return f"{said}; {counted(len(results.systems), 'system')}, {counted(len(results.metrics), 'metric')}"


def steps_of(
    results: Results, *, trust_join: bool = False, baseline: str | None = None
) -> Iterator[tuple[str, Callable[[], Iterable[Section | None]]]]:
    """What there is to do, in words, and the sections that come of it. What takes long and is asked for by several
    sections is a step of its own, without any."""
    people = People(evaluation=results.evaluation, trust_join=trust_join)

    def work_out(name: str) -> tuple[()]:
        getattr(results, name)  # which keeps it
        return ()

    yield "resampling", partial(work_out, "scores")
    yield "comparing systems", partial(work_out, "comparisons")
    yield "looking for errors", partial(work_out, "diagnosis")
    yield "comparing words", partial(work_out, "contrasts")
    yield "summing up", lambda: opening(results, people, baseline)
    if results.experiment is not None:
        from tertium.report.experiment import experiment_section

        yield "reading the experiment", partial(lambda made: [experiment_section(made, results)], results.experiment)
    yield "listing segments", lambda: [sections.browser(results)]
    yield (
        "setting metrics against each other",
        lambda: [
            sections.relations(results),
            sections.pairs(results, curves_of(people, trials=results.resamples, seed=results.seed)),
        ],
    )
    yield "scoring parts of the test set", lambda: [sections.parts(results)]
    yield "counting words", lambda: [sections.types(results), sections.errors(results)]
    yield "reading what people said", lambda: [judgements(people, results)]
    yield (
        "setting metrics against people",
        lambda: meta_evaluation.sections(
            people, trials=results.resamples, seed=results.seed, results=results, linked=results.linked
        ),
    )
    yield "naming methods", lambda: [methods(results, procedures(people, results.resamples, results.seed))]


def opening(results: Results, people: People, baseline: str | None) -> list[Section]:
    """The verdict and the scores, which both say where systems stand."""
    found = standings(results, people, baseline)
    others = [standing for standing in found if standing.metric not in results.metrics]
    return [first_section.first(results, people, found, baseline), score_section.scores(results, others)]
