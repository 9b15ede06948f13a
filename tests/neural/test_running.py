"""How models run: what is read once, kept, halved, told; none of which changes a score."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError
from tertium.core.stats import Stats
from tertium.engines import door
from tertium.engines.models import pin
from tertium.io.model_cache import FILE, cache_facts

from .test_tiny_models import METRICS, close
from .tiny import OTHERS, OUTPUTS, REFERENCES, SOURCES, make_testset, values, write_comet, write_encoder

pytestmark = pytest.mark.neural

LONG = "the big cat sat on the mat and the small dog lay there under the rug . " * 8


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return METRICS[request.param](tmp_path)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts went through a network, call by call."""
    from tertium.learned.encoders.bert import Bert
    from tertium.learned.mt5 import Mt5

    calls: list[int] = []

    def counting(original: Callable[..., Any]) -> Callable[..., Any]:
        def called(self: Any, ids: Any, *rest: Any) -> Any:
            calls.append(len(ids))
            return original(self, ids, *rest)

        return called

    monkeypatch.setattr(Bert, "layers", counting(Bert.layers))
    monkeypatch.setattr(Mt5, "encode", counting(Mt5.encode))
    return calls


def rows(evaluation: tt.Evaluation) -> list[list[float]]:
    return [stats.segments().tolist() for stats in evaluation.table.values()]


def count(metric: str, systems: dict[str, list[str]], run: tt.Run | None = None) -> tt.Evaluation:
    named = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in systems.items()]
    return tt.evaluate(make_testset(REFERENCES, OTHERS), named, metric, run=run or tt.Run())


# The cache


def test_a_second_run_computes_nothing(metric: str, tmp_path: Path, read: list[int]) -> None:
    run = tt.Run(cache=str(tmp_path / "cache"))
    without = count(metric, {"s": OUTPUTS})
    first = count(metric, {"s": OUTPUTS}, run)
    assert read
    read.clear()
    second = count(metric, {"s": OUTPUTS}, run)
    assert read == []
    assert rows(second) == rows(first) == rows(without)  # to the last bit
    assert second.signatures == without.signatures
    count(metric, {"s": OUTPUTS}, tt.Run())
    assert read  # without the cache it is all to be done again


def test_what_is_new_is_all_that_is_read(metric: str, tmp_path: Path, read: list[int]) -> None:
    run = tt.Run(cache=str(tmp_path / "cache"))
    count(metric, {"s": OUTPUTS}, run)
    read.clear()
    count(metric, {"s": OUTPUTS}, tt.Run())
    whole = sum(read)
    read.clear()
    changed = ["the small dog", *OUTPUTS[1:]]
    found = count(metric, {"s": changed}, run)
    assert 0 < sum(read) < whole / 2
    for row, expected in zip(rows(found)[0], rows(count(metric, {"s": changed}))[0], strict=True):
        assert row == close(expected)


def test_precisions_models_and_options_share_nothing(tmp_path: Path, read: list[int]) -> None:
    model, other = write_comet(tmp_path / "m", "unified_metric"), write_comet(tmp_path / "n", "unified_metric", seed=9)
    bert = write_encoder(tmp_path / "b")
    run = tt.Run(cache=str(tmp_path / "cache"))
    for metric in (
        f'comet(model="{model}")',
        f'comet(model="{model}", precision="bfloat16")',
        f'comet(model="{model}", inputs="source")',
        f'comet(model="{other}")',
        f'bertscore(model="{bert}")',
        f'bertscore(model="{bert}", layer=1)',
        f'bertscore(model="{bert}", idf=True)',
        f'bertscore(model="{bert}", precision="bfloat16")',
    ):
        read.clear()
        kept = count(metric, {"s": OUTPUTS}, run)
        assert read, metric
        assert rows(kept) == rows(count(metric, {"s": OUTPUTS})), metric


def test_a_layer_by_its_number_is_the_last(tmp_path: Path, read: list[int]) -> None:
    bert, run = write_encoder(tmp_path / "b"), tt.Run(cache=str(tmp_path / "cache"))
    last = values(f'bertscore(model="{bert}")', run=run)
    read.clear()
    assert values(f'bertscore(model="{bert}", layer=2)', run=run) == last
    assert read == []


def test_idf_is_that_of_the_references_at_hand(tmp_path: Path) -> None:
    metric, run = METRICS["bertscore-idf"](tmp_path), tt.Run(cache=str(tmp_path / "cache"))
    one = values(metric, REFERENCES, run=run)
    other = values(metric, [*REFERENCES[:5], "mat mat mat"], run=run)
    assert other == close(values(metric, [*REFERENCES[:5], "mat mat mat"]))
    assert other[:5] != close(one[:5])


KILLED = """
import sys
import tertium as tt
from tests.neural.tiny import OUTPUTS, REFERENCES, make_testset
metric, folder = sys.argv[1:]

def tell(stage, done, total):
    if stage.startswith(("encoding outputs", "reading")) and 0 < done < total:
        print(done, total, flush=True)
        sys.stdin.readline()  # the gate, which nobody opens

systems = [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS))]
run = tt.Run(cache=folder, batch=1, progress=tell)
tt.evaluate(make_testset(REFERENCES), systems, metric, run=run)
"""


@pytest.mark.parametrize("name", ["regression", "xcomet", "bleurt", "metricx"])
def test_what_was_worked_out_before_a_kill_is_kept(name: str, tmp_path: Path, read: list[int]) -> None:
    metric, folder = METRICS[name](tmp_path), tmp_path / "cache"
    expected = values(metric, REFERENCES)
    whole = sum(read)
    command = [sys.executable, "-c", KILLED, metric, str(folder)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()  # at the gate: one output is done
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = cache_facts(folder).entries
    assert kept == (13 if name == "regression" else 1)  # for COMET also the six sources and six references
    read.clear()
    assert values(metric, REFERENCES, run=tt.Run(cache=str(folder))) == close(expected)
    if name == "regression":  # of six outputs one is done, and one is also a reference
        assert sum(read) == 4
    else:
        assert sum(read) == whole * 5 / 6


def test_a_full_disk_while_scoring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.io import model_cache

    metric, notes = METRICS["xcomet"](tmp_path), []
    expected, opened = values(metric), model_cache._open

    def full(path: Path) -> Any:
        connection = opened(path)
        connection.execute("PRAGMA max_page_count = 5")
        return connection

    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.executescript("PRAGMA page_size = 512; VACUUM")
    connection.close()
    opened(tmp_path / FILE).close()
    monkeypatch.setattr(model_cache, "_open", full)
    run = tt.Run(cache=str(tmp_path), notes=notes.append, batch=1)
    assert values(metric, run=run) == close(expected)
    assert notes == [
        f"{tmp_path / FILE}: there is no room for it on the disk (tertium learn cache --clear empties it); scores are "
        f"worked out all the same, but no longer kept"
    ]
    assert 0 < cache_facts(tmp_path).entries < 6  # what was kept before is there


def test_without_a_listener_it_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, where a folder should be")
    metric = METRICS["bleurt"](tmp_path)
    with pytest.warns(tt.TertiumWarning, match="cannot be used as a cache"):
        found = values(metric, run=tt.Run(cache=str(tmp_path / "cache")))
    assert found == close(values(metric))


# What is read once


def test_the_same_texts_are_read_once(metric: str, read: list[int]) -> None:
    """Within a system and among systems, also without a cache."""
    count(metric, {"a": OUTPUTS})
    alone = sum(read)
    read.clear()
    both = count(metric, {"a": OUTPUTS, "b": OUTPUTS})
    assert sum(read) == alone
    assert rows(both)[0] == rows(both)[1]


def test_references_are_encoded_once_for_all_systems(tmp_path: Path, read: list[int]) -> None:
    """Nine systems cost as much as ten sides, not eighteen."""
    metric = METRICS["bertscore"](tmp_path)
    systems = {f"s{k}": [f"{text} {'on ' * (k + 1)}" for text in OUTPUTS] for k in range(9)}
    named = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in systems.items()]
    evaluation = tt.evaluate(make_testset(REFERENCES), named, metric)
    assert sum(read) == 9 * 6 + 6
    for name, found in zip(systems, rows(evaluation), strict=True):
        assert found == [
            close(row)
            for row in rows(tt.evaluate(make_testset(REFERENCES), [evaluation.systems[int(name[1])]], metric))[0]
        ]


def test_what_there_is_no_room_for_is_encoded_again(
    tmp_path: Path, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = METRICS["bertscore"](tmp_path)
    expected = rows(count(metric, {"a": OUTPUTS, "b": REFERENCES}))
    once = sum(read)
    monkeypatch.setattr("tertium.learned.bertscore.TOKENS_HELD", 1500)
    read.clear()
    assert rows(count(metric, {"a": OUTPUTS, "b": REFERENCES})) == [[close(row) for row in each] for each in expected]
    assert sum(read) > once


@pytest.mark.parametrize("name", ["unite", "xcomet", "bleurt", "bertscore"])
def test_references_and_sources_are_tokenised_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.learned.tokenizer import FastTokenizer

    seen: list[str] = []
    original = FastTokenizer.read

    def read(self: Any, texts: Any) -> Any:
        seen.extend(texts)
        return original(self, texts)

    monkeypatch.setattr(FastTokenizer, "read", read)
    others = ["rug", "big rug", "cat cat", "under", "here", "there"]
    count(METRICS[name](tmp_path), {"a": OUTPUTS, "b": others})
    references = [text for text in {*REFERENCES, *filter(None, OTHERS)} if text not in OUTPUTS]
    assert {text: seen.count(text) for text in references} == dict.fromkeys(references, 1)


# Memory, threads, progress


class Refusing:
    """Has no memory for more than so many ids, as torch says it."""

    def __init__(self, most: int, error: Exception) -> None:
        self.most, self.error, self.refused = most, error, 0

    def around(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def called(network: Any, ids: Any, *rest: Any) -> Any:
            if ids.numel() > self.most:
                self.refused += 1
                raise self.error
            return original(network, ids, *rest)

        return called


@pytest.fixture(params=["RuntimeError", "MemoryError", "OutOfMemoryError"])
def shortage(request: pytest.FixtureRequest, torch: Any) -> Exception:
    return {
        "RuntimeError": RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes."),
        "MemoryError": MemoryError(),
        "OutOfMemoryError": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
    }[request.param]


def test_a_batch_without_memory_is_halved(metric: str, shortage: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.learned.encoders.bert import Bert
    from tertium.learned.mt5 import Mt5

    expected, refusing = values(metric), Refusing(30, shortage)
    monkeypatch.setattr(Bert, "layers", refusing.around(Bert.layers))
    monkeypatch.setattr(Mt5, "encode", refusing.around(Mt5.encode))
    assert values(metric) == close(expected)
    assert 0 < refusing.refused < 10  # what was learnt once holds for the batches after it


def test_one_text_without_memory_is_told(tmp_path: Path, shortage: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.learned.encoders.bert import Bert

    metric = METRICS["bleurt"](tmp_path)
    monkeypatch.setattr(Bert, "layers", Refusing(5, shortage).around(Bert.layers))
    with pytest.raises(InputError) as refused:
        values(metric)
    assert str(refused.value) == (
        "reading outputs: there is not enough memory on cpu for one input of 17 tokens by itself; choose a smaller "
        'model, precision="bfloat16", or another device'
    )


def test_other_errors_are_not_taken_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.learned.encoders.bert import Bert

    metric = METRICS["bleurt"](tmp_path)
    monkeypatch.setattr(Bert, "layers", Refusing(5, RuntimeError("shapes do not match")).around(Bert.layers))
    with pytest.raises(RuntimeError, match="shapes do not match"):
        values(metric)


def test_torch_has_the_threads_of_the_run(tmp_path: Path, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.learned.encoders.bert import Bert

    metric, before, seen = METRICS["regression"](tmp_path), torch.get_num_threads(), []
    original = Bert.layers
    monkeypatch.setattr(Bert, "layers", lambda *rest: (seen.append(torch.get_num_threads()), original(*rest))[1])
    expected = values(metric)
    assert set(seen) == {before}
    seen.clear()
    assert values(metric, run=tt.Run(threads=before + 1)) == close(expected)
    assert set(seen) == {before + 1}
    assert torch.get_num_threads() == before
    with pytest.raises(InputError):
        values(METRICS["bleurt"](tmp_path / "x"), run=tt.Run(threads=before + 1, progress=_stop))
    assert torch.get_num_threads() == before


def _stop(stage: str, done: int, total: int) -> None:
    if stage.startswith("reading") and done:
        raise InputError(f"stopped at {done} of {total}")


def test_how_long_it_takes_is_told_after_the_first_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of six batches takes 30 seconds of a clock that goes as the test wants."""
    clock = iter(range(0, 30_000, 30))
    monkeypatch.setattr("tertium.learned.batches.perf_counter", lambda: next(clock))
    told: list[tuple[str, int, int]] = []
    run = tt.Run(batch=1, progress=lambda *news: told.append(news))
    values(METRICS["bleurt"](tmp_path), run=run)
    [first, second, *_, last] = [news for news in told if news[0].startswith("reading outputs")]
    total = first[2]
    assert first == ("reading outputs", 0, total)
    minutes = round(30 / second[1] * total)
    assert second[0] == f"reading outputs, about {minutes} s" if minutes < 99.5 else f"about {minutes / 60:.0f} min"
    assert last == (second[0], total, total)


# Long texts


def test_windows_by_hand(tmp_path: Path) -> None:
    """Two windows of a text are its first and its last two thirds; the score is their mean."""
    from tertium.learned.windows import windows_of

    output, source = "a b c d e f", "r s t u v w"
    found = windows_of((output, source), lambda texts: [len(text[0].split()) > 4 for text in texts])
    assert [window.texts for window in found] == [("a b c d", "r s t u"), ("c d e f", "t u v w")]
    assert [window.start for window in found] == [0, 4]
    assert [window.own for window in found] == [(0, 5), (5, 11)]
    model = write_comet(tmp_path / "m")
    left, right = "the cat " * 10 + "sat " * 10, "dog " * 10
    whole = left + right
    long, alone = f'comet(model="{model}", windows=True)', f'comet(model="{model}")'
    parts = windows_of((whole, SOURCE, REFERENCE), _too_long)
    assert len(parts) == 2
    scores = [_one(alone, *window.texts) for window in parts]
    assert _one(long, whole, SOURCE, REFERENCE) == close(float(np.mean(scores)))
    assert _one(long, "the cat", SOURCE, REFERENCE) == _one(alone, "the cat", SOURCE, REFERENCE)


SOURCE, REFERENCE = "die Katze saß auf der Matte .", "the cat sat on the mat ."


def _too_long(texts: list[tuple[str, ...]]) -> list[bool]:
    return [any(len(text.split()) > 34 for text in each) for each in texts]  # 40 positions, less 4, less 2 special ids


def _one(metric: str, output: str, source: str, reference: str) -> float:
    lines = [tt.Lines.of([text]) for text in (output, source, reference)]
    testset = tt.TestSet(segments=1, sources=lines[1], references=tt.References((lines[2],), 1))
    [score] = tt.evaluate(testset, [tt.System(name="s", outputs=lines[0])], metric).scores(level="segment")
    return score.value


def test_windows_change_only_what_is_too_long(metric: str) -> None:
    windowed = f"{metric[:-1]}, windows=True{', length=30' if metric.startswith('metricx') else ''})"
    plain = metric if not metric.startswith("metricx") else f"{metric[:-1]}, length=30)"
    short = values(plain, outputs=OUTPUTS)
    assert values(windowed, outputs=OUTPUTS) == close(short)
    texts = [LONG, *OUTPUTS[1:]]
    cut, whole = count(plain, {"s": texts}), count(windowed, {"s": texts})
    [one], [other] = cut.table.values(), whole.table.values()
    assert one.cut == (0,)
    assert other.cut == ()
    assert not any("cut off" in told for told in whole.warnings)
    assert one.segments()[0].tolist() != close(other.segments()[0].tolist())
    assert one.segments()[1:].tolist() == [close(row) for row in other.segments()[1:].tolist()]
    assert "windows=True" in whole.scores()[0].signature


def test_what_no_window_can_hold_is_still_cut() -> None:
    from tertium.learned.windows import MOST, windows_of

    assert len(windows_of(("word " * 5,), lambda texts: [True] * len(texts))) == MOST


# Marks


def test_xcomet_marks_what_its_rows_were_made_of(tmp_path: Path, read: list[int]) -> None:
    metric, run = pin(tt.parse(METRICS["xcomet"](tmp_path)), tt.Run(cache=str(tmp_path / "cache")))
    testset, outputs = make_testset(REFERENCES, OTHERS), tt.Lines.of(OUTPUTS)
    door.count(metric, outputs, door.prepare(metric, testset, run), run)
    read.clear()
    prepared = door.prepare(metric, testset, run)
    marks = list(door.marks(metric, outputs, prepared, run))
    assert read == []
    spans = metric.error_spans(outputs, prepared, run)
    assert [[(span.start, span.end, span.severity) for span in each.spans] for each in marks] == [
        [(span.start, span.end, span.severity) for span in each] for each in spans
    ]
    assert sum(len(each.spans) for each in marks) > 0
    assert door.gives_marks(metric, run)


@pytest.mark.parametrize("name", ["regression", "unite"])
def test_other_models_mark_nothing(name: str, tmp_path: Path) -> None:
    metric, run = pin(tt.parse(METRICS[name](tmp_path)), tt.Run())
    assert not door.gives_marks(metric, run)
    prepared = door.prepare(metric, make_testset(REFERENCES), run)
    assert all(not each.spans and not each.links for each in door.marks(metric, tt.Lines.of(OUTPUTS), prepared, run))
    assert not door.gives_marks(tt.parse("comet"))


def test_spans_of_windows_are_places_of_the_output(tmp_path: Path) -> None:
    model = write_comet(tmp_path / "m", "xcomet_metric")
    metric, run = pin(tt.parse(f'comet(model="{model}", windows=True)'), tt.Run())
    outputs = tt.Lines.of([LONG, *OUTPUTS[1:]])
    prepared = door.prepare(metric, make_testset(REFERENCES), run)
    found = metric.error_spans(outputs, prepared, run)[0]
    assert found
    for span in found:
        assert LONG[span.start : span.end] == span.text
    assert [span.start for span in found] == sorted({span.start for span in found})  # each once


def test_a_report_draws_them(tmp_path: Path) -> None:
    metrics = [METRICS["xcomet"](tmp_path), f'comet(model="{write_comet(tmp_path / "other")}")']
    systems = [tt.System(name="s", outputs=tt.Lines.of(OUTPUTS)), tt.System(name="t", outputs=tt.Lines.of(REFERENCES))]
    evaluation = tt.evaluate(make_testset(REFERENCES), systems, metrics)
    from tertium.report.evidence import evidence
    from tertium.report.results import Results

    [drawn] = evidence(Results(evaluation=evaluation), np.arange(6), {})
    assert drawn.legend["name"] == "COMET m"
    assert set(drawn.legend["styles"]) <= {"minor", "major", "critical"}
    assert drawn.legend["styles"]
    path = tmp_path / "e.tertium"
    tt.save(evaluation, path)
    assert evidence(Results(evaluation=tt.load(path)), np.arange(6), {}) == []  # whose models are nowhere
    assert tt.load(path).signatures == evaluation.signatures


# What was cut


def cut_stats(metric: str) -> Iterator[Stats]:
    yield from count(metric, {"s": [LONG, *OUTPUTS[1:5], LONG]}).table.values()


def test_what_was_cut_is_known_and_kept(tmp_path: Path) -> None:
    import pickle

    from tertium.io.stats import load_stats, save_stats

    [stats] = cut_stats(METRICS["xcomet"](tmp_path))
    assert stats.cut == (0, 5)
    assert pickle.loads(pickle.dumps(stats)).cut == (0, 5)
    assert stats.take(np.array([5, 1, 0])).cut == (0, 2)
    assert Stats.concat([stats.take(np.array([1, 5])), stats.take(np.array([0]))]).cut == (1, 2)
    assert Stats.concat([stats.take(np.array([1, 5])).summed(), stats.take(np.array([0])).summed()]).cut == (1, 2)
    assert stats.join(np.array([0, 0, 1, 1, 2, 2]), 3).cut == (0, 2)
    save_stats(stats, tmp_path / "a.npz")
    assert load_stats(tmp_path / "a.npz").cut == (0, 5)
    evaluation = count(METRICS["bleurt"](tmp_path / "b"), {"s": [LONG, *OUTPUTS[1:]]})
    tt.save(evaluation, tmp_path / "e.tertium")
    [again] = tt.load(tmp_path / "e.tertium").table.values()
    assert again.cut == (0,)


def test_shards_count_what_was_cut_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", 2)
    [stats] = cut_stats(METRICS["xcomet"](tmp_path))
    assert stats.cut == (0, 5)


def test_json_names_what_was_cut(tmp_path: Path) -> None:
    from tertium.report.json_values import scores_object

    evaluation = count(METRICS["bleurt"](tmp_path), {"s": [LONG, *OUTPUTS[1:5], LONG]})
    found = json.loads(json.dumps(scores_object(evaluation, evaluation.scores(), evaluation.warnings)))
    assert found["cut"] == [{"system": "s", "metric": str(evaluation.metrics[0]), "segments": [1, 6]}]


def test_a_report_names_what_was_cut(tmp_path: Path) -> None:
    evaluation = count(METRICS["bleurt"](tmp_path), {"s": [LONG, *OUTPUTS[1:5], LONG]})
    page = str(tt.make_report(evaluation, trials=20).page)
    [told] = [sentence for sentence in evaluation.warnings if "cut off" in sentence]
    assert told.endswith(": 1, 6")
    assert "2 of 6 segments are cut off, being too long for bleurt" in page


# On the command line


def command(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    for name, texts in (("src", SOURCES), ("ref", REFERENCES), ("hyp", OUTPUTS)):
        (folder / name).write_text("".join(f"{text}\n" for text in texts))
    files = [f"--{name}={folder / name}" for name in ("src", "ref", "hyp")]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "xdg")}
    call = [sys.executable, "-m", "tertium", "score", *files, *more]
    return subprocess.run(call, env=environment, capture_output=True, text=True, check=True)


def test_commands_keep_what_they_work_out(tmp_path: Path) -> None:
    metric, kept = METRICS["xcomet"](tmp_path), tmp_path / "xdg" / "tertium" / "models"
    without = command(tmp_path, "-m", metric, "--no-cache")
    assert not kept.exists()
    first = command(tmp_path, "-m", metric)
    assert cache_facts(kept).entries == 6
    again = command(tmp_path, "-m", metric, "--threads", "1")
    assert cache_facts(kept).entries == 6
    assert without.stdout == first.stdout == again.stdout
    (kept / FILE).write_text("spoilt" * 1000)
    spoilt = command(tmp_path, "-m", metric)
    assert spoilt.stdout == first.stdout
    assert spoilt.stderr.count("is damaged") == 1  # one sentence, however often it is looked for
