"""gate.toml: what a system has to show before it may take the place of another.

    testset = "testset.toml"     # source, references, and the outputs of both systems
    system = "new"               # [default: the only one beside the baseline]
    baseline = "old"             # [default: none; then every metric needs a limit]
    missing = 0                  # outputs that may be missing
    trials = 10000               # of the paired test [default: as many as compare makes]
    seed = 12345

    [metrics.bleu]
    limit = 30.0                 # the corpus score may not be worse than this
    worse = true                 # it may not be significantly worse than the baseline's [default, where there is one]
    loss = 1.0                   # it may not be worse than the baseline's by more points than this, luck or not

    [metrics."chrf(words=2)"]    # any metric, with its options

Paths count from the folder of the file. What cannot be found out does not pass: a test that cannot be made, a score
that is not there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.inference.paired import check_trials
from tertium.inference.seeds import SEED
from tertium.io.toml import check_keys, read_toml, typed
from tertium.metrics import parse

TOP = ("testset", "system", "baseline", "missing", "trials", "seed", "metrics")


@dataclass(frozen=True, kw_only=True)
class MetricRules:
    """What one metric has to show."""

    limit: float | None = None
    worse: bool | None = None  # refused where significant; None is yes where there is a baseline
    loss: float | None = None


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A whole gate.toml."""

    path: str
    testset: Path
    metrics: Mapping[str, MetricRules]  # by canonical text
    system: str | None = None
    baseline: str | None = None
    missing: int = 0
    trials: int | None = None
    seed: int = SEED


def read_gate(path: str | Path) -> Gate:
    """The rules of a file; the first thing that is wrong with it is said in a sentence."""
    values = read_toml(path)
    check_keys(values, TOP, str(path))
    for key, example in (("testset", 'testset = "testset.toml"'), ("metrics", "[metrics.bleu]\nlimit = 30.0")):
        if not values.get(key):
            raise InputError(f"{path}: no {key}; write {example}")
    kinds = {"testset": "str", "system": "str", "baseline": "str", "missing": "int", "trials": "int", "seed": "int"}
    given = {key: typed(values[key], kind, f"{path}: {key}") for key, kind in kinds.items() if key in values}
    named = typed(values["metrics"], "Mapping[str, Any]", f"{path}: metrics")
    metrics = {str(parse(text)): _rules(own, f"{path}: [metrics.{text}]") for text, own in named.items()}
    if len(metrics) < len(named):
        raise InputError(f"{path}: two tables of [metrics] name the same metric; write one of them")
    if given.get("missing", 0) < 0:
        raise InputError(f"{path}: missing = {given['missing']}; must be 0 or more")
    check_trials(given.get("trials", 1), given.get("seed", SEED))
    gate = Gate(path=str(path), metrics=metrics, **given | {"testset": Path(path).parent / given["testset"]})
    _check_rules(gate)
    return gate


def _rules(given: Any, where: str) -> MetricRules:
    kinds = {one.name: str(one.type).removesuffix(" | None") for one in fields(MetricRules)}
    check_keys(typed(given, "Mapping[str, Any]", where), tuple(kinds), where)
    rules = MetricRules(**{key: typed(value, kinds[key], f"{where} {key}") for key, value in given.items()})
    for key, value in (("limit", rules.limit), ("loss", rules.loss)):
        if value is not None and not math.isfinite(value):
            raise InputError(f"{where} {key} = {value}; expected a finite number")
    if rules.loss is not None and rules.loss < 0:
        raise InputError(f"{where} loss = {rules.loss:g}; points that may be lost are 0 or more")
    return rules


def _check_rules(gate: Gate) -> None:
    """Every table has to check something; what compares needs something to compare with."""
    for text, rules in gate.metrics.items():
        where = f"{gate.path}: [metrics.{text}]"
        if gate.baseline is None:
            key = "loss" if rules.loss is not None else "worse" if rules.worse else ""
            if key:
                raise InputError(f'{where} {key} needs a system to be worse than: write baseline = "NAME"')
            if rules.limit is None:
                raise InputError(f'{where} checks nothing: write limit = NUMBER, or baseline = "NAME" above')
        elif rules.limit is None and rules.loss is None and rules.worse is False:
            raise InputError(f"{where} checks nothing: write limit or loss, or leave out worse = false")
