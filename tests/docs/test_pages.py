"""Pages of which the code has the other half: the glossary, and tables of commands of other tools beside ours."""

import re
import shlex
from pathlib import Path

import click
import pytest
from tests.docs.test_docs import commands

from tertium.report.glossary import HEADS, TERMS

DOCS = Path(__file__).parents[2] / "docs"
MIGRATIONS = sorted([*(DOCS / "howto").glob("from-*.md"), DOCS / "howto" / "replace-sacrebleu.md"])
CODE = re.compile(r"`(tertium [^`]+)`")
KNOWN = commands()


def entries(section: str) -> dict[str, str]:
    """What a section of the glossary says of each word."""
    page = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    [text] = re.findall(rf"^## {section}\n\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    found = re.findall(r"^- \*\*(.+?)\*\*: (.+)$", text, re.MULTILINE)
    return {word.replace("\\", ""): meaning.replace("\\", "") for word, meaning in found}


@pytest.mark.parametrize(("section", "texts"), [("Words", TERMS), ("Heads of columns", HEADS)])
def test_the_glossary_is_that_of_reports(section: str, texts: dict[str, str]) -> None:
    assert entries(section) == texts, "python tools/site/glossary.py writes the page anew"
    assert list(entries(section)) == sorted(texts, key=str.lower)


def unknown(line: str) -> list[str]:
    """What tertium does not have of a line that calls it: its command, or options of it."""
    words = shlex.split(line)[1:]
    names = [name for name in (" ".join(words[:2]), words[0]) if name in KNOWN]
    if not names:
        return [words[0]]
    command = KNOWN[names[0]]
    if isinstance(command, click.Group):  # `tertium meta TESTSET` is `tertium meta evaluate TESTSET`
        return [words[0]]
    if names[0] == "sacrebleu":
        from tertium.cli.sacrebleu.flags import FLAGS

        options = {word for each, _, _ in FLAGS for word in each.split()}
    else:
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return [word for word in words if word.startswith("-") and word != "-" and word not in options]


@pytest.mark.parametrize("page", MIGRATIONS, ids=lambda page: page.stem)
def test_every_command_of_a_table_exists(page: Path) -> None:
    lines = CODE.findall(page.read_text(encoding="utf-8"))
    assert lines
    assert {line: wrong for line in lines if (wrong := unknown(line))} == {}


def test_what_does_not_exist_is_found() -> None:
    assert unknown("tertium score --ref R -m bleu") == []
    assert unknown("tertium score --refs R") == ["--refs"]
    assert unknown("tertium scores --ref R") == ["scores"]
    assert unknown("tertium human analyse --pages") == ["--pages"]
