"""The oracle files, and how far tertium's numbers are from theirs."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet

ORACLES = Path(__file__).parents[2].parent / "shared" / "oracles"

needs_oracles = pytest.mark.skipif(
    not ORACLES.is_dir(), reason=f"no oracle files: third-party texts are not part of this repository ({ORACLES})"
)

TOLERANCE = 1e-9

# The largest difference seen so far, by metric; the end of the run adds it to the JUnit file.
LARGEST: dict[str, float] = {}


def check_difference(metric: str, ours: float, theirs: float, where: object) -> None:
    """Record the difference and refuse one that is not rounding."""
    difference = abs(ours - theirs)
    LARGEST[metric] = max(LARGEST.get(metric, 0.0), difference)
    assert difference < TOLERANCE, f"{metric} {where}: {ours!r} against {theirs!r}, difference {difference:.3g}"


@cache
def read_lines(dataset: str, name: str) -> Lines:
    """One side of a dataset, such as ("snmt.de-en", "hyp.snmt")."""
    return Lines.from_bytes(gzip.decompress((ORACLES / "data" / dataset / f"{name}.gz").read_bytes()), name)


def read_jsonl(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ORACLES / path).read_text().splitlines()]


def read_tsv(path: str) -> tuple[list[str], list[list[str]]]:
    """Column names and rows."""
    header, *rows = gzip.decompress((ORACLES / path).read_bytes()).decode().splitlines()
    return header.split("\t"), [row.split("\t") for row in rows]


def stats_of(metric: Metric, dataset: str, system: str, references: str, n: int | None = None) -> Stats:
    """Rows of the first n segments; `references` is a letter for each."""
    outputs = read_lines(dataset, f"hyp.{system}")[:n]
    streams = tuple(read_lines(dataset, f"ref.{letter}")[:n] for letter in references)
    testset = TestSet(segments=len(outputs), references=References(streams, len(outputs)))
    return metric.stats(outputs, metric.prepare(testset))


def only_some(names: list[str], fast: int) -> list[Any]:
    """Parameters of which the first `fast` are always run, the others with `-m slow`."""
    return [name if k < fast else pytest.param(name, marks=pytest.mark.slow) for k, name in enumerate(names)]


def files_under(folder: str, pattern: str = "seg.*.tsv.gz") -> set[str]:
    """What is there, as dataset.system.references."""
    return {path.name[4 : -len(".tsv.gz")] for path in (ORACLES / folder).glob(pattern)}
