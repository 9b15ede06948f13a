"""Examples from judgements: every output that people judged, with the mean of what they said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation, segment_scores
from tertium.core.lines import Lines
from tertium.engines.evaluate import add_metrics
from tertium.human.campaign.collection import open_collection
from tertium.human.campaign.spec import is_campaign
from tertium.human.metric import chosen_gold
from tertium.io.examples import REFERENCE, SOURCE, Examples
from tertium.io.testset import read_testset

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def read_judged(path: str | Path, needs: Sequence[str] = (), gold: str | None = None) -> Examples:
    """The judged outputs of a campaign.toml, with what raters have said so far, or of a testset.toml with judgements.

    `needs` are texts that must be there besides the outputs: `src`, `ref`.
    """
    if is_campaign(path):
        with open_collection(path, read_only=True) as collection:
            found = judged_examples(collection.evaluation(), str(path), gold)
    else:
        found = judged_examples(read_testset(path), str(path), gold)
    for name, texts, word in ((SOURCE, found.sources, "source"), (REFERENCE, found.references, "reference")):
        if name in needs and texts is None:
            raise InputError(f"{path}: not every judged segment has a {word}, and this recipe reads it")
    return found


def judged_examples(evaluation: Evaluation, where: str, gold: str | None = None) -> Examples:
    """Outputs with their segments' human scores, of all systems; a higher score is better, whatever the scale.

    `gold` is a metric of judgements, such as `human(scale="mqm")`; without it, the usual one. Of several references the
    first that a segment has is taken.
    """
    import numpy as np

    metric = chosen_gold(evaluation.judgements, gold)
    evaluation = add_metrics(evaluation, metric)
    rows: list[tuple[str, int, float]] = []
    for system in evaluation.systems:
        if (system.name, str(metric)) not in evaluation.table:
            continue
        values = segment_scores(metric, evaluation.stats(system.name, metric).rows)  # (n,), NaN where nobody judged
        rows += [(system.name, k, value) for k, value in enumerate(values.tolist()) if not math.isnan(value)]
    outputs = {system.name: system.outputs for system in evaluation.systems}
    kept = [(name, k, value) for name, k, value in rows if outputs[name][k] is not None]
    if not kept:
        raise InputError(f"{where}: nobody has judged an output on {metric}; there is nothing to learn from")
    segments = np.array([k for _, k, _ in kept], dtype=np.int64)
    sign = 1.0 if metric.better == "higher" else -1.0
    testset = evaluation.testset
    return Examples(
        outputs=Lines.of([outputs[name][k] for name, k, _ in kept]),
        scores=np.array([sign * value for _, _, value in kept]),
        sources=None if testset.sources is None else testset.sources.take(segments),
        references=_first_references(evaluation, segments),
        systems=tuple(name for name, _, _ in kept),
        where=where,
    )


def _first_references(evaluation: Evaluation, segments: NDArray[np.int64]) -> Lines | None:
    """The first reference of each of these segments; None where one of them has none."""
    streams = evaluation.testset.references.streams
    found = [next((text for s in streams if (text := s[k]) is not None), None) for k in segments.tolist()]
    return None if not found or None in found else Lines.of(found)
