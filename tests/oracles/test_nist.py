"""mteval-v13m.pl (Perl 5.36) and NLTK 3.10.4 (corpus_nist, n=5) on the first 500 segments of each dataset.

mteval's flags: none (lower-cases A-Z), -c (case), --international-tokenization; --no-smoothing and --brevity-penalty
concern its BLEU alone.
"""

from typing import Any

import pytest

from tertium.core.evaluation import segment_scores
from tertium.metrics.nist import Nist

from .files import ORACLES, check_difference, needs_oracles, read_jsonl, read_tsv, stats_of

pytestmark = needs_oracles

RECORDS = read_jsonl("nist/mteval-system.jsonl") if ORACLES.is_dir() else []
NLTK = read_jsonl("nist/nltk.jsonl") if ORACLES.is_dir() else []
SEGMENTS = sorted(path.name for path in (ORACLES / "nist").glob("mteval-seg.*.tsv.gz"))


def name_of(record: dict[str, Any]) -> str:
    return ".".join(str(record[key]) for key in ("dataset", "hyp", "refs", "tag"))


def metric_of(tag: str) -> Nist:
    tokenize = "intl" if tag.startswith("intl") else "13a"
    return Nist(compat="mteval", tokenize=tokenize, lowercase="case" not in tag)


def test_no_file_is_left_out() -> None:
    assert len(RECORDS) == 19
    assert len(NLTK) == 21
    assert len(SEGMENTS) == 14
    assert {tag for record in RECORDS if (tag := record["tag"])} == {
        "default", "case", "intl.case", "shortest", "nosmooth",
    }  # fmt: skip
    assert {path.name for path in (ORACLES / "nist").iterdir()} == {
        "README.md", "mteval-system.jsonl", "nltk.jsonl", *SEGMENTS,
    }  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_systems(record: dict[str, Any]) -> None:
    metric = metric_of(record["tag"])
    sums = stats_of(metric, record["dataset"], record["hyp"], record["refs"], record["n"]).sums()
    check_difference("NIST (mteval)", metric.score(sums), float(record["nist"]), name_of(record))


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_systems_by_order(record: dict[str, Any]) -> None:
    """mteval's table, which has four decimals: the contribution of each order, and the score of each order."""
    lines = [line.split() for line in record["table"].splitlines() if line.startswith(" NIST:")]
    individual, cumulative = ([float(number) for number in line[1:10]] for line in lines)
    for order in range(1, 10):
        metric = Nist(**{**vars(metric_of(record["tag"])), "order": order})
        sums = stats_of(metric, record["dataset"], record["hyp"], record["refs"], record["n"]).sums()
        parts = metric.parts(sums)
        assert metric.score(sums) == pytest.approx(cumulative[order - 1], abs=5.1e-5)
        assert parts["information"][-1] * parts["length_penalty"] == pytest.approx(individual[order - 1], abs=5.1e-5)


@pytest.mark.parametrize("name", SEGMENTS)
def test_segments(name: str) -> None:
    dataset, system, references, tag = name.removeprefix("mteval-seg.").removesuffix(".tsv.gz").rsplit(".", 3)
    header, rows = read_tsv(f"nist/{name}")
    assert header == ["seg", "nist", "bleu"]
    assert [row[0] for row in rows] == [str(k) for k in range(500)]
    metric = metric_of(tag)
    scores = segment_scores(metric, stats_of(metric, dataset, system, references, 500).segments())
    for k, (ours, row) in enumerate(zip(scores, rows, strict=True)):
        check_difference("NIST of segments (mteval)", float(ours), float(row[1]), f"{name} {k}")


@pytest.mark.parametrize("record", NLTK, ids=lambda r: f"{r['dataset']}.{r['hyp']}.{r['refs']}.{r['tok']}")
def test_nltk(record: dict[str, Any]) -> None:
    """Equal with one reference. With several NLTK is another metric: it takes the best reference for each order."""
    tokenize = "none" if record["tok"] == "whitespace" else "13a"
    for order, score in ((5, record["score"]), (1, record["score_n1"])):
        metric = Nist(order=order, tokenize=tokenize, lowercase=record["tok"] == "13a+lower")
        ours = metric.score(stats_of(metric, record["dataset"], record["hyp"], record["refs"], record["n_segs"]).sums())
        if score is not None and len(record["refs"]) == 1:
            check_difference("NIST (NLTK)", ours, score, record)
        elif score is not None:
            assert ours > score + 0.5


def test_what_the_quirk_of_mteval_is_worth() -> None:
    """A history that is the single word "0" counts as none: .001 here, and at most .003 in any of the files."""
    metrics = [Nist(compat=compat, lowercase=True) for compat in ("mteval", "none")]
    ours = [metric.score(stats_of(metric, "snmt.de-en", "snmt", "A", 500).sums()) for metric in metrics]
    assert ours == pytest.approx([7.312412012752664, 7.311343532552178], abs=1e-12)
