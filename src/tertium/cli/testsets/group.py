"""`tertium testsets`: test sets with a name."""

from __future__ import annotations

import click

from tertium.cli.lazy import LazyGroup

# name: (what `tertium testsets --help` says, where it lives)
TESTSETS = {
    "list": ("List the test sets that have a name.", "tertium.cli.testsets.show:list_command"),
    "show": ("Show what a test set is, and where its files are.", "tertium.cli.testsets.show:show_command"),
    "get": ("Fetch a test set and check it.", "tertium.cli.testsets.get:get_command"),
    "add": ("Add test sets of your own to the list.", "tertium.cli.testsets.get:add_command"),
    "verify": ("Check that what was fetched is still what it was.", "tertium.cli.testsets.get:verify_command"),
    "check": ("Check testset.toml files and the files they name.", "tertium.cli.testsets.check:check_command"),
}


@click.group(cls=LazyGroup, known=TESTSETS)
def testsets() -> None:
    """Fetch test sets by name, and keep them.

    tertium testsets get wmt19 -l de-en, then tertium score -T wmt19 -l de-en --hyp mt.en. Nothing is ever fetched but
    by get.
    """
