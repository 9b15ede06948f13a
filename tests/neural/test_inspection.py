"""What `tertium learn inspect` says of models of every kind, and `convert` of what it did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tertium.cli.main import main
from tertium.core.errors import InputError
from tertium.io.models import find_model
from tertium.learned.conversion import convert
from tertium.learned.inspection import inspect
from tertium.learned.pieces import mt5_steps

from .test_checkpoints import Evil
from .tiny import encoder_weights, values, write_bleurt, write_comet, write_encoder, write_metricx

pytestmark = pytest.mark.neural

KINDS = {
    "regression_metric": ("COMET, regression", ("source+references",)),
    "ranking_metric": ("COMET, ranking", ("source+references",)),
    "referenceless_regression_metric": ("COMET, referenceless regression", ("source",)),
    "unified_metric": ("COMET, unified (UniTE, COMETKiwi)", ("source+references", "source", "references")),
    "xcomet_metric": ("XCOMET", ("source+references", "source")),
}
PERSONAL = "many checkpoints of this kind are for non-commercial use alone (CC BY-NC-SA 4.0); see the model card"


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_comet(kind: str, tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", kind)
    found = inspect(str(model))
    assert (found.kind, found.inputs) == KINDS[kind]
    for text, inputs in zip(found.write, found.inputs, strict=True):
        assert values(text)
        assert ("inputs=" in text) == (inputs != "source+references")
    assert (found.layers, found.width, found.heads, found.vocabulary) == (2, 16, 2, 27)
    assert found.longest == (38 if kind in ("unified_metric", "xcomet_metric") else 36)
    assert found.licence == (PERSONAL if kind in ("xcomet_metric", "referenceless_regression_metric") else None)


def test_sizes_are_those_of_the_weights(tmp_path: Path, torch: Any) -> None:
    model = write_comet(tmp_path / "m")
    tensors = torch.load(model / "checkpoints" / "model.ckpt", weights_only=True)["state_dict"]
    found = inspect(str(model))
    assert found.parameters == sum(each.numel() for each in tensors.values())
    assert found.bytes == sum(path.stat().st_size for path in model.rglob("*") if path.is_file())
    assert (found.precision, found.encoder, found.metric) == ("float32", "xlm-roberta", "comet")


def test_what_is_missing_is_needed(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", made_later=3)
    (model / "encoder").rename(tmp_path / "elsewhere")
    found = inspect(str(model))
    assert found.needs == ("the config.json and the tokenizer of its encoder tiny-xlmr (--encoder DIR)",)
    assert found.write == (f'comet(model="{model}", encoder="DIR")',)
    assert (found.heads, found.layers, found.unknown) == (None, 2, ("made_later",))
    found = inspect(str(model), str(tmp_path / "elsewhere"))
    assert (found.needs, found.heads) == ((), 2)
    assert values(found.write[0])


@pytest.mark.parametrize(("write", "metric"), [(write_bleurt, "bleurt"), (write_encoder, "bertscore")])
def test_folders_of_transformers(write: Any, metric: str, tmp_path: Path) -> None:
    model = write(tmp_path / "m")
    found = inspect(str(model))
    assert (found.metric, found.write) == (metric, (f'{metric}(model="{model}")',))
    assert (found.layers, found.width, found.heads, found.vocabulary, found.longest) == (2, 16, 2, 28, 40)
    (model / "tokenizer.json").unlink()
    assert inspect(str(model)).needs == (
        "a tokenizer in its folder: tokenizer.json, sentencepiece.bpe.model, spiece.model, vocab.txt, spm.model",
    )


def test_an_encoder_that_is_known(tmp_path: Path) -> None:
    """Of multilingual BERT there is a list of languages: it is known by its vocabulary."""
    model = write_encoder(tmp_path / "m", tensors=encoder_weights(119547), vocab_size=119547)
    assert inspect(str(model)).languages == "102 (multilingual BERT)"
    assert inspect(str(write_encoder(tmp_path / "n"))).languages is None


def test_metricx(tmp_path: Path) -> None:
    model = write_metricx(tmp_path / "m")
    found = inspect(str(model))
    assert (found.metric, found.layers, found.heads, found.width, found.vocabulary) == ("metricx", 2, 2, 16, 26)
    assert len([text for text in found.write if values(text)]) == 4
    rules = json.loads((model / "tokenizer.json").read_text())
    later = mt5_steps(strip=True)
    rules["pre_tokenizer"] = later["pre_tokenizer"]
    rules["normalizer"] = {"type": "Sequence", "normalizers": later["normalizer"]}
    (model / "tokenizer.json").write_text(json.dumps(rules))
    assert inspect(str(model)).write[0] == f'metricx(model="{model}", tokenization="fast-4.57.6")'
    (model / "tokenizer.json").unlink()
    found = inspect(str(model))
    assert found.write[0] == f'metricx(model="{model}", tokenizer="DIR")'
    assert found.needs == ("mT5's tokenizer: spiece.model or tokenizer.json (--encoder DIR)",)


@pytest.mark.parametrize("work", [inspect, lambda path: convert(find_model(path), f"{path}.out")])
def test_a_pickle_that_runs_code_is_not_read(work: Any, tmp_path: Path, torch: Any) -> None:
    model, trap = write_comet(tmp_path / "m"), tmp_path / "trap"
    path = model / "checkpoints" / "model.ckpt"
    torch.save({**torch.load(path, weights_only=True), "loops": Evil(trap)}, path)
    with pytest.raises(InputError, match="holds more than tensors and plain values, and reading it could run"):
        work(str(model))
    assert not trap.exists()


def test_the_command_says_all_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # wide enough that nothing is wrapped
    model = write_comet(tmp_path / "m", "unified_metric", qe=True, made_later=3)
    (model / "README.md").write_text("---\nlicense: cc-by-nc-sa-4.0\n---\n# A model\n")
    name = find_model(str(model))
    main(["learn", "inspect", str(model), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["sha256"]) == (name.text, name.digest)
    assert (told["bounds"], told["better"]) == ("unbounded", "higher")
    assert (told["unknown"], told["hyper_parameters"]["made_later"]) == (["made_later"], 3)
    main(["learn", "inspect", str(model)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"model           {name.text}, COMET, unified (UniTE, COMETKiwi)"
    assert "scores          unbounded, higher is better" in lines
    assert "licence         cc-by-nc-sa-4.0 (non-commercial use alone; its model card says so)" in lines
    assert "not known here  made_later" in lines
    assert "reads           the output beside source" in lines
    assert 'inputs="source")' in lines[-1]


def test_convert_says_how_the_model_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that reads the source alone is not written as if it read references."""
    model, out = write_comet(tmp_path / "m", "unified_metric", qe=True), tmp_path / "out"
    main(["learn", "convert", str(model), str(out)])
    assert capsys.readouterr().out.splitlines()[1] == f'write comet(model="{out}", inputs="source")'


def test_convert_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = write_comet(tmp_path / "m"), tmp_path / "out"
    main(["learn", "convert", str(model), str(out)])
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{out}: {find_model(str(out)).text}, ")
    assert first.endswith(
        "; scores change a little (docs/howto/comet.md says how much); --precision float32 keeps them"
    )
    assert second == f'write comet(model="{out}")'
    assert inspect(str(out)).origin == find_model(str(model)).text
    with pytest.raises(SystemExit):
        main(["learn", "convert", str(model), str(out)])
    assert capsys.readouterr().err == (f"tertium: {out} is there already; name a folder that is not, or remove it\n")
    main(["learn", "convert", str(model), str(tmp_path / "exact"), "--precision", "float32"])
    assert capsys.readouterr().out.splitlines()[0].endswith("; scores stay what they are, bit for bit")
