"""Files that cannot be read, or must not be, are refused with a sentence that helps."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tertium.core.errors import InputError

from .tiny import (
    config,
    encoder_weights,
    values,
    vocabulary_size,
    write_bleurt,
    write_comet,
    write_encoder,
    write_metricx,
)

pytestmark = pytest.mark.neural


def refusal(metric: str) -> str:
    with pytest.raises(InputError) as refused:
        values(metric)
    return str(refused.value)


class Evil:
    """A pickle that makes a folder when it is read as pickles usually are."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("old", [True, False])
def test_a_pickle_that_runs_code_is_not_read(tmp_path: Path, torch: Any, old: bool) -> None:
    model = write_comet(tmp_path / "m")
    path, trap = model / "checkpoints" / "model.ckpt", tmp_path / "trap"
    good = torch.load(path, weights_only=True)
    torch.save({**good, "loops": Evil(trap)}, path, _use_new_zipfile_serialization=not old)
    assert refusal(f'comet(model="{model}")') == (
        f"{path}: holds more than tensors and plain values, and reading it could run whatever it says; it was not "
        f"read. Get the weights from who made them, as safetensors if they have them"
    )
    assert not trap.exists()
    torch.load(path, weights_only=False)  # it is indeed a trap
    assert trap.exists()


def test_a_part_of_a_file(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    path = model / "checkpoints" / "model.ckpt"
    path.write_bytes(path.read_bytes()[:5000])
    assert refusal(f'comet(model="{model}")') == (
        f"{path}: cannot be read as weights; it has 5,000 bytes: is the download complete?"
    )
    path.unlink()
    assert refusal(f'comet(model="{model}")') == f"{path}: no such file"


def test_a_part_of_safetensors(tmp_path: Path) -> None:
    model = write_encoder(tmp_path / "m")
    path = model / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    told = refusal(f'bertscore(model="{model}")')
    assert told.startswith(f"{path}: cannot be read (")
    assert told.endswith(f"it has {path.stat().st_size:,} bytes: is the download complete?")


def test_a_pointer_of_git_lfs(tmp_path: Path) -> None:
    model = write_bleurt(tmp_path / "m")
    (model / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    assert refusal(f'bleurt(model="{model}")').endswith(
        "; it only says where the weights are (Git LFS): get the file itself (git lfs pull)"
    )


def test_a_missing_shard(tmp_path: Path) -> None:
    model = write_metricx(tmp_path / "m")
    (model / "pytorch_model.bin").rename(model / "one.bin")
    index = model / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "one.bin", "b": "two.bin"}}))
    assert refusal(f'metricx(model="{model}")') == f"{model}: two.bin is missing, of 2 files; is the download complete?"
    index.write_text(json.dumps({"weight_map": {"a": "../one.bin"}}))
    assert refusal(f'metricx(model="{model}")') == f"{index}: '../one.bin' is not a file of this folder"
    index.write_text("{")
    assert refusal(f'metricx(model="{model}")') == f"{index}: not JSON; is the download complete?"
    index.unlink()
    assert refusal(f'metricx(model="{model}")') == (
        f"{model}: no weights; expected model.safetensors or pytorch_model.bin"
    )


def test_no_encoder_beside_a_checkpoint(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    (model / "encoder").rename(tmp_path / "elsewhere")
    told = refusal(f'comet(model="{model}")')
    assert told.partition(" holds ")[2] == (
        "weights, but neither the config.json nor the tokenizer of its encoder tiny-xlmr; get these small files and "
        'name their folder: comet(model=..., encoder="DIR")'
    )
    assert values(f'comet(model="{model}", encoder="{tmp_path / "elsewhere"}")')
    (tmp_path / "elsewhere" / "tokenizer.json").unlink()
    assert refusal(f'comet(model="{model}", encoder="{tmp_path / "elsewhere"}")') == (
        f"{tmp_path / 'elsewhere'}: an encoder's folder has a config.json and a tokenizer (tokenizer.json, "
        f"sentencepiece.bpe.model, spiece.model, vocab.txt, spm.model)"
    )


@pytest.mark.parametrize(
    ("name", "value", "has"),
    [
        ("hidden_size", 32, "16"),
        ("num_hidden_layers", 1, "at least 2"),
        ("max_position_embeddings", 514, "40"),
        ("vocab_size", 9, "27"),
    ],
)
def test_the_folder_of_another_encoder(name: str, value: int, has: str, tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    path = model / "encoder" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: value}))
    assert refusal(f'comet(model="{model}")').partition(": ")[2] == (
        f"config.json says {name} {value}, but the weights have {has}; is it the folder of another encoder?"
    )


def test_more_layers_than_there_are(tmp_path: Path) -> None:
    model = write_encoder(tmp_path / "m", num_hidden_layers=5)
    assert refusal(f'bertscore(model="{model}")').partition(": ")[2] == (
        "there is no weight 'encoder.layer.4.attention.self.query.weight'; is it another kind of model, or part of one?"
    )


def test_a_tokenizer_of_another_encoder(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    path = model / "encoder" / "tokenizer.json"
    told = json.loads(path.read_text())
    told["model"]["vocab"]["more"] = 27
    path.write_text(json.dumps(told))
    assert refusal(f'comet(model="{model}")').startswith(f"{model / 'encoder'}: its tokenizer has 28 tokens, but m@")
    path.write_text("{}")
    assert refusal(f'comet(model="{model}")') == f"{path}: not a tokenizer.json; is the download complete?"


def test_kinds_that_are_not_known(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    (model / "hparams.yaml").write_text("class_identifier: unite_metric\n")
    assert refusal(f'comet(model="{model}")') == (
        f"{model}/hparams.yaml: class_identifier is 'unite_metric'; known: regression_metric, ranking_metric, "
        f"referenceless_regression_metric, unified_metric, xcomet_metric"
    )
    (model / "hparams.yaml").write_text("{")
    assert "class_identifier is None" in refusal(f'comet(model="{model}")')
    (model / "hparams.yaml").unlink()
    assert refusal(f'comet(model="{model}")') == (
        f"{model}: no hparams.yaml; a COMET model is a folder with hparams.yaml and checkpoints/model.ckpt"
    )


def test_inputs_that_a_checkpoint_cannot_read(tmp_path: Path) -> None:
    kiwi = write_comet(tmp_path / "kiwi", "unified_metric", qe=True)
    told = refusal(f'comet(model="{kiwi}")')
    assert told.partition(" (")[2] == (
        "unified_metric) reads 'source' beside the output, not 'source+references'; say so: "
        'comet(..., inputs="source")'
    )
    regression = write_comet(tmp_path / "da")
    assert "reads 'source+references' beside the output, not 'source'" in refusal(
        f'comet(model="{regression}", inputs="source")'
    )


def test_models_of_other_metrics(tmp_path: Path) -> None:
    encoder, mt5 = write_encoder(tmp_path / "bert"), write_metricx(tmp_path / "mt5")
    comet, bleurt = write_comet(tmp_path / "comet"), write_bleurt(tmp_path / "bleurt")
    names = {
        encoder: f'this is an encoder: bertscore(model="{encoder}")',
        mt5: f'this is a MetricX model: metricx(model="{mt5}")',
        comet: f'this is a COMET model: comet(model="{comet}")',
        bleurt: f'this is a BLEURT model: bleurt(model="{bleurt}")',
    }
    expected = {
        ("comet", encoder): "no hparams.yaml; a COMET model is a folder with hparams.yaml and checkpoints/model.ckpt",
        ("comet", mt5): "no hparams.yaml; a COMET model is a folder with hparams.yaml and checkpoints/model.ckpt",
        ("comet", bleurt): "no hparams.yaml; a COMET model is a folder with hparams.yaml and checkpoints/model.ckpt",
        ("bleurt", encoder): "has no classifier, as BLEURT has",
        ("bleurt", mt5): "has no classifier, as BLEURT has",
        ("bleurt", comet): "no config.json; a BLEURT model is a folder with config.json and weights",
        ("metricx", encoder): "MetricX is an mT5",
        ("metricx", bleurt): "MetricX is an mT5",
        ("metricx", comet): "no config.json; a MetricX model is a folder with config.json and weights",
        ("bertscore", mt5): "its config.json says no encoder that is known",
        ("bertscore", comet): "no config.json; an encoder is a folder with config.json, weights and a tokenizer",
    }
    for (metric, model), told in expected.items():
        assert refusal(f'{metric}(model="{model}")') == f"{model}: {told}; {names[model]}"
    (tmp_path / "tf").mkdir()
    (tmp_path / "tf" / "bleurt_config.json").write_text("{}")
    assert refusal(f'bleurt(model="{tmp_path / "tf"}")') == (
        f"{tmp_path / 'tf'}: TensorFlow's layout (bleurt_config.json, saved_model.pb) is not read; how to convert it "
        f"is in docs/howto/comet.md"
    )


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    model = write_bleurt(tmp_path / "m")
    (model / "tokenizer.json").unlink()
    assert refusal(f'bleurt(model="{model}")') == (
        f"{model}: no tokenizer; expected one of tokenizer.json, sentencepiece.bpe.model, spiece.model, vocab.txt, "
        f"spm.model"
    )
    for name in ("sentencepiece.bpe.model", "spiece.model", "spm.model"):
        (model / name).write_bytes(b"not one")
        assert refusal(f'bleurt(model="{model}")') == (
            f"{model / name}: not a SentencePiece model; is the download complete?"
        )
        (model / name).unlink()
    (model / "vocab.txt").write_text("[UNK]\nthe\n")
    assert refusal(f'bleurt(model="{model}")') == (
        f"{model / 'vocab.txt'}: has no [CLS] or no [SEP]; is it BERT's vocabulary?"
    )


def test_activations_that_are_not_known(tmp_path: Path) -> None:
    model = write_encoder(tmp_path / "m", hidden_act="swish2")
    assert refusal(f'bertscore(model="{model}")').partition(": ")[2] == (
        "the activation 'swish2' is not known; known: gelu, gelu_new, relu, sigmoid, tanh"
    )


def test_a_layer_that_is_not_there(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", layer=7)
    assert refusal(f'comet(model="{model}")').partition(": ")[2] == "layer 7 is not one of its 3"


def test_words_are_tagged_from_a_layer(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", "xcomet_metric", word_layer=24)
    assert refusal(f'comet(model="{model}")').partition(": ")[2] == (
        "its hyper-parameters name no layer of its own as word_layer"
    )


def test_a_tokenizer_without_special_tokens(tmp_path: Path) -> None:
    model = write_encoder(tmp_path / "m")
    told = json.loads((model / "tokenizer.json").read_text())
    (model / "tokenizer.json").write_text(json.dumps({**told, "post_processor": None}))
    assert refusal(f'bertscore(model="{model}")') == (
        f"{model}: its tokenizer puts nothing before or after a text; expected such as <s> and </s>"
    )


def test_a_list_is_no_checkpoint(tmp_path: Path, torch: Any) -> None:
    model = write_comet(tmp_path / "m")
    path = model / "checkpoints" / "model.ckpt"
    torch.save([torch.ones(1)], path)
    assert refusal(f'comet(model="{model}")') == f"{path}: holds a list, not named weights"
    torch.save({"state_dict": encoder_weights(3)}, path)
    assert refusal(f'comet(model="{model}")') == f"{path}: has no state_dict or no hyper_parameters; is it COMET's?"


def test_a_configuration_that_says_too_little(tmp_path: Path) -> None:
    model = write_encoder(tmp_path / "m")
    told = config("bert", vocabulary_size())
    del told["num_attention_heads"]
    (model / "config.json").write_text(json.dumps(told))
    assert refusal(f'bertscore(model="{model}")').partition(": ")[2] == (
        "its config.json says no num_attention_heads; is it an encoder's?"
    )
