"""`tertium human analyse`: a ranking with clusters, and a table of raters."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import click

from tertium.cli.listings import Listing, Value, csv_listing, markdown_listings, text_listings
from tertium.cli.score import write, write_notes
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Kind
from tertium.core.shown import counted, number, p_equals
from tertium.human.analyse import Analysis
from tertium.human.analyse import analyse as analyse_scale
from tertium.human.at_hand import AtHand, at_hand
from tertium.human.objects import analysis_object
from tertium.human.power import POWER, PowerCurve, power_curve
from tertium.human.quality import EFFECT, FLAGS, PairedTest
from tertium.human.ranking import PRESETS, RULES, Method, SystemRanking, method_of
from tertium.human.standardise import ZEROS
from tertium.human.tests import DRAWN, TESTS, TITLES
from tertium.inference.corrections import CORRECTED, CORRECTIONS
from tertium.inference.seeds import SEED

DESCRIBED = (".toml", ".xml", ".sgm", ".sgml")  # files that tie a test set together


@click.command()
@click.argument("file", metavar="RATINGS|TESTSET")
@click.option("--scale", "scales", multiple=True, metavar="NAME",
              help="Only this scale; repeat or use commas. [default: all there are]")  # fmt: skip
@click.option("--preset", "how", type=click.Choice(PRESETS),
              help="What a published evaluation did; the options below change parts of it. [default: z as wmt22-toen "
              "where two raters or more judged on 0-100, each 15 times or more; else raw scores]")  # fmt: skip
@click.option("--standardise", type=click.Choice(["none", *ZEROS]),
              help="Rank by raw scores; or what becomes of raters of no variance.")  # fmt: skip
@click.option("--over", metavar="KIND,...",
              help="Whose mean and sd standardise a rater: genuine, repeat, reference, degraded.")  # fmt: skip
@click.option("--test", type=click.Choice(TESTS), help="How systems are told apart, segment by segment.")
@click.option("--clusters", type=click.Choice(RULES), help="Where lines are drawn between systems.")
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="How often a difference may be found where there is none.")  # fmt: skip
@click.option("--correction", type=click.Choice([*CORRECTIONS]),
              help="For all tests of a ranking. [default: holm; of a preset: none]")  # fmt: skip
@click.option(
    "--trials",
    type=click.IntRange(1),
    help="[default: 10000 permutations, 1000 resamples; more where the correction or a small alpha takes more]",
)
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of what is drawn.")
@click.option("--drop", metavar="FLAG,...", help=f"Leave out raters with one of these flags: {', '.join(FLAGS)}.")
@click.option("--pairs", is_flag=True, help="Show the p-value of every pair of systems.")
@click.option("--power", metavar="A,B", help="How many judgements would separate these two systems.")
@click.option("--input", "read_as", metavar="FORMAT", help="The format of RATINGS. [default: look at its first line]")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How it is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals in tables.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of the screen.")
def analyse(
    file: str,
    scales: tuple[str, ...],
    how: str | None,
    standardise: str | None,
    over: str | None,
    test: str | None,
    clusters: str | None,
    alpha: float,
    correction: str | None,
    trials: int | None,
    seed: int,
    drop: str | None,
    pairs: bool,
    power: str | None,
    read_as: str | None,
    form: str,
    width: int,
    output: str | None,
) -> None:
    """Rank systems by people's judgements, and look at the raters.

    RATINGS is a table of judgements, TESTSET a testset.toml that names one: tertium human analyse ratings.tsv
    """
    method = chosen_method(how, standardise, over, test, clusters, correction)
    method = replace(method, alpha=alpha, trials=trials, seed=seed)
    given = read_judged(file, read_as)
    present = at_hand(given)
    found = [
        analyse_scale(given.judgements, scale, method, given.testset, words(drop), present)
        for scale in chosen_scales(given, scales)
    ]
    names = words(power)
    if names and len(names) != 2:
        raise OptionError(f"--power {power}: write the names of two systems with a comma between them")
    curves = [power_curve(ranking, *names) for item in found for ranking in item.rankings.values()] if names else []
    if form == "json":
        text = json.dumps(analysis_object(given, found, curves), ensure_ascii=False, indent=1)
    elif form == "csv":
        text = csv_listing(full_listing(found))
    else:
        listings = [listing for item in found for listing in tables(item, pairs)]
        listings += [power_listing(curve) for curve in curves]
        shown = (markdown_listings if form == "markdown" else text_listings)(listings, width)
        text = shown if form == "markdown" else f"{describe(given, present)}\n\n{shown}"
    write(text, output)
    if form != "json":
        write_notes(present.notes())


def words(text: str | None) -> list[str]:
    """`a,b` -> ["a", "b"]"""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def chosen_method(
    how: str | None,
    standardise: str | None,
    over: str | None,
    test: str | None,
    clusters: str | None,
    correction: str | None,
) -> Method:
    """A preset, and what options change of it."""
    kinds = words(over)
    for kind in kinds:
        if kind not in get_args(Kind):
            raise OptionError(f"--over {over}: unknown kind {kind!r}; known: {', '.join(get_args(Kind))}")
    over_kinds: Any = None if over is None else tuple(kinds)
    return method_of(how, standardise=standardise, over=over_kinds, test=test, clusters=clusters,
                     correction=correction)  # fmt: skip


def read_judged(file: str, read_as: str | None) -> Evaluation:
    """A test set with its judgements, from a file that names them or from the judgements themselves."""
    from pathlib import Path

    if Path(file).suffix.lower() in DESCRIBED:
        if read_as is not None:
            raise OptionError(f"--input {read_as} is for tables of judgements; {file} describes a test set")
        from tertium.io.testset import read_testset

        return read_testset(file)
    from tertium.io.ratings import read_ratings

    testset, judgements = read_ratings(file, read_as)
    return Evaluation(testset=testset, systems=(), metrics=(), table={}, judgements=judgements)


def chosen_scales(given: Evaluation, scales: Sequence[str]) -> list[str | None]:
    """The scales that were asked for; else all there are."""
    asked = [scale for text in scales for scale in words(text)]
    for scale in asked:
        if scale not in SCALES:
            raise OptionError(f"--scale {scale} is unknown; choose from {', '.join(SCALES)}")
    found = list(dict.fromkeys(judgement.scale for judgement in given.judgements))
    return [*(asked or found)] or [None]


def describe(given: Evaluation, present: AtHand) -> str:
    """One line about what was read."""
    testset = given.testset
    pair = f" ({testset.language_pair})" if testset.language_pair else ""
    here = [judgement for judgement in given.judgements if present.has(judgement)]
    raters = len({judgement.rater for judgement in here})
    judged = f"{counted(len(here), 'judgement')} by {counted(raters, 'rater')}"
    return f"{testset.name}{pair}: {counted(len(testset), 'segment')}, {judged}"


def tables(item: Analysis, pairs: bool) -> list[Listing]:
    """All that is shown of a scale."""
    several = len(item.rankings) > 1
    found = []
    for name, ranking in item.rankings.items():
        title = f"{item.scale}, {name}" if several else item.scale
        found.append(ranking_listing(title, ranking))
        if pairs:
            found.append(pair_listing(title, ranking))
    return [*found, rater_listing(item), *control_listings(item)]


def method_text(ranking: SystemRanking) -> str:
    """How the ranking came about."""
    method = ranking.method
    kinds = "all items" if len(method.policy.over) == len(get_args(Kind)) else ", ".join(method.policy.over) + " items"
    why = f": {method.raw_because}" if method.raw_because else ""
    by = "standard scores (z)" if method.standardised else f"raw scores{why}"
    z = f"z by each rater's mean and sd over {kinds}; no variance: {method.policy.zero}"
    drawn = f", {counted(method.draws, 'trial')}, seed {method.seed}" if method.test in DRAWN else ""
    better = " (lower is better)" if ranking.better == "lower" else ""
    return (
        f"{by}{better}\n{z}\n{TITLES[method.test]}, one-sided{drawn}\n"
        f"{CORRECTED[method.correction]}, alpha {method.alpha:g}; clusters by rule {method.rule}"
    )


def ranking_listing(title: str, ranking: SystemRanking) -> Listing:
    """Systems from best to worst."""
    heads = ["cluster", "ranks", "system", "z", "raw", "segments", "judged", "wins"]
    rows: list[list[Value]] = [
        [str(item.cluster), ranks(item.best, item.worst), item.system, item.z, item.raw, item.segments,
         item.judgements, item.wins]
        for item in ranking.systems
    ]  # fmt: skip
    return Listing(f"{title}: ranked by {method_text(ranking)}", heads, rows, left=3)


def ranks(best: int, worst: int) -> str:
    """`2`, `2-4`"""
    return str(best) if best == worst else f"{best}-{worst}"


def pair_listing(title: str, ranking: SystemRanking) -> Listing:
    """The p-value of every pair that was tested, and who wins."""
    names = [item.system for item in ranking.systems]
    rows: list[list[Value]] = [
        [names[a], names[b], float(ranking.p[a, b]), "yes" if ranking.beats[a, b] else "no"]
        for a in range(len(names))
        for b in range(len(names))
        if not math.isnan(ranking.p[a, b])
    ]
    return Listing(f"{title}: is the first system better than the second?", ["system", "than", "p", "beats"], rows, 2)


def rater_listing(item: Analysis) -> Listing:
    """Raters, with what gives reason to look."""
    timed = any(not math.isnan(rater.seconds) for rater in item.raters)
    heads = ["rater", "flags", "n", "mean", "sd", "run", *(["seconds"] if timed else [])]
    rows: list[list[Value]] = [
        [rater.rater, ", ".join(rater.flags) or None, rater.n, rater.mean, rater.sd, rater.longest_run,
         *([rater.seconds] if timed else [])]
        for rater in item.raters
    ]  # fmt: skip
    note = "mean and sd of genuine and repeated items; run: the same value so often in a row"
    note += "\nseconds: per judgement, in the fastest task" if timed else ""
    for row in item.agreement:
        note += (
            f"\nagreement between {row.between}: {row.statistic} {number(row.value, 3)}, n = {counted(row.n, 'item')}"
        )
    note += f"\nleft out of the ranking: {', '.join(item.dropped)}" if item.dropped else ""
    return Listing(f"{item.scale}: raters", heads, rows, left=2, note=note)


def control_listings(item: Analysis) -> list[Listing]:
    """What raters said of control items, where there are any."""
    found = []
    for title, kind in (("degraded below genuine", "degraded"), ("references above genuine", "references")):
        tests: list[tuple[str, PairedTest]] = [(rater.rater, getattr(rater, kind)) for rater in item.raters]
        if any(test.n for _, test in tests):
            heads = ["rater", "pairs", "difference", "p (t)", "p (Wilcoxon)", "power"]
            rows: list[list[Value]] = [
                [name, test.n, test.difference, test.t, test.wilcoxon, test.power] for name, test in tests
            ]
            note = f"one-sided paired t-test and signed-rank test\npower: of the t-test, for an effect of d = {EFFECT}"
            found.append(Listing(f"{item.scale}: {title} items", heads, rows, note=note))
    if any(rater.repeats for rater in item.raters):
        heads = ["rater", "repeats", "difference", "of any two"]
        again: list[list[Value]] = [
            [rater.rater, rater.repeats, rater.repeat_error, rater.any_error] for rater in item.raters
        ]
        note = "mean absolute difference of an item and its repeat, and of any two judgements"
        found.append(Listing(f"{item.scale}: repeated items", heads, again, note=note))
    return found


def power_listing(curve: PowerCurve) -> Listing:
    """How often so many judgements would separate two systems."""
    rows: list[list[Value]] = [[count, share] for count, share in curve.curve]
    low, high = curve.interval.low, curve.interval.high
    covered = f"{curve.interval.confidence:.0%} interval [{amount(low)}, {amount(high)}]"
    note = f"a power of {POWER:.0%} takes {amount(curve.needed)} judgements, {covered}"
    title = (
        f"{curve.better} above {curve.worse}: {p_equals(curve.p)} of {counted(curve.judgements, 'judgement')} "
        f"({curve.test} of these two alone, alpha {curve.alpha:g})"
    )
    return Listing(title, ["judgements", "power"], rows, left=0, note=note)


def amount(number: float) -> str:
    """A number of judgements; there may be none that is enough."""
    return "∞" if math.isinf(number) else str(math.ceil(number))


def full_listing(found: Sequence[Analysis]) -> Listing:
    """One line per scale, language pair and system, numbers at full precision."""
    heads = ["scale", "languages", "system", "cluster", "best", "worst", "raw", "z", "segments", "judgements", "wins",
             "losses", "test", "alpha", "correction", "clusters", "trials", "seed"]  # fmt: skip
    rows: list[list[Value]] = [
        [analysis.scale, pair, item.system, item.cluster, item.best, item.worst, item.raw, item.z, item.segments,
         item.judgements, item.wins, item.losses, ranking.method.test, ranking.method.alpha,
         ranking.method.correction, ranking.method.rule,
         *((ranking.method.draws, ranking.method.seed) if ranking.method.test in DRAWN else (None, None))]
        for analysis in found
        for pair, ranking in analysis.rankings.items()
        for item in ranking.systems
    ]  # fmt: skip
    return Listing("", heads, rows)
