"""`tertium prompt search`: a template found by trying many within a budget of calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from tertium.cli.inputs import check_standard_input
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.progress import LONG, working
from tertium.cli.prompt.answer import read_verbaliser
from tertium.cli.prompt.asking import DEFAULT, Asking, asking_options
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.wording import counted, visible
from tertium.io import tables
from tertium.models.language_model import LanguageModel
from tertium.prompt.answers import SCORINGS, Scoring
from tertium.prompt.demonstrations import read_demonstrations
from tertium.prompt.search.preparing import WAYS, SearchSettings, prepare_search
from tertium.prompt.search.search import PromptSearch, RoundTrip, TemplateSearch, announced
from tertium.prompt.search.task import ChoiceTask
from tertium.prompt.template import Demonstration, Template
from tertium.prompt.templates import read_templates, templates_text
from tertium.report.tables.prompt_search import candidate_table, search_facts, verdict_table

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command("search")
@asking_options
@click.option("--dev", metavar="FILE", help="A table by which templates are chosen: source and reference, or input and "
              "label.")  # fmt: skip
@click.option("--test", metavar="FILE", help="A table on which the winner is tried at the end. [default: half of dev]")
@click.option("--mine", "mined", multiple=True, metavar="FILE",
              help="Text in which pairs of dev may stand: what stands between and around them is tried.")  # fmt: skip
@click.option("--least", type=click.IntRange(1), default=2, show_default=True, metavar="N",
              help="A frame is one in which so many different pairs stand.")  # fmt: skip
@click.option("--paraphrase", default="rules", show_default=True, metavar="LIST",
              help="Other words for templates: rules, model (it is asked), both with a comma, or none.")  # fmt: skip
@click.option("--round-trip", nargs=2, metavar="THERE BACK",
              help="Other words by two models that translate, such as two of command:PROGRAM.")  # fmt: skip
@click.option("--variants", type=click.IntRange(1), default=2, show_default=True, metavar="N",
              help="How often the model is asked for other words for each template.")  # fmt: skip
@click.option("--candidates", type=click.IntRange(2), default=16, show_default=True, metavar="N",
              help="At most so many templates are tried.")  # fmt: skip
@click.option("-m", "--metric", default="chrf", show_default=True, help="By which translations are compared.")
@click.option("--answers", metavar="LIST", help="What may be answered, with labels: great=+,bad=-. [default: the "
              "template's own]")  # fmt: skip
@click.option("--scoring", type=click.Choice(SCORINGS), default="raw", show_default=True,
              help="Of answers: the log-probability, that divided by tokens, or less that after the empty "
              "input.")  # fmt: skip
@click.option("--steps", default="usual", show_default=True, metavar="LIST",
              help="What is done to translations: names with commas, usual, or none.")  # fmt: skip
@click.option("--max-calls", type=click.IntRange(1), metavar="N", help="Ask the model at most so often, in all.")
@click.option("--dry-run", is_flag=True, help="Say what would be tried and how much asked, and ask nothing.")
@click.option("--save", type=RESULT, metavar="FILE", help="Write the winner as a file for --templates.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How the result is printed; csv has the candidates.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
@page_option
def search_command(
    asking: Asking,
    dev: str | None,
    test: str | None,
    mined: tuple[str, ...],
    least: int,
    paraphrase: str,
    round_trip: tuple[str, str] | None,
    variants: int,
    candidates: int,
    metric: str,
    answers: str | None,
    scoring: Scoring,
    steps: str,
    max_calls: int | None,
    dry_run: bool,
    save: str | None,
    form: str,
    output: str | None,
    page: str | None,
) -> None:
    """Find a template by trying many on a few segments each.

    tertium prompt search --model MODEL --dev dev.tsv --test test.tsv --source-language de --target-language en --save
    best.toml. Templates are mined and paraphrased, the better half goes on, and the winner is compared with --template
    on segments that were not looked at before. Answers are kept: a search that was stopped goes on where it was.
    """
    form = form_of(form, output)
    if dev is None:
        raise OptionError("no examples to choose by: pass --dev FILE")
    check_standard_input((dev, test, asking.examples, *mined))
    settings = SearchSettings(
        template=asking.find_template("A"),
        templates=given_templates(asking),
        texts=[read_text(path) for path in mined],
        least=least,
        paraphrase=read_ways(paraphrase),
        variants=variants,
        candidates=candidates,
        max_calls=max_calls,
        seed=asking.seed,
        metric=metric,
        answers=None if answers is None else read_verbaliser(answers),
        scoring=scoring,
        source_language=asking.source_language,
        target_language=asking.target_language,
        line_break=asking.line_break,
        examples=asking.read_examples(),
        shots=asking.shots,
        selector=asking.selector,
        decoding=asking.decoding if asking.temperature else replace(asking.decoding, seed=DEFAULT.seed),
        steps=steps,
    )
    with working(size=LONG) as run:  # to mine takes time, too
        search = prepare_search(read_demonstrations(dev), read_test(test), settings, round_trip is not None, run)
    told = announced(search.forecast(), search.task)
    if dry_run:
        write("\n".join([*told, *search.notes, *listed(search)]), output)
        return
    with working(size=LONG) as run, asking.opened() as model, ExitStack() as others:
        write_notes(told)
        if round_trip is not None:
            search = replace(search, round_trip=opened_trip(round_trip, model, others))
        found = search.run(model, run)
    if save is not None:
        write(templates_text([saved(found, search)]).rstrip("\n"), save)
    write(render(found, form, output), output)
    write_page(page, lambda: page_of(found))
    write_notes(found.notes)


def page_of(found: PromptSearch) -> Page:
    """What was tried and found, drawn."""
    from tertium.report.prompt_pages import search_page

    sizes = f"{counted(found.forecast.dev, 'segment')} of dev, {found.forecast.test} of test"
    return search_page(found, f"{found.task}: {counted(len(found.candidates), 'template')}, {sizes}")


def read_test(file: str | None) -> Sequence[Demonstration] | None:
    """The table on which the winner is tried; None for half of dev."""
    return None if file is None else read_demonstrations(file)


def given_templates(asking: Asking) -> list[Template]:
    """Those of the file, all of which are tried."""
    return [] if asking.templates is None else list(read_templates(asking.templates).values())


def read_text(path: str) -> str:
    """A text to be mined."""
    from tertium.io.files import read_bytes

    return bytes(read_bytes(path)).decode("utf-8-sig", "replace").replace("\r\n", "\n")


def read_ways(text: str) -> tuple[str, ...]:
    """`rules,model` as names; none for none."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if names == ("none",):
        return ()
    for name in names:
        if name not in WAYS:
            raise OptionError(f"--paraphrase {text}: unknown way {name!r}; choose from {', '.join(WAYS)}, or none")
    return names


def opened_trip(specs: tuple[str, str], model: LanguageModel, files: ExitStack) -> RoundTrip:
    """The two models of a round trip, whose answers are kept where those of the model are."""
    from tertium.models.cache import CachedModel
    from tertium.models.open import open_model

    say, kept = partial(click.echo, err=True), getattr(model, "cache", None)
    there, back = (files.enter_context(closing(open_model(spec, key=None, say=say))) for spec in specs)
    return RoundTrip(there, back) if kept is None else RoundTrip(CachedModel(there, kept), CachedModel(back, kept))


def listed(search: TemplateSearch) -> list[str]:
    """Candidates that are known before a model is asked."""
    lines = (
        f"{one.template} ({one.origin}): {json.dumps(one.template.text, ensure_ascii=False)}"
        for one in search.gathered()
    )
    return ["", *map(visible, lines)]


def saved(found: PromptSearch, search: TemplateSearch) -> Template:
    """The winner, with the answers that were permissible."""
    answers = tuple(search.task.answers.items()) if isinstance(search.task, ChoiceTask) else ()
    return replace(found.winner, answers=answers)


def render(found: PromptSearch, form: str, output: str | None) -> str | Sheets:
    """For people two tables, also in Excel, for programs one object, or the candidates."""
    shown = [candidate_table(found), verdict_table(found)]
    if form == "json":
        about = {**search_facts(found), "candidates": tables.objects(shown[0])}
        return json.dumps(about, ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(shown[0])
    if form == "xlsx":
        return Sheets(shown, found.notes)
    return tables.markdown(shown) if form == "markdown" else tables.text(shown, room=room(output), whole="-f json")
