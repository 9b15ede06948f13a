"""An experiment as tables: templates, few-shot curves, settings, the best of them; and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tertium.analysis.detect.language import LETTERS, SURE
from tertium.core.metric import Metric
from tertium.core.score import ends
from tertium.core.table import Cell, Column, Rows, Table, numbers, texts
from tertium.core.wording import counted, headings, number
from tertium.inference.seeds import CONFIDENCE, RESAMPLES
from tertium.prompt.curves import Best, FewShotCurve, ShotPoint, best_systems, few_shot_curves, ranked_points
from tertium.prompt.experiment import Experiment, SettingResult, by_system
from tertium.prompt.setting import Setting
from tertium.report.tables.comparisons import pair_table

RATES = {"empty": "empty %", "off_target": "off-target %", "copied": "copied %", "looped": "looped %",
         "cut_off": "cut off %"}  # fmt: skip
SECONDS = ("p50 s", "p95 s")
TOLD = 3  # more names than these are counted


def titles_of(experiment: Experiment) -> dict[str, str]:
    """How metrics are called."""
    return headings(experiment.scored.metrics)


def asked_metrics(experiment: Experiment) -> list[Metric]:
    """The metrics of the evaluation that the grid asked for; a model in one may have got its name since."""
    return [experiment.scored.metric(metric) for metric in experiment.grid.metrics]


def experiment_tables(experiment: Experiment) -> Iterator[Table]:
    """All tables, in the order in which they are read."""
    metrics = asked_metrics(experiment)
    for metric in metrics:
        yield from template_tables(experiment, metric)
    for metric in metrics:
        yield from curve_tables(experiment, metric)
    yield from best_tables(experiment, metrics[0])
    yield setting_table(experiment)


# Templates


def template_tables(experiment: Experiment, metric: Metric) -> Iterator[Table]:
    """For each model and decoding: a row for each template, columns for its language and for space or line break.

    It is of the demonstrations with which most templates were tried; none, as a rule.
    """
    groups: dict[tuple[str, str], dict[tuple[int, str], list[ShotPoint]]] = {}
    settings = {system: own[0].setting for system, own in by_system(experiment.results).items()}
    for point in ranked_points(experiment, metric):
        setting = settings[point.system]
        found = groups.setdefault((setting.model, setting.search), {})
        found.setdefault((setting.shots, setting.selector_text if setting.shots else ""), []).append(point)
    for names, found in groups.items():
        shots, points = max(found.items(), key=lambda item: (len(item[1]), -item[0][0]))
        if len(points) > 1:
            several = [name for name in names if name not in next(iter(settings.values())).unsaid]
            yield _template_table(experiment, metric, {settings[p.system]: p for p in points}, shots, several)


def _template_table(
    experiment: Experiment,
    metric: Metric,
    points: dict[Setting, ShotPoint],
    shots: tuple[int, str],
    names: Sequence[str],
) -> Table:
    order = [one.setting for one in experiment.results if one.setting in points]
    languages = list(dict.fromkeys(setting.template.language for setting in order))
    blanks = sorted({setting.blank for setting in order}, reverse=True)  # space, break, neither
    heads = [(language, blank) for language in languages for blank in blanks]
    found = {
        (str(setting.template), setting.template.language, setting.blank): point for setting, point in points.items()
    }
    heads = [head for head in heads if any(key[1:] == head for key in found)]
    decimals = metric.decimals
    rows: Rows = [
        [name, *(_point_cell(found.get((name, *head)), decimals) for head in heads)]
        for name in dict.fromkeys(str(setting.template) for setting in order)
    ]
    title = titles_of(experiment)[str(metric)]
    where = "".join(f", {name}" for name in names)
    said = "no demonstrations" if not shots[0] else f"{counted(shots[0], 'demonstration')} ({shots[1]})"
    return Table(
        title=f"{title} by template, language of the template, and space or line break{where}",
        columns=[
            *texts("template"),
            *(Column(" ".join(part for part in head if part), decimals=decimals, better=metric.better)
              for head in heads),
        ],
        rows=rows,
        note=f"{counted(len(experiment.grid.given.testset), 'segment')}, {said}; steps {steps_text(experiment)}",
    )  # fmt: skip


def steps_text(experiment: Experiment) -> str:
    """The steps after each answer, in words that a line can be broken between."""
    return str(experiment.grid.steps).replace(",", ", ")


def _point_cell(point: ShotPoint | None, decimals: int) -> Cell | None:
    if point is None:
        return None
    interval = "" if point.interval is None else _interval(point, decimals)
    value = None if math.isnan(point.mean) else point.mean
    return Cell(number(point.mean, decimals), value, title=f"{point.system}{interval and f' {interval}'}")


def _interval(point: ShotPoint, decimals: int) -> str:
    low, high = ends(point.interval)
    return "" if low is None or high is None else f"[{number(low, decimals)}, {number(high, decimals)}]"


# Few-shot


INTERVALS = (
    "Mean: over seeds. Lowest, highest: of the seeds, which is their range and no interval. In brackets: "
    f"{100 * CONFIDENCE:.0f} % bootstrap interval of the mean over segments ({RESAMPLES} resamples), for these seeds."
)


def curve_tables(experiment: Experiment, metric: Metric) -> Iterator[Table]:
    """A table of each few-shot curve."""
    title, decimals = titles_of(experiment)[str(metric)], metric.decimals
    for curve in few_shot_curves(experiment, metric):
        rows: Rows = [
            [str(p.shots), p.seeds, number(p.mean, decimals), *_range(p), _interval(p, decimals), p.prompt]
            for p in curve.points
        ]
        yield Table(
            title=f"{title} by number of demonstrations: {curve.name}",
            columns=[
                *texts("shots"),
                *numbers("seeds", "mean", "lowest", "highest", decimals=decimals),
                Column("over segments", "text", spare=1),
                *numbers("characters of a prompt", decimals=0),
            ],
            rows=rows,
            note=INTERVALS,
        )


def _range(point: ShotPoint) -> list[float]:
    """Lowest and highest of the seeds; of one there is no range."""
    return [point.lowest, point.highest] if point.seeds > 1 else [math.nan, math.nan]


# Cells


def setting_table(experiment: Experiment) -> Table:
    """A row for each system, seeds taken together: scores, what looks wrong, tokens, time, cost."""
    metrics = asked_metrics(experiment)
    titles = titles_of(experiment)
    groups = by_system(experiment.results)
    points = {str(metric): {p.system: p for p in ranked_points(experiment, metric)} for metric in metrics}
    priced = any(one.facts.cost is not None for one in experiment.results)
    rows: Rows = []
    for system in points[str(metrics[0])]:
        own = groups[system]
        scored = [points[str(metric)][system] for metric in metrics]
        first = f"{number(scored[0].mean, metrics[0].decimals)} {_interval(scored[0], metrics[0].decimals)}".rstrip()
        shown = [
            Cell(first, _known(scored[0].mean)),
            *(_point_cell(p, m.decimals) for m, p in zip(metrics[1:], scored[1:], strict=True)),
        ]
        rows.append([system, *shown, *_facts(own, priced)])
    columns = [
        *texts("system"),
        *(Column(titles[str(metric)], better=metric.better) for metric in metrics),
        *numbers(*RATES.values(), decimals=0),
        *numbers("tokens in", "tokens out", decimals=0, spare=2),
        *numbers(*SECONDS, spare=3),
        *(numbers("cost", decimals=4, spare=1) if priced else []),
    ]
    note = (
        f"In brackets: {100 * CONFIDENCE:.0f} % bootstrap intervals over segments, by the first metric. Systems with "
        "several seeds are means over them. Rates are per cent of outputs. Off-target: identified as another language "
        f"than the one asked for, by py3langid with a probability of {SURE:g}, in outputs of {LETTERS} letters and "
        "more. Tokens and cost are of one seed; seconds of a call are those when the answer was given, maybe on "
        "another day or computer."
    )
    return Table(title="All settings, from best to worst", columns=columns, rows=rows, note=note)


def model_table(experiment: Experiment) -> Table:
    """Which models were asked: all that can change their answers, weights by their hashes."""
    return Table(
        title="Models, by all that can change their answers",
        columns=[*texts("model"), Column("identity", "code")],
        rows=[[name, identity] for name, identity in experiment.identities.items()],
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _facts(own: Sequence[SettingResult], priced: bool) -> list[float | None]:
    facts = [one.facts for one in own]
    asked = sum(one.asked for one in facts)

    def mean(name: str) -> float | None:
        values = [getattr(one, name) for one in facts]
        return None if None in values else math.fsum(values) / len(values)

    def rate(name: str) -> float | None:
        values = [getattr(one, name) for one in facts]
        return None if None in values or not asked else 100 * sum(values) / asked

    return [
        *(rate(name) for name in RATES),
        *(mean(name) for name in ("prompt_tokens", "answer_tokens", "median", "slow")),
        *([mean("cost")] if priced else []),
    ]


def setting_rows(experiment: Experiment) -> Table:
    """A row for each setting, seeds apart, for programs."""
    metrics = asked_metrics(experiment)
    heads = ["system", "run", "template", "language", "blank", "shots", "selector", "model", "decoding", "segments",
             "asked"]  # fmt: skip
    facts = ["empty", "off_target", "copied", "looped", "cut_off", "prompt_tokens", "answer_tokens", "seconds_p50",
             "seconds_p95", "cost"]  # fmt: skip
    scored = {(score.system, score.metric): score.value for score in experiment.scored.scores()}
    rows: Rows = []
    for one in experiment.results:
        setting = one.setting
        rows.append([
            setting.name, setting.run, str(setting.template), setting.template.language, setting.blank, setting.shots,
            setting.selector_text if setting.shots else None, setting.model, setting.search,
            len(one.translation.segments), one.facts.asked,
            *(scored[setting.name, str(metric)] for metric in metrics), *one.facts[1:],
        ])  # fmt: skip
    return Table(columns=numbers(*heads, *(str(metric) for metric in metrics), *facts), rows=rows)


def curve_rows(curves: Sequence[FewShotCurve]) -> Table:
    """A row for each point of each curve, for programs."""
    heads = ["curve", "metric", "shots", "system", "seeds", "mean", "lowest", "highest", "low", "high", "characters"]
    rows: Rows = [
        [curve.name, curve.metric, p.shots, p.system, p.seeds, p.mean, p.lowest, p.highest, *ends(p.interval), p.prompt]
        for curve in curves
        for p in curve.points
    ]
    return Table(columns=numbers(*heads), rows=rows)


# The best


def best_tables(experiment: Experiment, metric: Metric) -> Iterator[Table]:
    """The best systems against each other."""
    best = best_systems(experiment, metric)
    if not best.comparisons:
        return
    title = titles_of(experiment)[str(metric)].removesuffix(" ↓")
    chosen = f"the {len(best.systems)} best of {best.of}" if best.of > len(best.systems) else f"all {best.of}"
    test, pairs = best.comparisons[0].test, counted(len(best.comparisons), "pair")
    said = f"p-values are of the paired {test} test, corrected over these {pairs}"
    luck = "they were chosen on the segments on which they are tested, so the best looks better than it is"
    parts = [said, *([luck] if best.of > len(best.systems) else []), *best.notes]
    yield pair_table(
        best.comparisons,
        {str(metric): metric.decimals},
        n=best.comparisons[0].n,
        title=f"Paired tests by {title}: {chosen} against each other",
        note=f"{'; '.join(parts)}.",
    )


def experiment_sentences(experiment: Experiment) -> list[str]:
    """The result in words: the verdict first."""
    metric = asked_metrics(experiment)[0]
    title, decimals = titles_of(experiment)[str(metric)].removesuffix(" ↓"), metric.decimals
    points = [point for point in ranked_points(experiment, metric) if not math.isnan(point.mean)]
    if not points:
        return [f"No setting has a {title} score."]
    best, worst = points[0], points[-1]
    n = counted(len(experiment.grid.given.testset), "segment")
    if len(points) == 1:
        return [f"{best.system} scores {number(best.mean, decimals)} {title} on {n}; there is nothing beside it."]
    first = [point.system for point in points if point.mean == best.mean]
    who = f"{first[0]} is the best" if len(first) == 1 else f"{listed(first)} share the best score"
    said = [
        f"By {title}, {who} of {counted(len(points), 'setting')} ({number(best.mean, decimals)}); "
        f"the worst, {worst.system}, has {number(worst.mean, decimals)}. {_rivals(best_systems(experiment, metric))}"
    ]
    return [*said, *_break_sentence(experiment, points, title, decimals)]


def listed(names: Sequence[str]) -> str:
    """`a and b`, `a, b and c`; many are counted."""
    if len(names) > TOLD:
        return counted(len(names), "setting")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _rivals(best: Best) -> str:
    """Which of the best cannot be told from the first."""
    first = best.systems[0].system
    own = [item for item in best.comparisons if first in (item.system, item.baseline)]
    unresolved = next((item.unresolvable for item in own if item.unresolvable), None)
    if unresolved:
        return f"{unresolved[:1].upper()}{unresolved[1:]}."
    others = [item.baseline if item.system == first else item.system for item in own if item.verdict == "undecided"]
    if not own:
        return ""
    among = f"among the {len(best.systems)} best" if best.of > len(best.systems) else "of the others"
    if not others:
        return f"The paired test tells it from all {among}."
    return f"Not significantly worse {among}: {listed(others)}, which does not mean equal."


def _break_sentence(experiment: Experiment, points: Sequence[ShotPoint], title: str, decimals: int) -> Iterator[str]:
    """By how much a line break in place of a space moves a score at most, all else being equal."""
    values = {point.system: point.mean for point in points}
    pairs = []
    for system, own in by_system(experiment.results).items():
        if own[0].setting.blank == "break":
            other = system.replace("/break", "/space", 1)
            if system in values and other in values:
                pairs.append((values[system] - values[other], system, other))
    if pairs:
        change, system, other = max(pairs, key=lambda pair: abs(pair[0]))
        yield (
            f"A line break in place of a space moves {title} by up to {number(abs(change), decimals)}: {other} has "
            f"{number(values[other], decimals)}, {system} {number(values[system], decimals)}."
        )
