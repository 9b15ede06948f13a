"""What the index of a workspace knows of evaluations and jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.inference.runs import runs_of

State = Literal["queued", "running", "done", "failed", "cancelled"]
STATES: tuple[State, ...] = get_args(State)
LONGEST_NAME = 200


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the index knows of an evaluation."""

    id: str
    name: str
    created: str
    testset: str
    segments: int
    systems: tuple[str, ...]
    metrics: tuple[str, ...]  # that are counted
    wanted: tuple[str, ...]  # that were asked for
    digest: str = ""  # of the test set; empty where an older version took it in, until it is summed up
    baseline: str | None = None  # the system that others would replace
    glance: Mapping[str, Any] = field(default_factory=dict)  # verdict, best and scores (tertium.web.glance)
    state: State = "done"
    reason: str = ""
    job: str | None = None  # the newest job that scores


class Summary(NamedTuple):
    """What the index is told of an evaluation's file."""

    testset: str
    segments: int
    systems: list[str]
    metrics: list[str]
    digest: str = ""


def summarise(evaluation: Evaluation) -> Summary:
    """What there is to tell."""
    systems, metrics = [system.name for system in evaluation.systems], [str(metric) for metric in evaluation.metrics]
    testset = evaluation.testset
    return Summary(testset.name, len(testset), systems, metrics, testset.digest)


@dataclass(frozen=True, kw_only=True)
class Job:
    """Work on an evaluation, and how far it is."""

    id: str
    evaluation: str
    kind: str
    options: dict[str, Any]
    state: State
    reason: str
    attempts: int
    created: str
    ended: str | None


class UnknownError(OptionError):
    """An evaluation or job that is not in the workspace."""


def checked_name(name: str) -> str:
    """A name that a list can show."""
    text = " ".join(name.split())
    if not text:
        raise OptionError("the name is empty; write one")
    if len(text) > LONGEST_NAME:
        raise OptionError(f"the name has {len(text)} characters; at most {LONGEST_NAME}")
    if not all(char.isprintable() for char in text):
        raise OptionError("the name has characters that cannot be shown; leave them out")
    return text


def check_baseline(evaluation: Evaluation, baseline: str) -> str | None:
    """The system that others would replace; None where none is named."""
    if not baseline:
        return None
    names = list(runs_of(evaluation.systems))
    if baseline not in names:
        raise OptionError(f"baseline {baseline}: no system is called so; there are: {', '.join(names)}")
    if len(names) < 2:
        raise OptionError(f"baseline {baseline}: it is the only system; a verdict needs another one")
    return baseline
