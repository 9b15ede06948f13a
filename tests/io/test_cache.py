"""What takes long to make is made once, and nobody misses what cannot be kept."""

import sys
from pathlib import Path

import pytest

from tertium.io.cache import cache_folder, kept


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tertium"


def never() -> str:
    raise AssertionError("made again")


def test_made_once(folder: Path) -> None:
    assert kept("a.js", lambda: "é\r\n") == "é\r\n"
    assert kept("a.js", never) == "é\r\n"
    assert [path.name for path in folder.iterdir()] == ["a.js"]
    (folder / "a.js").unlink()
    assert kept("a.js", lambda: "y") == "y"


def test_what_cannot_be_read_is_made_again(folder: Path) -> None:
    folder.mkdir()
    (folder / "a.js").write_bytes(b"\xff\xfe")
    assert kept("a.js", lambda: "x") == "x"
    assert (folder / "a.js").read_bytes() == b"x"


def test_what_cannot_be_kept_is_made(folder: Path) -> None:
    folder.write_text("a file where the folder would be")
    assert kept("a.js", lambda: "x") == kept("a.js", lambda: "x") == "x"


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    assert kept("a.js", lambda: "x") == "x"


@pytest.mark.parametrize(
    ("platform", "place"),
    [("linux", ".cache/tertium"), ("darwin", "Library/Caches/tertium"), ("win32", "AppData/Local/tertium/cache")],
)
def test_places(platform: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / place
