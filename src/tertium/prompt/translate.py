"""Translation by prompting: sources in, a System out. Everything after that is the ordinary evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from tertium.analysis.detect.detector import Knowledge, Segment, Text
from tertium.analysis.detect.form import repetition
from tertium.analysis.detect.language import copied
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.run import PLAIN, Run
from tertium.core.system import System
from tertium.core.wording import counted
from tertium.models.language_model import Answer, Decoding, LanguageModel, token_counter
from tertium.prompt.answers import check_model, check_writing, write_answers
from tertium.prompt.choice import Rule, parse_rule
from tertium.prompt.demonstrations import Selector, make_pool, parse_selector
from tertium.prompt.leaks import LONG, normalised
from tertium.prompt.plan import Count, PromptPlan, Unit, check_unit
from tertium.prompt.postprocess import USUAL, Steps, parse_steps
from tertium.prompt.template import Demonstration, Prompt, Template, demonstrations_of
from tertium.prompt.templates import find_template

TRANSLATING = "translating"  # the stage that progress tells
TOGETHER = 64  # segments whose samples are chosen among at a time
CUTTING = {"next_header", "first_line", "fence", "repetition"}  # steps that end an answer before its end


class Flags(NamedTuple):
    """What looks wrong with an output, as far as a program can see."""

    empty: bool = False  # nothing was said, although there was something to translate
    copied: bool = False  # the source, or nearly all of it
    cut_off: bool = False  # the answer ended where no more tokens were allowed
    looped: bool = False  # something is said over and over


NOTHING = Flags()


@dataclass(frozen=True, kw_only=True)
class TranslatedSegment:
    """A source, what was asked, what the model said, and what became of it; None where there is no source."""

    source: str | None
    prompt: Prompt | None = None  # None where nothing was asked: the source is missing or blank
    answers: tuple[Answer, ...] = ()  # as the model said them
    chosen: int = 0  # which of them
    output: str | None = None
    flags: Flags = NOTHING
    dropped: int = 0  # demonstrations, for the budget


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A System, and how it came about."""

    system: System
    plan: PromptPlan
    segments: tuple[TranslatedSegment, ...]
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many outputs are empty, copied, cut off, looped."""
        return {name: sum(getattr(one.flags, name) for one in self.segments) for name in Flags._fields}

    def again(self, steps: str | Steps) -> Translation:
        """The same answers after other steps; no model is asked."""
        plan = replace(self.plan, steps=parse_steps(steps))
        redone = list(_chosen(plan, [(one.source, one.prompt, one.answers, one.dropped) for one in self.segments]))
        return collect(plan, redone, self.system.name, self.system.run)


def translate(
    sources: Any,
    model: LanguageModel,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    template: str | Template = "A",
    line_break: bool = True,
    examples: Sequence[Demonstration | tuple[str, str]] = (),
    shots: int = 0,
    selector: str | Selector = "first",
    references: Any = (),
    budget: int | None = None,
    budget_unit: Unit = "characters",
    decoding: Decoding | None = None,
    steps: str | Steps = USUAL,
    samples: int = 1,
    choose: str | Rule = "probability",
    name: str | None = None,
    run: Run = PLAIN,
) -> Translation:
    """Translate sources with a language model; the System is `.system` of what comes back.

    `examples` are (source, translation) pairs, of which `shots` are shown by `selector`; those that give the sources
    or `references` away are left out. `steps` make outputs of answers; of several samples, `choose` takes one.
    """
    check_model(model)
    lines = Lines.of(sources, "sources")
    plan = PromptPlan(
        template=find_template(template),
        source_language=source_language,
        target_language=target_language,
        line_break=line_break,
        pool=make_pool(demonstrations_of(examples), lines, _flat(references)),
        shots=shots,
        selector=parse_selector(selector),
        budget=budget,
        decoding=decoding or Decoding(),
        steps=parse_steps(steps),
        samples=samples,
        rule=parse_rule(choose),
    )
    count = len if budget is None else counting(model, budget_unit)
    return collect(plan, list(stream(plan, lines, model, count=count, run=run)), name or model.name)


def counting(model: LanguageModel, unit: str) -> Count:
    """How prompts are measured: in characters, or in tokens by a model that counts them."""
    if check_unit(unit) == "characters":
        return len
    count = token_counter(model)
    if count is None:
        raise OptionError(f"{model.name} does not count tokens; let the budget count characters")
    return count


def _flat(references: Any) -> Iterator[str | None]:
    """All references, whether a segment has one or several."""
    if isinstance(references, str):
        raise InputError("references: a single string; pass a list of strings, one or several per segment")
    for one in references:
        yield from [one] if one is None or isinstance(one, str) else one


def stream(
    plan: PromptPlan, sources: Sequence[str | None], model: LanguageModel, *, count: Count = len, run: Run = PLAIN
) -> Iterator[TranslatedSegment]:
    """Segments in their order, each as soon as the model has answered; blank sources are not asked about."""
    check_writing(model, plan.decoding, plan.samples)
    asked = [source for source in sources if source is not None and source.strip()]
    prompts = list(plan.prompts(asked, count))
    answers = write_answers([prompt for prompt, _ in prompts], model, plan.searched, plan.samples, run)
    told = _told(answers, len(prompts), run)
    pairs = iter(prompts)

    def rows() -> Iterator[_Row]:
        for source in sources:
            if source is None or not source.strip():
                yield source, None, (), 0
            else:
                prompt, dropped = next(pairs)
                yield source, prompt, tuple(next(told)), dropped

    waiting = rows()
    while together := list(islice(waiting, TOGETHER if plan.samples > 1 else 1)):
        yield from _chosen(plan, together, run)


_Row = tuple[str | None, Prompt | None, tuple[Answer, ...], int]


def _told(answers: Iterator[list[Answer]], total: int, run: Run) -> Iterator[list[Answer]]:
    for done, several in enumerate(answers, 1):
        run.tell(TRANSLATING, done, total)
        yield several


def _chosen(plan: PromptPlan, rows: Sequence[_Row], run: Run = PLAIN) -> Iterator[TranslatedSegment]:
    """Outputs of answers; where there are several, the best."""
    outputs = [
        [plan.steps.apply(one.text, source or "", plan.headers) for one in answers] for source, _, answers, _ in rows
    ]
    several = [place for place, texts in enumerate(outputs) if len(texts) > 1]
    found = dict.fromkeys(range(len(rows)), 0)
    if several:
        chosen = plan.rule.choose(
            [outputs[place] for place in several],
            [[one.log_probability for one in rows[place][2]] for place in several],
            [rows[place][0] or "" for place in several],
            run,
        )
        found |= dict(zip(several, chosen, strict=True))
    for place, (source, prompt, answers, dropped) in enumerate(rows):
        if prompt is None:  # a missing source has no translation, a blank one a blank one
            yield TranslatedSegment(source=source, output=None if source is None else "")
            continue
        best = found[place]
        yield TranslatedSegment(
            source=source,
            prompt=prompt,
            answers=answers,
            chosen=best,
            output=outputs[place][best],
            flags=_flags(plan, source or "", answers[best], outputs[place][best]),
            dropped=dropped,
        )


def _flags(plan: PromptPlan, source: str, answer: Answer, output: str) -> Flags:
    changed = {name for name, _ in plan.steps.trace(answer.text, source, plan.headers)}
    text, segment = Text(output), Segment(Text(source), (), Knowledge())
    plain = normalised(output)
    same = len(plain) >= LONG and plain == normalised(source)  # scripts without spaces have few words to compare
    return Flags(
        empty=not output.strip(),
        copied=same or any(True for _ in copied(text, segment)),
        cut_off=answer.finish == "length" and not changed & CUTTING,
        looped="repetition" in changed or any(True for _ in repetition(text, segment)),
    )


def collect(plan: PromptPlan, segments: Sequence[TranslatedSegment], name: str, run: str | None = None) -> Translation:
    """The System that segments make, with notes of what a reader should know."""
    outputs = Lines.of([one.output for one in segments], name)
    system = System(name=name, outputs=outputs, origin=plan.describe(), run=run)
    made = Translation(system=system, plan=plan, segments=tuple(segments), notes=())
    return replace(made, notes=tuple(_notes(made)))


def _notes(made: Translation) -> Iterator[str]:
    asked = sum(one.prompt is not None for one in made.segments)
    yield f"{made.plan.describe()}"
    yield from made.plan.pool.notes if made.plan.shots else ()
    dropped = [one.dropped for one in made.segments if one.dropped]
    if dropped:
        yield (
            f"the budget of {made.plan.budget} left {counted(sum(dropped), 'demonstration')} out of "
            f"{counted(len(dropped), 'prompt')}: those farthest from the query"
        )
    if any(made.counts.values()):
        words = (f"{number} {name.replace('_', ' ')}" for name, number in made.counts.items() if number)
        yield f"of {counted(asked, 'output')}: {', '.join(words)}"


def check_sources(sources: Sequence[str | None]) -> None:
    """Refuse a file in which there is nothing to translate."""
    if not any(source is not None and source.strip() for source in sources):
        raise OptionError("nothing to translate: every source is blank or missing")
