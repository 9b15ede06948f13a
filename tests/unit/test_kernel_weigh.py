"""Sums of sparse rows under many weights: the kernel against a dense product."""

import numpy as np
import pytest

from tertium import _kernel


def sparse(rng: np.random.Generator, n: int, width: int, index: type, value: type) -> tuple[np.ndarray, ...]:
    sizes = rng.integers(0, 6, size=n) if width else np.zeros(n, dtype=int)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indices = rng.integers(0, max(1, width), size=starts[-1]).astype(index)  # columns come several times
    values = rng.integers(0, 9, size=starts[-1]).astype(value)
    dense = np.zeros((n, width))
    np.add.at(dense, (np.repeat(np.arange(n), sizes), indices), values)
    return starts, indices, values, dense


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.uint32, np.float64])
def test_weights_times_rows(index: type, value: type) -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        b, n, width = (int(k) for k in rng.integers(0, 9, size=3))
        starts, indices, values, dense = sparse(rng, n, width, index, value)
        weights = rng.integers(-2, 3, size=(b, n)).astype(float)
        sums = np.full((b, width), 1.0)
        _kernel.weigh_sparse(weights, starts, indices, values, sums)
        assert np.array_equal(sums, 1 + weights @ dense)


def test_large_counts_do_not_overflow() -> None:
    most = np.array([2**32 - 1] * 3, dtype=np.uint32)
    sums = np.zeros((1, 1))
    _kernel.weigh_sparse(np.ones((1, 1)), np.array([0, 3]), np.zeros(3, dtype=np.int32), most, sums)
    assert sums[0, 0] == 3 * (2**32 - 1)


GOOD = {"weights": np.ones((1, 2)), "starts": np.array([0, 1, 2]), "indices": np.array([0, 1], dtype=np.int32),
        "values": np.array([1.0, 2.0]), "sums": np.zeros((1, 2))}  # fmt: skip
LEAD = "sparse rows: starts must lead from 0 to the number of indices and values"
SHAPE = "weights must have a number for each row, and sums a row for each weight"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"starts": np.array([], dtype=np.int64)}, LEAD),
        ({"starts": np.array([1, 1, 2])}, LEAD),
        ({"starts": np.array([0, 1, 3])}, LEAD),
        ({"starts": np.array([0, -1, 2])}, "sparse rows: starts must not fall"),
        ({"starts": np.array([0, 3, 2])}, "sparse rows: starts must not fall"),
        ({"values": np.array([1.0])}, LEAD),
        ({"indices": np.array([0, 2], dtype=np.int32)}, "sparse rows: an index lies outside the columns"),
        ({"indices": np.array([0, -1], dtype=np.int32)}, "sparse rows: an index lies outside the columns"),
        ({"weights": np.ones((1, 3))}, SHAPE),
        ({"sums": np.zeros((2, 2))}, SHAPE),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, np.ndarray], sentence: str) -> None:
    _kernel.weigh_sparse(**GOOD)
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        _kernel.weigh_sparse(**{**GOOD, **change})
