"""Training a network: what is saved is what was trained, what the settings say is done, and errors are sentences."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import CancelledError, TertiumError
from tertium.core.lines import Lines
from tertium.inference.correlations import tau_b
from tertium.io.examples import Examples
from tertium.training.comet import Trainer, make_trainer, train
from tertium.training.curve import Training
from tertium.training.layout import prepare_folder
from tertium.training.network import Network, score_ids, start_network
from tertium.training.settings import RECIPES, Settings

from .examples import QUICK, environment, make_examples, one_thread
from .tiny import BERT, XLMR, Random, encoder_weights, vocabulary_size, write_encoder, write_tokenizer

pytestmark = pytest.mark.neural
alone = pytest.fixture(autouse=True, scope="module")(one_thread)

DATA, VALID = make_examples(240, 1, "train"), make_examples(80, 2, "valid")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoders") / "tiny-bert")


@pytest.fixture(scope="module")
def trained(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Training:
    return train("comet", DATA, VALID, encoder, tmp_path_factory.mktemp("trained") / "model", settings=QUICK)


def reader_scores(folder: str, inputs: str, examples: Examples) -> np.ndarray[Any, np.dtype[np.float64]]:
    assert examples.references is not None
    references = tt.References((examples.references,), len(examples))
    testset = tt.TestSet(segments=len(examples), sources=examples.sources, references=references)
    system = tt.System(name="s", outputs=examples.outputs)
    found = tt.evaluate(testset, [system], f'comet(model="{folder}", inputs="{inputs}")')
    return np.array([score.value for score in found.scores(level="segment")])


def new_trainer(
    encoder: Path, recipe: str = "comet", settings: Settings = QUICK, data: Examples = DATA, valid: Examples = VALID
) -> Trainer:
    network = start_network(RECIPES[recipe], settings, encoder, "cpu")
    return make_trainer(RECIPES[recipe], settings, data, valid, network)


def checkpoint(training: Training) -> bytes:
    return (Path(training.out) / "checkpoints" / "model.ckpt").read_bytes()


# What comes out


def test_it_learns(trained: Training) -> None:
    start, best = trained.curve[0], trained.curve[trained.best]
    assert [point.number for point in trained.curve] == [0, 1, 2, 3]
    assert best.kendall > start.kendall + 0.3
    assert best.kendall == max(point.kendall for point in trained.curve[1:])


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("mix", ["sparsemax", "softmax"])
def test_the_reader_scores_as_the_training_did(recipe: str, mix: Any, encoder: Path, tmp_path: Path) -> None:
    settings = replace(QUICK, epochs=1, layer_transformation=mix)
    small = [replace(examples, scores=examples.scores / 100) for examples in (DATA, VALID)]
    trainer = new_trainer(encoder, recipe, settings, *small)
    prepare_folder(tmp_path, encoder, trainer.network.model.settings)
    trainer.run_all(tmp_path, {}, 100, tt.Run())
    ours, read = trainer.scores(tt.Run()), reader_scores(str(tmp_path), RECIPES[recipe].inputs, VALID)
    assert np.abs(ours - read).max() < min(1e-6, 1e-3 * read.std())  # another network would be a deviation away
    assert tau_b(read, VALID.scores).value == pytest.approx(trainer.curve[1].kendall, abs=1e-3)


def test_scores_are_on_the_scale_of_the_examples(trained: Training, encoder: Path) -> None:
    scores = reader_scores(trained.out, "source+references", DATA)
    assert abs(scores.mean() - DATA.scores.mean()) < 0.5 * DATA.scores.std()
    trainer = new_trainer(encoder)
    standard, scaled = (scored(trainer, *scale) for scale in ((0.0, 1.0), (50.0, 20.0)))
    assert np.abs(scaled - (50 + 20 * standard)).max() < 1e-4
    assert standard.std() > 0


def scored(trainer: Trainer, mean: float, deviation: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    import torch

    with torch.inference_mode():
        return score_ids(trainer.network.scoring(mean, deviation), trainer.data, range(8)).numpy()


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "rembert"])
def test_encoders(kind: str, tmp_path: Path) -> None:
    tensors, more = encoder_weights(vocabulary_size()), {}
    if kind == "rembert":
        drawn = Random(9)
        drawn.add("encoder.embedding_hidden_mapping_in", 16, 6)
        tensors, more = encoder_weights(vocabulary_size(), narrow=6) | drawn.tensors, {"input_embedding_size": 6}
    folder = write_encoder(
        tmp_path / "encoder", kind, {f"model.{name}": each for name, each in tensors.items()}, **more
    )
    found = train("comet", DATA, VALID, folder, tmp_path / "model", settings=replace(QUICK, epochs=1))
    scores = reader_scores(found.out, "source+references", VALID)
    assert tau_b(scores, VALID.scores).value == pytest.approx(found.curve[1].kendall, abs=1e-3)


@pytest.mark.parametrize(("kind", "tokens", "name"), [("bert", BERT, "BERT"), ("bert", XLMR, "MiniLM"),
                                                      ("xlm-roberta", XLMR, "XLM-RoBERTa")])  # fmt: skip
def test_the_names_that_unbabel_comet_has(kind: str, tokens: list[str], name: str, tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", kind)
    first, last = (tokens[0], tokens[2]) if tokens is XLMR else (tokens[2], tokens[3])
    write_tokenizer(folder, tokens, f"{first} $A {last}", f"{first} $A {last} $B {last}")
    assert new_trainer(folder).network.model.settings["encoder_model"] == name


def test_an_encoder_without_a_name_in_comet(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", "bleurt")
    with pytest.raises(TertiumError, match="a network above 'bleurt' has no name in COMET; known: bert, "):
        new_trainer(folder)


def test_the_training_pass_is_the_scoring_pass(encoder: Path) -> None:
    import torch

    trainer = new_trainer(encoder)
    with torch.no_grad():
        passed = trainer.network.forward(trainer.data, range(8), None).numpy()
    assert np.array_equal(passed, scored(trainer, 0.0, 1.0))


def test_the_layout_is_unbabel_comets(trained: Training) -> None:
    import torch
    import yaml

    root = Path(trained.out)
    made = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert made == {"hparams.yaml", "checkpoints/model.ckpt", "encoder/config.json", "encoder/tokenizer.json",
                    "training.json"}  # fmt: skip
    found = torch.load(root / "checkpoints" / "model.ckpt", weights_only=True)
    assert found["hyper_parameters"] == yaml.safe_load((root / "hparams.yaml").read_text())
    assert found["hyper_parameters"]["class_identifier"] == "regression_metric"
    inside = {f"encoder.model.{name}" for name in encoder_weights(vocabulary_size())}
    above = {name for name in found["state_dict"] if name not in inside}
    assert inside < set(found["state_dict"])
    assert above == {
        *(f"estimator.ff.{k}.{part}" for k in (0, 3, 6) for part in ("weight", "bias")),
        *(f"layerwise_attention.scalar_parameters.{k}" for k in range(3)),
        *(f"layerwise_attention.{name}" for name in ("gamma", "dropout_mask", "dropout_fill")),
    }
    said = json.loads((root / "training.json").read_text())
    assert [point["kendall"] for point in said["curve"]] == [point.kendall for point in trained.curve]
    assert said["curve"][0]["loss"] is None


# What settings do


def test_the_seed_decides(trained: Training, encoder: Path, tmp_path: Path) -> None:
    again = train("comet", DATA, VALID, encoder, tmp_path / "again", settings=QUICK)
    other = train("comet", DATA, VALID, encoder, tmp_path / "other", settings=replace(QUICK, seed=5))
    assert checkpoint(again) == checkpoint(trained)
    assert again.curve[1:] == trained.curve[1:]  # NaN is the loss of the first
    assert checkpoint(other) != checkpoint(trained)


def test_learning_rates_fall_from_layer_to_layer(encoder: Path) -> None:
    settings = replace(QUICK, encoder_learning_rate=0.5, layerwise_decay=0.1, learning_rate=0.25)
    network = start_network(RECIPES["comet"], settings, encoder, "cpu")
    names = {id(tensor): name for name, tensor in network.tensors.items()}
    rates = {names[id(tensor)]: group["lr"] for group in network.groups(settings) for tensor in group["params"]}
    assert rates["estimator.ff.0.weight"] == rates["layerwise_attention.gamma"] == 0.25
    assert rates["encoder.model.encoder.layer.1.output.dense.bias"] == pytest.approx(0.5)
    assert rates["encoder.model.encoder.layer.0.output.dense.bias"] == pytest.approx(0.05)
    assert rates["encoder.model.embeddings.LayerNorm.weight"] == pytest.approx(0.005)
    assert len(rates) == len(network.tensors)


@pytest.mark.parametrize(
    ("frozen", "embeddings", "changed"),
    [(9.0, False, set()), (0.0, True, {"encoder"}), (0.0, False, {"encoder", "embeddings"})],
)
def test_what_is_frozen_stays(
    frozen: float, embeddings: bool, changed: set[str], encoder: Path, tmp_path: Path
) -> None:
    import torch

    settings = replace(QUICK, epochs=1, frozen_epochs=frozen, keep_embeddings_frozen=embeddings)
    found = train("comet", DATA, VALID, encoder, tmp_path / "model", settings=settings)
    tensors = torch.load(Path(found.out) / "checkpoints" / "model.ckpt", weights_only=True)["state_dict"]
    before = encoder_weights(vocabulary_size())
    moved = {
        name.partition(".")[0]
        for name, each in before.items()
        if not torch.equal(each, tensors[f"encoder.model.{name}"])
    }
    assert moved == changed


def test_the_encoder_thaws_in_the_middle_of_an_epoch(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    thaw = Network.thaw
    monkeypatch.setattr(
        Network, "thaw", lambda self, warm, embeddings: (seen.append(warm), thaw(self, warm, embeddings))
    )
    train("comet", DATA, VALID, encoder, tmp_path / "model", settings=replace(QUICK, epochs=1, frozen_epochs=0.5))
    assert seen == [k >= len(seen) / 2 for k in range(len(seen))]
    assert set(seen) == {True, False}


def test_it_stops_when_it_gets_no_better(encoder: Path, tmp_path: Path) -> None:
    settings = replace(QUICK, epochs=9, patience=2, learning_rate=0.0, encoder_learning_rate=0.0)
    found = train("comet", DATA, VALID, encoder, tmp_path / "model", settings=settings)
    assert (len(found.curve), found.best, found.stopped) == (4, 1, True)


def test_pretraining_comes_first(encoder: Path, tmp_path: Path) -> None:
    settings = replace(QUICK, epochs=1, pretrain=300)
    found = train("comet", DATA, VALID, encoder, tmp_path / "model", settings=settings)
    assert [point.stage for point in found.curve] == ["start", "pretraining", "training"]
    assert (found.pairs, found.best) == (300, 2)
    assert found.curve[1].kendall > found.curve[0].kendall + 0.2  # damage was all that it saw


# Memory, disk, cancelling


def short_of_memory(most: int) -> Callable[..., Any]:
    forward = Network.forward

    def limited(self: Network, inputs: Any, numbers: Sequence[int], drop: Any) -> Any:
        if len(numbers) > most:
            raise RuntimeError(
                "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes"
            )
        return forward(self, inputs, numbers, drop)

    return limited


def test_a_step_without_memory_is_made_in_parts(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(QUICK, epochs=1, dropout=0.0)
    whole = train("comet", DATA, VALID, encoder, tmp_path / "whole", settings=settings)
    monkeypatch.setattr(Network, "forward", short_of_memory(3))
    parts = train("comet", DATA, VALID, encoder, tmp_path / "parts", settings=settings)
    assert parts.curve[1].loss == pytest.approx(whole.curve[1].loss, rel=1e-3)
    assert parts.curve[1].pearson == pytest.approx(whole.curve[1].pearson, abs=1e-2)


def test_not_even_one_fits(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Network, "forward", short_of_memory(0))
    with pytest.raises(TertiumError, match=r"^out of memory: not even one example can be learnt from at a time; "):
        train("comet", DATA, VALID, encoder, tmp_path / "model", settings=QUICK)


FULL = """
import resource, sys
from tertium.core.errors import InputError
from tertium.training.comet import train
from tests.neural.examples import QUICK, make_examples

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))  # as a disk that is nearly full
try:
    train("comet", make_examples(40, 1), make_examples(40, 2), sys.argv[1], sys.argv[2], settings=QUICK)
except InputError as error:
    print(error)
"""


def test_a_full_disk(encoder: Path, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", FULL, str(encoder), "model"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
    )
    assert found.stdout == "model/.training.state: cannot be written (File too large)\n"
    assert not list((tmp_path / "model").rglob("*state*"))


def test_a_cancelled_training_goes_on(trained: Training, encoder: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def tell(stage: str, done: int, _total: int) -> None:
        asked.append(f"{stage}, {done}")

    run = tt.Run(progress=tell, cancelled=lambda: asked[-1:] == ["epoch 2 of 3, 4"])
    with pytest.raises(CancelledError, match=r"cancelled while epoch 2 of 3 \(5 of "):
        train("comet", DATA, VALID, encoder, tmp_path / "model", settings=QUICK, run=run)
    told: list[str] = []
    run = tt.Run(progress=lambda stage, done, _total: told.append(f"{stage}, {done}"))
    found = train("comet", DATA, VALID, encoder, tmp_path / "model", settings=QUICK, run=run, resume=True)
    assert told[0] == "epoch 2 of 3, 5"
    assert checkpoint(found) == checkpoint(trained)
    assert found.curve[1:] == trained.curve[1:]


# What is refused


def refuse(encoder: Path, out: Path, data: Examples = DATA, valid: Examples = VALID, **more: Any) -> str:
    more = {"settings": QUICK, "recipe": "comet", **more}
    with pytest.raises(TertiumError) as error:
        train(data=data, valid=valid, encoder=encoder, out=out, **more)
    return str(error.value).replace(f"{out.parent}/", "")


def test_other_settings_do_not_go_on(trained: Training, encoder: Path) -> None:
    out = Path(trained.out)
    said = refuse(encoder, out, settings=replace(QUICK, epochs=4), resume=True)
    assert said == (
        "model: the training there was begun otherwise (epochs 3, now 4); go on with what it was begun with, or name "
        "another folder"
    )
    assert "(the training data are others)" in refuse(encoder, out, replace(DATA, scores=DATA.scores + 1), resume=True)
    assert "(the validation data are others)" in refuse(encoder, out, valid=DATA, resume=True)
    assert "(recipe comet, now qe)" in refuse(encoder, out, recipe="qe", resume=True)


def test_another_encoder_does_not_go_on(trained: Training, tmp_path: Path) -> None:
    other = write_encoder(tmp_path / "other", tensors=encoder_weights(vocabulary_size(), seed=8))
    assert "(the encoder is another)" in refuse(other, Path(trained.out), resume=True)


def test_a_finished_training_is_not_made_again(trained: Training, encoder: Path) -> None:
    before = checkpoint(trained)
    run = tt.Run(progress=lambda *_: pytest.fail("something is trained"))
    found = train("comet", DATA, VALID, encoder, trained.out, settings=QUICK, resume=True, run=run)
    assert found.curve[1:] == trained.curve[1:]
    assert checkpoint(found) == before
    said = refuse(encoder, Path(trained.out))
    assert said == "model: holds a training; go on with it (--resume), or name another folder"


def test_what_is_there_is_not_written_over(encoder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert refuse(encoder, tmp_path / "file") == "file: is a file; name a folder for the model"
    (tmp_path / "full" / "checkpoints").mkdir(parents=True)
    (tmp_path / "full" / "checkpoints" / "model.ckpt").write_text("mine")
    for resume in (False, True):
        said = refuse(encoder, tmp_path / "full", resume=resume)
        assert said == "full: is not empty, and holds no training; name another folder"


class Malicious:
    def __reduce__(self) -> Any:
        return os.mkdir, ("run",)


def test_a_state_runs_nothing(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / ".training.state").write_bytes(pickle.dumps(Malicious(), protocol=2))
    said = refuse(encoder, tmp_path / "model", resume=True)
    assert said.startswith("model/.training.state: holds more than tensors and plain values, and reading it could run ")
    assert not (tmp_path / "run").exists()


def test_a_state_of_something_else(encoder: Path, tmp_path: Path) -> None:
    import torch

    (tmp_path / "model").mkdir()
    torch.save({"a": 1}, tmp_path / "model" / ".training.state")
    said = refuse(encoder, tmp_path / "model", resume=True)
    assert said == "model/.training.state: is not the state of a training; delete the folder and begin anew"


def test_examples_that_cannot_be_learnt_from(encoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    same = replace(DATA, scores=np.ones(len(DATA)))
    assert refuse(encoder, out, same) == (
        "train: all 240 scores are the same; at least two examples with different scores are needed"
    )
    assert refuse(encoder, out, valid=replace(VALID, references=None)) == (
        "valid: has no column 'ref', which the recipe reads"
    )
    assert DATA.sources is not None
    gap = replace(DATA, sources=Lines.of([*list(DATA.sources)[:-1], None]))
    assert refuse(encoder, out, gap) == ("train, example 240: no text in the column 'src'; leave such examples out")
    assert refuse(encoder, out, replace(DATA, references=None), recipe="qe", settings=replace(QUICK, pretrain=9)) == (
        "train: has no column 'ref', and pre-training damages references; leave it out"
    )
    assert not out.exists()


def test_encoders_that_are_none(encoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    assert refuse(tmp_path / "none", out).startswith("none: no such folder; an encoder is a folder with config.json, ")
    (tmp_path / "empty").mkdir()
    assert refuse(tmp_path / "empty", out).startswith("empty: no config.json; an encoder is a folder with ")
    (tmp_path / "empty" / "config.json").write_bytes((encoder / "config.json").read_bytes())
    assert refuse(tmp_path / "empty", out).startswith("empty: no weights; expected model.safetensors or ")
    (tmp_path / "empty" / "model.safetensors").write_bytes((encoder / "model.safetensors").read_bytes())
    assert refuse(tmp_path / "empty", out).startswith("empty: no tokenizer; expected one of ")


@pytest.mark.parametrize("device", ["cuda:77", "gpu"])
def test_a_device_that_is_not_there(device: str, encoder: Path, tmp_path: Path) -> None:
    said = refuse(encoder, tmp_path / "model", run=tt.Run(device=device))
    assert said == f"device {device!r}: torch has none of that name here; cpu is always there"


def test_a_training_that_runs_away(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = Network.forward
    monkeypatch.setattr(Network, "forward", lambda *given: forward(*given) * float("inf"))
    said = refuse(encoder, tmp_path / "model")
    assert said == "after 0 steps the loss is no number any more; lower the learning rates"
