"""Gowda, You, Lignos and May (2021), "Macro-average: rare types are important too": what damage does to metrics.

Their file of single types masked one after the other in a reference of WMT newstest (sacreBLEU fork of isi-nlp, 1.4.13)
is of another text than ours; what it says of metrics must hold all the same. Deletions are on WMT22 German-English.
"""

import gzip
import math
from functools import cache
from pathlib import Path

import pytest
from scipy.stats import spearmanr

import tertium as tt

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
WMT22 = SHARED / "wmt22" / "de-en"

pytestmark = pytest.mark.skipif(not WMT22.is_dir(), reason=f"no WMT22 texts here ({WMT22})")

SYSTEMS = [
    "JDExploreAcademy",
    "LT22",
    "Lan-Bridge",
    "Online-A",
    "Online-B",
    "Online-G",
    "Online-W",
    "Online-Y",
    "PROMT",
]


def read(name: str) -> tt.Lines:
    return tt.Lines.from_bytes(gzip.decompress((WMT22 / f"{name}.gz").read_bytes()), name)


@cache
def reference_only() -> tt.TestSet:
    reference = read("ref.A")
    return tt.TestSet(segments=len(reference), references=tt.References((reference,), len(reference)))


@pytest.mark.parametrize("name", [*SYSTEMS[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in SYSTEMS[2:])])
def test_three_tenths_deleted(name: str) -> None:
    """BLEU loses about as much whichever end goes; MacroF nothing without the frequent, nearly all without the rare."""
    system = tt.System(name=name, outputs=read(f"systems/{name}"))
    result = tt.stress(
        reference_only(), system, "bleu,macrof", noises="delete,permute", aims="rarest,frequent", rates=[0.3], seeds=1,
        tokenize="13a",
    )  # fmt: skip
    left = {(curve.metric, curve.noise, curve.aim): curve.left[0] for curve in result.curves}
    assert 30 < left["bleu", "delete", "rarest"] < 45
    assert 30 < left["bleu", "delete", "frequent"] < 45
    assert left["macrof", "delete", "frequent"] > 98
    assert left["macrof", "delete", "rarest"] < 25
    assert left["macrof", "permute", "rarest"] == left["macrof", "permute", "frequent"] == 100


@pytest.mark.slow
def test_one_type_after_the_other() -> None:
    """The laws of their table, in theirs and ours: by n types, w words and a type's count c.

    MacroF keeps (n - 1) / (n + 1), whatever the type: it and its mask have F 0. MicroF weighs types by count + 1, so it
    loses the type's c + 1 and the mask's 1 of the weights w + n + 1. BLEU loses more by more frequent types.
    """
    text = gzip.decompress((SHARED / "macrof-paper" / "swapin-damage-lengthmatch.tsv.gz").read_bytes()).decode()
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    theirs = [(int(row[1]), float(row[2]), float(row[3]), float(row[4])) for row in rows]
    found = tt.type_damage(reference_only(), None, "bleu,macrof,microf", on="references", tokenize="13a")
    ours = [(item.count, item.left["bleu"], item.left["macrof"], item.left["microf"]) for item in found]
    words = sum(count for count, *_ in ours)
    total = words + len(ours) + 1
    for count, _, macrof, microf in ours:
        assert macrof == pytest.approx(100 * (len(ours) - 1) / (len(ours) + 1), abs=1e-9)
        assert microf == pytest.approx(100 * (1 - (count + 2) / total), abs=1e-9)
    # Theirs leaves a few types out, so that n and w are known from what MacroF and MicroF say.
    assert {macrof for _, _, macrof, _ in theirs} == {99.9699}
    weight = 3021 / (1 - 93.55369 / 100)  # of the, which comes 3019 times
    assert all(math.isclose(microf, 100 * (1 - (count + 2) / weight), abs_tol=2e-5) for count, _, _, microf in theirs)
    for table in (theirs, ours):
        counts, bleu, *_ = zip(*table, strict=True)
        assert spearmanr(counts, bleu).statistic < -0.9
        common = [b for c, b in zip(counts, bleu, strict=True) if c > 500]
        once = [b for c, b in zip(counts, bleu, strict=True) if c == 1]
        assert max(common) < 97 < 99.98 < min(once)
