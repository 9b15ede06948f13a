"""LEPOR, hLEPOR and nLEPOR: formulas, options, references, parts; kernel and rows against the naive version."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import make_testset
from reference import lepor as naive

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.stats import Stats
from tertium.metrics import parse

WORDS = st.lists(st.sampled_from("abcdef"), max_size=12)
FACTORS = ["length_penalty", "position_penalty", "precision", "recall", "harmonic_mean"]


def count(text: str, outputs: list[str | None], references: list[list[str | None]]) -> Stats:
    metric = parse(text)
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references)))


def score(text: str, output: str, *references: str | None) -> float:
    return float(parse(text).score(count(text, [output], [list(references)]).sums()))


@given(
    pairs=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4),
    alpha=st.sampled_from([0, 1, 9, 0.5]),
    weights=st.sampled_from([(2, 1, 7), (2, 1, 3), (1, 0, 1)]),
    order=st.integers(1, 4),
)
def test_equals_naive(pairs: list[tuple[list[str], list[str]]], alpha: float, weights: Any, order: int) -> None:
    outputs: list[str | None] = [" ".join(output) for output, _ in pairs]
    references: list[list[str | None]] = [[" ".join(reference)] for _, reference in pairs]
    counts = [naive.counts(*pair, window=2, order=order) for pair in pairs]
    perl = [naive.perl_counts(*pair) for pair in pairs]
    for text, expected in {
        f"lepor(alpha={alpha})": [naive.lepor(row, alpha) for row in counts],
        f'lepor(alpha={alpha}, compat="perl")': [naive.lepor(row, alpha) for row in perl],
        f"hlepor(alpha={alpha}, weights={weights})": [naive.hlepor(row, weights, alpha) for row in counts],
        f'hlepor(weights={weights}, compat="perl")': [naive.hlepor(row, weights) for row in perl],
        f"nlepor(alpha={alpha}, order={order})": [naive.nlepor(row, alpha) for row in counts],
    }.items():
        stats = count(text, outputs, references)
        close = pytest.approx([100 * value for value in expected], abs=1e-9)
        assert parse(text).score(stats.segments()).tolist() == close
        assert parse(text).score(stats.sums()) == pytest.approx(100 * sum(expected) / len(expected), abs=1e-9)


# The example of docs/explanation/lepor.md. Output: c = 6 words, reference: r = 7.
OUTPUT, REFERENCE = "today the old bridge was shut", "the old bridge was closed again today"


def test_by_hand() -> None:
    """Five words are common: P = 5/6, R = 5/7. today: |1/6 - 7/7| = 35/42; the old bridge was, at k = 2 ... 5 in the
    output and k - 1 in the reference: |k/6 - (k - 1)/7| = (k + 6)/42, together 38/42. NPD = 73/42 / 6 = 73/252."""
    length, position, harmonic = math.exp(1 - 7 / 6), math.exp(-73 / 252), 10 / (9 * 7 / 5 + 6 / 5)
    stats = count("lepor", [OUTPUT], [[REFERENCE]])
    found = dict(zip(stats.columns, stats.segments()[0].tolist(), strict=True))
    assert [found[name] for name in FACTORS] == pytest.approx([length, position, 5 / 6, 5 / 7, harmonic], abs=1e-12)
    assert found["segments"] == 1
    assert score("lepor", OUTPUT, REFERENCE) == pytest.approx(100 * length * position * harmonic, abs=1e-9)
    mean = 10 / (2 / length + 1 / position + 7 / harmonic)
    assert score("hlepor", OUTPUT, REFERENCE) == pytest.approx(100 * mean, abs=1e-9)
    # in common: 5 words, 3 pairs, 2 of three, 1 of four; of 6, 5, 4, 3 in the output and one more each in the reference
    means = [10 / (9 * (7 - n) / m + (6 - n) / m) for n, m in enumerate((5, 3, 2, 1))]
    product = math.prod(means) ** (1 / 4)
    assert score("nlepor", OUTPUT, REFERENCE) == pytest.approx(100 * length * position * product, abs=1e-9)
    # rounded as on the page
    assert [round(x, 4) for x in (length, position, harmonic)] == [0.8465, 0.7485, 0.7246]
    assert [round(x, 4) for x in (length * position * harmonic, mean)] == [0.4591, 0.7486]
    assert [round(x, 4) for x in (*means, product)] == [0.7246, 0.5085, 0.4082, 0.2564, 0.4431]
    assert round(length * position * product, 4) == 0.2808


@pytest.mark.parametrize(
    ("output", "reference", "penalty"),
    [
        ("a b c d", "a b c d", 1),
        ("a b c d e", "a b c d", math.exp(1 - 5 / 4)),
        ("a b c", "a b c d", math.exp(1 - 4 / 3)),
        ("", "a", 0),
        ("a", "", 0),
        ("", "", 0),
    ],
)
def test_length_penalty_never_rewards(output: str, reference: str, penalty: float) -> None:
    stats = count("lepor", [output], [[reference]])
    assert stats.segments()[0, 1] == pytest.approx(penalty)
    assert 0 <= penalty <= 1


def test_any_permutation_is_perfect_only_in_perl() -> None:
    """Equal length and all words matched: their programs do not look at positions then."""
    assert score('lepor(compat="perl")', "e d c b a", "a b c d e") == 100
    # |1/5 - 5/5| + |2/5 - 4/5| + 0 + ... = 12/5, NPD = 12/25
    assert score("lepor", "e d c b a", "a b c d e") == pytest.approx(100 * math.exp(-12 / 25))


def test_perl_counts_digits() -> None:
    """z stands at position 1 (from 0), which is taken as soon as position 10 is."""
    for text, precision in (("lepor", 1), ('lepor(compat="perl")', 1 / 2)):
        assert count(text, ["b z"], [["k z c d e f g h i j b"]]).segments()[0, 3] == precision


def test_mean_and_factors() -> None:
    outputs: list[str | None] = ["a b c d", "a b"]
    references: list[list[str | None]] = [["a b c d"], ["a b c d"]]
    stats = count("lepor", outputs, references)
    second = {"length": math.exp(-1), "position": math.exp(-(1 / 4 + 2 / 4) / 2), "harmonic": 10 / (9 * 2 + 1)}
    mean = (1 + math.prod(second.values())) / 2
    assert parse("lepor").score(stats.sums()) == pytest.approx(100 * mean)
    factors = math.prod((1 + factor) / 2 for factor in second.values())
    assert parse('lepor(aggregate="factors")').score(stats.sums()) == pytest.approx(100 * factors)
    segments = stats.segments()
    assert parse('lepor(aggregate="factors")').score(segments).tolist() == pytest.approx(
        parse("lepor").score(segments).tolist()
    )


@pytest.mark.parametrize("name", ["lepor", "hlepor", "nlepor"])
def test_both_aggregates_share_rows_and_parts(name: str) -> None:
    mean, factors = parse(name), parse(f'{name}(aggregate="factors")')
    assert mean.stats_key(True) == factors.stats_key(True)  # type: ignore[attr-defined]
    assert mean.stats_key(False) != parse(f"{name}(alpha=1)").stats_key(False)  # type: ignore[attr-defined]
    sums = count(name, ["a b c d e"], [["a b c d x"]]).sums()
    assert mean.parts(sums) == factors.parts(sums)  # type: ignore[attr-defined]


def test_parts() -> None:
    stats = count("lepor", ["a b c", "d"], [["a b d"], ["d"]])
    assert parse("lepor").parts(stats.sums()) == {  # type: ignore[attr-defined]
        "length_penalty": 1,
        "position_penalty": 1,
        "precision": pytest.approx(100 * 5 / 6),
        "recall": pytest.approx(100 * 5 / 6),
        "harmonic_mean": pytest.approx(100 * 5 / 6),
    }
    stats = count("nlepor(order=2)", ["a b c"], [["a b d e"]])
    assert parse("nlepor(order=2)").parts(stats.sums()) == {  # type: ignore[attr-defined]
        "length_penalty": pytest.approx(math.exp(-1 / 3)),
        "position_penalty": pytest.approx(math.exp(-(1 / 12 + 2 / 12) / 3)),
        "precisions": pytest.approx([200 / 3, 50]),
        "recalls": pytest.approx([50, 100 / 3]),
        "harmonic_means": pytest.approx([2000 / 39, 1000 / 29]),
    }
    assert stats.columns[3:] == ("precision_1", "precision_2", "recall_1", "recall_2",
                                 "harmonic_mean_1", "harmonic_mean_2", "segments")  # fmt: skip


@pytest.mark.parametrize("name", ["lepor", "hlepor", "nlepor(order=2)", 'lepor(compat="perl")'])
def test_several_references(name: str) -> None:
    """The best segment score, the first of equals; gaps do not count, and a missing output is not scored."""
    assert score(name, "a b c", "x y", "a b d", "a b") == max(score(name, "a b c", r) for r in ("x y", "a b d", "a b"))
    assert score(name, "a b c", None, "a b d") == score(name, "a b c", "a b d")
    stats = count(name, ["a b", None, "x", "x"], [["c", "a b"], ["a", "b"], [None, None], ["b", None]])
    assert stats.scored.tolist() == [True, False, False, True]
    assert stats.segments()[:, -1].tolist() == [1, 0, 0, 1]
    assert float(parse(name).score(stats.sums())) == pytest.approx(50)


def test_reading_options() -> None:
    assert score("lepor", "The Cat.", "the cat .") == 100
    assert score("lepor(lowercase=False)", "The Cat.", "the cat .") < 50
    assert score('lepor(tokenize="none")', "the cat.", "the cat .") < 50
    assert score('lepor(unicode="quotes")', "it’s", "it's") == 100
    assert score('lepor(tokenize="char")', "好天", "好天") == 100


def test_weights() -> None:
    """(2, 1, 3) is WMT19's; with all the weight on one factor that factor is the score."""
    factors = count("lepor", [OUTPUT], [[REFERENCE]]).segments()[0, [1, 2, 5]]
    for k, weights in enumerate(["(1, 0, 0)", "(0, 2, 0)", "(0, 0, 3)"]):
        assert score(f"hlepor(weights={weights})", OUTPUT, REFERENCE) == pytest.approx(100 * factors[k])
    assert parse("hlepor(weights=[2, 1, 7])") == parse("hlepor")


def test_a_very_long_output_is_worth_nothing() -> None:
    """The penalty falls below the smallest number; nothing overflows on the way."""
    for length in (700, 745, 800, 100_000):
        values = [score(name, "a " * length, "a") for name in ("lepor", "hlepor", "nlepor(order=1)")]
        assert all(0 <= value < 1e-100 for value in values)
        assert np.isfinite(values).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "lepor(alpha=-1)",
            "lepor: alpha=-1, beta=1; recall and precision need weights from 0 to 1000, not both 0",
        ),
        (
            "nlepor(alpha=0, beta=0)",
            "nlepor: alpha=0, beta=0; recall and precision need weights from 0 to 1000, not both 0",
        ),
        ("hlepor(window=21)", "hlepor: window=21; must be 0 to 20 words on either side"),
        ('lepor(aggregate="sum")', 'lepor: aggregate="sum" is unknown; choose from mean, factors'),
        ('lepor(compat="python")', 'lepor: compat="python" is unknown; choose from none, perl'),
        (
            'hlepor(compat="perl", window=3)',
            'hlepor: window=3, but compat="perl" has window=2; leave one of them out',
        ),
        (
            "hlepor(weights=(2, 1))",
            "hlepor: weights=(2, 1) must be 3 weights, of length penalty, position penalty and harmonic mean, "
            "none negative, that sum to more than 0 and at most 1000",
        ),
        ("nlepor(order=0)", "nlepor: order=0; the longest n-gram must have 1 to 100 words"),
    ],
)
def test_options_are_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(OptionError) as refusal:
        parse(text)
    assert str(refusal.value) == said


def test_nlepor_has_no_compat() -> None:
    """The program of that name computes LEPOR."""
    with pytest.raises(OptionError, match="nlepor has no option 'compat'"):
        parse('nlepor(compat="perl")')
