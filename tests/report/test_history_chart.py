"""The chart of scores by date names the dates."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tertium.report.figures.history import history_chart
from tertium.report.page import Page, Section

pytestmark = pytest.mark.slow
START = datetime(2026, 3, 28, 22, 30, tzinfo=UTC)  # clocks change in the night after it, in many places
LABELS = "[...document.querySelectorAll('figure.chart .role-axis-label text')].map((each) => each.textContent)"


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        ((0, 0.05), {"28 Mar 22:30", "28 Mar 22:33"}),
        ((0, 24), {"28 Mar 22:30", "29 Mar 22:30"}),
        ((0, 24 * 60), {"2026-03-28", "2026-05-27"}),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_dates_are_named(hours: tuple[float, ...], expected: set[str], zone: str, read: Any, tmp_path: Path) -> None:
    start = int(START.timestamp() * 1000)
    rows = [
        {
            "metric": "BLEU",
            "system": name,
            "date": start + round(hour * 3_600_000),
            "score": 30.0 + k,
            "evaluation": "e",
        }
        for name in ("a", "b")
        for k, hour in enumerate(hours)
    ]
    chart = history_chart(rows, ["BLEU"], ["a", "b"])
    Page(title="History", sections=[Section(id="one", title="One", charts=[chart])]).save(tmp_path / "page.html")
    reader = read(tmp_path / "page.html", width=1440, timezone_id=zone)
    reader.drawn()
    assert expected <= set(reader.page.evaluate(LABELS))
