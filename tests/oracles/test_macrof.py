"""The authors' fork of sacreBLEU (isi-nlp, version 1.4.13, commit 44f17a8): MacroF and MicroF; and the paper's tables.

`sacrebleu REF -m macrof --rebleu-beta=1 -b < HYP`; `microf`, `-lc`, `-sv k`, `-tok`.
"""

import gzip
from typing import NamedTuple

import pytest

from tertium.core.evaluation import row_scores
from tertium.core.metric import Metric
from tertium.metrics.macrof import Macrof
from tertium.metrics.microf import Microf

from .files import ORACLES, check_difference, files_under, needs_oracles, only_some, read_tsv, stats_of

pytestmark = needs_oracles


class Record(NamedTuple):
    dataset: str
    hyp: str
    refs: str
    metric: str
    beta: float
    k: float
    tok: str
    lc: bool
    score: float
    hyp_len: int
    ref_len: int
    n_types: int

    @property
    def pair(self) -> str:
        return f"{self.dataset}.{self.hyp}.{self.refs}"


def read_records() -> list[Record]:
    if not ORACLES.is_dir():
        return []
    header, *rows = (ORACLES / "macrof" / "corpus.tsv").read_text().splitlines()
    assert tuple(header.split("\t")) == Record._fields
    kinds = (str, str, str, str, float, float, str, lambda text: text == "True", float, int, int, int)
    return [Record(*(kind(cell) for kind, cell in zip(kinds, row.split("\t"), strict=True))) for row in rows]


# The fork's order-4 variants, macrobleu and microbleu, are not in the paper and not in tertium.
RECORDS = [record for record in read_records() if record.metric in ("macrof", "microf")]
# First European text, two references, Chinese with zh, Japanese with char.
FIRST = ["snmt.de-en.snmt.A", "wmt22.de-en.LT22.AB", "wmt22.en-zh.Manifold.AB", "wmt22.en-ja.KYB.A"]
PAIRS = [*FIRST, *sorted({record.pair for record in RECORDS} - {*FIRST})]


def metric_of(record: Record) -> Metric:
    options = {"beta": record.beta, "tokenize": record.tok, "lowercase": record.lc}
    return Macrof(**options) if record.metric == "macrof" else Microf(k=record.k, **options)


def test_no_record_is_left_out() -> None:
    assert len(RECORDS) == 31 * 7  # 31 corpora: F1, mixed and lower case, and F2 of both; MicroF with k = 5
    assert {record.k for record in RECORDS} == {1, 5}
    assert {record.tok for record in RECORDS} == {"13a", "zh", "char"}


@pytest.mark.parametrize("pair", only_some(PAIRS, 8))
def test_corpora(pair: str) -> None:
    for record in (record for record in RECORDS if record.pair == pair):
        metric = metric_of(record)
        sums = stats_of(metric, record.dataset, record.hyp, record.refs).total()
        check_difference(metric.title, float(metric.score(sums)), record.score, record)
        parts = metric.parts(sums)  # type: ignore[attr-defined]
        assert (parts["types"], parts["output_length"]) == (record.n_types, record.hyp_len)
        if len(record.refs) == 1:  # with several, the fork shows the length of the closest and we the counts' sum
            assert parts["reference_length"] == record.ref_len


def test_the_figures_of_the_paper() -> None:
    """de-en, SNMT: 38.45218180258945, 58.728343784960515, 10335 types."""
    for metric, score in ((Macrof(), 38.45218180258945), (Microf(), 58.728343784960515)):
        sums = stats_of(metric, "snmt.de-en", "snmt", "A").total()
        assert float(metric.score(sums)) == pytest.approx(score, abs=1e-9)
        assert metric.parts(sums)["types"] == 10335


SEGMENTS = [
    *FIRST,
    *sorted(files_under("macrof") - {*FIRST}),
]


@pytest.mark.parametrize("pair", only_some(SEGMENTS, 6))
def test_segments(pair: str) -> None:
    dataset, system, references = pair.rsplit(".", 2)
    header, rows = read_tsv(f"macrof/seg.{pair}.tsv.gz")
    assert header == ["seg", "macrof1", "microf1"]
    assert [row[0] for row in rows] == [str(k) for k in range(300)]
    tokenize = {"zh": "zh", "ja": "char"}.get(dataset.split("-")[1], "13a")
    for column, metric in ((1, Macrof(tokenize=tokenize)), (2, Microf(tokenize=tokenize))):
        stats = stats_of(metric, dataset, system, references, 300)
        ours, _ = row_scores(metric, stats, metric.score)
        dense = metric.score(stats.segments())
        for k, row in enumerate(rows):
            check_difference(f"{metric.title} of segments", ours[k], float(row[column]), f"{pair} {k}")
            assert dense[k] == pytest.approx(ours[k], rel=1e-13)


PUBLISHED = sorted(path.name for path in (ORACLES / "macrof" / "published").glob("typeperf.*.tsv.gz"))


def test_all_sixteen_tables_are_there() -> None:
    assert len(PUBLISHED) == 16


@pytest.mark.parametrize("name", only_some(PUBLISHED, 4))
def test_published_tables(name: str) -> None:
    """Every type with its counts, and precision, recall and F to the two decimals that were printed."""
    from tertium.analysis.types import type_table

    _, pair, system, case, *_ = name.split(".")
    metric = Macrof(lowercase=case == "lc")
    stats = stats_of(metric, f"snmt.{pair}", system, "A")
    ours = {row.type: row for row in type_table(stats, metric)}
    text = gzip.decompress((ORACLES / "macrof" / "published" / name).read_bytes()).decode()
    heading, _, _, _, header, *rows = text.removesuffix("\n").split("\n")
    assert header.split() == "Type Score Refs Preds Match F1 Precisn Recall".split()
    assert float(heading.split()[1]) == pytest.approx(float(metric.score(stats.total())), abs=0.0051)
    seen = set()
    for row in rows:
        cells = row.split("\t")
        mine = ours[cells[0].rstrip(" ")]
        seen.add(mine.type)
        assert [mine.references, mine.outputs, mine.matches] == [int(cell) for cell in cells[2:5]], row
        for value, cell in zip((mine.f, mine.f, mine.precision, mine.recall), (cells[1], *cells[5:]), strict=True):
            assert value == pytest.approx(float(cell), abs=0.0050001), row
    assert seen == ours.keys()
