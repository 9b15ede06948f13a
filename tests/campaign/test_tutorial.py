"""Examples that raters try: what is expected of an answer, by protocol; nothing of it is kept."""

from pathlib import Path
from typing import Any

import pytest
from tests.campaign.asked import enter, opened
from tests.campaign.test_app import ANSWERS
from tests.campaign.written import written

from tertium.core.errors import InputError
from tertium.human.campaign.spec import read_campaign

OUTPUT = "The market ends at eight"  # ends: 11-15


def taught(folder: Path, protocol: str, expected: str | None) -> Path:
    path = written(folder, protocol)
    outputs = f'"{OUTPUT}", "Market"' if protocol == "ranking" else f'"{OUTPUT}"'
    with path.open("a") as file:
        file.write(f'[[tutorial]]\nsource = "Der Markt beginnt"\noutputs = [{outputs}]\nfeedback = "It begins."\n')
        if expected is not None:
            file.write(f"expected = {{ {expected} }}\n")
    return path


def span(start: int, end: int, side: str = "output", category: str = "") -> list[Any]:
    return [start, end, "minor", category, side]


@pytest.mark.parametrize(
    ("protocol", "expected", "body", "right", "lines"),
    [
        ("da", "da100 = [0, 40]", {"values": {"da100": 40}}, True, ["As expected: 0–40."]),
        ("da", "da100 = [0, 40]", {"values": {"da100": 41}}, False, ["Expected: 0–40."]),
        ("sqm", "sqm100 = 33", {"values": {"sqm100": 33}}, True, ["As expected: 33."]),
        ("sqm", "sqm100 = 33", {"values": {"sqm100": 34}}, False, ["Expected: 33."]),
        (
            "adequacy-fluency", "adequacy = [1, 2], fluency = 5", {"values": {"adequacy": 2, "fluency": 4}}, False,
            ["How much of the meaning of the source is there? As expected: 1–2.",
             "How good is the language of the translation? Expected: 5."],
        ),
        ("ranking", "ranks = [1, 2]", {"ranks": [1, 2]}, True, ["As expected: A 1 / B 2."]),
        ("ranking", "ranks = [1, 1]", {"ranks": [1, 2]}, False, ["Expected: A 1 / B 1."]),
        (
            "esa", 'esa = [0, 50], errors = ["ends"]', {"values": {"esa": 10}, "spans": [span(10, 12)]}, True,
            ["With these errors in mind: how good is the translation as a whole? As expected: 0–50.",
             "Marked errors. As expected: “ends”."],
        ),
        ("esa", 'errors = ["ends"]', {"values": {"esa": 1}, "spans": [span(15, 17)]}, False, ["Expected: “ends”."]),
        ("esa", 'errors = ["ends"]', {"values": {"esa": 1}, "spans": []}, False, ["Expected: “ends”."]),
        ("esa", "errors = []", {"values": {"esa": 1}, "spans": [span(0, 3, "source")]}, True,
         ["As expected: no marked error."]),
        ("mqm", "errors = []", {"spans": [span(0, 3, category="Other")]}, False, ["Expected: no marked error."]),
        (
            "mqm", 'errors = ["ends"]', {"spans": [span(11, 15, category="Other"), span(0, 3, category="Other")]},
            False, ["Expected: “ends”."],
        ),
        ("post-edit", 'text = ["The market begins at eight"]', {"text": " The market  begins at eight"}, True,
         ["As expected: “The market begins at eight”."]),
        ("post-edit", 'text = ["The market begins at eight", "x"]', {"text": OUTPUT}, False,
         ["Expected: “The market begins at eight” / “x”."]),
        ("da", None, {"values": {"da100": 3}}, None, []),
    ],
)  # fmt: skip
def test_what_was_expected(
    tmp_path: Path, protocol: str, expected: str | None, body: Any, right: bool | None, lines: list[str]
) -> None:
    with opened(taught(tmp_path / "c", protocol, expected)) as (client, collection):
        assert client.post("/api/tutorial/0", json={"body": body}).status_code == 401  # not for everybody
        enter(client, collection, "eva")
        answer = client.post("/api/tutorial/0", json={"body": body})
        assert (answer.status_code, answer.json()) == (200, {"right": right, "lines": lines})
        assert collection.judgements() == []
        assert collection.store.trail()[1:] == []  # the link, and no event of the tutorial


@pytest.mark.parametrize("protocol", ANSWERS)
def test_answers_that_no_page_sends(tmp_path: Path, protocol: str) -> None:
    with opened(taught(tmp_path / "c", protocol, None)) as (client, collection):
        enter(client, collection, "eva")
        assert client.post("/api/tutorial/0", json={"body": ANSWERS[protocol]}).status_code == 200
        for body in ({}, [], None, {"values": {}}, {**ANSWERS[protocol], "more": 1}):
            assert client.post("/api/tutorial/0", json={"body": body}).status_code == 422
        assert client.post("/api/tutorial/1", json={"body": ANSWERS[protocol]}).status_code == 404


def test_in_german(tmp_path: Path) -> None:
    with opened(taught(tmp_path / "c", "da", "da100 = [0, 40]")) as (client, collection):
        enter(client, collection, "eva")
        answer = client.post("/api/tutorial/0", json={"body": ANSWERS["da"]}, headers={"accept-language": "de"})
        assert answer.json() == {"right": False, "lines": ["Erwartet: 0–40."]}


@pytest.mark.parametrize(
    ("protocol", "expected", "said"),
    [
        ("da", "da = 5", "expected: unknown key 'da'; known: da100"),
        ("da", "da100 = 101", "expected da100 = 101: a number from 0 to 100, or [lowest, highest] of them"),
        ("da", "da100 = [50, 40]", "expected da100 = [50, 40]: a number from 0 to 100, or [lowest, highest] of them"),
        ("da", "da100 = nan", "expected da100 = nan: a number from 0 to 100"),
        ("da", 'da100 = "high"', "expected da100 = 'high': a number from 0 to 100"),
        ("da", "errors = []", "expected: unknown key 'errors'"),
        ("mqm", "mqm = 5", "expected: unknown key 'mqm'; known: errors"),
        ("esa", 'errors = ["begins"]', "expected errors = ['begins']: 'begins' is not in the output"),
        ("esa", 'errors = "ends"', "expected errors = 'ends': a list of texts"),
        ("ranking", "ranks = [1]", "expected ranks = [1]: 2 places from 1 to 2"),
        ("ranking", "ranks = [0, 3]", "expected ranks = [0, 3]: 2 places from 1 to 2"),
        ("post-edit", "text = []", "expected text = []: name at least one text that will do"),
    ],
)
def test_expectations_that_are_refused(tmp_path: Path, protocol: str, expected: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_campaign(taught(tmp_path / "c", protocol, expected))
    assert f"[[tutorial]] example 1: {said}" in str(caught.value)
