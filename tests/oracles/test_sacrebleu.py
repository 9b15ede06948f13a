"""sacreBLEU 2.6.0 on WMT and SNMT data: BLEU and chrF of corpora and segments, TER's integer edits."""

from typing import Any

import pytest

from tertium.core.metric import Metric
from tertium.metrics.bleu import Bleu
from tertium.metrics.chrf import Chrf
from tertium.metrics.ter import Ter

from .files import check_difference, files_under, needs_oracles, only_some, read_jsonl, read_tsv, stats_of

pytestmark = needs_oracles

# Dataset, system, references: the first ones cover European text, two references, Chinese and Japanese.
PAIRS = [
    "wmt22.de-en.LT22.AB",
    "wmt22.en-zh.Manifold.AB",
    "wmt22.en-ja.KYB.A",
    "snmt.en-de.unmt.A",
    "snmt.de-en.snmt.A",
    "snmt.de-en.unmt.A",
    "snmt.en-de.snmt.A",
    "snmt.en-fr.snmt.A",
    "snmt.en-fr.unmt.A",
    "snmt.fr-en.snmt.A",
    "snmt.fr-en.unmt.A",
    "wmt22.de-en.JDExploreAcademy.A",
    "wmt22.de-en.JDExploreAcademy.AB",
    "wmt22.de-en.LT22.A",
    "wmt22.de-en.Online-A.A",
    "wmt22.de-en.Online-A.AB",
    "wmt22.en-de.Online-W.A",
    "wmt22.en-de.Online-W.AB",
    "wmt22.en-de.OpenNMT.A",
    "wmt22.en-de.OpenNMT.AB",
    "wmt22.en-ja.NT5.A",
    "wmt22.en-zh.Manifold.A",
    "wmt22.en-zh.Online-G.A",
    "wmt22.en-zh.Online-G.AB",
]
# The second reference alone was scored as a corpus only.
SECOND = [f"{pair.removesuffix('AB')}B" for pair in PAIRS if pair.endswith(".AB")]

OPTIONS = {
    "max_ngram_order": "order",
    "smooth_method": "smooth",
    "char_order": "chars",
    "word_order": "words",
    "eps_smoothing": "eps",
    "asian_support": "asian",
}


def split(pair: str) -> tuple[str, str, str]:
    dataset, system, references = pair.rsplit(".", 2)
    return dataset, system, references


def metric_of(record: dict[str, Any]) -> Metric:
    """sacreBLEU's constructor arguments in tertium's words."""
    cls: type[Metric] = {"BLEU": Bleu, "chrF": Chrf, "TER": Ter}[record.get("metric", "TER")]
    return cls(**{OPTIONS.get(name, name): value for name, value in record["opts"].items()})


def records_of(path: str, pair: str) -> list[dict[str, Any]]:
    return [r for r in read_jsonl(path) if f"{r['dataset']}.{r['hyp']}.{r['refs']}" == pair]


def needs_package_of(tokenize: str) -> None:
    if tokenize == "ja-mecab":
        pytest.importorskip("MeCab")
        pytest.importorskip("ipadic")


def test_no_file_is_left_out() -> None:
    """Every record and every file belongs to a pair above."""
    for path in ("sacrebleu/corpus.jsonl", "sacrebleu/ter.jsonl"):
        assert {f"{r['dataset']}.{r['hyp']}.{r['refs']}" for r in read_jsonl(path)} <= {*PAIRS, *SECOND}
    assert files_under("sacrebleu") == set(PAIRS)


@pytest.mark.parametrize("pair", only_some([*PAIRS, *SECOND], 4))
def test_corpus_scores(pair: str) -> None:
    records = records_of("sacrebleu/corpus.jsonl", pair)
    assert records
    for record in records:
        metric = metric_of(record)
        needs_package_of(record["opts"].get("tokenize", "none"))
        sums = stats_of(metric, *split(pair), record["n"]).sums()
        where = f"{pair} {record['opts']}"
        check_difference(record["metric"], float(metric.score(sums)), record["score"], where)
        if record["metric"] == "BLEU":
            parts = metric.parts(sums)
            if record["opts"].get("smooth_method") != "add-k":  # sacreBLEU adds k to the counts it shows
                assert parts["matches"] == record["counts"], where
                assert parts["totals"] == record["totals"], where
            assert parts["output_length"] == record["sys_len"]
            assert parts["reference_length"] == record["ref_len"]
            check_difference("BLEU brevity penalty", float(parts["brevity_penalty"]), record["bp"], where)
            for ours, theirs in zip(parts["precisions"], record["precisions"], strict=True):
                check_difference("BLEU precision", float(ours), theirs, where)


def segment_metrics(tokenize: str) -> dict[str, tuple[Metric, bool]]:
    """The columns of the segment files: the metric, and whether its order is the effective one."""
    words = {"tokenize": tokenize}
    return {
        "bleu_eff_exp": (Bleu(**words), True),
        "bleu_noeff_exp": (Bleu(**words), False),
        "bleu_eff_floor": (Bleu(smooth="floor", **words), True),
        "bleu_eff_addk": (Bleu(smooth="add-k", **words), True),
        "bleu_eff_none": (Bleu(smooth="none", **words), True),
        "bleu_noeff_none": (Bleu(smooth="none", **words), False),
        "bleu_eff_exp_lc": (Bleu(lowercase=True, **words), True),
        "chrf": (Chrf(), False),
        "chrfpp": (Chrf(words=2), False),
        "chrf_b1": (Chrf(beta=1), False),
        "chrf_eps": (Chrf(eps=True), False),
        "chrf_ws": (Chrf(whitespace=True), False),
    }


@pytest.mark.parametrize("pair", only_some(PAIRS, 4))
def test_segment_scores(pair: str) -> None:
    """The file has twelve digits, so that many are compared."""
    tokenize = {"zh": "zh", "ja": "ja-mecab"}.get(pair.split(".")[1].split("-")[1], "13a")
    needs_package_of(tokenize)
    header, rows = read_tsv(f"sacrebleu/seg.{pair}.tsv.gz")
    assert [row[0] for row in rows] == [str(k) for k in range(len(rows))]
    metrics = segment_metrics(tokenize)
    assert header == ["seg", *metrics]
    for k, (name, (metric, effective)) in enumerate(metrics.items(), start=1):
        stats = stats_of(metric, *split(pair), len(rows)).segments()
        scores = metric.segment_score(stats) if effective else metric.score(stats)  # type: ignore[attr-defined]
        for i, (ours, row) in enumerate(zip(scores, rows, strict=True)):
            check_difference(f"{metric.title} of segments", float(ours), float(row[k]), f"{pair} {name} {i}")
            assert float(ours) == pytest.approx(float(row[k]), rel=1e-11, abs=1e-11), (pair, name, i)


TER_PAIRS = [
    "wmt22.de-en.LT22.AB",
    "snmt.de-en.snmt.A",
    "snmt.en-de.unmt.A",
    "wmt22.en-zh.Manifold.A",
    "snmt.de-en.unmt.A",
]


@pytest.mark.parametrize("pair", only_some(TER_PAIRS, 4))
def test_translation_edits(pair: str) -> None:
    """Integer edits and reference lengths of every segment."""
    records = records_of("sacrebleu/ter.jsonl", pair)
    assert records
    for record in records:
        metric = metric_of(record)
        stats = stats_of(metric, *split(pair), record["n"])
        assert stats.segments()[:, 0].tolist() == record["seg_edits"]
        assert stats.segments()[:, 1].tolist() == record["seg_reflen"]
        sums = stats.total()
        assert sums.tolist() == [record["num_edits"], record["ref_length"]]
        check_difference("TER", float(metric.score(sums)), record["score"], f"{pair} {record['opts']}")


def test_no_ter_record_is_left_out() -> None:
    found = {f"{r['dataset']}.{r['hyp']}.{r['refs']}" for r in read_jsonl("sacrebleu/ter.jsonl")}
    assert found == set(TER_PAIRS)
