"""`tertium prompt run`, `demo` and `cache`: grids in, tables, pages and files out."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from tests.prompt.test_experiment import SETTINGS, Telling, make_folder, say

import tertium as tt
from tertium.models.cache import AnswerCache

from .running import Command


@pytest.fixture
def grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grid whose model stands in for a real one; requests go into `grid.asked`."""
    monkeypatch.setattr("tertium.prompt.experiment.open_model", lambda *_, **__: ASKED[-1])
    ASKED[:] = [Telling(say)]
    return make_folder(tmp_path)


ASKED: list[Telling] = []


def arguments(grid: Path, *more: str) -> tuple[str, ...]:
    return ("prompt", "run", str(grid), "--cache", str(grid.parent / "a.sqlite"), *more)


def test_run(tertium: Command, grid: Path) -> None:
    done = tertium(*arguments(grid))
    assert done.status == 0, done.err
    assert done.out.startswith("By chrF, D/en/break, A/en/break/1-random and A/en/break/2-random share the best")
    for title in ("chrF by template, language of the template, and space or line break",
                  "BLEU by number of demonstrations: A/en/break/random", "Paired tests by chrF: the 5 best of 6",
                  "All settings, from best to worst"):  # fmt: skip
        assert title in done.out
    assert "tertium: note: 32 calls made" in done.err
    again = tertium(*arguments(grid, "--steps", "first_line"))
    assert "tertium: note: 0 calls made" in again.err
    assert len(ASKED[0].requests) == 32
    assert again.out != done.out


def test_forms_and_files(tertium: Command, grid: Path) -> None:
    page, saved, table = (str(grid.parent / name) for name in ("r.html", "e.zip", "t.csv"))
    made = tertium(*arguments(grid, "-f", "json", "-o", page, "--save", saved))
    found = json.loads(made.out)
    assert [row["system"] for row in found["settings"]] == SETTINGS
    assert (found["calls"], found["stopped"], found["segments"], found["title"]) == (32, None, 4, "Little")
    assert {row["curve"] for row in found["curves"]} == {"A/en/break/random"}
    assert {row["metric"] for row in found["best"]} == {"chrf", "bleu"}
    html = Path(page).read_text(encoding="utf-8")
    assert "<h1" in html
    assert "Prompts" in html
    assert [system.name for system in tt.load(saved).systems] == SETTINGS
    tertium(*arguments(grid, "-f", "csv", "-o", table))
    rows = list(csv.DictReader(io.StringIO(Path(table).read_text(encoding="utf-8"))))
    assert [row["system"] for row in rows] == SETTINGS
    assert float(rows[1]["chrf"]) == pytest.approx(found["settings"][1]["chrf"])
    marked = tertium(*arguments(grid, "-f", "markdown", "-m", "ter"))
    assert "| template |" in marked.out
    assert "TER" in marked.out
    assert len(ASKED[0].requests) == 32


def test_dry_run_opens_nothing(tertium: Command, grid: Path) -> None:
    ASKED.clear()
    done = tertium(*arguments(grid, "--dry-run"))
    assert done.status == 0
    assert "Little: 8 settings of" in done.out
    assert "m: 8 settings, 32 calls; " in done.out
    assert "at most 320 tokens of answers; about " in done.out
    assert f"settings: {', '.join(SETTINGS)}" in done.out
    assert not (grid.parent / "a.sqlite").exists()


def test_limits_stop_and_say_how_to_go_on(tertium: Command, grid: Path) -> None:
    stopped = tertium(*arguments(grid, "--max-calls", "9"))
    assert stopped.status == 1
    assert "the limit of 9 calls is reached (--max-calls): 2 of 8 settings complete after 9 calls" in stopped.err
    assert "the same command goes on from here" in stopped.err
    assert "D/en/break" in stopped.out
    nothing = tertium(*arguments(grid, "--max-cost", "0", "-f", "json"))
    assert nothing.status == 1
    assert "0 of 0 is spent, and the next call might go over (--max-cost): 2 of 8 settings" in nothing.err
    assert tertium(*arguments(grid)).status == 0
    assert len(ASKED[0].requests) == 32
    refused = tertium("prompt", "run", str(grid), "--no-cache", "--max-calls", "1")
    assert refused.err.startswith("tertium: --no-cache: what a limit stops could not go on")


def test_mistakes_are_sentences(tertium: Command, grid: Path) -> None:
    assert "no such file" in tertium("prompt", "run", str(grid.parent / "no.toml")).err
    assert "--output" in tertium(*arguments(grid, "-o", str(grid.parent))).err
    assert "unknown step 'wash'" in tertium(*arguments(grid, "--steps", "wash")).err
    (grid.parent / "empty.toml").write_text("")
    assert "no testset; write: testset =" in tertium("prompt", "run", str(grid.parent / "empty.toml")).err
    assert ASKED[0].requests == []


# Kept answers


def test_cache_lists_exports_and_clears(tertium: Command, grid: Path) -> None:
    cache = str(grid.parent / "a.sqlite")
    tertium(*arguments(grid))
    listed = tertium("prompt", "cache", "--cache", cache)
    assert f"{cache}: 32 answers" in listed.out
    assert "saying" in listed.out
    rows = list(csv.DictReader(io.StringIO(tertium("prompt", "cache", "--cache", cache, "-f", "csv").out)))
    with AnswerCache(cache, read_only=True) as kept:
        [one] = kept.contents()
    assert rows == [{"model": "saying", "answers": "32", "bytes": str(one.size), "identity": "saying"}]
    export = str(grid.parent / "out.jsonl.gz")
    told = tertium("prompt", "cache", "--cache", cache, "--export", export, "--about", "said by nobody")
    assert told.out.startswith(f"{export}: 32 answers, ")
    with gzip.open(export, "rt", encoding="utf-8") as file:
        assert json.loads(file.readline()) == {"about": "said by nobody"}
    from tertium.models.open import open_model

    replayed = open_model(f"replay:{export}")
    ASKED.append(replayed)  # type: ignore[arg-type]
    again = tertium("prompt", "run", str(grid), "--no-cache")
    assert again.status == 0, again.err
    assert "tertium: note: 0 calls made" in again.err
    cleared = tertium("prompt", "cache", "--cache", cache, "--clear", "--model", "saying")
    assert cleared.out == f"{cache}: 32 answers forgotten\n"
    assert f"{cache}: 0 answers" in tertium("prompt", "cache", "--cache", cache).out


def test_mistakes_with_the_cache(tertium: Command, grid: Path) -> None:
    cache = str(grid.parent / "a.sqlite")
    assert "no such file; no answer has been kept there" in tertium("prompt", "cache", "--cache", cache).err
    tertium(*arguments(grid, "--max-calls", "4"))
    for more, said in (
        (["--export", "a.txt"], "--export a.txt: the name must end in .jsonl or .jsonl.gz"),
        (["--export", "a.jsonl", "--clear"], "--export and --clear: first the one"),
        (["--about", "x"], "--about: goes with --export FILE"),
        (["--model", "nobody"], f"{cache}: has no answers of 'nobody'; name one of them: 'saying'"),
    ):  # fmt: skip
        assert said in tertium("prompt", "cache", "--cache", cache, *more).err
