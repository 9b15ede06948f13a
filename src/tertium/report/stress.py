"""A stress test as a page: what metrics do not notice, curves noise by noise, tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tertium.analysis.damage import TypeDamage, damage_curve
from tertium.analysis.stress import StressTest, least_left
from tertium.core.shown import counted
from tertium.report import figures_stress
from tertium.report.page import Page, Section
from tertium.report.parts import Part, composed
from tertium.report.tables import Cell, Table, Value

SHOWN = 24  # rows before the reader asks for all
TYPES = 1000  # in a page; a program gets all of them
Rows = list[list[Value | Cell]]


def stress_page(result: StressTest, about: str) -> Page:
    """The page of a stress test. `about` says which test set it was."""
    titles = {metric: metric if "(" in metric else title for metric, title in result.metrics.items()}
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
    return composed("blind-spots", "Blind spots", [Part(points=points)], text)


def curves(result: StressTest, titles: Mapping[str, str]) -> Section:
    """Small multiples and their numbers."""
    tables = [curve_table(result, metric, title) for metric, title in titles.items()]
    parts = [Part(charts=figures_stress.noise_panels(result, titles), tables=tables)]
    if result.selectivity:
        rows: Rows = [
            [titles[item.metric], item.noise, item.rarest, item.frequent, item.value] for item in result.selectivity
        ]
        table = Table(
            title="Selectivity: what is left with the most frequent words touched less that with the rarest",
            heads=["metric", "noise", "rarest", "frequent", "selectivity"],
            rows=rows,
            left=2,
            shown=SHOWN,
            note="Areas of the curves. Above 0 where rare words count for more.",
        )
        parts.append(Part(title="Rare and frequent words", tables=[table]))
    return composed("curves", "What is left", parts)


def curve_table(result: StressTest, metric: str, title: str) -> Table:
    """The curves of a metric."""
    found = [curve for curve in result.curves if curve.metric == metric]
    rates = [f"{100 * rate:g} %" for rate in found[0].rates]
    rows: Rows = []
    for curve in found:
        left = [
            Cell(f"{value:.1f}", value, title=f"standard deviation over seeds: {spread:.2f}")
            if math.isfinite(value) and math.isfinite(spread)
            else value
            for value, spread in zip(curve.left, curve.spread, strict=True)
        ]
        rows.append([curve.noise, curve.aim, *left, curve.area, curve.sensitivity])
    score, nothing = result.scores[metric], result.nothing[metric]
    return Table(
        title=f"{title}: {score:.1f}, of empty outputs {nothing:.1f}; per cent that is left",
        heads=["noise", "aim", *rates, "area", "slope"],
        rows=rows,
        left=2,
        decimals={**dict.fromkeys([*rates, "area"], 1), "slope": 2},
        shown=SHOWN,
        note="By share of the words that a noise can touch. Area: the mean of the curve. Slope: share of the score "
        "lost for each share of all words touched, at the last rate.",
    )


def methods(result: StressTest, titles: Mapping[str, str]) -> Section:
    """Seeds, signatures."""
    first, last = result.seeds[0], result.seeds[-1]
    said = (
        f"Which words are touched, and how, is drawn anew with each seed (from {first} to {last}); those of a low rate "
        "are among those of a higher one. Only segments that are touched are scored again. 100 is the score of the "
        "outputs as they are, 0 that of empty outputs."
    )
    rows: Rows = [[title, Cell(result.signatures[metric])] for metric, title in titles.items()]
    table = Table(title="Signatures", heads=["metric", "signature"], rows=rows, left=2, codes=["signature"])
    return Section(id="methods", title="Methods", text=[said], tables=[table])


def damage_page(found: Sequence[TypeDamage], title: str, titles: Mapping[str, str], about: str) -> Page:
    """The page of types damaged one at a time."""
    buckets = damage_curve(found)
    heads = list(titles.values())
    rows: Rows = [[b.name, b.types, b.count, *(b.left[metric] for metric in titles)] for b in buckets]
    types: Rows = [
        [item.type, item.count, item.segments, *(item.left[metric] for metric in titles)] for item in found[:TYPES]
    ]
    kept = f" The {TYPES} most frequent of {len(found)} types." if len(found) > TYPES else ""
    tables = [
        Table(
            title="By how often outputs have a type: the mean of what is left, per cent",
            heads=["times", "types", "words", *heads],
            rows=rows,
            decimals=3,
        ),
        Table(
            title="Types, the most frequent first: what is left, per cent",
            heads=["type", "times", "segments", *heads],
            rows=types,
            decimals=3,
            shown=SHOWN,
            note=f"100: outputs as they are, 0: empty outputs.{kept}",
        ),
    ]
    chart = figures_stress.damage_panels(buckets, titles)
    section = composed("damage", "What a word is worth", [Part(charts=[chart], tables=tables)])
    return Page(title=title, subtitle=about, sections=[section])
