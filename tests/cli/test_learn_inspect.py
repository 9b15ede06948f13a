"""`tertium learn inspect` without torch: safetensors say what is in them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

import pytest

from tertium.core.errors import InputError
from tertium.learned.inspection import inspect

SHAPES = {
    "embeddings.word_embeddings.weight": [30522, 4],
    "embeddings.position_embeddings.weight": [64, 4],
    "encoder.layer.0.attention.self.query.weight": [4, 4],
    "encoder.layer.0.output.dense.bias": [4],
    "encoder.layer.1.attention.self.query.weight": [4, 4],
}


def write_model(folder: Path, kind: str = "bert") -> Path:
    """A folder as transformers write it, its weights all 0 and in half precision."""
    folder.mkdir()
    header, end = {}, 0
    for name, shape in SHAPES.items():
        size = 2
        for side in shape:
            size *= side
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    told = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    (folder / "model.safetensors").write_bytes(len(told).to_bytes(8, "little") + told + bytes(end))
    config = {"model_type": kind, "vocab_size": 30522, "num_attention_heads": 2}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("[CLS]\n")
    return folder


def test_torch_is_not_needed(tmp_path: Path) -> None:
    model = write_model(tmp_path / "mini")
    code = f"import sys; from tertium.cli.main import main; main(['learn', 'inspect', {str(model)!r}, '--json'])"
    code += "; assert 'torch' not in sys.modules"
    told = json.loads(run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    assert told["parameters"] == 4 * 30522 + 4 * 64 + 16 + 4 + 16
    assert (told["layers"], told["width"], told["heads"], told["longest"]) == (2, 4, 2, 64)
    assert (told["precision"], told["languages"]) == ("float16", "1 (English BERT)")
    assert (told["kind"], told["write"]) == ("encoder, for BERTScore", [f'bertscore(model="{model}")'])
    assert (told["bounds"], told["better"]) == ("-1 to 1", "higher")


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        inspect(str(path))
    return str(refused.value)


def test_what_is_no_model(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == f"{tmp_path / 'none'}: no such folder"
    (tmp_path / "file").write_text("x")
    assert refusal(tmp_path / "file") == (
        f"{tmp_path / 'file'} is a file; name the folder that holds the model (for COMET, the one with hparams.yaml)"
    )
    assert refusal(tmp_path) == (
        f"{tmp_path}: no model that is known here; it has neither hparams.yaml nor config.json. Known: COMET, BLEURT, "
        f"MetricX, encoders"
    )
    model = write_model(tmp_path / "gpt", "gpt2")
    assert refusal(model) == (
        f"{model}: no model that is known here; its config.json says 'gpt2'. Known: COMET, BLEURT, MetricX, encoders"
    )
    (tmp_path / "tf").mkdir()
    (tmp_path / "tf" / "bleurt_config.json").write_text("{}")
    assert refusal(tmp_path / "tf") == (
        f"{tmp_path / 'tf'}: BLEURT in TensorFlow's layout, which is not read; how to convert it is in "
        f"docs/howto/comet.md"
    )


@pytest.mark.parametrize("kept", [4, 100, -1])
def test_half_a_file(kept: int, tmp_path: Path) -> None:
    path = write_model(tmp_path / "mini") / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    assert refusal(tmp_path / "mini") == (
        f"{path}: cannot be read as weights; it has {path.stat().st_size:,} bytes: is the download complete?"
    )


def test_a_pointer_of_git_lfs(tmp_path: Path) -> None:
    path = write_model(tmp_path / "mini") / "model.safetensors"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    assert refusal(tmp_path / "mini") == (
        f"{path}: cannot be read as weights; it only says where the weights are (Git LFS): get the file itself "
        f"(git lfs pull)"
    )
    path.unlink()
    assert refusal(tmp_path / "mini") == (
        f"{tmp_path / 'mini'}: no weights; expected model.safetensors or pytorch_model.bin"
    )
