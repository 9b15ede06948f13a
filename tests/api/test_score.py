"""`tt.score`: every container of texts, every layout of references, and nothing cut to fit."""

import math
import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import tertium as tt

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")

OUTPUTS = ["the cat sat on a mat", "rain fell all the night", "she paid too much for it"]
FIRST = ["the cat sat on the mat", "rain fell all night long", "she paid too much for that"]
SECOND = ["a cat was on the mat", "it rained all the night", "she paid too much for it all"]
WITH_GAP = [OUTPUTS[0], None, OUTPUTS[2]]


def judge(metric: str, outputs: list[str], *streams: list[Any]) -> Any:
    """sacreBLEU, which takes streams; jiwer for wer."""
    if metric == "wer":
        return pytest.approx(100 * jiwer.wer(streams[0], outputs), rel=1e-12)
    kind = {"bleu": BLEU, "chrf": CHRF, "ter": TER}[metric]
    return pytest.approx(kind().corpus_score(outputs, streams).score, rel=1e-12)


def value(outputs: Any, references: Any, metric: str = "bleu", **options: Any) -> float:
    [score] = tt.score(outputs, references=references, metrics=metric, **options)
    return score.value


def refusal(outputs: Any, references: Any, **options: Any) -> str:
    with pytest.raises(tt.TertiumError) as caught:
        tt.score(outputs, references=references, **options)
    return str(caught.value)


# Containers


def sliced(texts: list[Any], kind: Any) -> Any:
    """An Arrow array that starts in the middle of its buffers."""
    return pa.array(["before", None, "ahead", *texts, None, "behind"], kind)[3:-2]


def chunked(texts: list[Any]) -> Any:
    return pa.chunked_array(
        [pa.array(texts[:1], pa.string()), pa.array([], pa.string()), sliced(texts[1:], pa.string())]
    )


def objects(texts: list[Any]) -> Any:
    return np.array(texts, dtype=object)


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "iterator": iter,
    "map": lambda texts: map(texts.__getitem__, range(len(texts))),
    "dictionary's values": lambda texts: dict(enumerate(texts)).values(),
    "Lines": tt.Lines.of,
    "numpy objects": objects,
    "pandas object": lambda texts: pd.Series(texts, dtype=object),
    "pandas string[python]": lambda texts: pd.Series(texts, dtype="string[python]"),
    "pandas string[pyarrow]": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "pandas str": lambda texts: pd.Series(texts, dtype="str"),
    "pandas category": lambda texts: pd.Series(texts, dtype="category"),
    "pandas with an index": lambda texts: pd.Series(texts, index=[7, 3, 5], dtype=object),
    "pandas Index": lambda texts: pd.Index(texts, dtype=object),
    "polars": pl.Series,
    "polars category": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "arrow": lambda texts: pa.array(texts, pa.string()),
    "arrow large": lambda texts: pa.array(texts, pa.large_string()),
    "arrow slice": lambda texts: sliced(texts, pa.string()),
    "arrow large slice": lambda texts: sliced(texts, pa.large_string()),
    "arrow chunks": chunked,
}
COMPLETE = {
    **CONTAINERS,
    "numpy strings": np.array,
    "numpy StringDType": lambda texts: np.array(texts, np.dtypes.StringDType()),
}


@pytest.mark.parametrize("metric", ["bleu", "chrf", "wer"])
@pytest.mark.parametrize("make", COMPLETE.values(), ids=COMPLETE)
def test_containers_of_texts(make: Callable[[list[str]], Any], metric: str) -> None:
    expected = judge(metric, OUTPUTS, FIRST)
    assert value(make(OUTPUTS), FIRST, metric) == expected
    assert value(OUTPUTS, make(FIRST), metric) == expected
    assert value(make(OUTPUTS), make(FIRST), metric) == expected


@pytest.mark.parametrize("make", COMPLETE.values(), ids=COMPLETE)
def test_containers_in_containers(make: Callable[[list[str]], Any]) -> None:
    expected = judge("bleu", OUTPUTS, FIRST, SECOND)
    assert value(OUTPUTS, [make(FIRST), make(SECOND)]) == expected
    assert value(OUTPUTS, {"a": make(FIRST), "b": make(SECOND)}) == expected
    found = tt.score({"x": make(OUTPUTS), "y": make(SECOND)}, references=FIRST)
    assert [(score.system, score.value) for score in found] == [
        ("x", judge("bleu", OUTPUTS, FIRST)),
        ("y", judge("bleu", SECOND, FIRST)),
    ]


@pytest.mark.parametrize("make", [list, tuple, iter, tt.Lines.of, objects, np.array, pd.Series, pl.Series])
def test_containers_per_segment(make: Callable[[list[str]], Any]) -> None:
    segments = (make([first, second]) for first, second in zip(FIRST, SECOND, strict=True))
    assert value(OUTPUTS, segments) == judge("bleu", OUTPUTS, FIRST, SECOND)


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_missing_texts_in_containers(make: Callable[[list[Any]], Any]) -> None:
    kept = [OUTPUTS[0], OUTPUTS[2]], [FIRST[0], FIRST[2]]
    for outputs, references in [(make(WITH_GAP), FIRST), (OUTPUTS, make([FIRST[0], None, FIRST[2]]))]:
        [score] = tt.score(outputs, references=references, metrics="chrf")
        assert (score.value, score.n) == (judge("chrf", *kept), 2)


@pytest.mark.parametrize("gap", [None, float("nan"), np.nan, pd.NA])
def test_missing_values(gap: Any) -> None:
    segments = tt.score([OUTPUTS[0], gap, OUTPUTS[2]], references=FIRST, metrics="ter", level="segment")
    assert [score.n for score in segments] == [1, 0, 1]
    assert [math.isnan(score.value) for score in segments] == [False, True, False]
    assert segments[1].parts == {}
    series = pd.Series([OUTPUTS[0], gap, OUTPUTS[2]], dtype=object)
    assert tt.score(series, references=FIRST)[0].n == 2


def test_text_survives_every_container() -> None:
    """Bytes of all lengths, empty texts, and characters that are line breaks elsewhere."""
    texts = ["", "é", "日本語 テスト", "a\u2028b", "x\x85y", "🙂🙃", "one\ntwo", "\x00", "a\r"]
    for name, make in COMPLETE.items():
        if name == "numpy strings" or name == "pandas with an index" or name == "arrow chunks":
            continue  # numpy drops a final NUL, the others are made for three texts
        assert tt.Lines.of(make(texts)) == tt.Lines.of(texts), name
        scores = tt.score(make(texts), references=texts, metrics="cer", level="segment")
        assert [score.value for score in scores] == [0.0] * len(texts), name


def test_arrow_text_is_not_copied() -> None:
    array = pa.array(OUTPUTS)
    lines = tt.Lines.of(array)
    assert np.asarray(lines.buffer).__array_interface__["data"][0] == array.buffers()[2].address


# Frames


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "mapping": dict,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_of_systems(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    found = tt.score(make({"old": SECOND, "new": OUTPUTS}), references=FIRST, metrics="bleu,wer")
    assert [(score.system, score.metric, score.value) for score in found] == [
        (name, metric, judge(metric, texts, FIRST))
        for name, texts in (("old", SECOND), ("new", OUTPUTS))
        for metric in ("bleu", "wer")
    ]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_of_references(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    assert value(OUTPUTS, make({"A": FIRST, "B": SECOND})) == judge("bleu", OUTPUTS, FIRST, SECOND)
    ragged = [SECOND[0], None, SECOND[2]]
    assert value(OUTPUTS, make({"A": FIRST, "B": ragged})) == judge("bleu", OUTPUTS, FIRST, ragged)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_is_not_a_column(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    frame = make({"A": FIRST, "B": SECOND})
    if isinstance(frame, dict):
        assert refusal({"x": frame}, FIRST).startswith("references: 3 lines, but 2 outputs")
        return
    assert refusal({"x": frame}, FIRST) == "x: a table with the columns A, B; pass one of its columns"
    assert refusal(OUTPUTS, FIRST, sources=frame) == "sources: a table with the columns A, B; pass one of its columns"


# Layouts of references


def by_segment(*streams: list[Any]) -> list[list[Any]]:
    return [list(texts) for texts in zip(*streams, strict=True)]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_one_reference_in_three_layouts(metric: str) -> None:
    expected = judge(metric, OUTPUTS, FIRST)
    for references in (FIRST, [FIRST], by_segment(FIRST), {"only": FIRST}, [tuple(FIRST)], np.array(by_segment(FIRST))):
        assert value(OUTPUTS, references, metric) == expected


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_several_references_in_both_layouts(metric: str) -> None:
    expected = judge(metric, OUTPUTS, FIRST, SECOND)
    for references in (
        [FIRST, SECOND],
        by_segment(FIRST, SECOND),
        tuple(zip(FIRST, SECOND, strict=True)),
        zip(FIRST, SECOND, strict=True),
        np.array([FIRST, SECOND]),
        np.array([FIRST, SECOND]).T,
        {"A": FIRST, "B": SECOND},
        pd.Series(by_segment(FIRST, SECOND)),
        pl.Series(by_segment(FIRST, SECOND)),
        pa.array(by_segment(FIRST, SECOND)),
        pa.chunked_array([by_segment(FIRST, SECOND)[:1], by_segment(FIRST, SECOND)[1:]]),
        tt.References((tt.Lines.of(FIRST), tt.Lines.of(SECOND)), 3),
    ):
        assert value(OUTPUTS, references, metric) == expected
    assert expected != value(OUTPUTS, FIRST, metric)


def test_transposed_references_are_no_perfect_score() -> None:
    """Three outputs, three lists of one: sacreBLEU reads one segment and is silent; here there is one reading."""
    wrong = ["x y z", "x y z", "x y z"]
    assert value(OUTPUTS, by_segment([OUTPUTS[0], *wrong[1:]])) == judge("bleu", OUTPUTS, [OUTPUTS[0], *wrong[1:]])
    assert value(OUTPUTS, by_segment([OUTPUTS[0], *wrong[1:]])) < 60


def test_ragged_references() -> None:
    ragged = [[FIRST[0]], [FIRST[1], SECOND[1], OUTPUTS[1]], [FIRST[2], SECOND[2]]]
    streams = [FIRST, [None, SECOND[1], SECOND[2]], [None, OUTPUTS[1], None]]
    for metric in ("bleu", "chrf", "ter"):
        expected = judge(metric, OUTPUTS, *streams)
        assert value(OUTPUTS, ragged, metric) == expected
        assert value(OUTPUTS, streams, metric, layout="streams") == expected
        assert value(OUTPUTS, dict(enumerate(streams)), metric) == expected
        assert value(OUTPUTS, [FIRST[0], *ragged[1:]], metric) == expected, "a text among lists is one reference"


@pytest.mark.parametrize("nothing", [[], None, [None], [None, None]])
def test_segments_without_reference_are_not_scored(nothing: Any) -> None:
    with pytest.warns(tt.TertiumWarning, match="1 of 3 segments has no reference and is not scored"):
        [score] = tt.score(OUTPUTS, references=[[FIRST[0]], nothing, [FIRST[2]]], metrics="chrf")
    assert (score.n, score.value) == (2, judge("chrf", [OUTPUTS[0], OUTPUTS[2]], [FIRST[0], FIRST[2]]))


SQUARE = [FIRST, SECOND, [OUTPUTS[0], FIRST[1], SECOND[2]]]


def test_ambiguous_layout() -> None:
    assert refusal(OUTPUTS, SQUARE) == (
        "references: 3 lists of 3 texts for 3 outputs can be read per segment or per stream; "
        'say which with layout="segments" or layout="streams"'
    )
    assert value(OUTPUTS, SQUARE, layout="streams") == judge("bleu", OUTPUTS, *SQUARE)
    turned = by_segment(*SQUARE)
    assert value(OUTPUTS, turned, layout="segments") == judge("bleu", OUTPUTS, *SQUARE)
    assert value(OUTPUTS, SQUARE, layout="segments") == judge("bleu", OUTPUTS, *turned)
    assert judge("bleu", OUTPUTS, *turned) != judge("bleu", OUTPUTS, *SQUARE).expected
    assert value(OUTPUTS, dict(zip("abc", SQUARE, strict=True))) == judge("bleu", OUTPUTS, *SQUARE)


def test_layout_must_fit() -> None:
    unfit = (
        "references: 2 lists of 3 texts do not fit 3 outputs; expected one list per segment (3 lists), "
        "or one list per stream (lists of 3 texts)"
    )
    assert refusal(OUTPUTS, [FIRST, SECOND], layout="segments") == unfit
    assert refusal(OUTPUTS, by_segment(FIRST, SECOND), layout="streams") == unfit.replace(
        "2 lists of 3 texts", "3 lists of 2 texts"
    )
    assert refusal(OUTPUTS, FIRST, layout="rows") == 'layout=\'rows\' is unknown; choose "segments" or "streams"'


# Nothing is cut


@pytest.mark.parametrize(
    ("outputs", "references", "sentence"),
    [
        (OUTPUTS, FIRST[:2], "references: 2 lines, but 3 outputs; there must be one per segment"),
        (OUTPUTS[:2], FIRST, "references: 3 lines, but 2 outputs; there must be one per segment"),
        (OUTPUTS, [], "references: 0 lines, but 3 outputs; there must be one per segment"),
        (
            OUTPUTS,
            [FIRST, SECOND[:2]],
            "references: 2 lists of 2 to 3 texts do not fit 3 outputs; expected one list per segment (3 lists), "
            "or one list per stream (lists of 3 texts)",
        ),
        (
            OUTPUTS,
            by_segment(FIRST, SECOND)[:2],
            "references: 2 lists of 2 texts do not fit 3 outputs; expected one list per segment (3 lists), "
            "or one list per stream (lists of 3 texts)",
        ),
        (
            OUTPUTS,
            {"A": FIRST, "B": SECOND[:2]},
            "reference stream 2: 2 lines, but 3 outputs; there must be one per segment",
        ),
        (
            {"x": OUTPUTS, "y": OUTPUTS[:2]},
            FIRST,
            "system y: 2 lines, but test set testset has 3 segments. Did the decoder drop empty lines?",
        ),
        (
            {"x": OUTPUTS, "y": [*OUTPUTS, "more"]},
            FIRST,
            "system y: 4 lines, but test set testset has 3 segments. "
            "Did a line break inside a segment split it in two?",
        ),
        (
            OUTPUTS,
            tt.References((tt.Lines.of(FIRST[:2]),), 2),
            "test set testset: references: 2 lines, but there are 3 segments",
        ),
    ],
)
def test_lengths_must_agree(outputs: Any, references: Any, sentence: str) -> None:
    assert refusal(outputs, references) == sentence


def test_other_lengths_must_agree() -> None:
    assert refusal(OUTPUTS, FIRST, sources=FIRST[:2]) == (
        "test set testset: sources: 2 lines, but there are 3 segments"
    )
    assert refusal(OUTPUTS, FIRST, documents=["a"]) == "test set testset: documents: 1 line, but there are 3 segments"


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        ([], "test set testset is empty: there is no segment to score"),
        ({}, "outputs: an empty mapping; pass at least one system"),
        ({"x": "a b"}, "x: a single string; pass a list of strings, one per segment"),
        (["a", 5], "outputs[1] is int 5; expected a string, or None where it is missing"),
        (["a", 0.5], "outputs[1] is float 0.5; expected a string, or None where it is missing"),
        (["a", b"b"], "outputs[1] is bytes b'b'; expected a string, or None where it is missing"),
        ([["a"], ["b"]], "outputs[0] is list ['a']; expected a string, or None where it is missing"),
        (
            ["a", "b\ud83d"],
            "outputs[1]: character 1 is the lone surrogate U+D83D, which is not text; "
            "read the file as UTF-8, without errors='surrogateescape'",
        ),
    ],
)
def test_wrong_outputs(outputs: Any, sentence: str) -> None:
    assert refusal(outputs, FIRST[: len(outputs)]) == sentence


def test_wrong_references() -> None:
    assert refusal(OUTPUTS, ["a", "\udcff", "c"]) == (
        "references[1]: character 0 is the lone surrogate U+DCFF, which is not text; "
        "read the file as UTF-8, without errors='surrogateescape'"
    )
    assert refusal(OUTPUTS, [FIRST, ["a", 7, "c"]]) == (
        "references[1][1] is int 7; expected a string, or None where it is missing"
    )
    for nothing in (None, [None] * 3, [[], [], []]):
        assert refusal(OUTPUTS, nothing).startswith("bleu needs references, and test set testset has none")


def test_arrow_bytes_that_are_no_text() -> None:
    array = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.int32([0, 2]).tobytes()), pa.py_buffer(b"\xff\xfe")]
    )
    assert refusal(array, ["a"]) == "outputs[0]: the Arrow array holds bytes that are not UTF-8"


# What is asked


def test_empty_outputs_are_scored() -> None:
    found = tt.score(["", "", ""], references=FIRST, metrics="bleu,chrf,ter,wer,wip")
    assert [(score.value, score.n) for score in found] == [(0, 3), (0, 3), (100, 3), (100, 3), (0, 3)]
    assert value(["", *OUTPUTS[1:]], FIRST) == judge("bleu", ["", *OUTPUTS[1:]], FIRST)


def test_single_string() -> None:
    expected = judge("bleu", OUTPUTS[:1], FIRST[:1])
    assert value(OUTPUTS[0], FIRST[0]) == expected
    assert value(OUTPUTS[0], FIRST[:1]) == expected
    assert value(OUTPUTS[0], [FIRST[0], SECOND[0]]) == judge("bleu", OUTPUTS[:1], FIRST[:1], SECOND[:1])
    assert value(OUTPUTS[0], (FIRST[0], SECOND[0])) == judge("bleu", OUTPUTS[:1], FIRST[:1], SECOND[:1])
    assert value(OUTPUTS[0], FIRST[0], sources="eine Katze") == expected
    [segment] = tt.score(OUTPUTS[0], references=FIRST[0], level="segment")
    sentence = BLEU(effective_order=True).sentence_score(OUTPUTS[0], FIRST[:1]).score
    assert segment.value == pytest.approx(sentence, rel=1e-12)


def test_one_output_in_a_list() -> None:
    expected = judge("bleu", OUTPUTS[:1], FIRST[:1], SECOND[:1])
    for references in ([[FIRST[0], SECOND[0]]], [[FIRST[0]], [SECOND[0]]]):
        assert value(OUTPUTS[:1], references) == expected


def test_two_outputs() -> None:
    """As many lists as there are often streams, but of lengths that only segments have."""
    outputs, streams = OUTPUTS[:2], [FIRST[:2], SECOND[:2], OUTPUTS[1:]]
    assert value(outputs, by_segment(FIRST[:2])) == judge("bleu", outputs, FIRST[:2])
    assert value(outputs, by_segment(*streams)) == judge("bleu", outputs, *streams)
    assert value(outputs, streams) == judge("bleu", outputs, *streams)
    assert "can be read per segment or per stream" in refusal(outputs, streams[:2])


def test_systems_as_objects() -> None:
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in (("x", OUTPUTS), ("y", SECOND))]
    assert [score.system for score in tt.score(systems, references=FIRST)] == ["x", "y"]
    assert value(systems[1], FIRST) == judge("bleu", SECOND, FIRST)
    assert refusal([systems[0], systems[0]], FIRST).startswith("two systems are called x;")


def test_what_a_score_says() -> None:
    [score] = tt.score(OUTPUTS, references=FIRST, metrics=tt.parse("chrf(words=2)"))
    assert isinstance(score, tt.Score)
    assert (score.system, score.metric, score.level, score.n) == ("output", "chrf(words=2)", "corpus", 3)
    assert score.segment is score.document is score.interval is None
    assert (
        float(score) == score.value == pytest.approx(CHRF(word_order=2).corpus_score(OUTPUTS, [FIRST]).score, rel=1e-12)
    )
    assert score.signature.startswith("chrf(words=2)|refs:1|n:3|data:")
    assert score.signature.endswith(f"|tertium:{tt.__version__}")


def test_metrics_in_every_form() -> None:
    texts = ["bleu", "chrf(words=2)"]
    for metrics in ("bleu, chrf(words=2)", texts, tuple(texts), iter(texts), map(tt.parse, texts), [*texts, "bleu"]):
        assert [score.metric for score in tt.score(OUTPUTS, references=FIRST, metrics=metrics)] == texts
    assert [score.metric for score in tt.score(OUTPUTS, references=FIRST)] == ["bleu"]
    assert refusal(OUTPUTS, FIRST, metrics=[]) == "no metric to score with; name at least one, such as bleu (-m bleu)"
    assert refusal(OUTPUTS, FIRST, metrics="blue").startswith("unknown metric 'blue'; did you mean 'bleu'?")


def test_documents() -> None:
    documents = ["x", "y", "x"]
    for given in (documents, tuple(documents), pd.Series(documents), np.array(documents)):
        found = tt.score(OUTPUTS, references=FIRST, metrics="bleu", level="document", documents=given)
        assert [(score.document, score.n, score.value) for score in found] == [
            ("x", 2, judge("bleu", [OUTPUTS[0], OUTPUTS[2]], [FIRST[0], FIRST[2]])),
            ("y", 1, judge("bleu", OUTPUTS[1:2], FIRST[1:2])),
        ]
        assert {score.level for score in found} == {"document"}
    gap = tt.score(WITH_GAP, references=FIRST, metrics="wer", level="document", documents=documents)
    assert [score.n for score in gap] == [2, 0]
    assert math.isnan(gap[1].value)
    assert refusal(OUTPUTS, FIRST, level="document").startswith("test set testset has no documents;")
    assert refusal(OUTPUTS, FIRST, level="sentence") == (
        "level 'sentence' is unknown; choose from corpus, document, segment"
    )


def test_segments() -> None:
    found = tt.score({"x": OUTPUTS, "y": SECOND}, references=[FIRST, SECOND], metrics="ter", level="segment")
    assert [(score.system, score.segment, score.level) for score in found] == [
        (system, str(k), "segment") for system in "xy" for k in (1, 2, 3)
    ]
    assert [score.value for score in found[:3]] == [
        judge("ter", [output], [first], [second]) for output, first, second in zip(OUTPUTS, FIRST, SECOND, strict=True)
    ]
    assert [score.value for score in found[3:]] == [0, 0, 0]


def test_confidence() -> None:
    n, trials, seed = len(OUTPUTS), 400, 5
    [score] = tt.score(OUTPUTS, references=FIRST, metrics="wer", confidence=0.9, trials=trials, seed=seed)
    drawn = np.random.default_rng(seed).integers(0, n, size=(trials, n))
    found = sorted(100 * jiwer.wer([FIRST[k] for k in some], [OUTPUTS[k] for k in some]) for some in drawn)
    assert (score.interval.low, score.interval.high) == pytest.approx((found[20], found[379]), rel=1e-12)
    assert score.interval.confidence == 0.9
    assert score.interval.low < score.value < score.interval.high
    assert score.signature.endswith(f"|bs:{trials}|seed:{seed}|ci:0.9")
    assert score.value == judge("wer", OUTPUTS, FIRST)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"confidence": 95}, "confidence 95: must lie between 0 and 1, such as 0.95"),
        ({"confidence": 0}, "confidence 0: must lie between 0 and 1, such as 0.95"),
        ({"confidence": 1.0}, "confidence 1.0: must lie between 0 and 1, such as 0.95"),
        ({"confidence": 0.95, "trials": 0}, "0 resamples: at least one is needed"),
        ({"confidence": 0.95, "seed": -1}, "seed -1: must not be negative"),
        ({"confidence": 0.95, "level": "segment"}, "intervals are for corpus scores; level is segment"),
    ],
)
def test_wrong_confidence(options: dict[str, Any], sentence: str) -> None:
    assert refusal(OUTPUTS, FIRST, **options) == sentence


def test_intervals_rest_on_the_segments_that_are_scored() -> None:
    options: dict[str, Any] = {"metrics": "bleu,wer", "confidence": 0.8, "trials": 60}
    gaps = tt.score([None, *OUTPUTS, None], references=["a", *FIRST, "b"], **options)
    whole = tt.score(OUTPUTS, references=FIRST, **options)
    assert [(score.value, score.n, score.interval) for score in gaps] == [
        (score.value, score.n, score.interval) for score in whole
    ]


def test_nothing_scored_has_no_interval() -> None:
    [score] = tt.score([None, None], references=FIRST[:2], confidence=0.95)
    assert math.isnan(score.value)
    assert (score.n, score.interval, score.parts) == (0, None, {})


@dataclass
class Corpus:
    outputs: list[str]
    references: list[list[str]]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """More segments than one shard holds."""
    rng = random.Random(3)

    def text() -> str:
        return " ".join(rng.choices("a b c d e f the of".split(), k=rng.randint(0, 9)))

    return Corpus([text() for _ in range(9000)], [[text() for _ in range(9000)] for _ in range(2)])


def test_threads_that_are_no_number_are_refused() -> None:
    with pytest.raises(tt.TertiumError, match=r"threads: '2'; must be a whole number"):
        tt.Run(threads="2")  # type: ignore[arg-type]


@pytest.mark.parametrize("references", [1, 2])
def test_threads_do_not_change_scores(corpus: Corpus, references: int) -> None:
    streams = corpus.references[:references]
    options: dict[str, Any] = {
        "references": streams,
        "metrics": "bleu,chrf,ter,wer,per",
        "confidence": 0.95,
        "trials": 10,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, *others = (tt.score(corpus.outputs, run=tt.Run(threads=threads), **options) for threads in (1, 2, 5, None))
    assert all(other == one for other in others)
    assert one[0].value == judge("bleu", corpus.outputs, *streams)
    segments = [
        tt.score(corpus.outputs, references=streams, metrics="ter", level="segment", run=tt.Run(threads=threads))
        for threads in (1, 4)
    ]
    assert segments[0] == segments[1]


# Warnings


def test_few_segments() -> None:
    sentence = "only 3 segments: scores of so small a test set are not reliable"
    with pytest.warns(tt.TertiumWarning) as caught:
        tt.score(OUTPUTS, references=FIRST)
    assert [str(warning.message) for warning in caught] == [sentence]
    assert caught[0].filename == __file__, "the warning points at the caller"


@pytest.mark.parametrize("count", [99, 100])
def test_a_hundred_segments_are_enough(count: int) -> None:
    texts = [f"line {k}" for k in range(count)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tt.score(texts, references=texts)
    assert len(caught) == (count < 100)


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        ([f"line {k} ." for k in range(100)], "x: 100 or more lines end in a space and a period"),
        (["the same"] * 100, "x: all 100 outputs are the same"),
        ([None, *(f"line {k}" for k in range(99))], "x: 1 of 100 outputs is missing and not scored"),
    ],
)
def test_suspicious_outputs(outputs: list[Any], sentence: str) -> None:
    references = [f"line {k}" for k in range(100)]
    with pytest.warns(tt.TertiumWarning) as caught:
        tt.score({"x": outputs}, references=references)
    assert [str(warning.message)[: len(sentence)] for warning in caught] == [sentence]


# Evaluations


def evaluation(outputs: dict[str, list[Any]], metrics: Iterable[str], documents: Any = None) -> tt.Evaluation:
    streams = (tt.Lines.of(FIRST), tt.Lines.of([SECOND[0], None, SECOND[2]]))
    testset = tt.TestSet(name="three", segments=3, references=tt.References(streams, 3), documents=documents)
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in outputs.items()]
    return tt.evaluate(testset, systems, list(metrics))


@pytest.mark.parametrize("texts", [True, False])
def test_saved_and_loaded(tmp_path: Path, texts: bool) -> None:
    made = evaluation({"x": OUTPUTS, "gaps": WITH_GAP}, ["bleu", "chrf(words=2)", "wer"], ("p", "q", "p"))
    tt.save(made, tmp_path / "made.zip", texts=texts)
    again = tt.load(tmp_path / "made.zip")
    for level in ("corpus", "document", "segment"):
        assert repr(tt.scores(again, level)) == repr(tt.scores(made, level))
    assert tt.scores(again, confidence=0.9, trials=50) == tt.scores(made, confidence=0.9, trials=50)
    assert again.testset.digest == made.testset.digest
    assert again.warnings == made.warnings != ()
    assert again.signatures == made.signatures
    assert (b"cat sat" in b"".join(members(tmp_path / "made.zip"))) == texts
    tt.save(again, tmp_path / "again.zip", texts=texts)
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "made.zip").read_bytes()


def members(path: Path) -> Iterator[bytes]:
    import zipfile

    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            yield archive.read(name)


def test_merged(tmp_path: Path) -> None:
    parts = [
        evaluation({"x": OUTPUTS}, ["bleu"]),
        evaluation({"y": SECOND}, ["bleu"]),
        evaluation({"x": OUTPUTS}, ["ter"]),
    ]
    for k, part in enumerate(parts):
        tt.save(part, tmp_path / f"{k}.zip", texts=k != 1)
    first, second, third = (tt.load(tmp_path / f"{k}.zip") for k in range(3))
    merged = first.merge(second).merge(third)
    whole = {
        (score.system, score.metric): score
        for score in evaluation({"x": OUTPUTS, "y": SECOND}, ["bleu", "ter"]).scores()
    }
    assert {(score.system, score.metric): score for score in merged.scores()} == {
        key: whole[key] for key in (("x", "bleu"), ("y", "bleu"), ("x", "ter"))
    }
    assert second.merge(first).testset.has_texts, "texts come from whichever has them"


def test_merging_other_test_sets_or_outputs() -> None:
    mine = evaluation({"x": OUTPUTS}, ["bleu"])
    with pytest.raises(tt.TertiumError, match=r"^evaluations of different test sets cannot be merged: three \("):
        mine.merge(evaluation({"x": OUTPUTS}, ["bleu"], ("p", "q", "r")))
    with pytest.raises(
        tt.TertiumError, match=r"^both evaluations have a system x, with different outputs; rename one$"
    ):
        mine.merge(evaluation({"x": SECOND}, ["bleu"]))


def test_statistics_are_public() -> None:
    stats = evaluation({"x": WITH_GAP}, ["wer"]).stats("x", "wer")
    assert stats.columns == ("hits", "substitutions", "deletions", "insertions")
    kept = [jiwer.process_words(FIRST[k], OUTPUTS[k]) for k in (0, 2)]
    expected = [[float(getattr(edits, name)) for name in stats.columns] for edits in kept]
    assert stats.segments()[[0, 2]].tolist() == expected
    assert stats.segments()[1].tolist() == [0, 0, 0, 0]
    assert stats.scored.tolist() == [True, False, True]
    assert stats.weigh([2, 1, 0]).tolist() == [2 * count for count in expected[0]]


def test_unknown_statistics() -> None:
    with pytest.raises(tt.TertiumError) as caught:
        evaluation({"x": OUTPUTS}, ["wer"]).stats("y", "wer")
    assert str(caught.value) == "no statistics of system 'y' under wer; there are: (x, wer)"
