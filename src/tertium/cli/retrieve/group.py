"""`tertium retrieve`: whether documents are found by their translations."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium retrieve --help` says, where it lives)
RETRIEVE = {
    "all": ("Build, run, score, correlate and explain at once.", "tertium.cli.retrieve.all:all_command"),
    "build": ("Make topics and collections from a test set.", "tertium.cli.retrieve.build:build_command"),
    "run": ("Search every collection for every topic.", "tertium.cli.retrieve.run:run_command"),
    "score": ("Measure rankings: mAP, MRR, nDCG, AQWV and more.", "tertium.cli.retrieve.score:score_command"),
    "correlate": ("Show which MT metric foretells retrieval.", "tertium.cli.retrieve.correlate:correlate_command"),
    "explain": ("Show why documents are missed.", "tertium.cli.retrieve.explain:explain_command"),
}


@click.group(cls=LazyGroup, known=RETRIEVE, default="all")
def retrieve() -> None:
    """Test translations by searching them.

    tertium retrieve testset.toml is tertium retrieve all testset.toml: documents as each system translates them are
    searched with queries in the target language.
    """
