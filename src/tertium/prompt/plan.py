"""PromptPlan: how prompts are made of sources, and outputs of answers. It needs no model to say what it will ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Literal, get_args

from tertium.core.errors import OptionError
from tertium.core.wording import counted, visible
from tertium.models.language_model import Decoding
from tertium.prompt.answers import check_prefix
from tertium.prompt.choice import Rule
from tertium.prompt.demonstrations import Chooser, Pool, Selector, check_language, check_shots
from tertium.prompt.postprocess import USUAL, Steps
from tertium.prompt.template import Demonstration, Prompt, Template

Count = Callable[[str], int]  # the length of a prompt: in characters, or in a model's tokens
Unit = Literal["characters", "tokens"]  # of a budget
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, kw_only=True)
class PromptPlan:
    """Everything but the model: template, languages, demonstrations, decoding, steps, choice among samples."""

    template: Template
    source_language: str | None = None
    target_language: str | None = None
    line_break: bool = True
    pool: Pool = field(default_factory=Pool)
    shots: int = 0
    selector: Selector = field(default_factory=Selector)
    budget: int | None = None  # of a prompt, as `Count` measures it
    decoding: Decoding = field(default_factory=Decoding)
    stop_at_header: bool = True  # a model that begins another example has said what it was asked for
    steps: Steps = USUAL
    samples: int = 1
    rule: Rule = field(default_factory=Rule)

    def __post_init__(self) -> None:
        check_prefix(self.template)
        check_shots(self.pool, self.shots)
        if self.shots:
            check_language(self.selector, self.source_language)
        if len(self.template.inputs) != 1:
            raise OptionError(f"template {self.template} takes {len(self.template.inputs)} inputs; one source is given")
        if self.budget is not None and self.budget < 1:
            raise OptionError(f"budget: {self.budget}; must be at least 1")
        _ = self.headers  # which needs the languages: an unknown one is told before a model is opened

    @cached_property
    def headers(self) -> tuple[str, ...]:
        """With what a next example would begin."""
        return self.template.headers(self.source_language, self.target_language)

    @property
    def searched(self) -> Decoding:
        """How answers are searched for, with the texts at which they end."""
        more = tuple(f"\n{header}" for header in self.headers) if self.stop_at_header else ()
        ends = tuple(dict.fromkeys((*self.decoding.stop, *more)))
        by_probability = self.samples > 1 and self.rule.metric is None
        return replace(self.decoding, stop=ends, log_probabilities=by_probability or self.decoding.log_probabilities)

    def fill(self, source: str, demonstrations: Sequence[Demonstration] = ()) -> Prompt:
        """The prompt for a source."""
        return self.template.fill(
            source,
            source=self.source_language,
            target=self.target_language,
            demonstrations=demonstrations,
            line_break=self.line_break,
        )

    def prompts(self, sources: Iterable[str], count: Count = len) -> Iterator[tuple[Prompt, int]]:
        """The prompt of every source, and how many demonstrations the budget left out of it."""
        chooser = Chooser(self.pool, self.shots, self.selector)
        for source in sources:

            def fits(shown: Sequence[Demonstration], source: str = source) -> bool:
                return self.budget is None or count(self.fill(source, shown).before) <= self.budget

            chosen = chooser.choose(source, fits=None if self.budget is None else fits)
            yield self.fill(source, chosen.demonstrations), chosen.dropped

    def describe(self) -> str:
        """The plan in one line, for whoever looks at the result."""
        shots = counted(self.shots, "demonstration")
        decoding = self.decoding
        search = f"temperature {decoding.temperature:g}" if decoding.temperature else "greedy"
        search = f"beam of {decoding.beam}" if decoding.beam > 1 else search
        blank = "line break" if self.line_break else "space"
        parts = [
            f"template {visible(str(self.template))} ({self.template.language}, {blank})",
            f"{shots} ({self.selector})" if self.shots else shots,
            f"{search}, at most {counted(self.decoding.tokens, 'token')}",
            *([f"{self.samples} samples, chosen by {self.rule}"] if self.samples > 1 else []),
            f"steps {self.steps}",
        ]
        return "; ".join(parts)


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What a plan will ask, before anything is asked."""

    calls: int
    repeated: int  # of them ask what another one asks
    characters: int  # of all prompts
    longest: int
    tokens: int  # that answers have at most, in all
    dropped: int  # demonstrations, for the budget
    over: int  # prompts that are longer than the budget without any demonstration
    prompts: tuple[Prompt, ...]  # the first ones


def forecast(plan: PromptPlan, sources: Sequence[str | None], shown: int = 3) -> Forecast:
    """Fill every prompt of a plan and count; no model is opened. A budget is taken to be in characters."""
    asked = [source for source in sources if source is not None and source.strip()]
    first, lengths, seen, dropped = list[Prompt](), list[int](), Counter[str](), 0
    for prompt, left_out in plan.prompts(asked):
        if len(first) < shown:
            first.append(prompt)
        lengths.append(len(prompt.before))
        seen[prompt.before] += 1
        dropped += left_out
    calls = plan.samples * len(lengths)
    return Forecast(
        calls=calls,
        repeated=plan.samples * (len(lengths) - len(seen)),
        characters=plan.samples * sum(lengths),
        longest=max(lengths, default=0),
        tokens=calls * plan.decoding.tokens,
        dropped=dropped,
        over=0 if plan.budget is None else sum(length > plan.budget for length in lengths),
        prompts=tuple(islice(first, shown)),
    )


def check_unit(unit: str) -> Unit:
    """The unit of a budget, if it is one."""
    for known in UNITS:
        if unit == known:
            return known
    raise OptionError(f"unknown unit of a budget {unit!r}; choose from {', '.join(UNITS)}")
