"""`tertium prompt run`: an experiment of templates, demonstrations and models, from a TOML file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tertium.cli.output import Sheets, form_of, stop_at, write, write_notes
from tertium.cli.parameters import argument, option, parameters
from tertium.cli.progress import LONG, working
from tertium.cli.prompt.kept import answers_file
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.wording import counted, describe

if TYPE_CHECKING:
    from tertium.prompt.experiment import Experiment
    from tertium.prompt.grid import Grid

PAGES = (".html", ".htm")


@dataclass(frozen=True, kw_only=True)
class Showing:
    """How an experiment is shown; the same words for `run` and `demo`."""

    metrics: tuple[str, ...] = option("-m", "--metrics", multiple=True, metavar="METRIC",
                                      help="Instead of the grid's; repeat or use commas.")  # fmt: skip
    steps: str | None = option("--steps", metavar="LIST",
                               help="Instead of the grid's: names with commas, usual, or none. Needs no new calls.",
                               )  # fmt: skip
    form: str = option("-f", "--format", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
                       show_default=True, help="How results are printed; csv, xlsx: a row per setting and seed.",
                       )  # fmt: skip
    output: str | None = option("-o", "--output", type=RESULT, metavar="FILE",
                                help="A report if it ends in .html, beside what is printed; else what is printed.",
                                )  # fmt: skip
    save: str | None = option(
        "--save", type=RESULT, metavar="FILE", help="Save the evaluation, for tertium report and others."
    )

    def check(self) -> None:
        """Refuse what cannot be written, before anything is asked."""
        form_of(self.form, None if self.page else self.output)
        for flag, path in (("--output", self.output), ("--save", self.save)):
            if path is not None and path != "-" and (not path or Path(path).is_dir()):
                raise OptionError(f"{flag} {path}: name a file, such as report.html")

    @property
    def page(self) -> str | None:
        """The report to write."""
        return self.output if self.output is not None and self.output.lower().endswith(PAGES) else None

    def show(self, experiment: Experiment) -> None:
        """Print, save, and write the report."""
        screen = None if self.page else self.output
        write(rendered(experiment, form_of(self.form, screen), screen), screen)
        if self.save is not None:
            from tertium.io.evaluation import save_evaluation

            save_evaluation(experiment.scored, self.save)
        if self.page is not None:
            from tertium.report.report import make_report

            with working() as run:
                made = make_report(experiment.scored, title=experiment.grid.title, experiment=experiment, run=run)
                made.save(self.page)
            click.echo(f"tertium: {self.page} is written; open it in a browser", err=True)
        write_notes(experiment.notes)


@dataclass(frozen=True, kw_only=True)
class Running:
    """What is asked, and how far."""

    grid: str = argument(required=True, metavar="GRID")
    model: str | None = option("--model", metavar="[NAME=]MODEL", help="Ask this model instead of the grid's.")
    key: str | None = option("--key", metavar="VARIABLE", help="The variable of the environment with its key.")
    dry_run: bool = option("--dry-run", is_flag=True, help="Say how much would be asked, and ask nothing.")
    max_calls: int | None = option("--max-calls", type=click.IntRange(0), metavar="N",
                                   help="Stop after so many calls; 0 uses kept answers only.")  # fmt: skip
    max_cost: float | None = option("--max-cost", type=click.FloatRange(0), metavar="X",
                                    help="Stop before calls might cost more, by the grid's prices.")  # fmt: skip
    cache: str | None = option("--cache", metavar="FILE",
                               help="Where answers are kept. [default: in the user's cache folder]")  # fmt: skip
    no_cache: bool = option("--no-cache", is_flag=True, help="Keep no answers, and use none that were kept.")


@click.command("run")
@parameters(Running, "running")
@parameters(Showing, "showing")
def run_command(running: Running, showing: Showing) -> None:
    """Run an experiment: templates, demonstrations, models.

    tertium prompt run grid.toml -o report.html. Every combination that the grid names becomes a system, and all are
    scored together. Answers are kept: a run that was stopped goes on where it was, and other steps need no new calls.
    """
    from tertium.prompt.experiment import how_to_go_on, run_grid
    from tertium.prompt.grid import read_grid

    showing.check()
    grid = read_grid(running.grid, model=running.model, key=running.key, metrics=showing.metrics, steps=showing.steps)
    if running.dry_run:
        write("\n".join(told_ahead(grid)), None if showing.page else showing.output)
        return
    if running.no_cache and (running.max_calls is not None or running.max_cost is not None):
        raise OptionError("--no-cache: what a limit stops could not go on; leave --no-cache or the limit out")
    with working(size=LONG) as run, ExitStack() as files:
        answers = None
        if not running.no_cache:
            from tertium.models.cache import AnswerCache

            answers = files.enter_context(AnswerCache(answers_file(running.cache)))
        experiment = run_grid(
            grid,
            cache=answers,
            max_calls=running.max_calls,
            max_cost=running.max_cost,
            say=partial(click.echo, err=True),
            run=run,
        )
    if experiment.results:
        showing.show(experiment)
        write_notes([f"{counted(experiment.calls, 'call')} made; all other answers were kept from before"])
    stop_at([how_to_go_on(experiment)] if experiment.stopped else [])


def told_ahead(grid: Grid) -> Iterator[str]:
    """What would be asked."""
    from tertium.prompt.experiment import LETTERS_A_TOKEN, foretell

    yield f"{grid.title}: {counted(len(grid.settings), 'setting')} of {describe(grid.given.testset)}"
    for one in foretell(grid):
        tokens = -(-one.characters // LETTERS_A_TOKEN)
        yield (
            f"{one.model}: {counted(one.settings, 'setting')}, {counted(one.calls, 'call')}; "
            f"{counted(one.characters, 'character')} of prompts (about {tokens} tokens, at {LETTERS_A_TOKEN} "
            f"characters each); at most {counted(one.tokens, 'token')} of answers"
            + ("" if one.cost is None else f"; about {one.cost:.4g} by the price table, if answers are that long")
        )
    if grid.budget is not None and grid.budget_unit == "tokens":
        yield "a budget in tokens is known when the model is open; here it is taken for characters"
    if any(grid.searches[setting.search].decoding.beam > 1 for setting in grid.settings):
        yield (
            "a beam over next tokens (GGUF files) asks for each token of each text that it extends: "
            "its calls are many more than these"
        )
    yield from grid.pool.notes if any(setting.shots for setting in grid.settings) else ()
    yield "kept answers are not called for again; how many there are is known when the models are open"
    yield "settings: " + ", ".join(setting.name for setting in grid.settings)


def rendered(experiment: Experiment, form: str, output: str | None) -> str | Sheets:
    """An experiment in words and tables, or in plain values at full precision."""
    from tertium.io import tables
    from tertium.report.tables.experiment import experiment_sentences, experiment_tables, setting_rows

    if form == "json":
        return json.dumps(plain_values(experiment), ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(setting_rows(experiment))
    said, shown = experiment_sentences(experiment), list(experiment_tables(experiment))
    if form == "xlsx":
        rows = replace(setting_rows(experiment), title="Settings and seeds, one in each row")
        return Sheets([*shown, rows], said)
    if form == "markdown":
        return "\n\n".join([*said, tables.markdown(shown)])
    width = room(output)
    return "\n\n".join([*(tables.wrapped(sentence, width) for sentence in said), tables.text(shown, room=width)])


def plain_values(experiment: Experiment) -> dict[str, Any]:
    """Everything that the tables say, for programs."""
    from tertium.io import tables
    from tertium.prompt.curves import best_systems, few_shot_curves
    from tertium.report.tables.comparisons import comparison_rows
    from tertium.report.tables.experiment import asked_metrics, curve_rows, experiment_sentences, setting_rows

    metrics = asked_metrics(experiment)
    curves: Sequence[Any] = [curve for metric in metrics for curve in few_shot_curves(experiment, metric)]
    best = {str(metric): best_systems(experiment, metric).comparisons for metric in metrics}
    return {
        "title": experiment.grid.title,
        "test_set": experiment.grid.given.testset.name,
        "segments": len(experiment.grid.given.testset),
        "steps": str(experiment.grid.steps),
        "models": dict(experiment.identities),
        "calls": experiment.calls,
        "stopped": experiment.stopped,
        "summary": experiment_sentences(experiment),
        "settings": tables.objects(setting_rows(experiment)),
        "curves": tables.objects(curve_rows(curves)),
        "best": tables.objects(comparison_rows(best)),
        "signatures": dict(experiment.scored.signatures),
        "notes": list(experiment.notes),
    }
