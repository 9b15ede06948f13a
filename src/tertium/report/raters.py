"""Raters without their names: a page is made to be passed on, and nobody asked them."""

from __future__ import annotations

from dataclasses import replace

from tertium.core.edited import pseudonyms
from tertium.core.evaluation import Evaluation


def unnamed(evaluation: Evaluation) -> Evaluation:
    """The evaluation with pseudonyms for its raters."""
    names = pseudonyms((judgement.rater for judgement in evaluation.judgements), evaluation.testset.digest)
    judgements = tuple(replace(judgement, rater=names[judgement.rater]) for judgement in evaluation.judgements)
    return replace(evaluation, judgements=judgements)
