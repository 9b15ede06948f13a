"""`tertium meta`: how far metrics agree with people."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium meta --help` says, where it lives)
META = {
    "evaluate": ("Compare metrics with what people said of the systems.", "tertium.cli.meta.evaluate:evaluate_command"),
    "use": ("Judge metrics as filters and as choosers.", "tertium.cli.meta.use:use"),
    "correlate": ("Correlate metrics with human scores in a table.", "tertium.cli.meta.correlate:correlate"),
    "preference": ("Show how likely people prefer the higher score.", "tertium.cli.meta.preference:preference"),
}


@click.group(cls=LazyGroup, known=META, default="evaluate")
def meta() -> None:
    """Compare metrics with what people said.

    tertium meta testset.toml -m bleu,chrf is tertium meta evaluate testset.toml -m bleu,chrf.
    """
