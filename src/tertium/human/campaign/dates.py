"""When a campaign is open. Before its begin and after its end nothing is taken, but for what was entered in time.

A rater may have been offline when the campaign ended. A page says how long ago a response was entered, so that clocks
which go wrong do not matter; one that was entered before the end is taken for a week more. A minute is allowed for the
way, so that nobody who was in time is refused because the server was busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from tertium.core.errors import InputError

DAY = 86_400
LATE = 7 * DAY  # after the end, for what was entered before it
WAY = 60  # seconds that a response may be under way


class ClosedError(InputError):
    """A campaign that has not begun, or is over; what it is, for whoever says it in another language."""

    def __init__(self, state: Literal["early", "over"], moment: datetime) -> None:
        self.state, self.moment = state, written(moment)
        super().__init__(f"this campaign {'begins' if state == 'early' else 'ended'} {self.moment}")


@dataclass(frozen=True, kw_only=True)
class Dates:
    """Begin and end, where there are any."""

    begin: datetime | None = None
    end: datetime | None = None

    def check(self, now: float) -> None:
        """Refuse whoever comes too early or too late."""
        if self.begin is not None and now < self.begin.timestamp():
            raise ClosedError("early", self.begin)
        if self.end is not None and now >= self.end.timestamp():
            raise ClosedError("over", self.end)

    def check_entered(self, now: float, age: float) -> None:
        """Refuse what was entered too early or too late, so many seconds ago."""
        over = float("-inf") if self.end is None else now - self.end.timestamp()
        if not (0 <= over <= LATE and over - age < WAY):
            self.check(now)

    def notes(self, now: float) -> Iterator[str]:
        """Where the campaign stands, for whoever runs it."""
        if self.begin is not None and now < self.begin.timestamp():
            yield f"raters get in from {written(self.begin)} on, {distance(self.begin.timestamp() - now)} from now"
        if self.end is not None and now < self.end.timestamp():
            yield f"it ends {written(self.end)}, {distance(self.end.timestamp() - now)} from now"
        elif self.end is not None:
            yield f"it ended {written(self.end)}; what raters had entered before comes in for a week more"


def written(moment: datetime) -> str:
    """`2026-12-01 09:00 UTC+01:00`: the zone is that of campaign.toml."""
    zone = moment.strftime("%z")
    offset = f"{zone[:3]}:{zone[3:5]}" if zone.strip("+-0") else ""
    return f"{moment.strftime('%Y-%m-%d %H:%M')} UTC{offset}"


def distance(seconds: float) -> str:
    """Days, or hours where there are fewer than two days."""
    return f"{seconds / DAY:.0f} days" if seconds >= 2 * DAY else f"{seconds / 3600:.1f} hours"
