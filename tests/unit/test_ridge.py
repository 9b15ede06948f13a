"""Which ridge the recipe lexical chooses: the rule of one standard error, by hand; parts that are left out."""

import math

import numpy as np
import pytest

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.examples import Examples
from tertium.training.ridge import GRID, USUAL, choose, leave_out


def names(groups: list[Examples]) -> list[str]:
    return [group.where for group in groups]


def group(where: str) -> Examples:
    return Examples(Lines.of(["x"]), np.zeros(1), where=where)


def test_the_grid_is_of_half_decades() -> None:
    assert [round(math.log10(ridge), 2) for ridge in GRID] == [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]


def test_each_group_is_left_out_once() -> None:
    found = leave_out([group("a"), group("b"), group("c")])
    assert [(names(rest), part.where) for rest, part in found] == [
        (["b", "c"], "a"),
        (["a", "c"], "b"),
        (["a", "b"], "c"),
    ]


def test_an_only_group_is_left_out_in_folds() -> None:
    """Outputs of one segment stay together; the order of rows does not matter."""
    texts = Lines.of([f"segment {k}" for k in range(200)])
    twice = Examples(texts, np.arange(200.0), None, texts).take(np.repeat(np.arange(200), 2))
    folds = leave_out([twice])
    assert len(folds) == 5
    segments = [set(part.references or ()) for _, part in folds]
    assert sum(map(len, segments)) == 200
    assert min(map(len, segments)) > 20
    for [rest], part in folds:
        assert len(rest) + len(part) == 400
        assert not set(rest.references or ()) & set(part.references or ())
    backwards = leave_out([twice.take(np.arange(400)[::-1])])
    assert [set(part.references or ()) for _, part in backwards] == segments


def table(**by_group: dict[float, float]):
    """Agreement on groups, 0 where nothing is said."""
    return lambda _, part: {ridge: by_group[part.where].get(ridge, 0.0) for ridge in GRID}


def test_the_strongest_within_one_standard_error() -> None:
    """Best at .1: .5, .6, .7, mean .6, deviation .1, standard error .1 / sqrt(3) = .0577. At 10 the mean is .55."""
    told = table(
        a={0.01: 0.5, 0.1: 0.5, 10: 0.45, 31.6: 0.44},
        b={0.01: 0.5, 0.1: 0.6, 10: 0.55, 31.6: 0.54},
        c={0.01: 0.5, 0.1: 0.7, 10: 0.65, 31.6: 0.64},
    )
    found = choose([group("a"), group("b"), group("c")], told, cautious=True)
    assert found.ridge == 10  # 31.6 has a mean of .54, below .5423
    assert found.agreement[0.1] == pytest.approx(0.6)
    assert found.error == pytest.approx(0.1 / math.sqrt(3))
    assert str(found) == "10: the strongest within one standard error of the best, each of 3 groups left out"


def test_the_best_where_nobody_is_cautious() -> None:
    told = table(a={0.1: 0.5, 10: 0.45}, b={0.1: 0.6, 10: 0.55}, c={0.1: 0.7, 10: 0.65})
    found = choose([group("a"), group("b"), group("c")], told)
    assert str(found) == "0.1: the best, each of 3 groups left out"


def test_groups_that_are_alike_have_no_error() -> None:
    same = {0.1: 0.6, 1: 0.59}
    assert choose([group("a"), group("b")], table(a=same, b=same), cautious=True).ridge == 0.1


def test_parts_that_say_nothing_do_not_count() -> None:
    """NaN where scores or predictions are all equal; a rest from which nothing can be learned."""
    told = table(a=dict.fromkeys(GRID, math.nan), b={0.316: 0.5}, c={0.316: 0.5})
    assert choose([group(name) for name in "abc"], told).ridge == 0.316
    assert choose([group(name) for name in "ab"], told) == choose([group("a")], told)
    assert choose([group(name) for name in "ab"], told).ridge == USUAL

    def nothing(*_: object) -> dict[float, float]:
        raise InputError("nothing to learn")

    assert choose([group(name) for name in "abc"], nothing).ridge == USUAL
