"""COMET on every kind of encoder that unbabel-comet knows, beside what that says itself; and hyper-parameters by which
something else would have to be computed, which are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tertium.core.errors import InputError

from .tiny import AROUND, values, write_comet

pytestmark = pytest.mark.neural

# unbabel-comet 2.2.7 with torch 2.13.0 and transformers 4.57.6 on a processor, batch_size=6:
# load_from_checkpoint(FOLDER + "/checkpoints/model.ckpt", local_files_only=True).predict(...) of the networks and texts
# of tiny.py, with and without layer_norm. Its MiniLM takes the tokenizer of a folder `xlm-roberta-base`: a copy of
# ours; BERT's was read as RemBERT's, which puts the same tokens around texts, as ours has no normaliser.
EXPECTED = {
    ("XLM-RoBERTa", "regression_metric", "sparsemax"):
        [-0.227110267, -0.223434865, -0.222497016, -0.221547455, -0.225573778, -0.221682221],
    ("XLM-RoBERTa", "regression_metric", "softmax"):
        [-0.333996594, -0.31164515, -0.315882355, -0.304072678, -0.307980627, -0.310580283],
    ("XLM-RoBERTa", "unified_metric", "sparsemax"):
        [0.060308207, 0.05948646, 0.059783936, 0.059603024, 0.060492873, 0.0592282],
    ("XLM-RoBERTa", "unified_metric", "softmax"):
        [0.134183392, 0.130961642, 0.130949304, 0.132899225, 0.130976543, 0.133103684],
    ("XLM-RoBERTa", "ranking_metric", "sparsemax"):
        [0.999992013, 0.91053164, 0.927374303, 0.891180396, 0.93648237, 0.95568794],
    ("BERT", "regression_metric", "sparsemax"):
        [-0.217279792, -0.215701312, -0.213368922, -0.218216985, -0.214245558, -0.214339152],
    ("BERT", "regression_metric", "softmax"):
        [-0.207676187, -0.197746068, -0.188750565, -0.2066883, -0.1934053, -0.195317626],
    ("BERT", "unified_metric", "sparsemax"):
        [-0.059220612, -0.057279747, -0.058702838, -0.056159329, -0.059888076, -0.059496909],
    ("BERT", "unified_metric", "softmax"):
        [-0.060889643, -0.061478853, -0.058004308, -0.065353036, -0.061016399, -0.058812361],
    ("BERT", "ranking_metric", "sparsemax"):
        [0.999992013, 0.970068038, 0.918787003, 0.971902251, 0.943983555, 0.952141345],
    ("MiniLM", "regression_metric", "sparsemax"):
        [-0.225974396, -0.222802609, -0.220383555, -0.225998342, -0.223561674, -0.218691438],
    ("MiniLM", "regression_metric", "softmax"):
        [-0.330789745, -0.324666142, -0.329420984, -0.326265156, -0.327214926, -0.327922106],
    ("MiniLM", "unified_metric", "sparsemax"):
        [0.053405602, 0.052420795, 0.054506075, 0.053403448, 0.055156022, 0.05096535],
    ("MiniLM", "unified_metric", "softmax"):
        [0.140135333, 0.138679132, 0.144174069, 0.141136572, 0.143145025, 0.13979511],
    ("MiniLM", "ranking_metric", "sparsemax"):
        [0.999992013, 0.934932411, 0.924332201, 0.95267868, 0.931748986, 0.970741689],
    ("RemBERT", "regression_metric", "sparsemax"):
        [-0.228607684, -0.22758837, -0.227646366, -0.229039311, -0.223833829, -0.226482391],
    ("RemBERT", "regression_metric", "softmax"):
        [-0.314220309, -0.307864606, -0.308597237, -0.318072289, -0.286966532, -0.312193066],
    ("RemBERT", "unified_metric", "sparsemax"):
        [-0.002379537, -0.003213644, -0.001956165, -0.0030529, -0.003305078, -0.00213475],
    ("RemBERT", "unified_metric", "softmax"):
        [-0.080491684, -0.082930855, -0.079470009, -0.082335986, -0.081966929, -0.07963571],
    ("RemBERT", "ranking_metric", "sparsemax"):
        [0.999992013, 0.988860428, 0.980689168, 0.974559307, 0.973984241, 0.981074512],
}  # fmt: skip


@pytest.mark.parametrize(("encoder", "kind", "mix"), EXPECTED)
def test_every_encoder_scores_as_unbabel_comet_does(encoder: str, kind: str, mix: str, tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", kind, encoder=encoder, layer_norm=mix == "softmax", layer_transformation=mix)
    assert values(f'comet(model="{model}")') == pytest.approx(EXPECTED[encoder, kind, mix], abs=1e-6)


def rewrite(model: Path, torch: Any, *gone: str, **settings: Any) -> None:
    """Other hyper-parameters in a checkpoint."""
    path = model / "checkpoints" / "model.ckpt"
    found = torch.load(path, weights_only=True)
    kept = {name: value for name, value in found["hyper_parameters"].items() if name not in gone}
    torch.save({**found, "hyper_parameters": {**kept, **settings}}, path)


def refusal(model: Path) -> str:
    """What is said of a model, behind its name."""
    with pytest.raises(InputError) as refused:
        values(f'comet(model="{model}")')
    name, _, told = str(refused.value).partition(": ")
    assert name.startswith("m@")
    return told


def test_an_older_checkpoint_does_not_say_all(tmp_path: Path, torch: Any) -> None:
    """Those of the first releases name neither the layer norm nor the transformation: then it is as EXPECTED's
    `softmax`, whose layers are normalised. A unified one's is sparsemax."""
    said = ("layer_norm", "layer_transformation", "pool", "layer", "activations", "encoder_model")
    model = write_comet(tmp_path / "m")
    rewrite(model, torch, *said)
    expected = EXPECTED["XLM-RoBERTa", "regression_metric", "softmax"]
    assert values(f'comet(model="{model}")') == pytest.approx(expected, abs=1e-6)
    unified = write_comet(tmp_path / "u", "unified_metric", layer_norm=True)
    full = values(f'comet(model="{unified}")')
    rewrite(unified, torch, *said, "sent_layer", "input_segments")
    assert values(f'comet(model="{unified}")') == full


@pytest.mark.parametrize("encoder", ["DeBERTa", "LASER", ""])
def test_an_encoder_that_is_not_known(encoder: str, tmp_path: Path, torch: Any) -> None:
    model = write_comet(tmp_path / "m")
    rewrite(model, torch, encoder_model=encoder)
    assert refusal(model) == (
        f"encoder_model {encoder!r} is not known; known: XLM-RoBERTa, XLM-RoBERTa-XL, BERT, MiniLM, RemBERT"
    )


@pytest.mark.parametrize("encoder", [*AROUND, "XLM-RoBERTa-XL"])
def test_the_config_of_another_kind_of_encoder(encoder: str, tmp_path: Path, torch: Any) -> None:
    model = write_comet(tmp_path / "m")
    rewrite(model, torch, encoder_model=encoder)
    path = model / "encoder" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "model_type": "electra"}))
    assert refusal(model) == (
        f"its encoder_model is {encoder}, but the config.json of its encoder says 'electra'; is it the folder of "
        f"another encoder?"
    )


@pytest.mark.parametrize("kind", ["regression_metric", "referenceless_regression_metric", "ranking_metric"])
@pytest.mark.parametrize("pool", ["default", "mean", None])
def test_a_pooling_that_is_not_computed(kind: str, pool: str | None, tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", kind, pool=pool)
    inputs = ', inputs="source"' if "referenceless" in kind else ""
    with pytest.raises(InputError) as refused:
        values(f'comet(model="{model}"{inputs})')
    assert str(refused.value).partition(": ")[2] == f"pool {pool!r} is not computed here; known: avg, max, cls"


def test_segments_that_are_not_computed(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", "unified_metric", input_segments=["mt", "ref", "src"])
    assert refusal(model) == (
        "input_segments ['mt', 'ref', 'src'] are not computed here; known: ['mt', 'src'] or ['mt', 'ref'] or "
        "['mt', 'src', 'ref']"
    )


def test_a_model_of_references_alone_reads_no_source(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", "unified_metric", input_segments=["mt", "ref"])
    whole = write_comet(tmp_path / "w", "unified_metric")
    with pytest.raises(InputError, match=r"reads 'references' beside the output, not 'source\+references'"):
        values(f'comet(model="{model}")')
    found = values(f'comet(model="{model}", inputs="references")')
    assert found == values(f'comet(model="{whole}", inputs="references")')


def test_labels_that_mean_something_else(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", "xcomet_metric", error_labels=["minor", "major"])
    assert refusal(model) == (
        "error_labels ['minor', 'major'] are not computed here; known: ['minor', 'major', 'critical']"
    )


@pytest.mark.parametrize("word", ["enable_context", "use_context"])
def test_context_is_not_computed(word: str, tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", **{word: True})
    assert refusal(model) == f"{word} is not computed here: segments are scored without those before them"
    assert values(f'comet(model="{write_comet(tmp_path / "n", **{word: False})}")')


@pytest.mark.parametrize(("name", "layer"), [("layer", -1), ("layer", 3), ("layer", "2"), ("layer", None)])
def test_a_layer_is_one_of_the_network(name: str, layer: Any, tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", **{name: layer})
    assert refusal(model) == f"layer {layer!r} is not one of its 3"


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_a_layer_of_joint_inputs(layer: int, tmp_path: Path, torch: Any) -> None:
    """One layer alone is what a mix that takes no other gives."""
    one = write_comet(tmp_path / "one", "unified_metric", sent_layer=layer)
    mixed = write_comet(tmp_path / "mix", "unified_metric", layer_norm=False)
    path = mixed / "checkpoints" / "model.ckpt"
    found = torch.load(path, weights_only=True)
    for k in range(3):
        found["state_dict"][f"layerwise_attention.scalar_parameters.{k}"] = torch.tensor([100.0 * (k == layer)])
    found["state_dict"]["layerwise_attention.gamma"] = torch.tensor([1.0])
    torch.save(found, path)
    assert values(f'comet(model="{one}")') == pytest.approx(values(f'comet(model="{mixed}")'), abs=1e-6)


def test_activations_of_the_network_above(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", activations="Mish")
    assert refusal(model) == "the activation 'Mish' is not known; known: gelu, gelu_new, relu, sigmoid, tanh"
    model = write_comet(tmp_path / "n", final_activation="Softplus")
    with pytest.raises(InputError, match="the activation 'Softplus' is not known"):
        values(f'comet(model="{model}")')
