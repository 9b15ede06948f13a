"""A template tried on a sentence: what is asked, what the model says, and what becomes of it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tertium.core.errors import OptionError
from tertium.core.run import Run
from tertium.models.language_model import Decoding, LanguageModel, check_text
from tertium.prompt.answers import AnswerScore, answer, read_answers, write_answers
from tertium.prompt.postprocess import parse_steps
from tertium.prompt.template import Demonstration, Template
from tertium.prompt.templates import find_template

LONG = 10_000  # characters of a text
UNSCORED = "{} gives no log-probabilities of a given text, so that it cannot choose among answers"


class Shot(BaseModel):
    """A demonstration."""

    model_config = ConfigDict(extra="forbid")

    inputs: list[str] = Field(min_length=1, max_length=2)
    answer: str = Field(max_length=LONG)


class TryQuestion(BaseModel):
    """What somebody wants to try. The model is one that the operator named; nothing here names a file, a program or an
    address, and what is not listed here is refused."""

    model_config = ConfigDict(extra="forbid")

    model: str = Field(max_length=200)
    template: str = Field(
        "A", max_length=LONG, description="The name of a built-in template, or a text with [X] and [Z]."
    )
    template_language: Literal["en", "de", "zh"] = "en"
    inputs: list[str] = Field(min_length=1, max_length=2)
    source_language: str | None = Field(None, max_length=60)
    target_language: str | None = Field(None, max_length=60)
    line_break: bool = True
    shots: list[Shot] = Field(default_factory=list, max_length=20)
    answers: dict[str, str] = Field(default_factory=dict, max_length=50, description="{answer: label}")
    steps: str = Field("usual", max_length=500)
    tokens: int = Field(64, ge=1, le=1024)

    def read_template(self) -> Template:
        """The template, if it and all that goes into it fit together."""
        for text in (self.model, self.template, str(self.source_language), str(self.target_language), self.steps):
            check_text(text)
        found = find_template(self.template, self.template_language)
        for text in (*self.inputs, *(text for shot in self.shots for text in shot.inputs)):
            check_text(text)
            if len(text) > LONG:
                raise OptionError(f"a text has {len(text)} characters; {LONG} are allowed here")
        for text in (*(shot.answer for shot in self.shots), *self.answers, *self.answers.values()):
            check_text(text)
        parse_steps(self.steps)
        if found.kind == "cloze" and not (self.answers or found.answers):
            raise OptionError(
                f"template {found} is a cloze: words follow [Z], so say which answers are permissible, one in a line"
            )
        if self.answers:
            read_answers(self.answers, found)
        self.fill(found)
        return found

    def fill(self, template: Template) -> Any:
        """The prompt."""
        return template.fill(
            *self.inputs,
            source=self.source_language or None,
            target=self.target_language or None,
            demonstrations=self.demonstrations,
            line_break=self.line_break,
        )

    @property
    def demonstrations(self) -> list[Demonstration]:
        """The shots."""
        return [Demonstration(tuple(shot.inputs), shot.answer) for shot in self.shots]


def try_out(values: dict[str, Any], run: Run) -> dict[str, Any]:
    """The filled prompt, the answer with its steps where a model can write one, and the permissible answers."""
    from tertium.models.at_hand import asked

    question = TryQuestion(**values)
    template = question.read_template()
    prompt = question.fill(template)
    found: dict[str, Any] = {
        "kind": template.kind,
        "prompt": prompt.before,
        "blank": prompt.blank,
        "after": prompt.after,
    }
    found["written"] = None
    with asked(question.model, run) as model:
        if template.kind == "prefix":
            found["written"] = _written(question, template, prompt, model, run)
        found |= _choice(question, template, model, run)
    return found


def _written(question: TryQuestion, template: Template, prompt: Any, model: LanguageModel, run: Run) -> dict[str, Any]:
    headers = template.headers(question.source_language or None, question.target_language or None)
    decoding = Decoding(tokens=question.tokens, stop=tuple(f"\n{header}" for header in headers))
    [[said]] = write_answers([prompt], model, decoding, run=run)
    trace = parse_steps(question.steps).trace(said.text, question.inputs[0], headers)
    return {
        "answer": said.text,
        "finish": said.finish,
        "tokens": said.answer_tokens,
        "seconds": said.seconds,
        "steps": [{"step": name, "text": text} for name, text in trace[1:]],
        "output": trace[-1][1],
    }


def _choice(question: TryQuestion, template: Template, model: LanguageModel, run: Run) -> dict[str, Any]:
    if not (question.answers or template.answers):
        return {"answers": [], "labels": {}, "note": ""}
    if model.abilities.forcing in ("none", "top"):
        return {"answers": [], "labels": {}, "note": UNSCORED.format(question.model)}
    [choice] = answer(
        [tuple(question.inputs)],
        model,
        template,
        answers=question.answers or None,
        scoring="pmi",
        source=question.source_language or None,
        target=question.target_language or None,
        demonstrations=question.demonstrations,
        line_break=question.line_break,
        run=run,
    )
    rows = [_row(one) for one in choice.answers]
    best = {way: max(rows, key=lambda row: row[way])["label"] for way in ("raw", "length", "pmi")}
    return {"answers": rows, "labels": {**best, "pmi": choice.label}, "note": ""}


def _row(one: AnswerScore) -> dict[str, Any]:
    return {
        "answer": one.answer,
        "label": one.label,
        "tokens": one.tokens,
        "raw": one.log_probability,
        "length": one.log_probability / max(1, one.tokens),
        "pmi": one.score,
    }
