"""`tertium prompt search`: tables in, a table and a template out, with a model that stands in for a real one."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from tests.prompt.models import SayingModel, TableModel

from .running import Command
from .test_prompt import Opened, opened

__all__ = ["opened"]  # a fixture

NUMBERS = {"eins": "one", "zwei": "two", "drei": "three", "vier": "four", "fünf": "five", "sechs": "six"}
PAIRS = {f"{a} und {b}": f"{x} and {y}" for a, x in NUMBERS.items() for b, y in NUMBERS.items()}
PAIR = ("--source-language", "de", "--target-language", "en")


def say(prompt: str) -> str:
    source = next(source for source in PAIRS if source in prompt)
    return f" {PAIRS[source]}" if "==" in prompt else " no idea"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{source}\t{reference}\n" for source, reference in PAIRS.items()]
    (tmp_path / "dev.tsv").write_text("source\treference\n" + "".join(rows[:24]))
    (tmp_path / "test.tsv").write_text("source\treference\n" + "".join(rows[24:]))
    (tmp_path / "notes.txt").write_text("".join(f"{source} == {PAIRS[source]}\n" for source in list(PAIRS)[:4]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


SEARCH = ("prompt", "search", "--model", "m", "--dev", "dev.tsv", "--test", "test.tsv", *PAIR)


def test_search_finds_saves_and_is_used(tertium: Command, opened: Opened, folder: Path) -> None:
    model = SayingModel(say)
    opened(model)
    done = tertium(*SEARCH, "--mine", "notes.txt", "--candidates", "8", "--save", "best.toml", "-o", "out.txt")
    assert (done.status, done.out) == (0, "")
    assert done.err.splitlines() == [
        "tertium: note: 8 candidates; 24 dev segments, 12 test segments",
        "tertium: note: halving (candidates x new segments): 8 x 3, 4 x 7, 2 x 14",
        "tertium: note: at most 104 calls: 80 on dev, 24 on test (winner and baseline)",
        "tertium: note: 1 frame mined, 1 tried",
    ]
    assert len(model.requests) == 104
    assert model.closed
    assert (folder / "best.toml").read_text() == (
        '["mined 1"]\ntext = "[X] == [Z]"\nlanguage = "en"\njoiner = "\\n\\n"\n'
    )
    shown = (folder / "out.txt").read_text()
    assert shown.startswith("candidates on dev\n\ntemplate ")
    assert "mined, 4 pairs" in shown
    assert "104 calls of at most 104 announced" in shown
    assert "segments: 24 of dev, 12 of test" in shown
    assert "permutation test); the winner is better" in shown
    (folder / "f.de").write_text("eins und zwei\n")
    opened(SayingModel(say))
    used = tertium("prompt", "translate", "--model", "m", "--templates", "best.toml", "--template", "mined 1", "--src",
                   "f.de")  # fmt: skip
    assert (used.status, used.out) == (0, "one and two\n")


def test_a_dry_run_says_what_would_be_asked_and_opens_nothing(
    tertium: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tertium.models.open", None)
    done = tertium("prompt", "search", "--dev", "dev.tsv", *PAIR, "--candidates", "7", "--dry-run")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[:6] == [
        "7 candidates; 12 dev segments, 12 test segments",
        "halving (candidates x new segments): 7 x 2, 4 x 3, 2 x 7",
        "at most 64 calls: 40 on dev, 24 on test (winner and baseline)",
        "no test part was given: 12 of 24 segments are set aside, by seed 0",
        "",
        'A (baseline): "[src]: [X]\\n[tgt]: [Z]"',
    ]
    asks = tertium("prompt", "search", "--dev", "dev.tsv", *PAIR, "--paraphrase", "rules,model", "--round-trip",
                   "command:cat", "command:cat", "--dry-run")  # fmt: skip
    # Six templates, twice each by the model; the two different lines of theirs that have words, there and back.
    assert "16 for paraphrases" in asks.out
    assert [path.name for path in folder.iterdir()].count("answers.sqlite") == 0


def test_programs_get_everything(tertium: Command, opened: Opened, folder: Path) -> None:
    options = ("--mine", str(folder / "notes.txt"), "--candidates", "8")
    opened(SayingModel(say))
    found = tertium(*SEARCH, *options, "-f", "json").json
    assert (found["winner"], found["winner_text"], found["task"], found["metric"]) == (
        "mined 1", "[X] == [Z]", "translation", "chrF"
    )  # fmt: skip
    assert found["dev"] == found["test"] == pytest.approx(100)
    assert (found["optimism"], found["verdict"], found["calls"], found["announced"]) == (
        pytest.approx(0), "better", 104, 104
    )  # fmt: skip
    assert found["difference"] == pytest.approx(found["test"] - found["baseline_test"])
    assert len(found["candidates"]) == 8
    opened(SayingModel(say))
    rows = list(csv.DictReader(io.StringIO(tertium(*SEARCH, *options, "-f", "csv").out)))
    assert [row["template"] for row in rows] == [one["template"] for one in found["candidates"]]
    assert rows[0]["segments"] == "24"
    opened(SayingModel(say))
    assert "| mined 1 | mined, 4 pairs |" in tertium(*SEARCH, *options, "-f", "markdown").out


@pytest.mark.parametrize("columns", [80, 60])
def test_it_fits_the_terminal(
    columns: int, tertium: Command, opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder.is_dir()
    monkeypatch.setenv("COLUMNS", str(columns))
    opened(SayingModel(say))
    lines = tertium(*SEARCH, "--mine", "notes.txt", "--candidates", "8").out.splitlines()
    assert max(map(len, lines)) <= columns


def test_labels(tertium: Command, opened: Opened, tmp_path: Path) -> None:
    words = ["great", "fantastic", "bad", "horrible"]
    table = {"^": dict.fromkeys(words, 0.25),
             "sun": {"great": 0.4, "fantastic": 0.4, "bad": 0.1, "horrible": 0.1},
             "rain": {"great": 0.1, "fantastic": 0.1, "bad": 0.4, "horrible": 0.4}}  # fmt: skip
    rows = "".join(f"day {k} {'sun' if k % 2 else 'rain'}\t{'+' if k % 2 else '-'}\n" for k in range(24))
    (tmp_path / "dev.tsv").write_text(f"input\tlabel\n{rows}")
    (tmp_path / "own.toml").write_text('[bare]\ntext = "[X] [Z]"\n')
    opened(TableModel(table))
    done = tertium("prompt", "search", "--model", "m", "--dev", str(tmp_path / "dev.tsv"), "--template", "sentiment",
                   "--templates", str(tmp_path / "own.toml"), "--scoring", "pmi", "--candidates", "4", "--save",
                   str(tmp_path / "best.toml"), "-f", "json")  # fmt: skip
    assert done.status == 0
    assert (done.json["winner"], done.json["metric"], done.json["test"]) == ("bare", "accuracy", 100.0)
    assert (
        'answers = { "great" = "+", "fantastic" = "+", "bad" = "-", "horrible" = "-" }'
        in (tmp_path / "best.toml").read_text()
    )


def test_a_round_trip_by_programs(tertium: Command, opened: Opened, folder: Path) -> None:
    """What the two programs make of a template is tried; here both are one model that changes a word."""

    def both(prompt: str) -> str:
        if any(source in prompt for source in PAIRS):
            return say(prompt)
        return prompt.replace("Translate to", "==")

    opened(SayingModel(both))
    done = tertium(*SEARCH, "--paraphrase", "none", "--round-trip", "a", "b", "-f", "json")
    assert done.status == 0
    assert "tertium: note: of 6 round trips, 2 brought other words and all slots back" in done.err.splitlines()
    assert "round trip" in {one["from"] for one in done.json["candidates"]}
    assert done.json["winner"] in ("C+round trip", "E+round trip")
    assert done.json["calls"] <= done.json["announced"]
    assert folder.is_dir()


def test_a_search_that_is_stopped_leaves_no_file(tertium: Command, opened: Opened, folder: Path) -> None:
    def stop(prompt: str) -> str:
        if len(model.requests) > 20:
            raise KeyboardInterrupt
        return say(prompt)

    model = SayingModel(stop)
    opened(model)
    done = tertium(*SEARCH, "--save", "best.toml", "-o", "out.txt")
    assert done.status == 130
    assert model.closed
    assert sorted(path.name for path in folder.iterdir()) == ["dev.tsv", "notes.txt", "test.tsv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no examples to choose by: pass --dev FILE"),
        (["--dev", "none.tsv"], "none.tsv: "),
        (["--dev", "empty.tsv"], "empty.tsv: "),
        (
            ["--dev", "odd.tsv"],
            "odd.tsv: no column for the input; it may be called source, src, input, X; columns: a, b",
        ),
        (["--dev", "dev.tsv"], "no model: pass --model MODEL"),
        (["--dev", "dev.tsv", "--paraphrase", "magic"], "--paraphrase magic: unknown way 'magic'; choose from rules, "),
        (["--dev", "dev.tsv", "--max-calls", "5"], "max_calls: 5; 16 candidates on 12 test segments take at least 88 "),
        (["--dev", "dev.tsv", "-m", "blue"], "unknown metric 'blue'; did you mean 'bleu'?"),
        (["--dev", "dev.tsv", "--template", "sentiment"], "the right answer to '"),
        (["--dev", "dev.tsv", "--shots", "2"], "--shots 2: there is nothing to show; pass --examples FILE"),
    ],
)
def test_mistakes_are_sentences(options: list[str], message: str, tertium: Command, folder: Path) -> None:
    (folder / "odd.tsv").write_text("a\tb\n1\t2\n")
    (folder / "empty.tsv").write_text("")
    done = tertium("prompt", "search", *PAIR, *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"tertium: {message}")
    assert "Traceback" not in done.err


def test_json_of_the_dry_run_quotes_templates(tertium: Command, folder: Path) -> None:
    (folder / "own.toml").write_text('[odd]\ntext = "\\"[X]\\"\\u0007 [Z]"\n')
    done = tertium("prompt", "search", "--dev", "dev.tsv", *PAIR, "--templates", "own.toml", "--dry-run")
    [line] = [line for line in done.out.splitlines() if line.startswith("odd (given): ")]
    assert json.loads(line.removeprefix("odd (given): ")) == '"[X]"\x07 [Z]'


def test_a_page_says_whether_the_winner_is_better(tertium: Command, opened: Opened, folder: Path) -> None:
    opened(SayingModel(say))
    done = tertium(*SEARCH, "--mine", "notes.txt", "--candidates", "8", "--page", "page.html", "-o", "tables.xlsx")
    assert (done.status, done.out) == (0, "")
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "mined 1 is significantly better than A on test: 100.0 chrF against" in text
    assert "8 templates tried in 3 rounds; 2 came to the last." in text
    assert "Paired permutation test over 12 segments: p = 0.00" in text
    assert "Segments: 24 of dev, 12 of test. Dev has the segments" in text  # notes of lines are sentences here
    assert "Jamieson and Talwalkar (2016)" in text
    openpyxl = pytest.importorskip("openpyxl")
    assert len(openpyxl.load_workbook(folder / "tables.xlsx").sheetnames) == 3
