"""Draw reports of random systems of WMT22 and write all that they say as text, for somebody who reads it against the
tables: does every sentence say what its figures say, and no more than was tested?

.venv/bin/python tools/read_reports.py FOLDER --seed 7 --count 30

Reads the folder `../shared` (texts, judgements), which is not part of this repository, and the system's Chromium. For
the same seed, the same reports: systems, metrics, segments, judgements and baseline are drawn from it.
"""

import argparse
import csv
import gzip
import random
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

import tertium as tt

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
TEXTS = SHARED / "data" / "wmt22"
PEOPLE = SHARED / "oracles" / "human" / "wmt22-toen"
LINES = SHARED / "oracles" / "meta" / "wmt22-toen-segments.tsv.gz"
PAIRS = ("cs-en", "de-en", "ja-en", "liv-en", "ru-en", "uk-en", "en-de")
KINDS = {"SYSTEM": "genuine", "REPEAT": "repeat", "REF": "reference", "BAD_REF": "degraded"}
METRICS = (
    "bleu",
    "chrf",
    "ter",
    "macrof1",
    "chrf(words=2)",
    "meteor",
    "nist",
    "wer",
    "lepor",
    "microf1",
    "f1",
    "lexical",
)
SIZES = (12, 40, 99, 150, 400, 10_000)  # segments; the last is all of them
READ = """() => {
  document.querySelectorAll('details').forEach((each) => { each.open = true; });
  const out = [];
  const own = (each) => (each.innerText ?? each.textContent ?? '').replace(/[\\n\\t ]+/g, ' ').trim();
  const walk = (each) => {
    if (each.matches('#browser, dialog, script, style, template')) return;
    if (each.matches('table')) {
      if (each.caption) out.push('caption: ' + own(each.caption));
      for (const row of each.rows) out.push('  | ' + [...row.cells].map(own).join(' | '));
      return;
    }
    if (each.matches('h1,h2,h3,h4,p,li,figcaption,summary,caption,dt,dd,.tip')) {
      const more = each.dataset.more ? '  [[' + each.dataset.more + ']]' : '';
      const text = own(each);
      if (text) out.push(`${each.tagName.toLowerCase()}${each.className ? '.' + each.className : ''}: ${text}${more}`);
      if (each.matches('figcaption,p,summary,caption,h1,h2,h3,h4')) return;
    }
    if (each.matches('svg')) {
      const label = each.getAttribute('aria-label');
      if (label) out.push('  svg: ' + label);
      each.querySelectorAll('[data-tip]').forEach((tip) => out.push('  tip: ' + tip.dataset.tip));
      return;
    }
    if (each.getAttribute && each.getAttribute('aria-label') && each.matches('figure, .chart, [role=img]'))
      out.push('  label: ' + each.getAttribute('aria-label'));
    for (const child of each.children) if (!each.matches('li') || child.matches('table,details,ul,ol')) walk(child);
  };
  walk(document.querySelector('main') ?? document.body);
  return out.join('\\n');
}"""


class Drawn(NamedTuple):
    """One report: what it is of, in words, and the report."""

    said: str
    report: Any


def text(path: Path) -> list[str]:
    """The lines of a packed file."""
    return gzip.decompress(path.read_bytes()).decode().removesuffix("\n").split("\n")


@cache
def lines_of(pair: str) -> dict[int, int]:
    """The line of each segment that people judged, by its number in the published judgements."""
    with gzip.open(LINES, "rt") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {int(row["sid"]): int(row["line"]) - 1 for row in rows if row["lp"] == pair}


def judgements(pair: str, systems: list[str], places: dict[int, int]) -> list[tt.Judgement]:
    """What people said of these systems, on the chosen segments."""
    path = PEOPLE / f"{'lv-en' if pair == 'liv-en' else pair}.judgments.tsv.gz"
    if not path.exists():
        return []
    found = []
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            name = row["system"].rpartition(".")[0] or row["system"]
            place = places.get(lines_of(pair).get(int(row["seg"]), -1))
            if place is not None and name in systems:
                found.append(
                    tt.Judgement(
                        system=name, segment=place, rater=row["annotator"], scale="da100", value=float(row["raw"]),
                        kind=KINDS[row["type"]], task=row["hit"],  # type: ignore[arg-type]
                    )
                )  # fmt: skip
    return found


def evaluation(
    rng: random.Random, pair: str, metrics: list[str], *, rated: bool, least: int
) -> tuple[str, tt.Evaluation]:
    """Some systems on some segments of a language pair."""
    folder = TEXTS / pair
    here = sorted(path.stem for path in (folder / "systems").iterdir())
    names = rng.sample(here, min(len(here), rng.choice((1, 2, 2, 3, 4, 5, 6, 8, 10, 12))))
    source = text(folder / "src.gz")
    size = min(len(source), max(least, rng.choice(SIZES)))
    start = rng.randrange(len(source) - size + 1)
    chosen = range(start, start + size) if rng.random() < 0.6 else sorted(rng.sample(range(len(source)), size))
    parts = [path for path in sorted(folder.glob("ref.*.gz")) if pair != "cs-en" or path.name == "ref.B.gz"]
    parts = parts if rng.random() < 0.3 else parts[:1]
    documents = folder / "docs.gz"
    has_documents = documents.exists() and rng.random() < 0.7
    runs = rng.random() < 0.1 and len(names) >= 4  # the first two are runs of one system
    said = {name: name for name in names}
    if runs:
        said[names[0]], said[names[1]] = "Team@1", "Team@2"

    def taken(path: Path) -> list[str]:
        lines = text(path)
        return [lines[k] for k in chosen]

    testset = tt.TestSet(
        segments=size, name=f"wmt22.{pair}", source_language=pair[:2] if pair != "liv-en" else "liv",
        target_language=pair[-2:], sources=tt.Lines.of([source[k] for k in chosen]),
        references=tt.References(tuple(tt.Lines.of(taken(path)) for path in parts), size),
        documents=taken(documents) if has_documents else None,
    )  # fmt: skip
    systems = []
    for name in names:
        outputs: list[str | None] = list(taken(folder / "systems" / f"{name}.gz"))
        systems.append(
            tt.System(name=said[name], outputs=tt.Lines.of(outputs), run=said[name].partition("@")[2] or None)
        )
    judged = [] if not rated or runs else judgements(pair, names, {line: k for k, line in enumerate(chosen)})
    words = f"{pair}, {size} segments, {len(parts)} references, {', '.join(said.values())}; {', '.join(metrics)}"
    words += f"; {len(judged)} judgements{'; documents' if has_documents else ''}"
    return words, tt.evaluate(testset, systems, metrics, judgements=judged)


def draw(seed: int, number: int, least: int = 1) -> Drawn:
    """A report; where something cannot be done, the sentence that says so."""
    rng = random.Random(f"{seed} {number}")
    metrics = rng.sample(METRICS, rng.choice((1, 2, 3, 4, 6)))
    rated = rng.random() < 0.6
    if rated and rng.random() < 0.2:
        metrics.insert(rng.randrange(len(metrics) + 1), "human")
    if number % 10 == 9:
        pairs = rng.sample(PAIRS, 3)
        made = [evaluation(rng, pair, [m for m in metrics if m != "human"], rated=rated, least=least) for pair in pairs]
        return Drawn(" + ".join(words for words, _ in made), tt.report_several([each for _, each in made]))
    words, found = evaluation(rng, rng.choice(PAIRS), metrics, rated=rated, least=least)
    names = list(dict.fromkeys(system.name.partition("@")[0] for system in found.systems))
    baseline = rng.choice(names) if len(names) > 1 and rng.random() < 0.35 else None
    words += f"; baseline {baseline}" if baseline else ""
    return Drawn(words, tt.make_report(found, baseline=baseline))


def main() -> None:
    """Draw them, and write page and text of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--least", type=int, default=1, help="segments of each")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of these reports alone")
    given = parser.parse_args()
    if not TEXTS.is_dir():
        sys.exit(f"{TEXTS.name}: the texts of WMT22 are not beside this repository (../shared)")
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not installed (make browser)")
    given.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number in given.only if given.only is not None else range(given.count):
            path = given.folder / f"{given.seed}-{number:02}.html"
            try:
                said, report = draw(given.seed, number, given.least)
            except tt.TertiumError as error:
                path.with_suffix(".txt").write_text(f"refused: {error}\n")
                print(f"{number}: refused: {error}", flush=True)
                continue
            report.save(path)
            page = browser.new_page(viewport={"width": 1440, "height": 900}, offline=True)
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]")
            path.with_suffix(".txt").write_text(f"# {said}\n{page.evaluate(READ)}\n")
            page.close()
            print(f"{number}: {said}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
