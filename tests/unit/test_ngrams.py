"""N-grams that outputs have more or less often than references, against plain counting."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import CORPORA, make_testset
from reference.contrast import ngram_counts

import tertium as tt
from tertium.analysis.ngrams import reading_of, spans, tokenised
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.metrics import parse
from tertium.text.words import Reading


def evaluation(references: Sequence[Sequence[str | None]], outputs: Sequence[str | None]) -> Evaluation:
    return tt.evaluate(make_testset(references), [tt.System(name="s", outputs=Lines.of(outputs))], "macrof")


@given(corpus=CORPORA, order=st.integers(1, 4), tokenize=st.sampled_from(["13a", "none", "char"]))
def test_against_plain_counting(corpus: list[tuple[str | None, list[str | None]]], order: int, tokenize: str) -> None:
    references = [[None, *refs] for _, refs in corpus]
    testset = make_testset(references)
    outputs = [output for output, _ in corpus]
    if testset.references.fewest_and_most[1] == 0:
        return
    counted = evaluation(references, outputs)
    found = [row for row in tt.ngrams(counted, "s", order=order, tokenize=tokenize) if row.order == order]
    texts = [
        (tt.tokenize(output, tokenize), [tt.tokenize(text, tokenize) for text in refs if text is not None])
        for output, refs in corpus
        if output is not None and any(text is not None for text in refs)
    ]
    expected = {text: c for text, c in ngram_counts(texts, order).items() if c[0] != c[1]}
    assert {row.ngram: (row.references, row.outputs, row.matches) for row in found} == expected


def test_order_and_top() -> None:
    counted = evaluation([["a b c c"], ["d d"]], ["a a a b", "e e d"])
    rows = tt.ngrams(counted, "s", order=2, tokenize="none")
    assert [(row.ngram, row.excess) for row in rows if row.order == 1] == [
        ("a", 2), ("e", 2), ("d", -1), ("c", -2)
    ]  # fmt: skip
    assert [row.order for row in rows] == sorted(row.order for row in rows)
    few = tt.ngrams(counted, "s", order=1, tokenize="none", top=1)
    assert [(row.ngram, row.references, row.outputs, row.matches) for row in few] == [("a", 1, 3, 1), ("c", 2, 0, 0)]


def test_runs_of_words_stay_in_their_lines() -> None:
    lines = tokenised(Lines.of(["a b", "", "c", None, "d e f"]), Reading("none"))
    for order, expected in {1: [0, 0, 2, 4, 4, 4], 2: [0, 4, 4], 3: [4], 4: []}.items():
        found = spans(lines, order)
        assert found.segments.tolist() == expected
        assert len(found.texts) == len(expected)
    assert list(spans(lines, 2).texts) == ["a b", "d e", "e f"]


def test_a_metric_says_how_it_reads() -> None:
    assert reading_of(parse('macrof(tokenize="char", lowercase=True)')) == Reading("char", True, "none")
    assert reading_of(parse("chrf")).tokenize == "13a"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"order": 0}, "order 0: n-grams have 1 to 9 words"),
        ({"top": 0}, "top 0: at least one n-gram of each kind"),
        ({"system": "x"}, "there is no system 'x'; systems: s"),
        ({"unicode": "x"}, 'ngrams: unicode="x" is unknown; choose from none, nfc, nfkc, quotes'),
    ],
)
def test_mistakes(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        tt.ngrams(evaluation([["a"]], ["a"]), **{"system": "s", **options})  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_texts_are_needed() -> None:
    counted = evaluation([["a"]], ["a"])
    lines = Lines.withhold(1, b"x" * 32)
    systems = (tt.System(name="s", outputs=lines),)
    bare = Evaluation(testset=counted.testset, systems=systems, metrics=counted.metrics, table=counted.table)
    with pytest.raises(InputError, match=r"^n-grams of s: the evaluation was saved without its texts; save it with"):
        tt.ngrams(bare, "s")
