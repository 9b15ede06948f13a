"""Where things are kept that can be made again."""

import sys
from pathlib import Path

import pytest

from tertium.io.cache import cache_folder, models_folder


def test_a_place_that_the_user_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "tertium"


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    assert models_folder() is None


@pytest.mark.parametrize(
    ("platform", "place"),
    [("linux", ".cache/tertium"), ("darwin", "Library/Caches/tertium"), ("win32", "AppData/Local/tertium/cache")],
)
def test_places(platform: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / place
