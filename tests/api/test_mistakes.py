"""Slips that once gave a wrong score or a traceback: now the right score, or a sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tertium as tt
from tertium.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")

TEXT = "one two three four five"


@pytest.mark.parametrize(
    "references",
    [
        TEXT,
        [TEXT],
        ["other words", TEXT],
        {"A": [TEXT]},
        pd.DataFrame({"a": ["x"], 1: [TEXT]}),
        pd.DataFrame({7: [TEXT]}),
    ],
)
def test_one_output_finds_its_references(references: Any) -> None:
    assert tt.score(TEXT, references=references)[0].value == pytest.approx(100)


def scored(**options: Any) -> Any:
    return tt.score(["a", "b"], references=["a", "b"], **options)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tt.score({"a", "b"}, references=["a", "b"]), "outputs: a set has no order"),
        (lambda: tt.score(None, references=["a"]), "outputs: NoneType; pass a list of strings"),
        (lambda: tt.score(5, references=["a"]), "outputs: int; pass a list of strings"),
        (lambda: tt.score(["a"], references=["a"], metrics=[5]), "5 is not a metric"),
        (lambda: tt.score(["a"], references=["a"], metrics=type(tt.parse("bleu"))), "is not a metric"),
        (lambda: tt.score(["a"], references=["a"], layout="columns"), "layout='columns' is unknown"),
        (lambda: tt.score(["a"], references=["a"], level="word"), "level 'word' is unknown"),
        (lambda: tt.parse("chrf(beta=1e308)"), "chrf: beta=1e+308; must lie between 0 and 1000"),
        (lambda: tt.score(["a"], references=5), "references: int; pass a list of strings, one per segment"),
        (lambda: tt.score(["a"], references=[5]), "references[0]: int; pass a list of strings"),
        (lambda: tt.score(["a", "b"], references=[["a"], 5.5]), "references[1]: float; pass a list of strings"),
        (lambda: tt.score(["a"], references=b"a"), "references: bytes; pass a list of strings"),
        (lambda: tt.score(["a", "b"], references={"a", "b"}), "references: a set has no order"),
        (lambda: tt.score(["a"], references={"A": 5}), "references: int; pass a list of strings"),
        (
            lambda: tt.score(["a"], references=["a"], documents=5),
            "documents: int; pass a list of names, one per segment",
        ),
        (lambda: tt.score(["a"], references=["a"], documents="d"), "documents: str; pass a list of names"),
        (lambda: scored(confidence="x"), "confidence 'x': must lie between 0 and 1, such as 0.95"),
        (lambda: scored(confidence=0.9, trials="x"), "resamples: 'x'; must be a whole number"),
        (lambda: scored(confidence=0.9, trials=2.5), "resamples: 2.5; must be a whole number"),
        (lambda: scored(confidence=0.9, seed=None), "seed: None; must be a whole number"),
        (lambda: scored(confidence=0.9, trials=10**12), "1000000000000 resamples: at most 10000000 are drawn, because"),
        (lambda: tt.align("a", "b", "spam"), 'align: tokenize="spam" is unknown'),
    ],
)
def test_mistakes_get_a_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(tt.TertiumError) as refusal:
        call()
    assert said in str(refusal.value)


def test_numpy_nan_is_missing() -> None:
    scores = tt.score([TEXT, np.float64("nan")], references=[TEXT, "b"])
    assert scores[0].n == 1
    assert scores[0].value == pytest.approx(100)


@pytest.mark.parametrize("array", [pa.array([TEXT]).dictionary_encode(), pa.array([TEXT], pa.string_view())])
def test_other_arrow_strings_are_read(array: Any) -> None:
    assert tt.score(array, references=array)[0].value == pytest.approx(100)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-r text -t text -o folder", "folder: cannot be written (Is a directory)"),
        ("-r - -t -", "standard input (-) can be read only once; name files for the others"),
        ("-r text -t x=", "--hyp x=: no file; write --hyp x=FILE"),
        ("-r text -t text --doc gaps.jsonl:doc", "gaps.jsonl:doc: line 1 is missing; every segment needs a document"),
        ("text", "; pass outputs by --hyp and references by --ref"),
        (
            "gaps.jsonl",
            "gaps.jsonl: a file with columns, not a testset.toml; name them (--ref gaps.jsonl:COLUMN --hyp "
            "gaps.jsonl:COLUMN), or take tertium merge for what tertium stats wrote",
        ),
    ],
)
def test_slips_on_the_command_line(
    arguments: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("= one\n", encoding="utf-8")
    Path("gaps.jsonl").write_text('{"doc": null}\n', encoding="utf-8")
    Path("folder").mkdir()
    with pytest.raises(SystemExit) as stop:
        main(["score", *arguments.split()])
    assert stop.value.code == 2
    assert capsys.readouterr().err.rstrip("\n").endswith(said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "gaps.jsonl", "text"]  # nothing left behind
