"""What resampling draws: the kernel against numpy's generator and dense products."""

import numpy as np
import pytest

from tertium import _kernel

SEEDS = [0, 1, 12345]


def stream(seed: int, count: int) -> np.ndarray:
    """Random numbers of 32 bits in the order in which numpy takes them."""
    raw = np.random.PCG64(seed).random_raw(-(-count // 2))
    return raw.astype("<u8").view("<u4").astype(np.uint32)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("trials", "n"), [(1, 2), (3, 7), (50, 64), (9, 65), (40, 50_001), (2, 3)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_draws_are_numpys(seed: int, trials: int, n: int, kind: type) -> None:
    """With n = 50,001 about one draw in 200,000 is refused: some of these two million are."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(trials, n))
    expected = np.stack([np.bincount(row, minlength=n) for row in drawn])
    counts = np.zeros((trials, n), dtype=kind)
    used, done = _kernel.count_draws(stream(seed, counts.size + 5_000), counts, 0)
    assert done == counts.size
    assert used >= done
    assert np.array_equal(counts, expected)


def test_refused_numbers_count_nothing() -> None:
    """The lower half of 0 * 3 is 0, and 2^32 % 3 is 1: so 0 is refused, and 2^31 is not."""
    counts = np.zeros((1, 3))
    bits = np.array([0, 1 << 31, 0, 0, 1 << 31], dtype=np.uint32)
    assert _kernel.count_draws(bits, counts, 0) == (5, 2)
    assert counts.tolist() == [[0.0, 2.0, 0.0]]
    assert _kernel.count_draws(bits[:2], counts, 2) == (2, 3)
    assert counts.tolist() == [[0.0, 3.0, 0.0]]


def test_draws_go_on_where_numbers_ended() -> None:
    whole, parts = np.zeros((4, 10)), np.zeros((4, 10))
    bits, done = stream(3, 40), 0
    assert _kernel.count_draws(bits, whole, 0)[1] == 40
    for first in range(0, 40, 7):
        _, done = _kernel.count_draws(bits[first : first + 7], parts, done)
    assert np.array_equal(parts, whole)


@pytest.mark.parametrize("held", [2, 4])
@pytest.mark.parametrize(
    ("trials", "n", "width"),
    [(1, 1, 1), (3, 31, 33), (64, 32, 1), (300, 33, 17), (257, 100, 65), (5, 70, 0), (0, 9, 2)],
)
def test_coins_times_rows(trials: int, n: int, width: int, held: int) -> None:
    rng = np.random.default_rng(trials)
    rows = rng.integers(-9, 10, (n, width)).astype(float)
    rows[: n // 2] *= rng.random(width) < 0.5  # blocks of rows without anything
    coins = rng.integers(0, 2**64, -(-trials * n // 64), dtype=np.uint64)
    bits = np.unpackbits(coins.astype("<u8").view(np.uint8), bitorder="little", count=trials * n)
    sums = np.full((width, trials), 7.0)
    _kernel.weigh_coins(coins, rows, held, sums)
    assert np.array_equal(sums, (bits.reshape(trials, n).astype(float) @ rows).T)


@pytest.mark.parametrize(("held", "most"), [(2, 2**15 - 1), (4, 2**31 - 1)])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_sums_are_held(held: int, most: int, sign: int) -> None:
    rows = np.array([[most - 5.0], [5.0]]) * sign
    sums = np.zeros((1, 1))
    _kernel.weigh_coins(np.array([3], dtype=np.uint64), rows, held, sums)
    assert sums[0, 0] == sign * most


def test_shapes_are_checked() -> None:
    rows, coins = np.ones((40, 2)), np.zeros(2, dtype=np.uint64)
    with pytest.raises(ValueError, match="a coin for each row and trial"):
        _kernel.weigh_coins(coins, rows, 2, np.zeros((2, 4)))  # 160 coins
    with pytest.raises(ValueError, match="sums for each column"):
        _kernel.weigh_coins(coins, rows, 2, np.zeros((3, 3)))
    with pytest.raises(ValueError, match="2 or 4 bytes"):
        _kernel.weigh_coins(coins, rows, 8, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="columns"):
        _kernel.count_draws(np.zeros(1, dtype=np.uint32), np.zeros((1, 0)), 0)
