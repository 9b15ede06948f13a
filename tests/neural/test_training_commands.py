"""`tertium learn train` with networks."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.running import run

from .examples import make_examples, one_thread, write_examples
from .tiny import write_encoder

pytestmark = pytest.mark.neural
alone = pytest.fixture(autouse=True, scope="module")(one_thread)

FAST = ["--epochs", "2", "--batch", "400", "--learning-rate", "3e-3", "--encoder-learning-rate", "2e-3",
        "--hidden-sizes", "16,8", "--train-embeddings"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    write_encoder(folder / "encoder")
    for name, count, seed in (("train", 200, 1), ("dev", 60, 2)):
        write_examples(folder / f"{name}.csv", make_examples(count, seed))
    return folder


@pytest.fixture(autouse=True)
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")


def learn(recipe: str, out: str, *more: str) -> list[str]:
    return ["learn", "train", "--recipe", recipe, "--data", "train.csv", "--valid", "dev.csv", "-o", out, *more]


def test_from_a_table_to_a_score(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*learn("comet", "a", "--encoder", "encoder", *FAST, "--page", "a.html", "--pretrain", "50")) == 0
    out, err = capsys.readouterr()
    said = " ".join(out.split())
    assert said.startswith(
        "Recipe comet: 200 examples, before them 50 damaged references; judged by 60 examples; seed "
    )
    assert "epoch  stage        steps    loss  Kendall  Pearson\n0      start            0       –" in out
    assert out.endswith("The model is in a; score with it: -m 'comet(model=\"a\")'\n")
    assert err.startswith("tertium: a.html: ")
    told = json.loads((folder / "a" / "training.json").read_text())
    page = re.sub(r"</?dfn[^>]*>", "", (folder / "a.html").read_text(encoding="utf-8"))  # terms are explained in place
    best = f"Best epoch {told['best']}: Kendall {told['curve'][told['best']]['kendall']:.4f}, at the start "
    assert best in said
    assert best in page
    assert "Kendall tau-b with people" in page
    texts = {"s": "die Katze saß", "h": "the cat sat", "r": "the cat sat"}
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")
    assert run("score", "--src", "s", "--hyp", "h", "--ref", "r", "-m", 'comet(model="a")', "-f", "json") == 0
    assert isinstance(json.loads(capsys.readouterr().out)["scores"][0]["value"], float)


def test_without_references(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*learn("qe", "b", "--encoder", "encoder", *FAST)) == 0
    text = capsys.readouterr().out
    assert text.endswith('score with it: -m \'comet(model="b", inputs="source")\'\n')
    assert run(*learn("qe", "b", "--encoder", "encoder", *FAST, "--resume", "-f", "json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["out"], found["recipe"], found["settings"]["hidden_sizes"]) == ("b", "qe", [16, 8])
    assert f"{found['curve'][1]['kendall']:.4f}" in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "--recipe comet trains a network above an encoder: name its folder (--encoder DIR)"),
        (
            ["--encoder", "none"],
            "none: no such folder; an encoder is a folder with config.json, weights and a tokenizer",
        ),
        (
            ["--encoder", "encoder", "--hidden-sizes", "8,x"],
            "--hidden-sizes 8,x: must be whole numbers separated by commas, such as 3072,1024",
        ),
    ],
)
def test_what_is_refused(more: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*learn("comet", "c", *more)) == 2
    assert capsys.readouterr() == ("", f"tertium: {said}\n")


def test_validation_data_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("learn", "train", "--recipe", "qe", "--data", "train.csv", "--encoder", "encoder", "-o", "d") == 2
    assert capsys.readouterr().err == (
        "tertium: --recipe qe stops when the validation data say so: name them (--valid FILE)\n"
    )
