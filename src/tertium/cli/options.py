"""Options that several commands have, word for word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import isdir
from typing import TYPE_CHECKING, Any

import click

from tertium.cli.parameters import option, parameters
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.inference.seeds import ALPHA, CONFIDENCE, RESAMPLES, SEED
from tertium.inference.units import UNITS, Unit

if TYPE_CHECKING:
    from tertium.cli.inputs import Inputs
    from tertium.core.evaluation import Evaluation
    from tertium.meta.frozen import FrozenScores

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)

threads_option = click.option(
    "--threads", type=click.IntRange(1), help="Threads; the result is the same for any number."
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of what is drawn."
)
alpha_option = click.option(
    "--alpha", type=SHARE, default=ALPHA, show_default=True,
    help="How often a difference may be found where there is none.",
)  # fmt: skip
trust_option = click.option(
    "--trust-join", is_flag=True, help="Go on where people's scores do not fit the texts at all."
)  # the way round the guard against judgements that are not about these texts


against_option = click.option(
    "--against", multiple=True, metavar="FILE",
    help="Frozen scores (tertium freeze): say where the scores here lie among them; repeat for more.",
)  # fmt: skip


xliff_notes_option = click.option(
    "--xliff-notes", type=RESULT, metavar="FILE",
    help="Write the XLIFF files again, to here, with scores in the notes of their units; of several, a folder.",
)  # fmt: skip


def write_xliff_notes(
    evaluation: Evaluation, target: str, detect: bool = False, rules: Mapping[str, Any] | None = None
) -> list[str]:
    """The files of the test set with a note for each segment and system; with what detectors find by these rules of a
    house, if asked for."""
    from tertium.io.localisation.notes import write_segment_notes
    from tertium.report.notes import segment_notes

    findings = []
    if detect:
        from tertium.analysis.diagnose import diagnose

        findings = list(diagnose(evaluation, **(rules or {})))
    return write_segment_notes(evaluation.testset, segment_notes(evaluation, findings), target)


def read_against(paths: Sequence[str]) -> list[FrozenScores]:
    """The files of --against."""
    if not paths:
        return []
    from tertium.meta.frozen import read_frozen

    return [read_frozen(path) for path in paths]


@dataclass(frozen=True, kw_only=True)
class Streaming:
    """How a corpus in shards is read."""

    stream: bool = option("--stream", is_flag=True, help="Read in blocks, keep no rows; as for patterns and folders.")
    checkpoint: str | None = option("--checkpoint", metavar="DIR",
                                    help="Keep finished shards here; a run that was killed goes on from them.",
                                    )  # fmt: skip
    bad_shards: str | None = option("--bad-shards", type=click.Choice(["stop", "skip"]),
                                    help="What to do at a shard that cannot be read: stop, or skip and name it. "
                                    "[default: stop]")  # fmt: skip
    engine: str | None = option("--engine", type=click.Choice(["local", "ray"]),
                                help="What counts shards: threads here, or processes of Ray. [default: local]",
                                )  # fmt: skip
    address: str | None = option("--address", metavar="HOST:PORT",
                                 help="A Ray cluster that this computer is a node of. [default: one is started here]",
                                 )  # fmt: skip

    def wanted(self, inputs: Inputs) -> bool:
        """Whether files are read as shards: where a pattern or a folder names them, or it is asked for."""
        asked = (self.checkpoint, self.bad_shards, self.engine, self.address)
        if self.stream or any(given is not None for given in asked):
            return True
        return any(_may_name_shards(spec) for spec in (inputs.src, *inputs.refs, *inputs.hyps) if spec)


def _may_name_shards(spec: str) -> bool:
    """Whether a spec is a pattern or a folder. What has no mark and no folder costs no look at the disk."""
    if any(mark in spec for mark in "*?["):
        from tertium.io.shards import names_shards

        return any(names_shards(path) for path in _readings(spec))
    return any(isdir(path) for reading in _readings(spec) for path in (reading, reading.rpartition(":")[0]))  # noqa: PTH112


def _readings(spec: str) -> list[str]:
    """`NAME=FILE` may be a name and a file, or all of it a file."""
    return [spec, *spec.split("=", 1)[1:]]


@dataclass(frozen=True, kw_only=True)
class Bootstrap:
    """Whether there are intervals, and how they are drawn."""

    confidence: bool = option("--confidence", is_flag=True, help="Percentile bootstrap intervals.")
    method: str = option("--interval", type=click.Choice(["percentile", "bca"]), default="percentile",
                         show_default=True, help="The middle of the resamples, or bias-corrected and accelerated.",
                         )  # fmt: skip
    confidence_level: float | None = option("--confidence-level", type=SHARE,
                                            help="How much the intervals cover; implies --confidence. "
                                            f"[default: {CONFIDENCE:g}]")  # fmt: skip
    unit: Unit = option("--unit", type=click.Choice(UNITS), default="segment", show_default=True,  # noqa: RUF009
                        help="What is drawn for intervals: segments, or whole documents.")  # fmt: skip
    trials: int = option("--trials", type=click.IntRange(1), default=RESAMPLES, show_default=True,
                         help="Bootstrap resamples.")  # fmt: skip
    seed: int = option("--seed", type=click.IntRange(0), default=SEED, show_default=True,
                       help="Seed of the resamples.")  # fmt: skip

    @property
    def covered(self) -> float | None:
        """What intervals cover; None where there are none."""
        if self.method != "percentile" and self.confidence_level is None and not self.confidence:
            raise OptionError(f"--interval {self.method}: there are no intervals; add --confidence")
        return self.confidence_level or (CONFIDENCE if self.confidence else None)


@dataclass(frozen=True, kw_only=True)
class House:
    """What a house asks of translations; each turns a detector on."""

    glossary: str | None = option("--glossary", metavar="FILE",
                                  help="Terms and their translations: CSV, TSV or TBX; detector term.")  # fmt: skip
    forbidden: str | None = option("--forbidden", metavar="FILE",
                                   help="Words that must not occur, one on a line; detector forbidden.")  # fmt: skip
    max_length: tuple[str, ...] = option("--max-length", multiple=True, metavar="LIMIT",
                                         help="Characters (80), or a share of the source's (130%); repeat for both; "
                                         "detector length.")  # fmt: skip


house_options = parameters(House, "house")
