"""`tertium demo`: the main job on the example that ships with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from tertium.cli.inputs import Inputs
from tertium.cli.score import score
from tertium.core.errors import MissingPackageError

PAGE = "demo-report.html"


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Score the example test set that ships with tertium."""
    with as_file(files("tertium") / "examples" / "testset.toml") as testset:
        click.echo(f"$ tertium score {testset} --confidence -m bleu,chrf,ter\n")
        ctx.invoke(score, testset=str(testset), metrics=("bleu,chrf,ter",), confidence=True)
        from tertium.cli.report import METRICS, write_report

        click.echo(f"\n$ tertium report {testset} -o {PAGE}\n")
        write_report(Inputs(testset=str(testset)).read(), (METRICS,), PAGE, detectors=ready())
    click.echo(f"Charts, errors and every segment: {Path(PAGE).resolve().as_uri()}")
    click.echo("\nEvery sentence, system and rating in it is invented. Try: tertium score --help")


def ready() -> list[str]:
    """The detectors that work with what is installed: who looks for the first time has not missed any."""
    from tertium.analysis.detect.choice import DETECTORS, usual_detectors
    from tertium.text.language import check_identifier

    try:
        check_identifier()
    except MissingPackageError:
        return [name for name in usual_detectors() if "langid" not in DETECTORS[name].needs]
    return usual_detectors()
