"""Raters without their names: a page is made to be passed on, and nobody asked them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from tertium.core.evaluation import Evaluation


def pseudonyms(raters: Iterable[str], salt: str) -> dict[str, str]:
    """`rater 1`, `rater 2`, ...: the same for the same raters, in an order that tells nothing about their names."""

    def mixed(name: str) -> bytes:
        return hashlib.sha256(f"{salt}/{name}".encode(errors="surrogatepass")).digest()

    return {name: f"rater {k}" for k, name in enumerate(sorted(set(raters), key=mixed), 1)}


def unnamed(evaluation: Evaluation) -> Evaluation:
    """The evaluation with pseudonyms for its raters."""
    names = pseudonyms((judgement.rater for judgement in evaluation.judgements), evaluation.testset.digest)
    judgements = tuple(replace(judgement, rater=names[judgement.rater]) for judgement in evaluation.judgements)
    return replace(evaluation, judgements=judgements)
