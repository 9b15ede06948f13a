"""Several test sets in one report: systems by test sets, with intervals, wins and a stated average; behind that, what
there is to see of each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.table import Cell, Column, Rows, Table, numbers, texts
from tertium.core.wording import counted, describe, number, stars
from tertium.inference.seeds import SEED
from tertium.report import meta_evaluation, score_section, sections
from tertium.report.first_section import hero_key, unused
from tertium.report.hero import hero
from tertium.report.methods import methods
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.people import People, judgements
from tertium.report.people_methods import procedures
from tertium.report.raters import unnamed
from tertium.report.report import Report
from tertium.report.results import Results
from tertium.report.standing import Standing, standings
from tertium.report.tables.scores import score_cell
from tertium.report.trust import sizes
from tertium.report.verdict import Verdict, shared_leaders, verdict
from tertium.report.words import in_words, listed

NOTE = (
    "In brackets: 95 % bootstrap intervals. Stars: worse than the best system of the column, p corrected over all"
    " pairs of the test set ≤ 0.05 (*), 0.01 (**), 0.001 (***). Wins: test sets with the best score. Leads: test "
    "sets in which a system is the best or not significantly worse. Average: the plain mean over all test sets, "
    "whatever their sizes; without an interval, and only of systems that all of them have."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class OneOfSeveral:
    """One test set of several."""

    name: str
    results: Results
    people: People

    @cached_property
    def standings(self) -> list[Standing]:
        """Of its metrics, then of people."""
        return standings(self.results, self.people)

    @cached_property
    def tested(self) -> list[Standing]:
        """Of the metrics by which a difference could have been significant."""
        return [standing for standing in self.standings if standing.tested and not standing.people]


def report_several(
    evaluations: Sequence[Evaluation],
    *,
    title: str | None = None,
    trials: int | None = None,
    seed: int = SEED,
    run: Run = PLAIN,
    trust_join: bool = False,
    rater_names: bool = False,
) -> Report:
    """A report of several test sets under the same metrics; systems are known by their names."""
    metrics = [tuple(map(str, evaluation.metrics)) for evaluation in evaluations]
    if len(set(metrics)) > 1:
        raise OptionError("test sets of one report need the same metrics, in the same order")
    shown = [evaluation if rater_names else unnamed(evaluation) for evaluation in evaluations]
    given = [
        OneOfSeveral(
            name=name,
            results=Results(evaluation=evaluation, trials=trials, seed=seed, run=run),
            people=People(evaluation=evaluation, trust_join=trust_join),
        )
        for name, evaluation in zip(set_names(shown), shown, strict=True)
    ]
    made: list[Section] = []
    for done, one in enumerate(given):
        run.tell(f"comparing systems on {one.name}", done, 2 * len(given) + 1)
        _ = one.standings
    made += [first(given), by_sets(given)]
    for done, (k, one) in enumerate(enumerate(given, 1), len(given)):
        run.tell(f"looking at {one.name}", done, 2 * len(given) + 1)
        made += [own_section(k, one), own_methods(k, one)]
    made.sort(key=lambda section: section.id.startswith("methods-"))
    systems = len({name for one in given for name in one.results.groups})
    about = f"{counted(len(given), 'test set')}; {counted(systems, 'system')}, {counted(len(metrics[0]), 'metric')}"
    return Report(Page(title=title or ", ".join(one.name for one in given), subtitle=about, sections=made))


def set_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """How test sets are called: by name, or by languages, or by both; numbered where that is not enough."""
    plain = [evaluation.testset.name for evaluation in evaluations]
    pairs = [evaluation.testset.language_pair or "" for evaluation in evaluations]
    for names in (plain, pairs, [f"{name} {pair}".strip() for name, pair in zip(plain, pairs, strict=True)]):
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"{name} {k}" for k, name in enumerate(plain, 1)]


# The first screen


def first(given: Sequence[OneOfSeveral]) -> Section:
    """The verdict, and how far every system is from the best of each test set by the first metric."""
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
    return Section(
        id="summary",
        title="Verdict",
        first=True,
        template="verdict.html",
        data={
            "verdict": verdict_on_all(given),
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
    sets = f"{'both' if len(known) == 2 else f'all {in_words(len(known))}'} test sets"
    left = "" if len(known) == len(given) else f" Not tested: {listed([o.name for o in given if not o.tested])}."
    by = known[0].tested[0].title if len(known[0].results.metrics) == 1 else "every metric"
    each = "; ".join(f"{name}: {_named(found)}" for name, found in leaders.items())
    if not everywhere:
        return Verdict(
            case="split", sentence=f"No system leads by {by} in {sets}.", more=f"In the lead by {by}: {each}.{left}"
        )
    verb = "leads" if len(everywhere) == 1 else "lead"
    alone = all(found == everywhere for found in leaders.values())
    more = "No other system does so in any of them." if alone else f"In the lead by {by}: {each}."
    case = "winner" if len(everywhere) == 1 else "group"
    return Verdict(case=case, sentence=f"{_named(everywhere)} {verb} by {by} in {sets}.", more=f"{more}{left}")  # type: ignore[arg-type]


def _named(names: Sequence[str]) -> str:
    return "nobody" if not names else listed(names) if len(names) <= 4 else f"{in_words(len(names))} systems"


# Systems by test sets


def by_sets(given: Sequence[OneOfSeveral]) -> Section:
    """A table for each metric; that of the first is open."""
    parts = [
        SectionPart(
            title="" if k == 0 else given[0].results.plain_title(metric),
            finding=most_wins(given, metric),
            folded=k > 0,
            tables=[set_table(given, metric)],
        )
        for k, metric in enumerate(given[0].results.metrics)
    ]
    return composed("sets", "Systems by test sets", parts)


def ranked(given: Sequence[OneOfSeveral], metric: Metric) -> list[str]:
    """Systems from the best average to the worst; then those that some test set does not have."""
    sign = -1 if metric.better == "higher" else 1
    names = dict.fromkeys(name for one in given for name in one.results.groups)

    def place(name: str) -> tuple[bool, float]:
        mean = average(given, metric, name)
        here = [score for one in given if not math.isnan(score := _score(one, metric, name))]
        return math.isnan(mean), sign * (fmean(here) if here else -sign * math.inf)

    return sorted(names, key=place)


def _score(one: OneOfSeveral, metric: Metric, name: str) -> float:
    return one.results.group_value(name, metric) if name in one.results.groups else math.nan


def average(given: Sequence[OneOfSeveral], metric: Metric, name: str) -> float:
    """The plain mean over test sets; NaN where one of them has no score of the system."""
    return fmean(_score(one, metric, name) for one in given)


def wins(given: Sequence[OneOfSeveral], metric: Metric, name: str) -> int:
    """In how many test sets a system has the best score, alone or with others."""
    count = 0
    for one in given:
        scores = [s for other in one.results.groups if not math.isnan(s := _score(one, metric, other))]
        best = max(scores, default=math.nan) if metric.better == "higher" else min(scores, default=math.nan)
        count += _score(one, metric, name) == best
    return count


def leads(given: Sequence[OneOfSeveral], metric: Metric, name: str) -> tuple[int, int]:
    """In how many test sets a system is the best or not significantly worse, and of how many."""
    found = [s for one in given for s in one.standings if s.metric == metric and s.tested and name in s.systems]
    return sum(name in standing.leaders for standing in found), len(found)


def set_table(given: Sequence[OneOfSeveral], metric: Metric) -> Table:
    """A row for each system, a column for each test set, wins and the average."""
    rows: Rows = []
    for name in ranked(given, metric):
        count, tested = leads(given, metric, name)
        mean = average(given, metric, name)
        rows.append(
            [
                name,
                *(_cell(one, metric, name) for one in given),
                wins(given, metric, name),
                Cell(f"{count} of {tested}", count) if tested else None,
                Cell(number(mean, metric.decimals), None if math.isnan(mean) else mean),
            ]
        )
    title = given[0].results.plain_title(metric)
    better = metric.better
    return Table(
        title=f"{title} of systems by test sets",
        columns=[
            *texts("system"), *(Column(one.name, better=better) for one in given), *numbers("wins", "leads"),
            Column("average", decimals=metric.decimals, better=better),
        ],
        rows=rows,
        note=NOTE,
    )  # fmt: skip


def _cell(one: OneOfSeveral, metric: Metric, name: str) -> Cell | None:
    """A score with interval and stars; the mean of several runs has no interval here."""
    if name not in one.results.groups:
        return None
    mark = ""
    standing = next((s for s in one.standings if s.metric == metric), None)
    if standing is not None and name in standing.systems and standing.behind(name):
        item = standing.pair(standing.best, name)
        mark = f" {stars(item.adjusted)}".rstrip() if item is not None else ""
    runs = one.results.groups[name]
    score = one.results.scores.get((runs[0], str(metric)))
    if len(runs) == 1 and score is not None:
        return score_cell(score, metric.decimals, mark)
    value = one.results.group_value(name, metric)
    return Cell(number(value, metric.decimals) + mark, None if math.isnan(value) else value)


def most_wins(given: Sequence[OneOfSeveral], metric: Metric) -> str:
    """Who has the best score most often."""
    counts = {name: wins(given, metric, name) for name in ranked(given, metric)}
    most = max(counts.values())
    names = [name for name, count in counts.items() if count == most]
    title = given[0].results.plain_title(metric)
    verb = "has" if len(names) == 1 else "have each"
    return f"{_named(names)} {verb} the best {title} in {most} of {counted(len(given), 'test set')}."


# Each of them


def own_section(k: int, one: OneOfSeveral) -> Section:
    """What there is to see of one test set, folded behind its verdict."""
    results = one.results
    alone = results.scores.get((results.systems[0], str(results.metrics[0])))
    found = verdict(one.standings, len(results.evaluation.testset), alone if len(results.groups) == 1 else None)
    people = [standing for standing in one.standings if standing.metric not in results.metrics]
    made = [
        score_section.scores(results, people),
        sections.relations(results),
        sections.pairs(results),
        sections.parts(results),
        sections.types(results),
        sections.errors(results),
        judgements(one.people, results),
        *meta_evaluation.sections(one.people, trials=results.resamples, seed=results.seed),
    ]
    about = f"{describe(results.evaluation.testset)}. Its segments are in a report of this test set alone."
    parts = [part for section in made if section is not None for part in flattened(section)]
    return composed(f"set-{k}", one.name, parts, [found.more, about] if found.more else [about],
                    finding=found.sentence, folded=True)  # fmt: skip


def flattened(section: Section) -> Iterator[SectionPart]:
    """A section as parts of another one; a chart that waits for the segment browser is left out."""
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
