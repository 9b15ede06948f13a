"""Raters without their names: a page is made to be passed on, and nobody asked them. Who of them is strict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from tertium.core.edited import pseudonyms
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import ENOUGH, SCALES
from tertium.core.wording import number


def unnamed(evaluation: Evaluation) -> Evaluation:
    """The evaluation with pseudonyms for its raters."""
    names = pseudonyms((judgement.rater for judgement in evaluation.judgements), evaluation.testset.digest)
    judgements = tuple(replace(judgement, rater=names[judgement.rater]) for judgement in evaluation.judgements)
    return replace(evaluation, judgements=judgements)


def strictness(raters: Mapping[str, tuple[int, float]], scale: str) -> str:
    """Who is the strictest and who the mildest of the raters with enough judgements; their items may differ. For each
    rater, how many judgements there are, and their mean."""
    means = {name: mean for name, (count, mean) in raters.items() if count >= ENOUGH and not math.isnan(mean)}
    if len(means) < 2:
        enough = "Only one rater" if means else "No rater"
        return f"{enough} gave {ENOUGH} judgements or more, so nobody is called strict or mild."
    low, high = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    strict, mild = (low, high) if SCALES[scale].better == "higher" else (high, low)
    who = f"{len(means)} raters" + ("" if len(means) == len(raters) else f" with {ENOUGH} judgements or more")
    if means[strict] == means[mild]:
        return f"All {who} give {number(means[strict], 1)} on average."
    return (
        f"Of the {who}, {strict} is the strictest ({number(means[strict], 1)} on average), {mild} the mildest "
        f"({number(means[mild], 1)}); they need not have judged the same outputs."
    )
