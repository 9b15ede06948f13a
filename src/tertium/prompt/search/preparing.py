"""From what a user gives to a search: dev and test kept apart, frames mined, rules applied."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.wording import counted
from tertium.metrics import parse
from tertium.models.language_model import GREEDY, Decoding, LanguageModel
from tertium.prompt.answers import Answers, Scoring, check_model, read_answers
from tertium.prompt.demonstrations import Pool, Selector, first_of_each, make_pool, parse_selector
from tertium.prompt.leaks import Leaks, keep_apart
from tertium.prompt.plan import PromptPlan
from tertium.prompt.postprocess import USUAL, Steps, parse_steps
from tertium.prompt.search.mining import mine_frames
from tertium.prompt.search.paraphrasing import by_rules
from tertium.prompt.search.search import Candidate, PromptSearch, RoundTrip, TemplateSearch
from tertium.prompt.search.task import ChoiceTask, Items, PromptTask, TranslationTask
from tertium.prompt.template import CHOICE, Demonstration, Template, demonstrations_of
from tertium.prompt.templates import built_in, find_template
from tertium.text.language_names import language_name

WAYS = ("rules", "model")  # of paraphrasing; a round trip needs two models more
SIX = "ABCDEF"  # the built-in templates for translation
Examples = Sequence[Demonstration | tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """What a search is told beside the model and the texts.

    `template` is the baseline; where it has permissible answers, or `answers` says which, labels are searched for, else
    translations. `texts` are mined for frames in which at least `least` pairs of dev stand. `candidates` are the most
    that are tried, `max_calls` the most that is asked in all.
    """

    template: str | Template = "A"
    templates: Sequence[Template] = ()  # others to be tried
    texts: Sequence[str] = ()
    least: int = 2
    paraphrase: Sequence[str] = ("rules",)  # and "model"
    variants: int = 2  # of each template, by the model
    candidates: int = 16
    max_calls: int | None = None
    seed: int = 0
    metric: str | Metric = "chrf"
    answers: Answers | None = None
    scoring: Scoring = "raw"
    source_language: str | None = None
    target_language: str | None = None
    line_break: bool = True
    examples: Examples = ()
    shots: int = 0
    selector: str | Selector = "first"
    decoding: Decoding = GREEDY
    steps: str | Steps = USUAL

    def __post_init__(self) -> None:
        for way in self.paraphrase:
            if way not in WAYS:
                raise OptionError(f"unknown way of paraphrasing {way!r}; choose from {', '.join(WAYS)}")
        for name, value, lowest in (("candidates", self.candidates, 2), ("variants", self.variants, 1),
                                    ("least", self.least, 1)):  # fmt: skip
            if value < lowest:
                raise OptionError(f"{name}: {value}; must be at least {lowest}")

    @cached_property
    def baseline(self) -> Template:
        """The template that others are compared with."""
        return settled(find_template(self.template), self.line_break)

    @property
    def chooses(self) -> bool:
        """Whether labels are searched for, and not translations."""
        return self.answers is not None or bool(self.baseline.answers)

    def pool(self, dev: Items, test: Items) -> Pool:
        """Demonstrations that give nothing of dev and test away; labels are no secret."""
        asked = [text for item in (*dev, *test) for text in item.inputs]
        said = [] if self.chooses else [item.answer for item in (*dev, *test)]
        return make_pool(demonstrations_of(self.examples), asked, said)

    def task(self, pool: Pool) -> PromptTask:
        """What templates are searched for."""
        if self.chooses:
            return ChoiceTask(
                answers=read_answers(self.baseline.answers if self.answers is None else self.answers, self.baseline),
                inputs=self.baseline.inputs,
                scoring=self.scoring,
                source_language=self.source_language,
                target_language=self.target_language,
                line_break=self.line_break,
                pool=pool,
                shots=self.shots,
                selector=parse_selector(self.selector),
            )
        plan = PromptPlan(
            template=self.baseline,
            source_language=self.source_language,
            target_language=self.target_language,
            line_break=self.line_break,
            pool=pool,
            shots=self.shots,
            selector=parse_selector(self.selector),
            decoding=self.decoding,
            steps=parse_steps(self.steps),
        )
        return TranslationTask(plan=plan, metric=parse(self.metric))

    def names(self) -> dict[str, str]:
        """The names of the languages by slot, as far as they are known."""
        languages = {"src": self.source_language, "tgt": self.target_language}
        return {
            slot: language_name(language, self.baseline.language)
            for slot, language in languages.items()
            if language is not None
        }


def search_templates(
    model: LanguageModel,
    dev: Examples,
    test: Examples | None = None,
    *,
    round_trip: tuple[LanguageModel, LanguageModel] | None = None,
    run: Run = PLAIN,
    **settings: Any,
) -> PromptSearch:
    """The template that does best on dev within a budget of calls, and what it is worth on test.

    `dev` and `test` are (source, reference) or (input, label) pairs; without `test`, half of dev is set aside. By
    `round_trip`, two models that translate there and back, templates are paraphrased. `settings` are those of
    `SearchSettings`.
    """
    check_model(model)
    trip = False if round_trip is None else RoundTrip(*round_trip)
    return prepare_search(dev, test, SearchSettings(**settings), trip, run).run(model, run)


def prepare_search(
    dev: Examples,
    test: Examples | None,
    settings: SearchSettings,
    round_trip: RoundTrip | bool = False,
    run: Run = PLAIN,
) -> TemplateSearch:
    """A search that is ready to run, and can say what it will ask; nothing is asked yet."""
    given = None if test is None else demonstrations_of(test)
    on_dev, on_test, notes = set_apart(demonstrations_of(dev), given, settings.seed, settings.chooses)
    pool = settings.pool(on_dev, on_test)
    task = settings.task(pool)
    for part in (on_dev, on_test):
        task.testset(part)  # which knows whether labels are labels, before anything is asked
    notes += pool.notes if settings.shots else []
    seeds = [Candidate(settings.baseline, "baseline")]
    seeds += [Candidate(settled(one, settings.line_break), "given") for one in settings.templates]
    notes += [f"template {one.template} does not fit: left out" for one in seeds if not task.fits(one.template)]
    if not settings.chooses:
        own = (built_in().get((name, settings.baseline.language)) for name in SIX)
        seeds += [Candidate(settled(one, settings.line_break), "built in") for one in own if one is not None]
    if settings.texts:
        most = settings.candidates // 2
        frames = _mined(task, [*on_dev, *pool.demonstrations], on_test, settings, run)
        seeds += [Candidate(one, f"mined, {counted(pairs, 'pair')}") for one, pairs in frames[:most]]
        notes.append(f"{counted(len(frames), 'frame')} mined, {min(most, len(frames))} tried")
    ruled = [[Candidate(one.template, one.way) for one in by_rules(seed.template)] for seed in seeds]
    in_turn = [one for several in zip_longest(*ruled) for one in several if one is not None]
    return TemplateSearch(
        task=task,
        dev=on_dev,
        test=on_test,
        seeds=tuple(first_of_each(seeds, lambda one: one.template.text)),
        by_rules=tuple(in_turn) if "rules" in settings.paraphrase else (),
        most=settings.candidates,
        round_trip=round_trip,
        by_model="model" in settings.paraphrase,
        variants=settings.variants,
        max_calls=settings.max_calls,
        seed=settings.seed,
        notes=tuple(notes),
    )


def settled(template: Template, line_break: bool) -> Template:
    """The template with a line break or a space for each `◇`: what is found is to be used as it was tried."""
    name = str(template)
    return replace(template, text=template.text.replace(CHOICE, "\n" if line_break else " "), name=name)


def set_apart(
    dev: Items, test: Items | None, seed: int, chooses: bool
) -> tuple[tuple[Demonstration, ...], tuple[Demonstration, ...], list[str]]:
    """Dev in the order in which it is asked about, test, and what a reader should know of both.

    Nothing of dev is the same as, or nearly, something of test. Where there is no test part, half of dev becomes it.
    """
    one, notes = drawn(single(dev), seed), list[str]()
    for what, given in (("dev", dev), ("test", test or ())):
        if left_out := len(given) - len(single(given)):
            notes.append(
                f"{counted(left_out, f'{what} segment')} left out: a text is missing, or the input is there twice"
            )
    if test is None:
        half = len(one) // 2
        other, one = one[:half], one[half:]
        notes.append(
            f"no test part was given: {half} of {counted(len(one) + half, 'segment')} are set aside, by seed {seed}"
        )
    else:
        other = single(test)
    texts = [text for item in other for text in item.inputs]
    apart = keep_apart(
        [(item.inputs, item.answer) for item in one], texts, () if chooses else [i.answer for i in other]
    )
    kept = tuple(item for item, is_apart in zip(one, apart, strict=True) if is_apart)
    if len(kept) < len(one):
        notes.append(f"{counted(len(one) - len(kept), 'dev segment')} left out: in test there is the same, or nearly")
    for what, part in (("dev", kept), ("test", other)):
        if not part:
            raise InputError(f"{what}: no segment is left to ask about; each needs an input and an answer")
    return kept, other, notes


def single(items: Items) -> tuple[Demonstration, ...]:
    """Items with all their texts, each input once."""
    whole = [item for item in items if all(text.strip() for text in (*item.inputs, item.answer))]
    return tuple(first_of_each(whole, lambda item: item.inputs))


def drawn(items: Items, seed: int) -> tuple[Demonstration, ...]:
    """Items in an order by lot, the same on any computer and whatever their order was."""
    return tuple(sorted(items, key=lambda item: hashlib.sha256("\0".join((str(seed), *item.inputs)).encode()).digest()))


def _mined(
    task: PromptTask, known: Items, test: Items, settings: SearchSettings, run: Run
) -> list[tuple[Template, int]]:
    """Templates from frames that can be used and hold nothing of the test part, and how many pairs stood in each."""
    baseline = settings.baseline
    if baseline.inputs != ("X",):
        raise OptionError(f"template {baseline} takes {len(baseline.inputs)} inputs; frames are mined for one")
    words = task.answers if isinstance(task, ChoiceTask) else {}
    pairs = [
        (item.inputs[0], said)
        for item in known
        for said in ([z for z, label in words.items() if item.answer in (z, label)] if words else [item.answer])
    ]
    leaks = Leaks([text for item in test for text in (*item.inputs, item.answer)])
    frames = mine_frames(settings.texts, pairs, settings.names(), least=settings.least, run=run)
    made = [(replace(baseline, text=frame.text, name="", answers=()), frame.pairs) for frame in frames]
    usable = [(one, often) for one, often in made if task.fits(one) and not leaks.given_away_by(one.text)]
    return [(replace(one, name=f"mined {k}"), often) for k, (one, often) in enumerate(usable, 1)]
