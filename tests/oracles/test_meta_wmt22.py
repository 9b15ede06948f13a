"""WMT22 to English: every cell of the system- and segment-level tables, from published segment scores.

Expected values: mt-metrics-eval (commit 68a481a, module `stats`), scipy 1.17.1, sacreBLEU 2.6.0; tie calibration also
by a program in whole numbers. Values are printed with eight decimals; SPA is by single-precision sums there.
"""

import csv
import dataclasses
import gzip
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import tertium as tt
from tertium.inference.averages import average
from tertium.inference.correlation_tests import permuted_pearson, williams
from tertium.inference.correlations import pearson, spearman, tau_b
from tertium.inference.flips import Accuracy, pairwise_accuracy, soft_pairwise_accuracy
from tertium.inference.join import segment_agreement
from tertium.inference.pair_permutation import Tied, permuted_pairs
from tertium.inference.pairs import difference_pearson, kendall_like
from tertium.inference.ties import calibrate
from tertium.io.ratings.formats import read_ratings
from tertium.io.ratings.segment_scores import campaign_order, read_segment_scores
from tertium.meta.arrays import read_tables
from tertium.meta.evaluate import pool

from .files import LARGEST, ORACLES, needs_oracles, only_some

pytestmark = needs_oracles

EXACT, SOFT, RANDOM = 1e-6, 1e-3, 0.03
PAIRS = ("cs-en", "de-en", "ja-en", "liv-en", "ru-en", "uk-en", "zh-en")
COLUMNS = {"sentBLEU": "sentBLEU", "sent-chrF2": "chrF2", "chrF2": "chrF2"}


class Tables(NamedTuple):
    """Systems x segments, systems in the order of their names. # (s, n)"""

    z: np.ndarray
    raw: np.ndarray
    metrics: dict[str, np.ndarray]


@cache
def rows(name: str) -> list[dict[str, str]]:
    path = ORACLES / "meta" / name
    with gzip.open(path, "rt") if name.endswith(".gz") else path.open() as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def tables(pair: str) -> Tables:
    here = [row for row in rows("wmt22-toen-segments.tsv.gz") if row["lp"] == pair]
    systems = sorted({row["system"] for row in here})
    number = {name: k for k, name in enumerate(systems)}
    segments = max(int(row["sid"]) for row in here)

    def table(column: str) -> np.ndarray:
        values = np.full((len(systems), segments), np.nan)
        for row in here:
            if row[column]:
                values[number[row["system"]], int(row["sid"]) - 1] = float(row[column])
        return values

    return Tables(table("human_z"), table("human_raw"), {name: table(name) for name in ("sentBLEU", "chrF2")})


def check(what: str, ours: float, theirs: str, tolerance: float, where: object) -> None:
    difference = abs(ours - float(theirs))
    LARGEST[f"meta {what}"] = max(LARGEST.get(f"meta {what}", 0.0), difference)
    assert difference <= tolerance, (what, where, ours, theirs)


@pytest.mark.parametrize("pair", PAIRS)
def test_segment_level(pair: str) -> None:
    found = tables(pair)
    expected = [row for row in rows("wmt22-toen-seg-correlations.tsv") if row["lp"] == pair]
    assert len(expected) == 2
    for row in expected:
        metric = found.metrics[COLUMNS[row["metric"]]]
        names = {"pearson": "pearson", "kendall_b": "tau_b", "spearman": "spearman"}
        for theirs, ours in names.items():
            for suffix, by in (("none", "none"), ("item", "item"), ("sys", "system")):
                value = average(found.z, metric, ours, by).value
                check(f"{ours} {by}", value, row[f"{theirs}_{suffix}"], EXACT, row)
        check("acc_eq, eps 0", average(found.z, metric, "acc_eq", "item").value, row["acc23_item_eps0"], EXACT, row)
        check("tau_eq, eps 0", average(found.z, metric, "tau_eq", "item").value, row["tau23_item_eps0"], EXACT, row)
        check("PDP", difference_pearson(found.z, metric).value, row["pearson_pdp_item"], EXACT, row)
        best = calibrate(found.z, metric)
        check("acc_eq", best.acc_eq, row["acc_eq_item"], EXACT, row)
        check("eps", best.eps, row["acc_eq_eps"], EXACT, row)
        like = kendall_like(found.raw, metric, 25)
        check("Kendall-like", like.value, row["KendallLike_raw25_item"], EXACT, row)
        assert like.pairs == int(row["KendallLike_pairs"])
        assert average(found.z, metric, "pearson").n == int(row["n_gold"])


@pytest.mark.parametrize("pair", PAIRS)
def test_systems_by_the_means_of_segments(pair: str) -> None:
    found = tables(pair)
    for row in (row for row in rows("wmt22-toen-seg-correlations.tsv") if row["lp"] == pair):
        metric = found.metrics[COLUMNS[row["metric"]]]
        whole = ~np.isnan(found.z).any(axis=0)
        means = found.z[:, whole].mean(axis=1), metric[:, whole].mean(axis=1)
        spa, n, _ = soft_pairwise_accuracy(found.z, metric, trials=1000, seed=4)
        assert n == int(row["n_full"])
        check("SPA", spa, row["SPA_full_k1000_seed4"], SOFT, row)
        check("accuracy of means", pairwise_accuracy(*means).value, row["PA_full"], EXACT, row)
        check("pearson of means", pearson(*means).value, row["pearson_sys_full"], EXACT, row)


METRICS = ("BLEU", "chrF2", "MacroF1", "MicroF1", "COMET20_pub")


def system_scores(pair: str, metric: str) -> list[float]:
    """Scores of systems, or people's, in the order of their names."""
    here = [row for row in rows("wmt22-toen-sys-scores.tsv") if row["lp"] == pair]
    return [float(row[metric]) for row in sorted(here, key=lambda row: row["system"])]


def test_system_level() -> None:
    expected = rows("wmt22-toen-sys-correlations.tsv")
    assert {(row["lp"], row["metric"]) for row in expected} == {(pair, name) for pair in PAIRS for name in METRICS}
    pooled = dict.fromkeys(METRICS, Accuracy(0, 0))
    for row in expected:
        gold, metric = (system_scores(row["lp"], name) for name in ("human_z", row["metric"]))
        check("system pearson", pearson(gold, metric).value, row["pearson"], EXACT, row)
        check("system spearman", spearman(gold, metric).value, row["spearman"], EXACT, row)
        check("system tau_b", tau_b(gold, metric).value, row["kendall_b"], EXACT, row)
        check("system tau_b p", tau_b(gold, metric).p, row["kendall_p"], EXACT, row)
        accuracy = pairwise_accuracy(gold, metric)
        assert accuracy == (int(row["agree"]), int(row["pairs"]))
        check("accuracy", accuracy.value, row["pairwise_acc"], EXACT, row)
        pooled[row["metric"]] = pooled[row["metric"]].pooled(accuracy)
    for row in rows("wmt22-toen-global-accuracy.tsv"):
        assert pooled[row["metric"]] == (int(row["agree"]), int(row["pairs"]))
        check("pooled accuracy", pooled[row["metric"]].value, row["acc"], EXACT, row)


def test_significance_between_metrics() -> None:
    expected = rows("wmt22-toen-significance.tsv")
    assert len(expected) == 35
    for row in expected:
        if row["level"] == "sys":
            gold, first, second = (
                np.array(system_scores(row["lp"], name)) for name in ("human_z", row["metric1"], row["metric2"])
            )
        else:
            found = tables(row["lp"])
            gold, first, second = found.z, *(found.metrics[COLUMNS[row[name]]] for name in ("metric1", "metric2"))
        delta = pearson(gold, second).value - pearson(gold, first).value
        check("difference", delta, row["delta"], EXACT, row)
        p = williams(gold, first, second)
        check("Williams", min(p, 1 - p), row["williams_p"], EXACT, row)
        assert (p < 0.5) == (delta > 0)
        drawn = permuted_pearson(gold, first, second, trials=int(row["k"])).p("one")
        check("PERM-BOTH", drawn, row["perm_both_p"], RANDOM, row)


def swapped_by_a_loop(gold: np.ndarray, sides: list[np.ndarray], eps: list[float], trials: int) -> tuple[float, float]:
    """PERM-PAIRS as it is described, one trial after the other: the difference, and p for one side."""
    first, second = np.triu_indices(len(gold), 1)
    known = ~np.isnan(gold + sides[0] + sides[1])
    both = known[first] & known[second]
    said = [
        np.where(abs(gaps) <= most, 0, np.sign(gaps))
        for gaps, most in ((table[first] - table[second], most) for table, most in zip(sides, eps, strict=True))
    ]
    people, judged = np.sign(gold[first] - gold[second]), both.any(axis=0)

    def accuracy(answers: np.ndarray) -> float:
        return float((((answers == people) & both).sum(axis=0)[judged] / both.sum(axis=0)[judged]).mean())

    observed, rng, large = accuracy(said[1]) - accuracy(said[0]), np.random.default_rng(77), 0
    for _ in range(trials):
        kept = rng.random(said[0].shape) < 0.5
        gain = accuracy(np.where(kept, said[1], said[0])) - accuracy(np.where(kept, said[0], said[1]))
        large += gain >= observed - 1e-12
    return observed, large / trials


@pytest.mark.parametrize("step", [None, 10, 25])
def test_perm_pairs_beside_a_loop(step: int | None) -> None:
    found = tables("liv-en")
    gold = found.z if step is None else np.floor(np.minimum(found.raw, 99.999) / step)
    sides = [found.metrics[name] for name in ("sentBLEU", "chrF2")]
    eps = [calibrate(gold, side).eps for side in sides]
    theirs, p = swapped_by_a_loop(gold, sides, eps, 1000)
    tied = {name: Tied(side, most) for name, side, most in zip("ab", sides, eps, strict=True)}
    ours = permuted_pairs(gold, tied, trials=1000)["a", "b"]
    assert ours.observed == pytest.approx(theirs, abs=1e-12)
    assert ours.p("one") == pytest.approx(p, abs=RANDOM)


def test_tie_calibration_where_people_tie_often() -> None:
    expected = rows("wmt22-ties-calibration-bucketed-gold.tsv")
    assert len(expected) == 28
    degenerate = 0
    for row in expected:
        found = tables(row["lp"])
        step = int(row["gold"].rsplit("/", 1)[1].rstrip(")"))
        gold = np.floor(np.minimum(found.raw, 99.999) / step)
        metric = found.metrics[row["metric"]]
        best = calibrate(gold, metric)
        check("acc_eq, bucketed", best.acc_eq, row["acc_eq_exact"], EXACT, row)
        check("tau_eq, bucketed", best.tau_eq, row["tau23_opt"], EXACT, row)
        check("eps, lowest", best.eps, row["eps_exact_min"], EXACT, row)
        check("eps, highest", best.highest_eps, row["eps_exact_max"], EXACT, row)
        assert best.pairs == int(row["n_pairs"])
        check("gold ties", best.gold_tied, row["gold_tied_share"], EXACT, row)
        if row["eps"] == row["eps_exact_min"]:  # the share is that of the other program's eps
            check("metric ties", best.tied, row["metric_tied_share_at_eps"], EXACT, row)
        plain = average(gold, metric, "acc_eq", "item").value
        check("acc_eq, bucketed, eps 0", plain, row["acc23_eps0"], EXACT, row)
        degenerate += best.degenerate
    assert degenerate == 21


# From the texts, with tertium's own metrics

WITH_TEXTS = ("liv-en", "cs-en", "de-en", "ja-en", "ru-en", "uk-en")
FIRST = only_some(list(WITH_TEXTS), 1)
# The table of the README beside the oracle files: Pearson of segment means with chrF2 under the right join, and under
# one that takes SID for a line of the text.
JOINED = dict(zip(PAIRS, (0.565, 0.594, 0.651, 0.401, 0.609, 0.508, 0.507), strict=True))
MISTAKEN = dict(zip(PAIRS, (0.031, 0.010, -0.005, 0.030, 0.032, -0.028, 0.065), strict=True))


def texts(pair: str, name: str) -> tt.Lines:
    """As sacreBLEU read them: a byte order mark (uk-en, PROMT) is part of the first line."""
    text = gzip.decompress((ORACLES.parent / "data" / "wmt22" / pair / name).read_bytes()).decode()
    return tt.Lines.of(text.removesuffix("\n").split("\n"))


@cache
def evaluation(pair: str) -> tt.Evaluation:
    reference = texts(pair, "ref.B.gz" if pair == "cs-en" else "ref.A.gz")
    testset = tt.TestSet(
        name=pair,
        segments=len(reference),
        references=tt.References((reference,), len(reference)),
        documents=tuple(str(name) for name in texts(pair, "docs.gz")),
    )
    folder = ORACLES.parent / "data" / "wmt22" / pair / "systems"
    systems = [
        tt.System(name=path.name[:-3], outputs=texts(pair, f"systems/{path.name}")) for path in sorted(folder.iterdir())
    ]
    return tt.evaluate(testset, systems, ["bleu", "chrf"])


def people(pair: str, column: str, order: str = "documents") -> dict[str, np.ndarray]:
    path = ORACLES / "human" / "wmt22-toen" / f"{pair.replace('liv', 'lv')}.expected-seg.tsv.gz"
    return read_segment_scores(path, evaluation(pair).testset, column, order=order)


@pytest.mark.parametrize("pair", FIRST)
def test_the_join_is_the_published_one(pair: str) -> None:
    order = campaign_order(evaluation(pair).testset)
    lines = {int(row["sid"]): int(row["line"]) for row in rows("wmt22-toen-segments.tsv.gz") if row["lp"] == pair}
    assert [line + 1 for line in order] == [lines[sid] for sid in range(1, len(order) + 1)]
    assert len(order) == len(evaluation(pair).testset)


@pytest.mark.parametrize("pair", FIRST)
def test_from_texts(pair: str) -> None:
    found = tt.meta_evaluate(evaluation(pair), people(pair, "z"), levels=["system", "segment"])
    raw = tt.meta_evaluate(evaluation(pair), people(pair, "raw"), levels=["segment"], threshold=25)
    for row in (row for row in rows("wmt22-toen-sys-correlations.tsv") if row["lp"] == pair):
        name = {"BLEU": "bleu", "chrF2": "chrf"}.get(row["metric"])
        if name is None:
            continue
        assert len(found.systems) == int(row["n_sys"])
        for theirs, ours in (("pearson", "pearson"), ("spearman", "spearman"), ("kendall_b", "tau_b")):
            check(f"texts, system {ours}", found.find(name, ours).value, row[theirs], EXACT, row)
        check("texts, system tau_b p", found.find(name, "tau_b").p, row["kendall_p"], EXACT, row)
        check("texts, accuracy", found.find(name, "accuracy").value, row["pairwise_acc"], EXACT, row)
        assert found.find(name, "accuracy").agree == int(row["agree"])
    for row in (row for row in rows("wmt22-toen-seg-correlations.tsv") if row["lp"] == pair):
        name = {"sentBLEU": "bleu", "sent-chrF2": "chrf"}[row["metric"]]
        for theirs, ours in (("pearson", "pearson"), ("kendall_b", "tau_b"), ("spearman", "spearman")):
            for suffix, by in (("none", "none"), ("item", "item"), ("sys", "system")):
                value = found.find(name, ours, "segment", by).value
                check(f"texts, {ours} {by}", value, row[f"{theirs}_{suffix}"], EXACT, row)
        for ours, theirs in (
            ("difference_pearson", "pearson_pdp_item"),
            ("acc_eq", "acc23_item_eps0"),
            ("tau_eq", "tau23_item_eps0"),
            ("acc_eq_calibrated", "acc_eq_item"),
        ):
            check(f"texts, {ours}", found.find(name, ours, "segment", "item").value, row[theirs], EXACT, row)
        assert found.find(name, "acc_eq_calibrated", "segment", "item").eps == 0 == float(row["acc_eq_eps"])
        like = raw.find(name, "kendall_like", "segment", "item")
        check("texts, Kendall-like", like.value, row["KendallLike_raw25_item"], EXACT, row)
        assert like.n == int(row["KendallLike_pairs"])
        soft = found.find(name, "spa")
        check("texts, SPA in the order of lines", soft.value, row["SPA_full_k1000_seed4"], RANDOM, row)
        assert (soft.n, found.judged) == (int(row["n_full"]), int(row["n_gold"]))
        order = campaign_order(evaluation(pair).testset)  # so that the same masks meet the same segments
        in_order = read_tables(evaluation(pair), people(pair, "z"))
        [metric] = [scores.segments for scores in in_order.metrics if scores.name == name]
        again = soft_pairwise_accuracy(in_order.gold.segments[:, order], metric[:, order])[0]
        check("texts, SPA", again, row["SPA_full_k1000_seed4"], SOFT, row)


@pytest.mark.slow
def test_accuracy_pooled_from_texts() -> None:
    """Six of the seven pairs have texts: the published counts without zh-en."""
    found = pool([tt.meta_evaluate(evaluation(pair), people(pair, "z"), levels=["system"]) for pair in WITH_TEXTS])
    for theirs, ours in (("BLEU", "bleu"), ("chrF2", "chrf")):
        expected = [row for row in rows("wmt22-toen-sys-correlations.tsv") if row["metric"] == theirs]
        counts = [sum(int(row[key]) for row in expected if row["lp"] in WITH_TEXTS) for key in ("agree", "pairs")]
        [score] = [score for score in found if (score.metric, score.statistic) == (ours, "accuracy")]
        assert [score.agree, score.n] == counts
        assert score.value == counts[0] / counts[1]


@pytest.mark.parametrize("pair", PAIRS)
def test_segment_means_show_a_wrong_join(pair: str) -> None:
    found = tables(pair)
    chrf = found.metrics["chrF2"]
    mistaken = np.empty_like(chrf)
    for row in rows("wmt22-toen-segments.tsv.gz"):
        if row["lp"] == pair:
            mistaken[:, int(row["line"]) - 1] = chrf[:, int(row["sid"]) - 1]
    assert segment_agreement(found.z, chrf).value == pytest.approx(JOINED[pair], abs=5.1e-4)
    assert segment_agreement(found.z, mistaken).value == pytest.approx(MISTAKEN[pair], abs=5.1e-4)


@pytest.mark.parametrize("pair", FIRST)
def test_a_wrong_join_is_refused_unless_it_is_trusted(pair: str) -> None:
    wrong = people(pair, "z", "lines")
    with pytest.raises(
        tt.TertiumError, match=rf"^test set {pair}: scores by people do not seem .* segments correlate -?0\.0"
    ):
        tt.meta_evaluate(evaluation(pair), wrong)
    trusted = tt.meta_evaluate(evaluation(pair), wrong, levels=["segment"], trust_join=True)
    right = next(row for row in rows("wmt22-toen-seg-correlations.tsv") if row["lp"] == pair)
    assert trusted.judged == int(right["n_gold"])
    assert trusted.find("chrf", "pearson", "segment").value < float(right["pearson_none"]) / 2


def test_one_broken_system_carries_japanese() -> None:
    """The README's figures, to three decimals: tau-b by item without AIST."""
    found = tables("ja-en")
    systems = sorted({row["system"] for row in rows("wmt22-toen-segments.tsv.gz") if row["lp"] == "ja-en"})
    rest = [k for k, name in enumerate(systems) if name != "AIST"]
    values = [
        average(found.z[rest], found.metrics[name][rest], "tau_b", "item").value for name in ("sentBLEU", "chrF2")
    ]
    assert [round(value, 3) for value in values] == [0.094, 0.108]


@pytest.mark.slow
def test_the_broken_system_is_named() -> None:
    found = tt.meta_evaluate(evaluation("ja-en"), people("ja-en", "z"), levels=["system"])
    [warning] = found.warnings
    assert warning.startswith(
        "ja-en: far from the other systems: AIST; without it, Pearson r by systems goes from 0.952 to "
    )


@pytest.mark.parametrize("pair", only_some(["liv-en", "cs-en"], 1))
def test_from_raters(pair: str) -> None:
    """The whole way: raters' points, standardised per rater, joined with texts by number, against BLEU and chrF.

    Published z-scores carry rounding errors that break ties between equal judgements, ours do not: so statistics of
    order are compared with those of the published scores rounded to nine decimals.
    """
    counted = evaluation(pair)
    ids = [""] * len(counted.testset)
    for sid, segment in enumerate(campaign_order(counted.testset), 1):
        ids[segment] = str(sid)
    testset = dataclasses.replace(counted.testset, ids=tuple(ids))
    path = ORACLES / "human" / "wmt22-toen" / f"{pair.replace('liv', 'lv')}.judgments.tsv.gz"
    _, answers = read_ratings(path, testset=testset)
    named = tuple(dataclasses.replace(item, system=item.system.rpartition(".")[0]) for item in answers)
    gold = 'human(standardise="wmt22-toen")'
    found = tt.meta_evaluate(
        tt.add_metrics(dataclasses.replace(counted, testset=testset, judgements=named), gold), gold
    )
    [row] = [row for row in rows("wmt22-toen-sys-correlations.tsv") if (row["lp"], row["metric"]) == (pair, "chrF2")]
    for theirs, ours in (("pearson", "pearson"), ("spearman", "spearman"), ("kendall_b", "tau_b")):
        check(f"raters, system {ours}", found.find("chrf", ours).value, row[theirs], EXACT, row)
    [_, row] = [row for row in rows("wmt22-toen-seg-correlations.tsv") if row["lp"] == pair]
    assert found.judged == int(row["n_gold"])
    exact = [
        ("pearson", by, f"pearson_{theirs}") for by, theirs in (("none", "none"), ("item", "item"), ("system", "sys"))
    ]
    exact += [("difference_pearson", "item", "pearson_pdp_item")]
    for ours, by, theirs in exact:
        check(f"raters, {ours} {by}", found.find("chrf", ours, "segment", by).value, row[theirs], EXACT, row)
    z, chrf = np.round(tables(pair).z, 9), tables(pair).metrics["chrF2"]
    for by in ("none", "item", "system"):
        value = found.find("chrf", "tau_b", "segment", by).value
        check(f"raters, tau_b {by}", value, str(average(z, chrf, "tau_b", by).value), EXACT, row)


@pytest.mark.parametrize("pair", only_some(["de-en", "liv-en"], 1))
def test_a_file_of_judgements_joins_as_the_published_scores_do(pair: str, tmp_path: Path) -> None:
    """`judgements =` of what WMT collected, and `human` without a word more, give the published z of every segment:
    submissions' numbers, sorted documents, references that were judged, and standard scores are all understood."""
    folder = ORACLES.parent / "data" / "wmt22" / pair
    judged = ORACLES / "human" / "wmt22-toen" / f"{pair.replace('liv', 'lv')}.judgments.tsv.gz"
    path = tmp_path / "testset.toml"
    path.write_text(
        f'references = "{folder}/ref.A.gz"\ndocuments = "{folder}/docs.gz"\nsystems = "{folder}/systems/*.gz"\n'
        f'judgements = "{judged}"\n'
    )
    found = tt.add_metrics(tt.read_testset(path), "human")
    assert "|scores:z/wmt22-toen|" in found.signatures["human"]
    published = people(pair, "z")
    for name, theirs in published.items():
        stats = found.stats(name, "human")
        np.testing.assert_array_equal(stats.scored, ~np.isnan(theirs))
        ours = stats.segments()[:, 0][stats.scored]
        np.testing.assert_allclose(ours, theirs[stats.scored], rtol=0, atol=1e-9)
