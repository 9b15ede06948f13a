"""COMET on BERT, MiniLM and RemBERT: small checkpoints whose scores are unbabel-comet's own.

The checkpoints are made here from seeds; unbabel-comet 2.2.7 (torch 2.13.0, transformers 4.57.6) has scored the same
files, each input alone: load_from_checkpoint(..., local_files_only=True), then predict_step of one sample.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import tertium as tt

from .tiny import BERT, BLOCKS, OUTPUTS, REFERENCES, SOURCES, WIDTH, XLMR, Random, config, encoder_weights
from .tiny import write_tokenizer as write_words

pytestmark = pytest.mark.neural

# Texts that spell special tokens are read as such, and do not move the border between the first text and the next.
ODD = {
    "src": ["die [SEP] Katze", ""],
    "mt": ["the [SEP] cat [SEP] sat", "[SEP]"],
    "ref": ["the cat [SEP]", "dog [PAD]"],
}
TEXTS = {"src": SOURCES + ODD["src"], "mt": OUTPUTS + ODD["mt"], "ref": REFERENCES + ODD["ref"]}
ENCODERS = {"BERT": "bert", "MiniLM": "bert", "RemBERT": "rembert"}
NARROW = 12  # RemBERT's embeddings have a width of their own

MIXED = {"layer_transformation": "softmax", "layer_norm": True}
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("regression_metric", "BERT", {**MIXED, "layer": "mix", "pool": "avg"}),
    "bert-max": ("regression_metric", "BERT", {"layer": 1, "pool": "max"}),
    "bert-qe": ("referenceless_regression_metric", "BERT", {"layer": "mix", "pool": "cls"}),
    "bert-unite": ("unified_metric", "BERT", {**MIXED, "sent_layer": "mix", "input_segments": ["mt", "src", "ref"]}),
    "bert-unite-layer": ("unified_metric", "BERT", {"sent_layer": 1, "input_segments": ["mt", "src", "ref"]}),
    "bert-kiwi": ("unified_metric", "BERT", {"sent_layer": "mix", "input_segments": ["mt", "src"]}),
    "minilm": ("regression_metric", "MiniLM", {"layer": "mix", "pool": "avg"}),
    "minilm-unite": ("unified_metric", "MiniLM", {"sent_layer": "mix", "input_segments": ["mt", "src", "ref"]}),
    "rembert": ("regression_metric", "RemBERT", {**MIXED, "layer": "mix", "pool": "avg"}),
    "rembert-unite": ("unified_metric", "RemBERT", {"sent_layer": "mix", "input_segments": ["mt", "src", "ref"]}),
}
EXPECTED: dict[str, list[float]] = json.loads((Path(__file__).parent / "other_encoders.json").read_text())


def write_checkpoint(folder: Path, kind: str, model: str, settings: dict[str, Any]) -> Path:
    import torch

    (folder / "checkpoints").mkdir(parents=True)
    size = write_tokenizer(folder / "encoder", model)
    wide = {"RemBERT": {"input_embedding_size": NARROW, "output_embedding_size": 20}}.get(model, {})
    told = config(ENCODERS[model], size, type_vocab_size=2, **wide)
    told["pad_token_id"] = 1 if model == "MiniLM" else 0
    (folder / "encoder" / "config.json").write_text(json.dumps(told))
    made = Random(2)
    sides = {"regression_metric": 6, "referenceless_regression_metric": 4}.get(kind, 1)
    for number, shape in {0: (12, sides * WIDTH), 3: (8, 12), 6: (1, 8)}.items():
        made.add(f"estimator.ff.{number}", *shape)
    made.tensors["estimator.ff.0.weight"] *= 20  # so that scores of different texts lie far apart
    if model == "RemBERT":
        made.add("encoder.model.encoder.embedding_hidden_mapping_in", WIDTH, NARROW)
    made.add("encoder.model.pooler.dense", WIDTH, WIDTH)
    tensors = made.tensors | encoder_weights(size, 3, "encoder.model.", NARROW if model == "RemBERT" else WIDTH)
    if "mix" in (settings.get("layer"), settings.get("sent_layer")):
        tensors |= {f"layerwise_attention.scalar_parameters.{k}": torch.tensor([0.3 * k]) for k in range(BLOCKS + 1)}
        tensors["layerwise_attention.gamma"] = torch.tensor([1.1])
    said = {"encoder_model": model, "pretrained_model": "encoder", "layer_transformation": "sparsemax"}
    said |= {"hidden_sizes": [12, 8], "activations": "Tanh", "layer_norm": False, "word_layer": 1, **settings}
    saved = {"state_dict": tensors, "hyper_parameters": said, "pytorch-lightning_version": "2.0.0"}
    torch.save(saved, folder / "checkpoints" / "model.ckpt")
    (folder / "hparams.yaml").write_text(f"class_identifier: {kind}\n")
    return folder


def write_tokenizer(folder: Path, model: str) -> int:
    """Words, with XLM-R's special tokens for MiniLM, as COMET has it, and BERT's for the others."""
    folder.mkdir()
    if model == "MiniLM":
        return write_words(folder, XLMR, "<s> $A </s>", "<s> $A </s> </s> $B </s>")
    return write_words(folder, BERT, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]")


@pytest.mark.parametrize("name", CASES)
def test_scores_are_those_of_unbabel_comet(tmp_path: Path, name: str) -> None:
    kind, model, settings = CASES[name]
    folder = write_checkpoint(tmp_path / "m", kind, model, settings)
    alone = kind.startswith("referenceless") or "ref" not in settings.get("input_segments", ["ref"])
    testset = tt.TestSet(
        name="odd",
        segments=len(TEXTS["mt"]),
        sources=tt.Lines.of(TEXTS["src"]),
        references=tt.References((tt.Lines.of(TEXTS["ref"]),), len(TEXTS["mt"])),
    )
    metric = f'comet(model="{folder}", inputs="{"source" if alone else "source+references"}")'
    found = tt.evaluate(testset, [tt.System(name="s", outputs=tt.Lines.of(TEXTS["mt"]))], metric)
    assert [score.value for score in found.scores("segment")] == pytest.approx(EXPECTED[name], abs=1e-6)


def test_the_encoders_differ() -> None:
    """A wrong rule would show: scores spread far beyond the tolerance."""
    assert min(max(values) - min(values) for values in EXPECTED.values()) > 0.005
