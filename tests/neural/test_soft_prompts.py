"""Soft prompts: they begin as a text, lower the loss, and come back from their file bit for bit."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import tertium as tertium
from tests.cli.running import Command
from tests.neural.examples import one_thread
from tests.neural.folders import KINDS, write_folder

from tertium.core.errors import InputError, OptionError
from tertium.core.run import PLAIN
from tertium.models.language_model import Gap
from tertium.models.open import open_model
from tertium.prompt.soft import SoftSettings, SoftTraining, train_soft_prompt
from tertium.prompt.template import Demonstration, Template

pytestmark = pytest.mark.neural
alone = pytest.fixture(autouse=True, scope="module")(one_thread)
TEMPLATE = Template(text="der [X] the [Z]")
PAIRS = [("Katze", "cat"), ("Hund", "dog"), ("Matte", "mat"), ("Hund lag", "dog lay"), ("Katze saß", "cat sat")]
EXAMPLES = [Demonstration((source,), answer) for source, answer in PAIRS]
FEW = SoftSettings(length=4, rate=0.1, epochs=6, batch=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    pytest.importorskip("transformers")
    root, made = tmp_path_factory.mktemp("folders"), {}

    def get(kind: str) -> Path:
        if kind not in made:
            made[kind] = write_folder(root / kind, kind)
        return made[kind]

    return get


def train(folder: Path, settings: SoftSettings = FEW, examples: Any = EXAMPLES, **options: Any) -> SoftTraining:
    return train_soft_prompt(open_model(f"hf:{folder}"), TEMPLATE, examples, settings=settings, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_goes_down_and_the_file_gives_the_same_scores(folder: Any, kind: str, tmp_path: Path) -> None:
    import torch

    model = open_model(f"hf:{folder(kind)}")
    weights = {name: value.clone() for name, value in model.folder.network.state_dict().items()}  # type: ignore[attr-defined]
    found = train_soft_prompt(model, TEMPLATE, EXAMPLES, EXAMPLES, settings=FEW)
    assert found.curve[-1].train < found.curve[0].train
    assert found.curve[found.best].dev == min(epoch.dev for epoch in found.curve) < found.curve[0].dev
    now = model.folder.network.state_dict()  # type: ignore[attr-defined]
    assert all(torch.equal(value, now[name]) for name, value in weights.items())  # the model is as it was
    found.soft.write(tmp_path / "s.safetensors")
    again = open_model(f"hf:{folder(kind)}#soft={tmp_path / 's.safetensors'}")
    for source, answer in PAIRS:
        gap = Gap(f"der {source} the", f" {answer}")
        with torch.no_grad():
            expected = model.log_likelihood(gap, found.soft.vectors).tolist()  # type: ignore[attr-defined]
        [score] = again.force([(gap.before, gap.answer)], PLAIN)
        assert list(score.log_probabilities) == expected
        assert score != next(model.force([(gap.before, gap.answer)], PLAIN))
    assert again.identity != model.identity
    assert again.about.soft == 4  # type: ignore[attr-defined]


def test_it_begins_as_a_text(folder: Any) -> None:
    """Before training, virtual tokens are the text that they begin as: its ids before the prompt score the same."""
    import torch
    import transformers

    found = train(folder("gpt2"), SoftSettings(length=3, epochs=1), text="the big cat")
    begun = train(folder("gpt2"), SoftSettings(length=3, epochs=1, rate=1e-30), text="the big cat")
    network = transformers.AutoModelForCausalLM.from_pretrained(folder("gpt2")).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder("gpt2"))
    ids = tokenizer("the big cat der Hund the dog")["input_ids"]
    with torch.no_grad():
        expected = torch.log_softmax(network(torch.tensor([ids])).logits[0, -2], -1)[ids[-1]]
        model = open_model(f"hf:{folder('gpt2')}")
        score = model.log_likelihood(Gap("der Hund the", " dog"), begun.soft.vectors)  # type: ignore[attr-defined]
    assert score.tolist() == pytest.approx([float(expected)], abs=1e-5)
    assert found.soft.about["text"] == "the big cat"
    assert train(folder("gpt2"), SoftSettings(epochs=1)).soft.vectors.shape[0] == 2  # `der` and `the`
    assert train(folder("gpt2"), SoftSettings(epochs=1)).soft.about["text"].split() == ["der", "the"]


def test_a_soft_prompt_writes_and_leaves_nothing_else_changed(folder: Any, tmp_path: Path) -> None:
    from tertium.models.language_model import Decoding, Request

    for kind in ("gpt2", "t5"):
        train(folder(kind)).soft.write(tmp_path / f"{kind}.st")
        model = open_model(f"hf:{folder(kind)}#soft={tmp_path / f'{kind}.st'}")
        requests = [Request(prompt="der Hund the", decoding=Decoding(tokens=4, beam=beam)) for beam in (1, 3)]
        greedy, beam = model.complete(requests, PLAIN)
        assert greedy.log_probability is not None
        assert beam.log_probability is not None
        assert beam.log_probability >= greedy.log_probability
        assert greedy.text.strip()
        [score] = model.force([("der Hund the", greedy.text)], PLAIN)
        if greedy.answer_tokens == len(score.tokens):  # no end was written
            assert score.total == pytest.approx(greedy.log_probability, abs=1e-4)


def test_the_same_seed_gives_the_same_bytes(folder: Any, tmp_path: Path) -> None:
    import torch

    before = torch.get_num_threads()
    for name, threads, settings in (("a", 1, FEW), ("b", 2, FEW), ("c", 1, SoftSettings(**{**vars(FEW), "seed": 1}))):
        torch.set_num_threads(threads)
        torch.manual_seed(threads)
        train(folder("gpt2"), settings).soft.write(tmp_path / name)
    torch.set_num_threads(before)
    files = [(tmp_path / name).read_bytes() for name in "abc"]
    assert files[0] == files[1]
    assert files[0] != files[2]


def test_training_stops_where_dev_gets_no_better(folder: Any) -> None:
    """What is learnt is wrong on dev: sooner or later that gets worse."""
    learnt, held = ([Demonstration(("Katze",), answer)] for answer in ("cat", "dog"))
    found = train(folder("t5"), SoftSettings(rate=0.5, epochs=200, patience=2), learnt, dev=held)
    assert len(found.curve) - 1 - found.best == 2  # two epochs in vain
    assert found.curve[found.best].dev == min(epoch.dev for epoch in found.curve)


def test_what_cannot_be_trained(folder: Any, tmp_path: Path) -> None:
    one = EXAMPLES[:1]
    with pytest.raises(InputError, match=r"^1 example; at least 2 are needed, one to tell when to stop$"):
        train(folder("gpt2"), examples=one)
    with pytest.raises(InputError, match=r"^an example has no answer: 'Hund'; every example needs one$"):
        train(folder("gpt2"), examples=[*one, Demonstration(("Hund",), " ")])
    with pytest.raises(OptionError, match=r"^command:cat: soft prompts are for Hugging Face folders \(hf:PATH\)"):
        train_soft_prompt(open_model("command:cat"), TEMPLATE, EXAMPLES)
    with pytest.raises(OptionError, match=r"^the template has no words of its own for virtual tokens to begin as"):
        train_soft_prompt(open_model(f"hf:{folder('gpt2')}"), Template(text="[X] [Z]"), EXAMPLES)
    train(folder("gpt2"), SoftSettings(epochs=1)).soft.write(tmp_path / "s.st")
    with pytest.raises(OptionError, match=r"has a soft prompt already; name the folder alone$"):
        train(Path(f"{folder('gpt2')}#soft={tmp_path / 's.st'}"))
    for options, told in (
        ({"rate": 0.0}, "rate: 0.0; must be more than 0"),
        ({"batch": 0}, "batch: 0; must be at least 1"),
        ({"dev_share": 1.0}, "dev_share: 1.0; must lie between 0 and 1"),
    ):
        with pytest.raises(OptionError) as caught:
            SoftSettings(**options)  # type: ignore[arg-type]
        assert str(caught.value) == told


def test_a_soft_prompt_fits_one_model(folder: Any, tmp_path: Path) -> None:
    path = tmp_path / "s.st"
    found = train(folder("gpt2"), SoftSettings(epochs=1))
    found.soft.write(path)
    digests = {kind: open_model(f"hf:{folder(kind)}").folder.model.text for kind in ("gpt2", "bert")}  # type: ignore[attr-defined]
    with pytest.raises(OptionError) as caught:
        open_model(f"hf:{folder('bert')}#soft={path}")
    told = f"{path}: was trained for {digests['gpt2']}, and this is {digests['bert']}; train one for this model"
    assert str(caught.value) == told
    moved = shutil.copytree(folder("gpt2"), tmp_path / "elsewhere")
    assert open_model(f"hf:{moved}#soft={path}").name == "elsewhere#soft=s"  # the same content under another name
    whole = path.read_bytes()
    for data in (b"", b"{}", whole[:40], whole[:-8], (folder("gpt2") / "model.safetensors").read_bytes()):
        path.write_bytes(data)
        with pytest.raises(InputError) as bad:
            open_model(f"hf:{folder('gpt2')}#soft={path}")
        assert str(bad.value) == f"{path}: not a soft prompt; tertium prompt train writes them"
    found.soft.vectors[0, 0] = float("nan")
    found.soft.write(path)
    with pytest.raises(InputError, match=r"its vectors do not fit the model, or are not finite; train it again$"):
        open_model(f"hf:{folder('gpt2')}#soft={path}")


# The command


def test_the_command(tertium: Command, folder: Any, tmp_path: Path) -> None:
    table = "".join(f"{source}\t{answer}\n" for source, answer in PAIRS)
    (tmp_path / "few.tsv").write_text(f"source\treference\n{table}")
    path = tmp_path / "s.safetensors"
    words = ("--model", f"hf:{folder('gpt2')}", "--template", TEMPLATE.text, "--examples", str(tmp_path / "few.tsv"))
    run = ("prompt", "train", *words, "--epochs", "3", "--rate", "0.1", "-o", str(path))
    done = tertium(*run)
    assert done.status == 0, done.err
    assert done.out.splitlines()[0].split() == ["epoch", "train", "dev"]
    assert "loss on dev" in done.err
    first = path.read_bytes()
    told = tertium(*run, "-f", "json")
    assert [row["epoch"] for row in told.json] == [0, 1, 2, 3]
    assert path.read_bytes() == first
    used = ("--model", f"hf:{folder('gpt2')}#soft={path}", "--template", TEMPLATE.text, "--no-cache")
    answered = tertium("prompt", "answer", *used, "--answers", "cat,dog", "Hund")
    assert answered.status == 0, answered.err
    about = tertium("prompt", "models", f"hf:{folder('gpt2')}#soft={path}", "-f", "json")
    assert (about.json["soft"], about.json["stands"]["architecture"]) == (2, "left-to-right")
    shown = tertium("prompt", "models", f"hf:{folder('bert')}")
    assert "full: all tokens" in shown.out
    beam = tertium("prompt", "answer", *used, "--write", "--tokens", "3", "--beam", "3", "Hund", "-f", "json")
    greedy = tertium("prompt", "answer", *used, "--write", "--tokens", "3", "Hund", "-f", "json")
    assert beam.json[0]["log_probability"] >= greedy.json[0]["log_probability"]


def test_what_the_command_needs(tertium: Command, tmp_path: Path) -> None:
    out = ("-o", str(tmp_path / "s"))
    assert tertium("prompt", "train", *out).err == "tertium: no model: pass --model hf:FOLDER\n"
    assert tertium("prompt", "train", "--model", "hf:x", *out).err == "tertium: no examples: pass --examples FILE\n"
    assert not (tmp_path / "s").exists()
