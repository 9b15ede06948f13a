"""Questions of the JSON interface about an evaluation, each answered as the command of that name answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, is_counted
from tertium.core.score import Level
from tertium.core.system import System, find_system
from tertium.inference.seeds import SEED
from tertium.metrics import parse, parse_list, refuse_local
from tertium.report import json_values
from tertium.text.tokenizers import is_local


def score(evaluation: Evaluation, level: Level, confidence: float | None, **options: Any) -> dict[str, Any]:
    """Scores, as `tertium score -f json`."""
    from tertium.analysis.guards import guards
    from tertium.inference.scores import interval_warnings, scores

    found = scores(evaluation, level, confidence=confidence, **options)
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if confidence else ())]
    return json_values.scores_object(evaluation, found, warnings, guards=guards(evaluation))


def compare(evaluation: Evaluation, metrics: Sequence[str], baseline: str | None, **options: Any) -> dict[str, Any]:
    """Comparisons, as `tertium compare -f json`."""
    from tertium.analysis.guards import guards
    from tertium.inference.compare import compare as compare_systems
    from tertium.inference.compare import with_other_unit
    from tertium.report.own_curves import own_curves

    found = {
        text: with_other_unit(evaluation, compare_systems(evaluation, text, baseline=baseline, **options))
        for text in chosen(evaluation, metrics)
    }
    own = own_curves(evaluation, seed=options.get("seed", SEED))
    return json_values.comparisons_object(evaluation, found, baseline, guards=guards(evaluation), own=own)


def against(evaluation: Evaluation, level: Level, file: bytes) -> dict[str, Any]:
    """Where scores lie among frozen ones, as `tertium score --against FILE -f json`."""
    from tertium.meta.frozen import frozen_in
    from tertium.report.tables.frozen import places_beside

    beside = places_beside(evaluation, [frozen_in(file, "the frozen scores")], level)
    warnings = [*evaluation.warnings, *(note for item in beside for note in item.notes)]
    return json_values.scores_object(evaluation, evaluation.scores(level), warnings, beside=beside)


def disagree(
    evaluation: Evaluation,
    first: str,
    second: str,
    metrics: Sequence[str],
    by: str,
    top: int | None,
    diagnose: bool = False,
) -> dict[str, Any]:
    """Segments on which metrics disagree, as `tertium disagree -f json`, and the errors in them, if asked for."""
    from tertium.analysis.diagnose import diagnose as find_errors
    from tertium.analysis.favouritism import rank_segments

    names = chosen(evaluation, metrics)
    found = rank_segments(evaluation, first, second, names if metrics else names[:2], by=by)
    shown = found.items(top)
    both = [system for system in evaluation.systems if system.name in (first, second)]
    errors = find_errors(evaluation, both, segments=[item.index + 1 for item in shown]) if diagnose else None
    return json_values.disagreements_object(evaluation, (first, second), shown, by, len(found), errors)


def types(
    evaluation: Evaluation, metric: str | None, filters: Mapping[str, Any], sort: str, **options: Any
) -> dict[str, Any]:
    """Types of every system, as `tertium types -f json`."""
    from tertium.analysis.types import types as find_types

    if sort in ("difference", "gain"):
        raise OptionError(f"sort={sort} is for two systems; name them: first, second")
    text = counting_types(evaluation, metric)
    found = {
        system.name: find_types(evaluation, system.name, text, sort=sort, **filters, **options)
        for system in evaluation.systems
        if (system.name, text) in evaluation.table
    }
    return json_values.types_object(
        evaluation, text, {"types": {name: json_values.type_objects(rows) for name, rows in found.items()}}
    )


def contrast(
    evaluation: Evaluation, first: str | None, second: str | None, metric: str | None, show: Sequence[str],
    bounds: Sequence[int], trials: int, seed: int, **options: Any,
) -> dict[str, Any]:  # fmt: skip
    """Types of two systems side by side, as `tertium types TESTSET A B -f json`."""
    from tertium.analysis.contrast import BOUNDS, compare_types
    from tertium.report.tables.types import USUAL

    if first is None or second is None:
        raise OptionError("only one system is named; name two: first, second")
    for name in (first, second):
        find_system(evaluation.systems, name)
    text, show = counting_types(evaluation, metric), show or USUAL
    tested = trials if "buckets" in show else 0
    found = compare_types(evaluation, first, second, text, bounds=bounds or BOUNDS, trials=tested, seed=seed)
    facts = {"systems": [first, second], "n": found.n, "trials": tested, "seed": seed,
             "unresolvable": found.unresolvable}  # fmt: skip
    tables = json_values.contrast_objects(evaluation, found, show=tuple(dict.fromkeys(show)), **options)
    return json_values.types_object(evaluation, text, facts | tables)


def counting_types(evaluation: Evaluation, metric: str | None) -> str:
    """The metric that is named, or the first that counts types."""
    counting = [str(item) for item in evaluation.metrics if hasattr(item, "type_weights")]
    name = metric or next(iter(counting), None)
    if name is None:
        raise OptionError("no metric of this evaluation counts types; add one that does, such as macrof")
    return str(evaluation.metric(parsed(name)))


def diagnose(evaluation: Evaluation, detectors: str | None, keep: int | None) -> dict[str, Any]:
    """Errors that a program can see, as `tertium diagnose -f json`."""
    from tertium.analysis.diagnose import diagnose as find

    return json_values.diagnosis_object(find(evaluation, detectors=detectors, keep=keep))


def buckets(evaluation: Evaluation, by: str, confidence: float | None, **options: Any) -> dict[str, Any]:
    """Scores of parts of the test set, as `tertium buckets -f json`."""
    from tertium.analysis.buckets import buckets as bucket_scores
    from tertium.inference.scores import interval_warnings

    found = bucket_scores(evaluation, by, confidence=confidence, **options)
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if confidence else ())]
    return json_values.buckets_object(evaluation, by, found, warnings)


def analyse(
    evaluation: Evaluation, scales: Sequence[str], preset: str | None, standardise: str | None, over: Sequence[Any],
    test: str | None, clusters: str | None, alpha: float, correction: str | None, trials: int | None, seed: int,
    drop: Sequence[str], power: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """Rankings and raters, as `tertium human analyse -f json`."""
    from tertium.core.judgement import SCALES
    from tertium.core.metric import choose
    from tertium.human.analyse import analyse as analyse_scale
    from tertium.human.at_hand import at_hand
    from tertium.human.power import power_curve
    from tertium.human.ranking import method_of

    check_judgements(evaluation)
    for scale in scales:
        choose("judgements", "scale", scale, tuple(SCALES))
    if len(power) not in (0, 2):
        raise OptionError(f"power is of two systems, and {len(power)} are named; write power=A&power=B")
    method = method_of(preset, standardise=standardise, over=tuple(over) or None, test=test, clusters=clusters,
                       correction=correction)  # fmt: skip
    method = replace(method, alpha=alpha, trials=trials, seed=seed)
    there = scales or dict.fromkeys(judgement.scale for judgement in evaluation.judgements)
    present = at_hand(evaluation)
    found = [analyse_scale(evaluation.judgements, scale, method, evaluation.testset, drop, present) for scale in there]
    curves = [power_curve(ranking, *power) for item in found for ranking in item.rankings.values()] if power else []
    return json_values.analysis_object(evaluation, found, curves)


def agreement(
    evaluation: Evaluation, statistics: Sequence[str], bins: Sequence[float], confidence: float | None, trials: int,
    seed: int, resample: Any, **options: Any,
) -> dict[str, Any]:  # fmt: skip
    """How far raters agree, as `tertium human agreement -f json`."""
    from tertium.human.agreement import agreement as measure
    from tertium.report.tables.people import resamples

    check_judgements(evaluation)
    cut: int | Sequence[float] | None = bins or None
    if len(bins) == 1:
        if not bins[0].is_integer():
            raise OptionError(f"bins={bins[0]:g}: a number of bins is whole; repeat it to say where bins begin")
        cut = int(bins[0])
    found = measure(evaluation, statistics=list(statistics) or None, bins=cut, confidence=confidence, trials=trials,
                    seed=seed, resample=resample, **options)  # fmt: skip
    return json_values.agreement_object(found, resamples(confidence, trials, seed, resample))


def meta(
    evaluation: Evaluation, metrics: Sequence[str], gold: str | None, levels: Sequence[Any], system_by: str,
    segment_by: str, correction: str, sides: Any, trust_join: bool, **options: Any,
) -> dict[str, Any]:  # fmt: skip
    """How close metrics are to people, as `tertium meta -f json`."""
    from tertium.engines.evaluate import add_metrics
    from tertium.human.metric import chosen_gold
    from tertium.meta.evaluate import LEVELS, meta_evaluate
    from tertium.meta.metric_comparison import read_rules

    rules = read_rules(system_by, segment_by, correction, sides)
    people = chosen_gold(evaluation.judgements, None if gold is None else parsed(gold))
    names = [text for text in chosen(evaluation, metrics) if text != str(people)]
    if not names:
        raise OptionError(f"there is no metric besides {people}; score the texts by one, such as bleu")
    some = replace(
        evaluation,
        metrics=tuple(evaluation.metric(text) for text in names),
        table={key: stats for key, stats in evaluation.table.items() if key[1] in names},
        signatures={text: evaluation.signatures[text] for text in names},
    )
    both = add_metrics(some, people, trust_join=trust_join)
    found = meta_evaluate(both, people, levels=levels or LEVELS, rules=rules, trust_join=trust_join, **options)
    return json_values.meta_object([both], [found])


def verify(
    evaluation: Evaluation, system: str | None, metric: str | None, signature: str = "", score: str | None = None,
    file: bytes | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Whether published scores hold, as `tertium verify -f json`."""
    from tertium.analysis.verify import verify as check
    from tertium.io.claims import claims_in, read_signature

    check_texts(evaluation)
    claims = [read_signature(signature, score)] if file is None else claims_in(file, "the scores")
    for text in (claim.metric for claim in claims) if metric is None else (metric,):
        parsed(text)
    if system is not None or file is None:
        system = system_of(evaluation, system).name
    return json_values.verdicts_object(check(claims, evaluation, metric=metric, system=system))


def stress(
    evaluation: Evaluation, metrics: Sequence[str], noises: Sequence[str], aims: Sequence[str], rates: Sequence[float],
    system: str | None, seeds: int, damage: bool, top: int | None, allowed: Sequence[str], **texts: Any,
) -> dict[str, Any]:  # fmt: skip
    """What metrics notice of damaged outputs, as `tertium stress -f json`."""
    from tertium.analysis.damage import type_damage
    from tertium.analysis.noise.kinds import parse_noises
    from tertium.analysis.noise.outputs import RATES
    from tertium.analysis.stress import stress as run

    check_texts(evaluation)
    if is_local(texts["tokenize"]):
        raise OptionError(f"tokenize={texts['tokenize']} names a file or a function of this computer; choose another")
    every = [evaluation.metric(text) for text in chosen(evaluation, metrics)]
    wanted = [metric for metric in every if is_counted(metric)]
    if not wanted or (metrics and len(wanted) < len(every)):
        raise OptionError(
            "people judged the outputs as they are, not damaged ones; choose metrics of texts, such as bleu"
        )
    for metric in wanted:
        refuse_local(metric, allowed)
    damaged = None
    if texts["on"] == "outputs":
        damaged = system_of(evaluation, system)
    elif system is not None:
        raise OptionError(f"on=references damages references, not system {system}; leave one of the two out")
    if damage:
        [noise, *others] = parse_noises(list(noises) or "mask")
        if others:
            raise OptionError(f"damage=true takes one noise, not {1 + len(others)}; name one, such as mask")
        found_types = type_damage(evaluation.testset, damaged, wanted, noise=str(noise), **texts)
        return json_values.damage_object(found_types, texts["seed"], top)
    found = run(evaluation.testset, damaged, wanted, noises=list(noises) or None, aims=list(aims) or "random",
                rates=list(rates) or RATES, seeds=seeds, **texts)  # fmt: skip
    return json_values.stress_object(found)


def check_judgements(evaluation: Evaluation) -> None:
    """Refuse questions about people where nobody said anything."""
    if not evaluation.judgements:
        raise InputError(f"test set {evaluation.testset.name} has no judgements; upload it with a file of them")


def check_texts(evaluation: Evaluation) -> None:
    """Refuse to count again what was saved without its texts."""
    if not evaluation.has_texts:
        raise InputError("the evaluation was saved without its texts, which this has to count again; upload the texts")


def system_of(evaluation: Evaluation, name: str | None) -> System:
    """The system that is named, or the only one."""
    if name is not None:
        return find_system(evaluation.systems, name)
    known = [system.name for system in evaluation.systems]
    if len(known) != 1:
        raise OptionError(f"there are {len(known)} systems; say which one (system=NAME): {', '.join(known)}")
    return evaluation.systems[0]


def parsed(text: str) -> Metric:
    """The metric of a text that came from a stranger."""
    metric = parse(text)
    refuse_local(metric)
    return metric


def chosen(evaluation: Evaluation, metrics: Sequence[str]) -> list[str]:
    """The metrics that are named, or all."""
    names = [str(metric) for metric in parse_list(metrics)] if metrics else []
    found = [str(evaluation.metric(name)) for name in names] or [str(metric) for metric in evaluation.metrics]
    if not found:
        raise OptionError("the evaluation has no metric; score it first")
    return found


ANSWERS: dict[str, Callable[..., dict[str, Any]]] = {
    function.__name__: function
    for function in (
        score, compare, against, disagree, types, contrast, diagnose, buckets, analyse, agreement, meta, verify, stress
    )
}  # fmt: skip
