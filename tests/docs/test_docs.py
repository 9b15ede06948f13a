"""The documentation holds: links lead somewhere, nothing is left out, and what is shown as code and output is real.

Fences and what they promise:

    ```python     runs by itself; a ```text fence right behind it is what it prints
    ```console    a line `$ tertium ...` is run as a shell would; the lines under it are all that it prints, standard
                  error included; a line `...` stands for any number of lines
    ```sh         is not run, nor are ```toml and ```yaml
"""

import contextlib
import dataclasses
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import tertium
from tertium.cli.lazy import LazyGroup
from tertium.cli.main import COMMANDS, cli, main
from tertium.core.metric import ALIASES, REGISTRY, is_counted
from tertium.engines import door
from tertium.metrics import known

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *DOCS]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\n]*(?:\n[^\]\n]*)?\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """A fence: where it stands, what it says, and what the text fence right behind it says."""

    page: str
    line: int
    text: str
    printed: str | None


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> Iterator[Block]:
    text = read(page)
    found = list(FENCE.finditer(text))
    for number, fence in enumerate(found):
        if fence[1] != language:
            continue
        behind = found[number + 1] if number + 1 < len(found) else fence
        adjacent = behind[1] == "text" and not text[fence.end() : behind.start()].strip()
        line = text.count("\n", 0, fence.start()) + 1
        yield Block(name_of(page), line, fence[2], behind[2] if adjacent else None)


def collect(language: str, pages: list[Path]) -> list[object]:
    return [pytest.param(block, id=f"{block.page}:{block.line}") for page in pages for block in blocks(page, language)]


def prose(page: Path) -> str:
    """A page without its fences and its indented code."""
    return re.sub(r"^    .*$", "", FENCE.sub("", read(page)), flags=re.MULTILINE)


def anchor(heading: str) -> str:
    """The name GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("\\", "").lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", read(page)), re.MULTILINE)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that looks like the repository's root, where examples may write files that nobody has to remove."""
    for entry in ROOT.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


# Links


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name_of(page)}: {target}: no such file"
        assert there.is_relative_to(ROOT), f"{name_of(page)}: {target} leaves the repository"
        if fragment:
            assert fragment in anchors(there), f"{name_of(page)}: {target}: no such heading; {sorted(anchors(there))}"


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(prose(index))}
    assert [name_of(page) for page in DOCS if page != index and page not in linked] == []


def test_links_are_found() -> None:
    assert LINK.findall("see [one](a.md) and [two\nlines](b.md#c), not ![image](d.png)") == ["a.md", "b.md#c"]
    assert anchor("What `it` does: not that, this") == "what-it-does-not-that-this"


# Nothing is left out


@pytest.mark.parametrize("name", known())
def test_metrics_and_their_options_are_explained(name: str) -> None:
    page = read(ROOT / "docs" / "reference" / "metrics.md")
    headings = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    sections = [text for text in headings if name in re.split(r"[,\s]+", text.partition("\n")[0])]
    assert len(sections) == 1, f"docs/reference/metrics.md: expected one section for {name}"
    for field in dataclasses.fields(known()[name]):
        row = rf"^\| `{field.name}` \| {re.escape(shown(field.default))} \|"
        assert re.search(row, sections[0], re.MULTILINE), f"{name}: no row for {field.name}={field.default!r}"


def shown(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else str(default)


@pytest.mark.parametrize(
    "name",
    [name for name, cls in known().items() if is_counted(cls) and not cls.needs & {"model", "function", "glossary"}],
)
def test_rows_are_named(name: str) -> None:
    page = read(ROOT / "docs" / "reference" / "metrics.md")
    metric = known()[name]()
    references = tertium.References((tertium.Lines.of(["a"]),), 1)
    sources = tertium.Lines.of(["b"])
    prepared = door.prepare(metric, tertium.TestSet(segments=1, references=references, sources=sources))
    columns = door.count(metric, tertium.Lines.of(["a"]), prepared).columns
    families = {re.sub(r"(\d+)$", "1", column) for column in columns}  # the first of matches_1, matches_2, ...
    assert [column for column in sorted(families) if f"`{column}`" not in page] == []


def commands() -> dict[str, click.Command]:
    """Every command by the words that call it: `score`, `human analyse`."""
    found = {}
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        found[name] = command
        if isinstance(command, LazyGroup):
            found |= {f"{name} {inner}": command.get_command(click.Context(command), inner) for inner in command.known}
    return found


@pytest.mark.parametrize(("name", "command"), commands().items())
def test_commands_and_their_options_are_explained(name: str, command: click.Command) -> None:
    page = read(ROOT / "docs" / "reference" / "cli.md")
    assert f"## tertium {name}\n" in page
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert re.search(rf"`{option}\b", page), f"docs/reference/cli.md does not explain {option}"


def test_all_commands_are_in_the_list_at_the_top() -> None:
    top = read(ROOT / "docs" / "reference" / "cli.md").partition("\n`-h`")[0]
    listed = re.findall(r"^\| \[`(\w+)`\]\(#tertium-", top, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_global_options_are_explained() -> None:
    page = read(ROOT / "docs" / "reference" / "cli.md")
    options = {option for parameter in cli.params for option in parameter.opts} | {"--help", "-h"}
    assert [option for option in sorted(options) if f"`{option}`" not in page] == []


def test_sacrebleus_flags_are_explained() -> None:
    from tertium.cli.sacrebleu.flags import FLAGS

    page = read(ROOT / "docs" / "howto" / "replace-sacrebleu.md")
    flags = [next(word for word in names.split() if word.startswith("--")) for names, _, _ in FLAGS if "-" in names]
    unsaid = {"--paired-ar-n", "--paired-bs-n", "--paired-jobs", "--test-set"}  # settings of what is not there
    assert [flag for flag in flags if flag not in page and flag not in unsaid] == []


def test_public_names_are_explained() -> None:
    page = read(ROOT / "docs" / "reference" / "api.md")
    headings = {
        name.replace("\\", "")
        for heading in re.findall(r"^## (.*)$", page, re.MULTILINE)
        for name in heading.split(", ")
    }
    assert headings - {"tertium.integrations"} == set(tertium.__all__)


# What is shown is real


@pytest.fixture
def registry() -> Iterator[None]:
    """Metrics that an example defines are forgotten afterwards."""
    metrics, aliases = dict(REGISTRY), dict(ALIASES)
    yield
    for now, before in ((REGISTRY, metrics), (ALIASES, aliases)):
        now.clear()
        now.update(before)


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("block", collect("python", [ROOT / "README.md", *DOCS]))
def test_python_runs_and_prints_what_is_shown(block: Block, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    code = compile("\n" * block.line + block.text, ROOT / block.page, "exec")
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore", tertium.TertiumWarning)
        exec(code, {"__name__": "__main__"})
    if block.printed is not None:
        assert printed.getvalue() == block.printed


@pytest.mark.parametrize("block", collect("console", [ROOT / "README.md", *DOCS]))
def test_commands_print_what_is_shown(block: Block, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command, expected in sessions(block):
        assert command.startswith("tertium "), f"{block.page}:{block.line}: only tertium is run: {command}"
        printed = in_shell(command, root) if re.search(r"[|<>;&$]", command) else in_process(command, root, monkeypatch)
        assert re.fullmatch(pattern(expected), printed.rstrip("\n"), re.DOTALL), f"$ {command}\n{printed}"


def in_shell(command: str, folder: Path) -> str:
    """What a command that needs a shell prints."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode()


def in_process(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same of one that does not: without a new interpreter each time."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with monkeypatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        for name in os.environ.keys() - environment().keys():
            patch.delenv(name)
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        patch.setattr(sys, "stdout", printed)
        patch.setattr(sys, "stderr", printed)
        with contextlib.suppress(SystemExit):
            main(shlex.split(command)[1:])
    printed.flush()
    return printed.buffer.getvalue().decode()  # type: ignore[attr-defined]


def environment() -> dict[str, str]:
    """This environment's `tertium`, an ordinary terminal, and output in the order in which it is written."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("SACREBLEU_", "COVERAGE_", "COV_"))}
    return {**plain, "PATH": path, "COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}


def sessions(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console fence and what each prints."""
    _, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    for part in parts:
        command, _, expected = part.partition("\n")
        yield command, expected.rstrip("\n")


def pattern(expected: str) -> str:
    """A line `...` stands for any number of lines."""
    lines = [".*" if line == "..." else re.escape(line) for line in expected.split("\n")]
    return "\n".join(lines)


def test_shown_output_must_match() -> None:
    assert re.fullmatch(pattern("a\n...\nd"), "a\nb\nc\nd", re.DOTALL)
    assert not re.fullmatch(pattern("a\n...\nd"), "a\nb\nc", re.DOTALL)
    assert not re.fullmatch(pattern("a.c"), "abc", re.DOTALL)
    block = Block("page", 1, "$ tertium a\nx\ny\n$ tertium b\n", None)
    assert list(sessions(block)) == [("tertium a", "x\ny"), ("tertium b", "")]


@pytest.mark.parametrize("page", DOCS, ids=name_of)
def test_fences_say_what_they_are(page: Path) -> None:
    languages = {fence[1] for fence in FENCE.finditer(read(page))}
    assert languages <= {"python", "text", "console", "sh", "toml", "yaml"}
    assert read(page).count("\n```") == 2 * len(FENCE.findall(read(page))), "a fence is not closed"
