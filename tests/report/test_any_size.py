"""Reports of very many segments: what the page holds, what it counts, and the file beside it."""

import base64
import dataclasses
import errno
import gc
import gzip
import hashlib
import json
import math
import os
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core import type_stats
from tertium.core.errors import InputError
from tertium.report import evidence, held, letters, segments, side_file
from tertium.report.figures.parts import DOCUMENTS
from tertium.report.held import choose_segments
from tertium.report.letters import letters_at_most, letters_beside, letters_of_segments, shared_letters
from tertium.report.links import word_places
from tertium.report.page import beside, pack
from tertium.report.pause import collector_paused
from tertium.report.results import Results
from tertium.report.sections import listed_words
from tertium.report.segment_numbers import _rounded
from tertium.report.segments import numbers
from tertium.report.whole import histogram

from .made_systems import inflected, references, replaced
from .test_links import MARKS, OPEN, back, click, figure, shown

Read = Callable[..., Any]
METRICS = ["bleu", "chrf", "ter"]
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e 7"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that hold 40 segments where there are more than 100."""
    monkeypatch.setattr(held, "WHOLE", 100)
    monkeypatch.setattr(held, "CHOSEN", 40)
    monkeypatch.setattr(side_file, "BLOCK", 30)
    monkeypatch.setattr(letters, "PROBED", 10)


def made(segments: int = 160, seed: int = 0, metrics: Sequence[str] = METRICS) -> tt.Evaluation:
    """Three systems, documents of four segments, two labels."""
    lines = references(segments, seed)
    outputs = {
        "a": replaced(lines, 0.1, 1),
        "b": inflected(lines, 0.3, 2),
        "c": [HOSTILE if k % 11 == 0 else line for k, line in enumerate(replaced(lines, 0.3, 3))],
    }
    testset = tt.TestSet(
        segments=segments,
        references=tt.References((tt.Lines.of(lines),), segments),
        sources=tt.Lines.of([f"Quelle {k} {HOSTILE}" for k in range(segments)]),
        documents=tuple(f"d{k // 4}" for k in range(segments)),
        labels={"kind": tuple("even" if k % 2 == 0 else "odd" for k in range(segments))},
        name="made",
    )
    return tt.evaluate(testset, [tt.System(name=n, outputs=tt.Lines.of(t)) for n, t in outputs.items()], metrics)


def saved(evaluation: tt.Evaluation, path: Path, **more: Any) -> Path:
    tt.make_report(evaluation, trials=20, **more).save(path)
    return path


def unpacked(path: Path, name: str) -> Any:
    [packed] = re.findall(rf'id="data-{name}">([^<]*)<', path.read_text())
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


# What is held


@pytest.mark.usefixtures("small")
def test_all_segments_are_held_up_to_the_limit(tmp_path: Path) -> None:
    page = saved(made(100), tmp_path / "report.html")
    assert unpacked(page, "numbers")["count"] == 100
    assert "This page holds" not in page.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_limits_are_of_segments_and_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (held.WHOLE, held.OUTPUTS, held.CHOSEN) == (20_000, 60_000, 2_000)
    monkeypatch.setattr(held, "OUTPUTS", 3 * 160)
    assert choose_segments(Results(evaluation=made(160))).whole
    monkeypatch.setattr(held, "OUTPUTS", 3 * 160 - 1)
    assert len(choose_segments(Results(evaluation=made(160)))) == 159  # as many outputs as there may be


@pytest.mark.usefixtures("small")
def test_the_page_does_not_grow(tmp_path: Path) -> None:
    """Beyond the limit it holds as many segments whatever the size of the test set, and hardly a byte more."""
    sizes = {}
    for size in (200, 400, 800):
        page = saved(made(size), tmp_path / f"{size}.html")
        assert len(unpacked(page, "texts")["segments"]) == unpacked(page, "numbers")["count"] == 40
        assert lines_of(beside(page))[0] == {"segments": size}
        packed = [len(json.dumps(unpacked(page, name))) for name in ("numbers", "texts")]
        sizes[size] = sum(packed)
    assert sizes[800] < 1.15 * sizes[200]


@pytest.mark.usefixtures("small")
def test_the_work_of_a_page_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are aligned and marked for the segments that the page holds, and for the few that say what they take."""
    work: dict[str, int] = {}

    def counted(name: str, function: Callable[..., Any], amount: Callable[..., int]) -> Callable[..., Any]:
        def count(*given: Any, **more: Any) -> Any:
            work[name] = work.get(name, 0) + amount(*given)
            return function(*given, **more)

        return count

    monkeypatch.setattr(segments, "align", counted("aligned", segments.align, lambda *_: 1))
    monkeypatch.setattr(segments, "words", counted("cut", segments.words, lambda *_: 1))
    marks = counted("marked", evidence.door.marks, lambda _, outputs, *__: len(outputs))
    monkeypatch.setattr(evidence.door, "marks", marks)
    found = {}
    for count in (200, 400, 800):
        work.clear()
        tt.make_report(made(count), trials=20).html()
        found[count] = dict(work)
    held_and_probed = 40 + 10
    for done in found.values():
        assert set(done) == {"aligned", "cut", "marked"}
        assert done["aligned"] <= held_and_probed * 3
        assert done["cut"] <= held_and_probed * 4  # outputs, reference
        assert done["marked"] == held_and_probed * 3 * len(METRICS)


def data_of(path: Path) -> int:
    return sum(map(len, re.findall(r'id="data-(?:numbers|texts)(?:-\d+)?">([^<]*)<', path.read_text())))


def test_a_page_has_so_many_letters_for_segments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fewer segments than the limits of number are left out too where they would make the file too large."""
    evaluation = made(300)
    page = saved(evaluation, tmp_path / "whole.html")
    assert unpacked(page, "numbers")["count"] == 300
    room = data_of(page) // 2
    results = Results(evaluation=evaluation, letters=room)
    assert letters_of_segments(results)[results.held.numbers].sum() <= room
    monkeypatch.setattr(letters, "LETTERS", room)
    monkeypatch.setattr(letters, "LEAST", 1000)
    page = saved(evaluation, tmp_path / "half.html")
    count = unpacked(page, "numbers")["count"]
    assert 60 < count < 200
    assert f"This page holds {count} of 300 segments" in page.read_text()
    assert data_of(page) < 1.25 * room  # with what is counted of all segments
    assert len(lines_of(beside(page))) > 1


def test_one_endless_segment_does_not_drive_out_the_others() -> None:
    long = " ".join(f"word{k}" for k in range(60_000))
    evaluation = made(300)
    outputs = [tt.System(name=s.name, outputs=tt.Lines.of([long if k == 7 else t for k, t in enumerate(s.outputs)]))
               for s in evaluation.systems]  # fmt: skip
    results = Results(evaluation=tt.evaluate(evaluation.testset, outputs, METRICS), letters=150_000)
    assert len(results.held) > 100
    assert 7 not in results.held.numbers


def test_letters_that_segments_take_are_known_before() -> None:
    """To a tenth from a third of them; and the bound that needs none of them is one."""
    evaluation = made(300)
    results = Results(evaluation=evaluation)
    every = np.arange(300)
    taken = len(pack(segments.columns(results, every))) + len(pack(segments.texts(results, every)))
    assert letters_of_segments(results).sum() == pytest.approx(taken, rel=0.1)
    assert taken < letters_at_most(evaluation)


def test_test_sets_of_a_page_share_its_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    small, one, other = made(20), made(300), made(400)
    own = sum(map(letters_beside, [one, small, other]))
    monkeypatch.setattr(letters, "LETTERS", 300_000)
    monkeypatch.setattr(letters, "PAGE", letters.BARE + own + 260_000)
    monkeypatch.setattr(letters, "LEAST", 1000)
    given = shared_letters([one, small, other])
    assert given[1] > letters_at_most(small)  # who needs less than an equal share has it
    assert abs(given[0] - given[2]) <= 1
    assert sum(given) <= 260_000  # what tables and charts of all of them leave
    assert sum(shared_letters([one] * 50)) <= 1000


def test_the_collector_is_paused_and_goes_on() -> None:
    assert gc.isenabled()
    with collector_paused(), collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="made"), collector_paused():
        raise ValueError("made")
    assert gc.isenabled()


def test_what_stands_beside_segments_is_known_before(tmp_path: Path) -> None:
    """Tables of many pairs and documents take what segments then cannot have: more systems take half to double of what
    is set aside for them."""
    documents = tuple(f"document-{k // 2}" for k in range(240))
    testset = dataclasses.replace(made(240).testset, labels={}, documents=documents)
    taken, expected = [], []
    for count in (3, 12):
        outputs = [tt.Lines.of(replaced(references(240), 0.05 * k, k)) for k in range(count)]
        named = [tt.System(name=f"s{k:02}", outputs=lines) for k, lines in enumerate(outputs)]
        evaluation = tt.evaluate(testset, named, ["bleu", "chrf"])
        page = saved(evaluation, tmp_path / "report.html")
        taken.append(len(page.read_text()) - data_of(page))
        expected.append(letters_beside(evaluation))
    assert 0.5 < (taken[1] - taken[0]) / (expected[1] - expected[0]) < 2
    assert taken[0] < letters.BARE + expected[0]
    assert letters.LISTED == DOCUMENTS


@pytest.mark.usefixtures("small")
def test_the_choice_is_stated_and_seeded(tmp_path: Path) -> None:
    evaluation = made()
    page = saved(evaluation, tmp_path / "one.html", seed=7)
    said = (
        "This page holds 40 of 160 segments: 20 that stand out (the largest differences of two systems, errors that "
        "detectors found, disagreements of two metrics and the lowest scores) and 20 of the others, drawn at random "
        "(seed 7)."
    )
    assert said in page.read_text()
    chosen = unpacked(page, "numbers")["held"]
    assert chosen == sorted(set(chosen))
    assert len(chosen) == 40
    again = saved(evaluation, tmp_path / "two.html", seed=7)
    assert unpacked(again, "numbers")["held"] == chosen
    assert beside(again).read_bytes() == beside(page).read_bytes()
    other = choose_segments(Results(evaluation=evaluation, seed=8))
    ours = choose_segments(Results(evaluation=evaluation, seed=7))
    assert np.array_equal(ours.outstanding, other.outstanding)  # type: ignore[arg-type]
    assert not np.array_equal(ours.sample, other.sample)  # type: ignore[arg-type]
    assert ours.numbers.tolist() == chosen


@pytest.mark.usefixtures("small")
def test_the_sample_is_fair() -> None:
    """Every segment that does not stand out is drawn about equally often: 20 of 140."""
    evaluation = made()
    drawn = np.zeros(160)
    for seed in range(200):
        results = Results(evaluation=evaluation, seed=seed, detectors=())
        found = held.choose_segments(results)
        drawn[found.sample] += 1
    others = np.setdiff1d(np.arange(160), found.outstanding)
    expected = 200 * 20 / 140
    assert drawn[others].sum() == 200 * 20
    assert np.abs(drawn[others] - expected).max() < 5 * expected**0.5
    assert drawn[found.outstanding].sum() == 0


@pytest.mark.usefixtures("small")
def test_largest_differences_and_what_is_linked_are_held(tmp_path: Path) -> None:
    evaluation = made()
    results = Results(evaluation=evaluation)
    chosen = set(results.held.numbers.tolist())
    for metric in METRICS:
        values = {name: [s.value for s in evaluation.scores("segment") if (s.system, s.metric) == (name, metric)]
                  for name in "abc"}  # fmt: skip
        gaps = [round(a, 2) - round(b, 2) for a, b in zip(values["a"], values["c"], strict=True)]
        assert gaps.index(max(gaps)) in chosen
        assert gaps.index(min(gaps)) in chosen
    page = saved(evaluation, tmp_path / "baseline.html", baseline="a")
    found = re.findall(r'href="#segments[?]first=[^"]*;segment=(\d+)"', page.read_text())
    linked = {int(number) - 1 for number in found}
    assert len(linked) == 10
    assert linked <= set(unpacked(page, "numbers")["held"])


# What is counted


@pytest.mark.usefixtures("small")
def test_counts_are_of_all_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the page itself would count them if it held all."""
    evaluation = made()
    whole, chosen = (numbers(Results(evaluation=evaluation))[name] for name in ("whole", "held"))
    monkeypatch.setattr(held, "WHOLE", 1000)
    n = numbers(Results(evaluation=evaluation))
    assert "whole" not in n
    assert whole["total"] == n["count"] == 160
    for m, by in enumerate(n["scores"]):
        for a in range(3):
            for b in range(3):
                assert whole["higher"][m][a][b] == sum(x > y for x, y in zip(by[a], by[b], strict=True))
    favours = [[x - y for x, y in zip(by[0], by[1], strict=True)] for by in n["benefits"]]
    assert whole["opposite"][0][2][0][1] == sum(x * y < 0 for x, y in zip(favours[0], favours[2], strict=True)) > 0
    diagnosis = tt.diagnose(evaluation)
    for kind, found in zip(diagnosis.detectors, whole["found"], strict=True):
        assert found == len({item.segment for item in diagnosis if item.kind == kind})
    order = Results(evaluation=evaluation).systems
    for kind, by in zip(diagnosis.detectors, whole["found_of"], strict=True):
        for name, found in zip(order, by, strict=True):
            assert found == len({i.segment for i in diagnosis if (i.kind, i.system) == (kind, name)})
    assert whole["parts"][0]["counts"] == [80, 80]
    lengths = [n["lengths"].count(k) for k in dict.fromkeys(n["lengths"][place] for place in chosen)]
    assert whole["parts"][1]["counts"] == lengths
    assert whole["parts"][2]["different"] == 40
    assert set(whole["parts"][2]["counts"]) == {4}
    here = {evaluation.testset.documents[place] for place in chosen}  # type: ignore[index]
    assert whole["parts"][2]["others"] == [[f"d{k}", 4] for k in range(40) if f"d{k}" not in here] != []


@pytest.mark.parametrize("scale", [0.013, 1.0, 25.0, 4000.0])
def test_steps_of_a_histogram_make_up_its_bins(scale: float) -> None:
    """Bins of 1, 2 or 5 times a power of ten, of which there are at most 40, have the same counts by steps."""
    rng = random.Random(5)
    values = [round(rng.gauss(0, scale), 2) for _ in range(3000)] + [0.0, float("nan"), 10 * scale, -10 * scale]
    found = histogram(np.array(values))
    assert found is not None
    at = [(found["first"] + k) * found["step"] / found["divisor"] for k in range(len(found["counts"]))]
    half = 0.5 * found["step"] / found["divisor"]
    known = [value for value in values if value == value and value != 0]
    assert sum(found["counts"]) == len(known)
    assert len(at) < 410
    wide = next(w * 10.0**p for p in range(-6, 6) for w in (1, 2, 5) if 20 * scale / (w * 10.0**p) <= 40)
    bins = lambda place: int(np.floor(place / wide + 1e-9))  # noqa: E731
    for sign in (1, -1):
        expected: dict[int, int] = {}
        for value in known:
            expected[bins(sign * value)] = expected.get(bins(sign * value), 0) + 1
        got: dict[int, int] = {}
        for place, count, begin in zip(at, found["counts"], found["begin"], strict=True):
            for value, some in ((place, begin), (place + half, count - begin)):
                if some:
                    got[bins(sign * value)] = got.get(bins(sign * value), 0) + some
        assert got == expected
    assert histogram(np.array([0.0, float("nan")])) is None


@pytest.mark.parametrize("name", ["bleu", "meteor", "nist"])
def test_scores_of_segments_are_rounded_as_python_rounds(name: str) -> None:
    """To the same digits as `round`, which looks at all of a number's own: also halves, and what looks like one."""
    metric, rng = tt.parse(name), random.Random(3)
    values = [rng.uniform(-5, 105) for _ in range(5000)]
    values += [k / 1000 for k in range(2000)] + [k / 10**6 + 5e-7 for k in range(2000)]
    values += [sign * value for value in (0.0, 2.675, 1.005, 1e9 + 0.125, 2.0**52 / 100 + 0.005, 1e300, math.inf)
               for sign in (1, -1)]  # fmt: skip
    found = _rounded(np.array(values), metric).tolist()
    assert found == [round(value, metric.decimals + 1) if math.isfinite(value) else value for value in values]
    assert math.isnan(_rounded(np.array([math.nan]), metric)[0])


def test_words_are_found_whatever_is_sorted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """So much memory as a part takes, and the same places, frequencies and favouritism as from the whole."""
    evaluation = made(metrics=["macrof1"])
    largest: list[int] = []
    sort = type_stats._order

    def order(key: Any, limit: int) -> Any:
        largest.append(len(key))
        return sort(key, limit)

    monkeypatch.setattr(type_stats, "_order", order)
    found = []
    for size in (1 << 19, 100):
        monkeypatch.setattr(type_stats, "AT_A_TIME", size)
        largest.clear()
        results = Results(evaluation=evaluation, trials=20)
        words = listed_words(results)
        places = word_places(results, words)
        found.append(
            (
                {word: [part.tolist() for part in places[word]] for word in words},
                {name: masks.tolist() for name, masks in results.behind.frequencies.items()},
                [values.tolist() for values in results.numbers.steps.values()],
            )
        )
        assert words
        assert max(largest) <= max(size, 200)  # or one segment, which is never cut
    assert found[0] == found[1]
    assert len(largest) > 20


# The file beside the page


@pytest.mark.usefixtures("small")
def test_the_file_has_every_segment(tmp_path: Path) -> None:
    evaluation = made()
    page = saved(evaluation, tmp_path / "report.html")
    known = unpacked(page, "beside")
    content = (tmp_path / "report.segments.gz").read_bytes()
    expected = {"name": "report.segments.gz", "size": len(content), "digest": hashlib.sha256(content).hexdigest()}
    assert known == expected
    head, *blocks = lines_of(tmp_path / "report.segments.gz")
    assert head == {"segments": 160}
    texts = [segment for block in blocks for segment in block["texts"]]
    assert [text["s"] for text in texts] == list(evaluation.testset.sources)  # type: ignore[arg-type]
    order = unpacked(page, "numbers")["systems"]
    for system in evaluation.systems:
        assert [text["o"][order.index(system.name)][0] for text in texts] == list(system.outputs)
    assert [place for block in blocks for place in block["documents"]] == list(evaluation.testset.documents)  # type: ignore[arg-type]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("after", [0, 3000, 60_000])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Neither of the two files, nor a part of them; a report that was there stays, with its own file."""
    page = saved(made(), tmp_path / "report.html")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(before) == ["report.html", "report.segments.gz"]
    real, room = os.fdopen, [after]

    def full(handle: int, mode: str) -> Any:
        file = real(handle, mode, buffering=0)
        write = file.write

        class Full:
            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def write(self, data: bytes) -> int:
                room[0] -= len(data)
                if room[0] < 0:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return int(write(data))

            def flush(self) -> None: ...

            def fileno(self) -> int:
                return int(file.fileno())

        return Full()

    report = tt.make_report(made(seed=1), trials=20)
    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
        report.save(page)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.usefixtures("small")
def test_a_page_without_a_file_says_so() -> None:
    text = tt.make_report(made(), trials=20).html()
    assert 'id="data-beside"' not in text
    assert "This page holds 40 of 160 segments" in text


# In a browser


@pytest.mark.usefixtures("small")
@pytest.mark.slow
def test_the_rest_is_opened(read: Read, tmp_path: Path) -> None:
    evaluation = made()
    page = saved(evaluation, tmp_path / "report.html")
    reader = read(page)
    assert reader.text("#found").startswith("160 segments, 40 of them on this page, by ")
    chip = reader.page.locator('#chips [data-filter="first"]')
    before = chip.inner_text()
    chip.click()
    assert re.match(r"\d+ of 160 segments, \d+ of them on this page, by ", reader.text("#found"))
    reader.page.locator("#filter").select_option("all")
    reader.page.locator("#search").fill("quelle")
    reader.until("document.getElementById('found').textContent.startsWith('40 of the 40 segments on this page')")
    reader.page.locator("#search").fill("")
    reader.until("document.getElementById('found').textContent.startsWith('160 segments')")
    absent = next(k for k in range(160) if k not in unpacked(page, "numbers")["held"])
    reader.page.evaluate(f"location.hash = '#segment-{absent + 1}'")
    reader.until("document.getElementById('shown-words').textContent.startsWith('Segment ')")
    assert reader.text("#shown-words").endswith("Open the file beside it, above, which has all segments.")
    reader.drawn()
    rects = "document.querySelectorAll('figure[data-name] svg .mark-rect path')"
    bars = f"[...{rects}].map((bar) => bar.getAttribute('d')).sort()"
    drawn = reader.page.evaluate(bars)
    reader.page.locator("#beside-file").set_input_files(beside(page))
    reader.until("document.getElementById('beside-said').textContent.startsWith('All 160 segments are open')")
    assert reader.text("#found").startswith("160 segments, by ")
    assert reader.text("#detail h3") == f"Segment {absent + 1}"
    assert f"Quelle {absent} <img" in reader.text("#detail .text p")
    assert reader.page.locator("#detail ins, #detail del").count() > 0
    assert reader.page.locator('#chips [data-filter="first"]').inner_text() == before
    assert reader.page.locator("#filter optgroup[label=document] option").count() == 40
    reader.page.locator("#pair-metric").select_option("0")  # drawn again, now from the segments themselves
    reader.until(f"JSON.stringify({bars}) === {json.dumps(json.dumps(drawn, separators=(',', ':')))}")
    reader.page.locator("#against").select_option("marks 0")
    assert "What metrics mark" in reader.text("#detail")


@pytest.mark.usefixtures("small")
@pytest.mark.slow
def test_opened_segments_are_cut_as_those_of_the_page(read: Read, tmp_path: Path) -> None:
    """The same segment from the page and from the file beside it has the same words."""
    page = saved(made(), tmp_path / "report.html")
    shown = unpacked(page, "numbers")["held"][:12]
    reader = read(page)
    watch = """() => {
      const hold = tertium.holdAll;
      tertium.holdAll = (columns, texts) => { window.fresh = structuredClone(texts); return hold(columns, texts); };
    }"""
    reader.page.evaluate(watch)
    reader.page.locator("#beside-file").set_input_files(beside(page))
    reader.until("document.getElementById('beside-said').textContent.startsWith('All 160 segments are open')")
    own = unpacked(page, "texts")["segments"]
    fresh = reader.page.evaluate("window.fresh")
    for place, k in enumerate(shown):
        assert fresh[k]["r"] == own[place]["r"]
        assert fresh[k]["o"] == own[place]["o"]
        assert fresh[k].get("f") == own[place].get("f")


@pytest.mark.usefixtures("small")
@pytest.mark.slow
@pytest.mark.parametrize("what", ["other", "damaged", "short", "hostile"])
def test_other_files_are_refused(read: Read, tmp_path: Path, what: str) -> None:
    page = saved(made(), tmp_path / "report.html")
    right = beside(page).read_bytes()
    name = f"{what}<b>.segments.gz"
    if what == "other":
        content = beside(saved(made(seed=3), tmp_path / "second.html")).read_bytes()
    elif what == "damaged":
        content = right[:500] + bytes([right[500] ^ 1]) + right[501:]
    elif what == "short":
        content = right[:-100]
    else:  # as large as the right one, and full of scripts
        content = HOSTILE.encode() * (len(right) // len(HOSTILE.encode()) + 1)
        content = content[: len(right)]
    (tmp_path / name).write_bytes(content)
    reader = read(page)
    reader.page.locator("#beside-file").set_input_files(tmp_path / name)
    reader.until("document.getElementById('beside-said').textContent.endsWith('Nothing of it was used.')")
    said = reader.text("#beside-said")
    if len(content) == len(right):
        assert said.startswith(f"{name} belongs to another report, or was changed: its SHA-256 begins with ")
    else:
        assert said.startswith(f"{name} does not belong to this page: it has {len(content):,} bytes, and report.segm")
    assert reader.text("#found").startswith("160 segments, 40 of them on this page, by ")
    reader.page.locator("#beside-file").set_input_files(beside(page))
    reader.until("document.getElementById('beside-said').textContent.startsWith('All 160 segments are open')")


def said_of_all(reader: Any) -> tuple[int, int]:
    """What stands above the list: how many segments there are, and how many of them are on the page, as in the list."""
    words = reader.text("#shown-words")
    found = re.match(r"([\d,]+) segments?, ([\d,]+) of them on this page: ", words)
    assert found is not None, words
    assert re.match(rf"{found[1]} of 160 segments, {found[2]} of them on this page, by ", reader.text("#found"))
    rows = reader.page.evaluate("parseFloat(document.getElementById('rows').style.height)") / 54
    assert round(rows) == int(found[2])
    return int(found[1]), int(found[2])


def links(reader: Any, place: str) -> dict[str, Any]:
    """The links of a part of the page, all of them open, each by its address."""
    found = reader.page.locator(f"{place} a[href^='#segments?']")
    found.first.evaluate(OPEN)
    reader.page.evaluate("document.querySelectorAll('.table').forEach((each) => each.classList.add('open'))")
    return {each.get_attribute("href"): each for each in found.all()}


def counts_of_links(reader: Any) -> dict[str, Any]:
    """What bars, lengths and some cells of tables count, and what is said after a click on them; each is led back
    from."""
    found = {}
    for title in ("Segments by the difference", "Scores of short and long segments"):
        drawn = figure(reader, title)
        upper = {row["href"]: (k, row) for k, row in enumerate(drawn.evaluate(MARKS))}  # the last of several marks
        for href, (k, row) in upper.items():
            if row.get("system", "a") == "a":
                click(drawn, k)
                found[href] = row["segments"], said_of_all(reader)
                back(reader)
    for place in ("#parts td, #parts th", "#errors td", "#types th"):
        cells = links(reader, f":is({place})")
        for href, link in [*cells.items()][:: max(1, len(cells) // 4)]:
            link.click()
            found[href] = None, said_of_all(reader)
            back(reader)
    return found


@pytest.mark.usefixtures("small")
@pytest.mark.slow
def test_links_say_how_many_there_are(read: Read, tmp_path: Path) -> None:
    """Of all segments, and of those on the page; when the rest is opened, there are as many as was said."""
    page = saved(made(metrics=[*METRICS, "macrof"]), tmp_path / "report.html")
    reader = read(page)
    reader.drawn()
    found = counts_of_links(reader)
    assert len(found) > 20
    for drawn, (every, here) in found.values():
        assert drawn in (None, every)
        assert here <= every
    assert any(here < every for _, (every, here) in found.values())
    reader.page.locator("#beside-file").set_input_files(beside(page))
    reader.until("document.getElementById('beside-said').textContent.startsWith('All 160 segments are open')")
    for href, (_, (every, _)) in found.items():
        reader.page.evaluate("(href) => tertium.go(href, document.body)", href)
        assert shown(reader) == every


@pytest.mark.usefixtures("small")
@pytest.mark.slow
def test_what_is_not_on_the_page_is_said(read: Read, tmp_path: Path) -> None:
    """A document of which the page holds nothing, and conditions of which only the page's own segments are counted; the
    address has numbers of the test set."""
    page = saved(made(), tmp_path / "report.html")
    n = unpacked(page, "numbers")
    reader = read(page)
    absent, count = n["whole"]["parts"][2]["others"][0]
    reader.page.evaluate(f"location.hash = '#segments?document={absent}'")
    reader.until("!document.getElementById('shown').hidden")
    assert reader.text("#shown-words") == f"{count} segments, 0 of them on this page: document {absent}."
    assert reader.text("#detail") == (
        "None of these segments is on this page. Open the file beside it, above, which has all segments."
    )
    reader.page.evaluate("location.hash = '#segments?label.kind=even&better=first'")
    reader.until("document.getElementById('shown-words').textContent.includes('kind even')")
    assert re.match(r"\d+ of the 40 segments on this page: ", reader.text("#shown-words"))
    reader.page.evaluate("location.hash = '#segments?difference=-0.123..0.456'")
    reader.until("document.getElementById('shown-words').textContent.includes('ties left out')")
    assert re.match(r"\d+ of the 40 segments on this page: ", reader.text("#shown-words"))
    reader.page.locator("#clear").click()
    reader.page.locator("#rows [data-at='3']").click()
    number = int(reader.page.evaluate("location.hash").removeprefix("#segment-"))
    assert reader.text("#detail h3") == f"Segment {number}"
    assert number - 1 in n["held"]
    assert f"Quelle {number - 1} <img" in reader.text("#detail .text p")


@pytest.mark.usefixtures("small")
def test_several_test_sets_are_bounded_each(tmp_path: Path) -> None:
    page = tmp_path / "several.html"
    tt.report_several([made(), made(60, 1)], trials=20).save(page)
    assert [path.name for path in tmp_path.iterdir()] == ["several.html"]
    text = page.read_text()
    assert text.count("This page holds 40 of 160 segments") == text.count("This page holds") == 1
    assert "All of them stand beside a report of this test set alone." in text
    assert unpacked(page, "numbers-1")["count"] == 40
    assert unpacked(page, "numbers-2")["count"] == 60


@pytest.mark.usefixtures("small")
@pytest.mark.slow
def test_segments_of_several_test_sets(read: Read, tmp_path: Path) -> None:
    page = tmp_path / "several.html"
    tt.report_several([made(), made(60, 1)], trials=20).save(page)
    reader = read(page)
    reader.drawn()
    assert reader.text("#found").startswith("160 segments, 40 of them on this page, by ")
    bars = figure(reader, "Segments by the difference")
    click(bars, 0)
    assert said_of_all(reader) == tuple(bars.evaluate(MARKS)[0][name] for name in ("segments", "here"))
    absent = next(k for k in range(160) if k not in unpacked(page, "numbers-1")["held"]) + 1
    reader.page.evaluate(f"location.hash = '#segment-{absent}'")
    reader.until(f"document.getElementById('shown-words').textContent.startsWith('Segment {absent} is not on')")
    assert reader.text("#shown-words").endswith("A report of this test set alone has all segments beside it.")
    reader.page.locator("#sets-shown a").nth(1).click()
    reader.page.wait_for_url("**/several.html?set=2#segments")
    reader.page.wait_for_selector("html[data-ready]")
    assert reader.text("#found").startswith("60 segments, by ")
