"""Two evaluations of one test set: what is said to have got better or worse, and where."""

import dataclasses
import json

import pytest
from tests.report.made_systems import evaluated, inflected, references, replaced

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.report.history import Scored, history_page
from tertium.report.over_time import OverTime, change_table, notes, over_time_page, segment_part, verdict_of

LINES = references(120)
GOOD, MIDDLING, BAD = replaced(LINES, 0.05, 1), replaced(LINES, 0.2, 2), replaced(LINES, 0.4, 3)
METRICS = ["bleu", "chrf", "ter"]


def over(before: dict[str, list[str]], after: dict[str, list[str]], metrics: list[str] = METRICS) -> OverTime:
    one, other = (evaluated(systems, LINES, metrics) for systems in (before, after))
    return OverTime(earlier=one, later=other, names=("monday", "tuesday"), trials=400)


def test_what_got_better_and_what_broke() -> None:
    found = over({"up": BAD, "down": GOOD, "same": MIDDLING, "old": BAD}, {"up": GOOD, "down": BAD, "same": MIDDLING})
    assert verdict_of(found) == (
        "down is significantly worse by all 3 metrics; up is significantly better by all 3 metrics; same is the same "
        "as before, output by output."
    )
    assert notes(found) == ["Only in monday: old."]


def test_what_may_be_chance_is_not_called_a_change() -> None:
    again = replaced(LINES, 0.2, 4)  # other words, as many of them
    found = over({"a": MIDDLING, "b": GOOD}, {"a": again, "b": replaced(LINES, 0.05, 5)})
    assert verdict_of(found) == "No metric finds a significant change of a and b."


def test_metrics_that_disagree_are_both_named() -> None:
    # Endings cost whole words, and few characters; other words cost both.
    found = over({"a": inflected(LINES, 0.6, 6)}, {"a": replaced(LINES, 0.3, 7)}, ["bleu", "chrf"])
    assert verdict_of(found) == "a is significantly better by BLEU and significantly worse by chrF."


def test_differences_are_those_of_compare_and_corrected_over_systems() -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    slightly = [line if k % 12 else new for k, (line, new) in enumerate(zip(MIDDLING, GOOD, strict=True))]
    before, after = {"a": BAD, "b": MIDDLING, "c": GOOD}, {"a": GOOD, "b": slightly, "c": MIDDLING}
    found = over(before, after, ["bleu"])
    expected = []
    for name in before:
        both = evaluated({"x": before[name], "y": after[name]}, LINES, ["bleu"])
        expected += tt.compare(both, "bleu", baseline="x", trials=400)
    items = [change.item for change in found.changes]
    for item, own in zip(items, expected, strict=True):
        assert item is not None
        assert (item.difference, item.interval, item.p, item.n) == (own.difference, own.interval, own.p, 120)
    adjusted = multipletests([own.p for own in expected], method="holm")[1]
    assert [item.adjusted for item in items if item is not None] == pytest.approx(list(adjusted), rel=1e-12)
    rows = change_table(found).values()
    assert [row[:3] for row in rows] == [["a", "BLEU", "better"], ["b", "BLEU", rows[1][2]], ["c", "BLEU", "worse"]]
    assert [row[5] for row in rows] == [own.difference for own in expected]


def test_the_largest_losses_and_gains_come_first() -> None:
    after = list(MIDDLING)
    after[7], after[11], after[30] = "", LINES[11], "zuzuzu"
    found = over({"a": MIDDLING}, {"a": after}, ["chrf"])
    part = segment_part(found, "a")
    assert part.finding == "2 segments lost chrF, 1 gained."
    lost, gained = part.tables
    changes = [row[5] for row in lost.values()]
    assert changes == sorted(changes)
    assert {row[0] for row in lost.values()} == {"8", "31"}
    assert [row[:3] for row in gained.values()] == [["12", MIDDLING[11], LINES[11]]]


def test_lower_is_better_for_ter() -> None:
    after = list(MIDDLING)
    after[7] = "zuzuzu"
    lost = segment_part(over({"a": MIDDLING}, {"a": after}, ["ter"]), "a").tables
    assert len(lost) == 1
    assert lost[0].title == "a: segments that lost most TER"
    [row] = lost[0].values()
    assert row[0] == "8"
    assert isinstance(row[5], float)
    assert row[5] > 0


def test_runs_are_compared_as_one_system() -> None:
    found = over({"a@1": BAD, "a@2": MIDDLING}, {"a@1": GOOD, "a@2": replaced(LINES, 0.05, 9)}, ["bleu"])
    [change] = found.changes
    assert change.item is not None
    assert (change.system, change.item.test) == ("a", "bootstrap")


def test_what_cannot_be_compared_is_refused() -> None:
    one = evaluated({"a": GOOD}, LINES, ["bleu"])
    cases = {
        "are of different test sets": evaluated({"a": GOOD}, MIDDLING, ["bleu"]),
        "have no system in common: a; and b; give the system the same name in both": evaluated(
            {"b": GOOD}, LINES, ["bleu"]
        ),
        "have no metric in common": evaluated({"a": GOOD}, LINES, ["chrf"]),
    }
    for sentence, other in cases.items():
        with pytest.raises((InputError, OptionError), match=sentence):
            OverTime(earlier=one, later=other, names=("monday", "tuesday"))


def test_metrics_that_were_counted_otherwise_are_left_out() -> None:
    one, other = (evaluated({"a": lines}, LINES, ["bleu", "chrf"]) for lines in (GOOD, BAD))
    other = dataclasses.replace(other, signatures={**other.signatures, "bleu": f"tok:other|{other.signatures['bleu']}"})
    found = OverTime(earlier=one, later=other, names=("monday", "tuesday"), trials=200)
    assert [str(metric) for metric in found.metrics] == ["chrf"]
    assert notes(found) == ["Left out, because it was counted otherwise (another model, tokenizer or option): bleu."]


def test_hostile_names_are_only_texts_on_the_page() -> None:
    name = "</script><b>{0}"
    found = over({name: GOOD}, {name: BAD}, ["bleu"])
    text = over_time_page(dataclasses.replace(found, names=("<i>1", "<i>2"))).html()
    assert "<b>{0}" not in text
    assert "<i>" not in text
    assert "&lt;/script&gt;&lt;b&gt;{0} is significantly worse by BLEU." in text


def test_the_axis_of_a_history_has_no_name_twice() -> None:
    def ticks(*times: str) -> list[str]:
        items = [Scored("one", time, {"bleu": {"a": 30.0}}, {"bleu": "BLEU"}) for time in times]
        [spec] = history_page("town", items).sections[0].charts[0].specifications().values()
        [axis] = {json.dumps(layer["encoding"]["x"]["axis"]["values"]) for layer in spec["layer"]}
        return json.loads(axis)  # type: ignore[no-any-return]

    assert ticks("2026-01-01T04:18:05Z", "2026-01-01T04:18:50Z") == ["2026-01-01T04:18:05+00:00"]  # of the same minute
    assert len(ticks("2026-01-01T04:18:05Z", "2026-01-01T04:19:05Z")) == 2
    days = ["2026-01-01T00:00:00+00:00", "2026-01-09T00:00:00+00:00"]
    assert ticks("2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z") == days
    assert len(ticks(*(f"2026-01-{day:02}T00:00:00Z" for day in range(1, 32)))) == 4


def test_the_history_has_a_panel_for_each_metric_and_a_row_for_each_system() -> None:
    items = [
        Scored("one", "2026-01-01T00:00:00Z", {"bleu": {"a": 30.0, "b": None}}, {"bleu": "BLEU"}),
        Scored(
            "two", "2026-01-09T00:00:00Z", {"bleu": {"a": 31.5}, "chrf": {"a": 60.0}}, {"bleu": "BLEU", "chrf": "chrF"}
        ),
    ]
    [section] = history_page("town", items).sections
    assert section.tables[0].values() == [
        ["2026-01-09 00:00", "two", "a", 31.5, 60.0],
        ["2026-01-01 00:00", "one", "a", 30.0, None],
        ["2026-01-01 00:00", "one", "b", None, None],
    ]
    specs = section.charts[0].specifications()
    assert list(specs) == ["BLEU", "chrF"]
    assert [(row["system"], row["score"], row["date"]) for row in specs["BLEU"]["datasets"]["rows"]] == [
        ("a", 30.0, 1_767_225_600_000),
        ("a", 31.5, 1_767_916_800_000),
    ]
