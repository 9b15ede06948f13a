"""How long a report's page holds up its reader: tasks of more than 50 ms in Chromium, while everything is tried once.

    python benchmarks/page.py [--segments 2000] [--systems 12] [--limit 200]

The page is of made sentences. It is opened from the disk; then filters, the search, segments, pairs of systems and
metrics are changed as a reader would change them, and the longest task of each is printed (PerformanceObserver,
`longtask`). It ends with 1 if one took longer than the limit. Needs `make browser`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import tertium as tt

WORDS = (
    "river mountain harbour winter letter market engine garden silver window children teacher doctor question answer "
    "morning evening village council station bridge paper number second little yellow common public early strong"
).split()
METRICS = ("bleu", "chrf", "ter", "macrof", "wer", "lepor")
WATCH = """
window.tasks = [];
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.tasks.push(duration); })
  .observe({ type: "longtask", buffered: true });
"""
SETTLE = 1500  # milliseconds without anything new, after which a step counts as done


def evaluation(segments: int, systems: int) -> tt.Evaluation:
    """Systems that change some words of made sentences, each more than the one before."""
    rng = random.Random(0)
    lines = [" ".join(rng.choices(WORDS, k=rng.randrange(6, 34))) + f" {rng.randrange(2000)}." for _ in range(segments)]

    def changed(line: str, share: float) -> str:
        return " ".join(rng.choice(WORDS) if rng.random() < share else word for word in line.split())

    testset = tt.TestSet(
        segments=segments,
        references=tt.References((tt.Lines.of(lines),), segments),
        sources=tt.Lines.of([changed(line, 0.9) for line in lines]),
        documents=tuple(f"document {k // 20}" for k in range(segments)),
        name="made",
    )
    outputs = [tt.Lines.of([changed(line, 0.1 + 0.02 * k) for line in lines]) for k in range(systems)]
    named = [tt.System(name=f"system {k + 1}", outputs=lines) for k, lines in enumerate(outputs)]
    return tt.evaluate(testset, named, list(METRICS))


def steps(page: Any) -> list[tuple[str, Any]]:
    """What a reader does, in words, and how."""

    def select(name: str, place: int) -> Any:
        return lambda: page.locator(f"#{name}").select_option(index=place)

    def press(key: str, times: int = 1) -> Any:
        return lambda: [page.locator("#list").press(key) for _ in range(times)]

    def scroll() -> None:
        for _ in range(25):
            page.mouse.wheel(0, 900)
            page.wait_for_timeout(30)

    return [
        ("scroll through the page", scroll),
        ("filter: first system better", lambda: page.locator('#chips [data-filter="first"]').click()),
        ("filter: all segments", select("filter", 0)),
        ("search: a frequent word", lambda: page.locator("#search").fill("river")),
        ("search: no such word", lambda: page.locator("#search").fill("no such word")),
        ("search: nothing", lambda: page.locator("#search").fill("")),
        ("open ten segments", press("ArrowDown", 10)),
        ("open the last segment", press("End")),
        ("other second system", select("second", 5)),
        ("other first system", select("first", 3)),
        ("other metric", select("metric", 3)),
        ("sort: by segment", lambda: page.locator("#sort").select_option("segment")),
        ("sort: by disagreement", lambda: page.locator("#sort").select_option("disagreement")),
        ("the order reversed", lambda: page.locator("#direction").click()),
        ("marks of a metric", lambda: page.locator("#against").select_option("marks 0")),
    ]


def measured(path: Path) -> list[tuple[str, float, int]]:
    """Every step with its longest task in milliseconds (0: none above 50), and how many there were above 50."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(WATCH)

        def told(name: str) -> None:
            page.wait_for_timeout(SETTLE)
            tasks = page.evaluate("tasks.splice(0)")
            found.append((name, max(tasks, default=0.0), len(tasks)))

        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        told("load")
        for name, do in steps(page):
            do()
            told(name)
        browser.close()
    return found


def main() -> int:
    """Make the page, try it, print what was found."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--segments", type=int, default=2000)
    asked.add_argument("--systems", type=int, default=12)
    asked.add_argument("--limit", type=float, default=200, help="milliseconds that a task may take")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        tt.make_report(evaluation(given.segments, given.systems), trials=100).save(path)
        size, made = path.stat().st_size / 1e6, time.process_time()
        print(f"{given.segments} segments x {given.systems} systems: {size:.2f} MB, made in {made:.1f} s of CPU")
        found = measured(path)
    for name, longest, many in found:
        print(f"{name:30} {longest:6.0f} ms longest, {many} above 50 ms")
    worst = max(longest for _, longest, _ in found)
    print(f"longest of all: {worst:.0f} ms; limit {given.limit:.0f} ms")
    return int(worst > given.limit)


if __name__ == "__main__":
    sys.exit(main())
