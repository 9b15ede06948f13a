"""What people said: the result of the human room as a section of a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tertium.core.errors import TertiumError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Judgement
from tertium.core.metric import Metric, is_human
from tertium.core.table import Table
from tertium.core.wording import counted, number
from tertium.engines.evaluate import add_metrics
from tertium.human.agreement import Agreement
from tertium.human.analyse import Analysis, analyse
from tertium.human.at_hand import at_hand
from tertium.human.metric import usual_gold
from tertium.human.power import POWER, power_curve
from tertium.human.ranking import RankingMethod, SystemRanking
from tertium.human.significance import TITLES
from tertium.inference.corrections import CORRECTED
from tertium.report.figures import people as figures_people
from tertium.report.figures import raters as figures_raters
from tertium.report.page import Section
from tertium.report.parts import SectionPart, composed
from tertium.report.raters import strictness
from tertium.report.results import Results
from tertium.report.tables.people import control_tables, ranking_table, rater_table
from tertium.report.words import MANY, capital, listed, scale_title, with_note

LITTLE = 0.667  # Krippendorff's least alpha for tentative conclusions
HARDLY = 0.1  # below which raters agree on next to nothing
FEW_ITEMS = 30  # judged by two raters, below which a coefficient says next to nothing
SHOWN = 12  # raters before the reader asks for all


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Judgements of an evaluation, scale by scale; what cannot be analysed is a note."""

    evaluation: Evaluation
    trust_join: bool = False

    @cached_property
    def scales(self) -> dict[str, Analysis | str]:
        """The analysis of every scale, or why there is none."""
        found: dict[str, Analysis | str] = {}
        given = self.evaluation
        for scale in dict.fromkeys(judgement.scale for judgement in given.judgements):
            try:
                found[scale] = analyse(given.judgements, scale, RankingMethod(), given.testset, present=at_hand(given))
            except TertiumError as error:
                found[scale] = str(error)
        return found

    @property
    def analyses(self) -> list[Analysis]:
        """Those that there are."""
        return [item for item in self.scales.values() if isinstance(item, Analysis)]

    @cached_property
    def judged(self) -> dict[Metric | None, Evaluation | str]:
        """The evaluation with the rows of each of people's scores that metrics are set beside, or why it cannot be: a
        name that no system has, or judgements that are not about these texts."""
        found: dict[Metric | None, Evaluation | str] = {}
        try:
            asked = golds(self.evaluation)
        except TertiumError as error:  # a scale that is not known
            return {None: str(error)}
        for gold in asked:
            try:
                found[gold] = people_of(self.evaluation, gold, trust_join=self.trust_join)
            except TertiumError as error:
                found[gold] = str(error)
        return found

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What several sections ask of people's scores, by the score (`standing_of_people`)."""
        return {}

    @property
    def doubts(self) -> list[str]:
        """Why judgements cannot be set beside the texts."""
        return list(dict.fromkeys(item for item in self.judged.values() if isinstance(item, str)))


def golds(evaluation: Evaluation) -> list[Metric]:
    """What metrics are set beside: people's scores that were asked for, else those that `tertium meta` takes."""
    if not evaluation.judgements:
        return []
    return [m for m in evaluation.metrics if is_human(m)] or [usual_gold(evaluation.judgements)]


def people_of(evaluation: Evaluation, asked: Metric, *, trust_join: bool = False) -> Evaluation:
    """The evaluation with people's rows, and without those of other people."""
    kept = tuple(metric for metric in evaluation.metrics if not is_human(metric))
    return add_metrics(replace(evaluation, metrics=kept), asked, trust_join=trust_join)


def judgements(people: People, results: Results | None = None) -> Section | None:
    """Rankings, raters and agreement, for every scale; none where nobody judged. With `results`, whether the first
    metric agrees."""
    if not people.scales:
        return None
    count = sum(item.judgements for item in people.analyses)
    raters = len({rater.rater for item in people.analyses for rater in item.raters})
    scales = counted(len(people.analyses), "scale")
    said = [f"{counted(count, 'judgement')} by {counted(raters, 'rater')} on {scales}."] if people.analyses else []
    notes = dict.fromkeys(note for item in people.analyses for note in item.notes)
    said += [f"{note[:1].upper()}{note[1:]}." for note in (*notes, *people.doubts)]
    failed = [f"{scale}: {item}." for scale, item in people.scales.items() if isinstance(item, str)]
    failed = [text for text in failed if not any(doubt in text for doubt in people.doubts)]
    coloured = results.systems if results is not None else first_two(people.analyses)
    parts = [
        part
        for k, item in enumerate(people.analyses)
        for part in scale_parts(
            item,
            people.evaluation.judgements,
            coloured,
            folded=k > 0,
            other=other_test(people, results, item),
            results=results,
        )
    ]
    trusted = [] if results is None or people.doubts else first_places(people, results)
    if trusted:
        title = "How far to trust what people said"
        parts.append(SectionPart(title=title, finding=agreed(people.analyses), folded=True, text=trusted))
    return composed("people", "Human judgements", parts, [*said, *failed])


def other_test(people: People, results: Results | None, item: Analysis) -> str:
    """Where the paired test, whose result the first chart shows, says otherwise than the ranking of a scale."""
    from tertium.report.standing import standing_of_people

    gold = next((gold for gold in people.judged if gold is not None and getattr(gold, "scale", "") == item.scale), None)
    if results is None or gold is None or len(item.rankings) != 1:
        return ""
    [ranking], standing = item.rankings.values(), standing_of_people(results, people, gold)
    if standing is None or len(ranking.systems) < 2:
        return ""
    start = f"That is by {TITLES[ranking.method.test]}; the paired test of the first chart"
    if not standing.tested:
        why = standing.unresolvable or (standing.reason and f"not possible: {standing.reason.removesuffix('.')}")
        return f"{start} is {why}." if why and worse_than_best(ranking) else ""
    above = [name for name in standing.systems if standing.ahead(name)]
    if above:  # people judged other segments of it
        return (
            f"{start}, on segments judged for both systems, puts {_named(above)} significantly above {standing.best}."
        )
    if standing.best != ranking.systems[0].system:
        return f"{start} measures from {standing.best}."
    worse = worse_than_best(ranking)
    more = [name for name in standing.systems if standing.behind(name) and name not in worse]
    less = [name for name in worse if name in standing.leaders and standing.tests(name)]
    none = [name for name in worse if not standing.tests(name)]
    said = [
        *([f"also finds {_named(more)} significantly worse"] if more else []),
        *([f"does not tell {_named(less)} from {standing.best}"] if less else []),
        *([f"cannot test {_named(none)}"] if none else []),
    ]
    return f"{start}, on segments judged for both systems, {listed(said)}." if said else ""


def _named(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= MANY else f"{len(names)} systems"


def agreed(analyses: Sequence[Analysis]) -> str:
    """Whether raters agree, on every scale."""
    found = [
        f"{scale_title(item.scale)}: {reliance(row)}"
        for item in analyses
        for row in item.agreement
        if row.between == "raters"
    ]
    return f"{capital('; '.join(found))}." if found else ""


def first_places(people: People, results: Results) -> list[str]:
    """Whom people put first, on every scale, how far that can be trusted, and whether the first metric agrees: a
    paragraph of the summary."""
    if people.doubts:
        return [f"What people said is not used here: {'; '.join(people.doubts)}."]
    ranked = [
        (f"{scale_title(item.scale)}, {pair}" if len(item.rankings) > 1 else scale_title(item.scale), ranking)
        for item in people.analyses
        for pair, ranking in item.rankings.items()
        if len(ranking.systems) > 1
    ]
    if not ranked:
        return []
    by_words: dict[str, list[str]] = {}
    for scale, ranking in ranked:
        kind = "z" if ranking.method.standardised else "raw"
        by_words.setdefault(first_words(ranking), []).append(with_note(scale, kind))
    said = "; ".join(
        f"{'by' if k else 'By'} {listed(scales)}, {'they' if k else 'people'} {words}"
        for k, (words, scales) in enumerate(by_words.items())
    )
    best, metric = next(iter(results.groups)), results.plain_title(results.metrics[0])
    against = [scale for scale, ranking in ranked if best in worse_than_best(ranking)]
    by = f", by {listed(against)}" if len(against) < len(ranked) else ""
    doubt = (
        f" {metric} puts {best} first, and people find it significantly worse than their best{by}." if against else ""
    )
    trust = " ".join(
        trusted(item) for item in people.analyses if any(len(r.systems) > 1 for r in item.rankings.values())
    )
    return [f"{said}.{doubt} {trust}"]


def worse_than_best(ranking: SystemRanking) -> list[str]:
    """Who is significantly worse than the first."""
    return [place.system for k, place in enumerate(ranking.systems) if ranking.beats[0, k]]


def first_words(ranking: SystemRanking) -> str:
    """Who has the best score, and who is not significantly worse: a cluster says less than that, because systems in
    one cluster need not all be alike."""
    best, *others = [place.system for place in ranking.systems]
    worse = worse_than_best(ranking)
    near = [name for name in others if name not in worse]
    if not near:
        rest = others[0] if len(others) == 1 else "both others" if len(others) == 2 else f"all {len(others)} others"
        return f"put {best} first, significantly above {rest}"
    if len(near) == len(others):
        who = (
            near[0]
            if len(near) == 1
            else "neither of the others"
            if len(near) == 2
            else f"none of the other {len(near)}"
        )
        return f"put {best} first, and {who} is {'not ' if len(near) == 1 else ''}significantly worse"
    names = listed(near) if len(near) <= MANY else f"{len(near)} others"
    return f"put {best} first, and {names} {'is' if len(near) == 1 else 'are'} not significantly worse"


def trusted(item: Analysis) -> str:
    """How far judgements on a scale can be trusted: agreement of raters, flags, how they were tested, power."""
    parts = [reliance(row) for row in item.agreement if row.between == "raters"]
    parts.append(flags(item))
    parts += dict.fromkeys(tested(ranking.method) for ranking in item.rankings.values())
    parts += [text for ranking in item.rankings.values() for text in strength(ranking)]
    return f"How far to trust {scale_title(item.scale)}: {'; '.join(parts)}."


def tested(method: RankingMethod) -> str:
    """What significant means here: other tests, such as that of `tertium compare`, may find others."""
    return f"tested by {TITLES[method.test]}, one-sided, {CORRECTED[method.correction]}"


def flags(item: Analysis) -> str:
    """How many raters give reason to look."""
    flagged = sum(bool(rater.flags) for rater in item.raters)
    if len(item.raters) == 1:
        return f"the only rater has {'a' if flagged else 'no'} flag"
    if not flagged:
        return "neither rater has a flag" if len(item.raters) == 2 else f"none of {len(item.raters)} raters has a flag"
    return f"{flagged} of {len(item.raters)} raters {'has' if flagged == 1 else 'have'} a flag"


def reliance(row: Agreement) -> str:
    """What a coefficient of agreement says about judgements."""
    if not row.n:
        return "no item was judged by two raters, so nobody knows whether they agree"
    if math.isnan(row.value):
        return f"{row.statistic} is undefined"
    value = f"{row.statistic} {number(row.value, 2)} ({counted(row.n, 'item')})"
    if row.n < FEW_ITEMS:
        return f"too few items were judged by two raters to say whether they agree, {value}"
    return f"raters {agreement_words(row.value)}, {value}"


def agreement_words(value: float) -> str:
    """What a coefficient of agreement says, where it rests on enough."""
    if value < HARDLY:
        return "agree no more than by chance" if value <= 0 else "agree hardly more than by chance"
    return "agree little" if value < LITTLE else "agree"


def strength(ranking: SystemRanking) -> Iterator[str]:
    """How often as many judgements again would separate the first two, and how many it would take."""
    if len(ranking.systems) < 2:
        return
    first, second = (place.system for place in ranking.systems[:2])
    try:
        curve = power_curve(ranking, first, second, factors=[1.0])
    except TertiumError:  # nothing in common
        return
    [(count, share)] = curve.curve
    often = f"in about {100 * share:.0f} % of campaigns"
    said = (
        f"if {first} and {second}, the next, differ as they do here, {count} judgements of both tell them apart {often}"
    )
    if share < POWER:
        enough = "no number of them" if math.isinf(curve.needed) else f"about {math.ceil(curve.needed)}"
        said += f", and {enough} in {100 * POWER:.0f} %"
    yield f"{said} (by one test alone)"


def scale_parts(
    item: Analysis,
    said: Sequence[Judgement],
    coloured: Sequence[str],
    *,
    folded: bool = False,
    whole: bool = False,
    other: str = "",
    results: Results | None = None,
) -> Iterator[SectionPart]:
    """A scale: who is better, and what another test says to that (`other`); how sure that is; who said so, and in a
    report with `results` of which segments.

    A page of its own shows the `whole` of it, unfolded.
    """
    name = scale_title(item.scale)
    scale = SCALES[item.scale]
    limits = f"{scale.low:g} to {scale.high:g}" if math.isfinite(scale.high) else f"from {scale.low:g} on"
    lower = ", lower is better" if scale.better == "lower" else ""
    judged = f"{counted(item.judgements, 'judgement')} of {counted(item.systems, 'system')}"
    lines = [
        f"{judged} by {counted(len(item.raters), 'rater')}, {limits}{lower}. {' '.join(agreements(item))}".rstrip()
    ]
    who = [leaders(ranking, pair if len(item.rankings) > 1 else "") for pair, ranking in item.rankings.items()]
    yield SectionPart(
        title=capital(name),
        finding=" ".join([*who, *([other] if other else [])]),
        folded=folded,
        text=lines,
        charts=[figures_people.rank_ranges(item)] if item.systems > 1 else [],
    )
    rankings = [ranking_table(item, pair, ranking) for pair, ranking in item.rankings.items()]
    apart = " ".join(pairs_apart(ranking) for ranking in item.rankings.values())
    yield SectionPart(
        title=f"Systems, {name}", finding=apart, folded=True, tables=[renamed(table, item.scale) for table in rankings]
    )
    yield from raters_part(item, said, coloured, folded=not whole, results=results)
    flagged = flags(item)
    tables = [rater_table(item, shown=SHOWN), *control_tables(item, shown=SHOWN)]
    yield SectionPart(
        title=f"Raters, {name}",
        finding=f"{capital(flagged)}.",
        folded=True,
        tables=[renamed(table, item.scale) for table in tables],
    )


def first_two(found: Sequence[Analysis]) -> list[str]:
    """The systems that people put first on the first scale, which have colours on all."""
    return [place.system for item in found[:1] for ranking in item.rankings.values() for place in ranking.systems][:2]


def raters_part(
    item: Analysis,
    said: Sequence[Judgement],
    coloured: Sequence[str],
    *,
    folded: bool,
    results: Results | None = None,
) -> Iterator[SectionPart]:
    """What each rater said of each system; a sentence where a histogram would show nothing."""
    order = [place.system for ranking in item.rankings.values() for place in ranking.systems]
    chart = figures_raters.rater_histograms(item.scale, said, list(dict.fromkeys(order)), coloured, results)
    title = f"Scores of each rater, {scale_title(item.scale)}"
    if chart is None:
        nothing = f"No rater judged {figures_raters.FEWEST} outputs or more, so there is nothing to see in histograms."
        yield SectionPart(title=title, finding=nothing)
        return
    who = strictness({rater.rater: (rater.n, rater.mean) for rater in item.raters}, item.scale)
    yield SectionPart(title=title, finding=who, folded=folded, charts=[chart])


def pairs_apart(ranking: SystemRanking) -> str:
    """How many pairs of systems a ranking tells apart."""
    count, systems = int(ranking.beats.sum()), len(ranking.systems)
    pairs = systems * (systems - 1) // 2
    if pairs == 1:
        return f"People {'tell' if count else 'do not tell'} the two systems apart."
    return f"People tell {count or 'none'} of {counted(pairs, 'pair')} of systems apart." if pairs else ""


def renamed(table: Table, scale: str) -> Table:
    """The table with the scale's words in its title instead of its name."""
    return replace(table, title=table.title.replace(scale, scale_title(scale)))


def agreements(item: Analysis) -> Iterator[str]:
    """How far raters agree, with each other and with themselves."""
    for row in item.agreement:
        who = "between raters" if row.between == "raters" else "of raters with themselves, between repeats"
        value = "undefined" if math.isnan(row.value) else number(row.value, 3)
        yield f"Agreement {who}: {row.statistic} {value}, n = {counted(row.n, 'item')}."


def leaders(ranking: SystemRanking, pair: str) -> str:
    """Who is first, and who not significantly worse."""
    where, count = f"{pair}: p" if pair else "P", len(ranking.clusters)
    if len(ranking.systems) < 2:
        return f"{where}eople judged only {ranking.systems[0].system}: there is nothing to rank."
    return f"{where}eople {first_words(ranking)} ({counted(count, 'cluster')})."
