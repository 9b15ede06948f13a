"""Types of two systems side by side, against the tables that the authors of MacroF published.

Gowda et al. (2021): typeperf.*.mc.tsv.gz, a table for each system, from the authors' fork of sacreBLEU (isi-nlp,
version 1.4.13, commit 44f17a8). Their counts are put into buckets and averaged here in plain Python.
"""

import gzip

import pytest
from reference.contrast import bucket_of

import tertium as tt
from tertium.analysis.contrast import BOUNDS

from .files import ORACLES, check_difference, needs_oracles, only_some, read_lines

pytestmark = needs_oracles

PAIRS = ["de-en", "fr-en", "en-de", "en-fr"]


def published(pair: str, system: str) -> dict[str, tuple[int, int, int]]:
    """References, outputs and matches of every type."""
    data = (ORACLES / "macrof" / "published" / f"typeperf.{pair}.{system}.mc.tsv.gz").read_bytes()
    rows = gzip.decompress(data).decode().removesuffix("\n").split("\n")[5:]
    cells = (row.split("\t") for row in rows)
    return {row[0].rstrip(" "): (int(row[2]), int(row[3]), int(row[4])) for row in cells}


def evaluation(pair: str) -> tt.Evaluation:
    dataset = f"snmt.{pair}"
    references = read_lines(dataset, "ref.A")
    testset = tt.TestSet(segments=len(references), references=tt.References((references,), len(references)))
    systems = [tt.System(name=name, outputs=read_lines(dataset, f"hyp.{name}")) for name in ("snmt", "unmt")]
    return tt.evaluate(testset, systems, "macrof")


@pytest.mark.parametrize("pair", only_some(PAIRS, 2))
def test_buckets_and_curve(pair: str) -> None:
    found = tt.compare_types(evaluation(pair), "snmt", "unmt", trials=0)
    for side, system in (("a", "snmt"), ("b", "unmt")):
        table = published(pair, system)
        groups: list[list[str]] = [[] for _ in range(len(BOUNDS) + 2)]
        for word, (refs, _, _) in table.items():
            groups[bucket_of(refs, BOUNDS)].append(word)
        f = {word: 200 * match / (refs + preds) for word, (refs, preds, match) in table.items()}
        for bucket, words in zip(found.buckets, [*groups, list(table)], strict=True):
            ours = getattr(bucket, side)
            sums = [sum(table[word][k] for word in words) for k in range(3)]
            assert (ours.types, [bucket.references, ours.outputs, ours.matches]) == (len(words), sums)
            check_difference("mean F of buckets", ours.f, sum(f[word] for word in words) / len(words), bucket.name)
        known = sorted((word for word in table if table[word][0]), key=lambda word: (-table[word][0], word))
        total = 0.0
        for rank, (word, point) in enumerate(zip(known, found.curve(), strict=True), start=1):
            total += f[word]
            check_difference("mean F by rank", getattr(point, side), total / rank, (word, rank))
