"""A stress test as a page: what metrics do not notice, curves noise by noise, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tertium.analysis.damage import TypeDamage, damage_curve
from tertium.analysis.stress import StressTest, least_left
from tertium.core.metric import Metric
from tertium.core.wording import counted
from tertium.report.figures import stress as figures_stress
from tertium.report.methods import GOWDA, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.scores import signature_table
from tertium.report.tables.stress import (
    LEFT,
    curve_tables,
    damage_bucket_table,
    damage_table,
    metric_names,
    selectivity_tables,
)
from tertium.report.trust import Trust
from tertium.report.verdicts import stress as said

SHOWN = 24  # rows before the reader asks for all
TYPES = 1000  # in a page; a program gets all of them
DAMAGE = """Which words are touched, and how, is drawn anew with each seed (from {first} to {last}); those of a low rate
are among those of a higher one. Only segments that are touched are scored again. 100 is the score of the outputs as
they are, 0 that of empty outputs."""
BLIND = """A metric is blind to a noise if its score falls at least ten times slower than words are touched: it loses
less than 0.1 of its score for each share of words, at the highest rate. It does not notice what leaves the score as it
is, hardly notices what moves it by less than that, and rewards what raises it by more."""
SELECTIVITY = """The area under a curve with the most frequent words touched first, less that with the rarest touched
first: positive where rare words count for more."""
ONE_TYPE = """One type at a time is damaged wherever it stands, and the outputs are scored again. 100 is the score of
the outputs as they are, 0 that of empty outputs. Of a bucket of frequency the mean over its types is shown."""


def stress_page(result: StressTest, about: str, metrics: Sequence[Metric] = ()) -> Page:
    """The page of a stress test. `about` says which test set it was."""
    titles = metric_names(result)
    first = opening(said.stress_verdict(result, titles), list(said.stress_trust(result)), (), result.warnings)
    return Page(
        title=f"Stress test: {result.system}",
        subtitle=f"{about}; {counted(result.words, 'word')}, {counted(len(result.seeds), 'seed')}",
        sections=[first, blind_spots(result), curves(result, titles), methods(result, titles, about, metrics)],
    )


def blind_spots(result: StressTest) -> Section:
    """What metrics do not notice, every sentence once."""
    points = [f"{text} ({left:.1f} % left)." for text, left in least_left(result).items()]
    parts = [SectionPart(points=points)] if points else []
    return composed("blind-spots", "Blind spots", parts, finding=said.spots_finding(result))


def curves(result: StressTest, titles: Mapping[str, str]) -> Section:
    """Small multiples, their numbers behind lines."""
    aims = list(dict.fromkeys(curve.aim for curve in result.curves))
    parts = [
        SectionPart(
            title=f"Words touched first: {aim}" if len(aims) > 1 else "",
            finding=said.curve_finding(result, titles, aim),
            folded=k > 0,
            charts=[chart],
        )
        for k, (aim, chart) in enumerate(zip(aims, figures_stress.noise_panels(result, titles), strict=True))
    ]
    both = selectivity_tables(result, shown=SHOWN)
    if both:
        seen = said.selectivity_finding(result, titles)
        parts.append(SectionPart(title="Rare and frequent words", finding=seen, folded=True, tables=both))
    parts += [
        SectionPart(title=f"{name} in numbers", folded=True, text=[f"{LEFT[:1].upper()}{LEFT[1:]}."], tables=[table])
        for name, table in zip(titles.values(), curve_tables(result, shown=SHOWN), strict=True)
    ]
    return composed("curves", "What is left", parts)


def methods(result: StressTest, titles: Mapping[str, str], about: str, metrics: Sequence[Metric]) -> Section:
    """Seeds, signatures, and how it was done."""
    first, last = result.seeds[0], result.seeds[-1]
    done = [
        Method("Damage", DAMAGE.format(first=first, last=last), GOWDA),
        Method("Blind spots", BLIND, ""),
        *([Method("Selectivity", SELECTIVITY, GOWDA)] if result.selectivity else []),
    ]
    return methods_of(
        done,
        {titles[str(metric)]: metric for metric in metrics},
        f"{about}.",
        tables=[signature_table(result.signatures, titles)],
    )


def damage_page(
    found: Sequence[TypeDamage], title: str, titles: Mapping[str, str], about: str, metrics: Sequence[Metric] = ()
) -> Page:
    """The page of types damaged one at a time."""
    every = replace(damage_table(found, TYPES, titles), shown=SHOWN, note="100: outputs as they are, 0: empty outputs.")
    chart = figures_stress.damage_panels(damage_curve(found), titles)
    verdict = said.damage_verdict(found, titles)
    few = sum(item.count == 1 for item in found)
    trust = [Trust("", f"{len(found):,} types", f", {few:,} of them once")]
    parts = [
        SectionPart(charts=[chart], tables=[damage_bucket_table(found, titles)]),
        SectionPart(title="Type by type", finding="The most frequent first.", folded=True, tables=[every]),
    ]
    done = methods_of(
        [Method("One type at a time", ONE_TYPE, GOWDA)],
        {titles[str(metric)]: metric for metric in metrics},
        f"{about}.",
    )
    return Page(
        title=title,
        subtitle=about,
        sections=[
            opening(verdict, trust),
            composed("damage", "What a word is worth", parts, finding=said.damage_finding(found, titles)),
            done,
        ],
    )
