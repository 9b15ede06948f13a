"""The other commands: help, version, metrics, demo, completion, and how errors are told."""

import dataclasses
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import click
import pytest

import tertium as tt
from tertium.cli.main import COMMANDS, cli, main
from tertium.core.errors import MissingPackageError
from tertium.core.metric import REGISTRY
from tertium.metrics import known

from .running import Command

INSTALLED = Path(sys.executable).parent / "tertium"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def widest(text: str) -> int:
    return max(len(line) for line in text.splitlines())


# Help and version


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(tertium: Command, option: str) -> None:
    run = tertium(option)
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith("Usage: tertium [OPTIONS] COMMAND [ARGS]...\n")
    listed = run.out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listed.splitlines()] == list(COMMANDS)
    assert widest(run.out) <= 80


def test_no_command_shows_the_help(tertium: Command) -> None:
    run = tertium()
    assert run.status == 2
    assert run.out + run.err == tertium("--help").out


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from tertium.cli.main import main; main(['--help']); "
        "print(*sorted(set(sys.modules) & {'tertium.cli.score', 'tertium.cli.metrics', 'tertium.metrics', 'numpy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_commands(tertium: Command, name: str) -> None:
    for option in ("-h", "--help"):
        run = tertium(name, option)
        assert (run.status, run.err) == (0, "")
        assert run.out.lower().startswith(f"usage: tertium {name}")
        if name != "sacrebleu":  # its text is laid out as sacreBLEU's is
            assert widest(run.out) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_summaries_are_those_of_the_commands(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    if name not in ("metrics", "completion"):  # these say more than the list of commands does
        assert command.get_short_help_str(100) == COMMANDS[name][0]


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_version(tertium: Command, option: str) -> None:
    assert tertium(option) == (0, f"tertium {tt.__version__}\n", "")


def test_version_of_the_installed_command() -> None:
    done = subprocess.run([INSTALLED, "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == f"tertium {tt.__version__}\n"


# Metrics


def test_list_of_metrics(tertium: Command) -> None:
    run = tertium("metrics")
    assert (run.status, run.err) == (0, "")
    assert re.findall(r"^(\w+): ", run.out, re.MULTILINE) == sorted(known())
    assert widest(run.out) <= 80
    assert run.out.endswith("Write options as in chrf(words=2). One metric in full: tertium metrics NAME\n")


@pytest.mark.parametrize("name", known())
def test_one_metric(tertium: Command, name: str) -> None:
    run = tertium("metrics", name)
    assert (run.status, run.err) == (0, "")
    cls = known()[name]
    first = run.out.splitlines()[0]
    ranges = {(0, 100): "0-100", (0, 25): "0-25", (0, 1): "0-1", (-1, 1): "-1 to 1", (-math.inf, math.inf): "unbounded"}
    ranges[-math.inf, 0] = "0 and less"
    assert first == f"{name}: {cls.title}, {cls.better} is better, {ranges.get(cls.range, '0 and up')}"
    parts = re.findall(r"^(\w[\w ]*)\n((?:    .*\n?)+)", run.out.partition("\n\n")[2], re.MULTILINE)
    labels = [label for label, _ in parts]
    assert labels == [label for label in labels if label != "also called" or getattr(cls, "aliases", ())]
    heads = ["formula", *(["options"] if dataclasses.fields(cls) else [])]
    expected = [*heads, "needs", "intervals", "blind to", "paper"]
    assert [label for label in labels if label != "also called"] == expected
    shown = dict(parts)
    options = re.findall(r"^    (\w+=(?:\".*?\"|\(.*?\)|\S+))", shown.get("options", ""), re.MULTILINE)
    assert len(options) == len(dataclasses.fields(cls))
    assert tt.parse(f"{name}({', '.join(options)})") == cls(), "the options shown are the defaults"
    assert shown["needs"].split() == ", ".join(sorted(cls.needs)).split()
    assert ("is not valid" in shown["intervals"]) == (cls.resampling == "paired only")
    assert widest(run.out) <= 80


def test_metrics_as_json(tertium: Command) -> None:
    run = tertium("metrics", "--format", "json")
    assert (run.status, run.err) == (0, "")
    listed = json.loads(run.out)
    assert [metric["name"] for metric in listed] == sorted(known())
    for metric in listed:
        assert json.loads(tertium("metrics", metric["name"], "-f", "json").out) == metric
    [ter] = [metric for metric in listed if metric["name"] == "ter"]
    assert (ter["better"], ter["range"], ter["needs"]) == ("lower", [0, None], ["references"])
    assert ter["options"][0] == {
        "name": "normalized",
        "kind": "bool",
        "default": False,
        "meaning": "separate punctuation from words first, by tercom's rules",
    }
    assert ter["formula"][0] == "TER = 100 edits / reference words"
    assert ter["paper"].startswith("Snover")


def test_options_do_not_change_what_is_explained(tertium: Command) -> None:
    assert tertium("metrics", "chrf(words=2)") == tertium("metrics", "chrf")


def test_a_metric_that_says_little_of_itself(tertium: Command) -> None:
    """From another package, without any section: what is known is shown."""
    before = dict(REGISTRY)
    try:

        @tt.metric
        class Bare:
            name: ClassVar[str] = "bare"
            title: ClassVar[str] = "Bare"
            better: ClassVar[str] = "higher"
            range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
            needs: ClassVar[frozenset[str]] = frozenset()
            resampling: ClassVar[str] = "percentile"
            limit: int = 3
            a_name_that_is_rather_long: str = "x"

            def score(self, sums: Any) -> Any:
                return sums

        assert tertium("metrics", "bare").out == (
            'bare: Bare, higher is better, -1 to 1\n\noptions\n    limit=3\n    a_name_that_is_rather_long="x"\n\n'
            "intervals\n    percentile bootstrap intervals are valid\n"
        )
        shown = json.loads(tertium("metrics", "bare", "-f", "json").out)
        assert (shown["summary"], shown["formula"], shown["blind_to"], shown["paper"]) == ("", [], "", "")
        assert "bare: Bare" in tertium("metrics").out
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)


def test_scoring_does_not_load_explanations() -> None:
    code = (
        "import sys, tertium.cli.score, tertium.metrics.bleu; sys.exit('tertium.analysis.explanation' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_metrics_follow_the_terminal(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    narrow = tertium("metrics", "bleu").out
    assert widest(narrow) <= 50
    monkeypatch.setenv("COLUMNS", "300")
    assert 80 < widest(tertium("metrics", "bleu").out) <= 100
    assert narrow.split() == tertium("metrics", "bleu").out.split()


def test_unknown_metric(tertium: Command) -> None:
    sentence = f"tertium: unknown metric 'chfr'; did you mean 'chrf'? known: {', '.join(sorted(known()))}\n"
    assert tertium("metrics", "chfr") == (2, "", sentence)


def test_papers_of_a_metric(tertium: Command) -> None:
    found = tertium("metrics", "chrF", "--bibtex").out
    assert re.findall(r"^@\w+\{(\w+),", found, re.MULTILINE) == ["tertium", "popovic2015", "popovic2017"]
    assert "booktitle = {Proceedings of the Tenth Workshop on Statistical Machine Translation}" in found
    assert "@inproceedings{snover2006," in tertium("metrics", "--bibtex").out


# Demo


def test_demo_runs_anywhere(tertium: Command, tmp_path: Path) -> None:
    run = tertium("demo")
    assert run.status == 0
    page = tmp_path / "demo-report.html"
    assert list(tmp_path.iterdir()) == [page]
    assert "atlas is best" in page.read_text(encoding="utf-8")
    assert page.as_uri() in run.out
    shown, _, rest = run.out.partition("\n\n")
    assert shown.startswith("$ tertium score ")
    assert "invented" in run.out
    words = shlex.split(shown.removeprefix("$ "))
    again = tertium(*words[1:])
    assert again.out.strip() != ""
    assert rest.startswith(again.out)
    assert again.err == run.err
    table = rest.split("\n\n")[1].splitlines()
    assert table[0].split() == ["system", "BLEU", "chrF", "TER", "↓"]
    assert [line.split()[0] for line in table[1:]] == ["atlas", "brook", "cinder", "delta"]
    assert max(map(len, table)) <= 80


@pytest.mark.usefixtures("few_trials")
def test_demo_speaks_of_nothing_that_is_missing(
    tertium: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks for the first time has not chosen extras; a report of one's own says what could not look."""

    def absent() -> None:
        raise MissingPackageError('language identification needs py3langid: pip install "tertium[langid]"')

    monkeypatch.setattr("tertium.text.language.check_identifier", absent)
    monkeypatch.setattr("tertium.analysis.detect.choice.check_identifier", absent)
    assert tertium("demo").status == 0
    page = (tmp_path / "demo-report.html").read_text(encoding="utf-8")
    assert "copied from the source" in page or "untranslated" in page
    assert "pip install" not in page
    testset = Path(__file__).parents[2] / "examples" / "testset.toml"
    assert tertium("report", str(testset), "-m", "chrf", "-o", "own.html").status == 0
    assert "detector language is left out" in (tmp_path / "own.html").read_text(encoding="utf-8")


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(tertium: Command, shell: str) -> None:
    run = tertium("completion", shell)
    assert (run.status, run.err) == (0, "")
    assert f"_TERTIUM_COMPLETE={shell}_complete" in run.out
    if shutil.which(shell):
        option = "--no-execute" if shell == "fish" else "-n"
        subprocess.run([shell, option], input=run.out.encode(), check=True)


def test_completion_for_another_shell(tertium: Command) -> None:
    run = tertium("completion", "tcsh")
    assert (run.status, run.out) == (2, "")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'." in run.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tertium metr", ["metrics"]),
        ("tertium score --con", ["--confidence", "--confidence-level"]),
        ("tertium score --level ''", ["corpus", "document", "segment"]),
    ],
)
def test_completion_in_bash(words: str, expected: list[str]) -> None:
    typed = f"COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}"
    script = f'eval "$(tertium completion bash)"; {typed}; _tertium_completion tertium; echo "${{COMPREPLY[@]}}"'
    path = f"{INSTALLED.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, check=True)
    assert done.stdout.decode().split() == expected


# Errors


@pytest.mark.parametrize(
    ("word", "hint"), [("scor", " Did you mean 'score'?"), ("metric", " Did you mean 'metrics'?"), ("xyzzy", "")]
)
def test_misspelt_command(tertium: Command, word: str, hint: str) -> None:
    run = tertium(word)
    assert (run.status, run.out) == (2, "")
    assert run.err.endswith(f"Error: No such command '{word}'.{hint} Commands: {', '.join(COMMANDS)}.\n")


def test_named_test_sets_of_sacrebleu(tmp_path: Path, tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is fetched that nobody asked for."""
    for name in ("SACREBLEU", "TERTIUM_TESTSETS"):
        monkeypatch.setenv(name, str(tmp_path))
    said = "tertium: test set wmt17, en-de, is not on this computer; fetch it: tertium testsets get wmt17 -l en-de\n"
    assert tertium("sacrebleu", "-t", "wmt17", "-l", "en-de", "-i", "output.de") == (1, "", said)
    done = subprocess.run([INSTALLED, "sacrebleu", "-t", "wmt17", "-l", "en-de"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", said)
    assert not list(tmp_path.iterdir())


def test_errors_have_no_traceback(tertium: Command) -> None:
    assert tertium("score", "nowhere.toml") == (2, "", "tertium: nowhere.toml: no such file\n")


@pytest.mark.parametrize(
    "arguments",
    [["--debug", "score", "nowhere.toml"], ["score", "--debug", "nowhere.toml"], ["score", "nowhere.toml", "--debug"]],
)
def test_debug_shows_the_traceback(arguments: list[str]) -> None:
    with pytest.raises(tt.TertiumError, match=r"nowhere\.toml: no such file"):
        main(arguments)


def test_debug_of_the_installed_command() -> None:
    done = subprocess.run([INSTALLED, "score", "nowhere.toml", "--debug"], capture_output=True, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith(b"Traceback")
    assert done.stderr.rstrip().endswith(b"nowhere.toml: no such file")


def test_debug_changes_nothing_else(tertium: Command) -> None:
    assert tertium("--debug", "metrics", "wer") == tertium("metrics", "wer")


@pytest.mark.parametrize(
    "command",
    [
        "score testset.toml --confidence",
        "compare testset.toml",
        "compare testset.toml --test bootstrap",
        "report testset.toml -o page.html",
        "buckets testset.toml --by document --confidence",
        "types testset.toml atlas brook",
        "meta evaluate testset.toml",
        "meta preference scores.tsv --gold human --group year,langs",
        "human analyse testset.toml --test permutation",
        "human agreement testset.toml --confidence",
    ],
)
def test_impossible_trials(command: str, tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is begun that could not be held in memory."""
    monkeypatch.chdir(Path(__file__).parents[2] / "examples")
    ended = tertium(*command.split(), "--trials", "1000000000000")
    assert (ended.status, ended.out) == (2, "")
    [sentence] = [line for line in ended.err.splitlines() if "1000000000000" in line]
    assert "at most 10000000 are drawn, because more would not fit into memory; take fewer" in sentence
