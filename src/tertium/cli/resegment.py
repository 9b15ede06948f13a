"""`tertium resegment`: an output's own lines cut into the segments of a test set."""

from __future__ import annotations

from dataclasses import replace

import click

from tertium.cli.inputs import Inputs
from tertium.cli.output import write, write_notes
from tertium.cli.parameters import parameters
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.wording import counted

NOT_HERE = ("scores", "models", "no_cache", "resegment", "mmap")  # there is nothing to score, and nothing else to do


@click.command("resegment")
@parameters(Inputs, "inputs", without=NOT_HERE)
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def resegment_command(inputs: Inputs, output: str | None) -> None:
    """Cut an output into the segments of the references.

    tertium resegment --ref ref.en --hyp talk.en -o talk.segments.en: speech translation has lines of its own, or none.
    The cuts are those with the fewest edits against the references; where there is --doc, and --hyp-doc or a line for
    each document, no text crosses from one document into another. score, compare, report and others do the same by
    themselves with --resegment.
    """
    found = replace(inputs, resegment=True).read()
    if len(found.systems) != 1:
        raise OptionError(
            f"{counted(len(found.systems), 'output')} at once; cut them one by one, each into a file of its own"
        )
    write("\n".join(text or "" for text in found.systems[0].outputs), output)
    write_notes(found.warnings)
