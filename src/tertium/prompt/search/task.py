"""What templates are searched for: translation, scored by a metric, or a choice among answers, scored by accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.testset import References, TestSet
from tertium.metrics.function import metric_from
from tertium.models.language_model import Abilities, Answer, ForcedScore, LanguageModel, Request
from tertium.prompt.answers import Scoring, answer
from tertium.prompt.demonstrations import Chooser, Pool, Selector
from tertium.prompt.plan import PromptPlan
from tertium.prompt.template import Demonstration, Template
from tertium.prompt.translate import stream

Items = Sequence[Demonstration]  # what is asked about, each with the right answer


class PromptTask(Protocol):
    """How a template is asked about items, what that costs, and what the outputs are compared with."""

    @property
    def name(self) -> str:
        """In one word."""
        ...

    @property
    def metric(self) -> Metric:
        """By which outputs are compared."""
        ...

    @property
    def decimals(self) -> int:
        """Of scores, where they are shown."""
        ...

    @property
    def each(self) -> int:
        """Calls for an item."""
        ...

    @property
    def once(self) -> int:
        """Calls for a template beside those for items."""
        ...

    def fits(self, template: Template) -> bool:
        """Whether a template can be used."""
        ...

    def ask(self, template: Template, items: Items, model: LanguageModel, run: Run) -> list[str | None]:
        """An output for each item."""
        ...

    def testset(self, items: Items) -> TestSet:
        """What outputs are compared with."""
        ...


@dataclass(frozen=True, kw_only=True)
class TranslationTask:
    """Items are sources with references; `plan` says all but the template."""

    plan: PromptPlan
    metric: Metric
    name: str = "translation"
    each: int = 1
    once: int = 0

    @property
    def decimals(self) -> int:
        """As the metric has it."""
        return self.metric.decimals

    def fits(self, template: Template) -> bool:
        """A model has to be able to write the answer at the end."""
        return template.kind == "prefix" and template.inputs == ("X",)

    def ask(self, template: Template, items: Items, model: LanguageModel, run: Run) -> list[str | None]:
        """A translation of each source."""
        sources = [item.inputs[0] for item in items]
        return [one.output for one in stream(replace(self.plan, template=template), sources, model, run=run)]

    def testset(self, items: Items) -> TestSet:
        """Sources and references."""
        return testset_of([item.inputs[0] for item in items], [item.answer for item in items])


def right(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """100 where the label is the right one, else 0: their mean is the accuracy in per cent."""
    return [100.0 * (output in labels) for output, labels in zip(outputs, references, strict=True)]


@dataclass(frozen=True, kw_only=True)
class ChoiceTask:
    """Items are inputs with labels; answers are chosen by log-probability and mapped to labels."""

    answers: Mapping[str, str]  # {answer: label}
    inputs: tuple[str, ...] = ("X",)
    scoring: Scoring = "raw"
    source_language: str | None = None
    target_language: str | None = None
    line_break: bool = True
    pool: Pool = field(default_factory=Pool)
    shots: int = 0
    selector: Selector = field(default_factory=Selector)
    metric: Metric = field(default_factory=lambda: metric_from(right, name="accuracy"))
    name: str = "answers"
    decimals: int = 1  # per cent

    def __post_init__(self) -> None:
        if self.selector.depends:
            raise OptionError(f"selector {self.selector}: answers are compared under the same demonstrations")

    @property
    def each(self) -> int:
        """Every permissible answer is scored."""
        return len(self.answers)

    @property
    def once(self) -> int:
        """PMI needs the answers after the empty input."""
        return len(self.answers) if self.scoring == "pmi" else 0

    def fits(self, template: Template) -> bool:
        """It asks about as many texts."""
        return template.inputs == self.inputs

    def ask(self, template: Template, items: Items, model: LanguageModel, run: Run) -> list[str | None]:
        """A label for each input."""
        found = answer(
            [item.inputs for item in items],
            model,
            template,
            answers=self.answers,
            scoring=self.scoring,
            source=self.source_language,
            target=self.target_language,
            demonstrations=Chooser(self.pool, self.shots, self.selector).choose("").demonstrations,
            line_break=self.line_break,
            run=run,
        )
        return [one.label for one in found]

    def testset(self, items: Items) -> TestSet:
        """Labels; an answer stands for its label."""
        labels = [self.answers.get(item.answer, item.answer) for item in items]
        known = set(self.answers.values())
        for item, label in zip(items, labels, strict=True):
            if label not in known:
                raise InputError(
                    f"the right answer to {item.inputs[0][:40]!r} is {label!r}, which is no label: "
                    f"{', '.join(dict.fromkeys(self.answers.values()))}"
                )
        return testset_of([" ".join(item.inputs) for item in items], labels)


def testset_of(sources: Sequence[str], references: Sequence[str]) -> TestSet:
    """A test set with one reference for each segment."""
    streams = (Lines.of(references, "references"),)
    return TestSet(
        segments=len(sources), sources=Lines.of(sources, "sources"), references=References(streams, len(sources))
    )


class RememberingModel:
    """A model that is asked the same thing once, and counts; more than `limit` calls are refused."""

    def __init__(self, model: LanguageModel, limit: int, run: Run = PLAIN) -> None:
        self.model, self.limit, self.calls, self._run = model, limit, 0, run
        self.name, self.identity = model.name, model.identity
        self._answers: dict[Request, Answer] = {}
        self._scores: dict[tuple[str, str], ForcedScore] = {}

    @property
    def abilities(self) -> Abilities:
        """Those of the model."""
        return self.model.abilities

    def complete(self, requests: Sequence[Request], run: Run) -> Iterator[Answer]:
        """One answer for each request, in their order."""
        missing = list(dict.fromkeys(request for request in requests if request not in self._answers))
        found = self.model.complete(missing, run) if self._may(len(missing)) else iter(())
        for request in requests:
            if request not in self._answers:
                made = next(found, None)
                if made is None:
                    return  # who asked counts, and says so
                self._answers[request] = made
                self._tell()
            yield self._answers[request]

    def force(self, pairs: Sequence[tuple[str, str]], run: Run) -> Iterator[ForcedScore]:
        """log-probabilities of continuations."""
        missing = list(dict.fromkeys(pair for pair in pairs if pair not in self._scores))
        found = self.model.force(missing, run) if self._may(len(missing)) else iter(())
        for pair in pairs:
            if pair not in self._scores:
                made = next(found, None)
                if made is None:
                    return  # who asked counts, and says so
                self._scores[pair] = made
                self._tell()
            yield self._scores[pair]

    def close(self) -> None:
        """Who opened the model closes it."""

    def _may(self, more: int) -> bool:
        if self.calls + more > self.limit:
            raise OptionError(f"{self.calls + more} calls, but only {self.limit} were announced; nothing more is asked")
        return more > 0

    def _tell(self) -> None:
        self.calls += 1
        self._run.tell("searching", self.calls, self.limit)
