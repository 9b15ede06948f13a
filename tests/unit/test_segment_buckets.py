"""Buckets of segments: sums over buckets are totals, one bucket is the corpus, and lengths are what they say."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import CORPORA, make_testset

import tertium as tt
from tertium.analysis.buckets import BucketScore, segment_groups
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet
from tertium.inference.bootstrap import percentile_interval

METRICS = ("bleu", "chrf", "ter", "macrof", "nist")


def evaluation(
    references: Sequence[Sequence[str | None]], outputs: Sequence[str | None], metrics: Sequence[str] = METRICS
) -> Evaluation:
    return tt.evaluate(make_testset(references), [tt.System(name="s", outputs=Lines.of(outputs))], metrics)


@st.composite
def evaluations(draw: st.DrawFn) -> Evaluation:
    corpus = draw(CORPORA)
    return evaluation([["x", *refs] for _, refs in corpus], [output for output, _ in corpus])


@given(counted=evaluations())
def test_everything_in_one_bucket_is_the_corpus(counted: Evaluation) -> None:
    found = tt.buckets(counted, ["same"] * len(counted.testset))
    corpus = counted.scores()
    for part, whole, score in zip(found[::2], found[1::2], corpus, strict=True):
        assert (part.bucket, whole.bucket, part.whole, whole.whole) == ("same", "all", False, True)
        assert part.comparable
        for item in (part, whole):
            assert (item.value, item.n) == pytest.approx((score.value, score.n), rel=0, abs=0, nan_ok=True)
            assert item.parts == score.parts
            assert item.segments == len(counted.testset)


@given(counted=evaluations(), data=st.data())
def test_sums_over_buckets_are_totals(counted: Evaluation, data: st.DataObject) -> None:
    n = len(counted.testset)
    by = data.draw(
        st.lists(st.sampled_from("xyz"), min_size=n, max_size=n)
        | st.sampled_from(["reference-length", "rare-words", "source-length"])
    )
    found = tt.buckets(counted, by)
    for metric in METRICS:
        *parts, whole = [score for score in found if score.metric == metric]
        assert sum(part.n for part in parts) == whole.n
        assert sum(part.segments for part in parts) == whole.segments == n
    lengths = [score for score in found if score.metric == "ter"]
    *parts, whole = lengths
    if whole.n:
        assert sum(part.parts.get("edits", 0) for part in parts) == whole.parts["edits"]  # type: ignore[misc]


@given(counted=evaluations(), data=st.data())
def test_a_bucket_is_the_score_of_its_segments(counted: Evaluation, data: st.DataObject) -> None:
    n = len(counted.testset)
    labels = data.draw(st.lists(st.sampled_from("xy"), min_size=n, max_size=n))
    outputs = counted.systems[0].outputs
    for label in set(labels):
        kept = [k for k in range(n) if labels[k] == label]
        alone = evaluation([list(counted.testset.references[k]) for k in kept], [outputs[k] for k in kept], ["bleu"])
        [score] = alone.scores()
        [found] = [s for s in tt.buckets(counted, labels) if (s.bucket, s.metric, s.whole) == (label, "bleu", False)]
        assert (found.value, found.n) == pytest.approx((score.value, score.n), nan_ok=True)


def buckets_of(texts: Sequence[Sequence[str | None]], by: str, **options: object) -> list[str]:
    groups = segment_groups(make_testset(texts), by, **options)  # type: ignore[arg-type]
    return [groups.names[k] for k in groups.numbers.tolist()]


def test_reference_length() -> None:
    texts: list[list[str | None]] = [
        ["a"], [""], ["a " * 10], ["a " * 10, "a " * 11], ["a " * 20], ["a " * 21], ["a " * 51], [None], ["a,b.c d"]
    ]  # fmt: skip
    expected = ["0-10", "0-10", "0-10", "11-20", "11-20", "21-30", "51+", "no reference", "0-10"]
    assert buckets_of(texts, "reference-length") == expected
    assert buckets_of(texts[:6], "reference-length", bounds=[0, 1, 10]) == ["1", "0", "2-10", "11+", "11+", "11+"]
    assert buckets_of([["a b"], ["a"]], "reference-length", bounds=[1.5]) == [">1.5", "0-1.5"]
    assert buckets_of([["中文"]], "reference-length", bounds=[1, 2], tokenize="char") == ["2"]


def test_source_length() -> None:
    testset = TestSet(segments=3, sources=Lines.of(["a b c", None, ""]))
    groups = segment_groups(testset, "source-length", bounds=[2])
    assert [groups.names[k] for k in groups.numbers.tolist()] == ["3+", "no source", "0-2"]


def test_rare_words() -> None:
    """`x` comes in two segments, `y` twice in one of two references, the others once."""
    texts: list[list[str | None]] = [["x x"], ["x a b c"], ["y y", "y d"], [""], [None]]
    assert buckets_of(texts, "rare-words") == ["0%", ">50%", ">30-50%", "0%", "no reference"]
    assert buckets_of(texts, "rare-words", rare=2) == ["0%", ">50%", ">50%", "0%", "no reference"]
    assert buckets_of(texts, "rare-words", rare=3, bounds=[50]) == [">50%", ">50%", ">50%", "0-50%", "no reference"]


def labelled() -> Evaluation:
    texts = [f"w{k} the old harbour {k % 3}" for k in range(12)]
    testset = TestSet(
        segments=12,
        references=References((Lines.of(texts),), 12),
        documents=tuple("pq"[k % 2] for k in range(12)),
        labels={"domain": tuple("news" if k else "talk" for k in range(12))},
    )
    outputs = [text.replace("old", "new") if k % 4 else text for k, text in enumerate(texts)]
    return tt.evaluate(testset, [tt.System(name="s", outputs=Lines.of(outputs))], ["bleu", "macrof"])


def test_documents_and_labels() -> None:
    counted = labelled()
    documents = {s.document: s.value for s in counted.scores("document") if s.metric == "bleu"}
    found = [s for s in tt.buckets(counted, "document") if s.metric == "bleu"]
    assert {s.bucket: s.value for s in found[:-1]} == pytest.approx(documents, rel=1e-14)
    assert [(s.bucket, s.segments) for s in tt.buckets(counted, "domain")][:3] == [
        ("talk", 1), ("news", 11), ("all", 12)
    ]  # fmt: skip


def test_averages_over_types_are_marked() -> None:
    found = tt.buckets(labelled(), "document")
    assert {(s.metric, s.whole): s.comparable for s in found} == {
        ("bleu", False): True, ("bleu", True): True, ("macrof", False): False, ("macrof", True): True
    }  # fmt: skip


def test_intervals() -> None:
    counted = labelled()
    found = tt.buckets(counted, "domain", confidence=0.9, trials=50, seed=3)
    by: dict[tuple[str, str], BucketScore] = {(s.metric, s.bucket): s for s in found}
    assert by["bleu", "talk"].interval is None  # a single segment
    stats = counted.stats("s", "bleu")
    whole = percentile_interval(stats, counted.metrics[0], confidence=0.9, trials=50, seed=3)
    assert by["bleu", "all"].interval == whole
    news = by["bleu", "news"]
    assert news.interval is not None
    assert news.interval.low < news.value < news.interval.high
    assert news.signature.endswith("|bs:50|seed:3|ci:0.9")
    assert all(s.interval is None for s in found if s.metric == "macrof")
    with pytest.raises(OptionError, match=r"^macrof: a percentile interval is not valid for a type average"):
        tt.buckets(evaluation([["a"]], ["a"], ["macrof"]), confidence=0.95)


def test_nothing_scored() -> None:
    [part, whole] = tt.buckets(evaluation([["a"]], [None], ["bleu"]))
    assert math.isnan(part.value)
    assert (part.n, part.segments, part.parts, whole.n) == (0, 1, {}, 0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"by": "size"}, "by='size' is unknown; choose from document, source-length, reference-length, rare-words, "
         "domain, or give a label for each segment (--label FILE)"),
        ({"by": ["x"]}, "1 label, but test set testset has 12 segments"),
        ({"by": "source-length"}, "test set testset has no source to measure (--src FILE)"),
        ({"by": "domain", "bounds": [1]}, "bounds are for lengths and shares of rare words; documents and labels are "
         "what they are"),
        ({"bounds": [3, 2]}, "bounds 3, 2: must rise from 0 or more"),
        ({"bounds": [-1]}, "bounds -1: must rise from 0 or more"),
        ({"bounds": []}, "bounds : must rise from 0 or more"),
        ({"rare": 0}, "rare=0: a rare word is one that the references have at least once"),
        ({"tokenize": "14a"}, 'buckets: tokenize="14a" is unknown'),
    ],
)  # fmt: skip
def test_mistakes(options: dict[str, object], sentence: str) -> None:
    with pytest.raises((OptionError, InputError)) as caught:
        tt.buckets(labelled(), **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(sentence)


def test_without_what_is_asked_for() -> None:
    bare = TestSet(segments=1, sources=Lines.of(["a"]))
    with pytest.raises(InputError, match=r"^test set testset has no documents; name them"):
        segment_groups(bare, "document")
    with pytest.raises(InputError, match=r"^test set testset has no references to measure \(--ref FILE\)$"):
        segment_groups(bare, "rare-words")
    withheld = TestSet(segments=1, sources=Lines.withhold(1, b"x" * 32))
    with pytest.raises(InputError, match=r"^test set testset was saved without its texts; lengths and words need them"):
        segment_groups(withheld, "source-length")
