"""The law of marks: whatever a metric shows, it shows for every segment, inside its texts, and always the same."""

import dataclasses
import json
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tertium as tt
from tertium.core.errors import SegmentError
from tertium.core.judgement import Span
from tertium.core.marks import EXACT, Link, Marks, MatchedPart
from tertium.core.metric import Metric, Prepared
from tertium.engines import door

from .texts import CORPORA, make_testset
from .variants import CLASSES, metrics

NAMES = [name for name, cls in CLASSES.items() if door.gives_marks(cls())]
every_metric = pytest.mark.parametrize("name", NAMES)
Corpus = list[tuple[str | None, list[str | None]]]


def marks_of(metric: Metric, corpus: Corpus, run: tt.Run | None = None) -> list[Marks]:
    """Checked by the door: one for each segment, inside their texts."""
    prepared = door.prepare(metric, make_testset([references for _, references in corpus]))
    return list(door.marks(metric, tt.Lines.of([output for output, _ in corpus]), prepared, run or tt.Run()))


def overlap(places: Sequence[tuple[int, int]]) -> bool:
    ordered = sorted(places)
    return any(start < end for (_, end), (start, _) in pairwise(ordered))


def test_there_are_some() -> None:
    assert "meteor" in NAMES


@every_metric
@settings(max_examples=60)
@given(data=st.data(), corpus=CORPORA)
def test_marks_of_any_text(name: str, data: st.DataObject, corpus: Corpus) -> None:
    """Ours link one to one, and as exact only what is the same; where a side is missing there is nothing to show."""
    metric = data.draw(metrics(name))
    for marks, (output, references) in zip(marks_of(metric, corpus), corpus, strict=True):
        known = [text for text in references if text is not None]
        if output is None or not known:
            assert marks == Marks()
            continue
        for side in ("output", "reference"):
            assert not overlap([getattr(link, side) for link in marks.links])
        for kind, said, wanted in marks.links:
            texts = marks.read["output"][slice(*said)], marks.read["reference"][slice(*wanted)]
            assert all(texts)
            assert (texts[0] == texts[1]) or kind != EXACT
        assert pickle.loads(pickle.dumps(marks)) == marks
        plain = json.loads(json.dumps(dataclasses.asdict(marks)))
        assert [Link(kind, tuple(said), tuple(wanted)) for kind, said, wanted in plain["links"]] == list(marks.links)


@every_metric
@settings(max_examples=15)
@given(data=st.data(), corpus=CORPORA)
def test_marks_do_not_depend_on_others(name: str, data: st.DataObject, corpus: Corpus) -> None:
    """Not on threads, not on other segments, not on their order."""
    metric = data.draw(metrics(name))
    alone = marks_of(metric, corpus, tt.Run(threads=1))
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda _: marks_of(metric, corpus, tt.Run(threads=4)), range(3))) == [alone] * 3
    prepared = door.prepare(metric, make_testset([references for _, references in corpus]))
    for numbers in ([k] for k in range(len(corpus))):
        taken = prepared.take(np.array(numbers))
        outputs = tt.Lines.of([corpus[k][0] for k in numbers])
        assert list(door.marks(metric, outputs, taken)) == [alone[k] for k in numbers]


# What the door refuses


class Shown:
    """Shows whatever it was made with."""

    name, title, better, range = "shown", "shown", "higher", (0.0, 1.0)
    needs, resampling, decimals = frozenset[str](), "percentile", 1

    def __init__(self, *shown: Marks) -> None:
        self.shown = shown

    def __str__(self) -> str:
        return "shown"

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        return Prepared(references=testset.references)

    def marks(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tuple[Marks, ...]:  # noqa: ARG002
        return self.shown


def told(*shown: Marks, outputs: Sequence[str | None] = ("one",), references: Any = (["two", None, "three"],)) -> str:
    metric: Any = Shown(*shown)
    prepared = door.prepare(metric, make_testset(references))
    with pytest.raises(SegmentError) as refused:
        list(door.marks(metric, tt.Lines.of(outputs), prepared, system="atlas", first=6))
    return str(refused.value)


def test_hits_lie_inside_the_output() -> None:
    for hits in ([(0, 4)], [(0, 1), (2, 5)], [(2, 1)], [(-1, 2)], [(9, 1)]):
        marks = Marks(hits=tuple(MatchedPart("2-gram", start, end) for start, end in hits))
        assert told(marks).startswith("atlas, segment 7: shown: marks characters ")


def span(start: int, end: int, side: Any = "output") -> Marks:
    return Marks(spans=(Span(start=start, end=end, severity="major", side=side),))


def test_marks_lie_inside_their_texts() -> None:
    assert told(span(1, 4)) == (
        "atlas, segment 7: shown: marks characters 1 to 4 of the output, which has 3; a mark lies inside its text and "
        "does not end before it starts"
    )
    assert "marks characters -1 to 2 of the output" in told(span(-1, 2))
    assert "marks characters 2 to 1 of the output" in told(span(2, 1))
    assert "marks characters 0 to 9 of the source, which has 8" in told(span(0, 9, "source"))
    linked = Marks(links=(Link("exact", (0, 3), (0, 6)),), reference=1)
    assert "marks characters 0 to 6 of the reference, which has 5" in told(linked)
    assert "marks characters 0 to 3 of the output, which has 2" in told(
        dataclasses.replace(linked, read={"output": "on"})
    )
    assert told(Marks(), Marks(), span(0, 1), outputs=["a", "b", None], references=[["x"]] * 3) == (
        "atlas, segment 9: shown: marks the output, but there is none"
    )


def test_marks_say_which_reference() -> None:
    assert told(Marks(reference=2)) == (
        "atlas, segment 7: shown: marks are about reference 2, counted from 0, but the segment has 2"
    )
    unsaid = "shown: marks the reference, but there is none, or `reference` does not say which, counted from 0"
    assert told(Marks(links=(Link("exact", (0, 1), (0, 1)),))) == f"atlas, segment 7: {unsaid}"
    assert told(span(0, 1, "reference")) == f"atlas, segment 7: {unsaid}"


@pytest.mark.parametrize(("given", "where"), [(1, 8), (3, 9)])
def test_marks_are_one_for_each_output(given: int, where: int) -> None:
    text = told(*[Marks()] * given, outputs=["a"] * 2, references=[["x"]] * 2)
    items = "1 item" if given == 1 else f"{given} items"
    assert text == (
        f"atlas, segment {where}: shown: {items} of marks for 2 outputs; there must be one for each, Marks() "
        f"where there is nothing to show"
    )


def test_words_become_characters() -> None:
    """By hand: `the cat` stands for `the cat`, neighbours and the same; `sat` for `sits` does not join them."""
    links = [("exact", (0, 1), (1, 2)), ("exact", (1, 2), (2, 3)), ("stem", (2, 3), (3, 4)), ("stem", (3, 4), (4, 5))]
    found = Marks.of_words("the cat sat down".split(), "so the cat sits downs".split(), links, 1)
    assert found == Marks(
        links=(
            Link("exact", (0, 7), (3, 10)),
            Link("stem", (8, 11), (11, 15)),
            Link("stem", (12, 16), (16, 21)),
        ),
        reference=1,
        read={"output": "the cat sat down", "reference": "so the cat sits downs"},
    )
