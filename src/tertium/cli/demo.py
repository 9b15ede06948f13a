"""`tertium demo`: the main job on the example that ships with the package."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from tertium.cli.score import score


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Score the example test set that ships with tertium."""
    with as_file(files("tertium") / "examples" / "testset.toml") as testset:
        click.echo(f"$ tertium score {testset} --confidence -m bleu,chrf,ter\n")
        ctx.invoke(score, testset=str(testset), metrics=("bleu,chrf,ter",), confidence=True)
    click.echo("\nEvery sentence, system and rating in it is invented. Try: tertium score --help")
