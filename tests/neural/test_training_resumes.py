"""A training that is killed without warning, wherever that happens, ends with the same bytes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tertium.training.curve import Training
from tertium.training.layout import load_training

from .examples import environment
from .tiny import write_encoder

pytestmark = pytest.mark.neural

# A program that trains and kills itself at one point: no bet on who is faster.
PROGRAM = """
import os, signal, sys
from dataclasses import replace

import tertium as tt
import tertium.training.comet as comet
from tests.neural.examples import QUICK, make_examples

encoder, out, point = sys.argv[1:]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def tell(stage, done, total):
    if f"{stage}, {done}" == point:
        die()

def after(function, times):
    left = [times]
    def call(*given):
        function(*given)
        left[0] -= 1
        if not left[0]:
            die()
    return call

if point == "after a checkpoint":
    comet.save_checkpoint = after(comet.save_checkpoint, 2)
if point == "before the first state":
    comet.prepare_folder = after(comet.prepare_folder, 1)
if point == "before the result":
    comet.save_training = die
if point == "after the result":
    comet.save_training = after(comet.save_training, 1)
if point == "while a state is written":
    def half(*given):
        from tertium.io.files import write_atomically
        with write_atomically(given[1]) as file:
            file.write(b"half")
            die()
    save = comet.save_archive
    written = []
    def save_archive(value, path):
        written.append(path)
        (half if len(written) == 4 else save)(value, path)
    comet.save_archive = save_archive

comet.train("comet", make_examples(120, 1), make_examples(60, 2), encoder, out, settings=replace(QUICK, pretrain=60),
            resume=True, save_every=5, run=tt.Run(progress=tell))
"""

POINTS = [
    "before the first state",
    "epoch 1 of 4, 0",
    "epoch 2 of 4, 3",
    "epoch 3 of 4, 7",
    "while a state is written",
    "after a checkpoint",
    "before the result",
    "after the result",
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoders") / "tiny-bert")


def run(encoder: Path, out: Path, point: str = "") -> int:
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(encoder), str(out), point],
        check=False,
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert found.returncode in (0, -9), found.stderr
    return found.returncode


def result(out: Path) -> tuple[Training, dict[str, bytes]]:
    training = load_training(out)
    assert training is not None
    return training, {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def whole(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole") / "model"
    assert run(encoder, out) == 0
    training, files = result(out)
    assert len(training.curve) == 5
    assert training.curve[-1].steps > 3 * 5  # states are written within epochs, too
    return files


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_training_ends_the_same(point: str, encoder: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    assert run(encoder, tmp_path / "model", point) == -9
    assert run(encoder, tmp_path / "model") == 0
    assert result(tmp_path / "model")[1] == whole
