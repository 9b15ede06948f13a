"""Converted models score as the originals do: bit for bit where nothing is rounded, and nearly so in half the room.

Largest difference over all segments of the oracle checkpoints, whose weights are random, with float16 and bfloat16:
COMET 4.3e-4 and 8.8e-3, BLEURT 3.8e-4 and 3.4e-3; of MetricX, whose scores go up to 25, 0.19 and 0.95.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles.files import ORACLES, needs_oracles, read_jsonl

from tertium.core.errors import InputError
from tertium.io.models import find_model
from tertium.learned import conversion
from tertium.learned.conversion import convert

from .test_oracles import VARIANTS, comet, count, expected
from .tiny import values, write_bleurt, write_comet, write_encoder, write_metricx

pytestmark = pytest.mark.neural


def rows(metric: str) -> Any:
    stats, _ = count(metric, read_jsonl("comet/triplets.jsonl"))
    return stats.segments()[:, 0]


@needs_oracles
@pytest.mark.parametrize(("model", "variant"), VARIANTS)
def test_comet(model: str, variant: str, tmp_path: Path) -> None:
    told = expected("comet")["models"][model]
    original = comet(model, variant)
    for precision in ("float32", "float16", "bfloat16"):
        folder = tmp_path / precision
        convert(find_model(f"{ORACLES}/comet/{model}"), str(folder), f"{ORACLES}/comet/{told['encoder']}", precision)
        inputs = original.partition(", inputs=")[2]
        found = rows(f'comet(model="{folder}", inputs={inputs}')
        if precision == "float32":
            assert (found == rows(original)).all()
        else:
            assert np.abs(found - rows(original)).max() < (1e-3 if precision == "float16" else 1e-2)


@needs_oracles
@pytest.mark.parametrize("kind", ["wordpiece", "sentencepiece"])
def test_bleurt(kind: str, tmp_path: Path) -> None:
    original = f"{ORACLES}/bleurt/{kind}"
    for precision in ("float32", "float16"):
        convert(find_model(original), str(tmp_path / precision), None, precision)
        difference = rows(f'bleurt(model="{tmp_path / precision}")') - rows(f'bleurt(model="{original}")')
        assert np.abs(difference).max() < 1e-3
        assert precision == "float16" or not difference.any()


@needs_oracles
@pytest.mark.parametrize("model", ["m23-ref", "m23-qe", "m24-hybrid", "m24-hybrid-bf16"])
def test_metricx(model: str, tmp_path: Path) -> None:
    """The tokenizer goes along. Scores go up to 25, and the oracle's networks were stretched to reach beyond, which
    stretches roundings as well: its own bfloat16 differs by up to 0.95."""
    form = {"m23-ref": "23-ref", "m23-qe": "23-qe"}.get(model, "24-ref")
    original, tokenizer = f"{ORACLES}/metricx/{model}", f"{ORACLES}/metricx/tokenizer"
    before = rows(f'metricx(model="{original}", tokenizer="{tokenizer}", format="{form}")')
    for precision in ("float32", "float16"):
        convert(find_model(original), str(tmp_path / precision), tokenizer, precision)
        difference = rows(f'metricx(model="{tmp_path / precision}", format="{form}")') - before
        assert np.abs(difference).max() < 0.3
        assert precision == "float16" or not difference.any()


MODELS = {"comet": write_comet, "bleurt": write_bleurt, "metricx": write_metricx, "bertscore": write_encoder}


@pytest.mark.parametrize("metric", MODELS)
def test_every_metric_reads_what_was_converted(metric: str, tmp_path: Path) -> None:
    original = MODELS[metric](tmp_path / "original")
    before = values(f'{metric}(model="{original}")')
    done = convert(find_model(str(original)), str(tmp_path / "exact"), precision="float32")
    assert done.metric == metric
    for path in sorted(original.rglob("*"), reverse=True):  # it loads by itself
        path.rmdir() if path.is_dir() else path.unlink()
    assert values(f'{metric}(model="{tmp_path / "exact"}")') == before
    convert(find_model(str(tmp_path / "exact")), str(tmp_path / "half"))
    assert values(f'{metric}(model="{tmp_path / "half"}")') == pytest.approx(before, abs=0.05)
    assert not [*tmp_path.rglob("*.ckpt"), *tmp_path.rglob("*.bin")]


def test_matrices_take_half_the_room_and_vectors_stay(tmp_path: Path, torch: Any) -> None:
    from safetensors.torch import load_file

    model = write_comet(tmp_path / "m")
    before = torch.load(model / "checkpoints" / "model.ckpt", weights_only=True)["state_dict"]
    convert(find_model(str(model)), str(tmp_path / "half"))
    after = load_file(tmp_path / "half" / "model.safetensors")
    assert set(after) == set(before)
    for name, tensor in after.items():
        assert tensor.dtype == (torch.float16 if tensor.dim() > 1 else torch.float32), name
        assert torch.equal(tensor, before[name].to(tensor.dtype)), name


def test_large_models_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write_comet(tmp_path / "m")
    before = values(f'comet(model="{model}")')
    monkeypatch.setattr(conversion, "SHARD", 4000)
    convert(find_model(str(model)), str(tmp_path / "parts"), precision="float32")
    files = sorted((tmp_path / "parts").glob("model-*.safetensors"))
    assert len(files) > 3
    assert values(f'comet(model="{tmp_path / "parts"}")') == before
    files[1].unlink()
    with pytest.raises(InputError, match=rf"{files[1].name} is missing, of {len(files)} files"):
        values(f'comet(model="{tmp_path / "parts"}")')


def test_where_it_came_from_is_kept(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    (model / "README.md").write_text("---\nlicense: cc-by-nc-sa-4.0\n---\n# A model\n")
    first = find_model(str(model))
    convert(first, str(tmp_path / "one"))
    convert(find_model(str(tmp_path / "one")), str(tmp_path / "two"), precision="bfloat16")
    for folder, precision in (("one", "float16"), ("two", "bfloat16")):
        said = json.loads((tmp_path / folder / "tertium.json").read_text())
        assert said["origin"] == {"name": "m", "sha256": first.digest}
        assert (said["precision"], said["metric"], said["kind"]) == (precision, "comet", "regression_metric")
        assert (tmp_path / folder / "README.md").read_text() == (model / "README.md").read_text()


def refusal(*given: Any, **more: Any) -> str:
    with pytest.raises(InputError) as refused:
        convert(*given, **more)
    return str(refused.value)


def test_nothing_is_overwritten_and_nothing_half_done_stays(tmp_path: Path, torch: Any) -> None:
    model = find_model(str(write_comet(tmp_path / "m")))
    (tmp_path / "out").mkdir()
    assert refusal(model, str(tmp_path / "out")) == (
        f"{tmp_path / 'out'} is there already; name a folder that is not, or remove it"
    )
    assert refusal(model, str(tmp_path / "no" / "out")) == f"{tmp_path / 'no'}: no such folder"
    path = tmp_path / "m" / "checkpoints" / "model.ckpt"
    found = torch.load(path, weights_only=True)
    found["state_dict"]["estimator.ff.0.weight"][0, 0] = 1e6
    torch.save(found, path)
    model = find_model(str(tmp_path / "m"))
    assert refusal(model, str(tmp_path / "half")) == (
        f"{model.text}: estimator.ff.0.weight has numbers that float16 cannot hold; choose --precision bfloat16 or "
        f"float32"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "out"]
    convert(model, str(tmp_path / "half"), precision="bfloat16")


def test_a_full_disk(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    model = find_model(str(write_comet(tmp_path / "m")))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))  # no file may be longer
    try:
        told = refusal(model, str(tmp_path / "out"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert told.startswith(f"{tmp_path / 'out'}: cannot be written (")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m")
    (model / "encoder" / "tokenizer.json").unlink()
    assert refusal(find_model(str(model)), str(tmp_path / "out")) == (
        f"{model}: neither the config.json nor the tokenizer of its encoder tiny-xlmr lies in it; get these small "
        f"files and name their folder (--encoder DIR)"
    )
    other = write_bleurt(tmp_path / "b")
    (other / "tokenizer.json").unlink()
    assert refusal(find_model(str(other)), str(tmp_path / "out")) == (
        f"{other}: no tokenizer; expected one of tokenizer.json, sentencepiece.bpe.model, spiece.model, vocab.txt, "
        f"spm.model; name its folder (--encoder DIR)"
    )
    assert not (tmp_path / "out").exists()


def test_a_converted_folder_that_was_changed(tmp_path: Path) -> None:
    convert(find_model(str(write_comet(tmp_path / "m"))), str(tmp_path / "out"))
    path = tmp_path / "out" / "tertium.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "kind": "unite"}))
    with pytest.raises(InputError, match="says no kind or no hyper_parameters; convert the model again"):
        values(f'comet(model="{tmp_path / "out"}")')
    convert(find_model(str(write_bleurt(tmp_path / "b"))), str(tmp_path / "bleurt"))
    with pytest.raises(InputError) as refused:
        values(f'comet(model="{tmp_path / "bleurt"}")')
    assert str(refused.value) == (
        f"{tmp_path / 'bleurt'}: a converted model of another metric; this is a BLEURT model: "
        f'bleurt(model="{tmp_path / "bleurt"}")'
    )
