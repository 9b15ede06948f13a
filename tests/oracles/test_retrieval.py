"""Retrieval against the tables of Gowda et al. (2021), and against another program's run on WMT22.

oracles/meta/clir-wmt22-spike.tsv has one retrieval design, whose program is not there. Its choices were looked for by
trying; tests/reference/known_item.py has those that come nearest. In brackets: the largest difference of a system with
the choice, and with another in its place.

- 3 known-item queries of 3 terms, dealt out in turn from the 9 of highest tf * log(N/df); one with fewer is not asked;
- of equal tf-idf the later in the alphabet first (MRR .008; alphabet .020, first occurrence .020, last .016);
- BM25 with k1 = 0.9 and b = 0.4 (MRR .008; 1.2 and 0.75: .038; 1.5 and 0.75, our defaults: .046);
- RBO with p = 0.98, as deep as the shorter ranking and extrapolated from there (three systems of each pair: .0033;
  p = 0.97: .012, 0.99: .013, 0.95: .027, 0.9: .043; RBO_ext with p = 0.9, our default: .037);
- terms in 2 to 10 documents; the first 10 documents of the reference as pseudo-relevant ones; AQWV of all that is
  retrieved; the same reference for topics and metrics;
- terms of three or more of a-z and 0-9, no numbers; NLTK's Porter; NLTK's older function words, would and could.

The last line is fitted to the numbers of topics, and not theirs to the last word. n_ki is met on four pairs and off by
one on liv-en and uk-en; n_term is met on liv-en and uk-en and off by 2 (cs-en, ja-en), 3 (ru-en) and 9 (de-en). While
topics differ, figures cannot agree to the last digit. We put what is left (at most .008; 289 of 295 figures are within
.005) down to that; it is not proven.

Our defaults are compared too. They differ in order of equal terms (the alphabet), in k1 and b, in RBO, and in terms:
Snowball stems of words of two or more letters, and bm25s's list with what is left of contractions.
"""

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from tests.reference import known_item

import tertium as tt
from tertium.core.testset import References
from tertium.io.files import read_lines
from tertium.meta.correlate import by_group, correlate
from tertium.report.tables.retrieval import foretelling
from tertium.retrieval.aqwv import query_weighted_value
from tertium.retrieval.result import RetrievalResult, metric_scores

from .files import ORACLES, needs_oracles
from .wmt22 import PAIRS, TEXTS

pytestmark = needs_oracles
MATERIAL = ORACLES.parent / "data" / "macrof-paper" / "Material-Joel-AQWV-MAP-2B2C2S.tsv"
BROKEN = "AIST"  # of ja-en: its BLEU is 0.06, and it is no translation
MEASURES = {
    "MRR": (0, "RR"), "mAP_term": (1, "AP"), "AQWV": (1, "AQWV"), "mAP_pseudo": (2, "AP"), "RBO": (2, "RBO(0.9)")
}  # fmt: skip
# Largest differences as measured, rounded up: not derived from the printed digits, because the topics are not the same.
NEAREST = {"mAP_term": 0.0035, "AQWV": 0.005, "mAP_pseudo": 0.0055, "MRR": 0.008, "RBO": 0.004}  # with their choices
TOPICS_OFF = {  # with their choices: known-item, term
    "cs-en": (0, 2), "de-en": (0, 9), "ja-en": (0, 2), "liv-en": (-1, 0), "ru-en": (0, 3), "uk-en": (1, 0)
}  # fmt: skip
FARTHEST = {"mAP_term": 0.004, "AQWV": 0.008, "mAP_pseudo": 0.0165, "MRR": 0.045, "RBO": 0.0435}  # with our defaults


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_aqwv_of_material() -> None:
    """mAQWV of 148 systems from the mean P_miss and P_fa beside it; the table rounds to three decimals."""
    rows = table(MATERIAL)
    assert len(rows) == 148
    for row in rows:
        found = query_weighted_value(float(row["P_miss_rel"]), float(row["P_fa"]))
        assert abs(found - float(row["mAQWV"])) <= 0.00053, row


@cache
def given(pair: str) -> tt.Evaluation:
    """Texts of WMT22; the references in the order of their letters."""
    folder = TEXTS / pair
    source, target = pair.split("-")
    streams = tuple(read_lines(path) for path in sorted(folder.glob("ref.*.gz")))
    testset = tt.TestSet(
        name=pair, source_language=source, target_language=target, segments=len(streams[0]),
        sources=read_lines(folder / "src.gz"), references=References(streams, len(streams[0])),
        documents=tuple(str(name) for name in read_lines(folder / "docs.gz")),
    )  # fmt: skip
    paths = sorted((folder / "systems").glob("*.gz"))
    return tt.Evaluation(
        testset=testset,
        systems=tuple(tt.System(name=path.name.removesuffix(".gz"), outputs=read_lines(path)) for path in paths),
    )


@cache
def result(pair: str, topics: int = 1, metrics: int = 1, asked: str = "usual") -> RetrievalResult:
    built = tt.build_retrieval(given(pair), topic_reference=topics, metric_reference=metrics)
    tests = [tt.run_retrieval(test) for test in built]
    own = {"known-item": ["RR"], "term": ["AP", "AQWV"], "pseudo": ["AP", "RBO(0.9)"]}
    return RetrievalResult(
        tests=tuple(tests),
        evaluations=tuple(tt.score_retrieval(t, None if asked == "usual" else own[t.recipe]) for t in tests),
        metrics=metric_scores(tests[0], "bleu,chrf,macrof,microf,ter"),
    )


def values(found: RetrievalResult, measure: str) -> dict[str, float]:
    test, name = MEASURES[measure]
    evaluation = found.evaluations[test]
    measures = {str(metric): metric.measure for metric in evaluation.metrics}  # type: ignore[attr-defined]
    return {score.system: score.value for score in evaluation.scores() if measures[score.metric] == name}


@pytest.mark.parametrize("pair", PAIRS)
def test_their_choices_come_near_their_figures(pair: str) -> None:
    rows = [row for row in table(ORACLES / "meta" / "clir-wmt22-spike.tsv") if row["lp"] == pair]
    evaluation = given(pair)
    reference = known_item.Index(texts(evaluation, evaluation.testset.references.streams[0]))
    asked = known_item.topics(reference)
    assert len(asked.known) - int(rows[0]["n_ki"]) == TOPICS_OFF[pair][0]
    assert len(asked.terms) - int(rows[0]["n_term"]) == TOPICS_OFF[pair][1]
    outputs = {system.name: system.outputs for system in evaluation.systems}
    for row in rows:
        found = known_item.measures(known_item.Index(texts(evaluation, outputs[row["system"]])), reference, asked)
        for measure, nearest in NEAREST.items():
            assert abs(found[measure] - float(row[measure])) <= nearest, (measure, row["system"])


def texts(evaluation: tt.Evaluation, lines: Iterable[object]) -> list[str]:
    """The lines of each document, joined."""
    documents: dict[str, list[str]] = {}
    for name, line in zip(evaluation.testset.documents or (), lines, strict=True):
        documents.setdefault(name, []).append(str(line))
    return [" ".join(own) for own in documents.values()]


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_our_defaults_are_as_far_from_another_program_as_the_choices_say(pair: str) -> None:
    rows = [row for row in table(ORACLES / "meta" / "clir-wmt22-spike.tsv") if row["lp"] == pair]
    found = result(pair)
    assert len(rows) == len(found.tests[0].systems)
    known, terms = (len(found.tests[k].topics) for k in (0, 1))
    assert abs(known / int(rows[0]["n_ki"]) - 1) < 0.025
    assert abs(terms / int(rows[0]["n_term"]) - 1) < 0.025
    for measure, farthest in FARTHEST.items():
        mine = values(found, measure)
        for row in rows:
            assert abs(mine[row["system"]] - float(row[measure])) <= farthest, (measure, row["system"])


@pytest.mark.slow
def test_metrics_foretell_retrieval_as_another_program_says() -> None:
    """120 of Kendall's tau-b, of five measures with four metrics on six pairs: the median difference is below .05.
    Our choices are not theirs (see above), so single ones differ by up to .5: among nine systems a few change."""
    rows = table(ORACLES / "meta" / "clir-wmt22-spike-kendall.tsv")
    names = {"MRR": "MRR (known-item)", "mAP_term": "mAP (term)", "AQWV": "AQWV (term)", "mAP_pseudo": "mAP (pseudo)",
             "RBO": "RBO(0.9) (pseudo)"}  # fmt: skip
    titles = {"BLEU": "BLEU", "chrF": "chrF", "MacroF": "MacroF1", "MicroF": "MicroF1"}
    found = by_group(correlate(tt.correlate_retrieval([result(pair, asked="theirs") for pair in PAIRS])))
    differences = sorted(
        abs(found[names[row["ir"]], row["lp"]][title].value - float(row[column]))
        for row in rows
        if row["lp"] in PAIRS and row["outliers_dropped"] == "False"
        for title, column in titles.items()
    )
    assert len(differences) == 120
    assert differences[60] < 0.05
    assert sum(differences) / 120 < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_the_untranslated_source_is_the_floor(pair: str) -> None:
    found = result(pair)
    for measure in MEASURES:
        mine = values(found, measure)
        own = [mine[name] for name in found.tests[0].systems if name != BROKEN]
        assert mine["reference 1"] > max(own)
        assert mine["source"] < min(own) - 0.05


@pytest.mark.slow
def test_the_same_reference_is_circular() -> None:
    """The sentences of docs/explanation/retrieval.md: in three of four cases the same reference raises every metric."""

    def means(pair: str, topics: int, metrics: int) -> dict[str, float]:
        return foretelling(tt.correlate_retrieval([result(pair, topics, metrics)]))

    raised = []
    for pair in ("cs-en", "de-en"):
        for topics in (1, 2):
            same, other = means(pair, topics, topics), means(pair, topics, 3 - topics)
            raised.append(all(same[metric] > other[metric] for metric in same))
    assert raised == [True, True, False, True]
