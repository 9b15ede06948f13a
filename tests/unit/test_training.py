"""What training a network decides without one: settings, curves, batches, parts, damaged references."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.io.examples import Examples
from tertium.training.curve import Epoch, Training, best_epoch, is_over, read_training
from tertium.training.identity import check_same, identify
from tertium.training.inputs import ReadExamples, batches_of
from tertium.training.memory import in_parts
from tertium.training.pretraining import noise_examples
from tertium.training.settings import Settings, find_recipe

NAN = math.nan


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"epochs": 0}, "epochs: 0; must be a whole number from 1 on"),
        ({"batch": 1.5}, "batch: 1.5; must be a whole number from 1 on"),
        ({"learning_rate": 2.0}, "learning_rate: 2.0; must be from 0 to 1"),
        ({"frozen_epochs": -1.0}, "frozen_epochs: -1.0; must be at least 0"),
        ({"dropout": NAN}, "dropout: nan; must be from 0 to 0.99"),
        ({"hidden_sizes": (8, 0)}, "hidden_sizes: (8, 0); must be whole numbers from 1 on"),
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError) as error:
        Settings(**wrong)
    assert str(error.value) == said


def test_unknown_words() -> None:
    with pytest.raises(OptionError, match="layer_transformation"):
        Settings(layer_transformation="entmax")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="recipe"):
        find_recipe("bleurt")


def test_the_usual_widths_are_those_of_the_encoder() -> None:
    assert Settings().sizes(1024) == (3072, 1024)
    assert Settings(hidden_sizes=(7,)).sizes(1024) == (7,)


# Curves


def curve(*kendalls: float, pretrained: bool = False) -> list[Epoch]:
    stages = ["start", *(["pretraining"] if pretrained else []), *["training"] * len(kendalls)]
    return [Epoch(k, stages[k], k, 1.0, tau, tau) for k, tau in enumerate((0.9, *kendalls))]


@pytest.mark.parametrize(
    ("kendalls", "best", "over"),
    [
        ((), None, False),
        ((0.1,), 1, False),
        ((0.1, 0.3, 0.2), 2, False),
        ((0.1, 0.3, 0.2, 0.3), 2, True),  # as good is not better
        ((NAN, 0.1), 2, False),
        ((NAN, NAN, NAN), 1, True),
        ((0.1, 0.2, 0.3, 0.4, 0.5), 5, True),
    ],
)
def test_the_best_epoch_and_the_end(kendalls: Sequence[float], best: int | None, over: bool) -> None:
    settings = Settings(epochs=5, patience=2)
    assert best_epoch(curve(*kendalls)) == best
    assert is_over(curve(*kendalls), settings) == over


def test_pretraining_is_not_the_best_epoch() -> None:
    assert best_epoch(curve(0.8, 0.1, pretrained=True)) == 2
    assert best_epoch(curve(0.8, pretrained=True)) is None
    assert not is_over(curve(0.8, 0.1, pretrained=True), Settings(epochs=2))


def test_a_training_is_read_as_it_was_written() -> None:
    points = (Epoch(0, "start", 0, NAN, NAN, 0.5), Epoch(1, "training", 4, 0.5, 0.25, 0.5))
    settings = Settings(hidden_sizes=(4, 2))
    training = Training(recipe="qe", settings=settings, out="o", curve=points, best=1, examples=3, validation=2,
                        identity={"data": "d"})  # fmt: skip
    again = read_training(training.told(), "o")
    assert repr(again) == repr(training)  # NaN is not equal to itself


# Batches


def inputs(lengths: Sequence[Sequence[int]]) -> ReadExamples:
    sides = tuple([[0] * length for length in side] for side in lengths)
    return ReadExamples(sides, np.zeros(len(lengths[0])), 0.0, 1.0, 0)


def test_every_example_comes_once_within_the_budget() -> None:
    draw = np.random.default_rng(1)
    given = inputs(draw.integers(2, 60, (3, 1500)).tolist())
    found = batches_of(given, 900, [7, 1])
    assert sorted(k for batch in found for k in batch) == list(range(1500))
    sizes = [len(batch) * sum(max(len(side[k]) for k in batch) for side in given.sides) for batch in found]
    assert max(sizes) <= 900
    assert sum(sizes) < 2 * sum(len(row) for side in given.sides for row in side)  # little of it is padding
    assert found == batches_of(given, 900, [7, 1])
    assert found != batches_of(given, 900, [7, 2])


def test_an_example_beyond_the_budget_is_alone() -> None:
    found = batches_of(inputs([[50, 3, 3], [50, 3, 3]]), 12, [1])
    assert sorted(map(sorted, found)) == [[0], [1, 2]]


# Memory


def test_parts_are_halved_until_they_fit() -> None:
    tried: list[int] = []
    started: list[None] = []

    def work(numbers: Sequence[int]) -> float:
        tried.append(len(numbers))
        if len(numbers) > 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return float(sum(numbers))

    assert in_parts(range(10), work, lambda: started.append(None)) == 45
    assert tried == [10, 5, 3, 3, 3, 1]
    assert len(started) == 3


def test_other_errors_are_not_memory() -> None:
    def work(_numbers: Sequence[int]) -> float:
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        in_parts([1, 2], work, lambda: None)


# Damaged references


def examples(count: int = 30) -> Examples:
    words = "the big red cat sat on a very small green mat near our old house today".split()
    texts = [" ".join(words[k % 5 : 8 + k % 9]) for k in range(count)]
    lines = Lines.of([f"{text} {k}" for k, text in enumerate(texts)])
    return Examples(outputs=lines, scores=np.arange(count) / 1, sources=lines, references=lines, where="train")


def test_damaged_references_score_by_what_is_left() -> None:
    data = examples()
    made = noise_examples(data, 200, 3)
    assert made.references is not None
    assert made.sources is not None
    assert len(made) == 200
    assert 0 <= made.scores.min() < 0.4 < 0.8 < made.scores.max() < 1
    known = set(data.references or ())
    for source, noised, whole in zip(made.sources, made.outputs, made.references, strict=True):
        assert source == whole
        assert whole in known
        assert noised != whole
    again = noise_examples(data, 200, 3)
    assert list(again.outputs) == list(made.outputs)
    assert list(noise_examples(data, 200, 4).outputs) != list(made.outputs)


def test_more_pairs_than_one_seed_gives() -> None:
    assert len(noise_examples(examples(4), 100, 3)) > 60


# What it was made from


def test_what_is_different_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    data, settings = examples(), Settings()
    before = identify("comet", settings, data, data, tmp_path)
    check_same(before, identify("comet", settings, examples(), data, tmp_path), Path("out"))
    (tmp_path / "config.json").write_text("{ }")
    with pytest.raises(InputError) as error:
        check_same(before, identify("qe", Settings(seed=3), data, examples(29), tmp_path), Path("out"))
    assert str(error.value) == (
        "out: the training there was begun otherwise (the validation data are others; the encoder is another; recipe "
        "comet, now qe; seed 12345, now 3); go on with what it was begun with, or name another folder"
    )
