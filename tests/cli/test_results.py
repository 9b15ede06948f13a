"""Files that commands write never take the place of a file that is read, and where they cannot be is said first."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tertium.cli.lazy import LazyGroup
from tertium.cli.main import cli
from tertium.cli.results import RESULT
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.files import kept_for_results, read_lines

from .running import Command

READ = "is read, and what is written there would take its place; write to another file"
TEXTS = {
    "ref.en": "the cat sat on the mat\nthe ferry was late\n",
    "a.en": "the cat sat on a mat\nthe ferry is late\n",
    "b.en": "a cat sat on the mat\nthe ferry was late\n",
    "testset.toml": 'name = "t"\nreferences = ["ref.en"]\n[systems]\na = "a.en"\nb = "b.en"\n',
    "gate.toml": 'testset = "testset.toml"\nsystem = "b"\n[metrics.bleu]\nlimit = 0\n',
    "cands.tsv": "1\ta cat\n1\tthe cat\n",
    "table.tsv": "ref\tmt\nthe cat\ta cat\n",
}


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("score -r ref.en -t a.en -m bleu -o", "a.en"),
        ("score -r ref.en -t a.en -m bleu -o", "./ref.en"),
        ("score -r table.tsv:ref -t table.tsv:mt -m bleu -o", "table.tsv"),
        ("score testset.toml -m bleu -o", "testset.toml"),
        ("score testset.toml -m bleu -o", "b.en"),  # named in a file, not on the line
        ("score --stream -r ref.en -t a.en -m bleu -o", "a.en"),
        ("compare testset.toml -m bleu -o", "a.en"),
        ("align testset.toml --page", "a.en"),
        ("report testset.toml -m bleu -o", "a.en"),
        ("diagnose testset.toml -o", "ref.en"),
        ("freeze testset.toml -m bleu -o", "a.en"),
        ("stress testset.toml --system a --emit", "a.en"),
        ("gate gate.toml -o", "gate.toml"),
        ("gate gate.toml --comment", "a.en"),
        ("gate gate.toml --junit", "ref.en"),
        ("mbr cands.tsv -o", "cands.tsv"),
        ("resegment -r ref.en -t a.en -o", "ref.en"),
    ],
)  # fmt: skip
def test_what_is_read_is_not_written_over(tertium: Command, line: str, lost: str) -> None:
    run = tertium(*line.split(), lost)
    assert run == (2, "", f"tertium: {lost} {READ}\n")
    assert {name: Path(name).read_text() for name in TEXTS} == TEXTS


def test_a_link_to_what_is_read_is_what_is_read(tertium: Command) -> None:
    Path("link").symlink_to("a.en")
    assert tertium("score", "-r", "ref.en", "-t", "a.en", "-m", "bleu", "-o", "link").err == f"tertium: link {READ}\n"


def test_a_result_may_be_written_over_and_read_by_the_next_command(tertium: Command) -> None:
    for _ in range(2):
        assert tertium("score", "testset.toml", "-m", "bleu", "-f", "json", "-o", "scores.json").status == 0
    assert tertium("verify", "scores.json", "testset.toml").status == 0
    assert tertium("score", "testset.toml", "-m", "bleu", "-o", "-").status == 0


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("none/scores", "none/scores: cannot be written: there is no folder none; make it first"),
        ("a.en/scores", "a.en/scores: cannot be written: a.en is not a folder"),
    ],
)
def test_a_folder_that_is_not_there_is_told_before_anything_is_read(tertium: Command, output: str, said: str) -> None:
    assert tertium("score", "nowhere.toml", "-o", output) == (2, "", f"tertium: {said}\n")


def test_files_are_read_again_when_nobody_writes_any_more() -> None:
    with kept_for_results("a.en"):
        with pytest.raises(InputError, match=f"^a.en {READ}$"):
            read_lines("a.en")
        assert len(read_lines("b.en")) == 2
    assert isinstance(read_lines("a.en"), Lines)


def options(group: LazyGroup, path: str = "") -> Iterator[tuple[str, click.Option]]:
    for name in group.known:
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            yield from options(command, f"{path} {name}")
        elif command is not None:
            yield from ((f"{path} {name}", each) for each in command.params if isinstance(each, click.Option))


OTHERWISE = {" annotate --output": "io/table_shards.py checks what is read itself, and makes folders"}
WRITES = ("Write ", "Also write ", "Keep the merged ", "Save the evaluation", "The page to write", "The file to write")


def test_every_file_that_an_option_writes_is_a_result() -> None:
    found = {}
    for path, option in options(cli):
        if (option.metavar or "").startswith("FILE") and (option.help or "").startswith(WRITES):
            found[f"{path} {max(option.opts, key=len)}"] = option.type is RESULT
    assert len(found) > 40
    assert [name for name, kept in found.items() if not kept and name not in OTHERWISE] == []


def test_a_kind_of_interval_without_intervals_is_refused(tertium: Command) -> None:
    run = tertium("score", "testset.toml", "-m", "bleu", "--interval", "bca")
    assert run == (2, "", "tertium: --interval bca: there are no intervals; add --confidence\n")


def test_one_word_is_not_called_words(tertium: Command) -> None:
    Path("b.en").write_text(TEXTS["ref.en"].replace(" late", ""))
    Path("a.en").write_text(TEXTS["ref.en"])
    assert "\n1 word of which b makes more mistakes than a\n" in tertium("types", "testset.toml", "a", "b").out
