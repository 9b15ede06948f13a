"""`tertium explain`: how the score of one sentence is computed, step by step."""

from __future__ import annotations

import json

import click

from tertium.analysis.walkthrough import walk_through
from tertium.cli.output import write
from tertium.cli.pages import page_option, write_page
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.metrics import parse_list


@click.command("explain")
@click.argument("output_text", metavar="OUTPUT")
@click.option("-r", "--ref", "references", multiple=True, metavar="TEXT", help="A reference; repeat for more.")
@click.option("-s", "--src", "source", metavar="TEXT", help="The source, for metrics that read it.")
@click.option("-m", "--metrics", multiple=True, default=("bleu",), show_default=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas.")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text",
              show_default=True, help="How the steps are printed.")  # fmt: skip
@page_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to FILE instead of the screen.")
def explain_command(
    output_text: str,
    references: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    form: str,
    page: str | None,
    output: str | None,
) -> None:
    """Show step by step how the score of a sentence is computed.

    tertium explain "the cat sat" --ref "the cat sat down" -m bleu: counts, alignments and positions in tables, and the
    formula with numbers in it. OUTPUT and references are texts, not files.
    """
    found = [walk_through(output_text, references, metric, source=source) for metric in parse_list(metrics)]
    from tertium.report.walkthrough import explain_page, walkthrough_markdown, walkthrough_object, walkthrough_text

    if form == "json":
        write(json.dumps([walkthrough_object(each) for each in found], ensure_ascii=False, indent=1), output)
    elif form == "markdown":
        write("\n\n".join(map(walkthrough_markdown, found)), output)
    else:
        write("\n\n\n".join(walkthrough_text(each, room(output)) for each in found), output)
    write_page(page, lambda: explain_page(found))
