"""`tertium learn cache`."""

import re
from pathlib import Path

import pytest

from tertium.io.model_cache import FILE, ModelCache

from .running import Command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tertium" / "models"


def test_what_is_in_it(tertium: Command, folder: Path) -> None:
    assert tertium("learn", "cache").out == f"{folder / FILE}: 0 values, 0.0 MB of at most 2000.0 MB\n"
    assert not folder.exists()  # looking makes nothing
    with ModelCache(folder, pytest.fail) as cache:
        cache.keep({bytes([k]) * 32: bytes(30_000) for k in range(100)})
    run = tertium("learn", "cache")
    assert (run.status, run.err) == (0, "")
    said = re.fullmatch(r"(.*): 100 values, ([\d.]+) MB of at most 2000.0 MB\n", run.out)
    assert said is not None
    assert said[1] == str(folder / FILE)
    assert 3.0 <= float(said[2]) <= 3.6  # 3 MB of values, and what a database needs besides


def test_clearing_it(tertium: Command, folder: Path) -> None:
    with ModelCache(folder, pytest.fail) as cache:
        cache.keep({bytes(32): bytes(30_000)})
    assert tertium("learn", "cache", "--clear").out == f"{folder / FILE}: 0 values, 0.0 MB of at most 2000.0 MB\n"
    (folder / FILE).write_text("spoilt" * 1000)
    run = tertium("learn", "cache")
    assert run.status == 2
    assert run.err == (
        f"tertium: {folder / FILE}: is damaged (file is not a database; tertium learn cache --clear deletes it)\n"
    )
    assert tertium("learn", "cache", "--clear").status == 0


def test_no_home(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.cli.learn.cache.models_folder", lambda: None)
    run = tertium("learn", "cache")
    assert (run.status, run.err) == (
        2,
        "tertium: there is no home folder to keep a cache in; XDG_CACHE_HOME can name another place\n",
    )
