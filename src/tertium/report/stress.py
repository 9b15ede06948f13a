"""A stress test as a page: what metrics do not notice, curves noise by noise, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tertium.analysis.damage import TypeDamage, damage_curve
from tertium.analysis.stress import StressTest, least_left
from tertium.core.wording import counted
from tertium.report.figures import stress as figures_stress
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

SHOWN = 24  # rows before the reader asks for all
TYPES = 1000  # in a page; a program gets all of them


def stress_page(result: StressTest, about: str) -> Page:
    """The page of a stress test. `about` says which test set it was."""
    titles = metric_names(result)
    return Page(
        title=f"Stress test: {result.system}",
        subtitle=f"{about}; {counted(result.words, 'word')}, {counted(len(result.seeds), 'seed')}",
        sections=[blind_spots(result), curves(result, titles), methods(result, titles)],
    )


def blind_spots(result: StressTest) -> Section:
    """What metrics do not notice, every sentence once."""
    points = [f"{text} ({left:.1f} % left)." for text, left in least_left(result).items()]
    said = "A metric is blind to a noise if its score falls at least ten times slower than words are touched."
    text = [said] if points else ["No metric is blind to any of these noises and aims."]
    text += [f"{note[:1].upper()}{note[1:]}." for note in result.warnings]
    return composed("blind-spots", "Blind spots", [SectionPart(points=points)], text)


def curves(result: StressTest, titles: Mapping[str, str]) -> Section:
    """Small multiples and their numbers."""
    found = [*curve_tables(result, shown=SHOWN)]
    parts = [SectionPart(charts=figures_stress.noise_panels(result, titles), tables=found)]
    both = selectivity_tables(result, shown=SHOWN)
    if both:
        parts.append(SectionPart(title="Rare and frequent words", tables=both))
    return composed("curves", "What is left", parts, [f"{LEFT[:1].upper()}{LEFT[1:]}."])


def methods(result: StressTest, titles: Mapping[str, str]) -> Section:
    """Seeds, signatures."""
    first, last = result.seeds[0], result.seeds[-1]
    said = (
        f"Which words are touched, and how, is drawn anew with each seed (from {first} to {last}); those of a low rate "
        "are among those of a higher one. Only segments that are touched are scored again. 100 is the score of the "
        "outputs as they are, 0 that of empty outputs."
    )
    return Section(id="methods", title="Methods", text=[said], tables=[signature_table(result.signatures, titles)])


def damage_page(found: Sequence[TypeDamage], title: str, titles: Mapping[str, str], about: str) -> Page:
    """The page of types damaged one at a time."""
    every = replace(damage_table(found, TYPES, titles), shown=SHOWN, note="100: outputs as they are, 0: empty outputs.")
    chart = figures_stress.damage_panels(damage_curve(found), titles)
    part = SectionPart(charts=[chart], tables=[damage_bucket_table(found, titles), every])
    return Page(title=title, subtitle=about, sections=[composed("damage", "What a word is worth", [part])])
