"""The benchmark of growing corpora draws its points where they belong."""

import importlib.util
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    path = Path(__file__).parents[2] / "benchmarks" / "scale.py"
    monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path])  # it reads its texts as the other one does
    spec = importlib.util.spec_from_file_location("benchmark_of_scale", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_curves_are_drawn(benchmark: Any, tmp_path: Path) -> None:
    """On logarithmic axes ten times as much is as far everywhere, and what grows as the corpus is a straight line."""
    rows = [
        {"segments": 10**k, "engine": engine, "cpu_seconds": 10.0 ** (k - 5) * factor, "peak_mb": 100.0}
        for engine, factor in (("local", 1), ("ray", 10))
        for k in (6, 4, 5)
    ]
    benchmark.draw(rows, tmp_path / "scale.svg")
    tree = ET.parse(tmp_path / "scale.svg")
    lines = [
        [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        for line in tree.iter(f"{SVG}polyline")
    ]
    assert len(lines) == 4
    for line in lines:
        assert [b[0] - a[0] for a, b in pairwise(line)] == [160, 160]
        assert line[1][1] - line[0][1] == pytest.approx(line[2][1] - line[1][1], abs=0.11)
    (local, dear), flat = lines[:2], lines[2]
    rise = local[0][1] - local[1][1]
    assert rise == pytest.approx(240 / 3, abs=0.11)  # from a tenth of a second to a hundred
    assert [a[1] - b[1] for a, b in zip(local, dear, strict=True)] == pytest.approx([rise] * 3, abs=0.11)
    assert len({height for _, height in flat}) == 1
    said = [item.text for item in tree.iter(f"{SVG}text")]
    assert {"10,000", "1,000,000", ".1", "100", "local", "ray", "segments"} <= set(said)
