"""When a campaign is open: what is refused before and after, and what is still taken."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.asked import enter, enter_admin, opened, put
from tests.campaign.written import written

from tertium.core.errors import InputError
from tertium.human.campaign.dates import LATE, WAY, ClosedError, Dates
from tertium.human.campaign.intake import take_in
from tertium.human.campaign.spec import read_campaign
from tertium.web.campaign.screens import rater_key

DATES = "\n[dates]\nbegin = 2026-12-01T09:00:00+01:00\nend = 2026-12-15T18:00:00+01:00\n"
BERLIN = timezone(timedelta(hours=1))
BEGIN, END = (datetime(2026, 12, day, hour, tzinfo=BERLIN).timestamp() for day, hour in ((1, 9), (15, 18)))
HOUR = 3600
ANSWER = {"values": {"da100": 70}}


class Clock:
    """Time that stands still until it is told otherwise."""

    now = BEGIN

    def __call__(self) -> float:
        return self.now


def dated(folder: Path, dates: str = DATES, **more: Any) -> Path:
    path = written(folder, **more)
    with path.open("a") as file:
        file.write(dates)
    return path


def test_before_and_after_raters_see_a_sentence_and_nothing_is_taken(tmp_path: Path) -> None:
    clock = Clock()
    with opened(dated(tmp_path / "c"), clock=clock) as (client, collection):
        enter(client, collection, "eva")
        for now, english, german in (
            (BEGIN - 1, "This campaign begins 2026-12-01 09:00 UTC+01:00.", "beginnt 2026-12-01 09:00 UTC+01:00."),
            (END + WAY, "This campaign ended 2026-12-15 18:00 UTC+01:00.", "endete 2026-12-15 18:00 UTC+01:00."),
        ):
            clock.now = now
            refused = put(client, collection, "eva", 1, 0, ANSWER)
            assert refused.status_code == 403
            assert refused.json()["error"].startswith(english)
            for address, status in (("/", 200), ("/batch/1", 403)):
                page = client.get(address)
                assert (page.status_code, english in page.text) == (status, True)
                assert german in client.get(address, headers={"accept-language": "de"}).text
            assert 'href="/batch/1"' not in client.get("/").text
            assert client.post("/take").status_code == 403
            assert collection.standing() == []
        for now in (BEGIN, END - 1):
            clock.now = now
            assert "This campaign" not in client.get("/").text
            assert client.get("/batch/1").status_code == 200
            assert put(client, collection, "eva", 1, 0, ANSWER).status_code == 200


@pytest.mark.parametrize(
    ("late", "age", "taken"),
    [
        (HOUR, HOUR + 1, True),  # offline for an hour when it ended
        (HOUR, HOUR - WAY + 1, True),  # the last minute is the way's
        (HOUR, HOUR - WAY - 1, False),
        (HOUR, 0, False),
        (LATE, LATE + HOUR, True),
        (LATE + 1, LATE + HOUR, False),  # a week later it is over for good
    ],
)
def test_what_was_entered_before_the_end_is_taken(tmp_path: Path, late: float, age: float, taken: bool) -> None:
    clock = Clock()
    with opened(dated(tmp_path / "c"), clock=clock) as (client, collection):
        enter(client, collection, "eva")
        clock.now = END + late
        assert put(client, collection, "eva", 1, 0, ANSWER, age=age).status_code == (200 if taken else 403)
        assert len(collection.standing()) == int(taken)


def test_nothing_is_entered_before_the_begin_whatever_its_age() -> None:
    with pytest.raises(ClosedError, match="this campaign begins 2026-12-01 09:00 UTC"):
        Dates(begin=datetime(2026, 12, 1, 9, tzinfo=BERLIN)).check_entered(BEGIN - 1, 10 * HOUR)


@pytest.mark.parametrize("age", [-1, "1", True, None, [1], 1e400])
def test_ages_that_are_none(tmp_path: Path, age: Any) -> None:
    with opened(written(tmp_path / "c")) as (client, collection):
        enter(client, collection, "eva")
        given = {"who": rater_key(collection, "eva"), "uuid": "12345678", "revision": 1, "body": ANSWER, "age": age}
        answer = client.put(
            "/api/responses/1/0", content=json.dumps(given), headers={"content-type": "application/json"}
        )
        assert answer.status_code == 422
        assert answer.json() == {"error": "age must be a number of seconds, 0 or more", "final": True}


def test_a_code_outlives_the_end_and_imports_do_not_mind(tmp_path: Path) -> None:
    clock = Clock()
    with opened(dated(tmp_path / "c"), clock=clock) as (client, collection):
        enter(client, collection, "eva")
        [batch] = collection.plan.batches
        for item in range(len(batch.items)):
            assert put(client, collection, "eva", 1, item, ANSWER).status_code == 200
        said = collection.judgements()
        clock.now = END + HOUR
        assert 'href="/done/1"' in client.get("/").text
        assert 'id="code"' in client.get("/done/1").text
        assert take_in(collection, said).taken == len(batch.items)  # under ids of their own


def test_the_dashboard_and_commands_say_when(tmp_path: Path) -> None:
    from tertium.report.tables.campaigns import plan_notes, progress_notes

    clock = Clock()
    with opened(dated(tmp_path / "c"), clock=clock) as (client, collection):
        enter_admin(client)
        for now, said in (
            (BEGIN - 12 * HOUR, "raters get in from 2026-12-01 09:00 UTC+01:00 on, 12.0 hours from now"),
            (BEGIN, "it ends 2026-12-15 18:00 UTC+01:00, 14 days from now"),
            (END, "it ended 2026-12-15 18:00 UTC+01:00; what raters had entered before comes in for a week more"),
        ):
            clock.now = now
            assert said in client.get("/admin").text
            assert said in list(progress_notes(collection))
        assert (
            "responses are taken from 2026-12-01 09:00 UTC+01:00 until 2026-12-15 18:00 UTC+01:00"
            in plan_notes(collection.campaign, collection.plan)
        )  # fmt: skip


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        (
            "begin = 2026-12-01",
            "[dates] begin = 2026-12-01 does not fit; expected a date, a time and its zone, without quotes, as in "
            "2026-12-01T09:00:00+01:00",
        ),
        (
            "begin = 2026-12-01T09:00:00",
            "[dates] begin = 2026-12-01T09:00:00 does not fit; expected a date, a time and ",
        ),
        ("end = 09:00:00", "[dates] end = 09:00:00 does not fit; expected a date, a time and its zone, "),
        ('end = "2026-12-01T09:00:00Z"', "[dates] end = '2026-12-01T09:00:00Z' does not fit; expected a date, a time"),
        (
            "begin = 2026-12-01T09:00:00Z\nend = 2026-12-01T10:00:00+01:00",
            "[dates] end (2026-12-01 10:00 UTC+01:00) does not come after begin (2026-12-01 09:00 UTC)",
        ),
        ("start = 2026-12-01T09:00:00Z", "[dates]: unknown key 'start'; known: begin, end"),
    ],
)
def test_dates_that_are_refused(tmp_path: Path, dates: str, said: str) -> None:
    path = dated(tmp_path / "c", f"[dates]\n{dates}\n")
    with pytest.raises(InputError) as caught:
        read_campaign(path)
    assert said in str(caught.value)


def test_other_dates_are_the_same_plan(tmp_path: Path) -> None:
    path = written(tmp_path / "c")
    with opened(path) as (_, collection):
        collection.submit("eva", 1, 0, "12345678", 1, ANSWER).result()
    with opened(dated(tmp_path / "c")) as (_, collection):  # put off while it runs
        assert len(collection.standing()) == 1
