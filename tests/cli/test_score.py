"""`tertium score`: every option, every format, and what it says about wrong input."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import click
import jiwer
import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import tertium as tt
from tertium.cli.main import main
from tertium.cli.score import score
from tertium.io import files
from tertium.metrics import known

from .running import Command, Run

EXAMPLES = Path(__file__).parents[2] / "examples"
INSTALLED = Path(sys.executable).parent / "tertium"

REFERENCE = [
    "The ferry leaves the harbour at seven, if the wind allows it.",
    "Bring two pears, a knife and the blue bowl.",
    "Nobody had counted the swans that winter.",
    "She paid 12.50 for it: too much!",
]
OTHER = [
    "At seven the ferry leaves, weather permitting.",
    "Bring two pears, one knife and the blue bowl.",
    "That winter nobody had counted the swans.",
    "She paid 12.50 for it, which was too much.",
]
MINE = [
    "The ferry leaves the harbour at seven if wind allows it.",
    "Bring two pears, a knife and a blue bowl.",
    "Nobody counted the swans that winter.",
    "She paid 12.50 for it: too much!",
]
YOURS = [
    "The boat goes from the harbour at seven, if the wind lets it.",
    "Bring two apples, a knife and the bowl.",
    "Nobody had counted swans in that winter.",
    "She has paid 12.50: it is too much.",
]
DOCUMENTS = ["sea", "food", "sea", "food"]


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, lines in {"ref.en": REFERENCE, "other.en": OTHER, "mine.en": MINE, "yours.en": YOURS}.items():
        write(name, lines)
    write("docs.txt", DOCUMENTS)


def write(name: str, content: Sequence[str] | bytes) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content if isinstance(content, bytes) else "".join(f"{x}\n" for x in content).encode())
    return name


@pytest.fixture
def tertium(tertium: Command) -> Command:
    """`tertium score`."""
    return partial(tertium, "score")


def judge(metric: str, outputs: Sequence[str], *references: Sequence[str]) -> float:
    """What sacreBLEU says, and jiwer for wer."""
    if metric == "wer":
        return 100 * jiwer.wer(list(references[0]), list(outputs))
    return {"bleu": BLEU, "chrf": CHRF, "ter": TER}[metric]().corpus_score(outputs, references).score


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


ONE = ("-r", "ref.en", "-t", "mine.en")


# What is read


@pytest.mark.parametrize("hyp", ["-t", "--hyp"])
@pytest.mark.parametrize("ref", ["-r", "--ref"])
def test_files_and_default_metrics(tertium: Command, ref: str, hyp: str) -> None:
    run = tertium(ref, "ref.en", ref, "other.en", hyp, "mine.en", hyp, "yours.en", "-f", "json")
    assert run.status == 0
    assert list(run.values) == list(product(("mine", "yours"), ("bleu", "chrf", "ter")))
    for (system, metric), value in run.values.items():
        assert value == close(judge(metric, {"mine": MINE, "yours": YOURS}[system], REFERENCE, OTHER))


@pytest.mark.parametrize("src", ["-s", "--src"])
def test_source_is_part_of_the_test_set(tertium: Command, src: str) -> None:
    digests = {
        tertium(*ONE, *more, "-f", "json").json["testset"]["digest"] for more in [(), (src, "ref.en"), (src, "mine.en")]
    }
    assert len(digests) == 3


def test_scores_from_elsewhere_stand_beside_those_counted(tertium: Command) -> None:
    lines = len(Path("mine.en").read_text().splitlines())
    Path("mine.score").write_text("0.25\n" * lines)
    found = tertium(*ONE, "-m", "bleu", "--scores", "other=mine.score", "-f", "json").values
    assert [value for (_, metric), value in found.items() if metric.startswith("scores(")] == [0.25]


def test_a_score_lies_among_frozen_ones(tertium: Command) -> None:
    """One frozen score, and the same one beside it: a tie, which counts half."""
    frozen = tertium.func("freeze", *ONE, "-m", "bleu", "-o", "frozen.json")  # type: ignore[attr-defined]
    assert frozen.status == 0
    [found] = tertium(*ONE, "-m", "bleu", "--against", "frozen.json", "-f", "json").json["against"]
    assert [place["share"] for place in found["places"]] == [0.5]


def test_shards_are_read_in_blocks(tertium: Command) -> None:
    """More of it is in test_score_shards.py."""
    found = tertium(*ONE, "-m", "bleu", "--stream", "--checkpoint", "kept", "--bad-shards", "stop", "-f", "json")
    assert list(found.values.values()) == list(tertium(*ONE, "-m", "bleu", "-f", "json").values.values())
    assert sorted(path.name for path in Path("kept").iterdir()) == ["run.json", "shard-000000.npz"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-l", "de-en"], "-l is for test sets with a name; add -T NAME"),
        (["--language-pair", "de-en"], "-l is for test sets with a name"),
        (["--origlang", "de"], "--origlang is for test sets with a name"),
        (["--subset", "news"], "--subset is for test sets with a name"),
        (["--set-systems"], "--set-systems is for test sets with a name"),
        (["-T", "wmt19"], "-T wmt19 has its own source, references and documents; leave out --ref"),
        (["--set", "wmt19", "--stream"], "-T wmt19: a test set is read whole"),
        (["--address", "auto", "--stream"], "--address is of a Ray cluster; add --engine ray"),
        (["--tags", "keep"], "--tags keep: none of the files has inline tags that are read"),
        (["--xliff-notes", "a.xlf", "--stream"], "--xliff-notes is for localisation files, not for shards"),
        (["--engine", "ray", "--level", "segment"], "--level segment keeps a row for every segment"),
    ],
)
def test_options_that_do_not_go_together(tertium: Command, more: list[str], said: str) -> None:
    run = tertium(*ONE, *more)
    assert run.status == 2
    assert said in run.err


def test_every_option_is_used_in_this_file() -> None:
    before, _, rest = Path(__file__).read_text().partition("def test_every_option_is_used")
    text = before + rest.partition("\ndef ")[2]
    options = {name for option in score.params if isinstance(option, click.Option) for name in option.opts}
    assert len(options) > 20
    assert [name for name in sorted(options) if f'"{name}"' not in text] == []


def test_lines_of_outputs_own(tertium: Command) -> None:
    """A segment's line broken in two, in capitals; documents keep what is theirs (test_resegment.py has the rest)."""
    Path("own.ref").write_text("a b c\nd e\n")
    Path("own.mine").write_text("A B\nC\nD E\n")
    Path("own.docs").write_text("one\ntwo\n")
    Path("own.lines").write_text("one\none\ntwo\n")
    given = ("--ref", "own.ref", "--hyp", "own.mine", "--doc", "own.docs", "--hyp-doc", "own.lines")
    cut = ("--resegment", "--resegment-by", "none+lower")
    found = tertium(*given, *cut, "-m", "wer(lowercase=True)", "-f", "json")
    assert [item["value"] for item in found.json["scores"]] == [0]


def test_folders_of_models_do_not_matter_to_metrics_without_one(tertium: Command) -> None:
    assert tertium(*ONE, "-m", "bleu", "--models", "nowhere", "--models", ".") == tertium(*ONE, "-m", "bleu")


def test_long_forms(tertium: Command) -> None:
    short = tertium("-s", "ref.en", *ONE, "-m", "bleu", "-f", "csv", "-w", "2", "-o", "short")
    long = tertium(
        *("--src", "ref.en", "--ref", "ref.en", "--hyp", "mine.en", "--metrics", "bleu"),
        *("--format", "csv", "--width", "2", "--output", "long"),
    )
    assert short == long
    assert Path("short").read_bytes() == Path("long").read_bytes() != b""


@pytest.mark.parametrize(("plain", "other"), [("--score-only", "--score_only"), ("--confidence-level", None)])
def test_underscores_in_options(tertium: Command, plain: str, other: str | None) -> None:
    value = () if plain == "--score-only" else ("0.9",)
    written = tertium(*ONE, plain, *value)
    assert written.status == 0
    assert written == tertium(*ONE, other or plain.replace("-level", "_level"), *value)
    assert written.out != tertium(*ONE).out


def test_names_of_systems(tertium: Command) -> None:
    run = tertium("-r", "ref.en", "-t", "first=mine.en", "-t", "yours.en", "-m", "wer", "-f", "json")
    assert list(run.values) == [("first", "wer"), ("yours", "wer")]
    assert run.values["first", "wer"] == close(judge("wer", MINE, REFERENCE))


def test_a_file_whose_name_has_an_equals_sign(tertium: Command) -> None:
    write("a=b.en", YOURS)
    run = tertium("-r", "ref.en", "-t", "a=b.en", "-t", "c=a=b.en", "-m", "wer", "-f", "json")
    assert run.values == {(name, "wer"): close(judge("wer", YOURS, REFERENCE)) for name in ("a=b", "c")}


def test_equal_stems_are_told_apart(tertium: Command) -> None:
    for name in ("old/mt.en", "new/mt.en", "mt.txt", "only.en.gz"):
        write(name, MINE if not name.endswith(".gz") else gzip.compress("\n".join(MINE).encode()))
    options = [word for name in ("old/mt.en", "new/mt.en", "mt.txt", "only.en.gz") for word in ("-t", name)]
    run = tertium("-r", "ref.en", *options, "-m", "wer", "-f", "json")
    names = [system for system, _ in run.values]
    assert len(set(names)) == 4
    assert names[:2] == ["old/mt", "new/mt"]
    assert names[3] == "only"


def test_standard_input_is_one_system(tertium: Command) -> None:
    data = "\n".join(YOURS).encode()
    for arguments in [(), ("-t", "-")]:
        run = tertium("-r", "ref.en", *arguments, "-m", "bleu", "-f", "json", stdin=data)
        assert run.values == {("stdin", "bleu"): close(judge("bleu", YOURS, REFERENCE))}
    run = tertium("-r", "ref.en", "-t", "named=-", "-t", "mine.en", "-m", "bleu", "-f", "json", stdin=data)
    assert list(run.values) == [("named", "bleu"), ("mine", "bleu")]


def test_terminal_instead_of_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    with pytest.raises(SystemExit) as stop:
        main(["score", "-r", "ref.en"])
    sentence = "tertium: no system output: pass --hyp FILE, or pipe one into standard input\n"
    assert (stop.value.code, capsys.readouterr().err) == (2, sentence)


def test_nothing_in_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that has no terminal gives nothing, and did not mean an output without lines."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SystemExit) as stop:
        main(["score", "-r", "ref.en"])
    sentence = (
        "tertium: no system output: no files have any, and nothing is piped into standard input; pass --hyp FILE (of "
        "XLIFF, proposals in alt-trans or mtc:match are outputs)\n"
    )
    assert (stop.value.code, capsys.readouterr().err) == (2, sentence)


def toml(systems: str = '"*ours.en"') -> str:
    facts = 'name = "tale"\nsource_language = "de"\ntarget_language = "en"\nreferences = ["ref.en", "other.en"]\n'
    return write("testset.toml", f'{facts}documents = "docs.txt"\nsystems = {systems}\n'.encode())


def test_testset_file_and_more_systems(tertium: Command) -> None:
    run = tertium(toml(), "-t", "mine.en", "-t", "again=yours.en", "-m", "chrf", "-f", "json")
    assert [system for system, _ in run.values] == ["yours", "mine", "again"]
    assert run.values["mine", "chrf"] == close(judge("chrf", MINE, REFERENCE, OTHER))
    facts = run.json["testset"]
    assert len(facts.pop("digest")) == 64
    assert facts == {
        "name": "tale",
        "source_language": "de",
        "target_language": "en",
        "segments": 4,
        "documents": 2,
        "references": [2, 2],
    }


def test_testset_file_without_systems_reads_standard_input(tertium: Command) -> None:
    run = tertium(toml("[]"), "-m", "bleu", "-f", "json", stdin="\n".join(MINE).encode())
    assert run.values == {("stdin", "bleu"): close(judge("bleu", MINE, REFERENCE, OTHER))}


XML = """<?xml version="1.0" encoding="utf-8"?>
<dataset id="tale">
{documents}</dataset>
"""


def wmt_xml() -> str:
    def side(tag: str, attributes: str, lines: list[tuple[int, str]]) -> str:
        segments = "".join(f'<seg id="{k}">{text}</seg>' for k, text in lines)
        return f'<{tag} lang="en" {attributes}><p>{segments}</p></{tag}>\n'

    documents = ""
    for name, first in (("one", 0), ("two", 2)):
        a, b, mine = ([(k, lines[k]) for k in (first, first + 1)] for lines in (REFERENCE, OTHER, MINE))
        sides = side("ref", "translator='A'", a) + side("ref", "translator='B'", b) + side("hyp", "system='mt'", mine)
        documents += f'<doc id="{name}" origlang="de">{sides}</doc>\n'
    return write("tale.xml", XML.format(documents=documents).encode())


def test_wmt_file_as_test_set(tertium: Command) -> None:
    run = tertium(wmt_xml(), "-m", "bleu,ter", "-f", "json")
    assert run.values == {("mt", metric): close(judge(metric, MINE, REFERENCE, OTHER)) for metric in ("bleu", "ter")}
    assert run.json["testset"]["name"] == "tale"
    run = tertium(wmt_xml(), "-m", "chrf", "--level", "document", "-f", "json")
    halves = {name: [lines[part] for lines in (MINE, REFERENCE, OTHER)]
              for name, part in {"one": slice(0, 2), "two": slice(2, 4)}.items()}  # fmt: skip
    found = {item["document"]: item["value"] for item in run.json["scores"]}
    assert found == {name: close(judge("chrf", *half)) for name, half in halves.items()}
    sides = tertium("-r", "tale.xml:ref.B", "-t", "tale.xml:hyp.mt", "-m", "bleu", "-f", "json")
    assert sides.values == {("mt", "bleu"): close(judge("bleu", MINE, OTHER))}


def test_columns_of_a_table(tertium: Command) -> None:
    table = zip(["ref", *REFERENCE], ["mt", *MINE], strict=True)
    write("all.tsv", [f"{reference}\t{output}" for reference, output in table])
    run = tertium("-r", "all.tsv:ref", "-t", "all.tsv:mt", "-m", "bleu", "-f", "json")
    assert run.values == {("mt", "bleu"): close(judge("bleu", MINE, REFERENCE))}


def test_missing_lines(tertium: Command) -> None:
    write("gaps.en", [MINE[0], r"\N", *MINE[2:]])
    write("half.en", [r"\N", OTHER[1], r"\N", r"\N"])
    arguments = ("-r", "ref.en", "-r", "half.en", "-t", "gaps.en", "-m", "chrf")
    run = tertium(*arguments, "--missing", r"\N", "-f", "json")
    kept = [0, 2, 3]
    [item] = run.json["scores"]
    assert item["value"] == close(judge("chrf", [MINE[k] for k in kept], [REFERENCE[k] for k in kept]))
    assert item["n"] == 3
    assert run.json["testset"]["references"] == [1, 2]
    assert "gaps: 1 of 4 outputs is missing and not scored" in run.json["warnings"]
    literal = tertium(*arguments, "-f", "json")
    assert literal.json["scores"][0]["n"] == 4
    assert any(r"--missing '\N'" in warning for warning in literal.json["warnings"])


def test_nothing_scored_is_not_zero(tertium: Command) -> None:
    write("none.en", ["x"] * 4)
    arguments = ("-r", "ref.en", "-t", "none.en", "-t", "mine.en", "-m", "bleu,ter", "--missing", "x")
    found = tertium(*arguments, "-f", "json", "--confidence", "--trials", "20").json["scores"]
    assert [(item["value"], item["n"], item["parts"], item["interval"]) for item in found[:2]] == [
        (None, 0, {}, None)
    ] * 2
    assert all(item["value"] > 0 and item["interval"] for item in found[2:])
    shown = tertium(*arguments).out.splitlines()
    assert shown[3].split() == ["none", "–", "–"]
    assert tertium(*arguments, "--score-only").out.splitlines()[:2] == ["–", "–"]
    assert r"none & -- & -- \\" in tertium(*arguments, "-f", "latex").out
    rows = list(csv.DictReader(io.StringIO(tertium(*arguments, "-f", "csv").out)))
    assert [row["value"] for row in rows[:2]] == ["", ""]


# Line ends, byte order marks, compression: the same text gives the same score

JOINED = "\n".join(MINE).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("crlf.en", b"".join(line.encode() + b"\r\n" for line in MINE)),
        ("mixed.en", JOINED.replace(b"\n", b"\r\n", 1) + b"\n"),
        ("bom.en", b"\xef\xbb\xbf" + JOINED + b"\n"),
        ("bom-crlf.en", b"\xef\xbb\xbf" + JOINED.replace(b"\n", b"\r\n") + b"\r\n"),
        ("unended.en", JOINED),
        ("packed.en.gz", gzip.compress(JOINED + b"\n")),
        ("packed.en.bz2", bz2.compress(JOINED + b"\n")),
        ("packed.en.xz", lzma.compress(JOINED + b"\n")),
    ],
)
def test_same_text_same_score(tertium: Command, name: str, content: bytes) -> None:
    write(name, content)
    run = tertium("-r", "ref.en", "-t", f"x={name}", "-m", "bleu,chrf(whitespace=True),ter,cer", "-f", "json")
    plain = tertium("-r", "ref.en", "-t", "x=mine.en", "-m", "bleu,chrf(whitespace=True),ter,cer", "-f", "json")
    assert run.status == 0
    assert run.out == plain.out
    assert run.values["x", "bleu"] == close(judge("bleu", MINE, REFERENCE))
    turned = tertium("-r", name, "-t", "ref.en", "-m", "bleu", "-f", "json")
    assert turned.values == {("ref", "bleu"): close(judge("bleu", REFERENCE, MINE))}


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\r"])
def test_only_line_feeds_end_lines(tertium: Command, char: str) -> None:
    odd = [line.replace(" ", char, 1) for line in MINE]
    write("odd.en", "\n".join(odd).encode())
    run = tertium("-r", "ref.en", "-t", "odd.en", "-m", "bleu,chrf,ter", "-f", "json")
    assert run.values == {("odd", metric): close(judge(metric, odd, REFERENCE)) for metric in ("bleu", "chrf", "ter")}


def test_a_trailing_empty_line_is_a_segment(tertium: Command) -> None:
    write("longer.en", [*MINE, ""])
    refused = tertium("-r", "ref.en", "-t", "longer.en")
    assert refused.status == 2
    assert "longer.en: 5 lines, but test set ref.en has 4 segments" in refused.err
    write("reference.en", [*REFERENCE, "Good night, then."])
    run = tertium("-r", "reference.en", "-t", "longer.en", "-m", "bleu", "-f", "json")
    assert run.values["longer", "bleu"] == close(judge("bleu", [*MINE, ""], [*REFERENCE, "Good night, then."]))
    assert run.values["longer", "bleu"] < judge("bleu", MINE, REFERENCE)


# What is computed


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "bleu,chrf(words=2, beta=3),ter"],
        ["-m", "bleu", "-m", "chrf(beta=3,words=2)", "-m", "ter"],
        ["-m", "bleu, chrf( words = 2, beta=3 )", "-m", "ter,bleu"],
        ["--metrics", "bleu(tokenize='13a'),chrf(words=2,beta=3),", "-m", "ter(normalized=False)"],
    ],
)
def test_metrics_repeated_or_in_lists(tertium: Command, words: list[str]) -> None:
    run = tertium(*ONE, *words, "-f", "json")
    assert list(run.values) == [("mine", "bleu"), ("mine", "chrf(words=2, beta=3)"), ("mine", "ter")]
    plus = CHRF(word_order=2, beta=3).corpus_score(MINE, [REFERENCE]).score
    assert run.values["mine", "chrf(words=2, beta=3)"] == close(plus)


def test_metrics_and_systems_in_the_order_given(tertium: Command) -> None:
    run = tertium("-r", "ref.en", "-t", "yours.en", "-t", "mine.en", "-m", "wer,ter,bleu", "-f", "json")
    assert list(run.values) == list(product(("yours", "mine"), ("wer", "ter", "bleu")))
    assert run.values["yours", "wer"] == close(judge("wer", YOURS, REFERENCE))


def test_options_of_metrics_reach_the_metric(tertium: Command) -> None:
    metrics = 'bleu(tokenize="char", lowercase=True),bleu(smooth="floor", order=2),ter(case_sensitive=True)'
    run = tertium("-r", "ref.en", "-t", "yours.en", "-m", metrics, "-f", "json")
    expected = [
        BLEU(tokenize="char", lowercase=True),
        BLEU(smooth_method="floor", max_ngram_order=2),
        TER(case_sensitive=True),
    ]
    values = [close(theirs.corpus_score(YOURS, [REFERENCE]).score) for theirs in expected]
    assert list(run.values.values()) == values


def test_segments(tertium: Command) -> None:
    run = tertium(*ONE, "-m", "bleu,ter", "--level", "segment", "-f", "json")
    found = [
        (item["metric"], item["segment"], item["document"], item["n"], item["value"]) for item in run.json["scores"]
    ]
    bleu = BLEU(effective_order=True)
    expected = [
        ("bleu", str(k), None, 1, close(bleu.sentence_score(output, [reference]).score))
        for k, (output, reference) in enumerate(zip(MINE, REFERENCE, strict=True), 1)
    ] + [
        ("ter", str(k), None, 1, close(judge("ter", [output], [reference])))
        for k, (output, reference) in enumerate(zip(MINE, REFERENCE, strict=True), 1)
    ]
    assert found == expected
    assert {item["level"] for item in run.json["scores"]} == {"segment"}


def test_documents(tertium: Command) -> None:
    run = tertium(*ONE, "--doc", "docs.txt", "--level", "document", "-m", "bleu,wer", "-f", "json")
    found = [
        (item["metric"], item["document"], item["segment"], item["n"], item["value"]) for item in run.json["scores"]
    ]
    expected = []
    for metric, name in product(("bleu", "wer"), ("sea", "food")):
        mine, reference = ([x for x, d in zip(t, DOCUMENTS, strict=True) if d == name] for t in (MINE, REFERENCE))
        expected.append((metric, name, None, 2, close(judge(metric, mine, reference))))
    assert found == expected
    shown = tertium(*ONE, "--doc", "docs.txt", "--level", "document", "-m", "wer").out.splitlines()
    assert shown[0] == "ref.en: 4 segments in 2 documents, 1 reference per segment"
    assert shown[2].split() == ["system", "document", "WER", "↓"]
    assert [line.split()[:2] for line in shown[3:5]] == [["mine", "sea"], ["mine", "food"]]


def test_documents_of_segments_are_shown(tertium: Command) -> None:
    run = tertium(*ONE, "--doc", "docs.txt", "--level", "segment", "-m", "wer", "-f", "markdown")
    rows = [line.split(" | ")[:3] for line in run.out.splitlines()]
    assert rows[0] == ["| system", "document", "segment"]
    assert rows[2:] == [["| mine", name, str(k)] for k, name in enumerate(DOCUMENTS, 1)]


# Intervals


def brute_force(metric: str, outputs: Sequence[str], trials: int, seed: int, covered: float) -> tuple[float, float]:
    """Every resample by itself: draw segments, add their rows up, score; then cut both tails off."""
    references = tt.References((tt.Lines.of(REFERENCE),), len(REFERENCE))
    testset = tt.TestSet(segments=len(REFERENCE), references=references)
    evaluation = tt.evaluate(testset, [tt.System(name="x", outputs=tt.Lines.of(outputs))], [metric])
    rows = evaluation.stats("x", metric).segments()
    drawn = np.random.default_rng(seed).integers(0, len(rows), size=(trials, len(rows)))
    found = sorted(float(tt.parse(metric).score(sum(rows[k] for k in some))) for some in drawn)
    out = round(trials * (1 - covered) / 2)  # at either end
    return found[out], found[trials - 1 - out]


@pytest.mark.parametrize("seed", [12345, 7])
@pytest.mark.parametrize(("covered", "trials"), [("0.95", 200), ("0.5", 40)])
def test_intervals_by_brute_force(tertium: Command, covered: str, trials: int, seed: int) -> None:
    run = tertium(
        *("-r", "ref.en", "-t", "mine.en", "-t", "yours.en", "-m", "bleu,chrf,wer", "-f", "json"),
        *("--confidence-level", covered, "--trials", str(trials), "--seed", str(seed)),
    )
    for item in run.json["scores"]:
        outputs = {"mine": MINE, "yours": YOURS}[item["system"]]
        low, high = brute_force(item["metric"], outputs, trials, seed, float(covered))
        assert item["interval"] == {"low": close(low), "high": close(high), "confidence": float(covered)}
        assert low < high
        assert item["signature"].endswith(f"|bs:{trials}|seed:{seed}|ci:{covered}")


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_intervals_are_as_wide_as_sacrebleus(tertium: Command, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    outputs, reference = ((EXAMPLES / name).read_text().splitlines() for name in ("systems/delta.en", "reference.a.en"))
    theirs = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[metric](references=[reference])
    expected = theirs.corpus_score(outputs, None, n_bootstrap=200)
    run = tertium(
        *("-r", str(EXAMPLES / "reference.a.en"), "-t", str(EXAMPLES / "systems/delta.en"), "-m", metric),
        *("--confidence", "--trials", "200", "-f", "json"),
    )
    [item] = run.json["scores"]
    assert item["value"] == close(expected.score)
    # Theirs adds the rows of a resample up in float32, which keeps about seven digits.
    assert (item["interval"]["high"] - item["interval"]["low"]) / 2 == pytest.approx(expected._ci, rel=1e-5)


def test_confidence_defaults(tertium: Command) -> None:
    run = tertium(*ONE, "-m", "wer", "--confidence", "-f", "json")
    [item] = run.json["scores"]
    low, high = brute_force("wer", MINE, 1000, 12345, 0.95)
    assert item["interval"] == {"low": close(low), "high": close(high), "confidence": 0.95}
    assert item["signature"].endswith("|bs:1000|seed:12345|ci:0.95")
    assert tertium(*ONE, "-m", "wer", "--confidence-level", "0.95", "-f", "json") == run


def test_the_other_interval(tertium: Command) -> None:
    [item] = tertium(*ONE, "-m", "wer", "--confidence", "--interval", "bca", "-f", "json").json["scores"]
    assert item["signature"].endswith("|bs:1000|seed:12345|bca:0.95")
    assert item["interval"]["low"] <= item["value"] <= item["interval"]["high"]
    [plain] = tertium(*ONE, "-m", "wer", "--confidence", "--interval", "percentile", "-f", "json").json["scores"]
    [same] = tertium(*ONE, "-m", "wer", "--confidence", "--unit", "segment", "-f", "json").json["scores"]
    assert same == plain
    assert plain["signature"].endswith("|ci:0.95")


def test_gate(tertium: Command) -> None:
    value = judge("wer", MINE, REFERENCE)
    assert tertium(*ONE, "--fail-under", f"wer={value + 1}").status == 0
    failed = tertium(*ONE, "--fail-under", f"wer={value - 1}")
    assert failed.status == 1
    assert f"mine: wer is {value:.4f}, over {value - 1:g}" in failed.err


def test_no_interval_unless_asked_for(tertium: Command) -> None:
    plain = tertium(*ONE, "-m", "wer", "-f", "json")
    assert plain.json["scores"][0]["interval"] is None
    assert tertium(*ONE, "-m", "wer", "-f", "json", "--trials", "10", "--seed", "3") == plain


def test_intervals_in_tables(tertium: Command) -> None:
    low, high = brute_force("wer", YOURS, 100, 12345, 0.95)
    value = judge("wer", YOURS, REFERENCE)
    arguments = ("-r", "ref.en", "-t", "yours.en", "-m", "wer", "--confidence", "--trials", "100")
    shown = f"{value:.1f} [{low:.1f}, {high:.1f}]"
    assert tertium(*arguments).out.splitlines()[3] == f"yours   {shown}"
    assert f"| yours | {value:.3f} [{low:.3f}, {high:.3f}] |" in tertium(*arguments, "-f", "markdown", "-w", "3").out
    assert rf"yours & {shown} \\" in tertium(*arguments, "-f", "latex").out
    [row] = csv.DictReader(io.StringIO(tertium(*arguments, "-f", "csv").out))
    assert (float(row["low"]), float(row["high"])) == (close(low), close(high))
    assert tertium(*arguments, "--score-only").out == f"{value:.1f}\n"


def test_seed_changes_the_interval_and_nothing_else(tertium: Command) -> None:
    found = [tertium(*ONE, "-m", "bleu", "--confidence", "--trials", "25", "--seed", seed, "-f", "json").json["scores"]
             for seed in ("1", "2", "1")]  # fmt: skip
    assert found[0] == found[2]
    assert found[0][0]["interval"] != found[1][0]["interval"]
    assert found[0][0]["value"] == found[1][0]["value"]


def test_any_number_of_threads_gives_the_same_bytes(tertium: Command) -> None:
    rng = random.Random(1)
    words = "the a ferry swan bowl pear wind seven blue at of and".split()
    sides = [[" ".join(rng.choices(words, k=rng.randint(0, 12))) for _ in range(9000)] for _ in range(2)]
    for name, lines in zip(("many.ref", "many.out"), sides, strict=True):
        write(name, lines)
    arguments = ("-r", "many.ref", "-t", "many.out", "-m", "bleu,chrf,ter,wer", "-f", "json")
    one, four, default = (tertium(*arguments, *more) for more in (("--threads", "1"), ("--threads", "4"), ()))
    assert one.status == 0
    assert one == four == default
    assert one.values["many", "bleu"] == close(judge("bleu", sides[1], sides[0]))
    interval = ("--confidence", "--trials", "20")
    assert tertium(*arguments, *interval, "--threads", "1") == tertium(*arguments, *interval, "--threads", "3")


# What is printed

KEYS = ["system", "metric", "level", "segment", "document", "value", "signature", "n", "parts", "interval"]


def test_json(tertium: Command) -> None:
    run = tertium(*ONE, "-m", "wer,bleu", "-f", "json")
    assert run.err == ""
    assert run.out.endswith("}\n")
    made = run.json
    assert list(made) == ["tertium", "testset", "scores", "cut", "warnings"]
    assert made["tertium"] == tt.__version__
    facts = ["name", "source_language", "target_language", "segments", "documents", "references", "digest"]
    assert list(made["testset"]) == facts
    assert made["testset"]["documents"] is made["testset"]["source_language"] is None
    assert (made["testset"]["name"], made["testset"]["segments"], made["testset"]["references"]) == (
        "ref.en",
        4,
        [1, 1],
    )
    assert [list(item) for item in made["scores"]] == [KEYS, KEYS]
    assert made["warnings"] == ["only 4 segments: scores of so small a test set are not reliable"]
    wer, bleu = made["scores"]
    edits = jiwer.process_words(REFERENCE, MINE)
    assert wer == {
        "system": "mine",
        "metric": "wer",
        "level": "corpus",
        "segment": None,
        "document": None,
        "value": 100 * edits.wer,
        "signature": wer["signature"],
        "n": 4,
        "parts": {
            "hits": edits.hits,
            "substitutions": edits.substitutions,
            "deletions": edits.deletions,
            "insertions": edits.insertions,
            "reference_length": sum(len(line.split()) for line in REFERENCE),
            "output_length": sum(len(line.split()) for line in MINE),
        },
        "interval": None,
    }
    digest = re.escape(made["scores"][1]["signature"].split("data:")[1].split("|")[0])
    assert re.fullmatch(rf"wer\|refs:1\|n:4\|data:{digest}\|tertium:{re.escape(tt.__version__)}", wer["signature"])
    theirs = BLEU().corpus_score(MINE, [REFERENCE])
    assert bleu["parts"]["precisions"] == close(theirs.precisions)
    assert bleu["parts"]["brevity_penalty"] == close(theirs.bp)


def test_json_has_no_numbers_that_json_lacks(tertium: Command) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    write("empty.en", [""] * 4)
    for metric in ("bleu", "chrf", "ter", "wer", "wil", "cer"):
        run = tertium("-r", "empty.en", "-t", "mine.en", "-m", metric, "--level", "segment", "-f", "json")
        assert run.status == 0
        json.loads(run.out, parse_constant=refuse)


def test_csv_reads_back(tertium: Command) -> None:
    arguments = ("-r", "ref.en", "-t", 'a, "b"=mine.en', "-t", "yours.en", "-m", "bleu,chrf(words=2, beta=3)")
    for more in ((), ("--confidence", "--trials", "20"), ("--doc", "docs.txt", "--level", "document")):
        run = tertium(*arguments, *more, "-f", "csv")
        assert run.out.count("\n\n") == 0
        header = "system metric level segment document value n low high signature".split()
        rows = list(csv.reader(io.StringIO(run.out)))
        assert rows[0] == header
        read = [dict(zip(header, row, strict=True)) for row in rows[1:]]
        made = tertium(*arguments, *more, "-f", "json").json["scores"]
        assert len(read) == len(made)
        for row, item in zip(read, made, strict=True):
            interval = item["interval"] or {"low": None, "high": None}
            whole = {**item, **interval}
            assert {key: row[key] for key in ("value", "low", "high")} == {
                key: "" if whole[key] is None else repr(whole[key]) for key in ("value", "low", "high")
            }
            for key in ("system", "metric", "level", "segment", "document", "n", "signature"):
                assert row[key] == ("" if item[key] is None else str(item[key]))


def two_systems(*more: str) -> tuple[str, ...]:
    return ("-r", "ref.en", "-t", "mine.en", "-t", "yours.en", "-m", "bleu,wer", *more)


def cells(decimals: int = 1, best: str = "%s") -> list[list[str]]:
    """What the tables have to show, by the judges, who find the first system better by both metrics."""
    return [
        [name, *(mark % f"{judge(metric, outputs, REFERENCE):.{decimals}f}" for metric in ("bleu", "wer"))]
        for name, outputs, mark in (("mine", MINE, best), ("yours", YOURS, "%s"))
    ]


def test_text(tertium: Command) -> None:
    run = tertium(*two_systems())
    first, blank, head, mine, yours, gap, legend, space, *signatures = run.out.splitlines()
    assert first == "ref.en: 4 segments, 1 reference per segment"
    assert (blank, gap, space) == ("", "", "")
    assert head == "system   BLEU  WER ↓"
    assert [mine.split(), yours.split()] == cells(best="•%s")
    assert legend == "• the best of its column"
    assert {len(line) for line in (head, mine, yours)} == {len(head)}
    assert [line.partition("|")[0] for line in signatures] == ["bleu", "wer"]
    assert run.err == "tertium: note: only 4 segments: scores of so small a test set are not reliable\n"


def test_markdown(tertium: Command) -> None:
    run = tertium(*two_systems("-f", "markdown"))
    rows = "".join(f"| {' | '.join(row)} |\n" for row in cells(best="**%s**"))
    assert run.out == f"| system | BLEU | WER ↓ |\n| :-- | --: | --: |\n{rows}"


def test_markdown_escapes_bars(tertium: Command) -> None:
    run = tertium("-r", "ref.en", "-t", "a|b=mine.en", "-m", "wer", "-f", "markdown")
    assert run.out.splitlines()[2].startswith(r"| a\|b | ")


def test_latex(tertium: Command) -> None:
    run = tertium(*two_systems("-f", "latex"))
    assert run.out.splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"system & BLEU & WER $\downarrow$ \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in cells(best=r"\textbf{%s}")),
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a_b", r"a\_b"),
        ("a&b", r"a\&b"),
        ("50%", r"50\%"),
        ("#1", r"\#1"),
        ("a\\b", r"a\textbackslash{}b"),
        ("$x$", r"\$x\$"),
        ("{x}", r"\{x\}"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
    ],
)
def test_latex_escapes(tertium: Command, name: str, written: str) -> None:
    run = tertium("-r", "ref.en", "-t", f"{name}=mine.en", "-m", "chrf(words=2)", "-f", "latex")
    assert run.out.splitlines()[4].partition(" & ")[0] == written
    metric = tertium(*ONE, "-m", "ter(no_punct=True)", "-f", "latex").out.splitlines()[2]
    assert metric == r"system & ter(no\_punct=True) $\downarrow$ \\"


@pytest.mark.parametrize("decimals", [0, 3, 17])
def test_width(tertium: Command, decimals: int) -> None:
    for option in ("-w", "--width"):
        run = tertium(*two_systems(option, str(decimals), "-f", "markdown"))
        if decimals < 10:
            assert [line.strip("| ").split(" | ") for line in run.out.splitlines()[2:]] == cells(decimals, "**%s**")
        else:
            assert re.search(rf"\| \d+\.\d{{{decimals}}} \|", run.out)
    exact = tertium(*two_systems("-f", "json"))
    assert tertium(*two_systems("-f", "json", "-w", str(decimals))) == exact


def test_score_only(tertium: Command) -> None:
    run = tertium(*two_systems("--score-only"))
    assert run.out.splitlines() == [text for _, *numbers in cells() for text in numbers]
    run = tertium(*two_systems("--score-only", "-w", "4", "--level", "segment"))
    assert len(run.out.splitlines()) == 2 * 2 * 4
    assert all(re.fullmatch(r"\d+\.\d{4}", line) for line in run.out.splitlines())
    for form in ("json", "csv"):
        assert tertium(*two_systems("-f", form, "--score-only")) == tertium(*two_systems("-f", form))


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex"])
def test_output_file(tertium: Command, form: str) -> None:
    shown = tertium(*two_systems("-f", form))
    for option in ("-o", "--output"):
        run = tertium(*two_systems("-f", form, option, "scores"))
        assert (run.status, run.out, run.err) == (0, "", shown.err)
        assert Path("scores").read_bytes() == shown.out.encode()
    assert tertium(*two_systems("-f", form, "-o", "-")) == shown


@pytest.mark.parametrize("cause", ["input", "interrupt"])
def test_output_is_written_whole_or_not_at_all(tertium: Command, cause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    write("scores", b"as it was")
    before = sorted(path.name for path in Path().iterdir())
    if cause == "interrupt":
        monkeypatch.setattr(os, "fsync", interrupt)
    run = tertium(*ONE, "-m", "bleu" if cause == "interrupt" else "blue", "-o", "scores")
    assert run.status == (130 if cause == "interrupt" else 2)
    assert Path("scores").read_bytes() == b"as it was"
    assert sorted(path.name for path in Path().iterdir()) == before


def test_mapped_files(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = []
    true_map = files._map
    monkeypatch.setattr(files, "_map", lambda file: mapped.append(file.name) or true_map(file))
    read = tertium(*two_systems())
    assert mapped == []
    assert tertium(*two_systems("--mmap")) == read
    assert len(set(mapped)) == 3


def test_no_colours(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    plain = tertium(*two_systems())
    monkeypatch.setenv("NO_COLOR", "1")
    assert tertium(*two_systems()) == plain
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert tertium(*two_systems()) == plain
    assert "\x1b" not in plain.out + plain.err


def test_progress_is_shown_on_a_terminal_only(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    plain = tertium(*two_systems("-f", "json"))
    monkeypatch.setattr("tertium.cli.progress.LONG", 1)
    assert tertium(*two_systems("-f", "json")) == plain
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert tertium(*two_systems("-f", "json")).out == plain.out
    assert "counting segments" in terminal.getvalue()


def test_the_example_fits_a_terminal(tertium: Command) -> None:
    run = tertium(str(EXAMPLES / "testset.toml"))
    assert max(len(line) for line in run.out.splitlines()) <= 80
    assert max(len(line) for line in run.err.splitlines()) <= 80
    assert [line.split()[0] for line in run.out.splitlines()[3:7]] == ["atlas", "brook", "cinder", "delta"]
    assert re.fullmatch(r"atlas +•\d\d\.\d +•\d\d\.\d +•\d\d\.\d", run.out.splitlines()[3])
    table = tertium(str(EXAMPLES / "testset.toml"), "--confidence", "--trials", "20").out.split("\n\n")[1]
    assert max(len(line) for line in table.splitlines()) <= 80


# Wrong input: one sentence, status 2

FILES = {
    "folder/file": ["x"],
    "empty": [],
    "blank": b"",
    "short": ["one", "two", "three"],
    "long": ["a"] * 5,
    "one": ["one"],
    "latin": "ok\nfine\nca\xf1a\n".encode("latin-1"),
    "utf16": "one\n".encode("utf-16"),
    "table.tsv": ["source\tmt", "a\tb"],
    "wide.tsv": ["source\tmt", "a\tb\tc"],
    "bad.gz": b"this is not packed",
    "half.gz": gzip.compress(os.urandom(2000))[:900],
    "names": ["a", "b"],
}

KNOWN = ", ".join(known())

WRONG = [
    (["-r", "ref.en", "-t", "nowhere.en"], "nowhere.en: no such file"),
    (["-r", "nowhere.en", "-t", "mine.en"], "nowhere.en: no such file"),
    (["nowhere.toml"], "nowhere.toml: no such file"),
    (["-r", "ref.en", "-t", "nofiles"], "nofiles: no such file"),
    (["-r", "empty", "-t", "empty"], "test set empty is empty: there is no segment to score"),
    (["-r", "blank", "-t", "mine.en"], "test set blank is empty: there is no segment to score"),
    (
        ["-r", "ref.en", "-t", "empty"],
        "empty: 0 lines, but test set ref.en has 4 segments. Did the decoder drop empty lines?",
    ),
    (
        ["-r", "ref.en", "-t", "mine.en", "-t", "short"],
        "short: 3 lines, but test set ref.en has 4 segments. Did the decoder drop empty lines?",
    ),
    (
        ["-r", "ref.en", "-t", "long"],
        "long: 5 lines, but test set ref.en has 4 segments. Did a line break inside a segment split it in two?",
    ),
    (
        ["-r", "short", "-t", "mine.en"],
        "mine.en: 4 lines, but test set short has 3 segments. Did a line break inside a segment split it in two?",
    ),
    (
        ["-r", "ref.en", "-t", "short", "--doc", "docs.txt"],
        "short: 3 lines, but test set ref.en has 4 segments (first missing in document food). "
        "Did the decoder drop empty lines?",
    ),
    (["-r", "ref.en", "-r", "short", "-t", "mine.en"], "short: 3 lines, but ref.en has 4; they must go line by line"),
    (["-r", "ref.en", "-s", "long", "-t", "mine.en"], "long: 5 lines, but ref.en has 4; they must go line by line"),
    (
        ["-r", "ref.en", "--doc", "names", "-t", "mine.en"],
        "names: 2 lines, but ref.en has 4; they must go line by line",
    ),
    (
        ["-r", "one", "-r", "one", "-r", "one", "-r", "one", "-t", "mine.en"],
        "4 reference files of 1 line for 4 outputs: it looks as if references were given one file per segment; "
        "give one file per set of references",
    ),
    (
        ["-r", "ref.en", "-t", "one"],
        "one: 1 line, but test set ref.en has 4 segments. Did the decoder drop empty lines?",
    ),
    (
        ["-r", "ref.en", "-r", "mine.en", "-t", "names"],
        "names: 2 lines, but test set ref.en has 4 segments. Did the decoder drop empty lines?",
    ),
    (
        ["-r", "ref.en", "-t", "latin"],
        "latin:3: byte 0xf1 at offset 10 is not UTF-8; convert the file first, "
        "for example with: iconv -f latin1 -t utf-8",
    ),
    (
        ["-r", "utf16", "-t", "mine.en"],
        "utf16:1: byte 0xff at offset 0 is not UTF-8; convert the file first, "
        "for example with: iconv -f utf-16 -t utf-8",
    ),
    (["-r", "table.tsv:reference", "-t", "mine.en"], "table.tsv has no column 'reference'; columns: source, mt"),
    (
        ["-r", "table.tsv:sourc", "-t", "mine.en"],
        "table.tsv has no column 'sourc'; did you mean 'source'? columns: source, mt",
    ),
    (
        ["-r", "table.tsv", "-t", "mine.en"],
        "table.tsv has 2 columns: source, mt; choose one, for example table.tsv:source",
    ),
    (
        ["-r", "wide.tsv:mt", "-t", "mine.en"],
        "wide.tsv:2: 3 fields, but the header has 2 fields; is there a separator too many or too few?",
    ),
    (["-r", "ref.en:mt", "-t", "mine.en"], "ref.en:mt: ref.en is plain text and has no columns; write ref.en"),
    (
        [*ONE, "-m", "blue"],
        f"unknown metric 'blue'; did you mean 'bleu'? known: {KNOWN}",
    ),
    ([*ONE, "-m", "xyzzy"], f"unknown metric 'xyzzy'; known: {KNOWN}"),
    (
        [*ONE, "-m", "wer(tokenise='13a')"],
        'wer has no option \'tokenise\'; options: tokenize="none", lowercase=False, unicode="none", normalise=()',
    ),
    ([*ONE, "-m", "bleu(order='four')"], 'bleu: order="four" must be int; the default is 4'),
    ([*ONE, "-m", "bleu(order=4.0)"], "bleu: order=4.0 must be int; the default is 4"),
    ([*ONE, "-m", "bleu(lowercase=1)"], "bleu: lowercase=1 must be bool; the default is False"),
    (
        [*ONE, "-m", "bleu(tokenize=zh)"],
        "bleu(tokenize=zh): option 'tokenize' must be a plain value: a quoted string, a number, True or False",
    ),
    (
        [*ONE, "-m", 'bleu(smooth="laplace")'],
        'bleu: smooth="laplace" is unknown; '
        "choose from exp, floor, add-k, none, length, average, prior, length+average",
    ),
    ([*ONE, "-m", "bleu(order=2, order=3)"], "bleu(order=2, order=3): option 'order' is given twice"),
    (
        [*ONE, "-m", "bleu("],
        "'bleu(' is not a metric; write a name, or name(option=value, ...), such as bleu(tokenize=\"zh\")",
    ),
    ([*ONE, "-m", ""], "no metric to score with; name at least one, such as bleu (-m bleu)"),
    ([*ONE, "-m", ", ,"], "no metric to score with; name at least one, such as bleu (-m bleu)"),
    (
        ["-t", "mine.en"],
        "nothing to compare with: pass a testset.toml, --ref FILE, or -T NAME (see tertium score --help)",
    ),
    ([], "nothing to compare with: pass a testset.toml, --ref FILE, or -T NAME (see tertium score --help)"),
    (["-s", "ref.en", "-t", "mine.en"], "bleu needs references, and test set ref.en has none (--ref FILE)"),
    (
        ["-r", "ref.en", "-t", "a=mine.en", "-t", "a=yours.en"],
        "two systems are called a; give them different names (--hyp NAME=FILE)",
    ),
    ([*ONE, "-t", "mine.en"], "mine.en is given twice as a system; name each file once"),
    (
        ["testset.toml", "-t", "yours=mine.en"],
        "--hyp mine.en: there is already a system yours; give it another name: --hyp NAME=mine.en",
    ),
    (
        [*ONE, "--level", "document"],
        "test set ref.en has no documents; name them (documents = in testset.toml, --doc FILE)",
    ),
    ([*ONE, "--level", "segment", "--confidence"], "intervals are for corpus scores; level is segment"),
    *(
        (
            ["testset.toml", option, "ref.en"],
            "testset.toml already names source, references and documents; --src, --ref and --doc go without it",
        )
        for option in ("--ref", "--src", "--doc")
    ),
    (["-r", "ref.en", "-t", "bad.gz"], "bad.gz: not a valid .gz file (Not a gzipped file (b'th'))"),
    (
        ["-r", "ref.en", "-t", "half.gz"],
        "half.gz: not a valid .gz file (Compressed file ended before the end-of-stream marker was reached)",
    ),
    (
        [*ONE, "-o", "nowhere/scores"],
        "nowhere/scores: cannot be written: there is no folder nowhere; make it first",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_input(tertium: Command, arguments: list[str], sentence: str) -> None:
    toml()
    for name, content in FILES.items():
        write(name, content)
    assert tertium(*arguments) == (2, "", f"tertium: {sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--level", "sentence"],
            "Invalid value for '--level': 'sentence' is not one of 'corpus', 'document', 'segment'.",
        ),
        (["-f", "xml"], "Invalid value for '-f' / '--format': 'xml' is not one of"),
        (["-w", "18"], "Invalid value for '-w' / '--width': 18 is not in the range 0<=x<=17."),
        (["--confidence-level", "95"], "Invalid value for '--confidence-level': 95.0 is not in the range 0<x<1."),
        (["--trials", "0"], "Invalid value for '--trials': 0 is not in the range x>=1."),
        (["--seed", "-1"], "Invalid value for '--seed': -1 is not in the range x>=0."),
        (["--threads", "0"], "Invalid value for '--threads': 0 is not in the range x>=1."),
        (["testset.toml", "another"], "Got unexpected extra argument (another)"),
        (["--metric", "bleu"], "No such option '--metric'."),
    ],
)
def test_wrong_options(tertium: Command, arguments: list[str], sentence: str) -> None:
    run = tertium(*ONE, *arguments)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("Usage: tertium score [OPTIONS] [TESTSET]\n")
    assert f"\nError: {sentence}" in run.err


def test_ctrl_c(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tertium.cli.score.add_metrics", interrupted)
    run = tertium(*ONE, "-o", "scores")
    assert (run.status, run.out, run.err.strip()) == (130, "", "tertium: stopped")
    assert not Path("scores").exists()


# The installed command


def installed(*arguments: str, stdin: bytes = b"") -> Run:
    done = subprocess.run([INSTALLED, "score", *arguments], input=stdin, capture_output=True, check=False)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_installed_command_says_the_same(tertium: Command) -> None:
    for arguments in (two_systems(), two_systems("-f", "json", "--confidence", "--trials", "20")):
        assert installed(*arguments) == tertium(*arguments)
    refused = installed("-r", "ref.en", "-t", "nowhere")
    assert refused == (2, "", "tertium: nowhere: no such file\n")


def test_installed_command_reads_standard_input() -> None:
    run = installed("-r", "ref.en", "-m", "bleu", "--score-only", "-w", "6", stdin="\n".join(YOURS).encode())
    assert (run.status, run.out) == (0, f"{judge('bleu', YOURS, REFERENCE):.6f}\n")


def test_reader_that_leaves() -> None:
    write("many", ["one and the same line"] * 20_000)  # more than a pipe holds
    command = [INSTALLED, "score", "-r", "many", "-t", "many", "-m", "wer", "--level", "segment"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"many: 20,000 segments, 1 reference per segment\n"
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_judgements_may_be_trusted_to_belong_to_the_texts(tertium: Command) -> None:
    said = ("score", str(EXAMPLES / "testset.toml"), "-m", "human", "-f", "json")
    assert tertium(*said[1:], "--trust-join").json == tertium(*said[1:]).json


def test_no_cache_is_left_by_metrics_without_models(tertium: Command, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plain, without = tertium(*ONE, "-m", "wer"), tertium(*ONE, "-m", "wer", "--no-cache")
    assert (plain.status, plain.out) == (without.status, without.out)
    assert not (tmp_path / "tertium" / "models").exists()
