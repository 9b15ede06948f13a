"""The report and the commands, each at its defaults, say the same about metrics and people: figure by figure."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli import running

import tertium as tt
from tertium.core.table import Table
from tertium.core.wording import headings
from tertium.meta.evaluate import system_table
from tertium.report.page import Section

METRICS = ("bleu", "chrf", "ter", "wer")
SYSTEMS = ("ash", "birch", "cedar", "elm", "fir", "hazel")
SEGMENTS, WORDS = 120, 12


def made(folder: Path) -> Path:
    """Systems that lose a tenth to a quarter of the words, and raters who see that through much noise."""
    rng = np.random.default_rng(7)
    known = [f"word{k}" for k in range(200)]
    references = [list(rng.choice(known, size=WORDS)) for _ in range(SEGMENTS)]
    rows = ["system\tsegment\trater\tscale\tvalue"]
    for k, name in enumerate(SYSTEMS):
        lost = rng.random((SEGMENTS, WORDS)) < 0.1 + 0.03 * k
        outputs = [
            [word for word, gone in zip(*pair, strict=True) if not gone] for pair in zip(references, lost, strict=True)
        ]
        (folder / f"{name}.en").write_text("".join(f"{' '.join(words)}\n" for words in outputs))
        for segment in range(SEGMENTS):
            for rater in ("r1", "r2"):
                value = np.clip(90 - 8 * lost[segment].sum() + 20 * rng.normal(), 0, 100)
                rows.append(f"{name}\t{segment + 1}\t{rater}\tda100\t{value:.0f}")
    (folder / "reference.en").write_text("".join(f"{' '.join(words)}\n" for words in references))
    (folder / "ratings.tsv").write_text("\n".join(rows) + "\n")
    path = folder / "testset.toml"
    path.write_text('name = "made"\nreferences = ["reference.en"]\njudgements = "ratings.tsv"\n'
                    f"systems = {json.dumps([f'{name}.en' for name in SYSTEMS])}\n")  # fmt: skip
    return path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert running.run(*arguments, "-f", "json") == 0
    return json.loads(capsys.readouterr().out)


def table(section: Section, start: str) -> tuple[list[list[Any]], Table]:
    [found] = [each for each in section.tables if each.title.startswith(start)]
    return [[cell.value for cell in row] for row in found.cells()], found


@pytest.fixture(scope="module")
def testset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def section(testset: Path) -> Section:
    given = tt.read_testset(testset)
    evaluation = tt.evaluate(given.testset, given.systems, list(METRICS), judgements=given.judgements)
    page = tt.make_report(evaluation).page
    [found] = [section for section in page.sections if section.id == "metrics-people"]
    return found


def test_metrics_against_people(testset: Path, section: Section, capsys: pytest.CaptureFixture[str]) -> None:
    [meta] = said(capsys, "meta", str(testset), "-m", ",".join(METRICS))["testsets"]
    titles = list(headings([tt.parse(text) for text in METRICS]).values())
    scores = {(s["metric"], s["level"], s["statistic"], s["average"]): s for s in meta["scores"]}

    def of(level: str, average: str, statistic: str, key: str = "value") -> list[Any]:
        return [scores[metric, level, statistic, average][key] for metric in METRICS]

    rows, shown = table(section, "Pairs of systems that a metric puts")
    columns = [list(column) for column in zip(*rows, strict=True)]
    assert columns[0] == titles
    assert columns[1] == of("system", "none", "accuracy")
    assert columns[3:5] == [of("system", "none", "accuracy_separated", key) for key in ("value", "n")]
    assert columns[5:8] == [of("system", "none", "spa", key) for key in ("value", "error", "n")]
    assert 0 < columns[4][0] < 15  # people separate some pairs, not all
    assert f"{meta['trials']} sign flips, seed {meta['seed']}" in shown.note
    for start, level, averages in (
        ("Correlations with people's rating (0-100, z): corpus", "system", ("none",)),
        ("Correlations with people's rating (0-100, z): scores", "segment", ("none", "item", "system")),
    ):
        rows, _ = table(section, start)
        for by, first in zip(averages, range(len(averages)), strict=True):
            here = [row[len(averages) > 1 :] for row in rows[first :: len(averages)]]
            for k, statistic in enumerate(("pearson", "spearman", "tau_b", "tau_c")):
                assert [row[1 + 2 * k] for row in here] == of(level, by, statistic)
                assert [row[2 + 2 * k] for row in here] == of(level, by, statistic, "p")
    for level in ("system", "segment"):
        test = meta["tests"][level]
        rows, shown = table(section, f"Which metrics are closer to people: {level}")
        names = dict(zip(METRICS, titles, strict=True))
        clusters = [(names[name], k) for k, names_ in enumerate(test["clusters"], 1) for name in names_]
        assert [(row[0], row[2]) for row in rows] == clusters
        assert {row[0]: row[3] for row in rows} == {names[name]: value for name, value in test["values"].items()}
        beaten = {names[name]: {names[d["worse"]] for d in test["pairs"] if d["better"] == name and d["significant"]}
                  for name in METRICS}  # fmt: skip
        assert {row[0]: set(row[1].split(", ") if row[1] else ()) for row in rows} == beaten
        assert f"{test['title']}, {test['sides']}-sided" in shown.note
        assert test["test"] == "williams" or f"{test['trials']} trials, seed {test['seed']}" in shown.note
    rows, _ = table(section, "Pairs of systems on one segment")
    for k, statistic in enumerate(("tau_eq", "acc_eq", "acc_eq_calibrated"), 1):
        assert [row[k] for row in rows] == of("segment", "item", statistic)


def test_what_a_difference_is_worth(
    testset: Path, section: Section, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    given = tt.read_testset(testset)
    [gold] = {said(capsys, "meta", str(testset), "-m", "bleu")["testsets"][0]["gold"]}
    judged = tt.add_metrics(tt.evaluate(given.testset, given.systems, list(METRICS), judgements=given.judgements), gold)
    scores = system_table([tt.meta_evaluate(judged, gold)])
    lines = ["\t".join(["system", *(scores.gold, *scores.metrics)])]
    lines += ["\t".join([name, *(repr(float(scores.columns[c][k])) for c in (scores.gold, *scores.metrics))])
              for k, name in enumerate(scores.systems)]  # fmt: skip
    path = tmp_path / "scores.tsv"
    path.write_text("\n".join(lines) + "\n")
    found = said(capsys, "meta", "preference", str(path), "--gold", gold)
    rows, shown = table(section, "How likely people prefer")
    assert [row[1:] for row in rows] == [
        [item[key] for key in ("difference", "P", "low", "high", "seen", "pairs")] for item in found["probabilities"]
    ]
    assert f"{found['trials']} times, seed {found['seed']}" in shown.note
