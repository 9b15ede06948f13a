"""The `tertium` command: commands load when they are called, and errors are sentences."""

from __future__ import annotations

import os
import sys

import click

from tertium.cli.lazy import LazyGroup
from tertium.core.errors import TertiumError
from tertium.core.version import VERSION

# name: (what `tertium --help` says, where it lives)
COMMANDS = {
    "score": ("Score systems against references.", "tertium.cli.score:score"),
    "compare": ("Test which systems are better, and by how much.", "tertium.cli.compare:compare_command"),
    "types": ("Show which words a system misses or invents.", "tertium.cli.types:types"),
    "diagnose": ("Find untranslated words, lost numbers, truncation and more.", "tertium.cli.diagnose:diagnose"),
    "buckets": ("Score parts of a test set: by document, label or length.", "tertium.cli.buckets:buckets"),
    "disagree": ("Show where metrics favour different systems.", "tertium.cli.disagree:disagree"),
    "human": ("Read, check and analyse what people said.", "tertium.cli.human:human"),
    "meta": ("Judge metrics by what people said.", "tertium.cli.meta:meta"),
    "stress": ("Damage outputs and show what metrics notice.", "tertium.cli.stress:stress"),
    "report": ("Write scores, charts, errors and segments as one web page.", "tertium.cli.report:report_command"),
    "verify": ("Compute a published score again and say whether it holds.", "tertium.cli.verify:verify_command"),
    "mbr": ("Choose by minimum Bayes risk.", "tertium.cli.nbest:mbr"),
    "rerank": ("Choose by a metric that needs no references.", "tertium.cli.nbest:rerank"),
    "serve": ("Open the workbench: drop files on a page, look at reports.", "tertium.cli.serve:serve"),
    "metrics": ("List the metrics, or explain one.", "tertium.cli.metrics:metrics"),
    "demo": ("Score the example test set that ships with tertium.", "tertium.cli.demo:demo"),
    "sacrebleu": ("Accept sacreBLEU's own flags and print its output.", "tertium.cli.main:sacrebleu"),
    "completion": ("Print the shell completion script.", "tertium.cli.completion:completion"),
}


@click.group(
    cls=LazyGroup,
    known=COMMANDS,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda name: name.replace("_", "-"),
    },
)
@click.version_option(VERSION, "-V", "--version", message="tertium %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error (anywhere on the line).")
def cli(debug: bool) -> None:
    """Measure machine translation: exact metrics, fast, honest about uncertainty.

    Start with `tertium demo`, then `tertium score --ref REF --hyp OUTPUT`.
    """


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sacrebleu(arguments: tuple[str, ...]) -> None:
    """Accept sacreBLEU's own flags and print its output."""
    from tertium.cli.sacrebleu import main as run

    sys.exit(run(list(arguments)))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; the exit status is 0, 1 for a check that fails, 2 for a user's error, 130 for Ctrl-C."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a character shows its number
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in arguments
    try:
        if debug and arguments[:1] != ["sacrebleu"]:  # wherever it stands
            arguments = [argument for argument in arguments if argument != "--debug"]
        if arguments[:1] == ["sacrebleu"]:  # its flags are not click's
            from tertium.cli.sacrebleu import main as run

            sys.exit(run(arguments[1:]))
        cli.main(arguments, prog_name="tertium", standalone_mode=False)
    except TertiumError as error:
        if debug:
            raise
        _stop(str(error), 2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _stop("stopped", 130)
    except BrokenPipeError:  # the reader of our output has gone (head, less)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


def _stop(message: str, status: int) -> None:
    click.echo(f"tertium: {message}", err=True)
    sys.exit(status)
