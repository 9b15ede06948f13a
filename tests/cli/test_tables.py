"""Tables on the screen: as wide as the terminal, the best score marked, the raters to look at first."""

import contextlib
import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from .running import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTSET = str(EXAMPLES / "testset.toml")
SCORES = str(EXAMPLES / "scores.tsv")
INSTALLED = Path(sys.executable).parent / "tertium"
COMMANDS = [
    f"score {TESTSET} -m bleu,chrf,ter,wer,cer,chrf(words=2),macrof --confidence --trials 20",
    f"score {TESTSET} --level document",
    f"compare {TESTSET} --trials 100 --pairs",
    f"compare {TESTSET} --trials 100 --baseline atlas",
    f"buckets {TESTSET} --confidence --trials 20 -m bleu,macrof",
    f"types {TESTSET}",
    f"types {TESTSET} atlas brook --trials 20 --show buckets,types,gained,curve,ngrams",
    f"diagnose {TESTSET}",
    f"stress {TESTSET} --system atlas --seeds 1 --noise delete,permute --aim rarest,frequent",
    f"stress {TESTSET} --system atlas --damage",
    f"human analyse {TESTSET} --pairs --power atlas,brook",
    f"human agreement {TESTSET} --confidence --trials 20 --pairs",
    f"meta {TESTSET} {TESTSET} --trials 100 --pairs",
    f"meta correlate {SCORES} --gold human --group year,langs --lower TER --show all",
    f"meta preference {SCORES} --gold human --group year,langs --lower TER --trials 20",
]


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.replace(f"{EXAMPLES}/", "")[:40])
def test_no_line_is_longer_than_the_terminal(
    tertium: Command, monkeypatch: pytest.MonkeyPatch, command: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    run = tertium(*command.split(" "))
    assert run.status == 0
    lines = [line for line in run.out.splitlines() if "|tertium:" not in line]  # a signature is one word
    assert [line for line in lines if len(line) > columns] == []


def test_a_pipe_gets_everything_and_a_narrow_screen_is_told_what_it_lacks(
    tertium: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("compare", TESTSET, "-m", "bleu", "-b", "atlas", "--trials", "100")
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = tertium(*command).out
    head = "system  score  change    low   high          p  effect  won  lost  tied  detects\n"
    assert head in whole
    assert "left out" not in whole
    monkeypatch.setenv("COLUMNS", "60")
    narrow = tertium(*command).out
    assert "system  score  change    low   high          p  won  lost  tied" not in narrow
    assert "\nleft out to fit 60 columns: effect, won, lost, tied, detects\n(-f csv has all)\n" in narrow
    for form in ("csv", "json", "markdown"):
        wide = tertium(*command, "-f", form).out
        monkeypatch.delenv("COLUMNS", raising=False)
        assert tertium(*command, "-f", form).out == wide
        monkeypatch.setenv("COLUMNS", "60")


def test_a_terminal_says_how_wide_it_is() -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 60))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [INSTALLED, "compare", TESTSET, "-m", "bleu", "-b", "atlas", "--trials", "100"]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment, check=True)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the other side is closed
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert done.returncode == 0
    assert "left out to fit 60 columns" in shown.decode()


# The best score


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.en").write_text("one two three\nfour five six\n")
    Path("good.en").write_text("one two three\nfour five six\n")
    Path("bad.en").write_text("one two\nfour\n")
    Path("half.en").write_text("one two three\n\\N\n")
    Path("other.en").write_text("\\N\nfour five six\n")


def shown(tertium: Command, *systems: str, more: tuple[str, ...] = ()) -> str:
    given = [word for name in systems for word in ("-t", name)]
    return tertium("score", "-r", "ref.en", *given, "-m", "wer", "--missing", "\\N", *more).out


@pytest.mark.usefixtures("files")
def test_all_systems_that_share_the_best_score_are_marked(tertium: Command) -> None:
    out = shown(tertium, "good.en", "bad.en", "same=good.en")
    assert [line.split() for line in out.splitlines()[3:6]] == [["good", "•0.0"], ["bad", "50.0"], ["same", "•0.0"]]
    assert out.count("• the best of its column") == 1


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("systems", "more"),
    [
        (["good.en"], ()),
        (["good.en", "half.en"], ()),  # on fewer segments
        (["half.en", "other.en"], ()),  # on as many, and others
        (["good.en", "bad.en"], ("--level", "segment")),
    ],
)
@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_scores_that_do_not_compare_are_not_marked(
    tertium: Command, systems: list[str], more: tuple[str, ...], form: str
) -> None:
    out = shown(tertium, *systems, more=(*more, "-f", form))
    assert "0.0" in out
    assert not any(mark in out for mark in ("•", "**", "textbf"))


@pytest.mark.usefixtures("files")
def test_equal_gaps_do_compare(tertium: Command) -> None:
    Path("too.en").write_text("one two four\n\\N\n")
    assert "•0.0" in shown(tertium, "half.en", "too.en")


# Many raters


@pytest.fixture
def ratings(tmp_path: Path) -> str:
    """Forty raters of two systems; the last one says the same of everything."""
    lines = ["system\tsegment\trater\tscale\tvalue"]
    for k in range(40):
        for segment in range(1, 7):
            for system, value in (("a", 60 + segment + k % 7), ("b", 50 + segment + k % 5)):
                lines.append(f"{system}\t{segment}\tr{k}\tda100\t{50 if k == 39 else value}")
    path = tmp_path / "ratings.tsv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def raters(out: str) -> list[str]:
    table = out.split("Raters: da100\n\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in table.splitlines()[1:]]


def test_a_summary_comes_first_and_raters_with_most_reason_to_look(tertium: Command, ratings: str) -> None:
    out = tertium("human", "analyse", ratings).out
    assert out.split("\n\n")[1] == "Summary"
    assert out.split("\n\n")[2].splitlines()[1].split()[:5] == ["da100", "2", "480", "40", "1"]
    assert raters(out) == ["r39", *(f"r{k}" for k in range(9))]
    assert "\n1 rater with a flag (constant 1, " in out
    assert "\nThe first 10 of 40: --all shows everybody.\n" in out
    assert raters(tertium("human", "analyse", ratings, "--top", "2").out) == ["r39", "r0"]


def test_all_raters_if_asked(tertium: Command, ratings: str) -> None:
    out = tertium("human", "analyse", ratings, "--all").out
    assert len(raters(out)) == 40
    assert "--all" not in out
    found = json.loads(tertium("human", "analyse", ratings, "--top", "1", "-f", "json").out)
    assert len(found["scales"][0]["raters"]) == 40
