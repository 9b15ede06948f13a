"""Post-editing effort: every measure by hand, intervals and tests by brute force, and whose names are seen."""

import itertools
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.edited import EditedSegments, edited_of
from tertium.core.errors import InputError, OptionError
from tertium.core.stats import Stats
from tertium.human.effort.analysis import Effort, effort
from tertium.human.effort.counting import count_effort
from tertium.human.effort.measures import COLUMNS, KINDS, MEASURES
from tertium.inference.unpaired import unpaired_test
from tertium.io.edits import read_edits

WORDS = "ein zwei drei vier fünf sechs sieben acht".split()


def edited(pairs: list[tuple[str, str]], **facts: Any) -> EditedSegments:
    n = len(pairs)
    return EditedSegments(
        name="test",
        outputs=tt.Lines.of([output for output, _ in pairs]),
        edited=tt.Lines.of([mended for _, mended in pairs]),
        engines=facts.pop("engines", ("mt",) * n),
        segments=facts.pop("segments", tuple(map(str, range(n)))),
        **facts,
    )


def random_edits(n: int, engines: int, seed: int, *, shared: bool) -> EditedSegments:
    """Texts of a few words, some of them edited; engines translate the same segments or different ones."""
    draw = random.Random(seed)
    rows: dict[str, list[Any]] = {name: [] for name in ("pairs", "engines", "segments", "documents", "seconds")}
    for engine, k in itertools.product(range(engines), range(n)):
        output = [draw.choice(WORDS) for _ in range(draw.randint(1, 9))]
        mended = [draw.choice(WORDS) if draw.random() < 0.1 + 0.2 * engine else word for word in output]
        rows["pairs"].append((" ".join(output), " ".join(mended)))
        rows["engines"].append(f"e{engine}")
        rows["segments"].append(str(k if shared else engine * n + k))
        rows["documents"].append(f"d{(k if shared else engine * n + k) // 4}")
        rows["seconds"].append(draw.choice([math.nan, 7.5, 30.0]))
    return edited(
        rows["pairs"], engines=tuple(rows["engines"]), segments=tuple(rows["segments"]),
        documents=tuple(rows["documents"]), seconds=tuple(rows["seconds"]),
    )  # fmt: skip


def row(stats: Stats, k: int) -> dict[str, float]:
    return dict(zip(COLUMNS, stats.segments()[k].tolist(), strict=True))


@pytest.mark.parametrize(
    ("output", "mended", "expected"),
    [
        ("a b c", "a b c", {"edits": 0, "untouched": 1, "character_edits": 0}),
        ("a b c", "a b c d", {"edits": 1, "inserted": 1, "words": 4, "characters": 7, "character_edits": 2}),
        ("a b c d", "a b c", {"edits": 1, "deleted": 1, "words": 3, "character_edits": 2}),
        ("a x c", "a b c", {"edits": 1, "substituted": 1, "character_edits": 1}),
        ("d e a b c", "a b c d e", {"edits": 1, "shifted": 1, "word_edits": 4}),
        ("A b c", "a b c", {"edits": 0, "untouched": 0, "word_edits": 1}),  # HTER takes A and a for the same
        ("", "a b", {"edits": 2, "inserted": 2, "untouched": 0}),
        ("a b", "", {"edits": 2, "deleted": 2, "words": 0}),
    ],
)
def test_rows_worked_by_hand(output: str, mended: str, expected: dict[str, float]) -> None:
    found = row(count_effort(edited([(output, mended)])), 0)
    assert {name: found[name] for name in expected} == expected
    assert sum(found[name] for name in KINDS) == found["edits"]


def test_kinds_add_up_to_edits() -> None:
    stats = count_effort(random_edits(200, 2, 3, shared=True)).segments()
    kinds = stats[:, [COLUMNS.index(name) for name in KINDS]]
    assert (kinds >= 0).all()
    assert np.array_equal(kinds.sum(axis=1), stats[:, COLUMNS.index("edits")])


def test_measures_are_ratios_of_sums() -> None:
    pairs = [("a b c d", "a b c"), ("x", "x"), ("a b", "a b c d e f")]
    found = effort(edited(pairs, sources=tt.Lines.of(["eins zwei", "drei", "vier fünf sechs"]),
                          seconds=(3.0, math.nan, 9.0)))  # fmt: skip
    whole = found.whole
    assert whole.scores["hter"].value == pytest.approx(100 * 5 / 10)
    assert whole.scores["untouched"].value == pytest.approx(100 / 3)
    assert whole.scores["speed"].value == pytest.approx(3600 * 5 / 12)
    assert (whole.scores["speed"].n, whole.timed) == (2, 2)
    assert whole.kinds["inserted"].value == pytest.approx(40)
    assert whole.kinds["deleted"].value == pytest.approx(10)
    assert found.notes == ("times are known for 2 of 3 segments; speed is of these",)


def brute_force(stats: Stats, groups: list[list[int]], name: str, trials: int, seed: int) -> list[float]:
    """Units drawn one by one with Python's own loops from numpy's stream; the sums of their rows; the ratio."""
    rows, measure = stats.segments().tolist(), MEASURES[name]
    over, by = COLUMNS.index(measure.over), COLUMNS.index(measure.by)
    rng, scores = np.random.default_rng(seed), []
    for _ in range(trials):
        top = bottom = 0.0
        for unit in rng.integers(len(groups), size=len(groups)).tolist():
            top += sum(rows[k][over] for k in groups[unit])
            bottom += sum(rows[k][by] for k in groups[unit])
        scores.append(measure.factor * top / bottom)
    return sorted(scores)


@pytest.mark.parametrize("unit", ["document", "segment"])
def test_intervals_against_brute_force(unit: Any) -> None:
    given, trials = random_edits(24, 1, 7, shared=True), 200
    found = effort(given, unit=unit, trials=trials, seed=5, confidence=0.9)
    stats = count_effort(given)
    names = list(dict.fromkeys(given.documents or ()))
    groups = [[k for k, name in enumerate(given.documents or ()) if name == one] for one in names]
    for name in ("hter", "characters", "words", "untouched"):
        # documents are numbered by their names
        ordered = (
            [groups[names.index(one)] for one in sorted(names)] if unit == "document" else [[k] for k in range(24)]
        )
        scores = brute_force(stats, ordered, name, trials, 5)
        interval = found.whole.scores[name].interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx((scores[10], scores[189]), abs=1e-9)
    assert (found.whole.unit, found.whole.units) == (unit, 6 if unit == "document" else 24)


def test_unpaired_p_against_all_divisions() -> None:
    """Eight units, divided in all 70 ways; 20,000 random ones come near."""
    draw = random.Random(1)
    rows = np.zeros((8, len(COLUMNS)))
    rows[:, COLUMNS.index("edits")] = [draw.randint(0, 9) for _ in range(8)]
    rows[:, COLUMNS.index("words")] = [draw.randint(10, 20) for _ in range(8)]
    stats, hter = Stats(COLUMNS, rows, None), MEASURES["hter"]
    total, sizes = rows.sum(axis=0), []
    for part in itertools.combinations(range(8), 4):
        own = rows[list(part)].sum(axis=0)
        sizes.append(abs(float(hter.score(total - own)) - float(hter.score(own))))
    exact = np.mean([size >= sizes[0] - 1e-9 for size in sizes])
    found = unpaired_test(stats.take(np.arange(4)), stats.take(np.arange(4, 8)), hter.metric, trials=20_000, seed=3)
    assert abs(found.difference) == pytest.approx(sizes[0])
    assert found.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


def test_equal_engines_are_found_different_as_often_as_alpha_says() -> None:
    """Of 200 pairs drawn from the same rows, between 1 and 22 at 5 %: the 99.9 % range of a binomial is 2 to 21."""
    rng, hter, hits = np.random.default_rng(9), MEASURES["hter"], 0
    for trial in range(200):
        rows = np.zeros((30, len(COLUMNS)))
        rows[:, COLUMNS.index("words")] = rng.integers(5, 30, size=30)
        rows[:, COLUMNS.index("edits")] = rng.binomial(rows[:, COLUMNS.index("words")].astype(int), 0.2)
        stats = Stats(COLUMNS, rows, None)
        parts = stats.take(np.arange(12)), stats.take(np.arange(12, 30))
        hits += unpaired_test(*parts, hter.metric, trials=400, seed=trial).p <= 0.05
    assert 1 <= hits <= 22


def test_engines_on_the_same_segments_are_paired() -> None:
    found = effort(random_edits(120, 2, 11, shared=True), trials=50)
    [item] = found.tests
    assert (item.design, item.unit, item.units, item.segments) == ("paired", "document", (30, 30), (120, 120))
    assert item.better == "e0"
    assert item.difference == pytest.approx(item.values[1] - item.values[0])
    assert [row.name for row in found.by("engine")] == ["e0", "e1"]


def test_engines_on_other_segments_are_not() -> None:
    [item] = effort(random_edits(120, 2, 11, shared=False), trials=50).tests
    assert (item.design, item.units, item.better) == ("unpaired", (30, 30), "e0")
    assert item.adjusted == item.p


def test_holm_is_over_all_pairs() -> None:
    tests = effort(random_edits(60, 3, 2, shared=True), trials=50).tests
    assert len(tests) == 3
    ordered = sorted(tests, key=lambda item: item.p)
    assert ordered[0].adjusted == pytest.approx(min(1.0, 3 * ordered[0].p))


def test_names_are_pseudonyms_unless_asked_for() -> None:
    given = edited([("a b", "a b"), ("c d", "c e"), ("f", "f")], translators=("Ann Smith", "Bob", "Ann Smith"))
    hidden = effort(given, trials=20)
    assert sorted(row.name for row in hidden.by("translator")) == ["translator 1", "translator 2"]
    assert "Ann" not in repr(hidden)
    assert "Bob" not in repr(hidden)
    assert [row.name for row in effort(given, trials=20, names=True).by("translator")] == ["Ann Smith", "Bob"]


def test_groups_and_what_is_not_known() -> None:
    given = edited([("a", "a"), ("b", "c"), ("d", "d")], domains=("law", "", "law"), documents=("x", "y", "y"))
    found = effort(given, trials=20)
    assert [(row.by, row.name, row.segments) for row in found.rows[1:]] == [
        ("engine", "mt", 3), ("domain", "law", 2), ("document", "x", 1), ("document", "y", 2)
    ]  # fmt: skip
    assert found.by("document")[0].scores["hter"].interval is None, "of one segment nothing can be drawn"
    assert effort(given, trials=20, by="domain").kinds == ["domain"]
    with pytest.raises(OptionError, match="test does not say which translator a segment is of"):
        effort(given, by="translator")
    with pytest.raises(OptionError, match='by="genre" is unknown'):
        effort(given, by="genre")
    with pytest.raises(OptionError, match="HTER is TER against post-edits; bleu is another metric"):
        effort(given, metric="bleu")
    with pytest.raises(OptionError, match="test has 0 documents; draw segments: --unit segment"):
        effort(replace(given, documents=None), unit="document")


def test_rows_that_lack_a_side_are_counted_and_left_out() -> None:
    given = replace(edited([("a", "a"), ("b", "c")]), edited=tt.Lines.of(["a", None]))
    found = effort(given, trials=20)
    assert found.whole.segments == 1
    assert found.notes == ("1 row of 2 without an output or without its post-edit: not counted",)
    with pytest.raises(InputError, match="no segment has both an output and a post-edit"):
        effort(replace(given, edited=tt.Lines.of([None, None])))


def test_an_evaluation_whose_references_are_post_edits() -> None:
    testset = tt.TestSet(
        segments=3, references=tt.References((tt.Lines.of(["a b", "c d", "e f"]),), 3), documents=("x", "x", "y"),
        records={"engine": ("one", "two", "one"), "translator": ("T", "T", "U"), "seconds": ("4", "no", "1e99")},
    )  # fmt: skip
    systems = tuple(tt.System(name=name, outputs=tt.Lines.of(["a b", "c x", "e f"])) for name in ("one", "two"))
    given = edited_of(tt.Evaluation(testset=testset, systems=systems))
    assert given.engines == ("one", "one", "two")
    assert given.segments == ("1", "3", "2")
    assert given.seconds is not None
    assert [str(value) for value in given.seconds] == ["4.0", "nan", "nan"]
    assert given.notes == ()
    every = edited_of(tt.Evaluation(testset=replace(testset, records={}), systems=systems))
    assert len(every) == 6
    assert "look worse than they are" in every.notes[0]
    two = replace(testset, references=tt.References((testset.references.streams[0],) * 2, 3))
    with pytest.raises(OptionError, match="an output has one post-edit, and test set testset has up to 2 references"):
        edited_of(tt.Evaluation(testset=two, systems=systems))


def test_segments_of_no_engine_are_not_counted() -> None:
    testset = tt.TestSet(
        segments=3, references=tt.References((tt.Lines.of(["a b", "c d", "e f"]),), 3),
        records={"engine": ("one", "", "scratch")},
    )  # fmt: skip
    systems = tuple(tt.System(name=name, outputs=tt.Lines.of(["a b", "c x", "e f"])) for name in ("one", "two"))
    given = edited_of(tt.Evaluation(testset=testset, systems=systems))
    assert (given.engines, given.segments) == (("one",), ("1",))
    assert given.notes == ("2 segments of 3 not said to be edited from one of these engines: not counted",)


def test_a_segment_that_several_people_edited_is_one_with_all_its_rows() -> None:
    """Of engine a segment 1 was edited by two: 1 edit and none, of 2 words each; segment 2 took 1 of 2."""
    pairs = [("x b", "a b"), ("a b", "a b"), ("a y", "a b"), ("a b", "a b"), ("x b", "a b")]
    given = edited(pairs, engines=tuple("aaabb"), segments=tuple("11212"))
    [item] = effort(given, trials=20).tests
    assert (item.design, item.segments, item.units) == ("paired", (2, 2), (2, 2))
    assert item.values == pytest.approx((100 * 2 / 6, 100 * 1 / 4))


def test_segments_without_names_are_common_to_nothing() -> None:
    given = edited([("a", "a"), ("x", "a")] * 3, engines=("a", "b") * 3, segments=("1", "1", "", "", "", ""))
    [item] = effort(given, trials=20).tests
    assert (item.design, item.segments) == ("unpaired", (3, 3))


def test_engines_of_one_document_each_are_not_tested() -> None:
    given = edited([("a", "a"), ("x", "a")] * 20, engines=("a", "b") * 20, documents=("d", "e") * 20)
    found = effort(given, trials=20)
    assert (found.unit, found.tests) == ("document", ())
    assert found.notes == ("1 pair of engines not tested: one of the two has fewer than 2 documents",)
    [item] = effort(given, trials=20, unit="segment").tests
    assert item.design == "unpaired"


def test_so_many_engines_are_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.human.effort.analysis.MOST_ENGINES", 3)
    assert len(effort(random_edits(4, 3, 5, shared=True), trials=2).tests) == 3
    found = effort(random_edits(4, 4, 5, shared=True), trials=2)
    assert found.tests == ()
    assert found.notes[0].startswith("4 engines, and of more than 3 no pairs are tested; is the column")


def test_scripts_without_spaces_are_told() -> None:
    chinese, english = "大门在涨潮时打开。", "The gate opens at high tide."
    said = "post-edits are in a script without spaces"
    timed = "words an hour are counted in a script without spaces"

    def notes(text: str, **facts: Any) -> list[str]:
        return [note.split(",")[0] for note in effort(edited([(text, text)] * 2, **facts), trials=2).notes]

    assert notes(chinese) == [said]
    assert notes(chinese, seconds=(3.0, 4.0)) == [said, timed]
    assert notes(english, seconds=(3.0, 4.0), sources=tt.Lines.of([chinese] * 2)) == [timed]
    assert notes(english, sources=tt.Lines.of([chinese] * 2)) == []
    assert notes(english, seconds=(3.0, 4.0), sources=tt.Lines.of([english] * 2)) == []


def test_empty_post_edits_are_not_made_yet(tmp_path: Path) -> None:
    path = tmp_path / "edits.tsv"
    path.write_text("mt\tpe\nthe cat\tthe cat\na dog\t\n\t\n", encoding="utf-8")
    assert list(read_edits(path).edited) == ["the cat", None, ""]
    found = effort(read_edits(path), trials=2)
    assert (found.whole.segments, found.whole.scores["hter"].value) == (2, 0)
    assert found.notes == ("1 row of 3 without an output or without its post-edit: not counted",)


def test_tables_of_edits(tmp_path: Path) -> None:
    path = tmp_path / "edits.csv"
    path.write_text(
        "system,segment,rater,output,text,hter,seconds\none,1,Ann,a b,a c,50,30\none,2,,d,d,0,\n", encoding="utf-8"
    )
    given = read_edits(path)  # as tertium human export --to edits writes it
    assert (given.engines, given.segments, given.translators) == (("one", "one"), ("1", "2"), ("Ann", ""))
    assert list(given.edited) == ["a c", "d"]
    found: Effort = effort(given, trials=20)
    assert found.whole.scores["hter"].value == pytest.approx(100 / 3)
    assert found.whole.scores["speed"].value == pytest.approx(2 * 3600 / 30)
    path.write_text("output,words\na,b\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_edits(path)
    assert str(caught.value) == f"{path}: no column post_edit (or text, target, pe, edited); columns: output, words"
