"""The laws for `terms`, which needs a file: a glossary of the words that the laws' texts are made of."""

from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import OptionError
from tertium.engines import door
from tertium.metrics import parse, refuse_local
from tertium.testing import laws_of

GLOSSARY = Path(__file__).parent / "terms.csv"
TERMS = f'terms(glossary="{GLOSSARY}")'

test_laws = laws_of(TERMS)


def scored(sources: list[str | None], outputs: list[str | None]) -> tt.Stats:
    testset = tt.TestSet(
        segments=len(sources), sources=tt.Lines.of(sources), source_language="en", target_language="de"
    )
    system = tt.System(name="mine", outputs=tt.Lines.of(outputs))
    [stats] = tt.evaluate(testset, [system], [parse(TERMS)]).table.values()
    return stats


def test_rows() -> None:
    """Worked by hand: `the cat` is one term, in which `cat` is not counted again."""
    stats = scored(
        ["The cat sat.", "cats and mats, cats", "a dog", None, "the cat"],
        ["Die Katze saß.", "Kater", "Hund", "Katze", None],
    )
    assert stats.segments().tolist() == [[2, 2], [1, 2], [0, 0], [0, 0], [0, 0]]
    assert stats.scored.tolist() == [True, True, True, False, False]
    assert float(parse(TERMS).score(stats.total())) == 75.0


def test_marks() -> None:
    source, output = "The cat sat on mats.", "Die Katze lag."
    testset = tt.TestSet(segments=1, sources=tt.Lines.of([source]), source_language="en", target_language="de")
    prepared = door.prepare(parse(TERMS), testset)
    [marks] = door.marks(parse(TERMS), tt.Lines.of([output]), prepared)
    assert [output[hit.start : hit.end] for hit in marks.hits] == ["Die Katze"]
    assert [(source[span.start : span.end], span.side) for span in marks.spans] == [
        ("sat", "source"),
        ("mats", "source"),
    ]


def test_mistakes() -> None:
    testset = tt.TestSet(segments=1, sources=tt.Lines.of(["a"]))
    system = tt.System(name="mine", outputs=tt.Lines.of(["a"]))
    with pytest.raises(OptionError, match=r'^terms needs a glossary: terms\(glossary="terms.csv"\)$'):
        tt.evaluate(testset, [system], ["terms"])
    with pytest.raises(OptionError, match="names a file or a function of this computer"):
        refuse_local(parse(TERMS))


@pytest.mark.parametrize(("source", "told"), [("a dog", True), ("the cat", False)])
def test_a_glossary_of_which_no_source_has_a_term_is_told(source: str, told: bool) -> None:
    testset = tt.TestSet(segments=2, sources=tt.Lines.of([source, "a dog"]))
    system = tt.System(name="mine", outputs=tt.Lines.of(["der Hund", "ein Hund"]))
    found = tt.evaluate(testset, [system], [TERMS])
    assert any("has a term of the glossary in its source" in note for note in found.warnings) == told


def test_languages_that_nobody_names_are_told() -> None:
    testset = tt.TestSet(segments=1, sources=tt.Lines.of(["the cat"]))
    system = tt.System(name="mine", outputs=tt.Lines.of(["die Katze"]))
    found = tt.evaluate(testset, [system], [TERMS])
    assert any("does not name its source and its target language" in note for note in found.warnings)
    assert np.isclose(found.scores()[0].value, 100)
