"""Thresholds for ties that were found elsewhere: METRIC=NUMBER, or the JSON that `tertium meta evaluate` wrote of
another test set, whose best thresholds are taken."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.wording import counted
from tertium.io.columns import read_number
from tertium.io.files import read_bytes

ELSEWHERE = re.compile(r'scores\(of="([^"\\]+)"')  # whose text names a file, which another test set has elsewhere
STATISTIC = "acc_eq_calibrated"


def typed(specs: Iterable[str]) -> set[str]:
    """The metrics of those that are METRIC=NUMBER, not files."""
    return {spec.rpartition("=")[0].strip() for spec in specs if not Path(spec).exists()}


def read_thresholds(specs: Iterable[str]) -> dict[str, float]:
    """The threshold of each metric that is named, by its text."""
    found: dict[str, float] = {}
    for spec in specs:
        name, equals, text = spec.rpartition("=")
        if equals and not Path(spec).exists():
            value = read_number(text)
            if not name or not 0 <= value < math.inf:
                raise OptionError(f"--eps {spec}: write METRIC=NUMBER, the number from 0 on, or name a file")
            new = {name.strip(): value}
        else:
            new = _of_file(spec)
        twice = [name for name in new if name in found]
        if twice:
            raise OptionError(f"--eps {spec}: there is already a threshold for {', '.join(twice)}; give it once")
        found |= new
    return found


def matched(found: dict[str, float], metrics: Iterable[str]) -> dict[str, float]:
    """The thresholds of these metrics; scores from elsewhere are known by their name, whichever file they are in."""
    by_name = {called(text): value for text, value in found.items()}
    return {text: by_name[called(text)] for text in metrics if called(text) in by_name}


def called(text: str) -> str:
    """What a metric is called where its file does not matter."""
    match = ELSEWHERE.match(text)
    return match[1] if match else text


def _of_file(path: str) -> dict[str, float]:
    if not Path(path).exists():
        raise OptionError(f"--eps {path}: no such file, and not METRIC=NUMBER, such as chrf=0.5")
    try:
        whole = json.loads(bytes(read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); expected what tertium meta evaluate -f json writes") from None
    testsets = whole.get("testsets") if isinstance(whole, dict) else None
    if not isinstance(testsets, list):
        raise InputError(f"{path}: no 'testsets'; expected what tertium meta evaluate -f json writes")
    if len(testsets) != 1:
        raise InputError(
            f"{path}: {counted(len(testsets), 'test set')}, each with its own thresholds; write the file of one"
        )
    rows: Any = testsets[0].get("scores") if isinstance(testsets[0], dict) else None
    listed = rows if isinstance(rows, list) else []
    best = [row for row in listed if isinstance(row, dict) and row.get("statistic") == STATISTIC]
    if not best:
        raise InputError(f"{path}: no {STATISTIC} among its scores; was it made with --level system?")
    return {str(row.get("metric")): _eps(row, path) for row in best if row.get("eps") is not None}


def _eps(row: dict[str, Any], path: str) -> float:
    value = row["eps"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(f"{path}: eps of {row.get('metric')} is {value!r}; expected a number from 0 on")
    return float(value)
