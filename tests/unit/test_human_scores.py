"""Standard scores and means of judgements against plain loops, and people as a metric among metrics."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import human as naive

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import Judgement
from tertium.engines import door
from tertium.engines.evaluate import add_metrics
from tertium.human.judgement_arrays import KINDS, judgement_arrays_of
from tertium.human.metric import STANDARDISE
from tertium.human.scores import human_scores
from tertium.human.standardise import POLICIES, ZEROS, Policy, standardise
from tertium.metrics import parse

EXAMPLE = Path(__file__).parents[2] / "examples" / "testset.toml"

judgement = st.builds(
    Judgement,
    system=st.sampled_from(["a", "b", "c"]),
    segment=st.integers(0, 4),
    rater=st.sampled_from(["r", "s", "t"]),
    scale=st.just("da100"),
    value=st.integers(0, 100).map(float) | st.just(50.0),
    kind=st.sampled_from(KINDS),
)
campaign = st.lists(judgement, min_size=1, max_size=40)
kinds = st.lists(st.sampled_from(KINDS), min_size=1, unique=True).map(tuple)


@given(campaign, kinds, kinds, st.sampled_from(ZEROS))
@settings(max_examples=200, deadline=None)
def test_scores_are_those_of_plain_loops(
    judgements: list[Judgement], over: tuple[str, ...], scored: tuple[str, ...], zero: str
) -> None:
    policy = Policy(over=over, scored=scored, zero=zero)  # type: ignore[arg-type]
    found = human_scores(judgement_arrays_of(judgements), policy, segments=5)
    z = naive.standard_scores(judgements, over, zero)
    kept = [value is not None or zero != "drop" for value in z]
    raw = [item.value if keep else None for item, keep in zip(judgements, kept, strict=True)]
    for table, values in ((found.raw, raw), (found.z, z)):
        expected = naive.segment_means(judgements, values, scored)
        systems = naive.system_means(expected)
        for k, system in enumerate(found.systems):
            cells = [expected.get((system, segment), math.nan) for segment in range(5)]
            assert table[k] == pytest.approx(cells, abs=1e-9, nan_ok=True)
            assert found.means(table)[k] == pytest.approx(systems.get(system, math.nan), abs=1e-9, nan_ok=True)


def of(*values: float, rater: str = "r", **more: object) -> list[Judgement]:
    facts = {"system": "a", "rater": rater, "scale": "da100", **more}
    return [Judgement(segment=k, value=value, **facts) for k, value in enumerate(values)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("zero", "z", "raw"),
    [
        ("z0", [0.0, 0.0], [50.0, 60.0]),
        ("sd1", [0.0, 0.0], [50.0, 60.0]),
        ("raw-only", [-(0.5**0.5), 0.5**0.5], [50.0, 60.0]),
        ("drop", [-(0.5**0.5), 0.5**0.5], [40.0, 60.0]),
    ],
)
def test_raters_of_no_variance(zero: str, z: list[float], raw: list[float]) -> None:
    """r says 60 twice, s says 40 and 60: z of s are -.707 and .707."""
    judgements = [*of(60, 60), *of(40, 60, rater="s")]
    found = human_scores(judgement_arrays_of(judgements), zero)
    if zero in ("z0", "sd1"):
        z = [(0 - 0.5**0.5) / 2, (0 + 0.5**0.5) / 2]
    assert found.z[0] == pytest.approx(z)
    assert found.raw[0] == pytest.approx(raw)


def test_sd1_is_not_z0_where_control_items_differ() -> None:
    """Of one output, standardised over one other item, sd1 keeps the distance from the mean."""
    judgements = [*of(60.0, kind="genuine"), *of(50.0, kind="degraded")]
    over_control = {zero: Policy(over=("degraded",), zero=zero) for zero in ("z0", "sd1")}
    assert human_scores(judgement_arrays_of(judgements), over_control["z0"]).z[0, 0] == 0
    assert human_scores(judgement_arrays_of(judgements), over_control["sd1"]).z[0, 0] == 10


def test_standardised_per_label() -> None:
    judgements = of(10, 20, 80, 100)
    apart = standardise(judgement_arrays_of(judgements), "z0", ["de", "de", "cs", "cs"])
    assert apart.z == pytest.approx([-(0.5**0.5), 0.5**0.5] * 2)
    assert apart.mean.tolist() == [15, 90]
    assert standardise(judgement_arrays_of(judgements)).mean.tolist() == [52.5]
    with pytest.raises(OptionError, match="2 labels to standardise by; segments go up to 4"):
        standardise(judgement_arrays_of(judgements), "z0", ["de", "de"])


def test_mean_and_sd_are_rounded_where_a_program_printed_them() -> None:
    answers = judgement_arrays_of(of(1, 2, 4))
    assert standardise(answers, Policy(digits=3)).mean.tolist() == [2.33]
    assert standardise(answers, Policy(digits=3)).sd.tolist() == [1.53]
    assert standardise(answers, Policy(digits=3)).z[0] == (1 - 2.33) / 1.53


def test_constant_raters_of_awkward_numbers_have_no_variance() -> None:
    """The mean of equal numbers need not be that number: 0.1 ten times."""
    found = standardise(judgement_arrays_of(of(*[0.1] * 10)), "z0")
    assert found.sd.tolist() == [0.0]
    assert found.z.tolist() == [0.0] * 10


def test_refused() -> None:
    with pytest.raises(OptionError, match='zero="z1" is unknown; choose from z0, raw-only, drop, sd1'):
        Policy(zero="z1")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match='over="bad" is unknown; choose from genuine'):
        Policy(over=("bad",))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="scored names no kind of judgement"):
        Policy(scored=())
    with pytest.raises(InputError, match="there are no judgements"):
        judgement_arrays_of([])
    with pytest.raises(OptionError, match="judgements are on 2 scales; say which one: da100, adequacy"):
        judgement_arrays_of([*of(1), *of(1, scale="adequacy")])
    with pytest.raises(OptionError, match="no judgements on the scale fluency; there are: da100"):
        judgement_arrays_of(of(1), "fluency")
    with pytest.raises(InputError, match=r"judgement 2 on the scale da100: expected a finite value.* got nan, 1"):
        judgement_arrays_of(of(1, math.nan))
    with pytest.raises(InputError, match="got 1, -1 and 'genuine'"):
        judgement_arrays_of([Judgement(system="a", segment=-1, rater="r", scale="da100", value=1)])
    with pytest.raises(OptionError, match="scale 'stars' is unknown; choose from adequacy"):
        judgement_arrays_of(of(1, scale="stars"))
    with pytest.raises(InputError, match="segment 3 was judged, but the test set has 2 segments"):
        human_scores(judgement_arrays_of(of(1, 2, 3)), segments=2)


# As a metric


def test_every_word_of_the_metric_is_a_policy() -> None:
    assert set(STANDARDISE) == {"auto", "none", *POLICIES}


def test_judge_adds_rows() -> None:
    given_ = tt.read_testset(EXAMPLE)
    evaluation = tt.evaluate(given_.testset, given_.systems, "bleu", judgements=given_.judgements)
    raw = 'human(standardise="none")'
    judged = add_metrics(evaluation, raw, 'human(scale="adequacy", standardise="z0")')
    assert [str(metric) for metric in judged.metrics] == [
        "bleu",
        raw,
        'human(scale="adequacy", standardise="z0")',
    ]
    values = {(s.system, s.segment): s.value for s in judged.scores("segment") if s.metric == raw}
    mine = [j.value for j in given_.judgements if (j.system, j.segment, j.scale) == ("brook", 6, "da100")]
    assert values["brook", "7"] == pytest.approx(np.mean(mine))
    corpus = {s.system: s for s in judged.scores() if s.metric == raw}
    assert corpus["brook"].value == pytest.approx(np.mean([v for (name, _), v in values.items() if name == "brook"]))
    assert corpus["brook"].n == 96
    assert "scores:raw|raters:4|judgements:807" in corpus["brook"].signature


def test_segments_that_nobody_judged_are_not_scored() -> None:
    given_ = tt.read_testset(EXAMPLE)
    some = tuple(j for j in given_.judgements if j.segment > 1 and j.system != "delta")
    judged = add_metrics(replace(given_, judgements=some), "human")
    scores = {(s.system, s.segment): s for s in judged.scores("segment")}
    assert math.isnan(scores["atlas", "1"].value)
    assert math.isnan(scores["delta", "5"].value)
    assert not math.isnan(scores["atlas", "3"].value)
    assert "human: nobody judged delta" in judged.warnings
    assert {s.system: s.n for s in judged.scores()} == {"atlas": 94, "brook": 94, "cinder": 94, "delta": 0}
    assert math.isnan(judged.scores()[3].value)


def test_rows_are_saved_and_loaded(tmp_path: Path) -> None:
    judged = add_metrics(tt.read_testset(EXAMPLE), "human")
    tt.save(judged, tmp_path / "evaluation.zip")
    assert [s.value for s in tt.load(tmp_path / "evaluation.zip").scores()] == [s.value for s in judged.scores()]


def test_direction_and_range_follow_the_scale() -> None:
    assert (parse("human").better, parse("human").range) == ("higher", (-math.inf, math.inf))
    assert parse('human(standardise="none")').range == (0, 100)
    assert parse('human(scale="adequacy")').range == (1, 5)
    assert (parse('human(scale="mqm")').better, parse('human(scale="mqm")').range) == ("lower", (0, math.inf))
    assert parse('human(standardise="z0")').range == (-math.inf, math.inf)
    assert type(parse("human")).better == "higher"
    text = 'human(scale="adequacy", standardise="drop")'
    assert str(parse(text)) == text


def test_mistakes_with_the_metric() -> None:
    given_ = tt.read_testset(EXAMPLE)
    with pytest.raises(
        OptionError, match=r"^human: its rows are given, not counted; it cannot score texts that are new$"
    ):
        door.prepare(parse("human"), given_.testset)
    with pytest.raises(InputError, match="human needs judgements, and test set town-notes has none"):
        add_metrics(replace(given_, judgements=()), "human")
    with pytest.raises(
        OptionError, match=r'nobody judged test set town-notes on the scale sqm; .*human\(scale="fluency"\)'
    ):
        add_metrics(given_, 'human(scale="sqm")')
    with pytest.raises(OptionError, match='human: standardise="z" is unknown; choose from auto, none, z0'):
        parse('human(standardise="z")')
