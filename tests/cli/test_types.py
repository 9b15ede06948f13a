"""`tertium types`: tables as text, TSV and JSON."""

import json
from functools import partial
from pathlib import Path

import pytest

from tertium.cli.main import main

from .running import Command


@pytest.fixture
def types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("ref.en").write_text("the old harbour is closed\nthe ferry is late\n")
    Path("mine.en").write_text("the harbour is shut\nthe ferry is is late\n")
    Path("other.en").write_text("harbour\na\u200b\x1b ferry\n")
    return partial(tertium, "types", "-r", "ref.en")


NOTE = "tertium: note: only 2 segments: scores of so small a test set are not reliable\n"


def test_text(types: Command) -> None:
    status, out, err = types("-t", "mine.en", "--min-refs", "2", "-w", "1")
    table = """
ref.en: 2 segments, 1 reference per segment

mine: 2 of 8 types

type  refs  preds  match  precision  recall      f
is       2      3      2       66.7   100.0   80.0
the      2      2      2      100.0   100.0  100.0

"""
    assert out.startswith(table.lstrip())
    assert out.splitlines()[-1].startswith("macrof|refs:1|n:2|data:")
    assert (status, err) == (0, NOTE)


def test_tsv_of_two_systems(types: Command) -> None:
    _, out, _ = types("-t", "mine.en", "-t", "b=other.en", "--format", "tsv", "--only", "both", "-m", "microf(beta=2)")
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["system", "type", "refs", "preds", "match", "precision", "recall", "f"]
    assert [line[:5] for line in lines[1:]] == [
        ["mine", "is", "2", "3", "2"],
        ["mine", "the", "2", "2", "2"],
        ["mine", "ferry", "1", "1", "1"],
        ["mine", "harbour", "1", "1", "1"],
        ["mine", "late", "1", "1", "1"],
        ["b", "ferry", "1", "1", "1"],
        ["b", "harbour", "1", "1", "1"],
    ]
    assert float(lines[1][5]) == pytest.approx(200 / 3, rel=1e-15)


def test_json(types: Command) -> None:
    _, out, _ = types("-t", "mine.en", "-f", "json", "--sort", "f", "--reverse", "--top", "1", "--pattern", "^o")
    found = json.loads(out)
    assert found["metric"] == "macrof"
    assert found["types"] == {
        "mine": [{"type": "old", "refs": 1, "preds": 0, "match": 0, "precision": 100.0, "recall": 0.0, "f": 0.0}]
    }
    assert found["warnings"]
    assert found["signature"].startswith("macrof|")


def test_a_screen_is_shown_nothing_that_it_would_obey(types: Command) -> None:
    _, out, _ = types("-t", "other.en", "--only", "output")
    assert r"a\u200b\x1b" in out
    assert "\x1b" not in out


def test_text_is_short_and_files_are_whole(types: Command) -> None:
    Path("ref.en").write_text(" ".join(f"w{k}" for k in range(50)) + "\n")
    Path("mine.en").write_text("w1\n")
    _, out, _ = types("-t", "mine.en")
    assert sum(line.startswith("w") for line in out.splitlines()) == 20
    assert "50 of 50 types" in out
    status, out, _ = types("-t", "mine.en", "-f", "tsv", "-o", "table.tsv")
    assert (status, out) == (0, "")
    assert len(Path("table.tsv").read_text().splitlines()) == 51


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-m", "bleu"], "bleu counts no types; choose a metric that does, such as macrof"),
        (["--pattern", "["], "pattern '[' is not a regular expression: unterminated character set at position 0"),
        (["-m", "macro"], "unknown metric 'macro'; did you mean 'macrof'?"),
    ],
)
def test_mistakes(types: Command, arguments: list[str], sentence: str) -> None:
    status, out, err = types("-t", "mine.en", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"tertium: {sentence}")


def test_standard_input(types: Command) -> None:
    _, out, _ = types("--format", "tsv", "--only", "both", stdin=b"the\nferry\n")
    assert [line.split("\t")[:2] for line in out.splitlines()[1:]] == [["stdin", "the"], ["stdin", "ferry"]]


# Two systems side by side


@pytest.fixture
def pair(types: Command) -> Command:
    Path("b.en").write_text("the old harbour is closed\nthe ship is late too\n")
    return lambda *arguments: types("-t", "a=mine.en", "-t", "b=b.en", *arguments)


def test_two_systems_as_text(pair: Command) -> None:
    """No p can be small: swapping one of the two segments sets the systems further apart than they are."""
    status, out, err = pair("a", "b", "--bounds", "1", "-w", "1", "--trials", "9")
    table = """
ref.en: 2 segments, 1 reference per segment

Types by how often the references have them

refs                a types  b types    a P    b P    a R    b R   a F    b F  diff       p  p (Holm)
1                         5        5  100.0  100.0   60.0   80.0  60.0   80.0  20.0  1.0000    1.0000
2+                        2        2   80.0  100.0  100.0  100.0  90.0  100.0  10.0  1.0000    1.0000
only in the output        1        2    0.0    0.0      –      –   0.0    0.0   0.0  1.0000    1.0000
all                       8        9   77.8   80.0   77.8   88.9  60.0   66.7   6.7  1.0000    1.0000

p: paired permutation test of the difference in F; of the number of types where
they are only in the output;
9 trials, seed 12345
which buckets differ is not resolvable with 9 trials; needs 599

4 words of which b makes fewer mistakes than a

"""
    assert out.startswith(table.lstrip())
    rows = [line.split() for line in out.splitlines()]
    assert "\n\n3 words of which b makes more mistakes than a\n\n" in out
    changed = {row[0]: row[-1] for row in rows if row and row[0] in ("is", "old", "shut", "ferry", "too")}
    assert changed == {"is": "1", "old": "1", "shut": "1", "ferry": "-1", "too": "-1"}
    assert (status, err) == (0, NOTE)


def test_two_systems_of_a_test_set(types: Command, monkeypatch: pytest.MonkeyPatch, pair: Command) -> None:
    Path("set.toml").write_text('name = "x"\nreferences = "ref.en"\n[systems]\na = "mine.en"\nb = "b.en"\n')
    _, by_files, _ = pair("a", "b", "-f", "tsv")
    captured: list[str] = []
    monkeypatch.setattr("tertium.cli.types.write", lambda text, _: captured.append(text))
    main(["types", "set.toml", "a", "b", "-f", "tsv"])
    assert captured == [by_files.rstrip("\n")]
    assert types is not None


def test_two_systems_as_tsv_and_csv(pair: Command) -> None:
    _, tsv, _ = pair("a", "b", "-f", "tsv", "--sort", "gain", "--top", "2")
    lines = [line.split("\t") for line in tsv.splitlines()]
    heads = ["type", "refs", "a preds", "b preds", "a match", "b match", "a P", "b P", "a R", "b R", "a F", "b F"]
    assert lines[0] == [*heads, "diff", "gain"]
    assert [line[0] for line in lines[1:]] == ["is", "closed"]
    assert lines[2][2:] == ["0", "1", "0", "1", "100.0", "100.0", "0.0", "100.0", "0.0", "100.0", "100.0", "1"]
    _, out, _ = pair("a", "b", "-f", "csv", "--pattern", "^shut$")
    assert out.splitlines()[1] == "shut,0,1,0,0,0,0.0,,100.0,,0.0,,,1"
    _, out, _ = pair("a", "b", "-f", "csv", "--show", "curve")
    assert out.splitlines()[:3] == ["rank,refs,a F,b F", "1,2,80.0,100.0", "2,2,90.0,100.0"]
    _, out, _ = pair("a", "b", "-f", "tsv", "--show", "ngrams", "--order", "2", "--top", "1")
    assert [line.split("\t") for line in out.splitlines()[1:4]] == [
        ["a", "1", "is", "2", "3", "2", "1"],
        ["a", "1", "old", "1", "0", "0", "-1"],
        ["a", "2", "the harbour", "0", "1", "0", "1"],
    ]


def test_two_systems_as_json(pair: Command) -> None:
    _, out, _ = pair("a", "b", "-f", "json", "--trials", "9", "--seed", "1", "--bounds", "1")
    found = json.loads(out)
    assert (found["systems"], found["n"], found["trials"], found["seed"]) == (["a", "b"], 2, 9, 1)
    assert list(found["buckets"][0]) == ["name", "low", "high", "references", "a", "b", "difference", "p", "adjusted"]
    assert found["buckets"][0]["a"] == {
        "types": 5, "outputs": 3, "matches": 3, "precision": 100.0, "recall": 60.0, "f": 60.0
    }  # fmt: skip
    [shut] = [row for row in found["types"] if row["type"] == "shut"]
    assert shut["b"] == {"outputs": 0, "matches": 0, "precision": None, "recall": None, "f": None}
    assert (shut["references"], shut["difference"], shut["gain"]) == (0, None, 1)
    assert found["curve"][0] == {"rank": 1, "references": 2, "a": pytest.approx(80), "b": 100.0}
    _, out, _ = pair("a", "b", "-f", "json", "--show", "lost,ngrams", "--top", "1")
    found = json.loads(out)
    assert [row["type"] for row in found["lost"]] == ["ferry"]
    assert list(found["ngrams"][0]) == ["system", "n", "ngram", "refs", "preds", "match", "excess"]
    assert "buckets" not in found
    assert found["trials"] == 0


def test_two_systems_as_markdown(pair: Command) -> None:
    _, out, _ = pair("a", "b", "-f", "markdown", "--show", "gained", "--top", "1")
    assert out == (
        "| type | refs | a preds | b preds | a match | b match | a F | b F | diff | gain |\n"
        "| :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n"
        "| closed | 1 | 0 | 1 | 0 | 1 | 0.00 | 100.00 | 100.00 | 1 |\n"
    )
    _, out, _ = pair("a", "b", "-f", "markdown", "--trials", "0")
    assert out.startswith("**Types by how often the references have them**\n\n| refs |")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a", "c"], "there is no system 'c'; systems: a, b"),
        (["a", "a"], "a against itself: name two different systems"),
        (["w", "x", "y", "z"], "w x y z: name a test set and two of its systems, or none of them: tertium types "
         "TESTSET A B"),
        (["a", "b", "--show", "tree"], "--show tree: unknown; choose from buckets, types, gained, lost, curve, ngrams"),
        (["a", "b", "--show", "curve,lost", "-f", "tsv"], "tsv holds one table; choose one of --show curve, lost"),
        (["a", "b", "--bounds", "1,x"], "--bounds 1,x: must be whole numbers separated by commas, such as 10,20,40"),
        (["a", "b", "--bounds", "2,1"], "bounds 2, 1: must be positive and rise"),
        (["--sort", "gain"], "--sort gain is for two systems: tertium types TESTSET A B"),
    ],
)  # fmt: skip
def test_mistakes_with_two_systems(pair: Command, arguments: list[str], sentence: str) -> None:
    assert pair(*arguments) == (2, "", f"tertium: {sentence}\n")


def test_one_system_of_a_test_set_is_not_a_pair(types: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["types", "set.toml", "a"])
    sentence = "set.toml a: name a test set and two of its systems, or none of them: tertium types TESTSET A B"
    assert capsys.readouterr().err == f"tertium: {sentence}\n"
    assert types is not None
