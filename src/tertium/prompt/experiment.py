"""An experiment: every setting of a grid is translated, and all of them are evaluated like any other systems."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tertium.analysis.detect.language import LETTERS, SURE
from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.run import PLAIN, Run
from tertium.core.wording import counted
from tertium.engines.evaluate import evaluate
from tertium.models.cache import AnswerCache, CachedModel
from tertium.models.language_model import LanguageModel, Request
from tertium.models.open import open_model
from tertium.models.replay import ReplayModel
from tertium.prompt.grid import Grid, read_grid
from tertium.prompt.limits import CallLimits, LimitedModel, LimitReachedError, cost_of
from tertium.prompt.plan import forecast
from tertium.prompt.setting import NamedModel, Price, Setting
from tertium.prompt.translate import TRANSLATING, Translation, collect, counting, stream
from tertium.text.language import identifier

Opener = Callable[[NamedModel], LanguageModel]
CODE = 2  # letters of the codes that are identified
PERCENTILES = (50, 95)
LETTERS_A_TOKEN = 4  # characters, a rule of thumb of English


class SettingFacts(NamedTuple):
    """What a setting did, besides its scores; None is not known, and never 0."""

    asked: int  # outputs that were asked for; rates are of these
    empty: int
    off_target: int | None
    copied: int
    looped: int
    cut_off: int
    prompt_tokens: int | None
    answer_tokens: int | None
    median: float | None  # seconds of a call
    slow: float | None  # of the slowest call but one in twenty
    cost: float | None

    def rate(self, name: str) -> float:
        """A count as a share of what was asked, in per cent; NaN where it is not known."""
        value = getattr(self, name)
        return math.nan if value is None or not self.asked else 100 * float(value) / self.asked


@dataclass(frozen=True, kw_only=True)
class SettingResult:
    """A setting, the translation that came out, and what is to be known of it."""

    setting: Setting
    translation: Translation
    facts: SettingFacts


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """All settings that are complete, evaluated together."""

    grid: Grid
    results: tuple[SettingResult, ...]
    evaluation: Evaluation | None  # None where no setting is complete
    calls: int  # that were really made; answers that were kept are none
    stopped: str | None = None  # which limit ended it
    notes: tuple[str, ...] = ()
    identities: Mapping[str, str] = field(default_factory=dict)  # of models, by their names in the grid

    @property
    def scored(self) -> Evaluation:
        """The evaluation; refused where there is none."""
        if self.evaluation is None:
            raise OptionError(f"no setting is complete: {self.stopped}; raise the limit, and run it again")
        return self.evaluation

    @property
    def prompts(self) -> dict[str, list[tuple[str, str] | None]]:
        """By system, the prompt and the raw answer of every segment; None where nothing was asked."""
        return {
            one.translation.system.name: [
                None if item.prompt is None else (item.prompt.before, item.answers[item.chosen].text)
                for item in one.translation.segments
            ]
            for one in self.results
        }

    def again(self, steps: str, run: Run = PLAIN) -> Experiment:
        """The same answers after other steps, evaluated anew; no model is asked."""
        made = [(one.setting, one.translation.again(steps)) for one in self.results]
        grid = replace(self.grid, steps=made[0][1].plan.steps if made else self.grid.steps)
        return replace(_evaluated(grid, made, 0, self.stopped, run), identities=self.identities)


def run_grid(
    grid: str | Path | Grid,
    *,
    cache: str | Path | AnswerCache | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    open_with: Opener | None = None,
    say: Callable[[str], None] = warnings.warn,
    run: Run = PLAIN,
) -> Experiment:
    """Run an experiment: a grid, or the TOML file of one.

    Answers are kept in `cache`, so that a run that was stopped, however that came about, goes on where it was. A limit
    ends it after whole calls: settings that are complete are evaluated, `stopped` says which limit it was.
    """
    ready = grid if isinstance(grid, Grid) else read_grid(grid)
    limits = CallLimits(calls=max_calls, cost=max_cost)
    opener = open_with or (lambda named: open_model(named.text, key=named.key, say=say))
    made: list[tuple[Setting, Translation]] = []
    stopped, identities = None, dict[str, str]()
    with ExitStack() as files:
        answers = None
        if cache is not None:
            answers = cache if isinstance(cache, AnswerCache) else files.enter_context(AnswerCache(cache))
        try:
            for setting, translation in _translated(ready, opener, answers, limits, identities, run):
                made.append((setting, translation))
        except LimitReachedError as error:
            stopped = str(error)
    order = {setting.name: k for k, setting in enumerate(ready.settings)}
    made.sort(key=lambda pair: order[pair[0].name])
    return replace(_evaluated(ready, made, limits.made, stopped, run), identities=identities)


def _translated(
    grid: Grid, opener: Opener, cache: AnswerCache | None, limits: CallLimits, identities: dict[str, str], run: Run
) -> Iterator[tuple[Setting, Translation]]:
    """Model by model, so that one at a time is in memory."""
    done = 0
    for name in dict.fromkeys(setting.model for setting in grid.settings):
        named = grid.models[name]
        with closing(opener(named)) as opened:
            model: LanguageModel = opened
            identities[name] = opened.identity
            if not isinstance(opened, ReplayModel):  # whose answers are kept, and cost nothing
                limited = LimitedModel(opened, limits, named.price)
                model = limited if cache is None else CachedModel(limited, cache)
            count = len if grid.budget is None else counting(model, grid.budget_unit)
            for setting in [setting for setting in grid.settings if setting.model == name]:
                done += 1
                plan, told = grid.plan(setting), _told(run, setting, done, len(grid.settings))
                segments = list(stream(plan, grid.sources, model, count=count, run=told))
                yield setting, collect(plan, segments, setting.name, setting.run)


def _told(run: Run, setting: Setting, number: int, total: int) -> Run:
    """The same, whose progress says which setting it is at; what the model itself tells is the same in other words."""
    tell = run.progress
    if tell is None:
        return run

    def progress(stage: str, done: int, of: int) -> None:
        if stage == TRANSLATING:
            tell(f"{number} of {total}: {setting.name}", done, of)

    return replace(run, progress=progress)


def _evaluated(
    grid: Grid, made: Sequence[tuple[Setting, Translation]], calls: int, stopped: str | None, run: Run
) -> Experiment:
    if not made:
        return Experiment(grid=grid, results=(), evaluation=None, calls=calls, stopped=stopped)
    systems = [translation.system for _, translation in made]
    evaluation = evaluate(grid.given.testset, [*systems, *grid.given.systems], grid.metrics, run=run)
    strange, notes = _off_target([translation for _, translation in made], grid.given.testset.target_language)
    results = tuple(
        SettingResult(
            setting=setting,
            translation=translation,
            facts=_facts(translation, strange.get(setting.name), grid.models[setting.model].price),
        )
        for setting, translation in made
    )
    shown = any(setting.shots for setting, _ in made)
    return Experiment(
        grid=grid,
        results=results,
        evaluation=evaluation,
        calls=calls,
        stopped=stopped,
        notes=(*(grid.pool.notes if shown else ()), *notes, *evaluation.warnings),
    )


def _off_target(translations: Sequence[Translation], target: str | None) -> tuple[dict[str, int], list[str]]:
    """By system, how many outputs are in another language than was asked for, where that can be told."""
    code = (target or "").replace("_", "-").partition("-")[0].lower()
    if len(code) != CODE:
        return {}, ["off-target outputs are not counted: the test set names no target_language by a code such as en"]
    try:
        identify = cache(identifier())
    except MissingPackageError as error:
        return {}, [f"off-target outputs are not counted: {error}"]

    def is_strange(text: str | None) -> bool:
        if text is None or sum(map(str.isalpha, text)) < LETTERS:
            return False
        language, probability = identify(text)
        return language != code and probability >= SURE

    found = {made.system.name: sum(is_strange(one.output) for one in made.segments) for made in translations}
    return found, []


def _facts(translation: Translation, strange: int | None, price: Price | None) -> SettingFacts:
    asked = [one for one in translation.segments if one.prompt is not None]
    answers = [answer for one in asked for answer in one.answers]
    seconds = [answer.seconds for answer in answers if answer.seconds is not None]
    times = _percentiles(seconds) if seconds and len(seconds) == len(answers) else (None, None)
    counts = translation.counts
    return SettingFacts(
        asked=len(asked),
        empty=counts["empty"],
        off_target=strange,
        copied=counts["copied"],
        looped=counts["looped"],
        cut_off=counts["cut_off"],
        prompt_tokens=_sum([answer.prompt_tokens for answer in answers]),
        answer_tokens=_sum([answer.answer_tokens for answer in answers]),
        median=times[0],
        slow=times[1],
        cost=None if price is None else _cost(translation, price),
    )


def _sum(values: Sequence[int | None]) -> int | None:
    """The sum, if all of it is known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    import numpy as np

    middle, slow = np.percentile(seconds, PERCENTILES).tolist()
    return middle, slow


def _cost(translation: Translation, price: Price) -> float:
    """What all answers of a setting cost by the price table, whenever they were given."""
    decoding = translation.plan.searched
    return math.fsum(
        cost_of(Request(prompt=one.prompt.before, decoding=decoding), answer, price)
        for one in translation.segments
        if one.prompt is not None
        for answer in one.answers
    )


class GridForecast(NamedTuple):
    """What one model would be asked for all its settings; nothing of it needs the model."""

    model: str
    settings: int
    calls: int  # equal ones are one
    characters: int  # of their prompts
    tokens: int  # that answers have at most
    cost: float | None  # at four characters a token and answers of the greatest length


def foretell(grid: Grid) -> list[GridForecast]:
    """What would be asked, model by model."""
    found = []
    for name in dict.fromkeys(setting.model for setting in grid.settings):
        seen: dict[Request, None] = {}
        settings = [setting for setting in grid.settings if setting.model == name]
        for setting in settings:
            plan = grid.plan(setting)
            prompts = forecast(plan, grid.sources, shown=len(grid.sources)).prompts
            seen |= dict.fromkeys(
                Request(prompt=prompt.before, decoding=plan.searched, sample=sample)
                for prompt in prompts
                for sample in range(plan.samples)
            )
        characters = sum(len(request.prompt) for request in seen)
        tokens = sum(request.decoding.tokens for request in seen)
        price = grid.models[name].price
        cost = None if price is None else price.of(math.ceil(characters / LETTERS_A_TOKEN), tokens)
        found.append(GridForecast(name, len(settings), len(seen), characters, tokens, cost))
    return found


def how_to_go_on(experiment: Experiment) -> str:
    """Where a limit ended it: what is there, and what to do next."""
    done, of = len(experiment.results), len(experiment.grid.settings)
    return (
        f"{experiment.stopped}: {done} of {counted(of, 'setting')} complete after {counted(experiment.calls, 'call')} "
        f"of this run; answers are kept, so the same command goes on from here, with a new limit of its own"
    )


def by_system(results: Sequence[SettingResult]) -> Mapping[str, list[SettingResult]]:
    """Cells that differ in their seed only are one system."""
    found: dict[str, list[SettingResult]] = {}
    for one in results:
        found.setdefault(one.setting.system, []).append(one)
    return found
