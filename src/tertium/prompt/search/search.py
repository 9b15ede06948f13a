"""The search for a template: candidates, what they will cost, the winner on dev, and what it is worth on test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.run import PLAIN, Run
from tertium.core.score import Interval, Score
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.wording import counted, headings
from tertium.engines.evaluate import evaluate
from tertium.inference.bootstrap import bootstrap, interval_of
from tertium.inference.compare import Comparison, compare
from tertium.inference.scores import scores
from tertium.inference.seeds import CONFIDENCE, SEED
from tertium.models.language_model import Decoding, LanguageModel
from tertium.prompt.demonstrations import first_of_each
from tertium.prompt.search.halving import HalvingRound, halve, halving_rounds, least_answers, usual_answers
from tertium.prompt.search.paraphrasing import Paraphrase, by_model, by_round_trip, lines_of
from tertium.prompt.search.task import Items, PromptTask, RememberingModel
from tertium.prompt.template import Template

WINNER, BASELINE = "winner", "baseline"  # as systems on test


class Candidate(NamedTuple):
    """A template, and where it comes from."""

    template: Template
    origin: str


class RoundTrip(NamedTuple):
    """Two models by which templates are paraphrased: there and back."""

    there: LanguageModel
    back: LanguageModel


@dataclass(frozen=True, kw_only=True)
class SearchForecast:
    """What a search will ask, before anything is asked; each number is a limit that is not exceeded."""

    candidates: int
    dev: int
    test: int
    rounds: tuple[HalvingRound, ...]
    paraphrasing: int  # calls
    halving: int  # calls
    testing: int  # calls: of the winner and the baseline, or half of them where these are the same

    @property
    def calls(self) -> int:
        """In all."""
        return self.paraphrasing + self.halving + self.testing


@dataclass(frozen=True, kw_only=True)
class CandidateResult:
    """A candidate's score on the segments of dev that it was asked about."""

    template: Template
    origin: str
    rounds: int
    n: int
    score: float


@dataclass(frozen=True, kw_only=True)
class PromptSearch:
    """What was found: the winner on dev and on test, beside the baseline."""

    task: str
    metric: str
    forecast: SearchForecast
    calls: int
    candidates: tuple[CandidateResult, ...]  # the winner first, the others as far as they came
    winner: Template
    baseline: Template
    dev: Score  # of the winner, on the segments by which it was chosen
    test: Score
    baseline_dev: CandidateResult
    baseline_test: Score
    optimism: float  # dev minus test
    optimism_interval: Interval | None
    comparison: Comparison | None  # of winner and baseline on test; None where they are the same
    decimals: int  # of scores, where they are shown
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TemplateSearch:
    """A search that is ready to run. The first of `seeds` is the baseline; test items are asked about at the end."""

    task: PromptTask
    dev: Items  # in the order in which they are asked about
    test: Items
    seeds: tuple[Candidate, ...]  # what is paraphrased
    by_rules: tuple[Candidate, ...] = ()  # what rules made of them
    most: int = 16  # candidates
    round_trip: RoundTrip | bool = False  # the models, or whether there will be such
    by_model: bool = False
    variants: int = 2  # of each template, by the model
    max_calls: int | None = None
    seed: int = 0
    notes: tuple[str, ...] = ()

    def forecast(self) -> SearchForecast:
        """What will be asked at most: where models paraphrase, nobody knows yet how many candidates there will be."""
        known = len(self.gathered())
        if not (self.by_model or self.round_trip):
            return self.forecast_of(known)
        return max(
            (self.forecast_of(number) for number in range(max(2, known), self.most + 1)), key=lambda one: one.calls
        )

    def forecast_of(self, candidates: int) -> SearchForecast:
        """What will be asked of so many candidates."""
        paraphrasing = self._paraphrasing_calls()
        testing = 2 * len(self.test) * self.task.each
        answers = usual_answers(candidates, len(self.dev))
        if self.max_calls is not None:
            over = paraphrasing + testing + candidates * self.task.once
            least = over + least_answers(candidates) * self.task.each
            if self.max_calls < least:
                raise OptionError(
                    f"max_calls: {self.max_calls}; {candidates} candidates on "
                    f"{counted(len(self.test), 'test segment')} take at least {least} calls; allow more, or "
                    f"take fewer candidates or a smaller test part"
                )
            answers = min(answers, (self.max_calls - over) // self.task.each)
        rounds = halving_rounds(candidates, answers, len(self.dev))
        return SearchForecast(
            candidates=candidates,
            dev=len(self.dev),
            test=len(self.test),
            rounds=rounds,
            paraphrasing=paraphrasing,
            halving=sum(one.answers for one in rounds) * self.task.each + candidates * self.task.once,
            testing=testing,
        )

    def run(self, model: LanguageModel, run: Run = PLAIN) -> PromptSearch:
        """Paraphrase, halve on dev, and ask winner and baseline about test."""
        limit, quiet = self.forecast().calls, replace(run, progress=None)
        asked = RememberingModel(model, limit, run)
        made, notes = self._paraphrased(asked, quiet)
        candidates = self.gathered(*made)
        ahead = self.forecast_of(len(candidates))
        results, rows = self._halved(candidates, ahead, asked, quiet)
        baseline = candidates[0].template
        different = {BASELINE: baseline} | ({} if results[0].template == baseline else {WINNER: results[0].template})
        outputs = {name: self.task.ask(one, self.test, asked, quiet) for name, one in different.items()}
        test_evaluation = self._evaluate(self.test, outputs, quiet)
        found = self._found(ahead, asked.calls, results, rows, test_evaluation, baseline)
        return replace(found, notes=(*self.notes, *notes))

    def _paraphrasing_calls(self) -> int:
        given = [one.template for one in self.seeds]
        trip = 2 * len(lines_of(given)) if self.round_trip else 0
        return trip + (len(given) * self.variants if self.by_model else 0)

    def _paraphrased(self, model: RememberingModel, run: Run) -> tuple[list[list[Candidate]], list[str]]:
        """What models make of the seeds, and how much of it can be used."""
        given, made, notes = [one.template for one in self.seeds], list[list[Paraphrase]](), list[str]()
        if isinstance(self.round_trip, RoundTrip):
            made.append(list(by_round_trip(given, *self.round_trip, Decoding(tokens=64), run)))
            model.calls += 2 * len(lines_of(given))  # of others, but announced with the rest
            notes.append(
                f"of {counted(len(given), 'round trip')}, {len(made[-1])} brought other words and all slots back"
            )
        if self.by_model:
            before = model.calls
            made.append(list(by_model(given, model, self.variants, self.seed, run)))
            asked = counted(model.calls - before, "paraphrase")
            notes.append(f"of {asked} by the model, {len(made[-1])} have other words and all slots")
        return [[Candidate(one.template, one.way) for one in some] for some in made], notes

    def gathered(self, *made: Sequence[Candidate]) -> list[Candidate]:
        """The seeds, and then paraphrases of each kind in turn, each text once, until there are enough."""
        in_turn = (one for several in zip_longest(*made, self.by_rules) for one in several if one is not None)
        usable = (one for one in (*self.seeds, *in_turn) if self.task.fits(one.template))
        return first_of_each(usable, lambda one: one.template.text)[: self.most]

    def _halved(
        self, candidates: Sequence[Candidate], ahead: SearchForecast, model: RememberingModel, run: Run
    ) -> tuple[list[CandidateResult], Stats]:
        """Every candidate with its score on what it was asked about, the winner first; and the rows of the winner."""
        outputs: list[list[str | None]] = [[] for _ in candidates]
        values, rows = [math.nan] * len(candidates), dict[int, Stats]()
        sign = 1.0 if self.task.metric.better == "higher" else -1.0

        def score(number: int, now: HalvingRound) -> float:
            new = self.dev[now.total - now.new : now.total]
            outputs[number] += self.task.ask(candidates[number].template, new, model, run)
            evaluation = self._evaluate(self.dev[: now.total], {WINNER: outputs[number]}, run)
            values[number] = evaluation.scores()[0].value
            rows[number] = evaluation.stats(WINNER, evaluation.metrics[0])
            return -math.inf if math.isnan(values[number]) else sign * values[number]

        best, stayed = halve(len(candidates), ahead.rounds, score)
        order = sorted(
            range(len(candidates)),
            key=lambda k: (k != best, -stayed[k], math.inf if math.isnan(values[k]) else -sign * values[k]),
        )
        found = [
            CandidateResult(
                template=candidates[k].template,
                origin=candidates[k].origin,
                rounds=stayed[k],
                n=len(outputs[k]),
                score=values[k],
            )
            for k in order
        ]
        return found, rows[best]

    def _evaluate(self, items: Items, outputs: dict[str, list[str | None]], run: Run) -> Evaluation:
        systems = [System(name=name, outputs=Lines.of(texts, name)) for name, texts in outputs.items()]
        return evaluate(self.task.testset(items), systems, self.task.metric, run=run)

    def _found(
        self,
        ahead: SearchForecast,
        calls: int,
        results: list[CandidateResult],
        rows: Stats,
        test_evaluation: Evaluation,
        baseline: Template,
    ) -> PromptSearch:
        [metric] = test_evaluation.metrics
        drawn = metric.resampling == "percentile"
        known = {one.system: one for one in scores(test_evaluation, confidence=CONFIDENCE if drawn else None)}
        best, same = results[0], results[0].template == baseline
        test = known[BASELINE if same else WINNER]
        interval = gap = None
        if drawn:  # dev and test are other segments, so they are drawn independently
            on_dev = bootstrap(rows, metric)
            interval = interval_of(on_dev, CONFIDENCE)
            others = bootstrap(test_evaluation.stats(test.system, metric), metric, seed=SEED + 1)
            gap = interval_of(on_dev - others, CONFIDENCE)
        return PromptSearch(
            task=self.task.name,
            metric=headings([metric])[str(metric)],
            forecast=ahead,
            calls=calls,
            candidates=tuple(results),
            winner=best.template,
            baseline=baseline,
            dev=replace(test, value=best.score, n=best.n, interval=interval),
            test=test,
            baseline_dev=next(one for one in results if one.template == baseline),
            baseline_test=known[BASELINE],
            optimism=best.score - test.value,
            optimism_interval=gap,
            comparison=None if same else compare(test_evaluation, metric, baseline=BASELINE)[0],
            decimals=self.task.decimals,
            notes=self.notes,
        )


def announced(ahead: SearchForecast, task: PromptTask) -> Iterator[str]:
    """What will be asked, in sentences."""
    yield f"{ahead.candidates} candidates; {counted(ahead.dev, 'dev segment')}, {counted(ahead.test, 'test segment')}"
    rounds = ", ".join(f"{one.candidates} x {one.new}" for one in ahead.rounds)
    yield f"halving (candidates x new segments): {rounds}"
    parts = [
        *([f"{ahead.paraphrasing} for paraphrases"] if ahead.paraphrasing else []),
        f"{ahead.halving} on dev",
        f"{ahead.testing} on test (winner and baseline)",
    ]
    each = "" if task.each == 1 else f"; {task.each} calls for each segment, one for every answer"
    yield f"at most {counted(ahead.calls, 'call')}: {', '.join(parts)}{each}"
