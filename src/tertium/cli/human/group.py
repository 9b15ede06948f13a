"""`tertium human`: what people said of systems."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium human --help` says, where it lives)
HUMAN = {
    "convert": ("Convert ratings from one format to another.", "tertium.cli.human.convert:convert"),
    "analyse": ("Rank systems by people's judgements, and look at the raters.", "tertium.cli.human.analyse:analyse"),
    "agreement": ("Show how far raters agree, with others and themselves.", "tertium.cli.human.agreement:agreement"),
}


@click.group(cls=LazyGroup, known=HUMAN)
def human() -> None:
    """Read, check and analyse what people said."""
