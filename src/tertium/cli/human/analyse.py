"""`tertium human analyse`: a ranking with clusters, and a table of raters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from tertium.cli.options import alpha_option, seed_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import names_option, page_option, write_page
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.cli.values import words
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Kind
from tertium.core.table import Table
from tertium.core.wording import counted
from tertium.human.analyse import Analysis
from tertium.human.analyse import analyse as analyse_scale
from tertium.human.at_hand import AtHand, at_hand
from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.spec import is_campaign
from tertium.human.power import power_curve
from tertium.human.quality import FLAGS
from tertium.human.ranking import PRESETS, RULES, RankingMethod, method_of
from tertium.human.significance import TESTS
from tertium.human.standardise import ZEROS
from tertium.inference.corrections import CORRECTIONS
from tertium.io import tables
from tertium.report.json_values import analysis_object
from tertium.report.raters import unnamed
from tertium.report.tables.people import (
    control_tables,
    power_table,
    ranking_rows,
    ranking_table,
    rater_table,
    summary_table,
    tested_table,
)

if TYPE_CHECKING:
    from tertium.report.page import Page

SHOWN = 10  # raters of a table, unless another number is asked for
DESCRIBED = (".toml", ".xml", ".sgm", ".sgml")  # files that tie a test set together


@click.command()
@click.argument("file", metavar="RATINGS|TESTSET|CAMPAIGN")
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
@alpha_option
@click.option("--correction", type=click.Choice([*CORRECTIONS]),
              help="For all tests of a ranking. [default: holm; of a preset: none]")  # fmt: skip
@click.option(
    "--trials",
    type=click.IntRange(1),
    help="[default: 10000 permutations, 1000 resamples; more where the correction or a small alpha takes more]",
)
@seed_option
@click.option("--drop", metavar="FLAG,...", help=f"Leave out raters with one of these flags: {', '.join(FLAGS)}.")
@click.option("--pairs", is_flag=True, help="Show the p-value of every pair of systems.")
@click.option("--power", metavar="A,B", help="How many judgements would separate these two systems.")
@click.option("--top", type=click.IntRange(1), default=SHOWN, show_default=True, metavar="N",
              help="Of raters: the N with most reason to look.")  # fmt: skip
@click.option("--all", "everybody", is_flag=True, help="Show every rater.")
@click.option("--input", "read_as", metavar="FORMAT", help="The format of RATINGS. [default: look at its first line]")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How it is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals in tables.")
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
@page_option
@names_option
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
    top: int,
    everybody: bool,
    read_as: str | None,
    form: str,
    width: int,
    output: str | None,
    page: str | None,
    rater_names: bool,
) -> None:
    """Rank systems by people's judgements, and look at the raters.

    RATINGS is a table of judgements, TESTSET a testset.toml that names one, CAMPAIGN a campaign.toml whose raters have
    begun: tertium human analyse ratings.tsv
    """
    form = form_of(form, output)
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
    text: str | Sheets
    if form == "json":
        about_them = {"notes": list(given.warnings)} if given.warnings else {}
        text = json.dumps(analysis_object(given, found, curves) | about_them, ensure_ascii=False, indent=1)
    elif form == "csv":
        text = tables.csv(ranking_rows(found))
    elif form == "xlsx":
        listed = [*shown_tables(found, pairs, None), *(power_table(curve) for curve in curves)]
        text = Sheets([*listed, replace(ranking_rows(found), title="Ranks, one in each row")])
    else:
        listed = [*shown_tables(found, pairs, None if everybody else top), *(power_table(curve) for curve in curves)]
        if form == "markdown":
            text = tables.markdown(listed, width)
        else:
            about = tables.wrapped(describe(given, present), room(output))
            text = f"{about}\n\n{tables.text(listed, width, room(output))}"
    write(text, output)
    options: dict[str, Any] = {"method": method, "drop": words(drop), "names": names}
    write_page(page, lambda: whole_page(given if rater_names else unnamed(given), [i.scale for i in found], **options))
    if form != "json":
        write_notes([*present.notes(), *given.warnings])


def whole_page(
    given: Evaluation, scales: Sequence[str], *, method: RankingMethod, drop: Sequence[str], names: Sequence[str]
) -> Page:
    """Rankings and raters, drawn; raters have the names that the evaluation gives them."""
    from tertium.report.human_pages import analysis_page

    present = at_hand(given)
    found = [analyse_scale(given.judgements, scale, method, given.testset, drop, present) for scale in scales]
    curves = [power_curve(ranking, *names) for item in found for ranking in item.rankings.values()] if names else []
    return analysis_page(found, given.judgements, describe(given, present), curves=curves)


def chosen_method(
    how: str | None,
    standardise: str | None,
    over: str | None,
    test: str | None,
    clusters: str | None,
    correction: str | None,
) -> RankingMethod:
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
        if is_campaign(file):
            with open_collection(file, read_only=True) as collection:
                given = collection.evaluation()
            if not given.judgements:
                raise InputError(f"{file}: nobody has said anything yet")
            return given
        from tertium.io.testset import read_testset

        return read_testset(file)
    from tertium.io.ratings.formats import open_ratings

    return replace(open_ratings(file, read_as), systems=())


def chosen_scales(given: Evaluation, scales: Sequence[str]) -> list[str | None]:
    """The scales that were asked for; else all there are."""
    asked = words(*scales)
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


def shown_tables(found: Sequence[Analysis], pairs: bool, top: int | None) -> list[Table]:
    """A summary, and all that is shown of each scale."""
    listed = [summary_table(found)]
    for item in found:
        for name, ranking in item.rankings.items():
            listed.append(ranking_table(item, name, ranking))
            if pairs:
                listed.append(tested_table(item, name, ranking))
        listed += [rater_table(item, top), *control_tables(item, top)]
    return listed
