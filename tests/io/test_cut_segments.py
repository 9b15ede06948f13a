"""Which segments were cut is part of statistics, wherever they go."""

from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, TertiumError
from tertium.io import stats as files
from tertium.io.archive import array_bytes
from tertium.io.stats import load_stats, save_stats

STATS = tt.Stats(("a", "b"), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], cut=(0, 2))


@pytest.mark.parametrize("name", ["a.npz", "a.parquet"])
def test_files_have_it(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    save_stats(STATS, tmp_path / name)
    assert load_stats(tmp_path / name).cut == (0, 2)
    save_stats(STATS.take(np.array([1])), tmp_path / name)
    assert load_stats(tmp_path / name).cut == ()


def test_sums_have_it(tmp_path: Path) -> None:
    both = tt.Stats.concat([STATS.summed(), STATS.summed()])
    assert both.cut == (0, 2, 3, 5)
    save_stats(both, tmp_path / "sums.npz")
    assert load_stats(tmp_path / "sums.npz").cut == (0, 2, 3, 5)


@pytest.mark.parametrize("cut", [[3], [-1], [2, 0], [1, 1]])
def test_what_makes_no_sense_is_refused(cut: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    spoilt = {"cut.npy": array_bytes(np.array(cut), "<i8")}
    original = files.stats_members
    monkeypatch.setattr(files, "stats_members", lambda stats: original(stats) | spoilt)
    save_stats(STATS, path)
    with pytest.raises(InputError, match="segments are said to be cut that are not among 3 in order"):
        load_stats(path)


def test_rows_that_are_not_there_cannot_be_cut() -> None:
    with pytest.raises(TertiumError) as refused:
        tt.Stats(("a",), [[1.0], [2.0]], cut=(1, 2))
    assert str(refused.value) == "statistics: 2 rows, but rows 1 to 2 are cut"
