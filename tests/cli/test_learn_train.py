"""`tertium learn train --recipe lexical`: a metric of one's own judgements, from tables or from MLQE-PE."""

import io
import random
import re
import tarfile
from functools import partial
from pathlib import Path

import pytest

from tertium.io.lexical import read_lexical
from tertium.io.mlqe_pe import PAIRS

from .running import Command

WORDS = "the a cat dog sat ran on in house garden quickly slowly and but Anna 12 .".split()


def table(seed: int, rows: int = 80) -> str:
    rng = random.Random(seed)
    lines = ["src\tmt\tref\tscore"]
    for _ in range(rows):
        words = rng.choices(WORDS, k=rng.randint(4, 12))
        wrong = rng.random() * 0.7
        output = [rng.choice(WORDS) if rng.random() < wrong else word for word in words]
        lines.append("\t".join(["x", " ".join(output), " ".join(words), f"{100 * (1 - wrong):.2f}"]))
    return "\n".join(lines) + "\n"


LEARN = "what is there to learn from? pass either --data FILE or --from FILE, as often as you like, or --mlqe DIR"


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tertium: Command) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("a.tsv").write_text(table(1))
    Path("b.tsv").write_text(table(2))
    Path("dev.tsv").write_text(table(3))
    return partial(tertium, "learn", "train")


def test_from_tables_to_a_score(train: Command, tertium: Command) -> None:
    found = train("--data", "a.tsv", "--data", "b.tsv", "--valid", "dev.tsv", "-o", "mine.json")
    assert (found.status, found.err) == (0, "")
    assert re.fullmatch(
        r"160 examples in 2 groups, \d+ features\n"
        r"ridge [\d.]+: the best \(standard error 0\.\d{4}\)\n"
        r"  ridge   Kendall's tau-b, mean of 2 groups left out\n"
        r"(  (0\.01|0\.0316|0\.1|0\.316|1|3\.16|10|31\.6|100) +0\.\d{4}(  best|  chosen|  best, chosen)?\n){9}"
        r"  Kendall's tau-b 0\.[4-9]\d{3}  dev\.tsv\n"
        r"wrote mine\.json: tertium score -m 'lexical\(model=\"mine\.json\"\)'\n",
        found.out,
    ), found.out
    Path("ref").write_text("the cat sat .\n" * 3)
    Path("hyp").write_text("the cat sat .\nthe dog sat .\n\n")
    scored = tertium("score", "-r", "ref", "-t", "hyp", "-m", 'lexical(model="mine.json")', "--level", "segment", "-f",
                     "json")  # fmt: skip
    values = [item["value"] for item in scored.json["scores"]]
    assert values == sorted(values, reverse=True)
    assert 0 < values[0] - values[2] < 150  # on the scale of the table, 0 to 100


def test_again_gives_the_same_bytes(train: Command) -> None:
    for name in ("one.json", "two.json"):
        assert train("--recipe", "lexical", "--data", "a.tsv", "-o", name).status == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_the_card_and_the_ridge(train: Command) -> None:
    Path("card.json").write_text('{"data": "mine", "licence": "none"}')
    assert train("--data", "a.tsv", "--card", "card.json", "-o", "one.json").status == 0
    assert train("--data", "a.tsv", "--ridge", "0.01", "-o", "two.json").status == 0
    chosen = read_lexical("one.json").card["ridge"]
    assert read_lexical("one.json").card == {"data": "mine", "licence": "none", "ridge": chosen}
    assert re.fullmatch(r"[\d.]+: the best, each of 5 folds left out", chosen)
    assert train("--data", "a.tsv", "--cautious", "-o", "three.json").status == 0
    cautious = read_lexical("three.json").card["ridge"]
    assert re.fullmatch(
        r"[\d.]+: the strongest within one standard error of the best, each of 5 folds left out", cautious
    )
    assert float(cautious.partition(":")[0]) >= float(chosen.partition(":")[0])
    assert read_lexical("two.json").card == {"ridge": "0.01"}
    assert read_lexical("one.json").features != read_lexical("two.json").features


def test_a_ridge_that_is_given_is_the_one_chosen(train: Command) -> None:
    """The grid's numbers are written as they are used."""
    found = train("--data", "a.tsv", "--data", "b.tsv", "-o", "one.json").out
    [ridge] = re.findall(r"ridge ([\d.]+):", found)
    again = train("--data", "a.tsv", "--data", "b.tsv", "--ridge", ridge, "-o", "two.json").out
    assert again.splitlines()[1] == f"ridge {ridge}"
    assert read_lexical("one.json").features == read_lexical("two.json").features


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], LEARN),
        (["--data", "a.tsv", "--mlqe", "m"], LEARN),
        (["--data", "a.tsv", "--ridge", "0"], "ridge: 0; must be a number above 0"),
        (
            ["--data", "a.tsv", "--ridge", "1", "--cautious"],
            "--cautious is a way to choose the ridge, and --ridge gives one; pass one of them",
        ),
        (["--data", "a.tsv", "--card", "a.tsv"], "a.tsv: no model card; expected a JSON object of names and what is to "
         "be said"),
        (["--data", "few.tsv"], "9 examples; at least 50 are needed to learn from"),
        (["--mlqe", "m"], "m/direct-assessments/train/et-en-train.tar.gz: cannot be read (No such file or directory); "
         "expected MLQE-PE's own folders and archives"),
    ],
)  # fmt: skip
def test_what_is_refused(train: Command, arguments: list[str], message: str) -> None:
    Path("few.tsv").write_text(table(1, 9))
    assert train(*arguments, "-o", "out.json") == (2, "", f"tertium: {message}\n")
    assert not Path("out.json").exists()


def archive(path: Path, files: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as found:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            found.addfile(member, io.BytesIO(data))


def make_mlqe(root: Path, changed: dict[str, bytes] | None = None) -> None:
    """A small folder in the layout of MLQE-PE; `changed` are other contents of et-en's training set."""
    for k, pair in enumerate(PAIRS):
        for split in ("train", "dev"):
            rows = [line.split("\t") for line in table(k).splitlines()[1:]]
            judged = ["index\toriginal\ttranslation\tz_mean", *(f"0\tx\t{row[1]}\t{float(row[3])}" for row in rows)]
            files = {
                ".tsv": "\n".join(judged).encode(),
                ".mt": "\n".join(row[1] for row in rows).encode(),
                ".pe": "\n".join(row[2] for row in rows).encode(),
                **(changed or {} if (pair, split) == ("et-en", "train") else {}),
            }
            name = f"{pair}-{split}"
            archive(root / "direct-assessments" / split / f"{name}.tar.gz", {f"{name}/a.tsv": files[".tsv"]})
            archive(
                root / "post-editing" / split / f"{name}.tar.gz",
                {f"{name}/._a.mt": b"x", **{f"{name}/{split}{end}": files[end] for end in (".mt", ".pe")}},
            )


def test_from_mlqe_pe(train: Command) -> None:
    make_mlqe(Path("m"))
    found = train("--mlqe", "m", "-o", "out.json")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith("400 examples in 5 groups, ")
    assert found.out.count("  MLQE-PE ") == len(PAIRS)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {".pe": b"one\n"},
            "m, et-en train: 80 judged segments, 80 outputs and 1 post-edits; expected as many of each",
        ),
        ({".mt": b"\xff"}, "m/post-editing/train/et-en-train.tar.gz: et-en-train/train.mt is not UTF-8 (byte 0)"),
        ({".tsv": b"a\tb\n"}, "m/direct-assessments/train/et-en-train.tar.gz: no column 'original'; there are a, b"),
    ],
)
def test_archives_that_are_refused(train: Command, changed: dict[str, bytes], message: str) -> None:
    make_mlqe(Path("m"), changed)
    assert train("--mlqe", "m", "-o", "out.json") == (2, "", f"tertium: {message}\n")
