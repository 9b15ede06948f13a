"""`tertium score` of shards: what is read, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tertium.cli.inputs import Inputs
from tertium.cli.options import Bootstrap, Streaming
from tertium.cli.progress import LONG, working
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, is_learned
from tertium.core.score import Score
from tertium.engines.elsewhere import Engine
from tertium.engines.stream import stream
from tertium.inference.bootstrap import refusal
from tertium.inference.poisson import PoissonDraws, streamed_scores
from tertium.inference.scores import interval_warnings
from tertium.io.shards import Shard, find_shards, split_pattern


def score_shards(
    inputs: Inputs, streaming: Streaming, metrics: Sequence[Metric], bootstrap: Bootstrap, threads: int | None
) -> tuple[str, list[Score], Evaluation, list[str]]:
    """What is said of the corpus, the scores, the sums behind them, and warnings."""
    shards, systems = read_shards(inputs)
    draws = None
    if bootstrap.covered is not None:
        if bootstrap.method != "percentile" or bootstrap.unit != "segment":
            raise OptionError(
                "intervals of shards are percentiles of segments: --interval and --unit are for one test set"
            )
        if not any(metric.resampling == "percentile" for metric in metrics):
            raise OptionError("; ".join(map(refusal, metrics)))
        draws = PoissonDraws(bootstrap.trials, bootstrap.seed)
    kept = inputs.cache if any(map(is_learned, metrics)) else None
    with working(threads, size=LONG, cache=kept, rate=True) as run:
        found = stream(
            shards,
            systems,
            metrics,
            run=replace(run, models=(*run.models, *inputs.models)),
            draws=draws,
            checkpoint=streaming.checkpoint,
            bad_shards="skip" if streaming.bad_shards == "skip" else "stop",
            engine=engine_of(streaming),
        )
    warnings = [*found.evaluation.warnings, *(interval_warnings(found.evaluation) if bootstrap.covered else ())]
    return found.describe(), streamed_scores(found, draws, bootstrap.covered), found.evaluation, warnings


def engine_of(streaming: Streaming) -> Engine | None:
    """What counts shards elsewhere, if that is asked for."""
    if streaming.address is not None and streaming.engine != "ray":
        raise OptionError("--address is of a Ray cluster; add --engine ray")
    if streaming.engine != "ray":
        return None
    from tertium.engines.ray import RayEngine

    return RayEngine(address=streaming.address)


def read_shards(inputs: Inputs) -> tuple[list[Shard], list[str]]:
    """The shards that the command line names, and the names of their systems."""
    if inputs.testset is not None:
        raise OptionError(f"{inputs.testset}: a test set is read whole; name shards with --ref, --hyp and --src")
    if inputs.named is not None:
        raise OptionError(
            f"-T {inputs.named}: a test set is read whole; leave out --stream, and what else is for shards"
        )
    if inputs.doc is not None or inputs.scores:
        raise OptionError("--doc and --scores are for one test set, not for shards")
    if inputs.tags is not None:
        raise OptionError("--tags is for localisation files, not for shards")
    if not inputs.hyps:
        raise OptionError("no system output: pass --hyp PATTERN, such as --hyp 'crawl/*.parquet:mt'")
    if not inputs.refs and inputs.src is None:
        raise OptionError("nothing to compare with: pass --ref PATTERN (see tertium score --help)")
    if "-" in (inputs.src, *inputs.refs, *inputs.hyps):
        raise OptionError("standard input (-) cannot be read in shards; name files")
    named = [_named(spec) for spec in inputs.hyps]
    names = [name for name, _ in named]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two systems are called {name}; give them different names (--hyp NAME=PATTERN)")
    return find_shards(inputs.src, inputs.refs, [spec for _, spec in named], inputs.missing), names


def _named(spec: str) -> tuple[str, str]:
    """The name of a system and the spec of its outputs. Without a name it is called as the column, or as the spec."""
    name, equals, rest = spec.partition("=")
    if equals and not Path(spec).exists() and "/" not in name and not any(mark in name for mark in "*?["):
        if not rest:
            raise OptionError(f"--hyp {name}=: no file; write --hyp {name}=PATTERN")
        return name, rest
    return split_pattern(spec).column or spec, spec
