"""HTER of real post-edits (MLQE-PE) is sacreBLEU's TER, segment by segment; edits by kind fit the texts."""

from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.core.edited import EditedSegments
from tertium.human.effort.counting import count_effort
from tertium.human.effort.measures import COLUMNS, KINDS
from tertium.io.mlqe_pe import read_mlqe_pe

FOLDER = Path(__file__).parents[2].parent / "shared" / "data" / "mlqe-pe"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"no MLQE-PE: third-party texts are not part of this repository ({FOLDER})"
)


def read(pair: str) -> EditedSegments:
    given = read_mlqe_pe(FOLDER, "dev", pair)
    n = len(given.outputs)
    assert given.references is not None
    return EditedSegments(
        name=pair, outputs=given.outputs, edited=given.references, engines=("mt",) * n,
        segments=tuple(map(str, range(n))), sources=given.sources,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["en-de", "en-zh", "ro-en"])
def test_hter_is_sacrebleus_ter(pair: str) -> None:
    """sacreBLEU 2.6.0, `TER().sentence_score(output, [post_edit])`: edits and reference length of 1,000 segments."""
    metric = pytest.importorskip("sacrebleu.metrics").TER()
    given = read(pair)
    rows = count_effort(given).segments()
    theirs = [metric.sentence_score(str(o), [str(r)]) for o, r in zip(given.outputs, given.edited, strict=True)]
    assert rows[:, COLUMNS.index("edits")].tolist() == [score.num_edits for score in theirs]
    assert rows[:, COLUMNS.index("words")].tolist() == [score.ref_length for score in theirs]
    whole = metric.corpus_score([str(o) for o in given.outputs], [[str(r) for r in given.edited]])
    found = tt.effort(given, trials=20)
    assert found.whole.scores["hter"].value == pytest.approx(whole.score, abs=1e-9)


@pytest.mark.parametrize("pair", ["en-de"])
def test_kinds_of_real_edits(pair: str) -> None:
    """Words that are inserted and deleted make up for the difference of lengths; shifts are none below zero."""
    given = read(pair)
    rows = count_effort(given).segments()
    column = {name: rows[:, COLUMNS.index(name)] for name in COLUMNS}
    lengths = np.array([len(str(text).split()) for text in given.outputs], dtype=float)
    assert np.array_equal(lengths + column["inserted"] - column["deleted"], column["words"])
    assert all((column[name] >= 0).all() for name in KINDS)
    untouched = [str(o) == str(r) for o, r in zip(given.outputs, given.edited, strict=True)]
    assert column["untouched"].sum() == sum(untouched)
    assert (column["edits"][untouched] == 0).all()
