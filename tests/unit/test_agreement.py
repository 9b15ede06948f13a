"""Coefficients of agreement against other people's programs on generated ratings, and what they do at the edges."""

import dataclasses
import math
import warnings
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from tests.reference.human import gwet

from tertium.core.errors import OptionError
from tertium.core.judgement import Judgement, Span
from tertium.human.agreement import STATISTICS, Agreement, _tables, agreement
from tertium.human.ratings import Ratings, answers, categories, collect, preferences

Matrix = NDArray[np.float64]
NAN = math.nan


@st.composite
def matrices(draw: st.DrawFn, *, missing: bool = True, high: int = 5, raters: int = 5) -> Matrix:
    rows, columns = draw(st.integers(2, raters)), draw(st.integers(2, 12))
    cell = st.integers(1, high).map(float)
    cells = st.one_of(cell, cell, st.just(NAN)) if missing else cell
    drawn = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    return np.array(drawn).reshape(rows, columns)


def value(matrix: object, word: str, scale: str | None = "adequacy", **options: object) -> float:
    [row] = agreement(matrix, scale, statistics=word, **options)  # type: ignore[arg-type]
    assert row.word == word
    return row.value


def same(ours: float, theirs: float, where: object) -> None:
    assert (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) < 1e-10, (ours, theirs, where)


def pair_mean(matrix: Matrix, of: object) -> float:
    """The mean over pairs of raters, weighted by shared items, of what `of` gives; NaN ones left out."""
    found = []
    for a, b in combinations(matrix, 2):
        both = ~np.isnan(a) & ~np.isnan(b)
        if both.any():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append((of(a[both], b[both]), both.sum()))  # type: ignore[operator]
    defined = [(x, n) for x, n in found if not math.isnan(x)]
    return sum(x * n for x, n in defined) / sum(n for _, n in defined) if defined else NAN


@settings(deadline=None, max_examples=60)
@given(matrices(), st.sampled_from([("cohen", None), ("cohen-linear", "linear"), ("cohen-quadratic", "quadratic")]))
def test_cohen_is_scikit_learns(matrix: Matrix, sort: tuple[str, str | None]) -> None:
    def theirs(a: Matrix, b: Matrix) -> float:
        if len({*a, *b}) == 1:
            return NAN  # both gave one answer throughout: 0 / 0
        return float(cohen_kappa_score(a.astype(int), b.astype(int), labels=[1, 2, 3, 4, 5], weights=sort[1]))

    same(value(matrix, sort[0]), pair_mean(matrix, theirs), matrix)


@settings(deadline=None, max_examples=100)
@given(matrices(missing=False, high=3))
def test_fleiss_is_statsmodels(matrix: Matrix) -> None:
    if len(np.unique(matrix)) == 1:
        assert math.isnan(value(matrix, "fleiss"))
        return
    same(value(matrix, "fleiss"), float(fleiss_kappa(aggregate_raters(matrix.T.astype(int))[0])), matrix)


@settings(deadline=None, max_examples=50)
@given(matrices(high=3))
def test_fleiss_with_missing_answers_is_its_definition(matrix: Matrix) -> None:
    items = [column[~np.isnan(column)].tolist() for column in matrix.T]
    items = [item for item in items if len(item) > 1]
    theirs = NAN
    if len({answer for item in items for answer in item}) > 1:
        agreed = np.mean([np.mean([a == b for a, b in combinations(item, 2)]) for item in items])
        chance = sum(np.mean([item.count(k) / len(item) for item in items]) ** 2 for k in (1, 2, 3))
        theirs = float((agreed - chance) / (1 - chance))
    same(value(matrix, "fleiss"), theirs, matrix)


@settings(deadline=None, max_examples=100)
@given(matrices(), st.sampled_from(["nominal", "linear", "quadratic"]))
def test_gwet_is_its_definition(matrix: Matrix, weighting: str) -> None:
    word = "gwet-ac1" if weighting == "nominal" else f"gwet-ac2-{weighting}"
    items = [[int(answer) - 1 for answer in column if not math.isnan(answer)] for column in matrix.T]
    if not any(len(item) > 1 for item in items):
        assert math.isnan(value(matrix, word))
        return
    same(value(matrix, word), gwet(items, 5, weighting), matrix)


@settings(deadline=None, max_examples=100)
@given(matrices(high=4), st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_krippendorffs(matrix: Matrix, level: str) -> None:
    ours = value(matrix, f"alpha-{level}")
    pairable = matrix[:, (~np.isnan(matrix)).sum(axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert math.isnan(ours)
        return
    same(ours, float(krippendorff.alpha(matrix, level_of_measurement=level)), matrix)


@settings(deadline=None, max_examples=100)
@given(matrices(), st.sampled_from(["pearson", "spearman"]))
def test_correlations_are_scipys(matrix: Matrix, word: str) -> None:
    def theirs(a: Matrix, b: Matrix) -> float:
        if len(a) < 2 or len(set(a)) == 1 or len(set(b)) == 1:
            return NAN
        return float((scipy_stats.pearsonr if word == "pearson" else scipy_stats.spearmanr)(a, b).statistic)

    same(value(matrix, word), pair_mean(matrix, theirs), matrix)


@settings(deadline=None, max_examples=50)
@given(matrices())
def test_pi_and_s_are_their_definitions(matrix: Matrix) -> None:
    def pi(a: Matrix, b: Matrix) -> float:
        expected = sum((((a == k).mean() + (b == k).mean()) / 2) ** 2 for k in range(1, 6))
        return NAN if len({*a, *b}) == 1 else float(((a == b).mean() - expected) / (1 - expected))

    same(value(matrix, "scott"), pair_mean(matrix, pi), matrix)
    same(value(matrix, "bennett"), pair_mean(matrix, lambda a, b: ((a == b).mean() - 1 / 5) / (4 / 5)), matrix)
    same(value(matrix, "observed"), pair_mean(matrix, lambda a, b: (a == b).mean()), matrix)


@settings(deadline=None, max_examples=50)
@given(matrices(), st.data())
def test_a_weight_is_so_many_copies_of_an_item(matrix: Matrix, data: st.DataObject) -> None:
    """What the bootstrap rests on: weights of 0, 1, 2, ... give what a table with so many copies of the items gives."""
    ratings = Ratings.of(matrix)
    [table] = _tables(ratings, "adequacy", None, None, 0)
    n = matrix.shape[1]
    every = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    shared = (~np.isnan(matrix)).sum(axis=0) > 1
    copies = Ratings.of(np.repeat(matrix, every.astype(int), axis=1))
    for word, statistic in STATISTICS.items():
        weights = every if word.startswith("gwet") else every[shared]  # single answers count in Gwet's chance
        if statistic.on in ("categories", "values") and every[shared].any():
            drawn = float(statistic.make(table).under(weights[None, :])[0])
            same(drawn, value(copies, word), (word, weights))


def test_order_of_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    matrix = np.where(rng.random((6, 40)) < 0.3, NAN, rng.integers(0, 101, (6, 40)))
    before = agreement(matrix, "da100", confidence=0.9, trials=50)
    monkeypatch.setattr("tertium.human.agreement.ROOM", 7)
    after = agreement(matrix, "da100", confidence=0.9, trials=50)
    for one, other in zip(before, after, strict=True):
        assert one.interval is not None
        assert other.interval is not None
        assert dataclasses.astuple(one.interval) == pytest.approx(dataclasses.astuple(other.interval), abs=1e-12)


# The edges


@pytest.mark.parametrize("word", [word for word, one in STATISTICS.items() if one.on in ("categories", "values")])
@pytest.mark.parametrize(
    "matrix",
    [[[3, 3, 3], [3, 3, 3]], [[1, 2, 3]], [[1, NAN], [NAN, 2]], [[NAN, NAN], [NAN, NAN]]],
    ids=["all equal", "one rater", "nothing shared", "nothing"],
)
def test_undefined_is_nan_and_never_zero(word: str, matrix: list[list[float]]) -> None:
    [row] = agreement(matrix, "adequacy", statistics=word, confidence=0.95, trials=20)
    if matrix[0] == [3, 3, 3] and word in ("observed", "bennett", "gwet-ac1", "gwet-ac2-linear", "gwet-ac2-quadratic"):
        assert row.value == 1
    else:
        assert math.isnan(row.value)
        assert row.interval is None
    assert row.n == (3 if len(matrix[0]) == 3 and len(matrix) == 2 else 0)


def test_equal_fractions_have_no_correlation() -> None:
    assert math.isnan(value([[0.1, 0.1, 0.1], [0.3, 0.7, 0.2]], "pearson", None, bins=2))
    assert math.isnan(value([[0.1] * 3, [0.1] * 3], "alpha-interval", None, bins=2))
    assert value([[1e9, 1e9 + 1, 1e9 + 2], [1, 2, 3]], "pearson", None) == pytest.approx(1, abs=1e-9)


def test_negative_values_have_no_ratios() -> None:
    assert math.isnan(value([[-1, 2, 3], [1, 2, 3]], "alpha-ratio", None))
    assert value([[0, 2, 3], [0, 2, 3]], "alpha-ratio", None) == 1


def test_an_interval_holds_the_value_and_repeats_itself() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 6, 60)
    matrix = np.clip(truth + rng.integers(-1, 2, (4, 60)), 1, 5)
    first, again = (agreement(matrix, "adequacy", confidence=0.95, trials=200) for _ in range(2))
    assert first == again
    for row in first:
        assert row.interval is not None
        assert row.interval.low < row.value < row.interval.high, row
    assert agreement(matrix, "adequacy", confidence=0.95, trials=200, seed=7) != first


def test_random_raters_agree_one_time_in_k() -> None:
    """1/5 on five points, not 1/25; S takes exactly that off."""
    rng = np.random.default_rng(1)
    matrix = rng.integers(1, 6, (2, 200_000))
    assert value(matrix, "observed") == pytest.approx(1 / 5, abs=0.005)
    assert value(matrix, "bennett") == pytest.approx(0, abs=0.005)


# Judgements


def judge(rater: str, system: str, segment: int, value: float, kind: str = "genuine", **more: object) -> Judgement:
    return Judgement(rater=rater, system=system, segment=segment, value=value, kind=kind,
                     **{"scale": "adequacy", **more})  # type: ignore[arg-type]  # fmt: skip


def test_judgements_become_a_matrix() -> None:
    said = [
        judge("x", "s", 0, 2),
        judge("y", "s", 0, 4),
        judge("x", "t", 0, 5),
        judge("x", "s", 0, 3),  # again without being called a repeat: the mean
        judge("y", "s", 1, 1, kind="degraded"),
        judge("y", "s", 1, 1, scale="fluency"),
    ]
    ratings = collect(answers(said, "adequacy"))
    assert (ratings.raters, ratings.judgements) == (("x", "y"), 4)
    np.testing.assert_array_equal(ratings.matrix(), [[2.5, 5], [4, NAN]])
    np.testing.assert_array_equal(ratings.shared().matrix(), [[2.5], [4]])
    np.testing.assert_array_equal(Ratings.of(ratings.matrix()).matrix(), ratings.matrix())


def test_repeats_are_compared_with_what_the_same_rater_said_first() -> None:
    said = [judge("x", "s", k, v) for k, v in enumerate([1, 2, 3, 4])]
    said += [judge("y", "s", k, 5) for k in range(4)]  # others do not matter
    said += [judge("x", "s", k, v, kind="repeat") for k, v in enumerate([1, 2, 4])]
    found = {row.word: row for row in agreement(said, between="repeats")}
    assert (found["observed"].n, found["observed"].raters, found["observed"].pairs) == (3, ("x",), 1)
    assert found["observed"].value == pytest.approx(2 / 3)
    assert found["cohen"].value == pytest.approx((2 / 3 - 2 / 9) / (1 - 2 / 9))
    assert {row.between for row in agreement(said)} == {"raters", "repeats"}
    assert {row.between for row in agreement([one for one in said if one.kind == "genuine"])} == {"raters"}


def test_each_pair_of_raters() -> None:
    matrix = [[1, 2, 3, NAN], [1, 2, 4, 4], [2, 2, 3, 4]]
    rows = agreement(matrix, "adequacy", statistics="cohen,fleiss", each_pair=True)
    assert [(row.word, row.raters, row.n) for row in rows] == [
        ("cohen", ("1", "2", "3"), 4),
        ("fleiss", ("1", "2", "3"), 4),
        ("cohen", ("1", "2"), 3),
        ("cohen", ("1", "3"), 3),
        ("cohen", ("2", "3"), 4),
    ]
    for row in rows[2:]:
        a, b = (np.array(matrix[int(name) - 1]) for name in row.raters)
        both = ~np.isnan(a) & ~np.isnan(b)
        assert row.value == pytest.approx(cohen_kappa_score(a[both], b[both]))


def test_a_segment_is_drawn_with_all_its_items() -> None:
    """Two systems that say the same of every segment are one observation a segment, not two."""
    rng = np.random.default_rng(3)
    one, two = rng.integers(1, 6, 30).tolist(), rng.integers(1, 6, 30).tolist()
    said = [judge(rater, system, k, v) for rater, values in (("x", one), ("y", two))
            for system in ("s", "t") for k, v in enumerate(values)]  # fmt: skip

    def width(resample: str) -> float:
        [row] = agreement(said, statistics="alpha-interval", confidence=0.9, trials=500, resample=resample)  # type: ignore[arg-type]
        assert row.interval is not None
        return row.interval.high - row.interval.low

    assert width("segment") > 1.2 * width("item")  # the square root of 2, and chance


# Order


def naive_ranking_kappa(said: list[Judgement]) -> tuple[float, float]:
    """By the definition: every two raters, every segment, every two systems that both compared."""
    agreed = ties = total = 0
    cells = {(one.rater, one.segment, one.system): one.value for one in said}
    raters, segments, systems = ({key[k] for key in cells} for k in range(3))
    for a, b in combinations(sorted(raters), 2):
        for segment in segments:
            for s, t in combinations(sorted(systems), 2):
                wanted = [(r, segment, x) for r in (a, b) for x in (s, t)]
                if all(key in cells for key in wanted):
                    v = [cells[key] for key in wanted]
                    signs = [np.sign(v[0] - v[1]), np.sign(v[2] - v[3])]
                    agreed, total = agreed + (signs[0] == signs[1]), total + 1
                    ties += signs.count(0)
    if not total:
        return NAN, NAN
    tie = ties / (2 * total)
    chance = tie**2 + 2 * ((1 - tie) / 2) ** 2
    return agreed / total, (agreed / total - chance) / (1 - chance) if tie < 1 else NAN


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.tuples(st.sampled_from("xyz"), st.sampled_from("stu"), st.integers(0, 3)),
                       st.integers(1, 3), min_size=1))  # fmt: skip
def test_ranking_kappa_is_its_definition(cells: dict[tuple[str, str, int], int]) -> None:
    said = [judge(rater, system, segment, v) for (rater, system, segment), v in cells.items()]
    share, kappa = naive_ranking_kappa(said)
    same(value(said, "ranking", None), share, cells)
    same(value(said, "ranking-kappa", None), kappa, cells)


def test_ranks_are_compared_within_their_task() -> None:
    def ranked(rater: str, task: str, **places: int) -> list[Judgement]:
        return [judge(rater, system, 0, place, scale="rank", task=task) for system, place in places.items()]

    said = [*ranked("x", "1", s=1, t=2), *ranked("x", "2", u=1), *ranked("y", "3", s=1, t=2, u=3)]
    rows = agreement(said)
    assert [(row.word, row.n, row.value) for row in rows] == [("ranking", 1, 1.0), ("ranking-kappa", 1, 1.0)]


def test_ties_by_a_margin() -> None:
    said = [judge("x", "s", 0, 50, scale="da100"), judge("x", "t", 0, 53, scale="da100")]
    assert preferences(answers(said, "da100")).value.tolist() == [-1]
    assert preferences(answers(said, "da100"), ties=3).value.tolist() == [0]
    with pytest.raises(OptionError, match=r"^ties=-1: must be 0 or the largest difference that counts as a tie$"):
        agreement(said, ties=-1)


# Spans

SPANS = st.lists(
    st.builds(
        lambda start, length, severity: Span(start=start, end=start + length, severity=severity),
        st.integers(0, 20),
        st.integers(0, 8),
        st.sampled_from(["major", "minor"]),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(SPANS, SPANS, SPANS), min_size=1, max_size=5), st.booleans())
def test_span_f1_is_its_definition(items: list[tuple[list[Span], ...]], severity: bool) -> None:
    said = [judge(rater, "s", k, 3, spans=tuple(spans))
            for k, three in enumerate(items) for rater, spans in zip("xyz", three, strict=True)]  # fmt: skip
    both = total = 0
    for three in items:
        sets = [{(c, span.severity if severity else "") for span in spans for c in range(span.start, span.end)}
                for spans in three]  # fmt: skip
        for a, b in combinations(sets, 2):
            both, total = both + 2 * len(a & b), total + len(a) + len(b)
    theirs = both / total if total else NAN
    same(value(said, "span-f1-severity" if severity else "span-f1", None), theirs, items)


def test_without_spans_there_is_no_span_f1() -> None:
    said = [judge("x", "s", 0, 3), judge("y", "s", 0, 3)]
    assert not {"span-f1", "span-f1-severity"} & {row.word for row in agreement(said)}
    assert math.isnan(value(said, "span-f1", None))


def test_huge_spans_cost_nothing() -> None:
    wide = (Span(start=0, end=10**15, severity="major"),)
    said = [judge("x", "s", 0, 3, spans=wide), judge("y", "s", 0, 3, spans=wide)]
    assert value(said, "span-f1", None) == 1


# Categories


def names(scale: str, values: list[float], bins: object = None) -> list[str]:
    return list(categories(np.array(values, dtype=float), scale, bins).names)  # type: ignore[arg-type]


def test_bins_are_named() -> None:
    assert names("adequacy", [2, 3]) == ["1", "2", "3", "4", "5"]
    assert names("da100", [50]) == ["[0, 20)", "[20, 40)", "[40, 60)", "[60, 80)", "[80, 100]"]
    assert names("da100", [50], 2) == ["[0, 50)", "[50, 100]"]
    assert names("da100", [50], [70, 90]) == ["[0, 70)", "[70, 90)", "[90, 100]"]
    assert names("", [0, 1]) == ["0", "1"]
    assert names("", [0.5, 1.5], 2) == ["[0.5, 1)", "[1, 1.5]"]
    cut = categories(np.array([0.0, 100.0]), "da100")
    assert cut.of(np.array([0, 19.9, 20, 99, 100])).tolist() == [0, 0, 1, 4, 4]
    halves = categories(np.array([1.0, 5.0]), "adequacy")  # a mean of two answers goes to the nearest point, halves up
    assert halves.of(np.array([1, 2.4, 2.5, 5])).tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        (1, "bins=1: there can be 2 to 1000"),
        (10**9, "bins=1000000000: there can be 2 to 1000"),
        ([], "bins : where bins begin must rise between 0 and 100"),
        ([50, 20], "bins 50, 20: where bins begin must rise between 0 and 100"),
        ([0, 20], "bins 0, 20: where bins begin must rise between 0 and 100"),
        ([50, 120], "bins 50, 120: where bins begin must rise between 0 and 100"),
        ([50, NAN], "bins 50, nan: where bins begin must rise between 0 and 100"),
    ],
)
def test_bins_that_cannot_be(bins: object, message: str) -> None:
    with pytest.raises(OptionError) as error:
        names("da100", [5], bins)
    assert str(error.value) == message


# Refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "fluency"}, "no judgements on the scale 'fluency'; there are some on adequacy"),
        ({"between": "friends"}, "between='friends' is unknown; choose from raters, repeats"),
        ({"resample": "word"}, "resample='word' is unknown; choose segment or item"),
        ({"confidence": 1}, "confidence 1: must lie between 0 and 1, such as 0.95"),
        ({"seed": -1}, "seed -1: must not be negative"),
        ({"trials": 0}, "0 resamples: at least one is needed"),
    ],
)
def test_refusals(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        agreement([judge("x", "s", 0, 3)], **options)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_a_judgement_of_no_value_is_missing_and_an_infinite_one_refused() -> None:
    said = [judge("x", "s", 0, 3), judge("y", "s", 0, NAN), judge("z", "s", 0, 3)]
    [row] = agreement(said, statistics="observed")
    assert (row.value, row.judgements, row.raters) == (1, 2, ("x", "z"))
    with pytest.raises(OptionError) as error:
        agreement([*said, judge("y", "t", 4, math.inf)])
    assert str(error.value) == "rater y, system t, segment 5: ratings must be finite; NaN stands for a missing one"


def test_unknown_statistic() -> None:
    with pytest.raises(
        OptionError, match=r"^unknown statistic 'coen'; did you mean 'cohen'\? known: observed, bennett"
    ):
        agreement([[1, 2], [1, 2]], statistics="coen")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no judgements to compare raters by; name a file with ratings"),
        ([1, 2], "ratings of 1 dimensions; expected a matrix, a row for each rater"),
        ([[1, 2], [3]], "ratings must be judgements, or a matrix of numbers with a row for each rater"),
        ([["a"], ["b"]], "ratings must be judgements, or a matrix of numbers with a row for each rater"),
        ([[math.inf], [1]], "ratings must be finite; NaN stands for a missing one"),
    ],
)
def test_what_is_no_table_of_ratings(given: object, message: str) -> None:
    with pytest.raises(OptionError) as error:
        agreement(given)
    assert str(error.value) == message


def test_a_constant_rater_is_zero_when_standardised() -> None:
    z = Ratings.of([[1, 2, 3], [0.1, 0.1, 0.1]]).standardised().matrix()
    np.testing.assert_allclose(z, [[-1, 0, 1], [0, 0, 0]])


def test_a_row_says_what_it_rests_on() -> None:
    [row] = agreement([[1, 2, NAN], [1, 3, 4]], "adequacy", statistics="observed")
    assert row == Agreement(
        statistic="observed agreement", word="observed", scale="adequacy", between="raters", on="5 points", value=0.5,
        n=2, pairs=1, raters=("1", "2"), judgements=5, categories=("1", "2", "3", "4", "5"),
    )  # fmt: skip
