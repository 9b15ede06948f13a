"""Scores of segments that another program has worked out: comet-score --to_json, MetricX's JSONL, score files of
mt-metrics-eval, tables, and plain numbers.

    comet.json       {"systems/nmt.en": [{"src": ..., "mt": ..., "ref": ..., "COMET": 0.83}, ...]}
    metricx.jsonl    {"hypothesis": ..., "prediction": 2.1, "system_id": "nmt"}, one line per segment
    comet.seg.score  SYSTEM and SCORE on each line, the segments of each system in order
    scores.tsv       columns `system`, `score` (or the metric's name) and perhaps `segment`; or a column per system
    a folder         a file for each system, called after it: JSONL of MetricX, or one number per line
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError
from tertium.core.metric import option_text
from tertium.core.wording import counted
from tertium.io.columns import ColumnFile, extension, is_table, open_table, read_number
from tertium.io.files import read_bytes, read_lines

ABSENT = frozenset({"", "none", "null", "nan", "na", "n/a"})
ALONE = ""  # the system of a file that names none
SIDES = {"mt": "output", "hypothesis": "output", "src": "source", "source": "source"}


class FileScores(NamedTuple):
    """The scores of one system's segments, and the texts that they are said to be of."""

    values: list[float]  # NaN where there is none
    texts: dict[str, list[str]]  # "output" and "source", where the file has them


class GivenScores(NamedTuple):
    """What a file holds, by what it calls its systems."""

    form: str
    systems: dict[str, FileScores]


def scores_text(of: str, file: str, lower: bool) -> str:
    """The text of the metric whose rows are these scores."""
    direction = ", lower=True" if lower else ""
    return f"scores(of={option_text(of)}{direction}, file={option_text(file)})"


def read_given_scores(path: str | Path, name: str, known: Sequence[str] = ()) -> GivenScores:
    """The scores in a file or a folder, of the metric of that name; `known` are systems that a table may have columns
    of."""
    where = Path(path)
    if where.is_dir():
        files = sorted(file for file in where.iterdir() if file.is_file() and not file.name.startswith("."))
        if not files:
            raise InputError(f"{path}: an empty folder; expected a file of scores for each system")
        return GivenScores("folder", {_stem(file): _alone(file, name) for file in files})
    if extension(where) == ".json":
        return GivenScores("comet-score", _read_comet(str(path)))
    if extension(where) == ".jsonl":
        return GivenScores("metricx", _read_metricx(str(path)))
    if is_table(where):
        return GivenScores("table", _read_table(str(path), open_table(path), name, known))
    return GivenScores("lines", _read_lines(str(path)))


def _alone(file: Path, name: str) -> FileScores:
    found = read_given_scores(file, name).systems
    if len(found) != 1:
        raise InputError(f"{file}: scores of {counted(len(found), 'system')}; in a folder, a file is of one system")
    return next(iter(found.values()))


def _stem(file: Path) -> str:
    return file.name.removesuffix(".gz").partition(".")[0] or file.name


def _read_comet(path: str) -> dict[str, FileScores]:
    """The file that `comet-score --to_json` writes."""
    try:
        whole = json.loads(bytes(read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); expected what comet-score --to_json writes") from None
    if not isinstance(whole, dict) or not all(isinstance(rows, list) for rows in whole.values()):
        raise InputError(f'{path}: expected what comet-score --to_json writes: {{"SYSTEM": [{{"COMET": ...}}, ...]}}')
    return {
        system: _objects(rows, "COMET", [f"{path}: {system}, segment {k + 1}" for k in range(len(rows))])
        for system, rows in whole.items()
    }


def _read_metricx(path: str) -> dict[str, FileScores]:
    """What MetricX writes: its input with a prediction in each line."""
    lines = read_lines(path)
    systems: dict[str, list[tuple[Any, str]]] = {}
    for number in range(len(lines)):
        where = f"{path}:{number + 1}"
        try:
            row = json.loads(lines[number] or "")
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not JSON ({error}); expected one object per line") from None
        system = row.get("system_id", ALONE) if isinstance(row, dict) else ALONE
        systems.setdefault(str(system), []).append((row, where))
    if not systems:
        raise InputError(f"{path}: empty file; expected one JSON object per line")
    return {
        system: _objects([row for row, _ in rows], "prediction", [where for _, where in rows])
        for system, rows in systems.items()
    }


def _objects(rows: Sequence[Any], key: str, places: Sequence[str]) -> FileScores:
    """The numbers under a key of each object, and the texts beside them."""
    values: list[float] = []
    texts: dict[str, list[str]] = {}
    for row, where in zip(rows, places, strict=True):
        if not isinstance(row, dict) or key not in row:
            raise InputError(f"{where}: no {key!r}; expected an object with the score of a segment")
        values.append(_score(row[key], where))
        for name, side in SIDES.items():
            if isinstance(row.get(name), str):
                texts.setdefault(side, []).append(row[name])
    return FileScores(values, {side: lines for side, lines in texts.items() if len(lines) == len(values)})


def _read_table(path: str, table: ColumnFile, name: str, known: Sequence[str]) -> dict[str, FileScores]:
    """Columns `system` and `score`, or a column for each system."""
    score = next((column for column in (name, "score") if column in table.names), None)
    if "system" not in table.names or score is None:
        own = [column for column in table.names if column in known]
        if not own:
            raise InputError(
                f"{path}: neither columns 'system' and 'score' (or {name!r}) nor a column called as a system; "
                f"columns: {', '.join(table.names)}; systems: {', '.join(known)}"
            )
        return {system: FileScores(_numbers(path, table, table.read(system)[0]), {}) for system in own}
    systems = [str(system) for system in table.read("system")[0]]
    values = _numbers(path, table, table.read(score)[0])
    places = table.read("segment")[0] if "segment" in table.names else [None] * len(values)
    found: dict[str, FileScores] = {}
    for system, value, segment, line in zip(systems, values, places, _line_numbers(table, len(values)), strict=True):
        own_values = found.setdefault(system, FileScores([], {})).values
        own_values.append(value)
        if segment is not None and segment != str(len(own_values)):
            raise InputError(
                f"{path}:{line}: segment {segment!r} of system {system}, but {len(own_values)} comes next; "
                f"segments count from 1, in the order of the test set"
            )
    return found


def _line_numbers(table: ColumnFile, rows: int) -> Sequence[int]:
    return range(2, rows + 2) if table.lines is None else table.lines


def _numbers(path: str, table: ColumnFile, texts: Iterable[str | None]) -> list[float]:
    rows = list(texts)
    return [_score(text, f"{path}:{line}") for text, line in zip(rows, _line_numbers(table, len(rows)), strict=True)]


def _read_lines(path: str) -> dict[str, FileScores]:
    """`SYSTEM SCORE` on each line, or a score alone."""
    found: dict[str, FileScores] = {}
    widths = set()
    for where, fields in _fields(path):
        if len(fields) not in (1, 2):
            raise InputError(f"{where}: {counted(len(fields), 'field')}; expected SYSTEM and SCORE, or a score alone")
        widths.add(len(fields))
        if len(widths) > 1:
            raise InputError(f"{where}: {counted(len(fields), 'field')}, unlike the lines above; one kind is expected")
        system = ALONE if len(fields) == 1 else fields[0]
        found.setdefault(system, FileScores([], {})).values.append(_score(fields[-1], where))
    if not found:
        raise InputError(f"{path}: empty file; expected SYSTEM and SCORE on each line, or a score alone")
    return found


def _fields(path: str) -> Iterator[tuple[str, list[str]]]:
    lines = read_lines(path)
    for number in range(len(lines)):
        text = lines[number] or ""
        yield f"{path}:{number + 1}", text.split("\t") if "\t" in text else re.split(r"\s+", text.strip())


def _score(value: Any, where: str) -> float:
    """A number; NaN where there is none."""
    if value is None or (isinstance(value, str) and value.strip().lower() in ABSENT):
        return math.nan
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{where}: {value!r} is not a number")
    try:
        number = read_number(value.strip()) if isinstance(value, str) else float(value)
    except OverflowError:
        number = math.inf
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: {value!r} is not a number")
    return number
