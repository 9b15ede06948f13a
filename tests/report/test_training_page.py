"""The curve of a training as a table and as a page."""

import json
import math
import re

import pytest

from tertium.report.figures.training import training_charts
from tertium.report.tables.training import training_sentences, training_table
from tertium.report.training import training_page
from tertium.training.curve import Epoch, Training
from tertium.training.settings import Settings

CURVE = (
    Epoch(0, "start", 0, math.nan, math.nan, -0.5),
    Epoch(1, "pretraining", 5, 0.75, 0.125, 0.25),
    Epoch(2, "training", 15, 0.5, 0.375, 0.5),
    Epoch(3, "training", 25, 0.25, 0.3125, 0.625),
    Epoch(4, "training", 35, 0.125, 0.25, 0.5),
)


@pytest.fixture
def training() -> Training:
    identity = {"data": "0123456789", "valid": "abcdefabcd", "encoder": "9876543210"}
    return Training(recipe="comet", settings=Settings(seed=7), out="out", curve=CURVE, best=2, examples=300,
                    validation=100, pairs=50, cut=1, identity=identity)  # fmt: skip


def test_sentences(training: Training) -> None:
    assert training_sentences(training) == [
        "Recipe comet: 300 examples, before them 50 damaged references; judged by 100 examples; seed 7.",
        "Best epoch 2: Kendall 0.3750, at the start undefined; stopped, because it got no better.",
        "Too long, and cut: 1 text of the training data.",
    ]


def test_the_best_is_marked_and_what_is_undefined_is_not_zero(training: Training) -> None:
    rows = training_table(training).cells()
    assert [cell.text for cell in rows[0]] == ["0", "start", "0", "–", "–", "-0.5000"]
    assert [[cell.strong for cell in row[4:]] for row in rows] == [
        [False, False],
        [False, False],
        [True, False],
        [False, True],
        [False, False],
    ]


def test_charts_are_valid_and_have_all_points(training: Training) -> None:
    import altair as alt

    kendall, loss = (next(iter(chart.specifications().values())) for chart in training_charts(training))
    assert [row["value"] for row in kendall["datasets"]["rows"]] == [0.125, 0.375, 0.3125, 0.25]
    assert [row["epoch"] for row in loss["datasets"]["rows"]] == [1, 2, 3, 4]
    assert {row["best"] for row in loss["datasets"]["rows"]} == {2}
    for spec in (kendall, loss):
        alt.Chart.from_dict(json.loads(json.dumps(spec)))  # raises where Vega-Lite knows no such thing


def test_the_page_holds_curve_and_settings(training: Training) -> None:
    text = re.sub(r"</?dfn[^>]*>", "", training_page(training).html())  # terms are explained where they stand
    for words in ("Training: comet", "Best epoch 2: Kendall 0.3750", "300 examples, 4 epochs", "patience 2",
                  "of the training data 01234567, of the validation data abcdefab", "which was kept"):  # fmt: skip
        assert words in text
