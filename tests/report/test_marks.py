"""What metrics mark is shown in the segment browser, whoever wrote the metric."""

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tertium as tt
from tertium.core.errors import InputError, SegmentError
from tertium.core.judgement import Span
from tertium.core.marks import Link, Marks
from tertium.core.metric import REGISTRY, Prepared
from tertium.core.stats import Stats
from tertium.metrics import known
from tertium.report.evidence import code_units, names_code
from tertium.report.results import Results
from tertium.report.segments import texts

OUTPUTS: list[str | None] = ["the \U0001f600 cat sat", "a dog", "a dog", None, ""]
REFERENCES = ["so the cat sits", "a dog", "the dog", "x", "y"]
SOURCES = ["die Katze sass", "ein Hund", "der Hund", "nichts", "auch nichts"]


@pytest.fixture
def finder() -> Iterator[Any]:
    """A metric from outside: it marks errors in outputs and sources, and says one that has no place."""
    known()  # all of ours are there, whoever asks for them first
    before = dict(REGISTRY)

    @tt.metric
    class Finder:
        """Errors per output."""

        name: ClassVar[str] = "finder"
        title: ClassVar[str] = "Finder"
        better: ClassVar[Literal["higher", "lower"]] = "lower"
        range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
        needs: ClassVar[frozenset[str]] = frozenset({"references"})
        resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
        decimals: ClassVar[int] = 1

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
            return Prepared(references=testset.references)

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:  # noqa: ARG002
            scored = prepared.scorable(outputs)
            rows = np.ones((len(outputs), 2))
            return Stats(("errors", "segments"), rows if scored is None else rows * scored[:, None], scored)

        def score(self, sums: Any) -> Any:
            return np.asarray(sums)[..., 0] / np.maximum(np.asarray(sums)[..., 1], 1)

        def marks(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> list[Marks]:  # noqa: ARG002
            return [self.found(text) for text in outputs]

        def found(self, text: str | None) -> Marks:
            if not text:
                return Marks()
            return Marks(
                spans=(
                    Span(start=len(text) - 3, end=len(text), severity="minor", category="tense"),
                    Span(start=0, end=3, severity="major", category="<b>", side="source"),
                    Span(start=0, end=0, severity="major", category="tone", side="none"),
                )
            )

    yield Finder
    REGISTRY.clear()
    REGISTRY.update(before)


def evaluation(metrics: Any, systems: dict[str, list[str | None]] | None = None) -> tt.Evaluation:
    testset = tt.TestSet(
        segments=5,
        sources=tt.Lines.of(SOURCES),
        references=tt.References((tt.Lines.of(REFERENCES),), 5),
    )
    given = {"a": OUTPUTS} if systems is None else systems
    return tt.evaluate(testset, [tt.System(name=name, outputs=tt.Lines.of(o)) for name, o in given.items()], metrics)


def texts_of(results: Results) -> dict[str, Any]:
    return texts(results, results.held.numbers)


def shown(metrics: Any) -> dict[str, Any]:
    return texts_of(Results(evaluation=evaluation(metrics), trials=10))


def test_error_spans_of_any_metric_are_in_the_page(finder: Any) -> None:
    """Places are JavaScript's, which counts the face as two."""
    page = tt.make_report(evaluation(["bleu", finder()]), trials=10).html()
    [packed] = re.findall(r'id="data-texts">([^<]+)<', page)
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert [legend["name"] for legend in data["marks"]] == ["BLEU", "Finder"]
    assert data["marks"][1:] == [
        {
            "name": "Finder",
            "kinds": ["exact"],
            "styles": ["major", "minor"],
            "ranks": [0, 1],
            "hits": [],
            "noted": [],
            "depths": [],
            "read": False,
            "aligned": False,
        }
    ]
    first = [[3, 0, 0, 0, "major tone"], [2, 0, 3, 0, "major <b>"], [0, 11, 14, 1, "minor tense"]]
    assert data["segments"][0]["m"][1] == {"r": [], "o": [[-1, 0, [], first, 0]]}
    assert data["segments"][3]["m"][1] == {"r": [], "o": [None]}  # missing
    assert data["segments"][4]["m"][1] == {"r": [], "o": [None]}  # empty: nothing found


def test_what_is_matched_is_in_the_page() -> None:
    """In the order of the text, as JavaScript counts: the face is two. The second `the` is one too many as a word."""
    systems: dict[str, list[str | None]] = {"a": ["the \U0001f600 the cat sat", *OUTPUTS[1:]]}
    page = texts_of(Results(evaluation=evaluation(["bleu"], systems), trials=10))
    [legend] = page["marks"]
    assert legend["hits"] == ["1-gram", "2-gram"]
    assert legend["noted"] == [False, False]
    assert not legend["aligned"]
    [marks] = page["segments"][0]["m"]
    # `the cat` is a 2-gram that counts where it stands; the first `the` counts as a word
    assert marks["o"] == [[-1, 0, [], [], 0, [0, 0, 3, 2, 4, 7]]]
    assert page["segments"][1]["m"][0]["o"] == [[-1, 0, [], [], 0, [2, 0, 5]]]


def test_what_is_clipped_says_how_often() -> None:
    systems: dict[str, list[str | None]] = {"a": ["the x the", *OUTPUTS[1:]]}
    page = texts_of(Results(evaluation=evaluation(["macrof", "precision", "per"], systems), trials=10))
    for marks in page["segments"][0]["m"]:
        [entry] = marks["o"]
        assert entry[5] == [0, 0, 3, 3, 3, 3, "2 here, 1 in a reference"]
    per = page["segments"][0]["m"][2]
    assert per["r"] == [[0, 0]]  # which reference is meant is told


def test_the_rejected_alignment_is_in_the_page() -> None:
    """Both `the` stand in order; the other way round their lines would cross."""
    systems: dict[str, list[str | None]] = {"a": ["the cat saw the dog", *OUTPUTS[1:]]}
    testset = tt.TestSet(
        segments=5,
        references=tt.References((tt.Lines.of(["the cat saw the dog there", *REFERENCES[1:]]),), 5),
    )
    found = tt.evaluate(
        testset, [tt.System(name=name, outputs=tt.Lines.of(o)) for name, o in systems.items()], ["meteor"]
    )
    page = texts_of(Results(evaluation=found, trials=10))
    [entry] = page["segments"][0]["m"][0]["o"]
    assert entry[2] == [0, 0, 19, 0]
    assert entry[6] == [0, 12, 3, 0, 0, -15, 3, 9]  # 12 of the output for 0 of the reference, 0 of the output for 12


def test_the_same_output_is_looked_at_once(finder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []
    found = finder.found
    monkeypatch.setattr(finder, "found", lambda self, text: (asked.append(text), found(self, text))[1])
    systems: dict[str, list[str | None]] = {"a": ["x y z"] * 5, "b": [*["x y z"] * 4, "u v w"]}
    texts_of(Results(evaluation=evaluation([finder()], systems), trials=10))
    assert [text for text in asked if text] == ["x y z"] * 5 + ["u v w"]


def test_marks_that_lie_outside_are_told(finder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Marks(spans=(Span(start=0, end=99, severity="major"),))
    monkeypatch.setattr(finder, "found", lambda _, text: wrong if text else Marks())
    with pytest.raises(SegmentError, match=r"^a, segment 1: finder: marks characters 0 to 99 of the output"):
        tt.make_report(evaluation([finder()]), trials=10)


def test_a_metric_whose_files_are_not_here_shows_nothing(finder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object) -> None:
        raise InputError("model.bin: no such file")

    monkeypatch.setattr(finder, "found", absent)
    page = shown([finder()])
    assert page["marks"] == []
    assert "m" not in page["segments"][0]


def test_links_of_any_order_and_kind(finder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the reference, whatever order they are given in; numbers of numpy are numbers."""
    given = Marks(
        links=(
            Link("exact", (np.int64(0), np.int64(3)), (3, 6)),  # type: ignore[arg-type]
            Link("moved", (10, 13), (0, 2)),
        ),
        reference=0,
    )
    monkeypatch.setattr(finder, "found", lambda _, text: given if text == OUTPUTS[0] else Marks())
    page = shown([finder()])
    assert page["marks"][0]["kinds"] == ["exact", "moved"]
    [marks] = page["segments"][0]["m"]
    [entry] = filter(None, marks["o"])
    # kind 1, lengths differ: at 11 in JavaScript's count, 3 long, at 0, 2 long; kind 0, the same: 14 back, 3 long, 1 on
    assert entry == [0, 0, [3, 11, 3, 0, 2, 0, -14, 3, 1]]
    assert marks["r"] == [[0, 0]]
    json.dumps(page)


def test_texts_as_a_metric_reads_them(finder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read = {"a dog": {"output": "A DOG", "reference": "a  dog"}}
    monkeypatch.setattr(
        finder, "found", lambda _, text: Marks(reference=0, read=read[text]) if text in read else Marks()
    )
    page = shown([finder()])
    assert page["marks"][0]["read"] is True
    [marks] = page["segments"][1]["m"]
    assert [0, "A DOG", []] in marks["o"]
    assert marks["r"] == [[0, "a  dog"]]


def test_showing_runs_no_code_that_an_option_names() -> None:
    assert names_code(tt.parse('wer(tokenize="py:os:system")'))
    assert names_code(tt.parse('wer(tokenize="spm:/model")'))
    assert not names_code(tt.parse("wer"))
    assert [legend["name"] for legend in shown(['wer(tokenize="py:builtins:str.split")', "wer"])["marks"]] == ["WER"]


def test_pages_know_no_metric_by_name() -> None:
    """What a metric shows comes from the metric: no page imports one."""
    pages = Path(tt.__file__).parent / "report"
    named = re.compile(r"tertium\.metrics\.\w+|from tertium\.metrics import (?!known|load|parse)")
    assert [path.name for path in pages.rglob("*.py") if named.search(path.read_text(encoding="utf-8"))] == []
    scripts = "".join(path.read_text(encoding="utf-8").lower() for path in (pages / "assets").glob("*.js"))
    assert not {name for name in known() if re.search(rf"\b{name}\b", scripts)} - {"human", "scores", "function"}


@given(st.text())
def test_code_units(text: str) -> None:
    table = code_units(text) or range(len(text) + 1)
    assert list(table) == [len(text[:k].encode("utf-16-le", "surrogatepass")) // 2 for k in range(len(text) + 1)]


@pytest.mark.slow
def test_error_spans_in_a_browser(read: Callable[..., Any], finder: Any, tmp_path: Path) -> None:
    """They are highlighted among the differences, and alone under the metric's name, with a legend of their own."""
    tt.make_report(evaluation(["bleu", finder()]), trials=10).save(tmp_path / "page.html")
    reader = read(tmp_path / "page.html")
    block = reader.page.locator("#detail .output", has_text="cat")
    assert block.locator("mark").all_inner_texts() == ["sat"]
    assert block.locator("mark").get_attribute("title") == "Finder: minor tense"
    assert reader.page.locator("#detail .text").first.locator("mark").first.inner_text() == "die"
    assert "Finder major tone" in block.locator(".found").inner_text()
    reader.page.locator("#against").select_option(label="Finder")
    assert block.locator("mark.style-1").all_inner_texts() == ["sat"]
    assert block.locator("ins, del").count() == 0
    assert reader.page.locator("#legend-marks mark").all_inner_texts() == ["major", "minor"]
    assert not reader.page.locator("#legend").is_visible()
