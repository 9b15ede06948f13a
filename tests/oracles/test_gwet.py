"""Gwet's AC1 and AC2: irrCAC 0.4.4, CAC(table, weights=..., categories=1..k, digits=12).gwet() (gwet.json)."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from tertium.human.agreement import agreement

from .files import LARGEST, ORACLES, needs_oracles

pytestmark = needs_oracles

NAMES = {"ac1": "gwet-ac1", "ac2_linear": "gwet-ac2-linear", "ac2_quadratic": "gwet-ac2-quadratic"}


@cache
def oracle() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ORACLES / "human" / "gwet.json").read_text())
    return found


@pytest.mark.parametrize("case", range(6))
@pytest.mark.parametrize("name", NAMES)
def test_irrcac_says_the_same(case: int, name: str) -> None:
    assert len(oracle()["cases"]) == 6
    given = oracle()["cases"][case]
    matrix = np.array([[np.nan if value is None else value for value in item] for item in given["ratings"]]).T
    k = len(given["categories"])
    edges = [value - 0.5 for value in given["categories"][1:]]  # categories that nobody used count, too
    scale = "adequacy" if k == 5 else None
    [row] = agreement(matrix, scale, statistics=NAMES[name], bins=None if scale else edges)
    theirs = given["expected"][name]["value"]
    LARGEST[f"agreement, {name}"] = max(LARGEST.get(f"agreement, {name}", 0.0), abs(row.value - theirs))
    assert abs(row.value - theirs) <= oracle()["tolerance"]
    assert row.n == int(((~np.isnan(matrix)).sum(axis=0) > 1).sum())
