"""axe-core finds nothing wrong with any page that is a file: in light and dark, on a wide screen and a telephone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.served import tertium

import tertium as tt

from .test_links import OPEN

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
TOWN, RETRIEVAL = str(ROOT / "examples" / "testset.toml"), str(ROOT / "examples" / "retrieval" / "testset.toml")
COMMANDS = {
    "meta": ["meta", TOWN, "-m", "bleu,chrf", "--trials", "20", "--page"],
    "stress": ["stress", TOWN, "--system", "atlas", "-m", "bleu,chrf", "--noise", "delete,permute", "--page"],
    "retrieve": ["retrieve", RETRIEVAL, "-m", "bleu", "--page"],
    "explain": ["explain", "the cat sat", "--ref", "the cat sat down", "-m", "bleu,meteor,ter", "--page"],
    "prompt": ["prompt", "demo", "-m", "chrf", "-o"],
    "several test sets": ["report", TOWN, RETRIEVAL, "-m", "bleu,chrf", "--trials", "20", "-o"],
    "a baseline": ["report", TOWN, "-m", "bleu,chrf", "--baseline", "delta", "--trials", "20", "-o"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("pages")

    def page(kind: str) -> Path:
        path = folder / f"{kind}.html"
        if not path.exists():
            tertium(*COMMANDS[kind], str(path))
        return path

    return page


def check(reader: Any, axe: Callable[[Any], list[str]]) -> None:
    reader.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    reader.drawn()
    assert axe(reader.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_example(read: Any, example_file: Path, axe: Any, width: int, scheme: str) -> None:
    reader = read(example_file, "#segments?found=number&of=delta", width=width, color_scheme=scheme)
    check(reader, axe)
    reader.page.locator("#help").click()
    assert axe(reader.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", COMMANDS)
def test_pages_of_commands(read: Any, made: Callable[[str], Path], axe: Any, kind: str, scheme: str) -> None:
    check(read(made(kind), width=390 if scheme == "dark" else 1440, color_scheme=scheme), axe)


@pytest.mark.parametrize("kind", ["one system", "people only"])
def test_reports_of_little(read: Any, example: tt.Evaluation, axe: Any, kind: str, tmp_path: Path) -> None:
    systems = example.systems[:1] if kind == "one system" else example.systems
    metrics = ["bleu", "macrof1"] if kind == "one system" else ["human"]
    found = tt.evaluate(example.testset, systems, metrics, judgements=example.judgements)
    tt.make_report(found, trials=20).save(tmp_path / "report.html")
    check(read(tmp_path / "report.html"), axe)


def test_axe_finds_what_is_wrong(read: Any, example_file: Path, axe: Any) -> None:
    """So that finding nothing means something."""
    reader = read(example_file)
    reader.page.locator("#table-1 table").evaluate(OPEN)
    reader.page.evaluate("document.querySelector('#theme').replaceChildren()")
    assert [text.partition(":")[0] for text in axe(reader.page)] == ["button-name"]
