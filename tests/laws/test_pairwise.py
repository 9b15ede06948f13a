"""Every output against every reference, however it is worked out."""

import math
import random
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

import tertium as tt
from tertium.analysis import pairwise as engine
from tertium.core.metric import Metric, Prepared

from .texts import random_text
from .variants import CLASSES

NAMES = [name for name, cls in CLASSES.items() if "references" in cls.needs]
every_metric = pytest.mark.parametrize("name", NAMES)
SOURCE = "Die Quelle."

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")


def bits(matrix: np.ndarray) -> tuple[tuple[int, ...], bytes]:
    return matrix.shape, np.where(np.isnan(matrix), np.nan, matrix).tobytes()  # one NaN is as good as another


class Plain:
    """A metric without what it offers beyond the protocol."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    def __getattr__(self, name: str) -> Any:
        if name == "pairwise":
            raise AttributeError(name)
        return getattr(self.metric, name)


@every_metric
def test_the_kernels_way_equals_pair_by_pair(name: str) -> None:
    rng = random.Random(name)
    metric = tt.parse(name)
    for _ in range(3):
        outputs, references = (
            [None if rng.random() < 0.1 else random_text(rng) for _ in range(rng.randint(1, 12))] for _ in range(2)
        )
        whole = tt.pairwise(outputs, references, metric, source=SOURCE)
        plain: Any = Plain(metric)
        assert bits(whole) == bits(tt.pairwise(outputs, references, plain, source=SOURCE))


@every_metric
def test_blocks_and_threads_equal_the_whole(name: str) -> None:
    rng = random.Random(name)
    outputs, references = ([random_text(rng) for _ in range(9)] for _ in range(2))
    whole = tt.pairwise(outputs, references, name, source=SOURCE, run=tt.Run(threads=1))
    plain: Any = Plain(tt.parse(name))
    for texts, size, pairs, cells in [(1, 50, 1, 1), (2, 40, 4, 7), (4, 1, 3, 30), (100, 100, 100, 9)]:
        with (
            patch.object(engine, "TEXTS", texts),
            patch.object(engine, "BYTES", size),
            patch.object(engine, "PAIRS", pairs),
            patch.object(engine, "CELLS", cells),
        ):
            for metric, threads in [(name, 1), (name, 3), (plain, 2)]:
                assert bits(
                    tt.pairwise(outputs, references, metric, source=SOURCE, run=tt.Run(threads=threads))
                ) == bits(whole)


@every_metric
def test_a_side_against_itself(name: str) -> None:
    rng = random.Random(name)
    texts = [random_text(rng) for _ in range(8)]
    lines = tt.Lines.of(texts)
    itself = tt.pairwise(lines, lines, name, source=SOURCE)
    assert bits(itself) == bits(tt.pairwise(texts, texts, name, source=SOURCE))


@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf(words=2)", "ter", "wer", "cer", "per", "wil"])
def test_the_kernels_way_is_offered(name: str) -> None:
    assert hasattr(tt.parse(name), "pairwise")


def test_shapes() -> None:
    for n, m in [(0, 0), (0, 2), (2, 0), (3, 1)]:
        assert tt.pairwise(["a"] * n, ["a"] * m).shape == (n, m)
    assert tt.pairwise(["a b", "a c"], ["a b", "x y", None], "wer").tolist()[0][:2] == [0.0, 100.0]
    assert math.isnan(tt.pairwise(["a b"], [None], "wer")[0, 0])


def test_what_is_refused() -> None:
    with pytest.raises(tt.TertiumError, match=r"^outputs: a single string; pass a list of strings"):
        tt.pairwise("a", ["b"])
    with pytest.raises(tt.TertiumError, match=r"^unknown metric 'blue'; did you mean 'bleu'\?"):
        tt.pairwise(["a"], ["b"], "blue")


class Total(NamedTuple):
    """How many bytes all references have."""

    size: int

    def merge(self, other: "Total") -> "Total":
        return Total(self.size + other.size)


class Share:
    """Output bytes per byte of all references and of the source: a metric that knows more than its pair."""

    name, title, better, range = "share", "share", "higher", (0.0, float("inf"))
    needs, resampling, decimals = frozenset({"references", "source"}), "percentile", 1

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        total = Total(int(testset.references.streams[0].lengths().sum()))
        return Prepared(references=testset.references, shared=total)

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:  # noqa: ARG002
        total = np.full(len(outputs), float(prepared.shared.size))
        return tt.Stats(("output", "total"), np.stack([outputs.lengths() * 1.0, total], axis=1))

    def score(self, sums: Any) -> Any:
        return sums[..., 0] / sums[..., 1]


def test_what_a_metric_knows_of_all_references() -> None:
    """It is what it knows of the references given, each of them once, in any blocks."""
    outputs, references = ["a", "bcd"], ["ab", "c", "defgh"]
    metric: Any = Share()
    expected = [[1 / 8] * 3, [3 / 8] * 3]
    assert tt.pairwise(outputs, references, metric, source="s").tolist() == expected
    with patch.object(engine, "TEXTS", 2), patch.object(engine, "PAIRS", 1):
        assert tt.pairwise(outputs, references, metric, source="s").tolist() == expected
    with pytest.raises(
        tt.TertiumError, match=r"^share needs the source, and there is none \(source=\.\.\., --src FILE\)$"
    ):
        tt.pairwise(outputs, references, metric)
