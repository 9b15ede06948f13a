"""Draw docs/report.png, the picture of the example's report in README.md, with the system's Chromium.

.venv/bin/python tools/picture_report.py
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import tertium as tt

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "report.png"
SIZE = {"width": 1180, "height": 680}  # the first screen, up to the line below it
LIMIT = 300_000  # bytes


def main() -> None:
    """Make the report, photograph its beginning, and refuse a picture that is too large."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not installed (make browser)")
    given = tt.read_testset(ROOT / "examples" / "testset.toml")
    metrics = ["bleu", "chrf", "ter", "macrof1"]
    evaluation = tt.evaluate(given.testset, given.systems, metrics, judgements=given.judgements)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        tt.make_report(evaluation).save(page_file)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, offline=True)
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=PICTURE)
        browser.close()
    size = PICTURE.stat().st_size
    print(f"{PICTURE.relative_to(ROOT)}: {size:,} bytes")
    if size > LIMIT:
        sys.exit(f"more than {LIMIT:,} bytes")


if __name__ == "__main__":
    main()
