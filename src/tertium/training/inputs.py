"""Examples as ids, and which of them are read together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.examples import OUTPUT, REFERENCE, SOURCE, Examples
from tertium.learned.comet import CometModel
from tertium.training.settings import Recipe

if TYPE_CHECKING:
    from tertium.core.stats import Array

POOL = 1024  # examples among which those of about the same length are read together


@dataclass(frozen=True)
class ReadExamples:
    """What a network reads: for each side the ids of each example, and the scores, standardised."""

    sides: tuple[list[list[int]], ...]  # output, source, reference
    targets: Array  # (n,)
    mean: float
    deviation: float
    cut: int  # texts that were too long

    def __len__(self) -> int:
        return len(self.targets)


def texts_of(examples: Examples, recipe: Recipe) -> list[list[str]]:
    """The texts of the sides that a recipe reads, none of which may be missing."""
    known = {OUTPUT: examples.outputs, SOURCE: examples.sources, REFERENCE: examples.references}
    return [_texts(known[name], name, examples.where) for name in recipe.reads]


def _texts(lines: Lines | None, name: str, where: str) -> list[str]:
    if lines is None:
        raise InputError(f"{where}: has no column {name!r}, which the recipe reads")
    found = [text for text in lines if text is not None]
    if len(found) < len(lines):
        first = next(k for k, text in enumerate(lines, 1) if text is None)
        raise InputError(f"{where}, example {first}: no text in the column {name!r}; leave such examples out")
    return found


def check_scores(examples: Examples) -> None:
    """Refuse scores from which nothing can be learnt, or by which nothing can be judged."""
    if len(examples) < 2 or not float(examples.scores.std()) > 0:
        told = "has no two examples" if len(examples) < 2 else f"all {len(examples)} scores are the same"
        raise InputError(f"{examples.where}: {told}; at least two examples with different scores are needed")


def read_inputs(examples: Examples, recipe: Recipe, model: CometModel) -> ReadExamples:
    """The examples as the network reads them."""
    read = [model.read(texts) for texts in texts_of(examples, recipe)]
    mean, deviation = float(examples.scores.mean()), float(examples.scores.std())
    return ReadExamples(
        tuple(side.rows for side in read),
        (examples.scores - mean) / deviation,
        mean,
        deviation,
        sum(int(side.cut.sum()) for side in read),
    )


def batches_of(inputs: ReadExamples, budget: int, seed: Sequence[int]) -> list[list[int]]:
    """The numbers of the examples of each step of an epoch: all once, in another order each time, those of about the
    same length together.

    Steps have at most `budget` ids, padding included; at least one example, however long.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    order = random.permutation(len(inputs)).tolist()
    found: list[list[int]] = []
    for first in range(0, len(order), POOL):
        pool = sorted(order[first : first + POOL], key=lambda k: -sum(_lengths(inputs, k)))
        found += cut_to_budget(pool, inputs, budget)
    return [found[k] for k in random.permutation(len(found)).tolist()]


def by_length(inputs: ReadExamples, budget: int) -> list[list[int]]:
    """The numbers of all examples in batches, longest first."""
    order = sorted(range(len(inputs)), key=lambda k: -sum(_lengths(inputs, k)))
    return cut_to_budget(order, inputs, budget)


def cut_to_budget(pool: Sequence[int], inputs: ReadExamples, budget: int) -> list[list[int]]:
    """Examples in batches, in their order."""
    found: list[list[int]] = []
    widest: list[int] = []
    for k in pool:
        wider = [max(pair) for pair in zip(widest or [0] * len(inputs.sides), _lengths(inputs, k), strict=True)]
        if found and (len(found[-1]) + 1) * sum(wider) <= budget:
            found[-1].append(k)
            widest = wider
        else:
            found.append([k])
            widest = _lengths(inputs, k)
    return found


def _lengths(inputs: ReadExamples, k: int) -> list[int]:
    return [len(side[k]) for side in inputs.sides]
