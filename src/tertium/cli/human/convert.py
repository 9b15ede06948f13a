"""`tertium human convert`: parse, call, print."""

from __future__ import annotations

import click

from tertium.cli.output import write_notes
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES
from tertium.io.columns import extension
from tertium.io.ratings.formats import FORMATS, open_ratings, write_ratings

USUAL = {".tsv": "tertium", ".csv": "appraise"}  # what is written where --to does not say


@click.command()
@click.argument("given", metavar="IN")
@click.argument("wanted", type=RESULT, metavar="OUT")
@click.option("--from", "source", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
              help="The format of IN; auto looks at its first line.")  # fmt: skip
@click.option("--to", "target", type=click.Choice(FORMATS), help="The format of OUT. [default: tertium for .tsv, "
              "appraise for .csv]")  # fmt: skip
@click.option("--scale", "scales", multiple=True, type=click.Choice(list(SCALES)),
              help="Keep the judgements on this scale; repeat for more. [default: all]")  # fmt: skip
@click.option("--testset", metavar="TESTSET", help="A testset.toml or WMT file whose segments IN is about.")
@click.option("--batches", metavar="FILE", help="Batches of Appraise whose results IN is; they have the texts.")
def convert(
    given: str,
    wanted: str,
    source: str,
    target: str | None,
    scales: tuple[str, ...],
    testset: str | None,
    batches: str | None,
) -> None:
    """Convert ratings from one format to another.

    Texts that OUT quotes (mqm) come from IN, from --testset or from --batches.
    """
    form = target or USUAL.get(extension(wanted))
    if form is None:
        raise OptionError(f"{wanted}: the name does not say which format to write; add --to {'|'.join(FORMATS)}")
    if form == "tertium" and extension(wanted) != ".tsv":
        raise OptionError(f"{wanted}: our own format is written as TSV; give a name that ends in .tsv")
    about = _read_texts(testset, batches)
    found = open_ratings(given, source, None if about is None else about.testset)
    said = [judgement for judgement in found.judgements if not scales or judgement.scale in scales]
    systems = (about.systems if about is not None else ()) or found.systems
    write_ratings(said, wanted, found.testset, form, systems=systems, notes=found.warnings)
    counts = {
        "judgement": len(said),
        "rater": len({item.rater for item in said}),
        "system": len({item.system for item in said}),
        "segment": len({item.segment for item in said}),
    }
    shown = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
    click.echo(f"{wanted}: {shown} ({form})")
    if found.warnings and form != "tertium":
        write_notes([*found.warnings, f"{form} has no place for these notes: keep them beside the file"])


def _read_texts(testset: str | None, batches: str | None) -> Evaluation | None:
    if testset and batches:
        raise OptionError("--testset and --batches both name the texts; give one of them")
    if testset:
        from tertium.io.testset import read_testset

        return read_testset(testset)
    if batches:
        from tertium.io.ratings.appraise_tasks import read_texts_of

        return read_texts_of(batches)
    return None
