"""The plan: every output as often as it should be, documents whole and in order, control items away from theirs."""

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import InputError
from tertium.human.campaign.plan import CampaignPlan, PlannedBatch, plan, write_plan
from tertium.human.campaign.spec import Batches, Campaign, Control, problems

from .made import campaign

CONTROLS = Control(degraded=0.1, repeat=0.1, reference=0.1, distance=5)


def judged(made: CampaignPlan) -> Counter[tuple[str, int]]:
    """How often each output is shown as what it is."""
    return Counter(
        (one.system, item.segment)
        for batch in made.batches
        for item in batch.items
        if item.kind == "genuine"
        for one in item.shown
    )


@st.composite
def campaigns(draw: st.DrawFn) -> Campaign:
    systems = draw(st.integers(1, 5))
    redundancy = draw(st.integers(1, 3))
    overlap = draw(st.sampled_from([0.0, 0.3, 1.0]))
    pool = draw(st.booleans())
    return campaign(
        draw(st.lists(st.integers(1, 12), min_size=1, max_size=15)),
        systems,
        draw(st.integers(redundancy + 1, 7)),
        seed=draw(st.integers(0, 9)),
        batches=Batches(
            size=draw(st.integers(20, 60)),
            redundancy=redundancy,
            overlap=overlap,
            assignment="pool" if pool else "static",
        ),
        control=draw(st.sampled_from([Control(), CONTROLS])),
    )


@given(campaigns())
def test_every_output_exactly_as_often_as_wanted(spec: Campaign) -> None:
    assert problems(spec) == []
    counts = judged(plan(spec))
    documents = spec.documents
    more = 0
    for segments in documents.values():
        times = {counts[name, k] for name in spec.systems for k in segments}
        assert len(times) == 1, "all outputs of a document are judged equally often"
        [time] = times
        assert time - spec.batches.redundancy in (0, 1)
        more += time - spec.batches.redundancy
    assert more == round(spec.batches.overlap * len(documents))
    assert sum(counts.values()) == len(spec.systems) * sum(
        counts[spec.systems[0], k] for segments in documents.values() for k in segments
    )


@given(campaigns())
def test_documents_are_whole_and_in_order(spec: Campaign) -> None:
    for batch in plan(spec).batches:
        genuine = [item for item in batch.items if item.kind == "genuine"]
        assert len(genuine) <= spec.batches.size
        for (document, _), group in groupby(genuine, key=lambda item: (item.document, item.shown)):
            segments = [item.segment for item in group]
            whole = spec.documents[document]
            assert segments == whole * (len(segments) // len(whole))


@given(campaigns())
def test_nobody_judges_an_output_twice(spec: Campaign) -> None:
    by_rater: dict[str, list[PlannedBatch]] = {}
    for batch in plan(spec).batches:
        by_rater.setdefault(batch.rater or f"batch {batch.number}", []).append(batch)
    for batches in by_rater.values():
        assert max(judged(CampaignPlan(tuple(batches))).values()) == 1


@given(campaigns())
def test_control_items_are_away_from_their_document(spec: Campaign) -> None:
    for batch in plan(spec).batches:
        assert len(batch.items) <= spec.batches.size
        for place, item in enumerate(batch.items):
            if item.kind == "genuine":
                continue
            own = [
                k for k, other in enumerate(batch.items) if other.kind == "genuine" and other.document == item.document
            ]
            assert own, "it is of a document of the same batch, so that the two can be compared"
            assert min(abs(place - k) for k in own) > spec.control.distance


def test_systems_are_balanced_as_in_a_latin_square() -> None:
    spec = campaign([8] * 12, systems=4, raters=4)
    counts = Counter(
        (batch.rater, one.system) for batch in plan(spec).batches for item in batch.items for one in item.shown
    )
    assert set(counts.values()) == {8 * 12 // 4}
    seen = Counter((batch.rater, item.document) for batch in plan(spec).batches for item in batch.items)
    assert set(seen.values()) == {8}, "nobody sees a document of two systems"


def test_control_items_are_what_they_say() -> None:
    spec = campaign([6] * 8, control=CONTROLS, batches=Batches(size=40))
    made = plan(spec)
    assert made.notes == ()
    for batch in made.batches:
        genuine = {(one.system, item.segment) for item in batch.items if item.kind == "genuine" for one in item.shown}
        for item in batch.items:
            [one] = item.shown
            if item.kind == "reference":
                assert one.text == f"reference {item.segment}"
                continue
            assert (one.system, item.segment) in genuine
            if item.kind == "degraded":
                original = spec.outputs(one.system)[item.segment]
                assert original is not None
                assert one.text is not None
                assert one.damage is not None
                start, end = one.damage
                assert one.text != original
                assert one.text[:start] == original[:start]
                assert original.endswith(one.text[end:])
                assert len(one.text.split()) == len(original.split())
            else:
                assert one.text is None
    shares = {kind: count / made.kinds.total() for kind, count in made.kinds.items() if kind != "genuine"}
    assert all(0.08 <= share <= 0.12 for share in shares.values()), shares


def test_the_same_file_gives_the_same_bytes_and_another_seed_others() -> None:
    one, same, other = (campaign([3, 5, 4, 6], control=CONTROLS, seed=seed) for seed in (1, 1, 2))
    assert write_plan(one, plan(one)) == write_plan(same, plan(same))
    assert write_plan(one, plan(one)) != write_plan(other, plan(other))


def test_outputs_side_by_side() -> None:
    spec = campaign([5, 4, 3, 6], systems=4, raters=4, protocol="ranking", width=2, batches=Batches(redundancy=3))
    made = plan(spec)
    assert set(judged(made).values()) == {3}
    for batch in made.batches:
        for item in batch.items:
            assert len({one.system for one in item.shown}) == 2
    met = {frozenset(one.system for one in item.shown) for batch in made.batches for item in batch.items}
    assert len(met) > 2, "other systems meet in other documents"


def test_a_batch_too_small_for_distance_has_no_control_items_and_says_so() -> None:
    made = plan(campaign([10], systems=1, raters=1, control=CONTROLS))
    assert made.kinds == {"genuine": 10}
    assert made.notes[1] == (
        "batch 1 has fewer repeat items than wanted: for 1 there is no place 5 items away from their document"
    )


def test_a_full_batch_has_no_more_items_than_it_may_and_its_control_items_are_shares_of_it() -> None:
    control = Control(degraded=0.15, repeat=0.05, reference=0.05, distance=3)  # of 30 items: 4.5, 1.5, 1.5
    made = plan(campaign([6] * 16, systems=2, raters=2, batches=Batches(size=30), control=control))
    assert [len(batch.items) for batch in made.batches] == [30] * 8
    for batch in made.batches:
        kinds = Counter(item.kind for item in batch.items)
        assert kinds == {"genuine": 24, "degraded": 4, "repeat": 1, "reference": 1}


def test_a_share_that_is_less_than_one_item_is_told() -> None:
    made = plan(campaign([4] * 6, raters=3, batches=Batches(size=12), control=Control(repeat=0.05, distance=1)))
    assert set(made.kinds) == {"genuine"}
    assert made.notes[0] == "batch 1 has fewer repeat items than wanted: 0.05 of 12 items is less than one"


def test_too_few_raters_for_a_document() -> None:
    spec = campaign([4], raters=1, batches=Batches(redundancy=2))
    with pytest.raises(InputError, match="every rater has judged sys0 there already; more raters are needed"):
        plan(spec)
    assert problems(spec) == ["2 raters are wanted for an output, and there is 1"]
