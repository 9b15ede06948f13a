"""From what a model said to a translation: a list of named steps, which is recorded, and can be done again.

Each step is a function of the answer and of what was asked; it takes time in proportion to the text, and changes
nothing else. Raw answers are kept, so that other steps can be tried without asking a model again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tertium.analysis.detect.detector import Text
from tertium.analysis.detect.form import find_loop
from tertium.core.errors import OptionError

FENCE = "```"
QUOTES = {pair[0]: pair[1] for pair in ('""', "''", "``", "“”", "„“", "«»", "»«", "‘’", "‚‘", "「」", "『』")}
COLONS = ":："
# With what answers begin that announce a translation. Case-folded.
LEAD_INS = (
    "here is", "here's", "here are", "sure", "certainly", "of course", "translation", "translated", "the translation",
    "target", "hier ist", "hier die", "natürlich", "gerne", "übersetzung", "die übersetzung", "以下是", "这是", "翻译",
    "译文", "当然",
)  # fmt: skip
ANNOUNCED = ("translation", "translate", "translated", "übersetzung", "übersetzt", "翻译", "译文")  # one of these, too
LONGEST = 100  # characters of such a beginning
BLANKS = re.compile(r"[ \t\n\r\v\f]+")
THOUGHTS = "</think>"  # the end of what some models write before they answer
NONE = "none"


class Asked(NamedTuple):
    """What an answer answers."""

    source: str = ""
    headers: tuple[str, ...] = ()  # with what a next example would begin


Step = Callable[[str, Asked], str]


def thoughts(answer: str, asked: Asked) -> str:  # noqa: ARG001
    """Drop what a model thinks aloud before it answers, up to `</think>`."""
    return answer.rpartition(THOUGHTS)[2]


def blank_lines(answer: str, asked: Asked) -> str:  # noqa: ARG001
    """Drop blanks and blank lines at the beginning."""
    return answer.lstrip()


def lead_in(answer: str, asked: Asked) -> str:
    """Drop an announcement that ends in a colon, such as `Here is the translation:`, unless the source has one."""
    text = answer.lstrip()
    line = text.partition("\n")[0][:LONGEST]
    place = next((k for k, char in enumerate(line) if char in COLONS), -1)
    said = text[:place].casefold()
    if place < 0 or not said.startswith(LEAD_INS) or not any(word in said for word in ANNOUNCED):
        return answer
    if any(colon in asked.source for colon in COLONS) or not text[place + 1 :].strip():
        return answer
    return text[place + 1 :].lstrip()


def fence(answer: str, asked: Asked) -> str:
    """Take what stands between the first two code fences, unless the source has fences."""
    if FENCE in asked.source or FENCE not in answer:
        return answer
    before, _, rest = answer.partition(FENCE)
    inside, closed, _ = rest.partition(FENCE)
    if before.strip():  # words, then a fence: the fence closes, or holds something else
        return before if not closed else answer
    head, newline, body = inside.partition("\n")
    if newline and (not head.strip() or (head.isascii() and head.strip().isalnum() and body.strip())):
        return body  # the first line names a language of programs, or nothing
    return inside


def next_header(answer: str, asked: Asked) -> str:
    """Stop at a line that begins as the template does: there the model invents an example of its own."""
    cuts = [place for header in asked.headers if (place := f"\n{answer}".find(f"\n{header}")) >= 0]
    return answer[: min(cuts)].rstrip("\n") if cuts else answer


def first_line(answer: str, asked: Asked) -> str:  # noqa: ARG001
    """Stop at the first line break."""
    return answer.partition("\n")[0]


def quotes(answer: str, asked: Asked) -> str:
    """Drop a pair of quotation marks around the whole answer, unless the source begins and ends in some."""
    text, source = answer.strip(), asked.source.strip()
    if len(text) < 2 or QUOTES.get(text[0]) != text[-1] or not text[1:-1].strip():
        return answer
    if any(mark in text[1:-1] for mark in (text[0], text[-1])):  # "Yes", he said, "no": not around the whole
        return answer
    marks = {*QUOTES, *QUOTES.values()}
    return answer if source[:1] in marks or source[-1:] in marks else text[1:-1].strip()


def repetition(answer: str, asked: Asked) -> str:
    """Stop where something has been said once that is then said over and over, unless the source does so as well."""
    loop = find_loop(Text(answer))
    if loop is None or find_loop(Text(asked.source)) is not None:
        return answer
    return answer[: loop.once]


def one_line(answer: str, asked: Asked) -> str:  # noqa: ARG001
    """Write line breaks, tabs and runs of blanks as one blank; blanks that do not break a line stay what they are."""
    return BLANKS.sub(" ", answer).strip(" ")


STEPS: dict[str, Step] = {
    step.__name__: step
    for step in (thoughts, blank_lines, lead_in, fence, next_header, first_line, quotes, repetition, one_line)
}


@dataclass(frozen=True)
class Steps:
    """Names of steps, in the order in which they are done; the text is the names with commas, or `none`."""

    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in STEPS:
                from difflib import get_close_matches

                near = get_close_matches(name, STEPS, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ";"
                raise OptionError(f"unknown step {name!r}{hint} known: {', '.join(STEPS)}, or none")

    def __str__(self) -> str:
        return ",".join(self.names) or NONE

    def apply(self, answer: str, source: str = "", headers: tuple[str, ...] = ()) -> str:
        """What is left of an answer."""
        return self.trace(answer, source, headers)[-1][1]

    def trace(self, answer: str, source: str = "", headers: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        """The answer as it came, and after each step that changed it: (name of the step, text)."""
        done, asked = [("", answer)], Asked(source, headers)
        for name in self.names:
            after = STEPS[name](done[-1][1], asked)
            if after != done[-1][1]:
                done.append((name, after))
        return done


USUAL = Steps(tuple(name for name in STEPS if name != "repetition"))  # what loops is counted, and left as it is


def parse_steps(text: str | Steps) -> Steps:
    """The steps a text means: names with commas, `usual`, or `none`; parse_steps(str(s)) == s."""
    if isinstance(text, Steps):
        return text
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if names == (NONE,):
        return Steps()
    return USUAL if names == ("usual",) else Steps(names)
