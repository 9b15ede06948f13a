"""`tertium meta`: how far metrics agree with people."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium meta --help` says, where it lives)
META = {
    "judge": ("Judge metrics by what people said of the systems.", "tertium.cli.meta_judge:judge"),
    "correlate": ("Correlate metrics with human scores in a table.", "tertium.cli.meta_correlate:correlate"),
    "preference": ("Show how likely people prefer the higher score.", "tertium.cli.meta_preference:preference"),
}


@click.group(cls=LazyGroup, known=META, default="judge")
def meta() -> None:
    """Judge metrics by what people said.

    tertium meta testset.toml -m bleu,chrf is tertium meta judge testset.toml -m bleu,chrf.
    """
