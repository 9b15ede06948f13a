"""`tertium human`: what people said of systems."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium human --help` says, where it lives)
HUMAN = {
    "convert": ("Convert ratings from one format to another.", "tertium.cli.human.convert:convert"),
    "analyse": ("Rank systems by people's judgements, and look at the raters.", "tertium.cli.human.analyse:analyse"),
    "agreement": ("Show how far raters agree, with others and themselves.", "tertium.cli.human.agreement:agreement"),
    "new": ("Write a campaign.toml for a test set, with comments.", "tertium.cli.human.campaign:new"),
    "check": ("Say what is wrong with a campaign, or what it asks.", "tertium.cli.human.campaign:check"),
    "plan": ("Deal the work of a campaign out to raters.", "tertium.cli.human.campaign:plan"),
    "links": ("Make a link for each rater.", "tertium.cli.human.collecting:links"),
    "serve": ("Serve a campaign to its raters.", "tertium.cli.human.collecting:serve"),
    "status": ("Show how far raters are.", "tertium.cli.human.collecting:status"),
    "export": ("Write what raters said.", "tertium.cli.human.collecting:export"),
    "import": ("Take in judgements that were made elsewhere.", "tertium.cli.human.collecting:import_ratings"),
    "backup": ("Copy the responses of a campaign, while it runs.", "tertium.cli.human.collecting:backup"),
    "erase": ("Erase what one rater said, at their request.", "tertium.cli.human.collecting:erase"),
}


@click.group(cls=LazyGroup, known=HUMAN)
def human() -> None:
    """Run campaigns; read, check and analyse what people said."""
