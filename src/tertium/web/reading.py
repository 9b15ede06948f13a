"""An upload made into an evaluation's file, by a process of its own: readers meet what strangers wrote, and take no
more time and memory than they are allowed, whatever it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import is_human
from tertium.engines.evaluate import check_input
from tertium.human.at_hand import at_hand
from tertium.human.metric import check_judged
from tertium.io.evaluation import save_evaluation
from tertium.metrics import parse_list
from tertium.web import uploads
from tertium.web.entries import LONGEST_NAME, Summary, check_baseline, checked_name, summarise
from tertium.web.forms import read_metrics
from tertium.web.intake import Limits, megabytes


class Taken(NamedTuple):
    """What became of an upload."""

    summary: Summary
    name: str
    wanted: list[str]  # metrics, those that are counted among them
    baseline: str | None


def take_in(options: Mapping[str, Any]) -> Taken:
    """Read what was stored, check that it can be scored as is wanted, and save it."""
    limits: Limits = options["limits"]
    bound(limits)
    try:
        return _take_in(options, limits)
    except MemoryError:
        raise InputError(
            f"reading it takes more than {megabytes(limits.memory)} of memory; send less at a time"
        ) from None


def _take_in(options: Mapping[str, Any], limits: Limits) -> Taken:
    paths = [(role, Path(path)) for role, path in options["paths"]]
    given = uploads.read_stored(paths, options["roles"], Path(options["folder"]), limits, options.get("tags") or None)
    counted, texts, ticked = [str(metric) for metric in given.metrics], options["metrics"], options["ticked"]
    chosen = any(texts) or ticked or not counted
    asked = texts, ticked, options["values"], limits.allowed, limits.models
    wanted = read_metrics(*asked) if chosen else counted
    check_countable(given, wanted)
    baseline = check_baseline(given, options.get("baseline", "").strip())
    said = options["name"].strip()
    name = said or uploads.title_of(given, options["sent"])[:LONGEST_NAME]
    if not counted:
        called = checked_name(said or given.testset.name[:LONGEST_NAME])
        given = replace(given, testset=replace(given.testset, name=called))
    save_evaluation(given, options["target"])
    return Taken(summarise(given), name, [*dict.fromkeys([*counted, *wanted])], baseline)


def bound(limits: Limits) -> None:
    """Let this process take no more time and memory than that, besides what it has."""
    import numpy as np  # noqa: F401 (has its memory before it is counted)

    try:
        import resource
    except ImportError:  # not every system knows such bounds
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + limits.seconds
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    taken = Path("/proc/self/statm")
    if taken.exists():  # elsewhere the bound is not kept anyway
        most = int(taken.read_text().split()[0]) * resource.getpagesize() + limits.memory
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def check_countable(given: Evaluation, wanted: Sequence[str]) -> None:
    """Refuse metrics that an evaluation lacks and cannot have, before anything is kept."""
    counted = {str(metric) for metric in given.metrics}
    lacking = [metric for metric in parse_list(wanted) if str(metric) not in counted]
    asked = [metric for metric in lacking if is_human(metric)]
    of_texts = [metric for metric in lacking if metric not in asked]
    if of_texts and not given.has_texts:
        raise InputError(
            f"{of_texts[0]} cannot be counted: the evaluation was saved without its texts; choose no metric but "
            f"{', '.join(counted)}, or send the texts"
        )
    if lacking:
        try:
            check_input(given.testset, given.systems, lacking)
        except InputError as error:  # which names flags of the command line as the way out
            raise InputError(re.sub(r" \(--?\w[^)]*\)", "", str(error))) from None
    for metric in asked:
        if not given.judgements:
            raise InputError(
                f"{metric} needs judgements, and there are none; send a file of them along (docs/reference/"
                f"judgements.md), or leave {metric.name} out"
            )
        check_judged(given, metric)
        scale = metric.scale  # type: ignore[attr-defined]
        judged = sorted({item.system for item in given.judgements if item.scale == scale})
        if not any(system.name in judged for system in given.systems):
            raise InputError(
                f"{metric}: nobody judged {', '.join(system.name for system in given.systems)}; the judgements are of "
                f"{', '.join(judged)}; give the systems the names that they have there"
            )
    if asked:
        at_hand(given)  # names that no system has
