"""The `tertium` command: commands load when they are called, and errors are sentences."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import click

from tertium.cli.lazy import LazyGroup
from tertium.cli.output import Output, open_output
from tertium.core.errors import TertiumError
from tertium.core.version import VERSION

# name: (what `tertium --help` says, where it lives)
COMMANDS = {
    "score": ("Score systems against references.", "tertium.cli.score:score"),
    "compare": ("Test which systems are better, and by how much.", "tertium.cli.compare:compare_command"),
    "align": ("Show outputs beside references, and confusions.", "tertium.cli.align:align_command"),
    "resegment": ("Cut an output into the segments of the references.", "tertium.cli.resegment:resegment_command"),
    "annotate": ("Write scores of segments beside them, as columns.", "tertium.cli.annotate:annotate_command"),
    "stats": ("Count some rows of a test set, to be merged elsewhere.", "tertium.cli.stats:stats_command"),
    "merge": ("Put statistics together: scores, intervals, tests.", "tertium.cli.merge:merge_command"),
    "types": ("Show which words a system misses or invents.", "tertium.cli.types:types"),
    "diagnose": ("Find untranslated words, lost numbers, truncation and more.", "tertium.cli.diagnose:diagnose"),
    "buckets": ("Score parts of a test set: by document, label or length.", "tertium.cli.buckets:buckets"),
    "disagree": ("Show where metrics favour different systems.", "tertium.cli.disagree:disagree"),
    "human": ("Run campaigns; read, check and analyse what people said.", "tertium.cli.human.group:human"),
    "meta": ("Compare metrics with what people said.", "tertium.cli.meta.group:meta"),
    "meaning": ("Show how often people agree with a difference of this size.", "tertium.cli.meaning:meaning_command"),
    "freeze": ("Keep scores, to say where another lies among them.", "tertium.cli.freeze:freeze_command"),
    "retrieve": ("Test translations by searching them.", "tertium.cli.retrieve.group:retrieve"),
    "prompt": ("Ask language models: translate, answer, compare.", "tertium.cli.prompt.group:prompt"),
    "learn": ("Look at models of learned metrics, or train one.", "tertium.cli.learn.group:learn"),
    "effort": ("Measure post-editing effort: HTER, kinds of edits, speed.", "tertium.cli.effort:effort"),
    "stress": ("Damage outputs and show what metrics notice.", "tertium.cli.stress:stress"),
    "report": ("Write a verdict, scores, charts and segments as one web page.", "tertium.cli.report:report_command"),
    "gate": ("Let a system through, or not, by rules in a file.", "tertium.cli.gate:gate_command"),
    "verify": ("Compute a published score again and say whether it holds.", "tertium.cli.verify:verify_command"),
    "mbr": ("Choose by minimum Bayes risk.", "tertium.cli.nbest:mbr"),
    "rerank": ("Choose by a metric that needs no references.", "tertium.cli.nbest:rerank"),
    "serve": ("Open the workbench: drop files on a page, look at reports.", "tertium.cli.serve:serve"),
    "testsets": ("Fetch test sets by name, and keep them.", "tertium.cli.testsets.group:testsets"),
    "metrics": ("List the metrics, or explain one.", "tertium.cli.metrics:metrics"),
    "explain": ("Show step by step how the score of a sentence is computed.", "tertium.cli.explain:explain_command"),
    "demo": ("Score the example test set that ships with tertium.", "tertium.cli.demo:demo"),
    "sacrebleu": ("Accept sacreBLEU's own flags and print its output.", "tertium.cli.main:sacrebleu"),
    "completion": ("Print the shell completion script.", "tertium.cli.completion:completion"),
}

MEMORY = (
    "out of memory: the texts do not fit into what this computer, or a limit on this process, allows; "
    "score fewer systems or smaller files at a time"
)


class ReaderGoneError(Exception):
    """Whoever read results, or notes and errors, does not any more (head, less)."""


class Commands(LazyGroup):
    """All commands. Click ends with 1 where a pipe is closed, which is the status of a check that fails."""

    def invoke(self, ctx: click.Context) -> Any:
        """As click does."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error


@click.group(
    cls=Commands,
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
    from tertium.cli.sacrebleu.command import main as run

    sys.exit(run(list(arguments)))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; the exit status is 0, 1 for a check that fails, 2 for a user's error, 130 for Ctrl-C."""
    output = open_output()
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments, output)
    except BrokenPipeError:  # while an error was told
        status = 141
    with suppress(OSError):
        sys.stdout.flush()
    if output is not None and isinstance(output.error, BrokenPipeError):  # its reader has gone (head, less)
        status = 141
    elif output is not None and output.error is not None:
        reason = output.error.strerror or output.error
        status = _stop(f"standard output: cannot be written ({reason}); what has been written is not all", 2)
    if status:
        sys.exit(status)


def _run(arguments: list[str], output: Output | None) -> int:
    """The exit status of a command, when it has said what it has to say."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a character shows its number
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in arguments
    try:
        if debug and arguments[:1] != ["sacrebleu"]:  # wherever it stands
            arguments = [argument for argument in arguments if argument != "--debug"]
        if arguments[:1] == ["sacrebleu"]:  # its flags are not click's
            from tertium.cli.sacrebleu.command import main as run

            return run(arguments[1:], debug=debug)
        cli.main(arguments, prog_name="tertium", standalone_mode=False)
    except SystemExit as stop:
        return int(stop.code or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _stop("stopped", 130)
    except ReaderGoneError:
        return 141
    except (TertiumError, MemoryError, RuntimeError, ImportError) as error:
        if debug or (not isinstance(error, TertiumError) and not _lacks_memory(error)):
            raise
        return _stop(str(error) if isinstance(error, TertiumError) else MEMORY, 2)
    except OSError as error:
        if output is None or error is not output.error:  # that one is told at the end
            raise
    return 0


def _lacks_memory(error: Exception) -> bool:
    """Whether it was memory that an allocation, a thread or a library did not get."""
    said = ("can't start new thread", "failed to map segment", "cannot allocate memory")
    return isinstance(error, MemoryError) or any(words in str(error) for words in said)


def _stop(message: str, status: int) -> int:
    click.echo(f"tertium: {message}", err=True)
    return status
