"""Answer search and mapping: the likeliest of permissible answers, and what it means (Liu et al. 2023, section 2.2).

    z = argmax over Z of log P(fill(x, z))        y = the label that the verbaliser gives z

The answer and whatever stands behind it in the template are scored together, after what stands before: that is the
probability of the filled prompt but for a part that is the same for all answers. A model that fills gaps sees what
stands behind, and scores the answer alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, get_args

from tertium.core.errors import InputError, OptionError
from tertium.core.run import PLAIN, Run
from tertium.core.wording import counted
from tertium.models.language_model import Answer, Decoding, Finish, ForcedScore, Gap, GapModel, LanguageModel, Request
from tertium.prompt.beam import beam_search
from tertium.prompt.template import Demonstration, Prompt, Template, demonstrations_of
from tertium.prompt.templates import find_template

Scoring = Literal["raw", "length", "pmi"]
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
Answers = Mapping[str, str] | Sequence[str]  # {answer: label}, or answers that are their own labels


@dataclass(frozen=True, kw_only=True)
class AnswerScore:
    """A permissible answer: its label, log P(answer and what follows | what comes before), and the score of it."""

    answer: str
    label: str
    log_probability: float
    tokens: int
    score: float


@dataclass(frozen=True, kw_only=True)
class AnswerChoice:
    """A filled prompt, and every permissible answer to it."""

    inputs: tuple[str, ...]
    prompt: Prompt
    answers: tuple[AnswerScore, ...]

    @property
    def best(self) -> AnswerScore:
        """The answer with the highest score among all; of equals, the first."""
        return max(self.answers, key=lambda one: one.score)

    @property
    def labels(self) -> dict[str, float]:
        """For each label, log-sum-exp over the scores of its answers: the logarithm of what they have together."""
        scores: dict[str, list[float]] = {}
        for one in self.answers:
            scores.setdefault(one.label, []).append(one.score)
        return {label: log_sum_exp(values) for label, values in scores.items()}

    @property
    def label(self) -> str:
        """The label whose answers have the most together; of equals, the first."""
        return max(self.labels.items(), key=lambda item: item[1])[0]

    @property
    def share(self) -> float:
        """What the label has of all labels together, 0 to 1: softmax over labels."""
        values = list(self.labels.values())
        whole = log_sum_exp(values)
        return math.nan if whole == -math.inf else math.exp(max(values) - whole)

    @property
    def said(self) -> str:
        """The best answer of its label."""
        own = [one for one in self.answers if one.label == self.label]
        return max(own, key=lambda one: one.score).answer

    @property
    def answered(self) -> str:
        """The prompt with the best answer of its label in it."""
        return self.prompt.answered(self.said)


def answer(
    inputs: Sequence[str | Sequence[str]],
    model: LanguageModel,
    template: str | Template = "sentiment",
    *,
    answers: Answers | None = None,
    scoring: Scoring = "raw",
    source: str | None = None,
    target: str | None = None,
    demonstrations: Sequence[Demonstration | tuple[str, str]] = (),
    line_break: bool = True,
    run: Run = PLAIN,
) -> list[AnswerChoice]:
    """Choose among permissible answers by the model's log-probabilities, for each input.

    `answers` is {answer: label}, or a list; without it, the template's own. `scoring` is "raw", "length" (divided by
    the number of tokens) or "pmi" (less the log-probability after the empty input: Holtzman et al. 2021).
    """
    check_model(model)
    if isinstance(inputs, str):
        raise InputError("inputs: a single string; pass a list of texts")
    chosen = find_template(template)
    verbaliser = read_answers(chosen.answers if answers is None else answers, chosen)
    check_forcing(model, scoring)
    shown = worded(demonstrations_of(demonstrations), verbaliser)
    given = [(texts,) if isinstance(texts, str) else tuple(texts) for texts in inputs]

    def fill(texts: tuple[str, ...]) -> Prompt:
        return chosen.fill(*texts, source=source, target=target, demonstrations=shown, line_break=line_break)

    filled = [fill(texts) for texts in given]
    empty = [fill(("",) * len(chosen.inputs))] if scoring == "pmi" and given else []
    asked = [*filled, *empty]
    forced = _force(model, chosen, [(one, z) for one in asked for z in verbaliser], run)
    rows = [checked(list(islice(forced, len(verbaliser))), verbaliser, model) for _ in asked]
    before = rows.pop() if empty else [None] * len(verbaliser)
    return [
        AnswerChoice(inputs=texts, prompt=prompt, answers=tuple(_scores(verbaliser, row, before, scoring)))
        for texts, prompt, row in zip(given, filled, rows, strict=True)
    ]


def _force(
    model: LanguageModel, template: Template, asked: Sequence[tuple[Prompt, str]], run: Run
) -> Iterator[ForcedScore]:
    """Scores of answers to prompts: in gaps, where there are some and the model fills them, else as they follow."""
    if template.kind == "cloze" and isinstance(model, GapModel) and model.abilities.fills:
        return model.force_gaps([Gap(one.before, f"{one.blank}{z}", one.after) for one, z in asked], run)
    return model.force([(one.before, one.continuation(z)) for one, z in asked], run)


def _scores(
    verbaliser: Mapping[str, str], row: Sequence[ForcedScore], before: Sequence[ForcedScore | None], scoring: Scoring
) -> Iterator[AnswerScore]:
    for (text, label), forced, empty in zip(verbaliser.items(), row, before, strict=True):
        total, tokens = forced.total, len(forced.tokens)
        score = total / max(1, tokens) if scoring == "length" else total
        if empty is not None:
            # An answer that cannot be follows nothing, whatever the input.
            score = -math.inf if total == -math.inf else total - empty.total
        yield AnswerScore(answer=text, label=label, log_probability=total, tokens=tokens, score=score)


def log_sum_exp(values: Sequence[float]) -> float:
    """log(exp(a) + exp(b) + ...), where the powers themselves would all be 0."""
    most = max(values)
    if math.isinf(most):
        return most
    return most + math.log(math.fsum(math.exp(value - most) for value in values))


def read_answers(answers: Answers | Sequence[tuple[str, str]], template: Template) -> dict[str, str]:
    """{answer: label} from whatever was given."""
    if isinstance(answers, Mapping):
        found = dict(answers)
    else:
        pairs = [(one, one) if isinstance(one, str) else one for one in answers]
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(text for k, (text, _) in enumerate(pairs) if text in [other for other, _ in pairs[:k]])
            raise OptionError(f"the answer {twice!r} is given twice; an answer has one label")
    if not found:
        raise OptionError(f"template {template} has no answers of its own; say which are permissible (answers=...)")
    if any(not text.strip() for text in found):
        raise OptionError("an answer is empty; every permissible answer is a word or more")
    return found


def worded(shown: Sequence[Demonstration], verbaliser: Mapping[str, str]) -> tuple[Demonstration, ...]:
    """Demonstrations with answers: one that has a label is shown with the first answer of that label."""
    words = {label: text for text, label in reversed(list(verbaliser.items()))}
    return tuple(
        one if one.answer in verbaliser else one._replace(answer=words.get(one.answer, one.answer)) for one in shown
    )


def check_model(model: Any) -> None:
    """Refuse what is no model, but perhaps the name of one."""
    if not hasattr(model, "abilities"):
        raise OptionError(f"{model!r} is not a language model; open it first: tertium.models.open.open_model(...)")


def check_forcing(model: LanguageModel, scoring: str) -> None:
    """Refuse what the model cannot do."""
    if scoring not in SCORINGS:
        raise OptionError(f"unknown scoring {scoring!r}; choose from {', '.join(SCORINGS)}")
    if model.abilities.forcing == "none":
        raise OptionError(
            f"{model.name} gives no log-probabilities, so it cannot choose among answers; "
            f"let it write one (decoding=..., --write), or use another model"
        )


def checked(row: list[ForcedScore], verbaliser: Mapping[str, str], model: LanguageModel) -> list[ForcedScore]:
    """The same scores, if there is one for each answer and each is a number."""
    if len(row) != len(verbaliser):
        raise InputError(f"{model.name} scored {len(row)} of {counted(len(verbaliser), 'answer')}; it must score all")
    for text, forced in zip(verbaliser, row, strict=True):
        if math.isnan(forced.total):
            raise InputError(f"{model.name} gave no log-probability for the answer {text!r}")
    return row


def write_answers(
    prompts: Sequence[Prompt], model: LanguageModel, decoding: Decoding, samples: int = 1, run: Run = PLAIN
) -> Iterator[list[Answer]]:
    """What the model writes after each prompt: the likeliest text, or as many samples as are asked for."""
    check_writing(model, decoding, samples)
    if decoding.beam > 1 and model.abilities.beam == "steps":
        yield from ([_searched(one, model, decoding, run)] for one in prompts)
        return
    as_chat = model.abilities.chats and not model.abilities.completes
    requests = [
        Request(prompt=one.messages if as_chat else one.before, decoding=decoding, sample=sample)
        for one in prompts
        for sample in range(samples)
    ]
    found = iter(model.complete(requests, run))
    for place in range(len(prompts)):
        several = list(islice(found, samples))
        if len(several) < samples:
            raise InputError(f"{model.name} answered {place * samples + len(several)} of {len(requests)} requests")
        yield several


def _searched(prompt: Prompt, model: LanguageModel, decoding: Decoding, run: Run) -> Answer:
    """The best text of a beam search of our own."""
    best = beam_search(model, prompt.before, decoding, decoding.beam, run=run)[0]
    finish: Finish = "stop" if best.ended else "length"
    return Answer(
        text=best.text, finish=finish, answer_tokens=best.tokens, log_probability=min(0.0, best.log_probability)
    )


def check_writing(model: LanguageModel, decoding: Decoding, samples: int) -> None:
    """Refuse what the model cannot do."""
    if samples < 1:
        raise OptionError(f"samples: {samples}; must be at least 1")
    if samples > 1 and not decoding.temperature:
        raise OptionError(f"{samples} samples at temperature 0 are all the same; set a temperature, such as 0.7")
    if not (model.abilities.completes or model.abilities.chats):
        raise OptionError(
            f"{model.name} fills gaps and does not write texts; say which answers are permissible, or use another model"
        )
    if decoding.beam > 1 and model.abilities.beam == "none":
        raise OptionError(
            f"{model.name} does not say how likely next tokens are, so there is no beam search with it; "
            f"leave the beam out, or use another model"
        )
    if decoding.temperature and not model.abilities.samples:
        raise OptionError(f"{model.name} does not sample; leave the temperature at 0")


def check_prefix(template: Template) -> None:
    """Refuse a template whose answer no model can simply write, because words follow it."""
    if template.kind == "cloze":
        raise OptionError(
            f"template {template} is a cloze: words follow [Z], so a model cannot write the answer at the end; "
            f"say which answers are permissible, or use a template that ends in [Z]"
        )
