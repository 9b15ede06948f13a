"""Options that several commands have, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tertium.cli.parameters import option
from tertium.inference.seeds import ALPHA, CONFIDENCE, RESAMPLES, SEED
from tertium.inference.units import UNITS, Unit

if TYPE_CHECKING:
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


def read_against(paths: Sequence[str]) -> list[FrozenScores]:
    """The files of --against."""
    if not paths:
        return []
    from tertium.meta.frozen import read_frozen

    return [read_frozen(path) for path in paths]


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
        return self.confidence_level or (CONFIDENCE if self.confidence else None)
