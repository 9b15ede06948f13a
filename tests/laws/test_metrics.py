"""The laws of rows and formulas."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tertium.core.evaluation import metric_parts, segment_scores
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.stats import SparseRows, Stats
from tertium.metrics import parse

from .texts import ANY, CORPORA, SENTENCES, TEXTS, make_testset
from .variants import NAMES, metrics, variants

every_metric = pytest.mark.parametrize("name", NAMES)
some = settings(max_examples=20)
few = settings(max_examples=12)

Corpus = list[tuple[str | None, list[str | None]]]


def count(metric: Metric, corpus: Corpus) -> Stats:
    testset = make_testset([references for _, references in corpus])
    return metric.stats(Lines.of([output for output, _ in corpus]), metric.prepare(testset))


def dense(stats: Stats) -> tuple[list[str], np.ndarray]:
    """Rows as one block; sparse columns in the order of their names, because theirs is of no meaning."""
    rows = stats.segments()
    if not isinstance(stats.rows, SparseRows):
        return list(stats.columns), rows
    order = sorted(range(len(stats.columns)), key=lambda k: stats.columns[k])
    return [stats.columns[k] for k in order], rows[:, order]


def key_of(metric: Metric, several: bool) -> str:
    return metric.stats_key(several) if hasattr(metric, "stats_key") else str(metric)


def close(values: Any) -> Any:
    return pytest.approx(values, rel=1e-12, abs=1e-9, nan_ok=False)


# Declarations


@every_metric
def test_declares_what_the_table_of_metrics_needs(name: str) -> None:
    metric = parse(name)
    assert isinstance(metric, Metric)
    assert metric.name == name == str(metric)
    assert metric.better in ("higher", "lower")
    low, high = metric.range
    assert low < high
    assert metric.resampling in ("percentile", "paired only")
    assert metric.needs <= {"references", "source", "model"}
    assert isinstance(metric.title, str)
    assert metric.decimals >= 0


@every_metric
@settings(max_examples=100)
@given(data=st.data())
def test_text_means_the_metric(name: str, data: st.DataObject) -> None:
    metric = data.draw(metrics(name))
    again = parse(str(metric))
    assert again == metric
    assert str(again) == str(metric)
    assert hash(again) == hash(metric)
    with pytest.raises(dataclasses.FrozenInstanceError):
        metric.unicode = "nfc"


@every_metric
def test_text_of_every_variant_is_its_own(name: str) -> None:
    found = variants(name)
    assert len({str(metric) for metric in found}) == len(set(found)) > 1
    assert [parse(str(metric)) for metric in found] == found


@every_metric
@some
@given(data=st.data())
def test_equal_keys_mean_equal_rows(name: str, data: st.DataObject) -> None:
    """Metrics with equal stats_key share rows: so what helps to make rows has to be part of the key."""
    one, other = data.draw(metrics(name)), data.draw(st.sampled_from(NAMES).flatmap(metrics))
    corpus = data.draw(CORPORA)
    several = any(sum(reference is not None for reference in references) > 1 for _, references in corpus)
    for candidate in (other, *variants(name)):
        if key_of(candidate, several) == key_of(one, several):
            mine, theirs = dense(count(one, corpus)), dense(count(candidate, corpus))
            assert mine[0] == theirs[0]
            assert mine[1].tobytes() == theirs[1].tobytes()


# Rows


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_rows_are_finite_and_zero_where_not_scored(name: str, data: st.DataObject, corpus: Corpus) -> None:
    stats = count(data.draw(metrics(name)), corpus)
    rows = stats.segments()
    assert rows.shape == (len(corpus), len(stats.columns))
    assert np.isfinite(rows).all()
    scorable = [
        output is not None and any(reference is not None for reference in references) for output, references in corpus
    ]
    assert stats.scored.tolist() == scorable
    assert not rows[~stats.scored].any()


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_order_of_segments_does_not_matter(name: str, data: st.DataObject, corpus: Corpus) -> None:
    metric = data.draw(metrics(name))
    order = data.draw(st.permutations(range(len(corpus))))
    columns, rows = dense(count(metric, corpus))
    shuffled_columns, shuffled = dense(count(metric, [corpus[k] for k in order]))
    assert shuffled_columns == columns
    assert shuffled.tobytes() == rows[order].tobytes()


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_a_segment_alone_has_the_row_it_has_among_others(name: str, data: st.DataObject, corpus: Corpus) -> None:
    """Given the same Prepared: what one segment leaves in the kernel's memory does not reach the next."""
    metric = data.draw(metrics(name))
    shared = metric.prepare(make_testset([references for _, references in corpus])).shared
    columns, rows = dense(count(metric, corpus))
    for k, (output, references) in enumerate(corpus):
        prepared = dataclasses.replace(metric.prepare(make_testset([references])), shared=shared)
        alone_columns, alone = dense(metric.stats(Lines.of([output]), prepared))
        kept = [columns.index(column) for column in alone_columns]
        assert alone[0].tolist() == rows[k, kept].tolist()


# Formulas


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_vectorised_equals_loop(name: str, data: st.DataObject, corpus: Corpus) -> None:
    metric = data.draw(metrics(name))
    rows = count(metric, corpus).segments()
    assert metric.score(rows).tolist() == close([float(metric.score(row)) for row in rows])
    assert segment_scores(metric, rows).tolist() == close([float(segment_scores(metric, row)) for row in rows])
    pair = np.stack([rows, rows[::-1]])
    assert metric.score(pair).tolist() == [close(metric.score(rows).tolist()), close(metric.score(rows[::-1]).tolist())]
    if hasattr(metric, "parts"):
        for part, together in metric.parts(rows).items():
            alone = [metric_parts(metric, row.tolist())[part] for row in rows]
            assert np.transpose(together).tolist() == [
                close(list(v)) if isinstance(v, tuple) else close(v) for v in alone
            ]


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_plain_numbers_equal_arrays(name: str, data: st.DataObject, corpus: Corpus) -> None:
    """A corpus score needs no numpy: the formula of a list of floats is that of an array."""
    metric = data.draw(metrics(name))
    stats = count(metric, corpus)
    assert stats.sums() == close(stats.total().tolist())
    for row in [stats.total(), *stats.segments()]:
        for formula in (metric.score, getattr(metric, "segment_score", metric.score)):
            plain = formula(row.tolist())
            assert isinstance(plain, float)
            assert plain == close(float(formula(row)))


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_scores_of_weighted_sums(name: str, data: st.DataObject, corpus: Corpus) -> None:
    """(n,) gives one score, (b, n) gives b; the sums are those of a loop; a row of ones is the corpus."""
    metric = data.draw(metrics(name))
    stats = count(metric, corpus)
    b, n, k = data.draw(st.integers(1, 4)), len(corpus), len(stats.columns)
    counts = data.draw(st.lists(st.integers(0, 5), min_size=b * n, max_size=b * n))
    weights = np.array(counts, dtype=np.float64).reshape(b, n)
    sums = stats.weigh(weights)
    assert sums.shape == (b, k)
    assert metric.score(sums).shape == (b,)
    rows = stats.segments()
    for j in range(b):
        looped = [sum(weights[j, i] * rows[i, c] for i in range(n)) for c in range(k)]
        assert sums[j].tolist() == close(looped)
        assert stats.weigh(weights[j]).tolist() == close(looped)
        assert np.shape(metric.score(stats.weigh(weights[j]))) == ()
    assert stats.total().tolist() == close(stats.weigh(np.ones(n)).tolist())
    assert stats.weigh(np.eye(n)).tolist() == rows.tolist()


@every_metric
@some
@given(data=st.data(), corpus=CORPORA)
def test_scores_stay_in_range(name: str, data: st.DataObject, corpus: Corpus) -> None:
    metric = data.draw(metrics(name))
    stats = count(metric, corpus)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)))
    sums = np.stack([stats.total(), stats.weigh(np.array(weights, dtype=np.float64))])
    low, high = metric.range
    for values in (metric.score(sums), metric.score(stats.segments()), segment_scores(metric, stats.segments())):
        assert np.isfinite(values).all()
        assert (values >= low - 1e-9).all()
        assert (values <= high + 1e-9).all()


class Exemption(NamedTuple):
    """Why a metric may not give its best score to a perfect output, and when it must all the same."""

    reason: str
    holds: Callable[[Any, np.ndarray], bool]


# Each has its counterexample below.
EXEMPTIONS = {
    "bleu": Exemption(
        "the precision of an order without n-grams is 0; with brevity='average' a longer second reference counts",
        lambda metric, sums: sums[2 * metric.order - 1] > 0 and sums[-2] >= sums[-1],
    ),
    "chrf": Exemption(
        "nothing shared by two empty texts; with eps an order without n-grams counts as a wrong one",
        lambda metric, sums: (sums[0::3] > 0).all() if metric.eps else (sums[0::3] > 0).any(),
    ),
    "lepor": Exemption("nothing shared by two empty texts", lambda _, sums: sums[1] == sums[-1]),
    "hlepor": Exemption("nothing shared by two empty texts", lambda _, sums: sums[1] == sums[-1]),
    "nlepor": Exemption(
        "a segment that is too short for the longest n-gram shares none",
        lambda metric, sums: sums[2 + metric.order] == sums[-1],
    ),
    "meteor": Exemption("nothing is matched by two texts without a word", lambda _, sums: sums[0] > 0),
    "ter": Exemption(
        "with `normalized` references are tokenised twice, as sacreBLEU does",
        lambda metric, _: not metric.normalized,
    ),
    **dict.fromkeys(
        ("macrof", "microf"),
        Exemption(
            "there is no type to average over in two empty texts; what a second reference has besides is missed",
            lambda _, sums: sums.any() and np.array_equal(*sums.reshape(3, -1)[:2]),
        ),
    ),
}

# Metrics without a best score: information has no upper bound, and a perfect output has as much as its words carry.
UNBOUNDED = ("nist",)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNBOUNDED])
@settings(  # what a metric is exempt from is left out
    max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(data=st.data(), texts=st.lists(SENTENCES | SENTENCES | TEXTS, min_size=1, max_size=5))
def test_perfect_output_is_best(name: str, data: st.DataObject, texts: list[str]) -> None:
    metric = data.draw(metrics(name))
    more = st.lists(st.none() | SENTENCES, max_size=1)
    sums = count(metric, [(text, [text, *data.draw(more)]) for text in texts]).total()
    if name in EXEMPTIONS:
        assume(EXEMPTIONS[name].holds(metric, sums))
    best = metric.range[1] if metric.better == "higher" else metric.range[0]
    assert float(metric.score(sums)) == close(best)


@pytest.mark.parametrize(
    ("name", "text", "second", "score"),
    [
        ("bleu", "the cat sat", None, 0.0),  # no 4-gram
        ("bleu", "", None, 0.0),
        ('bleu(brevity="average")', "a b c d", "a b c d e f g h", 100 * math.exp(1 - 6 / 4)),
        ("chrf", " ", None, 0.0),
        ("chrf(eps=True)", "abc", None, 50.0),  # three of six orders
        ("lepor", "", None, 0.0),
        ("hlepor", " ", None, 0.0),
        ("nlepor", "the cat sat", None, 0.0),
        ("macrof", " ", None, 0.0),
        ("microf", "", None, 0.0),
        ("macrof", "the cat", "a cat", 200 / 3),  # `a` has a recall of 0
        ("microf(k=0)", "the cat", "a cat", 200 / 3),
        ("meteor", "", None, 0.0),
        ("meteor(no_punct=True)", "?!", None, 0.0),
        ("ter(normalized=True)", "the cat's.", None, 50.0),  # the reference: the cat 's . - the output: the cat's .
    ],
)
def test_perfect_output_that_is_not_best(name: str, text: str, second: str | None, score: float) -> None:
    metric = parse(name)
    assert metric.name in EXEMPTIONS
    assert float(metric.score(count(metric, [(text, [text, second])]).total())) == close(score)


def test_a_metric_without_a_best_score_may_prefer_another_output() -> None:
    """To leave out a common word costs little length and raises the information of the words that are left."""
    metric = parse("nist(order=1)")
    assert metric.name in UNBOUNDED
    assert metric.range[1] == math.inf
    texts = ["a " * 19 + "x", "a " * 19 + "y"]
    perfect = float(metric.score(count(metric, [(text, [text]) for text in texts]).total()))
    shorter = float(metric.score(count(metric, [(text[2:], [text]) for text in texts]).total()))
    common, rare = math.log2(40 / 38), math.log2(40)
    penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(19 / 20) ** 2)
    assert perfect == close((38 * common + 2 * rare) / 40)
    assert shorter == close((36 * common + 2 * rare) / 38 * penalty)
    assert shorter > perfect


# Any text


HARD = [
    "",
    " ",
    "\x00",
    "a\x00b\x00 \x00",
    "\u0378\U000e0fff\U0010ffff",  # unassigned
    "\ue000\U000f0000",  # private use
    "\ufeff\u200b\u200d\u202e",
    "\u0301\u0301\u0301",  # marks on nothing
    "\r\n\u2028\u2029\x85\x0b\x0c\x1c",
    "İ ẞ ΑΣ ΑΣΑ ǅ ﬁ",
    "a" * 5000,
    "a b " * 2000,
    ". , " * 1500 + "'s 1.1 " * 300,
    "".join(chr(0x4E00 + k) for k in range(5000)),
    " ".join(f"w{k}" for k in range(3000)),
    "&amp;" * 1000 + "<skipped>" * 300,
]


@every_metric
def test_no_text_is_too_hard(name: str) -> None:
    """Every hard line against every other, and as a second reference."""
    corpus: Corpus = [(output, [reference]) for output in HARD for reference in HARD]
    corpus += [(output, ["the cat", output[::-1]]) for output in HARD]
    metric = parse(name)
    stats = count(metric, corpus)
    assert stats.scored.all()
    assert np.isfinite(stats.segments()).all()
    assert np.isfinite(metric.score(stats.segments())).all()
    low, high = metric.range
    assert low <= float(metric.score(stats.total())) <= high


@every_metric
@few
@given(data=st.data(), text=ANY, size=st.sampled_from([1, 100, 3000]))
def test_long_lines_of_any_text(name: str, data: st.DataObject, text: str, size: int) -> None:
    metric = data.draw(metrics(name))
    stats = count(metric, [(text * size, [text * size]), (text * size, ["the cat"]), ("the cat", [text * size])])
    assert np.isfinite(stats.segments()).all()
    assert stats.scored.all()


@every_metric
@few
@given(data=st.data(), reference=TEXTS)
def test_empty_output_is_scored_and_missing_is_not(name: str, data: st.DataObject, reference: str) -> None:
    metric = data.draw(metrics(name))
    stats = count(metric, [("", [reference]), (None, [reference]), ("", [None]), ("", []), ("", [""])])
    assert stats.scored.tolist() == [True, False, False, False, True]
    assert not stats.segments()[1:4].any()


@every_metric
@pytest.mark.parametrize("output", ["", "the cat sat on the mat", "x"])
def test_empty_output_is_worse_than_a_perfect_one(name: str, output: str) -> None:
    """An empty output is scored: adding one never helps."""
    metric = parse(name)
    text = "the cat sat on the mat"
    perfect = float(metric.score(count(metric, [(text, [text]), (text, [text])]).total()))
    mixed = float(metric.score(count(metric, [(text, [text]), (output, [text])]).total()))
    if output == text:
        assert mixed == perfect
    else:
        assert mixed < perfect if metric.better == "higher" else mixed > perfect
