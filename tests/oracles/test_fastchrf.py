"""Pairwise and aggregated chrF against fastchrf 0.2.1: pairwise_chrf, aggregate_chrf([outputs], [references], ...)."""

import random

import numpy as np
import pytest
from laws.texts import VOCABULARY

import tertium as tt

from .files import check_difference, needs_oracles, read_lines

fastchrf = pytest.importorskip("fastchrf")

OPTIONS = [
    ("chrf", {}),
    ("chrf(chars=3, beta=1)", {"char_order": 3, "beta": 1.0}),
    ("chrf(whitespace=True)", {"remove_whitespace": False}),
    ("chrf(eps=True)", {"eps_smoothing": True}),
]


def compare(outputs: list[str], references: list[str], metric: str, options: dict[str, object], where: str) -> None:
    theirs = np.array(fastchrf.pairwise_chrf([outputs], [references], **options)[0])
    ours = tt.pairwise(outputs, references, metric)
    i, j = np.unravel_index(np.argmax(np.abs(ours - theirs)), ours.shape)
    check_difference(f"pairwise {metric}", ours[i, j], theirs[i, j], (where, i, j))


def compare_mean(
    outputs: list[str], references: list[str], metric: str, options: dict[str, object], where: str
) -> None:
    theirs = np.array(fastchrf.aggregate_chrf([outputs], [references], **options)[0])
    ours = tt.pairwise(outputs, references, metric, aggregate=True)
    assert ours.shape == theirs.shape == (len(outputs),)
    i = int(np.argmax(np.abs(ours - theirs)))
    check_difference(f"aggregate {metric}", ours[i], theirs[i], (where, i))


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
def test_generated_texts(metric: str, options: dict[str, object]) -> None:
    rng = random.Random(metric)
    outputs, references = (
        [" ".join(rng.choices(VOCABULARY, k=rng.randint(1, 12))) for _ in range(30)] for _ in range(2)
    )
    compare(outputs, references, metric, options, "generated")
    compare_mean(outputs, references, metric, options, "generated")


@needs_oracles
@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@pytest.mark.parametrize(
    ("dataset", "system"), [("wmt22.de-en", "Online-A"), ("wmt22.en-zh", "Manifold"), ("wmt22.en-ja", "KYB")]
)
def test_wmt22(dataset: str, system: str, metric: str, options: dict[str, object]) -> None:
    sides = [list(read_lines(dataset, name)[:60]) for name in (f"hyp.{system}", "ref.A")]
    compare(*sides, metric, options, dataset)
    compare_mean(*sides, metric, options, dataset)
