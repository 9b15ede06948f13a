"""`tertium prompt translate`: sources in, translations out, line by line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import IO

import click

from tertium.cli.inputs import check_standard_input
from tertium.cli.output import write, write_notes
from tertium.cli.progress import LONG, working
from tertium.cli.prompt.asking import Asking, asking_options
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.plain import plain
from tertium.core.wording import counted, visible
from tertium.io.files import write_atomically
from tertium.prompt.plan import PromptPlan, forecast
from tertium.prompt.translate import TranslatedSegment

BREAK = re.compile(r"[\r\n]+")


@click.command("translate")
@asking_options
@click.option("-s", "--src", default="-", metavar="FILE", help="The source, one segment per line. [default: standard "
              "input]")  # fmt: skip
@click.option("-r", "--ref", "refs", multiple=True, metavar="FILE",
              help="References: demonstrations that give them away are left out, as are those with the source.",
              )  # fmt: skip
@click.option("--steps", default="usual", show_default=True, metavar="LIST",
              help="What is done to answers: names with commas, usual, or none.")  # fmt: skip
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="Answers to each prompt; needs a temperature.")  # fmt: skip
@click.option("--choose", "rule", default="probability", show_default=True, metavar="RULE",
              help="Of several samples: probability, mbr:METRIC, or a metric that needs no references.")  # fmt: skip
@click.option("--budget", type=click.IntRange(1), metavar="N", help="A prompt is at most so long; demonstrations give "
              "way.")  # fmt: skip
@click.option("--budget-unit", type=click.Choice(["characters", "tokens"]), default="characters", show_default=True,
              help="What the budget counts; tokens if the model can.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say how much would be asked, show three prompts, and ask nothing.")
@click.option(
    "--details", type=RESULT, metavar="FILE", help="Write prompts, raw answers and what became of them, as JSON lines."
)
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def translate_command(
    asking: Asking,
    src: str,
    refs: tuple[str, ...],
    steps: str,
    samples: int,
    rule: str,
    budget: int | None,
    budget_unit: str,
    dry_run: bool,
    details: str | None,
    output: str | None,
) -> None:
    """Translate a file with a language model.

    tertium prompt translate --model MODEL --template A --shots 3 --examples dev.tsv --src f.de --source-language de
    --target-language en -o out.en. Answers are kept: a run that was stopped goes on where it was.
    """
    from tertium.io.texts import read_stream, read_texts
    from tertium.prompt.choice import parse_rule
    from tertium.prompt.demonstrations import make_pool, parse_selector
    from tertium.prompt.postprocess import parse_steps
    from tertium.prompt.translate import check_sources, collect, counting, stream

    check_standard_input((src, asking.examples, *refs))
    if src == "-" and sys.stdin is not None and sys.stdin.isatty():
        raise OptionError("no source: pass --src FILE, or pipe one into standard input")
    sources = read_stream(src)
    check_sources(sources)
    references = [text for spec in refs for lines in read_texts(spec) for text in lines]
    plan = PromptPlan(
        template=asking.find_template("A"),
        source_language=asking.source_language,
        target_language=asking.target_language,
        line_break=asking.line_break,
        pool=make_pool(asking.read_examples(), sources, references),
        shots=asking.shots,
        selector=parse_selector(asking.selector),
        budget=budget,
        decoding=asking.decoding,
        steps=parse_steps(steps),
        samples=samples,
        rule=parse_rule(rule),
    )
    if dry_run:
        write("\n".join(foretell(plan, sources, budget_unit)), output)
        return
    with working(size=LONG) as run, asking.opened() as model, ExitStack() as files:
        found = stream(plan, sources, model, count=len if budget is None else counting(model, budget_unit), run=run)
        segments = list(written(found, output, details, files))
        name = model.name
    write_notes(collect(plan, segments, name).notes)


def written(
    segments: Iterator[TranslatedSegment], output: str | None, details: str | None, files: ExitStack
) -> Iterator[TranslatedSegment]:
    """The same, each written as it comes: to the screen at once, to files whole or not at all."""
    screen = output is None or output == "-"
    lines: IO[bytes] | None = None if output is None or screen else files.enter_context(write_atomically(output))
    notes: IO[bytes] | None = None if details is None else files.enter_context(write_atomically(details))
    for one in segments:
        text = BREAK.sub(" ", one.output or "")  # an output is one line, whatever the steps are
        if lines is None:
            click.echo(text)
            sys.stdout.flush()
        else:
            lines.write(text.encode() + b"\n")
        if notes is not None:
            about = {
                "source": one.source,
                "prompt": None if one.prompt is None else one.prompt.before,
                "answers": plain(one.answers),
                "chosen": one.chosen,
                "output": one.output,
                **one.flags._asdict(),
            }
            notes.write(json.dumps(about, ensure_ascii=False).encode() + b"\n")
        yield one


def foretell(plan: PromptPlan, sources: Lines | Sequence[str | None], unit: str) -> Iterator[str]:
    """What would be asked."""
    ahead = forecast(plan, sources)
    yield plan.describe()
    repeated = f", {ahead.repeated} of them for the same prompt as another" if ahead.repeated else ""
    yield (
        f"{counted(ahead.calls, 'call')}{repeated}; {counted(ahead.characters, 'character')} of prompts, "
        f"the longest {ahead.longest}; at most {counted(ahead.tokens, 'token')} of answers"
    )
    yield from plan.pool.notes if plan.shots else ()
    if plan.budget is not None and unit == "tokens":
        yield "a budget in tokens is known when the model is open; here it is taken for characters"
    if ahead.dropped:
        yield f"the budget of {plan.budget} leaves {counted(ahead.dropped, 'demonstration')} out"
    if ahead.over:
        yield f"{counted(ahead.over, 'prompt')} over the budget of {plan.budget} even without demonstrations"
    for number, prompt in enumerate(ahead.prompts, 1):
        yield f"\n--- prompt {number} ---\n" + "\n".join(visible(line) for line in prompt.before.split("\n"))
