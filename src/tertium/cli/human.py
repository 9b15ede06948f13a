"""`tertium human`: what people said."""

from __future__ import annotations

from tertium.cli.lazy import LazyGroup

# name: (what `tertium human --help` says, where it lives)
HUMAN = {
    "convert": ("Convert ratings from one format to another.", "tertium.cli.human_convert:convert"),
}

human = LazyGroup(name="human", known=HUMAN, help="Read and analyse what people said about outputs.")
