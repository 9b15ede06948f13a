"""Examples whose scores a small network can learn: words of the reference that were replaced cost."""

import csv
import os
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tertium.core.lines import Lines
from tertium.io.examples import Examples
from tertium.training.settings import Settings

from .tiny import WORDS

QUICK = Settings(
    epochs=3,
    batch=400,
    encoder_learning_rate=2e-3,
    learning_rate=3e-3,
    hidden_sizes=(16, 8),
    keep_embeddings_frozen=False,
)


def one_thread() -> Iterator[None]:
    """A fixture: networks this small learn sooner on one thread, above all where other programs keep the cores busy."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def environment() -> dict[str, str]:
    """For programs that train."""
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}


def make_examples(count: int, seed: int, where: str = "examples") -> Examples:
    draw = random.Random(seed)
    sources, outputs, references, scores = [], [], [], []
    for _ in range(count):
        words = draw.choices(WORDS, k=draw.randint(4, 10))
        wrong = draw.randint(0, len(words))
        said = list(words)
        for k in draw.sample(range(len(words)), wrong):
            said[k] = draw.choice(WORDS)
        sources.append(" ".join(reversed(words)))
        outputs.append(" ".join(said))
        references.append(" ".join(words))
        scores.append(100 * (1 - wrong / len(words)))
    return Examples(
        outputs=Lines.of(outputs),
        scores=np.array(scores),
        sources=Lines.of(sources),
        references=Lines.of(references),
        where=where,
    )


def write_examples(path: Path, examples: Examples) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["src", "mt", "ref", "score"])
        assert examples.sources is not None
        assert examples.references is not None
        columns = (examples.sources, examples.outputs, examples.references, examples.scores.tolist())
        rows.writerows(zip(*columns, strict=True))
    return path
