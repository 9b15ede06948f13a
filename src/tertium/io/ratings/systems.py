"""Judgements under the names that systems have here, without those that were excluded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tertium.core.judged_names import system_names
from tertium.core.judgement import Judgement


def renamed(
    judgements: Iterable[Judgement],
    systems: Sequence[str],
    aliases: Mapping[str, str] | None = None,
    exclude: Sequence[str] = (),
) -> tuple[Judgement, ...]:
    """`aliases` say what a name in the judgements means here; a number of WMT behind a name (`.3`) needs none."""
    kept = [judgement for judgement in judgements if judgement.system not in exclude]
    meant = dict(aliases or {})
    others = dict.fromkeys(judgement.system for judgement in kept if judgement.system not in meant)
    meant |= system_names(others, systems)
    return tuple(
        replace(judgement, system=meant[judgement.system]) if judgement.system in meant else judgement
        for judgement in kept
    )
