"""GLEU, RIBES, CharacTER, EED and ROUGE on real texts: the Python packages that people use.

nltk 3.10.4 (RIBES also 3.9.1), cer 1.2.0, torchmetrics 1.9.0 (the float64 of its inner function), rouge-score 0.1.2; on
the first 400 segments of outputs of WMT22 and of the MacroF paper, and on 23 cases written by hand. Their scale is 0 to
1; tokens are given as text.
"""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from tertium.core.lines import Lines
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.metrics import parse

from .files import LARGEST, ORACLES, TOLERANCE, files_under, needs_oracles, only_some, read_jsonl, read_lines, read_tsv

pytestmark = needs_oracles

FOLDER = "more-strings"
NAMES = ["edge", "wmt22.en-zh.Manifold.AB", "wmt22.de-en.LT22.AB", "snmt.de-en.unmt.A", "wmt22.en-de.OpenNMT.AB"]
names = pytest.mark.parametrize("name", only_some(NAMES, 2))
ROUGE = {"P": "precision", "R": "recall", "F": "f"}


@cache
def table(file: str, name: str) -> dict[str, list[str]]:
    header, rows = read_tsv(f"{FOLDER}/{file}.{name}.tsv.gz")
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def tokens(name: str, tokenizer: str, side: str) -> list[str | None]:
    raw = gzip.decompress((ORACLES / FOLDER / f"tokens.{name}.tsv.gz").read_bytes()).decode()
    header, *rows = [line.split("\t") for line in raw.removesuffix("\n").split("\n")]
    place = header.index(f"{side}.{tokenizer}")
    return [None if row[place] == r"\N" else row[place] for row in rows]


@cache
def raw_texts(name: str) -> tuple[Lines, list[Lines]]:
    if name == "edge":
        cases = json.loads((ORACLES / FOLDER / "edge.json").read_text())
        most = max(len(case["refs"]) for case in cases)
        streams = [[(case["refs"] + [None] * most)[k] for case in cases] for k in range(most)]
        return Lines.of([case["hyp"] for case in cases]), [Lines.of(stream) for stream in streams]
    dataset, system, letters = name.rsplit(".", 2)
    streams = [read_lines(dataset, f"ref.{letter}")[:400] for letter in letters]
    return read_lines(dataset, f"hyp.{system}")[:400], streams


def texts(name: str, how: str, which: str) -> tuple[Lines, list[Lines]]:
    """Outputs, and references A, all of them or one by number; raw, or tokens joined by spaces."""
    if how == "raw":
        outputs, streams = raw_texts(name)
    else:
        outputs = Lines.of(tokens(name, how, "hyp"))
        streams = [
            Lines.of(tokens(name, how, f"ref{k}")) for k in range(3 if name == "edge" else len(name.rsplit(".")[-1]))
        ]
    return outputs, streams[:1] if which == "A" else [streams[int(which[3:])]] if which[:3] == "ref" else streams


@cache
def count(name: str, how: str, which: str, metric: str) -> Stats:
    outputs, streams = texts(name, how, which)
    testset = TestSet(segments=len(outputs), references=References(tuple(streams), len(outputs)))
    return parse(metric).stats(outputs, parse(metric).prepare(testset))


def meaning(column: str) -> tuple[str, str, str] | None:
    """How texts are read, which references, the metric; of the name of a column."""
    metric, *rest = column.split(".")
    if metric in ("gleu", "ribes", "ribes391", "character"):
        compat = {"ribes391": ', compat="nltk-3.9.1"', "character": ', compat="program"'}.get(metric, "")
        return rest[0], rest[1], f'{metric.removesuffix("391")}(tokenize="none"{compat})'
    if metric == "eed":
        return "raw", rest[1], f'eed(language="{rest[0]}", compat="program")'
    if metric.startswith("rouge"):
        kind, which, measure = rest
        options = {"default": "", "stem": ", stem=True", "tokens-zh": ', tokenize="none", lowercase=False'}[kind]
        how = "zh" if kind == "tokens-zh" else "raw"
        return how, which, f'rouge(variant="{metric[5:]}", measure="{ROUGE[measure]}"{options})'
    return None


def close(what: str, ours: float, theirs: float, where: object) -> None:
    difference = abs(ours - theirs)
    LARGEST[what] = max(LARGEST.get(what, 0.0), difference)
    assert difference < TOLERANCE, f"{what} {where}: {ours!r} against {theirs!r}"


def test_no_file_is_left_out() -> None:
    assert files_under(FOLDER) == set(NAMES)


@names
def test_segments(name: str) -> None:
    columns = table("seg", name)
    for column, values in columns.items():
        if column == "seg":
            continue
        found = meaning(column)
        assert found is not None, column
        how, which, text = found
        stats, metric = count(name, how, which, text), parse(text)
        scores = metric.score(stats.segments()) / 100
        compared = 0
        for k, value in enumerate(values):
            if value in ("NA", "ZeroDivisionError"):
                continue
            compared += 1
            close(column.split(".")[0], float(scores[k]), float(value), (name, column, k))
        assert compared > (0 if name == "edge" else 390)


@names
def test_corpora(name: str) -> None:
    found = [row for row in read_jsonl(f"{FOLDER}/corpus.jsonl") if row["dataset"] == name]
    assert len(found) > 5
    for row in found:
        check_corpus(name, row)


def check_corpus(name: str, row: dict[str, Any]) -> None:
    """The corpus score, and what else is told: means of segments, precision and recall."""
    if row["score"] is None:
        return
    metric, lines, _ = row["metric"].partition(".")
    measures = "PRF" if metric.startswith("rouge") else "F"
    for measure in measures:
        column = ".".join([metric, row["tok"], row["refs"], *([measure] if metric.startswith("rouge") else [])])
        found = meaning(column)
        assert found is not None, row
        stats = count_lines(name, *found) if lines else count(name, *found)
        assert stats.total()[-1] == row["n"] or metric == "gleu"
        score = float(parse(found[2]).score(stats.total())) / 100
        close(f"{metric} corpus", score, row["score" if measure == "F" else measure], (name, row))
    if "mean_of_segments" in row:
        segments = parse(found[2]).score(stats.segments()) / 100
        close(f"{metric} mean", float(segments.mean()), row["mean_of_segments"], (name, row))


def count_lines(name: str, how: str, which: str, metric: str) -> Stats:
    """The same of blocks of five segments, a line each."""
    outputs, streams = texts(name, how, which)

    def blocks(side: Lines) -> Lines:
        return Lines.of(["\n".join(str(text) for text in side[k : k + 5]) for k in range(0, len(side), 5)])

    made = References(tuple(blocks(stream) for stream in streams), len(blocks(outputs)))
    testset = TestSet(segments=len(made), references=made)
    return parse(metric).stats(blocks(outputs), parse(metric).prepare(testset))


@pytest.mark.parametrize("name", only_some([name for name in NAMES if name != "edge"], 2))
def test_lines_as_sentences(name: str) -> None:
    """Blocks of five lines: ROUGE-L of all words, ROUGE-Lsum line by line."""
    for column, values in table("docs5", name).items():
        found = meaning(column)
        if found is None:
            assert column == "doc"
            continue
        scores = parse(found[2]).score(count_lines(name, *found).segments()) / 100
        assert len(values) == 80
        for k, value in enumerate(values):
            close(f"{column.split('.')[0]} of lines", float(scores[k]), float(value), (name, column, k))
