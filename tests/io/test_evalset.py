"""Folders of mt-metrics-eval: what is read, and what is refused in a sentence."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli import running
from tests.io.evalsets import MQM, OUTPUTS, REFERENCES, scores, write, write_evalset

import tertium as tt
from tertium.io.evalset import EvalSet, find_evalset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_evalset(tmp_path / "small")


def of(folder: Path, name: str = "de-en") -> EvalSet:
    found = find_evalset(folder / name)
    assert found is not None
    return found


def test_the_texts(folder: Path) -> None:
    found = tt.read_testset(folder / "de-en")
    assert (found.testset.name, found.testset.source_language, found.testset.target_language) == (
        "small-de-en",
        "de",
        "en",
    )
    assert [system.name for system in found.systems] == list(OUTPUTS)  # references are no systems
    assert list(found.systems[1].outputs) == OUTPUTS["birch"]
    assert [list(pair) for pair in zip(*REFERENCES.values(), strict=True)] == [
        list(refs) for refs in found.testset.references
    ]
    assert found.testset.documents == ("one", "one", "two", "two")
    assert found.testset.labels["domain"] == ("news", "news", "chat", "chat")
    one = tt.read_testset(folder / "de-en:refB")
    assert [list(refs) for refs in one.testset.references] == [[line] for line in REFERENCES["refB"]]
    assert [system.name for system in tt.read_testset(folder).systems] == list(OUTPUTS)  # the only pair


def test_the_scores(folder: Path) -> None:
    found = of(folder)
    people = found.people_scores("mqm", 4)
    assert list(people) == ["alder", "birch", "cedar"]
    assert people["birch"][[0, 2, 3]].tolist() == [-5, -1, -5]
    assert np.isnan(people["birch"][1])
    assert found.system_scores("mqm") == {"alder": -0.25, "cedar": -5.5, "refB": 0.0}
    domains = found.domain_scores("mqm")
    assert domains["chat", "birch"] == -3
    assert math.isnan(domains["news", "cedar"])
    assert list(found.metrics) == ["chrf-refB", "comet-refA", "kiwi-src"]
    assert list(of(folder, "de-en:refA").metrics) == ["comet-refA", "kiwi-src"]
    assert list(of(folder, "de-en:refA.refB").metrics) == list(found.metrics)


def test_whom_nobody_judged_is_left_out(folder: Path) -> None:
    values = {"alder": [None] * 4, "cedar": MQM["cedar"]}
    write(folder, "human-scores/de-en.mqm.seg.score", scores(values))
    assert list(of(folder).people_scores("mqm", 4)) == ["cedar"]


def meta(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    assert running.run("meta", *words, "-f", "json") == 0
    return json.loads(capsys.readouterr().out)


def test_metrics_against_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [found] = meta(capsys, "evaluate", f"{folder}/de-en")["testsets"]
    assert found["gold"] == "people (mqm)"
    assert [name.partition(",")[0] for name in found["metrics"]] == [
        'scores(of="chrf-refB"', 'scores(of="comet-refA"', 'scores(of="kiwi-src"',
    ]  # fmt: skip
    assert found["systems"] == ["alder", "birch", "cedar"]
    assert found["judged"] == 11
    assert not any("birch" in warning for warning in found["warnings"])
    row = next(r for r in found["scores"] if (r["statistic"], r["level"]) == ("pearson", "system"))
    assert row["n"] == 2  # of birch there is no published score
    [chosen] = meta(capsys, "evaluate", f"{folder}/de-en", "-m", "comet-refA,chrf", "--level", "segment")["testsets"]
    assert [name.partition(",")[0] for name in chosen["metrics"]] == ["chrf", 'scores(of="comet-refA"']


def test_the_heading_counts_systems_with_a_score(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert running.run("meta", "evaluate", f"{folder}/de-en") == 0
    assert "corpus scores of 2 systems" in " ".join(capsys.readouterr().out.split())


def test_a_threshold_by_the_name_in_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("use", f"{folder}/de-en", "-m", "comet-refA", "--good", "-1", "--trials", "20")
    found = meta(capsys, *words, "--threshold", "comet-refA=0.6")
    assert found["filters"][1]["thresholds"] == [0.6]


def test_published_scores_of_systems_come_first(folder: Path) -> None:
    given = tt.read_testset(folder / "de-en")
    evaluation = tt.evaluate(given.testset, given.systems, list(of(folder).brings(("comet-refA",))))
    [metric] = [str(metric) for metric in evaluation.metrics]
    people = of(folder).people_scores("mqm", 4)
    plain = tt.meta_evaluate(evaluation, people)
    assert plain.corpus[metric].tolist() == pytest.approx([0.875, 0.475, 0.3])
    assert plain.corpus["people"].tolist() == pytest.approx([-0.25, -11 / 3, -5.5])
    published = {"mqm": {"alder": -1, "birch": -2, "cedar": -3}, metric: {"alder": 0.95, "birch": 0.4, "cedar": 0.3}}
    found = tt.meta_evaluate(evaluation, people, gold_name="mqm", system_scores=published)
    assert found.corpus[metric].tolist() == [0.95, 0.4, 0.3]
    assert found.corpus["mqm"].tolist() == [-1, -2, -3]


def test_tables_of_systems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = meta(capsys, "correlate", f"{folder}/de-en", "--gold", "mqm", "--statistic", "pearson")
    assert (found["gold"], found["rows"]) == ("mqm", 3)
    assert found["metrics"] == ["chrf-refB", "comet-refA", "kiwi-src"]
    columns = of(folder).system_columns("mqm")
    assert columns["mqm"] == ["-0.25", "", "-5.5"]
    assert columns["comet-refA"] == ["0.95", "0.4", "0.3"]  # published
    assert [float(value) for value in columns["kiwi-src"]] == pytest.approx([0.875, 0.475, 0.3])  # means


def test_other_commands_read_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As if its files had been named."""
    words = ("-m", "chrf,bleu", "-f", "json")
    files = [word for name in OUTPUTS for word in ("-t", f"{folder}/system-outputs/de-en/{name}.txt")]
    reference = f"{folder}/references/de-en.refA.txt"
    found = []
    for command in ([f"{folder}/de-en:refA"], ["-r", reference, *files]):
        assert running.run("score", *command, *words) == 0
        found.append([(score["system"], score["metric"], score["value"])
                      for score in json.loads(capsys.readouterr().out)["scores"]])  # fmt: skip
    assert found[0] == found[1]
    assert len(found[0]) == 6


BROKEN = [
    ("sources/de-en.txt", ["one line"], "4 lines, but .*sources/de-en.txt has 1"),
    ("references/de-en.refB.txt", ["x"], "refB.txt: 1 line, but"),
    ("references/de-en.ref-C.txt", ["x"] * 4, "a reference cannot be called 'ref-C'"),
    ("references/de-en.all.txt", ["x"] * 4, "a reference cannot be called 'all'"),
    ("system-outputs/de-en/cedar.txt", ["x"] * 5, "cedar.txt: 5 lines, but"),
    ("documents/de-en.docs", ["news one"] * 3, "de-en.docs: 3 lines, but"),
    ("documents/de-en.docs", ["news one", "news", "chat two", "chat two"], "de-en.docs:2: 1 field; expected DOMAIN"),
    ("human-scores/de-en.mqm.seg.score", ["alder 1"] * 3, "3 scores of system alder, but .* has 4 segments"),
    ("human-scores/de-en.mqm.seg.score", ["oak 1"] * 4, "scores of oak, but system-outputs/de-en has no such file"),
    ("human-scores/de-en.mqm.seg.score", ["1", "2", "3", "4"], "no names of systems; expected SYSTEM and SCORE"),
    ("human-scores/de-en.mqm.seg.score", ["alder x"] * 4, "score:1: 'x' is not a number"),
    ("human-scores/de-en.mqm.seg.score", ["alder 1 2"] * 4, "score:1: 3 fields; expected SYSTEM and SCORE"),
    ("human-scores/de-en.mqm.seg.score", [], "empty file"),
    ("human-scores/de-en.mqm.sys.score", ["alder 1", "alder 2"], "2 scores of system alder; expected one"),
    ("human-scores/de-en.mqm.sys.score", ["oak 1"], "scores of oak, but"),
    ("human-scores/de-en.da.seg.score", ["alder 1"] * 4, r"say which scores by people .*: da, mqm"),
    ("metric-scores/de-en/bleu.seg.score", ["alder 1"] * 4, "bleu.seg.score: expected a name such as BLEU-refA"),
    ("metric-scores/de-en/comet-refA.seg.score", ["alder 1"] * 3, "3 scores of system alder, but"),
    ("metric-scores/de-en/comet-refA.sys.score", ["alder inf"], "'inf' is not a number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lines", "message"), BROKEN)
def test_broken_folders(folder: Path, capsys: pytest.CaptureFixture[str], name: str, lines: list, message: str) -> None:
    write(folder, name, lines)
    assert running.run("meta", "evaluate", f"{folder}/de-en") != 0
    error = capsys.readouterr().err
    assert error.startswith("tertium: ")
    assert error.count("\n") == 1
    assert re.search(message, error), error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("news alder", "score:1: 2 fields; expected DOMAIN, SYSTEM and SCORE"),
        ("news alder x", "score:1: 'x' is not a number"),
        ("news oak 1", "scores of oak"),
        ("news alder 1\nnews alder 2", "score:2: a second score of alder in domain news"),
    ],
)
def test_broken_domains(folder: Path, line: str, message: str) -> None:
    write(folder, "human-scores/de-en.mqm.domain.score", [line])
    with pytest.raises(tt.TertiumError, match=message):
        of(folder).domain_scores("mqm")


def test_names_that_are_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, message in (
        ("de-fr", "no language pair 'de-fr'"),
        ("de-en:refC", "no reference refC; there are: refA, refB"),
    ):
        with pytest.raises(tt.TertiumError, match=message):
            find_evalset(folder / name)
    with pytest.raises(tt.TertiumError, match=r"no seg scores by people called 'da'.* there are: mqm"):
        of(folder).people_scores("da", 4)
    write(folder, "sources/en-de.txt", ["x"])
    with pytest.raises(tt.TertiumError, match=r"2 language pairs; name one, such as .*small/de-en: de-en, en-de"):
        find_evalset(folder)
    with pytest.raises(tt.TertiumError, match=r"no outputs; expected a file NAME.txt for each system"):
        tt.read_testset(folder / "en-de")
    assert running.run("meta", "correlate", f"{folder}/de-en", "table.tsv", "--gold", "mqm") != 0
    assert "do not go together" in capsys.readouterr().err


def test_only_references_are_no_systems(folder: Path) -> None:
    for name in OUTPUTS:
        (folder / "system-outputs" / "de-en" / f"{name}.txt").unlink()
    with pytest.raises(tt.TertiumError, match="all outputs are references"):
        tt.read_testset(folder / "de-en")


@pytest.mark.parametrize("path", ["examples/testset.toml", "nothing/here", "a\0b", "x" * 5000])
def test_what_is_no_such_folder(path: str) -> None:
    assert find_evalset(path) is None
