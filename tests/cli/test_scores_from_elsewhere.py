"""Scores of segments that another program has worked out: `--scores NAME=FILE`, `scores =` in testset.toml."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError, SegmentError, TertiumError
from tertium.web.uploads import read_confined

from .running import Command

SOURCES = ["Eins.", "Zwei.", "Drei."]
REFERENCES = ["One.", "Two.", "Three."]
OUTPUTS = {"north": ["One.", "Too.", "Three."], "south": ["On.", "Two.", "Tree."]}
SCORES = {"north": [0.5, 0.25, 0.75], "south": [1.0, 0.5, 0.0]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in {"src": SOURCES, "ref": REFERENCES, **OUTPUTS}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "testset.toml").write_text(
        'name = "three"\nsource = "src.txt"\nreferences = "ref.txt"\nsystems = ["north.txt", "south.txt"]\n'
    )
    return tmp_path


def comet(folder: Path, **changed: Any) -> Path:
    """What comet-score --to_json writes."""
    whole = {
        f"out/{name}.txt": [
            {"src": source, "mt": f" {output}", "ref": reference, "COMET": score}
            for source, output, reference, score in zip(SOURCES, OUTPUTS[name], REFERENCES, SCORES[name], strict=True)
        ]
        for name in OUTPUTS
    }
    (folder / "comet.json").write_text(json.dumps({**whole, **changed}))
    return folder / "comet.json"


def metricx(folder: Path) -> Path:
    rows = [
        {"hypothesis": output, "prediction": score, "system_id": name}
        for name in OUTPUTS
        for output, score in zip(OUTPUTS[name], SCORES[name], strict=True)
    ]
    (folder / "metricx.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder / "metricx.jsonl"


def lines(folder: Path) -> Path:
    """A score file of mt-metrics-eval."""
    (folder / "m.seg.score").write_text("".join(f"{name}\t{score}\n" for name in SCORES for score in SCORES[name]))
    return folder / "m.seg.score"


def long_table(folder: Path) -> Path:
    rows = [f"{name}\t{k}\t{score}" for name in SCORES for k, score in enumerate(SCORES[name], 1)]
    (folder / "long.tsv").write_text("\n".join(["system\tsegment\tscore", *rows, ""]))
    return folder / "long.tsv"


def wide_table(folder: Path) -> Path:
    rows = [",".join(map(str, row)) for row in zip(*SCORES.values(), strict=True)]
    (folder / "wide.csv").write_text("\n".join([",".join(SCORES), *rows, ""]))
    return folder / "wide.csv"


def files(folder: Path) -> Path:
    (folder / "each").mkdir()
    for name, scores in SCORES.items():
        (folder / "each" / f"{name}.txt").write_text("".join(f"{score}\n" for score in scores))
    return folder / "each"


@pytest.mark.parametrize("made", [comet, metricx, lines, long_table, wide_table, files])
def test_every_format_gives_the_same_rows(folder: Path, made: Any) -> None:
    given = tt.read_testset(folder / "testset.toml")
    found = tt.add_metrics(given, f'scores(of="mine", file="{made(folder)}")')
    assert {score.system: (score.value, score.n) for score in found.scores()} == {"north": (0.5, 3), "south": (0.5, 3)}
    assert [score.value for score in found.scores("segment")] == [*SCORES["north"], *SCORES["south"]]


def test_every_command_has_them(folder: Path, tertium: Command) -> None:
    comet(folder)
    options = [str(folder / "testset.toml"), "-m", "wer", "--scores", f"comet={folder / 'comet.json'}"]
    assert "comet" in tertium("score", *options).out
    assert "comet, 3 segments" in tertium("compare", *options).out
    assert "comet" in tertium("buckets", *options, "--by", "reference-length").out
    found = json.loads(tertium("score", *options, "-f", "json").out)["scores"]
    [north] = [item for item in found if item["system"] == "north" and item["metric"].startswith("scores(")]
    assert (north["value"], north["n"]) == (0.5, 3)
    assert north["signature"].startswith('scores(of="comet", file="comet@')
    tertium("report", *options, "-o", str(folder / "r.html"))
    assert "comet" in (folder / "r.html").read_text()


def test_lower_is_better_where_it_is_said(folder: Path, tertium: Command) -> None:
    metricx(folder)
    spec = f"metricx:lower={folder / 'metricx.jsonl'}"
    assert "metricx ↓" in tertium("score", str(folder / "testset.toml"), "-m", "wer", "--scores", spec).out


def test_a_testset_names_them(folder: Path, tertium: Command) -> None:
    lines(folder)
    with (folder / "testset.toml").open("a") as file:
        file.write('[scores]\nmm = "m.seg.score"\ncost = {file = "m.seg.score", better = "lower"}\n')
    shown = tertium("score", str(folder / "testset.toml"), "-m", "wer").out
    assert "mm" in shown
    assert "cost ↓" in shown
    uploaded = read_confined(folder / "testset.toml", folder, "three")  # the workbench has them, too
    assert [metric.of for metric in uploaded.metrics] == ["mm", "cost"]


def test_a_limit_holds_by_any_name(folder: Path, tertium: Command) -> None:
    """It had passed without a look where a metric was named by a path."""
    metric = f'scores(of="comet", file="{comet(folder)}")'
    below = tertium("score", str(folder / "testset.toml"), "--fail-under", f"{metric}=0.6")
    assert below.status == 1
    assert "north: scores(" in below.err
    assert tertium("score", str(folder / "testset.toml"), "--fail-under", f"{metric}=0.5").status == 0


def test_an_evaluation_is_shown_without_the_file(folder: Path) -> None:
    path = comet(folder)
    text = f'scores(of="comet", file="{path}")'
    found = tt.add_metrics(tt.read_testset(folder / "testset.toml"), text, "wer")
    assert tt.compare(found, text, baseline="north", trials=10)[0].metric == str(found.metrics[0])  # by either name
    tt.save(found, folder / "saved.zip")
    path.unlink()
    again = tt.load(folder / "saved.zip")
    assert again.metrics == found.metrics
    assert [score.value for score in again.scores()] == [score.value for score in found.scores()]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"out/north.txt": [{"COMET": 1.0}]}, "1 score of system north, but test set three has 3 segments"),
        (
            {"out/south.txt": [{"mt": text, "COMET": 1.0} for text in ["On.", "Zwei.", "Tree."]]},
            "the scores of system south are of other texts: output 2 is 'Zwei.' there and 'Two.' here",
        ),
        ({"out/north.txt": [{"mt": "One."}] * 3}, "out/north.txt, segment 1: no 'COMET'; expected an object with the"),
        ({"out/north.txt": [{"COMET": "high"}] * 3}, "out/north.txt, segment 1: 'high' is not a number"),
        ({"north": [{"COMET": 1}] * 3, "north.en": [{"COMET": 1}] * 3}, ""),
    ],
)
def test_wrong_joins_are_refused(folder: Path, content: dict[str, Any], sentence: str) -> None:
    path = comet(folder, **content)
    given = tt.read_testset(folder / "testset.toml")
    if not sentence:  # the exact name wins
        tt.add_metrics(given, f'scores(of="comet", file="{path}")')
        return
    with pytest.raises(InputError, match=r".") as error:
        tt.add_metrics(given, f'scores(of="comet", file="{path}")')
    assert sentence in str(error.value)


def test_what_is_not_scored_is_said(folder: Path) -> None:
    path = folder / "m.seg.score"
    path.write_text("north\t0.5\nnorth\tNone\nnorth\t0.5\nrefA\t1\n")
    found = tt.add_metrics(tt.read_testset(folder / "testset.toml"), f'scores(of="mm", file="{path}")')
    north, south = found.scores()
    assert (north.value, north.n) == (0.5, 2)
    assert (math.isnan(south.value), south.n) == (True, 0)
    for note in (
        "mm: the file has no scores of south",
        "mm: refA is scored in the file, but no system here",
        "mm: 1 of 3 segments of north has no score in the file",
    ):
        assert note in found.warnings


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.score", "", "empty file; expected SYSTEM and SCORE on each line, or a score alone"),
        ("a.score", "north 1\n2\n", "a.score:2: 1 field, unlike the lines above; one kind is expected"),
        ("a.score", "north inf\n", "a.score:1: 'inf' is not a number"),
        ("a.score", "east 1\n", "no scores of any system here; it has east, systems are north, south"),
        ("a.json", "[1]", "expected what comet-score --to_json writes"),
        ("a.json", "{", "not JSON"),
        ("a.jsonl", "1\n", "a.jsonl:1: no 'prediction'; expected an object with the score of a segment"),
        ("a.tsv", "name\tvalue\nnorth\t1\n", "neither columns 'system' and 'score' (or 'mine') nor a column called"),
        ("a.tsv", "system\tsegment\tscore\nnorth\t2\t1\n", "a.tsv:2: segment '2' of system north, but 1 comes next"),
    ],
)
def test_files_that_do_not_fit(folder: Path, name: str, text: str, sentence: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InputError, match=r".") as error:
        tt.add_metrics(tt.read_testset(folder / "testset.toml"), f'scores(of="mine", file="{folder / name}")')
    assert sentence in str(error.value)


@pytest.mark.parametrize("spec", ["comet", "=x", "comet=", "comet:up=x"])
def test_the_option_says_how_it_is_written(folder: Path, tertium: Command, spec: str) -> None:
    failed = tertium("score", str(folder / "testset.toml"), "--scores", spec)
    assert failed.status == 2
    assert f"--scores {spec}: write NAME=FILE, or NAME:lower=FILE where a lower score is better" in failed.err


# Functions


def test_a_function_is_a_metric(folder: Path) -> None:
    def longer(outputs: list[str], sources: list[str], references: list[list[str]]) -> list[float]:
        assert [len(own) for own in references] == [1] * len(outputs)
        return [len(one) - len(other) for one, other in zip(outputs, sources, strict=True)]

    metric = tt.metric_from(longer, name="longer", better="lower", reads="source+references")
    given = tt.read_testset(folder / "testset.toml")
    found = tt.evaluate(given.testset, given.systems, [metric, "wer"])
    assert [score.value for score in found.scores("segment") if "longer" in score.metric] == [-1, -1, 1, -2, -1, 0]
    assert tt.parse(str(metric)) == metric
    tt.save(found, folder / "saved.zip")
    again = tt.load(folder / "saved.zip")
    assert [score.value for score in again.scores()] == [score.value for score in found.scores()]
    with pytest.raises(OptionError, match="its function is not here; make it again"):
        tt.evaluate(given.testset, given.systems, again.metrics)


def test_what_a_function_gives_is_checked(folder: Path) -> None:
    given = tt.read_testset(folder / "testset.toml")

    def evaluated(function: Any) -> tt.Evaluation:
        return tt.evaluate(given.testset, given.systems, tt.metric_from(function, name="f", reads="outputs"))

    north, _ = evaluated(lambda outputs: [1.0, math.nan, 2.0][: len(outputs)]).scores()
    assert (north.value, north.n) == (1.5, 2)  # NaN is not scored
    with pytest.raises(TertiumError, match=r"f: the function gave numbers of the shape \(1,\) for 3 outputs"):
        evaluated(lambda outputs: [len(outputs)])
    with pytest.raises(SegmentError, match="f: the function gave inf, no number"):
        evaluated(lambda outputs: [math.inf] * len(outputs))
    with pytest.raises(OptionError, match="is not a function"):
        tt.metric_from(3, name="f")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="a metric needs a name"):
        tt.metric_from(len, name="")
