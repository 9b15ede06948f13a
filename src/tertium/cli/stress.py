"""`tertium stress`: what is left of scores when outputs are damaged, and the damaged outputs themselves."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tertium.analysis.damage import TypeDamage, type_damage
from tertium.analysis.noise.kinds import NOISES, USUAL, parse_noises
from tertium.analysis.noise.outputs import ON, RATES, SEEDS, check_aims, noised_pairs
from tertium.analysis.noise.words import AIMS
from tertium.analysis.stress import StressTest, least_left
from tertium.analysis.stress import stress as stress_test
from tertium.cli.inputs import Inputs, counting_options
from tertium.cli.options import threads_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.progress import working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.metric import Metric
from tertium.core.system import System, find_system
from tertium.core.testset import TestSet
from tertium.core.wording import counted, describe, headings, number
from tertium.inference.seeds import SEED
from tertium.io import tables
from tertium.metrics import parse_list
from tertium.report.json_values import damage_object, stress_object
from tertium.report.tables.stress import (
    LEFT,
    curve_rows,
    curve_tables,
    damage_bucket_table,
    damage_table,
    selectivity_tables,
)

if TYPE_CHECKING:
    from tertium.report.page import Page

METRICS = "bleu,chrf,ter,macrof"
SHOWN = 10  # types of a text table, unless another number is asked for


@click.command()
@counting_options
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
@click.option(
    "--emit", type=RESULT, metavar="FILE", help="Write pairs of outputs and damaged outputs (JSONL) and score nothing."
)
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How results are printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals. [default: 1, with --damage 3]")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the tables to a file instead of the screen.")
@page_option
def stress(
    inputs: Inputs,
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
    form = form_of(form, output)
    if on == "references" and not inputs.hyps:
        inputs = dataclasses.replace(inputs, hyps=inputs.refs[:1])
    given = inputs.read()
    chosen = choose_system(given.systems, system, on)
    texts: dict[str, Any] = {"on": on, "tokenize": tokenize, "seed": seed}
    plan: dict[str, Any] = {"aims": ",".join(aims) or "random", "rates": read_rates(rates), "seeds": seeds, **texts}
    if emit is not None:
        if metrics or damage or page:
            raise OptionError("--emit writes pairs and scores nothing; leave --metrics, --damage and --page out")
        click.echo(write_pairs(given.testset, chosen, emit, {"noises": noises or None, **plan}), err=True)
        return
    wanted = parse_list(metrics or (METRICS,))
    text: str | Sheets
    if damage:
        noise = one_noise(noises)
        found = type_damage(given.testset, chosen, wanted, noise=noise, **texts)
        title = f"{'reference' if chosen is None else chosen.name}: what is left with one type damaged by {noise}"
        text = damage_text(given.testset, found, (title, seed), top, form, 3 if width is None else width,
                           room(output))  # fmt: skip
        warnings: Sequence[str] = ()
        pages = partial(page_of_types, given.testset, found, f"{title}, seed {seed}", wanted)
    else:
        cells = len(parse_noises(noises or USUAL)) * len(check_aims(plan["aims"]))
        size = len(given.testset) * len(wanted) * len(plan["rates"]) * seeds * cells
        with working(threads, size=size, cache=inputs.cache) as run:
            result = stress_test(given.testset, chosen, wanted, noises=noises or None, run=run, **plan)
        text = stress_text(given.testset, result, form, 1 if width is None else width, room(output))
        warnings = () if form == "json" else result.warnings
        pages = partial(page_of_curves, given.testset, result, wanted)
    write(text, output)
    write_page(page, pages)
    write_notes(warnings)


def page_of_types(testset: TestSet, found: Sequence[TypeDamage], title: str, metrics: Sequence[Metric]) -> Page:
    """What one type is worth, as a page."""
    from tertium.report.stress import damage_page

    return damage_page(found, title, headings(metrics), describe(testset), metrics)


def page_of_curves(testset: TestSet, result: StressTest, metrics: Sequence[Metric]) -> Page:
    """What is left of scores, as a page."""
    from tertium.report.stress import stress_page

    return stress_page(result, describe(testset), metrics)


def choose_system(systems: Sequence[System], name: str | None, on: str) -> System | None:
    """The system that is named, or the only one; none where references are damaged."""
    if on == "references":
        if name is not None:
            raise OptionError(f"--on references damages references, not system {name}; leave one of the two out")
        return None
    if name is not None:
        return find_system(systems, name)
    known = dict.fromkeys(system.name for system in systems)
    if len(known) != 1:
        raise OptionError(f"{counted(len(known), 'system')}: say which one (--system NAME): {', '.join(known)}")
    return systems[0]


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


def stress_text(testset: TestSet, result: StressTest, form: str, width: int, room: int | None) -> str | Sheets:
    """The result in the format asked for."""
    if form == "json":
        return json.dumps(stress_object(result), ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(curve_rows(result).with_columns(seed=result.seeds[0]))
    found = [*curve_tables(result, width), *selectivity_tables(result, width)]
    spots = [f"- {text} ({number(left, width)} % left)" for text, left in least_left(result).items()]
    blind = "\n".join(["Blind spots", "", *spots]) if spots else "Blind spots: none among these noises and aims"
    drawn = f"{counted(len(result.seeds), 'seed')} from {result.seeds[0]}"
    if form == "xlsx":
        rows = dataclasses.replace(curve_rows(result), title="Curves, one point in each row")
        return Sheets([*found, rows.with_columns(seed=result.seeds[0])], [describe(testset), LEFT, blind, drawn])
    if form == "markdown":
        return f"{tables.markdown(found)}\n\n{blind}\n\n{drawn}"
    about = f"{describe(testset)}\n{result.system}: {counted(result.words, 'word')}, {drawn}\n{LEFT}"
    said = [tables.wrapped(about, room), tables.text(found, room=room), tables.wrapped(blind, room)]
    return "\n\n".join([*said, "\n".join(result.signatures.values())])


def damage_text(
    testset: TestSet,
    found: Sequence[TypeDamage],
    named: tuple[str, int],
    top: int | None,
    form: str,
    width: int,
    room: int | None,
) -> str | Sheets:
    """Types by how often they come, and one by one; `named` are a title and the seed."""
    title, seed = named
    if form == "json":
        return json.dumps(damage_object(found, seed, top), ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(damage_table(found, top).with_columns(seed=seed))
    shown = [damage_bucket_table(found), damage_table(found, SHOWN if top is None else top)]
    if form == "xlsx":
        return Sheets([shown[0], damage_table(found, top).with_columns(seed=seed)], [describe(testset), title])
    if form == "markdown":
        return f"{tables.markdown(shown, width)}\n\nseed {seed}"
    about = tables.wrapped(f"{describe(testset)}\n{title}, seed {seed}", room)
    return f"{about}\n\n{tables.text(shown, width, room)}"
