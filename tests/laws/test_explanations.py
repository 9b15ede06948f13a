"""The laws of explanations: every metric says what it computes, what its options mean and what it does not see."""

import inspect
import re

import pytest

from tertium.analysis.explanation import SECTIONS, explain, read_options, read_sections
from tertium.metrics import known

CLASSES = known()
every_metric = pytest.mark.parametrize("name", CLASSES)


@every_metric
def test_everything_is_explained(name: str) -> None:
    told = explain(CLASSES[name])
    assert re.fullmatch(r"[A-Z].*\.", told.summary), "a sentence"
    assert told.formula
    assert "=" in told.formula[0]
    assert max(map(len, told.formula)) <= 72, "it has to fit a terminal"
    assert [option.name for option in told.options if not option.meaning] == [], "options without a meaning"
    assert re.fullmatch(r"[A-Z].*\.", told.blind_to), "a sentence"
    own = CLASSES[name].needs & {"function", "scores"}  # somebody else's, whose paper is not known here
    assert re.fullmatch(r"[A-Z].*\." if own else r"[A-Z].*\(\d{4}\).*\.", told.paper), "authors (year), title"


@every_metric
def test_nothing_is_explained_that_is_not_there(name: str) -> None:
    """A heading or an option that was misspelt would be lost without a word."""
    options = {option.name for option in explain(CLASSES[name]).options}
    for cls in inspect.getmro(CLASSES[name])[:-1]:
        doc = vars(cls).get("__doc__") or ""
        found = read_sections(doc)
        assert set(found) <= set(SECTIONS)
        assert set(read_options(found.get("Options", []))) <= options
        headings = re.findall(r"^ {0,4}(\w[\w ]*):\s*$", inspect.cleandoc(doc), re.MULTILINE)
        assert set(headings) == set(found), "headings stand at the margin, their text is indented by four"


def test_sections_are_read() -> None:
    doc = """Summary: not a heading.

    Formula:
        a = b
          c

        d

    Options:
        order: one
            and more: of it
        words: two

    Blind to:
        Much.
    Text at the margin ends a section.
        this is nowhere
    """
    found = read_sections(doc)
    assert found == {"Formula": ["a = b", "  c", "d"], "Options": ["order: one", "    and more: of it", "words: two"],
                     "Blind to": ["Much."]}  # fmt: skip
    assert read_options(found["Options"]) == {"order": "one and more: of it", "words": "two"}
    assert read_sections("") == {}
