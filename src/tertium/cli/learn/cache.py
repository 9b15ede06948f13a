"""`tertium learn cache`: what models have worked out, and how to be rid of it."""

from __future__ import annotations

import click

from tertium.core.errors import InputError
from tertium.core.wording import counted
from tertium.io.cache import models_folder
from tertium.io.files import megabytes
from tertium.io.model_cache import LIMIT, cache_facts, clear_cache


@click.command("cache")
@click.option("--clear", is_flag=True, help="Empty it: scores are then worked out again.")
def cache_command(clear: bool) -> None:
    """Show or clear what models have worked out.

    Commands keep the scores and sentence vectors of learned metrics, so that the same texts are not read twice. Those
    that were not used for the longest time go when there is no room.
    """
    folder = models_folder()
    if folder is None:
        raise InputError("there is no home folder to keep a cache in; XDG_CACHE_HOME can name another place")
    if clear:
        clear_cache(folder)
    facts = cache_facts(folder)
    size = f"{megabytes(facts.size)} of at most {megabytes(LIMIT)}"
    click.echo(f"{facts.path}: {counted(facts.entries, 'value')}, {size}")
