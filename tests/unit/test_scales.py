"""Scales are data, and marked errors have weights."""

import pytest

from tertium.core.errors import InputError
from tertium.core.judgement import MQM_WEIGHTS, SCALES, Span, mqm_penalty


def errors(*sorts: tuple[str, str]) -> list[Span]:
    return [Span(start=0, end=1, severity=severity, category=category) for severity, category in sorts]


def test_scales_are_named_by_their_names_and_labelled_inside_their_range() -> None:
    for name, scale in SCALES.items():
        assert scale.name == name
        assert scale.low < scale.high
        assert all(scale.low <= value <= scale.high for value in scale.labels)


def test_every_point_of_a_short_scale_has_a_label() -> None:
    for name, points in (("adequacy", 5), ("fluency", 5), ("sqm", 7)):
        scale = SCALES[name]
        assert list(scale.labels) == list(range(int(scale.low), int(scale.high) + 1))
        assert len(set(scale.labels.values())) == points


def test_lower_is_better_where_errors_or_places_are_counted() -> None:
    assert {name for name, scale in SCALES.items() if scale.better == "lower"} == {
        "rank", "mqm", "hter", "catastrophic"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spans", "penalty"),
    [
        ([], 0),
        (errors(("major", "Accuracy/Mistranslation")), 5),
        (errors(("Minor", "Style/Awkward")), 1),
        (errors(("minor", "Fluency/Punctuation")), 0.1),
        (errors(("minor", "Linguistic conventions/Punctuation")), 0.1),
        (errors(("major", "Fluency/Punctuation")), 5),
        (errors(("Major", "Non-translation!")), 25),
        (errors(("neutral", "Accuracy/Mistranslation")), 0),
        (errors(("critical", "")), 25),
        (errors(*[("minor", "Fluency/Punctuation")] * 3, ("major", "Other")), 5.3),  # not 5.300000000000001
    ],
)
def test_penalties(spans: list[Span], penalty: float) -> None:
    assert mqm_penalty(spans) == penalty


def test_other_weights() -> None:
    assert mqm_penalty(errors(("major", ""), ("minor", "")), MQM_WEIGHTS | {"major": 10}) == 11


def test_unknown_severity() -> None:
    with pytest.raises(InputError, match=r"^unknown severity 'undecided'; known: non-translation, critical, major, "):
        mqm_penalty(errors(("undecided", "")))
