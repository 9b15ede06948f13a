"""MacroF and MicroF: options, names, levels, refusal of intervals; and the table of types behind them."""

import math

import numpy as np
import pytest
from laws.texts import make_testset

import tertium as tt
from tertium.analysis.types import TypeScore
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet
from tertium.metrics import parse

REFERENCES = ["the old harbour is closed", "the ferry is late"]
OUTPUTS = ["the harbour is shut", "the ferry is is late"]


def evaluation(*metrics: str, references: list[str] = REFERENCES, outputs: list[str] = OUTPUTS) -> Evaluation:
    documents = tuple("xy"[k % 2] for k in range(len(outputs)))
    testset = TestSet(
        segments=len(outputs), references=References((Lines.of(references),), len(outputs)), documents=documents
    )
    return tt.evaluate(testset, [tt.System(name="mine", outputs=Lines.of(outputs))], metrics)


def value(metric: str) -> float:
    return evaluation(metric).scores()[0].value


def test_the_worked_example_of_the_explanation() -> None:
    """docs/explanation/macrof.md: 8 types; three are on one side only, `is` has P = 2/3 and R = 1."""
    full, half, none = 4, 1, 3  # the, harbour, ferry, late; is; old, closed, shut
    f_is = 2 * (2 / 3) * 1 / (2 / 3 + 1)
    assert f_is == pytest.approx(0.8)
    assert value("macrof") == pytest.approx(100 * (full + f_is) / (full + half + none)) == pytest.approx(60)
    weights = {"the": 3, "harbour": 2, "ferry": 2, "late": 2, "is": 3, "old": 2, "closed": 2, "shut": 1}
    assert value("microf") == pytest.approx(100 * (3 + 2 + 2 + 2 + 3 * f_is) / sum(weights.values()))
    assert value("microf(k=0)") == pytest.approx(100 * (2 + 1 + 1 + 1 + 2 * f_is) / 9)
    f2 = 5 * (2 / 3) / (4 * 2 / 3 + 1)
    assert value("macrof(beta=2)") == pytest.approx(100 * (4 + f2) / 8)


def test_other_names() -> None:
    assert str(parse("macrof1")) == "macrof"
    assert str(parse("microf1(k=2)")) == "microf(k=2)"
    assert parse("microf1") == parse("microf")


def test_statistics_are_counted_once() -> None:
    both = evaluation("macrof", "macrof(beta=2)", "microf", "macrof(lowercase=True)")
    shared = [both.stats("mine", metric) for metric in both.metrics]
    rows = [stats.rows for stats in shared]
    assert rows[0] is rows[1] is rows[2] is not rows[3]
    headers = [stats.header for stats in shared]
    assert [header and header.metric for header in headers] == [str(metric) for metric in both.metrics]


def test_parts_and_levels() -> None:
    found = evaluation("macrof")
    [corpus] = found.scores()
    assert corpus.parts == {"types": 8, "matches": 7, "output_length": 9, "reference_length": 9}
    segments = found.scores("segment")
    assert [score.value for score in segments] == pytest.approx([100 * 3 / 6, 100 * (3 + 2 / 3) / 4])
    assert [score.parts["types"] for score in segments] == [6, 4]
    assert [score.value for score in found.scores("document")] == [score.value for score in segments]


def test_segments_that_are_not_scored() -> None:
    testset = make_testset([["a b"], [None], ["c"], [""]])
    system = tt.System(name="s", outputs=Lines.of(["a", "a", None, ""]))
    found = tt.evaluate(testset, [system], "macrof").scores("segment")
    assert [score.n for score in found] == [1, 0, 0, 1]
    assert [score.value for score in found] == pytest.approx([50, math.nan, math.nan, 0], nan_ok=True)
    assert found[1].parts == {}


def test_documents_out_of_order_add_up() -> None:
    outputs = ["a b", "c", "a", "b b c"]
    references = ["a c", "c", "b", "b c c"]
    found = evaluation("macrof", outputs=outputs, references=references).scores("document")
    for score, first in zip(found, (0, 1), strict=True):
        alone = evaluation("macrof", outputs=outputs[first::2], references=references[first::2])
        assert score.value == pytest.approx(alone.scores()[0].value, rel=1e-14)


def test_a_resample_of_types_is_not_the_corpus() -> None:
    """Why percentile intervals are refused: a resample misses a third of the types that occur once."""
    outputs = [f"the w{k}" for k in range(200)]
    metric = parse("macrof")
    stats = metric.stats(Lines.of(outputs), metric.prepare(make_testset([[text] for text in outputs])))
    drawn = np.bincount(np.random.default_rng(1).integers(0, 200, 200), minlength=200)
    assert metric.parts(stats.weigh(drawn))["types"] < 140  # type: ignore[attr-defined]
    with pytest.raises(OptionError) as caught:
        tt.scores(evaluation("macrof"), confidence=0.95)
    assert str(caught.value) == (
        "macrof: a percentile interval is not valid for a type average (docs/explanation/macrof.md); "
        "compare systems in pairs instead"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("macrof(beta=-1)", "macrof: beta=-1; must lie between 0 and 1000"),
        ("microf(k=-1)", "microf: k=-1; must lie between 0 and 1000000000"),
        ("macrof(k=1)", 'macrof has no option \'k\'; options: beta=1, tokenize="13a", lowercase=False, unicode="none"'),
    ],
)  # fmt: skip
def test_options_are_checked(text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse(text)
    assert str(caught.value) == sentence


# The table of types


def names(rows: list[TypeScore]) -> list[str]:
    return [row.type for row in rows]


def test_types() -> None:
    rows = tt.types(evaluation("macrof"))
    assert names(rows) == ["is", "the", "ferry", "harbour", "late", "closed", "old", "shut"]
    first = rows[0]
    assert (first.references, first.outputs, first.matches) == (2, 3, 2)
    assert (first.precision, first.recall, first.f) == pytest.approx((200 / 3, 100, 80))
    shut = rows[-1]
    assert (shut.references, shut.outputs, shut.precision, shut.recall, shut.f) == (0, 1, 0, 100, 0)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"sort": "type"}, ["closed", "ferry", "harbour", "is", "late", "old", "shut", "the"]),
        ({"sort": "f", "reverse": True, "top": 3}, ["closed", "old", "shut"]),
        ({"sort": "outputs", "top": 2}, ["is", "the"]),
        ({"only": "reference"}, ["closed", "old"]),
        ({"only": "output"}, ["shut"]),
        ({"only": "both", "max_references": 1}, ["ferry", "harbour", "late"]),
        ({"min_references": 2}, ["is", "the"]),
        ({"pattern": "^.{3}$"}, ["the", "old"]),
    ],
)
def test_types_are_sorted_and_chosen(options: dict[str, object], expected: list[str]) -> None:
    assert names(tt.types(evaluation("macrof"), **options)) == expected  # type: ignore[arg-type]


def test_f_is_what_the_metric_makes_of_one_type() -> None:
    rows = {row.type: row.f for row in tt.types(evaluation("microf(beta=2, k=0)"))}
    assert rows["is"] == pytest.approx(100 * 5 * (2 / 3) / (4 * 2 / 3 + 1))
    assert rows["shut"] == 0


@pytest.mark.parametrize(
    ("metrics", "options", "sentence"),
    [
        (["bleu"], {}, "bleu counts no types; choose a metric that does, such as macrof"),
        (["macrof", "microf"], {}, "the evaluation has 2 metrics; say which one: macrof, microf"),
        (["macrof"], {"metric": "microf"}, "the evaluation has no metric microf; there are: macrof"),
        (["macrof"], {"sort": "size"}, "sort='size' is unknown; choose from type, references, outputs, matches, "
         "precision, recall, f"),
        (["macrof"], {"only": "left"}, "only='left' is unknown; choose from both, output, reference"),
        (["macrof"], {"pattern": "("}, "pattern '(' is not a regular expression: missing ), unterminated subpattern "
         "at position 0"),
        (["macrof"], {"system": "x"}, "no statistics of system 'x' under macrof; there are: (mine, macrof)"),
    ],
)  # fmt: skip
def test_types_refuse(metrics: list[str], options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        tt.types(evaluation(*metrics), **options)  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_a_lead_in_rare_types_shrinks_in_paired_resamples() -> None:
    """Each segment has a type of its own, which the first system has right and the second leaves out, and ten types
    that come everywhere. A resample has about 63 of the 100 rare types: 63/73 of the mean instead of 100/110."""
    common, metric = " ".join(f"c{k}" for k in range(10)), parse("macrof")
    references = [f"{common} rare{k}" for k in range(100)]
    right, left_out = (
        evaluation("macrof", references=references, outputs=references),
        evaluation("macrof", references=references, outputs=[common] * 100),
    )
    first, second = (item.stats("mine", metric) for item in (right, left_out))
    lead = float(metric.score(first.total()) - metric.score(second.total()))
    assert lead == pytest.approx(100 * 100 / 110)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(50):
        weights = np.bincount(rng.integers(0, 100, size=100), minlength=100)
        rare = int((weights > 0).sum())
        drawn.append(float(metric.score(first.weigh(weights)) - metric.score(second.weigh(weights))))
        assert drawn[-1] == pytest.approx(100 * rare / (rare + 10))
    assert max(drawn) < lead
