"""`tertium human convert`: what is printed, and what is refused."""

import json
from functools import partial
from pathlib import Path

import pytest

from .running import Command

HEAD = "system\tsegment\trater\tscale\tvalue\tspans\n"
RESULTS = "eva,brook,1,TGT,ces,eng,80,news,False,[],1.0,2.0\n"


@pytest.fixture
def convert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("a.tsv").write_text(HEAD + "brook\t1\teva\tda100\t70\t\nbrook\t2\tjan\tfluency\t4\t\n")
    return partial(tertium, "human", "convert")


def test_by_the_names_of_the_files(convert: Command) -> None:
    said = "b.csv: 1 judgement, 1 rater, 1 system, 1 segment (appraise)\n"
    assert convert("a.tsv", "b.csv", "--scale", "da100") == (0, said, "")
    assert Path("b.csv").read_bytes() == b"eva,brook,1,TGT,,,70,0.0,0.0\r\n"
    assert convert("b.csv", "c.tsv") == (0, "c.tsv: 1 judgement, 1 rater, 1 system, 1 segment (tertium)\n", "")
    assert Path("c.tsv").read_text().splitlines()[1] == "brook\t1\teva\tda100\t70\tgenuine\t\t0"
    assert convert("a.tsv", "d.tsv")[1] == "d.tsv: 2 judgements, 2 raters, 1 system, 2 segments (tertium)\n"


def test_texts_come_from_a_test_set(convert: Command) -> None:
    Path("s.de").write_text("Hallo\nNein\n")
    Path("brook.en").write_text("Hi\nNo\n")
    Path("testset.toml").write_text('source = "s.de"\nsystems = "brook.en"\n')
    Path("a.tsv").write_text(HEAD + 'brook\t2\teva\tmqm\t5\t[[0, 1, "major", "Style"]]\n')
    assert convert("a.tsv", "b.tsv", "--to", "mqm", "--testset", "testset.toml")[0] == 0
    assert Path("b.tsv").read_text().splitlines()[1] == "brook\t\t2\t2\teva\tNein\t<v>N</v>o\tStyle\tMajor\t"


def test_texts_come_from_batches(convert: Command) -> None:
    task = {"batchNo": 1, "requiredAnnotations": 1, "sourceLanguage": "ces", "targetLanguage": "eng"}
    item = {"itemID": 1, "itemType": "TGT", "sourceText": "Ahoj", "targetID": "brook", "targetText": "Hi",
            "documentID": "news"}  # fmt: skip
    Path("batches.json").write_text(json.dumps([{"task": task, "items": [item]}]))
    errors = '"[{""start_i"": 0, ""end_i"": 1, ""severity"": ""minor"", ""error_type"": [""Style""]}]"'
    Path("r.csv").write_text(RESULTS.replace("[]", errors))
    assert convert("r.csv", "b.tsv", "--to", "mqm", "--batches", "batches.json")[0] == 0
    assert Path("b.tsv").read_text().splitlines()[1] == "brook\tnews\t1\t1\teva\tAhoj\t<v>H</v>i\tStyle\tMinor\t"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.tsv", "b.txt"], "b.txt: the name does not say which format to write; add --to "
         "tertium|appraise|mturk|mqm|mlqe"),
        (["a.tsv", "b.csv", "--to", "tertium"], "b.csv: our own format is written as TSV; give a name that ends in "
         ".tsv"),
        (["a.tsv", "b.csv"], "b.csv: Appraise has no scale fluency; its results are on da100, document100, esa, mqm: "
         "write the others to a file of their own"),
        (["a.tsv", "b.csv", "--scale", "sqm"], "b.csv: there are no judgements to write"),
        (["none.tsv", "b.csv"], "none.tsv: no such file"),
        (["a.tsv", "b.tsv", "--testset", "x", "--batches", "y"], "--testset and --batches both name the texts; give "
         "one of them"),
        (["a.tsv", "no/b.tsv"], "no/b.tsv: cannot be written: there is no folder no; make it first"),
    ],
)  # fmt: skip
def test_refusals(convert: Command, arguments: list[str], message: str) -> None:
    assert convert(*arguments) == (2, "", f"tertium: {message}\n")
    assert sorted(path.name for path in Path().iterdir()) == ["a.tsv"]
