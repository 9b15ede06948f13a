"""A model is known by name and content, not by where it lies."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.metric import ALIASES, REGISTRY, Prepared
from tertium.core.stats import Stats
from tertium.engines import door
from tertium.io.models import digest_of, find_model

LETTERS = sha256(b"aeiou").hexdigest()[:8]
SYSTEMS = [tt.System(name="s", outputs=tt.Lines.of(["banana", "kiwi"]))]
TESTSET = tt.TestSet(name="two", segments=2, sources=tt.Lines.of(["Banane", "Kiwi"]))


@pytest.fixture(autouse=True)
def letters() -> Iterator[None]:
    """A metric whose model is a file of letters: the share of an output's letters that are among them."""
    metrics, aliases = dict(REGISTRY), dict(ALIASES)

    @tt.metric
    class Letters:
        """The share of letters that a model knows."""

        name, title, better, range = "letters", "letters", "higher", (0.0, 1.0)
        needs, resampling, decimals = frozenset({"source", "model"}), "percentile", 2
        models = ("model",)
        model: str = ""
        doubled: bool = False

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:
            known = Path(run.model(self.model)).read_text()
            return Prepared(references=testset.references, shared=None, made={}, tokenizer=known)

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:
            assert Path(run.model(self.model)).read_text() == prepared.tokenizer
            counts = [[sum(c in prepared.tokenizer for c in text or ""), len(text or "")] for text in outputs]
            return Stats(("known", "letters"), np.array(counts, dtype=float))

        def score(self, sums: Any) -> Any:
            return np.asarray(sums)[..., 0] / np.asarray(sums)[..., 1]

    yield
    for now, before in ((REGISTRY, metrics), (ALIASES, aliases)):
        now.clear()
        now.update(before)


def model(folder: Path, content: str = "aeiou", name: str = "vowels.txt") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content)
    return folder / name


def test_a_path_becomes_name_and_content(tmp_path: Path) -> None:
    path = model(tmp_path / "private")
    evaluation = tt.evaluate(TESTSET, SYSTEMS, [f'letters(model="{path}")'])
    [score] = evaluation.scores()
    assert score.metric == f'letters(model="vowels@{LETTERS}")'
    assert score.signature.startswith(f'letters(model="vowels@{LETTERS}")|')
    assert score.value == 5 / 10  # a, a, a, i, i
    assert "private" not in score.signature
    assert str(tt.parse(score.metric)) == score.metric


@pytest.mark.parametrize("text", ["vowels", f"vowels@{LETTERS}", "vowels.txt"])
def test_names_are_looked_for_in_folders(text: str, tmp_path: Path) -> None:
    model(tmp_path / "first", "xyz", "consonants.txt")
    model(tmp_path / "second")
    run = tt.Run(models=(str(tmp_path / "first"), str(tmp_path / "second")))
    evaluation = tt.evaluate(TESTSET, SYSTEMS, [f'letters(model="{text}")'], run=run)
    assert [str(metric) for metric in evaluation.metrics] == [f'letters(model="vowels@{LETTERS}")']


def test_a_testset_names_folders(tmp_path: Path) -> None:
    model(tmp_path / "models")
    (tmp_path / "src").write_text("Banane\nKiwi\n")
    (tmp_path / "out").write_text("banana\nkiwi\n")
    (tmp_path / "t.toml").write_text('source = "src"\nsystems = ["out"]\nmodels = "models"\n')
    evaluation = tt.add_metrics(tt.read_testset(tmp_path / "t.toml"), 'letters(model="vowels")')
    assert evaluation.scores()[0].value == 0.5


def test_a_model_of_two_metrics_is_called_alike_in_both(tmp_path: Path) -> None:
    """The second one had kept the path."""
    path = model(tmp_path / "private")
    texts = [f'letters(model="{path}")', f'letters(model="{path}", doubled=True)']
    evaluation = tt.evaluate(TESTSET, SYSTEMS, texts)
    assert [str(metric) for metric in evaluation.metrics] == [
        f'letters(model="vowels@{LETTERS}")',
        f'letters(model="vowels@{LETTERS}", doubled=True)',
    ]
    assert not any("private" in text for text in evaluation.signatures.values())


def test_a_model_that_is_named_in_two_ways_is_counted_once(tmp_path: Path) -> None:
    path = model(tmp_path)
    texts = [f'letters(model="{path}")', 'letters(model="vowels")', f'letters(model="vowels@{LETTERS}")']
    evaluation = tt.evaluate(TESTSET, SYSTEMS, texts, run=tt.Run(models=(str(tmp_path),)))
    assert [str(metric) for metric in evaluation.metrics] == [f'letters(model="vowels@{LETTERS}")']
    assert tt.add_metrics(evaluation, texts[0], run=tt.Run(models=(str(tmp_path),))).metrics == evaluation.metrics


def test_two_contents_are_two_metrics(tmp_path: Path) -> None:
    one = tt.evaluate(TESTSET, SYSTEMS, [f'letters(model="{model(tmp_path / "a")}")'])
    two = tt.evaluate(TESTSET, SYSTEMS, [f'letters(model="{model(tmp_path / "b", "bnk")}")'])
    assert len(one.merge(two).metrics) == 2


def test_another_content_is_refused(tmp_path: Path) -> None:
    path = model(tmp_path, "other")
    other = sha256(b"other").hexdigest()[:8]
    with pytest.raises(InputError) as refused:
        tt.evaluate(TESTSET, SYSTEMS, [f'letters(model="vowels@{LETTERS}")'], run=tt.Run(models=(str(tmp_path),)))
    assert str(refused.value) == (
        f"model vowels@{LETTERS} is asked for, but {path} is vowels@{other}: the content is another"
    )


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        tt.evaluate(TESTSET, SYSTEMS, ['letters(model="nowhere")'])
    assert str(refused.value) == (
        "model 'nowhere': no such file or folder, and no folder of models was given; pass a path, or its folder "
        "(--models DIR)"
    )
    with pytest.raises(InputError, match=r"and it is not in .*; pass a path"):
        find_model("../nowhere", (str(tmp_path),))


def test_what_was_counted_can_be_shown_without_the_model(tmp_path: Path) -> None:
    two = [*SYSTEMS, tt.System(name="t", outputs=tt.Lines.of(["nn", "kw"]))]
    evaluation = tt.evaluate(TESTSET, two, [f'letters(model="{model(tmp_path / "m")}")'])
    tt.save(evaluation, tmp_path / "e.tertium")
    (tmp_path / "m" / "vowels.txt").unlink()
    loaded = tt.load(tmp_path / "e.tertium")
    [metric] = loaded.metrics
    assert [score.value for score in loaded.scores()] == [0.5, 0.0]
    assert tt.compare(loaded, metric, trials=100)[0].difference == -0.5
    assert tt.add_metrics(loaded, metric).table == loaded.table  # there already
    with pytest.raises(InputError, match=r"model 'vowels@\w{8}': no such file or folder"):
        door.prepare(metric, TESTSET)


def test_strangers_name_no_model(tmp_path: Path) -> None:
    path = model(tmp_path)
    for text in (str(path), "vowels", f"vowels@{LETTERS}"):
        with pytest.raises(OptionError, match=r"letters: model=.* names a file or a function of this computer"):
            tt.evaluate(TESTSET, SYSTEMS, [f'letters(model="{text}")'], trusted=False)


def test_folders_have_a_digest_of_names_and_contents(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for folder in (one, two, three):
        model(folder, "w", "weights.bin")
        model(folder / "deep", "h", "hparams.yaml")
    model(two / ".cache", "x", "junk")
    assert digest_of(one) == digest_of(two)  # what is hidden is no part of a model
    (three / "weights.bin").rename(three / "weights.pt")
    assert digest_of(one) != digest_of(three)
    assert find_model(str(one)).text == f"one@{digest_of(one)[:8]}"
    assert find_model("one", (str(tmp_path),)).path == str(one)


def test_the_command_line_names_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tertium.cli.main import main

    model(tmp_path / "models")
    (tmp_path / "src").write_text("Banane\nKiwi\n")
    (tmp_path / "out").write_text("banana\nkiwi\n")
    monkeypatch.chdir(tmp_path)
    main(["score", "-s", "src", "-t", "out", "-m", 'letters(model="vowels")', "--models", "models", "-f", "csv"])
    assert f',"letters(model=""vowels@{LETTERS}"")",' in capsys.readouterr().out
