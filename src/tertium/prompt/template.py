"""Template: a prompt with slots for the input and the answer, and how it is filled (Liu et al. 2023, section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.wording import counted
from tertium.models.language_model import Messages
from tertium.text.language_names import language_name

INPUTS = ("X", "X1", "X2")  # what is asked about
SLOTS = (*INPUTS, "Z", "src", "tgt")  # and the answer, and the names of two languages
PIECE = re.compile(r"\[\[|\[([A-Za-z]\w*)\]|◇")  # [[ is a bracket that opens no slot
CHOICE = "◇"  # a line break or a space, chosen when the template is filled

Kind = Literal["cloze", "prefix"]
Piece = tuple[str, str | None]  # a text, and the slot behind it


class Demonstration(NamedTuple):
    """An example that a prompt shows: inputs with their answer, and how good it is where somebody said so."""

    inputs: tuple[str, ...]
    answer: str
    quality: float | None = None


def demonstrations_of(given: Iterable[Demonstration | tuple[str, str]]) -> tuple[Demonstration, ...]:
    """The same, where pairs (input, answer) were given."""
    found = []
    for place, one in enumerate(given):
        if isinstance(one, Demonstration):
            found.append(one)
            continue
        if isinstance(one, str) or len(one) != 2 or not all(isinstance(text, str) for text in one):
            raise InputError(f"example {place + 1}: {one!r} is not a pair; write (input, answer)")
        found.append(Demonstration((one[0],), one[1]))
    return tuple(found)


class Prompt(NamedTuple):
    """A filled template: what stands before the answer, the blank between them, what stands behind the answer.

    The blank belongs to the answer: models write it together with the first word (` great` is one token), and hardly
    ever continue a text that ends in a blank.
    """

    before: str
    blank: str = ""
    after: str = ""
    turns: tuple[tuple[str, str], ...] = ()  # the demonstrations, as what was asked and what was answered
    query: str = ""  # what is asked now, without the demonstrations

    def answered(self, answer: str) -> str:
        """The whole text with this answer in its place."""
        return f"{self.before}{self.continuation(answer)}"

    def continuation(self, answer: str) -> str:
        """What a model would have to write for this answer: whatever follows `before`."""
        return f"{self.blank}{answer}{self.after}"

    @property
    def messages(self) -> Messages:
        """The prompt as a chat: demonstrations are earlier turns."""
        earlier = (turn for asked, said in self.turns for turn in (("user", asked), ("assistant", said)))
        return (*earlier, ("user", self.query))


@dataclass(frozen=True, kw_only=True)
class Template:
    """A text with slots: [X] or [X1] [X2] for inputs, one [Z] for the answer, [src] [tgt] for names of languages.

    `◇` is a line break or a space, as the filling says. What is put into a slot is not looked at again: an input may
    hold brackets. `[[` is an opening bracket that belongs to no slot.
    """

    text: str
    name: str = ""  # the text itself, where it has none
    language: str = "en"  # of its words, and of the names of languages in it
    joiner: str = "\n\n"  # between demonstrations
    answers: tuple[tuple[str, str], ...] = ()  # (answer, label): what may be answered, and what it means

    def __post_init__(self) -> None:
        where = f"template {self.name}" if self.name else f"template {self.text!r}"
        for slot in self.slots:
            if slot not in SLOTS:
                from difflib import get_close_matches

                near = get_close_matches(slot, SLOTS, n=1)
                hint = f"; did you mean [{near[0]}]?" if near else ";"
                known = " ".join(f"[{name}]" for name in SLOTS)
                raise OptionError(f"{where}: unknown slot [{slot}]{hint} slots: {known}; a bracket alone is [[")
        if self.slots.count("Z") != 1:
            got = "there is none" if "Z" not in self.slots else f"there are {self.slots.count('Z')}"
            raise OptionError(f"{where}: exactly one answer slot [Z] is needed, and {got}")
        if not self.inputs:
            raise OptionError(f"{where}: no input slot; write [X] where the input goes, or [X1] and [X2] for two")
        if "X" in self.inputs and len(self.inputs) > 1:
            raise OptionError(f"{where}: both [X] and [{self.inputs[1]}]; write [X] for one input, [X1] [X2] for two")
        if self.inputs == ("X2",):
            raise OptionError(f"{where}: [X2] without [X1]; write [X] for one input, [X1] [X2] for two")

    def __str__(self) -> str:
        return self.name or self.text

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Texts, each with the slot behind it; `◇` is a slot that everybody can fill."""
        found: list[Piece] = []
        text, place = "", 0
        for match in PIECE.finditer(self.text):
            text += self.text[place : match.start()]
            place = match.end()
            if match[0] == "[[":
                text += "["
                continue
            found.append((text, match[1] or CHOICE))
            text = ""
        return (*found, (text + self.text[place:], None))

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The slots from left to right."""
        return tuple(slot for _, slot in self.pieces if slot is not None and slot != CHOICE)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The slots for inputs, each once, in the order in which inputs are given."""
        return tuple(slot for slot in INPUTS if slot in self.slots)

    @property
    def kind(self) -> Kind:
        """prefix where the answer comes last, so that any model can write it; cloze where words follow it."""
        order = [slot for _, slot in self.pieces]
        after = self.pieces[order.index("Z") + 1 :]
        words = any(text.strip() or slot not in (None, CHOICE) for text, slot in after)
        return "cloze" if words else "prefix"

    def fill(
        self,
        *inputs: str,
        source: str | None = None,
        target: str | None = None,
        demonstrations: Sequence[Demonstration | tuple[str, str]] = (),
        line_break: bool = True,
    ) -> Prompt:
        """The prompt for these inputs, with demonstrations before it; languages by code (`de`) or by name."""
        named = self._names(source, target, line_break)
        turns = []
        for shown in demonstrations_of(demonstrations):
            prompt = self._fill(shown.inputs, named)
            turns.append((prompt.before, shown.answer, prompt.answered(shown.answer)))
        query = self._fill(inputs, named)
        before = self.joiner.join([*(whole for _, _, whole in turns), query.before])
        earlier = tuple((asked, said) for asked, said, _ in turns)
        return Prompt(before, query.blank, query.after, earlier, query.before)

    def headers(self, source: str | None = None, target: str | None = None) -> tuple[str, ...]:
        """With what a next example would begin, should a model go on to invent one: `German:`; () where templates begin
        with the input, or with the answer."""
        named = self._names(source, target, line_break=True)
        head = ""
        for text, slot in self.pieces:
            head += text
            if slot in INPUTS or slot == "Z":
                break
            head += named.get(slot or "", "")
        line = head.strip().partition("\n")[0].rstrip()
        return (line,) if line else ()

    def _names(self, source: str | None, target: str | None, line_break: bool) -> dict[str, str]:
        named = {CHOICE: "\n" if line_break else " "}
        for slot, language, word in (("src", source, "source"), ("tgt", target, "target")):
            if slot in self.slots and language is None:
                raise OptionError(
                    f"template {self}: the slot [{slot}] needs the {word} language; pass {word}=..., "
                    f"or --{word}-language"
                )
            if language is not None:
                named[slot] = language_name(language, self.language)
        return named

    def _fill(self, inputs: Sequence[str], named: Mapping[str, str]) -> Prompt:
        if len(inputs) != len(self.inputs):
            wanted = " ".join(f"[{slot}]" for slot in self.inputs)
            raise OptionError(
                f"template {self}: {counted(len(inputs), 'input')} for the slots {wanted}; "
                f"there must be {counted(len(self.inputs), 'input')}"
            )
        values = {**named, **dict(zip(self.inputs, inputs, strict=True))}
        parts = [""]  # before the answer, then behind it
        for text, slot in self.pieces:
            parts[-1] += text
            if slot == "Z":
                parts.append("")
            elif slot is not None:
                parts[-1] += values[slot]
        before = parts[0].rstrip(" ")
        blank = parts[0][len(before) :]
        if not any(inputs):  # the empty input leaves no blanks behind
            before = before.lstrip()
        return Prompt(before, blank, parts[1].rstrip(), (), before)
