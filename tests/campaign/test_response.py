"""Responses: what each protocol takes, what it makes of it, and what is refused."""

from typing import Any

import pytest

from tertium.core.errors import InputError
from tertium.core.judgement import Span
from tertium.human.campaign.plan import PlannedItem, Shown
from tertium.human.campaign.protocol import PROTOCOLS
from tertium.human.campaign.response import check_response, hter, judgements_of

ITEM = PlannedItem(document="d", segment=4, shown=(Shown(system="a"),), kind="repeat")
PAIR = PlannedItem(document="d", segment=4, shown=(Shown(system="a"), Shown(system="b")))
TEXT, SOURCE = "Häuser 🏠 an", "houses"


def check(response: Any, protocol: str, taxonomy: tuple[str, ...] = ()) -> None:
    check_response(response, PROTOCOLS[protocol], PAIR if protocol == "ranking" else ITEM, [TEXT] * 2, SOURCE, taxonomy)


GOOD: list[tuple[str, dict[str, Any]]] = [
    ("da", {"values": {"da100": 73}, "seconds": 12.5}),
    ("adequacy-fluency", {"values": {"adequacy": 5, "fluency": 1}}),
    ("ranking", {"ranks": [1, 1]}),
    ("esa", {"values": {"esa": 40.5}, "spans": [[7, 8, "major", "", "output"], [0, 6, "minor", "", "source"]]}),
    ("mqm", {"spans": [[0, 11, "major", "Style", "output"], [0, 0, "minor", "Other", "none"]]}),
    ("post-edit", {"text": "Häuser"}),
]


@pytest.mark.parametrize(("protocol", "response"), GOOD)
def test_taken(protocol: str, response: dict[str, Any]) -> None:
    check(response, protocol)


def test_judgements() -> None:
    said = dict(GOOD)

    def made(protocol: str) -> list[tuple[str, str, float]]:
        item = PAIR if protocol == "ranking" else ITEM
        found = judgements_of(said[protocol], PROTOCOLS[protocol], item, "eva", 3, 9.0, "The cat sat on mat .")
        return [(one.system, one.scale, one.value) for one in found]

    assert made("da") == [("a", "da100", 73)]
    assert made("adequacy-fluency") == [("a", "adequacy", 5), ("a", "fluency", 1)]
    assert made("ranking") == [("a", "rank", 1), ("b", "rank", 1)]
    assert made("mqm") == [("a", "mqm", 6)]  # a major error 5, a minor one 1
    assert made("post-edit") == [("a", "hter", 600)]  # six words gave way to one
    assert hter("The cat sat on mat .", "The cat sat on the mat .") == 100 * (1 / 7)  # one word of seven was added
    assert [hter("a b", "a b"), hter("", ""), hter("a", " ")] == [0, 0, 100]
    [one] = judgements_of(said["esa"], PROTOCOLS["esa"], ITEM, "eva", 3, 9.0)
    assert (one.kind, one.task, one.segment, one.start, one.duration) == ("repeat", "3", 4, 9.0, 0.0)
    assert one.spans[0] == Span(start=7, end=8, severity="major", category="", side="output")


@pytest.mark.parametrize(
    ("protocol", "response", "said"),
    [
        ("da", [], "a response is an object, got list"),
        ("da", {}, "no values; a response to da has values"),
        ("da", {"values": {"da100": 1}, "text": ""}, "unknown key 'text'; a response to da has values"),
        ("da", {"values": {"esa": 1}}, "values must have a number for da100"),
        ("da", {"values": {"da100": 101}}, "da100 = 101; must lie between 0 and 100"),
        ("da", {"values": {"da100": float("nan")}}, "da100 = nan; must lie between 0 and 100"),
        ("da", {"values": {"da100": True}}, "da100 = True; must lie between 0 and 100"),
        ("da", {"values": {"da100": 1}, "seconds": -1}, "seconds = -1; must lie between 0 and 86400"),
        ("adequacy-fluency", {"values": {"adequacy": 2.5, "fluency": 1}}, "adequacy = 2.5; must be a whole number"),
        ("ranking", {"ranks": [1]}, r"ranks must be 2 places from 1 to 2, got \[1\]"),
        ("ranking", {"ranks": [1, 3]}, r"ranks must be 2 places from 1 to 2, got \[1, 3\]"),
        ("mqm", {"spans": [[0, 12, "major", "", "output"]]}, r"span \[0, 12\) does not lie within the 11 characters"),
        ("mqm", {"spans": [[2, 2, "major", "", "output"]]}, r"span \[2, 2\) does not lie within"),
        ("mqm", {"spans": [[0, 1, "awful", "", "output"]]}, "unknown severity 'awful'; known: minor, major, critical"),
        ("mqm", {"spans": [[0, 1, "major", "", "left"]]}, "unknown side 'left'; known: output, source, none"),
        ("mqm", {"spans": [[0, 1, "major", "x" * 999, "output"]]}, "a category is a text of at most 200 characters"),
        ("mqm", {"spans": [[0, 1]] * 201}, "spans must be a list of at most 200"),
        ("mqm", {"spans": [[0, 1]]}, r"a span is \[start, end, severity, category, side\], got \[0, 1\]"),
        ("post-edit", {"text": "a\ud800"}, "text has half a character"),
        ("esa", {"values": {"esa": 1}, "spans": [[0, 1, "minor", "\udfff", "output"]]}, "half a character"),
        ("post-edit", {"text": 1}, "text must be a text of at most 100000 characters"),
    ],
)
def test_refused(protocol: str, response: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check(response, protocol)


def test_a_category_of_no_taxonomy() -> None:
    with pytest.raises(InputError, match="unknown category 'Typo'; known: Style, Accuracy"):
        check({"spans": [[0, 1, "major", "Typo", "output"]]}, "mqm", ("Style", "Accuracy"))
