"""METEOR against the Java program, version 1.5 (cmu-mtlab/meteor @57a9ec5, Java 17), without a paraphrase table.

Command: Meteor HYP REF -l LANG [-r 2] -m "exact stem synonym" [-w WEIGHTS -p "0.9 3.0 0.5 0.5"] [-t adq]
[-norm | -norm -noPunct | -lower] with -ssOut (23 statistics) or -vOut (precision, recall, penalty, score).
"""

import gzip
import re
from functools import cache

import numpy as np
import pytest

from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet
from tertium.metrics.meteor import COLUMNS, Meteor

from .files import ORACLES, check_difference, needs_oracles, stats_of

FOLDER = ORACLES / "meteor-java"
NAMES = sorted(path.name.removesuffix(".ss.txt.gz") for path in FOLDER.glob("*.ss.txt.gz"))

pytestmark = needs_oracles


def metric_of(language: str, tag: str) -> Meteor:
    """What a tag such as `exact-stem-syn.norm.adq` asks for."""
    modules, text, *more = tag.split(".")
    stages = {"exact": "exact", "stem": "stem", "syn": "synonym"}
    return Meteor(
        language=language,
        stages=tuple(stages[word] for word in modules.split("-")),
        text={"raw": "none"}.get(text, text),
        no_punct="noPunct" in more,
        task="adq" if "adq" in more else "rank",
        variant="2005" if "p2005" in more else "1.5",
    )


def rows_of(name: str) -> np.ndarray:
    """The program's rows, with our rule for chunks: none where everything matches in one."""
    lines = gzip.decompress((FOLDER / f"{name}.ss.txt.gz").read_bytes()).decode().splitlines()
    rows = np.array([[float(value) for value in line.split()] for line in lines])
    named = {column: rows[:, k] for k, column in enumerate(COLUMNS)}
    perfect = (
        (named["chunks"] == 1)
        & (named["output_matches"] == named["output_length"])
        & (named["reference_matches"] == named["reference_length"])
    )
    rows[perfect, COLUMNS.index("chunks")] = 0
    return rows


def split_name(name: str) -> tuple[str, str, str, str]:
    """Data set, system, references, tag."""
    [found] = re.findall(r"^(\w+\.\w\w-\w\w)\.([\w-]+)\.([AB]+)\.(.*)$", name)
    return found


@cache
def system_scores() -> dict[str, float]:
    rows = [line.split("\t") for line in (FOLDER / "system.tsv").read_text().splitlines()]
    return {f"{row[0]}.{row[1]}.{row[2]}.{row[4]}": float(row[-1]) for row in rows}


def test_every_file_is_compared() -> None:
    assert set(NAMES) == set(system_scores())
    assert len(NAMES) == 22


@pytest.mark.parametrize("name", NAMES)
def test_statistics_and_scores(name: str) -> None:
    """Integer statistics of every segment, and every score to rounding."""
    dataset, system, references, tag = split_name(name)
    metric = metric_of(dataset[-2:], tag)
    stats = stats_of(metric, dataset, system, references)
    rows = stats.segments()
    different = (rows != rows_of(name)).any(axis=1)
    assert not different.any(), f"{name}: {different.sum()} of {len(rows)} segments differ: {np.flatnonzero(different)}"
    text = gzip.decompress((FOLDER / f"{name}.vout.txt.gz").read_bytes()).decode()
    found = re.findall(r"^Segment \d+ score:\t(\S+)\t(\S+)\t(\S+)\t(\S+)$", text, re.MULTILINE)
    assert len(found) == len(rows)
    for k, (row, values) in enumerate(zip(rows, found, strict=True)):
        precision, recall, penalty, score = (float(value) for value in values)
        parts = metric.parts(row)
        check_difference("meteor", float(metric.score(row)) / 100, score, (name, k))
        if score > 0:  # where nothing matches the program has NaN
            check_difference("meteor", parts["precision"] / 100, precision, (name, k))
            check_difference("meteor", parts["recall"] / 100, recall, (name, k))
            check_difference("meteor", parts["penalty"], penalty, (name, k))
    check_difference("meteor", float(metric.score(stats.total())) / 100, system_scores()[name], name)


def read_sgm(name: str) -> dict[tuple[str, str], str]:
    text = gzip.decompress((FOLDER / "example" / f"{name}.sgm.gz").read_bytes()).decode()
    found = {}
    for document, body in re.findall(r'<doc [^>]*docid="([^"]+)"[^>]*>(.*?)</doc>', text, re.DOTALL | re.IGNORECASE):
        for number, line in re.findall(r'<seg id="?(\w+)"?>(.*?)</seg>', body, re.DOTALL | re.IGNORECASE):
            for entity, mark in (("quot", '"'), ("apos", "'"), ("lt", "<"), ("gt", ">"), ("amp", "&")):
                line = re.sub(f"&{entity};", lambda _, mark=mark: mark, line, flags=re.IGNORECASE)
            found[document, number] = " ".join(line.split())
    return found


def test_the_authors_example() -> None:
    """newstest2009, run with exact, stem and synonym, -norm -sgml."""
    outputs, references = read_sgm("test"), read_sgm("ref")
    assert len(outputs) == 2525
    scores = {}
    for line in (
        gzip.decompress((FOLDER / "example" / "exact-stem-syn.norm-seg.scr.gz").read_bytes()).decode().splitlines()
    ):
        *_, document, segment, score = line.split("\t")
        scores[document, segment] = float(score)
    streams = (Lines.of([references[key] for key in outputs]),)
    testset = TestSet(segments=len(outputs), references=References(streams, len(outputs)))
    metric = Meteor()
    stats = metric.stats(Lines.of(list(outputs.values())), metric.prepare(testset))
    for key, value in zip(outputs, metric.score(stats.segments()).tolist(), strict=True):
        check_difference("meteor", value / 100, scores[key], key)
    system = (FOLDER / "example" / "exact-stem-syn.norm-sys.scr").read_text().split()
    check_difference("meteor", float(metric.score(stats.total())) / 100, float(system[-1]), "example")
