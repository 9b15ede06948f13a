"""`tertium prompt answer`: the likeliest of permissible answers, and what it means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import click

from tertium.cli.inputs import check_standard_input
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.progress import working
from tertium.cli.prompt.asking import Asking, asking_options
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.run import Run
from tertium.core.table import Table
from tertium.io import tables
from tertium.models.language_model import LanguageModel
from tertium.prompt.answers import SCORINGS, Scoring, answer, check_prefix, write_answers
from tertium.prompt.choice import Rule, parse_rule
from tertium.prompt.demonstrations import Chooser, Pool, make_pool, parse_selector
from tertium.prompt.template import Template
from tertium.report.tables.answers import choice_table, score_rows, written_table

Inputs = list[tuple[str, ...]]


@click.command("answer")
@click.argument("texts", nargs=-1)
@asking_options
@click.option("-i", "--input", "files", multiple=True, metavar="FILE", help="Inputs, one per line; repeat for [X2].")
@click.option("--answers", metavar="LIST", help="What may be answered, with labels: great=+,bad=-. [default: the "
              "template's own]")  # fmt: skip
@click.option("--scoring", type=click.Choice(SCORINGS), default="raw", show_default=True,
              help="The log-probability, that divided by tokens, or less that after the empty input.")  # fmt: skip
@click.option("--gold", metavar="FILE", help="The right labels, one per line or as FILE:COLUMN; they are compared.")
@click.option("--write", "writes", is_flag=True, help="Let the model write an answer instead of choosing one.")
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="With --write: answers to each prompt; needs a temperature.")  # fmt: skip
@click.option("--choose", "rule", metavar="RULE", help="Show one of the samples only: that of probability, mbr:METRIC, "
              "or a metric that needs no references.")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How answers are printed; for programs, every permissible one.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def answer_command(
    asking: Asking,
    texts: tuple[str, ...],
    files: tuple[str, ...],
    answers: str | None,
    scoring: Scoring,
    gold: str | None,
    writes: bool,
    samples: int,
    rule: str | None,
    form: str,
    output: str | None,
) -> None:
    """Choose among permissible answers, or write one.

    tertium prompt answer --model MODEL --template sentiment "I want to see it again."
    """
    form = form_of(form, output)
    check_standard_input((*files, gold, asking.examples))
    template = asking.find_template("sentiment")
    given = read_inputs(texts, files, template)
    pool = make_pool(asking.read_examples(), [text for several in given for text in several])
    if writes:
        check_prefix(template)
        if gold is not None or answers is not None:
            raise OptionError("--gold and --answers are for choosing; --write lets the model say what it likes")
    elif rule is not None:
        raise OptionError(f"--choose {rule}: only with --write, of several samples")
    elif samples > 1:
        raise OptionError(f"--samples {samples}: only with --write; choosing needs no more than one look")
    elif asking.beam > 1:
        raise OptionError(f"--beam {asking.beam}: only with --write; every permissible answer is looked at anyway")
    elif parse_selector(asking.selector).depends:
        raise OptionError(f"--selector {asking.selector}: answers are compared under the same demonstrations")
    with working() as run, asking.opened() as model:
        if writes:
            chosen = None if rule is None else parse_rule(rule)
            shown = [write_down(asking, template, given, pool, samples, chosen, model, run)]
            data = shown[0]
        else:
            found = answer(
                given,
                model,
                template,
                answers=None if answers is None else read_verbaliser(answers),
                scoring=scoring,
                source=asking.source_language,
                target=asking.target_language,
                demonstrations=Chooser(pool, asking.shots, asking.selector).choose("").demonstrations,
                line_break=asking.line_break,
                run=run,
            )
            right = None if gold is None else read_labels(gold)
            shown, data = [choice_table(found, right, template)], score_rows(found)
    write(render(shown, data, form, output), output)
    write_notes(pool.notes if asking.shots else ())


def render(shown: Sequence[Table], data: Table, form: str, output: str | None) -> str | Sheets:
    """For people what is `shown`, for programs the `data` at full precision; Excel has both, a sheet for each."""
    if form == "json":
        return json.dumps(tables.objects(data), ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(data)
    if form == "xlsx":
        return Sheets([*shown, replace(data, title="All, one in each row")])
    return tables.markdown(shown) if form == "markdown" else tables.text(shown, room=room(output))


def write_down(
    asking: Asking,
    template: Template,
    given: Inputs,
    pool: Pool,
    samples: int,
    rule: Rule | None,
    model: LanguageModel,
    run: Run,
) -> Table:
    """What the model writes after each prompt: all samples, or the one that a rule takes."""
    chooser = Chooser(pool, asking.shots, asking.selector)
    prompts = [
        template.fill(
            *several,
            source=asking.source_language,
            target=asking.target_language,
            demonstrations=chooser.choose(*several).demonstrations,
            line_break=asking.line_break,
        )
        for several in given
    ]
    decoding = replace(asking.decoding, log_probabilities=rule is not None and rule.metric is None)
    answers = list(write_answers(prompts, model, decoding, samples, run))
    if rule is not None:
        said = [[one.text.strip() for one in several] for several in answers]
        values = [[one.log_probability for one in several] for several in answers]
        best = rule.choose(said, values, [" ".join(several) for several in given], run)
        answers = [[several[place]] for several, place in zip(answers, best, strict=True)]
    return written_table(prompts, answers)


def read_inputs(texts: Sequence[str], files: Sequence[str], template: Template) -> Inputs:
    """The inputs, each as many texts as the template has slots for them."""
    from tertium.io.texts import read_stream

    slots = len(template.inputs)
    if texts and files:
        raise OptionError("inputs on the command line and in files (--input); pass one or the other")
    if not texts and not files:
        raise OptionError("no input: write it behind the command, or pass --input FILE")
    if texts:
        if len(texts) % slots:
            raise OptionError(f"template {template} takes {slots} texts for each input; there are {len(texts)}")
        checked = [text or "" for text in Lines.of(texts, "input")]  # an argument need not be UTF-8
        return [tuple(checked[k : k + slots]) for k in range(0, len(checked), slots)]
    if len(files) != slots:
        raise OptionError(f"template {template} takes {slots} input files, got {len(files)}: --input once for each")
    columns = [[text or "" for text in read_stream(file)] for file in files]
    if len({len(column) for column in columns}) > 1:
        sizes = ", ".join(f"{file} {len(column)}" for file, column in zip(files, columns, strict=True))
        raise InputError(f"inputs differ in length: {sizes} lines")
    return list(zip(*columns, strict=True))


def read_verbaliser(text: str) -> dict[str, str]:
    """`great=+,bad=-` as {answer: label}; an answer without a label is its own."""
    found: dict[str, str] = {}
    for part in text.split(","):
        word, _, label = part.partition("=")
        if not word.strip():
            raise OptionError(f"--answers {text}: an answer is empty; write great=+,bad=-")
        if word.strip() in found:
            raise OptionError(f"--answers {text}: {word.strip()!r} is there twice; an answer has one label")
        found[word.strip()] = label.strip() or word.strip()
    return found


def read_labels(spec: str) -> list[str | None]:
    """The right labels, one per input."""
    from tertium.io.texts import read_stream

    return list(read_stream(spec))
