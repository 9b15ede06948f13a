"""Several test sets in one report: systems by test sets, with intervals, wins and a stated average; their segments; and
behind that, what there is to see of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.run import PLAIN, Run
from tertium.core.table import Cell, Row, Table, texts
from tertium.core.wording import counted, describe
from tertium.inference.paired import check_trials
from tertium.inference.seeds import SEED
from tertium.meta.frozen import FrozenScores
from tertium.report import meta_evaluation, score_section, sections, segments
from tertium.report.figures import overview as figures
from tertium.report.first_section import WORST, hero_key, regression_table, unused
from tertium.report.headlines import with_headlines
from tertium.report.hero import hero
from tertium.report.letters import shared_letters
from tertium.report.methods import EFRON, methods
from tertium.report.one_of_several import OneOfSeveral, set_names
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.pause import collector_paused
from tertium.report.people import People, judgements
from tertium.report.people_methods import procedures
from tertium.report.raters import unnamed
from tertium.report.report import SCRIPTS, Report
from tertium.report.results import Results
from tertium.report.set_table import most_wins, named, ranked, replicates, set_table
from tertium.report.shipping import against_baseline, in_all_sets
from tertium.report.tables.frozen import places_beside
from tertium.report.trust import raters, sizes
from tertium.report.verdict import Verdict, shared_leaders, verdict
from tertium.report.words import in_words, listed

ELSEWHERE = "All of them stand beside a report of this test set alone."
AVERAGES = (
    "The average of a system is the plain mean of its scores over all test sets, each counting the same, whatever its "
    "size. Its interval: every test set is drawn again with replacement, {trials} times, independently of the others "
    "(seeds {seeds}); of each such draw the mean over test sets is taken, and the interval is the middle 95 % of these "
    f"means (percentile bootstrap; {EFRON}). It says how far other segments of the same test sets could move the "
    "average, not how other test sets would. Metrics without an interval, and systems with several runs, have none "
    "here either. Tests are made in each test set apart, and nothing is corrected over test sets."
)


@collector_paused()
def report_several(
    evaluations: Iterable[Evaluation],
    *,
    title: str | None = None,
    trials: int | None = None,
    seed: int = SEED,
    run: Run = PLAIN,
    trust_join: bool = False,
    rater_names: bool = False,
    against: Sequence[FrozenScores] = (),
    baseline: str | None = None,
) -> Report:
    """One page of several test sets under the same metrics: who leads in all of them, systems by test sets, segments,
    and what there is to see of each. Systems are known by their names.

    With a `baseline`, the name of a system that all test sets have, the verdict is whether another one should take its
    place. The other options are those of `make_report`.
    """
    check_trials(1 if trials is None else trials, seed)
    several = list(evaluations)
    check(several, baseline)
    shown = [evaluation if rater_names else unnamed(evaluation) for evaluation in several]
    looks: dict[str, int] = {}  # one colour for each system in all test sets
    given = [
        OneOfSeveral(
            name=name,
            results=Results(evaluation=evaluation, trials=trials, seed=seed, run=run,
                            beside=tuple(places_beside(evaluation, against)), linked=evaluation.has_texts,
                            letters=letters, looks=looks),
            people=People(evaluation=evaluation, trust_join=trust_join),
            baseline=baseline,
        )
        for name, evaluation, letters in zip(set_names(shown), shown, shared_letters(shown), strict=True)
    ]  # fmt: skip
    for done, one in enumerate(given):
        run.tell(f"comparing systems on {one.name}", done, 2 * len(given) + 1)
        _ = one.standings
    looks.update(looks_of(given))
    made = [first(given), by_sets(given), *browser(given)]
    for done, (k, one) in enumerate(enumerate(given, 1), len(given)):
        run.tell(f"looking at {one.name}", done, 2 * len(given) + 1)
        made += [own_section(k, one), own_methods(k, one)]
    made.append(common_methods(given))
    made.sort(key=lambda section: section.id.startswith("methods"))
    made = with_headlines(made)
    systems = len({name for one in given for name in one.results.groups})
    metrics = counted(len(given[0].results.metrics), "metric")
    about = f"{counted(len(given), 'test set')}; {counted(systems, 'system')}, {metrics}"
    data = {
        f"{what}-{k}": value
        for k, one in with_texts(given)
        for what, value in zip(("numbers", "texts"), browser_data(one.results), strict=True)
    }
    scripts = ["sets.js", *SCRIPTS] if data else []
    titled = title or ", ".join(one.name for one in given)
    return Report(Page(title=titled, subtitle=about, sections=made, scripts=scripts, data=data))


def looks_of(given: Sequence[OneOfSeveral]) -> dict[str, int]:
    """The places of all systems among the colours: in the order in which the first chart has them, with their runs."""
    groups = ranked(given, given[0].results.metrics[0])
    runs = [run for name in groups for one in given for run in one.results.groups.get(name, ())]
    return {name: k for k, name in enumerate(dict.fromkeys(runs))}


def check(evaluations: Sequence[Evaluation], baseline: str | None) -> None:
    """Refuse what cannot be set side by side."""
    if not evaluations:
        raise OptionError("no evaluation is given; make some with tertium.evaluate(testset, systems, metrics)")
    for evaluation in evaluations:
        if not evaluation.metrics or not evaluation.systems or not evaluation.table:
            raise OptionError(f"the evaluation of {evaluation.testset.name} has no scores to report")
    if len({tuple(map(str, evaluation.metrics)) for evaluation in evaluations}) > 1:
        raise OptionError("test sets of one report need the same metrics, in the same order")
    for name, evaluation in zip(set_names(evaluations), evaluations, strict=True):
        systems = list(Results(evaluation=evaluation).groups) if baseline is not None else []
        if baseline is not None and baseline not in systems:
            raise OptionError(f"{name}: no system is called {baseline}; there are: {', '.join(systems)}")
        if baseline is not None and len(systems) < 2:
            raise OptionError(f"{name}: baseline {baseline} is the only system; a verdict needs another one")


# The first screen


def first(given: Sequence[OneOfSeveral]) -> Section:
    """The verdict, and how far every system is from the best of each test set, or the baseline, by the first metric."""
    metric = str(given[0].results.metrics[0])
    drawn = [
        replace(standing, title=f"{one.name}: {standing.title}")
        for one in given
        for standing in one.standings
        if str(standing.metric) == metric
    ]
    cautions = [f"{one.name}: {note}" for one in given for note in (*unused(one.people), *one.results.warnings)]
    chips = [
        item._replace(before=f"{one.name}: {item.before}")
        for one in given
        for item in list(sizes(one.results, one.standings))[:1]
    ]
    if not any(one.people.scales for one in given):
        chips += raters(given[0].people)
    baseline, worst = given[0].baseline, None
    if baseline is None:
        said = verdict_on_all(given)
    else:
        said = in_all_sets({one.name: one.standings for one in given}, baseline)
        worst = worst_regressions(given, baseline, said.about)
    return Section(
        id="summary",
        title="Verdict",
        first=True,
        template="verdict.html",
        tables=[] if worst is None else [worst],
        data={
            "verdict": said,
            "trust": chips,
            "hero": hero(drawn, ranked(given, given[0].results.metrics[0])),
            "key": hero_key(given[0].results),
            "cautions": cautions,
        },
    )


def verdict_on_all(given: Sequence[OneOfSeveral]) -> Verdict:
    """Who leads everywhere: by every metric of every test set that could be tested."""
    known = [one for one in given if one.tested]
    if not known:
        return Verdict(case="too small", sentence="Nothing can be said: no difference could be significant anywhere.")
    leaders = {one.name: shared_leaders(one.tested) for one in known}
    everywhere = [name for name in leaders[known[0].name] if all(name in found for found in leaders.values())]
    number = {1: "the only test set", 2: "both test sets"}.get(len(known), f"all {in_words(len(known))} test sets")
    sets = number if len(known) == len(given) else f"{number} that could be tested"
    left = "" if len(known) == len(given) else f" Not tested: {listed([o.name for o in given if not o.tested])}."
    by = known[0].tested[0].title if len(known[0].results.metrics) == 1 else "every metric"
    each = "; ".join(f"{name}: {named(found)}" for name, found in leaders.items())
    if not everywhere and not set.intersection(*(set(one.results.groups) for one in known)):
        return Verdict(
            case="split", sentence=f"No system is in {sets}, so none can lead in them together.",
            more=f"In the lead by {by}: {each}.{left}",
        )  # fmt: skip
    if not everywhere:
        return Verdict(
            case="split", sentence=f"No system leads by {by} in {sets}.", more=f"In the lead by {by}: {each}.{left}"
        )
    verb = "leads" if len(everywhere) == 1 else "lead"
    alone = all(found == everywhere for found in leaders.values())
    more = f"In the lead by {by}: {each}."
    if alone:
        more = "No other system does so in any of them." if len(known) > 1 else "No other system does so."
    case = "winner" if len(everywhere) == 1 else "group"
    return Verdict(case=case, sentence=f"{named(everywhere)} {verb} by {by} in {sets}.", more=f"{more}{left}")  # type: ignore[arg-type]


def worst_regressions(given: Sequence[OneOfSeveral], baseline: str, candidate: str) -> Table | None:
    """The segments of all test sets on which a system loses most against the baseline."""
    found: list[tuple[float, Row]] = []
    tables = {k: regression_table(one.results, baseline, candidate)
              for k, one in enumerate(given, 1) if candidate in one.results.groups}  # fmt: skip
    metric = given[0].results.metrics[0]
    sign = 1.0 if metric.better == "higher" else -1.0
    bare = not all(one.results.evaluation.has_texts for one in given)
    columns = None
    for k, table in tables.items():
        if table is None:
            continue
        kept = [at for at, head in enumerate(table.heads) if not (bare and head.endswith(": output"))]
        columns = [*texts("test set"), *(table.columns[at] for at in kept)]
        for row, cells in zip(table.rows, table.cells(), strict=True):
            moved = [_of_set(k, row[at]) for at in kept]
            found.append((sign * float(cells[-1].value or 0), [given[k - 1].name, *moved]))
    if columns is None:
        return None
    worst = sorted(found, key=lambda item: item[0])[:WORST]
    title = given[0].results.plain_title(metric)
    return Table(
        title=f"The {len(worst)} worst regressions of {candidate} against {baseline}, by {title}",
        columns=columns,
        rows=[row for _, row in worst],
        note="Of all test sets.",
    )


def _of_set(k: int, value: Any) -> Any:
    """A cell whose link leads to the segments of one test set."""
    return value._replace(link=f"?set={k}{value.link}") if isinstance(value, Cell) and value.link else value


# Systems by test sets


def by_sets(given: Sequence[OneOfSeveral]) -> Section:
    """A table for each metric; that of the first is open."""
    drawn = replicates(given)
    parts = [
        SectionPart(
            title="" if k == 0 else given[0].results.plain_title(metric),
            finding=most_wins(given, metric),
            folded=k > 0,
            tables=[set_table(given, metric, drawn)],
        )
        for k, metric in enumerate(given[0].results.metrics)
    ]
    return composed("sets", "Systems by test sets", parts)


# Segments


def with_texts(given: Sequence[OneOfSeveral]) -> list[tuple[int, OneOfSeveral]]:
    """Test sets whose segments can be shown, with their numbers."""
    return [(k, one) for k, one in enumerate(given, 1) if one.results.evaluation.has_texts]


def browser_data(results: Results) -> tuple[Any, Any]:
    """Numbers and texts of a test set's segments."""
    return segments.browser(results, sections.listed_words(results))


def browser(given: Sequence[OneOfSeveral]) -> Iterator[Section]:
    """The segments of one test set at a time, and two of its systems beside each other; the address says of which
    (`?set=2`)."""
    shown = with_texts(given)
    if not shown:
        return
    sets = [(k, one.name, len(one.results.evaluation.testset)) for k, one in shown]
    only = [f"{one.name}: {said} {ELSEWHERE}" for _, one in shown if (said := one.results.held.sentence())]
    whole = not only
    yield Section(id="segments", title="Segments", text=only, template="segments_of_sets.html", data={"sets": sets})
    if any(one.results.comparisons for _, one in shown):
        yield composed("pairs", "Head to head", [SectionPart(charts=[figures.head_to_head(whole=whole)])],
                       template="pairs.html")  # fmt: skip


# Each of them


def own_section(k: int, one: OneOfSeveral) -> Section:
    """What there is to see of one test set, folded behind its verdict."""
    results = one.results
    if one.baseline is None:
        alone = results.scores.get((results.systems[0], str(results.metrics[0])))
        found = verdict(one.standings, len(results.evaluation.testset), alone if len(results.groups) == 1 else None)
    else:
        found = against_baseline(one.standings, one.baseline)
    people = [standing for standing in one.standings if standing.metric not in results.metrics]
    made = [
        score_section.scores(results, people),
        sections.relations(results),
        sections.pairs(results),
        sections.parts(results),
        sections.types(results),
        sections.errors(results),
        judgements(one.people, results),
        *meta_evaluation.sections(one.people, trials=results.resamples, seed=results.seed, results=results),
    ]
    about = f"{describe(results.evaluation.testset)}."
    parts = [part for section in made if section is not None for part in flattened(section)]
    section = composed(f"set-{k}", one.name, parts, [found.more, about] if found.more else [about],
                       finding=found.sentence, folded=True, template="set.html")  # fmt: skip
    count = len(results.evaluation.testset) if results.evaluation.has_texts else 0
    return replace(section, data={**section.data, "set": k, "segments": counted(count, "segment") if count else ""})


def flattened(section: Section) -> Iterator[SectionPart]:
    """A section as parts of another one; a chart that the segment browser draws is left out."""
    parts: Iterable[SectionPart] = section.data.get("parts") or [
        SectionPart(charts=section.charts, tables=section.tables)
    ]
    yield SectionPart(title=section.title, finding=section.finding, text=section.text)
    for part in parts:
        yield replace(part, charts=[chart for chart in part.charts if not chart.name])


def own_methods(k: int, one: OneOfSeveral) -> Section:
    """How it was done."""
    made = methods(one.results, procedures(one.people, one.results.resamples, one.results.seed))
    return replace(made, id=f"methods-{k}", title=f"Methods: {one.name}")


def common_methods(given: Sequence[OneOfSeveral]) -> Section:
    """How averages over test sets are made."""
    first_seed = given[0].results.seed
    seeds = listed([str(first_seed + k) for k in range(len(given))])
    text = AVERAGES.format(trials=given[0].results.resamples, seeds=seeds)
    return Section(
        id="methods-all",
        title="Methods: all test sets",
        finding="How averages over test sets are made, and what their intervals say.",
        folded=True,
        text=[text],
    )
