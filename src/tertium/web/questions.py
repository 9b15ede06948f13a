"""Questions of the JSON interface: their parameters, and which question they are. Workers answer them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request

from tertium.analysis.noise.outputs import SEEDS
from tertium.core.judgement import Kind
from tertium.core.score import Level
from tertium.human.standardise import Zero
from tertium.inference.seeds import ALPHA, RESAMPLES, SEED, SWAPS, WMT_SEED
from tertium.inference.units import Unit
from tertium.web.api import Given

Trials = Annotated[int, Query(ge=1, le=1_000_000)]
Seed = Annotated[int, Query(ge=0)]
Share = Annotated[float | None, Query(gt=0, lt=1)]
Alpha = Annotated[float, Query(ge=1e-9, lt=1)]  # one that is smaller still rounds to no error at all
Top = Annotated[int | None, Query(ge=1)]
Words = Annotated[list[str], Query(default_factory=list)]
Some = Annotated[list[str], Query(default_factory=list, description="Metrics; without one, all that are counted.")]
TypeColumn = Literal["type", "references", "outputs", "matches", "precision", "recall", "f", "difference", "gain"]
Contrast = Literal["buckets", "types", "gained", "lost", "curve", "ngrams"]
Adjustment = Literal["max-t", "holm", "bh", "none"]

router = APIRouter(prefix="/api", tags=["questions"])


@router.get("/evaluations/{id}/score")
async def score(
    id: str,
    workbench: Given,
    level: Level = "corpus",
    confidence: Share = None,
    interval: Literal["percentile", "bca"] = "percentile",
    trials: Trials = RESAMPLES,
    seed: Seed = SEED,
    unit: Unit = "segment",
) -> Any:
    """Scores, as `tertium score`."""
    return await workbench.ask(
        id, "score", level=level, confidence=confidence, method=interval, trials=trials, seed=seed, unit=unit
    )


@router.get("/evaluations/{id}/compare")
async def compare(
    id: str,
    workbench: Given,
    metrics: Some,
    baseline: str | None = None,
    test: Literal["permutation", "bootstrap", "sign", "wilcoxon"] = "permutation",
    trials: Trials | None = None,
    seed: Seed = SEED,
    unit: Unit = "segment",
    correction: Adjustment | None = None,
    alpha: Alpha = ALPHA,
) -> Any:
    """Which systems are better, as `tertium compare`."""
    return await workbench.ask(
        id, "compare", metrics=metrics, baseline=baseline, test=test, trials=trials, seed=seed, unit=unit,
        correction=correction, alpha=alpha,
    )  # fmt: skip


@router.post("/evaluations/{id}/against")
async def against(request: Request, id: str, workbench: Given, level: Literal["corpus", "segment"] = "corpus") -> Any:
    """Where scores lie among frozen ones, as `tertium score --against FILE`; the body is that file."""
    return await workbench.ask(id, "against", file=await request.body(), level=level)


@router.get("/evaluations/{id}/disagree")
async def disagree(
    id: str,
    workbench: Given,
    first: str,
    second: str,
    metrics: Some,
    by: Literal["opposite", "rank", "size"] = "opposite",
    top: Top = None,
    diagnose: bool = False,
) -> Any:
    """Segments on which metrics favour different systems, as `tertium disagree`; `diagnose`: what is wrong there."""
    asked = {"first": first, "second": second, "metrics": metrics, "by": by, "top": top, "diagnose": diagnose}
    return await workbench.ask(id, "disagree", **asked)


@router.get("/evaluations/{id}/types")
async def types(
    id: str,
    workbench: Given,
    show: Annotated[list[Contrast], Query(default_factory=list)],
    bounds: Annotated[list[int], Query(default_factory=list)],
    metric: str | None = None,
    first: str | None = None,
    second: str | None = None,
    sort: TypeColumn = "references",
    reverse: bool = False,
    min_references: Annotated[int, Query(ge=0)] = 0,
    max_references: Annotated[int | None, Query(ge=0)] = None,
    pattern: str | None = None,
    only: Literal["both", "output", "reference"] | None = None,
    top: Top = None,
    order: Annotated[int, Query(ge=1, le=9)] = 4,
    trials: Annotated[int, Query(ge=0, le=1_000_000)] = SWAPS,
    seed: Seed = SEED,
) -> Any:
    """Words that systems miss or invent, as `tertium types`; of `first` and `second` side by side, if they are named.

    Only of two systems: `show`, `bounds` of the buckets, `order` of n-grams, `trials` and `seed` of the test.
    """
    filters = {"min_references": min_references, "max_references": max_references, "pattern": pattern, "only": only}
    chosen = {"metric": metric, "filters": filters, "sort": sort, "reverse": reverse, "top": top}
    if first is None and second is None:
        return await workbench.ask(id, "types", **chosen)
    of_two = {"show": show, "bounds": bounds, "order": order, "trials": trials, "seed": seed}
    return await workbench.ask(id, "contrast", first=first, second=second, **chosen, **of_two)


@router.get("/evaluations/{id}/diagnose")
async def diagnose(
    id: str, workbench: Given, detectors: str | None = None, keep: Annotated[int | None, Query(ge=0)] = None
) -> Any:
    """Errors that a program can see, as `tertium diagnose`."""
    return await workbench.ask(id, "diagnose", detectors=detectors, keep=keep)


@router.get("/evaluations/{id}/buckets")
async def buckets(
    id: str,
    workbench: Given,
    by: str = "reference-length",
    rare: Annotated[int, Query(ge=0)] = 1,
    confidence: Share = None,
    trials: Trials = RESAMPLES,
    seed: Seed = SEED,
) -> Any:
    """Scores of parts of the test set, as `tertium buckets`."""
    return await workbench.ask(id, "buckets", by=by, rare=rare, confidence=confidence, trials=trials, seed=seed)


@router.get("/evaluations/{id}/human/analyse")
async def analyse(
    id: str,
    workbench: Given,
    scales: Words,
    over: Annotated[list[Kind], Query(default_factory=list)],
    drop: Words,
    power: Words,
    preset: Literal["wmt22-toen", "wmt21-toen", "appraise22"] | None = None,
    standardise: Literal["none", Zero] | None = None,
    test: str | None = None,
    clusters: Literal["last", "minwins", "strict"] | None = None,
    alpha: Alpha = ALPHA,
    correction: Literal["holm", "bh", "none"] | None = None,
    trials: Trials | None = None,
    seed: Seed = SEED,
) -> Any:
    """Systems ranked by people, and the raters, as `tertium human analyse`. `power` names two systems."""
    return await workbench.ask(
        id, "analyse", scales=scales, preset=preset, standardise=standardise, over=over, test=test, clusters=clusters,
        alpha=alpha, correction=correction, trials=trials, seed=seed, drop=drop, power=power,
    )  # fmt: skip


@router.get("/evaluations/{id}/human/agreement")
async def agreement(
    id: str,
    workbench: Given,
    statistics: Words,
    bins: Annotated[
        list[float], Query(default_factory=list, description="A number of bins, or where all but the first begin.")
    ],
    scale: str | None = None,
    between: Literal["raters", "repeats"] | None = None,
    by: str | None = None,
    ties: Annotated[float, Query(ge=0)] = 0.0,
    pairs: bool = False,
    confidence: Share = None,
    trials: Trials = RESAMPLES,
    seed: Seed = SEED,
    resample: Literal["segment", "item"] = "segment",
) -> Any:
    """How far raters agree, as `tertium human agreement`."""
    return await workbench.ask(
        id, "agreement", scale=scale, between=between, by=by, statistics=statistics, bins=bins, ties=ties,
        each_pair=pairs, confidence=confidence, trials=trials, seed=seed, resample=resample,
    )  # fmt: skip


@router.get("/evaluations/{id}/meta")
async def meta(
    id: str,
    workbench: Given,
    metrics: Some,
    levels: Annotated[list[Literal["system", "segment"]], Query(default_factory=list)],
    gold: str | None = None,
    micro: bool = False,
    threshold: Annotated[float | None, Query(gt=0)] = None,
    system_by: str = "pearson",
    segment_by: str = "acc_eq",
    correction: Adjustment = "max-t",
    sides: Literal["two", "one"] = "two",
    alpha: Alpha = ALPHA,
    trials: Trials | None = None,
    seed: Seed = WMT_SEED,
    trust_join: bool = False,
) -> Any:
    """How close metrics are to people, as `tertium meta`; `gold` is what people said, such as `human`."""
    return await workbench.ask(
        id, "meta", metrics=metrics, gold=gold, levels=levels, micro=micro, threshold=threshold, system_by=system_by,
        segment_by=segment_by, correction=correction, sides=sides, alpha=alpha, trials=trials, seed=seed,
        trust_join=trust_join,
    )  # fmt: skip


@router.get("/evaluations/{id}/verify")
async def verify(
    id: str,
    workbench: Given,
    signature: str,
    score: str,
    system: str | None = None,
    metric: str | None = None,
) -> Any:
    """Whether a published score holds for these files, as `tertium verify SIGNATURE --score VALUE`."""
    return await workbench.ask(id, "verify", signature=signature, score=score, system=system, metric=metric)


@router.post("/evaluations/{id}/verify")
async def verify_file(
    request: Request, id: str, workbench: Given, system: str | None = None, metric: str | None = None
) -> Any:
    """Whether the scores of a file of `tertium score -f json` hold, as `tertium verify FILE`; the body is the file."""
    return await workbench.ask(id, "verify", file=await request.body(), system=system, metric=metric)


@router.get("/evaluations/{id}/stress")
async def stress(
    id: str,
    workbench: Given,
    metrics: Some,
    noises: Words,
    aims: Words,
    rates: Annotated[list[float], Query(default_factory=list)],
    system: str | None = None,
    seeds: Annotated[int, Query(ge=1, le=100)] = SEEDS,
    seed: Seed = SEED,
    on: Literal["outputs", "references"] = "outputs",
    tokenize: str = "none",
    damage: bool = False,
    top: Top = None,
) -> Any:
    """What metrics notice of damaged outputs, as `tertium stress`; with `damage`, of one type at a time.

    This counts every output again many times. What takes longer than five minutes is refused: ask for fewer noises.
    """
    return await workbench.ask(
        id, "stress", metrics=metrics, noises=noises, aims=aims, rates=rates, system=system, seeds=seeds, seed=seed,
        on=on, tokenize=tokenize, damage=damage, top=top, allowed=workbench.limits.allowed,
    )  # fmt: skip
