"""Other words for a template: by rules, by a round trip through another language, by the model itself.

Jiang et al. (2020, section 3.2) paraphrase by a round trip. Whatever comes back is a template with the same slots, or
it is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.models.language_model import Decoding, LanguageModel, Request
from tertium.prompt.template import Template

Rewriting = Callable[[str], str]


class Paraphrase(NamedTuple):
    """A template in other words, and how it came about."""

    template: Template
    way: str


# Rules: each is tried alone; one that changes nothing gives nothing.


def line_break(text: str) -> str:
    """A line break where a space was behind the input, or the other way round."""
    if "[X]\n" in text:
        return text.replace("[X]\n", "[X] ")
    return text.replace("[X] ", "[X]\n")


def blank_line(text: str) -> str:
    """A blank line behind the input where a line break was."""
    return text if "[X]\n\n" in text else text.replace("[X]\n", "[X]\n\n")


def quotes(text: str) -> str:
    """The input in quotation marks."""
    return text if '"[X]"' in text else text.replace("[X]", '"[X]"')


def equals(text: str) -> str:
    """An equals sign before the answer where a colon was."""
    return text.replace(": [Z]", " = [Z]")


def own_line(text: str) -> str:
    """The answer on a line of its own."""
    return text.replace(": [Z]", ":\n[Z]")


def header(text: str) -> str:
    """`German text:` where `German:` was."""
    return text.replace("[src]:", "[src] text:").replace("[tgt]:", "[tgt] translation:")


def into(text: str) -> str:
    """`into English` where `to English` was."""
    return text.replace(" to [tgt]", " into [tgt]")


def noun(text: str) -> str:
    """`Translation` where `Translate` was."""
    return text.replace("Translate", "Translation")


def synonyms(text: str) -> str:
    """Other words of the same meaning."""
    for word, other in SYNONYMS:
        text = text.replace(word, other)
    return text


def no_stop(text: str) -> str:
    """No full stop at the end."""
    return text.removesuffix(".")


SYNONYMS = (
    ("movie", "film"), ("Overall,", "All in all,"), ("The text is about", "This text deals with"),
    ("The question is about", "This question asks for"), ("TL;DR:", "In short:"), ("is the name of", "names"),
)  # fmt: skip
RULES: dict[str, Rewriting] = {
    rule.__name__: rule
    for rule in (line_break, quotes, blank_line, equals, own_line, header, into, noun, synonyms, no_stop)
}


def by_rules(template: Template) -> Iterator[Paraphrase]:
    """What every rule makes of a template."""
    for name, rule in RULES.items():
        found = rewritten(template, rule(template.text), name)
        if found is not None:
            yield Paraphrase(found, f"rule {name}")


def rewritten(template: Template, text: str, way: str) -> Template | None:
    """The template with another text, if that has the same slots and is not the same."""
    if text == template.text or not text.strip():
        return None
    try:
        found = Template(
            text=text, name=f"{template}+{way}", language=template.language, joiner=template.joiner,
            answers=template.answers,
        )  # fmt: skip
    except OptionError:  # a slot was lost, or one is there twice
        return None
    same = sorted(found.slots) == sorted(template.slots) and found.kind == template.kind
    return found if same else None


# A round trip: there by one model, back by another. Lines are taken one by one: programs answer lines.

PLACEHOLDERS = {"[X]": "XA", "[X1]": "XB", "[X2]": "XC", "[Z]": "ZA", "[src]": "LA", "[tgt]": "LB"}


def masked(line: str) -> str:
    """A line with words for its slots, which programs leave alone more often than brackets."""
    for slot, word in PLACEHOLDERS.items():
        line = line.replace(slot, word)
    return line


def unmasked(line: str) -> str:
    """The slots again."""
    for slot, word in PLACEHOLDERS.items():
        line = line.replace(word, slot)
    return line


def lines_of(templates: Sequence[Template]) -> list[str]:
    """The different lines of templates that have words beside their slots."""
    lines = dict.fromkeys(masked(line) for template in templates for line in template.text.split("\n"))
    return [line for line in lines if any(char.isalpha() for char in _bare(line))]


def _bare(line: str) -> str:
    for word in PLACEHOLDERS.values():
        line = line.replace(word, "")
    return line


def by_round_trip(
    templates: Sequence[Template], there: LanguageModel, back: LanguageModel, decoding: Decoding, run: Run = PLAIN
) -> Iterator[Paraphrase]:
    """Templates whose lines went through two models, such as two programs that translate; two calls a line."""
    lines = lines_of(templates)
    abroad = _said(there, lines, decoding, run)
    home = dict(zip(lines, _said(back, abroad, decoding, run), strict=True))
    for template in templates:
        text = "\n".join(unmasked(home.get(masked(line), masked(line))) for line in template.text.split("\n"))
        found = rewritten(template, text, "round trip")
        if found is not None:
            yield Paraphrase(found, "round trip")


def _said(model: LanguageModel, lines: Sequence[str], decoding: Decoding, run: Run) -> list[str]:
    answers = list(model.complete([Request(prompt=line, decoding=decoding) for line in lines], run))
    if len(answers) != len(lines):
        raise InputError(f"{model.name} answered {len(answers)} of {len(lines)} requests")
    return [answer.text.strip().partition("\n")[0] for answer in answers]


# By the model itself. It sees the whole template as one line.

BREAK = r"\n"  # how a line break is written on that line
WISH = f"""Each line is followed by one that says the same in other words. Words in brackets stay as they are.

Line: Question: [X]{BREAK}Answer: [Z]
In other words: Please answer this question: [X]{BREAK}The answer is: [Z]

Line: [X] To sum it up: [Z]
In other words: [X] In a few words: [Z]

Line: """
VARIED = 0.8  # temperature


def by_model(
    templates: Sequence[Template], model: LanguageModel, variants: int, seed: int, run: Run = PLAIN
) -> Iterator[Paraphrase]:
    """What the model itself writes when it is asked for other words; `variants` calls for each template, or one where
    it does not sample."""
    variants = calls_by_model(1, model, variants)
    decoding = Decoding(tokens=64, stop=("\n",), temperature=VARIED if model.abilities.samples else 0.0, seed=seed)
    requests = []
    for template in templates:
        wish = f"{WISH}{template.text.replace(chr(10), BREAK)}\nIn other words:"
        as_chat = model.abilities.chats and not model.abilities.completes
        prompt = (("user", wish),) if as_chat else wish
        requests += [Request(prompt=prompt, decoding=decoding, sample=sample) for sample in range(variants)]
    answers = list(model.complete(requests, run))
    if len(answers) != len(requests):
        raise InputError(f"{model.name} answered {len(answers)} of {len(requests)} requests")
    for place, answer in enumerate(answers):
        text = answer.text.strip().partition("\n")[0].replace(BREAK, "\n")
        found = rewritten(templates[place // variants], text, f"model {place % variants + 1}")
        if found is not None:
            yield Paraphrase(found, "the model")


def calls_by_model(templates: int, model: LanguageModel, variants: int) -> int:
    """Calls that it takes: samples that would all be the same are asked for once."""
    return templates * (variants if model.abilities.samples else 1)
