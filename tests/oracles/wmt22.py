"""Metrics against people on WMT22 to English: six language pairs, 90,870 judged outputs, published z-scores.

Three figures, as means over the language pairs or over all pairs of systems: Kendall's tau-b of all judged outputs;
the share of pairs of outputs of one segment that a metric orders as people do (identical outputs left out, ties of the
metric half right); the same of systems, by the mean over their judged outputs.
"""

import csv
import gzip
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.testset import References, TestSet

from .files import ORACLES

PAIRS = ("cs-en", "de-en", "ja-en", "liv-en", "ru-en", "uk-en")
TEXTS = ORACLES.parent / "data" / "wmt22"


class Figures(NamedTuple):
    tau: float
    accuracy: float
    systems: float


@dataclass(frozen=True)
class Judged:
    """What people said of the outputs of a language pair, and the pairs that are compared."""

    pair: str
    references: Lines
    outputs: dict[str, Lines]
    system: np.ndarray  # (n,) its name
    segment: np.ndarray  # (n,) line of the texts
    z: np.ndarray  # (n,)
    one: np.ndarray  # (p,) places of two outputs of a segment
    other: np.ndarray

    def values(self, metric: Metric) -> np.ndarray:
        """What a metric says of every judged output; higher is better. # (n,)"""
        testset = TestSet(
            segments=len(self.references), references=References((self.references,), len(self.references))
        )
        prepared = metric.prepare(testset)
        found = np.empty(len(self.z))
        for name, outputs in self.outputs.items():
            rows = metric.stats(outputs, prepared).segments()
            scores = np.asarray(getattr(metric, "segment_score", metric.score)(rows))
            mine = self.system == name
            found[mine] = scores[self.segment[mine]]
        return found if metric.better == "higher" else -found


def _lines(path: str) -> Lines:
    return Lines.from_bytes(gzip.decompress((TEXTS / path).read_bytes()), path)


@cache
def _rows() -> list[dict[str, str]]:
    with gzip.open(ORACLES / "meta" / "wmt22-toen-segments.tsv.gz", "rt") as file:
        return [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["human_z"]]


@cache
def judged(pair: str) -> Judged:
    here = [row for row in _rows() if row["lp"] == pair]
    names = sorted({row["system"] for row in here})
    outputs = {name: _lines(f"{pair}/systems/{name}.gz") for name in names}
    segments: dict[int, list[int]] = {}
    for k, row in enumerate(here):
        segments.setdefault(int(row["line"]) - 1, []).append(k)
    compared = [
        (i, j)
        for segment, places in segments.items()
        for i, j in combinations(places, 2)
        if outputs[here[i]["system"]][segment] != outputs[here[j]["system"]][segment]
        and here[i]["human_z"] != here[j]["human_z"]
    ]
    one, other = np.array(compared).T
    return Judged(
        pair=pair,
        references=_lines(f"{pair}/ref.{'B' if pair == 'cs-en' else 'A'}.gz"),
        outputs=outputs,
        system=np.array([row["system"] for row in here]),
        segment=np.array([int(row["line"]) - 1 for row in here]),
        z=np.array([float(row["human_z"]) for row in here]),
        one=one,
        other=other,
    )


def ordered_as_people_do(z: np.ndarray, values: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """1 where a pair is in people's order, a half where the metric sees no difference. # (p,)"""
    wanted, found = np.sign(z[one] - z[other]), np.sign(values[one] - values[other])
    return np.where(found == 0, 0.5, wanted == found)


def system_pairs(data: Judged, values: np.ndarray) -> list[bool]:
    """Whether each pair of systems is in people's order, by means over judged outputs."""
    mean = {name: (values[mine].mean(), data.z[mine].mean()) for name in data.outputs for mine in [data.system == name]}
    return [(mean[a][0] - mean[b][0]) * (mean[a][1] - mean[b][1]) > 0 for a, b in combinations(data.outputs, 2)]


def figures(values: dict[str, np.ndarray]) -> Figures:
    """Of a metric's values by language pair."""
    found = {pair: judged(pair) for pair in PAIRS}
    return Figures(
        tau=float(np.mean([kendalltau(d.z, values[p]).statistic for p, d in found.items()])),
        accuracy=float(
            np.mean([ordered_as_people_do(d.z, values[p], d.one, d.other).mean() for p, d in found.items()])
        ),
        systems=float(np.mean([right for p, d in found.items() for right in system_pairs(d, values[p])])),
    )
