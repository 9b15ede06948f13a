"""Signatures: what has to be known to get the same score again."""

from __future__ import annotations

from collections.abc import Mapping

from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.testset import TestSet
from tertium.core.version import VERSION


def signature(metric: Metric, testset: TestSet, run: Run = PLAIN) -> str:
    """What has to be known to get the same score again; `run` knows where the metric's models are."""
    low, high = testset.references.fewest_and_most
    parts = {"refs": references_text(low, high), "n": str(len(testset))}
    if "references" in metric.needs:
        parts["data"] = testset.references.digest[:12]
    if "source" in metric.needs and testset.sources is not None:
        parts["src"] = testset.sources.digest().hex()[:12]
    if testset.resegmented is not None:
        parts["resegmented"] = testset.resegmented
    if testset.tags is not None:
        parts["tags"] = testset.tags
    return signature_of(metric, parts, run)


def references_text(low: int, high: int) -> str:
    """How many references segments have: `1`, `0-2`."""
    return str(low) if low == high else f"{low}-{high}"


def signature_of(metric: Metric, data: Mapping[str, str], run: Run = PLAIN) -> str:
    """The signature of a metric on texts of which these facts are known."""
    parts = dict(data)
    parts |= metric.model_facts(run) if hasattr(metric, "model_facts") else {}
    parts |= metric.versions() if hasattr(metric, "versions") else {}
    parts["tertium"] = VERSION
    return "|".join([str(metric), *(f"{key}:{value}" for key, value in parts.items())])
