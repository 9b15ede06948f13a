"""`tertium prompt models`: what language models there are, and what one of them is."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial

import click

from tertium.cli.output import write
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.table import Table
from tertium.io import tables


@click.command("models")
@click.argument("model", required=False)
@click.option("--key", metavar="VARIABLE", help="The variable of the environment with a server's key.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text",
              show_default=True, help="How it is printed; what is not known is null in json.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def models_command(model: str | None, key: str | None, form: str, output: str | None) -> None:
    """List the kinds of language models, or say what one is.

    tertium prompt models hf:FOLDER opens it, finds out what it can do, and says where it stands. A server is asked up
    to five short questions.
    """
    shown, data = _kinds() if model is None else _one(model, key)
    if form == "json":
        write(json.dumps(data, ensure_ascii=False, indent=1), output)
    else:
        write(tables.markdown(shown) if form == "markdown" else tables.text(shown, room=room(output)), output)


def _kinds() -> tuple[list[Table], object]:
    from dataclasses import asdict

    from tertium.models.about import BACKENDS
    from tertium.models.taxonomy import TAXONOMY
    from tertium.report.tables.models import backend_table, taxonomy_tables

    kinds = [{"text": one.text, "what": one.what, "installed": one.installed, "brings": one.brings} for one in BACKENDS]
    data = {"backends": kinds, "taxonomy": [asdict(one) for one in TAXONOMY.values()]}
    return [backend_table(BACKENDS), *taxonomy_tables(list(TAXONOMY.values()))], data


def _one(text: str, key: str | None) -> tuple[list[Table], object]:
    from tertium.models.about import about
    from tertium.models.open import open_model
    from tertium.models.replay import UNKNOWN
    from tertium.report.tables.models import model_data, model_tables

    with closing(open_model(text, key=key, say=partial(click.echo, err=True))) as model:
        found, abilities = about(model), model.abilities
        known = None if abilities is UNKNOWN else abilities  # nobody asked the model whose answers were kept
        given = (model.name, model.identity, found, known)
        return model_tables(*given), model_data(*given)
