"""The step that brings torch has what it promises."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.neural
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_torch_is_the_one_that_is_asked_for() -> None:
    torch = pytest.importorskip("torch")
    [pinned] = set(re.findall(r'"torch==([\d.]+)"', PYPROJECT.read_text()))  # extras that bring it ask for the same
    assert torch.__version__.partition("+")[0] == pinned
    assert (torch.tensor([[1.0, 2.0]]) @ torch.tensor([[3.0], [4.0]])).item() == 11.0


def test_weights_are_read_back(tmp_path: Path) -> None:
    torch, save = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    save.save_file({"w": torch.arange(6).reshape(2, 3)}, tmp_path / "w.safetensors")
    assert save.load_file(tmp_path / "w.safetensors")["w"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("package", ["tokenizers", "sentencepiece", "yaml"])
def test_what_else_it_brings(package: str) -> None:
    assert pytest.importorskip(package).__version__
