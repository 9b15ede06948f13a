"""Learned metrics in streams, beside tables and in statistics files: as in memory, to the 1e-6 of batches."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles.files import ORACLES, needs_oracles

import tertium as tt
from tertium.engines.annotate import annotate
from tertium.engines.parts import count_part, merge_parts
from tertium.engines.stream import stream
from tertium.io import blocks
from tertium.io.parts import load_part, save_part
from tertium.io.shards import find_shards

pytestmark = [pytest.mark.neural, needs_oracles]

FOLDER = ORACLES / "comet"
METRICS = [
    f'comet(model="{FOLDER / name}", encoder="{FOLDER / "encoder"}"{more})'
    for name, more in (("reg-cls-layer2", ""), ("unite", ""), ("qe", ', inputs="source"'))
]
ROWS = [
    {
        "src": f"Satz {k} von {k % 5}",
        "ref": f"sentence {k} of {k % 5}",
        "mt": None if k == 7 else f"phrase {k} {'of ' * (k % 4)}{k}",
    }
    for k in range(23)
]  # fmt: skip


def in_memory() -> tt.Evaluation:
    texts = {side: tt.Lines.of([row[side] for row in ROWS]) for side in ("src", "ref", "mt")}
    testset = tt.TestSet(segments=len(ROWS), sources=texts["src"], references=tt.References((texts["ref"],), len(ROWS)))
    return tt.Evaluation(testset=testset, systems=(tt.System(name="mt", outputs=texts["mt"]),))


def write(folder: Path, first: int = 0, last: int = len(ROWS), name: str = "0") -> None:
    (folder / f"s{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[first:last]))


def segment_values(evaluation: tt.Evaluation) -> list[float]:
    return [score.value for score in evaluation.scores("segment")]


@pytest.mark.parametrize("metric", METRICS, ids=["reg", "unite", "qe"])
def test_scores_are_those_of_memory(metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIP", 300)
    whole = tt.add_metrics(in_memory(), metric)
    write(tmp_path, 0, 9, "a")
    write(tmp_path, 9, 23, "b")
    pattern = str(tmp_path / "s*.jsonl")
    sides: Any = (f"{pattern}:src", [f"{pattern}:ref"], [f"{pattern}:mt"])
    found = stream(find_shards(*sides), ["mt"], metric)
    [one], [other] = found.evaluation.scores(), whole.scores()
    assert one.value == pytest.approx(other.value, abs=1e-6)
    assert (one.n, one.metric) == (22, other.metric)

    done = annotate(pattern, tmp_path / "out", metric, outputs={"mt": "mt"}, references="ref", source="src",
                    keep=f"{metric} > -1000")  # fmt: skip
    rows = [json.loads(line) for path in done.written for line in Path(path).read_text().splitlines()]
    expected = [value for value in segment_values(whole) if not math.isnan(value)]
    assert [row[other.metric] for row in rows] == pytest.approx(expected, abs=1e-6)
    assert (done.conditions[-1].kept, done.conditions[-1].unknown) == (22, 1)


@pytest.mark.parametrize("metric", METRICS, ids=["reg", "unite", "qe"])
def test_parts_make_the_whole(metric: str, tmp_path: Path) -> None:
    for k, bounds in enumerate([(0, 4), (4, 23)]):
        save_part(count_part(in_memory(), metric, bounds), tmp_path / f"{k}.parquet")
    merged = merge_parts([load_part(tmp_path / f"{k}.parquet") for k in range(2)])
    whole = tt.add_metrics(in_memory(), metric)
    assert np.allclose(segment_values(merged), segment_values(whole), rtol=0, atol=1e-6, equal_nan=True)
    assert [score.metric for score in merged.scores()] == [score.metric for score in whole.scores()]


def test_a_model_without_references_filters(tmp_path: Path) -> None:
    """Quality estimation needs the source alone: no column of references is named."""
    write(tmp_path)
    found = annotate(
        tmp_path / "s0.jsonl", tmp_path / "o.jsonl", outputs="mt", source="src", keep=f"{METRICS[2]} > -1000"
    )
    assert found.kept == 22
    assert (tmp_path / "o.jsonl").read_text() == "".join(json.dumps(row) + "\n" for row in ROWS if row["mt"])
