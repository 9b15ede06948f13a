"""`tertium stress`: what is left of scores when outputs are damaged, and the damaged outputs themselves."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tertium.analysis.aims import AIMS
from tertium.analysis.bench import ON, RATES, SEEDS, check_aims, noised_pairs
from tertium.analysis.damage import TypeDamage, damage_curve, type_damage
from tertium.analysis.noise import NOISES, USUAL, parse_noises
from tertium.analysis.objects import damage_object, stress_object
from tertium.analysis.stress import StressTest, least_left
from tertium.analysis.stress import stress as stress_test
from tertium.cli.listings import Listing, Value, csv_listing, markdown_listings, text_listings
from tertium.cli.pages import page_option, write_page
from tertium.cli.score import input_options, read_input, write, write_notes
from tertium.cli.working import working
from tertium.core.errors import OptionError
from tertium.core.metric import Metric
from tertium.core.shown import counted, describe, headings, number
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.inference.seeds import SEED
from tertium.metrics import parse_list

if TYPE_CHECKING:
    from tertium.report.page import Page

METRICS = "bleu,chrf,ter,macrof"
SHOWN = 10  # types of a text table, unless another number is asked for


@click.command()
@input_options
@click.option("--system", metavar="NAME", help="The system that is damaged. [default: the only one]")
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help=f"Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: {METRICS}]")  # fmt: skip
@click.option("--noise", "noises", multiple=True, metavar="NOISE",
              help=f"{', '.join(NOISES)}, with options; repeat or use commas. [default: all]")  # fmt: skip
@click.option("--aim", "aims", multiple=True, metavar="AIM",
              help=f"What comes first: {', '.join(AIMS)}; repeat or use commas. [default: random]")  # fmt: skip
@click.option("--rates", metavar="N,N,...", help="Shares of the words that can be touched. [default: .05,.1,.2,.3]")
@click.option("--seeds", type=click.IntRange(1), default=SEEDS, show_default=True, help="Repetitions.")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="The first of the seeds.")
@click.option("--on", type=click.Choice(ON), default="outputs", show_default=True,
              help="Damage a system's outputs, or the first references as if a system had said them.")  # fmt: skip
@click.option("--tokenize", default="none", show_default=True, metavar="NAME",
              help="Tokenise all texts first; none: words are what spaces separate.")  # fmt: skip
@click.option("--damage", is_flag=True, help="Damage one word type at a time, by --noise (mask, if none is named).")
@click.option("--top", type=click.IntRange(1), metavar="N",
              help=f"With --damage: the N most frequent types. [default: {SHOWN} as text, else all]")  # fmt: skip
@click.option("--emit", metavar="FILE", help="Write pairs of outputs and damaged outputs (JSONL) and score nothing.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How results are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals. [default: 1, with --damage 3]")
@click.option("--threads", type=click.IntRange(1), help="Threads; the result is the same for any number.")
@click.option("-o", "--output", metavar="FILE", help="Write the tables to a file instead of the screen.")
@page_option
def stress(
    testset: str | None,
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
    system: str | None,
    metrics: tuple[str, ...],
    noises: tuple[str, ...],
    aims: tuple[str, ...],
    rates: str | None,
    seeds: int,
    seed: int,
    on: str,
    tokenize: str,
    damage: bool,
    top: int | None,
    emit: str | None,
    form: str,
    width: int | None,
    threads: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Damage outputs and show what metrics notice.

    Words are masked, replaced, deleted, moved, misspelt and more, at rising rates, and the outputs scored again.
    tertium stress testset.toml --system atlas -m bleu,macrof --noise delete,permute --aim rarest,frequent
    """
    given = read_input(testset, src, refs, hyps or (refs[:1] if on == "references" else ()), doc, missing)
    chosen = choose_system(given.systems, system, on)
    texts: dict[str, Any] = {"on": on, "tokenize": tokenize, "seed": seed}
    plan: dict[str, Any] = {"aims": ",".join(aims) or "random", "rates": read_rates(rates), "seeds": seeds, **texts}
    if emit is not None:
        if metrics or damage or page:
            raise OptionError("--emit writes pairs and scores nothing; leave --metrics, --damage and --page out")
        click.echo(write_pairs(given.testset, chosen, emit, {"noises": noises or None, **plan}), err=True)
        return
    wanted = parse_list(metrics or (METRICS,))
    if damage:
        noise = one_noise(noises)
        found = type_damage(given.testset, chosen, wanted, noise=noise, **texts)
        title = f"{'reference' if chosen is None else chosen.name}: what is left with one type damaged by {noise}"
        text = damage_text(given.testset, found, (title, seed), top, form, 3 if width is None else width)
        warnings: Sequence[str] = ()
        pages = partial(page_of_types, given.testset, found, f"{title}, seed {seed}", wanted)
    else:
        cells = len(parse_noises(noises or USUAL)) * len(check_aims(plan["aims"]))
        size = len(given.testset) * len(wanted) * len(plan["rates"]) * seeds * cells
        with working(threads, size=size) as run:
            result = stress_test(given.testset, chosen, wanted, noises=noises or None, run=run, **plan)
        text = stress_text(given.testset, result, form, 1 if width is None else width)
        warnings = () if form == "json" else result.warnings
        pages = partial(page_of_curves, given.testset, result)
    write(text, output)
    write_page(page, pages)
    write_notes(warnings)


def page_of_types(testset: TestSet, found: Sequence[TypeDamage], title: str, metrics: Sequence[Metric]) -> Page:
    """What one type is worth, as a page."""
    from tertium.report.stress import damage_page

    return damage_page(found, title, headings(metrics), describe(testset))


def page_of_curves(testset: TestSet, result: StressTest) -> Page:
    """What is left of scores, as a page."""
    from tertium.report.stress import stress_page

    return stress_page(result, describe(testset))


def choose_system(systems: Sequence[System], name: str | None, on: str) -> System | None:
    """The system that is named, or the only one; none where references are damaged."""
    if on == "references":
        if name is not None:
            raise OptionError(f"--on references damages references, not system {name}; leave one of the two out")
        return None
    known = {system.name: system for system in systems}
    if name is None and len(known) != 1:
        raise OptionError(f"{counted(len(known), 'system')}: say which one (--system NAME): {', '.join(known)}")
    if name is not None and name not in known:
        raise OptionError(f"there is no system {name!r}; systems: {', '.join(known)}")
    return systems[0] if name is None else known[name]


def read_rates(text: str | None) -> Sequence[float]:
    """`.05,.1` as numbers."""
    if text is None:
        return RATES
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise OptionError(f"--rates {text}: must be numbers separated by commas, such as .05,.1,.2,.3") from None


def one_noise(noises: Sequence[str]) -> str:
    """The noise of types."""
    found = parse_noises(noises or "mask")
    if len(found) != 1:
        raise OptionError(f"--damage takes one noise, not {len(found)}: {', '.join(map(str, found))}")
    return str(found[0])


def write_pairs(testset: TestSet, system: System | None, path: str, options: Mapping[str, Any]) -> str:
    """A JSON object on a line for each pair; what was done, in words."""
    from tertium.io.files import write_atomically

    def lines() -> Iterator[str]:
        for pair in noised_pairs(testset, system, **options):
            yield json.dumps({**dataclasses.asdict(pair), "severity": pair.severity}, ensure_ascii=False)

    with ExitStack() as stack:
        file = sys.stdout.buffer if path == "-" else stack.enter_context(write_atomically(path))
        count = sum(1 for line in lines() if file.write(line.encode() + b"\n"))
        file.flush()  # before what is said of it
    return f"tertium: {counted(count, 'pair')} written to {'the screen' if path == '-' else path}"


def stress_text(testset: TestSet, result: StressTest, form: str, width: int) -> str:
    """The result in the format asked for."""
    if form == "json":
        return json.dumps(stress_object(result), ensure_ascii=False, indent=1)
    if form == "csv":
        return csv_listing(full_listing(result).with_columns(seed=result.seeds[0]))
    tables = [*curve_listings(result, width), *selectivity_listings(result)]
    spots = [f"- {text} ({number(left, width)} % left)" for text, left in least_left(result).items()]
    blind = "\n".join(["Blind spots", "", *spots]) if spots else "Blind spots: none among these noises and aims"
    drawn = f"{counted(len(result.seeds), 'seed')} from {result.seeds[0]}"
    if form == "markdown":
        return f"{markdown_listings(tables, width)}\n\n{blind}\n\n{drawn}"
    said = (
        f"{result.system}: {counted(result.words, 'word')}, {drawn}\n"
        "per cent of the score that is left (100: outputs as they are, 0: empty outputs),\n"
        "by share of the words that a noise can touch; area: the mean of the curve;\n"
        "slope: share of the score lost / share of all words touched, at the last rate"
    )
    parts = [f"{describe(testset)}\n{said}", text_listings(tables, width), blind, "\n".join(result.signatures.values())]
    return "\n\n".join(parts)


def curve_listings(result: StressTest, width: int) -> Iterator[Listing]:
    """A table for each metric."""
    for metric, title in result.metrics.items():
        curves = [curve for curve in result.curves if curve.metric == metric]
        rates = [f"{100 * rate:g}%" for rate in curves[0].rates]
        rows: list[list[Value]] = [
            [curve.noise, curve.aim, *curve.left, curve.area, number(curve.sensitivity, 2)] for curve in curves
        ]
        name = metric if "(" in metric else title
        scores = f"{result.scores[metric]:.{width}f}, of empty outputs {result.nothing[metric]:.{width}f}"
        yield Listing(f"{name}: {scores}", ["noise", "aim", *rates, "area", "slope"], rows, left=2)


def selectivity_listings(result: StressTest) -> list[Listing]:
    """A table of all metrics, where rarest and most frequent words were both touched."""
    if not result.selectivity:
        return []
    rows: list[list[Value]] = [
        [item.metric, item.noise, item.rarest, item.frequent, item.value] for item in result.selectivity
    ]
    title = "Selectivity: area with the most frequent words touched less that with the rarest"
    return [Listing(title, ["metric", "noise", "rarest", "frequent", "selectivity"], rows, left=2)]


def full_listing(result: StressTest) -> Listing:
    """One line per metric, noise, aim and rate, numbers at full precision."""
    heads = ["system", "metric", "noise", "aim", "rate", "able", "touched", "words", "seeds", "score", "left", "spread",
             "area", "sensitivity", "signature"]  # fmt: skip
    rows: list[list[Value]] = [
        [result.system, curve.metric, curve.noise, curve.aim, rate, curve.able, curve.touched[k], curve.words,
         len(result.seeds), math.fsum(curve.values[k]) / len(result.seeds), curve.left[k], curve.spread[k], curve.area,
         curve.sensitivity, result.signatures[curve.metric]]
        for curve in result.curves
        for k, rate in enumerate(curve.rates)
    ]  # fmt: skip
    return Listing("", heads, rows)


def damage_text(
    testset: TestSet, found: Sequence[TypeDamage], named: tuple[str, int], top: int | None, form: str, width: int
) -> str:
    """Types by how often they come, and one by one; `named` are a title and the seed."""
    (title, seed), names = named, list(found[0].left)
    shown = found[: top if top is not None or form in ("json", "csv") else SHOWN]
    if form == "json":
        return json.dumps(damage_object(found, seed, top), ensure_ascii=False, indent=1)
    every = Listing(
        "the most frequent types",
        ["type", "count", "segments", *names],
        [[item.type, item.count, item.segments, *item.left.values()] for item in shown],
    )
    if form == "csv":
        return csv_listing(every.with_columns(seed=seed))
    buckets = Listing(
        "by how often outputs have a type: the mean of what is left",
        ["count", "types", "words", *names],
        [[bucket.name, bucket.types, bucket.count, *bucket.left.values()] for bucket in damage_curve(found)],
    )
    if form == "markdown":
        return f"{markdown_listings([buckets, every], width)}\n\nseed {seed}"
    return f"{describe(testset)}\n{title}, per cent, seed {seed}\n\n{text_listings([buckets, every], width)}"
