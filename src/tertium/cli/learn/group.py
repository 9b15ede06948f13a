"""`tertium learn`: look at models of learned metrics, convert them, train one on your own judgements."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium learn --help` says, where it lives)
LEARN = {
    "inspect": ("Show what a model is, and what it needs.", "tertium.cli.learn.inspect:inspect_command"),
    "convert": ("Write a model anew: half the size, loads by itself.", "tertium.cli.learn.convert:convert_command"),
    "train": ("Fit a metric to people's judgements.", "tertium.cli.learn.train:train_command"),
    "cache": ("Show or clear what models have worked out.", "tertium.cli.learn.cache:cache_command"),
}


@click.group(cls=LazyGroup, known=LEARN)
def learn() -> None:
    """Look at models of learned metrics, or train one."""
