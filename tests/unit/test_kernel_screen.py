"""The screen of `diagnose`: where it says that a detector finds nothing, the detector finds nothing."""

from array import array
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tertium as tt
from tertium import _kernel
from tertium.analysis import diagnose as module
from tertium.analysis.detect import screen as screening
from tertium.analysis.detect.screen import BITS, SCREENED, Screened, character_kinds
from tertium.analysis.diagnose import Diagnosis
from tertium.core.run import Run

# Words of both languages, some inflected, names, numbers in all their forms, and what form detectors look for
PIECES = [
    "Bagger", "Baggern", "bagger", "digger", "Ufer", "steht", "Straßen", "STRASSE", "Anna", "Harke", "Müller", "euro",
    "euros", "reserviert", "unterhalten", "unterhalt", "bank", "by", "a", "ab", "the", "river", "zwei", "two", "May",
    "dreißig", "Dreißig", "7", "1.000", "٣", "²", "forty-one", "hihihihihihihi", "aaaaaaaaaaaa", "<unk>", "[UNK]",
    "⁇", "\ufffd", "(", ")", '"', "“", "»", ":)", "☀", "\U0001f600", "e\u0301te\u0301", "हिन्दी", "中文", "ǅungla",
    "İzmir", "ﬁnden", "\u0345", "!", ",", "-", "_", "\u00a0", "\x1c", "\u3000", "\x00",
]  # fmt: skip
SENTENCES = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
TEXTS = SENTENCES | st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=50)
OPTIONAL = st.none() | TEXTS
ROWS = st.lists(st.tuples(OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL), min_size=1, max_size=6)
Row = tuple[str | None, ...]
EVERY = sum(BITS.values())


def made(
    rows: Sequence[Row], pair: tuple[str | None, str | None], sourced: bool, streams: int
) -> tuple[tt.TestSet, list[tt.System]]:
    """A test set of rows: source, two references, two outputs."""
    columns = [tt.Lines.of(list(column)) for column in zip(*rows, strict=True)]
    testset = tt.TestSet(
        segments=len(rows),
        sources=columns[0] if sourced else None,
        references=tt.References(tuple(columns[1 : 1 + streams]), len(rows)),
        source_language=pair[0],
        target_language=pair[1],
    )
    return testset, [tt.System(name=name, outputs=column) for name, column in zip("ab", columns[3:], strict=True)]


def all_of(found: Diagnosis) -> object:
    return (
        found.findings,
        {key: tally.marks for key, tally in found.tallies.items()},
        {key: tally.marks for key, tally in found.floor.items()},
    )


def unscreened(testset: tt.TestSet, systems: Sequence[tt.System], detectors: list[str] | None) -> Diagnosis:
    """Every detector looks at everything."""

    def everything(testset: tt.TestSet, systems: Sequence[tt.System], *_: object) -> Screened:
        whole = array("H", [EVERY] * len(testset))
        return Screened([whole] * len(systems), whole)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "screen", everything)
        return tt.diagnose(testset, systems, detectors=detectors)


PAIRS = st.sampled_from([("de", "en"), ("en", "de"), (None, None), ("ja", "zh")])


def able(sourced: bool, referenced: bool) -> list[str]:
    """The screened detectors that have what they need; without that of languages, whose model is slow."""
    return [one.name for one in SCREENED if one.name != "language" and one.can_judge(sourced, referenced)]


@settings(max_examples=400)
@given(rows=ROWS, pair=PAIRS, sourced=st.booleans(), streams=st.integers(0, 2))
def test_nothing_is_screened_out_that_a_detector_finds(
    rows: list[Row], pair: tuple[str | None, str | None], sourced: bool, streams: int
) -> None:
    testset, systems = made(rows, pair, sourced, streams)
    names = able(sourced, streams > 0)
    assert all_of(tt.diagnose(testset, systems, detectors=names)) == all_of(unscreened(testset, systems, names))


@settings(max_examples=150)
@given(data=st.data(), sourced=st.booleans())
def test_lengths_and_repeats_at_their_bounds(data: st.DataObject, sourced: bool) -> None:
    """Outputs made from the other texts: a few words dropped, doubled, or taken from the source."""
    source, reference = (data.draw(st.lists(st.sampled_from(PIECES[:30]), min_size=4, max_size=12)) for _ in "ab")
    rows: list[Row] = []
    for _ in range(4):
        words = list(data.draw(st.sampled_from([source, reference, source[:4] + reference])))
        start, end = sorted(data.draw(st.tuples(st.integers(0, 12), st.integers(0, 12))))
        changed = data.draw(st.sampled_from([words[start:], words[:end], words + words[start:end] * 3]))
        rows.append((" ".join(source), " ".join(reference), None, " ".join(changed), " ".join(words)))
    testset, systems = made(rows, ("de", "en"), sourced, 2)
    names = able(sourced, True)
    assert all_of(tt.diagnose(testset, systems, detectors=names)) == all_of(unscreened(testset, systems, names))


def test_languages_are_screened_alike() -> None:
    pytest.importorskip("py3langid")
    german = "Niemand wirkte an diesem Abend auf dem Bahnsteig überrascht, als der Zug wieder zu spät kam."
    english = "Nobody on the platform looked surprised that evening when the train was late once again."
    half = "Nobody on the platform wirkte an diesem Abend überrascht when the train was late."
    for source, short in ((german, "Niemand."), (None, None)):
        rows: list[Row] = [
            (source, english, None, output, short) for output in (german, english, half, "", german[:39])
        ]
        testset, systems = made(rows, ("de", "en"), source is not None, 1)
        found = tt.diagnose(testset, systems, detectors="language")
        assert [finding.segment for finding in found] == [1]
        assert all_of(found) == all_of(unscreened(testset, systems, ["language"]))


def test_what_is_left_to_do() -> None:
    """Of a plain sentence nothing but what is there; of a faulty one, what is."""
    rows: list[Row] = [
        ("Der Bagger steht.", "The digger stands.", None, "The digger stands.", "The Bagger stands <unk> 7 ("),
        ("", "", None, None, ""),
    ]
    testset, systems = made(rows, ("de", "en"), True, 1)
    known = module.gather(testset, systems, identify=False)
    plain, faulty = screening.screen(testset, systems, known, Run()).systems
    assert list(plain) == [0, 0]
    names = {name for name, bit in BITS.items() if faulty[0] & bit}
    assert names == {"untranslated", "unk", "number", "unbalanced"}
    assert faulty[1] == BITS["empty"]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_threads_screens_alike(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[Row] = [(word, other, None, f"{word} {other}", word) for word in PIECES for other in PIECES[::7]]
    testset, systems = made(rows, ("de", "en"), True, 2)
    known = module.gather(testset, systems, identify=False)
    whole = screening.screen(testset, systems, known, Run(threads=1))
    monkeypatch.setattr(screening, "BLOCK", 17)
    assert screening.screen(testset, systems, known, Run(threads=threads)) == whole


def test_whatever_bytes_and_bounds_are_safe() -> None:
    view = tt.Lines.of(["Ein Wort", "a" * 5000, "\U0010ffff" * 40]).view
    kinds, words = character_kinds([]), _kernel.WordSet(tt.Lines.of([]).view)
    empty = _kernel.WordSet(tt.Lines.of(["", "", "x"]).view)
    raw = bytes(range(256)) * 3
    bounds = np.array([0, 100, 500]), np.array([256, 768, 501])
    broken = _kernel.View(np.frombuffer(raw, np.uint8), *bounds, None)
    full = character_kinds([tt.Lines.of(["".join(map(chr, range(0x500)))])])
    for characters in (kinds, full):
        for lines in (view, broken):
            found = _kernel.screen_outputs(
                [lines, view], lines, [view, lines], characters, words, empty, words, 1.0, [0.5] * 5, 0, 3
            )
            assert [len(one) for one in found] == [3, 3]
    codes = list(_kernel.distinct_characters([broken]))
    assert codes == sorted(set(codes))
    for first, last in ((0, 4), (2, 1), (9, 9)):
        with pytest.raises(ValueError, match="outside"):
            _kernel.screen_outputs([view], None, [], kinds, words, words, None, 1.0, [0.5] * 5, first, last)
    with pytest.raises(ValueError, match="five shares"):
        _kernel.screen_outputs([view], None, [], kinds, words, words, None, 1.0, [0.5], 0, 3)
    with pytest.raises(ValueError, match="one kind"):
        _kernel.CharacterKinds(np.array([65], np.uint32), np.array([], np.uint8), tt.Lines.of(["a"]).view)
    with pytest.raises(IndexError, match="1114112"):
        _kernel.CharacterKinds(np.array([0x110000], np.uint32), np.array([1], np.uint8), tt.Lines.of(["a"]).view)


@pytest.mark.parametrize("said", ["unterhalte", "unterhalt", "Bagge", "Kräne", "Krä"])
def test_words_without_their_endings_are_looked_for(said: str) -> None:
    """Up to two letters may be gone of a word of six or more."""
    row = (
        "Sie unterhalten den Bagger und Kränen.",
        "They maintain the digger and some cranes.",
        None,
        f"They {said}.",
        "",
    )
    testset, systems = made([row], ("de", "en"), True, 1)
    found = tt.diagnose(testset, systems, detectors="untranslated")
    assert len(found) == (said != "Krä")
    assert all_of(found) == all_of(unscreened(testset, systems, ["untranslated"]))
